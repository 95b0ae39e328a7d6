//! Several calls at once.

use std::sync::Arc;

use countersign_core::{BatchView, Millis, Offer, OfferKind, RequestView, Status, Words};
use countersign_yew::Connection;

use super::{State, after, call, decided, settled, state};

/// Several calls at once.
pub(super) fn states(now: Millis) -> Vec<State> {
    let remove = |key: u32| call(key, "delete_file", &format!(r#"{{"path":"/srv/exports/{key}.csv"}}"#));
    let batch = |decided| Some(BatchView { id: "b1".into(), size: 3, decided, rejects_all: false });
    let doubtful = RequestView {
        offers: vec![Offer::new(OfferKind::Reject).words(Words::Sent)],
        ..call(3, "delete_file", r#"{"path":"/tmp/x","path":"/etc/passwd"}"#)
    };
    vec![
        state("empty", "Nothing waits", []),
        State {
            connection: Connection::Connecting,
            ..state("connecting", "The backend was not reached yet", [])
        },
        State {
            connection: Connection::Lost,
            ..state("connection-lost", "The backend cannot be reached", [remove(1)])
        },
        state("queue", "Three calls wait", (1..4).map(remove)),
        state(
            "batch",
            "A batch that leaves together",
            [
                RequestView { batch: batch(1), ..decided(Status::Drafted, "approve", remove(1)) },
                RequestView { batch: batch(1), ..remove(2) },
                RequestView {
                    batch: batch(1),
                    ..call(3, "send_email", r#"{"to":"all@example.com","cc":[]}"#)
                },
            ],
        ),
        state(
            "batch-mixed",
            "A batch with calls that need a look of their own",
            [remove(1), remove(2), doubtful, RequestView { changed: true, ..remove(4) }],
        ),
        state("many", "More than fifty calls wait", (1..58).map(remove)),
        state(
            "history",
            "What was decided before",
            [
                RequestView { expires_at: after(now, 90), ..remove(1) },
                RequestView {
                    result_text: Some(r#"{"lines":4182,"encoding":"utf-8"}"#.into()),
                    ..decided(
                        Status::Completed,
                        "approve",
                        call(2, "read_file", r#"{"path":"/srv/reports/index.csv"}"#),
                    )
                },
                RequestView {
                    reason: Some("Not before Friday, the figures are not final.".into()),
                    ..decided(
                        Status::Rejected,
                        "reject",
                        call(
                            3,
                            "send_email",
                            r#"{"to":"all@example.com","cc":[],"subject":"Figures","body":"…"}"#,
                        ),
                    )
                },
                RequestView {
                    error: Some(Arc::from("permission denied: /srv/exports")),
                    ..decided(Status::Failed, "approve", remove(4))
                },
                settled(Status::Expired, remove(5)),
            ],
        ),
    ]
}
