//! From what a person wishes to allow to the literal grant, and what it would approve at once.

use std::sync::Arc;

use countersign_core::{
    ArgsTest, Constraint, GrantArgument, GrantDraft, GrantScope, GrantSpan, GrantTest, GrantView, GrantWish,
    Inbox, Millis, OfferKind, Policy, Proposal, RequestRef, Ruling, Shown, Status,
};
use countersign_json::{Document, Limits, Writer, sha256_hex};

use crate::constraint::Arguments;
use crate::error::PolicyError;
use crate::grant::Grant;
use crate::read::{What, fault, member, millis, only, strings, with_document, word};
use crate::rulebook::Rulebook;

impl Grant {
    /// The literal grant of a wish; `None`: the call lacks what it would be bound to, cannot be read without doubt, or
    /// nothing stands at a pin.
    ///
    /// Its id is made of everything that it says and the request that it is given on.
    #[must_use]
    pub fn wished(proposal: &Proposal<'_>, wish: &GrantWish) -> Option<Grant> {
        let now = proposal.now;
        let expires_at = match wish.span {
            GrantSpan::For(Millis(span)) => Some(Millis(now.0.saturating_add(span))),
            GrantSpan::Session | GrantSpan::Forever => None,
        };
        let mut grant = Grant::on(proposal, "", wish.scope, expires_at)?;
        if wish.span == GrantSpan::Session {
            grant.session = Some(proposal.scope.as_str().to_owned());
        }
        if wish.scope == GrantScope::Tool && !wish.pins.is_empty() {
            let document = Document::parse(proposal.call.args.as_str(), &Limits::default()).ok()?;
            for pin in &wish.pins {
                let test = ArgsTest::Equals(document.root().pointer(pin)?.text().to_owned());
                grant.args.push(Constraint { pointer: pin.clone(), test });
            }
        }
        let digest = sha256_hex(&[&wish.request, " ", &grant.text()].concat());
        grant.id = ["g-", digest.get(..16).unwrap_or(&digest)].concat();
        Some(grant)
    }

    /// Reads one grant.
    ///
    /// # Errors
    /// [`PolicyError`]: what is wrong, and where.
    pub fn read_text(text: &str) -> Result<Grant, PolicyError> {
        with_document(text, Grant::read)
    }

    /// Writes it, as JSON text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut writer = Writer::new();
        self.write(&mut writer);
        writer.finish()
    }

    /// What an interface shows of it at the moment `now`.
    #[must_use]
    pub fn view(&self, now: Millis) -> GrantView {
        let mut args = Vec::new();
        for Constraint { pointer, test } in &self.args {
            let (test, value) = match test {
                ArgsTest::Equals(value) => (GrantTest::Equals, value.clone()),
                ArgsTest::OneOf(values) => (GrantTest::OneOf, values.join(", ")),
                ArgsTest::Prefix(prefix) => (GrantTest::Prefix, prefix.clone()),
                ArgsTest::Contains(part) => (GrantTest::Contains, part.clone()),
                ArgsTest::Above(limit) => (GrantTest::Above, limit.clone()),
                ArgsTest::Absent => (GrantTest::Absent, String::new()),
            };
            args.push(GrantArgument { pointer: pointer.clone(), test, value });
        }
        GrantView {
            id: self.id.clone(),
            scope: self.scope,
            tool: self.tool.clone(),
            server: self.server.clone(),
            agent: self.agent.clone(),
            schema_digest: self.schema_digest.clone(),
            session: self.session.clone(),
            args,
            created_at: self.created_at,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
            in_force: self.is_open(now),
            text: Arc::from(self.text()),
        }
    }
}

/// Reads a wish about a request.
///
/// # Shape
/// `{"scope": "tool", "pins": ["/path"], "span": 3600000}`: pins for the scope `tool` alone; the span in milliseconds,
/// `"session"`, which it is without one, or `"forever"`.
///
/// # Errors
/// [`PolicyError`]: what is wrong, and where.
pub fn read_wish(request: &str, text: &str) -> Result<GrantWish, PolicyError> {
    with_document(text, |value| {
        only(value, &["scope", "pins", "span"])?;
        let wished = |name: &str| GrantScope::named(name).filter(|scope| *scope != GrantScope::Call);
        let scope = word(value, "scope", wished)?;
        let pins = strings(value, "pins")?;
        if let Some(surplus) = member(value, "pins").filter(|_| scope != GrantScope::Tool && !pins.is_empty())
        {
            return Err(fault(surplus, What::UnknownMember));
        }
        let span = match member(value, "span") {
            None => GrantSpan::Session,
            Some(word) if word.equals("session") => GrantSpan::Session,
            Some(word) if word.equals("forever") => GrantSpan::Forever,
            Some(_) => GrantSpan::For(millis(value, "span")?.unwrap_or_default()),
        };
        Ok(GrantWish { request: request.to_owned(), scope, pins, span })
    })
}

/// The literal grant of a wish at the moment `now`, and the other calls of the inbox that it would approve.
///
/// `None`: it would permit nothing, not even the call that it is given on: the host does not let it count, a rule denies
/// the call or says that it is of high risk, its arguments cannot be read without doubt.
#[must_use]
pub fn draft(inbox: &Inbox, wish: &GrantWish, now: Millis) -> Option<GrantDraft> {
    let book = inbox.policy::<Rulebook>()?;
    let request = inbox.find(&wish.request).ok()?;
    let grant = inbox.propose(&request, |proposal| Grant::wished(&at(proposal, now), wish))??;
    let view = grant.view(grant.created_at);
    let added = grant.clone();
    let mut trial = book.clone();
    if !trial.grants.add(grant) {
        return None;
    }
    let allows =
        |book: &Rulebook, proposal: &Proposal<'_>| book.judge(&at(proposal, now)).ruling == Ruling::Allow;
    if !inbox.propose(&request, |proposal| allows(&trial, proposal))? {
        return None;
    }
    let mut siblings = Vec::new();
    for (key, status) in (inbox.first_key()..).zip(inbox.statuses()) {
        if status != Status::Pending {
            continue;
        }
        let Some(id) = inbox.id(key) else { continue };
        let Ok(other) = inbox.find(&id) else { continue };
        // Of all others the rules say what they said before.
        let covered = |proposal: &Proposal<'_>| {
            added.covers(proposal, &Arguments::new(proposal))
                && allows(&trial, proposal)
                && !allows(book, proposal)
        };
        if other == request
            || inbox.propose(&other, covered) != Some(true)
            || !inbox.could_run_unasked(&other)
        {
            continue;
        }
        siblings.extend(inbox.view(key).filter(|view| view.offer(OfferKind::Approve).is_some()));
    }
    Some(GrantDraft { grant: view, siblings })
}

/// The calls of these scoped ids that are still what a person saw.
#[must_use]
pub fn unchanged(inbox: &Inbox, seen: &[(String, Shown)]) -> Vec<RequestRef> {
    let mut same = Vec::new();
    for (id, shown) in seen {
        let Ok(request) = inbox.find(id) else { continue };
        let is_same =
            |proposal: &Proposal<'_>| shown.is(&proposal.call.tool, &sha256_hex(proposal.call.args.as_str()));
        if inbox.propose(&request, is_same) == Some(true) {
            same.push(request);
        }
    }
    same
}

/// The same call, seen at this moment.
fn at<'p>(proposal: &Proposal<'p>, now: Millis) -> Proposal<'p> {
    Proposal { now: now.max(proposal.now), ..*proposal }
}
