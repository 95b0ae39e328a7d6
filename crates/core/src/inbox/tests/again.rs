//! A request that comes again as another one, or in doubt.

use super::check;
use crate::decision::{Decision, Shown};
use crate::ids::Millis;
use crate::inbox::Input;
use crate::outbound::OutboundState;
use crate::testing::request;
use crate::view::DecidedBy;

#[test]
fn r03_what_is_shown_of_other_arguments_is_of_these_alone() {
    let mut inbox = check("in ask r1 bash {\"cmd\":\"rm -rf /srv\",\"__proto__\":1}");
    let before = inbox.view(0).unwrap();
    assert!(before.is_high_risk() && !before.hazards.is_empty());
    let text = "ask r1 bash {\"cmd\":\"ls\"}";
    inbox.handle(Millis(1), Input::Receive { text, rounded: false }).unwrap();
    let after = inbox.view(0).unwrap();
    assert_eq!(*after.args_digest, countersign_json::sha256_hex("{\"cmd\":\"ls\"}"));
    assert!(after.changed && !after.is_high_risk() && after.hazards.is_empty());
    let seen = Some(Shown::of(&before));
    let late = Input::Decide {
        request: request("r1"),
        decision: Decision::approve(),
        seen: seen.clone(),
        offer: None,
    };
    assert_eq!(inbox.handle(Millis(2), late).unwrap_err().code().as_str(), "args-changed");
    let seen = Some(Shown::of(&after));
    let now = Input::Decide { request: request("r1"), decision: Decision::approve(), seen, offer: None };
    inbox.handle(Millis(3), now).unwrap();
    assert!(!inbox.view(0).unwrap().changed, "it was decided on these");
}

#[test]
fn r03_the_same_text_as_arguments_by_place_is_another_call() {
    check(
        r#"
        in   ask r1 pay batch=b held {"args":[]}; ask r2 pay batch=b held {}
        user approve r1
        in   ask r1 pay batch=b held positional {"args":[]}
        is   r1 pending
        "#,
    );
}

#[test]
fn r03_an_edit_that_is_no_longer_offered_is_dropped() {
    check(
        r#"
        in   ask r1 pay batch=b held {"a":1}; ask r2 pay batch=b held {"a":1}
        user edit r1 {"a":2}
        is   r1 drafted
        in   ask r1 pay batch=b held offers=approve,reject {"a":1}
        is   r1 pending approve,reject
        user approve r2
        out  nothing
        "#,
    );
}

#[test]
fn r08_what_comes_again_in_doubt_is_taken_out_of_the_reach_of_an_approval() {
    check(
        r#"
        in   ask r1 pay batch=b held {}; ask r2 pay batch=b held {}
        user approve r1
        in   ask r1 pay batch=b held doubtful {}
        is   r1 pending reject
        user reject r1
        in   ask r1 pay batch=b held doubtful {}
        is   r1 drafted
        "#,
    );
    let mut inbox = check("in ask r1 pay {}; ask r2 pay {}");
    for (id, decision) in [("r1", Decision::approve()), ("r2", Decision::reject(None))] {
        let decide = Input::Decide { request: request(id), decision, seen: None, offer: None };
        inbox.handle(Millis(1), decide).unwrap();
    }
    let text = "ask r1 pay doubtful {}; ask r2 pay doubtful {}";
    inbox.handle(Millis(2), Input::Receive { text, rounded: false }).unwrap();
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["reject r2"], "the approval had not left");
}

#[test]
fn r08_an_answer_in_doubt_waits_again_and_nothing_is_left_of_it() {
    let inbox = check(
        r#"
        in   ask r1 ask_user offers=answer,reject batch=b held {}; ask r2 a batch=b held {}
        user answer r1 a
        is   r1 drafted
        in   doubt r1 odd
        is   r1 pending reject
        "#,
    );
    let view = inbox.view(0).unwrap();
    assert_eq!((view.decision, view.decided_at, view.decided_by), (None, None, None));
}

#[test]
fn r43_of_a_message_that_is_asked_about_again_in_part_the_rest_has_arrived() {
    let inbox = check(
        r#"
        in   ask r1 a held batch=b {}; ask r2 a held batch=b {}
        user approve r1
        user approve r2
        out  approve r1, approve r2
        sent
        in   ask r1 a held batch=b {}
        at   10000
        in   ask r1 a held batch=b {}
        is   r1 drafted
        is   r2 sent
        "#,
    );
    let outbound = |key| inbox.view(key).and_then(|view| view.outbound).map(|it| (it.state, it.error));
    assert_eq!(
        outbound(0),
        Some((OutboundState::Failed, Some("it was delivered, and the backend still asks".into())))
    );
    assert_eq!(outbound(1), Some((OutboundState::Delivered, None)));
}

#[test]
fn r43_what_was_delivered_and_is_asked_again_and_again_can_be_sent_again_by_a_person() {
    let sent = "in ask r1 a {}\nuser approve r1\nout approve r1\nsent\n";
    for taken in ["", "in accepted r1\nis r1 approved\n", "in end r1 unknown\nis r1 approved\n"] {
        let still = format!(
            "{sent}{taken}in ask r1 a {{}}\nat 10000\nin ask r1 a {{}}\nis r1 drafted -\nout nothing\n"
        );
        let inbox = check(&still);
        let log = inbox.audit().to_json_lines();
        assert!(log.contains("the backend still asks"), "{log}");
        check(&format!(
            "{still}user approve r1 ! already-decided\nuser retry r1\nout approve r1\nsent\nis r1 sent"
        ));
        for (news, status) in [
            ("outcome r1 completed", "completed"),
            ("run r1", "running"),
            ("end r1 unknown", "approved"),
            ("end r1 completed", "approved"),
            ("accepted r1", "approved"),
            ("answer r1 approve", "approved"),
            ("close r1 superseded", "unknown"),
        ] {
            check(&format!("{still}in {news}\nis r1 {status} -"));
        }
        check(&format!("{still}user undo r1\nis r1 pending approve,edit,reject"));
    }
}

#[test]
fn r43_what_is_asked_once_more_or_soon_or_otherwise_too_stays_delivered() {
    let sent = "in ask r1 a {}\nuser approve r1\nout approve r1\nsent\n";
    for news in [
        // A state that was read before the answer arrived, however late, and one that lags.
        "at 60000\nin ask r1 a {}",
        "in ask r1 a {}\nat 9999\nin ask r1 a {}",
        // A stream that is told again: the run goes on.
        "at 20000\nin ask r1 a {}\nin withdraw r1\nat 40000\nin ask r1 a {}\nin withdraw r1",
        "at 20000\nin ask r1 a {}\nat 40000\nin ask r1 a announced {}",
    ] {
        check(&format!("{sent}{news}\nis r1 sent -\nuser retry r1 ! already-decided"));
    }
    for (shown, status) in
        [("answer r1 approve", "approved"), ("run r1", "running"), ("end r1 completed", "approved")]
    {
        check(&format!(
            "{sent}in {shown}\nat 20000\nin ask r1 a {{}}\nat 40000\nin ask r1 a {{}}\nis r1 {status}"
        ));
    }
    // Nor does anything change that was asked with other arguments, or before the host knows that it arrived.
    check(
        "in ask r1 a {}\nuser approve r1\nout approve r1\nat 20000\nin ask r1 a {}\nin ask r1 a {}\nis r1 sending",
    );
}

#[test]
fn what_was_only_missing_waits_again_where_it_is_asked_again_as_it_was() {
    let missing = "in ask r1 a {}\nin end r1 unknown\nis r1 unknown -\n";
    check(&format!(
        "{missing}in ask r1 a {{}}\nis r1 pending approve,edit,reject\nuser approve r1\nout approve r1"
    ));
    check(&format!("{missing}in ask r1 a {{\"n\":1}}\nis r1 unknown -"));
    check(&format!("{missing}in answer r1 approve\nin ask r1 a {{}}\nis r1 approved -"));
    for settled in ["close r1 unknown", "refused r1 unknown"] {
        check(&format!("in ask r1 a {{}}\nin {settled}\nin ask r1 a {{}}\nis r1 unknown -"));
    }
}

#[test]
fn r02_the_same_decision_of_somebody_else_is_theirs_where_ours_never_left() {
    let asks = "in ask r1 a batch=b held {}; ask r2 a batch=b held {}\n";
    for (draft, shown, reason) in [
        ("reject r1 mine", "reject", None),
        ("reject r1 mine", "reject theirs", Some("theirs")),
        ("reject r1", "reject theirs", Some("theirs")),
        ("approve r1", "approve", None),
    ] {
        let mut inbox = check(&format!("{asks}user {draft}"));
        inbox
            .handle(Millis(7), Input::Receive { text: &format!("answer r1 {shown}"), rounded: false })
            .unwrap();
        let view = inbox.views().swap_remove(0);
        assert_eq!(view.reason.as_deref(), reason, "{draft}, then {shown}");
        assert_eq!(view.decision.and_then(|decision| decision.reason).as_deref(), reason, "{draft}");
        assert_eq!((view.decided_by, view.decided_at), (Some(DecidedBy::Elsewhere), Some(Millis(7))));
    }
    // What may have arrived may be ours, and another decision than ours is a conflict.
    let lost = format!("{asks}user reject r1 mine\nuser approve r2\nout reject r1 mine, approve r2\nlost\n");
    let inbox = check(&format!("{lost}in answer r1 reject\nis r1 rejected -"));
    assert_eq!(inbox.views()[0].decided_by, Some(DecidedBy::Here));
    assert_eq!(inbox.views()[0].reason.as_deref(), Some("mine"));
    check(&format!("{asks}user reject r1 mine\nin answer r1 approve\nis r1 conflict -"));
}
