//! Which card an id stands for.

use super::Inbox;
use super::ask::same_args;
use super::card::Card;
use crate::call::ToolCall;
use crate::collections::Groups;
use crate::decision::Shown;
use crate::error::Refusal;
use crate::ids::{CallId, Millis, RequestId, RequestRef, Scope};
use crate::text::Text;

/// How many slashes an id may hold for each of its splits to be looked up, however few cards there are.
const SPLITS: usize = 16;

/// How many cards that share an id are looked at one after the other; the others are found by their scope, too.
const NEAR: usize = 8;

/// Cards under ids that mean something within a scope: everywhere the same one may occur, and often does.
#[derive(Debug, Default)]
pub(super) struct ByScope {
    by_id: Groups,
    /// Those behind the first few of an id, under scope and id.
    far: Groups,
}

impl ByScope {
    pub(super) fn push(&mut self, scope: &Scope, id: &Text, index: u32) {
        let place = self.by_id.push(id, index);
        if self.by_id.at(place).len() > NEAR {
            self.far.push(&both(scope, id), index);
        }
    }

    /// The first few cards under this id and in this scope; others may be among them.
    fn few(&self, scope: &Scope, id: &Text) -> impl Iterator<Item = u32> + Clone {
        let all = self.by_id.get(id);
        let far = if all.len() > NEAR { self.far.get(&both(scope, id)) } else { &[] };
        all.iter().take(NEAR).chain(far.iter().take(NEAR)).copied()
    }

    /// The first card under this id that is in the scope and wanted, else the first that is in the scope. What is not
    /// wanted, never may be again.
    fn first(
        &self,
        scope: &Scope,
        id: &Text,
        is_here: impl Fn(u32) -> bool,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let all = self.by_id.get(id);
        let near = || all.iter().take(NEAR).copied().filter(|index| is_here(*index));
        let wanted = near().find(|index| is_wanted(*index));
        if wanted.is_some() || all.len() <= NEAR {
            return wanted.or_else(|| near().next());
        }
        let both = both(scope, id);
        let far = || self.far.get(&both).first().copied();
        self.far.first(&both, is_wanted).or_else(|| near().next()).or_else(far)
    }
}

/// A scope and an id as one text, which no other two make.
fn both(scope: &Scope, id: &Text) -> Text {
    Text::from(format!("{}:{scope}{id}", scope.as_str().len()))
}

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
            found.extend(self.by_request.by_id.get(id).iter().filter_map(|index| self.reference(*index)));
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
        seen: Option<&Shown>,
    ) -> Result<RequestRef, Refusal> {
        self.find(id).inspect_err(|refusal| self.record_stray(now, id, refusal, seen))
    }

    pub(super) fn reference(&self, index: u32) -> Option<RequestRef> {
        self.card(index)?.request()
    }

    pub(super) fn index_of(&self, request: &RequestRef) -> Option<u32> {
        let is_here = |index| self.card(index).is_some_and(|card| card.scope == request.scope);
        self.by_request.first(&request.scope, request.id.shared(), is_here, |_| true)
    }

    /// The indices of those of these requests that are known.
    #[inline(never)]
    pub(super) fn indices_of(&self, requests: &[RequestRef]) -> Vec<u32> {
        requests.iter().filter_map(|request| self.index_of(request)).collect()
    }

    /// The index of a request that must be known, and its card.
    pub(super) fn known(&self, request: &RequestRef) -> Result<(u32, &Card), Refusal> {
        let known = self.index_of(request).and_then(|index| Some((index, self.card(index)?)));
        known.ok_or_else(|| Refusal::UnknownRequest { id: request.to_string() })
    }

    pub(super) fn index_of_call(&self, scope: &Scope, call: &CallId) -> Option<u32> {
        let is_here = |index| self.card(index).is_some_and(|card| card.scope == *scope);
        // One call may be asked about twice: what becomes of it belongs to the card that still lacks it.
        let lacks = |index| self.card(index).is_some_and(|card| !card.has_outcome);
        self.by_call.first(scope, call.shared(), is_here, lacks)
    }

    /// The card of this call and this tool that still lacks what becomes of it, else the first one.
    pub(super) fn index_of_run(&self, scope: &Scope, call: &CallId, tool: &str) -> Option<u32> {
        let is_it = |card: &&Card| card.scope == *scope && card.call.tool == *tool;
        let is_here = |index: &u32| self.card(*index).filter(is_it).is_some();
        let lacks = |index: &u32| self.card(*index).is_some_and(|card| !card.has_outcome);
        let here = || self.by_call.few(scope, call.shared()).filter(is_here);
        let open = here().find(lacks);
        open.or_else(|| self.index_of_call(scope, call).filter(is_here)).or_else(|| here().next())
    }

    /// Whether a whole call was seen before: a model may give its id to another one, once nobody asks about the first.
    pub(super) fn knows_run(&self, scope: &Scope, id: &CallId, call: &ToolCall) -> bool {
        let few = self.by_call.few(scope, id.shared());
        let is_it = |card: &Card| {
            card.scope == *scope
                && (card.retooled || card.call.tool == call.tool)
                && (card.ask.is_some() || !card.has_outcome || same_args(&card.call.args, &call.args))
        };
        few.clone().count() >= 2 * NEAR || few.into_iter().any(|at| self.card(at).is_some_and(is_it))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const MANY: u32 = 2000;

    #[test]
    fn an_id_that_occurs_in_many_scopes_is_found_in_each_without_a_look_at_all() {
        let (mut cards, id, looks) = (ByScope::default(), Text::from("1"), Cell::new(0));
        let scopes: Vec<Scope> = (0..MANY).map(|at| Scope::from("1".repeat(at as usize))).collect();
        for (index, scope) in (0..).zip(&scopes) {
            cards.push(scope, &id, index);
        }
        for (index, scope) in (0..).zip(&scopes) {
            let is_here = |at: u32| {
                looks.set(looks.get() + 1);
                scopes.get(at as usize) == Some(scope)
            };
            assert_eq!(cards.first(scope, &id, is_here, |_| true), Some(index));
        }
        assert!(looks.get() <= 2 * NEAR as u32 * MANY, "{looks:?}");
    }

    #[test]
    fn of_many_cards_of_one_call_the_first_that_lacks_its_outcome_is_found_without_a_look_at_all() {
        let (mut cards, scope, id) = (ByScope::default(), Scope::from("s"), Text::from("c"));
        let (looks, settled) = (Cell::new(0), Cell::new(0));
        let first = |cards: &ByScope| {
            let lacks = |index| {
                looks.set(looks.get() + 1);
                index >= settled.get()
            };
            cards.first(&scope, &id, |_| true, lacks)
        };
        assert_eq!(first(&cards), None);
        for index in 0..MANY {
            cards.push(&scope, &id, index);
            assert_eq!(first(&cards), Some(index));
            settled.set(index + 1);
            assert_eq!(first(&cards), Some(0), "nothing else is known of the last one");
        }
        assert!(looks.get() <= 2 * (NEAR as u32 + 2) * MANY, "{looks:?}");
    }
}
