//! What became of a call.

use std::sync::Arc;

use countersign_core::{CallId, Closed, Contradiction, Observation, Outcome, OutcomeKind, Source, Text};
use countersign_json::{Value, names};

use super::event::Event;
use super::read::Reader;
use crate::confirmation::failure;
use crate::reading::{is, shared};

/// How google-adk tells the model that a person refused.
const REJECTED: &str = "This tool call is rejected.";

impl Reader<'_, '_> {
    /// Reads that a run broke off: what it had to run has no outcome any more.
    pub(super) fn broken(&mut self, event: &Event<'_>, error: Value<'_>) {
        let (Some(run), Some(error)) = (shared(self.source, event.invocation), error.as_str_lossy()) else {
            return;
        };
        let id = event.id.and_then(Value::as_str_lossy);
        let requests = self.conversation.of_run(&run);
        let unasked = self.conversation.take_unasked(&run);
        // A session that is read again tells nothing of what was answered since.
        let mut is_news = || self.conversation.note_outcome(id.as_deref(), &CallId::from("")).1;
        if (unasked.is_empty() && requests.is_empty()) || !is_news() {
            return;
        }
        // What nobody was asked about may have run as well, and have raised.
        let closed = |target| Observation::Closed { target, closed: Closed::Unknown };
        self.reading.observations.extend(unasked.into_iter().map(closed));
        if !requests.is_empty() {
            self.reading
                .observations
                .push(Observation::Broken { requests, error: Some(Arc::from(error.as_ref())) });
        }
    }

    /// Reads a response that is no stub.
    pub(super) fn outcome(
        &mut self,
        event: &Event<'_>,
        call: CallId,
        tool: Option<Text>,
        response: Option<Value<'_>>,
    ) {
        let id = event.id.and_then(Value::as_str_lossy);
        let seen = self.conversation.note_outcome(id.as_deref(), &call);
        if !seen.1 && !self.conversation.lacks_outcome(&call) {
            return;
        }
        let outcome = outcome(response, self.source);
        let run = shared(self.source, event.invocation);
        if seen.1 && id.is_some() {
            for request in self.conversation.end(&call, tool.as_ref(), run.as_ref()) {
                self.leave(request);
            }
        }
        self.conversation.settle(call, (tool, run), outcome, seen, &mut self.reading.observations);
    }
}

fn outcome(response: Option<Value<'_>>, source: &Source) -> Outcome {
    let error = response.and_then(|response| response.get("error")?.as_str_lossy());
    let is_refused = response.is_some_and(is_refusal) || error.as_deref() == Some(REJECTED);
    let error = error.or_else(|| response.and_then(failure));
    let kind = match &error {
        _ if is_refused => OutcomeKind::Rejected,
        Some(_) => OutcomeKind::Failed,
        None => OutcomeKind::Completed,
    };
    Outcome {
        result: response.filter(|_| kind != OutcomeKind::Rejected).map(|result| source.cut(result.text())),
        error: error.filter(|_| kind == OutcomeKind::Failed).map(|error| Arc::from(error.as_ref())),
        kind,
        reason: None,
        contradiction: Contradiction::OutcomeStands,
        is_unproven: false,
    }
}

/// Whether this is how a gate of adk-deepagents tells of a refusal; a tool may well return a status that is called the same.
fn is_refusal(response: Value<'_>) -> bool {
    let [status, tool, message] = response.named(names!["status", "tool", "message"]);
    is(status, "rejected") && tool.is_some() && message.is_some()
}
