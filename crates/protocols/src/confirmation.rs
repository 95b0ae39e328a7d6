//! ADK's tool confirmation, which stands in its own events as it stands in A2A.

use std::borrow::Cow;

use crate::reading::is;
use countersign_core::{ArgsText, Decision, DueEntry, Offer, OfferKind, Source, Text, Words};
use countersign_json::{Numbers, Value, Writer, named, names, same, shallow_merge, shallow_patch};

/// The name of the call that carries a confirmation.
pub(crate) const CONFIRMATION: &str = "adk_request_confirmation";

/// How the names of calls begin that ADK makes itself.
pub(crate) const INTERNAL: &str = "adk_request_";

/// What a call asks for by which ADK asks for a confirmation.
#[derive(Clone, Copy)]
pub(crate) struct Confirmation<'v> {
    /// The id, the name and the arguments of the call that waits for it.
    pub(crate) call: [Option<Value<'v>>; 3],
    /// What the tool asks with, if that is an object.
    pub(crate) payload: Option<Value<'v>>,
    words: Option<Value<'v>>,
}

impl<'v> Confirmation<'v> {
    /// Reads the arguments of such a call.
    pub(crate) fn of(args: Option<Value<'v>>) -> Confirmation<'v> {
        let [original, details] = named(args, names!["originalFunctionCall", "toolConfirmation"]);
        let [payload, words] = named(details, names!["payload", "hint"]);
        let payload = payload.filter(|payload| payload.is_object());
        Confirmation { call: call_members(original), payload, words }
    }

    /// Whether the request shows that its gate reads edited arguments.
    pub(crate) fn declares_edits(&self) -> bool {
        self.payload.is_some_and(|payload| declares_edits(payload, self.call))
    }

    /// The agent's words.
    pub(crate) fn hint(&self, source: &Source) -> Option<Text> {
        hint(source, self.words?)
    }
}

/// The id, the name and the arguments of the call that a request is about.
pub(crate) fn call_members(original: Option<Value<'_>>) -> [Option<Value<'_>>; 3] {
    named(original, names!["id", "name", "args"])
}

/// What may be decided on a call; an edit only where it takes effect.
pub(crate) fn offers(editable: bool) -> Vec<Offer> {
    let mut offers = vec![Offer::new(OfferKind::Approve)];
    if editable {
        offers.push(Offer::new(OfferKind::Edit));
    }
    offers.push(Offer::new(OfferKind::Reject).words(Words::Sent));
    offers
}

/// Whether a response only says that the call waits.
pub(crate) fn is_stub(response: Option<Value<'_>>) -> bool {
    let [status, error] = named(response, names!["status", "error"]);
    let waits = ["confirmation_requested", "awaiting_approval", "pending"];
    status.is_some_and(|status| waits.iter().any(|word| status.equals(word)))
        || error.and_then(|error| error.as_str()).is_some_and(|text| text.contains("requires confirmation"))
}

/// Whether a response that sounds like a stub's is of a tool that has run: it says more of its work than that it is pending, and
/// asks nothing, as kagent's own tools do.
pub(crate) fn is_of_work(response: Value<'_>) -> bool {
    let [status, questions] = response.named(names!["status", "questions"]);
    questions.is_none() && response.len() > 1 && is(status, "pending")
}

/// What a tool says that failed and tells it otherwise than by `error`: with MCP's mark, or in the answer that ADK's plugin for another
/// try puts in the place of an exception. Empty if it says nothing.
///
/// Source: google-adk 2.13.0, `plugins/_callback_helpers.py`.
pub(crate) fn failure(response: Value<'_>) -> Option<Cow<'_, str>> {
    let [kind, details, mark, newer, content] =
        response.named(names!["response_type", "error_details", "isError", "is_error", "content"]);
    let is_set = |mark: Option<Value<'_>>| mark.and_then(Value::as_bool) == Some(true);
    let words = if is(kind, "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN") {
        details
    } else if is_set(mark) || is_set(newer) {
        content.and_then(|content| content.items().next()?.get("text"))
    } else {
        return None;
    };
    Some(words.and_then(Value::as_str_lossy).unwrap_or_default())
}

fn declares_edits(payload: Value<'_>, [id, name, own_args]: [Option<Value<'_>>; 3]) -> bool {
    let [approval, tool, args] = payload.named(names!["approval_id", "tool", "args"]);
    payload.len() == 3 && equal(approval, id) && equal(tool, name) && {
        // No arguments at all are an empty object, however they are spelt.
        (args.is_some_and(is_nothing) && own_args.is_none_or(is_nothing)) || equal(args, own_args)
    }
}

fn is_nothing(args: Value<'_>) -> bool {
    args.is_null() || (args.is_object() && args.is_empty())
}

fn equal(declared: Option<Value<'_>>, original: Option<Value<'_>>) -> bool {
    match (declared, original) {
        (Some(declared), Some(original)) => {
            // What repeats a key is never the same, but may stand there twice.
            same(declared, original, Numbers::Value) || bare(declared).eq(bare(original))
        }
        _ => false,
    }
}

/// The text without the white space between its parts.
fn bare(value: Value<'_>) -> impl Iterator<Item = u8> {
    let (mut is_string, mut is_escape) = (false, false);
    value.text().bytes().filter(move |byte| {
        is_string ^= *byte == b'"' && !is_escape;
        is_escape = *byte == b'\\' && !is_escape;
        is_string || !byte.is_ascii_whitespace()
    })
}

/// The agent's words, but for the sentence that ADK writes for developers.
pub(crate) fn hint(source: &Source, value: Value<'_>) -> Option<Text> {
    let text = value.as_str_lossy()?;
    let is_stock = text.starts_with("Please approve or reject the tool call ")
        && text.contains("by responding with a FunctionResponse");
    (!text.trim().is_empty() && !is_stock).then(|| source.cut(&text))
}

/// What a response to a confirmation decides about a call; `editable` are the arguments that an edit is laid over.
/// `None` for a word that is no boolean: the server takes `"yes"` and `1` for a yes.
pub(crate) fn decision(response: Value<'_>, editable: Option<&ArgsText>) -> Option<Decision> {
    let [confirmed, payload] = response.named(names!["confirmed", "payload"]);
    let [reason, modified] = named(payload, names!["rejection_reason", "modified_args"]);
    let confirmed = confirmed.filter(|word| !word.is_null());
    if !confirmed.map_or(Some(false), Value::as_bool)? {
        return Some(Decision::reject(reason.and_then(|reason| reason.as_str()).as_deref()));
    }
    let merged = modified
        .zip(editable)
        .and_then(|(patch, original)| shallow_merge(original.as_str(), patch.text()).ok());
    Some(match merged {
        Some(args) => Decision::Edit { args: ArgsText::from(args), note: None },
        None => Decision::approve(),
    })
}

/// Writes the response that carries a decision; the server fails on any other member.
///
/// # Errors
/// A sentence that says why this decision has no form on this wire.
pub(crate) fn write_response(writer: &mut Writer, due: &DueEntry) -> Result<(), String> {
    writer.begin_object();
    match &due.decision {
        Decision::Approve { .. } => {
            writer.key("confirmed").bool(true);
        }
        Decision::Edit { args, .. } => {
            let patch = shallow_patch(due.args.as_str(), args.as_str()).map_err(|error| error.to_string())?;
            writer.key("confirmed").bool(true);
            writer.key("payload").begin_object();
            writer.key("modified_args").raw(&patch.text);
            writer.end_object();
        }
        Decision::Answer { answers } => {
            writer.key("confirmed").bool(true);
            writer.key("payload").begin_object();
            write_answers(writer, "answers", answers);
            writer.end_object();
        }
        Decision::Reject { reason, .. } => {
            writer.key("confirmed").bool(false);
            if let Some(reason) = reason {
                writer.key("payload").begin_object();
                writer.key("rejection_reason").string(reason);
                writer.end_object();
            }
        }
        other => return Err(format!("`{}` has no form on this wire", other.kind().as_str())),
    }
    writer.end_object();
    Ok(())
}

/// Writes one list of answers for each question.
pub(crate) fn write_answers(writer: &mut Writer, member: &str, answers: &[Vec<String>]) {
    writer.key(member).begin_array();
    for answer in answers {
        writer.begin_object();
        writer.key("answer").begin_array();
        for text in answer {
            writer.string(text);
        }
        writer.end_array();
        writer.end_object();
    }
    writer.end_array();
}
