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

/// The names under which the digests of one message stand.
fn names(outbound: &Outbound) -> Vec<String> {
    let mut found = Vec::new();
    for text in [&outbound.body, &outbound.transport] {
        let document = Document::parse(text, &Limits::default()).expect("it is JSON");
        for outer in ["/metadata", "/customMetadata"] {
            let listed = document.root().pointer(&format!("{outer}/countersign_args_digests"));
            let members = listed.into_iter().flat_map(Value::members);
            found.extend(members.filter_map(|(name, _)| name.as_str().map(|name| name.into_owned())));
        }
    }
    found
}

#[test]
fn r04_digests_stand_under_the_call_or_under_the_request_where_calls_are_not_told() {
    for (name, by_request) in [("a2a", false), ("adk", false), ("langgraph", true)] {
        let found = RefCell::new(0);
        for_all(of(name), |trace| {
            let (told, views) = decided(trace, name, true);
            for outbound in &told {
                for named in names(outbound) {
                    let is_it = |view: &RequestView| {
                        let call = view.call.as_ref().map(|call| call.as_str());
                        let request = view.request.as_ref().map(|request| request.as_str());
                        let id = if by_request { request } else { call };
                        id == Some(&*named) && (by_request || request != call)
                    };
                    if !views.iter().any(is_it) {
                        return Err(format!("`{named}` is none that was decided"));
                    }
                    *found.borrow_mut() += 1;
                }
            }
            Ok(())
        });
        assert!(*found.borrow() > 3, "{name}");
    }
}

#[test]
fn r04_an_answer_of_one_request_has_its_digest_in_the_message_or_in_the_body() {
    for (name, asked, place) in [
        (
            "haystack",
            r#"{"type":"approval_request","id":"r","tool_name":"t","tool_params":{"n":1}}"#,
            "/args_digest",
        ),
        (
            "haystack",
            r#"{"r":{"type":"approval_request","id":"r","tool_name":"t","tool_params":{"n":1}}}"#,
            "/body/args_digest",
        ),
        (
            "adalflow",
            r#"{"type":"approval_request","id":"r","tool":"t","args":[],"kwargs":{"n":1},"message":"?"}"#,
            "/args_digest",
        ),
        (
            "adalflow",
            r#"{"request_id":"r","tool_name":"t","tool_args":[],"tool_kwargs":{"n":1},"timestamp":"","status":"pending"}"#,
            "/body/args_digest",
        ),
        // The first design's request and a queue's entry have no room.
        ("adalflow", r#"{"r":{"tool":"t","args":[1],"message":"?"}}"#, ""),
        ("haystack", r#"{"type":"tool_call_start","id":"r","tool_name":"t","arguments":{"n":1}}"#, ""),
    ] {
        let options = AdapterOptions { digests: true, ..AdapterOptions::default() };
        let adapter = adapter(name, &options).expect("the adapter is built in");
        let mut inbox = Inbox::new(adapter, InboxOptions::default());
        inbox.handle(START, Input::Receive { text: asked, rounded: false }).expect("news is never refused");
        let request = inbox.find("r").expect("it waits");
        let approve = Input::Decide { request, decision: Decision::approve(), seen: None, offer: None };
        inbox.handle(START, approve).expect("it is offered");
        let digest = inbox.views().remove(0).args_digest;
        let body = inbox.take_outbound().remove(0).body;
        let expected: &[&str] = if place.is_empty() { &[] } else { &[&digest] };
        assert_eq!(digests(&body), expected, "{body}");
        let document = Document::parse(&body, &Limits::default()).expect("it is JSON");
        let given = document.root().pointer(place).and_then(|given| given.as_str());
        assert!(place.is_empty() || given.as_deref() == Some(&*digest), "{body}");
    }
}
