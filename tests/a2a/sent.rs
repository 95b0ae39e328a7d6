//! What stands around a decision: how the message travels, when it was written, and what people read beside it.

use countersign_core::{Decision, Status};
use countersign_protocols::Edits;

use super::{Page, confirmation, one, paused};

const URI: &str = "https://kagent.dev/extensions/hitl/v1";

/// A call waits that only a host which speaks kagent's extension can answer.
fn extended() -> String {
    let payload =
        r#"{"type":"tool_approval_request","tools":[{"id":"r","call_id":"c","name":"pay","args":{}}]}"#;
    let message = format!(
        r#"{{"messageId":"m","role":"ROLE_AGENT","extensions":["{URI}"],"metadata":{{"{URI}":{payload}}},"parts":[{{"text":"?"}}]}}"#
    );
    format!(
        r#"{{"statusUpdate":{{"taskId":"t","contextId":"c","status":{{"state":"TASK_STATE_INPUT_REQUIRED","message":{message}}}}}}}"#
    )
}

/// A question of kagent 0.10.
fn question(id: &str) -> String {
    confirmation(id, &format!("call-{id}"), r#"{"questions":[{"question":"?"}]}"#, "")
        .replace(r#""name":"pay""#, r#""name":"ask_user""#)
}

/// The one message that leaves, as its body and what the host adds to it.
fn sent(page: &mut Page) -> (String, String) {
    let mut outbound = page.inbox.take_outbound();
    assert_eq!(outbound.len(), 1);
    let outbound = outbound.remove(0);
    (outbound.body.to_string(), outbound.transport.to_string())
}

#[test]
fn the_host_is_told_the_version_the_method_and_the_extension_of_each_answer() {
    let new = one("t", "r", "{}").replace(r#""kind":"data","#, "").replace(r#""kind":"message","#, "");
    let new = new.replace(r#"{"kind":"status-update","#, r#"{"statusUpdate":{"#) + "}";
    let old = r#"{"protocol":"a2a","version":"0.3","method":"message/stream","extensions":[],"taskId":"t","contextId":"c"}"#;
    let later = |extensions: &str| {
        format!(
            r#"{{"protocol":"a2a","version":"1.0","method":"SendStreamingMessage","extensions":[{extensions}],"taskId":"t","contextId":"c"}}"#
        )
    };
    for (asked, transport) in [
        (one("t", "r", "{}"), old.to_owned()),
        (new.replace("kagent_type", "adk_type"), later("")),
        (extended(), later(&format!(r#""{URI}""#))),
        (one("t", "r", "{}").replace(r#""contextId":"c","#, ""), old.replace(r#","contextId":"c""#, "")),
    ] {
        let mut page = Page::new();
        page.receive(&asked);
        page.decide("r", Decision::approve()).expect("it is offered");
        assert_eq!(sent(&mut page).1, transport, "{asked}");
    }
}

#[test]
fn an_answer_carries_the_time_at_which_it_was_given() {
    let timestamp = format!(r#""timestamp":{}}}"#, super::START.0);
    let edit = Decision::Edit { args: r#"{"n":2}"#.into(), note: None };
    for (asked, decision) in [
        (one("t", "r", "{}"), Decision::approve()),
        (one("t", "r", r#"{"n":1}"#), edit),
        (extended(), Decision::approve()),
    ] {
        let mut page = Page::with(Edits::Always);
        page.receive(&asked);
        page.decide("r", decision).expect("it is offered");
        let (body, _) = sent(&mut page);
        assert!(body.contains(&timestamp), "{body}");
    }
}

#[test]
fn the_words_for_people_say_what_was_decided() {
    let two = [confirmation("r", "c1", "{}", ""), confirmation("s", "c2", "{}", "")];
    let answers = Decision::Answer { answers: vec![vec!["x".to_owned()]] };
    let no = || Decision::reject(None);
    for (asked, decisions, words) in [
        (one("t", "r", "{}"), vec![Decision::approve()], "Approved"),
        (one("t", "r", "{}"), vec![no()], "Rejected"),
        (paused("t", &[question("r")]), vec![answers], "Answered"),
        (paused("t", &two), vec![Decision::approve(), no()], "1 approved, 1 rejected"),
        (paused("t", &two), vec![no(), no()], "0 approved, 2 rejected"),
    ] {
        let mut page = Page::new();
        page.receive(&asked);
        for (id, decision) in ["r", "s"].into_iter().zip(decisions) {
            page.decide(id, decision).expect("it is offered");
        }
        let (body, _) = sent(&mut page);
        assert!(body.contains(&format!(r#""text":"{words}""#)), "{body}");
    }
}

#[test]
fn r08_no_answer_leaves_that_confirms_everything_while_a_call_has_run_before_it_was_asked_about() {
    let call = r#"{"kind":"data","data":{"id":"c1","name":"pay","args":{}},"metadata":{"kagent_type":"function_call"}}"#;
    let ran = r#"{"kind":"data","data":{"id":"c1","name":"pay","response":{"result":"paid"}},"metadata":{"kagent_type":"function_response"}}"#;
    let play = |asked: String, decision: Decision| {
        let mut page = Page::with(Edits::Always);
        page.receive(&paused("t", &[call.to_owned()]).replace("input-required", "working"));
        page.receive(&paused("t", &[ran.to_owned()]).replace("input-required", "working"));
        page.receive(&paused("t", &[confirmation("q", "c1", "{}", ""), asked]));
        page.decide("r", decision).expect("it is offered");
        (page.sent(), page.status("r"))
    };
    let edit = Decision::Edit { args: r#"{"n":2}"#.into(), note: None };
    let edited = play(confirmation("r", "c2", r#"{"n":1}"#, ""), edit);
    assert_eq!(edited, (vec![], Status::Drafted));
    // The answers of a question confirm whatever the server holds, and the call that has run would run again.
    let answered = play(question("r"), Decision::Answer { answers: vec![vec!["x".to_owned()]] });
    assert_eq!(answered, (vec![], Status::Drafted));
}
