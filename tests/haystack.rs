//! What the Haystack adapter promises at every step of every trace, and for hostile, broken and unusual input.

#[path = "haystack/apart.rs"]
mod apart;

use countersign_core::{Decision, Inbox, InboxOptions, Input, Output, RequestView, Status};
use countersign_json::Value;
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::alone::Alone;
use countersign_tests::damage::{Random, damage};
use countersign_tests::moment::START;
use countersign_tests::runner::Runner;
use countersign_tests::trace::{for_all, message, of, steps, with_trace};

struct Page {
    inbox: Inbox,
}

impl Page {
    fn new() -> Page {
        let adapter = adapter("haystack", &AdapterOptions::default()).expect("the adapter is built in");
        Page { inbox: Inbox::new(adapter, InboxOptions::default()) }
    }

    fn receive(&mut self, text: &str) -> Vec<String> {
        self.input(Input::Receive { text, rounded: false })
    }

    fn restore(&mut self, text: &str) -> Vec<String> {
        self.input(Input::Restore { text: text.into(), rounded: false })
    }

    fn input(&mut self, input: Input<'_>) -> Vec<String> {
        let problem = |output| {
            if let Output::Problem(problem) = output { Some(problem.code.to_string()) } else { None }
        };
        let outputs = self.inbox.handle(START, input).expect("what arrives is never refused");
        outputs.into_iter().filter_map(problem).collect()
    }

    fn decide(&mut self, id: &str, decision: Decision) -> Result<(), String> {
        let request = self.inbox.find(id).map_err(|refusal| refusal.code().to_string())?;
        let result = self.inbox.handle(START, Input::Decide { request, decision, seen: None, offer: None });
        result.map(|_| ()).map_err(|refusal| refusal.code().to_string())
    }

    fn sent(&mut self) -> Vec<String> {
        self.inbox.take_outbound().into_iter().map(|outbound| outbound.body.to_string()).collect()
    }
}

/// The log that a host keeps of the messages it sent.
#[derive(Default)]
struct Log {
    messages: Vec<String>,
}

impl Log {
    /// Takes a message in; `false`: it is none that this log can hold.
    fn add(&mut self, value: Value<'_>) -> bool {
        let items: Vec<Value<'_>> = if value.is_array() { value.items().collect() } else { vec![value] };
        for item in items {
            let Some(kind) = item.get("type").and_then(|kind| kind.as_str()) else { return false };
            // An error goes to one socket alone, and is in no log.
            if kind == "approval_error" {
                return false;
            }
            self.messages.push(item.text().to_owned());
        }
        true
    }

    fn text(&self) -> String {
        format!("[{}]", self.messages.join(","))
    }
}

/// What a log can know of a card: what was decided here alone is not in it.
fn known(view: &RequestView, tells_decision: bool) -> String {
    let is_own = matches!(view.status, Status::Drafted | Status::Sending | Status::Sent);
    let status = if is_own { Status::Pending } else { view.status };
    let decision = view.decision.as_ref().filter(|_| tells_decision && !is_own);
    let decision = decision.map(|decision| (&decision.kind, &decision.args));
    let offers = view.offers.iter().map(|offer| offer.kind.as_str());
    let offers: Vec<&str> = if status == Status::Pending { Vec::new() } else { offers.collect() };
    let (result, error) = (&view.result_text, &view.error);
    let (id, call, tool, args) = (&view.request, &view.call, &view.tool, &view.args_text);
    format!(
        "{id:?} {call:?} {tool} {args} {status:?} {offers:?} {decision:?} {result:?} {error:?} {}",
        view.automatic
    )
}

/// Whether the log says the same of this card: not of a conflict, which only the tab knows that lost, nor of what came
/// again after it was decided here.
fn is_told(live: &RequestView, rebuilt: &RequestView) -> bool {
    let came_late = live.status == Status::Sent && live.args_text != rebuilt.args_text;
    live.status != Status::Conflict && !came_late
}

#[test]
fn r39_the_log_at_every_step_rebuilds_what_was_shown() {
    let compared = std::cell::Cell::new(0);
    for_all(of("haystack"), |trace| {
        let mut runner = Runner::new(trace, "haystack");
        let mut log = Some(Log::default());
        for (place, step) in steps(trace).into_iter().enumerate() {
            // Deadlines start anew with a reload, and other forms than events are in no log.
            let reset = step.get("restore").is_some() || step.get("time").is_some();
            if reset || step.get("failed").is_some() {
                log = None;
            }
            runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
            let Some(received) = step.get("receive") else { continue };
            if received.get("$text").is_some() || !log.as_mut().is_some_and(|log| log.add(received)) {
                log = None;
            }
            let Some(log) = &log else { continue };
            let mut page = Runner::new(trace, "haystack");
            page.reload(&log.text());
            let (live, rebuilt) = (runner.views(), page.views());
            for (live, rebuilt) in live.iter().zip(&rebuilt).filter(|(live, rebuilt)| is_told(live, rebuilt))
            {
                // Which words let it run is known once the decision itself is shown.
                let tells_decision = rebuilt.decision.is_some() && live.status != Status::Approved;
                let (live, rebuilt) = (known(live, tells_decision), known(rebuilt, tells_decision));
                if live != rebuilt {
                    return Err(format!("step {place}\nlive    {live}\nrebuilt {rebuilt}"));
                }
            }
            if live.len() != rebuilt.len() {
                return Err(format!("step {place}: {} cards live, {} rebuilt", live.len(), rebuilt.len()));
            }
            compared.set(compared.get() + 1);
        }
        Ok(())
    });
    assert!(compared.get() > 150, "only {} states were compared", compared.get());
}

#[test]
fn r09_reading_everything_twice_changes_nothing() {
    let read = std::cell::Cell::new(0);
    for_all(of("haystack"), |trace| {
        let mut runner = Runner::new(trace, "haystack");
        for (place, step) in steps(trace).into_iter().enumerate() {
            runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
            let Some(arrived) = step.get("receive").or_else(|| step.get("restore")) else { continue };
            let text = message(arrived);
            // Calls of this wire without an id are new ones each time.
            let is_nameless = text.contains("tool_call_start")
                && !(arrived.get("id").is_some_and(|id| id.is_string() && !id.equals("")));
            if is_nameless {
                continue;
            }
            let before = runner.views();
            let now = runner.now();
            runner
                .inbox
                .handle(now, Input::Receive { text: &text, rounded: false })
                .map_err(|refusal| refusal.to_string())?;
            if before != runner.views() {
                return Err(format!("step {place}: {before:#?}\nthen {:#?}", runner.views()));
            }
            read.set(read.get() + 1);
        }
        Ok(())
    });
    assert!(read.get() > 250, "only {} messages were read twice", read.get());
}

fn request(id: &str, args: &str) -> String {
    format!(r#"{{"type":"approval_request","id":"{id}","tool_name":"pay","tool_params":{args}}}"#)
}

#[test]
fn what_is_no_message_is_a_problem_and_touches_no_card() {
    let mut page = Page::new();
    page.receive(&request("r1", "{}"));
    for (text, codes) in [
        ("{\"type\":", vec!["json-invalid"]),
        ("7", vec!["message-unrecognised"]),
        ("[1,null]", vec!["message-unrecognised", "message-unrecognised"]),
        ("{\"hello\":\"world\"}", vec!["message-unrecognised"]),
        ("{\"tool_calls\":[]}", vec!["message-unrecognised"]),
        ("{\"type\":\"approval_request\"}", vec!["part-invalid"]),
        ("{\"type\":\"tool_call_start\",\"id\":\"x\"}", vec!["part-invalid"]),
        ("{\"type\":7}", vec!["message-unrecognised"]),
        ("{\"type\":\"text\"}", vec![]),
        (
            "{\"type\":\"approval_error\",\"id\":\"r1\",\"status\":500,\"detail\":\"x\"}",
            vec!["backend-error"],
        ),
    ] {
        assert_eq!(page.receive(text), codes, "{text}");
        assert_eq!(page.inbox.views()[0].status, Status::Pending, "{text}");
    }
    assert_eq!(page.inbox.len(), 1);
    assert!(page.sent().is_empty());
}

#[test]
fn r08_r15_damaged_recordings_never_panic_send_or_hide_others() {
    let mut random = Random(11);
    let mut tried = 0;
    for path in of("haystack") {
        let messages: Vec<String> = with_trace(&path, |trace| {
            let text = |step: Value<'_>| step.get("receive").or_else(|| step.get("restore")).map(message);
            steps(trace).into_iter().filter_map(text).collect()
        });
        for _ in 0..10 {
            let mut page = Page::new();
            page.receive(&request("healthy", "{}"));
            for text in &messages {
                page.receive(&damage(text, &mut random));
                tried += 1;
            }
            assert!(page.sent().is_empty(), "nobody decided");
            let ours = |status| matches!(status, Status::Drafted | Status::Sending | Status::Sent);
            assert!(!page.inbox.statuses().any(ours));
            let healthy = |page: &Page| {
                let mut views = page.inbox.views().into_iter();
                views.find(|view| view.request.as_ref().is_some_and(|id| id.as_str() == "healthy"))
            };
            // What a list of all that waits lacks is over, until it is asked again.
            let status = healthy(&page).map(|view| view.status);
            assert!(matches!(status, Some(Status::Pending | Status::Unknown)), "{status:?}");
            page.receive(&request("healthy", "{}"));
            assert_eq!(healthy(&page).map(|view| view.status), Some(Status::Pending), "{}", path.display());
        }
    }
    assert!(tried > 2000, "only {tried} messages were tried");
}

#[test]
fn r14_huge_deep_and_wide_arguments_leave_the_other_cards_alone() {
    let mut page = Page::new();
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(10 << 20));
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let names: Vec<String> = (0..400_000).map(|number| format!("\"k{number}\":1")).collect();
    let wide = format!("{{{}}}", names.join(","));
    page.receive(&request("r1", "{}"));
    page.receive(&request("r2", &huge));
    page.receive(&request("r3", &deep));
    page.receive(&request("r4", &wide));
    for id in ["r2", "r3", "r4"] {
        assert_eq!(page.decide(id, Decision::approve()), Err("args-ambiguous".to_owned()), "{id}");
    }
    assert_eq!(page.decide("r1", Decision::approve()), Ok(()));
    assert_eq!(page.decide("r3", Decision::reject(None)), Ok(()));
    assert_eq!(page.sent().len(), 2);
}

#[test]
fn r06_an_approval_carries_no_arguments() {
    let mut page = Page::new();
    page.receive(&request("r1", r#"{"n":2512292042121000001}"#));
    page.decide("r1", Decision::approve()).expect("it is offered");
    assert_eq!(page.sent(), [r#"{"type":"approval_response","id":"r1","action":"confirm"}"#]);
}

#[test]
fn r07_r12_an_edit_leaves_as_it_was_typed() {
    let mut page = Page::new();
    let args =
        r#"{"a":2512292042121000001,"b":18446744073709551616,"c":1e400,"d":1.00,"e":-0,"f":1E+2,"g":0.1e-7}"#;
    page.receive(&request("r1", args));
    let edited = args.replace("1.00", "1.000");
    page.decide("r1", Decision::Edit { args: edited.as_str().into(), note: None }).expect("it is offered");
    let expected =
        format!(r#"{{"type":"approval_response","id":"r1","action":"modify","new_tool_params":{edited}}}"#);
    assert_eq!(page.sent(), [expected]);
}

#[test]
fn r44_reasons_leave_verbatim() {
    let mut page = Page::new();
    page.receive(&request("r1", "{}"));
    page.decide("r1", Decision::reject(Some("a\n\"b\" \u{202E}"))).expect("it is offered");
    let expected = "{\"type\":\"approval_response\",\"id\":\"r1\",\"action\":\"reject\",\"feedback\":\"a\\n\\\"b\\\" \u{202E}\"}";
    assert_eq!(page.sent(), [expected]);
}

#[test]
fn r01_fifty_equal_requests_are_told_apart_by_their_ids() {
    let mut page = Page::new();
    for number in 0..50 {
        page.receive(&request(&format!("r{number}"), "{}"));
    }
    for number in (0..50).rev() {
        let decision = if number % 2 == 0 { Decision::approve() } else { Decision::reject(None) };
        page.decide(&format!("r{number}"), decision).expect("it is offered");
        let action = if number % 2 == 0 { "confirm" } else { "reject" };
        let expected = format!(r#"{{"type":"approval_response","id":"r{number}","action":"{action}"}}"#);
        assert_eq!(page.sent(), [expected]);
    }
}

#[test]
fn r01_a_call_without_an_id_is_one_request_however_its_arguments_are_spelt() {
    let snapshot = |args: &str| {
        format!(
            r#"{{"tool_calls":[{{"tool_name":"pay","arguments":{args},"id":null,"extra":null}}],"tool_descriptions":{{"pay":"Pay."}}}}"#
        )
    };
    for again in [
        r#"{"a":1,"b":"é"}"#,
        r#"{ "a": 1, "b": "é" }"#,
        r#"{"a":1,"b":"\u00e9"}"#,
        r#"{"b":"é","a":1}"#,
        r#"{"a":1.0,"b":"é"}"#,
    ] {
        for is_reload in [false, true] {
            let mut page = Page::new();
            page.receive(&snapshot(r#"{"a":1,"b":"é"}"#));
            let id = page.inbox.view_at(0).expect("the call is a request").id.to_string();
            assert_eq!(page.decide(&id, Decision::approve()), Ok(()));
            for outbound in page.inbox.take_outbound() {
                page.input(Input::Delivered(outbound.id));
            }
            if is_reload {
                page.restore(&snapshot(again));
            } else {
                page.receive(&snapshot(again));
            }
            assert_eq!(page.inbox.len(), 1, "{again}");
            let view = page.inbox.view_at(0).expect("it stays");
            assert_eq!(
                (view.id.to_string(), is_reload || view.status == Status::Sent),
                (id, true),
                "{again}"
            );
        }
    }
    // Other arguments are another call, also where they differ least.
    let ids =
        [r#"{"a":"1"}"#, r#"{"a":1}"#, r#"{"a":10}"#, r#"{"a":[1]}"#, r#"{"a":1,"b":{}}"#].map(|args| {
            let mut page = Page::new();
            page.receive(&snapshot(args));
            page.inbox.view_at(0).expect("the call is a request").id.to_string()
        });
    assert!((1..ids.len()).all(|at| !ids[..at].contains(&ids[at])), "{ids:?}");
}

#[test]
fn what_the_host_sent_itself_answers_nothing() {
    let mut page = Page::new();
    page.receive(&request("r1", "{}"));
    for text in
        [r#"{"type":"approval_resolved","id":"r1","action":"confirm"}"#, r#"{"action":"confirm"}"#, "{}"]
    {
        page.input(Input::Own { text });
        assert_eq!(page.inbox.views()[0].status, Status::Pending, "{text}");
    }
}

#[test]
fn a_history_of_ten_thousand_calls_is_read_in_a_moment() {
    let mut messages = Vec::new();
    for number in 0..10_000 {
        let arguments = format!(r#"{{"path":"/tmp/{number}","text":"{}"}}"#, "x".repeat(200));
        let call =
            format!(r#"{{"tool_name":"write","arguments":{arguments},"id":"call_{number}","extra":null}}"#);
        messages.push(format!(
            r#"{{"role":"user","meta":{{}},"name":null,"content":[{{"text":"The parameters for tool 'write' are {number}"}}]}},
               {{"role":"assistant","meta":{{}},"name":null,"content":[{{"tool_call":{call}}}]}},
               {{"role":"tool","meta":{{}},"name":null,"content":[{{"tool_call_result":{{"result":"ok","origin":{call},"error":false}}}}]}}"#
        ));
    }
    let history = format!("[{}]", messages.join(","));
    let mut page = Page::new();
    let before = std::time::Instant::now();
    assert!(page.restore(&history).is_empty());
    println!("{} bytes in {:?}", history.len(), before.elapsed());
    assert!(before.elapsed().as_secs() < 60);
    assert_eq!(page.inbox.len(), 10_000);
    assert!(page.inbox.statuses().all(|status| status == Status::Completed));
}

/// One request in each of the forms that can be answered, and how its answer travels.
fn forms() -> [(&'static str, String); 4] {
    let call = r#"{"tool_name":"pay","arguments":{},"id":"r","extra":null}"#;
    [
        ("websocket", request("r", "{}")),
        ("http", format!(r#"{{"r":{}}}"#, request("r", "{}"))),
        ("queue", r#"{"type":"tool_call_start","id":"r","tool_name":"pay","arguments":{}}"#.to_owned()),
        ("snapshot", format!(r#"{{"tool_calls":[{call}],"tool_descriptions":{{"pay":"Pay."}}}}"#)),
    ]
}

#[test]
fn what_a_host_says_of_a_refusal_counts_with_the_body_around_it_and_without() {
    let cases = [
        ("already decided: timeout", Status::Expired),
        ("already decided: confirm", Status::Approved),
        ("already decided: reject", Status::Conflict),
        ("already decided: somehow", Status::Conflict),
    ];
    for (words, status) in cases {
        let escaped = words.replace(':', "\\u003a");
        for message in
            [words.to_owned(), format!(r#"{{"detail": "{words}"}}"#), format!(r#"{{"detail":"{escaped}"}}"#)]
        {
            let mut page = Page::new();
            page.receive(&format!(r#"{{"r1":{}}}"#, request("r1", "{}")));
            page.decide("r1", Decision::approve()).unwrap();
            let id = page.inbox.take_outbound().remove(0).id;
            page.input(Input::Failed { id, status: Some(409), message: Some(message.clone()) });
            assert_eq!(page.inbox.views()[0].status, status, "{message}");
        }
    }
}

#[test]
fn the_host_is_told_how_an_answer_travels() {
    for (channel, text) in forms() {
        let mut page = Page::new();
        page.receive(&text);
        assert_eq!(page.decide("r", Decision::approve()), Ok(()), "{channel}");
        let transport = page.inbox.take_outbound().remove(0).transport;
        assert_eq!(*transport, format!(r#"{{"protocol":"haystack","channel":"{channel}"}}"#));
    }
}

#[test]
fn r08_a_decision_that_the_library_would_take_for_an_approval_is_never_written() {
    let answers = Decision::Answer { answers: vec![vec!["x".to_owned()]] };
    let edit = Decision::Edit { args: r#"{"n":2}"#.into(), note: None };
    for (channel, text) in forms() {
        let mut alone = Alone::new("haystack");
        alone.receive(&text);
        let formless = |decision: &Decision| {
            let sentence = format!("`{}` has no form on this wire", decision.kind().as_str());
            assert_eq!(alone.write("r", decision.clone()), Err(sentence), "{channel}");
        };
        for other in [Decision::Ignore, Decision::Cancel, Decision::Respond { text: "x".into() }] {
            formless(&other);
        }
        formless(&answers);
        if channel == "queue" {
            formless(&edit);
        }
        assert!(alone.write("r", Decision::approve()).is_ok(), "{channel}");
    }
}

#[test]
fn every_byte_of_an_id_stands_in_the_path_as_it_is_or_encoded() {
    let id = "a:/?%*\u{fc}-._~Z9";
    let mut page = Page::new();
    page.receive(&format!(r#"{{"{id}":{}}}"#, request(id, "{}")));
    assert_eq!(page.decide(id, Decision::approve()), Ok(()));
    assert!(page.sent()[0].contains(r#""path":"/approvals/a%3A%2F%3F%25%2A%C3%BC-._~Z9""#));
}

#[test]
fn r11_arguments_that_stand_twice_in_a_request_are_doubtful_in_every_form() {
    for (channel, text) in forms() {
        let twice = text
            .replace(r#""tool_params":{}"#, r#""tool_params":{"n":1},"tool_params":{}"#)
            .replace(r#""arguments":{}"#, r#""arguments":{"n":1},"arguments":{}"#);
        assert_ne!(twice, text);
        let mut page = Page::new();
        page.receive(&twice);
        let approved = page.decide("r", Decision::approve());
        assert_eq!(approved, Err("args-ambiguous".to_owned()), "{channel}");
        assert_eq!(page.decide("r", Decision::reject(None)), Ok(()), "{channel}");
    }
}

#[test]
fn calls_without_ids_are_told_apart_by_what_they_do() {
    let call = |n: u32| {
        format!(
            r#"{{"role":"assistant","meta":{{}},"name":null,"content":[{{"tool_call":{{"tool_name":"pay","arguments":{{"n":{n}}},"id":null,"extra":null}}}}]}}"#
        )
    };
    let mut page = Page::new();
    page.restore(&format!("[{},{}]", call(1), call(2)));
    let ids: Vec<_> = page.inbox.views().into_iter().map(|view| view.id).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
    let again = format!("[{},{}]", call(2), call(1));
    page.restore(&again);
    let turned: Vec<_> = page.inbox.views().into_iter().rev().map(|view| view.id).collect();
    assert_eq!(turned, ids, "the same call has the same name, wherever it stands");
}

#[test]
fn only_an_answer_that_the_host_sent_itself_is_hidden() {
    let mut page = Page::new();
    page.receive(&request("r1", "{}"));
    for (text, hidden) in [
        (r#"{"type":"approval_response","id":"r1","action":"confirm"}"#, true),
        (r#"{"type":"approval_response","id":"r1"}"#, true),
        (r#"{"action":"confirm"}"#, true),
        (r#"{"type":"chat","text":"go"}"#, false),
        (r#"{"text":"go"}"#, false),
    ] {
        let outputs = page.inbox.handle(START, Input::Own { text }).expect("news is never refused");
        assert!(outputs.contains(&Output::Hidden(hidden)), "{text}");
    }
}

#[test]
fn r01_a_decision_on_a_call_settles_no_request_while_two_of_its_id_wait() {
    let asks =
        |id: &str| request(id, "{}").replace(r#""tool_params""#, r#""tool_call_id":"c","tool_params""#);
    let decided = r#"{"type":"tool_execution_decision","tool_name":"pay","execute":true,"tool_call_id":"c","feedback":null,"final_tool_params":{}}"#;
    for (ids, status) in [(&["r1"][..], Status::Approved), (&["r1", "r2"], Status::Pending)] {
        let mut page = Page::new();
        ids.iter().for_each(|id| drop(page.receive(&asks(id))));
        page.receive(decided);
        assert!(page.inbox.statuses().all(|now| now == status), "{ids:?}");
        assert_eq!(page.inbox.len(), ids.len());
    }
}

/// Two runs of one client may give their calls the same ids, and of one of them nobody is asked.
#[test]
fn r01_a_decision_on_a_call_that_nobody_was_asked_about_settles_no_request_with_its_id() {
    let asks = request("r1", r#"{"n":1}"#).replace(r#""tool_params""#, r#""tool_call_id":"c","tool_params""#);
    let decided = |tool: &str, execute: bool, params: &str| {
        format!(
            r#"{{"type":"tool_execution_decision","tool_name":"{tool}","execute":{execute},"tool_call_id":"c","feedback":null,"final_tool_params":{params}}}"#
        )
    };
    let others = [("list", true, "{}"), ("list", false, "null"), ("pay", true, r#"{"n":2}"#)];
    for (tool, execute, params) in others {
        let mut page = Page::new();
        page.receive(&asks);
        page.receive(&decided(tool, execute, params));
        assert_eq!(page.inbox.view_at(0).map(|view| view.status), Some(Status::Pending), "{tool} {params}");
        assert_eq!(page.decide("r1", Decision::approve()), Ok(()));
        assert_eq!(page.sent().len(), 1);
    }
    let mut page = Page::new();
    page.receive(&asks);
    page.receive(&decided("pay", true, r#"{ "n": 1.0 }"#));
    assert_eq!(page.inbox.view_at(0).map(|view| view.status), Some(Status::Approved));
}

#[test]
fn two_thousand_calls_of_one_id_are_found_again_in_a_moment() {
    let list = |numbers: std::ops::Range<usize>| {
        let messages = numbers.map(|number| {
            let call = format!(r#"{{"tool_name":"pay","arguments":{{"n":{number}}},"id":"c","extra":null}}"#);
            format!(
                r#"{{"role":"assistant","meta":{{}},"name":null,"content":[{{"tool_call":{call}}}]}},
                   {{"role":"tool","meta":{{}},"name":null,"content":[{{"tool_call_result":{{"result":"ok","origin":{call},"error":false}}}}]}}"#
            )
        });
        format!("[{}]", messages.collect::<Vec<_>>().join(","))
    };
    let ask = |number: usize| {
        let asks = request(&format!("r{number}"), &format!(r#"{{"n":{number}}}"#));
        asks.replace(r#""tool_params""#, r#""tool_call_id":"c","tool_params""#)
    };
    let asked = format!("[{}]", (0..2000).map(ask).collect::<Vec<_>>().join(","));
    // What was asked ran as it was asked, and with other arguments; what was not, came before.
    for (before, after, count) in [(&asked, 0, 2000), (&asked, 2000, 2000), (&list(0..2000), 2000, 4000)] {
        let mut page = Page::new();
        page.receive(before);
        let start = std::time::Instant::now();
        page.receive(&list(after..after + 2000));
        println!("{:?}", start.elapsed());
        assert!(start.elapsed().as_secs() < 15);
        assert_eq!(page.inbox.len(), count);
        assert!(page.inbox.statuses().all(|status| status == Status::Completed));
    }
}

#[test]
fn a_log_of_ten_thousand_calls_of_one_id_is_read_in_a_moment() {
    let event = r#"{"type":"approval_request","id":"r@","tool_name":"pay","tool_params":{"n":@},"tool_call_id":"c"},{"type":"approval_resolved","id":"r@","action":"confirm","reason":"answered"},{"type":"tool_execution_decision","tool_name":"pay","execute":true,"tool_call_id":"c","feedback":null,"final_tool_params":{"n":@}}"#;
    let events: Vec<String> = (0..10_000).map(|number| event.replace('@', &number.to_string())).collect();
    let (mut page, start) = (Page::new(), std::time::Instant::now());
    assert!(page.restore(&format!("[{}]", events.join(","))).is_empty());
    println!("{:?}", start.elapsed());
    assert!(start.elapsed().as_secs() < 5 && page.inbox.statuses().all(|status| status == Status::Approved));
}
