//! From the first sight of a request to its end.

use super::{check, check_with};
use crate::decision::Decision;
use crate::ids::Millis;
use crate::inbox::{Input, Output};
use crate::options::InboxOptions;
use crate::status::Status;
use crate::testing::{inbox, request};

#[test]
fn an_approved_request_goes_from_pending_to_completed() {
    check(
        r#"
        in   ask r1 delete_file {"path":"/tmp/x"}
        is   r1 pending approve,edit,reject
        user approve r1
        is   r1 sending -
        out  approve r1
        sent
        is   r1 sent -
        in   answer r1 approve
        is   r1 approved
        in   run r1
        is   r1 running
        in   outcome r1 completed "ok"
        is   r1 completed -
        "#,
    );
}

#[test]
fn r02_the_second_decision_is_refused_and_sends_nothing() {
    check(
        r#"
        in   ask r1 delete_file {}
        user approve r1
        out  approve r1
        user approve r1 ! already-decided
        user reject r1 ! already-decided
        sent
        user reject r1 ! already-decided
        in   outcome r1 completed
        user approve r1 ! already-decided
        out  nothing
        "#,
    );
}

#[test]
fn r10_a_held_batch_goes_out_once_and_whole_in_the_order_of_the_requests() {
    check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}; ask r3 a batch=b held {}
        user approve r3
        out  nothing
        user reject r1 no
        is   r1 drafted -
        out  nothing
        user approve r2
        out  reject r1 no, approve r2, approve r3
        out  nothing
        "#,
    );
}

#[test]
fn r10_a_failed_send_keeps_every_decision_and_a_retry_is_the_identical_message() {
    let mut inbox = inbox(InboxOptions::default());
    let now = Millis(1);
    let text = "ask r1 a batch=b held {}; ask r2 a batch=b held {}";
    inbox.handle(now, Input::Receive { text, rounded: false }).unwrap();
    let requests = vec![(request("r1"), None), (request("r2"), None)];
    let decision = crate::decision::Decision::approve();
    inbox.handle(now, Input::DecideAll { requests, decision, offer: None }).unwrap();
    let first = inbox.take_outbound();
    let failed = Input::Failed { id: first[0].id.clone(), status: Some(503), message: None };
    inbox.handle(now, failed).unwrap();
    assert!(inbox.views().iter().all(|view| view.status.as_str() == "drafted"));
    assert!(inbox.take_outbound().is_empty(), "nothing is sent again by itself");
    inbox.handle(now, Input::Retry(request("r2"))).unwrap();
    assert_eq!(inbox.take_outbound(), first);
    assert!(inbox.handle(now, Input::Retry(request("r2"))).is_err(), "it is on its way");
}

#[test]
fn a_decision_that_did_not_arrive_can_be_changed_and_then_everything_goes_out_anew() {
    check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        all  approve r1 r2
        out  approve r1, approve r2
        lost 503
        is   r1 drafted
        user undo r2
        is   r2 pending approve,edit,reject
        out  nothing
        user reject r2 not that one
        out  approve r1, reject r2 not that one
        "#,
    );
}

#[test]
fn news_never_sends_a_failed_batch_again() {
    check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        all  approve r1 r2
        out  approve r1, approve r2
        lost
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        out  nothing
        "#,
    );
}

#[test]
fn what_failed_goes_out_by_a_persons_act_alone_also_when_its_batch_shrinks() {
    check(
        r#"
        in   ask r1 a batch=b held timeout=1000 {}; ask r2 a batch=b held {}
        all  approve r1 r2
        out  approve r1, approve r2
        lost
        at   2000
        is   r1 expired
        is   r2 drafted
        in   ask r2 a batch=b held {}
        out  nothing
        user undo r2
        user approve r2
        out  approve r2
        "#,
    );
}

#[test]
fn independent_requests_do_not_wait_for_each_other() {
    check(
        r#"
        in   ask r1 a {}; ask r2 a {}
        user reject r2
        out  reject r2
        lost
        user approve r1
        out  approve r1
        is   r2 drafted
        "#,
    );
}

#[test]
fn a_batch_that_others_completed_goes_out_without_what_they_settled() {
    check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        user approve r1
        out  nothing
        in   answer r2 reject
        out  approve r1
        "#,
    );
}

#[test]
fn a_blocked_request_holds_its_whole_batch_back() {
    check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held blocked {}
        is   r2 blocked -
        user approve r2 ! blocked
        user approve r1
        out  nothing
        is   r1 drafted
        "#,
    );
}

#[test]
fn one_word_for_all_narrows_what_the_others_offer() {
    check(
        r#"
        in   ask r1 a batch=b held uniform {}; ask r2 a batch=b held uniform {}
        user approve r1
        is   r2 pending approve
        user reject r2 ! not-offered
        user undo r1
        is   r2 pending approve,edit,reject
        "#,
    );
}

#[test]
fn an_announced_request_cannot_be_answered_until_it_is_open() {
    check(
        r#"
        in   call c1 delete_file {}
        is   c1 requested -
        in   ask r1 delete_file call=c1 announced {}
        is   r1 requested -
        user approve r1 ! not-offered
        in   open r1
        is   r1 pending approve,edit,reject
        in   withdraw r1
        is   r1 requested -
        user approve r1 ! not-offered
        "#,
    );
}

#[test]
fn a_draft_is_not_sent_while_the_request_is_withdrawn() {
    check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        user approve r1
        in   withdraw r1; withdraw r2
        in   answer r2 approve
        out  nothing
        is   r1 drafted
        "#,
    );
}

#[test]
fn settled_cards_are_never_reopened() {
    for settle in [
        "outcome r1 completed",
        "outcome r1 failed",
        "close r1 expired",
        "close r1 superseded",
        "end r1 cancelled",
    ] {
        let inbox = check(&format!("in ask r1 a {{}}\nin {settle}"));
        let status = inbox.views()[0].status.as_str();
        for news in [
            "ask r1 a {}",
            "ask r1 a {\"x\":1}",
            "open r1",
            "withdraw r1",
            "answer r1 approve",
            "run r1",
            "end r1 failed",
        ] {
            let inbox = check(&format!("in ask r1 a {{}}\nin {settle}\nin {news}"));
            assert_eq!(inbox.views()[0].status.as_str(), status, "{settle}, then {news}");
        }
    }
}

#[test]
fn what_ended_before_an_answer_was_seen_had_one_where_it_is_seen_later_with_what_came_of_it() {
    for (end, status) in [("completed", "expired"), ("failed", "expired"), ("cancelled", "cancelled")] {
        check(&format!(
            "in ask r1 a {{}}\nin end r1 {end}\nis r1 {status} -\nin answer r1 approve; outcome r1 completed\nis r1 completed -"
        ));
        check(&format!("in ask r1 a {{}}\nin end r1 {end}\nin outcome r1 completed\nis r1 {status} -"));
    }
}

#[test]
fn someone_else_who_decides_differently_first_is_a_conflict() {
    check("in ask r1 a {}\nuser approve r1\nout approve r1\nsent\nin answer r1 reject\nis r1 conflict -");
    check("in ask r1 a {}\nuser approve r1\nout approve r1\nsent\nin answer r1 approve\nis r1 approved");
    check(
        "in ask r1 a {}\nin answer r1 reject too late\nis r1 rejected -\nuser approve r1 ! already-decided",
    );
}

/// Of two pages that decide at the same moment both may hear how the run ended; whose answer it took is said later.
#[test]
fn r43_someone_else_who_decided_differently_is_a_conflict_also_where_the_run_had_ended_by_then() {
    for (own, other, status) in [("reject", "approve", "rejected"), ("approve", "reject", "approved")] {
        let ended = format!(
            "in ask r1 a {{}}\nuser {own} r1\nout {own} r1\nsent\nin end r1 completed\nis r1 {status}"
        );
        check(&format!("{ended}\nin answer r1 {other}\nis r1 conflict -"));
        check(&format!("{ended}\nin answer r1 {own}; answer r1 {other}\nis r1 {status} -"));
    }
}

#[test]
fn what_really_happened_outweighs_the_words() {
    check("in ask r1 a {}\nin answer r1 reject\nis r1 rejected\nin outcome r1 completed 1\nis r1 completed");
}

#[test]
fn a_draft_that_never_left_is_not_shown_as_what_decided() {
    for outcome in ["rejected", "completed", "failed"] {
        let inbox = check(&format!(
            "in ask r1 a batch=b held {{}}; ask r2 a batch=b held {{}}\nuser approve r1\nin outcome r1 {outcome}\nis r1 {outcome} -"
        ));
        assert_eq!(inbox.views()[0].decision, None, "{outcome}");
    }
    let failed = "in ask r1 a {}\nuser approve r1\nout approve r1\nlost\nin outcome r1";
    let arrived = check(&format!("{failed} completed\nis r1 completed"));
    assert!(arrived.views()[0].decision.is_some(), "the message arrived though the reply was lost");
    let refused = check(&format!("{failed} rejected\nis r1 rejected"));
    assert_eq!(refused.views()[0].decision, None);
}

#[test]
fn the_end_of_the_run_settles_what_is_open() {
    check("in ask r1 a {}\nin end r1 completed\nis r1 expired\nuser approve r1 ! expired");
    check("in ask r1 a {}\nin end r1 cancelled\nis r1 cancelled\nuser approve r1 ! already-decided");
    check("in ask r1 a {}\nuser approve r1\nout approve r1\nsent\nin end r1 completed\nis r1 approved");
    check("in ask r1 a {}\nuser approve r1\nout approve r1\nsent\nin end r1 failed\nis r1 failed");
    check("in ask r1 a {}\nuser reject r1\nout reject r1\nsent\nin end r1 failed\nis r1 rejected");
}

#[test]
fn the_fate_of_a_message_counts_also_after_the_run_has_ended() {
    check(
        "in ask r1 a {}\nuser approve r1\nout approve r1\nin end r1 completed\nis r1 sending\nsent\nis r1 approved",
    );
    check(
        "in ask r1 a {}\nuser approve r1\nout approve r1\nin end r1 completed\nlost\nis r1 expired\nuser retry r1 ! expired",
    );
}

#[test]
fn r41_at_the_deadline_a_request_expires_and_is_never_approved() {
    check(
        r#"
        in   ask r1 a timeout=1000 {}
        at   999
        is   r1 pending approve,edit,reject
        at   5000
        is   r1 expired -
        user approve r1 ! expired
        out  nothing
        "#,
    );
}

#[test]
fn r41_what_may_have_arrived_expires_and_stays_in_sight() {
    let decision = |failed: &str| {
        let script = "in ask r1 a timeout=1000 {}\nuser edit r1 {\"a\":1}\nout edit r1 {\"a\":1}\n";
        let inbox = check(&[script, failed, "\nat 5000\nis r1 expired -\nuser retry r1 ! expired"].concat());
        inbox.view(0).unwrap().decision.is_some()
    };
    assert!(decision("lost"));
    // It cannot have arrived.
    assert!(!decision("lost 409"));
}

#[test]
fn r41_a_click_after_the_deadline_is_refused_though_no_timer_fired() {
    let mut inbox = inbox(InboxOptions::default());
    let text = "ask r1 a timeout=1000 {}";
    let outputs = inbox.handle(Millis(10), Input::Receive { text, rounded: false }).unwrap();
    assert!(outputs.contains(&Output::WakeAt(Millis(1010))), "{outputs:?}");
    let decision = crate::decision::Decision::approve();
    let refusal = inbox
        .handle(Millis(2000), Input::Decide { request: request("r1"), decision, seen: None, offer: None });
    assert_eq!(refusal.unwrap_err().code().as_str(), "expired");
    assert!(inbox.take_outbound().is_empty());
}

#[test]
fn r10_a_retry_that_is_refused_does_not_unmake_what_may_have_arrived_before() {
    let decided = |first: &str| {
        let script = [
            "in ask r1 a {}\nuser approve r1\nout approve r1\n",
            first,
            "\nuser retry r1\nout approve r1\nlost 409\nin outcome r1 completed",
        ];
        let inbox = check(&script.concat());
        let view = &inbox.views()[0];
        (view.status, view.decision.is_some())
    };
    // The first one has perhaps arrived, and the second was refused because of that.
    assert_eq!(decided("lost"), (Status::Completed, true));
    assert_eq!(decided("lost 409"), (Status::Completed, false));
}

#[test]
fn r43_what_did_not_arrive_is_not_sent_after_its_deadline() {
    check(
        r#"
        in   ask r1 a timeout=1000 {}
        user approve r1
        out  approve r1
        lost
        at   2000
        is   r1 expired
        user retry r1 ! expired
        out  nothing
        "#,
    );
}

#[test]
fn a_rejection_is_held_so_that_it_can_be_undone() {
    let options = || InboxOptions { hold_rejections: Millis(4000), ..InboxOptions::default() };
    check_with(
        options(),
        r#"
        in   ask r1 a {}; ask r2 a {}
        user reject r1
        is   r1 drafted -
        out  nothing
        user approve r2
        out  approve r2
        at   3999
        out  nothing
        user undo r1
        at   9000
        out  nothing
        is   r1 pending
        "#,
    );
    check_with(options(), "in ask r1 a {}\nuser reject r1\nat 4000\nout reject r1");
}

#[test]
fn what_the_host_has_not_taken_can_be_undone() {
    let mut inbox = inbox(InboxOptions::default());
    inbox.handle(Millis(0), Input::Receive { text: "ask r1 a {}", rounded: false }).unwrap();
    let decision = crate::decision::Decision::approve();
    inbox
        .handle(Millis(0), Input::Decide { request: request("r1"), decision, seen: None, offer: None })
        .unwrap();
    inbox.handle(Millis(0), Input::Undo(request("r1"))).unwrap();
    assert!(inbox.take_outbound().is_empty());
    assert_eq!(inbox.views()[0].status.as_str(), "pending");
}

#[test]
fn a_restore_forgets_everything_and_uses_no_key_twice() {
    let inbox = check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        user approve r1
        history ask r1 a batch=b held {}
        is   r1 pending approve,edit,reject
        out  nothing
        "#,
    );
    assert_eq!(inbox.views()[0].key, 2);
}

#[test]
fn r42_what_another_tab_decided_closes_here_and_a_later_click_is_refused() {
    let mut inbox = check(
        r#"
        in   ask r1 pay batch=b held {"n":1}; ask r2 pay batch=b held {"n":2}
        user approve r1
        is   r1 drafted
        "#,
    );
    for (id, decision) in [("r1", Decision::reject(None)), ("r2", Decision::approve())] {
        inbox.handle(Millis(5), Input::Elsewhere { request: request(id), decision }).unwrap();
    }
    let statuses: Vec<Status> = inbox.statuses().collect();
    assert_eq!(statuses, [Status::Rejected, Status::Approved]);
    assert!(inbox.take_outbound().is_empty());
    let late =
        Input::Decide { request: request("r1"), decision: Decision::approve(), seen: None, offer: None };
    assert_eq!(inbox.handle(Millis(6), late).unwrap_err().code().as_str(), "already-decided");
}

#[test]
fn what_is_held_and_only_rejects_goes_out_when_nobody_looks_any_more() {
    let options =
        InboxOptions { hold_rejections: Millis(4000), hold_batches: Millis(3000), ..InboxOptions::default() };
    let script = r#"
        in   ask r1 a {}; ask r2 a {}; ask p1 a batch=p held {}; ask p2 a batch=p held {}
        in   ask q1 a batch=q held {}; ask q2 a batch=q held {}; ask h1 a batch=h held {}; ask h2 a batch=h held {}
        user reject r1
        user reject p1
        user reject p2
        user reject q1
        user approve q2
        user reject h1
        out  nothing
        leave
        out  reject r1
        out  reject p1, reject p2
        out  nothing
        is   q1 drafted -
        is   h1 drafted -
        user undo q2
        leave
        out  nothing
        user reject q2
        at   9000
        out  reject q1, reject q2
        leave
        out  nothing
        is   r2 pending
        "#;
    check_with(options, script);
}

#[test]
fn r41_a_host_extends_the_time_before_the_deadline_and_not_after() {
    let mut inbox = check("in ask r1 pay timeout=1000 {}");
    let extend = |until| Input::Extend { request: request("r1"), until: Millis(until) };
    inbox.handle(Millis(900), extend(3000)).unwrap();
    inbox.handle(Millis(901), extend(5)).unwrap();
    inbox.handle(Millis(2999), Input::Tick).unwrap();
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Pending], "it is never shortened");
    inbox.handle(Millis(3000), Input::Tick).unwrap();
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Expired]);
    assert_eq!(inbox.handle(Millis(3001), extend(9000)).unwrap_err().code().as_str(), "expired");
}

#[test]
fn r10_a_batch_is_held_once_it_is_complete_so_that_it_can_be_changed() {
    let options = InboxOptions { hold_batches: Millis(3000), ..InboxOptions::default() };
    let script = r#"
        in   ask r1 pay batch=b held {"n":1}; ask r2 pay batch=b held {"n":2}; ask r3 pay {}
        user approve r3
        out  approve r3
        user approve r1
        user approve r2
        out  nothing
        user undo r2
        at   9000
        out  nothing
        user reject r2
        at   11999
        out  nothing
        at   12000
        out  approve r1, reject r2
        "#;
    check_with(options, script);
}

#[test]
fn r39_what_may_have_arrived_keeps_its_decision_where_it_is_gone_and_becomes_what_has_happened() {
    let lost = "in ask r1 a {}\nuser approve r1\nout approve r1\nlost";
    for gone in ["close r1 superseded", "close r1 unknown"] {
        let inbox = check(&format!("{lost}\nin {gone}\nis r1 unknown -\nuser retry r1 ! already-decided"));
        check(&format!("{lost}\nin {gone}\nin end r1 cancelled\nis r1 cancelled -"));
        check(&format!("{lost}\nin {gone}\nin end r1 completed\nis r1 unknown -"));
        assert!(inbox.views()[0].decision.is_some(), "{gone}");
        for (outcome, status) in [
            ("outcome r1 completed", "completed"),
            ("outcome r1 failed", "failed"),
            ("answer r1 approve", "approved"),
            ("clash r1 rejected", "conflict"),
        ] {
            let inbox = check(&format!("{lost}\nin {gone}\nin {outcome}"));
            assert_eq!(inbox.views()[0].status.as_str(), status, "{gone}, then {outcome}");
        }
    }
    // What the backend refused cannot have been taken.
    let inbox = check(&format!("{lost} 401\nin close r1 superseded\nis r1 superseded -"));
    assert!(inbox.views()[0].decision.is_none());
    check("in ask r1 a {}\nin close r1 superseded\nin outcome r1 completed\nis r1 completed -");
}

#[test]
fn r39_a_run_that_fails_fails_every_call_that_was_let_run_and_has_no_outcome() {
    let asks =
        "in ask r1 a batch=b held {}; ask r2 a batch=b held {}; ask r3 a batch=b held {}\nuser approve r1";
    let both = format!("{asks}\nuser approve r2\nuser reject r3\nout approve r1, approve r2, reject r3\n");
    let end = "end r1 failed; end r2 failed; end r3 failed";
    for sent in ["sent\n", "sent\nin run r1; answer r2 approve\n"] {
        let known = format!("{both}{sent}in {end}\nis r1 failed -\nis r2 failed -\nis r3 rejected -\n");
        check(&known);
        // It has ended, and goes back for nothing.
        check(&format!(
            "{known}in {end}\nis r1 failed -\nin outcome r1 completed\nis r1 failed\nis r2 failed"
        ));
        check(&format!("{both}{sent}in outcome r1 completed; {end}\nis r1 completed\nis r2 failed -"));
    }
    check(&format!("{both}in {end}\nsent\nis r1 failed\nis r2 failed\nis r3 rejected"));
    let one = "user reject r2\nuser reject r3\nout approve r1, reject r2, reject r3\nsent";
    check(&format!("{asks}\n{one}\nin {end}\nis r1 failed -\nis r2 rejected"));
}
