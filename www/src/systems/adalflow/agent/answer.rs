//! Reading what a person's client sent, and comparing it with what waits.

use countersign_json::{Document, HazardCode, Limits, Value, Writer, inspect, sha256_hex};

use super::client::Client;
use super::refusal::Refused;
use super::tools::{self, QUESTION};

/// The words of an answer on the example backend's wire; the library's own handler has no `modify`.
pub(super) const OUTCOMES: [&str; 4] = ["proceed_once", "proceed_always", "cancel", "modify"];

/// The path before and behind the id of a request, at the library's own handler.
const SHIPPED: (&str, &str) = ("/api/v1/approvals/", "/approve");

/// A message from a person's client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// Words.
    Words(String),
    /// An answer to a request.
    Answer {
        /// The request's id.
        id: String,
        /// The answer, as the text of an object.
        body: String,
    },
}

/// An answer that fits its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// What was decided, in the wire's word.
    pub outcome: &'static str,
    /// The edited arguments, as the text of an object.
    pub kwargs: Option<String>,
    /// The answer to a question.
    pub words: Option<String>,
}

impl Received {
    /// Reads a message.
    ///
    /// # Errors
    /// The refusal of what is neither words nor an answer, or has a member twice.
    pub(super) fn read(message: &str) -> Result<Received, Refused> {
        let document = Document::parse(message, &Limits::default())
            .map_err(|error| Refused::new(422, &format!("the message is no JSON: {error}")))?;
        let root = document.root();
        if inspect(root, &Limits::default()).hazards.iter().any(|it| it.code == HazardCode::DuplicateKey) {
            return Err(Refused::new(422, "the message says something twice"));
        }
        let [text, kind, id, path, body] = root.pick(["text", "type", "id", "path", "body"]);
        if let Some(text) = text.and_then(Value::as_str_lossy) {
            return Ok(Received::Words(text.into_owned()));
        }
        if let (Some(path), Some(body)) = (path.and_then(Value::as_str), body) {
            let id = path.strip_prefix(SHIPPED.0).and_then(|rest| rest.strip_suffix(SHIPPED.1));
            let id = id.ok_or_else(|| Refused::new(404, "Not Found"))?.to_owned();
            return Ok(Received::Answer { id, body: body.text().to_owned() });
        }
        if !kind.is_some_and(|kind| kind.equals("approval_response")) {
            return Err(Refused::new(422, "only `approval_response` is understood"));
        }
        let id = id.and_then(Value::as_str).unwrap_or_default().into_owned();
        Ok(Received::Answer { id, body: message.to_owned() })
    }
}

impl Answer {
    /// The receipt of the library's handler.
    #[must_use]
    pub(super) fn receipt(&self, id: &str) -> String {
        let mut writer = Writer::new();
        writer.begin_object().key("status").string("accepted").key("request_id").string(id);
        writer.key("outcome").string(self.outcome).key("response_data");
        match &self.words {
            Some(words) => writer.string(words),
            None => writer.null(),
        };
        writer.end_object();
        writer.finish()
    }
}

/// Compares an answer with the request of the client that it names.
///
/// # Errors
/// The refusal unless it says exactly one thing that will take effect.
pub(super) fn check(client: &Client, id: &str, body: &str) -> Result<Answer, Refused> {
    if let Some(settled) = client.ended(id) {
        return Err(Refused::new(409, &format!("already decided: {}", settled.how)));
    }
    let waiting = client.waiting(id).ok_or_else(|| Refused::new(404, "no such approval"))?;
    let document = Document::parse(body, &Limits::default()).map_err(|_| unreadable())?;
    let root = document.root();
    let [outcome, kwargs, digest] = root.pick(["outcome", "kwargs", "args_digest"]);
    if digest.is_some_and(|digest| !digest.equals(&sha256_hex(&waiting.call.args))) {
        return Err(Refused::new(422, "decided on other arguments than those that would run"));
    }
    let outcome = word(outcome, &OUTCOMES)?;
    let edits = outcome == "modify";
    let known = ["type", "id", "outcome", "args_digest"];
    no_others(root, |name| known.contains(&name) || edits && name == "kwargs", outcome)?;
    if !edits {
        return Ok(Answer { outcome, kwargs: None, words: None });
    }
    let kwargs = kwargs.ok_or_else(|| Refused::new(422, "modify needs `kwargs`"))?.text();
    let errors = tools::problems(&waiting.call.tool, kwargs)
        .ok_or_else(|| Refused::new(422, "modify takes `args`, a list, and `kwargs`, an object"))?;
    if !errors.is_empty() {
        return Err(Refused::misfit(&errors));
    }
    Ok(Answer { outcome, kwargs: Some(kwargs.to_owned()), words: None })
}

/// The same for the library's own handler, behind the example backend's guard.
///
/// # Errors
/// The refusal where the handler would take something else than the person can have meant.
pub(super) fn check_shipped(client: &Client, id: &str, body: &str) -> Result<Answer, Refused> {
    let (waiting, settled) = (client.waiting(id), client.ended(id));
    let call = waiting.map(|waiting| &waiting.call).or(settled.map(|settled| &settled.call));
    let tool = &call.ok_or_else(|| Refused::new(404, "Request not found"))?.tool;
    let document = Document::parse(body, &Limits::default()).map_err(|_| unreadable())?;
    let root = document.root();
    let [named, outcome, data] = root.pick(["request_id", "outcome", "response_data"]);
    if !named.is_some_and(|named| named.equals(id)) {
        return Err(Refused::new(422, "`request_id` is not that of the address"));
    }
    let outcome = word(outcome, OUTCOMES.get(..3).unwrap_or_default())?;
    no_others(root, |name| ["request_id", "outcome", "response_data"].contains(&name), outcome)?;
    let data = data.filter(|data| !data.is_null());
    let words = data.and_then(Value::as_str).map(|words| words.into_owned());
    let asks = tool == QUESTION;
    if data.is_some() && (!asks || outcome != "proceed_once" || words.is_none()) {
        return Err(Refused::new(422, "`response_data` has no effect here"));
    }
    let is_empty = words.as_ref().is_none_or(String::is_empty);
    if asks && (outcome == "proceed_always" || outcome == "proceed_once" && is_empty) {
        return Err(Refused::new(422, "a question needs an answer in `response_data`"));
    }
    if let Some(settled) = settled {
        // The library writes `approved` for every answer, also for a cancel.
        let status = if settled.how == "timeout" { "expired" } else { "approved" };
        return Err(Refused::new(400, &format!("Request is no longer pending (status: {status})")));
    }
    Ok(Answer { outcome, kwargs: None, words })
}

fn word(outcome: Option<Value<'_>>, known: &[&'static str]) -> Result<&'static str, Refused> {
    let found = known.iter().find(|word| outcome.is_some_and(|outcome| outcome.equals(word)));
    found.copied().ok_or_else(|| Refused::new(422, &format!("outcome must be one of {known:?}")))
}

fn no_others(root: Value<'_>, is_known: impl Fn(&str) -> bool, outcome: &str) -> Result<(), Refused> {
    let names = root.members().map(|(key, _)| key.as_str_lossy().unwrap_or_default());
    match names.into_iter().find(|name| !is_known(name)) {
        Some(name) => Err(Refused::new(422, &format!("`{name}` has no effect on `{outcome}`"))),
        None => Ok(()),
    }
}

fn unreadable() -> Refused {
    Refused::new(422, "the answer is no object")
}
