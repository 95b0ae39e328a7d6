//! Recorded messages, damaged at random: nothing panics, nothing leaves without a person, no other card suffers.

use countersign_core::{Inbox, InboxOptions, Input, Status};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::damage::{Random, damage};
use countersign_tests::moment::START;
use countersign_tests::trace::{files, message, with_trace};

/// A request that no damage to other messages may touch.
const HEALTHY: &str = r#"{"kind":"status-update","taskId":"healthy","contextId":"apart","status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"data","data":{"id":"healthy","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"c","name":"pay","args":{"n":1}},"toolConfirmation":{"hint":"","confirmed":false}}},"metadata":{"kagent_type":"function_call"}}]}}}"#;

#[test]
fn r08_r15_damaged_recordings_never_panic_send_or_hide_others() {
    let mut random = Random(7);
    let mut tried = 0;
    for path in files().iter().filter(|path| path.parent().is_some_and(|folder| folder.ends_with("a2a"))) {
        with_trace(path, |trace| {
            let messages: Vec<String> = trace
                .get("steps")
                .into_iter()
                .flat_map(|steps| steps.items())
                .filter_map(|step| step.get("receive").or_else(|| step.get("restore")))
                .map(message)
                .collect();
            let named = trace.get("adapter").and_then(|name| name.as_str()).unwrap_or_default();
            for _ in 0..10 {
                let adapter = adapter(&named, &AdapterOptions::default()).expect("the adapter is built in");
                let mut inbox = Inbox::new(adapter, InboxOptions::default());
                inbox
                    .handle(START, Input::Receive { text: HEALTHY, rounded: false })
                    .expect("news is never refused");
                for text in &messages {
                    let text = damage(text, &mut random);
                    inbox
                        .handle(START, Input::Receive { text: &text, rounded: false })
                        .expect("news is never refused");
                    tried += 1;
                }
                assert!(inbox.take_outbound().is_empty(), "nobody decided");
                let views = inbox.views();
                assert!(
                    views
                        .iter()
                        .all(|view| !matches!(view.status, Status::Drafted | Status::Sending | Status::Sent))
                );
                let healthy = views
                    .iter()
                    .find(|view| view.request.as_ref().is_some_and(|id| id.as_str() == "healthy"));
                assert_eq!(healthy.map(|view| view.status), Some(Status::Pending));
            }
        });
    }
    assert!(tried > 2000, "only {tried} messages were tried");
}
