//! From a wish to the literal grant, in an inbox: what it covers, and what it never does.

#![expect(clippy::unwrap_used, reason = "a helper of tests, in which it is allowed")]

use std::sync::Arc;

use countersign_core::testing::{inbox, request};
use countersign_core::{
    Decision, GrantScope, GrantSpan, GrantTest, GrantWish, Inbox, InboxOptions, Input, Millis, Status,
};
use countersign_policy::{Grant, Rulebook, draft, read_wish};

fn waiting(rules: &str, messages: &str) -> Inbox {
    let book = Rulebook::read(rules).unwrap();
    let mut inbox = inbox(InboxOptions { policy: Some(Box::new(book)), ..InboxOptions::default() });
    inbox.handle(Millis(10), Input::Receive { text: messages, rounded: false }).unwrap();
    inbox
}

fn wish(scope: GrantScope) -> GrantWish {
    GrantWish { request: "s/r1".to_owned(), scope, ..GrantWish::default() }
}

fn covered(inbox: &Inbox, wish: &GrantWish) -> Option<Vec<String>> {
    let draft = draft(inbox, wish, Millis(20))?;
    Some(draft.siblings.into_iter().map(|sibling| sibling.id).collect())
}

#[test]
fn r36_the_text_that_is_shown_is_the_grant_that_is_kept() {
    let inbox = waiting("{}", r#"ask r1 pay schema=('type':'object') {"to":"a","n":1.00}"#);
    let wish =
        GrantWish { pins: vec!["/n".to_owned()], span: GrantSpan::For(Millis(5)), ..wish(GrantScope::Tool) };
    let draft = draft(&inbox, &wish, Millis(20)).unwrap();
    let kept = Grant::read_text(&draft.grant.text).unwrap();
    assert_eq!(kept.view(Millis(20)), draft.grant);
    let [only] = draft.grant.args.as_slice() else { panic!("one pin") };
    assert_eq!((only.pointer.as_str(), only.test, only.value.as_str()), ("/n", GrantTest::Equals, "1.00"));
    assert_eq!((kept.created_at, kept.expires_at, kept.session), (Millis(20), Some(Millis(25)), None));
    assert_eq!(kept.schema_digest.as_deref().map(str::len), Some(64));
}

#[test]
fn r35_another_schema_of_the_same_tool_asks_again() {
    let ask = |id: &str, schema: &str| [r"ask ", id, " pay schema=", schema, r#" {"n":1}"#].concat();
    let same = "('type':'object')";
    let mut inbox = waiting("{}", &ask("r1", same));
    let given = draft(&inbox, &wish(GrantScope::Tool), Millis(20)).unwrap().grant;
    let book = inbox.policy_mut::<Rulebook>().unwrap();
    assert!(book.grants.add(Grant::read_text(&given.text).unwrap()));
    for (id, schema, status) in [("r2", same, Status::Sending), ("r3", "('type':'array')", Status::Pending)] {
        inbox.handle(Millis(30), Input::Receive { text: &ask(id, schema), rounded: false }).unwrap();
        let view = inbox.views().pop().unwrap();
        assert_eq!(view.status, status, "{id}");
        assert_eq!(view.automatic, status != Status::Pending);
    }
}

#[test]
fn r37_waiting_siblings_are_named_and_high_risk_or_unreadable_ones_are_not() {
    let rules =
        r#"{"rules":[{"name":"much","effect":"ask","risk":"high","args":[{"pointer":"/n","equals":9}]}]}"#;
    let messages = r#"ask r1 pay {"n":1}; ask r2 pay {"n":2}; ask r3 pay {"n":9}; ask r4 pay {"n":3,"n":4};
        ask r5 other {"n":1}; ask r6 pay {"n":6}; ask r7 pay offers=reject {"n":7}"#;
    let mut inbox = waiting(rules, messages);
    let found = covered(&inbox, &wish(GrantScope::Tool)).unwrap();
    assert_eq!(found, ["s/r2", "s/r6"]);
    assert_eq!(covered(&inbox, &wish(GrantScope::SameArgs)).unwrap(), Vec::<String>::new());
    // Given on what is of high risk, or cannot be read, it would permit nothing.
    for id in ["s/r3", "s/r4"] {
        assert_eq!(covered(&inbox, &GrantWish { request: id.to_owned(), ..wish(GrantScope::Tool) }), None);
    }
    let given = draft(&inbox, &wish(GrantScope::Tool), Millis(20)).unwrap().grant;
    let book = inbox.policy_mut::<Rulebook>().unwrap();
    assert!(book.grants.add(Grant::read_text(&given.text).unwrap()));
    let named = ["r2", "r3", "r4"].map(request).to_vec();
    inbox.handle(Millis(30), Input::Judge(named)).unwrap();
    let statuses: Vec<Status> = inbox.views().iter().map(|view| view.status).collect();
    let open = Status::Pending;
    assert_eq!(statuses, [open, Status::Sending, open, open, open, open, open]);
    assert_eq!(inbox.views()[1].rule, Some(Arc::from(["grant:", &given.id].concat())));
}

#[test]
fn r37_no_sibling_is_named_that_a_person_took_back_or_that_needs_no_grant() {
    let mut inbox = waiting("{}", r#"ask r1 pay {"n":1}; ask r2 pay {"n":2}; ask r3 pay {"n":3}"#);
    let wide = wish(GrantScope::Session);
    assert_eq!(covered(&inbox, &wide).unwrap(), ["s/r2", "s/r3"]);
    let decision = Decision::approve();
    let decide = Input::Decide { request: request("r2"), decision, seen: None, offer: None };
    inbox.handle(Millis(11), decide).unwrap();
    inbox.handle(Millis(12), Input::Undo(request("r2"))).unwrap();
    assert_eq!(covered(&inbox, &wide).unwrap(), ["s/r3"]);
    let third = GrantWish { request: "s/r3".to_owned(), ..wish(GrantScope::SameArgs) };
    let given = draft(&inbox, &third, Millis(20)).unwrap().grant;
    let book = inbox.policy_mut::<Rulebook>().unwrap();
    assert!(book.grants.add(Grant::read_text(&given.text).unwrap()));
    assert_eq!(covered(&inbox, &wide).unwrap(), Vec::<String>::new());
    assert_eq!(draft(&inbox, &third, Millis(20)), None, "it has been given");
}

#[test]
fn r34_without_an_end_only_within_a_session_unless_the_host_allows_it() {
    let lasting = GrantWish { span: GrantSpan::Forever, ..wish(GrantScope::Tool) };
    let messages = r#"ask r1 pay {"n":1}"#;
    assert_eq!(covered(&waiting("{}", messages), &lasting), None);
    assert!(covered(&waiting(r#"{"forever":true}"#, messages), &lasting).is_some());
    let here = draft(&waiting("{}", messages), &wish(GrantScope::Tool), Millis(20)).unwrap().grant;
    assert_eq!((here.session.as_deref(), here.expires_at), (Some("s"), None));
}

#[test]
fn r34_a_denial_cannot_be_granted_away() {
    let rules = r#"{"system":"interrupt_on","config":{"pay":{"allowed_decisions":["reject"]}}}"#;
    assert_eq!(covered(&waiting(rules, r#"ask r1 pay {"n":1}"#), &wish(GrantScope::Tool)), None);
}

#[test]
fn r36_a_wish_that_is_not_understood_is_refused_and_not_widened() {
    let read = |text: &str| read_wish("s/r1", text);
    let hour = read(r#"{"scope":"tool","pins":["/n"],"span":3600000}"#).expect("a wish");
    assert_eq!((hour.pins, hour.span), (vec!["/n".to_owned()], GrantSpan::For(Millis(3_600_000))));
    for (span, expected) in [
        ("", GrantSpan::Session),
        (r#","span":"session""#, GrantSpan::Session),
        (r#","span":"forever""#, GrantSpan::Forever),
    ] {
        let text = format!(r#"{{"scope":"session","pins":[]{span}}}"#);
        assert_eq!(read(&text).expect("a wish").span, expected);
    }
    for (text, place) in [
        (r#"{"scope":"tool","pins":"/n"}"#, "/pins"),
        (r#"{"scope":"tool","pin":["/n"]}"#, "/pin"),
        (r#"{"scope":"session","pins":["/n"]}"#, "/pins"),
        (r#"{"scope":"call"}"#, "/scope"),
        (r#"{"scope":"tool","span":"for ever"}"#, "/span"),
        (r#"{"scope":"tool","span":-1}"#, "/span"),
    ] {
        assert_eq!(read(text).expect_err(text).pointer, place, "{text}");
    }
}
