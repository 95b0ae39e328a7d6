//! What a backend does beside our decision: other arguments, other ways, refusals in messages of their own.

use super::check;
use crate::decision::Decision;
use crate::ids::Millis;
use crate::inbox::Input;
use crate::options::InboxOptions;
use crate::status::Status;
use crate::testing::{inbox, request};

#[test]
fn what_runs_as_decided_is_running() {
    check(
        r#"
        in   ask r1 pay {"n":1.0}; ask r2 pay {"n":1}; ask r3 pay {"n":1}
        user approve r1
        out  approve r1
        user edit r2 {"n":2}
        out  edit r2 {"n":2}
        sent
        in   start r1 {"n":1}; start r2 {"n":2}; start r3
        is   r1 running -
        is   r2 running -
        is   r3 running -
        "#,
    );
}

#[test]
fn r03_what_runs_beside_our_decision_is_a_conflict_and_keeps_its_result() {
    for (act, runs) in
        [("approve r1", r#"{"n":9}"#), (r#"edit r1 {"n":2}"#, r#"{"n":1}"#), ("reject r1", r#"{"n":1}"#)]
    {
        let inbox = check(&format!(
            r#"
            in   ask r1 pay {{"n":1}}
            user {act}
            out  {}
            sent
            in   start r1 {runs}
            is   r1 conflict -
            in   outcome r1 completed 7; start r1 {runs}
            is   r1 conflict -
            "#,
            act.trim()
        ));
        assert_eq!(inbox.views()[0].result_text.as_deref(), Some("7"), "{act}");
    }
}

#[test]
fn arguments_that_nobody_here_decided_on_are_an_edit_by_someone_else() {
    let inbox = check(
        r#"
        in   ask r1 pay {"n":1}; ask r2 pay {"n":1}
        in   start r1 {"n":9}; start r2 {"n":1}
        is   r1 running -
        in   answer r1 approve
        is   r1 running
        "#,
    );
    assert!(inbox.views()[1].decision.is_none());
}

#[test]
fn an_edit_that_is_not_shown_yet_gets_its_arguments_when_it_runs() {
    let script = r#"
        in   ask r1 pay {"n":1}
        in   answer r1 edit
        is   r1 approved -
    "#;
    let decision = check(script).views()[0].decision.clone().unwrap();
    assert_eq!((decision.kind.as_str(), decision.args), ("edit", None));
    let inbox = check(&format!("{script}\nin start r1 {{\"n\":2}}\nis r1 running"));
    assert_eq!(inbox.views()[0].decision.clone().unwrap().args.as_deref(), Some("{\"n\":2}"));
}

#[test]
fn a_draft_that_never_left_does_not_contradict_what_runs() {
    check(
        r#"
        in   ask r1 pay batch=b held {"n":1}; ask r2 pay batch=b held {}
        user reject r1
        in   start r1 {"n":1}
        is   r1 running -
        out  nothing
        "#,
    );
}

#[test]
fn a_refusal_in_a_message_reopens_or_settles_what_had_left() {
    check(
        r#"
        in   ask r1 a {}; ask r2 a {}; ask r3 a {}; ask r4 a {}; ask r5 a {}
        all  approve r1 r2 r3 r4 r5
        out  approve r1
        out  approve r2
        out  approve r3
        out  approve r4
        out  approve r5
        in   refused r1 reopened; refused r2 conflict; refused r3 expired; refused r4 unknown; refused r5 kept
        is   r1 pending approve,edit,reject
        is   r2 conflict -
        is   r3 expired -
        is   r4 unknown -
        is   r5 drafted -
        sent
        is   r1 pending approve,edit,reject
        user undo r5
        user reject r1
        out  reject r1
        in   refused r1 reopened; refused r1 reopened; refused r2 reopened
        is   r1 pending
        is   r2 conflict
        "#,
    );
}

#[test]
fn a_late_report_of_a_refused_message_does_not_speak_for_the_next_one() {
    let mut inbox = inbox(InboxOptions::default());
    let mut handle = |input: Input<'_>| {
        inbox.handle(Millis(0), input).unwrap();
        inbox.take_outbound().pop().map(|outbound| outbound.id)
    };
    let decide = |decision| Input::Decide { request: request("r1"), decision, seen: None, offer: None };
    handle(Input::Receive { text: "ask r1 a {}", rounded: false });
    let first = handle(decide(Decision::approve())).unwrap();
    handle(Input::Receive { text: "refused r1 reopened", rounded: false });
    handle(decide(Decision::reject(None))).unwrap();
    handle(Input::Failed { id: first, status: None, message: None });
    assert_eq!(inbox.views()[0].status, Status::Sending);
}

#[test]
fn r08_what_is_in_doubt_can_only_be_rejected_and_a_failed_approval_is_dropped() {
    check(
        r#"
        in   ask r1 a {}; ask r2 a {}; ask r3 a {}
        user approve r2
        out  approve r2
        user reject r3
        out  reject r3
        lost 503
        in   doubt r1 two names; doubt r2 two names; doubt r3 two names
        is   r1 pending reject
        user approve r1 ! args-ambiguous
        is   r2 pending reject
        user retry r2 ! not-offered
        is   r3 drafted
        out  nothing
        user retry r3
        out  reject r3
        "#,
    );
}

#[test]
fn what_is_gone_is_unknown_unless_ours_was_delivered() {
    check(
        r#"
        in   ask r1 a {}; ask r2 a {}; ask r3 a {}; ask r4 a {}; ask r5 a {}
        user approve r2
        out  approve r2
        sent
        user reject r3
        out  reject r3
        in   end r1 unknown; end r2 unknown; end r3 unknown
        is   r1 unknown -
        is   r2 approved -
        is   r3 sending -
        sent
        is   r3 rejected -
        user approve r4
        out  approve r4
        in   end r4 unknown
        lost 503
        is   r4 unknown -
        in   outcome r1 completed 1
        is   r1 completed
        "#,
    );
}

#[test]
fn the_same_request_on_another_way_says_more() {
    check(
        r#"
        in   ask r1 a blocked {}
        is   r1 blocked -
        at   10
        in   ask r1 a timeout=20 offers=approve,reject {}
        is   r1 pending approve,reject
        at   25
        in   ask r1 a timeout=20 offers=approve,reject {}
        at   29
        is   r1 pending
        at   30
        is   r1 expired -
        "#,
    );
}

#[test]
fn a_card_that_was_overtaken_stands_where_it_belongs_and_keeps_its_key() {
    let inbox = check("in ask r1 a {}; ask r3 a {}; ask r2 a {}; precede r2 r3; precede r1 r3; ask r4 a {}");
    let keys: Vec<u32> = inbox.views().iter().map(|view| view.key).collect();
    assert_eq!((keys.as_slice(), inbox.moves()), ([0, 2, 1, 3].as_slice(), 1));
    assert!((0..4).all(|key| inbox.view(key).is_some_and(|view| view.key == key)));
}

#[test]
fn r03_what_was_changed_or_doubted_on_its_way_is_not_sent_again() {
    for news in [r#"ask r1 pay {"n":2}"#, "doubt r1 why"] {
        check(&format!(
            r#"
            in   ask r1 pay {{"n":1}}
            user approve r1
            out  approve r1
            in   {news}
            lost 503
            user retry r1 ! not-offered
            user approve r1 ! args-ambiguous
            user reject r1
            out  reject r1
            "#
        ));
    }
}

#[test]
fn r41_other_arguments_may_bring_the_deadline() {
    check(
        r#"
        in   ask r1 pay announced {"n":1}
        at   1000
        in   ask r1 pay timeout=500 {"n":2}
        at   1499
        is   r1 pending
        at   1500
        is   r1 expired -
        "#,
    );
}

#[test]
fn what_only_went_missing_is_made_known() {
    check(
        r#"
        in   ask r1 pay {"n":1}; ask r2 pay {"n":1}; end r1 unknown; end r2 unknown
        is   r1 unknown -
        in   answer r1 approve; answer r2 reject
        is   r1 approved -
        is   r2 rejected -
        "#,
    );
}

#[test]
fn what_someone_else_has_answered_is_not_sent_again() {
    check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        all  approve r1 r2
        out  approve r1, approve r2
        lost 503
        in   answer r1 reject
        is   r1 conflict
        is   r2 drafted
        out  nothing
        user retry r2 ! blocked
        user undo r2
        user approve r2
        out  approve r2
        "#,
    );
}

#[test]
fn what_has_too_little_in_it_by_now_is_not_sent_again() {
    check(
        r#"
        in   ask r1 a batch=b held {}
        user approve r1
        out  approve r1
        lost 503
        in   ask r2 a batch=b held {}
        user retry r1 ! blocked
        out  nothing
        user reject r2
        out  approve r1, reject r2
        "#,
    );
}

#[test]
fn an_outcome_outweighs_the_answer_in_its_message_and_comes_too_late_for_an_earlier_one() {
    let reject = "in ask r1 a {}\nuser reject r1 no\nout reject r1 no\nsent";
    check(&format!("{reject}\nin answer r1 approve; outcome r1 completed 1\nis r1 completed"));
    check(&format!("{reject}\nin answer r1 approve\nin outcome r1 completed 1\nis r1 conflict"));
    check(&format!("{reject}\nin answer r1 what\nis r1 conflict"));
    check(&format!("{reject}\nin answer r1 approve; clash r1 completed 1\nis r1 conflict"));
    let approve = "in ask r1 a {}\nuser approve r1\nout approve r1\nsent";
    check(&format!("{approve}\nin answer r1 reject; outcome r1 rejected\nis r1 rejected"));
}

#[test]
fn r03_what_a_request_says_of_its_call_counts_and_not_what_was_seen_of_the_call_before() {
    let inbox = check("in call c1 pay {\"n\":1}\nin ask r1 pay call=c1 {\"n\":2}\nis r1 pending");
    let views = inbox.views();
    assert_eq!((views.len(), &*views[0].args_text), (1, "{\"n\":2}"));
}

#[test]
fn r01_what_became_of_another_call_of_the_same_id_is_not_what_became_of_this_one() {
    let told = "in call c1 pay {\"n\":1}; outcome call:c1 completed 1\nin ask r1";
    for (call, status) in [
        ("pay call=c1 {\"n\":1.0}", "completed"),
        ("pay call=c1 {\"n\":2}", "pending"),
        ("send call=c1 {\"n\":1}", "pending"),
        ("pay call=c2 {\"n\":1}", "pending"),
    ] {
        check(&format!("{told} {call}\nis r1 {status}"));
    }
}

#[test]
fn what_was_missing_waits_again_only_once_it_can_be_answered() {
    check(
        r#"
        in   ask r1 a {}; end r1 unknown
        is   r1 unknown -
        in   ask r1 a announced {}
        is   r1 unknown -
        in   ask r1 a {}
        is   r1 pending approve,edit,reject
        "#,
    );
}

#[test]
fn r03_only_a_call_that_was_settled_before_its_arguments_were_known_gets_them_later() {
    let shown = |ask: &str, again: &str| {
        let script = format!("in ask r1 pay shown {ask}\nin answer r1 reject\nin ask r1 pay shown {again}");
        let inbox = check(&format!("{script}\nis r1 rejected"));
        inbox.view(0).unwrap().args_text.to_string()
    };
    assert_eq!(shown("!null", "announced {\"n\":1}"), "{\"n\":1}");
    assert_eq!(shown("!null", "{\"n\":1}"), "null");
    assert_eq!(shown("{\"n\":1}", "announced {\"n\":2}"), "{\"n\":1}");
}

#[test]
fn what_is_offered_may_change_while_a_draft_fits_it() {
    check(
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        user reject r1
        in   ask r1 a batch=b held offers=approve,reject {}
        is   r1 drafted
        user undo r1
        is   r1 pending approve,reject
        "#,
    );
}
