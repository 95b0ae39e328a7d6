//! What a result means that does not say by itself what was decided.

use super::{check, check_with};
use crate::decision::Decision;
use crate::ids::Millis;
use crate::inbox::Input;
use crate::options::InboxOptions;
use crate::status::Status;
use crate::testing::{inbox, request};

const ASK: &str = "in ask r1 a offers=approve,edit,reject,respond,ignore {}";

fn decided(act: &str, then: &str) {
    check(&format!("{ASK}\nuser {act}\nout {act}\nsent\n{then}"));
}

#[test]
fn an_answer_that_was_taken_counts_and_waits_for_its_outcome() {
    decided("approve r1", "in accepted r1\nis r1 approved\nin outcome r1 completed 1\nis r1 completed");
    decided("reject r1", "in accepted r1\nis r1 rejected");
    decided("respond r1 words", "in accepted r1\nis r1 responded");
    decided("ignore r1", "in accepted r1\nis r1 rejected");
}

#[test]
fn an_approval_that_a_rejection_beside_it_drops_is_none_that_runs() {
    let both = |second: &str, then: &str| {
        check(&format!(
            "in ask r1 a batch=b held rejects-all {{}}; ask r2 a batch=b held rejects-all {{}}\nuser approve r1
             user {second} r2\nout approve r1, {second} r2\nsent\nin accepted r1; accepted r2\n{then}"
        ));
    };
    both("reject", "is r1 unknown\nis r2 rejected\nin outcome r1 completed 1\nis r1 completed");
    both("approve", "is r1 approved\nis r2 approved");
}

#[test]
fn nothing_is_taken_that_has_not_left() {
    check(&format!("{ASK}\nin accepted r1\nis r1 pending\nin accepted r1 boom\nis r1 pending"));
    let mut queued = inbox(InboxOptions::default());
    let acts = [
        Input::Receive { text: "ask r1 a {}", rounded: false },
        Input::Decide { request: request("r1"), decision: Decision::approve(), seen: None, offer: None },
        Input::Receive { text: "accepted r1 boom", rounded: false },
    ];
    for act in acts {
        queued.handle(Millis(0), act).expect("nothing is refused");
    }
    assert_eq!(queued.statuses().collect::<Vec<_>>(), [Status::Sending]);
    let held = "in ask r1 a batch=b held {}; ask r2 a batch=b held {}\nuser approve r1\n";
    check(&format!("{held}in accepted r1 boom\nis r1 drafted"));
}

#[test]
fn a_run_that_failed_over_an_answer_may_block_it_and_never_reopens_it() {
    let failed = "in accepted r1 boom\nis r1 failed";
    decided(
        "approve r1",
        &format!("{failed}\nin open r1\nis r1 failed -\nuser approve r1 ! already-decided"),
    );
    decided(
        "reject r1",
        &format!("{failed}\nin ask r1 a blocked {{}}\nis r1 blocked -\nin open r1\nis r1 blocked"),
    );
    decided("approve r1", &format!("{failed}\nin outcome r1 completed 1\nis r1 completed"));
    decided("approve r1", "in outcome r1 failed\nin ask r1 a blocked {}\nis r1 failed");
}

#[test]
fn a_result_that_may_be_words_is_the_tools_only_after_an_approval() {
    check(&format!("{ASK}\nin clash r1 returned 1\nis r1 unknown"));
    decided("approve r1", "in clash r1 returned 1\nis r1 completed");
    decided("edit r1 {}", "in clash r1 returned 1\nis r1 completed");
    decided("reject r1", "in clash r1 returned 1\nis r1 conflict");
    check(&format!(
        "{ASK}\nin ask r2 a batch=r1 held {{}}\nuser approve r2\nin clash r2 returned 1\nis r2 unknown"
    ));
}

#[test]
fn our_own_words_as_a_result_took_the_place_of_a_run() {
    for kind in ["returned", "completed"] {
        decided("respond r1 by hand", &format!("in clash r1 {kind} \"by hand\"\nis r1 responded"));
        decided("respond r1 by hand", &format!("in clash r1 {kind} \"by h\\u0061nd\"\nis r1 responded"));
        decided("respond r1 by hand", &format!("in clash r1 {kind} \"deleted\"\nis r1 conflict"));
        decided("reject r1 why", &format!("in clash r1 {kind} \"why\"\nis r1 rejected"));
    }
}

#[test]
fn a_rejection_stands_against_everything_that_is_none() {
    for act in ["approve r1", "edit r1 {}", "respond r1 by hand"] {
        decided(act, "in clash r1 rejected\nis r1 conflict");
        check(&format!(
            "{ASK}\nin ask r2 a batch=r1 held {{}}\nuser {act}\nin clash r1 rejected\nis r1 conflict"
        ));
    }
    for act in ["reject r1", "ignore r1"] {
        decided(act, "in clash r1 rejected\nis r1 rejected");
    }
}

#[test]
fn words_before_a_run_stand_against_every_decision_but_the_same_words() {
    for act in ["approve r1", "edit r1 {}", "reject r1", "respond r1 mine", "ignore r1"] {
        decided(act, "in clash r1 words \"yours\"\nis r1 conflict");
    }
    decided("respond r1 yours", "in clash r1 words \"yours\"\nis r1 responded");
    check(&format!("{ASK}\nin clash r1 words \"yours\"\nis r1 unknown"));
}

#[test]
fn an_edit_is_ours_also_where_the_backend_shows_fewer_digits_of_it() {
    let edit = "edit r1 {\"n\":0.10000000000000000001,\"m\":9007199254740993}";
    decided(edit, "in answer r1 edit {\"n\":0.1,\"m\":9007199254740993}\nis r1 approved");
    decided(edit, "in answer r1 edit {\"n\":0.2,\"m\":9007199254740993}\nis r1 conflict");
    decided(edit, "in answer r1 edit {\"n\":0.1,\"m\":9007199254740992}\nis r1 conflict");
}

#[test]
fn where_the_decision_stands_the_result_only_says_that_it_took_effect() {
    decided("approve r1", "in echo r1 returned 1\nis r1 completed");
    decided("approve r1", "in echo r1 failed 1\nis r1 failed");
    decided("ignore r1", "in echo r1 returned 1\nis r1 rejected");
    decided("respond r1 x", "in echo r1 returned 1\nis r1 responded");
    decided("reject r1", "in echo r1 failed 1\nis r1 rejected");
    check(&format!("{ASK}\nin echo r1 failed 1\nis r1 failed"));
    check(&format!("{ASK}\nin echo r1 returned 1\nis r1 unknown"));
    let drafted = "in ask r1 a batch=b held {}; ask r2 a batch=b held {}\nuser reject r1\n";
    check(&format!("{drafted}in echo r1 failed 1\nis r1 failed"));
}

#[test]
fn what_the_backend_refused_did_not_arrive_and_what_was_lost_may_have() {
    let failed = |status| {
        format!("in ask r1 a {{}}\nuser approve r1\nout approve r1\nlost {status}\nin echo r1 returned 1\n")
    };
    check(&format!("{}is r1 unknown", failed(409)));
    check(&format!("{}is r1 completed", failed(503)));
    // Also where its result is read before its fate is known.
    for (status, after) in [("409", "unknown"), ("503", "completed")] {
        check(&format!(
            "in ask r1 a {{}}\nuser approve r1\nout approve r1\nin echo r1 returned 1\nlost {status}\nis r1 {after}"
        ));
    }
}

#[test]
fn arguments_that_are_only_shown_may_be_anything_and_edits_must_be_objects() {
    check(
        "in ask r1 a shown !null\nuser edit r1 null ! args-invalid\nuser edit r1 [] ! args-invalid\nuser approve r1\nout approve r1",
    );
    check("in ask r1 a !null\nuser approve r1 ! args-ambiguous");
    // What is flagged and can be read all the same may be typed.
    check("in ask r1 a {}\nuser edit r1 {\"__proto__\":1}\nout edit r1 {\"__proto__\":1}");
}

#[test]
fn r25_edits_are_checked_against_the_schema_of_the_request_else_against_the_one_the_host_has_for_the_tool() {
    fn must_be_as_long(schema: &str, args: &str) -> Result<(), String> {
        if schema.len() == args.len() { Ok(()) } else { Err("it is not as long".to_owned()) }
    }
    for (tool, schema, fits, misfits) in [
        ("a", "schema=1234567", r#"{"n":2}"#, Some(r#"{"n":22}"#)),
        ("b", "schema=1234567", r#"{"n":2}"#, Some(r#"{"n":22}"#)),
        ("b", "", r#"{"n":22}"#, Some(r#"{"n":2}"#)),
        ("c", "", r#"{"n":22}"#, None),
    ] {
        let schemas = vec![("x".into(), "12345".into()), ("b".into(), "12345678".into())];
        let options = InboxOptions { args_check: Some(must_be_as_long), schemas, ..InboxOptions::default() };
        let misfit = misfits.map(|args| format!("user edit r1 {args} ! args-invalid\n")).unwrap_or_default();
        check_with(
            options,
            &format!(
                "in ask r1 {tool} {schema} {{}}\nin ask r1 {tool} {{}}\n{misfit}user edit r1 {fits}\nout edit r1 {fits}"
            ),
        );
    }
}

#[test]
fn a_call_that_is_found_later_is_added_and_nothing_else_changes() {
    let known =
        check("in ask r1 a {}\nuser approve r1\nin ask r1 a call=c1 {}\nis r1 sending\nout approve r1");
    let call = known.view(0).and_then(|view| view.call);
    assert_eq!(call.as_ref().map(|call| call.as_str()), Some("c1"));
}
