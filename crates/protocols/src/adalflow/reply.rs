//! What the backend says about answers.

use countersign_core::{Answer, Closed, Decision, End, GrantScope, Observation, OfferKind, ProblemCode};
use countersign_json::{Value, names};

use super::memory::Word;
use super::read::Reader;
use super::words;
use crate::reading::{is, problem};

impl Reader<'_> {
    /// Reads the announcement of what was decided.
    pub(super) fn resolved(&mut self, message: Value<'_>, id: Option<Value<'_>>) {
        let [outcome, reason] = message.named(names!["outcome", "reason"]);
        let reason = reason.filter(|reason| !reason.is_null());
        let Some(place) = self.conversation.place(self.source, id) else { return self.nameless(message) };
        let word = if is(reason, "timeout") {
            Word::Closed(Closed::Expired)
        } else {
            words::word(outcome.filter(|_| reason.is_none() || is(reason, "answered")))
        };
        self.decided(place, word, None);
    }

    /// Reads the refusal of an answer.
    pub(super) fn error(&mut self, message: Value<'_>, id: Option<Value<'_>>, status: Option<Value<'_>>) {
        let status = status.and_then(|status| status.as_number()?.parse().ok());
        let detail = message.get("detail").map(Value::text).unwrap_or_default();
        problem(self.reading, ProblemCode::BackendError, detail, message);
        if let Some(place) = self.conversation.place(self.source, id) {
            self.judge(place, Word::Failed(words::failure(status, detail)));
        }
    }

    /// Reads the reply to a call of the host's; `false` if it is none.
    pub(super) fn reply(&mut self, reply: Value<'_>, status: Option<Value<'_>>) -> bool {
        let [request, own, outcome, data, detail] =
            reply.named(names!["request_id", "id", "outcome", "response_data", "detail"]);
        if !status.is_some_and(Value::is_string) {
            let Some(detail) = detail.filter(|detail| detail.get("tool").is_none()) else { return false };
            problem(self.reading, ProblemCode::BackendError, detail.text(), reply);
            return true;
        }
        let Some(place) = self.conversation.place(self.source, request.or(own)) else { return true };
        if is(status, "accepted") {
            self.decided(place, words::word(outcome), data);
        } else if is(status, "cancelled") && request.is_some() {
            self.judge(place, Word::Closed(Closed::Cancelled));
        }
        true
    }

    /// Notes the first word on a request, and what it means for its card; `data` is what was answered to a question.
    fn decided(&mut self, place: u32, word: Word, data: Option<Value<'_>>) {
        let Some(entry) = self.conversation.entry_mut(place).filter(|entry| entry.word.is_none()) else {
            return;
        };
        entry.word = Some(word);
        let may_answer = entry.is_question && matches!(word, Word::Decided(OfferKind::Approve));
        self.conversation.settled(place);
        match data.and_then(Value::as_str).filter(|_| may_answer) {
            Some(words) => {
                let decision = Decision::Answer { answers: vec![vec![words.into_owned()]] };
                let answer = Answer { decision: Some(decision), automatic: false };
                let target = self.conversation.target(place);
                self.say(Observation::Answered { target, answer });
            }
            None => self.judge(place, word),
        }
    }

    /// What a word means for the card of its request.
    pub(super) fn judge(&mut self, place: u32, word: Word) {
        let target = self.conversation.target(place);
        self.say(match word {
            Word::Decided(kind) => {
                let decision = match kind {
                    OfferKind::Approve => Decision::approve(),
                    OfferKind::ApproveAlways => Decision::Approve { scope: GrantScope::Tool },
                    // Its arguments come with the start event.
                    OfferKind::Edit => Decision::Edit { args: "".into(), note: None },
                    _ => Decision::reject(None),
                };
                let answer = Answer { decision: Some(decision), automatic: false };
                Observation::Answered { target, answer }
            }
            Word::Closed(closed) => Observation::Closed { target, closed },
            Word::Failed(failure) => Observation::Refused { target, failure, why: None },
            Word::Gone => Observation::Ended { target, end: End::Unknown },
        });
    }
}
