//! What the AdalFlow adapter promises beyond the recordings: reloads, repetitions, damaged and large input.

use std::cell::Cell;
use std::time::Instant;

use countersign_core::{Decision, Inbox, InboxOptions, Input, Output, ProblemCode, RequestView, Status};
use countersign_json::{Document, Limits, Value, compact};
use countersign_protocols::{AdalflowAnswer, AdalflowOptions, AdapterOptions, adapter};
use countersign_tests::damage::{Random, damage};
use countersign_tests::moment::START;
use countersign_tests::runner::Runner;
use countersign_tests::trace::{for_all, message, of, steps, with_trace};

fn restored(history: &str, trace: Value<'_>) -> Inbox {
    let routed = trace.pointer("/options/adalflow/answer").is_some();
    let answer = if routed { AdalflowAnswer::ShippedRest } else { AdalflowAnswer::Nowhere };
    let adalflow = AdalflowOptions { answer, ..AdalflowOptions::default() };
    let adapter = adapter("adalflow", &AdapterOptions { adalflow, ..AdapterOptions::default() });
    let mut inbox = Inbox::new(adapter.expect("the adapter is built in"), InboxOptions::default());
    inbox
        .handle(START, Input::Restore { text: history.into(), rounded: false })
        .expect("history is never refused");
    inbox
}

/// What servers keep: the log of all messages but the greeting and what went to one socket alone, and the pending list.
#[derive(Default)]
struct Store {
    log: Vec<String>,
    list: Option<String>,
    /// What no history tells was received.
    told_us_alone: bool,
}

impl Store {
    fn receive(&mut self, text: &str) {
        let Ok(document) = Document::parse(text, &Limits::default()) else { return };
        let root = document.root();
        let is_message = |value: Value<'_>| value.get("type").is_some_and(Value::is_string);
        let is_request =
            |value: Value<'_>| value.get("request_id").is_some() && value.get("tool_name").is_some();
        if root.is_array() && root.items().any(is_message) {
            root.items().for_each(|item| self.message(item));
        } else if is_message(root) {
            self.message(root);
        } else if root.is_array() || root.members().all(|(_, value)| value.get("tool").is_some()) {
            self.list = Some(text.to_owned());
        } else if is_request(root) || root.get("status").is_some() {
            self.told_us_alone = true;
        }
    }

    fn message(&mut self, message: Value<'_>) {
        let kind = message.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
        self.told_us_alone |= kind == "approval_error";
        if kind != "hello" && kind != "approval_error" {
            self.log.push(message.text().to_owned());
        }
    }
}

/// Runs a trace while the servers' store is kept beside it; `after_event` is called after each step that is an event.
fn run(
    trace: Value<'_>,
    mut after_event: impl FnMut(&Runner, &Store) -> Result<(), String>,
) -> Result<(), String> {
    let mut runner = Runner::new(trace, "adalflow");
    let mut store = Store::default();
    for (place, step) in steps(trace).into_iter().enumerate() {
        runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
        if let Some(text) = step.get("restore").map(message) {
            store = Store::default();
            store.receive(&text);
        }
        if let Some(text) = step.get("receive").map(message) {
            store.receive(&text);
        }
        if ["receive", "restore", "delivered"].iter().any(|kind| step.get(kind).is_some()) {
            after_event(&runner, &store).map_err(|error| format!("step {place}: {error}"))?;
        }
    }
    Ok(())
}

/// What both must have in common.
fn face(view: &RequestView) -> String {
    let document = Document::parse(&view.args_text, &Limits::default());
    let args = document.map(|document| compact(document.root())).unwrap_or_default();
    format!("{:?} {} {args} {:?} {:?}", view.request, view.tool, view.title, view.description)
}

fn offers(view: &RequestView) -> Vec<&str> {
    view.offers.iter().map(|offer| offer.kind.as_str()).collect()
}

/// Whether the rebuilt card is what history can tell of the live one.
fn agrees(live: &RequestView, rebuilt: &RequestView, told_us_alone: bool) -> bool {
    // What was decided here and has no announcement yet is not on the server.
    let is_ours = matches!(live.status, Status::Drafted | Status::Sending | Status::Sent);
    let status = match (live.status, rebuilt.status) {
        // A conflict is one with a decision of this browser alone.
        (Status::Conflict, _) => true,
        // The clock, and what the server told this browser alone.
        (Status::Expired | Status::Unknown, Status::Pending) => {
            told_us_alone || live.status == Status::Expired
        }
        (_, Status::Pending) if is_ours => true,
        (live, rebuilt) => live == rebuilt,
    };
    let is_open = live.status == Status::Pending;
    // What was sent stays what was decided on, also where the request came again with other arguments.
    (is_ours || face(live) == face(rebuilt))
        && status
        && live.result_text == rebuilt.result_text
        && (!is_open || offers(live) == offers(rebuilt))
}

#[test]
fn r39_the_log_at_every_step_of_every_trace_rebuilds_what_was_shown() {
    let compared = Cell::new(0);
    for_all(of("adalflow"), |trace| {
        run(trace, |runner, store| {
            // Where requests came on a list, the log alone does not have them.
            if store.list.is_some() || store.log.is_empty() || store.told_us_alone && store.log.len() < 2 {
                return Ok(());
            }
            let live = runner.views();
            let rebuilt = restored(&format!("[{}]", store.log.join(",")), trace).views();
            let agree = live.len() == rebuilt.len()
                && live
                    .iter()
                    .zip(&rebuilt)
                    .all(|(live, rebuilt)| agrees(live, rebuilt, store.told_us_alone));
            compared.set(compared.get() + 1);
            if agree { Ok(()) } else { Err(format!("live {live:#?}\nrebuilt {rebuilt:#?}")) }
        })
    });
    assert!(compared.get() > 250, "only {} states were compared", compared.get());
}

#[test]
fn r39_the_pending_list_at_every_step_rebuilds_what_waits() {
    let compared = Cell::new(0);
    for_all(of("adalflow"), |trace| {
        run(trace, |runner, store| {
            let Some(list) = store.list.as_deref().filter(|_| store.log.is_empty()) else { return Ok(()) };
            let live = runner.views();
            for rebuilt in restored(list, trace).views() {
                let known = live.iter().find(|view| view.request == rebuilt.request);
                let known = known.ok_or_else(|| format!("nobody knew {rebuilt:#?}"))?;
                let waits = known.status == Status::Pending || known.status == Status::Blocked;
                if face(known) != face(&rebuilt) || (waits && offers(known) != offers(&rebuilt)) {
                    return Err(format!("live {known:#?}\nrebuilt {rebuilt:#?}"));
                }
                compared.set(compared.get() + 1);
            }
            Ok(())
        })
    });
    assert!(compared.get() > 60, "only {} cards were compared", compared.get());
}

#[test]
fn r09_everything_read_twice_changes_nothing() {
    for_all(of("adalflow"), |trace| {
        let mut runner = Runner::new(trace, "auto");
        for (place, step) in steps(trace).into_iter().enumerate() {
            let again = step.get("receive").is_some();
            for _ in 0..=usize::from(again) {
                runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
            }
        }
        Ok(())
    });
}

const HEALTHY: &str =
    r#"{"type":"approval_request","id":"healthy","tool":"pay","args":[],"kwargs":{"n":1},"message":"?"}"#;

#[test]
fn r08_r15_damaged_recordings_never_panic_send_or_hide_others() {
    let mut random = Random(11);
    let mut tried = 0;
    for path in of("adalflow") {
        let messages: Vec<String> = with_trace(&path, |trace| {
            let text = |step: Value<'_>| step.get("receive").or_else(|| step.get("restore")).map(message);
            steps(trace).into_iter().filter_map(text).collect()
        });
        for _ in 0..10 {
            let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
            let mut inbox = Inbox::new(adapter, InboxOptions::default());
            let mut receive = |text: &str| {
                inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
            };
            receive(HEALTHY);
            for text in &messages {
                receive(&damage(text, &mut random));
                tried += 1;
            }
            assert!(inbox.take_outbound().is_empty(), "nobody decided");
            let views = inbox.views();
            let is_ours =
                |view: &RequestView| matches!(view.status, Status::Drafted | Status::Sending | Status::Sent);
            assert!(!views.iter().any(is_ours));
            let healthy =
                views.iter().find(|view| view.request.as_ref().is_some_and(|id| id.as_str() == "healthy"));
            assert_eq!(healthy.map(|view| view.status), Some(Status::Pending));
        }
    }
    assert!(tried > 3000, "only {tried} messages were tried");
}

#[test]
fn r14_huge_and_deep_arguments_leave_the_other_cards_alone() {
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(10 << 20));
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for args in [huge, deep] {
        let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        for text in [HEALTHY, &HEALTHY.replace("healthy", "other").replace("{\"n\":1}", &args)] {
            let outputs =
                inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
            assert!(!outputs.iter().any(|output| matches!(output, Output::Problem(_))), "{outputs:?}");
        }
        let mut decide = |id: &str, decision: Decision| {
            let request = inbox.find(id).expect("the request is known");
            let decided = inbox.handle(START, Input::Decide { request, decision, seen: None, offer: None });
            decided.map(|_| ()).map_err(|refusal| refusal.code().to_string())
        };
        assert_eq!(decide("other", Decision::approve()), Err("args-ambiguous".to_owned()));
        assert_eq!(decide("healthy", Decision::approve()), Ok(()));
        assert_eq!(decide("other", Decision::reject(None)), Ok(()));
        assert_eq!(inbox.take_outbound().len(), 2);
    }
}

/// The log of a client that was asked about `calls` calls, one after the other.
fn log(calls: usize) -> String {
    let mut events = Vec::new();
    for at in 0..calls {
        let call = format!(
            r#"{{"id":"call-{at}","thought":null,"name":"pay","args":[],"kwargs":{{"n":{at},"note":"some words"}},"_is_answer_final":null,"_answer":null}}"#
        );
        events.push(format!(
            r#"{{"type":"approval_request","id":"call-{at}","tool":"pay","args":[],"kwargs":{{"n":{at},"note":"some words"}},"message":"Allow?","parameters":{{"properties":{{"n":{{"type":"number"}}}}}},"allowed_outcomes":["proceed_once","cancel","modify"],"timeout_s":null}}"#
        ));
        events.push(format!(
            r#"{{"type":"run_item_stream_event","name":"agent.tool_permission_request","item":{{"id":"x","data":{{"id":"call-{at}","tool_name":"pay","tool":{call},"confirmation_details":null}}}}}}"#
        ));
        events.push(format!(
            r#"{{"type":"approval_resolved","id":"call-{at}","outcome":"proceed_once","reason":"answered"}}"#
        ));
        events.push(format!(
            r#"{{"type":"run_item_stream_event","name":"agent.tool_call_start","item":{{"id":"call-{at}","data":{call}}}}}"#
        ));
        events.push(format!(
            r#"{{"type":"run_item_stream_event","name":"agent.tool_call_complete","item":{{"id":"call-{at}","data":{{"name":"pay","input":{call},"output":"paid","error":null}}}}}}"#
        ));
    }
    format!("[{}]", events.join(","))
}

#[test]
fn a_long_log_is_read_in_proportion_to_its_length() {
    let measure = |calls: usize| {
        let log = log(calls);
        let document = Document::parse("{}", &Limits::default()).expect("an object");
        let begin = Instant::now();
        let inbox = restored(&log, document.root());
        let spent = begin.elapsed();
        assert!(inbox.statuses().all(|status| status == Status::Completed) && inbox.len() == calls);
        spent
    };
    measure(1_000);
    let (short, long) = (measure(1_000), measure(10_000));
    println!("1,000 calls in {short:?}, 10,000 in {long:?}");
    assert!(long < short * 40, "1,000 calls take {short:?}, 10,000 take {long:?}");
}

#[test]
fn messages_of_other_systems_are_left_to_them() {
    for text in [
        r#"{"type":"approval_request","id":"r"}"#,
        r#"{"type":"hello","system":"other","client_id":"c"}"#,
        "{}",
        "[]",
    ] {
        let adapter = adapter("auto", &AdapterOptions::default()).expect("`auto` is always there");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        let outputs =
            inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
        let unknown = |output: &Output| matches!(output, Output::Problem(problem) if problem.code == ProblemCode::MessageUnrecognised);
        assert!(outputs.iter().any(unknown) && inbox.is_empty(), "{text}");
    }
}

#[test]
fn r09_what_the_host_sent_itself_is_no_word_of_the_backend() {
    let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
    let mut inbox = Inbox::new(adapter, InboxOptions::default());
    inbox.handle(START, Input::Receive { text: HEALTHY, rounded: false }).expect("news is never refused");
    for (text, hidden) in [
        (r#"{"type":"approval_response","id":"healthy","outcome":"proceed_once"}"#, true),
        (r#"{"method":"POST","path":"/approvals/healthy","body":{"outcome":"proceed_once"}}"#, true),
        (
            r#"{"type":"approval_resolved","id":"healthy","outcome":"proceed_once","reason":"answered"}"#,
            false,
        ),
        (r#"{"prompt":"go"}"#, false),
    ] {
        let outputs = inbox.handle(START, Input::Own { text }).expect("news is never refused");
        assert!(outputs.contains(&Output::Hidden(hidden)), "{text}");
        assert!(!outputs.iter().any(|output| matches!(output, Output::Problem(_))), "{text}");
        assert_eq!(inbox.views().first().map(|view| view.status), Some(Status::Pending), "{text}");
    }
}

/// The first design sends positional arguments alone; what the call runs with besides, nobody can see.
#[test]
fn arguments_whose_names_the_message_leaves_out_are_said_to_be_so() {
    let hazards = |message: &str| {
        let mut inbox = restored("[]", Document::parse("{}", &Limits::default()).expect("it is JSON").root());
        inbox.handle(START, Input::Receive { text: message, rounded: false }).expect("it is read");
        let view = inbox.views().into_iter().next().expect("there is a card");
        assert!(view.inspectable && view.offers.iter().any(|offer| offer.kind.runs()), "{message}");
        view.hazards.iter().map(|hazard| hazard.code.clone()).collect::<Vec<_>>()
    };
    let of = |rest: &str| {
        format!(r#"{{"type":"approval_request","id":"r1","tool":"send","args":["a"]{rest},"message":"?"}}"#)
    };
    assert_eq!(hazards(&of("")), ["args-unnamed"]);
    assert!(hazards(&of(r#","kwargs":{}"#)).is_empty());
}
