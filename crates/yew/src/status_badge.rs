//! Where a request stands, in words and a tone.

use countersign_core::{DecidedBy, DecisionFields, Millis, OutboundState, RequestView, Status};
use yew::prelude::*;

use crate::messages::Messages;
use crate::variants::Tone;

/// What the badge of a card says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatusBadge {
    /// The words.
    pub(crate) text: AttrValue,
    /// How they are meant.
    pub(crate) tone: Tone,
}

/// Where `view` stands, to be seen.
pub(crate) fn status_badge(view: &RequestView, now: Option<Millis>, messages: &Messages) -> StatusBadge {
    standing(view, now, &messages.separator(), messages)
}

/// Which tool it is and where it stands, to be heard: the sign between the words of a badge would be read out by its name.
///
/// Without the seconds that are left: a name that changed with each of them would be read out again each time.
pub(crate) fn heard(view: &RequestView, tool: &str, messages: &Messages) -> String {
    messages.call_stands(tool, &standing(view, None, &messages.list_separator(), messages).text)
}

/// Where `view` stands at the moment `now`, if that is known.
fn standing(view: &RequestView, now: Option<Millis>, separator: &str, messages: &Messages) -> StatusBadge {
    let status = messages.status(view.status);
    let join = |first: &str, second: &str| AttrValue::from([first, separator, second].concat());
    let kind = view.decision.as_ref().map(|decision| decision.kind.as_str());
    let decided = |second: &str| match kind {
        Some(kind) => join(&messages.decision(kind), second),
        None => capitalised(second),
    };
    let decided_tone = view.decision.as_ref().map_or(Tone::Good, tone);
    match view.status {
        Status::Pending => {
            let text = match remaining(view.expires_at, now) {
                Some(seconds) => join(&status, &messages.countdown(seconds)),
                None => status,
            };
            StatusBadge { text, tone: Tone::Attention }
        }
        Status::Drafted if undelivered(view) => {
            StatusBadge { text: decided(&messages.undelivered()), tone: Tone::Bad }
        }
        Status::Drafted => StatusBadge { text: decided(&held(view, now, messages)), tone: decided_tone },
        // The bar says why.
        Status::Sending if must_wait(view) => {
            StatusBadge { text: decided(&messages.status(Status::Drafted)), tone: decided_tone }
        }
        Status::Sending | Status::Sent | Status::Running | Status::Completed => {
            StatusBadge { text: decided(&status), tone: decided_tone }
        }
        Status::Failed => StatusBadge { text: decided(&status), tone: Tone::Bad },
        Status::Approved => StatusBadge { text: status, tone: Tone::Good },
        Status::Responded => {
            StatusBadge { text: kind.map_or(status, |kind| messages.decision(kind)), tone: decided_tone }
        }
        Status::Rejected if kind == Some("ignore") => {
            StatusBadge { text: messages.decision("ignore"), tone: Tone::Plain }
        }
        Status::Rejected => StatusBadge { text: status, tone: Tone::Bad },
        Status::Conflict | Status::Blocked => StatusBadge { text: status, tone: Tone::Attention },
        _ => StatusBadge { text: status, tone: Tone::Plain },
    }
}

/// How a decision is meant: what does not run is not green.
pub(crate) fn tone(decision: &DecisionFields) -> Tone {
    match decision.refuses() {
        true => Tone::Bad,
        false if decision.runs() || decision.kind == "answer" => Tone::Good,
        false => Tone::Plain,
    }
}

/// That someone else decided what waited here, where that was seen: history says so of everything.
pub(crate) fn elsewhere(view: &RequestView, messages: &Messages) -> Option<AttrValue> {
    let seen = view.decided_by == Some(DecidedBy::Elsewhere) && view.decided_at.is_some();
    // That status says so by itself.
    (seen && view.status != Status::Conflict).then(|| messages.status(Status::Conflict))
}

/// Whether the host reported that the decision did not arrive.
pub(crate) fn undelivered(view: &RequestView) -> bool {
    view.outbound.as_ref().is_some_and(|outbound| outbound.state == OutboundState::Failed)
}

/// Whether the decision is due and must not leave yet.
pub(crate) fn must_wait(view: &RequestView) -> bool {
    view.outbound.as_ref().is_some_and(|outbound| outbound.held)
}

/// Why a draft is not on its way.
fn held(view: &RequestView, now: Option<Millis>, messages: &Messages) -> AttrValue {
    if let Some(said) = leaving(view, now, messages) {
        return said;
    }
    match view.batch.as_ref().and_then(|batch| batch.size.checked_sub(batch.decided)) {
        Some(open) if open > 0 => messages.waits_for(open).into(),
        _ => messages.status(Status::Drafted),
    }
}

/// When what is held goes out, or that the agent does not wait for so long: at that very moment it has expired, too.
pub(crate) fn leaving(view: &RequestView, now: Option<Millis>, messages: &Messages) -> Option<AttrValue> {
    let sends = view.sends_at?;
    let ends = view.expires_at.filter(|ends| *ends <= sends);
    let seconds = remaining(ends.or(Some(sends)), now)?;
    let said = if ends.is_some() { messages.expires_unsent(seconds) } else { messages.goes_out_in(seconds) };
    Some(said.into())
}

/// Whether four fifths of the time that the agent waits are gone.
pub(crate) fn is_late(view: &RequestView, now: Millis) -> bool {
    let (Some(from), Some(until)) = (view.asked_at, view.expires_at) else { return false };
    let whole = until.0.saturating_sub(from.0);
    now.0.saturating_sub(from.0).saturating_mul(5) >= whole.saturating_mul(4)
}

/// The seconds from `now` until `then`, begun ones counted whole.
pub(crate) fn remaining(then: Option<Millis>, now: Option<Millis>) -> Option<u64> {
    Some(then?.0.saturating_sub(now?.0).div_ceil(1000))
}

fn capitalised(text: &str) -> AttrValue {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => [upper_case(first).as_str(), characters.as_str()].concat().into(),
        None => AttrValue::default(),
    }
}

/// The browser knows the letters of all scripts: a table of our own would be a good part of what is downloaded.
#[cfg(target_arch = "wasm32")]
fn upper_case(letter: char) -> String {
    js_sys::JsString::from(String::from(letter)).to_upper_case().into()
}

#[cfg(not(target_arch = "wasm32"))]
fn upper_case(letter: char) -> String {
    letter.to_uppercase().collect()
}

#[cfg(test)]
mod tests {
    use countersign_core::{Decision, RequestId};

    use super::*;
    use crate::testing::call;

    fn badge(status: Status, decision: Option<&Decision>) -> (String, Tone) {
        let request = Some(RequestId::from("r"));
        let view =
            RequestView { status, request, decision: decision.map(Into::into), ..call(1, "pay", "{}") };
        let StatusBadge { text, tone } = status_badge(&view, None, &Messages::default());
        (text.to_string(), tone)
    }

    #[test]
    fn what_did_not_run_is_not_green_and_says_how_it_was_left() {
        let told = |status, decision: &Decision| badge(status, Some(decision));
        assert_eq!(told(Status::Rejected, &Decision::Ignore), ("Ignored".to_owned(), Tone::Plain));
        assert_eq!(told(Status::Rejected, &Decision::reject(None)), ("Rejected".to_owned(), Tone::Bad));
        let reply = Decision::Respond { text: "no".into() };
        assert_eq!(told(Status::Responded, &reply), ("Replied".to_owned(), Tone::Plain));
        assert_eq!(told(Status::Responded, &Decision::Answer { answers: Vec::new() }).1, Tone::Good);
    }

    #[test]
    fn nothing_is_called_approved_that_nobody_was_seen_to_approve() {
        assert_eq!(badge(Status::Completed, None).0, "Completed");
        assert_eq!(badge(Status::Running, None).0, "Running");
        assert_eq!(badge(Status::Completed, Some(&Decision::approve())).0, "Approved · completed");
    }
}
