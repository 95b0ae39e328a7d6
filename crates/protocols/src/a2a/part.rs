//! What one part of a message is.

use countersign_json::{Value, items, names};

use super::memory::{Dialect, Envelope};
use crate::confirmation::{CONFIRMATION, INTERNAL, is_stub};
use crate::reading::{is, present};

/// The address of kagent's approval extension.
pub(super) const HITL: &str = "https://kagent.dev/extensions/hitl/v1";

/// What one part of a message is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    /// A tool call.
    Call(Data<'a>),
    /// A request for confirmation.
    Confirmation(Data<'a>, Dialect),
    /// A stub: the call waits.
    Stub(Data<'a>),
    /// What became of a call.
    Outcome(Data<'a>),
    /// A person's answer in ADK's own form.
    NativeAnswer(Data<'a>),
    /// A person's answer in kagent's words.
    WordAnswer(Value<'a>),
    /// Anything else, such as words for people.
    Other,
}

/// The data of a part about a call, read in one pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data<'a> {
    pub(super) value: Value<'a>,
    pub(super) id: Option<Value<'a>>,
    pub(super) name: Option<Value<'a>>,
    pub(super) args: Option<Value<'a>>,
    pub(super) response: Option<Value<'a>>,
    /// Its arguments are still on their way.
    pub(super) is_piece: bool,
    /// Its numbers were carried as doubles: in A2A 1.0, and by the servers of google-adk, which write 0.3 out of it.
    pub(super) has_doubles: bool,
}

/// Classifies one part of a message from this side.
pub(super) fn part(value: Value<'_>, from_user: bool) -> Part<'_> {
    let [data, metadata, version] = value.named(names!["data", "metadata", "kind"]);
    let Some(value) = data.filter(|data| data.is_object()) else { return Part::Other };
    let [id, name, args, response, word] =
        value.named(names!["id", "name", "args", "response", "decision_type"]);
    // A word that is none is an answer all the same, but beside one in ADK's own form.
    if from_user && present(word).or(word.filter(|_| response.is_none())).is_some() {
        return Part::WordAnswer(value);
    }
    let Some((kind, dialect, is_adk)) = metadata.and_then(part_type) else { return Part::Other };
    let has_doubles = present(version).is_none() || is_adk;
    let is_call = kind.equals("function_call");
    let is_piece = is_call
        && args.is_none()
        && ["partialArgs", "willContinue"].iter().any(|name| value.get(name).is_some());
    let data = Data { value, id, name, args, response, is_piece, has_doubles };
    let is_confirmation = is(name, CONFIRMATION);
    if is_call {
        if is_confirmation {
            return Part::Confirmation(data, dialect);
        }
        let is_internal = name.and_then(|name| name.as_str()).is_some_and(|name| name.starts_with(INTERNAL));
        // Only the first piece of a stream says what is called.
        let says_nothing = is_piece && name.is_none();
        return if is_internal || says_nothing { Part::Other } else { Part::Call(data) };
    }
    if kind.equals("function_response") {
        return match (is_confirmation, from_user) {
            (true, true) => Part::NativeAnswer(data),
            (true, false) => Part::Other,
            (false, _) if is_stub(response) => Part::Stub(data),
            (false, _) => Part::Outcome(data),
        };
    }
    Part::Other
}

/// The type of a data part, which spelling named it, and whether that of google-adk is there at all.
fn part_type(metadata: Value<'_>) -> Option<(Value<'_>, Dialect, bool)> {
    let spelt = metadata.named(names!["adk_type", "kagent_type", "type"]);
    let (dialects, is_adk) = ([Dialect::Adk, Dialect::Kagent010, Dialect::Seed], spelt.first()?.is_some());
    let mut named = spelt.into_iter().zip(dialects);
    named.find_map(|(kind, dialect)| Some((kind.filter(|kind| kind.is_string())?, dialect, is_adk)))
}

/// What the metadata of a message, an artifact, an event or a task says of its origin.
#[derive(Clone, Copy, Default)]
pub(super) struct Origin<'a> {
    /// The agent that speaks.
    pub(super) author: Option<Value<'a>>,
    /// The application that the agent belongs to.
    pub(super) app_name: Option<Value<'a>>,
    /// The payload of the approval extension, whether the message says that it carries it or not.
    pub(super) hitl: Option<Value<'a>>,
    /// It is a piece of a stream that is never stored; the whole follows.
    pub(super) is_partial: bool,
    /// The calls that ask for confirmation in this event, by id: what their tools return meanwhile is no outcome.
    pub(super) asking: Option<Value<'a>>,
}

/// More calls than this do not ask for confirmation in one event; each response is looked up among them.
const MOST_ASKING: usize = 1000;

/// Reads metadata in one pass; each member may be spelt in three ways.
pub(super) fn origin(metadata: Option<Value<'_>>) -> Origin<'_> {
    let Some(metadata) = metadata else { return Origin::default() };
    let [adk_author, kagent_author, author, adk_app, kagent_app, app, partial, hitl, actions] = metadata
        .named(names![
            "adk_author",
            "kagent_author",
            "author",
            "adk_app_name",
            "kagent_app_name",
            "app_name",
            "kagent_adk_partial",
            HITL,
            "adk_actions",
        ]);
    Origin {
        author: given([adk_author, kagent_author, author]),
        app_name: given([adk_app, kagent_app, app]),
        is_partial: partial.and_then(Value::as_bool) == Some(true),
        hitl: hitl.filter(|payload| payload.is_object()),
        asking: actions
            .and_then(|actions| actions.get("requestedToolConfirmations"))
            .filter(|calls| calls.members().nth(MOST_ASKING).is_none()),
    }
}

/// The first of several spellings that says something.
fn given(spelt: [Option<Value<'_>>; 3]) -> Option<Value<'_>> {
    spelt.into_iter().flatten().find(|value| !value.is_null())
}

/// Whether a message says that it carries the approval extension.
pub(super) fn names_hitl(extensions: Option<Value<'_>>) -> bool {
    items(extensions).any(|extension| extension.equals(HITL))
}

/// Which version of A2A spells a message or a part like this one.
pub(super) fn envelope(value: Value<'_>) -> Envelope {
    if present(value.get("kind")).is_some() { Envelope::V03 } else { Envelope::V10 }
}

/// Whether a person sent the message.
pub(super) fn is_from_user(role: Option<Value<'_>>) -> bool {
    is(role, "user") || is(role, "ROLE_USER")
}
