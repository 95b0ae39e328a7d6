//! What was decided here and is on its way.

use countersign_core::{BatchView, Millis, OutboundState, OutboundView, RequestView, Status};

use super::{State, after, call, decided, state};

/// What was decided here and is on its way.
pub(super) fn states(now: Millis) -> Vec<State> {
    let remove = || call(1, "delete_file", r#"{"path":"/srv/reports/2019.csv"}"#);
    let outbound = |state, error: Option<&str>| {
        Some(OutboundView { id: "o1".into(), state, held: false, error: error.map(Into::into) })
    };
    let failed = |error| RequestView {
        outbound: outbound(OutboundState::Failed, error),
        ..decided(Status::Drafted, "approve", remove())
    };
    let sending = decided(Status::Sending, "approve", remove());
    vec![
        state("drafted", "Approved, not sent yet", [decided(Status::Drafted, "approve", remove())]),
        state(
            "held",
            "A rejection that can be taken back",
            [RequestView {
                sends_at: after(now, 5),
                reason: Some("Not before Friday: the figures are not final.".into()),
                ..decided(Status::Drafted, "reject", remove())
            }],
        ),
        state(
            "held-in-batch",
            "Approved, waits for the rest of its batch",
            [RequestView {
                batch: Some(BatchView { id: "b1".into(), size: 3, decided: 1, rejects_all: false }),
                ..decided(Status::Drafted, "approve", remove())
            }],
        ),
        state(
            "sending",
            "On its way",
            [RequestView { outbound: outbound(OutboundState::Sending, None), ..sending }],
        ),
        state("failed-send", "It did not arrive, and why", [failed(Some("503 Service Unavailable"))]),
        state("failed-send-silent", "It did not arrive", [failed(None)]),
    ]
}
