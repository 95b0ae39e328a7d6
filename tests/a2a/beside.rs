//! Several tasks of one context that wait at the same time: kagent 0.10 takes words for an answer to what was asked last.

use countersign_core::{Decision, Input, OutboundState, Status};
use countersign_tests::moment::START;

use super::{Page, confirmation, one, paused, state};

fn inner(id: &str) -> String {
    let inner = format!(
        r#","payload":{{"subagent_name":"s","hitl_parts":[{{"id":"{id}","originalFunctionCall":{{"id":"k","name":"del","args":{{}}}}}}]}}"#
    );
    confirmation(&format!("outer-{id}"), "c", "{}", &inner)
}

#[test]
fn r01_an_answer_to_one_of_several_tasks_names_its_own_call() {
    for decision in [Decision::approve(), Decision::reject(Some("no"))] {
        for (answered, other) in [("1", "2"), ("2", "1")] {
            let mut page = Page::new();
            page.receive(&one("t1", "r1", "{}"));
            page.receive(&one("t2", "r2", "{}"));
            for at in [answered, other] {
                page.decide(&format!("r{at}"), decision.clone()).expect("it is offered");
                let sent = page.sent();
                let named = format!(r#""name":"adk_request_confirmation","id":"r{at}""#);
                assert!(sent.len() == 1 && sent[0].contains(&named), "{sent:?}");
                assert!(!sent[0].contains("decision_type"), "{sent:?}");
            }
        }
    }
}

#[test]
fn r08_the_words_for_one_task_never_reach_a_later_one_that_ended_unanswered() {
    let mut page = Page::new();
    page.receive(&one("t1", "r1", "{}"));
    page.receive(&one("t2", "r2", "{}"));
    page.receive(&state("t2", "completed"));
    page.decide("r1", Decision::approve()).expect("it is offered");
    assert!(page.sent()[0].contains(r#""id":"r1""#));
    // A task that is alone, or the last one of those that have ended, is answered in words.
    page.receive(&state("t1", "completed"));
    page.receive(&one("t3", "r3", "{}"));
    page.decide("r3", Decision::approve()).expect("it is offered");
    assert!(page.sent()[0].contains(r#"{"decision_type":"approve"}"#));
}

#[test]
fn r08_while_another_task_works_and_may_ask_an_answer_names_its_own_call() {
    let mut page = Page::new();
    page.receive(&state("t2", "submitted"));
    page.receive(&paused("t1", &["r1", "r2"].map(|id| confirmation(id, id, "{}", ""))));
    page.decide("r1", Decision::approve()).expect("it is offered");
    page.decide("r2", Decision::reject(None)).expect("it is offered");
    let sent = page.sent();
    assert!(sent[0].contains(r#""id":"r1""#) && !sent[0].contains("decision_type"), "{sent:?}");
}

/// A request's own form would not reject here: kagent 0.10 knows a call that has run by words alone.
#[test]
fn r08_what_words_alone_can_reject_waits_for_them_until_the_task_beside_has_ended_and_never_leaves_once_it_asks()
 {
    let part = |kind: &str, what: &str| {
        let call = format!(
            r#"{{"kind":"data","data":{{"id":"c","name":"pay",{what}}},"metadata":{{"kagent_type":"{kind}"}}}}"#
        );
        paused("t1", &[call]).replace("input-required", "working")
    };
    for asks in [false, true] {
        let mut page = Page::new();
        page.receive(&state("t2", "working"));
        page.receive(&part("function_call", r#""args":{}"#));
        page.receive(&part("function_response", r#""response":{"result":"paid"}"#));
        page.receive(&paused("t1", &["r1", "r2"].map(|id| confirmation(id, "c", "{}", ""))));
        page.decide("r2", Decision::reject(None)).expect("the second one waits");
        assert_eq!(page.sent(), [""; 0], "the other task may ask at any moment");
        page.receive(&if asks { one("t2", "other", "{}") } else { state("t2", "completed") });
        let sent = page.sent();
        let words = sent.iter().filter(|body| body.contains(r#"{"decision_type":"reject"}"#)).count();
        assert_eq!((sent.len(), words), if asks { (0, 0) } else { (1, 1) }, "{sent:?}");
    }
}

#[test]
fn r10_words_that_did_not_arrive_are_not_sent_again_once_another_task_asks() {
    let mut page = Page::new();
    page.receive(&one("t1", "r1", "{}"));
    page.decide("r1", Decision::reject(Some(r#"{"decision_type":"no"}"#))).expect("it is offered");
    let lost = |page: &mut Page| {
        let id = page.inbox.take_outbound()[0].id.clone();
        page.inbox
            .handle(START, Input::Failed { id, status: Some(502), message: None })
            .expect("it was sent");
    };
    let retry = |page: &mut Page| {
        let request = page.inbox.find("r1").expect("it is there");
        let retried = page.inbox.handle(START, Input::Retry(request));
        retried.map(|_| ()).map_err(|refusal| refusal.code().to_string())
    };
    lost(&mut page);
    assert_eq!(retry(&mut page), Ok(()));
    lost(&mut page);
    page.receive(&one("t2", "r2", "{}"));
    assert_eq!(retry(&mut page), Err("blocked".to_owned()));
    assert_eq!(
        (page.sent(), page.status("r1"), page.status("r2")),
        (vec![], Status::Drafted, Status::Pending)
    );
    // Decided anew it names its call, and can be sent as often as it takes.
    page.decide_anew("r1", Decision::reject(Some(r#"{"decision_type":"no"}"#)));
    lost(&mut page);
    assert_eq!(retry(&mut page), Ok(()));
    assert!(page.sent()[0].contains(r#""name":"adk_request_confirmation","id":"r1""#));
}

#[test]
fn r08_a_remote_agents_call_in_an_earlier_task_is_blocked() {
    let mut page = Page::new();
    page.receive(&paused("t1", &[inner("i1")]));
    assert_eq!(page.status("i1"), Status::Pending);
    page.receive(&one("t2", "r2", "{}"));
    assert_eq!(page.status("i1"), Status::Blocked);
    page.receive(&paused("t1", &[inner("i1")]));
    assert_eq!((page.status("i1"), page.offers("i1").len()), (Status::Blocked, 0));
    page.decide("r2", Decision::approve()).expect("it is offered");
    assert_eq!(page.sent().len(), 1);
    let mut page = Page::new();
    page.receive(&one("t1", "r1", "{}"));
    page.receive(&paused("t2", &[inner("i2")]));
    page.decide("i2", Decision::reject(None)).expect("what was asked last is found by words");
    assert!(page.sent()[0].contains("decision_type"));
}

/// A stored task that asked at this moment and waits since, or ended at it.
fn stored(task: &str, moment: &str, state: &str, part: &str) -> String {
    let message = format!(r#"{{"kind":"message","role":"agent","messageId":"m-{task}","parts":[{part}]}}"#);
    let (history, now) = match state {
        "input-required" => ("[]".to_owned(), format!(r#","message":{message}"#)),
        _ => (format!("[{message}]"), String::new()),
    };
    format!(
        r#"{{"kind":"task","id":"{task}","contextId":"ctx","history":{history},"status":{{"state":"{state}","timestamp":"2026-11-27T05:00:{moment}+00:00"{now}}}}}"#
    )
}

#[test]
fn r08_a_remote_agents_call_is_blocked_once_an_earlier_task_asks_again() {
    let mut page = Page::new();
    page.receive(&one("t1", "r1", "{}"));
    page.receive(&paused("t2", &[inner("i2")]));
    page.decide("r1", Decision::approve()).expect("it is offered");
    assert!(page.sent()[0].contains(r#""id":"r1""#));
    page.receive(&state("t1", "working"));
    assert_eq!(page.status("i2"), Status::Pending);
    page.receive(&one("t1", "r3", "{}"));
    assert_eq!(page.status("i2"), Status::Blocked);
    page.receive(&paused("t2", &[inner("i2")]));
    assert_eq!((page.status("i2"), page.offers("i2").len()), (Status::Blocked, 0));
    // What was asked last is found by words, whichever task is the older one.
    let mut page = Page::new();
    page.receive(&state("t1", "working"));
    page.receive(&one("t2", "r2", "{}"));
    page.receive(&paused("t1", &[inner("i1")]));
    page.decide("i1", Decision::approve()).expect("it is offered");
    assert!(page.sent()[0].contains("decision_type"));
}

#[test]
fn r08_in_a_list_the_moments_say_which_task_asked_last() {
    let (inner, plain) = (inner("i"), confirmation("r", "r", "{}", ""));
    // The tasks in their order, and whether words to the remote agent's call find it.
    let waiting = |task: &str, moment: &str, part: &str| stored(task, moment, "input-required", part);
    let lists = [
        ([waiting("t1", "30", &plain), waiting("t2", "20", &inner)], false),
        ([waiting("t1", "20", &plain), waiting("t2", "30", &inner)], true),
        ([waiting("t1", "30", &inner), waiting("t2", "20", &plain)], true),
        ([waiting("t1", "20", &inner), waiting("t2", "30", &plain)], false),
        // What ended before had asked before; of what ended later nobody knows, and the place tells.
        ([waiting("t1", "30", &inner), stored("t2", "20", "failed", &plain)], true),
        ([waiting("t1", "20", &inner), stored("t2", "30", "failed", &plain)], false),
        ([stored("t1", "30", "failed", &plain), waiting("t2", "20", &inner)], true),
    ];
    for (list, is_last) in lists {
        let mut page = Page::new();
        page.restore(&format!("[{}]", list.join(",")));
        assert_eq!(page.status("i"), if is_last { Status::Pending } else { Status::Blocked }, "{list:?}");
        if is_last {
            page.decide("i", Decision::approve()).expect("it is offered");
            assert!(page.sent()[0].contains("decision_type"), "{list:?}");
        }
    }
}

#[test]
fn r10_drafts_that_are_held_leave_in_the_form_that_fits_when_they_leave() {
    let mut page = Page::new();
    page.receive(&paused("t1", &["a", "b"].map(|id| confirmation(id, id, "{}", ""))));
    page.decide("a", Decision::approve()).expect("it is offered");
    page.receive(&one("t2", "r2", "{}"));
    page.decide("b", Decision::reject(None)).expect("it is offered");
    let sent = page.sent();
    assert!(sent[0].contains(r#""id":"a""#) && sent[0].contains(r#""id":"b""#), "{sent:?}");
    assert!(!sent[0].contains("decision_type"), "{sent:?}");
}

/// A host may take a message long after it was due: a page that a browser draws ahead does so.
#[test]
fn r10_words_that_were_due_before_another_task_began_leave_as_an_answer_that_names_its_call() {
    for begins in [one("t2", "r2", "{}"), state("t2", "submitted")] {
        let mut page = Page::new();
        page.receive(&one("t1", "r1", "{}"));
        page.decide("r1", Decision::approve()).expect("it is offered");
        page.receive(&begins);
        let sent = page.sent();
        assert!(sent.len() == 1 && sent[0].contains(r#""id":"r1""#), "{sent:?}");
        assert!(!sent[0].contains("decision_type"), "{sent:?}");
    }
}

/// What was sent again stays a message: it names its call where it cannot have arrived, and waits, or has failed, where it may have.
#[test]
fn r10_what_is_sent_again_while_another_task_works_is_not_left_behind_as_a_draft() {
    let again_beside = |status: Option<u16>, begun: &str| {
        let mut page = Page::new();
        page.receive(&one("t1", "r1", "{}"));
        page.decide("r1", Decision::approve()).expect("it is offered");
        let id = page.inbox.take_outbound()[0].id.clone();
        page.inbox.handle(START, Input::Failed { id, status, message: None }).expect("it was sent");
        page.receive(begun);
        let request = page.inbox.find("r1").expect("it is there");
        page.inbox.handle(START, Input::Retry(request)).expect("it failed");
        page.receive(begun);
        page
    };
    let works = state("t2", "working");
    for begun in [&works, &one("t2", "r2", "{}")] {
        let sent = again_beside(Some(503), begun).sent();
        assert!(sent.len() == 1 && sent[0].contains(r#""id":"r1""#), "{sent:?}");
    }
    let again = |status| again_beside(status, &works);
    let mut page = again(Some(502));
    assert_eq!((page.sent(), page.status("r1")), (vec![], Status::Sending));
    page.receive(&state("t2", "completed"));
    assert!(page.sent()[0].contains(r#"{"decision_type":"approve"}"#));
    let mut page = again(Some(502));
    page.receive(&one("t2", "r2", "{}"));
    let outbound = page.inbox.views()[0].outbound.as_ref().map(|it| it.state);
    assert_eq!(
        (page.sent(), page.status("r1"), outbound),
        (vec![], Status::Drafted, Some(OutboundState::Failed))
    );
}

/// Five thousand calls of one id, each asked about, approved and run: each has its own outcome, and none looks at all before.
#[test]
fn r09_of_thousands_of_calls_of_one_id_each_keeps_its_outcome_when_all_is_read_again() {
    let many = 5000;
    let message = |role: &str, id: String, part: String| {
        format!(r#"{{"kind":"message","role":"{role}","messageId":"{id}","parts":[{part}]}}"#)
    };
    let word = r#"{"kind":"data","data":{"decision_type":"approve"}}"#;
    let ran = |at: usize| {
        format!(
            r#"{{"kind":"data","data":{{"id":"c","name":"pay","response":{{"n":{at}}}}},"metadata":{{"kagent_type":"function_response"}}}}"#
        )
    };
    let turns = (0..many).flat_map(|at| {
        let asked = confirmation(&format!("r{at}"), "c", &format!("{{\"n\":{at}}}"), "");
        [
            message("agent", format!("q{at}"), asked),
            message("user", format!("a{at}"), word.to_owned()),
            message("agent", format!("o{at}"), ran(at)),
        ]
    });
    let last = message("agent", "q".to_owned(), confirmation("last", "c", "{}", ""));
    let turns = turns.collect::<Vec<_>>().join(",");
    let task = format!(
        r#"{{"kind":"task","id":"t","contextId":"c","history":[{turns},{last}],"status":{{"state":"input-required","message":{last}}}}}"#
    );
    let mut page = Page::new();
    page.restore(&task);
    page.receive(&task);
    let views = page.inbox.views();
    assert_eq!(views.len(), many + 1);
    for (at, view) in views.iter().take(many).enumerate() {
        assert_eq!(view.result_text.as_deref(), Some(format!("{{\"n\":{at}}}").as_str()));
    }
    assert_eq!(page.offers("last"), ["approve", "reject"]);
}
