//! What must be remembered of a conversation.

use countersign_core::collections::{Groups, Marks, Numbered};
use countersign_core::{CallId, RequestId, RequestRef, Scope, Text};

use super::arguments::{Arguments, Shown};
use crate::path::is_dots;

/// The calls of a conversation: those that somebody was asked about, and those that history shows.
pub(super) struct Conversation {
    scope: Scope,
    pub(super) entries: Numbered<Entry>,
    by_request: Groups,
    /// The requests of each id on the wire, without the calls that nobody was asked about and that have an id alone.
    by_wire: Groups,
    /// The calls of each id; those without one under the empty text.
    pub(super) by_call: Groups,
    /// Requests of the contract without a word on them from the backend.
    pub(super) open: Marks,
    /// The calls of each snapshot, in its order.
    pub(super) snapshots: Vec<Vec<u32>>,
    /// The ids of requests that were resolved before they were asked, and what was said; the last of them.
    early: Vec<(Text, Text)>,
}

/// So many words are kept for requests that have not come.
const MOST_EARLY: usize = 64;

/// One call.
pub(super) struct Entry {
    pub(super) request: RequestId,
    /// What the wire calls the request: its own id, or that of the call.
    pub(super) wire: Text,
    pub(super) call: Option<CallId>,
    pub(super) tool: Text,
    pub(super) args: Arguments,
    /// The arguments that a history shows, where the backend has not told them before.
    pub(super) ran: Option<Arguments>,
    pub(super) way: Way,
    pub(super) stage: Stage,
    /// It waits no more, and the backend has not said why.
    pub(super) is_gone: bool,
    /// The place of its snapshot, if it came in one.
    pub(super) snapshot: Option<usize>,
    /// Which visit of its run the snapshot says that it pauses, if it says so.
    pub(super) visit: Option<Text>,
    /// The backend has our answer.
    pub(super) has_answer: bool,
    /// Whether it runs, as the backend said; `None`: it has not said.
    pub(super) runs: Option<bool>,
    /// Another call came under its id while it waited, and one word would answer either.
    pub(super) is_shared: bool,
    /// Whether a history has shown it.
    pub(super) is_listed: bool,
    /// Its rank among the calls with its id.
    pub(super) order: u64,
}

/// How a request came, and so how its answer goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// As a message.
    Message,
    /// In a pending map.
    Http,
    /// In a snapshot.
    Snapshot,
    /// As hayhooks' event.
    Event,
    /// Nobody was asked here.
    Unasked,
}

/// What the backend has said of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Stage {
    /// It waits for an answer.
    Open,
    /// It was answered, or is gone.
    Ruled,
    /// What runs is known, or that nothing does.
    Told,
    /// What became of it is known.
    Over,
}

impl Default for Conversation {
    fn default() -> Conversation {
        Conversation {
            scope: Scope::from("haystack"),
            entries: Numbered::default(),
            by_request: Groups::default(),
            by_wire: Groups::default(),
            by_call: Groups::default(),
            open: Marks::default(),
            snapshots: Vec::new(),
            early: Vec::new(),
        }
    }
}

impl Conversation {
    /// The entry at this place.
    pub(super) fn entry(&self, at: u32) -> Option<&Entry> {
        self.entries.get(at)
    }

    /// The entry at this place, to change.
    pub(super) fn entry_mut(&mut self, at: u32) -> Option<&mut Entry> {
        self.entries.get_mut(at)
    }

    /// The entry of a request.
    pub(super) fn asked(&self, request: &RequestRef) -> Option<(u32, &Entry)> {
        let at = *self.by_request.get(request.id.shared()).first()?;
        Some((at, self.entry(at)?))
    }

    /// The places of the requests with this id on the wire, of these ways.
    pub(super) fn on_wire(&self, wire: &str, ways: [Way; 2]) -> impl Iterator<Item = u32> {
        let came = move |at: &u32| self.entry(*at).is_some_and(|entry| ways.contains(&entry.way));
        self.by_wire.get(wire).iter().copied().filter(came)
    }

    /// The places of the calls without an id, under what stands in for it.
    pub(super) fn unnamed(&self, wire: &str) -> &[u32] {
        self.by_wire.get(wire)
    }

    /// The first call with this id at this stage.
    pub(super) fn at_stage(&self, call: &str, stage: Stage) -> Option<u32> {
        let is = |at: &u32| self.entry(*at).is_some_and(|entry| entry.stage == stage);
        self.by_call.get(call).iter().copied().find(is)
    }

    /// The request that a decision on this call is about, if anybody was asked; `None`: it says nothing new, or nobody
    /// knows which.
    ///
    /// It belongs to the request of its tool that was resolved last; without one, a repetition says nothing new. A run may
    /// give the id of a request that waits to a call that nobody is asked about, so only one that waits alone can be meant:
    /// where the call runs as it was asked, or is refused and no other with its id is known.
    pub(super) fn decided(
        &self,
        call: &CallId,
        tool: &str,
        execute: bool,
        is_same: impl Fn(&Entry) -> bool,
    ) -> Option<Option<u32>> {
        let (mut open, mut contrary, mut is_repeated, mut is_doubtful) = (None, None, false, false);
        let places = self.by_call.get(call.shared());
        let is_it = |entry: &Entry| if execute { is_same(entry) } else { places.len() == 1 };
        // The last one first: of thousands with one id it is nearly always that.
        for at in places.iter().rev() {
            // An edit never changes the tool.
            let Some(entry) = self.entry(*at).filter(|entry| *entry.tool == *tool) else { continue };
            match entry.stage {
                // What was refused does not run.
                Stage::Ruled if entry.may_be(execute) => return Some(Some(*at)),
                Stage::Ruled if execute => {}
                Stage::Ruled => contrary = contrary.or(Some(*at)),
                Stage::Open => is_doubtful |= open.replace(*at).is_some() || !is_it(entry),
                Stage::Told | Stage::Over => is_repeated |= entry.may_be(execute) && is_same(entry),
            }
        }
        if is_repeated || is_doubtful && contrary.is_none() { None } else { Some(contrary.or(open)) }
    }

    /// Gives a request that came without it the id of its call.
    pub(super) fn name(&mut self, at: u32, call: Option<CallId>) {
        if let (Some(call), Some(entry)) = (call, self.entry_mut(at).filter(|entry| entry.call.is_none())) {
            entry.call = Some(call.clone());
            self.by_call.push(call.shared(), at);
        }
    }

    /// The same for a call or a request without an id: the one request of its tool that was resolved. What waits is resolved
    /// first, so it is not meant, unless it is the same: then nobody knows.
    pub(super) fn decided_unnamed(
        &self,
        tool: &str,
        execute: bool,
        is_same: impl Fn(&Entry) -> bool,
    ) -> Option<Option<u32>> {
        let (mut same, mut edited) = (Vec::new(), Vec::new());
        let waits = |at: u32| self.entry(at).is_some_and(&is_same);
        let mut is_doubtful = self.open.numbers().into_iter().any(waits);
        for at in self.by_call.get("") {
            let is_it = |entry: &&Entry| entry.call.is_none() && *entry.tool == *tool;
            let Some(entry) = self.entry(*at).filter(is_it) else { continue };
            match entry.stage {
                Stage::Open => {}
                // What was refused does not run.
                Stage::Ruled if execute && !entry.may_be(execute) => {}
                Stage::Ruled if is_same(entry) => same.push(*at),
                Stage::Ruled => edited.push(*at),
                // A repetition says nothing new; a refusal does not say of what.
                Stage::Told | Stage::Over => {
                    let may_be = execute || entry.way != Way::Unasked || entry.lacks_args();
                    is_doubtful |= may_be && entry.may_be(execute) && is_same(entry);
                }
            }
        }
        match (&*same, &*edited) {
            ([at], _) => Some(Some(*at)),
            ([], [at]) if !is_doubtful => Some(Some(*at)),
            ([], []) if !is_doubtful => Some(None),
            _ => None,
        }
    }

    /// Remembers a call under a request id that no other has, and says where.
    pub(super) fn add(&mut self, mut entry: Entry) -> u32 {
        let at = self.entries.next_number();
        let is_taken = self.by_request.place(entry.request.shared()).is_some();
        if is_taken {
            let mut number = self.by_wire.get(&entry.wire).len().max(1);
            while self.by_request.place(entry.request.shared()).is_some() {
                number += 1;
                entry.request = RequestId::from(format!("{}#{number}", entry.wire));
            }
        }
        self.by_request.push(entry.request.shared(), at);
        if is_taken || entry.way != Way::Unasked || entry.call.is_none() {
            self.by_wire.push(&entry.wire, at);
        }
        // There is room between any two for what a history shows to have been there.
        entry.order = (u64::from(at) + 1) << 32;
        match &entry.call {
            Some(call) => self.by_call.push(call.shared(), at),
            None => self.by_call.push(&Text::default(), at),
        };
        self.entries.push(entry);
        at
    }

    /// Keeps what was said of a request that has not come; the first word counts.
    pub(super) fn expect(&mut self, wire: Text, said: Text) {
        if !self.early.iter().any(|(known, _)| *known == wire) {
            if self.early.len() == MOST_EARLY {
                self.early.remove(0);
            }
            self.early.push((wire, said));
        }
    }

    /// What was said of a request before it came.
    pub(super) fn expected(&mut self, wire: &Text) -> Option<Text> {
        let at = self.early.iter().position(|(known, _)| known == wire)?;
        Some(self.early.remove(at).1)
    }

    /// Notes what the backend has said of a call.
    pub(super) fn enter(&mut self, at: u32, stage: Stage) {
        self.open.remove(at);
        if let Some(entry) = self.entry_mut(at) {
            (entry.stage, entry.is_gone) = (stage, false);
        }
    }

    /// Notes that a request still waits. A list that lacked it may only have been older than it.
    pub(super) fn found(&mut self, at: u32) {
        if let Some(entry) = self.entry_mut(at)
            && entry.is_gone
            && !entry.has_answer
        {
            (entry.stage, entry.is_gone) = (Stage::Open, false);
            self.open.insert(at);
        }
    }

    /// Notes that the backend has our answer to this request.
    pub(super) fn delivered(&mut self, request: &RequestRef) {
        let at = self.asked(request).map(|(at, _)| at);
        if let Some(entry) = at.and_then(|at| self.entry_mut(at)) {
            entry.has_answer = true;
        }
    }

    /// The request of the call at this place.
    pub(super) fn reference(&self, at: u32) -> RequestRef {
        let id = self.entry(at).map_or_else(|| RequestId::from(""), |entry| entry.request.clone());
        RequestRef { scope: self.scope.clone(), id }
    }
}

impl Entry {
    /// Whether this is a call of the same tool with the same arguments.
    pub(super) fn is_call(&self, tool: &str, args: &Shown<'_>) -> bool {
        *self.tool == *tool && self.args.are(args)
    }

    /// Whether a decision on whether a call runs may be on this one.
    pub(super) fn may_be(&self, execute: bool) -> bool {
        self.runs.is_none_or(|runs| runs == execute)
    }

    /// Whether an answer could go back the way it came: ids of dots would name another path.
    pub(super) fn has_way(&self) -> bool {
        self.way != Way::Http || !is_dots(&self.wire)
    }

    /// Whether somebody was asked without the id of the call.
    pub(super) fn is_nameless(&self) -> bool {
        self.call.is_none() && self.way != Way::Unasked
    }

    /// Whether nobody was asked, and what it was called with was not told.
    pub(super) fn lacks_args(&self) -> bool {
        self.way == Way::Unasked && self.args.text.as_str() == "null"
    }

    /// Whether this is what a history shows of it.
    pub(super) fn is_shown(&self, tool: &str, args: &Shown<'_>) -> bool {
        *self.tool == *tool && self.shown().are(args)
    }

    /// The arguments that a history shows.
    pub(super) fn shown(&self) -> &Arguments {
        self.ran.as_ref().unwrap_or(&self.args)
    }
}
