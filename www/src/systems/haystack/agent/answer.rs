//! What a page sends: words, or an answer, and whether it fits.

use countersign_core::{ArgsText, Decision};
use countersign_json::{Document, Limits, Value, inspect, quote, sha256_hex};

use super::tools;
use crate::systems::script::call::Call;
use countersign_connect::{Fault, FaultKind};

/// What an answer may hold beside `type`, `id` and `action`: what has no effect is refused.
const MEMBERS: [(&str, &[&str]); 3] = [
    ("confirm", &["args_digest"]),
    ("reject", &["args_digest", "feedback"]),
    ("modify", &["args_digest", "feedback", "new_tool_params"]),
];

/// Why an answer was not taken: a status, and the detail as JSON text.
pub(super) type Refused = (u16, String);

/// What a page sent.
pub(super) enum Received<'d> {
    /// A person's words, and the policy that they name.
    Words(String, Option<String>),
    /// An answer.
    Answer(Value<'d>),
}

impl<'d> Received<'d> {
    /// Reads a message.
    ///
    /// # Errors
    /// A [`Fault`] for what the real server's `POST /run/…` would refuse.
    pub(super) fn read(document: &'d Document<'_>) -> Result<Received<'d>, Fault> {
        let [kind, text, policy] = document.root().pick(["type", "text", "policy"]);
        if kind.is_some() {
            return Ok(Received::Answer(document.root()));
        }
        let sentence = "needed is `text`, and `policy` may be one of `always`, `never`, `once`";
        let refused = || Fault::new(FaultKind::Status(422), sentence);
        let text = text.and_then(Value::as_str).ok_or_else(refused)?;
        let policy = policy.and_then(Value::as_str).map(|policy| policy.into_owned());
        Ok(Received::Words(text.into_owned(), policy))
    }
}

/// The id that an answer names.
pub(super) fn id(answer: Value<'_>) -> Option<String> {
    Some(answer.get("id")?.as_str()?.into_owned())
}

/// Compares an answer with the call that it decides, and says what was decided.
///
/// # Errors
/// [`Refused`] unless it says exactly one thing that the library understands.
pub(super) fn check(call: &Call, answer: Value<'_>) -> Result<Decision, Refused> {
    let inspection = inspect(answer, &Limits::default());
    if let Some(hazard) = inspection.hazards.iter().find(|hazard| hazard.code.blocks()) {
        return Err(refusal(&hazard.message));
    }
    let [kind, action, digest, feedback, params] =
        answer.pick(["type", "action", "args_digest", "feedback", "new_tool_params"]);
    if !kind.is_some_and(|kind| kind.equals("approval_response")) {
        return Err(refusal("only `approval_response` is understood"));
    }
    let shown = sha256_hex(&call.args);
    if digest.is_some_and(|digest| !digest.is_null() && !digest.equals(&shown)) {
        return Err(refusal("decided on other arguments than those that would run"));
    }
    let named = MEMBERS.iter().find(|(word, _)| action.is_some_and(|action| action.equals(word)));
    let Some((word, members)) = named else {
        return Err(refusal("action must be one of ['confirm', 'reject', 'modify']"));
    };
    let mut keys = answer.members().filter_map(|(key, _)| key.as_str_lossy());
    if let Some(key) =
        keys.find(|key| !["type", "id", "action"].contains(&&**key) && !members.contains(&&**key))
    {
        return Err(refusal(&format!("`{key}` has no effect on `{word}`")));
    }
    let words = match feedback {
        Some(feedback) => Some(feedback.as_str().ok_or_else(|| refusal("feedback is text"))?),
        None => None,
    };
    match *word {
        "confirm" => Ok(Decision::approve()),
        "reject" => Ok(Decision::reject(words.as_deref())),
        _ => {
            let params = edited(call, params)?;
            Ok(Decision::Edit {
                args: ArgsText::from(params.text()),
                note: words.map(|words| (*words).into()),
            })
        }
    }
}

fn edited<'d>(call: &Call, params: Option<Value<'d>>) -> Result<Value<'d>, Refused> {
    let params = params.filter(|params| params.is_object() && !params.is_empty());
    let params = params.ok_or_else(|| refusal("modify needs `new_tool_params`, all of the new arguments"))?;
    let problems = tools::problems(&call.tool, params);
    if problems.is_empty() {
        return Ok(params);
    }
    let lines: Vec<String> = problems.iter().map(|line| quote(line)).collect();
    Err((422, format!(r#"{{"errors":[{}]}}"#, lines.join(","))))
}

fn refusal(sentence: &str) -> Refused {
    (422, quote(sentence))
}
