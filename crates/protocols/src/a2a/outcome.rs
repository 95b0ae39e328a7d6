//! What became of a call.

use std::sync::Arc;

use countersign_core::collections::Groups;
use countersign_core::{CallId, Contradiction, Observation, Outcome, OutcomeKind, Source, Target};
use countersign_json::{Value, names};

use super::early::What;
use super::memory::Dialect;
use super::part::Data;
use super::place::Place;
use super::read::Reader;

/// How kagent tells the model that a person refused.
const REJECTED: &str = "Tool call was rejected by user";

/// How google-adk tells it.
const ADK_REJECTED: &str = "This tool call is rejected.";

/// How ADK for Go tells it, with the tool's name between.
const GO_REJECTED: [&str; 2] = ["error tool \"", "\" call is rejected"];

impl Reader<'_> {
    /// Reads a response that is no stub.
    pub(super) fn outcome(&mut self, place: &mut Place, data: Data<'_>) {
        let Some(id) = data.id.and_then(|id| id.as_str()) else { return };
        let call = CallId::from(self.source.cut(&id));
        let home = self.conversation.home(place.task, &call);
        let Some(task) = self.conversation.task_mut(home.unwrap_or(place.task)) else { return };
        let asks = match data.name {
            Some(name) => name.equals("ask_user"),
            None => {
                let is_question = |at: &u32| task.request(*at).is_some_and(|request| request.is_question);
                task.about(&call).iter().any(is_question)
            }
        };
        let outcome = outcome(data.response, asks, self.source);
        match home {
            None => self.conversation.keep(place.task, call.shared(), What::Outcome(outcome)),
            Some(home) if self.conversation.is_answered(home, &call) => self.settle(home, call, outcome),
            Some(home) => place.held.push((home, call, outcome)),
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
        for (home, call, outcome) in std::mem::take(&mut place.held) {
            self.settle(home, call, outcome);
        }
        for (task, call) in found {
            if let Some(outcome) = self.conversation.early_outcome(task, &call) {
                self.settle(task, CallId::from(call), outcome);
            }
        }
    }

    /// Forgets what tools of google-adk returned while they asked for the confirmation that their task still waits for.
    pub(super) fn drop_interim(&self, place: &mut Place) {
        let Some(task) = self.conversation.task(place.task) else { return };
        let waits = |at: &u32| place.carried.contains(*at) && task.unanswered.contains(*at);
        let asks =
            |at: &u32| waits(at) && task.request(*at).is_some_and(|request| request.dialect == Dialect::Adk);
        let home = place.task;
        place.held.retain(|(task_of, call, _)| *task_of != home || !task.about(call).iter().any(asks));
    }

    /// Forgets the first thing that a tool of google-adk returned in a history without an answer to its confirmation: a
    /// tool that asks for it itself may return anything meanwhile.
    pub(super) fn drop_unanswered(&self, place: &mut Place) {
        let home = place.task;
        let Some(task) = self.conversation.task(home) else { return };
        let asks = |at: &u32| task.request(*at).is_some_and(|request| request.dialect == Dialect::Adk);
        let mut dropped = Groups::default();
        place.held.retain(|(task_of, call, _)| {
            let is_interim = *task_of == home
                && dropped.place(call.as_str()).is_none()
                && task.about(call).iter().any(asks)
                && !self.conversation.is_answered(home, call)
                && !self.conversation.is_worded_stub(home, call);
            if is_interim {
                dropped.push(call.shared(), 0);
            }
            !is_interim
        });
    }

    fn settle(&mut self, home: u32, call: CallId, outcome: Outcome) {
        self.conversation.settle_call(home, &call);
        let Some(task) = self.conversation.task_mut(home) else { return };
        task.questions.settle(call.as_str());
        for at in task.about(&call).to_vec() {
            task.unanswered.remove(at);
        }
        let target = Target::Call(task.id.clone(), call);
        self.reading.observations.push(Observation::Outcome { target, outcome: Box::new(outcome) });
    }
}

fn outcome(response: Option<Value<'_>>, asks: bool, source: &Source) -> Outcome {
    let text = |value: Value<'_>| value.as_str_lossy().map(|text| Arc::<str>::from(text.as_ref()));
    let [error, said, status] =
        response.map(|response| response.named(names!["error", "result", "status"])).unwrap_or_default();
    let error = error.and_then(text);
    let refusal = said.and_then(|said| said.as_str_lossy()).filter(|said| said.starts_with(REJECTED));
    let is_rejected = |status: Option<Value<'_>>| status.is_some_and(|status| status.equals("rejected"));
    let [begin, end] = GO_REJECTED;
    let is_refusal = |error: &str| error == ADK_REJECTED || error.starts_with(begin) && error.ends_with(end);
    let rejected = refusal.is_some()
        || error.as_deref().is_some_and(is_refusal)
        || is_rejected(status)
        || is_rejected(said.and_then(|said| said.get("status")));
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
    }
}

/// The reason that kagent repeats behind the refusal.
fn given_reason(said: &str) -> Option<Arc<str>> {
    const BEFORE: &str = " Reason: ";
    let at = said.as_bytes().windows(BEFORE.len()).position(|window| window == BEFORE.as_bytes())?;
    said.get(at + BEFORE.len()..).map(Arc::from)
}
