//! The chat history as the library serialises it: one card for each tool call.

use std::borrow::Cow;

use countersign_core::collections::Marks;
use countersign_core::{Decision, Observation, ProblemCode};
use countersign_json::{Value, names};

use super::ask::nameless;
use super::feedback;
use super::memory::{Stage, Way};
use super::outcome::result;
use super::read::Reader;

/// A user message that may be the library's: its place, and its text.
type Candidate<'a> = (usize, Cow<'a, str>);

impl Reader<'_> {
    /// Reads a list of messages and says which of them nobody typed.
    pub(super) fn history(&mut self, list: Value<'_>) -> Vec<bool> {
        let mut hidden = Vec::new();
        // The calls of this list; a call id that comes again in it is another call.
        let mut used = Marks::default();
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        for message in list.items() {
            let place = hidden.len();
            hidden.push(false);
            let [role, content] = message.named(names!["role", "content"]);
            let parts = || content.into_iter().flat_map(Value::items);
            let is = |word: &str| role.is_some_and(|role| role.equals(word));
            if is("user") {
                match only_text(content).filter(|text| feedback::may_tell_edit(text, self.templates)) {
                    Some(text) => candidates.push((place, text)),
                    None => candidates.clear(),
                }
                continue;
            }
            let mut calls = Vec::new();
            for part in parts() {
                let [call, outcome] = part.named(names!["tool_call", "tool_call_result"]);
                if let Some(call) = call.filter(|_| is("assistant")) {
                    calls.extend(self.call(call, &mut used));
                }
                if let Some(outcome) = outcome.filter(|_| is("tool")) {
                    self.result(outcome, &used);
                }
            }
            if !candidates.is_empty() {
                self.edits(&candidates, &calls, &mut hidden);
                candidates.clear();
            }
        }
        hidden
    }

    /// Reads one call and says where it is remembered.
    fn call<'a>(&mut self, value: Value<'a>, used: &mut Marks) -> Option<(u32, Option<Value<'a>>)> {
        let [tool, id, arguments] = value.named(names!["tool_name", "id", "arguments"]);
        let Some(tool) = self.shared(tool) else {
            self.problem(ProblemCode::PartInvalid, "a tool call without the tool's name", value);
            return None;
        };
        let id = self.call_id(id);
        let args = self.args(arguments);
        let wire = id.as_ref().map_or_else(|| nameless(&tool, &args), |id| id.shared().clone());
        let at = match self.same_call(&wire, id.is_some(), &tool, arguments, used) {
            Some(at) => at,
            None => self.show(wire, id, tool, args),
        };
        used.insert(at);
        Some((at, arguments))
    }

    /// The call that this one is, if it is known: the list may have been read before, and the call asked about.
    fn same_call(
        &self,
        id: &str,
        is_named: bool,
        tool: &str,
        arguments: Option<Value<'_>>,
        used: &Marks,
    ) -> Option<u32> {
        let (mut repeated, mut unfinished, mut open) = (None, None, None);
        let conversation = &self.conversation;
        let places = if is_named { conversation.by_call.get(id) } else { conversation.unnamed(id) };
        for at in places.iter().copied().filter(|at| !used.contains(*at)) {
            let Some(entry) = conversation.entry(at) else { continue };
            // Without an id only what history itself has shown can be the same.
            if !is_named && entry.way != Way::Unasked {
                continue;
            }
            match entry.stage {
                Stage::Open => open = open.or(Some(at)),
                Stage::Over if repeated.is_none() && entry.is_call(tool, arguments) => repeated = Some(at),
                Stage::Over => {}
                Stage::Ruled | Stage::Told if entry.is_call(tool, arguments) => return Some(at),
                Stage::Ruled | Stage::Told => unfinished = unfinished.or(Some(at)),
            }
        }
        repeated.or(unfinished).or(open)
    }

    fn result(&mut self, value: Value<'_>, used: &Marks) {
        let Some(id) = value.get("origin").and_then(|origin| self.call_id(origin.get("id"))) else { return };
        let conversation = &self.conversation;
        let places = conversation.by_call.get(id.shared());
        let here = places.iter().copied().rev().find(|at| used.contains(*at));
        let unfinished = |at: &u32| conversation.entry(*at).is_some_and(|entry| entry.stage != Stage::Over);
        let Some(at) = here.or_else(|| places.iter().copied().find(unfinished)) else { return };
        let Some(entry) = conversation.entry(at) else { return };
        match result(value, &entry.tool, self.templates, self.source) {
            Some(outcome) => {
                let outcome = Box::new(outcome);
                self.conversation.enter(at, Stage::Over);
                let target = self.target(at);
                self.say(Observation::Outcome { target, outcome });
            }
            None => self.expired(at),
        }
    }

    /// Hides the messages right before their calls that say to what these were edited.
    fn edits(
        &mut self,
        candidates: &[Candidate<'_>],
        calls: &[(u32, Option<Value<'_>>)],
        hidden: &mut [bool],
    ) {
        let mut told = Vec::new();
        for (at, arguments) in calls {
            let (Some(entry), Some(arguments)) = (self.conversation.entry(*at), arguments) else { continue };
            told.push((*at, *arguments, feedback::edit_text(&entry.tool, *arguments, self.templates)));
        }
        for (place, text) in candidates.iter().rev() {
            let fits =
                |(_, _, told): &&(u32, Value<'_>, String)| feedback::tells_edit(text, told, self.templates);
            let mut fitting = told.iter().filter(fits);
            let Some((at, arguments, _)) = fitting.next() else { return };
            if let Some(hidden) = hidden.get_mut(*place) {
                *hidden = true;
            }
            if fitting.next().is_none() {
                let args = self.args(Some(*arguments));
                let decision = Some(Decision::Edit { args, note: None });
                let target = self.target(*at);
                self.say(Observation::Ruled { target, runs: true, decision });
            }
        }
    }
}

/// The text of a message that holds nothing else.
fn only_text(content: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    let mut parts = content?.items();
    let text = parts.next()?.get("text")?.as_str()?;
    if parts.next().is_some() { None } else { Some(text) }
}
