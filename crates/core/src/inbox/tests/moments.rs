//! What the clock does, and what another tab has done.

use super::{check, check_with};
use crate::decision::Decision;
use crate::ids::Millis;
use crate::inbox::{Announcement, Inbox, Input, Output};
use crate::options::InboxOptions;
use crate::status::Status;
use crate::testing::request;
use crate::view::DecidedBy;

fn elsewhere(inbox: &mut Inbox, id: &str, decision: Decision) -> Vec<Output> {
    inbox.handle(Millis(50), Input::Elsewhere { request: request(id), decision }).unwrap()
}

fn statuses(inbox: &Inbox) -> Vec<&'static str> {
    inbox.statuses().map(Status::as_str).collect()
}

#[test]
fn r41_a_deadline_ends_nothing_that_was_answered_before_it() {
    check(
        r#"
        in   ask r1 a timeout=1000 {}; ask r2 a timeout=1000 {}; ask r3 a timeout=1000 {}; ask r4 a timeout=2000 {}
        user approve r1
        out  approve r1
        user approve r2
        out  approve r2
        sent
        in   answer r3 reject
        user approve r3 ! already-decided
        at   2000
        is   r1 sent
        is   r2 sent
        is   r3 rejected
        is   r4 expired
        in   answer r2 approve; outcome r2 completed
        is   r2 completed
        "#,
    );
}

#[test]
fn r41_what_only_the_clock_here_has_ended_the_backend_knows_better() {
    let expired = "in ask r1 a timeout=1000 {}\nat 1000\nis r1 expired\nuser approve r1 ! expired\n";
    for (news, status) in [
        ("answer r1 approve", "approved"),
        ("ruled r1 runs", "approved"),
        ("start r1", "running"),
        ("outcome r1 completed", "completed"),
        ("close r1 expired; answer r1 approve", "expired"),
    ] {
        check(&format!("{expired}in {news}\nis r1 {status}"));
    }
}

#[test]
fn r41_what_was_drafted_when_the_time_was_over_is_dropped_and_its_end_is_told() {
    let options = InboxOptions { hold_batches: Millis(5000), ..InboxOptions::default() };
    let mut inbox = check_with(
        options,
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held timeout=1000 {}
        all  reject r1 r2
        out  nothing
        "#,
    );
    let outputs = inbox.handle(Millis(1000), Input::Tick).unwrap();
    assert_eq!(statuses(&inbox), ["drafted", "expired"]);
    assert!(outputs.contains(&Output::Say(Announcement::Expired(1))), "{outputs:?}");
    let view = inbox.view(1).unwrap();
    assert_eq!((view.decision, view.decided_by, view.reason), (None, None, None));
    assert_eq!(inbox.view(0).unwrap().sends_at, None, "what is left is a person's to send");
}

#[test]
fn r42_what_another_tab_decided_is_shown_as_decided_there() {
    let mut inbox = check("in ask r1 a {}; ask r2 a {}");
    let outputs = elsewhere(&mut inbox, "r1", Decision::reject(Some("no")));
    assert!(outputs.contains(&Output::Changed(0)));
    let view = inbox.view(0).unwrap();
    assert_eq!((view.decided_by, view.decided_at), (Some(DecidedBy::Elsewhere), Some(Millis(50))));
    assert_eq!((view.reason.as_deref(), view.status), (Some("no"), Status::Rejected));
    let log = inbox.audit().to_json_lines();
    assert_eq!(log.matches(r#""event":"settled""#).count(), 1, "{log}");
}

#[test]
fn r42_another_tab_changes_nothing_that_has_left_here_may_have_arrived_or_is_settled() {
    let mut inbox = check(
        r#"
        in   ask r1 a {}; ask r2 a {}; ask r3 a {}; ask r4 a announced {}
        user approve r2
        out  approve r2
        lost
        user approve r1
        out  approve r1
        in   outcome r3 completed
        "#,
    );
    let before = statuses(&inbox);
    assert_eq!(before, ["sending", "drafted", "completed", "requested"]);
    for id in ["r1", "r2", "r3", "r4"] {
        assert!(!elsewhere(&mut inbox, id, Decision::reject(None)).contains(&Output::Ready));
    }
    assert_eq!(statuses(&inbox), before);
}

#[test]
fn r42_what_another_tab_decided_of_a_held_batch_keeps_the_rest_of_it_here() {
    let options = InboxOptions { hold_batches: Millis(3000), ..InboxOptions::default() };
    let script = "in ask r1 a batch=b held {}; ask r2 a batch=b held {}\nall approve r1 r2\nout nothing";
    let mut inbox = check_with(options, script);
    elsewhere(&mut inbox, "r1", Decision::reject(None));
    inbox.handle(Millis(9000), Input::Tick).unwrap();
    assert_eq!(statuses(&inbox), ["rejected", "drafted"]);
    assert!(inbox.take_outbound().is_empty(), "the other tab has sent the answer to all of it");
}

#[test]
fn r41_what_is_decided_is_not_extended() {
    let mut inbox = check("in ask r1 a timeout=1000 {}; ask r2 a timeout=1000 {}\nin answer r1 approve");
    let extend = |id: &str| Input::Extend { request: request(id), until: Millis(3000) };
    assert_eq!(inbox.handle(Millis(5), extend("r1")).unwrap_err().code().as_str(), "already-decided");
    let outputs = inbox.handle(Millis(5), extend("r2")).unwrap();
    assert!(outputs.contains(&Output::Changed(1)) && outputs.contains(&Output::WakeAt(Millis(3000))));
}
