//! What each system says while it goes on asking for what was answered and delivered.

use countersign_core::{Decision, Inbox, InboxOptions, Input, Millis, Status};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::moment::START;

/// What the backend says, event after event and then as a state, while it still asks.
const STILL: [(&str, &str, &[&str]); 4] = [
    (
        "a2a",
        r#"{"kind":"task","id":"t","contextId":"c","history":[],"status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m","taskId":"t","parts":[{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":"r1","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k","name":"pay","args":{"n":1}},"toolConfirmation":{"hint":"","confirmed":false}}}}]}}}"#,
        &[
            r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false}"#,
        ],
    ),
    (
        "haystack",
        r#"{"r1":{"type":"approval_request","id":"r1","tool_name":"pay","tool_description":"d","tool_params":{"n":1},"tool_call_id":"c1"}}"#,
        &[],
    ),
    (
        "adalflow",
        r#"{"r1":{"type":"approval_request","id":"r1","tool":"pay","args":[],"kwargs":{"n":1},"message":"m","allowed_outcomes":["proceed_once","cancel"]}}"#,
        &[],
    ),
    (
        "langgraph",
        r#"{"values":{"messages":[{"type":"ai","id":"a1","content":"","tool_calls":[{"name":"pay","args":{"n":1},"id":"k","type":"tool_call"}]}]},"next":["m"],"tasks":[{"id":"t1","name":"m","interrupts":[{"id":"0123456789abcdef0123456789abcdef","value":{"action_requests":[{"name":"pay","args":{"n":1}}],"review_configs":[{"action_name":"pay","allowed_decisions":["approve","reject"]}]}}],"error":null,"result":null}],"checkpoint":{"thread_id":"t","checkpoint_id":"c1","checkpoint_ns":""},"parent_checkpoint":null,"created_at":"2026-01-01T00:00:01","metadata":{"step":1}}"#,
        &[],
    ),
];

#[test]
fn r43_what_was_delivered_and_is_still_asked_waits_for_a_person_who_sends_it_again() {
    for (name, asks, events) in STILL {
        let adapter = adapter(name, &AdapterOptions::default()).expect("it is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        let later = |seconds: u64| START.after(Millis(seconds * 1000));
        let receive = |inbox: &mut Inbox, seconds, text| {
            inbox
                .handle(later(seconds), Input::Receive { text, rounded: false })
                .expect("news is never refused");
        };
        receive(&mut inbox, 0, asks);
        let request = inbox.views().iter().find_map(|view| inbox.find(view.request.as_ref()?.as_str()).ok());
        let request = request.expect("something waits");
        let decision = Decision::approve();
        inbox
            .handle(later(1), Input::Decide { request: request.clone(), decision, seen: None, offer: None })
            .expect("it waits");
        let first = inbox.take_outbound().remove(0);
        inbox.handle(later(2), Input::Delivered(first.id.clone())).expect("it was taken");
        for event in events {
            receive(&mut inbox, 3, event);
        }
        let status =
            |inbox: &Inbox| inbox.views().iter().find(|view| view.request.is_some()).map(|view| view.status);
        receive(&mut inbox, 4, asks);
        assert_eq!(status(&inbox), Some(Status::Sent), "{name}");
        receive(&mut inbox, 20, asks);
        assert_eq!(status(&inbox), Some(Status::Drafted), "{name}");
        assert!(inbox.take_outbound().is_empty(), "{name}");
        inbox.handle(later(21), Input::Retry(request)).expect("a person may send it again");
        let again = inbox.take_outbound().remove(0);
        assert_eq!((again.id, again.body), (first.id, first.body), "{name}");
    }
}
