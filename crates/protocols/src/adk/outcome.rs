//! What became of a call.

use std::sync::Arc;

use countersign_core::{CallId, Contradiction, Outcome, OutcomeKind, Source, Text};
use countersign_json::{Value, names};

use super::event::Event;
use super::read::Reader;

/// How google-adk tells the model that a person refused.
const REJECTED: &str = "This tool call is rejected.";

impl Reader<'_, '_> {
    /// Reads a response that is no stub.
    pub(super) fn outcome(
        &mut self,
        event: &Event<'_>,
        call: CallId,
        tool: Option<Text>,
        response: Option<Value<'_>>,
    ) {
        let id = event.id.and_then(Value::as_str_lossy);
        if !self.conversation.is_news(id.as_deref(), &call) {
            return;
        }
        self.conversation.settle(call, tool, outcome(response, self.source), &mut self.reading.observations);
    }
}

fn outcome(response: Option<Value<'_>>, source: &Source) -> Outcome {
    let [status, tool, message, error] = response
        .map(|response| response.named(names!["status", "tool", "message", "error"]))
        .unwrap_or_default();
    let error = error.and_then(Value::as_str_lossy);
    // A tool may well return a status of its own that is called the same.
    let by_gate =
        status.is_some_and(|status| status.equals("rejected")) && tool.is_some() && message.is_some();
    let kind = match &error {
        _ if by_gate => OutcomeKind::Rejected,
        Some(error) if *error == REJECTED => OutcomeKind::Rejected,
        Some(_) => OutcomeKind::Failed,
        None => OutcomeKind::Completed,
    };
    Outcome {
        result: response.filter(|_| kind != OutcomeKind::Rejected).map(|result| source.cut(result.text())),
        error: error.filter(|_| kind == OutcomeKind::Failed).map(|error| Arc::from(error.as_ref())),
        kind,
        reason: None,
        contradiction: Contradiction::OutcomeStands,
    }
}
