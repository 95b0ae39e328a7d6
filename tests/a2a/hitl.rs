//! kagent's extension `hitl/v1` as its runtime in Go spells it. Written from its source of August 2026, for it could not be recorded.

use countersign_core::{Decision, Status};

use super::Page;

const HITL: &str = "https://kagent.dev/extensions/hitl/v1";

fn call(id: &str, name: &str) -> String {
    part(&format!(r#""id":"{id}","name":"{name}","args":{{}}"#), "function_call")
}

fn response(id: &str, name: &str, response: &str) -> String {
    part(&format!(r#""id":"{id}","name":"{name}","response":{response}"#), "function_response")
}

fn part(data: &str, kind: &str) -> String {
    format!(r#"{{"data":{{{data}}},"metadata":{{"adk_type":"{kind}"}}}}"#)
}

fn artifact(parts: &[String]) -> String {
    let parts = parts.join(",");
    format!(
        r#"{{"artifactUpdate":{{"taskId":"t","contextId":"c","artifact":{{"artifactId":"a{}","parts":[{parts}]}},"lastChunk":true}}}}"#,
        parts.len()
    )
}

fn message(payload: &str) -> String {
    format!(
        r#"{{"messageId":"m","role":"ROLE_AGENT","extensions":["{HITL}"],"metadata":{{"{HITL}":{payload}}},"parts":[{{"text":"Please decide."}}]}}"#
    )
}

fn asked(payload: &str) -> String {
    let message = message(payload);
    format!(
        r#"{{"statusUpdate":{{"taskId":"t","contextId":"c","status":{{"state":"TASK_STATE_INPUT_REQUIRED","message":{message}}}}}}}"#
    )
}

/// A page on which these calls were made, and what their tools returned meanwhile.
fn page(calls: &[(&str, &str, &str)]) -> Page {
    let mut page = Page::new();
    let made: Vec<String> = calls.iter().map(|(id, name, _)| call(id, name)).collect();
    let waiting: Vec<String> = calls.iter().map(|(id, name, stub)| response(id, name, stub)).collect();
    page.receive(&artifact(&made));
    page.receive(&artifact(&waiting));
    page
}

const CONFIRM: &str = r#"{"status":"confirmation_requested","tool":"remove"}"#;
const SUBAGENT: &str =
    r#"{"status":"pending","waiting_for":"subagent_approval","subagent":"helper","subagent_session_id":"s"}"#;
const QUESTION: &str = r#"{"type":"ask_user_request","id":"r1","questions":[{"question":"?","choices":null,"multiple":false}],"nested":{"subagent_name":"helper","task_id":"it","context_id":"ic","tools":[{"id":"i1","call_id":"i1","name":"ask_user","args":{"questions":[{"question":"?"}]}}]}}"#;

fn answer() -> Decision {
    Decision::Answer { answers: vec![vec!["yes".to_owned()]] }
}

#[test]
fn r40_an_answer_to_a_remote_agent_is_not_sent_where_it_would_approve_a_call_that_nobody_asked_about() {
    let mut page = page(&[("c1", "remove", CONFIRM), ("c2", "helper", SUBAGENT)]);
    page.receive(&asked(QUESTION));
    assert_eq!(page.decide("i1", answer()), Err("blocked".to_owned()));
    assert_eq!((page.status("c1"), page.status("i1")), (Status::Blocked, Status::Blocked));
    assert!(page.offers("i1").is_empty() && page.sent().is_empty());
    // It was decided elsewhere, and has run: from now on the question waits alone.
    page.receive(&artifact(&[response("c1", "remove", r#"{"result":"done"}"#)]));
    page.receive(&asked(QUESTION));
    assert_eq!(page.status("c1"), Status::Completed);
    assert_eq!(page.decide("i1", answer()), Ok(()));
    assert_eq!(page.sent().len(), 1);
}

#[test]
fn r40_a_remote_agents_question_that_waits_alone_is_answered_whatever_ran_beside_it() {
    let mut page = page(&[("c1", "read", r#"{"result":"text"}"#), ("c2", "helper", SUBAGENT)]);
    page.receive(&asked(QUESTION));
    assert_eq!(page.decide("i1", answer()), Ok(()));
    let body = page.sent().remove(0);
    assert!(
        body.contains(r#"{"type":"ask_user_response","id":"i1","answers":[{"answer":["yes"]}]}"#),
        "{body}"
    );
}

#[test]
fn a_remote_agents_call_that_ends_with_a_rejection_in_go_is_no_failure() {
    let mut page = page(&[("c2", "helper", SUBAGENT)]);
    let tools = r#"[{"id":"i1","call_id":"k1","name":"remove","args":null},{"id":"i2","call_id":"k2","name":"save","args":{}}]"#;
    let nested = format!(r#"{{"subagent_name":"helper","task_id":"it","context_id":"ic","tools":{tools}}}"#);
    let outer = r#"[{"id":"r1","call_id":"c2","name":"helper","args":{}}]"#;
    page.receive(&asked(&format!(
        r#"{{"type":"tool_approval_request","hint":"h","tools":{outer},"nested":{nested}}}"#
    )));
    page.decide("i1", Decision::reject(None)).expect("it is offered");
    page.decide("i2", Decision::approve()).expect("it is offered");
    assert_eq!(page.sent().len(), 1);
    // It hands nothing on to its agent once one of the calls is rejected.
    page.receive(&artifact(&[response(
        "c2",
        "helper",
        r#"{"error":"error tool \"helper\" call is rejected"}"#,
    )]));
    assert_eq!(page.status("c2"), Status::Rejected);
    page.receive(&artifact(&[
        call("c3", "pay"),
        response("c3", "pay", r#"{"error":"the bank says that the call is rejected"}"#),
    ]));
    assert_eq!(page.status("c3"), Status::Failed);
}
