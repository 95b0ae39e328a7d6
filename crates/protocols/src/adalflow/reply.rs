//! What the backend says about answers.

use countersign_core::{
    Answer, Closed, Decision, Failure, GrantScope, Observation, OfferKind, ProblemCode, Target,
};
use countersign_json::Value;

use super::memory::Verdict;
use super::read::{Reader, id};
use super::words;

impl Reader<'_> {
    /// Reads the announcement of what was decided.
    pub(super) fn resolved(&mut self, message: Value<'_>) {
        let [own, outcome, reason] = message.pick(["id", "outcome", "reason"]);
        let Some(own) = id(own) else {
            return self.problem(
                ProblemCode::PartInvalid,
                "an announcement without the request's id",
                message,
            );
        };
        let is = |word: &str| reason.is_some_and(|reason| reason.equals(word));
        let verdict = if is("timeout") {
            Verdict::Expired
        } else if reason.is_none() || is("answered") {
            words::kind(outcome).map_or(Verdict::Unknown, Verdict::Decided)
        } else {
            Verdict::Unknown
        };
        self.decided(&own, verdict, None);
    }

    /// Reads the refusal of an answer.
    pub(super) fn error(&mut self, message: Value<'_>) {
        let [own, status, detail] = message.pick(["id", "status", "detail"]);
        let status = status.and_then(|status| status.as_number()?.parse().ok());
        let detail = detail.map(Value::text).unwrap_or_default();
        self.problem(ProblemCode::BackendError, detail, message);
        if let Some(own) = id(own) {
            let target = self.conversation.target(&own);
            let failure = words::failure(status, detail);
            self.reading.observations.push(Observation::Refused { target, failure, decided: None });
        }
    }

    /// Reads the reply to a call of the host's; `false` if it is none.
    pub(super) fn reply(&mut self, reply: Value<'_>, status: Option<Value<'_>>) -> bool {
        let [request, own, outcome, data, detail] =
            reply.pick(["request_id", "id", "outcome", "response_data", "detail"]);
        let Some(status) = status.filter(|status| status.is_string()) else {
            let is_error = detail.is_some_and(|detail| detail.get("tool").is_none());
            if let Some(detail) = detail.filter(|_| is_error) {
                self.problem(ProblemCode::BackendError, detail.text(), reply);
            }
            return is_error;
        };
        let Some(own) = id(request.or(own)) else { return true };
        if status.equals("accepted") {
            let verdict = words::kind(outcome).map_or(Verdict::Unknown, Verdict::Decided);
            self.decided(&own, verdict, data.and_then(|data| data.as_str()).as_deref());
        } else if status.equals("cancelled") && request.is_some() {
            let target = self.conversation.target(&own);
            self.reading.observations.push(Observation::Closed { target, closed: Closed::Cancelled });
        }
        true
    }

    /// Notes the first word on a request, and what it means for its card.
    fn decided(&mut self, own: &str, verdict: Verdict, words: Option<&str>) {
        let place = self.conversation.place(own);
        let target = self.conversation.target(own);
        let Some(entry) = self.conversation.entry_mut(place).filter(|entry| entry.verdict.is_none()) else {
            return;
        };
        entry.verdict = Some(verdict);
        let is_answer = entry.is_question && verdict == Verdict::Decided(OfferKind::Approve);
        self.conversation.settled(place);
        match words.filter(|_| is_answer) {
            Some(words) => {
                let answers = vec![vec![words.to_owned()]];
                self.answered(target, Decision::Answer { answers });
            }
            None => self.judge(target, verdict),
        }
    }

    /// What a word means for the card of its request.
    pub(super) fn judge(&mut self, target: Target, verdict: Verdict) {
        let decision = match verdict {
            Verdict::Expired => {
                return self
                    .reading
                    .observations
                    .push(Observation::Closed { target, closed: Closed::Expired });
            }
            Verdict::Decided(OfferKind::Approve) => Decision::approve(),
            Verdict::Decided(OfferKind::ApproveAlways) => Decision::Approve { scope: GrantScope::Tool },
            Verdict::Decided(OfferKind::Reject) => Decision::reject(None),
            // Its arguments come with the start event.
            Verdict::Decided(OfferKind::Edit) => Decision::Edit { args: "".into(), note: None },
            Verdict::Decided(_) | Verdict::Unknown => {
                let failure = Failure::Unknown;
                return self.reading.observations.push(Observation::Refused {
                    target,
                    failure,
                    decided: None,
                });
            }
        };
        self.answered(target, decision);
    }

    fn answered(&mut self, target: Target, decision: Decision) {
        let answer = Answer { decision: Some(decision), automatic: false };
        self.reading.observations.push(Observation::Answered { target, answer });
    }
}
