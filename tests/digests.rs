//! The digests of what was on the screen go along with decisions where the host wants it, and change nothing else.

use std::cell::RefCell;
use std::collections::BTreeMap;

use countersign_core::{
    Decision, GrantScope, Inbox, InboxOptions, Input, OfferKind, Outbound, RequestView, Status,
};
use countersign_json::{Document, Limits, Value};
use countersign_protocols::{AdalflowAnswer, AdalflowOptions, AdapterOptions, adapter};
use countersign_tests::moment::START;
use countersign_tests::trace::{for_all, message, of, steps};

/// What leaves when everything is approved that can be, and the rest rejected, as soon as something waits in a recording.
fn decided(trace: Value<'_>, name: &str, digests: bool) -> (Vec<Outbound>, Vec<RequestView>) {
    let routed = trace.pointer("/options/adalflow/answer").is_some();
    let answer = if routed { AdalflowAnswer::ShippedRest } else { AdalflowAnswer::Nowhere };
    let adalflow = AdalflowOptions { answer, ..AdalflowOptions::default() };
    let options = AdapterOptions { adalflow, digests, ..AdapterOptions::default() };
    let adapter = adapter(name, &options).expect("the adapter is built in");
    let mut inbox = Inbox::new(adapter, InboxOptions::default());
    for step in steps(trace) {
        let Some((way, value)) = ["receive", "restore"].iter().find_map(|way| Some((*way, step.get(way)?)))
        else {
            continue;
        };
        let text = message(value);
        let input = match way {
            "receive" => Input::Receive { text: text.as_str(), rounded: false },
            _ => Input::Restore { text: text.as_str().into(), rounded: false },
        };
        if inbox.handle(START, input).is_err() {
            continue;
        }
        let waiting = |view: &RequestView| view.status == Status::Pending && view.questions.is_none();
        let views: Vec<RequestView> = inbox.views().into_iter().filter(waiting).collect();
        for view in &views {
            let offers = |kind| view.offers.iter().any(|offer| offer.kind == kind);
            let decision = if offers(OfferKind::Approve) {
                Decision::Approve { scope: GrantScope::Call }
            } else {
                Decision::Reject { reason: Some("no".into()), scope: GrantScope::Call }
            };
            let request = inbox.find(&view.id).expect("it waits");
            // What cannot be decided stays.
            let _ = inbox.handle(START, Input::Decide { request, decision, seen: None, offer: None });
        }
        let left = inbox.take_outbound();
        if !left.is_empty() {
            return (left, views);
        }
    }
    (Vec::new(), Vec::new())
}

#[test]
fn r04_digests_go_along_where_the_wire_has_a_place_and_change_nothing_else() {
    for name in ["a2a", "adk", "langgraph", "haystack", "adalflow"] {
        let found = RefCell::new(BTreeMap::<String, usize>::new());
        for_all(of(name), |trace| {
            let (plain, _) = decided(trace, name, false);
            let (told, views) = decided(trace, name, true);
            if plain.len() != told.len() {
                return Err(format!("{} messages became {}", plain.len(), told.len()));
            }
            for (plain, told) in plain.iter().zip(&told) {
                assert_eq!((&plain.id, &plain.requests), (&told.id, &told.requests));
                let texts = [(&plain.body, &told.body), (&plain.transport, &told.transport)];
                for (plain, told) in texts.into_iter().filter(|(plain, told)| plain != told) {
                    let digests = digests(told);
                    let shown = |digest: &String| views.iter().any(|view| *view.args_digest == **digest);
                    if digests.is_empty() || !digests.iter().all(shown) {
                        return Err(format!("not what was shown: {told}"));
                    }
                    if without(told) != **plain {
                        return Err(format!("{told}\nis more than\n{plain}"));
                    }
                    *found.borrow_mut().entry(name.to_owned()).or_default() += 1;
                }
            }
            Ok(())
        });
        assert!(found.borrow().get(name).is_some_and(|count| *count > 3), "{name}: {found:?}");
    }
}

/// All hexadecimal texts of the length of a digest.
fn digests(text: &str) -> Vec<String> {
    let is_digest = |piece: &&str| piece.len() == 64 && piece.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split('"').filter(is_digest).map(str::to_owned).collect()
}

/// A message without the members for digests, which come last in their objects.
fn without(text: &str) -> String {
    let document = Document::parse(text, &Limits::default()).expect("it is JSON");
    let root = document.root();
    let places = [
        ("/metadata", "/metadata/countersign_args_digests"),
        ("/customMetadata", "/customMetadata/countersign_args_digests"),
        ("", "/args_digest"),
        ("/body", "/body/args_digest"),
    ];
    for (outer, inner) in places {
        if root.pointer(inner).is_none() {
            continue;
        }
        let alone = !outer.is_empty() && root.pointer(outer).is_some_and(|object| object.len() == 1);
        let pointer = if alone { outer } else { inner };
        return countersign_json::edit::remove(text, pointer).expect("it is there");
    }
    panic!("no digests in {text}")
}
