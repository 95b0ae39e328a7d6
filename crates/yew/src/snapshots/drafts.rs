//! What becomes of what a person has begun when news comes to its call.

use countersign_core::{GrantDraft, GrantView};

use super::*;
use crate::edit::Editing;
use crate::granting::Granting;
use crate::piece::Act;
use crate::testing::{drawn, drawn_next};

const SCHEMA: &str =
    r#"{"properties":{"to":{"enum":["alice","bob"]},"amount":{"type":"number","maximum":10}}}"#;

fn pay(schema: Option<&str>) -> RequestView {
    RequestView {
        offers: vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Edit)],
        args_schema: schema.map(Arc::from),
        ..call(1, "pay", r#"{"to":"bob","amount":5}"#)
    }
}

fn shown(view: RequestView, editing: &Rc<Editing>) -> ToolCallCardProps {
    let editing = Some(Rc::clone(editing));
    ToolCallCardProps { editing, ..yew::props!(ToolCallCardProps { request: Rc::new(view) }) }
}

#[test]
fn r25_a_schema_that_arrives_while_somebody_edits_changes_the_form_and_keeps_the_draft() {
    let editing = Rc::default();
    let markup = drawn(shown(pay(None), &editing), vec![Act::Edit]);
    assert!(markup.contains("<dialog") && !markup.contains("<select"), "{markup}");
    editing.with(&pay(None), &Drafts::none(), |draft| draft.put("/amount", "50"));
    let markup = drawn_next(shown(pay(None), &editing), vec![Act::Edit], shown(pay(Some(SCHEMA)), &editing));
    assert!(markup.contains("<dialog") && markup.contains("<select"), "{markup}");
    assert!(markup.contains(r#"value="50""#) && seen(&markup).contains("at most 10"), "{markup}");
    // Other arguments are another call.
    let other = RequestView { args_digest: "other".into(), ..pay(Some(SCHEMA)) };
    let markup = drawn_next(shown(pay(None), &editing), vec![Act::Edit], shown(other, &editing));
    assert!(!markup.contains("<dialog"), "{markup}");
}

#[test]
fn r25_a_draft_that_goes_with_the_call_as_it_was_is_told_of() {
    const LOST: &str = "Your draft was for the call as it was before, and is discarded.";
    let editing: Rc<Editing> = Rc::default();
    let text = |view| seen(&drawn(shown(view, &editing), Vec::new()));
    let other =
        |inspectable| RequestView { args_digest: "other".into(), changed: true, inspectable, ..pay(None) };
    assert!(!text(other(true)).contains(LOST), "nobody had begun one");
    editing.with(&other(true), &Drafts::none(), |draft| draft.put("/amount", "50"));
    assert!(text(other(true)).contains("A draft of other arguments is kept."));
    assert!(!text(RequestView { args_schema: Some(SCHEMA.into()), ..other(true) }).contains(LOST));
    // Also where what it is now cannot be edited.
    let next = RequestView { args_digest: "next".into(), ..other(false) };
    assert!(text(next.clone()).contains(&["Look again. ", LOST].concat()));
    let next = RequestView { inspectable: true, ..next };
    assert!(text(next.clone()).contains(LOST));
    assert!(!text(RequestView { status: Status::Completed, ..next.clone() }).contains(LOST));
    // Until there is another one.
    editing.with(&next, &Drafts::none(), |draft| draft.put("/amount", "51"));
    assert!(!text(next).contains(LOST));
}

#[test]
fn r36_what_is_allowed_is_in_view_and_its_json_behind_a_button() {
    let text: Arc<str> = r#"{"id":"g-1","tool":"pay"}"#.into();
    let grant = GrantView {
        id: "g-1".into(),
        scope: GrantScope::SameArgs,
        tool: Some("pay".into()),
        server: None,
        agent: Vec::new(),
        schema_digest: None,
        session: None,
        args: Vec::new(),
        created_at: Millis(0),
        expires_at: None,
        revoked_at: None,
        in_force: true,
        text,
    };
    let draft = Callback::from(move |_| Some(GrantDraft { grant: grant.clone(), siblings: Vec::new() }));
    let granting = Some(Granting { draft, grants: Rc::from([]), lasting: false });
    let card = ToolCallCardProps { granting, ..shown(pay(None), &Rc::default()) };
    let markup = drawn(card, vec![Act::Grant]);
    assert_order(
        &markup,
        &["grant-reach", "grant-span", "grant-facts", "Exactly what is kept", "grant-button"],
    );
    assert!(markup.contains(r#"aria-expanded="false">Exactly what is kept · 25 characters"#), "{markup}");
    assert!(!markup.contains("grant-text") && seen(&markup).contains("With any arguments"), "{markup}");
}
