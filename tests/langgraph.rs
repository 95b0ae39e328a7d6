//! What the LangGraph adapter promises beyond the recordings: reloads, repetitions, and damaged or hostile input.

#[path = "langgraph/joined.rs"]
mod joined;

use std::cell::Cell;

use countersign_core::{Decision, Inbox, InboxOptions, Input, Millis, Output, RequestView, Status};
use countersign_json::{Document, Limits, Value, Writer};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::damage::{Random, damage};
use countersign_tests::moment::START;
use countersign_tests::runner::Runner;
use countersign_tests::trace::{for_all, message, of, steps, with_trace};

/// The root's state as the server holds it while nobody has answered.
#[derive(Default)]
struct Store {
    messages: Vec<(String, String)>,
    interrupts: Vec<(String, String)>,
    /// Something was read that no state holds.
    is_beyond: bool,
}

impl Store {
    fn receive(&mut self, text: &str) {
        let Ok(document) = Document::parse(text, &Limits::default()) else { return };
        let root = document.root();
        let event = root.get("event").and_then(|event| event.as_str()).unwrap_or_default();
        let data = root.get("data").unwrap_or(root);
        match event.as_ref() {
            "values" => {
                if let Some(messages) = data.get("messages").filter(|messages| messages.is_array()) {
                    // The part that ends a run leaves out what its last tasks have left; the state does not.
                    if data.get("__interrupt__").is_none() {
                        self.messages.clear();
                    }
                    messages.items().for_each(|message| self.message(message));
                }
                self.asked(data.get("__interrupt__"));
            }
            "updates" => {
                for (node, update) in data.members() {
                    if node.equals("__interrupt__") {
                        self.asked(Some(update));
                        continue;
                    }
                    match update.get("messages") {
                        Some(list) if list.is_array() => {
                            list.items().for_each(|message| self.message(message))
                        }
                        Some(one) => self.message(one),
                        None => {}
                    }
                }
            }
            "metadata" | "heartbeat" | "end" | "custom" | "error" => {}
            event if event.starts_with("messages") => {}
            _ => self.is_beyond = true,
        }
    }

    fn message(&mut self, message: Value<'_>) {
        let id = message.get("id").map_or("", Value::text).to_owned();
        match self.messages.iter_mut().find(|(known, _)| *known == id && !id.is_empty()) {
            Some(known) => message.text().clone_into(&mut known.1),
            None => self.messages.push((id, message.text().to_owned())),
        }
    }

    fn asked(&mut self, list: Option<Value<'_>>) {
        let one = list.filter(|list| list.is_object());
        for interrupt in one.into_iter().chain(list.into_iter().flat_map(Value::items)) {
            let key = interrupt.get("id").unwrap_or(interrupt).text().to_owned();
            match self.interrupts.iter_mut().find(|(known, _)| *known == key) {
                Some(known) => interrupt.text().clone_into(&mut known.1),
                None => self.interrupts.push((key, interrupt.text().to_owned())),
            }
        }
    }

    fn state(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_object().key("values").begin_object().key("messages").begin_array();
        for (_, message) in &self.messages {
            writer.raw(message);
        }
        writer.end_array().end_object().key("next").begin_array().end_array().key("tasks").begin_array();
        for (at, (_, interrupt)) in self.interrupts.iter().enumerate() {
            writer.begin_object().key("id").string(&format!("task-{at}")).key("name").string("node");
            writer.key("error").null().key("result").null();
            writer.key("interrupts").begin_array().raw(interrupt).end_array().end_object();
        }
        writer.finish()
    }
}

/// What a reload must show again: request, call, tool, arguments, status and offers.
type Known = (Option<String>, Option<String>, String, String, Status, Vec<&'static str>);

fn known(inbox: &Inbox) -> Vec<Known> {
    let text = |id: &dyn std::fmt::Display| id.to_string();
    let card = |view: RequestView| {
        (
            view.request.as_ref().map(|id| text(id)),
            view.call.as_ref().map(|id| text(id)),
            view.tool.to_string(),
            view.args_text.to_string(),
            view.status,
            view.offers.iter().map(|offer| offer.kind.as_str()).collect(),
        )
    };
    inbox.views().into_iter().map(card).collect()
}

fn waits(inbox: &Inbox) -> bool {
    // A stream may leave open whether what has no id waits alone, which a state says.
    let is_open = matches!(&*known(inbox), [(Some(id), .., Status::Blocked, _)] if id.starts_with("ns:"));
    !is_open && inbox.statuses().all(|status| matches!(status, Status::Pending | Status::Blocked))
}

#[test]
fn r39_a_state_at_any_moment_before_the_answer_rebuilds_what_was_shown() {
    let (compared, reloaded, found) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_all(of("langgraph"), |trace| {
        let steps = steps(trace);
        for cut in 0..steps.len() {
            let mut runner = Runner::new(trace, "langgraph");
            let mut store = Store::default();
            for (place, step) in steps.iter().enumerate() {
                runner.step(*step).map_err(|error| format!("cut {cut}, step {place}: {error}"))?;
                if let (Some(received), true) = (step.get("receive"), place <= cut) {
                    store.receive(&message(received));
                }
                let decides = ["decide", "decideAll", "restore"].iter().any(|key| step.get(key).is_some());
                if place < cut && (decides || store.is_beyond) {
                    break;
                }
                if place == cut {
                    if decides || store.is_beyond || store.messages.is_empty() || !waits(&runner.inbox) {
                        break;
                    }
                    let before = known(&runner.inbox);
                    runner.reload(&store.state());
                    let mut after = known(&runner.inbox);
                    // A call that was known stays known, also when its message was rewritten; a reload cannot know it.
                    for (before, after) in before.iter().zip(&mut after) {
                        found.set(found.get() + usize::from(after.1.is_some()));
                        after.1 = after.1.take().or_else(|| before.1.clone());
                    }
                    if before != after {
                        return Err(format!("after step {cut}: live {before:#?}\nrebuilt {after:#?}"));
                    }
                    compared.set(compared.get() + 1);
                    reloaded.set(reloaded.get() + usize::from(!before.is_empty()));
                }
            }
        }
        Ok(())
    });
    let counts = (compared.get(), reloaded.get(), found.get());
    assert!(counts.0 > 150 && counts.1 > 70 && counts.2 > 80, "only {counts:?} were compared");
}

#[test]
fn r09_reading_everything_twice_changes_nothing() {
    let repeated = Cell::new(0);
    for_all(of("langgraph"), |trace| {
        let mut runner = Runner::new(trace, "langgraph");
        for (place, step) in steps(trace).into_iter().enumerate() {
            runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
            // How many messages are hidden is said of the last one only, which is the same again.
            if step.get("receive").is_some() || step.get("restore").is_some() {
                let before = runner.views();
                runner.step(step).map_err(|error| format!("step {place} again: {error}"))?;
                let after = runner.views();
                let seen = |views: &[RequestView]| -> Vec<_> {
                    views
                        .iter()
                        .map(|view| (view.id.clone(), view.status, view.args_text.to_string()))
                        .collect()
                };
                if seen(&before) != seen(&after) {
                    return Err(format!("step {place} again: {:#?}\n{:#?}", seen(&before), seen(&after)));
                }
                repeated.set(repeated.get() + 1);
            }
        }
        Ok(())
    });
    assert!(repeated.get() > 1000, "only {repeated:?} messages were repeated");
}

struct Page {
    inbox: Inbox,
}

impl Page {
    fn new() -> Page {
        let adapter = adapter("auto", &AdapterOptions::default()).expect("`auto` is always there");
        Page { inbox: Inbox::new(adapter, InboxOptions::default()) }
    }

    fn receive(&mut self, text: &str) -> Vec<String> {
        let outputs =
            self.inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
        problems(outputs)
    }

    fn restore(&mut self, text: &str) -> Vec<String> {
        let outputs = self.inbox.handle(START, Input::Restore { text: text.into(), rounded: false });
        problems(outputs.expect("history is never refused"))
    }

    fn decide(&mut self, id: &str, decision: Decision) -> Vec<String> {
        let request = self.inbox.find(id).expect("the request is known");
        let outputs = self.inbox.handle(START, Input::Decide { request, decision, seen: None, offer: None });
        problems(outputs.expect("it is offered"))
    }

    fn sent(&mut self) -> Vec<(String, String)> {
        let outbound = self.inbox.take_outbound().into_iter();
        outbound.map(|outbound| (outbound.body.to_string(), outbound.transport.to_string())).collect()
    }

    fn statuses(&self) -> Vec<Status> {
        self.inbox.statuses().collect()
    }
}

fn problems(outputs: Vec<Output>) -> Vec<String> {
    let problem =
        |output| if let Output::Problem(problem) = output { Some(problem.code.to_string()) } else { None };
    outputs.into_iter().filter_map(problem).collect()
}

const ID: &str = "000000000000000000000000000000a1";
const HEALTHY: &str = r#"{"event":"updates|healthy:1","data":{"__interrupt__":[{"id":"ffffffffffffffffffffffffffffffff","value":{"action_requests":[{"name":"healthy","args":{"n":1}}],"review_configs":[{"action_name":"healthy","allowed_decisions":["approve","reject"]}]}}]}}"#;

fn asks(id: &str, args: &str) -> String {
    format!(
        r#"{{"event":"updates","data":{{"__interrupt__":[{{"id":"{id}","value":{{"action_requests":[{{"name":"del","args":{args}}}],"review_configs":[{{"action_name":"del","allowed_decisions":["approve","reject"]}}]}}}}]}}}}"#
    )
}

#[test]
fn r08_r15_damaged_recordings_never_panic_or_send() {
    let mut random = Random(11);
    let mut tried = 0;
    for path in of("langgraph") {
        with_trace(&path, |trace| {
            let all = steps(trace);
            let texts = all.iter().filter_map(|step| step.get("receive").or_else(|| step.get("restore")));
            let texts: Vec<String> = texts.map(message).collect();
            for _ in 0..8 {
                let mut page = Page::new();
                page.receive(HEALTHY);
                for text in &texts {
                    let text = damage(text, &mut random);
                    match random.below(8) {
                        0 => drop(page.restore(&text)),
                        _ => drop(page.receive(&text)),
                    }
                    tried += 1;
                }
                assert!(page.sent().is_empty(), "nobody decided");
                let decided = [Status::Drafted, Status::Sending, Status::Sent];
                assert!(!page.statuses().iter().any(|status| decided.contains(status)), "nobody decided");
            }
        });
    }
    assert!(tried > 5000, "only {tried} messages were tried");
}

#[test]
fn damaged_neighbours_never_hide_a_good_request() {
    let mut random = Random(5);
    for path in of("langgraph") {
        with_trace(&path, |trace| {
            // Only a state or a list may say that a request is gone.
            let received = steps(trace).into_iter().filter_map(|step| step.get("receive"));
            let texts: Vec<String> =
                received.filter(|received| received.get("event").is_some()).map(message).collect();
            let mut healthy = |damages: bool| {
                let mut page = Page::new();
                page.receive(HEALTHY);
                for text in &texts {
                    page.receive(&if damages { damage(text, &mut random) } else { text.clone() });
                }
                let view = page.inbox.views().into_iter().find(|view| view.tool.as_ref() == "healthy");
                view.map(|view| view.status)
            };
            // A person who wrote on has left it behind.
            if healthy(false) != Some(Status::Superseded) {
                assert_eq!(healthy(true), Some(Status::Pending), "{}", path.display());
            }
        });
    }
}

#[test]
fn r14_huge_deep_and_wide_arguments_leave_the_other_cards_alone() {
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(10 << 20));
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let names: Vec<String> = (0..400_000).map(|number| format!("\"k{number}\":1")).collect();
    let wide = format!("{{{}}}", names.join(","));
    for args in [huge, deep, wide] {
        let mut page = Page::new();
        page.receive(HEALTHY);
        assert!(page.receive(&asks(ID, &args)).is_empty());
        let request = page.inbox.find(&format!("{ID}/0")).expect("the request is known");
        let approval = Input::Decide { request, decision: Decision::approve(), seen: None, offer: None };
        let refused = page.inbox.handle(START, approval).expect_err("nobody can have read it");
        assert_eq!(refused.code().as_str(), "args-ambiguous");
        assert!(page.decide("ffffffffffffffffffffffffffffffff/0", Decision::approve()).is_empty());
        assert!(page.decide(&format!("{ID}/0"), Decision::reject(None)).is_empty());
        assert_eq!(page.sent().len(), 2);
    }
}

#[test]
fn what_is_no_message_is_a_problem_and_touches_no_card() {
    let mut page = Page::new();
    page.receive(&asks(ID, "{}"));
    for (text, code) in [
        ("{\"event\":", "json-invalid"),
        ("", "json-invalid"),
        ("{\"hello\":1}", "message-unrecognised"),
        ("[1]", "part-invalid"),
        ("7", "message-unrecognised"),
        (r#"{"event":"updates","data":{"__interrupt__":[null]}}"#, "part-invalid"),
    ] {
        assert_eq!(page.receive(text), [code], "{text}");
        assert_eq!(page.statuses(), [Status::Pending], "{text}");
    }
}

/// In JavaScript, one rejection drops the whole batch; Python runs what was approved beside it.
#[test]
fn a_batch_says_whether_one_rejection_drops_all_of_it() {
    let python = |spelt: &str| {
        spelt
            .replace("actionRequests", "action_requests")
            .replace("reviewConfigs", "review_configs")
            .replace("actionName", "action_name")
    };
    let asked = r#"{"event":"updates","data":{"__interrupt__":[{"id":"903a7051571533cd67d2897a2694c6d1","value":{
        "actionRequests":[{"name":"one","args":{}},{"name":"two","args":{}}],
        "reviewConfigs":[{"actionName":"one","allowedDecisions":["approve","reject"]},
            {"actionName":"two","allowedDecisions":["approve","reject"]}]}}]}}"#;
    for (text, drops) in
        [(asked.to_owned(), true), (python(asked).replace("allowedDecisions", "allowed_decisions"), false)]
    {
        let adapter = adapter("langgraph", &AdapterOptions::default()).expect("the adapter is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        inbox.handle(START, Input::Receive { text: text.as_str(), rounded: false }).expect("it is read");
        let told: Vec<_> =
            inbox.views().into_iter().map(|view| view.batch.clone().map(|batch| batch.rejects_all)).collect();
        assert_eq!(told, [Some(drops), Some(drops)], "{text}");
    }
}

#[test]
fn the_host_is_told_which_interrupts_a_body_answers_and_where() {
    let mut page = Page::new();
    page.receive(&asks(ID, "{}").replace("\"updates\"", "\"updates|tools:a|tools:b\""));
    page.decide(&format!("{ID}/0"), Decision::approve());
    let (body, transport) = page.sent().remove(0);
    assert_eq!(body, format!(r#"{{"resume":{{"{ID}":{{"decisions":[{{"type":"approve"}}]}}}}}}"#));
    assert_eq!(
        transport,
        format!(
            r#"{{"protocol":"langgraph","interrupts":[{{"interrupt_id":"{ID}","namespace":["tools:a","tools:b"]}}]}}"#
        )
    );
}

/// A page with an interrupt of two calls, of which one has run.
fn half_over(mut page: Page) -> Page {
    let two = |first: &str| {
        asks(ID, first).replace("}],\"review", "},{\"name\":\"del\",\"args\":{}}],\"review").replace(
            "]}]}}]}}",
            "]},{\"action_name\":\"del\",\"allowed_decisions\":[\"approve\",\"reject\"]}]}}]}}",
        )
    };
    page.receive(r#"{"event":"values","data":{"messages":[{"type":"ai","id":"m","tool_calls":[{"id":"c","name":"del","args":{"n":1}}]}]}}"#);
    page.receive(&two("{\"n\":1}"));
    page.receive(r#"{"event":"updates","data":{"tools":{"messages":[{"type":"tool","tool_call_id":"c","content":"ok","status":"success"}]}}}"#);
    assert_eq!(page.statuses(), [Status::Completed, Status::Pending]);
    page
}

#[test]
fn an_answer_that_cannot_be_written_is_told_and_stays_drafted() {
    let mut page = half_over(Page::new());
    assert_eq!(page.decide(&format!("{ID}/1"), Decision::approve()), ["answer-unwritable"]);
    assert!(page.sent().is_empty());
    assert_eq!(page.statuses(), [Status::Completed, Status::Drafted]);
}

#[test]
fn r10_a_held_answer_that_cannot_be_written_is_told_beside_one_that_can() {
    let adapter = adapter("langgraph", &AdapterOptions::default()).expect("it is there");
    let options = InboxOptions { hold_rejections: Millis(1000), ..InboxOptions::default() };
    let mut page = half_over(Page { inbox: Inbox::new(adapter, options) });
    page.receive(HEALTHY);
    let healthy = format!("{}/0", "f".repeat(32));
    for id in [&format!("{ID}/1"), &healthy] {
        assert_eq!(page.decide(id, Decision::reject(None)), [""; 0], "it is held");
    }
    let outputs = page.inbox.handle(START.after(Millis(1000)), Input::Tick).expect("it is never refused");
    assert!(!outputs.iter().any(|output| matches!(output, Output::WakeAt(_))), "{outputs:?}");
    assert_eq!(problems(outputs), ["answer-unwritable"]);
    let sent = page.sent();
    assert!(sent.len() == 1 && sent[0].0.contains(&"f".repeat(32)) && !sent[0].0.contains(ID), "{sent:?}");
    assert_eq!(page.statuses(), [Status::Completed, Status::Drafted, Status::Sending]);
}

/// A page with a request, approved, of a sub-agent, while an equal call of its root still runs beside it.
fn beside_an_equal_call() -> Page {
    let mut page = Page::new();
    page.receive(r#"{"event":"metadata","data":{"run_id":"r"}}"#);
    page.receive(r#"{"event":"values","data":{"messages":[{"type":"ai","id":"m","tool_calls":[{"id":"c","name":"del","args":{}},{"id":"d","name":"delegate","args":{}}]}]}}"#);
    page.receive(&asks(ID, "{}"));
    page.decide(&format!("{ID}/0"), Decision::approve());
    page
}

const EQUAL_CALL_ENDS: &str = r#"{"event":"updates","data":{"tools":{"messages":[{"type":"tool","tool_call_id":"c","content":"ok","status":"success"}]}}}"#;

#[test]
fn an_answer_that_was_taken_back_before_it_left_settles_nothing() {
    let mut page = beside_an_equal_call();
    let request = page.inbox.find(&format!("{ID}/0")).expect("the request is known");
    page.inbox.handle(START, Input::Undo(request)).expect("the host has not taken it");
    page.receive(EQUAL_CALL_ENDS);
    assert_eq!(page.statuses(), [Status::Pending]);
    assert!(page.sent().is_empty());
}

#[test]
fn an_answer_that_was_refused_settles_nothing_before_it_leaves_again() {
    let mut page = beside_an_equal_call();
    let id = page.inbox.take_outbound().remove(0).id;
    let refused = Input::Failed { id, status: Some(409), message: None };
    page.inbox.handle(START, refused).expect("it is on its way");
    page.receive(EQUAL_CALL_ENDS);
    assert_eq!(page.statuses(), [Status::Drafted]);
    let request = page.inbox.find(&format!("{ID}/0")).expect("the request is known");
    page.inbox.handle(START, Input::Retry(request)).expect("it can be sent again");
    assert_eq!(page.sent().len(), 1);
    page.receive(r#"{"event":"metadata","data":{"run_id":"s"}}"#);
    page.receive(r#"{"event":"error","data":{"message":"boom"}}"#);
    assert_eq!(page.statuses(), [Status::Failed], "now it is on its way, and its run has failed");
}

#[test]
fn r10_a_retry_after_a_refusal_reaches_no_question_that_came_since() {
    const LATER: &str = "0123456789abcdef0123456789abcde5";
    let asks = |id: &str, action: &str| {
        format!(
            r#"{{"event":"updates","data":{{"__interrupt__":[{{"id":"{id}","value":{{"action_request":{{"action":"tool_approval_{action}","args":{{}}}},"config":{{"allow_accept":true,"allow_ignore":true}}}}}}]}}}}"#
        )
    };
    let mut page = Page::new();
    page.receive(r#"{"event":"metadata","data":{"run_id":"r1"}}"#);
    page.receive(&asks(ID, "delete_file"));
    let request = page.inbox.find(ID).expect("the request is known");
    let decision = Decision::approve();
    let decide = Input::Decide { request: request.clone(), decision, seen: None, offer: None };
    page.inbox.handle(START, decide).expect("it waits");
    let id = page.inbox.take_outbound().remove(0).id;
    // The run of another tab has answered it; the node of that run goes on to its next question.
    page.inbox
        .handle(START, Input::Failed { id, status: Some(409), message: None })
        .expect("it was on its way");
    page.receive(r#"{"event":"metadata","data":{"run_id":"r2"}}"#);
    page.receive(&asks(LATER, "send_email"));
    let retried = page.inbox.handle(START, Input::Retry(request));
    assert_eq!(retried.expect_err("it would answer the next question").code().as_str(), "blocked");
    assert!(page.sent().is_empty());
}

#[test]
fn the_host_is_told_that_a_new_message_abandons_what_waits() {
    let mut page = Page::new();
    assert!(page.inbox.advice().is_empty());
    page.receive(&asks(ID, "{}"));
    assert_eq!(page.inbox.advice()[0].code, "typed-text-ends-pause");
    page.receive(r#"{"values":{"messages":[]},"next":[],"tasks":[]}"#);
    assert!(page.inbox.advice().is_empty());
}

#[test]
fn a_request_of_the_python_sdk_is_not_taken_for_a_list_of_tasks() {
    let mut page = Page::new();
    let state = r#"{"values":{"messages":[]},"next":["n"],"tasks":[{"id":"t","name":"n","error":null,"interrupts":[],"result":null}],"interrupts":[]}"#;
    assert!(page.restore(state).is_empty());
    assert!(page.receive(&asks(ID, "{}")).is_empty());
    assert_eq!(page.statuses(), [Status::Pending]);
}

#[test]
fn rounded_numbers_are_flagged_but_not_inside_a_text() {
    let value = r#"[{"action_request":{"action":"pay","args":{"n":9007199254740993}},"config":{"allow_accept":true}}]"#;
    for (value, rounded) in [(value.to_owned(), true), (countersign_json::quote(value), false)] {
        let text =
            format!(r#"{{"event":"updates","data":{{"__interrupt__":[{{"id":"{ID}","value":{value}}}]}}}}"#);
        let mut page = Page::new();
        page.inbox
            .handle(START, Input::Receive { text: &text, rounded: true })
            .expect("news is never refused");
        let hazards = page.inbox.views()[0].hazards.iter().any(|hazard| hazard.code == "rounded-number");
        assert_eq!(hazards, rounded, "{text}");
    }
}

#[test]
fn ten_thousand_requests_are_asked_matched_and_answered_in_good_time() {
    let many = 10_000;
    let list = |one: &dyn Fn(usize) -> String| (0..many).map(one).collect::<Vec<_>>().join(",");
    let calls = list(&|at| format!(r#"{{"id":"c{at}","name":"del","args":{{"n":{at}}}}}"#));
    let requests = list(&|at| format!(r#"{{"name":"del","args":{{"n":{at}}}}}"#));
    let configs = list(&|_| r#"{"action_name":"del","allowed_decisions":["approve","reject"]}"#.to_owned());
    let results = list(&|at| {
        format!(r#"{{"type":"tool","id":"t{at}","tool_call_id":"c{at}","content":"ok","status":"success"}}"#)
    });
    let ai = format!(r#"{{"type":"ai","id":"m","content":"","tool_calls":[{calls}]}}"#);
    let begun = std::time::Instant::now();
    let mut page = Page::new();
    let value = format!(r#"{{"action_requests":[{requests}],"review_configs":[{configs}]}}"#);
    let state = format!(
        r#"{{"values":{{"messages":[{ai}]}},"next":[],"tasks":[{{"id":"t","name":"n","interrupts":[{{"id":"{ID}","value":{value}}}],"result":null,"error":null}}]}}"#
    );
    page.restore(&state);
    let ids: Vec<_> =
        (0..many).map(|at| (page.inbox.find(&format!("{ID}/{at}")).expect("known"), None)).collect();
    assert_eq!(
        page.inbox.view_at(9_999).and_then(|view| view.call).as_ref().map(|id| id.as_str()),
        Some("c9999")
    );
    page.inbox
        .handle(START, Input::DecideAll { requests: ids, decision: Decision::approve(), offer: None })
        .expect("it is never refused as a whole");
    assert_eq!(page.sent().len(), 1);
    page.receive(&format!(r#"{{"event":"values","data":{{"messages":[{ai},{results}]}}}}"#));
    assert!(page.statuses().iter().all(|status| *status == Status::Completed));
    // Unoptimised; it is about growth, not about speed.
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    println!("{:?}", begun.elapsed());
}

#[test]
fn the_reply_to_a_run_is_recognised_by_its_messages_alone() {
    let call = r#"{"type":"ai","id":"m1","content":"","tool_calls":[{"id":"c1","name":"search","args":{}}]}"#;
    let family = "langgraph";
    let others = [
        r#"{"role":"user","content":"hi"}"#,
        r#"{"type":"message","role":"user","content":"hi"}"#,
        r#"{"type":"ai"}"#,
    ];
    assert_eq!(countersign_protocols::recognise(&format!(r#"{{"messages":[{call}]}}"#)), Some(family));
    for other in others {
        assert_ne!(
            countersign_protocols::recognise(&format!(r#"{{"messages":[{other}]}}"#)),
            Some(family),
            "{other}"
        );
    }
    let adapter = adapter("auto", &AdapterOptions::default()).expect("`auto` is always there");
    let mut inbox = Inbox::new(adapter, InboxOptions::default());
    let reply = format!(r#"{{"messages":[{call}]}}"#);
    let outputs = inbox.handle(START, Input::Receive { text: &reply, rounded: false }).expect("it is taken");
    assert_eq!(outputs, [Output::Hidden(false)]);
    assert!(inbox.views().is_empty(), "nothing is asked yet");
}
