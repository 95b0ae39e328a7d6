//! Parts that stand alone.

use std::sync::Arc;

use countersign_core::{Millis, Question, RequestView, Status};

use super::beside::grant;
use super::{Beside, State, after, call, decided, state};
use crate::gallery::parts::Part;

/// Text with everything that an edit must leave as it is: spaces, order, digits, escapes.
const TRANSFER: &str = r#"{"to": "DE89 3704 0044", "amount" : 1250.00,"reference":2512292042121000001, "memo":"Invoice\u0020704"}"#;

const SCHEMA: &str =
    r#"{"properties": {"to": {"type": "string"}, "amount": {"type": "number", "exclusiveMinimum": 0}}}"#;

/// Every part that a page may place by itself.
pub(super) fn states(now: Millis) -> Vec<State> {
    let transfer =
        || RequestView { args_schema: Some(Arc::from(SCHEMA)), ..call(1, "transfer_funds", TRANSFER) };
    let remove = |key| call(key, "delete_file", r#"{"path":"/srv/reports/2019.csv"}"#);
    let past = |key, status, kind| decided(status, kind, remove(key));
    let question = |question: &str, choices: &[&str]| Question {
        question: question.to_owned(),
        choices: choices.iter().map(ToString::to_string).collect(),
        multiple: false,
    };
    let questions = Part::Questions(Arc::from([
        question("Which database?", &["PostgreSQL", "SQLite"]),
        question("Anything else?", &[]),
    ]));
    let part = |name, heading, part, views: Vec<RequestView>| State {
        beside: Beside::Part(part),
        ..state(name, heading, views)
    };
    let changed = Part::Changes { after: TRANSFER.replace("1250.00", "125.00").into() };
    let waiting = RequestView { expires_at: after(now, 90), ..remove(1) };
    let grants = [grant("g-2", "read_file", now, None), grant("g-1", "list_folder", now, Some(now))];
    vec![
        part("part-arguments", "Parts alone: arguments", Part::Arguments, vec![transfer()]),
        part("part-changes", "Parts alone: what an edit changes", changed, vec![transfer()]),
        part(
            "part-status",
            "Parts alone: where calls stand",
            Part::Status,
            vec![
                waiting,
                past(2, Status::Running, "approve"),
                past(3, Status::Completed, "approve"),
                past(4, Status::Rejected, "reject"),
            ],
        ),
        part("part-edit", "Parts alone: arguments to be edited", Part::Edit, vec![transfer()]),
        part("part-words", "Parts alone: words to the agent", Part::Words, vec![remove(1)]),
        part("part-questions", "Parts alone: questions", questions, vec![call(1, "ask_user", "{}")]),
        part(
            "part-batch",
            "Parts alone: one decision for several calls",
            Part::Batch,
            (1..=3).map(remove).collect(),
        ),
        part(
            "part-history",
            "Parts alone: what was decided",
            Part::History,
            vec![past(1, Status::Completed, "approve"), past(2, Status::Rejected, "reject")],
        ),
        part(
            "part-grants",
            "Parts alone: what people have allowed",
            Part::Grants(grants.into()),
            vec![remove(1)],
        ),
    ]
}
