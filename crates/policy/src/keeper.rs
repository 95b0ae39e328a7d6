//! What a host does around an inbox so that grants begin and end as people were told.

use countersign_core::{
    Decision, GrantDraft, GrantWish, Inbox, Input, Millis, Output, Proposal, Refusal, RequestRef, Shown,
};

use crate::configuration::Configuration;
use crate::draft::{draft, unchanged};
use crate::error::PolicyError;
use crate::grant::Grant;
use crate::grants::Grants;
use crate::rulebook::Rulebook;

/// A request's scoped id, with what was on screen of it.
pub type Seen = (String, Shown);

/// Keeps what people grant in an inbox whose policy is a [`Rulebook`].
///
/// A host hands every input over through [`GrantKeeper::handle`]: so who takes a decision back takes back the grant that came
/// with it, and what is bound to a session ends when another one is restored.
#[derive(Debug, Default)]
pub struct GrantKeeper {
    /// On which request a person gave a grant, by its id.
    given: Vec<(RequestRef, String)>,
    /// People may grant: the host keeps what they grant.
    keeps: bool,
    changes: u32,
}

impl GrantKeeper {
    /// A number that moves whenever a person granted or revoked something, or grants ended with their session.
    #[must_use]
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// Whether people may grant.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// Puts another policy in place; what people granted stays. The next [`Input::Tick`] takes back what it does not allow
    /// any more and what has not left yet.
    ///
    /// # Errors
    /// [`PolicyError`]: what is wrong with the text, and where. The policy before it counts on.
    pub fn set_policy(&self, inbox: &mut Inbox, text: &str) -> Result<(), PolicyError> {
        let mut book = Rulebook::read(text)?;
        if let Some(known) = inbox.policy::<Rulebook>() {
            book.grants = known.grants.clone();
        }
        inbox.set_policy(Some(Box::new(book)));
        Ok(())
    }

    /// Puts what people granted in place, as it was kept; from now on they may grant. The next [`Input::Tick`] takes back
    /// what these do not allow and what has not left yet.
    ///
    /// # Errors
    /// [`PolicyError`]: what is wrong with the text, and where. The grants before it count on.
    pub fn set_grants(&mut self, inbox: &mut Inbox, text: &str) -> Result<(), PolicyError> {
        let grants = Grants::read(text)?;
        if let Some(book) = rulebook(inbox) {
            book.grants = grants.taken_up(&book.grants);
        }
        self.keeps = true;
        Ok(())
    }

    /// Hands an input over to the inbox, and ends the grants that end with it.
    ///
    /// # Errors
    /// A [`Refusal`] of the inbox.
    pub fn handle(
        &mut self,
        inbox: &mut Inbox,
        now: Millis,
        input: Input<'_>,
    ) -> Result<Vec<Output>, Refusal> {
        let undone = match &input {
            Input::Undo(request) => Some(request.clone()),
            _ => None,
        };
        let known = match &input {
            Input::Restore { .. } => bound_ids(inbox),
            _ => Vec::new(),
        };
        let mut outputs = inbox.handle(now, input)?;
        if !known.is_empty() {
            self.end_other_session(inbox, &known);
        }
        // A call that came again with other arguments may have been granted on more than once.
        while let Some(at) = self.given.iter().rposition(|(given, _)| Some(given) == undone.as_ref()) {
            let (_, grant) = self.given.swap_remove(at);
            outputs.extend(self.revoke(inbox, &grant, now).unwrap_or_default());
        }
        Ok(outputs)
    }

    /// What is bound to a session without a name ends if nothing of it is here any more.
    #[inline(never)]
    fn end_other_session(&mut self, inbox: &mut Inbox, known: &[String]) {
        if known.iter().any(|id| inbox.find(id).is_ok()) {
            return;
        }
        if let Some(book) = rulebook(inbox) {
            book.grants = std::mem::take(&mut book.grants).taken_up(&Grants::default());
            book.configuration.iter_mut().for_each(Configuration::forget);
        }
        self.note();
    }

    /// The literal grant of a wish; `None`: it would permit nothing, or the host keeps no grants.
    #[must_use]
    pub fn draft(&self, inbox: &Inbox, wish: &GrantWish, now: Millis) -> Option<GrantDraft> {
        draft(inbox, wish, now).filter(|_| self.keeps)
    }

    /// A person confirmed a grant on a call that they saw: the call is approved, the grant is kept, and the calls that
    /// were named with it are judged again, unless they have changed since.
    ///
    /// # Errors
    /// A [`Refusal`] of the approval: nothing was granted.
    pub fn grant(
        &mut self,
        inbox: &mut Inbox,
        now: Millis,
        (request, seen): Seen,
        grant: Grant,
        siblings: &[Seen],
    ) -> Result<Vec<Output>, Refusal> {
        let request = inbox.find(&request)?;
        // The same arguments may be those of another tool by now.
        let is_other =
            |proposal: &Proposal<'_>| grant.tool.as_deref().is_some_and(|tool| *tool != *proposal.call.tool);
        if inbox.propose(&request, is_other) == Some(true) {
            return Err(Refusal::ArgsChanged { request });
        }
        let (decision, seen) = (Decision::approve(), Some(seen));
        let decide = Input::Decide { request: request.clone(), decision, seen, offer: None };
        let mut outputs = self.handle(inbox, now, decide)?;
        let (id, text) = (grant.id.clone(), grant.view(now).text);
        // An id that is known is the same grant.
        if rulebook(inbox).is_some_and(|book| book.grants.add(grant)) {
            self.note();
            let granted = Input::Granted { request: request.clone(), grant: &id, text: &text };
            outputs.extend(self.handle(inbox, now, granted)?);
            self.given.push((request.alone(), id));
        }
        let named = unchanged(inbox, siblings);
        outputs.extend(self.handle(inbox, now, Input::Judge(named))?);
        Ok(outputs)
    }

    /// A person takes a grant back, and with it what it approved and what has not left yet; `None`: there is none of this id.
    ///
    /// What was taken back before stays as it was.
    pub fn revoke(&mut self, inbox: &mut Inbox, id: &str, now: Millis) -> Option<Vec<Output>> {
        let grants = &mut inbox.policy_mut::<Rulebook>()?.grants;
        let is_over = |grant: &Grant| grant.id == id && grant.revoked_at.is_some();
        if grants.list().iter().any(is_over) {
            return Some(Vec::new());
        }
        if !grants.revoke(id, now) {
            return None;
        }
        self.note();
        // It is never refused.
        Some(inbox.handle(now, Input::Revoked { grant: id }).unwrap_or_default())
    }

    fn note(&mut self) {
        self.changes = self.changes.wrapping_add(1);
    }
}

fn rulebook(inbox: &mut Inbox) -> Option<&mut Rulebook> {
    if inbox.policy::<Rulebook>().is_none() {
        inbox.set_policy(Some(Box::new(Rulebook::default())));
    }
    inbox.policy_mut()
}

/// The requests by which a session without a name is known again, where a grant, or what is asked once, is bound to it.
#[inline(never)]
fn bound_ids(inbox: &Inbox) -> Vec<String> {
    let mut ids = Vec::new();
    let is_bound = |book: &Rulebook| {
        book.grants.has_unnamed() || book.configuration.as_ref().is_some_and(Configuration::remembers)
    };
    if inbox.policy::<Rulebook>().is_some_and(is_bound) {
        for key in inbox.first_key().. {
            let Some(id) = inbox.id(key) else { break };
            ids.push(id);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use countersign_core::testing::inbox;
    use countersign_core::{GrantScope, InboxOptions};

    use super::*;

    #[test]
    fn what_was_granted_on_a_call_of_a_history_keeps_nothing_of_that_history() {
        let (mut inbox, mut keeper) = (inbox(InboxOptions::default()), GrantKeeper::default());
        keeper.set_grants(&mut inbox, "[]").unwrap();
        let text = "ask r1 pay {}".to_owned();
        let history = text.as_bytes().as_ptr_range();
        let restore = Input::Restore { text: text.into(), rounded: false };
        keeper.handle(&mut inbox, Millis(1), restore).unwrap();
        let wish = GrantWish { request: "r1".to_owned(), scope: GrantScope::Tool, ..GrantWish::default() };
        let draft = keeper.draft(&inbox, &wish, Millis(2)).unwrap();
        let grant = Grant::read_text(&draft.grant.text).unwrap();
        let seen = Shown::of(&inbox.view(0).unwrap());
        keeper.grant(&mut inbox, Millis(2), ("r1".to_owned(), seen), grant, &[]).unwrap();
        let (given, _) = keeper.given.first().unwrap();
        assert!(
            history.contains(&inbox.find("r1").unwrap().id.as_str().as_ptr()),
            "the inbox copies nothing"
        );
        assert!(!history.contains(&given.id.as_str().as_ptr()));
    }
}
