//! Which card an id stands for.

use super::Inbox;
use super::card::Card;
use crate::error::Refusal;
use crate::ids::{CallId, Millis, RequestId, RequestRef, Scope};

/// How many slashes an id may hold for each of its splits to be looked up, however few cards there are.
const SPLITS: usize = 16;

impl Inbox {
    /// The request that a bare or scoped id stands for.
    ///
    /// A scoped id wins over a bare one, so that no request can be named like another one's scoped id and take the
    /// decision that was meant for it.
    ///
    /// # Errors
    /// [`Refusal::UnknownRequest`], or [`Refusal::AmbiguousRequest`] when the id stands for several requests.
    pub fn find(&self, id: &str) -> Result<RequestRef, Refusal> {
        let mut found: Vec<RequestRef> = Vec::new();
        let splits = id.bytes().filter(|byte| *byte == b'/').count();
        if splits <= SPLITS || splits.saturating_mul(id.len()) <= self.cards.len() {
            // A scope or an id may hold a slash itself, so every split is tried.
            for (at, _) in id.match_indices('/') {
                let (Some(scope), Some(rest)) = (id.get(..at), id.get(at + 1..)) else { continue };
                let request = RequestRef { scope: Scope::from(scope), id: RequestId::from(rest) };
                if self.index_of(&request).is_some() {
                    found.push(request);
                }
            }
        } else {
            // To try them all would take as long as the square of what a backend chose to call its task.
            let is_meant = |card: &&Card| {
                let rest = id.strip_prefix(card.scope.as_str()).and_then(|rest| rest.strip_prefix('/'));
                rest.is_some_and(|rest| card.ask.as_ref().is_some_and(|ask| ask.request.as_str() == rest))
            };
            found.extend(self.cards.iter().filter(is_meant).filter_map(Card::request));
        }
        if found.is_empty() {
            found.extend(self.by_request.get(id).iter().filter_map(|index| self.reference(*index)));
        }
        match (found.pop(), found.len()) {
            (Some(request), 0) => Ok(request),
            (Some(_), others) => Err(Refusal::AmbiguousRequest { id: id.to_owned(), count: others + 1 }),
            (None, _) => Err(Refusal::UnknownRequest { id: id.to_owned() }),
        }
    }

    /// The same for a decision at this moment: one that finds no request, or several, is on record as refused.
    ///
    /// # Errors
    /// As for [`Inbox::find`].
    pub fn find_for_decision(
        &mut self,
        now: Millis,
        id: &str,
        seen: Option<&str>,
    ) -> Result<RequestRef, Refusal> {
        self.find(id).inspect_err(|refusal| self.record_stray(now, id, refusal, seen))
    }

    pub(super) fn reference(&self, index: u32) -> Option<RequestRef> {
        self.card(index)?.request()
    }

    pub(super) fn index_of(&self, request: &RequestRef) -> Option<u32> {
        let candidates = self.by_request.get(request.id.shared());
        candidates
            .iter()
            .copied()
            .find(|index| self.card(*index).is_some_and(|card| card.scope == request.scope))
    }

    /// The index of a request that must be known, and its card.
    pub(super) fn known(&self, request: &RequestRef) -> Result<(u32, &Card), Refusal> {
        let known = self.index_of(request).and_then(|index| Some((index, self.card(index)?)));
        known.ok_or_else(|| Refusal::UnknownRequest { id: request.to_string() })
    }

    pub(super) fn index_of_call(&self, scope: &Scope, call: &CallId) -> Option<u32> {
        let here = |index: &u32| self.card(*index).is_some_and(|card| card.scope == *scope);
        let mut candidates = self.by_call.get(call.shared()).iter().copied().filter(here);
        let first = candidates.next()?;
        // One call may be asked about twice: what becomes of it belongs to the card that still lacks it.
        let lacks = |index: &u32| self.card(*index).is_some_and(|card| !card.has_outcome);
        Some(std::iter::once(first).chain(candidates).find(lacks).unwrap_or(first))
    }
}
