//! The states of a task, in both spellings.

use countersign_core::End;
use countersign_json::Value;

/// Where a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Not begun, running, or waiting for something that is not ours.
    #[default]
    Working,
    /// Waits for a person.
    InputRequired,
    /// Over.
    Ended(End),
}

/// Reads a state; the second part of the pair says whether it is one that is known.
pub(super) fn state(value: Value<'_>) -> (State, bool) {
    let Some(word) = value.as_str() else { return (State::Working, false) };
    let word = word.strip_prefix("TASK_STATE_").unwrap_or(&word);
    let is = |wanted: &str| {
        word.len() == wanted.len()
            && word
                .bytes()
                .zip(wanted.bytes())
                .all(|(a, b)| a.to_ascii_lowercase() == b || (a == b'_' && b == b'-'))
    };
    if is("input-required") {
        (State::InputRequired, true)
    } else if is("working") || is("submitted") || is("auth-required") {
        (State::Working, true)
    } else if is("completed") || is("rejected") {
        // A task that the agent turned down proves as little of an approved call as one that came to its end.
        (State::Ended(End::Completed), true)
    } else if is("failed") {
        (State::Ended(End::Failed), true)
    } else if is("canceled") || is("cancelled") {
        (State::Ended(End::Cancelled), true)
    } else {
        (State::Working, is("unspecified") || is("unknown"))
    }
}
