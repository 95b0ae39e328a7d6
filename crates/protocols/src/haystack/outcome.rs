//! What became of a call.

use std::sync::Arc;

use countersign_core::{Contradiction, Outcome, OutcomeKind, Source};
use countersign_json::{Value, names};

use super::feedback;
use super::read::words;
use crate::options::Templates;

/// How hayhooks tells the model that a person refused, and that nobody answered.
const REJECTED: &str = "Rejected by user";
const TIMEOUT: &str = "Timeout: No approval received within 5 minutes";

/// An outcome of this kind without anything else.
pub(super) fn outcome(kind: OutcomeKind) -> Outcome {
    Outcome {
        kind,
        result: None,
        error: None,
        reason: None,
        contradiction: Contradiction::Conflict,
        is_unproven: false,
    }
}

/// Reads `{result, error}`; `None`: nobody answered in time.
pub(super) fn result(
    value: Value<'_>,
    tool: &str,
    templates: &Templates,
    source: &Source,
) -> Option<Outcome> {
    let [result, error] = value.named(names!["result", "error"]);
    if error.and_then(Value::as_bool) != Some(true) {
        let is_known = error.and_then(Value::as_bool).is_some();
        let kind = if is_known { OutcomeKind::Completed } else { OutcomeKind::Unknown };
        return Some(Outcome { result: result.map(|result| source.cut(result.text())), ..outcome(kind) });
    }
    let text = words(source, result);
    let said = text.as_deref().unwrap_or_default();
    if said == TIMEOUT {
        return None;
    }
    if let Some(words) = feedback::refusal(said, tool, templates).or((said == REJECTED).then_some("")) {
        let reason = if words.is_empty() { None } else { Some(Arc::from(words)) };
        return Some(Outcome { reason, ..outcome(OutcomeKind::Rejected) });
    }
    let is_failure = said.starts_with("Failed to invoke Tool `")
        || said
            .strip_prefix("Tool '")
            .and_then(|rest| rest.strip_prefix(tool))
            .is_some_and(|rest| rest.starts_with("' not found."));
    let kind = if is_failure { OutcomeKind::Failed } else { OutcomeKind::Unknown };
    Some(Outcome { error: text.map(|text| Arc::from(text.as_str())), ..outcome(kind) })
}
