//! Calls of `ask_user`, to which a request for their answers is joined.

use std::sync::Arc;

use countersign_core::collections::{Groups, Marks, Numbered};
use countersign_core::{ArgsText, CallId, Question, Text};
use countersign_json::{Document, Limits, Numbers, Value, same};

use super::ask::question_list;
use super::memory::Task;

/// So many requests of a task wait for their calls.
const MOST_LONE: usize = 100;

/// Calls of `ask_user`, with their arguments.
#[derive(Default)]
pub(super) struct Questions {
    calls: Numbered<Call>,
    /// Those without an outcome, by place.
    open: Marks,
    by_call: Groups,
    by_wording: Groups,
    /// How many of each wording, from the first one on, nobody asks any more.
    gone: Vec<usize>,
    /// Requests whose call was not seen, by place in the task, and what they ask.
    lone: Vec<(u32, Arc<[Question]>)>,
}

struct Call {
    id: CallId,
    args: ArgsText,
    /// The artifact in which it stands.
    artifact: Option<Text>,
}

impl Questions {
    /// Whether no call is known.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Remembers a call, if it was not known, and finds the request that was told before it.
    pub(super) fn add(&mut self, id: &CallId, args: &ArgsText, artifact: Option<Text>) -> Option<u32> {
        if self.by_call.place(id.shared()).is_some() {
            return None;
        }
        let at = self.calls.push(Call { id: id.clone(), args: args.clone(), artifact });
        self.open.insert(at);
        self.by_call.push(id.shared(), at);
        let document = Document::parse(args.as_str(), &Limits::default());
        let list = document.iter().find_map(|document| document.root().get("questions"))?;
        self.by_wording.push(&wording(list), at);
        if self.lone.is_empty() {
            return None;
        }
        let asked = question_list(list)?;
        let lone = self.lone.iter().position(|(_, questions)| *questions == asked)?;
        Some(self.lone.remove(lone).0)
    }

    /// Remembers a request that no known call asks.
    pub(super) fn ask_alone(&mut self, request: u32, list: Value<'_>) {
        let is_news = || self.lone.len() < MOST_LONE && self.lone.iter().all(|(known, _)| *known != request);
        if self.by_wording.place(&wording(list)).is_none() && is_news() {
            self.lone.extend(question_list(list).map(|questions| (request, questions)));
        }
    }

    /// Forgets a call that has its outcome.
    pub(super) fn settle(&mut self, call: &str) {
        for at in self.by_call.get(call) {
            self.open.remove(*at);
        }
    }

    /// The call with this id.
    pub(super) fn call(&self, call: &CallId) -> Option<(CallId, ArgsText)> {
        let call = self.calls.of(self.by_call.get(call.shared())).next()?;
        Some((call.id.clone(), call.args.clone()))
    }
}

impl Task {
    /// The open call that asks these questions and is not asked about yet.
    ///
    /// Of several in a stored task the first, if it stands alone in its artifact: the artifacts are read before what is
    /// asked about them.
    pub(super) fn asking(&mut self, list: Value<'_>, is_live: bool) -> Option<(CallId, ArgsText)> {
        let place = self.questions.by_wording.place(&wording(list))?;
        let Questions { calls, open, by_wording, gone, .. } = &self.questions;
        let places = by_wording.at(place);
        let call = |at: &u32| calls.get(*at).filter(|_| open.contains(*at));
        let free = |at: &u32| call(at).filter(|call| self.about(&call.id).is_empty());
        let from = gone.get(place as usize).copied().unwrap_or_default();
        let rest = places.get(from..).unwrap_or_default();
        let past = rest.iter().take_while(|at| free(at).is_none()).count();
        let mut fitting = rest.iter().skip(past).filter_map(free).filter(|call| call.asks(list));
        let (first, second) = (fitting.next(), fitting.next());
        let is_clear = |first: &&Call| {
            second.is_none_or(|second| {
                !is_live && first.artifact.is_some() && first.artifact != second.artifact
            })
        };
        let found = first.filter(is_clear).map(|call| (call.id.clone(), call.args.clone()));
        let gone = &mut self.questions.gone;
        gone.resize(gone.len().max(place as usize + 1), 0);
        if let Some(gone) = gone.get_mut(place as usize) {
            *gone = from + past;
        }
        found
    }
}

impl Call {
    fn asks(&self, list: Value<'_>) -> bool {
        let document = Document::parse(self.args.as_str(), &Limits::default());
        let asked = document.iter().find_map(|document| document.root().get("questions"));
        asked.is_some_and(|asked| ask_the_same(asked, list))
    }
}

/// Whether two lists ask the same; kagent's Go runtime spells no choices as null, whatever the call has there.
fn ask_the_same(a: Value<'_>, b: Value<'_>) -> bool {
    same(a, b, Numbers::Value) || (a.is_array() && question_list(a) == question_list(b))
}

/// The words of questions. What asks the same has the same, however it is spelt.
fn wording(list: Value<'_>) -> Text {
    let mut wording = String::new();
    for question in list.items() {
        let words = question.get("question").and_then(Value::as_str_lossy);
        wording.push_str(words.as_deref().unwrap_or_default());
        wording.push('\n');
    }
    Text::from(wording)
}
