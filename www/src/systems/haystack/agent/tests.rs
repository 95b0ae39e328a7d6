//! What the agent promises: the shapes of the recorded wire, and the refusals of the example server.

use serde_json::Value;

use super::*;
use crate::systems::Agent as _;
use crate::systems::pair::NOW;
use crate::systems::recording::{Shapes, json};

fn say(agent: &mut Agent, text: &str) -> Vec<Value> {
    let message = format!(r#"{{"text":"{text}"}}"#);
    post(agent, &message)
}

fn post(agent: &mut Agent, message: &str) -> Vec<Value> {
    agent
        .send("c", message, NOW)
        .expect("the socket takes everything")
        .iter()
        .map(|text| json(text))
        .collect()
}

/// Answers the request with this id; `members` are those behind it.
fn answer(agent: &mut Agent, id: &str, members: &str) -> Vec<Value> {
    post(agent, &format!(r#"{{"type":"approval_response","id":"{id}",{members}}}"#))
}

/// The ids of everything that was asked about, oldest first.
fn asked(agent: &Agent) -> Vec<String> {
    let log = json(&agent.history("c").expect("a log"));
    let events = log.as_array().expect("a list").clone();
    let requests = events.iter().filter(|event| event["type"] == "approval_request");
    requests.map(|event| event["id"].as_str().expect("an id").to_owned()).collect()
}

const SHAPES: Shapes =
    Shapes { kept: &["type", "role", "action", "reason", "system", "version"], own: own_shape };

fn own_shape(key: &str, value: &Value) -> Option<String> {
    match (key, value) {
        ("tool_params" | "final_tool_params" | "arguments" | "parameters", Value::Object(members)) => {
            Some(format!("{} members", members.len().min(1)))
        }
        ("content", Value::Array(items)) => {
            // The recorded model says nothing beside its calls.
            let is_silent = |it: &&Value| items.len() == 1 || it.get("text").is_none();
            Some(SHAPES.list("", items.iter().filter(is_silent)))
        }
        ("feedback" | "result", Value::String(text)) => {
            // Which template it is; what tools answer is their own.
            let template = text.split('\'').next();
            let template = template.filter(|text| text.contains("tool") || text.contains("Tool"));
            Some(template.unwrap_or("text").to_owned())
        }
        // A recorded host may have no time-out.
        ("timeout_s", Value::Null | Value::Number(_)) => Some("limit".to_owned()),
        _ => None,
    }
}

fn streamed(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| SHAPES.of("", event)).collect()
}

/// The agent says the same as the recording, before and after each answer.
fn check_recorded(trace: &str, text: &str, answers: &[&str]) {
    let recorded = SHAPES.recorded(trace).streams;
    let mut agent = Agent::new(1);
    assert_eq!(streamed(&say(&mut agent, text)), recorded[0], "before the answers");
    for (place, members) in answers.iter().enumerate() {
        let id = asked(&agent)[place].clone();
        let after = answer(&mut agent, &id, members);
        assert_eq!(streamed(&after), recorded[place + 1], "after answer {place}");
    }
    assert_eq!(recorded.len(), answers.len() + 1);
}

macro_rules! trace {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/traces/haystack/", $name, ".json"))
    };
}

const REJECT: &str = r#""action":"reject""#;
const CONFIRM: &str = r#""action":"confirm""#;

#[test]
fn a_refusal_is_streamed_as_recorded() {
    check_recorded(trace!("ws--reject"), "delete", &[r#""action":"reject","feedback":"no""#]);
}

#[test]
fn an_edit_is_streamed_as_recorded() {
    let edit = r#""action":"modify","feedback":"ten is enough","new_tool_params":{"to_account":"DE02","amount":10.0,"currency":"EUR"}"#;
    check_recorded(trace!("ws--modify-with-feedback"), "transfer", &[edit]);
}

#[test]
fn one_after_the_other_is_asked_and_streamed_as_recorded() {
    // The recorded host asks one by one, as this one does for this policy.
    let text = "askonce delete path=/a then delete path=/b";
    let trace = trace!("ws--identical-calls");
    check_recorded(trace, text, &[CONFIRM, REJECT]);
}

#[test]
fn a_request_is_answered_once_and_only_under_its_own_id() {
    let mut agent = Agent::new(1);
    say(&mut agent, "delete path=/a then delete path=/b");
    let ids = asked(&agent);
    for id in ["forged", "", "call_1"] {
        let refused = answer(&mut agent, id, CONFIRM);
        assert_eq!((refused.len(), &refused[0]["status"]), (1, &404.into()));
    }
    answer(&mut agent, &ids[0], REJECT);
    let refused = answer(&mut agent, &ids[0], CONFIRM);
    let expected = format!(
        r#"{{"type":"approval_error","id":"{}","status":409,"detail":"already decided: reject"}}"#,
        ids[0]
    );
    assert_eq!(refused, [json(&expected)]);
    let elsewhere = format!(r#"{{"type":"approval_response","id":"{}",{CONFIRM}}}"#, ids[1]);
    assert!(agent.send("other", &elsewhere, NOW).expect("taken").concat().contains("404"));
    assert_eq!(agent.executed(), []);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut agent = Agent::new(1);
    say(&mut agent, "transfer");
    let id = asked(&agent)[0].clone();
    let before = agent.clone();
    for (members, words) in [
        (r#""action":"cancel""#, "must be one of"),
        (r#""action":"Reject""#, "must be one of"),
        (r#""action":["reject"]"#, "must be one of"),
        (r#""feedback":"x""#, "must be one of"),
        (r#""action":"modify""#, "new_tool_params"),
        (r#""action":"modify","new_tool_params":{}"#, "new_tool_params"),
        (r#""action":"modify","new_tool_params":[1]"#, "new_tool_params"),
        (r#""action":"modify","new_tool_params":{"amount":5}"#, "required"),
        (
            r#""action":"modify","new_tool_params":{"to_account":"a","amount":"5","currency":"EUR","a/b~":1}"#,
            "/a~1b~0: unknown argument",
        ),
        (r#""action":"confirm","new_tool_params":{"amount":5}"#, "no effect"),
        (r#""action":"confirm","feedback":"thanks""#, "no effect"),
        (r#""action":"reject","feedback":1"#, "feedback is text"),
        (r#""action":"reject","action":"confirm""#, "action"),
        (r#""action":"confirm","args_digest":"0""#, "other arguments"),
    ] {
        let refused = answer(&mut agent, &id, members);
        assert_eq!((refused.len(), &refused[0]["status"]), (1, &422.into()), "{members}");
        assert!(refused[0]["detail"].to_string().contains(words), "{members} {}", refused[0]);
        assert_eq!(agent, before, "{members}");
    }
    assert_eq!(post(&mut agent, "{")[0]["status"], 422);
    assert_eq!(agent.send("c", "{}", NOW).map_err(|fault| fault.status()), Err(Some(422)));
    assert_eq!(agent, before);
}

#[test]
fn a_digest_of_the_shown_arguments_is_taken() {
    let mut agent = Agent::new(1);
    let events = say(&mut agent, "delete path=/a");
    let digest = countersign_json::sha256_hex(&events[1]["tool_params"].to_string());
    let id = asked(&agent)[0].clone();
    answer(&mut agent, &id, &format!(r#"{CONFIRM},"args_digest":"{digest}""#));
    assert_eq!(agent.executed().len(), 1);
}

#[test]
fn a_policy_that_never_asks_says_what_it_let_through() {
    let mut agent = Agent::new(1);
    let events = say(&mut agent, "neverask delete path=/a");
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(kinds, ["hello", "tool_execution_decision", "run_finished"]);
    assert_eq!(agent.executed().len(), 1);
}

#[test]
fn once_does_not_remember_refusals_and_edits() {
    let mut agent = Agent::new(1);
    say(&mut agent, "askonce delete path=/a then delete path=/a then delete path=/a");
    let edit = r#""action":"modify","new_tool_params":{"path":"/c"}"#;
    for (place, members) in [REJECT, edit, REJECT].iter().enumerate() {
        let id = asked(&agent)[place].clone();
        answer(&mut agent, &id, members);
    }
    let ran: Vec<&str> = agent.executed().iter().map(|call| call.args.as_str()).collect();
    assert_eq!(ran, [r#"{"path":"/c"}"#]);
}

#[test]
fn a_failed_model_ends_the_run() {
    let mut agent = Agent::new(1);
    let expected = r#"{"type":"run_failed","error":"RuntimeError: the scripted model failed"}"#;
    assert_eq!(say(&mut agent, "crash")[1], json(expected));
}

#[test]
fn a_stored_agent_goes_on_where_it_was() {
    let mut agent = Agent::new(1);
    say(&mut agent, "transfer amount=1.00");
    let stored = Agent::from_json(&agent.to_json()).expect("the agent's own text");
    assert_eq!(stored, agent);
    assert_eq!(stored.history("c"), agent.history("c"));
    assert_eq!((Agent::from_json("{}"), agent.history("other")), (None, None));
}
