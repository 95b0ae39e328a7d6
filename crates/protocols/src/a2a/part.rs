//! What one part of a message is.

use countersign_json::Value;

use super::memory::{Dialect, Envelope};

/// The name of the call that carries a confirmation.
pub(super) const CONFIRMATION: &str = "adk_request_confirmation";

/// The address of kagent's approval extension.
pub(super) const HITL: &str = "https://kagent.dev/extensions/hitl/v1";

/// What one part of a message is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    /// Words for people.
    Text,
    /// A tool call.
    Call(Value<'a>),
    /// A request for confirmation.
    Confirmation(Value<'a>, Dialect),
    /// A stub: the call waits.
    Stub(Value<'a>),
    /// What became of a call.
    Outcome(Value<'a>),
    /// A person's answer in ADK's own form.
    NativeAnswer(Value<'a>),
    /// A person's answer in kagent's words.
    WordAnswer(Value<'a>),
    /// Anything else.
    Other,
}

/// Classifies one part of a message from this side.
pub(super) fn part(value: Value<'_>, from_user: bool) -> Part<'_> {
    let Some(data) = value.get("data").filter(|data| data.is_object()) else {
        return if value.get("text").is_some() { Part::Text } else { Part::Other };
    };
    if from_user && data.get("decision_type").is_some() {
        return Part::WordAnswer(data);
    }
    let Some((kind, dialect)) = value.get("metadata").and_then(part_type) else { return Part::Other };
    let name = data.get("name");
    let is_confirmation = name.is_some_and(|name| name.equals(CONFIRMATION));
    if kind.equals("function_call") {
        if is_confirmation {
            return Part::Confirmation(data, dialect);
        }
        let is_internal =
            name.and_then(|name| name.as_str()).is_some_and(|name| name.starts_with("adk_request_"));
        return if is_internal { Part::Other } else { Part::Call(data) };
    }
    if kind.equals("function_response") {
        return match (is_confirmation, from_user) {
            (true, true) => Part::NativeAnswer(data),
            (true, false) => Part::Other,
            (false, _) if is_stub(data) => Part::Stub(data),
            (false, _) => Part::Outcome(data),
        };
    }
    Part::Other
}

/// The type of a data part and which spelling named it.
fn part_type(metadata: Value<'_>) -> Option<(Value<'_>, Dialect)> {
    let spelt =
        |key: &str, dialect| metadata.get(key).filter(|kind| kind.is_string()).map(|kind| (kind, dialect));
    spelt("adk_type", Dialect::Adk)
        .or_else(|| spelt("kagent_type", Dialect::Kagent010))
        .or_else(|| spelt("type", Dialect::Seed))
}

fn is_stub(data: Value<'_>) -> bool {
    let Some(response) = data.get("response") else { return false };
    let status = response.get("status");
    let waits = ["confirmation_requested", "awaiting_approval", "pending"];
    status.is_some_and(|status| waits.iter().any(|word| status.equals(word)))
        || response
            .get("error")
            .and_then(|error| error.as_str())
            .is_some_and(|text| text.contains("requires confirmation"))
}

/// A member of metadata, in whichever of its three spellings.
pub(super) fn spelt<'a>(metadata: Value<'a>, key: &str) -> Option<Value<'a>> {
    let given = |key: &str| metadata.get(key).filter(|value| !value.is_null());
    given(&format!("adk_{key}")).or_else(|| given(&format!("kagent_{key}"))).or_else(|| given(key))
}

/// The extension's payload, if the message says that it carries one.
pub(super) fn hitl_payload(message: Value<'_>) -> Option<Value<'_>> {
    let named = message.get("extensions")?.items().any(|extension| extension.equals(HITL));
    message.get("metadata")?.get(HITL).filter(|payload| named && payload.is_object())
}

/// Which version of A2A spells a message or part like this one.
pub(super) fn envelope(message: Value<'_>, part: Option<Value<'_>>) -> Envelope {
    let spelt = message.get("kind").is_some() || part.is_some_and(|part| part.get("kind").is_some());
    if spelt { Envelope::V03 } else { Envelope::V10 }
}

/// Whether a person sent the message.
pub(super) fn is_from_user(message: Value<'_>) -> bool {
    message.get("role").is_some_and(|role| role.equals("user") || role.equals("ROLE_USER"))
}
