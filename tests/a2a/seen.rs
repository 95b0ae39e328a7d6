//! What is read of single messages: what they are, and what they say became of a call.

use countersign_core::{Decision, Input, Status};
use countersign_tests::moment::START;

use super::{Page, one, paused, state};

/// A part with which an agent calls a tool.
fn call(members: &str) -> String {
    format!(r#"{{"kind":"data","data":{{{members}}},"metadata":{{"kagent_type":"function_call"}}}}"#)
}

/// A part with what a tool returned.
fn response(call: &str, response: &str) -> String {
    format!(
        r#"{{"kind":"data","data":{{"id":"{call}","name":"pay","response":{response}}},"metadata":{{"kagent_type":"function_response"}}}}"#
    )
}

#[test]
fn the_kind_says_what_a_value_is_whatever_else_stands_in_it() {
    let update = one("t", "r", "{}").replace(r#""taskId":"t","#, r#""taskId":"t","id":"other","#);
    let mut page = Page::new();
    assert_eq!(page.receive(&update), [""; 0]);
    assert_eq!(page.status("r"), Status::Pending);
    page.receive(&state("other", "canceled"));
    assert_eq!(page.status("r"), Status::Pending, "it is of the task that `taskId` names");

    let status = r#""status":{"state":"canceled"}"#;
    let artifact = format!(
        r#"{{"kind":"artifact-update","taskId":"t","contextId":"c",{status},"artifact":{{"artifactId":"a","parts":[{}]}}}}"#,
        call(r#""id":"c2","name":"list","args":{}"#)
    );
    assert_eq!(page.receive(&artifact), [""; 0]);
    assert_eq!((page.status("r"), page.status("c2")), (Status::Pending, Status::Requested));

    let message = format!(
        r#"{{"kind":"message","role":"agent","messageId":"m9","taskId":"t","contextId":"c",{status},"parts":[{}]}}"#,
        call(r#""id":"c3","name":"list","args":{}"#)
    );
    assert_eq!(page.receive(&message), [""; 0]);
    assert_eq!((page.status("r"), page.status("c3")), (Status::Pending, Status::Requested));
}

#[test]
fn an_error_of_kagent_is_not_its_empty_list() {
    let mut page = Page::new();
    page.receive(&one("t", "r", "{}"));
    for (text, codes) in [
        (r#"{"error":false,"data":null,"message":"ok"}"#, vec![]),
        (r#"{"error":false,"message":"ok"}"#, vec![]),
        (r#"{"error":true,"data":null,"message":"boom"}"#, vec!["message-unrecognised"]),
        (r#"{"error":false,"data":null}"#, vec!["message-unrecognised"]),
        (r#"{"error":false,"data":{},"message":"ok"}"#, vec!["message-unrecognised"]),
    ] {
        assert_eq!(page.receive(text), codes, "{text}");
        assert_eq!(page.status("r"), Status::Pending, "{text}");
    }
}

#[test]
fn a_call_without_arguments_is_a_whole_call() {
    for (args, shown) in [("", "{}"), (r#","args":null"#, "{}"), (r#","args":{"n":1}"#, r#"{"n":1}"#)] {
        let mut page = Page::new();
        let part = call(&format!(r#""id":"c1","name":"list"{args}"#));
        page.receive(&paused("t", &[part]).replace("input-required", "working"));
        assert_eq!((page.status("c1"), &*page.card("c1").args_text), (Status::Requested, shown), "{args}");
    }
    let mut page = Page::new();
    let piece = call(r#""id":"c1","name":"list","args":{"n":1},"willContinue":true"#);
    page.receive(&paused("t", &[piece]).replace("input-required", "working"));
    assert_eq!(page.status("c1"), Status::Requested, "all of its arguments are there");
}

#[test]
fn r44_the_reason_that_kagent_repeats_behind_a_refusal_is_shown() {
    for (said, reason) in [
        ("Tool call was rejected by user. Reason: too much", Some("too much")),
        ("Tool call was rejected by user. Reason: a Reason: b", Some("a Reason: b")),
        ("Tool call was rejected by user.", None),
    ] {
        let mut page = Page::new();
        page.receive(&one("t", "r", "{}"));
        let part = response("call-r", &format!(r#"{{"result":"{said}"}}"#));
        page.receive(&paused("t", &[part]).replace("input-required", "working").replace("m-t", "m-u"));
        let card = page.card("r");
        assert_eq!((card.status, card.reason.as_deref()), (Status::Rejected, reason), "{said}");
    }
}

/// What a tool of google-adk returns while it asks is no outcome, however often it stands in the history.
/// Pages that took a text in as a history, and as an event.
fn in_both_ways(text: &str) -> [(bool, Page); 2] {
    [true, false].map(|restores| {
        let mut page = Page::new();
        if restores {
            page.restore(text)
        } else {
            page.receive(text)
        };
        (restores, page)
    })
}

#[test]
fn r39_a_request_that_a_stored_task_waits_for_stays_open_after_several_returns() {
    let adk = |part: String| part.replace("kagent_type", "adk_type");
    let message = |id: &str, part: &str| {
        format!(r#"{{"kind":"message","role":"agent","messageId":"{id}","parts":[{part}]}}"#)
    };
    let asked = adk(super::confirmation("r", "c1", "{}", ""));
    let other = adk(super::confirmation("s", "c2", "{}", ""));
    let returned = adk(response("c1", r#"{"result":"ask your manager"}"#));
    let elsewhere = adk(response("c3", r#"{"result":"done"}"#));
    let calls = ["c1", "c2", "c3"].map(|id| adk(call(&format!(r#""id":"{id}","name":"pay","args":{{}}"#))));
    let history = [
        message("m1", &calls.join(",")),
        message("m2", &returned),
        message("m3", &returned),
        message("m4", &elsewhere),
    ];
    let pause = message("m5", &format!("{asked},{other}"));
    let task = format!(
        r#"{{"kind":"task","id":"t","contextId":"c","status":{{"state":"input-required","message":{pause}}},"history":[{},{pause}]}}"#,
        history.join(",")
    );
    for (restores, page) in in_both_ways(&task) {
        let statuses = ["r", "s", "c3"].map(|id| page.status(id));
        assert_eq!(statuses, [Status::Pending, Status::Pending, Status::Completed], "{restores}");
    }
}

/// A stored task in which a tool of google-adk asked for its confirmation itself and returned something meanwhile.
struct Asking {
    made: String,
    pause: String,
    answer: String,
}

impl Asking {
    fn new(confirmed: bool) -> Asking {
        let data = format!(
            r#"{{"id":"r","name":"adk_request_confirmation","response":{{"confirmed":{confirmed}}}}}"#
        );
        Asking {
            made: message("m1", &adk(&call(r#""id":"c1","name":"pay","args":{}"#))),
            pause: message("m3", &adk(&super::confirmation("r", "c1", "{}", ""))),
            answer: message(
                "u",
                &format!(r#"{{"kind":"data","data":{data},"metadata":{{"adk_type":"function_response"}}}}"#),
            )
            .replace("agent", "user"),
        }
    }

    fn returned(id: &str, words: &str) -> String {
        message(id, &adk(&response("c1", &format!(r#"{{"result":"{words}"}}"#))))
    }

    fn answered(&self) -> Vec<String> {
        let [one, other] = ["m2", "m2b"].map(|id| Asking::returned(id, "ask your manager"));
        vec![self.made.clone(), one, other, self.pause.clone(), self.answer.clone()]
    }
}

fn adk(part: &str) -> String {
    part.replace("kagent_type", "adk_type")
}

fn message(id: &str, part: &str) -> String {
    format!(r#"{{"kind":"message","role":"agent","messageId":"{id}","parts":[{part}]}}"#)
}

fn task(state: &str, history: &[String]) -> String {
    format!(
        r#"{{"kind":"task","id":"t","contextId":"c","status":{{"state":"{state}"}},"history":[{}]}}"#,
        history.join(",")
    )
}

#[test]
fn r39_what_a_tool_returned_before_the_answer_gives_way_to_what_it_returns_behind_it() {
    let asking = Asking::new(true);
    let answered = asking.answered();
    let behind = Asking::returned("m4", "paid");
    let all: Vec<String> = answered.iter().chain([&behind]).cloned().collect();
    let live = format!(
        r#"{{"kind":"status-update","taskId":"t","contextId":"c","status":{{"state":"working","message":{behind}}}}}"#
    );
    let without_ids = |text: &str| {
        ["m1", "m2", "m2b", "m3", "u", "m4"]
            .iter()
            .fold(text.to_owned(), |text, id| text.replace(&format!(r#""messageId":"{id}","#), ""))
    };
    for then in [
        live.clone(),
        task("working", &all),
        task("working", std::slice::from_ref(&behind)),
        task("completed", &all),
    ] {
        for spelt in [str::to_owned, without_ids] {
            for (restores, mut page) in in_both_ways(&spelt(&task("working", &answered))) {
                let told = format!("{restores} {then}");
                assert_eq!(page.status("r"), Status::Approved, "{told}");
                page.receive(&spelt(&task("working", &answered)));
                assert_eq!(page.status("r"), Status::Approved, "{told}");
                for _ in 0..2 {
                    page.receive(&spelt(&then));
                    let card = page.card("r");
                    assert_eq!(card.status, Status::Completed, "{told}");
                    assert_eq!(card.result_text.as_deref(), Some(r#"{"result":"paid"}"#), "{told}");
                }
            }
        }
    }
}

#[test]
fn r39_what_a_tool_returned_while_it_asked_is_its_outcome_only_where_its_task_completes() {
    for (confirmed, state, status) in [
        (true, "working", Status::Approved),
        (true, "completed", Status::Completed),
        (true, "failed", Status::Failed),
        (false, "working", Status::Rejected),
    ] {
        for (restores, page) in in_both_ways(&task(state, &Asking::new(confirmed).answered())) {
            assert_eq!(page.status("r"), status, "{restores} {state}");
        }
    }
}

#[test]
fn r39_an_answer_of_ones_own_makes_no_outcome_of_what_stands_before_it() {
    let asking = Asking::new(true);
    let mut page = Page::new();
    let waits = paused("t", &[adk(&super::confirmation("r", "c1", "{}", ""))]);
    page.receive(&waits);
    page.decide("r", Decision::approve()).expect("it is offered");
    let text = page.sent().remove(0);
    page.inbox.handle(START, Input::Own { text: &text }).expect("news is never refused");
    let answered = asking.answered();
    // The first one was stored before the answer arrived.
    for history in [[&answered[..2], &answered[3..4]].concat(), answered] {
        page.receive(&task("working", &history));
        assert!(page.card("r").result_text.is_none());
    }
}

#[test]
fn an_answer_that_is_no_list_is_an_answer_too() {
    let asked = super::confirmation("r", "c1", r#"{"questions":[{"question":"?"}]}"#, "")
        .replace(r#""name":"pay""#, r#""name":"ask_user""#);
    for (answer, known) in [(r#""x""#, "x"), (r#"["x"]"#, "x"), ("7", "7")] {
        let mut page = Page::new();
        page.receive(&paused("t", std::slice::from_ref(&asked)));
        let word = format!(r#"{{"decision_type":"approve","ask_user_answers":[{{"answer":{answer}}}]}}"#);
        page.receive(&format!(
            r#"{{"kind":"message","role":"user","messageId":"u","taskId":"t","contextId":"c","parts":[{{"kind":"data","data":{word}}}]}}"#
        ));
        let answers = page.card("r").decision.and_then(|decision| decision.answers);
        assert_eq!(answers, Some(vec![vec![known.to_owned()]]), "{answer}");
    }
}

#[test]
fn what_comes_back_of_questions_is_their_answer_with_and_without_the_name_of_the_tool() {
    let asked = super::confirmation("r", "c1", r#"{"questions":[{"question":"?"}]}"#, "");
    for (tool, name, expected) in [
        ("ask_user", r#""name":"ask_user","#, Status::Responded),
        ("ask_user", "", Status::Responded),
        ("pay", r#""name":"pay","#, Status::Completed),
        ("pay", "", Status::Completed),
    ] {
        let mut page = Page::new();
        page.receive(&paused("t", &[asked.replace(r#""name":"pay""#, &format!(r#""name":"{tool}""#))]));
        let part = response("c1", r#"{"result":"yes"}"#).replace(r#""name":"pay","#, name);
        page.receive(&paused("t", &[part]).replace("input-required", "working").replace("m-t", "m-u"));
        assert_eq!(page.status("r"), expected, "{tool} {name}");
    }
}

#[test]
fn r08_a_request_outside_a_status_waits_only_once_its_task_does() {
    let alone = |id: &str| {
        format!(
            r#"{{"kind":"message","role":"agent","messageId":"{id}","taskId":"t","contextId":"c","parts":[{}]}}"#,
            super::confirmation("r", "c1", "{}", "")
        )
    };
    let mut page = Page::new();
    page.receive(&state("t", "working"));
    page.receive(&alone("m1"));
    assert_eq!((page.status("r"), page.offers("r").len()), (Status::Requested, 0));
    page.receive(&state("t", "input-required"));
    assert_eq!(page.status("r"), Status::Pending);
    page.receive(&alone("m2"));
    assert_eq!((page.status("r"), page.offers("r").len()), (Status::Pending, 2));
}

#[test]
fn a_call_that_says_it_waits_is_blocked_where_its_task_waits_for_nothing_that_can_be_answered() {
    let job = call(r#""id":"c9","name":"job","args":{}"#);
    let stub = response("c9", r#"{"status":"pending"}"#);
    let words = paused("t", &[r#"{"kind":"text","text":"?"}"#.to_owned()]).replace("m-t", "m-w");
    let waits = state("t", "input-required");
    for (asks, then, blocked) in
        [(true, &waits, false), (true, &words, true), (false, &waits, true), (false, &words, true)]
    {
        let mut parts = vec![job.clone(), stub.clone()];
        parts.extend(asks.then(|| super::confirmation("r", "c1", "{}", "")));
        let mut page = Page::new();
        page.receive(&paused("t", &parts).replace("input-required", "working"));
        page.receive(then);
        let status = if blocked { Status::Blocked } else { Status::Requested };
        assert_eq!(page.status("c9"), status, "{asks} {then}");
    }
}

#[test]
fn r09_an_answer_in_another_context_answers_nothing_here() {
    let answer = |context: &str| {
        let data = r#"{"id":"r","name":"adk_request_confirmation","response":{"confirmed":true}}"#;
        let part =
            format!(r#"{{"kind":"data","data":{data},"metadata":{{"kagent_type":"function_response"}}}}"#);
        format!(
            r#"{{"kind":"task","id":"u","contextId":"{context}","status":{{"state":"working"}},"history":[{{"kind":"message","role":"user","messageId":"m-u","parts":[{part}]}}]}}"#
        )
    };
    for (context, status) in [("c", Status::Approved), ("d", Status::Pending)] {
        let mut page = Page::new();
        page.receive(&one("t", "r", "{}"));
        page.receive(&answer(context));
        assert_eq!(page.status("r"), status, "{context}");
    }
}

#[test]
fn a_state_is_known_in_its_own_spelling_alone() {
    for (word, status, codes) in [
        ("input-required", Status::Pending, vec![]),
        ("TASK_STATE_INPUT_REQUIRED", Status::Pending, vec![]),
        ("unknown", Status::Requested, vec![]),
        ("TASK_STATE_UNSPECIFIED", Status::Requested, vec![]),
        ("input.required", Status::Requested, vec!["state-unknown"]),
        ("input-re_uired", Status::Requested, vec!["state-unknown"]),
        ("input-requiredd", Status::Requested, vec!["state-unknown"]),
    ] {
        let mut page = Page::new();
        let text = one("t", "r", "{}").replace("input-required", word);
        assert_eq!(page.receive(&text), codes, "{word}");
        assert_eq!(page.status("r"), status, "{word}");
    }
}

#[test]
fn r08_a_call_of_kagent_that_has_run_is_not_asked_about_again() {
    let message = |id: &str, part: &str| {
        format!(r#"{{"kind":"message","role":"agent","messageId":"{id}","parts":[{part}]}}"#)
    };
    let pause = message("m3", &super::confirmation("r", "c1", "{}", ""));
    let task = format!(
        r#"{{"kind":"task","id":"t","contextId":"c","status":{{"state":"input-required","message":{pause}}},"history":[{},{pause},{}]}}"#,
        message("m1", &call(r#""id":"c1","name":"pay","args":{}"#)),
        message("m2", &response("c1", r#"{"result":"paid"}"#)),
    );
    for (restores, page) in in_both_ways(&task) {
        assert_eq!((page.status("r"), page.offers("r").len()), (Status::Completed, 0), "{restores}");
    }
}

#[test]
fn r11_a_repeated_key_bars_a_declared_edit_however_the_declaration_is_spaced() {
    let declared = |args: &str| format!(r#","payload":{{"approval_id":"c","tool":"pay","args":{args}}}"#);
    for (args, code) in [
        (r#"{"n":1,"n":2}"#, "args-ambiguous"),
        (r#"{ "n": 1, "n": 2 }"#, "args-ambiguous"),
        (r#"{"n":1,"n":3}"#, "not-offered"),
    ] {
        let mut page = Page::new();
        page.receive(&paused("t", &[super::confirmation("r", "c", r#"{"n":1,"n":2}"#, &declared(args))]));
        let edit = Decision::Edit { args: r#"{"n":2}"#.into(), note: None };
        assert_eq!(page.decide("r", Decision::approve()), Err("args-ambiguous".to_owned()), "{args}");
        assert_eq!(page.decide("r", edit), Err(code.to_owned()), "{args}");
    }
}

/// The HTTP binding of A2A 0.3 has `content`, and names with underscores are those of the protobuf.
#[test]
fn r08_a_pause_in_a_spelling_that_is_not_read_is_told_and_offers_nothing() {
    let call = r#"{"id":"r","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k","name":"pay","args":{}},"toolConfirmation":{"hint":"","confirmed":false}}}"#;
    let of = r#""metadata":{"kagent_type":"function_call"}"#;
    let content = format!(r#"{{"messageId":"m","content":[{{"data":{{"data":{call}}},{of}}}]}}"#);
    let snake = format!(r#"{{"message_id":"m","parts":[{{"data":{call},{of}}}]}}"#);
    for message in [content, snake] {
        let status = format!(r#"{{"state":"TASK_STATE_INPUT_REQUIRED","message":{message}}}"#);
        let update = format!(r#"{{"statusUpdate":{{"taskId":"t","status":{status}}}}}"#);
        let task = format!(r#"{{"task":{{"id":"t","status":{status},"history":[{message}]}}}}"#);
        for text in [update, task] {
            let mut page = Page::new();
            assert_eq!(page.receive(&text), ["message-unrecognised"], "{text}");
            assert!(page.inbox.views().iter().all(|card| card.offers.is_empty()), "{text}");
        }
    }
}
