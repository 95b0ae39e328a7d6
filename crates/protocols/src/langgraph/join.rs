//! Which call a request is about.

use countersign_core::{CallId, Closed};
use countersign_json::{Numbers, Value};

use super::calls::{Calls, Candidate};
use super::form::{Asking, Dialect};
use super::memory::{Interrupt, InterruptAt, NamespaceAt, RequestAt, Thread};
use super::namespace::{Call, Told};
use super::read::Reader;
use crate::reading::{hash, some_text};

/// How a request looks for its call.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// A thread state lists it.
    pub(super) in_state: bool,
    /// Which task of that state asks it.
    pub(super) task: u32,
    /// It was not seen before.
    pub(super) is_new: bool,
}

impl Look {
    /// Whether the outcome of a call stands in the result of another task of the present state.
    fn is_left_by_another(self, call: Call, entry: u32) -> bool {
        let (state, task) = call.left;
        self.in_state && state == entry && task != self.task
    }
}

impl Reader<'_> {
    /// Finds the call that a request is about, once; returns its id if that is news.
    pub(super) fn join(
        &mut self,
        interrupt: InterruptAt,
        place: NamespaceAt,
        at: RequestAt,
        asking: &Asking<'_>,
        calls: &mut Calls<'_, '_>,
        look: Look,
    ) -> Option<CallId> {
        let known = self.thread.interrupt(interrupt).filter(|interrupt| interrupt.namespace == place);
        if known.is_some_and(|known| known.is_inner) {
            self.let_go(at);
            return None;
        }
        let request = self.thread.request(at)?;
        if request.call.is_some() {
            return asking.call.clone();
        }
        let dialect = known?.dialect;
        let id = match &asking.call {
            Some(id) if self.is_foreign(place, asking, id, calls, look) => return Some(id.clone()),
            Some(id) => id.clone(),
            None if dialect == Dialect::Free => return None,
            None => {
                // A middleware shows what the model wrote, a tool that asks what its schema made of it: 5.0 of 5.
                let numbers = if dialect == Dialect::Human { Numbers::Value } else { Numbers::Lexeme };
                let mut found = self.search(place, asking, numbers, calls, look, false);
                // A request that comes late finds its call answered.
                let home = self.thread.namespace(place)?;
                // A HumanInterrupt may be about one more call than the message makes.
                let is_one_more = || dialect == Dialect::Human && calls.open(home, asking).is_some();
                let may_be_late = look.is_new && !look.in_state && !is_one_more();
                if found.is_none() && may_be_late && !calls.has_running(home) {
                    found = self.search(place, asking, numbers, calls, look, true);
                }
                CallId::from(self.source.cut(&some_text(found)?))
            }
        };
        let home = self.thread.namespace_mut(place)?;
        let number = home.join(self.source, id.shared(), at);
        let message = home.call_at(number).message;
        // What cannot be answered any more is asked again under a new id.
        for other in self.open(place, number) {
            let is_left = self.is_unlisted(other, look) || (!look.in_state && self.is_left_behind(other));
            if other != at && is_left {
                self.close(other, Closed::Superseded);
                self.end(other);
            }
        }
        let home = self.thread.namespace_mut(place)?;
        if dialect == Dialect::JavaScript && message != 0 {
            home.rewritten = Some((message, interrupt));
        }
        if let Some(request) = self.thread.request_mut(at) {
            (request.call, request.message) = (Some(number), message);
        }
        Some(id)
    }

    /// Whether the namespace has a call with this id that is another one: a sub-agent's ids start anew.
    fn is_foreign(
        &mut self,
        place: NamespaceAt,
        asking: &Asking<'_>,
        id: &CallId,
        calls: &mut Calls<'_, '_>,
        look: Look,
    ) -> bool {
        let (turn, entry) = (self.thread.turn, self.thread.entry);
        let Some(home) = self.thread.namespace_mut(place) else { return false };
        let number = home.call(self.source, id.as_str());
        let Call { name, told, .. } = home.call_at(number);
        if look.is_left_by_another(home.call_at(number), entry) {
            return true;
        }
        calls.load(home, self.source);
        if let Some(told) = told {
            // It waits beside the outcome, or was asked after it. A sub-agent asks in a call that has no outcome.
            let is_told = |call: &Candidate<'_>| home.call_at(call.number).told.is_some();
            let is_it = |call: &Candidate<'_>| call.number == number;
            let is_later = told.turn == turn || (!look.in_state && (told.is_live || calls.has_running(home)));
            let mut list = calls.list.iter();
            let mut may_be_late = || !look.in_state && list.clone().all(is_told) && list.any(is_it);
            if !look.is_new || (is_later && !may_be_late()) {
                return true;
            }
        }
        // A call with other arguments is another one: nobody writes an edit into the message here.
        if let Some(call) = calls.list.iter().find(|call| call.number == number) {
            return !call.is(asking, Numbers::Value);
        }
        // What a state lists is about no call of an earlier message.
        name != 0 && (look.in_state || name != hash(&asking.tool))
    }

    /// The id of the first call with this name and these arguments that nobody else is about; rather one with the same
    /// characters in its numbers, also where these may differ.
    fn search<'c>(
        &mut self,
        place: NamespaceAt,
        asking: &Asking<'_>,
        numbers: Numbers,
        calls: &mut Calls<'c, '_>,
        look: Look,
        told: bool,
    ) -> Option<Value<'c>> {
        calls.load(self.thread.namespace_mut(place)?, self.source);
        let home = self.thread.namespace(place)?;
        let (turn, entry) = (self.thread.turn, self.thread.entry);
        let is_free = |number: u32| {
            let call = home.call_at(number);
            let known = call.told;
            // A sub-agent may ask for an equal call: what one request was waiting for is no answer to another, nor is
            // what was there before it was asked.
            let is_anothers = |known: Told| known.is_awaited || known.is_live || known.turn == turn;
            known.is_some() == told
                && !known.is_some_and(is_anothers)
                && !look.is_left_by_another(call, entry)
                && (home.is_unasked(number)
                    || self
                        .open(place, number)
                        .iter()
                        .all(|request| self.is_left_behind(*request) || self.is_unlisted(*request, look)))
        };
        if calls.are_sorted() {
            let free = || calls.alike(asking).filter(|call| is_free(call.number));
            let exact = free().find(|call| call.is(asking, Numbers::Lexeme));
            return exact.or_else(|| free().find(|call| call.is(asking, numbers))).map(|call| call.id);
        }
        let mut similar = None;
        let mut is_first = !told;
        let from = if told { 0 } else { calls.first };
        for (offset, call) in calls.list.iter().enumerate().skip(from) {
            if !is_free(call.number) {
                if is_first {
                    calls.first = offset + 1;
                }
                continue;
            }
            is_first = false;
            if call.is(asking, Numbers::Lexeme) {
                return Some(call.id);
            }
            if similar.is_none() && call.is(asking, numbers) {
                similar = Some(call.id);
            }
        }
        similar
    }

    /// Whether the thread does not wait for this any more, and nobody here has answered it: it was asked of a state that somebody
    /// has changed since, or of another branch.
    fn is_unlisted(&self, request: RequestAt, look: Look) -> bool {
        let interrupt = self.thread.asker(request);
        let is_unlisted = interrupt.is_some_and(|Interrupt { when, has_result, is_missing, .. }| {
            let Thread { turn, entry, .. } = *self.thread;
            let is_earlier = when.entry != entry && when.listed != turn && !has_result;
            if look.in_state { is_earlier } else { *is_missing }
        });
        is_unlisted && !self.thread.is_answered(request)
    }

    /// Whether the server has kept an answer that it cannot use, to this request or to one that waited beside it, or may
    /// have, and does not ask this one in this run.
    fn is_left_behind(&self, request: RequestAt) -> bool {
        let interrupt = self.thread.asker(request);
        interrupt.is_some_and(|Interrupt { is_broken, has_failed, when, .. }| {
            when.seen_run < self.thread.run
                && (*is_broken || *has_failed || self.thread.broken.is_some_and(|run| when.seen_run <= run))
        })
    }
}
