//! An inbox with what people have granted: what the page's conversation hands everything to.

use std::rc::Rc;

use countersign_connect::Host;
use countersign_core::{GrantDraft, GrantView, GrantWish, Inbox, Input, Millis, Output, Refusal};
use countersign_policy::{Grant, GrantKeeper, Rulebook};
use countersign_yew::Intent;

/// An inbox, and what people have granted in it.
pub(crate) struct Kept {
    inbox: Inbox,
    keeper: GrantKeeper,
}

impl Kept {
    /// People may grant from now on. A page that keeps what they grant puts that in here, and writes `book.grants.write()` down
    /// whenever `keeper.changes()` moves.
    pub(crate) fn new(mut inbox: Inbox) -> Kept {
        let mut keeper = GrantKeeper::default();
        // Nothing was kept, so nothing can be wrong with it.
        let _ = keeper.set_grants(&mut inbox, "[]");
        Kept { inbox, keeper }
    }

    /// Does what a person asked for.
    pub(crate) fn act(&mut self, now: Millis, intent: Intent) -> Result<Vec<Output>, Refusal> {
        match intent {
            Intent::Grant { request, seen, grant, siblings } => match Grant::read_text(&grant) {
                Ok(grant) => self.keeper.grant(&mut self.inbox, now, (request, seen), grant, &siblings),
                Err(_) => Ok(Vec::new()),
            },
            Intent::Revoke(id) => Ok(self.keeper.revoke(&mut self.inbox, &id, now).unwrap_or_default()),
            // More time and a saved record are offered only by pages that ask for them.
            other => {
                other.act(&mut self.inbox, now, |inbox, now, input| self.keeper.handle(inbox, now, input))
            }
        }
    }

    /// What a person would grant by this, to be read before it counts.
    pub(crate) fn draft(&self, wish: &GrantWish, now: Millis) -> Option<GrantDraft> {
        self.keeper.draft(&self.inbox, wish, now)
    }

    /// What was granted, oldest first.
    pub(crate) fn granted(&self, now: Millis) -> Rc<[GrantView]> {
        let book = self.inbox.policy::<Rulebook>();
        let grants = book.map(|book| book.grants.list()).unwrap_or_default();
        grants.iter().map(|grant| grant.view(now)).collect()
    }
}

impl Host for Kept {
    fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    fn inbox_mut(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    /// Everything goes through the keeper: who takes a decision back takes back the grant that came with it.
    fn handle(&mut self, now: Millis, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        self.keeper.handle(&mut self.inbox, now, input)
    }
}
