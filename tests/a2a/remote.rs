//! Calls of an agent behind the agent.

use countersign_core::{Decision, GrantScope, Inbox, InboxOptions, Input, Millis, Output, Policy, Status};
use countersign_policy::{Grant, Rulebook};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::moment::START;

use super::{Page, confirmation, paused, state};

fn remote(id: &str, inner: &[(&str, &str)]) -> String {
    let parts: Vec<String> = inner
        .iter()
        .map(|(id, name)| {
            let args = if *name == "ask_user" { r#"{"questions":[{"question":"?"}]}"# } else { "{}" };
            format!(r#"{{"name":"adk_request_confirmation","id":"{id}","originalFunctionCall":{{"name":"{name}","args":{args},"id":"call-{id}"}}}}"#)
        })
        .collect();
    let payload = format!(
        r#","payload":{{"task_id":"it","context_id":"ic","subagent_name":"helper","hitl_parts":[{}]}}"#,
        parts.join(",")
    );
    confirmation(id, &format!("outer-{id}"), "{}", &payload)
}

#[test]
fn r40_calls_of_a_remote_agent_are_the_cards_and_are_answered_by_their_own_ids() {
    let mut page = Page::new();
    page.receive(&paused("t", &[remote("r", &[("i1", "delete"), ("i2", "send")])]));
    assert_eq!(page.status("outer-r"), Status::Running);
    assert_eq!(page.card("i1").agent.last().map(|agent| agent.as_ref()), Some("helper"));
    page.decide("i2", Decision::reject(Some("no"))).expect("it is offered");
    assert!(page.sent().is_empty());
    page.decide("i1", Decision::approve()).expect("it is offered");
    let body = page.sent().remove(0);
    assert!(body.contains(r#""decisions":{"call-i1":"approve","call-i2":"reject"}"#), "{body}");
    assert_eq!(page.decide("r", Decision::approve()), Err("unknown-request".to_owned()));
}

#[test]
fn r40_a_grant_on_a_call_of_a_remote_agent_is_for_the_inner_tool_of_that_agent() {
    let mut page = Page::new();
    page.receive(&paused("t1", &[remote("r", &[("i1", "save"), ("i2", "send")])]));
    let given = page.inbox.find("i1").expect("it waits");
    let grant = page
        .inbox
        .propose(&given, |proposal| Grant::on(proposal, "g", GrantScope::Tool, Some(START.after(Millis(1)))));
    let grant = grant.flatten().expect("all that it is bound to is known");
    assert_eq!(grant.tool.as_deref(), Some("save"), "and not the one that hands the work on");
    assert_eq!(grant.agent.last().map(String::as_str), Some("helper"));

    let policy = Some(Box::new(Rulebook::default()) as Box<dyn Policy>);
    page.inbox = Inbox::new(
        adapter("a2a", &AdapterOptions::default()).expect("the adapter is built in"),
        InboxOptions { policy, ..InboxOptions::default() },
    );
    assert!(page.inbox.policy_mut::<Rulebook>().expect("the rulebook").grants.add(grant));
    page.receive(&paused("t2", &[remote("s", &[("i3", "save"), ("i4", "send")])]));
    let allowed = page.card("i3");
    assert_eq!((allowed.status, allowed.rule.as_deref()), (Status::Drafted, Some("grant:g")));
    assert_eq!(page.status("i4"), Status::Pending, "another tool of that agent");
    page.decide("i4", Decision::reject(None)).expect("it is offered");
    let body = page.sent().remove(0);
    assert!(body.contains(r#""decisions":{"call-i3":"approve","call-i4":"reject"}"#), "{body}");
    let own = confirmation("o", "c", "{}", "").replace("\"pay\"", "\"save\"");
    page.receive(&paused("t3", &[own]));
    assert_eq!(page.status("o"), Status::Pending, "the same name, but not of that agent");
}

#[test]
fn a_question_beside_a_remote_agents_call_is_blocked_and_nothing_leaves() {
    let mut page = Page::new();
    page.receive(&paused("t", &[remote("r", &[("i1", "ask_user"), ("i2", "send")])]));
    assert_eq!(page.status("i1"), Status::Blocked);
    page.decide("i2", Decision::approve()).expect("it is offered");
    assert!(page.sent().is_empty(), "a message without the question would answer it with nothing");
}

/// kagent 0.10 tells of the call to the agent behind, and not of what waits there: an approval runs it, and so does a batch that
/// rejects, for it names no call of that agent.
#[test]
fn r01_nothing_is_approved_where_a_remote_agent_has_called_another_one() {
    let behind = |args: &str| {
        let own = confirmation("own", "c1", "{}", "");
        let outer = remote("r", &[("i1", "save"), ("i2", "helper")]);
        paused(
            "t",
            &[
                own,
                outer.replace(r#""name":"helper","args":{}"#, &format!(r#""name":"helper","args":{args}"#)),
            ],
        )
    };
    let mut page = Page::new();
    page.receive(&behind(r#"{"request":"tidy up"}"#));
    for id in ["own", "i1", "i2"] {
        assert_eq!(page.offers(id), ["reject"], "{id}");
        assert_eq!(page.decide(id, Decision::approve()), Err("args-ambiguous".to_owned()), "{id}");
        page.decide(id, Decision::reject((id == "i1").then_some("no"))).expect("it is offered");
    }
    let body = page.sent().remove(0);
    assert!(body.contains(r#"{"decision_type":"reject","rejection_reason":"no"}"#), "{body}");
    for args in ["{}", r#"{"request":7}"#, r#"{"request":"a","more":"b"}"#, r#"{"path":"a"}"#] {
        let mut page = Page::new();
        page.receive(&behind(args));
        assert_eq!(page.offers("i2"), ["approve", "reject"], "{args}");
    }
}

/// Two tasks of one conversation wait: first one with a call of its own, then one with a remote agent's. Both are decided.
fn both_decided() -> Page {
    let mut page = Page::new();
    page.receive(&paused("t1", &[confirmation("own", "c1", "{}", "")]));
    page.receive(&paused("t2", &[remote("r", &[("inner", "send")])]));
    page.decide("own", Decision::approve()).expect("it is offered");
    page.decide("inner", Decision::approve()).expect("it is offered");
    page
}

/// kagent 0.10 takes words for an answer to what was asked last, and a call of a remote agent is answered in words alone.
#[test]
fn r01_words_to_a_remote_agent_wait_until_the_task_beside_has_ended() {
    for answers in [true, false] {
        let mut page = both_decided();
        let sent = page.sent();
        assert!(sent.len() == 1 && sent[0].contains(r#""taskId":"t1""#), "{sent:?}");
        page.receive(&paused("t1", &[confirmation("own", "c1", "{}", "")]));
        assert!(page.sent().is_empty(), "what was read before the answer is sent says nothing of it");
        if answers {
            page.receive(&state("t1", "working"));
            assert!(page.sent().is_empty(), "the other task may ask at any moment");
        }
        let is_told =
            |page: &Page| page.inbox.advice().iter().any(|advice| advice.code == "decision-is-held");
        assert!(is_told(&page), "nothing else says why it has not left");
        page.receive(&state("t1", "completed"));
        assert!(!is_told(&page));
        let sent = page.sent();
        assert!(sent.len() == 1 && sent[0].contains(r#""decision_type":"approve""#), "{sent:?}");
    }
}

#[test]
fn what_must_not_leave_yet_is_said_on_its_card_until_it_may_or_is_taken_back() {
    for undone in [false, true] {
        let mut page = both_decided();
        let held = |page: &Page| {
            let of = |id| page.card(id).outbound.map(|outbound| outbound.held);
            (of("own"), of("inner"), page.inbox.unsent())
        };
        assert_eq!(held(&page), (Some(false), Some(false), 0), "both may leave when the host takes them");
        assert_eq!(page.sent().len(), 1);
        assert_eq!(held(&page), (Some(false), Some(true), 1), "by the other answer its task works");
        let text = state("t1", "working");
        let outputs = page.inbox.handle(START, Input::Receive { text: &text, rounded: false });
        let key = page.card("inner").key;
        let is_told = |output: &Output| matches!(output, Output::Changed(changed) if *changed == key);
        assert!(outputs.expect("news is never refused").iter().any(is_told), "it may be another card now");
        if undone {
            let request = page.inbox.find("inner").expect("it is there");
            page.inbox.handle(START, Input::Undo(request)).expect("it has not left");
            assert_eq!((page.status("inner"), held(&page).1, held(&page).2), (Status::Pending, None, 0));
        }
        page.receive(&state("t1", "completed"));
        assert_eq!(held(&page).1, (!undone).then_some(false));
        assert_eq!(page.sent().len(), usize::from(!undone));
    }
}

#[test]
fn r01_words_to_a_remote_agent_never_leave_once_the_task_beside_asks() {
    let mut page = both_decided();
    assert_eq!(page.sent().len(), 1);
    let asks = paused("t1", &[confirmation("next", "c2", "{}", "")]).replace("m-t1", "m-t1-2");
    page.receive(&asks);
    assert!(page.sent().is_empty(), "they would approve what nobody has seen");
    assert_eq!(["inner", "next"].map(|id| page.status(id)), [Status::Drafted, Status::Pending]);
    let request = page.inbox.find("inner").expect("it is there");
    page.inbox.handle(START, Input::Undo(request)).expect("it has not left");
    assert_eq!(page.status("inner"), Status::Blocked);
    page.receive(&state("t1", "completed"));
    assert!(page.sent().is_empty(), "the server looks at what was asked last, whatever came of it");
}

/// What waits for its turn with the host was taken before anything was known of a task that began meanwhile.
#[test]
fn r01_words_that_were_taken_may_leave_no_more_once_another_task_works_or_asks() {
    for own in [true, false] {
        let (mut page, id) = (Page::new(), if own { "own" } else { "inner" });
        let asks = if own { confirmation("own", "c1", "{}", "") } else { remote("r", &[("inner", "send")]) };
        page.receive(&paused("t1", &[asks]));
        page.decide(id, Decision::approve()).expect("it is offered");
        let taken = page.inbox.take_outbound().remove(0).id;
        assert!(page.inbox.may_leave(&taken), "nothing else is known");
        page.receive(&state("t2", "submitted"));
        assert!(!page.inbox.may_leave(&taken), "the other task may ask before it arrives");
        page.receive(&state("t2", "completed"));
        assert!(page.inbox.may_leave(&taken), "it has asked nothing");
        page.receive(&paused("t3", &[confirmation("next", "c2", "{}", "")]));
        assert!(!page.inbox.may_leave(&taken), "it would approve what nobody has seen");
    }
}

#[test]
fn r43_a_message_that_was_refused_keeps_no_words_of_another_task() {
    let mut page = both_decided();
    let id = page.inbox.take_outbound().remove(0).id;
    let failed = Input::Failed { id, status: Some(200), message: None };
    page.inbox.handle(START, failed).expect("it was on its way");
    assert_eq!(page.sent().len(), 1, "the task beside waits still, and asks nothing new");
}

#[test]
fn r43_a_message_that_was_lost_keeps_words_of_another_task_until_its_own_is_read() {
    let mut page = both_decided();
    let id = page.inbox.take_outbound().remove(0).id;
    let failed = Input::Failed { id, status: None, message: None };
    page.inbox.handle(START, failed).expect("it was on its way");
    assert!(page.sent().is_empty(), "it may have arrived, and the task beside may work");
    page.receive(&paused("t1", &[confirmation("own", "c1", "{}", "")]));
    assert_eq!(page.sent().len(), 1, "it waits still");
}

#[test]
fn r43_a_task_that_is_forgotten_keeps_no_words_of_another_task() {
    let mut page = both_decided();
    let id = page.inbox.take_outbound().remove(0).id;
    page.receive(r#"{"forgotten":"t1","said":"it is not known"}"#);
    let failed = Input::Failed { id, status: Some(404), message: None };
    page.inbox.handle(START, failed).expect("it was on its way");
    assert_eq!(page.status("own"), Status::Superseded);
    assert!(page.inbox.advice().iter().all(|advice| advice.code != "several-tasks-wait"));
    assert_eq!(page.sent().len(), 1, "it asks nothing more");
}

/// Words that are typed end a pause of kagent 0.10, and nothing is said of the call that waited for the remote agent.
#[test]
fn r39_a_call_of_a_remote_agent_does_not_run_on_when_its_task_has_ended() {
    let call = r#"{"id":"k","name":"k8s_agent","args":{}}"#;
    let called = format!(
        r#"{{"kind":"message","messageId":"m0","role":"agent","parts":[{{"kind":"data","data":{call},"metadata":{{"kagent_type":"function_call"}}}}]}}"#
    );
    let inner = r#""payload":{"task_id":"i","context_id":"ic","subagent_name":"k8s_agent","hitl_parts":[{"name":"adk_request_confirmation","id":"q","originalFunctionCall":{"name":"del","args":{},"id":"d"}}]}"#;
    let asks = format!(
        r#"{{"kind":"message","messageId":"m1","role":"agent","parts":[{{"kind":"data","data":{{"id":"o","name":"adk_request_confirmation","args":{{"originalFunctionCall":{call},"toolConfirmation":{{"confirmed":false,{inner}}}}}}},"metadata":{{"kagent_type":"function_call"}}}}]}}"#
    );
    for (end, card) in
        [("completed", Status::Expired), ("failed", Status::Expired), ("canceled", Status::Cancelled)]
    {
        let mut page = Page::new();
        let status = |state: &str, message: &str| {
            format!(
                r#"{{"kind":"status-update","taskId":"t","contextId":"c","status":{{"state":"{state}"{message}}}}}"#
            )
        };
        page.receive(&status("working", &format!(r#","message":{called}"#)));
        page.receive(&status("input-required", &format!(r#","message":{asks}"#)));
        assert_eq!(page.status("k"), Status::Running);
        page.receive(&status(end, ""));
        assert_eq!((page.status("k"), page.status("q")), (Status::Unknown, card), "{end}");
        let mut reloaded = Page::new();
        reloaded.restore(&format!(
            r#"{{"kind":"task","id":"t","contextId":"c","history":[{called},{asks}],"status":{{"state":"{end}"}}}}"#
        ));
        assert_eq!((reloaded.status("k"), reloaded.status("q")), (Status::Unknown, card), "{end}");
    }
}
