//! What the agent promises: the shapes of the recorded wire, and the traps of the real one.

use super::task::State;
use super::*;
use crate::systems::Agent as _;
use crate::systems::pair::NOW;
use crate::systems::recording::{Shapes, json};

const V010: Wire = Wire::Kagent010;
const V1: Wire = Wire::KagentHitlV1;

fn message(wire: Wire, task: Option<&str>, text: &str) -> String {
    let task = task.map(|id| format!(r#","taskId":"{id}""#)).unwrap_or_default();
    match wire {
        Wire::Kagent010 => format!(
            r#"{{"kind":"message","messageId":"m","role":"user","contextId":"ctx","parts":[{{"kind":"text","text":"{text}"}}],"metadata":{{"timestamp":1}}{task}}}"#
        ),
        _ => format!(
            r#"{{"messageId":"m","role":"ROLE_USER","contextId":"ctx","parts":[{{"text":"{text}"}}]{task}}}"#
        ),
    }
}

/// An answer in the decision form of kagent 0.10.
fn decision(task: &str, data: &str) -> String {
    format!(
        r#"{{"kind":"message","messageId":"d","role":"user","contextId":"ctx","taskId":"{task}","metadata":{{"timestamp":1}},"parts":[{{"kind":"data","data":{data},"metadata":{{}}}},{{"kind":"text","text":"Decided"}}]}}"#
    )
}

/// An answer in the extension.
fn extension(task: &str, payload: &str) -> String {
    format!(
        r#"{{"messageId":"d","role":"ROLE_USER","contextId":"ctx","taskId":"{task}","parts":[{{"text":"Decided"}}],"extensions":["{HITL}"],"metadata":{{"{HITL}":{payload},"timestamp":1}}}}"#
    )
}

/// The waiting task, with the ids of its requests and of its calls.
fn waiting(agent: &Agent) -> (String, Vec<String>, Vec<String>) {
    let task = agent.tasks.last().expect("a task");
    let pause = task.pause.as_ref().expect("a pause");
    let requests = pause.pending.iter().map(|it| it.request.clone()).collect();
    let calls = pause.pending.iter().map(|it| it.call.id.clone()).collect();
    (task.id.clone(), requests, calls)
}

fn tools(agent: &Agent) -> Vec<&str> {
    agent.executed().iter().map(|it| it.tool.as_str()).collect()
}

const SHAPES: Shapes = Shapes {
    kept: &["kind", "role", "state", "name", "type", "jsonrpc", "adk_type", "kagent_type", "tool"],
    own: |key, value| {
        // One member for each call, named by its id.
        let members = value.as_object().filter(|_| key == "requestedToolConfirmations")?;
        Some(format!("{{{} calls}}", members.len()))
    },
};

/// The agent says the same as the recording, before and after the answer.
fn check_recorded(wire: Wire, trace: &str, text: &str, answer: impl Fn(&Agent) -> String) {
    let recorded = SHAPES.recorded(trace).streams;
    let mut agent = Agent::new(wire, 1);
    for (place, (ours, theirs)) in
        SHAPES.of_texts(&agent.send(&message(wire, None, text), NOW)).iter().zip(&recorded[0]).enumerate()
    {
        assert_eq!(ours, theirs, "event {place} before the answer");
    }
    let answer = answer(&agent);
    let after = SHAPES.of_texts(&agent.send(&answer, NOW));
    for (place, (ours, theirs)) in after.iter().zip(&recorded[1]).enumerate() {
        assert_eq!(ours, theirs, "event {place} after the answer");
    }
    assert_eq!(after.len(), recorded[1].len());
}

const BATCH: &str = "delete path=/srv/d and email to=carol@example.com and transfer amount=5";

#[test]
fn a_batch_is_streamed_as_kagent_0_10_streams_it() {
    let trace = include_str!("../../../../../tests/traces/a2a/kagent-0.10--batch-mixed.json");
    check_recorded(V010, trace, BATCH, |agent| {
        let (task, _, calls) = waiting(agent);
        let data = format!(
            r#"{{"decision_type":"batch","decisions":{{"{}":"approve","{}":"reject","{}":"approve"}},"rejection_reasons":{{"{}":"no"}}}}"#,
            calls[0], calls[1], calls[2], calls[1]
        );
        decision(&task, &data)
    });
}

#[test]
fn a_batch_is_streamed_as_hitl_v1_streams_it() {
    let trace = include_str!("../../../../../tests/traces/a2a/kagent-hitl-v1--batch-mixed.json");
    check_recorded(V1, trace, BATCH, |agent| {
        let (task, requests, _) = waiting(agent);
        let payload = format!(
            r#"{{"type":"tool_approval_response","approvals":[{{"id":"{}","approved":true}},{{"id":"{}","approved":false,"rejection_reason":"no"}},{{"id":"{}","approved":true}}]}}"#,
            requests[0], requests[1], requests[2]
        );
        extension(&task, &payload)
    });
}

#[test]
fn questions_are_streamed_as_kagent_0_10_streams_them() {
    let trace = include_str!("../../../../../tests/traces/a2a/kagent-0.10--ask-user.json");
    check_recorded(V010, trace, "ask me", |agent| {
        let answers = r#"[{"answer":["PostgreSQL"]},{"answer":["Auth"]},{"answer":["no"]}]"#;
        decision(&waiting(agent).0, &format!(r#"{{"decision_type":"approve","ask_user_answers":{answers}}}"#))
    });
}

/// An answer to the questions in the extension.
fn replies(agent: &Agent) -> String {
    let (task, requests, _) = waiting(agent);
    let answers = r#"[{"answer":["PostgreSQL"]},{"answer":["Auth"]},{"answer":["no"]}]"#;
    extension(&task, &format!(r#"{{"type":"ask_user_response","id":"{}","answers":{answers}}}"#, requests[0]))
}

#[test]
fn questions_are_streamed_as_hitl_v1_streams_them() {
    let trace = include_str!("../../../../../tests/traces/a2a/kagent-hitl-v1--ask-user.json");
    check_recorded(V1, trace, "ask me", replies);
}

#[test]
fn the_questions_of_another_agent_are_streamed_as_recorded() {
    let trace = include_str!("../../../../../tests/traces/a2a/kagent-0.10--nested-ask-user.json");
    check_recorded(V010, trace, "delegate: ask me", |agent| {
        let answers = r#"[{"answer":["PostgreSQL"]},{"answer":["Auth"]},{"answer":["no"]}]"#;
        decision(&waiting(agent).0, &format!(r#"{{"decision_type":"approve","ask_user_answers":{answers}}}"#))
    });
    let trace = include_str!("../../../../../tests/traces/a2a/kagent-hitl-v1--nested-ask-user.json");
    check_recorded(V1, trace, "delegate: ask me", replies);
}

#[test]
fn what_is_left_out_of_a_batch_runs_on_kagent_0_10() {
    let mut agent = Agent::new(V010, 1);
    agent.send(&message(V010, None, "delete and transfer"), NOW);
    let (task, _, calls) = waiting(&agent);
    let data = format!(r#"{{"decision_type":"batch","decisions":{{"{}":"reject"}}}}"#, calls[0]);
    agent.send(&decision(&task, &data), NOW);
    assert_eq!(tools(&agent), ["transfer_funds"]);
}

#[test]
fn what_is_left_out_of_an_answer_fails_the_task_on_hitl_v1() {
    let mut agent = Agent::new(V1, 1);
    agent.send(&message(V1, None, "delete and transfer"), NOW);
    let (task, requests, _) = waiting(&agent);
    let payload = format!(
        r#"{{"type":"tool_approval_response","approvals":[{{"id":"{}","approved":true}}]}}"#,
        requests[0]
    );
    let results = agent.send(&extension(&task, &payload), NOW);
    assert_eq!(tools(&agent), Vec::<&str>::new());
    assert_eq!(results.len(), 1);
    assert!(results[0].contains("TASK_STATE_FAILED") && results[0].contains(&requests[1]), "{}", results[0]);
}

#[test]
fn a_task_that_has_ended_refuses_a_second_answer() {
    let mut agent = Agent::new(V010, 1);
    agent.send(&message(V010, None, "delete"), NOW);
    let (task, ..) = waiting(&agent);
    let approve = decision(&task, r#"{"decision_type":"approve"}"#);
    agent.send(&approve, NOW);
    let second = agent.send(&approve, NOW);
    assert_eq!(json(&second[0])["error"]["code"], -32602);
    assert_eq!((second.len(), tools(&agent)), (1, vec!["delete_file"]));
}

#[test]
fn an_answer_without_a_task_runs_in_a_new_one_or_is_an_error() {
    let mut old = Agent::new(V010, 1);
    old.send(&message(V010, None, "delete"), NOW);
    let (task, ..) = waiting(&old);
    let approve =
        decision(&task, r#"{"decision_type":"approve"}"#).replace(&format!(r#","taskId":"{task}""#), "");
    old.send(&approve, NOW);
    assert_eq!((tools(&old), old.tasks.len()), (vec!["delete_file"], 2));
    assert_eq!(old.tasks[0].state, State::InputRequired);

    let mut new = Agent::new(V1, 1);
    new.send(&message(V1, None, "ask"), NOW);
    let (task, ..) = waiting(&new);
    let stray = replies(&new).replace(&format!(r#","taskId":"{task}""#), "");
    assert_eq!(json(&new.send(&stray, NOW)[0])["error"]["code"], -32006);
}

#[test]
fn typed_text_ends_the_pause() {
    let mut old = Agent::new(V010, 1);
    old.send(&message(V010, None, "delete"), NOW);
    let (task, ..) = waiting(&old);
    old.send(&message(V010, Some(&task), "wait"), NOW);
    assert_eq!((old.tasks[0].state, &old.tasks[0].pause), (State::Completed, &None));

    let mut new = Agent::new(V1, 1);
    new.send(&message(V1, None, "ask"), NOW);
    let late = replies(&new);
    let (task, ..) = waiting(&new);
    new.send(&message(V1, Some(&task), "wait"), NOW);
    assert_eq!((new.tasks[0].state, &new.tasks[0].pause), (State::InputRequired, &None));
    assert!(new.send(&late, NOW)[0].contains("has no HITL request"));
}

#[test]
fn steps_wait_for_one_another_in_one_task() {
    let mut agent = Agent::new(V010, 1);
    agent.send(&message(V010, None, "read, delete, then ask"), NOW);
    assert_eq!(tools(&agent), ["read_file"]);
    let (task, ..) = waiting(&agent);
    agent.send(&decision(&task, r#"{"decision_type":"approve"}"#), NOW);
    assert!(agent.tasks[0].pause.as_ref().is_some_and(|pause| pause.asks));
    assert_eq!((tools(&agent), agent.tasks.len()), (vec!["read_file", "delete_file"], 1));
}

#[test]
fn what_runs_is_the_exact_text_of_the_call() {
    for wire in [V010, V1] {
        let mut agent = Agent::new(wire, 1);
        let text = "transfer amount=1250.00 reference=2512292042121000001";
        let stream = agent.send(&message(wire, None, text), NOW).join("");
        let args =
            r#"{"to_account":"DE00-1234","amount":1250.00,"currency":"EUR","reference":2512292042121000001}"#;
        assert!(stream.contains(args));
        let (task, requests, _) = waiting(&agent);
        let answer = match wire {
            Wire::Kagent010 => decision(&task, r#"{"decision_type":"approve"}"#),
            _ => extension(
                &task,
                &format!(
                    r#"{{"type":"tool_approval_response","approvals":[{{"id":"{}","approved":true}}]}}"#,
                    requests[0]
                ),
            ),
        };
        agent.send(&answer, NOW);
        assert_eq!(agent.executed()[0].args, args);
    }
}

#[test]
fn a_stored_agent_goes_on_where_it_was() {
    let mut agent = Agent::new(V1, 1);
    agent.send(&message(V1, None, "transfer amount=1.00"), NOW);
    let stored = Agent::from_json(&agent.to_json()).expect("the agent's own text");
    assert_eq!(stored, agent);
    assert_eq!(stored.tasks("ctx"), agent.tasks("ctx"));
    assert_eq!(Agent::from_json("{}"), None);
}

#[test]
fn tasks_are_listed_as_each_system_lists_them() {
    for (wire, first) in [(V010, "hello"), (V1, "again")] {
        let mut agent = Agent::new(wire, 1);
        agent.send(&message(wire, None, "hello"), NOW);
        agent.send(&message(wire, None, "again"), NOW);
        let list = json(&agent.tasks("ctx"));
        let tasks = list.get("data").or_else(|| list.pointer("/result/tasks")).expect("tasks");
        assert!(tasks[0].to_string().contains(first));
        assert_eq!(
            json(&agent.tasks("other")).get("data").map_or(0, |data| data.as_array().unwrap().len()),
            0
        );
    }
}
