//! A stream, and a session that is read beside it and may be ahead of it.

use std::collections::BTreeMap;

use countersign_core::{RequestView, Status};
use countersign_json::Value;
use countersign_tests::damage::Random;
use countersign_tests::trace::{folder, steps, with_trace};

use super::{empty, receive, restore};

/// The conversation of a trace: what streamed in each run, and the session at the end.
struct Told {
    runs: Vec<Vec<String>>,
    /// The events of the session, in order.
    stored: Vec<String>,
    /// How much of the session was there once an event had streamed, by the event's text.
    reached: BTreeMap<String, usize>,
    /// How much of it there is when a run begins, and when it rests.
    rests: Vec<usize>,
}

impl Told {
    fn of(trace: Value<'_>) -> Told {
        let id = |event: Value<'_>| event.get("id").map(|id| id.text().to_owned());
        let session =
            steps(trace).into_iter().find_map(|step| step.get("restore")).expect("it has a session");
        let stored: Vec<Value<'_>> = session.get("events").expect("it has events").items().collect();
        let mut told = Told {
            runs: vec![Vec::new()],
            stored: stored.iter().map(|event| event.text().to_owned()).collect(),
            reached: BTreeMap::new(),
            rests: vec![1],
        };
        let mut there = 1;
        for step in steps(trace) {
            let event = step.get("receive").filter(|event| event.get("invocationId").is_some());
            if let (Some(_), false) = (step.get("delivered"), event.is_some()) {
                told.rests.push(there);
                told.runs.push(Vec::new());
            }
            let Some(event) = event else { continue };
            let is_piece = event.get("partial").and_then(Value::as_bool) == Some(true);
            if let Some(at) = stored.iter().position(|known| !is_piece && id(*known) == id(event)) {
                there = at + 1;
            }
            told.reached.insert(event.text().to_owned(), there);
            told.runs.last_mut().expect("there is one").push(event.text().to_owned());
        }
        told.rests.push(there);
        told
    }

    fn session(&self, len: usize) -> String {
        format!(r#"{{"id":"s","appName":"a","userId":"u","events":[{}]}}"#, self.stored[..len].join(","))
    }
}

fn seen(views: &[RequestView]) -> Vec<String> {
    let one = |view: &RequestView| {
        let (call, request) = (view.call.as_ref(), view.request.as_ref());
        format!("{call:?} {request:?} {} {} {:?}", view.tool, view.args_text, view.status)
    };
    let mut all: Vec<String> = views.iter().map(one).collect();
    all.sort();
    all
}

/// However far a session is ahead of the stream when it is read, and wherever the stream breaks off: a call whose whole was read
/// is one card, and no piece of it is left that seems to arrive for ever.
#[test]
fn r39_no_call_is_left_arriving_where_the_session_was_ahead_of_its_pieces() {
    let mut overtaken = 0;
    for name in ["streamed-turns-1.39", "streamed-turns-2.13"] {
        let path = folder().join(format!("adk/written/{name}.json"));
        let told = with_trace(&path, Told::of);
        let mut random = Random(13);
        for round in 0..250 {
            let mut inbox = empty(None, "adk");
            let mut log = Vec::new();
            let mut known = told.rests[0];
            restore(&mut inbox, &told.session(known));
            for (number, run) in told.runs.iter().enumerate() {
                let rest = told.rests[number + 1];
                let cut = if random.below(4) == 0 { random.below(run.len()) } else { run.len() };
                for event in &run[..cut] {
                    if random.below(3) == 0 {
                        // The server is as far as the stream, or further.
                        known = known.max(told.reached[event]);
                        known += random.below(rest + 1 - known);
                        log.push(format!("session {known}"));
                        receive(&mut inbox, &told.session(known));
                        overtaken += usize::from(known > told.reached[event]);
                    }
                    log.push(event.chars().take(150).collect());
                    receive(&mut inbox, event);
                    known = known.max(told.reached[event]);
                }
                known = rest;
                log.push(format!("session {known}"));
                receive(&mut inbox, &told.session(known));
                let mut rebuilt = empty(None, "adk");
                restore(&mut rebuilt, &told.session(known));
                let live = inbox.views();
                assert!(
                    live.iter().all(|view| view.status != Status::Streaming),
                    "{name}, round {round}: {log:#?}"
                );
                assert_eq!(seen(&live), seen(&rebuilt.views()), "{name}, round {round}: {log:#?}");
            }
        }
    }
    assert!(overtaken > 400, "only {overtaken} sessions were ahead");
}

#[test]
fn what_was_cut_off_is_not_waited_for_once_the_session_goes_on_in_another_run() {
    for (first, second) in [("adk-1", "adk-2"), ("call-1", "call-2")] {
        let event = |run: &str, partial: bool, call: &str| {
            format!(
                r#"{{"id":"{run}-{call}-{partial}","invocationId":"{run}","author":"a","partial":{partial},"content":{{"role":"model","parts":[{{"functionCall":{{"id":"{call}","name":"pay","args":{{"n":1}}}}}}]}}}}"#
            )
        };
        let said = r#"{"id":"u","invocationId":"e2","author":"user","content":{"role":"user","parts":[{"text":"go on"}]}}"#;
        let mut inbox = empty(None, "adk");
        let mut shows = |text: &str, expected: &[Status]| {
            receive(&mut inbox, text);
            assert_eq!(inbox.statuses().collect::<Vec<_>>(), expected, "{first}: {text}");
        };
        shows(&event("e1", true, first), &[Status::Streaming]);
        shows(&format!("[{said}]"), &[Status::Superseded]);
        shows(&event("e2", true, second), &[Status::Superseded, Status::Streaming]);
        shows(&event("e2", false, second), &[Status::Superseded, Status::Requested]);
        // Its run went on beside the other one after all.
        shows(&event("e1", true, first), &[Status::Streaming, Status::Requested]);
        shows(&event("e1", false, first), &[Status::Requested, Status::Requested]);
    }
}
