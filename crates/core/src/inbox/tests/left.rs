//! What ends the waiting while an answer is on its way, and what is left of a draft that nothing can answer any more.

use super::check;
use crate::decision::Decision;
use crate::ids::Millis;
use crate::inbox::Input;
use crate::options::InboxOptions;
use crate::status::Status;
use crate::testing::{inbox, request};

const NOW: Millis = Millis(1);

#[test]
fn r02_what_ended_while_a_refused_answer_was_on_its_way_is_over() {
    for way in ["", "in accepted r1\n"] {
        check(&format!(
            r#"
            in   ask r1 pay {{}}
            user approve r1
            out  approve r1
            {way}in   close r1 superseded
            lost 409
            is   r1 superseded -
            user undo r1 ! superseded
            out  nothing
            "#
        ));
    }
}

#[test]
fn r02_what_waits_again_before_a_refusal_keeps_its_draft() {
    check(
        r#"
        in   ask r1 pay {}
        user approve r1
        out  approve r1
        in   accepted r1; close r1 superseded
        is   r1 approved
        in   ask r1 pay {}
        lost 409
        is   r1 drafted -
        "#,
    );
}

#[test]
fn r02_what_was_taken_stays_so_where_only_the_reply_was_lost() {
    check(
        r#"
        in   ask r1 pay {}
        user approve r1
        out  approve r1
        in   accepted r1; close r1 superseded
        lost 503
        is   r1 approved -
        "#,
    );
}

#[test]
fn r02_an_ended_request_leaves_the_message_that_has_not_left() {
    let mut inbox = inbox(InboxOptions::default());
    let receive = |text| Input::Receive { text, rounded: false };
    inbox.handle(NOW, receive("ask r1 pay {}; ask r2 pay {}")).unwrap();
    for id in ["r1", "r2"] {
        let decision = Decision::approve();
        inbox.handle(NOW, Input::Decide { request: request(id), decision, seen: None, offer: None }).unwrap();
    }
    inbox.handle(NOW, receive("accepted r1; close r1 superseded")).unwrap();
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Superseded, Status::Sending]);
    assert!(inbox.view(0).unwrap().decision.is_none(), "nothing of it has left");
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["approve r2"]);
}

#[test]
fn r08_a_draft_is_dropped_where_another_answer_was_kept() {
    for draft in ["", "lost 409", "lost"] {
        let way = if draft.is_empty() { "out nothing" } else { "out approve r1, approve r2" };
        let decided = if draft.is_empty() { "user approve r1" } else { "all approve r1 r2" };
        check(&format!(
            r#"
            in   ask r1 pay batch=b held {{}}; ask r2 pay batch=b held {{}}
            {decided}
            {way}
            {draft}
            is   r1 drafted
            in   block r1; accepted r1 kept; block r2; accepted r2 kept
            is   r1 blocked -
            is   r2 blocked -
            user undo r1 ! blocked
            user approve r1 ! blocked
            out  nothing
            "#
        ));
    }
}

#[test]
fn r08_a_draft_taken_back_waits_only_where_it_can_be_answered() {
    check(
        r#"
        in   ask r1 pay batch=b held {}; ask r2 pay batch=b held {}
        user approve r1
        in   block r1
        is   r1 drafted
        user undo r1
        is   r1 blocked -
        in   open r1
        is   r1 pending approve,edit,reject
        "#,
    );
}

#[test]
fn r39_a_run_that_fails_takes_the_calls_that_nobody_decided_here_with_it() {
    check(
        r#"
        history ask r1 pay {}; run r1; accepted r1 boom; close r1 unknown
        is   r1 failed -
        in   outcome r1 completed
        is   r1 completed
        "#,
    );
}

#[test]
fn r08_a_draft_in_doubt_waits_only_where_it_can_be_answered() {
    check(
        r#"
        in   ask r1 pay {}
        user approve r1
        out  approve r1
        lost
        in   block r1; doubt r1 odd
        is   r1 blocked -
        "#,
    );
}

#[test]
fn r08_what_was_delivered_and_asked_again_keeps_its_decision_where_the_answer_was_kept() {
    let inbox = check(
        r#"
        in   ask r1 pay {}
        user approve r1
        out  approve r1
        sent
        in   ask r1 pay {}
        at   20000
        in   ask r1 pay {}
        is   r1 drafted
        in   block r1; accepted r1 kept; ask r1 pay blocked {}
        is   r1 blocked -
        "#,
    );
    assert!(inbox.view(0).unwrap().decision.is_some(), "it was ours");
}
