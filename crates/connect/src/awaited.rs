//! Whether an inbox still waits for what a message says.

use countersign_core::{OutboundId, OutboundState, OutboundView, RequestView, Status};

/// Whether nobody knows what became of this message, and it has not left again.
pub(super) fn is_in_doubt(views: &[RequestView], id: &OutboundId) -> bool {
    let failed = |it: &OutboundView| it.id == *id && it.state == OutboundState::Failed;
    views.iter().any(|view| view.status == Status::Drafted && view.outbound.as_ref().is_some_and(failed))
}

/// Whether an inbox still waits for the fate of this message.
///
/// # Errors
/// Why it must not leave: what it answers is settled, or another call, or asked together with something that it leaves out,
/// or that it would reach as well.
pub(super) fn still_waits(
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

#[cfg(test)]
mod tests {
    use countersign_core::{BatchId, BatchView};

    use super::*;

    /// A request that this message answers, if any does.
    fn view(request: &str, message: Option<&str>, status: Status) -> RequestView {
        let outbound = message.map(|id| OutboundView {
            id: OutboundId::from(id),
            state: OutboundState::Sending,
            held: false,
            error: None,
        });
        RequestView {
            request: Some(request.into()),
            outbound,
            status,
            changed: false,
            ..RequestView::of_call(1, "pay", "{}")
        }
    }

    fn check(views: &[RequestView], expected: &str) {
        // What stands before the slash is answered together.
        let interrupt = |id: &str| id.split('/').next().map(str::to_owned);
        let shares = |one: &str, other: &str| interrupt(one) == interrupt(other);
        let found = still_waits(views, &OutboundId::from("m"), shares).err().unwrap_or_default();
        assert_eq!(found, expected, "{views:?}");
    }

    #[test]
    fn r03_r43_what_is_over_or_became_another_call_does_not_leave() {
        let sending = || view("a", Some("m"), Status::Sending);
        check(&[sending()], "");
        check(&[], "the request was settled in the meantime");
        check(&[view("a", Some("n"), Status::Sending)], "the request was settled in the meantime");
        check(&[sending(), view("b", Some("m"), Status::Expired)], "the request was settled in the meantime");
        let changed = RequestView { changed: true, ..sending() };
        check(std::slice::from_ref(&changed), "the request came again with other arguments");
        check(
            &[view("b", Some("m"), Status::Sending), changed],
            "the request came again with other arguments",
        );
    }

    #[test]
    fn r10_nothing_leaves_that_would_reach_or_leave_out_what_is_asked_besides() {
        let besides = "something else is asked there by now";
        let carried = || [view("a", Some("m"), Status::Sending), view("b/0", Some("m"), Status::Sending)];
        let beside =
            |other: RequestView, expected: &str| check(&[&carried()[..], &[other]].concat(), expected);
        for (status, expected) in [
            (Status::Pending, besides),
            (Status::Drafted, besides),
            (Status::Blocked, besides),
            (Status::Sending, besides),
            (Status::Sent, ""),
            (Status::Rejected, ""),
        ] {
            beside(view("b/1", None, status), expected);
            beside(view("c", None, status), "");
        }
        let of_batch = |view: RequestView, id: &str| {
            let batch = BatchView { id: BatchId::from(id), size: 2, decided: 1, rejects_all: false };
            RequestView { batch: Some(batch), ..view }
        };
        let sent = of_batch(view("a", Some("m"), Status::Sending), "one");
        for (status, batch, expected) in [
            (Status::Pending, "one", besides),
            (Status::Drafted, "one", besides),
            (Status::Sending, "one", ""),
            (Status::Pending, "two", ""),
        ] {
            check(&[sent.clone(), of_batch(view("c", None, status), batch)], expected);
        }
    }
}
