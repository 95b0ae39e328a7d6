//! What became of a call.

use std::sync::Arc;

use countersign_core::collections::{Groups, Numbered};
use countersign_core::{CallId, Contradiction, Observation, Outcome, OutcomeKind, Source, Text, ToolCall};
use countersign_json::{Value, named, names};

use super::early::What;
use super::memory::{Dialect, Request, Task};
use super::part::Data;
use super::place::Place;
use super::read::{Reader, Told};
use super::told::Stand;
use crate::confirmation::failure;
use crate::reading::{is, text};

/// How kagent tells the model that a person refused.
const REJECTED: &str = "Tool call was rejected by user";

/// How google-adk tells it.
const ADK_REJECTED: &str = "This tool call is rejected.";

/// How ADK for Go tells it, with the tool's name between.
const GO_REJECTED: [&str; 2] = ["error tool \"", "\" call is rejected"];

/// Behind so many outcomes in artifacts none is looked for that stands before a call.
const MOST_TOLD: usize = 64;

/// Outcomes that stand before any answer. Another one behind the answer comes first in google-adk: what a tool returns
/// while it asks for its confirmation may be anything, and a history does not say that it asks.
#[derive(Default)]
pub(super) struct Held {
    outcomes: Numbered<Option<Heard>>,
    /// The places of those of each call.
    by_call: Groups,
    /// So many stand before a message of the user.
    spoken: u32,
}

/// What was read of a call.
struct Heard {
    /// The task of the call.
    home: u32,
    call: CallId,
    tool: Option<Text>,
    /// Where it stands, if that has a name.
    stand: Option<Stand>,
    outcome: Outcome,
}

impl Held {
    fn push(&mut self, heard: Heard) {
        self.by_call.push(heard.call.shared(), self.outcomes.next_number());
        self.outcomes.push(Some(heard));
    }

    /// A message of the user stands here.
    pub(super) fn note_spoken(&mut self) {
        self.spoken = self.outcomes.next_number();
    }

    fn first(&self, home: u32, call: &CallId) -> Option<&Outcome> {
        let mut held = self.outcomes.of(self.by_call.get(call.shared())).flatten();
        held.find(|held| held.home == home).map(|held| &held.outcome)
    }

    /// The last outcome of a call of this task.
    fn take(&mut self, home: u32, call: &ToolCall) -> Option<Heard> {
        let at = *self.by_call.get(call.id.as_ref()?.shared()).last()?;
        let is_it =
            |held: &mut Heard| held.home == home && held.tool.as_ref().is_none_or(|tool| *tool == call.tool);
        self.outcomes.get_mut(at)?.take_if(is_it)
    }
}

impl Reader<'_> {
    /// Reads a response that is no stub.
    pub(super) fn outcome(&mut self, place: &mut Place, data: Data<'_>) {
        let Some(call) = text(self.source, data.id).map(CallId::from) else { return };
        let tool = text(self.source, data.name);
        let stand = place.source.as_ref().map(|source| {
            let heard = place.heard.push(call.shared(), 0);
            Stand { task: place.task, source: source.clone(), nth: place.heard.at(heard).len() }
        });
        if stand.as_ref().is_some_and(|stand| self.conversation.told.holds(call.shared(), stand)) {
            return;
        }
        let home = self.conversation.home(place.task, &call, tool.as_deref());
        let Some(task) = self.conversation.task_mut(home.unwrap_or(place.task)) else { return };
        let asks = match &tool {
            Some(name) => *name == *"ask_user",
            None => {
                let is_question = |at: &u32| task.request(*at).is_some_and(|request| request.is_question);
                task.about(&call).iter().any(is_question)
            }
        };
        let outcome = outcome(data.response, asks, self.source);
        let Some(home) = home else {
            self.note_told(&call, stand);
            return self.conversation.keep(place.task, call.shared(), What::Outcome(outcome, tool));
        };
        // The first one counts, but of what a tool of google-adk returned while it asked itself.
        let is_of_adk = task.is_of_adk(&call, tool.as_deref());
        let is_first = |first: &Outcome| !may_be_interim(first) || !is_of_adk;
        let is_late = place.held.first(home, &call).is_some_and(is_first);
        // A history that is read again begins before the answer that is known.
        let is_before = !place.is_live && home == place.task && is_of_adk && !has_passed(place, task, &call);
        let is_answered = self.conversation.knows(home, &call, |known| known.is_answered);
        let is_answered = is_answered && !is_late && !is_before;
        let heard = Heard { home, call, tool, stand, outcome };
        if is_answered {
            self.settle(heard);
        } else {
            place.held.push(heard);
        }
    }

    /// Remembers a call and where it stands. What became of it before it was made again is the outcome of another run, also
    /// where an artifact tells of it.
    pub(super) fn note_made(
        &mut self,
        place: &mut Place,
        call: &ToolCall,
        author: Option<Arc<str>>,
        told: &mut Vec<Told<'_>>,
    ) {
        let source = place.source.clone();
        let noted = self.conversation.note_call(place.task, call, author.clone(), source.as_ref());
        let Some((known, source)) = noted.zip(source) else { return };
        let is_it = |(_, data): &Told<'_>| {
            data.id.zip(call.id.as_ref()).is_some_and(|(id, call)| id.equals(call.as_str()))
        };
        let far = told.len().saturating_sub(MOST_TOLD);
        if let Some(at) = told.get(far..).and_then(|near| near.iter().rposition(is_it)) {
            let told = told.remove(far + at);
            self.outcomes(place, vec![told]);
            place.source = Some(source.clone());
        }
        match place.held.take(place.task, call) {
            Some(heard) => {
                self.settle(heard);
                self.conversation.note_call(place.task, call, author, Some(&source));
            }
            None => self.conversation.note_source(known, &source),
        }
    }

    /// Settles the calls whose outcome stands before the answer to their request, or before any message that names them.
    ///
    /// Events may arrive out of order, and what has run must not be approved any more.
    pub(super) fn settle_early(&mut self, place: &mut Place) {
        let found = self.conversation.take_found();
        for (task, confirmation) in &found {
            self.answer_early(*task, confirmation);
        }
        for heard in std::mem::take(&mut place.held).outcomes.into_iter().flatten() {
            self.settle(heard);
        }
        for (home, call) in found {
            if let Some((outcome, tool)) = self.conversation.early_outcome(home, &call) {
                self.settle(Heard { home, call: CallId::from(call), tool, stand: None, outcome });
            }
        }
    }

    /// Forgets what tools of google-adk returned while they asked for the confirmation that their task still waits for.
    pub(super) fn drop_interim(&self, place: &mut Place) {
        let Some(task) = self.conversation.task(place.task) else { return };
        let mut asking = Groups::default();
        for at in place.carried.numbers().into_iter().filter(|at| task.unanswered.contains(*at)) {
            if let Some(Request { call: Some(call), dialect: Dialect::Adk, .. }) = task.request(at) {
                asking.push(call.shared(), at);
            }
        }
        let asks = |held: &Heard| {
            let mut asking = asking.get(held.call.shared()).iter().filter_map(|at| task.request(*at));
            asking.any(|request| held.tool.as_ref().is_none_or(|tool| request.tool == *tool))
        };
        let home = place.task;
        let is_interim = |held: &Heard| held.home == home && asks(held) && may_be_interim(&held.outcome);
        for held in &mut place.held.outcomes {
            held.take_if(|held| is_interim(held));
        }
    }

    /// Forgets the first thing that a tool of google-adk returned in a history without an answer to its confirmation, and all
    /// that stands before the answer: a tool that asks for it itself may return anything meanwhile. A task that has completed
    /// must say that the tool asks, or tell of a request and of a user who spoke behind it and did not answer; and has nothing
    /// else to tell once that is answered.
    pub(super) fn drop_unanswered(&self, place: &mut Place, has_completed: bool) {
        let home = place.task;
        let Some(task) = self.conversation.task(home) else { return };
        let mut dropped = Groups::default();
        let Held { mut outcomes, by_call, spoken } = std::mem::take(&mut place.held);
        for (at, held) in (1..).zip(&mut outcomes) {
            let Some(Heard { home: of, call, tool, outcome, .. }) = held else { continue };
            let is_due = match self.conversation.knows(home, call, |known| known.is_answered) {
                true => !has_completed && has_passed(place, task, call),
                false => {
                    (!has_completed
                        || place.asking.place(call.shared()).is_some()
                        || at <= spoken && asks_here(place, task, call))
                        && dropped.place(call.as_str()).is_none()
                }
            };
            let is_interim = *of == home
                && may_be_interim(outcome)
                && is_due
                && task.is_of_adk(call, tool.as_deref())
                && !self.conversation.knows(home, call, |known| known.is_worded);
            if is_interim {
                dropped.push(call.shared(), 0);
                *held = None;
            }
        }
        place.held = Held { outcomes, by_call, spoken };
    }

    fn note_told(&mut self, call: &CallId, stand: Option<Stand>) {
        if let Some(stand) = stand {
            self.conversation.told.note(call.shared(), stand);
        }
    }

    fn settle(&mut self, mut heard: Heard) {
        self.note_told(&heard.call, heard.stand.take());
        let settled = self.conversation.settle_call(heard.home, &heard.call, heard.tool.as_deref());
        if let Some(target) = settled {
            self.reading.observations.push(Observation::Outcome { target, outcome: Box::new(heard.outcome) });
        }
    }
}

/// Whether the answer to a request about this call stands before the point of reading.
fn has_passed(place: &Place, task: &Task, call: &CallId) -> bool {
    task.about(call).iter().rev().take(MOST_TOLD).any(|at| place.answered.contains(*at))
}

/// Whether the history tells of a request about this call, and of no answer to it.
fn asks_here(place: &Place, task: &Task, call: &CallId) -> bool {
    let mut asked = task.about(call).iter().rev().take(MOST_TOLD);
    asked.any(|at| *at >= place.cut && place.before.contains(*at))
}

/// Whether a tool may have returned this while it asked for its confirmation: the framework's own refusal it does not.
fn may_be_interim(outcome: &Outcome) -> bool {
    outcome.kind != OutcomeKind::Rejected
}

fn outcome(response: Option<Value<'_>>, asks: bool, source: &Source) -> Outcome {
    let text = |value: Value<'_>| value.as_str_lossy().map(|text| Arc::<str>::from(text.as_ref()));
    let [error, said] = named(response, names!["error", "result"]);
    let error = error.and_then(text);
    let refusal = said.and_then(|said| said.as_str_lossy()).filter(|said| said.starts_with(REJECTED));
    let [begin, end] = GO_REJECTED;
    let is_refused = |error: &str| error == ADK_REJECTED || error.starts_with(begin) && error.ends_with(end);
    let says_so = |value: Value<'_>| is(value.get("status"), "rejected");
    let rejected = refusal.is_some()
        || error.as_deref().is_some_and(is_refused)
        || response.into_iter().chain(said).any(says_so);
    let error = error.or_else(|| Some(Arc::from(failure(response?)?.as_ref())));
    let kind = match (asks, rejected, &error) {
        (true, ..) => OutcomeKind::Responded,
        (_, true, _) => OutcomeKind::Rejected,
        (.., Some(_)) => OutcomeKind::Failed,
        _ => OutcomeKind::Completed,
    };
    let reason = refusal.as_deref().and_then(given_reason);
    Outcome {
        result: response
            .filter(|_| kind != OutcomeKind::Rejected)
            .map(|response| source.cut(response.text())),
        error: error.filter(|_| kind == OutcomeKind::Failed),
        kind,
        reason,
        contradiction: Contradiction::OutcomeStands,
        is_unproven: false,
    }
}

/// The reason that kagent repeats behind the refusal.
fn given_reason(said: &str) -> Option<Arc<str>> {
    said.split_once(" Reason: ").map(|(_, reason)| Arc::from(reason))
}
