//! The script in the terms of this server: what the model says and calls next.

use countersign_json::{Document, Limits, Value, quote};

use super::gate::Form;
use super::level::Level;
use crate::systems::script::call::{Call, Proposal};
use crate::systems::script::plan::{QUESTIONS, Step};

/// The tool that hands work to another agent.
const DELEGATE: &str = "delegate";

/// What the model says.
pub(super) struct Said {
    /// Its words.
    pub words: String,
    /// Its calls.
    pub proposals: Vec<Proposal>,
    /// A person is asked about them.
    pub is_gated: bool,
    /// What another agent has to do for them.
    pub inner: Option<Vec<Step>>,
}

/// What the model says next; `None`: it fails.
pub(super) fn next(form: Form, level: &mut Level) -> Option<Said> {
    let said = |words, proposals, is_gated| Said { words, proposals, is_gated, inner: None };
    while !level.steps.is_empty() {
        match level.steps.remove(0) {
            Step::Run { says, calls } => return Some(said(says, calls, false)),
            Step::Gated { says, calls } => return Some(said(says, calls, true)),
            // None of the gates can ask questions: the model does it in words.
            Step::Ask { says, questions } => level.told.push(asked(&says, &questions)),
            Step::Delegate { says, request, calls } => {
                let steps = match calls {
                    Some(calls) => vec![Step::Gated { says: format!("I will see to it: {request}."), calls }],
                    None => vec![Step::Ask { says: says.clone(), questions: QUESTIONS.to_owned() }],
                };
                if form == Form::Batch {
                    let proposals =
                        vec![Proposal::new(DELEGATE, format!(r#"{{"task":{}}}"#, quote(&request)))];
                    return Some(Said { words: says, proposals, is_gated: false, inner: Some(steps) });
                }
                // The graphs of the other gates have nobody to hand work to.
                level.steps.splice(0..0, steps);
            }
            Step::Crash => return None,
        }
    }
    Some(said(level.told.join(" "), Vec::new(), false))
}

/// What a call of [`DELEGATE`] hands over.
pub(super) fn request(call: &Call) -> String {
    let document = Document::parse(&call.args, &Limits::ARGUMENTS).ok();
    let task = document.as_ref().and_then(|it| it.root().get("task")?.as_str_lossy());
    task.unwrap_or_default().into_owned()
}

/// What the model says when nothing is asked of it.
pub(super) fn small_talk(text: &str) -> String {
    format!("You said: {text}. I can read and delete files, send an email, or transfer money.")
}

/// Questions, in the words of a model that has no tool to ask them with.
fn asked(says: &str, questions: &str) -> String {
    let Ok(document) = Document::parse(questions, &Limits::ARGUMENTS) else { return says.to_owned() };
    let questions = document.root().items().filter_map(|it| it.get("question").and_then(Value::as_str_lossy));
    let mut sentence = says.to_owned();
    for question in questions {
        sentence.push(' ');
        sentence.push_str(&question);
    }
    sentence
}
