//! What kagent 0.10 cannot tell apart: calls of one id, and calls without one.

use countersign_core::{Decision, Inbox, InboxOptions, Input, Millis, Output, Status};
use countersign_protocols::{AdapterOptions, Edits, adapter};
use countersign_tests::moment::START;

use super::{Page, codes, confirmation, paused};

/// A pause of three requests, of which the first two are about calls of one id.
fn twins() -> Page {
    let mut page = Page::new();
    let parts = [("r1", "c", 1), ("r2", "c", 2), ("r3", "d", 3)]
        .map(|(id, call, n)| confirmation(id, call, &format!("{{\"n\":{n}}}"), ""));
    page.receive(&paused("t", &parts));
    page
}

/// Decides the three of them, and says what leaves and what is complained of.
fn decide_twins(page: &mut Page, decisions: [Decision; 3]) -> (Vec<String>, Vec<String>) {
    let mut problems = Vec::new();
    for (id, decision) in ["r1", "r2", "r3"].into_iter().zip(decisions) {
        let request = page.inbox.find(id).expect("it is there");
        let decided = page.inbox.handle(START, Input::Decide { request, decision, seen: None, offer: None });
        problems.extend(codes(decided.expect("it is offered")));
    }
    (page.sent(), problems)
}

#[test]
fn r01_calls_of_one_id_with_other_decisions_are_never_written_and_stay_drafts() {
    let (yes, no) = (Decision::approve, || Decision::reject(None));
    for decisions in [[yes(), no(), yes()], [no(), yes(), yes()], [no(), yes(), no()], [yes(), no(), no()]] {
        let mut page = twins();
        let (sent, problems) = decide_twins(&mut page, decisions);
        assert_eq!((sent, problems), (vec![], vec!["answer-unwritable".to_owned()]));
        assert_eq!(["r1", "r2", "r3"].map(|id| page.status(id)), [Status::Drafted; 3]);
    }
}

#[test]
fn r01_calls_of_one_id_that_are_decided_alike_leave_under_one_key() {
    let no = |reason| Decision::reject(Some(reason));
    let cases = [
        (
            [Decision::approve(), Decision::approve(), no("x")],
            r#"{"c":"approve","d":"reject"}"#,
            r#"{"d":"x"}"#,
        ),
        ([no("a"), no("b"), Decision::approve()], r#"{"c":"reject","d":"approve"}"#, r#"{"c":"a; b"}"#),
        (
            [no("a"), Decision::reject(None), no("a")],
            r#"{"c":"reject","d":"reject"}"#,
            r#"{"c":"a","d":"a"}"#,
        ),
    ];
    for (decisions, words, reasons) in cases {
        let (sent, problems) = decide_twins(&mut twins(), decisions);
        let data = format!(r#""decision_type":"batch","decisions":{words},"rejection_reasons":{reasons}}}"#);
        assert!(problems.is_empty() && sent.len() == 1 && sent[0].contains(&data), "{sent:?}");
    }
    let all = |decision: fn() -> Decision| decide_twins(&mut twins(), [decision(), decision(), decision()]).0;
    assert!(all(Decision::approve)[0].contains(r#"{"decision_type":"approve"}"#));
    assert!(all(|| Decision::reject(None))[0].contains(r#"{"decision_type":"reject"}"#));
}

#[test]
fn r01_edits_of_calls_of_one_id_are_never_written() {
    for other in [Decision::approve(), Decision::reject(None)] {
        let mut page = Page::with(Edits::Always);
        page.receive(&paused("t", &["r1", "r2"].map(|id| confirmation(id, "c", "{\"n\":1}", ""))));
        let edit = Decision::Edit { args: "{\"n\":2}".into(), note: None };
        page.decide("r1", edit.clone()).expect("it is offered");
        page.decide("r2", other).expect("it is offered");
        assert_eq!(page.sent(), [""; 0]);
        page.decide_anew("r2", edit);
        assert_eq!(page.sent(), [""; 0], "the backend would keep one of the edits");
    }
}

#[test]
fn r08_a_call_is_not_approved_while_another_one_of_its_id_is_undecided_or_has_run() {
    let mut page = twins();
    page.decide("r1", Decision::approve()).expect("it is offered");
    page.decide("r3", Decision::approve()).expect("it is offered");
    assert_eq!(page.sent(), [""; 0], "the second one is not decided");
    assert_eq!(page.status("r2"), Status::Pending);

    let call = r#"{"kind":"data","data":{"id":"c","name":"pay","args":{}},"metadata":{"kagent_type":"function_call"}}"#;
    let ran = r#"{"kind":"data","data":{"id":"c","name":"pay","response":{"result":"paid"}},"metadata":{"kagent_type":"function_response"}}"#;
    let play = |decision: Decision| {
        let mut page = Page::new();
        page.receive(&paused("t", &[call.to_owned()]).replace("input-required", "working"));
        page.receive(&paused("t", &[ran.to_owned()]).replace("input-required", "working"));
        page.receive(&paused("t", &["r1", "r2"].map(|id| confirmation(id, "c", "{}", ""))));
        page.decide("r2", decision).expect("the second one waits");
        page.sent()
    };
    assert_eq!(play(Decision::approve()), [""; 0], "the word would approve what has run, too");
    assert!(
        play(Decision::reject(None))[0].contains(r#"{"decision_type":"reject"}"#),
        "nothing runs by that"
    );
}

#[test]
fn r08_a_rejection_that_the_backend_would_not_find_is_never_written_beside_an_approval() {
    let nameless = confirmation("r1", "c1", "{}", "").replace(r#""id":"c1","#, "");
    let mut page = Page::new();
    page.receive(&paused("t", &[nameless.clone(), confirmation("r2", "c2", "{}", "")]));
    page.decide("r1", Decision::reject(None)).expect("it is offered");
    page.decide("r2", Decision::approve()).expect("it is offered");
    assert_eq!(page.sent(), [""; 0], "a call that a batch does not name is approved");
    page.decide_anew("r2", Decision::reject(None));
    assert!(page.sent()[0].contains(r#"{"decision_type":"reject"}"#));

    let mut page = Page::new();
    page.receive(&paused("t", &[nameless]));
    let elsewhere = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working","message":{"kind":"message","role":"user","messageId":"m-a","parts":[{"kind":"data","data":{"decision_type":"batch","decisions":{"r1":"reject"}}}]}}}"#;
    page.receive(elsewhere);
    assert_eq!(page.status("r1"), Status::Approved, "the backend found no word for it");
}

#[test]
fn r10_what_cannot_be_written_is_said_once_and_holds_no_other_task_back() {
    let options = InboxOptions { hold_batches: Millis(1000), ..InboxOptions::default() };
    let mut page =
        Page { inbox: Inbox::new(adapter("a2a", &AdapterOptions::default()).expect("it is there"), options) };
    let twins = ["r1", "r2"].map(|id| confirmation(id, "c", "{}", ""));
    let others = ["r3", "r4"].map(|id| confirmation(id, id, "{}", ""));
    page.receive(&paused("t1", &twins));
    page.receive(&paused("t2", &others));
    for (id, decision) in [
        ("r1", Decision::approve()),
        ("r2", Decision::reject(None)),
        ("r3", Decision::approve()),
        ("r4", Decision::reject(None)),
    ] {
        page.decide(id, decision).expect("it is offered");
    }
    let mut tick = |moment: u64| page.inbox.handle(START.after(Millis(moment)), Input::Tick);
    let outputs = tick(1000).expect("a tick is never refused");
    assert!(!outputs.iter().any(|output| matches!(output, Output::WakeAt(_))), "{outputs:?}");
    assert_eq!(codes(outputs), ["answer-unwritable"]);
    assert!(codes(tick(2000).expect("a tick is never refused")).is_empty());
    let sent = page.sent();
    assert!(sent.len() == 1 && sent[0].contains(r#""id":"r3","response":{"confirmed":true}"#), "{sent:?}");
    assert_eq!(["r1", "r2"].map(|id| page.status(id)), [Status::Drafted; 2]);
}
