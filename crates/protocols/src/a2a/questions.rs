//! Calls of `ask_user`, to which a request for their answers is joined.

use countersign_core::collections::{Groups, Marks};
use countersign_core::{ArgsText, CallId, Text};
use countersign_json::{Document, Limits, Value};

/// Calls of `ask_user`, with their arguments.
#[derive(Default)]
pub(super) struct Questions {
    calls: Vec<(CallId, ArgsText)>,
    /// Those without an outcome, by place.
    open: Marks,
    by_call: Groups,
    by_wording: Groups,
}

impl Questions {
    /// Remembers a call that was not known.
    pub(super) fn add(&mut self, call: &CallId, args: &ArgsText) {
        let at = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        self.calls.push((call.clone(), args.clone()));
        self.open.insert(at);
        self.by_call.push(call.shared(), at);
        let document = Document::parse(args.as_str(), &Limits::default());
        if let Some(list) = document.iter().find_map(|document| document.root().get("questions")) {
            self.by_wording.push(&wording(list), at);
        }
    }

    /// Forgets a call that has its outcome.
    pub(super) fn settle(&mut self, call: &CallId) {
        for at in self.by_call.get(call.shared()) {
            self.open.remove(*at);
        }
    }

    /// The open call with this id, or without one those whose questions are worded as these, whatever may be chosen.
    pub(super) fn open(
        &self,
        call: Option<&CallId>,
        list: Value<'_>,
    ) -> impl Iterator<Item = &(CallId, ArgsText)> {
        let places = match call {
            Some(call) => self.by_call.get(call.shared()),
            None => self.by_wording.get(&wording(list)),
        };
        let open = places.iter().filter(|at| self.open.contains(**at));
        open.filter_map(|at| self.calls.get(*at as usize))
    }
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
