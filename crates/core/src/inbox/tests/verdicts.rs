//! What a backend says of an answer: whether the call may run, and that it did not take what was sent.

use super::check;
use crate::decision::Decision;
use crate::ids::Millis;
use crate::inbox::Input;
use crate::options::InboxOptions;
use crate::outbound::OutboundState;
use crate::status::Status;
use crate::testing::{inbox, request};

#[test]
fn a_ruling_settles_only_whether_the_call_may_run() {
    check(
        r#"
        in   ask r1 a {}; ask r2 a {}; ask r3 a {}; ask r4 a {}
        user edit r1 {"n":1}
        out  edit r1 {"n":1}
        sent
        in   ruled r1 approve
        is   r1 approved -
        user approve r2
        out  approve r2
        sent
        in   ruled r2 reject
        is   r2 conflict -
        in   ruled r2 approve; outcome r2 completed
        is   r2 conflict -
        in   ruled r3 runs; ruled r4 reject
        is   r3 approved -
        is   r4 rejected -
        "#,
    );
}

#[test]
fn the_first_ruling_counts_and_the_full_answer_may_follow() {
    let inbox = check(
        r#"
        in   ask r1 a {}; ask r2 a {}
        in   ruled r1 runs; ruled r1 reject; answer r1 edit {"n":2}
        is   r1 approved
        user edit r2 {"n":1}
        out  edit r2 {"n":1}
        in   ruled r2 runs; answer r2 edit {"n":3}
        is   r2 conflict
        "#,
    );
    let decision = inbox.views().remove(0).decision.unwrap();
    assert_eq!((decision.kind.as_str(), decision.args.as_deref()), ("edit", Some(r#"{"n":2}"#)));
}

#[test]
fn what_really_happened_outweighs_a_ruling_that_nobody_here_made() {
    check(
        r#"
        in   ask r1 a {}; ruled r1 reject; outcome r1 completed
        is   r1 completed
        in   ask r2 a {}; close r2 unknown; outcome r2 failed
        is   r2 failed
        "#,
    );
}

#[test]
fn r08_a_refused_answer_waits_again_and_sends_nothing_by_itself() {
    check(
        r#"
        in   ask r1 a {}
        user approve r1
        out  approve r1
        in   refused r1 reopened
        is   r1 pending approve,edit,reject
        user reject r1
        out  reject r1
        in   ruled r1 reject
        is   r1 rejected
        in   ask r2 a {}; refused r2 reopened
        is   r2 pending approve,edit,reject
        "#,
    );
}

#[test]
fn the_fate_of_a_refused_message_does_not_touch_the_next_one() {
    check(
        r#"
        in   ask r1 a {}
        user approve r1
        out  approve r1
        in   refused r1 reopened
        sent
        is   r1 pending
        user reject r1
        out  reject r1
        is   r1 sending
        sent
        is   r1 sent
        "#,
    );
}

#[test]
fn an_answer_that_came_too_late_is_a_conflict_unless_it_was_the_same() {
    check(
        r#"
        in   ask r1 a {}; ask r2 a {}; ask r3 a {}; ask r4 a {}; ask r5 a {}
        all  approve r1 r2 r3 r4
        out  approve r1
        out  approve r2
        out  approve r3
        out  approve r4
        sent
        in   refused r1 conflict approve; refused r2 conflict reject; refused r3 conflict; refused r4 unknown
        is   r1 approved
        is   r2 conflict
        is   r3 conflict
        is   r4 unknown
        in   refused r1 conflict edit; refused r2 expired; refused r5 conflict reject
        is   r1 conflict
        is   r2 conflict
        is   r5 rejected
        "#,
    );
}

#[test]
fn r10_an_outcome_is_not_that_of_a_message_that_was_not_taken() {
    for (act, decided) in [("reject", "rejected"), ("approve", "completed")] {
        let script =
            ["in ask r1 a {}\nuser ", act, " r1\nout ", act, " r1\nin echo r1 returned 1\nis r1 "].concat();
        let view = |end: &str| check(&[&script, decided, "\n", end].concat()).view(0).unwrap();
        assert!(view("sent").decision.is_some());
        let view = view("lost 412\nis r1 unknown\nin echo r1 returned 1\nis r1 unknown");
        assert_eq!((view.decision, view.result_text.as_deref()), (None, Some("1")), "{act}");
    }
}

#[test]
fn r09_another_edit_that_came_first_is_no_word_on_ours() {
    let sent = "in ask r1 a {}\nuser edit r1 {\"a\":1}\nout edit r1 {\"a\":1}\n";
    let again = "lost\nuser retry r1\nout edit r1 {\"a\":1}\n";
    let anew = "lost\nuser undo r1\nuser edit r1 {\"a\":2}\nout edit r1 {\"a\":2}\n";
    for (before, status) in [("", "conflict"), (again, "approved"), (anew, "conflict")] {
        check(&[sent, before, "sent\nin refused r1 conflict edit\nis r1 ", status].concat());
    }
}

#[test]
fn a_request_that_is_gone_is_what_was_sent_or_unknown_until_it_is_asked_again() {
    check(
        r#"
        in   ask r1 a {}; ask r2 a {}; ask r3 a {}
        all  approve r1 r3
        out  approve r1
        in   end r2 unknown; end r3 unknown
        out  approve r3
        is   r2 unknown -
        is   r3 sending -
        sent
        is   r3 approved
        in   end r1 unknown
        is   r1 approved
        in   ask r2 a {}; ask r1 a {}
        is   r2 pending approve,edit,reject
        is   r1 approved -
        "#,
    );
}

#[test]
fn a_draft_that_never_left_is_no_conflict() {
    check(
        r#"
        in   ask r1 a held batch=b {}; ask r2 a held batch=b {}; ask r3 a {}
        user reject r1
        in   ruled r1 approve
        is   r1 approved -
        user reject r3
        out  reject r3
        lost 503
        in   ruled r3 approve
        is   r3 conflict -
        "#,
    );
}

#[test]
fn an_answer_that_came_back_does_not_go_out_for_other_arguments() {
    check(
        r#"
        in   ask r2 a {"n":1}
        user approve r2
        out  approve r2
        in   ask r2 a {"n":2}
        is   r2 sending -
        lost 503
        is   r2 pending reject
        user approve r2 ! args-ambiguous
        in   ask r2 a {"n":2}
        is   r2 pending approve,edit,reject
        "#,
    );
}

#[test]
fn r03_what_came_while_an_answer_was_on_its_way_is_shown_once_the_backend_did_not_take_it() {
    for refusal in
        ["sent\nin refused r2 reopened", "in refused r2 reopened", "sent\nin refused r2 reopened\nat 9"]
    {
        let inbox = check(&format!(
            r#"
            in   ask r2 a {{"n":1}}
            user approve r2
            out  approve r2
            in   ask r2 a {{"n":2}}
            {refusal}
            is   r2 pending approve,edit,reject
            "#
        ));
        assert_eq!(&*inbox.view(0).unwrap().args_text, r#"{"n":2}"#);
    }
    check(
        r#"
        in   ask r2 a {"n":1}
        user approve r2
        out  approve r2
        in   ask r2 a {"n":2}; ask r2 a {"n":1}
        sent
        in   refused r2 reopened
        is   r2 pending reject
        "#,
    );
    let inbox = check(
        r#"
        in   ask r2 a {"n":1}
        user reject r2
        out  reject r2
        in   ask r2 a {"n":2}
        lost 503
        is   r2 drafted
        user undo r2
        is   r2 pending approve,edit,reject
        "#,
    );
    assert_eq!(&*inbox.view(0).unwrap().args_text, r#"{"n":2}"#);
}

#[test]
fn an_answer_that_the_host_has_not_taken_falls_with_its_arguments() {
    let mut inbox = inbox(InboxOptions::default());
    inbox.handle(Millis(1), Input::Receive { text: r#"ask r1 a {"n":1}"#, rounded: false }).unwrap();
    let decision = Decision::approve();
    inbox
        .handle(Millis(1), Input::Decide { request: request("r1"), decision, seen: None, offer: None })
        .unwrap();
    inbox.handle(Millis(1), Input::Receive { text: r#"ask r1 a {"n":2}"#, rounded: false }).unwrap();
    assert_eq!(inbox.take_outbound(), []);
    let view = inbox.views().remove(0);
    assert_eq!((view.status.as_str(), &*view.args_text), ("pending", r#"{"n":2}"#));
}

#[test]
fn what_the_backend_did_not_take_says_so_until_the_next_decision() {
    let mut inbox = inbox(InboxOptions::default());
    let mut after = |input: Input<'_>| {
        inbox.handle(Millis(0), input).unwrap();
        drop(inbox.take_outbound());
        let view = inbox.views().remove(0);
        (view.status, view.outbound.map(|outbound| outbound.state))
    };
    let decide = |decision| Input::Decide { request: request("r1"), decision, seen: None, offer: None };
    after(Input::Receive { text: "ask r1 a {}", rounded: false });
    assert_eq!(after(decide(Decision::approve())), (Status::Sending, Some(OutboundState::Sending)));
    let refused = after(Input::Receive { text: "refused r1 reopened", rounded: false });
    assert_eq!(refused, (Status::Pending, Some(OutboundState::Failed)));
    assert_eq!(after(decide(Decision::reject(None))), (Status::Sending, Some(OutboundState::Sending)));
}
