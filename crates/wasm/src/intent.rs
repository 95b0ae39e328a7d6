//! From what a person pressed to what the inbox judges.

use countersign_core::{Millis, Refusal};
use countersign_policy::Grant;
use countersign_yew::Intent;

use crate::desk::Desk;

/// Does what a person asked for; says what was refused.
pub(crate) fn act(desk: &mut Desk, now: Millis, intent: Intent) -> Vec<Refusal> {
    let (input, mut refusals) = match intent {
        Intent::Grant { request, seen, grant, siblings } => {
            // It was written out by this inbox; another text is no grant, and nothing is approved then.
            let Ok(grant) = Grant::read_text(&grant) else { return Vec::new() };
            return desk.grant(now, (request, seen), grant, &siblings).err().into_iter().collect();
        }
        Intent::Revoke(id) => {
            desk.revoke(&id, now);
            return Vec::new();
        }
        // More time and the record are up to the page.
        other => other.input(desk.keeping().1, now),
    };
    match input.map(|input| desk.handle(now, input)) {
        Some(Ok(news)) => refusals.extend(news.refused),
        Some(Err(refusal)) => refusals.push(refusal),
        None => {}
    }
    refusals
}

#[cfg(test)]
mod tests {
    use countersign_core::{Decision, InboxOptions, Input, Shown};
    use countersign_protocols::{AdapterOptions, adapter};

    use super::*;

    const TASK: &str = r#"{"kind":"task","id":"t1","contextId":"c1","status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m1","taskId":"t1","parts":[{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":"r1","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k1","name":"delete_file","args":{}},"toolConfirmation":{"confirmed":false}}}}]}}}"#;

    fn desk() -> Desk {
        let mut desk =
            Desk::new(adapter("a2a", &AdapterOptions::default()).unwrap(), InboxOptions::default());
        desk.handle(Millis(1), Input::Restore { text: TASK.into(), rounded: false }).unwrap();
        desk
    }

    fn codes(desk: &mut Desk, intent: Intent) -> Vec<&'static str> {
        act(desk, Millis(2), intent).iter().map(|refusal| refusal.code().as_str()).collect()
    }

    #[test]
    fn what_was_not_on_screen_is_not_approved() {
        let mut desk = desk();
        let press =
            |seen: Shown| Intent::Decide { request: "t1/r1".to_owned(), decision: Decision::approve(), seen };
        let seen = Shown::of(&desk.view_at(0).unwrap());
        let other = |text: &str| Some(text.into());
        assert_eq!(codes(&mut desk, press(Shown { digest: other("d"), ..seen.clone() })), ["args-changed"]);
        assert_eq!(codes(&mut desk, press(Shown { tool: other("t"), ..seen.clone() })), ["args-changed"]);
        assert!(codes(&mut desk, press(seen)).is_empty());
        assert_eq!(desk.take_outbound(Millis(3)).len(), 1);
        assert_eq!(codes(&mut desk, Intent::Undo("t1/r1".to_owned())), ["already-decided"]);
    }

    #[test]
    fn every_refusal_of_several_decisions_is_told() {
        let mut desk = desk();
        let seen = Shown::of(&desk.view_at(0).unwrap());
        let requests = ["t1/r1", "t1/gone", "t1/r1"].map(|id| (id.to_owned(), seen.clone())).to_vec();
        let intent = Intent::DecideAll { requests, decision: Decision::reject(None) };
        assert_eq!(codes(&mut desk, intent), ["unknown-request", "already-decided"]);
        let refused = desk.inbox().audit().to_json_lines().matches(r#""code":"unknown-request""#).count();
        assert_eq!(refused, 1);
    }
}
