//! Which agent a card names: the one that made the call, or none where what arrived does not say.

use countersign_core::{Inbox, InboxOptions, Input, Policy, Status};
use countersign_policy::Rulebook;
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::moment::START;

/// The metadata of an event or a task of google-adk.
fn of(author: &str) -> String {
    format!(r#""metadata":{{"adk_app_name":"ops","adk_author":"{author}"}}"#)
}

fn part(data: &str, kind: &str) -> String {
    format!(r#"{{"data":{data},"metadata":{{"adk_type":"{kind}"}}}}"#)
}

fn call(id: &str, tool: &str, args: &str) -> String {
    part(&format!(r#"{{"id":"{id}","name":"{tool}","args":{args}}}"#), "function_call")
}

fn asked(confirmation: &str, id: &str, args: &str) -> String {
    let data = format!(
        r#"{{"id":"{confirmation}","name":"adk_request_confirmation","args":{{"originalFunctionCall":{{"id":"{id}","name":"pay","args":{args}}},"toolConfirmation":{{"hint":"","confirmed":false}}}}}}"#
    );
    part(&data, "function_call")
}

fn stub(id: &str) -> String {
    let data = format!(r#"{{"id":"{id}","name":"pay","response":{{"status":"confirmation_requested"}}}}"#);
    part(&data, "function_response")
}

fn message(id: &str, part: &str) -> String {
    format!(r#"{{"messageId":"{id}","role":"ROLE_AGENT","parts":[{part}]}}"#)
}

/// An event of a stream.
fn event(author: &str, state: &str, id: &str, part: &str) -> String {
    let (message, of) = (message(id, part), of(author));
    format!(
        r#"{{"statusUpdate":{{"taskId":"t","contextId":"c","status":{{"state":"TASK_STATE_{state}","message":{message}}},{of}}}}}"#
    )
}

/// A stored task, which names who spoke last.
fn task(author: &str, history: &[String], state: &str, now: &str) -> String {
    let (history, message, of) = (history.join(","), message("m-now", now), of(author));
    format!(
        r#"{{"id":"t","contextId":"c","status":{{"state":"TASK_STATE_{state}","message":{message}}},"history":[{history}],{of}}}"#
    )
}

struct Page(Inbox);

impl Page {
    /// A page on which calls of `pay` by this agent run unasked.
    fn permitting(agent: &str) -> Page {
        let rules =
            format!(r#"{{"rules":[{{"name":"ok","effect":"allow","tool":"pay","agent":["{agent}"]}}]}}"#);
        let policy = Some(Box::new(Rulebook::read(&rules).unwrap()) as Box<dyn Policy>);
        let adapter = adapter("a2a", &AdapterOptions::default()).unwrap();
        Page(Inbox::new(adapter, InboxOptions { policy, ..InboxOptions::default() }))
    }

    fn receive(&mut self, text: &str) {
        self.0.handle(START, Input::Receive { text, rounded: false }).unwrap();
    }

    fn restore(&mut self, text: &str) {
        self.0.handle(START, Input::Restore { text: text.into(), rounded: false }).unwrap();
    }

    /// The path to each call, and how it stands.
    fn cards(&self) -> Vec<(String, Status)> {
        let path = |view: &countersign_core::RequestView| view.agent.join("/");
        self.0.views().iter().map(|view| (path(view), view.status)).collect()
    }
}

/// What one agent asks while another one works: the stored task names the one that spoke last.
fn waiting_beside(author: &str) -> String {
    let history = [
        message("m1", &call("k1", "pay", "{}")),
        message("m2", &asked("q1", "k1", "{}")),
        message("m3", &stub("k1")),
        message("m4", r#"{"text":"I am done."}"#),
    ];
    task(author, &history, "INPUT_REQUIRED", &asked("q1", "k1", "{}"))
}

#[test]
fn r40_the_agent_that_spoke_last_in_a_task_is_not_taken_for_the_one_that_asks() {
    for restores in [true, false] {
        let mut page = Page::permitting("two");
        let stored = waiting_beside("two");
        if restores {
            page.restore(&stored)
        } else {
            page.receive(&stored)
        }
        assert_eq!(page.cards(), [(String::new(), Status::Pending)]);
    }
    // Nor is that of the event which ends a run.
    let mut page = Page::permitting("two");
    page.receive(&event("two", "INPUT_REQUIRED", "m1", &asked("q1", "k1", "{}")));
    assert_eq!(page.cards(), [(String::new(), Status::Pending)]);
}

#[test]
fn r40_a_page_that_heard_who_asks_keeps_it_when_the_task_is_read() {
    let mut page = Page::permitting("two");
    page.receive(&event("one", "WORKING", "m1", &call("k1", "pay", "{}")));
    page.receive(&event("one", "WORKING", "m2", &asked("q1", "k1", "{}")));
    page.receive(&waiting_beside("two"));
    assert_eq!(page.cards(), [("one".to_owned(), Status::Pending)]);
}

#[test]
fn r40_an_id_that_two_agents_give_names_neither_for_the_other() {
    let mut page = Page::permitting("one");
    page.receive(&event("one", "WORKING", "m1", &call("call_0", "pay", r#"{"n":1}"#)));
    let done = part(r#"{"id":"call_0","name":"pay","response":{"result":"ok"}}"#, "function_response");
    page.receive(&event("one", "WORKING", "m2", &done));
    page.receive(&event("two", "WORKING", "m3", &call("call_0", "pay", r#"{"n":2}"#)));
    page.receive(&event("two", "WORKING", "m4", &asked("q2", "call_0", r#"{"n":2}"#)));
    page.receive(&event("two", "INPUT_REQUIRED", "m5", &asked("q2", "call_0", r#"{"n":2}"#)));
    let expected = [("one", Status::Completed), ("two", Status::Pending)];
    assert_eq!(page.cards(), expected.map(|(agent, status)| (agent.to_owned(), status)));
}

#[test]
fn r40_an_agent_that_was_handed_the_conversation_is_named_after_a_reload() {
    let handed =
        |to: &str| call(&format!("h-{to}"), "transfer_to_agent", &format!(r#"{{"agent_name":"{to}"}}"#));
    let history = [
        message("m1", &call("k0", "read", "{}")),
        message("m2", &handed("two")),
        message("m3", &call("k1", "pay", "{}")),
    ];
    let mut page = Page::permitting("ops");
    page.restore(&task("two", &history, "INPUT_REQUIRED", &asked("q1", "k1", "{}")));
    let paths: Vec<String> = page.cards().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["", "", "two"]);
    // And where it handed it back, the calls before that are nobody's.
    let back =
        [&history[..], &[message("m4", &handed("ops")), message("m5", &call("k2", "read", "{}"))]].concat();
    let mut page = Page::permitting("two");
    page.restore(&task("ops", &back, "COMPLETED", r#"{"text":"done"}"#));
    let paths: Vec<String> = page.cards().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["ops", "ops", "", "", "ops"]);
}
