//! What the adapter of ADK's own events promises beyond the traces: reloads, repetitions, damage, and hostile input.

use std::cell::Cell;

use countersign_core::{Decision, Inbox, InboxOptions, Input, Output, RequestView, Status};
use countersign_json::{Document, Limits, Value, compact, quote};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::damage::{Random, damage};
use countersign_tests::moment::START;
use countersign_tests::runner::Runner;
use countersign_tests::trace::{files, for_all, message, of, steps, with_trace};

#[path = "adk/hosts.rs"]
mod hosts;
#[path = "adk/lazy_host.rs"]
mod lazy_host;
#[path = "adk/overtaken.rs"]
mod overtaken;
#[path = "adk/said.rs"]
mod said;

fn empty(trace: Option<Value<'_>>, name: &str) -> Inbox {
    match trace {
        Some(trace) => Runner::new(trace, name).inbox,
        None => {
            let adapter = adapter(name, &AdapterOptions::default()).expect("the adapter is built in");
            Inbox::new(adapter, InboxOptions::default())
        }
    }
}

/// What ADK's session holds after each event: pieces of a stream are not stored.
#[derive(Default)]
struct Session {
    /// Its id, application and user.
    names: [String; 3],
    events: Vec<String>,
    ids: Vec<String>,
    own: usize,
}

impl Session {
    fn receive(&mut self, text: &str, from_start: bool) {
        let payloads: Vec<&str> = match text.starts_with("data:") {
            true => text.lines().filter_map(|line| line.strip_prefix("data:")).collect(),
            false => vec![text],
        };
        for payload in payloads {
            let Ok(document) = Document::parse(payload, &Limits::default()) else { continue };
            let root = document.root();
            let events = root.get("events").filter(|events| events.is_array());
            let list = events.or(Some(root).filter(|root| root.is_array()));
            let names = ["id", "appName", "userId"].map(|name| {
                let text = root.get(name).and_then(|name| name.as_str()).filter(|_| events.is_some());
                text.unwrap_or_default().into_owned()
            });
            let differs =
                |(known, given): (&String, &String)| !known.is_empty() && !given.is_empty() && known != given;
            if !from_start && self.names.iter().zip(&names).any(differs) {
                continue;
            }
            let is_history = list.is_some_and(|list| list.is_empty() || list.items().any(is_event));
            if is_history && (from_start || events.is_some()) {
                *self = Session { names: std::mem::take(&mut self.names), ..Session::default() };
            }
            if from_start {
                self.names = Default::default();
            }
            for (known, given) in self.names.iter_mut().zip(names) {
                if !given.is_empty() {
                    *known = given;
                }
            }
            match list {
                Some(list) => list.items().for_each(|event| self.append(event)),
                None => self.append(root),
            }
        }
    }

    fn append(&mut self, event: Value<'_>) {
        let is_partial = event.get("partial").and_then(Value::as_bool) == Some(true);
        let id = event.get("id").map(|id| id.text().to_owned()).unwrap_or_default();
        let place = (!id.is_empty()).then(|| self.ids.iter().position(|known| *known == id)).flatten();
        let is_repeated = place.is_some_and(|place| self.events[place] == event.text());
        if is_event(event) && !is_partial && !is_repeated {
            self.events.push(event.text().to_owned());
            self.ids.push(id);
        }
    }

    fn deliver(&mut self, body: &str) {
        self.own += 1;
        let own = self.own;
        self.ids.push(format!("\"own-{own}\""));
        self.events.push(format!(
            r#"{{"invocationId":"e-own","author":"user","id":"own-{own}","content":{body},"actions":{{}}}}"#
        ));
    }

    fn history(&self) -> String {
        let events = self.events.join(",");
        let mut names = String::new();
        for (key, name) in
            ["id", "appName", "userId"].iter().zip(&self.names).filter(|(_, name)| !name.is_empty())
        {
            names.push_str(&format!("\"{key}\":{},", quote(name)));
        }
        format!(r#"{{{names}"state":{{}},"events":[{events}]}}"#)
    }
}

fn is_event(value: Value<'_>) -> bool {
    value.get("author").is_some() || value.get("content").is_some()
}

/// What a reload can know of a card.
#[derive(Debug, PartialEq)]
struct Known {
    request: Option<String>,
    call: Option<String>,
    tool: String,
    args: String,
    agent: Vec<String>,
    hint: Option<String>,
    status: Status,
    decision: Option<String>,
    reason: Option<String>,
    offers: Vec<&'static str>,
    result: Option<String>,
    error: Option<String>,
}

/// The same text, however the trace that holds it is laid out.
fn without_space(text: &str) -> String {
    let document = Document::parse(text, &Limits::default());
    document.map_or_else(|_| text.to_owned(), |document| compact(document.root()))
}

fn known(view: &RequestView) -> Known {
    let kind = view.decision.as_ref().map(|decision| decision.kind.clone());
    let is_draft = matches!(view.status, Status::Drafted | Status::Sending);
    let status = match (view.status, kind.as_deref()) {
        (status, _) if is_draft || status == Status::Pending => Status::Pending,
        (Status::Sent, Some("reject")) => Status::Rejected,
        (Status::Sent, _) => Status::Approved,
        (status, _) => status,
    };
    let text = |text: &Option<std::sync::Arc<str>>| text.as_ref().map(|text| text.to_string());
    Known {
        request: view.request.as_ref().map(|id| id.to_string()),
        call: view.call.as_ref().map(|id| id.to_string()),
        tool: view.tool.to_string(),
        args: without_space(&view.args_text),
        agent: view.agent.iter().map(|agent| agent.to_string()).collect(),
        hint: text(&view.hint),
        status,
        decision: kind.filter(|_| !is_draft),
        reason: text(&view.reason).filter(|_| !is_draft),
        offers: match status == Status::Pending {
            true if is_draft => Vec::new(),
            _ => view.offers.iter().map(|offer| offer.kind.as_str()).collect(),
        },
        result: view.result_text.as_ref().map(|text| without_space(text)),
        error: text(&view.error),
    }
}

/// The cards, without those whose call is still arriving, or was cut off: the pieces of a stream are nowhere stored.
fn cards(inbox: &Inbox) -> Vec<Known> {
    let is_piece = |view: &RequestView| {
        let status = view.status;
        status == Status::Streaming || (status == Status::Superseded && view.request.is_none())
    };
    inbox.views().iter().filter(|view| !is_piece(view)).map(known).collect()
}

/// Whether a reload shows the same, but for what only this browser can know.
fn compare(live: &[Known], rebuilt: &[Known]) -> Result<(), String> {
    let alike = |live: &Known, rebuilt: &Known| {
        let drafted_here = live.status == Status::Pending && live.offers.is_empty();
        let lost = live.status == Status::Conflict;
        let mut expected = known_again(rebuilt);
        if drafted_here {
            expected.offers.clear();
        }
        if lost {
            (expected.status, expected.decision, expected.reason) =
                (live.status, live.decision.clone(), live.reason.clone());
        }
        *live == expected
    };
    let same = live.len() == rebuilt.len() && live.iter().zip(rebuilt).all(|(a, b)| alike(a, b));
    if same { Ok(()) } else { Err(format!("live {live:#?}\nrebuilt {rebuilt:#?}")) }
}

fn known_again(known: &Known) -> Known {
    Known {
        request: known.request.clone(),
        call: known.call.clone(),
        tool: known.tool.clone(),
        args: known.args.clone(),
        agent: known.agent.clone(),
        hint: known.hint.clone(),
        decision: known.decision.clone(),
        reason: known.reason.clone(),
        offers: known.offers.clone(),
        result: known.result.clone(),
        error: known.error.clone(),
        ..*known
    }
}

/// Runs a trace while the server's session is kept beside it; `after` is called after each step that is an event.
fn run(
    trace: Value<'_>,
    mut after: impl FnMut(&mut Runner, &Session, usize) -> Result<(), String>,
) -> Result<(), String> {
    let mut runner = Runner::new(trace, "adk");
    let mut session = Session::default();
    for (place, step) in steps(trace).into_iter().enumerate() {
        runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
        if let Some(restored) = step.get("restore") {
            session.receive(&message(restored), true);
        }
        if let Some(received) = step.get("receive") {
            session.receive(&message(received), false);
        }
        for body in runner.take_delivered() {
            session.deliver(&body);
        }
        if ["receive", "restore", "delivered"].iter().any(|kind| step.get(kind).is_some()) {
            after(&mut runner, &session, place).map_err(|error| format!("step {place}: {error}"))?;
        }
    }
    Ok(())
}

fn restore(inbox: &mut Inbox, text: &str) {
    inbox
        .handle(START, Input::Restore { text: text.into(), rounded: false })
        .expect("history is never refused");
}

fn receive(inbox: &mut Inbox, text: &str) -> Vec<Output> {
    inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused")
}

#[test]
fn a_tool_of_a_workflow_that_waits_makes_no_card_but_a_problem_until_it_is_answered() {
    // As google-adk 2.13.0 sends it.
    let asks = r#"{"content":{"parts":[{"functionCall":{"id":"wf_tool_confirmation:wf@1/delete_file@1","args":{"interruptId":"wf_tool_confirmation:wf@1/delete_file@1","payload":{"tool_name":"delete_file","args":{"path":"/a"}},"message":"Please approve or reject the tool call delete_file()."},"name":"adk_request_input"}}],"role":"model"},"invocationId":"e","author":"wf","actions":{},"longRunningToolIds":["wf_tool_confirmation:wf@1/delete_file@1"],"id":"1"}"#;
    let answer = r#"{"content":{"parts":[{"functionResponse":{"id":"wf_tool_confirmation:wf@1/delete_file@1","name":"adk_request_input","response":{"confirmed":true}}}],"role":"user"},"invocationId":"e","author":"user","actions":{},"id":"2"}"#;
    let problems = |events: &str| {
        let mut inbox = empty(None, "auto");
        let outputs = receive(&mut inbox, &format!("[{events}]"));
        assert_eq!(inbox.views().len(), 0);
        outputs.iter().filter(|output| matches!(output, Output::Problem(_))).count()
    };
    assert_eq!(problems(asks), 1);
    assert_eq!(problems(&format!("{asks},{answer}")), 0);
    assert_eq!(problems(&asks.replace("wf_tool_confirmation:", "")), 0);
}

#[test]
fn r39_history_at_every_step_of_every_trace_rebuilds_what_was_shown() {
    let compared = Cell::new(0);
    for_all(of("adk"), |trace| {
        run(trace, |runner, session, _| {
            compared.set(compared.get() + 1);
            let mut rebuilt = empty(Some(trace), "adk");
            restore(&mut rebuilt, &session.history());
            compare(&cards(&runner.inbox), &cards(&rebuilt))
        })
    });
    assert!(compared.get() > 200, "only {} states were compared", compared.get());
}

/// The same trace again, reloaded after one of its events: everything that it expects afterwards must still come true.
#[test]
fn r39_a_reload_after_any_step_changes_nothing_that_follows() {
    let reloads = Cell::new(0);
    for_all(of("adk"), |trace| {
        let steps = steps(trace);
        for cut in 0..steps.len() {
            // What only this browser knows: its own lost race, what it has just sent, and half a call.
            let ours =
                |status: &Status| matches!(status, Status::Conflict | Status::Sent | Status::Streaming);
            run(trace, |runner, session, place| {
                let knows_more =
                    runner.holds_decisions() || runner.inbox.statuses().any(|status| ours(&status));
                if place == cut && !knows_more {
                    reloads.set(reloads.get() + 1);
                    runner.reload(&session.history());
                }
                Ok(())
            })
            .map_err(|error| format!("reloaded after step {cut}: {error}"))?;
        }
        Ok(())
    });
    assert!(reloads.get() > 150, "only {} reloads were made", reloads.get());
}

#[test]
fn r09_reading_everything_twice_changes_nothing() {
    for_all(of("adk"), |trace| {
        let mut live = Vec::new();
        let mut last = None;
        run(trace, |runner, session, place| {
            let history = session.history();
            let mut rebuilt = empty(Some(trace), "auto");
            restore(&mut rebuilt, &history);
            let before = rebuilt.views();
            for _ in 0..2 {
                receive(&mut rebuilt, &history);
                if rebuilt.views() != before {
                    return Err(format!("before {before:#?}\nafter {:#?}", rebuilt.views()));
                }
            }
            live = cards(&runner.inbox);
            last = Some(place);
            Ok(())
        })?;
        // Nor does the session at the end change what was read event by event.
        let mut compared = Ok(());
        let stopped = run(trace, |runner, session, place| {
            if Some(place) == last {
                receive(&mut runner.inbox, &session.history());
                compared = compare(&cards(&runner.inbox), &live);
                return Err(String::new());
            }
            Ok(())
        });
        if last.is_some() && stopped.is_ok() {
            Err("it did not come to its end".to_owned())
        } else {
            compared
        }
    });
}

const HEALTHY: &str = r#"{"invocationId":"e","author":"ops","id":"healthy","content":{"role":"model","parts":[{"functionCall":{"id":"healthy","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"healthy-call","name":"pay","args":{"n":1}},"toolConfirmation":{"hint":"","confirmed":false}}}}]}}"#;

#[test]
fn r08_r15_damaged_events_never_panic_send_or_hide_others() {
    let mut random = Random(11);
    let mut tried = 0;
    for path in of("adk") {
        with_trace(&path, |trace| {
            let steps = trace.get("steps").into_iter().flat_map(Value::items);
            let news = steps.filter_map(|step| step.get("receive").or_else(|| step.get("restore")));
            let messages: Vec<String> = news.map(message).collect();
            for _ in 0..6 {
                let mut inbox = empty(None, "adk");
                receive(&mut inbox, HEALTHY);
                for text in &messages {
                    receive(&mut inbox, &damage(text, &mut random));
                    tried += 1;
                }
                assert!(inbox.take_outbound().is_empty(), "nobody decided");
                let unsent = |status| !matches!(status, Status::Drafted | Status::Sending | Status::Sent);
                assert!(inbox.statuses().all(unsent));
                assert_eq!(inbox.view_at(0).map(|view| view.status), Some(Status::Pending));
            }
        });
    }
    assert!(tried > 2000, "only {tried} messages were tried");
}

#[test]
fn r08_no_damage_to_an_answer_makes_an_approval_of_a_rejection() {
    let mut random = Random(5);
    let answer = r#"{"invocationId":"e","author":"user","id":"a","content":{"role":"user","parts":[{"functionResponse":{"id":"healthy","name":"adk_request_confirmation","response":{"confirmed":false,"payload":{"rejection_reason":"confirmed"}}}}]}}"#;
    for _ in 0..3000 {
        let text = damage(answer, &mut random);
        let mut inbox = empty(None, "adk");
        receive(&mut inbox, HEALTHY);
        receive(&mut inbox, &text);
        let approved = inbox.statuses().any(|status| status == Status::Approved);
        // The generator may put a `true` in the place of the `false`; then it says so.
        assert!(!approved || text.replace(' ', "").contains("\"confirmed\":true"), "{text}");
    }
}

fn codes(outputs: Vec<Output>) -> Vec<String> {
    let code =
        |output| if let Output::Problem(problem) = output { Some(problem.code.to_string()) } else { None };
    outputs.into_iter().filter_map(code).collect()
}

#[test]
fn what_is_no_event_is_a_problem_and_touches_no_card() {
    for name in ["adk", "auto"] {
        let mut inbox = empty(None, name);
        receive(&mut inbox, HEALTHY);
        for (text, code) in [
            ("{\"author\":", "json-invalid"),
            ("", "json-invalid"),
            ("null", "message-unrecognised"),
            ("7", "message-unrecognised"),
            ("[1,2,3]", "message-unrecognised"),
            ("{\"events\":{}}", "message-unrecognised"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", "message-unrecognised"),
            ("data: {\"error\":\"ValueError: gone\"}\n\n", "backend-error"),
            ("{\"detail\":\"Session not found\"}", "backend-error"),
        ] {
            assert_eq!(codes(receive(&mut inbox, text)), [code], "{text}");
            assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Pending], "{text}");
        }
    }
}

#[test]
fn the_family_is_found_from_the_bytes_and_takes_no_other_familys_messages() {
    let task =
        r#"{"kind":"task","id":"t","status":{"state":"input-required"},"invocationId":"e","author":"a"}"#;
    let ours = [
        HEALTHY.to_owned(),
        format!("[{HEALTHY}]"),
        format!("[null,{HEALTHY}]"),
        format!("{{\"events\":[{HEALTHY}]}}"),
        r#"{"id":"s","appName":"a","userId":"u","state":{},"events":[],"lastUpdateTime":1}"#.to_owned(),
    ];
    let others = [
        task.to_owned(),
        format!("[{task}]"),
        r#"{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","status":{"state":"working"}}}"#
            .to_owned(),
    ];
    for (texts, named) in [(&ours[..], true), (&others[..], false)] {
        for text in texts {
            let mut inbox = empty(None, "auto");
            receive(&mut inbox, text);
            // What belongs to ADK is understood from now on, or not at all.
            let understood = codes(receive(&mut inbox, HEALTHY)).is_empty();
            assert_eq!(understood, named, "{text}");
        }
    }
    let mut inbox = empty(None, "auto");
    assert_eq!(codes(receive(&mut inbox, "{\"events\":[]}")), ["message-unrecognised"]);
}

fn decide(inbox: &mut Inbox, id: &str, decision: Decision) -> Result<(), String> {
    let request = inbox.find(id).map_err(|refusal| refusal.code().to_string())?;
    let decided = inbox.handle(START, Input::Decide { request, decision, seen: None, offer: None });
    decided.map(|_| ()).map_err(|refusal| refusal.code().to_string())
}

#[test]
fn r06_an_approval_carries_no_arguments_and_says_where_it_goes() {
    let mut inbox = empty(None, "adk");
    restore(&mut inbox, &format!(r#"{{"id":"s","appName":"ops","userId":"u","events":[{HEALTHY}]}}"#));
    decide(&mut inbox, "healthy", Decision::approve()).expect("it is offered");
    let outbound = inbox.take_outbound().remove(0);
    assert_eq!(
        outbound.body.as_ref(),
        r#"{"role":"user","parts":[{"functionResponse":{"id":"healthy","name":"adk_request_confirmation","response":{"confirmed":true}}}]}"#
    );
    assert_eq!(
        outbound.transport.as_ref(),
        r#"{"protocol":"adk","method":"run_sse","sessionId":"s","appName":"ops","userId":"u"}"#
    );
}

#[test]
fn what_the_host_sent_past_the_inbox_is_an_answer_too() {
    let mut inbox = empty(None, "adk");
    receive(&mut inbox, HEALTHY);
    let text = r#"{"role":"user","parts":[{"functionResponse":{"id":"healthy","name":"adk_request_confirmation","response":{"confirmed":true}}}]}"#;
    assert_eq!(codes(receive(&mut inbox, text)), ["message-unrecognised"], "only the host may say so");
    inbox.handle(START, Input::Own { text }).expect("news is never refused");
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Approved]);
    assert_eq!(decide(&mut inbox, "healthy", Decision::approve()), Err("already-decided".to_owned()));
}

#[test]
fn r14_huge_deep_and_wide_arguments_leave_the_other_cards_alone() {
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(10 << 20));
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let names: Vec<String> = (0..400_000).map(|number| format!("\"k{number}\":1")).collect();
    let wide = format!("{{{}}}", names.join(","));
    for args in [huge, deep, wide] {
        let mut inbox = empty(None, "adk");
        receive(&mut inbox, HEALTHY);
        let other = HEALTHY.replace("healthy", "other").replace("{\"n\":1}", &args);
        assert!(codes(receive(&mut inbox, &other)).is_empty());
        assert_eq!(decide(&mut inbox, "other", Decision::approve()), Err("args-ambiguous".to_owned()));
        assert_eq!(decide(&mut inbox, "healthy", Decision::approve()), Ok(()));
        assert_eq!(inbox.take_outbound().len(), 1);
        assert_eq!(decide(&mut inbox, "other", Decision::reject(None)), Ok(()));
    }
}

#[test]
fn a_parsed_value_may_have_lost_digits_and_the_card_says_so() {
    let mut inbox = empty(None, "adk");
    let text = HEALTHY.replace("{\"n\":1}", "{\"n\":9007199254740993}");
    inbox.handle(START, Input::Receive { text: &text, rounded: true }).expect("news is never refused");
    let hazards = inbox.views().remove(0).hazards;
    assert!(hazards.iter().any(|hazard| hazard.pointer == "/n"), "{hazards:?}");
}

/// Ten thousand calls that all have the same id, each asked about and settled: no step may look at all before it.
#[test]
fn one_id_for_ten_thousand_calls_is_neither_slow_nor_settles_too_much() {
    let mut text = String::from("[");
    for at in 0..10_000 {
        let comma = if at == 0 { "" } else { "," };
        text.push_str(&format!(
            r#"{comma}{},{{"invocationId":"e","author":"ops","id":"o{at}","content":{{"parts":[{{"functionResponse":{{"id":"healthy-call","name":"pay","response":{{"n":{at}}}}}}}]}}}}"#,
            HEALTHY.replace("\"id\":\"healthy\"", &format!("\"id\":\"r{at}\""))
        ));
    }
    text.push(']');
    let mut inbox = empty(None, "adk");
    restore(&mut inbox, &text);
    assert_eq!(inbox.len(), 10_000);
    assert!(inbox.statuses().all(|status| status == Status::Completed));
    let last = inbox.view_at(9_999).expect("there is a last one");
    assert_eq!(last.result_text.as_deref(), Some("{\"n\":9999}"));
}

#[test]
fn events_out_of_order_never_open_again_what_is_settled() {
    let mut random = Random(3);
    let mut shuffled = 0;
    for path in
        files().iter().filter(|path| path.parent().is_some_and(|folder| folder.ends_with("traces/adk")))
    {
        with_trace(path, |trace| {
            let steps = trace.get("steps").into_iter().flat_map(Value::items);
            for session in
                steps.filter_map(|step| step.get("restore")).filter(|step| step.get("$text").is_none())
            {
                // What a session takes back is what stands before.
                if session.text().contains("rewindBeforeInvocationId") {
                    continue;
                }
                let mut events: Vec<&str> =
                    session.get("events").into_iter().flat_map(Value::items).map(Value::text).collect();
                let open = |events: &[&str]| {
                    let mut inbox = empty(None, "adk");
                    restore(&mut inbox, &format!("[{}]", events.join(",")));
                    let views = inbox.views();
                    let pending = views.iter().filter(|view| view.status == Status::Pending);
                    let mut ids: Vec<String> =
                        pending.filter_map(|view| Some(view.request.as_ref()?.to_string())).collect();
                    ids.sort();
                    ids
                };
                let expected = open(&events);
                for _ in 0..20 {
                    for at in (1..events.len()).rev() {
                        events.swap(at, random.below(at + 1));
                    }
                    assert_eq!(open(&events), expected, "{}: {events:#?}", path.display());
                    shuffled += 1;
                }
            }
        });
    }
    assert!(shuffled > 300, "only {shuffled} orders were tried");
}

#[test]
fn pieces_that_are_sent_again_are_not_waited_for_again() {
    let mut inbox = empty(None, "adk");
    let mut say = |id: &str, partial: bool| {
        let call = format!(r#"{{"functionCall":{{"id":"adk-{id}","name":"delete_file","args":{{}}}}}}"#);
        let rest = r#""invocationId":"e-1","author":"ops""#;
        receive(&mut inbox, &format!(r#"{{"content":{{"parts":[{call}]}},{rest},"partial":{partial}}}"#));
    };
    for (id, partial) in
        [("p1", true), ("w1", false), ("p1", true), ("w1", false), ("p2", true), ("w2", false)]
    {
        say(id, partial);
    }
    let calls: Vec<String> =
        inbox.views().iter().filter_map(|view| Some(view.call.as_ref()?.to_string())).collect();
    assert_eq!(calls, ["adk-w1", "adk-w2"]);
}
