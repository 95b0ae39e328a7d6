//! What the AdalFlow adapter promises beyond the recordings: reloads, repetitions, damaged and large input.

use std::cell::Cell;
use std::time::Instant;

use countersign_core::{
    Decision, GrantScope, Inbox, InboxOptions, Input, OfferKind, Output, ProblemCode, RequestView, Status,
    Words,
};
use countersign_json::{Document, Limits, Value, compact};
use countersign_protocols::{AdalflowAnswer, AdalflowOptions, AdapterOptions, adapter};
use countersign_tests::alone::Alone;
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
            // What the lists lack waits again once it is told of anew.
            receive(HEALTHY);
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
fn r14_huge_deep_and_wide_arguments_leave_the_other_cards_alone() {
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(10 << 20));
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let names: Vec<String> = (0..400_000).map(|number| format!("\"k{number}\":1")).collect();
    let wide = format!("{{{}}}", names.join(","));
    for args in [huge, deep, wide] {
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

/// A call waits on each way that can be answered.
fn waiting(kwargs: &str) -> [(&'static str, String); 5] {
    let shipped = |tool: &str| {
        format!(
            r#"{{"request_id":"r","tool_name":"{tool}","tool_args":[],"tool_kwargs":{kwargs},"timestamp":"","status":"pending"}}"#
        )
    };
    [
        (
            "ws",
            format!(
                r#"{{"type":"approval_request","id":"r","tool":"pay","args":[],"kwargs":{kwargs},"message":"?"}}"#
            ),
        ),
        (
            "seed-ws",
            r#"{"type":"approval_request","id":"r","tool":"pay","args":[1],"message":"?"}"#.to_owned(),
        ),
        ("seed-rest", r#"{"r":{"tool":"pay","args":[1],"message":"?"}}"#.to_owned()),
        ("shipped-rest", shipped("pay")),
        ("clarify", shipped("clarify")),
    ]
}

#[test]
fn r08_a_decision_that_was_not_offered_has_no_word_that_runs_the_call() {
    let edit = Decision::Edit { args: r#"{"n":2}"#.into(), note: None };
    let answer = Decision::Answer { answers: vec![vec!["x".to_owned()]] };
    let always = Decision::Approve { scope: GrantScope::Tool };
    for (way, text) in waiting(r#"{"n":1}"#) {
        let mut alone = Alone::new("adalflow");
        alone.receive(&text);
        let is_written = |decision: &Decision| alone.write("r", decision.clone()).is_ok();
        let is_question = way == "clarify";
        assert_eq!(is_written(&edit), way == "ws", "{way}: the word would run the original call");
        assert_eq!(is_written(&answer), is_question, "{way}");
        assert_eq!(is_written(&Decision::approve()), !is_question, "{way}: it would run without an answer");
        assert_eq!(is_written(&always), !is_question, "{way}: it would run without an answer");
        assert!(is_written(&Decision::reject(None)), "{way}");
        for other in [Decision::Ignore, Decision::Cancel, Decision::Respond { text: "x".into() }] {
            assert!(!is_written(&other), "{way}");
        }
    }
}

#[test]
fn r44_the_person_is_told_that_reasons_and_notes_stay_here() {
    for (way, text) in waiting(r#"{"n":1}"#) {
        let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        let allowed = r#""message":"?","allowed_outcomes":["proceed_once","modify","cancel"]"#;
        let text = if way == "ws" { text.replace(r#""message":"?""#, allowed) } else { text };
        inbox.handle(START, Input::Receive { text: &text, rounded: false }).expect("news is never refused");
        let view = inbox.views().remove(0);
        let words = |kind| view.offers.iter().find(|offer| offer.kind == kind).map(|offer| offer.reason);
        assert_eq!(words(OfferKind::Reject), Some(Words::Local), "{way}");
        assert_eq!(words(OfferKind::Edit), (way == "ws").then_some(Words::Local), "{way}");
    }
}

/// The event that tells of a call for which a permission is asked.
fn permission(id: &str, tool: &str, args: &str, kwargs: &str) -> String {
    format!(
        r#"{{"type":"run_item_stream_event","name":"agent.tool_permission_request","item":{{"id":"x","data":{{"id":"r","tool_name":"pay","tool":{{"id":"{id}","name":"{tool}","args":{args},"kwargs":{kwargs}}}}}}}}}"#
    )
}

#[test]
fn r03_a_request_is_not_approved_whose_event_is_about_another_call() {
    let request =
        r#"{"type":"approval_request","id":"r","tool":"pay","args":[1],"kwargs":{"n":1},"message":"?"}"#;
    let same = permission("r", "pay", "[1]", r#"{"n":1}"#);
    let spelt = permission(r"\u0072", r"p\u0061y", "[ 1 ]", r#"{ "n": 1.0 }"#);
    let others = [
        permission("r", "wipe", "[1]", r#"{"n":1}"#),
        permission("r", "wipe", "[1]", r#"{"n":1}"#).replace(r#""tool_name":"pay""#, r#""tool_name":"wipe""#),
        permission("r", "pay", "[2]", r#"{"n":1}"#),
        permission("r", "pay", "[1]", r#"{"n":2}"#),
    ];
    let decided = |texts: [&str; 2]| {
        let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        for text in texts {
            inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
        }
        let request = inbox.find("r").expect("it waits");
        let approve = Input::Decide { request, decision: Decision::approve(), seen: None, offer: None };
        inbox.handle(START, approve).map(|_| ()).map_err(|refusal| refusal.code().to_string())
    };
    for event in [&same, &spelt] {
        assert_eq!(decided([event, request]), Ok(()), "{event}");
        assert_eq!(decided([request, event]), Ok(()), "{event}");
    }
    for event in &others {
        assert_eq!(decided([event, request]), Err("args-ambiguous".to_owned()), "{event}");
        assert_eq!(decided([request, event]), Err("args-ambiguous".to_owned()), "{event}");
    }
}

#[test]
fn what_is_no_pending_list_ends_no_waiting() {
    let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
    let mut inbox = Inbox::new(adapter, InboxOptions::default());
    let mut receive = |text: &str| {
        inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
        inbox.views().remove(0).status
    };
    let [.., (_, pending), _] = waiting("{}");
    assert_eq!(receive(&format!("[{pending}]")), Status::Pending);
    assert_eq!(receive(r#"[{"some":"thing"}]"#), Status::Pending);
    assert_eq!(receive(r#"[{"type":"hello","system":"adalflow","client_id":"c"}]"#), Status::Pending);
    assert_eq!(receive("[]"), Status::Unknown);
}

#[test]
fn only_a_status_that_is_not_known_is_a_problem() {
    let [.., (_, pending), _] = waiting("{}");
    for (status, codes) in [
        ("pending", vec![]),
        ("approved", vec![]),
        ("expired", vec![]),
        ("cancelled", vec![]),
        ("strange", vec![ProblemCode::StateUnknown]),
    ] {
        let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        let text = pending.replace(r#""status":"pending""#, &format!(r#""status":"{status}""#));
        let outputs = inbox.handle(START, Input::Receive { text: &text, rounded: false });
        let problem = |output| if let Output::Problem(problem) = output { Some(problem.code) } else { None };
        let told: Vec<_> = outputs.expect("news is never refused").into_iter().filter_map(problem).collect();
        assert_eq!(told, codes, "{status}");
        assert!(inbox.take_outbound().is_empty());
    }
}

#[test]
fn r08_a_reply_says_only_what_its_words_say() {
    let settled = |way: &str, reply: &str| {
        let (_, text) = waiting("{}").into_iter().find(|(name, _)| *name == way).expect("it is listed");
        let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        for text in [text.as_str(), reply] {
            inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
        }
        inbox.views().remove(0).status
    };
    let reply = |rest: &str| format!(r#"{{"request_id":"r",{rest}}}"#);
    let words = r#","response_data":"x""#;
    let accepted = |outcome: &str| reply(&format!(r#""status":"accepted","outcome":"{outcome}"{words}"#));
    assert_eq!(settled("clarify", &accepted("proceed_once")), Status::Responded);
    assert_eq!(settled("clarify", &accepted("cancel")), Status::Rejected, "the words were not taken");
    assert_eq!(settled("shipped-rest", &accepted("proceed_once")), Status::Approved, "it is no question");
    assert_eq!(settled("shipped-rest", &reply(r#""status":"cancelled""#)), Status::Cancelled);
    assert_eq!(settled("shipped-rest", &reply(r#""status":"done""#)), Status::Pending);
}

#[test]
fn each_request_of_a_burst_has_the_schema_of_its_own_parameters() {
    let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
    let mut inbox = Inbox::new(adapter, InboxOptions::default());
    let kinds = ["number", "string", "number", "boolean"];
    let request = |(at, kind)| {
        format!(
            r#"{{"type":"approval_request","id":"r{at}","tool":"t","args":[],"kwargs":{{"n":1}},"message":"?","parameters":{{"properties":{{"n":{{"type":"{kind}"}}}}}}}}"#
        )
    };
    let burst: Vec<String> = kinds.into_iter().enumerate().map(request).collect();
    let text = format!("[{}]", burst.join(","));
    inbox.handle(START, Input::Receive { text: &text, rounded: false }).expect("news is never refused");
    assert_eq!(inbox.len(), kinds.len());
    for (view, kind) in inbox.views().into_iter().zip(kinds) {
        let schema = view.args_schema.expect("the backend names its parameters");
        assert!(schema.contains(&format!(r#""type":"{kind}""#)), "{schema}");
    }
}

#[test]
fn what_has_no_id_is_a_problem_and_what_a_run_says_is_none() {
    let request = r#"{"type":"approval_request","tool":"t","args":[],"kwargs":{},"message":"?"}"#;
    for (text, codes, hidden) in [
        (request, vec![ProblemCode::PartInvalid], true),
        (r#"{"type":"hello","system":"adalflow","client_id":"c"}"#, vec![], false),
        (r#"{"type":"run_finished","answer":"a"}"#, vec![], false),
        (r#"{"type":"run_failed","error":"e"}"#, vec![], false),
        (r#"{"type":"approval_of_another_kind"}"#, vec![], true),
        (r#"{"type":"other"}"#, vec![ProblemCode::MessageUnrecognised], false),
    ] {
        let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        let outputs = inbox.handle(START, Input::Receive { text, rounded: false });
        let outputs = outputs.expect("news is never refused");
        assert!(outputs.contains(&Output::Hidden(hidden)) && inbox.is_empty(), "{text}");
        let problem = |output| if let Output::Problem(problem) = output { Some(problem.code) } else { None };
        assert_eq!(outputs.into_iter().filter_map(problem).collect::<Vec<_>>(), codes, "{text}");
    }
}

#[test]
fn r39_a_log_that_is_read_again_does_not_end_a_call_that_has_started_since() {
    let start = r#"{"type":"run_item_stream_event","name":"agent.tool_call_start","item":{"id":"g","data":{"id":"g","name":"read_file","args":[],"kwargs":{"path":"/g"}}}}"#;
    let end = r#"{"type":"run_failed","error":"x"}"#;
    let adapter = adapter("adalflow", &AdapterOptions::default()).expect("the adapter is built in");
    let mut inbox = Inbox::new(adapter, InboxOptions::default());
    for (text, status) in [
        (start.to_owned(), Status::Running),
        // That run was over before.
        (format!("[{end},{start}]"), Status::Running),
        (format!("[{end}]"), Status::Running),
        (end.replace("\"x\"", "\"x\",\"run\":\"another\""), Status::Running),
        (format!("[{end},{start},{end}]"), Status::Unknown),
    ] {
        inbox.handle(START, Input::Receive { text: &text, rounded: false }).expect("news is never refused");
        assert_eq!(inbox.statuses().collect::<Vec<_>>(), [status], "{text}");
    }
}
