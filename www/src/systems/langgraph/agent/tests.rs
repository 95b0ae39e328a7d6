//! What the agent promises: the shapes of the recorded wire, and the refusals of the example server.

use serde_json::Value;

use super::*;
use crate::systems::Agent as _;
use crate::systems::pair::NOW;
use crate::systems::recording::{Recorded, Shapes, json};

const HITL: Wire = Wire::LangGraphHitl;
const HUMAN: Wire = Wire::LangGraphInterrupt;
const PER_CALL: Wire = Wire::LangGraphPerCall;

fn say(agent: &mut Agent, text: &str) -> Vec<String> {
    let message = format!(r#"{{"messages":[{{"role":"user","content":"{text}"}}]}}"#);
    agent.send("t", &message, NOW).expect("words are taken")
}

/// The command that gives these answers, by interrupt.
fn command(answers: &[(&str, &str)]) -> String {
    let answers = answers.iter().map(|(id, answer)| format!(r#""{id}":{answer}"#));
    format!(r#"{{"resume":{{{}}}}}"#, answers.collect::<Vec<_>>().join(","))
}

/// The ids of everything that waits, in order.
fn waiting(agent: &Agent) -> Vec<String> {
    agent.threads.iter().flat_map(Thread::waiting).map(|asked| asked.id.clone()).collect()
}

const SHAPES: Shapes = Shapes {
    kept: &["type", "status", "path", "next", "allowed_decisions", "role", "checkpoint_ns"],
    own: |key, value| match (key, value) {
        // What belongs to the tools, and what the real server tells of itself.
        ("args" | "metadata" | "description" | "$defs", _) => Some(key.to_owned()),
        ("event", Value::String(text)) => Some(text.split(':').next().unwrap_or_default().to_owned()),
        ("path", Value::Number(number)) => Some(number.to_string()),
        _ => None,
    },
};

/// Makes an answer to the interrupts with these ids.
type Answering<'a> = &'a dyn Fn(&[String]) -> String;

/// The agent says the same as the recording, before and after each answer, and afterwards knows the same.
fn check_recorded(wire: Wire, trace: &str, text: &str, answers: &[Answering<'_>]) {
    let Recorded { streams, history } = SHAPES.recorded(trace);
    let mut agent = Agent::new(wire, 1);
    assert_eq!(SHAPES.of_texts(&say(&mut agent, text)), streams[0], "before any answer");
    for (place, answer) in answers.iter().enumerate() {
        let answer = answer(&waiting(&agent));
        let mut after = agent.send("t", &answer, NOW).expect("the answer fits");
        let state = after.pop().expect("the state behind the stream");
        assert!(state.starts_with(r#"{"values":"#), "{state}");
        assert_eq!(SHAPES.of_texts(&after), streams[place + 1], "after answer {place}");
    }
    assert_eq!(streams.len(), answers.len() + 1);
    let states = |history: &Value| -> Vec<String> {
        history.as_array().expect("a history").iter().map(|state| SHAPES.of("", state)).collect()
    };
    assert_eq!(states(&json(&agent.history("t").expect("a thread"))), states(&history));
}

const APPROVE: &str = r#"{"type":"approve"}"#;
const ACCEPT: &str = r#"[{"type":"accept","args":null}]"#;
const TWICE: &str = "delete path=/srv/a then delete path=/srv/a";
const MIXED: &str = r#"{"decisions":[{"type":"approve"},{"type":"reject","message":"once is enough"}]}"#;

#[test]
fn a_batch_is_streamed_and_kept_as_the_middleware_does_it() {
    let trace = include_str!("../../../../../tests/traces/langgraph/hitl-python--batch-same-call-twice.json");
    check_recorded(HITL, trace, TWICE, &[&|ids| command(&[(&ids[0], MIXED)])]);
}

#[test]
fn interrupts_of_tools_are_streamed_and_kept_as_recorded() {
    let trace =
        include_str!("../../../../../tests/traces/langgraph/human-interrupt--two-parallel-accept-all.json");
    check_recorded(
        HUMAN,
        trace,
        "email then transfer",
        &[&|ids| command(&[(&ids[0], ACCEPT), (&ids[1], ACCEPT)])],
    );
}

#[test]
fn interrupts_of_single_calls_are_streamed_and_kept_as_recorded() {
    let trace = include_str!("../../../../../tests/traces/langgraph/per-call--same-call-twice-reverse.json");
    let reject = r#"{"type":"reject","message":"once is enough"}"#;
    check_recorded(
        PER_CALL,
        trace,
        TWICE,
        &[&|ids| command(&[(&ids[1], reject)]), &|ids| command(&[(&ids[0], APPROVE)])],
    );
}

#[test]
fn an_agent_inside_a_tool_is_streamed_and_kept_as_recorded() {
    let trace = include_str!("../../../../../tests/traces/langgraph/hitl-python--subagent-namespaced.json");
    let words = "delegate delete and email";
    check_recorded(HITL, trace, words, &[&|ids| command(&[(&ids[0], MIXED)])]);
}

#[test]
fn an_interrupt_is_answered_once_and_only_under_its_own_id() {
    for (wire, answer) in
        [(HITL, r#"{"decisions":[{"type":"approve"}]}"#), (HUMAN, ACCEPT), (PER_CALL, APPROVE)]
    {
        let mut agent = Agent::new(wire, 1);
        say(&mut agent, "delete");
        let [id] = waiting(&agent).try_into().expect("one interrupt");
        let status = |agent: &mut Agent, thread: &str, id: &str| {
            agent.send(thread, &command(&[(id, answer)]), NOW).map_err(|fault| fault.status())
        };
        assert_eq!(status(&mut agent, "t", &"0".repeat(32)), Err(Some(409)));
        assert_eq!(status(&mut agent, "other", &id), Err(Some(404)));
        assert!(status(&mut agent, "t", &id).is_ok());
        assert_eq!(status(&mut agent, "t", &id), Err(Some(409)));
        assert_eq!(agent.executed().len(), 1);
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let edit = |tool: &str, args: &str| {
        format!(
            r#"{{"decisions":[{{"type":"approve"}},{{"type":"edit","edited_action":{{"name":"{tool}","args":{args}}}}}]}}"#
        )
    };
    let check = |wire: Wire, text: &str, answers: &[&str]| {
        let mut agent = Agent::new(wire, 1);
        say(&mut agent, text);
        let before = agent.clone();
        for answer in answers {
            let message = command(&[(&waiting(&agent)[0], answer)]);
            let refused = agent.send("t", &message, NOW).map_err(|fault| fault.status());
            assert_eq!((refused, &agent), (Err(Some(422)), &before), "{answer}");
        }
        for (message, status) in [(r#"{"resume":"yes"}"#, 422), (r#"{"messages":[]}"#, 422), ("{", 400)] {
            let refused = agent.send("t", message, NOW).map_err(|fault| fault.status());
            assert_eq!((refused, &agent), (Err(Some(status)), &before), "{message}");
        }
    };
    let batch = [
        APPROVE.to_owned(),
        r#"{"decisions":[{"type":"approve"}]}"#.to_owned(),
        r#"{"decisions":[{"type":"respond","message":"x"},{"type":"approve"}]}"#.to_owned(),
        r#"{"decisions":[{"type":"approve","args":{}},{"type":"approve"}]}"#.to_owned(),
        edit("transfer_funds", "[]"),
        edit("delete_file", "{}"),
    ];
    check(HITL, "delete then transfer", &batch.each_ref().map(String::as_str));
    let edit = r#"[{"type":"edit","args":{"action":"delete_file","args":{"path":"/b"}}}]"#;
    check(
        HUMAN,
        "delete",
        &[APPROVE, "[]", r#"[{"type":"accept"}]"#, r#"[{"type":"accept","args":{}}]"#, edit],
    );
    check(
        PER_CALL,
        "delete",
        &[ACCEPT, r#"{"type":"edit","edited_action":{}}"#, r#"{"type":"respond","message":"x"}"#],
    );
}

#[test]
fn a_failed_model_is_an_error_in_the_stream() {
    let mut agent = Agent::new(HITL, 1);
    let stream = say(&mut agent, "crash");
    let error = stream.last().expect("an event");
    assert_eq!(countersign_connect::LangGraph::error_of(error).as_deref(), Some("the scripted model failed"));
    assert!(agent.history("t").expect("a thread").contains(r#""error":"RuntimeError("#));
}

#[test]
fn new_words_leave_a_pause_behind() {
    let mut agent = Agent::new(HITL, 1);
    say(&mut agent, "delete");
    assert_eq!(waiting(&agent).len(), 1);
    say(&mut agent, "hello");
    assert_eq!(waiting(&agent).len(), 0);
}

#[test]
fn a_stored_agent_goes_on_where_it_was() {
    let mut agent = Agent::new(HITL, 1);
    say(&mut agent, "delegate transfer amount=1.00");
    let stored = Agent::from_json(&agent.to_json()).expect("the agent's own text");
    assert_eq!(stored, agent);
    assert_eq!(stored.history("t"), agent.history("t"));
    assert_eq!((Agent::from_json("{}"), agent.history("other")), (None, None));
}
