//! Whether a message that has waited for its turn may leave still.

use countersign_core::{OutboundId, RequestView, Status};

/// Whether an inbox still waits for the fate of this message.
///
/// # Errors
/// Why it must not leave: what it answers is settled, or another call, or asked together with something that it leaves out,
/// or that it would reach as well.
pub(crate) fn still_waits(
    views: &[RequestView],
    id: &OutboundId,
    shares: impl Fn(&str, &str) -> bool,
) -> Result<(), &'static str> {
    let (carried, others): (Vec<_>, Vec<_>) =
        views.iter().partition(|view| view.outbound.as_ref().is_some_and(|it| it.id == *id));
    if carried.is_empty() || carried.iter().any(|view| view.status != Status::Sending) {
        return Err("the request was settled in the meantime");
    }
    if carried.iter().any(|view| view.changed) {
        return Err("the request came again with other arguments");
    }
    let is_open = |status| matches!(status, Status::Pending | Status::Drafted | Status::Blocked);
    let is_left_out = |other: &RequestView| {
        let batches = carried.iter().filter_map(|view| view.batch.as_ref());
        let batch = other.batch.as_ref().filter(|_| is_open(other.status));
        batch.is_some_and(|batch| batches.map(|it| &it.id).any(|id| *id == batch.id))
    };
    let is_reached = |other: &RequestView| {
        let mut requests = carried.iter().filter_map(|view| view.request.as_ref());
        // Also one whose own answer is about to leave, and may be another.
        let other =
            other.request.as_ref().filter(|_| is_open(other.status) || other.status == Status::Sending);
        other.is_some_and(|other| requests.any(|it| shares(it.as_str(), other.as_str())))
    };
    if others.iter().any(|other| is_left_out(other) || is_reached(other)) {
        return Err("something else is asked there by now");
    }
    Ok(())
}
