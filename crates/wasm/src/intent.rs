//! From what a person pressed to what the inbox judges.

use countersign_core::{Input, Millis, Refusal, RequestRef, Shown};
use countersign_policy::Grant;
use countersign_yew::Intent;

use crate::desk::Desk;

/// Does what a person asked for; says what was refused.
pub(crate) fn act(desk: &mut Desk, now: Millis, intent: Intent) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    if let Intent::Refused(refusal) = intent {
        return vec![refusal];
    }
    let mut told = |found: Result<RequestRef, Refusal>| found.map_err(|refusal| refusals.push(refusal)).ok();
    let find =
        |desk: &mut Desk, id: &str, seen: &Shown| desk.keeping().1.find_for_decision(now, id, Some(seen));
    let input = match intent {
        Intent::Decide { request, decision, seen } => told(find(desk, &request, &seen))
            .map(|request| Input::Decide { request, decision, seen: Some(seen), offer: None }),
        Intent::DecideAll { requests, decision } => {
            let found = requests.into_iter();
            let found = found.filter_map(|(id, seen)| Some((told(find(desk, &id, &seen))?, Some(seen))));
            Some(Input::DecideAll { requests: found.collect(), decision, offer: None })
        }
        Intent::Undo(request) => told(desk.inbox().find(&request)).map(Input::Undo),
        Intent::Retry(request) => told(desk.inbox().find(&request)).map(Input::Retry),
        Intent::Grant { request, seen, grant, siblings } => {
            // It was written out by this inbox; another text is no grant, and nothing is approved then.
            if let Ok(grant) = Grant::read_text(&grant) {
                refusals.extend(desk.grant(now, (request, seen), grant, &siblings).err());
            }
            return refusals;
        }
        Intent::Revoke(id) => {
            desk.revoke(&id, now);
            return refusals;
        }
        // The page does these itself, and what was refused is told above.
        Intent::Export | Intent::Extend(_) | Intent::Refused(_) => None,
    };
    let Some(input) = input else { return refusals };
    match desk.handle(now, input) {
        Ok(news) => refusals.extend(news.refused),
        Err(refusal) => refusals.push(refusal),
    }
    refusals
}

#[cfg(test)]
mod tests {
    use countersign_core::{Decision, InboxOptions};
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
