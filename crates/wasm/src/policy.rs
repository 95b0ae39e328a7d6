//! What answers without a person: the policy of an inbox and what people granted.

use std::rc::Rc;

use countersign_core::{GrantDraft, GrantView, GrantWish, Millis, Proposal, Refusal, Shown};
use countersign_json::{Writer, sha256_hex};
use countersign_policy::{Grant, PolicyError, Rulebook, Seen, read_wish};
use wasm_bindgen::prelude::*;

use crate::desk::{Desk, News};
use crate::error::{no_policy, refused};
use crate::inbox::RawInbox;
use crate::options::millis;

impl Desk {
    fn rulebook(&self) -> Option<&Rulebook> {
        self.inbox().policy()
    }

    /// See [`GrantKeeper::set_policy`](countersign_policy::GrantKeeper::set_policy).
    pub(crate) fn set_policy(&mut self, text: &str) -> Result<(), PolicyError> {
        let (keeper, inbox) = self.keeping();
        keeper.set_policy(inbox, text)
    }

    /// See [`GrantKeeper::set_grants`](countersign_policy::GrantKeeper::set_grants).
    pub(crate) fn set_grants(&mut self, text: &str) -> Result<(), PolicyError> {
        // Another one may have the same id.
        self.listed.take();
        let (keeper, inbox) = self.keeping();
        keeper.set_grants(inbox, text)
    }

    /// What people granted, as JSON text.
    pub(crate) fn grants(&self) -> String {
        self.rulebook().map_or_else(|| "[]".to_owned(), |book| book.grants.write())
    }

    /// What people granted, oldest first, for an interface at the moment `now`.
    #[cfg_attr(not(feature = "element"), allow(dead_code, reason = "only an interface draws it"))]
    pub(crate) fn grant_views(&self, now: Millis) -> Rc<[GrantView]> {
        let list = self.rulebook().map(|book| book.grants.list()).unwrap_or_default();
        let now = self.inbox().steady_at(now);
        let mut listed = self.listed.borrow_mut();
        // To write all of them out at each drawing takes long.
        let is_it = |(view, grant): (&GrantView, &Grant)| {
            (&view.id, view.revoked_at, view.in_force) == (&grant.id, grant.revoked_at, grant.is_open(now))
        };
        if listed.len() != list.len() || !listed.iter().zip(list).all(is_it) {
            *listed = list.iter().map(|grant| grant.view(now)).collect();
        }
        Rc::clone(&listed)
    }

    /// Whether grants without an end count.
    #[cfg_attr(not(feature = "element"), allow(dead_code, reason = "only an interface draws it"))]
    pub(crate) fn lasting(&self) -> bool {
        self.rulebook().is_some_and(|book| book.forever)
    }

    /// See [`GrantKeeper::draft`](countersign_policy::GrantKeeper::draft).
    pub(crate) fn draft(&self, wish: &GrantWish, now: Millis) -> Option<GrantDraft> {
        self.keeper().draft(self.inbox(), wish, now)
    }

    /// See [`GrantKeeper::grant`](countersign_policy::GrantKeeper::grant).
    pub(crate) fn grant(
        &mut self,
        now: Millis,
        given: Seen,
        grant: Grant,
        siblings: &[Seen],
    ) -> Result<(), Refusal> {
        let mut news = News::default();
        self.pass(now, &mut news)?;
        let (keeper, inbox) = self.keeping();
        let outputs = keeper.grant(inbox, now, given, grant, siblings)?;
        self.absorb(&mut news, outputs);
        Ok(())
    }

    /// See [`GrantKeeper::revoke`](countersign_policy::GrantKeeper::revoke).
    pub(crate) fn revoke(&mut self, id: &str, now: Millis) -> bool {
        let (keeper, inbox) = self.keeping();
        let Some(outputs) = keeper.revoke(inbox, id, now) else { return false };
        self.absorb(&mut News::default(), outputs);
        // Of one that was taken back before there are none, and what is held still waits for its moment.
        self.look_again(now);
        true
    }
}

#[wasm_bindgen]
impl RawInbox {
    /// Puts another policy in place, given as JSON text.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, path }` with `options-invalid`.
    #[wasm_bindgen(js_name = setPolicy)]
    pub fn set_policy(&self, policy: &str, at: f64) -> Result<(), JsValue> {
        let desk = self.desk();
        let mut desk = desk.borrow_mut();
        desk.set_policy(policy).map_err(|error| no_policy("", &error))?;
        desk.look_again(millis(at));
        Ok(())
    }

    /// Puts what people granted in place, given as JSON text.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, path }` with `options-invalid`.
    #[wasm_bindgen(js_name = setGrants)]
    pub fn set_grants(&self, grants: &str, at: f64) -> Result<(), JsValue> {
        let desk = self.desk();
        let mut desk = desk.borrow_mut();
        desk.set_grants(grants).map_err(|error| no_policy("", &error))?;
        desk.look_again(millis(at));
        Ok(())
    }

    /// What people granted, as the text of a JSON array.
    pub fn grants(&self) -> String {
        self.desk().borrow().grants()
    }

    /// A number that moves whenever a person granted or revoked something.
    #[wasm_bindgen(getter)]
    pub fn granted(&self) -> u32 {
        self.desk().borrow().keeper().changes()
    }

    /// The literal grant of a wish `{ scope, pins?, span? }`, given as JSON text.
    ///
    /// # Shape
    /// `{ text, seen, tool, siblings: [{ requestId, seen, tool }] }`; nothing where it would permit nothing.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, path }` with `options-invalid`.
    #[wasm_bindgen(js_name = draftGrant)]
    pub fn draft_grant(&self, request: &str, wish: &str, at: f64) -> Result<Option<String>, JsValue> {
        let wish = read_wish(request, wish).map_err(|error| no_policy("/wish", &error))?;
        let desk = self.desk();
        let desk = desk.borrow();
        let write = |draft: GrantDraft| {
            let asked = desk.inbox().find(request).ok()?;
            let written = |proposal: &Proposal<'_>| {
                write_draft(&draft, &sha256_hex(proposal.call.args.as_str()), &proposal.call.tool)
            };
            desk.inbox().propose(&asked, written)
        };
        Ok(desk.draft(&wish, millis(at)).and_then(write))
    }

    /// A person confirmed a grant: the call is approved, and with it the siblings, each an id, the digest of its arguments
    /// and its tool, as they were seen.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, help?, path? }`; nothing was granted.
    pub fn grant(
        &self,
        request: String,
        seen: String,
        tool: String,
        grant: &str,
        siblings: Vec<String>,
        at: f64,
    ) -> Result<(), JsValue> {
        let grant = Grant::read_text(grant).map_err(|error| no_policy("/grant", &error))?;
        let given = |id: String, digest: String, tool: String| -> Seen {
            (id, Shown { digest: Some(digest.into()), tool: Some(tool.into()) })
        };
        let triples = siblings.chunks_exact(3).filter_map(|triple| match triple {
            [id, seen, tool] => Some(given(id.clone(), seen.clone(), tool.clone())),
            _ => None,
        });
        let siblings: Vec<Seen> = triples.collect();
        let given = given(request, seen, tool);
        self.desk().borrow_mut().grant(millis(at), given, grant, &siblings).map_err(|error| refused(&error))
    }

    /// A person takes a grant back; false: there is none of this id.
    pub fn revoke(&self, id: &str, at: f64) -> bool {
        self.desk().borrow_mut().revoke(id, millis(at))
    }
}

fn write_draft(draft: &GrantDraft, seen: &str, tool: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("text").string(&draft.grant.text).key("seen").string(seen);
    writer.key("tool").string(tool);
    writer.key("siblings").begin_array();
    for sibling in &draft.siblings {
        writer.begin_object().key("requestId").string(&sibling.id);
        writer.key("seen").string(&sibling.args_digest);
        writer.key("tool").string(&sibling.tool).end_object();
    }
    writer.end_array().end_object();
    writer.finish()
}

#[cfg(test)]
mod tests {
    use countersign_core::testing::Scripted;
    use countersign_core::{Decision, InboxOptions, Input, Status};
    use countersign_protocols::{AdapterOptions, adapter};

    use super::*;

    /// One agent message that asks about three calls of one tool.
    fn desk(grants: Option<&str>) -> Desk {
        let part = |id: &str, path: &str| {
            [
                r#"{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":""#,
                id,
                r#"","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k-"#,
                id,
                r#"","name":"delete_file","args":{"path":""#,
                path,
                r#""}},"toolConfirmation":{"confirmed":false}}}}"#,
            ]
            .concat()
        };
        let parts = [part("r1", "/a"), part("r2", "/b"), part("r3", "/c")].join(",");
        let task = [
            r#"{"kind":"task","id":"t1","contextId":"c1","status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m1","taskId":"t1","parts":["#,
            &parts,
            "]}}}",
        ]
        .concat();
        let mut desk =
            Desk::new(adapter("a2a", &AdapterOptions::default()).unwrap(), InboxOptions::default());
        if let Some(grants) = grants {
            desk.set_grants(grants).unwrap();
        }
        desk.handle(Millis(1), Input::Receive { text: &task, rounded: false }).unwrap();
        desk
    }

    fn statuses(desk: &mut Desk) -> Vec<(Status, bool)> {
        desk.views().iter().map(|view| (view.status, view.automatic)).collect()
    }

    #[test]
    fn r36_nobody_grants_where_the_host_keeps_nothing() {
        let wish = read_wish("t1/r1", r#"{"scope":"tool"}"#).unwrap();
        assert_eq!(desk(None).draft(&wish, Millis(2)), None);
        assert!(desk(Some("[]")).draft(&wish, Millis(2)).is_some());
    }

    #[test]
    fn r37_a_confirmed_grant_approves_its_call_by_hand_and_the_named_ones_by_itself() {
        let mut desk = desk(Some("[]"));
        let wish = read_wish("t1/r1", r#"{"scope":"tool","span":3600000}"#).unwrap();
        let draft = desk.draft(&wish, Millis(2)).unwrap();
        let mut named: Vec<Seen> =
            draft.siblings.iter().map(|sibling| (sibling.id.clone(), Shown::of(sibling))).collect();
        assert_eq!(named.len(), 2);
        // What changed since it was named is not approved.
        named[1].1.tool = Some("another_tool".into());
        let seen = Shown::of(&desk.view_at(0).unwrap());
        let grant = Grant::read_text(&draft.grant.text).unwrap();
        desk.grant(Millis(3), ("t1/r1".to_owned(), seen), grant, &named).unwrap();
        let expected = [(Status::Drafted, false), (Status::Drafted, true), (Status::Pending, false)];
        assert_eq!(statuses(&mut desk), expected);
        assert_eq!((desk.keeper().changes(), desk.grants()), (1, ["[", &*draft.grant.text, "]"].concat()));
        let rule = desk.view_at(1).unwrap().rule.clone();
        assert_eq!(rule.as_deref(), Some(["grant:", &draft.grant.id].concat().as_str()));
        assert!(desk.revoke(&draft.grant.id, Millis(4)) && !desk.revoke("none", Millis(4)));
        assert!(desk.grants().contains(r#""revokedAt":4"#));
        // What it had approved and what was held is not sent.
        let expected = [(Status::Drafted, false), (Status::Pending, false), (Status::Pending, false)];
        assert_eq!(statuses(&mut desk), expected);
    }

    #[test]
    fn r45_what_was_granted_by_whom_and_what_it_decided_is_on_record() {
        let mut desk = desk(Some("[]"));
        let wish = read_wish("t1/r1", r#"{"scope":"tool","span":3600000}"#).unwrap();
        let draft = desk.draft(&wish, Millis(2)).unwrap();
        let named = draft.siblings.iter().map(|sibling| (sibling.id.clone(), Shown::of(sibling)));
        let named: Vec<Seen> = named.take(1).collect();
        let seen = Shown::of(&desk.view_at(0).unwrap());
        let digest = seen.digest.clone().unwrap();
        let grant = Grant::read_text(&draft.grant.text).unwrap();
        desk.grant(Millis(3), ("t1/r1".to_owned(), seen), grant, &named).unwrap();
        assert!(desk.revoke(&draft.grant.id, Millis(4)));
        let log = desk.inbox().audit().to_json_lines();
        assert_eq!(countersign_core::verify_audit(log), Ok(()));
        let lines: Vec<&str> = log.lines().filter(|line| !line.contains(r#""sending""#)).collect();
        let [approved, granted, by_grant, revoked, undone] = lines.as_slice() else { panic!("{log}") };
        let id = &draft.grant.id;
        assert!(
            approved.contains(r#""at":3,"event":"decided","actor":"person","kind":"approve""#),
            "{approved}"
        );
        let given = format!(
            r#""at":3,"event":"granted","actor":"person","grant":"{id}","grantDigest":"{}","request":"t1/r1","tool":"delete_file","argsDigest":"{digest}""#,
            sha256_hex(&draft.grant.text)
        );
        assert!(granted.contains(&given), "{granted}");
        let decided = format!(r#""actor":"policy","kind":"approve","rule":"grant:{id}","request":"t1/r2""#);
        assert!(by_grant.contains(&decided), "{by_grant}");
        let back = format!(r#""at":4,"event":"revoked","actor":"person","grant":"{id}","prev""#);
        assert!(revoked.contains(&back), "{revoked}");
        assert!(undone.contains(r#""request":"t1/r2""#), "{undone}");
    }

    #[test]
    fn r37_who_takes_the_approval_back_takes_back_the_grant_that_came_with_it() {
        let mut desk = desk(Some("[]"));
        let wish = read_wish("t1/r1", r#"{"scope":"tool","span":3600000}"#).unwrap();
        let draft = desk.draft(&wish, Millis(2)).unwrap();
        let named = draft.siblings.iter().map(|sibling| (sibling.id.clone(), Shown::of(sibling)));
        let named: Vec<Seen> = named.take(1).collect();
        let seen = Shown::of(&desk.view_at(0).unwrap());
        let grant = Grant::read_text(&draft.grant.text).unwrap();
        desk.grant(Millis(3), ("t1/r1".to_owned(), seen), grant, &named).unwrap();
        let given = desk.inbox().find("t1/r1").unwrap();
        desk.handle(Millis(4), Input::Undo(given)).unwrap();
        assert_eq!(statuses(&mut desk), [(Status::Pending, false); 3]);
        assert!(desk.grants().contains(r#""revokedAt":4"#) && desk.keeper().changes() == 2);
    }

    #[test]
    fn r37_what_is_bound_to_a_session_without_a_name_ends_when_another_one_is_restored() {
        let pending = |id: &str| {
            format!(
                r#"{{"{id}":{{"type":"approval_request","id":"{id}","tool_name":"pay","tool_params":{{}},"tool_call_id":"c{id}"}}}}"#
            )
        };
        for (restored, expected) in [("r1", Status::Sending), ("r7", Status::Pending)] {
            let mut desk =
                Desk::new(adapter("haystack", &AdapterOptions::default()).unwrap(), InboxOptions::default());
            desk.set_grants("[]").unwrap();
            desk.handle(Millis(1), Input::Receive { text: &pending("r1"), rounded: false }).unwrap();
            let wish = read_wish("r1", r#"{"scope":"session"}"#).unwrap();
            let draft = desk.draft(&wish, Millis(2)).unwrap();
            let seen = Shown::of(&desk.view_at(0).unwrap());
            let grant = Grant::read_text(&draft.grant.text).unwrap();
            desk.grant(Millis(2), ("r1".to_owned(), seen), grant, &[]).unwrap();
            let text = pending(restored).into();
            desk.handle(Millis(3), Input::Restore { text, rounded: false }).unwrap();
            desk.handle(Millis(4), Input::Receive { text: &pending("r9"), rounded: false }).unwrap();
            assert_eq!(
                statuses(&mut desk).last(),
                Some(&(expected, expected == Status::Sending)),
                "{restored}"
            );
        }
    }

    #[test]
    fn r37_what_is_due_is_looked_at_again_before_it_is_taken() {
        let grant =
            r#"[{"id":"g","scope":"tool","tool":"delete_file","createdAt":1,"expiresAt":50,"session":"t1"}]"#;
        let due = |desk: &mut Desk| statuses(desk).iter().filter(|(it, _)| *it == Status::Sending).count();
        let deny = r#"{"rules":[{"name":"no","effect":"deny","tool":"delete_file"}]}"#;
        let denied =
            |desk: &mut Desk| desk.views().iter().filter(|it| it.rule.as_deref() == Some("no")).count();
        // Its time is over.
        let mut desk = self::desk(Some(grant));
        assert_eq!(due(&mut desk), 3);
        assert!(desk.take_outbound(Millis(50)).is_empty());
        assert_eq!(statuses(&mut desk), [(Status::Pending, false); 3]);
        // It is not among those that the host puts in place.
        let mut desk = self::desk(Some(grant));
        desk.set_grants("[]").unwrap();
        desk.look_again(Millis(2));
        assert_eq!(statuses(&mut desk), [(Status::Pending, false); 3]);
        // A rule that is put in place denies it.
        let mut desk = self::desk(Some(grant));
        desk.set_policy(deny).unwrap();
        desk.look_again(Millis(2));
        assert_eq!((due(&mut desk), denied(&mut desk)), (3, 3));
        let sent = desk.take_outbound(Millis(2));
        assert!(!sent.is_empty() && sent.iter().all(|it| it.body.contains(r#""reject""#)), "{sent:?}");
        // What still counts goes out.
        assert!(!self::desk(Some(grant)).take_outbound(Millis(49)).is_empty());
    }

    #[test]
    fn r36_what_is_held_leaves_in_its_time_though_a_grant_is_taken_back_that_is_none_or_was_before() {
        let grant = r#"[{"id":"g","scope":"tool","tool":"pay","createdAt":1,"expiresAt":50,"revokedAt":2}]"#;
        for id in ["nobody", "g"] {
            let options = InboxOptions { hold_rejections: Millis(9), ..InboxOptions::default() };
            let mut desk = Desk::new(Box::new(Scripted), options);
            desk.set_grants(grant).unwrap();
            desk.handle(Millis(3), Input::Receive { text: "ask r1 pay {}", rounded: false }).unwrap();
            let (request, decision) = (desk.inbox().find("r1").unwrap(), Decision::reject(None));
            desk.handle(Millis(3), Input::Decide { request, decision, seen: None, offer: None }).unwrap();
            assert_eq!(desk.revoke(id, Millis(4)), id == "g");
            assert_eq!(desk.next_wake(), Some(Millis(12)), "{id}");
        }
    }

    #[test]
    fn r36_what_counts_is_listed_so_that_it_can_be_taken_back_also_where_the_clock_was_set_back() {
        let in_force = |desk: &Desk, now| desk.grant_views(Millis(now)).iter().all(|grant| grant.in_force);
        let grant = r#"[{"id":"g","scope":"tool","tool":"pay","createdAt":1000,"expiresAt":2000}]"#;
        let mut desk = Desk::new(Box::new(Scripted), InboxOptions::default());
        desk.set_grants(grant).unwrap();
        desk.look_again(Millis(1500));
        assert!(in_force(&desk, 1500));
        desk.look_again(Millis(500));
        desk.handle(Millis(500), Input::Receive { text: "ask r1 pay {}", rounded: false }).unwrap();
        assert_eq!(statuses(&mut desk), [(Status::Sending, true)], "it counts");
        assert!(in_force(&desk, 500) && in_force(&desk, 999));
        assert!(!in_force(&desk, 1000), "its time is over");
    }

    #[test]
    fn r36_what_was_given_while_the_clock_was_ahead_is_not_listed_as_over_after_a_reload() {
        let grant = r#"[{"id":"g","scope":"tool","tool":"pay","createdAt":1000,"expiresAt":2000}]"#;
        let mut desk = Desk::new(Box::new(Scripted), InboxOptions::default());
        desk.set_grants(grant).unwrap();
        desk.handle(Millis(500), Input::Receive { text: "ask r1 pay {}", rounded: false }).unwrap();
        assert_eq!(statuses(&mut desk), [(Status::Pending, false)], "it does not count yet");
        let in_force = |now| desk.grant_views(Millis(now))[0].in_force;
        assert_eq!([500, 1500, 2000].map(in_force), [true, true, false]);
    }

    #[test]
    fn the_list_of_grants_is_written_anew_only_where_it_looks_different() {
        let grant =
            |tool| format!(r#"[{{"id":"g","scope":"tool","tool":"{tool}","createdAt":1,"expiresAt":50}}]"#);
        let mut desk = Desk::new(Box::new(Scripted), InboxOptions::default());
        desk.set_grants(&grant("pay")).unwrap();
        let first = desk.grant_views(Millis(2));
        assert!(Rc::ptr_eq(&first, &desk.grant_views(Millis(3))));
        assert!(!desk.grant_views(Millis(50))[0].in_force);
        desk.set_grants(&grant("other")).unwrap();
        assert_eq!(desk.grant_views(Millis(50))[0].tool.as_deref(), Some("other"));
        assert!(desk.revoke("g", Millis(4)));
        assert_eq!(desk.grant_views(Millis(50))[0].revoked_at, Some(Millis(4)));
    }

    #[test]
    fn r36_a_refused_approval_keeps_no_grant() {
        let mut desk = desk(Some("[]"));
        let wish = read_wish("t1/r1", r#"{"scope":"session"}"#).unwrap();
        let draft = desk.draft(&wish, Millis(2)).unwrap();
        let grant = Grant::read_text(&draft.grant.text).unwrap();
        let given = ("t1/r1".to_owned(), Shown { digest: Some("not what was shown".into()), tool: None });
        let refusal = desk.grant(Millis(3), given, grant, &[]).unwrap_err();
        assert_eq!(refusal.code().as_str(), "args-changed");
        assert_eq!((desk.grants(), desk.keeper().changes()), ("[]".to_owned(), 0));
    }
}
