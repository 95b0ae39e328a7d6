//! A message that answered several requests, once some of them are asked otherwise, or no more.

use countersign_core::{Decision, Inbox, InboxOptions, Input, Millis, Outbound, Refusal, RequestRef, Status};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::moment::START;

const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// A thread that waits for these calls, each with its amount.
fn thread(calls: &[(&str, u32)]) -> String {
    let task = |(id, amount): &(&str, u32)| {
        format!(
            r#"{{"id":"t-{id}","name":"tools","interrupts":[{{"id":"{id}","value":{{"type":"tool_approval","tool_call_id":"c-{id}","name":"pay","args":{{"n":{amount}}},"description":""}}}}]}}"#
        )
    };
    let tasks: Vec<String> = calls.iter().map(task).collect();
    format!(r#"{{"values":{{"messages":[]}},"next":["tools"],"tasks":[{}]}}"#, tasks.join(","))
}

fn request(inbox: &Inbox, id: &str) -> RequestRef {
    inbox.find(id).expect("it is asked about")
}

fn act(inbox: &mut Inbox, input: Input<'_>) -> Result<(), Refusal> {
    inbox.handle(START, input).map(drop)
}

fn decide(inbox: &mut Inbox, id: &str, decision: Decision) {
    let request = request(inbox, id);
    act(inbox, Input::Decide { request, decision, seen: None, offer: None }).expect("it waits");
}

fn status(inbox: &Inbox, id: &str) -> Option<Status> {
    inbox
        .views()
        .into_iter()
        .find(|view| view.request.as_ref().is_some_and(|it| it.as_str() == id))
        .map(|view| view.status)
}

/// One message approved both calls, and did not arrive; before that everything was rebuilt from a thread with these calls.
fn lost(calls: &[(&str, u32)]) -> Inbox {
    let adapter = adapter("langgraph", &AdapterOptions::default()).expect("it is built in");
    let options = InboxOptions { hold_rejections: Millis(4000), ..InboxOptions::default() };
    let mut inbox = Inbox::new(adapter, options);
    act(&mut inbox, Input::Receive { text: &thread(&[(A, 1), (B, 1)]), rounded: false }).expect("it is news");
    let requests = [A, B].map(|id| (request(&inbox, id), None)).to_vec();
    let approve = Input::DecideAll { requests, decision: Decision::approve(), offer: None };
    act(&mut inbox, approve).expect("both wait");
    let due: Vec<Outbound> = inbox.take_outbound();
    assert_eq!(due.iter().map(|it| it.requests.len()).collect::<Vec<_>>(), [2]);
    act(&mut inbox, Input::Restore { text: thread(calls).into(), rounded: false }).expect("it is history");
    let id = due.into_iter().next().expect("it was taken").id;
    act(&mut inbox, Input::Failed { id, status: Some(503), message: None }).expect("it was taken");
    assert_eq!(status(&inbox, B), Some(Status::Drafted));
    inbox
}

/// Sending it again is refused; taken back and decided anew, the call is answered alone.
fn is_answered_alone(mut inbox: Inbox) {
    let retry = Input::Retry(request(&inbox, B));
    assert!(matches!(act(&mut inbox, retry), Err(Refusal::Blocked { .. })));
    assert!(inbox.take_outbound().is_empty());
    let undo = Input::Undo(request(&inbox, B));
    act(&mut inbox, undo).expect("it did not arrive");
    decide(&mut inbox, B, Decision::approve());
    let due = inbox.take_outbound();
    assert_eq!(due.iter().map(|it| it.requests.clone()).collect::<Vec<_>>(), [[request(&inbox, B)]]);
}

#[test]
fn r01_r03_a_message_is_not_sent_again_once_another_answer_to_one_of_its_requests_was_decided() {
    let mut inbox = lost(&[(A, 2), (B, 1)]);
    decide(&mut inbox, A, Decision::reject(None));
    assert_eq!(status(&inbox, A), Some(Status::Drafted));
    is_answered_alone(inbox);
}

#[test]
fn r01_r03_a_message_is_not_sent_again_once_it_answers_what_nobody_asks_any_more() {
    is_answered_alone(lost(&[(B, 1)]));
}

#[test]
fn r02_what_another_message_answers_by_now_is_not_sent_twice_when_the_first_one_is_taken_back() {
    let mut inbox = lost(&[(A, 2), (B, 1)]);
    decide(&mut inbox, A, Decision::approve());
    assert_eq!(inbox.take_outbound().len(), 1);
    let undo = Input::Undo(request(&inbox, B));
    act(&mut inbox, undo).expect("it did not arrive");
    assert_eq!((status(&inbox, A), status(&inbox, B)), (Some(Status::Sending), Some(Status::Pending)));
    assert!(inbox.take_outbound().is_empty());
}
