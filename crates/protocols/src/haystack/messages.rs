//! The chat history as the library serialises it: one card for each tool call.

use std::borrow::Cow;

use countersign_core::collections::Groups;
use countersign_core::{Decision, Observation, Outcome, OutcomeKind, ProblemCode};
use countersign_json::{Value, items, names};

use super::align::Known;
use super::arguments::Arguments;
use super::ask::Asking;
use super::feedback;
use super::memory::{Entry, Stage, Way};
use super::outcome::result;
use super::read::Reader;
use crate::reading::{is, problem};

/// A user message that may be the library's: its place, and its text.
type Candidate<'a> = (usize, Cow<'a, str>);

impl Reader<'_> {
    /// Reads a list of messages and says which of them nobody typed.
    pub(super) fn history(&mut self, list: Value<'_>) -> Vec<bool> {
        let mut hidden = Vec::new();
        let is_first = self.conversation.entries.is_empty();
        let mut known = self.known_calls(list).into_iter();
        // The calls of this list by their ids; where nothing was known before, these are all that there are.
        let mut latest = if is_first { None } else { Some(Groups::default()) };
        // The calls of the latest message that has any, and which of them have their result in this list.
        let mut turn: Vec<(u32, bool)> = Vec::new();
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        for message in list.items() {
            let place = hidden.len();
            hidden.push(false);
            let [role, content] = message.named(names!["role", "content"]);
            let parts = || items(content);
            if is(role, "user") {
                match only_text(content).filter(|text| feedback::may_tell_edit(text, self.templates)) {
                    Some(text) => candidates.push((place, text)),
                    None => candidates.clear(),
                }
                continue;
            }
            let mut calls = Vec::new();
            for part in parts() {
                let [call, outcome] = part.named(names!["tool_call", "tool_call_result"]);
                if let Some(call) = call.filter(|_| is(role, "assistant")) {
                    let call = self.call(call, &mut known);
                    let entry = call.and_then(|(at, _)| self.conversation.entry(at));
                    if let (Some(latest), Some((at, _)), Some(id)) =
                        (&mut latest, call, entry.and_then(|entry| entry.call.as_ref()))
                    {
                        latest.push(id.shared(), at);
                    }
                    calls.extend(call);
                }
                if let Some(outcome) = outcome.filter(|_| is(role, "tool")) {
                    self.result(outcome, latest.as_ref(), &mut turn);
                }
            }
            if !calls.is_empty() {
                turn = calls.iter().map(|(at, _)| (*at, false)).collect();
            }
            if !candidates.is_empty() {
                self.edits(&candidates, &calls, &mut hidden);
                candidates.clear();
            }
        }
        hidden
    }

    /// Reads one call and says where it is remembered.
    fn call<'a>(
        &mut self,
        value: Value<'a>,
        known: &mut impl Iterator<Item = Known>,
    ) -> Option<(u32, Option<Value<'a>>)> {
        let [tool, id, arguments] = value.named(names!["tool_name", "id", "arguments"]);
        let Some(tool) = self.shared(tool) else {
            problem(self.reading, ProblemCode::PartInvalid, "a tool call without the tool's name", value);
            return None;
        };
        let known = known.next().unwrap_or_default();
        let at = known.at.unwrap_or_else(|| {
            let id = self.call_id(id);
            self.unasked(id, tool, arguments)
        });
        let entry = self.conversation.entry(at);
        let is_ruled = entry.is_some_and(|entry| entry.stage == Stage::Ruled);
        let lacks_args = entry.is_some_and(Entry::lacks_args);
        let shown = (is_ruled || lacks_args).then(|| self.args(arguments));
        if let Some(entry) = self.conversation.entry_mut(at) {
            entry.is_listed = true;
            entry.order = known.order.unwrap_or(entry.order);
            match shown {
                Some(args) if lacks_args => entry.args = args.into(),
                shown => entry.ran = shown.map(Arguments::from).or(entry.ran.take()),
            }
        }
        if lacks_args {
            self.ask(at, Asking { is_unasked: true, ..Asking::default() });
        }
        Some((at, arguments))
    }

    fn result(&mut self, value: Value<'_>, latest: Option<&Groups>, turn: &mut [(u32, bool)]) {
        let Some(origin) = value.get("origin") else { return };
        let [tool, id, arguments] = origin.named(names!["tool_name", "id", "arguments"]);
        let Some(id) = self.call_id(id) else { return };
        let conversation = &self.conversation;
        // An edit never changes the tool: a result of another one is that of another call with this id.
        let is_it = |at: &&u32| {
            let entry = conversation.entry(**at);
            entry.is_some_and(|entry| tool.is_none_or(|tool| tool.equals(&entry.tool)))
        };
        let places = conversation.by_call.get(id.shared());
        // Of calls that one message gives the same id each has its own result, in their order.
        let has_id = |at: u32| conversation.entry(at).is_some_and(|entry| entry.call.as_ref() == Some(&id));
        let next = turn.iter_mut().find(|(at, is_told)| !is_told && has_id(*at) && is_it(&at));
        let next = next.map(|(at, is_told)| {
            *is_told = true;
            &*at
        });
        let here = || latest.map_or(places, |latest| latest.get(id.shared())).iter().rev().find(is_it);
        let unfinished = |at: &&u32| conversation.entry(**at).is_some_and(|entry| entry.stage != Stage::Over);
        let at = next.or_else(here).or_else(|| places.iter().filter(is_it).find(unfinished));
        let Some(at) = at.copied() else { return };
        let Some(entry) = conversation.entry(at) else { return };
        let outcome = result(value, &entry.tool, self.templates, self.source);
        let was_asked = entry.way != Way::Unasked && arguments.is_some();
        if entry.stage == Stage::Open && arguments.is_some() {
            let ran = self.args(arguments);
            if let Some(entry) = self.conversation.entry_mut(at) {
                entry.ran = Some(ran.into());
            }
        }
        // What ran counts, whoever changed it, also where it is what was asked and another edit was sent; a call that did
        // not run may lack what the agent's state would have added.
        let has_run =
            |outcome: &Outcome| matches!(outcome.kind, OutcomeKind::Completed | OutcomeKind::Failed);
        if was_asked && outcome.as_ref().is_some_and(has_run) {
            let args = Some(self.args(arguments));
            let target = self.target(at);
            self.say(Observation::Started { target, args });
        }
        match outcome {
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
            let Some((at, arguments, _)) = fitting.next() else { continue };
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
