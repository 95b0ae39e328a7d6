//! Reading what a person's client sent, and comparing it with what waits.

use std::collections::BTreeMap;

use countersign_json::{Document, Limits, Value};

use super::gate::{Form, Interrupt};
use crate::systems::script::call::Call;
use countersign_connect::{Fault, FaultKind};

/// What a person decided about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Run it.
    Approve,
    /// Run it with these arguments.
    Edit(String),
    /// Do not run it, for this reason.
    Reject(Option<String>),
    /// These words stand in for its outcome.
    Respond(String),
    /// Do not run it, without a word.
    Ignore,
}

/// The verdicts on the calls of each interrupt that is answered, in the order of the calls.
pub(super) type Answers = BTreeMap<String, Vec<Verdict>>;

/// The words in the input of a run; `None`: it is a command.
///
/// # Errors
/// The sentence with which the server refuses it.
pub(super) fn words(message: &Document<'_>) -> Result<Option<String>, Fault> {
    let root = message.root();
    if root.get("resume").is_some() {
        return Ok(None);
    }
    let list = root.get("messages").filter(|list| root.len() == 1 && list.len() == 1);
    let said = list.and_then(|list| list.items().next());
    let said = said.filter(|said| said.get("role").is_some_and(|role| role.equals("user")));
    let words = said.and_then(|said| said.get("content")?.as_str_lossy());
    words
        .map(|words| Some(words.into_owned()))
        .ok_or_else(|| refused(422, "the input is one message of the user"))
}

/// Compares the answers of a command with what waits; `waiting`: `None` where there is no such thread.
///
/// # Errors
/// The sentence with which the server refuses them; nothing has run then.
pub(super) fn answers(message: &Document<'_>, waiting: Option<&[&Interrupt]>) -> Result<Answers, Fault> {
    let waiting = waiting.ok_or_else(|| refused(404, "there is no such thread"))?;
    let resume = message.root().get("resume").filter(|it| it.is_object() && !it.is_empty());
    let resume = resume.filter(|_| message.root().len() == 1);
    let resume = resume.ok_or_else(|| refused(422, "`resume` is an object of interrupt ids"))?;
    let mut answers = Answers::new();
    for (id, answer) in resume.members() {
        let id = id.as_str().filter(|id| id.len() == 32 && id.bytes().all(|it| it.is_ascii_hexdigit()));
        let id = id.ok_or_else(|| refused(422, "`resume` is an object of interrupt ids"))?.into_owned();
        let Some(asked) = waiting.iter().find(|asked| asked.id == id) else {
            let sentence = format!("the interrupt `{id}` does not wait for an answer (any more)");
            return Err(refused(409, &sentence));
        };
        if answers.insert(id, verdicts(asked, answer)?).is_some() {
            return Err(refused(400, "an interrupt is answered twice"));
        }
    }
    Ok(answers)
}

fn verdicts(asked: &Interrupt, answer: Value<'_>) -> Result<Vec<Verdict>, Fault> {
    let given: Vec<Value<'_>> = match asked.form {
        Form::Batch => {
            let decisions = answer.get("decisions").filter(|it| it.is_array() && answer.len() == 1);
            decisions.ok_or_else(|| refused(422, "a batch is answered with `decisions`"))?.items().collect()
        }
        Form::PerCall => vec![answer],
        Form::Human => answer.items().collect(),
    };
    if given.len() != asked.calls.len() {
        let sentence = format!("{} request(s) need as many answers, in their order", asked.calls.len());
        return Err(refused(422, &sentence));
    }
    given.into_iter().zip(&asked.calls).map(|(given, call)| verdict(asked.form, call, given)).collect()
}

fn verdict(form: Form, call: &Call, given: Value<'_>) -> Result<Verdict, Fault> {
    let [kind, args, edited, message] = given.pick(["type", "args", "edited_action", "message"]);
    let allowed = form.allowed(&call.tool);
    let word = allowed.iter().find(|word| kind.is_some_and(|kind| kind.equals(word)));
    let unclear = || {
        let sentence = format!("`{}` is answered with one of {}, in its form", call.tool, allowed.join(", "));
        refused(422, &sentence)
    };
    let text = |value: Option<Value<'_>>| Some(value?.as_str_lossy()?.into_owned());
    let is_human = form == Form::Human;
    let members = given.len();
    let verdict = match *word.ok_or_else(unclear)? {
        "approve" if members == 1 => Some(Verdict::Approve),
        "accept" if members == 2 && args.is_some_and(Value::is_null) => Some(Verdict::Approve),
        "ignore" if members == 2 && args.is_some_and(Value::is_null) => Some(Verdict::Ignore),
        "reject" if members == 1 => Some(Verdict::Reject(None)),
        "reject" if members == 2 => text(message).map(|reason| Verdict::Reject(Some(reason))),
        "respond" if members == 2 => text(message).map(Verdict::Respond),
        "response" if members == 2 => text(args).map(Verdict::Respond),
        "edit" if members == 2 => {
            let (edit, name) = if is_human { (args, "action") } else { (edited, "name") };
            let [tool, args] = edit.map(|edit| edit.pick([name, "args"])).unwrap_or_default();
            let keeps_tool = tool.is_some_and(|tool| tool.equals(&call.tool));
            let args = args.filter(|args| keeps_tool && args.is_object());
            args.map(|args| Verdict::Edit(args.text().to_owned()))
        }
        _ => None,
    };
    verdict.ok_or_else(unclear)
}

/// Reads a message.
///
/// # Errors
/// The sentence with which the server refuses it.
pub(super) fn parse(message: &str) -> Result<Document<'_>, Fault> {
    Document::parse(message, &Limits::default())
        .map_err(|error| refused(400, &format!("the message is no JSON: {error}")))
}

fn refused(status: u16, sentence: &str) -> Fault {
    Fault::new(FaultKind::Status(status), format!("the agent refused: {sentence}"))
}
