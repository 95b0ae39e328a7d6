//! What the agent promises: the shapes of the recorded wire, and the refusals of the example server.

use serde_json::Value;

use super::*;
use crate::systems::Agent as _;
use crate::systems::pair::NOW;
use crate::systems::recording::Shapes;

const PLAIN: Wire = Wire::AdkPlain;
const DEEP: Wire = Wire::AdkDeepagents;

fn say(agent: &mut Agent, text: &str) -> Vec<String> {
    let message = format!(r#"{{"role":"user","parts":[{{"text":"{text}"}}]}}"#);
    agent.send("s", &message, NOW).expect("words are taken")
}

/// The message that gives these answers.
fn answers(given: &[(&str, &str)]) -> String {
    let parts = given.iter().map(|(id, response)| {
        format!(
            r#"{{"functionResponse":{{"id":"{id}","name":"adk_request_confirmation","response":{response}}}}}"#
        )
    });
    format!(r#"{{"role":"user","parts":[{}]}}"#, parts.collect::<Vec<_>>().join(","))
}

/// The ids of everything that waits, oldest first.
fn waiting(agent: &Agent) -> Vec<String> {
    let pauses = agent.sessions.iter().flat_map(|session| &session.pauses);
    pauses.flat_map(|pause| &pause.pending).map(|pending| pending.request.clone()).collect()
}

const SHAPES: Shapes =
    Shapes { kept: &["role", "name", "tool", "error", "hint", "status", "message"], own: own_shape };

fn own_shape(key: &str, value: &Value) -> Option<String> {
    let members = value.as_object()?;
    match key {
        // One member for each call, named by its id.
        "requestedToolConfirmations" => {
            let mut asked: Vec<String> = members.values().map(|it| SHAPES.of("", it)).collect();
            asked.sort();
            Some(asked.join("+"))
        }
        // What a tool answers is its own.
        "response" if members.contains_key("deleted") || members.contains_key("transferred") => {
            Some("outcome".to_owned())
        }
        _ => None,
    }
}

/// The agent says the same as the recording, before and after the answer, and afterwards knows the same.
fn check_recorded(wire: Wire, trace: &str, text: &str, given: &[&str]) {
    let recorded = SHAPES.recorded(trace);
    let mut agent = Agent::new(wire, 1);
    assert_eq!(SHAPES.of_texts(&say(&mut agent, text)), recorded.streams[0], "before the answer");
    let ids = waiting(&agent);
    let given: Vec<(&str, &str)> = ids.iter().map(String::as_str).zip(given.iter().copied()).collect();
    let after = agent.send("s", &answers(&given), NOW).expect("the answer fits");
    assert_eq!(SHAPES.of_texts(&after), recorded.streams[1], "after the answer");
    assert_eq!(SHAPES.of_text(&agent.history("s").expect("a session")), SHAPES.of("", &recorded.history));
}

const YES: &str = r#"{"confirmed":true}"#;
const NO: &str = r#"{"confirmed":false}"#;
const BATCH: &str = "delete path=/srv/d and email to=carol@example.com and transfer amount=500.0";

#[test]
fn a_batch_is_streamed_and_kept_as_google_adk_does_it() {
    let trace = include_str!("../../../../../tests/traces/adk/adk-plain--batch-mixed.json");
    check_recorded(PLAIN, trace, BATCH, &[YES, NO, YES]);
}

#[test]
fn a_batch_is_streamed_and_kept_as_adk_deepagents_does_it() {
    let trace = include_str!("../../../../../tests/traces/adk/adk-deepagents--batch-mixed.json");
    check_recorded(DEEP, trace, BATCH, &[YES, NO, YES]);
}

#[test]
fn typed_text_beside_a_pause_is_noted_as_adk_deepagents_does_it() {
    let trace = include_str!("../../../../../tests/traces/adk/adk-deepagents--typed-text-keeps-pause.json");
    let recorded = SHAPES.recorded(trace);
    let mut agent = Agent::new(DEEP, 1);
    let mut before = say(&mut agent, "delete path=/srv/w");
    before.extend(say(&mut agent, "wait, hello?"));
    assert_eq!(SHAPES.of_texts(&before), recorded.streams[0]);
    let [request] = waiting(&agent).try_into().expect("one request");
    let after = agent.send("s", &answers(&[(&request, YES)]), NOW).expect("the answer fits");
    assert_eq!(SHAPES.of_texts(&after), recorded.streams[1]);
    assert_eq!(SHAPES.of_text(&agent.history("s").expect("a session")), SHAPES.of("", &recorded.history));
}

#[test]
fn a_request_is_answered_once_and_only_under_its_own_id() {
    for wire in [PLAIN, DEEP] {
        let mut agent = Agent::new(wire, 1);
        say(&mut agent, "delete");
        let [request] = waiting(&agent).try_into().expect("one request");
        let call = agent.sessions[0].pauses[0].pending[0].call.id.clone();
        for id in ["forged", &call] {
            let fault = agent.send("s", &answers(&[(id, YES)]), NOW).expect_err("nothing waits under it");
            assert_eq!(fault.status(), Some(409));
        }
        agent.send("s", &answers(&[(&request, NO)]), NOW).expect("the answer fits");
        let fault = agent.send("s", &answers(&[(&request, YES)]), NOW).expect_err("it was answered");
        assert!(fault.message.contains("does not wait"), "{}", fault.message);
        assert_eq!(agent.executed(), []);
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let edit = r#"{"confirmed":true,"payload":{"modified_args":{"path":"/b"}}}"#;
    let mut agent = Agent::new(PLAIN, 1);
    say(&mut agent, "delete then delete");
    let ids = waiting(&agent);
    let (one, two) = (ids[0].as_str(), ids[1].as_str());
    let outcome = answers(&[(one, YES)]).replace("adk_request_confirmation", "delete_file");
    let before = agent.clone();
    for (message, status) in [
        (answers(&[(one, YES)]), 422),
        (answers(&[(one, YES), (one, NO)]), 422),
        (answers(&[(one, YES), (two, edit)]), 422),
        (answers(&[(one, YES), (two, "{}")]), 422),
        (answers(&[(one, YES), (two, YES), ("forged", YES)]), 409),
        (outcome, 422),
        (r#"{"role":"user","parts":[]}"#.to_owned(), 422),
        ("{".to_owned(), 400),
    ] {
        assert_eq!(agent.send("s", &message, NOW).map_err(|it| it.status()), Err(Some(status)), "{message}");
        assert_eq!(agent, before);
    }
    let elsewhere = agent.send("other", &answers(&[(one, YES), (two, YES)]), NOW);
    assert_eq!(elsewhere.map_err(|it| it.status()), Err(Some(404)));
}

#[test]
fn a_failed_model_is_an_error_in_place_of_an_event() {
    let mut agent = Agent::new(PLAIN, 1);
    assert_eq!(say(&mut agent, "crash"), [r#"{"error":"scripted model failure"}"#]);
}

#[test]
fn the_agent_that_took_over_stays_in_charge() {
    let mut agent = Agent::new(PLAIN, 1);
    let stream = say(&mut agent, "delegate: delete path=/srv/x").concat();
    assert!(stream.contains(r#""transferToAgent":"k8s_agent""#), "{stream}");
    assert!(say(&mut agent, "hello")[0].contains(r#""author":"k8s_agent""#));
}

#[test]
fn a_stored_agent_goes_on_where_it_was() {
    let mut agent = Agent::new(DEEP, 1);
    say(&mut agent, "transfer amount=1.00");
    let stored = Agent::from_json(&agent.to_json()).expect("the agent's own text");
    assert_eq!(stored, agent);
    assert_eq!(stored.history("s"), agent.history("s"));
    assert_eq!((Agent::from_json("{}"), agent.history("other")), (None, None));
}
