//! Many calls at once: what happens to one of them is told of no other.

use crate::decision::Decision;
use crate::ids::{CallId, Millis};
use crate::inbox::{Inbox, Input, Output};
use crate::options::InboxOptions;
use crate::status::Status;
use crate::testing::{inbox, request};

const MANY: u32 = 200;

fn all(one: impl Fn(u32) -> String) -> String {
    (0..MANY).map(one).collect::<Vec<_>>().join("; ")
}

fn receive(inbox: &mut Inbox, now: u64, text: &str) -> Vec<Output> {
    inbox.handle(Millis(now), Input::Receive { text, rounded: false }).unwrap()
}

fn changed(outputs: &[Output]) -> Vec<u32> {
    let key = |output: &Output| if let Output::Changed(key) = output { Some(*key) } else { None };
    outputs.iter().filter_map(key).collect()
}

fn recounted(outputs: &[Output]) -> Vec<u32> {
    let key = |output: &Output| if let Output::Recounted(key) = output { Some(*key) } else { None };
    outputs.iter().filter_map(key).collect()
}

fn approve_all(inbox: &mut Inbox) {
    let requests = (0..MANY).map(|at| (request(&format!("r{at}")), None)).collect();
    let input = Input::DecideAll { requests, decision: Decision::approve(), offer: None };
    inbox.handle(Millis(1), input).unwrap();
}

fn deliver(inbox: &mut Inbox) -> usize {
    let due = inbox.take_outbound();
    for outbound in &due {
        inbox.handle(Millis(2), Input::Delivered(outbound.id.clone())).unwrap();
    }
    due.len()
}

#[test]
fn what_becomes_of_one_call_of_a_batch_changes_its_card_alone() {
    let mut inbox = inbox(InboxOptions::default());
    receive(&mut inbox, 0, &all(|at| format!("ask r{at} a batch=b held {{}}")));
    approve_all(&mut inbox);
    assert_eq!(deliver(&mut inbox), 1);
    for at in [7, 0, 199] {
        let outputs = receive(&mut inbox, 3, &format!("run r{at}"));
        assert_eq!(changed(&outputs), [at]);
        let outputs = receive(&mut inbox, 3, &format!("outcome r{at} completed"));
        assert_eq!(changed(&outputs), [at]);
    }
    // How many are decided is to be seen on each card that is open.
    receive(&mut inbox, 4, "ask s1 a batch=b held {}; ask s2 a batch=b held {}");
    let input =
        Input::Decide { request: request("s1"), decision: Decision::approve(), seen: None, offer: None };
    let outputs = inbox.handle(Millis(5), input).unwrap();
    assert_eq!((changed(&outputs), recounted(&outputs)), (vec![MANY], vec![MANY + 1]));
    // Where all have to be decided alike, the others have fewer offers from then on.
    receive(&mut inbox, 6, "ask u1 a batch=c held uniform {}; ask u2 a batch=c held uniform {}");
    let input =
        Input::Decide { request: request("u2"), decision: Decision::reject(None), seen: None, offer: None };
    let outputs = inbox.handle(Millis(7), input).unwrap();
    assert_eq!((changed(&outputs), recounted(&outputs)), (vec![MANY + 2, MANY + 3], vec![]));
}

#[test]
fn that_all_still_wait_is_told_once() {
    let mut inbox = inbox(InboxOptions::default());
    receive(&mut inbox, 0, &all(|at| format!("ask r{at} a batch=b held {{}}")));
    let withdrawn = all(|at| format!("withdraw r{at}"));
    assert_eq!(changed(&receive(&mut inbox, 1, &withdrawn)).len(), MANY as usize);
    assert!(changed(&receive(&mut inbox, 2, &withdrawn)).is_empty());
    assert!(inbox.statuses().all(|status| status == Status::Requested));
}

#[test]
fn an_answered_call_counts_what_its_message_carried_and_nothing_that_came_later() {
    let mut inbox = inbox(InboxOptions::default());
    receive(&mut inbox, 0, &all(|at| format!("ask r{at} a batch=b held {{}}")));
    approve_all(&mut inbox);
    deliver(&mut inbox);
    receive(&mut inbox, 3, "ask s a batch=b held {}");
    let counts =
        |key: u32| inbox.view(key).and_then(|view| view.batch).map(|batch| (batch.size, batch.decided));
    assert_eq!((counts(0), counts(MANY)), (Some((200, 200)), Some((1, 0))));
}

#[test]
fn r41_each_of_many_deadlines_passes_at_its_moment() {
    let mut inbox = inbox(InboxOptions::default());
    let asked = all(|at| format!("ask r{at} a timeout={} {{}}", 1000 + u64::from(at * 7 % MANY)));
    let wakes = |outputs: &[Output]| {
        outputs
            .iter()
            .find_map(|output| if let Output::WakeAt(moment) = output { Some(moment.0) } else { None })
    };
    assert_eq!(wakes(&receive(&mut inbox, 0, &asked)), Some(1000));
    // The one whose time would come first is decided, and sent.
    let input =
        Input::Decide { request: request("r0"), decision: Decision::approve(), seen: None, offer: None };
    assert_eq!(wakes(&inbox.handle(Millis(1), input).unwrap()), Some(1000), "the host has not taken it");
    assert_eq!(inbox.take_outbound().len(), 1);
    assert_eq!(wakes(&inbox.handle(Millis(1), Input::Tick).unwrap()), Some(1001));
    for moment in 1001..1000 + u64::from(MANY) {
        let outputs = inbox.handle(Millis(moment), Input::Tick).unwrap();
        let expired = inbox.statuses().filter(|status| *status == Status::Expired).count();
        assert_eq!((changed(&outputs).len(), expired as u64), (1, moment - 1000));
        let next = Some(moment + 1).filter(|next| *next < 1000 + u64::from(MANY));
        assert_eq!(wakes(&outputs), next, "at {moment}");
    }
}

#[test]
fn messages_are_found_again_whatever_was_taken_back_between_them() {
    let mut inbox = inbox(InboxOptions::default());
    receive(&mut inbox, 0, &all(|at| format!("ask r{at} a {{}}")));
    approve_all(&mut inbox);
    for at in (0..MANY).step_by(2) {
        inbox.handle(Millis(1), Input::Undo(request(&format!("r{at}")))).unwrap();
    }
    assert_eq!(deliver(&mut inbox), 100);
    let expected = |at: u32| if at.is_multiple_of(2) { Status::Pending } else { Status::Sent };
    assert!((0..MANY).zip(inbox.statuses()).all(|(at, status)| status == expected(at)));
    assert!(inbox.take_outbound().is_empty());
}

#[test]
fn of_many_requests_about_one_call_each_gets_its_outcome_in_turn() {
    let mut inbox = inbox(InboxOptions::default());
    receive(&mut inbox, 0, &all(|at| format!("ask r{at} a call=c {{}}")));
    let scope = request("r0").scope;
    let place = |inbox: &Inbox| inbox.index_of_call(&scope, &CallId::from("c"));
    for at in 0..MANY {
        assert_eq!(place(&inbox), Some(at));
        receive(&mut inbox, 1, &format!("outcome r{at} completed"));
    }
    assert_eq!(place(&inbox), Some(0));
    receive(&mut inbox, 2, "ask s a call=c {}");
    assert_eq!(place(&inbox), Some(MANY));
    assert!(inbox.find("s").is_ok() && inbox.index_of_call(&"t".into(), &CallId::from("c")).is_none());
}

#[test]
fn a_view_keeps_nothing_of_the_history_that_it_came_in() {
    let mut inbox = inbox(InboxOptions::default());
    let text = "ask r1 pay call=c1 batch=b1 held {}".to_owned();
    let history = text.as_bytes().as_ptr_range();
    inbox.handle(Millis(0), Input::Restore { text: text.into(), rounded: false }).unwrap();
    let is_part = |id: &str| history.contains(&id.as_ptr());
    assert!(is_part(inbox.find("r1").unwrap().id.as_str()), "the inbox copies nothing");
    let view = inbox.view(0).unwrap();
    let (request, call, batch) = (view.request.unwrap(), view.call.unwrap(), view.batch.unwrap().id);
    assert_eq!((request.as_str(), call.as_str(), batch.as_str()), ("r1", "c1", "b1"));
    assert!(![request.as_str(), call.as_str(), batch.as_str()].into_iter().any(is_part));
}
