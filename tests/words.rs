//! What an offer says of a person's words is what becomes of them.

use std::cell::Cell;

use countersign_core::{Decision, GrantScope, Inbox, Input, OfferKind, RequestView, Status, Words};
use countersign_json::Value;
use countersign_tests::moment::START;
use countersign_tests::runner::Runner;
use countersign_tests::trace::{for_all, message, of, steps};

/// Words that stand in no trace.
const SAID: &str = "these words are nowhere else";

/// The inbox at the first step of a trace after which something waits.
fn waiting(trace: Value<'_>, name: &str) -> Option<(Inbox, Vec<RequestView>)> {
    let mut inbox = Runner::new(trace, name).inbox;
    for step in steps(trace) {
        let restored = step.get("restore").map(message);
        let Some(text) = step.get("receive").map(message).or_else(|| restored.clone()) else { continue };
        let input = match restored {
            Some(_) => Input::Restore { text: text.as_str().into(), rounded: false },
            None => Input::Receive { text: &text, rounded: false },
        };
        inbox.handle(START, input).expect("what arrives is never refused");
        let waits = |view: &RequestView| view.status == Status::Pending && view.questions.is_none();
        let views: Vec<RequestView> = inbox.views().into_iter().filter(waits).collect();
        if !views.is_empty() {
            return Some((inbox, views));
        }
    }
    None
}

/// A decision of this kind that carries the words.
fn worded(kind: OfferKind, view: &RequestView) -> Option<Decision> {
    match kind {
        OfferKind::Reject => Some(Decision::Reject { reason: Some(SAID.into()), scope: GrantScope::Call }),
        OfferKind::Edit => {
            let rest = view.args_text.trim_start().strip_prefix('{')?;
            let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
            let args = format!(r#"{{"another":1{comma}{rest}"#);
            Some(Decision::Edit { args: args.as_str().into(), note: Some(SAID.into()) })
        }
        _ => None,
    }
}

#[test]
fn r44_words_reach_the_backend_exactly_where_their_offer_says_so() {
    for name in ["a2a", "adk", "langgraph", "haystack", "adalflow"] {
        for kind in [OfferKind::Reject, OfferKind::Edit] {
            let (sent, kept) = (Cell::new(0), Cell::new(0));
            for_all(of(name), |trace| {
                let Some((mut inbox, views)) = waiting(trace, name) else { return Ok(()) };
                // One request has the words, for a wire may have room for those of one alone.
                let Some(offer) = views[0].offers.iter().find(|offer| offer.kind == kind) else {
                    return Ok(());
                };
                for (place, view) in views.iter().enumerate() {
                    let offers = |kind| view.offers.iter().any(|offer| offer.kind == kind);
                    let other = if offers(kind) && kind == OfferKind::Reject || !offers(OfferKind::Approve) {
                        Decision::reject(None)
                    } else {
                        Decision::approve()
                    };
                    let words = worded(kind, view).filter(|_| place == 0);
                    let request = inbox.find(&view.id).expect("it waits");
                    let decision = words.unwrap_or(other);
                    // What cannot be decided stays, and so what is held with it.
                    let _ = inbox.handle(START, Input::Decide { request, decision, seen: None, offer: None });
                }
                let request = inbox.find(&views[0].id).expect("it is there");
                let left = inbox.take_outbound();
                let Some(outbound) = left.iter().find(|outbound| outbound.requests.contains(&request)) else {
                    return Ok(());
                };
                let body = &outbound.body;
                let arrives = body.contains(SAID);
                let count = if arrives { &sent } else { &kept };
                count.set(count.get() + 1);
                match (arrives, offer.reason) {
                    (true, Words::Sent) | (false, Words::None | Words::Local) => Ok(()),
                    (_, said) => Err(format!("{kind:?} says {said:?}: {body}")),
                }
            });
            println!("{name} {kind:?}: {} sent, {} kept", sent.get(), kept.get());
            assert!(sent.get() + kept.get() > 3, "{name} {kind:?}");
        }
    }
}
