//! What the agent promises: the shapes of the recorded wires, and the refusals of the example server.

use super::*;
use crate::systems::Agent as _;
use crate::systems::pair::NOW;
use crate::systems::recording::Shapes;

const WS: Wire = Wire::AdalflowWs;
const REST: Wire = Wire::AdalflowRest;
const ONCE: &str = r#""outcome":"proceed_once""#;

fn say(agent: &mut Agent, text: &str) -> Vec<String> {
    agent.send("c", &format!(r#"{{"text":"{text}"}}"#), NOW).expect("words are taken")
}

/// The answer to a request, on the way on which it came.
fn answer(agent: &Agent, id: &str, members: &str) -> String {
    if agent.wire == WS {
        return format!(r#"{{"type":"approval_response","id":"{id}",{members}}}"#);
    }
    format!(
        r#"{{"method":"POST","path":"/api/v1/approvals/{id}/approve","body":{{"request_id":"{id}",{members}}}}}"#
    )
}

fn decide(agent: &mut Agent, id: &str, members: &str) -> Vec<String> {
    let message = answer(agent, id, members);
    agent.send("c", &message, NOW).expect("the answer is taken")
}

/// The ids of everything that waits, oldest first.
fn waiting(agent: &Agent) -> Vec<String> {
    let runs = agent.clients.iter().flat_map(|client| &client.runs);
    runs.filter_map(|run| run.waiting.as_ref()).map(|waiting| waiting.call.id.clone()).collect()
}

fn ran(agent: &Agent) -> Vec<&str> {
    agent.executed.iter().map(|call| call.args.as_str()).collect()
}

const SHAPES: Shapes = Shapes {
    kept: &[
        "type",
        "name",
        "tool",
        "tool_name",
        "outcome",
        "reason",
        "system",
        "status",
        "message",
        "allowed_outcomes",
    ],
    own: |key, value| {
        // The planner's thoughts and how long a request waits may be absent.
        let is_any = ["thought", "timeout_s"].contains(&key) && !value.is_object() && !value.is_array();
        is_any.then(|| "any".to_owned())
    },
};

/// Whether the agent said all of this, message by message and in this order, and what else it said is of the planner.
fn check_recorded(trace: &str, sent: &[String]) {
    let is_planned = |text: &String| text.contains("raw_response_event");
    let (sent, recorded) = (SHAPES.of_texts(sent), SHAPES.recorded(trace).streams.concat());
    let has_plans = recorded.iter().any(is_planned);
    let sent: Vec<String> = sent.into_iter().filter(|text| has_plans || !is_planned(text)).collect();
    for (place, (ours, theirs)) in sent.iter().zip(&recorded).enumerate() {
        assert_eq!(ours, theirs, "message {place}");
    }
    assert_eq!(sent.len(), recorded.len(), "{sent:#?}");
}

#[test]
fn an_approval_is_streamed_as_the_example_backend_streams_it() {
    let trace = include_str!("../../../../../tests/traces/adalflow/ws--proceed-once.json");
    let mut agent = Agent::new(WS, 1);
    let mut sent = say(&mut agent, "delete path=/a");
    let [id] = waiting(&agent).try_into().expect("one request");
    sent.extend(decide(&mut agent, &id, ONCE));
    check_recorded(trace, &sent);
}

#[test]
fn a_time_out_is_told_as_the_example_backend_tells_it() {
    let trace = include_str!("../../../../../tests/traces/adalflow/ws--timeout.json");
    let mut agent = Agent::new(WS, 1);
    let mut sent = say(&mut agent, "delete path=/a timeout=1");
    let [id] = waiting(&agent).try_into().expect("one request");
    let late = Millis(NOW.0 + 1_000);
    let after = agent.send("c", &answer(&agent, &id, ONCE), late).expect("a socket takes everything");
    let (refusal, rest) = after.split_last().expect("messages");
    sent.extend(rest.iter().cloned());
    check_recorded(trace, &sent);
    assert!(refusal.contains(r#""status":409,"detail":"already decided: timeout""#), "{refusal}");
    assert_eq!(agent.executed(), []);
}

#[test]
fn a_denial_is_streamed_as_the_library_streams_it() {
    let trace = include_str!("../../../../../tests/traces/adalflow/stream--denied.json");
    let mut agent = Agent::new(REST, 1);
    say(&mut agent, "delete path=/a");
    let [id] = waiting(&agent).try_into().expect("one request");
    decide(&mut agent, &id, r#""outcome":"cancel""#);
    // The recording ends with the planner's last event.
    let (_, log) = agent.clients[0].log.split_last().expect("a log");
    check_recorded(trace, log);
    assert_eq!(agent.executed(), []);
}

#[test]
fn always_is_streamed_as_the_library_streams_it() {
    let trace = include_str!("../../../../../tests/traces/adalflow/stream--always-then-unasked.json");
    let mut agent = Agent::new(REST, 1);
    say(&mut agent, "delete path=/a delete path=/b");
    let [id] = waiting(&agent).try_into().expect("one request");
    decide(&mut agent, &id, r#""outcome":"proceed_always""#);
    let (_, log) = agent.clients[0].log.split_last().expect("a log");
    check_recorded(trace, log);
    assert_eq!(ran(&agent), [r#"{"path":"/a"}"#, r#"{"path":"/b"}"#]);
}

#[test]
fn the_librarys_handler_lists_and_accepts_as_recorded() {
    let trace = include_str!("../../../../../tests/traces/adalflow/shipped-rest--proceed-once.json");
    let mut agent = Agent::new(REST, 1);
    let list = say(&mut agent, "delete path=/a").pop().expect("a list");
    let [id] = waiting(&agent).try_into().expect("one request");
    let after = decide(&mut agent, &id, ONCE);
    let recorded = SHAPES.recorded(trace).streams.concat();
    let same = |text: &str| recorded.contains(&SHAPES.of_text(text));
    assert!(same(&list) && same(&after[0]) && same(&after[after.len() - 1]), "{recorded:#?}");
}

#[test]
fn always_is_the_whole_tool_for_this_client_alone() {
    for wire in [WS, REST] {
        let mut agent = Agent::new(wire, 1);
        say(&mut agent, "delete path=/a then email");
        let [id] = waiting(&agent).try_into().expect("one request");
        decide(&mut agent, &id, r#""outcome":"proceed_always""#);
        assert_eq!(waiting(&agent).len(), 1, "another tool is asked about");
        say(&mut agent, "delete path=/b");
        assert_eq!(ran(&agent), [r#"{"path":"/a"}"#, r#"{"path":"/b"}"#]);
        agent.send("other", r#"{"text":"delete path=/c"}"#, NOW).expect("words are taken");
        assert_eq!((ran(&agent).len(), waiting(&agent).len()), (2, 2));
    }
}

#[test]
fn a_request_is_answered_once_and_only_by_its_own_client() {
    let mut agent = Agent::new(WS, 1);
    say(&mut agent, "delete");
    let [id] = waiting(&agent).try_into().expect("one request");
    let stranger = agent.send("other", &answer(&agent, &id, ONCE), NOW).expect("messages");
    assert!(stranger.iter().any(|text| text.contains(r#""status":404,"detail":"no such approval""#)));
    decide(&mut agent, &id, r#""outcome":"cancel""#);
    let second = decide(&mut agent, &id, ONCE);
    assert_eq!(second.len(), 1);
    assert!(second[0].contains(r#""status":409,"detail":"already decided: cancel""#), "{second:?}");
    assert_eq!(agent.executed(), []);
}

#[test]
fn the_librarys_handler_answers_once_and_calls_every_answer_approved() {
    let mut agent = Agent::new(REST, 1);
    say(&mut agent, "delete");
    let [id] = waiting(&agent).try_into().expect("one request");
    decide(&mut agent, &id, r#""outcome":"cancel""#);
    let refused = |agent: &mut Agent, id: &str, members: &str| {
        let message = answer(agent, id, members);
        let fault = agent.send("c", &message, NOW).expect_err("it is refused");
        (fault.status(), fault.message)
    };
    let (status, sentence) = refused(&mut agent, &id, ONCE);
    assert_eq!((status, sentence.contains("(status: approved)")), (Some(400), true));
    assert_eq!(refused(&mut agent, "nobody", ONCE).0, Some(404));
    assert_eq!(agent.executed(), []);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut agent = Agent::new(WS, 1);
    say(&mut agent, "transfer");
    let [id] = waiting(&agent).try_into().expect("one request");
    let before = agent.clone();
    for (members, words) in [
        (r#""outcome":"approved""#, "outcome must be one of"),
        (r#""note":"x""#, "outcome must be one of"),
        (r#""outcome":"cancel","reason":"no""#, "`reason` has no effect on `cancel`"),
        (r#""outcome":"proceed_once","kwargs":{}"#, "`kwargs` has no effect on `proceed_once`"),
        (r#""outcome":"modify""#, "modify needs `kwargs`"),
        (r#""outcome":"modify","kwargs":[]"#, "an object"),
        (r#""outcome":"modify","kwargs":{"to_account":"DE","amount":"5","currency":"EUR"}"#, "/amount: "),
        (
            r#""outcome":"modify","kwargs":{"to_account":"DE","amount":5,"currency":"EUR","x":1}"#,
            "/x: unknown",
        ),
        (r#""outcome":"proceed_once","args_digest":"00""#, "other arguments"),
    ] {
        let told = decide(&mut agent, &id, members).concat();
        assert!(told.contains(r#""status":422"#) && told.contains(words), "{members}: {told}");
        assert_eq!(agent, before);
    }
    for text in ["{", r#"{"type":"x"}"#, r#"{"text":"a","text":"b"}"#] {
        assert_eq!(agent.send("c", text, NOW).map_err(|it| it.status()), Err(Some(422)), "{text}");
    }
    assert_eq!(agent, before);
}

#[test]
fn a_question_is_answered_in_words_or_not_at_all() {
    let mut agent = Agent::new(REST, 1);
    say(&mut agent, "ask");
    let [id] = waiting(&agent).try_into().expect("one request");
    let before = agent.clone();
    for members in [ONCE, r#""outcome":"proceed_always""#, r#""outcome":"proceed_once","response_data":"""#] {
        let message = answer(&agent, &id, members);
        assert_eq!(agent.send("c", &message, NOW).map_err(|it| it.status()), Err(Some(422)), "{members}");
        assert_eq!(agent, before);
    }
    let after = decide(&mut agent, &id, r#""outcome":"proceed_once","response_data":"SQLite""#).concat();
    assert!(
        after.contains(r#""user_response":"SQLite""#) && after.contains("The person says: SQLite"),
        "{after}"
    );
}

#[test]
fn an_edit_runs_as_it_is_written() {
    let mut agent = Agent::new(WS, 1);
    say(&mut agent, "transfer reference=2512292042121000001");
    let [id] = waiting(&agent).try_into().expect("one request");
    let edited =
        r#"{"to_account":"DE00-1234","amount":7.50,"currency":"EUR","reference":2512292042121000001}"#;
    let after = decide(&mut agent, &id, &format!(r#""outcome":"modify","kwargs":{edited}"#));
    assert_eq!(ran(&agent), [edited]);
    let of = |name: &str| after.iter().find(|text| text.contains(name)).expect("the event").contains("7.50");
    assert!(of("agent.tool_call_start") && of("Transferred 7.50"));
}

#[test]
fn a_stored_agent_goes_on_where_it_was() {
    let mut agent = Agent::new(REST, 1);
    say(&mut agent, "transfer amount=1.00");
    let stored = Agent::from_json(&agent.to_json()).expect("the agent's own text");
    assert_eq!(stored, agent);
    assert_eq!(stored.history("c"), agent.history("c"));
    assert_eq!((Agent::from_json("{}"), agent.history("other")), (None, None));
}

#[test]
fn a_failed_model_ends_its_run_and_says_why() {
    let last = say(&mut Agent::new(WS, 1), "crash").pop();
    assert_eq!(
        last.as_deref(),
        Some(r#"{"type":"run_failed","error":"Connection error: the scripted model failed"}"#)
    );
}
