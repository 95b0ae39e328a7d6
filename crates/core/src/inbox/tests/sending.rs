//! What is sent: once, whole, and what the host is told of it.

use super::{check, check_with};
use crate::decision::Decision;
use crate::ids::{Millis, OutboundId};
use crate::inbox::{Inbox, Input, Output};
use crate::options::InboxOptions;
use crate::outbound::{Outbound, OutboundState};
use crate::status::Status;
use crate::testing::{inbox, request};

const NOW: Millis = Millis(1);

fn asked(text: &str) -> Inbox {
    let mut inbox = inbox(InboxOptions::default());
    inbox.handle(NOW, Input::Receive { text, rounded: false }).unwrap();
    inbox
}

fn decide(inbox: &mut Inbox, id: &str, decision: Decision) -> Vec<Output> {
    let input = Input::Decide { request: request(id), decision, seen: None, offer: None };
    inbox.handle(NOW, input).unwrap()
}

fn approve(inbox: &mut Inbox, id: &str) -> Outbound {
    decide(inbox, id, Decision::approve());
    inbox.take_outbound().pop().unwrap()
}

fn code(result: Result<Vec<Output>, crate::error::Refusal>) -> Option<&'static str> {
    result.err().map(|refusal| refusal.code().as_str())
}

fn lost(id: &OutboundId, status: Option<u16>, message: Option<&str>) -> Input<'static> {
    Input::Failed { id: id.clone(), status, message: message.map(str::to_owned) }
}

#[test]
fn r09_messages_of_two_inboxes_have_two_ids() {
    let id = |seed: &str| {
        let mut inbox = inbox(InboxOptions::new(seed));
        inbox.handle(NOW, Input::Receive { text: "ask r1 a {}", rounded: false }).unwrap();
        approve(&mut inbox, "r1").id
    };
    assert_eq!(id("one"), id("one"));
    assert_ne!(id("one"), id("other"));
}

#[test]
fn r09_the_fate_of_a_message_is_told_once() {
    let mut inbox = asked("ask r1 a {}; ask r2 a {}");
    let (first, second) = (approve(&mut inbox, "r1").id, approve(&mut inbox, "r2").id);
    assert_eq!(code(inbox.handle(NOW, Input::Delivered(first.clone()))), None);
    assert_eq!(code(inbox.handle(NOW, Input::Delivered(first.clone()))), Some("unknown-outbound"));
    assert_eq!(code(inbox.handle(NOW, lost(&first, None, None))), Some("unknown-outbound"));
    assert_eq!(code(inbox.handle(NOW, lost(&second, None, None))), None);
    assert_eq!(code(inbox.handle(NOW, Input::Delivered(second))), Some("unknown-outbound"));
    let nobody = Input::Delivered(OutboundId::from("nobody"));
    assert_eq!(code(inbox.handle(NOW, nobody)), Some("unknown-outbound"));
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Sent, Status::Drafted]);
    let log = inbox.audit().to_json_lines();
    let count = |event: &str| log.matches(&format!(r#""event":"{event}""#)).count();
    assert_eq!((count("sending"), count("delivered"), count("failed")), (2, 1, 1), "{log}");
}

#[test]
fn r02_a_message_whose_fate_is_told_before_it_was_taken_is_not_taken_any_more() {
    let mut inbox = asked("ask r1 a {}; ask r2 a {}");
    for id in ["r1", "r2"] {
        decide(&mut inbox, id, Decision::approve());
    }
    let first = inbox.view(0).and_then(|view| view.outbound).unwrap();
    assert_eq!(first.state, OutboundState::Queued);
    inbox.handle(NOW, Input::Delivered(first.id)).unwrap();
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["approve r2"]);
}

#[test]
fn r02_a_late_delivery_does_not_speak_for_the_next_message() {
    let mut inbox = asked("ask r1 a {}");
    let first = approve(&mut inbox, "r1");
    inbox.handle(NOW, Input::Receive { text: "refused r1 reopened", rounded: false }).unwrap();
    decide(&mut inbox, "r1", Decision::reject(None));
    inbox.handle(NOW, Input::Delivered(first.id)).unwrap();
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Sending]);
}

#[test]
fn r02_a_late_failure_does_not_speak_for_the_next_message() {
    let mut inbox = asked("ask r1 a {}");
    let first = approve(&mut inbox, "r1").id;
    inbox.handle(NOW, Input::Receive { text: "refused r1 reopened", rounded: false }).unwrap();
    decide(&mut inbox, "r1", Decision::reject(None));
    assert_eq!(inbox.take_outbound().len(), 1);
    inbox.handle(NOW, Input::Receive { text: "accepted r1", rounded: false }).unwrap();
    inbox.handle(NOW, lost(&first, Some(409), None)).unwrap();
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Rejected]);
}

#[test]
fn r03_what_is_on_its_way_answers_after_a_restore_nothing_but_the_same_call() {
    let sent = "in ask r1 a {\"n\":1}\nuser approve r1\nout approve r1\nhistory ask r1";
    for (call, status) in [("a {\"n\":1}", "sending"), ("b {\"n\":1}", "pending"), ("a {\"n\":2}", "pending")]
    {
        check(&format!("{sent} {call}\nis r1 {status}"));
    }
}

#[test]
fn r10_news_take_nothing_back_that_is_answered_for_itself() {
    let mut inbox = asked("ask r1 a batch=b {}; ask r2 a batch=b {}");
    decide(&mut inbox, "r1", Decision::approve());
    let due = inbox.views()[0].outbound.clone().unwrap().id;
    inbox.handle(NOW, Input::Receive { text: "call c1 a {}", rounded: false }).unwrap();
    assert_eq!(inbox.take_outbound().remove(0).id, due);
}

#[test]
fn r03_a_draft_falls_with_its_arguments_and_that_is_no_problem() {
    let mut inbox = asked("ask r1 a batch=b held {}; ask r2 a batch=b held {}");
    decide(&mut inbox, "r1", Decision::approve());
    let other = Input::Receive { text: "ask r1 a batch=b held {\"n\":1}", rounded: false };
    let told = inbox.handle(NOW, other).unwrap();
    assert!(!told.iter().any(|output| matches!(output, Output::Problem(_))), "{told:?}");
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Pending; 2]);
}

#[test]
fn r10_a_failed_decision_is_not_sent_again_with_the_next_one_of_its_batch() {
    check(
        r#"
        in   ask r1 a batch=b {}; ask r2 a batch=b {}
        user approve r1
        out  approve r1
        lost
        user approve r2
        out  approve r2
        out  nothing
        is   r1 drafted
        "#,
    );
}

#[test]
fn r10_what_is_due_does_not_leave_without_what_did_not_arrive_of_its_batch() {
    for is_late in [false, true] {
        let mut inbox = asked("ask r1 a held batch=b {}");
        let id = approve(&mut inbox, "r1").id;
        inbox.handle(NOW, Input::Receive { text: "ask r2 a held batch=b {}", rounded: false }).unwrap();
        decide(&mut inbox, "r2", Decision::approve());
        let failure = if is_late {
            inbox.handle(NOW, Input::Delivered(id.clone())).unwrap();
            Input::Lost { id, message: String::new() }
        } else {
            lost(&id, Some(503), None)
        };
        inbox.handle(NOW, failure).unwrap();
        assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Drafted; 2]);
        assert!(inbox.take_outbound().is_empty());
        inbox.handle(NOW, Input::Undo(request("r1"))).unwrap();
        assert_eq!(approve(&mut inbox, "r1").requests, [request("r1"), request("r2")]);
    }
}

#[test]
fn what_the_host_has_not_taken_is_the_same_message_after_other_news() {
    let mut inbox = asked("ask r1 a {}; ask r2 a {}; ask r3 a {}");
    decide(&mut inbox, "r1", Decision::approve());
    decide(&mut inbox, "r2", Decision::reject(None));
    let due = [0, 1].map(|key| inbox.view(key).and_then(|view| view.outbound).unwrap().id);
    let text = "ask r4 a {}; ask r1 a {}; ask r2 a doubtful {}; close r3 expired";
    inbox.handle(NOW, Input::Receive { text, rounded: false }).unwrap();
    let taken: Vec<OutboundId> = inbox.take_outbound().into_iter().map(|it| it.id).collect();
    assert_eq!(taken, due);
}

#[test]
fn a_host_hears_of_each_message_that_is_due() {
    let mut inbox = asked("ask r1 a {}");
    assert!(decide(&mut inbox, "r1", Decision::approve()).contains(&Output::Ready));
    let sent = inbox.take_outbound().remove(0);
    inbox.handle(NOW, lost(&sent.id, None, None)).unwrap();
    assert!(inbox.handle(NOW, Input::Retry(request("r1"))).unwrap().contains(&Output::Ready));
    assert_eq!(inbox.take_outbound(), [sent]);
}

#[test]
fn r10_a_retry_that_the_host_has_not_taken_can_be_undone() {
    let mut inbox = asked("ask r1 a {}");
    let id = approve(&mut inbox, "r1").id;
    inbox.handle(NOW, lost(&id, Some(503), None)).unwrap();
    inbox.handle(NOW, Input::Retry(request("r1"))).unwrap();
    let retried = inbox.view(0).and_then(|view| view.outbound).unwrap();
    assert_eq!((retried.state, retried.error), (OutboundState::Queued, None));
    inbox.handle(NOW, Input::Undo(request("r1"))).unwrap();
    assert!(inbox.take_outbound().is_empty());
    let log = inbox.audit().to_json_lines();
    assert_eq!(log.matches(r#""event":"sending""#).count(), 2, "{log}");
}

#[test]
fn r01_a_message_is_not_sent_again_once_it_answers_what_no_card_shows() {
    let mut inbox = asked("ask r1 a batch=b held {}; ask r2 a batch=b held {}");
    decide(&mut inbox, "r1", Decision::approve());
    let id = approve(&mut inbox, "r2").id;
    restore(&mut inbox, "ask r2 a batch=b held {}");
    inbox.handle(NOW, lost(&id, Some(503), None)).unwrap();
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Drafted]);
    assert_eq!(code(inbox.handle(NOW, Input::Retry(request("r2")))), Some("blocked"));
    assert!(inbox.take_outbound().is_empty());
    inbox.handle(NOW, Input::Undo(request("r2"))).unwrap();
    assert_eq!(approve(&mut inbox, "r2").requests, [request("r2")]);
}

#[test]
fn a_card_whose_message_is_taken_apart_is_told_whatever_it_waits_for() {
    let mut inbox = asked("ask r1 pay batch=b held {\"n\":0}; ask r2 pay batch=b held {\"n\":1}");
    decide(&mut inbox, "r1", Decision::approve());
    let id = approve(&mut inbox, "r2").id;
    let news = "ask r2 pay batch=b held {\"n\":2}";
    inbox.handle(NOW, Input::Receive { text: news, rounded: false }).unwrap();
    inbox.handle(NOW, lost(&id, None, None)).unwrap();
    assert!(inbox.view(1).is_some_and(|view| view.outbound.is_some()));
    let outputs = inbox.handle(NOW, Input::Undo(request("r1"))).unwrap();
    assert!(inbox.view(1).is_some_and(|view| view.outbound.is_none()));
    assert!(outputs.contains(&Output::Changed(1)), "{outputs:?}");
}

#[test]
fn r10_what_is_left_of_a_message_that_was_taken_apart_is_decided_anew_and_not_retried() {
    let mut inbox = asked("ask r1 a batch=b held {}; ask r2 a batch=b held {}");
    decide(&mut inbox, "r1", Decision::approve());
    let id = approve(&mut inbox, "r2").id;
    inbox.handle(NOW, lost(&id, Some(503), None)).unwrap();
    inbox.handle(NOW, Input::Undo(request("r1"))).unwrap();
    let refusal = inbox.handle(NOW, Input::Retry(request("r2"))).unwrap_err();
    assert_eq!(refusal.help(), Some("take the drafted decision back and decide anew"));
    inbox.handle(NOW, Input::Undo(request("r2"))).unwrap();
    decide(&mut inbox, "r1", Decision::reject(None));
    assert_eq!(approve(&mut inbox, "r2").requests, [request("r1"), request("r2")]);
}

#[test]
fn why_a_message_did_not_arrive_is_said_in_the_words_there_are() {
    let said = |status, message| {
        let mut inbox = asked("ask r1 a {}; ask r2 a {}");
        approve(&mut inbox, "r1");
        let id = approve(&mut inbox, "r2").id;
        let outputs = inbox.handle(NOW, lost(&id, status, message)).unwrap();
        assert!(outputs.contains(&Output::Changed(1)), "{outputs:?}");
        inbox.view(1).and_then(|view| view.outbound).and_then(|sent| sent.error).unwrap().to_string()
    };
    assert_eq!(said(Some(503), Some("busy")), "busy");
    assert_eq!(said(Some(503), Some("")), "the backend answered with status 503");
    assert_eq!(said(Some(503), None), "the backend answered with status 503");
    assert_eq!(said(None, None), "the message did not reach the backend");
}

#[test]
fn of_several_decisions_the_refused_ones_are_told_and_the_others_taken() {
    let mut inbox = asked("ask r1 a {}; ask r2 a offers=reject {}");
    let requests = ["r1", "r2", "r3"].map(|id| (request(id), None)).to_vec();
    let decide = Input::DecideAll { requests, decision: Decision::approve(), offer: None };
    let outputs = inbox.handle(NOW, decide).unwrap();
    let refused: Vec<_> = outputs
        .iter()
        .filter_map(|output| if let Output::Refused(it) = output { Some(it.code().as_str()) } else { None })
        .collect();
    assert_eq!(refused, ["not-offered", "unknown-request"]);
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Sending, Status::Pending]);
}

#[test]
fn each_held_decision_waits_for_its_own_moment() {
    let options = InboxOptions { hold_rejections: Millis(1000), ..InboxOptions::default() };
    check_with(
        options,
        r#"
        in   ask r1 a batch=b {}; ask r2 a batch=b {}
        user reject r1
        at   500
        user reject r2
        at   1000
        out  reject r1
        out  nothing
        at   1500
        out  reject r2
        "#,
    );
}

#[test]
fn what_is_held_waits_for_its_moment_also_when_news_make_its_batch_smaller() {
    let options = InboxOptions { hold_batches: Millis(3000), ..InboxOptions::default() };
    check_with(
        options,
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held {}
        all  approve r1 r2
        in   close r2 expired
        out  nothing
        at   2999
        out  nothing
        at   3000
        out  approve r1
        "#,
    );
}

#[test]
fn a_decision_that_did_not_arrive_and_is_taken_back_leaves_nothing_behind() {
    check(
        r#"
        in   ask r1 a {}
        user approve r1
        out  approve r1
        lost
        user undo r1
        out  nothing
        user reject r1 no
        out  reject r1 no
        "#,
    );
    let mut inbox = check("in ask r1 a {}\nuser reject r1 no\nout reject r1 no\nlost\nuser undo r1");
    let view = inbox.view(0).unwrap();
    assert_eq!((view.reason, view.decision, view.decided_at, view.outbound), (None, None, None, None));
    let elsewhere = Input::Elsewhere { request: request("r1"), decision: Decision::reject(None) };
    inbox.handle(NOW, elsewhere).unwrap();
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Rejected]);
}

#[test]
fn r43_what_a_run_seemed_to_have_taken_waits_again_once_the_backend_refuses_the_message() {
    let taken = "in ask r1 a {}\nuser approve r1\nout approve r1\nin accepted r1\nis r1 approved\n";
    check(&format!("{taken}lost 409\nis r1 drafted\nuser undo r1\nis r1 pending"));
    check(&format!("{taken}lost 503\nis r1 approved"));
    check(&format!("{taken}lost\nis r1 approved"));
    // What the backend itself has shown is not taken back.
    for (shown, status) in [
        ("answer r1 approve", "approved"),
        ("ruled r1 runs", "approved"),
        ("end r1 completed", "approved"),
        ("outcome r1 rejected", "rejected"),
    ] {
        check(&format!("{taken}in {shown}\nis r1 {status}\nlost 409\nis r1 {status}"));
    }
}

#[test]
fn r01_a_restore_leaves_nothing_that_could_answer_for_another_request() {
    let mut inbox =
        asked("ask r1 a batch=b held call=c1 timeout=1000 {}; ask r2 a batch=b held {}; precede r2 r1");
    let requests = ["r1", "r2"].map(|id| (request(id), None)).to_vec();
    let decide_all = Input::DecideAll { requests, decision: Decision::approve(), offer: None };
    inbox.handle(NOW, decide_all).unwrap();
    let before = inbox.take_outbound().remove(0);
    let text = "ask r3 pay batch=b held {}; ask r4 pay {}";
    let outputs = inbox.handle(NOW, Input::Restore { text: text.into(), rounded: false }).unwrap();
    assert!(!outputs.iter().any(|output| matches!(output, Output::WakeAt(_))), "{outputs:?}");
    let ids: Vec<String> = inbox.views().into_iter().map(|view| view.id).collect();
    assert_eq!(ids, ["s/r3", "s/r4"]);
    for id in ["r1", "r2"] {
        let decision = Decision::approve();
        let late = Input::Decide { request: request(id), decision, seen: None, offer: None };
        assert_eq!(code(inbox.handle(NOW, late)), Some("unknown-request"));
    }
    assert_eq!(
        code(inbox.handle(NOW, Input::Delivered(before.id.clone()))),
        None,
        "it is on its way all the same"
    );
    assert_eq!(code(inbox.handle(NOW, Input::Delivered(before.id))), Some("unknown-outbound"));
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Pending, Status::Pending]);
    let log = inbox.audit().to_json_lines();
    assert_eq!(log.matches(r#""event":"delivered""#).count(), 2, "{log}");
    assert_eq!(&*approve(&mut inbox, "r3").body, "approve r3");
    inbox.handle(NOW, Input::Receive { text: "call c1 ls {}", rounded: false }).unwrap();
    assert_eq!(inbox.views().len(), 3, "it is another call");
}

#[test]
fn r03_a_request_that_comes_again_with_other_arguments_after_it_was_sent_says_so() {
    let mut inbox = asked("ask r1 a {\"n\":1}");
    approve(&mut inbox, "r1");
    let text = "ask r1 a {\"n\":2}";
    let outputs = inbox.handle(NOW, Input::Receive { text, rounded: false }).unwrap();
    assert!(outputs.iter().any(|output| matches!(output, Output::Problem(_))), "{outputs:?}");
    let view = inbox.view(0).unwrap();
    assert!(view.changed && &*view.args_text == "{\"n\":1}", "what is shown is what was decided on");
}

fn restore(inbox: &mut Inbox, text: &'static str) {
    inbox.handle(NOW, Input::Restore { text: text.into(), rounded: false }).unwrap();
}

#[test]
fn r02_r10_what_is_on_its_way_stays_so_while_everything_is_rebuilt() {
    let asks = "ask r1 a batch=b held {}; ask r2 a batch=b held {}; ask r3 a {}";
    let mut inbox = asked(asks);
    approve(&mut inbox, "r3");
    decide(&mut inbox, "r1", Decision::approve());
    let sent = {
        decide(&mut inbox, "r2", Decision::reject(Some("no")));
        inbox.take_outbound().remove(0)
    };
    // The request of the third is still there with other arguments, and that is another one.
    restore(
        &mut inbox,
        "ask r1 a batch=b held {}; ask r2 a batch=b held {}; ask r3 a {\"n\":1}; ask r4 a {}",
    );
    restore(
        &mut inbox,
        "ask r1 a batch=b held {}; ask r2 a batch=b held {}; ask r3 a {\"n\":1}; ask r4 a {}",
    );
    let statuses = |inbox: &Inbox| inbox.statuses().map(Status::as_str).collect::<Vec<_>>();
    assert_eq!(statuses(&inbox), ["sending", "sending", "pending", "pending"]);
    let view = inbox.view(inbox.first_key() + 1).unwrap();
    assert_eq!((view.reason.as_deref(), view.offers.len()), (Some("no"), 0));
    let again =
        Input::Decide { request: request("r1"), decision: Decision::reject(None), seen: None, offer: None };
    assert_eq!(code(inbox.handle(NOW, again)), Some("already-decided"));
    assert!(inbox.take_outbound().is_empty());
    assert_eq!(code(inbox.handle(NOW, lost(&sent.id, None, None))), None);
    assert_eq!(statuses(&inbox), ["drafted", "drafted", "pending", "pending"]);
    inbox.handle(NOW, Input::Retry(request("r1"))).unwrap();
    let again = inbox.take_outbound().remove(0);
    assert_eq!((again.id.clone(), again.body), (sent.id, sent.body));
    restore(&mut inbox, "ask r1 a batch=b held {}; answer r1 approve; ask r2 a batch=b held {}");
    assert_eq!(statuses(&inbox), ["approved", "sending"]);
    inbox.handle(NOW, Input::Delivered(again.id)).unwrap();
    assert_eq!(statuses(&inbox), ["approved", "sent"]);
}

#[test]
fn r45_what_was_decided_and_has_not_left_when_everything_is_rebuilt_is_on_record_as_dropped() {
    let mut inbox = asked("ask r1 a batch=b held {}; ask r2 a batch=b held {}; ask r3 a {}");
    decide(&mut inbox, "r1", Decision::approve());
    decide(&mut inbox, "r3", Decision::reject(None));
    restore(&mut inbox, "ask r1 a {}; ask r3 a {}");
    assert!(inbox.take_outbound().is_empty());
    let log = inbox.audit().to_json_lines();
    assert_eq!(log.matches(r#""event":"undone","actor":"inbox""#).count(), 2, "{log}");
    restore(&mut inbox, "ask r1 a {}; ask r3 a {}");
    assert_eq!(inbox.audit().to_json_lines().matches("undone").count(), 2);
}

#[test]
fn r45_of_the_words_of_a_failure_as_many_are_kept_as_of_a_reason() {
    let mut inbox = asked("ask r1 a {}");
    let sent = approve(&mut inbox, "r1");
    let long = "é".repeat(3_000_000);
    inbox.handle(NOW, lost(&sent.id, Some(500), Some(&long))).unwrap();
    let error = inbox.view(0).and_then(|view| view.outbound).and_then(|sent| sent.error).unwrap();
    assert!(
        error.chars().count() < 10_100 && error.ends_with("é… (10000 of 3000000 characters)"),
        "{}",
        error.len()
    );
    assert!(inbox.audit().to_json_lines().len() < 25_000);
}

#[test]
fn r43_what_counted_as_delivered_and_may_be_lost_comes_back_to_a_person() {
    let sent = || {
        let mut inbox = asked("ask r1 a {}");
        let id = approve(&mut inbox, "r1").id;
        inbox.handle(NOW, Input::Delivered(id.clone())).unwrap();
        (inbox, id)
    };
    let gone =
        |id: &OutboundId| Input::Lost { id: id.clone(), message: "the connection was lost".to_owned() };
    let status = |inbox: &Inbox| inbox.statuses().next().unwrap();
    let (mut inbox, id) = sent();
    let told = inbox.handle(NOW, gone(&id)).unwrap();
    assert!(told.contains(&Output::Changed(0)), "{told:?}");
    let outbound = inbox.views()[0].outbound.clone().unwrap();
    assert_eq!((status(&inbox), outbound.state), (Status::Drafted, OutboundState::Failed));
    assert_eq!(outbound.error.as_deref(), Some("the connection was lost"));
    assert!(inbox.take_outbound().is_empty());
    assert_eq!(code(inbox.handle(NOW, gone(&id))), Some("unknown-outbound"));
    // It may have arrived: what the backend says of it counts, and so does a person who sends it again.
    inbox.handle(NOW, Input::Retry(request("r1"))).unwrap();
    assert_eq!(inbox.take_outbound().pop().map(|again| again.id), Some(id));

    for (news, expected) in [
        ("outcome r1 completed", Status::Completed),
        ("answer r1 approve", Status::Approved),
        ("run r1", Status::Running),
        ("close r1 superseded", Status::Unknown),
    ] {
        let (mut inbox, id) = sent();
        inbox.handle(NOW, gone(&id)).unwrap();
        inbox.handle(NOW, Input::Receive { text: news, rounded: false }).unwrap();
        assert_eq!(status(&inbox), expected, "{news}");
    }
    // Once something was said of it, it has arrived.
    for (news, expected) in [("answer r1 approve", Status::Approved), ("run r1", Status::Running)] {
        let (mut inbox, id) = sent();
        inbox.handle(NOW, Input::Receive { text: news, rounded: false }).unwrap();
        inbox.handle(NOW, gone(&id)).unwrap();
        assert_eq!(status(&inbox), expected, "{news}");
    }
    let mut inbox = asked("ask r1 a {}");
    let id = approve(&mut inbox, "r1").id;
    assert_eq!(
        code(inbox.handle(NOW, gone(&id))),
        Some("unknown-outbound"),
        "nobody has said that it arrived"
    );
    inbox.handle(NOW, Input::Receive { text: "close r1 superseded", rounded: false }).unwrap();
    inbox.handle(NOW, Input::Delivered(id.clone())).unwrap();
    inbox.handle(NOW, gone(&id)).unwrap();
    assert_eq!(status(&inbox), Status::Sent, "its end was told");
    // By now another message is the answer to it.
    let (mut inbox, first) = sent();
    inbox.handle(NOW, Input::Receive { text: "refused r1 reopened", rounded: false }).unwrap();
    let second = approve(&mut inbox, "r1").id;
    inbox.handle(NOW, Input::Delivered(second)).unwrap();
    inbox.handle(NOW, gone(&first)).unwrap();
    assert_eq!(status(&inbox), Status::Sent);
}
