//! Answers that the backend shows, whoever gave them.

use countersign_core::{Answer, Decision, Observation, RequestId, Text};
use countersign_json::{Document, Limits, Value, names};

use super::early::What;
use super::hitl::answer_lists;
use super::memory::{Request, Task};
use super::part::Data;
use super::place::{Place, bare, changed};
use super::read::Reader;
use super::state::State;
use crate::confirmation::decision;
use crate::lookup::Lookup;
use crate::reading::{is, text};

impl Reader<'_> {
    /// Reads kagent's `decision_type`: one word, or a word for each call.
    ///
    /// It answers what stands before it in its task and is not answered yet. If its task asked for nothing, a client
    /// forgot to name the task, and it answers what waits in earlier tasks of the same context.
    pub(super) fn word_answer(&mut self, place: &mut Place, data: Value<'_>, message: Option<&str>) {
        let mut words = Words::new(data);
        let task = self.conversation.task(place.task);
        let was_read = message.zip(task).map(|(message, task)| task.has_answer(message));
        if place.has_asked {
            for at in std::mem::take(&mut place.before).numbers() {
                // What was asked since it was first read is not in this history either.
                if at < place.cut && was_read == Some(true) {
                    place.before.insert(at);
                    continue;
                }
                self.answer_at(place.task, at, &mut |request| words.decision(request));
                place.answered.insert(at);
            }
            return;
        }
        if was_read != Some(false) {
            return;
        }
        let mut waiting = self.conversation.waiting_before(place.task);
        let task = |at: &u32| self.conversation.task(*at);
        waiting.retain(|at| task(at).is_some_and(|asked| words.may_be_about(asked)));
        let has_ended = |at: &u32| task(at).is_some_and(|task| matches!(task.state, State::Ended(_)));
        // Of tasks that have ended since, the server looked at the last one.
        if waiting.iter().all(has_ended) {
            waiting = waiting.pop().into_iter().collect();
        } else {
            waiting.retain(|at| !has_ended(at));
        }
        for earlier in waiting {
            self.answer_all(earlier, &mut words);
        }
        self.conversation.keep_words(place.task, self.source.cut(data.text()));
    }

    /// Answers what waits in another task than that of the words.
    fn answer_all(&mut self, task: u32, words: &mut Words<'_>) {
        let Some(asked) = self.conversation.task(task) else { return };
        // Words for calls of which none is there are about another task.
        if !words.may_be_about(asked) {
            return;
        }
        for at in asked.unanswered.numbers() {
            self.answer_at(task, at, &mut |request| words.decision(request));
        }
    }

    /// Reads the words for what a stored task waits for that were read before the task, but are younger.
    pub(super) fn answer_by_early_words(&mut self, place: &Place, status: Option<Value<'_>>) {
        let Some(task) = self.conversation.task(place.task) else { return };
        // What was stored before the task went on says nothing of what it waits for now.
        let is_new = changed(status).is_some_and(|changed| task.changed.as_deref() == Some(bare(&changed)));
        let Some(words) = self.conversation.early_words(task).filter(|_| is_new) else { return };
        if let Ok(document) = Document::parse(&words, &Limits::default()) {
            self.answer_all(place.task, &mut Words::new(document.root()));
        }
    }

    fn answer_at(&mut self, task: u32, at: u32, decide: &mut dyn FnMut(&Request) -> Option<Decision>) {
        let Some(asked) = self.conversation.task_mut(task) else { return };
        let Some(request) = asked.request(at) else { return };
        let target = asked.target(&request.id);
        let answer = Answer { decision: decide(request), automatic: false };
        let call = request.call.clone();
        asked.unanswered.remove(at);
        self.reading.observations.push(Observation::Answered { target, answer });
        if let Some(call) = call {
            self.conversation.note(task, &call, |known| known.is_answered = true);
        }
    }

    /// Reads ADK's own form: a response to the confirmation.
    pub(super) fn native_answer(&mut self, place: &mut Place, data: Data<'_>) {
        let Some(confirmation) = text(self.source, data.id).map(RequestId::from) else { return };
        let Some(response) = data.response else { return };
        let Some(text) = response.get("response").and_then(|text| text.as_str()) else {
            return self.native_response(place, &confirmation, response);
        };
        if let Ok(document) = Document::parse(&text, &Limits::default()) {
            self.native_response(place, &confirmation, document.root());
        }
    }

    /// What is no object stops the server before it decides anything, so it is no answer.
    fn native_response(&mut self, place: &mut Place, confirmation: &RequestId, response: Value<'_>) {
        if !response.is_object() {
            return;
        }
        let payload = response.get("payload").filter(|payload| payload.is_object());
        if let Some(inner) =
            payload.and_then(|payload| payload.get("hitl_response")).filter(|inner| inner.is_object())
        {
            return self.hitl_answer(place, inner);
        }
        let Some(task) = self.conversation.task(place.task) else { return };
        let asked = match task.place_of(confirmation) {
            Some(at) => vec![at],
            None => task.confirmed_by(confirmation),
        };
        let answered: Vec<(RequestId, Option<Decision>)> = asked
            .into_iter()
            .filter_map(|at| task.request(at))
            .map(|request| (request.id.clone(), native_decision(request, response)))
            .collect();
        if answered.is_empty() {
            return self.native_elsewhere(place, confirmation, response);
        }
        for (id, decision) in answered {
            self.answered(place, &id, decision);
        }
    }

    /// A client forgot to name the task: the confirmation stands in another task of the context, which may follow.
    fn native_elsewhere(&mut self, place: &Place, confirmation: &RequestId, response: Value<'_>) {
        let carriers = self.conversation.carriers(place.task, confirmation.shared());
        if carriers.is_empty() {
            let answer = What::Answer(self.source.cut(response.text()));
            self.conversation.keep(place.task, confirmation.shared(), answer);
        }
        for task in carriers {
            self.answer_in(task, confirmation, response);
        }
    }

    /// Reads the answer to a confirmation of this task that was read before the task.
    pub(super) fn answer_early(&mut self, task: u32, confirmation: &Text) {
        let Some(response) = self.conversation.early_answer(task, confirmation) else { return };
        if let Ok(document) = Document::parse(&response, &Limits::default()) {
            self.answer_in(task, &RequestId::from(confirmation.clone()), document.root());
        }
    }

    fn answer_in(&mut self, task: u32, confirmation: &RequestId, response: Value<'_>) {
        let Some(asked) = self.conversation.task(task) else { return };
        let waits = |at: &u32| asked.unanswered.contains(*at);
        let waiting: Vec<u32> = asked.confirmed_by(confirmation).into_iter().filter(waits).collect();
        for at in waiting {
            self.answer_at(task, at, &mut |request| native_decision(request, response));
            let call = self.conversation.task(task).and_then(|asked| asked.request(at)?.call.clone());
            if let Some(call) = call {
                self.conversation.note(task, &call, |known| known.is_answered_beside = true);
            }
        }
    }
}

/// What a response decides about a request; `None` for a word that is not known.
fn native_decision(request: &Request, response: Value<'_>) -> Option<Decision> {
    match decision(response, request.editable.as_ref())? {
        Decision::Reject { reason, scope } => Some(Decision::Reject { reason, scope }),
        _ if request.is_question => {
            let payload = response.get("payload");
            let answers = payload.and_then(|payload| payload.get("answers")).filter(|list| !list.is_null());
            Some(Decision::Answer { answers: answers.map(answer_lists).unwrap_or_default() })
        }
        decision => Some(decision),
    }
}

/// What a `decision_type` says, of one request or of thousands.
struct Words<'v> {
    word: Option<Value<'v>>,
    decisions: Lookup<'v>,
    reasons: Lookup<'v>,
    /// The reason for all.
    reason: Option<Value<'v>>,
    answers: Option<Value<'v>>,
}

impl<'v> Words<'v> {
    fn new(data: Value<'v>) -> Words<'v> {
        let [word, decisions, reasons, rejection, reason, answers] = data.named(names![
            "decision_type",
            "decisions",
            "rejection_reasons",
            "rejection_reason",
            "reason",
            "ask_user_answers",
        ]);
        let is_text = |reason: &Value<'_>| reason.as_str().is_some();
        Words {
            word,
            decisions: Lookup::new(decisions),
            reasons: Lookup::new(reasons),
            reason: rejection.filter(is_text).or(reason),
            answers,
        }
    }

    /// Whether it can be about what a task asks: a word for each call names one of them, or by mistake its confirmation.
    fn may_be_about(&mut self, task: &Task) -> bool {
        !is(self.word, "batch")
            || task.waiting().any(|(_, request)| {
                let call = request.call.as_ref().map(|call| call.as_str());
                let ids = [call, Some(request.confirmation.as_str())];
                ids.into_iter().flatten().any(|id| self.decisions.get(id).is_some())
            })
    }

    /// What it says about one request; `None` for a word that is not known.
    fn decision(&mut self, request: &Request) -> Option<Decision> {
        let word = self.word.and_then(Value::as_str)?;
        // The backend knows a call by its own id alone, and finds nothing about one that has none.
        let call = request.call.as_ref().map(|call| call.as_str());
        let own_reason = call.and_then(|call| self.reasons.get(call)).and_then(Value::as_str);
        let reason = own_reason.or_else(|| self.reason.and_then(Value::as_str));
        let word = match word.as_ref() {
            // The backend ran what the batch leaves out.
            "batch" => match call.and_then(|call| self.decisions.get(call)) {
                Some(word) => word.as_str()?.into_owned(),
                None => "approve".to_owned(),
            },
            word => word.to_owned(),
        };
        match word.as_str() {
            "approve" if request.is_question => {
                let answers = self.answers.map(answer_lists).unwrap_or_default();
                Some(Decision::Answer { answers })
            }
            "approve" => Some(Decision::approve()),
            "reject" | "deny" => Some(Decision::reject(reason.as_deref())),
            _ => None,
        }
    }
}
