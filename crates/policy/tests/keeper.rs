//! What people grant in an inbox: kept as it was confirmed, and ended as people were told.

#![expect(clippy::unwrap_used, reason = "helpers of tests, in which it is allowed")]

use countersign_core::testing::{inbox, request};
use countersign_core::{
    Decision, GrantDraft, GrantScope, GrantWish, Inbox, InboxOptions, Input, Millis, Shown, Status,
};
use countersign_policy::{Grant, GrantKeeper, Grants, Rulebook, Seen};

const NOW: Millis = Millis(20);

/// An inbox to which this was told, and a keeper that has been handed a list of grants.
fn waiting(messages: &str) -> (Inbox, GrantKeeper) {
    let (mut inbox, mut keeper) = (inbox(InboxOptions::default()), GrantKeeper::default());
    keeper.set_grants(&mut inbox, "[]").unwrap();
    let input = Input::Receive { text: messages, rounded: false };
    keeper.handle(&mut inbox, Millis(10), input).unwrap();
    (inbox, keeper)
}

fn wish() -> GrantWish {
    GrantWish { request: "s/r1".to_owned(), scope: GrantScope::Tool, ..GrantWish::default() }
}

/// A request of the inbox, as it is on screen.
fn seen(inbox: &Inbox, at: usize) -> Seen {
    let view = inbox.views().swap_remove(at);
    let shown = Shown::of(&view);
    (view.id, shown)
}

/// Confirms the wish on the first request, along with these.
fn confirm(inbox: &mut Inbox, keeper: &mut GrantKeeper, siblings: &[Seen]) -> GrantDraft {
    let draft = keeper.draft(inbox, &wish(), NOW).unwrap();
    let (first, grant) = (seen(inbox, 0), Grant::read_text(&draft.grant.text).unwrap());
    keeper.grant(inbox, NOW, first, grant, siblings).unwrap();
    draft
}

/// A digest that was on screen, whatever the tool.
fn digest(digest: &str) -> Shown {
    Shown { digest: Some(digest.into()), tool: None }
}

fn statuses(inbox: &Inbox) -> Vec<&'static str> {
    inbox.statuses().map(Status::as_str).collect()
}

fn grants(inbox: &Inbox) -> &Grants {
    &inbox.policy::<Rulebook>().unwrap().grants
}

const THREE: &str = r#"ask r1 pay {"n":1}; ask r2 pay {"n":2}; ask r3 pay {"n":3}"#;

#[test]
fn r37_a_confirmed_grant_approves_its_call_and_of_its_siblings_those_that_were_named_as_they_are() {
    let (mut inbox, mut keeper) = waiting(&format!(r#"{THREE}; ask r4 pay {{"n":4}}"#));
    let (before, outdated) = (keeper.changes(), ("s/r3".to_owned(), digest("another digest")));
    let siblings = [seen(&inbox, 1), outdated, ("s/nobody".to_owned(), digest("x"))];
    let draft = confirm(&mut inbox, &mut keeper, &siblings);
    let covered: Vec<_> = draft.siblings.iter().map(|sibling| sibling.id.as_str()).collect();
    assert_eq!(covered, ["s/r2", "s/r3", "s/r4"]);
    assert_eq!(statuses(&inbox), ["sending", "sending", "pending", "pending"]);
    let views = inbox.views();
    assert_eq!((views[0].automatic, views[1].automatic), (false, true), "a person decided the first one");
    assert_eq!(grants(&inbox).list()[0].text(), *draft.grant.text, "what was shown is what is kept");
    assert_ne!(keeper.changes(), before);
    let log = inbox.audit().to_json_lines();
    assert!(log.contains(r#""event":"granted""#) && log.contains(&draft.grant.id), "{log}");
}

#[test]
fn r35_nothing_is_granted_where_the_approval_that_it_comes_with_is_refused() {
    let (mut inbox, mut keeper) = waiting(THREE);
    let draft = keeper.draft(&inbox, &wish(), NOW).unwrap();
    let grant = Grant::read_text(&draft.grant.text).unwrap();
    let (before, stale) = (keeper.changes(), ("s/r1".to_owned(), digest("another digest")));
    let siblings = [seen(&inbox, 1)];
    assert!(keeper.grant(&mut inbox, NOW, stale, grant, &siblings).is_err());
    assert_eq!(statuses(&inbox), ["pending"; 3]);
    assert!(grants(&inbox).list().is_empty());
    assert_eq!(keeper.changes(), before);
}

#[test]
fn r03_what_was_drafted_on_a_call_of_another_tool_is_not_granted() {
    // Also where the host does not say which tool was on screen.
    for names_tool in [true, false] {
        let (mut inbox, mut keeper) = waiting("ask r1 pay {}");
        let draft = keeper.draft(&inbox, &wish(), NOW).unwrap();
        let (mut first, grant) = (seen(&inbox, 0), Grant::read_text(&draft.grant.text).unwrap());
        first.1.tool = first.1.tool.filter(|_| names_tool);
        let renamed = Input::Receive { text: "ask r1 wipe {}", rounded: false };
        keeper.handle(&mut inbox, NOW, renamed).unwrap();
        assert_eq!(seen(&inbox, 0).1.digest, first.1.digest, "its arguments are the same");
        let refusal = keeper.grant(&mut inbox, NOW, first, grant, &[]).unwrap_err();
        assert_eq!(refusal.code().as_str(), "args-changed");
        assert_eq!((statuses(&inbox), grants(&inbox).list().len()), (vec!["pending"], 0));
    }
}

#[test]
fn r03_a_grant_that_names_no_tool_is_given_on_the_tool_that_was_on_screen_and_on_no_other() {
    let (mut inbox, mut keeper) = waiting("ask r1 pay {}; ask r2 look {}");
    let wish = GrantWish { scope: GrantScope::Session, ..wish() };
    let draft = keeper.draft(&inbox, &wish, NOW).unwrap();
    let grant = || Grant::read_text(&draft.grant.text).unwrap();
    assert_eq!((grant().tool, draft.siblings.len()), (None, 1));
    let (first, second) = (seen(&inbox, 0), seen(&inbox, 1));
    for (text, refused) in [("ask r1 wipe {}", true), ("ask r1 pay {}; ask r2 wipe {}", false)] {
        keeper.handle(&mut inbox, NOW, Input::Receive { text, rounded: false }).unwrap();
        let given = keeper.grant(&mut inbox, NOW, first.clone(), grant(), std::slice::from_ref(&second));
        assert_eq!(given.is_err(), refused, "{text}");
    }
    // The call that was named with it is another one by now.
    assert_eq!((statuses(&inbox), grants(&inbox).list().len()), (vec!["sending", "pending"], 1));
}

#[test]
fn r34_nobody_grants_anything_before_the_host_keeps_grants() {
    let mut inbox = inbox(InboxOptions::default());
    let mut keeper = GrantKeeper::default();
    keeper.handle(&mut inbox, NOW, Input::Receive { text: THREE, rounded: false }).unwrap();
    keeper.set_policy(&mut inbox, "{}").unwrap();
    assert!(!keeper.keeps() && keeper.draft(&inbox, &wish(), NOW).is_none());
    assert!(keeper.set_grants(&mut inbox, "{}").is_err() && !keeper.keeps());
    keeper.set_grants(&mut inbox, "[]").unwrap();
    assert!(keeper.keeps() && keeper.draft(&inbox, &wish(), NOW).is_some());
}

#[test]
fn r36_who_takes_the_decision_back_takes_back_the_grant_that_came_with_it_and_no_other() {
    let (mut inbox, mut keeper) = waiting(&format!("{THREE}; ask r4 rm {{}}"));
    let siblings = [seen(&inbox, 1)];
    confirm(&mut inbox, &mut keeper, &siblings);
    let reject = Decision::reject(None);
    let other = Input::Decide { request: request("r4"), decision: reject, seen: None, offer: None };
    keeper.handle(&mut inbox, NOW, other).unwrap();
    keeper.handle(&mut inbox, NOW, Input::Undo(request("r4"))).unwrap();
    assert_eq!(statuses(&inbox), ["sending", "sending", "pending", "pending"]);
    assert_eq!(grants(&inbox).list()[0].revoked_at, None);
    let before = keeper.changes();
    keeper.handle(&mut inbox, Millis(30), Input::Undo(request("r1"))).unwrap();
    assert_eq!(statuses(&inbox), ["pending"; 4], "what the grant alone approved waits again too");
    assert_eq!(grants(&inbox).list()[0].revoked_at, Some(Millis(30)));
    assert_ne!(keeper.changes(), before);
    assert!(inbox.take_outbound().is_empty());
}

#[test]
fn r36_who_takes_back_a_call_that_was_granted_on_twice_takes_back_both_grants() {
    let (mut inbox, mut keeper) = waiting(r#"ask r1 pay batch=b held {"n":1}; ask r2 rm batch=b held {}"#);
    let narrow = GrantWish { scope: GrantScope::SameArgs, ..wish() };
    for (at, text, wish) in [(11, "open r1", narrow), (12, r#"ask r1 pay batch=b held {"n":2}"#, wish())] {
        keeper.handle(&mut inbox, Millis(at), Input::Receive { text, rounded: false }).unwrap();
        let draft = keeper.draft(&inbox, &wish, NOW).unwrap();
        let (first, grant) = (seen(&inbox, 0), Grant::read_text(&draft.grant.text).unwrap());
        keeper.grant(&mut inbox, NOW, first, grant, &[]).unwrap();
        assert_eq!(statuses(&inbox), ["drafted", "pending"]);
    }
    keeper.handle(&mut inbox, Millis(30), Input::Undo(request("r1"))).unwrap();
    let revoked: Vec<_> = grants(&inbox).list().iter().map(|grant| grant.revoked_at).collect();
    assert_eq!(revoked, [Some(Millis(30)); 2]);
}

#[test]
fn r36_a_decision_that_has_left_keeps_its_grant() {
    let (mut inbox, mut keeper) = waiting(THREE);
    confirm(&mut inbox, &mut keeper, &[]);
    assert_eq!(inbox.take_outbound().len(), 1);
    assert!(keeper.handle(&mut inbox, Millis(30), Input::Undo(request("r1"))).is_err());
    assert_eq!(grants(&inbox).list()[0].revoked_at, None);
}

#[test]
fn r36_a_grant_is_taken_back_once_with_what_it_approved_and_what_has_not_left() {
    let (mut inbox, mut keeper) = waiting(THREE);
    let siblings = [seen(&inbox, 1)];
    let id = confirm(&mut inbox, &mut keeper, &siblings).grant.id;
    let before = keeper.changes();
    assert!(keeper.revoke(&mut inbox, "other", Millis(30)).is_none());
    assert_eq!((keeper.changes(), statuses(&inbox)), (before, vec!["sending", "sending", "pending"]));
    assert!(keeper.revoke(&mut inbox, &id, Millis(30)).is_some_and(|outputs| !outputs.is_empty()));
    assert_eq!(statuses(&inbox), ["sending", "pending", "pending"], "a person decided the first one");
    let after = keeper.changes();
    assert_ne!(after, before);
    assert!(keeper.revoke(&mut inbox, &id, Millis(40)).is_some_and(|outputs| outputs.is_empty()));
    assert_eq!((keeper.changes(), grants(&inbox).list()[0].revoked_at), (after, Some(Millis(30))));
}

#[test]
fn r36_a_new_policy_leaves_what_people_granted_and_one_that_cannot_be_read_changes_nothing() {
    let (mut inbox, mut keeper) = waiting(THREE);
    confirm(&mut inbox, &mut keeper, &[]);
    let kept = grants(&inbox).clone();
    let denies = r#"{"rules":[{"name":"no","effect":"deny","tool":"rm"}]}"#;
    keeper.set_policy(&mut inbox, denies).unwrap();
    assert_eq!(grants(&inbox), &kept);
    assert!(keeper.set_policy(&mut inbox, r#"{"rules":{}}"#).is_err());
    assert!(keeper.set_grants(&mut inbox, r#"[{"id":"g"}]"#).is_err());
    assert_eq!(grants(&inbox), &kept);
    let news = Input::Receive { text: "ask r5 rm {}; ask r6 pay {}", rounded: false };
    keeper.handle(&mut inbox, Millis(30), news).unwrap();
    assert_eq!(statuses(&inbox), ["sending", "pending", "pending", "sending", "sending"]);
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["approve r1", "reject r5", "approve r6"]);
}

#[test]
fn r37_what_is_bound_to_a_session_without_a_name_ends_when_another_one_is_restored() {
    let (mut inbox, mut keeper) = waiting(THREE);
    keeper.set_policy(&mut inbox, "{}").unwrap();
    let book = inbox.policy_mut::<Rulebook>().unwrap();
    for (id, session) in [("g", "thread"), ("h", "task-7")] {
        let text = format!(r#"{{"id":"{id}","scope":"session","session":"{session}","createdAt":1}}"#);
        assert!(book.grants.add(Grant::read_text(&text).unwrap()));
    }
    let ids = |inbox: &Inbox| grants(inbox).list().iter().map(|grant| grant.id.clone()).collect::<String>();
    let restore = |text: &'static str| Input::Restore { text: text.into(), rounded: false };
    let before = keeper.changes();
    keeper.handle(&mut inbox, Millis(30), restore("ask r9 pay {}; ask r3 pay {}")).unwrap();
    assert_eq!((ids(&inbox).as_str(), keeper.changes()), ("gh", before), "one of its requests is here");
    keeper.handle(&mut inbox, Millis(40), restore("ask r7 pay {}")).unwrap();
    assert_eq!(ids(&inbox), "h");
    let after = keeper.changes();
    assert_ne!(after, before);
    keeper.handle(&mut inbox, Millis(50), restore("ask r8 pay {}")).unwrap();
    assert_eq!((ids(&inbox).as_str(), keeper.changes()), ("h", after), "nothing more ends");
}

#[test]
fn r37_what_was_approved_once_ends_when_another_conversation_is_restored() {
    for (restored, expected) in [("ask r1 pay {}", "sending"), ("ask r7 rm {}", "pending")] {
        let (mut inbox, mut keeper) = (inbox(InboxOptions::default()), GrantKeeper::default());
        keeper.set_policy(&mut inbox, r#"{"system":"ask-once"}"#).unwrap();
        let mut told =
            |inbox: &mut Inbox, input: Input<'_>| keeper.handle(inbox, NOW, input).map(drop).unwrap();
        told(&mut inbox, Input::Receive { text: "ask r1 pay {}", rounded: false });
        let (request, decision) = (request("r1"), Decision::approve());
        told(&mut inbox, Input::Decide { request, decision, seen: None, offer: None });
        let id = inbox.take_outbound().remove(0).id;
        told(&mut inbox, Input::Delivered(id));
        told(&mut inbox, Input::Restore { text: restored.into(), rounded: false });
        told(&mut inbox, Input::Receive { text: "ask r9 pay {}", rounded: false });
        assert_eq!(statuses(&inbox)[1], expected, "{restored}");
    }
}

#[test]
fn r36_of_several_grants_that_were_kept_before_each_is_taken_back_by_its_id() {
    let (mut inbox, mut keeper) = (inbox(InboxOptions::default()), GrantKeeper::default());
    let grant = |id: &str, tool: &str| {
        format!(r#"{{"id":"{id}","scope":"tool","tool":"{tool}","session":"s","createdAt":1}}"#)
    };
    let kept = format!("[{},{}]", grant("g", "pay"), grant("h", "rm"));
    keeper.set_grants(&mut inbox, &kept).unwrap();
    assert_eq!(grants(&inbox).write(), kept);
    assert!(keeper.revoke(&mut inbox, "g", NOW).is_some());
    let news = |text| Input::Receive { text, rounded: false };
    keeper.handle(&mut inbox, NOW, news("ask r1 pay {}; ask r2 rm {}")).unwrap();
    assert_eq!(statuses(&inbox), ["pending", "sending"]);
    assert!(keeper.revoke(&mut inbox, "h", NOW).is_some());
    assert_eq!(statuses(&inbox), ["pending", "pending"]);
    assert_eq!(grants(&inbox).list()[1].revoked_at, Some(NOW));
}

#[test]
fn r36_what_was_taken_back_here_stays_so_whatever_a_tab_that_had_not_heard_of_it_has_kept() {
    let (mut inbox, mut keeper) = waiting(THREE);
    let draft = confirm(&mut inbox, &mut keeper, &[]);
    let kept = grants(&inbox).write();
    keeper.revoke(&mut inbox, &draft.grant.id, Millis(30)).unwrap();
    keeper.set_grants(&mut inbox, &kept).unwrap();
    assert_eq!(grants(&inbox).list()[0].revoked_at, Some(Millis(30)));
    let text = r#"ask r9 pay {"n":9}"#;
    keeper.handle(&mut inbox, Millis(31), Input::Receive { text, rounded: false }).unwrap();
    assert_eq!(statuses(&inbox).last(), Some(&"pending"));
}
