//! What a sub-agent asks inside of a call waits no longer than that call.

use countersign_core::{Decision, Inbox, Status};

use super::{decide, empty, receive, restore};

fn event(id: &str, run: &str, branch: &str, part: &str) -> String {
    let branch = if branch.is_empty() { String::new() } else { format!(r#""branch":"{branch}","#) };
    let head = format!(r#""id":"{id}","invocationId":"{run}","author":"a",{branch}"#);
    format!(r#"{{{head}"content":{{"role":"model","parts":[{part}]}}}}"#)
}

fn call(id: &str, tool: &str) -> String {
    format!(r#"{{"functionCall":{{"id":"{id}","name":"{tool}","args":{{}}}}}}"#)
}

fn asks(id: &str) -> String {
    let asked = format!(r#"{{"id":"{id}-call","name":"pay","args":{{}}}}"#);
    let args = format!(r#"{{"originalFunctionCall":{asked},"toolConfirmation":{{"confirmed":false}}}}"#);
    format!(r#"{{"functionCall":{{"id":"{id}","name":"adk_request_confirmation","args":{args}}}}}"#)
}

fn answers(id: &str, tool: &str, response: &str) -> String {
    format!(r#"{{"functionResponse":{{"id":"{id}","name":"{tool}","response":{response}}}}}"#)
}

fn ends(id: &str, tool: &str) -> String {
    answers(id, tool, r#"{"result":"done"}"#)
}

/// The statuses of what was asked.
fn asked(inbox: &Inbox) -> Vec<Status> {
    let views = inbox.views();
    views.iter().filter(|view| view.request.is_some()).map(|view| view.status).collect()
}

fn live(events: &[String]) -> Vec<Status> {
    let mut inbox = empty(None, "adk");
    for event in events {
        receive(&mut inbox, event);
    }
    asked(&inbox)
}

#[test]
fn what_was_asked_inside_of_a_call_ends_with_it_in_whichever_order_it_is_read() {
    for branch in ["a@c1", "b@c0.a@c1", "a@c1.b@c2", "par.a@c1"] {
        let told = [
            event("1", "e", "", &call("c1", "a")),
            event("2", "e", branch, &asks("q")),
            event("3", "e", "", &ends("c1", "a")),
        ];
        for [x, y, z] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let events = [x, y, z].map(|at| told[at].clone());
            assert_eq!(live(&events), [Status::Superseded], "{branch}: {events:?}");
            let mut inbox = empty(None, "adk");
            restore(&mut inbox, &format!("[{}]", events.join(",")));
            // A session that is read again, and the stream once more.
            receive(&mut inbox, &format!("[{}]", told.join(",")));
            receive(&mut inbox, &told[1]);
            assert_eq!(asked(&inbox), [Status::Superseded], "{branch}: {events:?}");
            decide(&mut inbox, "q", Decision::approve()).expect_err("it would run nothing");
        }
    }
}

#[test]
fn what_may_still_be_answered_inside_of_a_call_waits() {
    let begun = event("1", "e", "", &call("c1", "a"));
    let asked_in = |branch: &str| event("2", "e", branch, &asks("q"));
    let inside = asked_in("a@c1");
    let ended = |run: &str, id: &str, tool: &str| event("3", run, "", &ends(id, tool));
    let says = |response: &str| event("3", "e", "", &answers("c1", "a", response));
    let partial = ended("e", "c1", "a").replacen('{', "{\"partial\":true,", 1);
    let nameless = ended("e", "c1", "a").replace("\"name\":\"a\",", "");
    for (asked, other) in [
        // Branches of google-adk 1.x, or of a workflow's nodes, and ids that merely begin so.
        (asked_in("a.b"), ended("e", "b", "b")),
        (asked_in("a"), ended("e", "c1", "a")),
        (asked_in("a@1"), ended("e", "c1", "a")),
        (asked_in("a@c1x"), ended("e", "c1", "a")),
        (asked_in("a@"), ended("e", "", "a")),
        // What is no outcome of this very call.
        (inside.clone(), ended("e", "c2", "a")),
        (inside.clone(), ended("e", "c1", "b")),
        (inside.clone(), ended("f", "c1", "a")),
        (inside.clone(), ended("", "c1", "a")),
        (inside.clone(), nameless),
        (inside.clone(), partial),
        (inside.clone(), says(r#"{"status":"pending"}"#)),
        (inside.clone(), ended("e", "c1", "a").replace("\"id\":\"3\",", "")),
    ] {
        for events in [[&begun, &asked, &other], [&begun, &other, &asked], [&other, &begun, &asked]] {
            assert_eq!(live(&events.map(String::clone)), [Status::Pending], "{events:?}");
        }
    }
}

#[test]
fn a_call_with_the_id_of_one_that_ended_takes_answers_of_its_own() {
    for second in ["e", "f"] {
        let told = [
            event("1", "e", "", &call("c1", "a")),
            event("2", "e", "a@c1", &asks("q")),
            event("3", "e", "", &ends("c1", "a")),
            event("4", second, "", &call("c1", "a")),
            event("5", second, "a@c1", &asks("r")),
        ];
        let mut inbox = empty(None, "adk");
        restore(&mut inbox, &format!("[{}]", told.join(",")));
        // Read again, the first outcome says nothing of the second call.
        receive(&mut inbox, &format!("[{}]", told.join(",")));
        receive(&mut inbox, &told[2]);
        assert_eq!(asked(&inbox), [Status::Superseded, Status::Pending]);
        receive(&mut inbox, &event("6", second, "", &ends("c1", "a")));
        assert_eq!(asked(&inbox), [Status::Superseded, Status::Superseded]);
    }
}

/// A page that joins a stream in the middle of a run, and reads the session then.
#[test]
fn what_a_second_call_with_the_id_asked_waits_though_the_first_ones_outcome_is_read_later() {
    let told = [
        event("1", "e", "", &call("c1", "a")),
        event("2", "e", "", &ends("c1", "a")),
        event("3", "e", "", &call("c1", "a")),
        event("4", "e", "a@c1", &asks("r")),
    ];
    let mut inbox = empty(None, "adk");
    receive(&mut inbox, &told[2]);
    receive(&mut inbox, &told[3]);
    receive(&mut inbox, &format!("[{}]", told.join(",")));
    assert_eq!(asked(&inbox), [Status::Pending]);
}

#[test]
fn an_answer_outlives_the_call_inside_of_which_it_was_given() {
    let told = [
        event("1", "e", "", &call("c1", "a")),
        event("2", "e", "a@c1", &asks("q")),
        event("3", "e", "a@c1", &answers("q", "adk_request_confirmation", r#"{"confirmed":true}"#))
            .replace("\"author\":\"a\"", "\"author\":\"user\""),
        event("4", "e", "a@c1", &ends("q-call", "pay")),
        event("5", "e", "", &ends("c1", "a")),
    ];
    assert_eq!(live(&told), [Status::Completed]);
    for at in 0..told.len() {
        let mut events = told.clone();
        events.rotate_left(at);
        assert_eq!(live(&events), [Status::Completed], "{events:?}");
        events.reverse();
        assert_eq!(live(&events), [Status::Completed], "{events:?}");
    }
}
