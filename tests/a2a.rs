//! What the A2A adapter promises beyond the recordings: hostile, broken and unusual input.

#[path = "a2a/again.rs"]
mod again;
#[path = "a2a/agents.rs"]
mod agents;
#[path = "a2a/beside.rs"]
mod beside;
#[path = "a2a/doubles.rs"]
mod doubles;
#[path = "a2a/hitl.rs"]
mod hitl;
#[path = "a2a/one_id.rs"]
mod one_id;
#[path = "a2a/remote.rs"]
mod remote;
#[path = "a2a/seen.rs"]
mod seen;
#[path = "a2a/sent.rs"]
mod sent;

use countersign_core::{Decision, Inbox, InboxOptions, Input, Output, RequestView, Status};
use countersign_json::Value;
use countersign_protocols::{AdapterOptions, Edits, adapter};
use countersign_tests::moment::START;
use countersign_tests::trace::{files, message, with_trace};

struct Page {
    inbox: Inbox,
}

impl Page {
    fn new() -> Page {
        Page::with(Edits::Declared)
    }

    fn with(a2a_edits: Edits) -> Page {
        let options = AdapterOptions { a2a_edits, ..AdapterOptions::default() };
        let adapter = adapter("auto", &options).expect("`auto` is always there");
        Page { inbox: Inbox::new(adapter, InboxOptions::default()) }
    }

    fn receive(&mut self, text: &str) -> Vec<String> {
        codes(
            self.inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused"),
        )
    }

    fn restore(&mut self, text: &str) -> Vec<String> {
        codes(
            self.inbox
                .handle(START, Input::Restore { text: text.into(), rounded: false })
                .expect("history is never refused"),
        )
    }

    fn decide(&mut self, id: &str, decision: Decision) -> Result<(), String> {
        let request = self.inbox.find(id).map_err(|refusal| refusal.code().to_string())?;
        let result = self.inbox.handle(START, Input::Decide { request, decision, seen: None, offer: None });
        result.map(|_| ()).map_err(|refusal| refusal.code().to_string())
    }

    /// Takes a draft back and decides anew.
    fn decide_anew(&mut self, id: &str, decision: Decision) {
        let request = self.inbox.find(id).expect("it is there");
        self.inbox.handle(START, Input::Undo(request)).expect("a draft can be taken back");
        self.decide(id, decision).expect("it waits again");
    }

    fn sent(&mut self) -> Vec<String> {
        self.inbox.take_outbound().into_iter().map(|outbound| outbound.body.to_string()).collect()
    }

    fn card(&self, id: &str) -> RequestView {
        let named = |view: &RequestView| {
            view.request.as_ref().is_some_and(|request| request.as_str() == id)
                || (view.request.is_none() && view.call.as_ref().is_some_and(|call| call.as_str() == id))
        };
        self.inbox.views().into_iter().find(named).unwrap_or_else(|| panic!("no card `{id}`"))
    }

    fn status(&self, id: &str) -> Status {
        self.card(id).status
    }

    fn offers(&self, id: &str) -> Vec<&'static str> {
        self.card(id).offers.iter().map(|offer| offer.kind.as_str()).collect()
    }
}

fn codes(outputs: Vec<Output>) -> Vec<String> {
    let problem =
        |output| if let Output::Problem(problem) = output { Some(problem.code.to_string()) } else { None };
    outputs.into_iter().filter_map(problem).collect()
}

fn confirmation(id: &str, call: &str, args: &str, payload: &str) -> String {
    format!(
        r#"{{"kind":"data","data":{{"id":"{id}","name":"adk_request_confirmation","args":{{"originalFunctionCall":{{"id":"{call}","name":"pay","args":{args}}},"toolConfirmation":{{"hint":"h","confirmed":false{payload}}}}}}},"metadata":{{"kagent_type":"function_call"}}}}"#
    )
}

fn paused(task: &str, parts: &[String]) -> String {
    format!(
        r#"{{"kind":"status-update","taskId":"{task}","contextId":"c","status":{{"state":"input-required","message":{{"kind":"message","role":"agent","messageId":"m-{task}","parts":[{}]}}}}}}"#,
        parts.join(",")
    )
}

fn state(task: &str, state: &str) -> String {
    format!(r#"{{"kind":"status-update","taskId":"{task}","contextId":"c","status":{{"state":"{state}"}}}}"#)
}

fn one(task: &str, id: &str, args: &str) -> String {
    paused(task, &[confirmation(id, &format!("call-{id}"), args, "")])
}

#[test]
fn what_is_no_message_is_a_problem_and_touches_no_card() {
    let mut page = Page::new();
    page.receive(&one("t", "r1", "{}"));
    for (text, code) in [
        ("{\"kind\":", "json-invalid"),
        ("", "json-invalid"),
        ("nonsense", "json-invalid"),
        ("[1,2,3]", "message-unrecognised"),
        ("{\"hello\":\"world\"}", "message-unrecognised"),
        ("{\"kind\":\"status-update\",\"status\":{\"state\":\"working\"}}", "part-invalid"),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"gone\"}}", "backend-error"),
    ] {
        assert_eq!(page.receive(text), [code], "{text}");
        assert_eq!(page.offers("r1"), ["approve", "reject"], "{text}");
    }
}

#[test]
fn wrong_types_in_one_part_never_hide_the_good_ones() {
    let mut page = Page::new();
    let bad = [
        r#"{"kind":"data","data":{"name":"adk_request_confirmation","args":{}},"metadata":{"kagent_type":"function_call"}}"#,
        r#"{"kind":"data","data":{"id":7,"name":[],"args":"x"},"metadata":{"kagent_type":"function_call"}}"#,
        r#"{"kind":"data","data":{"id":"x","name":"adk_request_confirmation","args":{"originalFunctionCall":[]}},"metadata":{"kagent_type":"function_call"}}"#,
        r#"{"kind":"data","data":null,"metadata":null}"#,
        "null",
        "7",
    ];
    let mut parts: Vec<String> = bad.iter().map(|part| (*part).to_owned()).collect();
    parts.insert(2, confirmation("r1", "c1", "{\"n\":1}", ""));
    let problems = page.receive(&paused("t", &parts));
    assert_eq!(problems, ["part-invalid", "part-invalid", "part-invalid"]);
    assert_eq!(page.offers("r1"), ["approve", "reject"]);
    assert_eq!(page.inbox.len(), 1);
}

#[test]
fn a_state_that_is_not_known_is_a_problem_and_approves_nothing() {
    let mut page = Page::new();
    page.receive(&one("t", "r1", "{}"));
    assert_eq!(page.receive(&state("t", "levitating")), ["state-unknown"]);
    assert_eq!(page.status("r1"), Status::Pending);
    assert_eq!(page.receive(&one("t", "r1", "{}").replace("input-required", "12")), ["state-unknown"]);
}

#[test]
fn r14_ten_megabytes_of_arguments_leave_the_other_cards_alone() {
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(10 << 20));
    let mut page = Page::new();
    page.receive(&one("t1", "r1", "{}"));
    assert!(page.receive(&one("t2", "r2", &huge)).is_empty());
    assert_eq!(page.offers("r2"), ["reject"]);
    assert_eq!(page.decide("r2", Decision::approve()), Err("args-ambiguous".to_owned()));
    assert_eq!(page.decide("r1", Decision::approve()), Ok(()));
    assert_eq!(page.sent().len(), 1);
}

#[test]
fn r14_arguments_a_hundred_thousand_deep_neither_overflow_nor_hide_others() {
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let mut page = Page::new();
    page.receive(&one("t1", "r1", "{}"));
    assert!(page.receive(&one("t2", "r2", &deep)).is_empty());
    assert_eq!(page.offers("r2"), ["reject"]);
    assert_eq!(page.offers("r1"), ["approve", "reject"]);
    assert_eq!(page.decide("r2", Decision::reject(None)), Ok(()));
}

#[test]
fn r14_arguments_of_many_names_leave_the_other_cards_alone() {
    let names: Vec<String> = (0..400_000).map(|number| format!("\"k{number}\":1")).collect();
    let wide = format!("{{{}}}", names.join(","));
    let mut page = Page::new();
    page.receive(&one("t1", "r1", "{}"));
    assert!(page.receive(&one("t2", "r2", &wide)).is_empty());
    assert_eq!(page.offers("r2"), ["reject"]);
    assert_eq!(page.decide("r1", Decision::approve()), Ok(()));
    assert_eq!(page.decide("r2", Decision::reject(None)), Ok(()));
}

#[test]
fn r11_duplicate_keys_around_the_arguments_make_a_call_uninspectable_too() {
    let twice = one("t", "r1", "{\"n\":1},\"args\":{\"n\":2}");
    let mut page = Page::new();
    page.receive(&twice);
    assert_eq!(page.offers("r1"), ["reject"]);
    assert_eq!(page.decide("r1", Decision::approve()), Err("args-ambiguous".to_owned()));
    assert_eq!(page.decide("r1", Decision::reject(None)), Ok(()));
}

#[test]
fn r09_repeated_and_late_events_change_nothing() {
    let mut page = Page::new();
    let ask = one("t", "r1", "{\"n\":1}");
    page.receive(&ask);
    page.receive(&ask);
    assert_eq!(page.inbox.len(), 1);
    page.decide("r1", Decision::approve()).expect("it is offered");
    assert_eq!(page.sent().len(), 1);
    page.receive(&state("t", "completed"));
    let before = page.card("r1");
    page.receive(&ask);
    page.receive(&state("t", "working"));
    assert_eq!(page.card("r1"), before);
    assert!(page.sent().is_empty());
}

/// The words that name tasks and conversations in a text.
fn sessions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for key in ["\"taskId\":", "\"contextId\":"] {
        for (at, _) in text.match_indices(key) {
            let rest = text[at + key.len()..].trim_start();
            found.extend(
                rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(id, _)| id.to_owned()),
            );
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn r09_a_whole_conversation_changes_nothing_in_another_one_with_the_same_ids() {
    let mut waited = 0;
    for path in files().iter().filter(|path| path.parent().is_some_and(|folder| folder.ends_with("a2a"))) {
        let news: Vec<String> = with_trace(path, |trace| {
            let steps = trace.get("steps").into_iter().flat_map(Value::items);
            steps
                .filter_map(|step| step.get("receive").or_else(|| step.get("restore")))
                .map(message)
                .collect()
        });
        let sessions = sessions(&news.concat());
        let elsewhere = |text: &str| {
            sessions.iter().fold(text.to_owned(), |text, id| {
                text.replace(&format!("\"{id}\""), &format!("\"elsewhere-{id}\""))
            })
        };
        let mut page = Page::new();
        let mut texts = news.iter();
        while !page.inbox.statuses().any(|status| status == Status::Pending) {
            let Some(text) = texts.next() else { break };
            page.receive(&elsewhere(text));
        }
        let before = page.inbox.views();
        if !before.iter().any(|view| view.status == Status::Pending) {
            continue;
        }
        waited += 1;
        news.iter().for_each(|text| drop(page.receive(text)));
        let after: Vec<RequestView> = before.iter().filter_map(|view| page.inbox.view(view.key)).collect();
        assert_eq!(after, before, "{}", path.display());
        assert!(page.inbox.len() > before.len(), "{}", path.display());
    }
    assert!(waited > 20, "only {waited} conversations waited");
}

#[test]
fn server_sent_events_are_taken_out_of_their_frame() {
    let mut page = Page::new();
    let stream = format!("data: {}\n\ndata: {}\n\n", one("t1", "r1", "{}"), one("t2", "r2", "{}"));
    assert!(page.receive(&stream).is_empty());
    assert_eq!(page.inbox.len(), 2);
}

#[test]
fn r05_a_request_without_context_is_answered_without_one() {
    let mut page = Page::new();
    page.receive(&one("t", "r1", "{}").replace(",\"contextId\":\"c\"", ""));
    page.decide("r1", Decision::approve()).expect("it is offered");
    let body = page.sent().remove(0);
    assert!(body.contains("\"taskId\":\"t\"") && !body.contains("contextId"), "{body}");
}

#[test]
fn r06_an_approval_carries_no_arguments() {
    let mut page = Page::new();
    page.receive(&one("t", "r1", "{\"n\":2512292042121000001}"));
    page.decide("r1", Decision::approve()).expect("it is offered");
    assert!(!page.sent().remove(0).contains("2512292042121000001"));
}

#[test]
fn r07_an_edit_sends_what_changed_and_keeps_its_digits() {
    let mut page = Page::with(Edits::Always);
    page.receive(&one("t", "r1", r#"{"id":2512292042121000001,"n":1.00,"z":null}"#));
    let args = r#"{"id":2512292042121000001,"n":1.50,"z":null}"#.into();
    page.decide("r1", Decision::Edit { args, note: None }).expect("it is offered");
    let body = page.sent().remove(0);
    assert!(body.contains(r#""modified_args":{"n":1.50}"#), "{body}");
}

#[test]
fn an_edit_is_not_offered_where_nothing_shows_that_it_takes_effect() {
    let mut page = Page::new();
    let payloads = [
        r#","payload":{"approval_id":"c","tool":"pay","args":{"n":1},"more":1}"#,
        r#","payload":{"approval_id":"other","tool":"pay","args":{"n":1}}"#,
        r#","payload":{"approval_id":"c","tool":"pay","args":{"n":2}}"#,
        "",
    ];
    for (at, payload) in payloads.iter().enumerate() {
        let id = format!("r{at}");
        page.receive(&paused(&format!("t{at}"), &[confirmation(&id, "c", "{\"n\":1}", payload)]));
        assert_eq!(page.offers(&id), ["approve", "reject"], "{payload}");
    }
    let declared = r#","payload":{"approval_id":"c","tool":"pay","args":{"n":1}}"#;
    page.receive(&paused("t9", &[confirmation("r9", "c", "{\"n\":1}", declared)]));
    assert_eq!(page.offers("r9"), ["approve", "edit", "reject"]);
}

#[test]
fn an_answer_for_everything_that_waits_approves_no_call_that_ran_before_it_was_asked_about() {
    let folder = files().remove(0).parent().expect("a folder").join("written");
    let play = |name: &str, decision: fn() -> Decision| {
        let mut page = Page::new();
        with_trace(&folder.join(format!("one-has-run-before-it-was-asked-{name}.json")), |trace| {
            for step in trace.get("steps").expect("steps").items() {
                if let Some(text) = step.get("receive") {
                    page.receive(&message(text));
                }
            }
        });
        page.decide("q2", decision()).expect("it is offered");
        page.sent()
    };
    assert_eq!(play("seed", Decision::approve), [""; 0], "one word would approve both");
    assert_eq!(play("seed", || Decision::reject(None)).len(), 1);
    let batch = play("k", Decision::approve).remove(0);
    assert!(
        batch.contains(r#""decision_type":"batch","decisions":{"c2":"approve","c1":"reject"}"#),
        "{batch}"
    );
}

#[test]
fn an_answer_that_forgot_its_task_answers_earlier_tasks_once_and_never_later_ones() {
    let task = |id: &str, state: &str, history: &str, message: &str| {
        format!(
            r#"{{"kind":"task","id":"{id}","contextId":"c","status":{{"state":"{state}"{message}}},"history":[{history}]}}"#
        )
    };
    let ask = |id: &str| {
        let part = confirmation(id, &format!("call-{id}"), "{}", "");
        format!(r#"{{"kind":"message","role":"agent","messageId":"m-{id}","parts":[{part}]}}"#)
    };
    let answer = r#"{"kind":"message","role":"user","messageId":"m-a","parts":[{"kind":"data","data":{"decision_type":"approve"}}]}"#;
    let first = task("t1", "input-required", &ask("r1"), &format!(",\"message\":{}", ask("r1")));
    let second = task("t2", "completed", answer, "");
    let third = task("t3", "input-required", &ask("r3"), &format!(",\"message\":{}", ask("r3")));
    let mut page = Page::new();
    page.restore(&format!("[{first},{second},{third}]"));
    assert_eq!((page.status("r1"), page.status("r3")), (Status::Approved, Status::Pending));
    page.receive(&format!("[{first},{second},{third}]"));
    assert_eq!((page.status("r1"), page.status("r3")), (Status::Approved, Status::Pending));
}

#[test]
fn a_refresh_reads_old_answers_as_answers_to_old_requests() {
    let ask = |id: &str| {
        let part = confirmation(id, &format!("call-{id}"), "{}", "");
        format!(r#"{{"kind":"message","role":"agent","messageId":"m-{id}","parts":[{part}]}}"#)
    };
    let answer = r#"{"kind":"message","role":"user","messageId":"m-a","parts":[{"kind":"data","data":{"decision_type":"approve"}}]}"#;
    let task = format!(
        r#"{{"kind":"task","id":"t","contextId":"c","status":{{"state":"input-required","message":{}}},"history":[{},{answer},{}]}}"#,
        ask("r2"),
        ask("r1"),
        ask("r2")
    );
    let mut page = Page::new();
    page.receive(&one("t", "r1", "{}"));
    page.decide("r1", Decision::approve()).expect("it is offered");
    assert_eq!(page.sent().len(), 1);
    page.receive(&one("t", "r2", "{}").replace("m-t", "m-r2"));
    for _ in 0..3 {
        page.receive(&task);
        assert_eq!(page.status("r2"), Status::Pending);
    }
}

#[test]
fn a_word_that_nobody_knows_is_never_an_approval() {
    for word in ["yes", "APPROVE", "", "approve_all"] {
        let ask = one("t", "r1", "{}");
        let answer = format!(
            r#"{{"kind":"status-update","taskId":"t","contextId":"c","status":{{"state":"working","message":{{"kind":"message","role":"user","messageId":"m-a","parts":[{{"kind":"data","data":{{"decision_type":"{word}"}}}}]}}}}}}"#
        );
        let mut page = Page::new();
        page.receive(&ask);
        page.receive(&answer);
        assert_eq!(page.status("r1"), Status::Unknown, "{word}");
    }
}

#[test]
fn only_a_person_says_decision_type() {
    let agent_claims = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m-t","parts":[{"kind":"data","data":{"decision_type":"approve"}}]}}}"#;
    let mut page = Page::new();
    page.receive(&one("t", "r1", "{}"));
    page.receive(&agent_claims.replace("m-t\"", "m-x\""));
    assert_ne!(page.status("r1"), Status::Approved);
}

#[test]
fn the_host_is_told_that_typing_ends_a_pause() {
    let mut page = Page::new();
    assert!(page.inbox.advice().is_empty());
    page.receive(&one("t", "r1", "{}"));
    assert_eq!(page.inbox.advice()[0].code, "typed-text-ends-pause");
    page.receive(&state("t", "completed"));
    assert!(page.inbox.advice().is_empty());
}

#[test]
fn what_is_first_read_of_an_ended_task_has_ended_too() {
    let ask = format!(
        r#"{{"kind":"message","role":"agent","messageId":"m","parts":[{}]}}"#,
        confirmation("r1", "c1", "{}", "")
    );
    let answer = r#"{"kind":"message","role":"user","messageId":"m-a","parts":[{"kind":"data","data":{"decision_type":"approve"}}]}"#;
    for (history, status) in [(ask.clone(), Status::Expired), (format!("{ask},{answer}"), Status::Approved)] {
        let mut page = Page::new();
        page.receive(&state("t", "completed"));
        page.receive(&format!(
            r#"{{"kind":"task","id":"t","contextId":"c","status":{{"state":"completed"}},"history":[{history}]}}"#
        ));
        assert_eq!(page.status("r1"), status);
    }
    let mut page = Page::new();
    page.receive(&state("t", "completed"));
    page.receive(&one("t", "r1", "{}"));
    assert_eq!(page.status("r1"), Status::Expired);
}

#[test]
fn a_long_running_tool_beside_a_request_is_not_blocked() {
    let call = r#"{"kind":"data","data":{"id":"c2","name":"job","args":{}},"metadata":{"kagent_type":"function_call"}}"#;
    let stub = r#"{"kind":"data","data":{"id":"c2","name":"job","response":{"status":"pending"}},"metadata":{"kagent_type":"function_response"}}"#;
    let mut page = Page::new();
    page.receive(&paused("t", &[call.to_owned(), stub.to_owned(), confirmation("r1", "c1", "{}", "")]));
    assert_eq!((page.status("c2"), page.status("r1")), (Status::Requested, Status::Pending));
    let mut page = Page::new();
    page.receive(&paused("t", &[call.to_owned(), stub.to_owned()]));
    assert_eq!(page.status("c2"), Status::Blocked);
}

#[test]
fn the_host_is_told_when_two_tasks_of_one_kagent_context_wait() {
    let mut page = Page::new();
    page.receive(&one("t1", "r1", "{}"));
    page.receive(&one("t2", "r2", "{}"));
    let codes: Vec<String> = page.inbox.advice().into_iter().map(|advice| advice.code).collect();
    assert_eq!(codes, ["typed-text-ends-pause", "several-tasks-wait"]);
}

#[test]
fn the_host_is_told_that_a_question_beside_a_remote_call_keeps_decisions_back() {
    let question = confirmation("q1", "c1", r#"{"questions":[{"question":"Which?"}]}"#, "")
        .replace(r#""name":"pay""#, r#""name":"ask_user""#);
    let inner = r#","payload":{"hitl_parts":[{"id":"i1","originalFunctionCall":{"id":"k1","name":"del","args":{}}}],"subagent_name":"s"}"#;
    let codes =
        |page: &Page| -> Vec<String> { page.inbox.advice().into_iter().map(|advice| advice.code).collect() };
    let mut page = Page::new();
    page.receive(&paused("t", std::slice::from_ref(&question)));
    assert_eq!(codes(&page), ["typed-text-ends-pause"]);
    page.receive(&paused("t", &[question, confirmation("o1", "c2", "{}", inner)]));
    assert_eq!(codes(&page), ["typed-text-ends-pause", "question-blocks-batch"]);
}

#[test]
fn tasks_are_answered_independently_of_each_other() {
    let mut page = Page::new();
    page.receive(&one("t1", "r", "{}"));
    page.receive(&one("t2", "r", "{}"));
    assert_eq!(page.decide("r", Decision::approve()), Err("ambiguous-request".to_owned()));
    page.decide("t2/r", Decision::approve()).expect("it is offered");
    let bodies = page.sent();
    assert!(bodies.len() == 1 && bodies[0].contains("\"taskId\":\"t2\""), "{bodies:?}");
}

/// One word for each of many calls: each is found, also where the words are looked up in another way than those of few.
#[test]
fn a_batch_of_many_words_decides_each_call_by_its_own() {
    let many = 60;
    let list = |one: &dyn Fn(usize) -> String| (0..many).map(one).collect::<Vec<_>>().join(",");
    let asked = list(&|at| confirmation(&format!("r{at}"), &format!("k{at}"), "{}", ""));
    // The call `k59` has two words, of which the last one counts, and `k58` none.
    let words = (0..58).map(|at| format!(r#""k{at}":"{}""#, if at % 3 == 0 { "reject" } else { "approve" }));
    let words = words.chain([r#""k59":"approve","k59":"reject""#.to_owned()]).collect::<Vec<_>>().join(",");
    let reasons = list(&|at| format!(r#""k{at}":"no {at}""#));
    let answer = format!(
        r#"{{"kind":"data","data":{{"decision_type":"batch","decisions":{{{words}}},"rejection_reasons":{{{reasons}}}}}}}"#
    );
    let said = |role: &str, parts: &str| {
        format!(r#"{{"kind":"message","role":"{role}","messageId":"m-{role}","parts":[{parts}]}}"#)
    };
    let mut page = Page::new();
    page.restore(&format!(
        r#"{{"kind":"task","id":"t","contextId":"c","history":[{},{}],"status":{{"state":"working"}}}}"#,
        said("agent", &asked),
        said("user", &answer)
    ));
    for at in 0..many {
        let card = page.card(&format!("r{at}"));
        let rejected = at == 59 || (at < 58 && at % 3 == 0);
        let expected = if rejected { Status::Rejected } else { Status::Approved };
        let reason = rejected.then(|| format!("no {at}"));
        assert_eq!((card.status, card.reason.as_deref()), (expected, reason.as_deref()), "r{at}");
    }
}

#[test]
fn each_of_many_questions_is_joined_to_the_call_that_asks_it() {
    const HITL: &str = "https://kagent.dev/extensions/hitl/v1";
    let many = 40;
    let asks = |at: usize| format!(r#"[{{"question":"which {}?","choices":null}}]"#, at.min(many - 2));
    let call = |at: usize| {
        format!(
            r#"{{"data":{{"id":"k{at}","name":"ask_user","args":{{"questions":{}}}}},"metadata":{{"adk_type":"function_call"}}}}"#,
            asks(at)
        )
    };
    let request = |at: usize| {
        let asks = asks(at).replace("null", "[]");
        format!(
            r#"{{"role":"ROLE_AGENT","messageId":"q{at}","parts":[],"extensions":["{HITL}"],"metadata":{{"{HITL}":{{"type":"ask_user_request","id":"r{at}","questions":{asks}}}}}}}"#
        )
    };
    let list = |one: &dyn Fn(usize) -> String| (0..many).map(one).collect::<Vec<_>>().join(",");
    let calls = format!(r#"{{"role":"ROLE_AGENT","messageId":"m","parts":[{}]}}"#, list(&call));
    let mut page = Page::new();
    page.restore(&format!(
        r#"{{"id":"t","contextId":"c","history":[{calls},{}],"status":{{"state":"TASK_STATE_WORKING"}}}}"#,
        list(&request)
    ));
    for at in 0..many {
        // The last two ask the same, so nobody knows which is meant.
        let expected = (at < many - 2).then(|| format!("k{at}"));
        let joined = page.card(&format!("r{at}")).call.map(|call| call.as_str().to_owned());
        assert_eq!(joined, expected, "r{at}");
    }
}

#[test]
fn an_answer_in_adks_form_answers_the_calls_that_its_confirmation_carries() {
    let outer = |at: usize| {
        let inner = |id: &str| {
            format!(
                r#"{{"id":"{id}{at}","originalFunctionCall":{{"id":"k-{id}{at}","name":"pay","args":{{}}}}}}"#
            )
        };
        let parts =
            format!(r#","payload":{{"subagent_name":"s","hitl_parts":[{},{}]}}"#, inner("a"), inner("b"));
        confirmation(&format!("o{at}"), &format!("outer{at}"), "{}", &parts)
    };
    let mut page = Page::new();
    page.receive(&paused("t", &[outer(1), outer(2)]));
    page.receive(
        r#"{"kind":"message","role":"user","messageId":"u","taskId":"t","contextId":"c","parts":[{"kind":"data","data":{"id":"o2","name":"adk_request_confirmation","response":{"confirmed":true}},"metadata":{"kagent_type":"function_response"}}]}"#,
    );
    let statuses = ["a1", "b1", "a2", "b2"].map(|id| page.status(id));
    assert_eq!(statuses, [Status::Pending, Status::Pending, Status::Approved, Status::Approved]);
}
