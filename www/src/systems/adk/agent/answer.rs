//! Reading what a person's client sent, and comparing it with what waits.

use countersign_json::{Document, Limits, Value};

use super::session::Session;
use super::{CONFIRMATION, gate};
use crate::systems::Wire;
use countersign_connect::{Fault, FaultKind};

/// A message from a person's client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// Words.
    Words(String),
    /// Answers to what was asked.
    Answers(Vec<Answer>),
}

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The request's id.
    pub request: String,
    /// Run it.
    pub confirmed: bool,
    /// The arguments that a person changed, as the text of an object.
    pub changed: Option<String>,
    /// Why not.
    pub reason: Option<String>,
}

impl Received {
    /// Reads the content of a message.
    ///
    /// # Errors
    /// The sentence with which the server refuses it.
    pub(super) fn read(message: &str) -> Result<Received, Fault> {
        let document = Document::parse(message, &Limits::default())
            .map_err(|error| refused(400, &format!("the message is no JSON: {error}")))?;
        let parts = document.root().get("parts").filter(|parts| !parts.is_empty());
        let parts: Vec<Value<'_>> =
            parts.ok_or_else(|| refused(422, "a message has parts"))?.items().collect();
        if parts.iter().all(|part| part.len() == 1 && part.get("text").is_some()) {
            let words = parts.iter().filter_map(|part| part.get("text")?.as_str_lossy());
            return Ok(Received::Words(words.collect::<Vec<_>>().join(" ")));
        }
        parts.into_iter().map(answer).collect::<Result<_, _>>().map(Received::Answers)
    }
}

fn answer(part: Value<'_>) -> Result<Answer, Fault> {
    let response = part.get("functionResponse").filter(|_| part.len() == 1);
    let response = response.ok_or_else(|| refused(422, "a message is either words or answers"))?;
    let [id, name, given] = response.pick(["id", "name", "response"]);
    if !name.is_some_and(|name| name.equals(CONFIRMATION)) {
        return Err(refused(422, "outcomes come from tools"));
    }
    let request = id.and_then(Value::as_str_lossy).unwrap_or_default().into_owned();
    let unclear = || refused(422, &format!("the answer to `{request}` does not say whether it is confirmed"));
    let given = given.ok_or_else(unclear)?;
    let confirmed = given.get("confirmed").and_then(Value::as_bool).ok_or_else(unclear)?;
    let payload = given.get("payload");
    let word = |key| payload?.get(key);
    Ok(Answer {
        confirmed,
        changed: word("modified_args").map(|changed| changed.text().to_owned()),
        reason: word("rejection_reason").and_then(Value::as_str_lossy).map(|reason| reason.into_owned()),
        request,
    })
}

/// Whether these are the answers to everything that one turn of the session asked, and nothing else.
///
/// # Errors
/// The sentence with which the server refuses them; nothing has run then.
pub(super) fn check(wire: Wire, session: Option<&Session>, answers: &[Answer]) -> Result<(), Fault> {
    let session = session.ok_or_else(|| refused(404, "there is no such session"))?;
    let answered = |request: &str| answers.iter().filter(|answer| answer.request == request).count();
    let waits = |request: &str| {
        session.pauses.iter().any(|pause| pause.pending.iter().any(|pending| pending.request == request))
    };
    if let Some(stray) = answers.iter().find(|answer| !waits(&answer.request)) {
        let sentence = format!("the request `{}` does not wait for an answer (any more)", stray.request);
        return Err(refused(409, &sentence));
    }
    let complete = session.pauses.iter().any(|pause| {
        pause.pending.len() == answers.len()
            && pause.pending.iter().all(|pending| answered(&pending.request) == 1)
    });
    if !complete {
        return Err(refused(422, "an answer names every open request of one turn once, and no other"));
    }
    for answer in answers {
        if let Some(changed) = &answer.changed {
            if !answer.confirmed || !gate::takes_edits(wire) {
                return Err(refused(422, &format!("`modified_args` has no effect on `{}`", answer.request)));
            }
            let object =
                Document::parse(changed, &Limits::ARGUMENTS).is_ok_and(|changed| changed.root().is_object());
            if !object {
                return Err(refused(422, "edited arguments are an object"));
            }
        }
        if answer.confirmed && answer.reason.is_some() {
            return Err(refused(422, &format!("`rejection_reason` has no effect on `{}`", answer.request)));
        }
    }
    Ok(())
}

fn refused(status: u16, sentence: &str) -> Fault {
    Fault::new(FaultKind::Status(status), format!("the agent refused: {sentence}"))
}
