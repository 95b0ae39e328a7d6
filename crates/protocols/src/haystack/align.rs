//! Which calls of a chat history are known already.

use countersign_core::collections::Groups;
use countersign_core::{OutcomeKind, Text};
use countersign_json::{Value, items, names};

use super::arguments::Shown;
use super::ask::nameless;
use super::memory::{Conversation, Entry, Stage, Way};
use super::outcome;
use super::read::Reader;
use crate::reading::is;

/// So many calls with one id are compared each with each.
const MANY: usize = 16;

/// What is known of a call of a list.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// Where it is remembered.
    pub(super) at: Option<u32>,
    /// Its rank among the calls with its id, where others of them follow.
    pub(super) order: Option<u64>,
}

/// A call of a list under whose id one is known.
struct Call<'a> {
    /// Which call of the list it is.
    number: usize,
    tool: Text,
    arguments: Shown<'a>,
    is_named: bool,
    /// What is known under its id, in the order in which it was asked.
    places: &'a [u32],
    /// Whether it ran, where the list says so.
    ran: Option<bool>,
}

impl Reader<'_> {
    /// What is known of each call of a list, in their order; nothing where nothing can be known.
    pub(super) fn known_calls<'a>(&'a self, list: Value<'a>) -> Vec<Known> {
        let (mut known, mut calls, mut groups) = (Vec::new(), Vec::new(), Groups::default());
        let conversation = &self.conversation;
        if conversation.entries.is_empty() {
            return known;
        }
        // The calls of the latest message that has any begin here.
        let mut turn = 0;
        for message in list.items() {
            let [role, content] = message.named(names!["role", "content"]);
            if is(role, "tool") {
                for part in items(content) {
                    if let [Some(result)] = part.named(names!["tool_call_result"]) {
                        self.became(calls.get_mut(turn..).unwrap_or_default(), result);
                    }
                }
            }
            if !is(role, "assistant") {
                continue;
            }
            turn = calls.len();
            for part in items(content) {
                let [Some(call)] = part.named(names!["tool_call"]) else { continue };
                let [tool, id, arguments] = call.named(names!["tool_name", "id", "arguments"]);
                let Some(tool) = self.shared(tool) else { continue };
                let number = known.len();
                known.push(Known::default());
                let id = self.call_id(id);
                let is_named = id.is_some();
                let places = match id {
                    Some(id) => conversation.by_call.get(id.shared()),
                    None => conversation.unnamed(&nameless(&tool, arguments)),
                };
                let Some(first) = places.first() else { continue };
                // The first of them stands for the id.
                let group = Text::from(format!("{is_named} {first} {tool}"));
                groups.push(&group, u32::try_from(calls.len()).unwrap_or(u32::MAX));
                calls.push(Call { number, tool, arguments: arguments.into(), is_named, places, ran: None });
            }
        }
        for group in groups.lists() {
            let group = group.iter().filter_map(|at| calls.get(*at as usize)).collect();
            self.align(group, &mut known);
        }
        known
    }

    /// Notes of a call of a turn whether it ran.
    fn became(&self, turn: &mut [Call<'_>], result: Value<'_>) {
        let Some(id) = result.get("origin").and_then(|origin| self.call_id(origin.get("id"))) else { return };
        let first = self.conversation.by_call.get(id.shared()).first();
        let is_it =
            |call: &&mut Call<'_>| call.ran.is_none() && call.is_named && call.places.first() == first;
        if let Some(call) = turn.iter_mut().find(is_it) {
            let outcome = outcome::result(result, &call.tool, self.templates, self.source);
            call.ran = outcome.map_or(Some(false), |outcome| match outcome.kind {
                OutcomeKind::Completed | OutcomeKind::Failed => Some(true),
                OutcomeKind::Rejected => Some(false),
                _ => None,
            });
        }
    }

    /// Finds calls of one id and one tool: those of the list in its order, and those that are known in theirs.
    fn align(&self, calls: Vec<&Call<'_>>, known: &mut [Known]) {
        let Some(first) = calls.first() else { return };
        let conversation = &*self.conversation;
        let Candidates { places, late, has_grown } = candidates(conversation, first, calls.len());
        let all = calls.clone();
        let has_many = places.len() + late.len() > MANY;
        let marked = |at: u32| {
            let entry = conversation.entry(at).filter(|_| has_many);
            (at, entry.map(|entry| entry.shown().mark()))
        };
        let places = places.into_iter().map(marked).collect();
        let mut pairing = Pairing { conversation, calls, places, known };
        pairing.pair_settled(has_grown);
        pairing.places.extend(late.into_iter().map(marked));
        pairing.pair_open();
        rank(conversation, &all, known);
    }
}

/// What is known and may be the calls of a list.
struct Candidates {
    /// What the backend has settled, and so much of what waits as the list shows beyond that.
    places: Vec<u32>,
    /// The rest of what waits.
    late: Vec<u32>,
    /// The list has shown all of them before, and is longer by now.
    has_grown: bool,
}

/// What may be calls like this one, of which a list has so many, in the order in which it was asked.
fn candidates(conversation: &Conversation, first: &Call<'_>, count: usize) -> Candidates {
    let entry = |at: u32| conversation.entry(at);
    // Without an id only what history itself has shown can be the same.
    let is_it = |entry: &Entry| entry.tool == first.tool && (first.is_named || entry.way == Way::Unasked);
    let mut places: Vec<u32> =
        first.places.iter().copied().filter(|at| entry(*at).is_some_and(is_it)).collect();
    let order = |at: &u32| entry(*at).map(|entry| entry.order);
    if !places.is_sorted_by_key(order) {
        places.sort_unstable_by_key(order);
    }
    // What waits leaves nothing in a history; but its answer may have been missed, where the list shows more than that.
    let is_open = |at: &u32| entry(*at).is_some_and(|entry| entry.stage == Stage::Open);
    let settled = || places.iter().filter(|at| !is_open(at));
    let mut spare = count.saturating_sub(settled().count());
    let last = settled().next_back().and_then(|at| entry(*at));
    let has_grown = last.is_some_and(|last| last.is_listed) && count > places.len();
    let (places, late) = places.iter().partition(|at| {
        let is_settled = !is_open(at);
        let is_missed = !is_settled && spare > 0;
        spare -= usize::from(is_missed);
        is_settled || is_missed
    });
    Candidates { places, late, has_grown }
}

/// The calls of a list and what they may be, as far as neither has its counterpart.
struct Pairing<'a, 'v> {
    conversation: &'a Conversation,
    calls: Vec<&'a Call<'v>>,
    /// With the marks of their arguments, where there are many.
    places: Vec<(u32, Option<u32>)>,
    known: &'a mut [Known],
}

impl Pairing<'_, '_> {
    /// Pairs what is settled.
    ///
    /// Mostly both end with the same call, and one of them has begun before the other. But a list that has shown all and
    /// is longer by now has grown at its end. Where as many are known as the list shows, and each may be the one in its
    /// place, those are the ones; what was ruled may have been edited.
    fn pair_settled(&mut self, has_grown: bool) {
        let ranks = self.calls.len();
        let is_exact = |rank: &usize| self.fits(*rank, *rank, None, true);
        let may_be = |rank: usize| is_exact(&rank) || self.fits(rank, rank, Some(Stage::Ruled), false);
        if ranks == self.places.len() && (0..ranks).all(may_be) {
            let exact: Vec<usize> = (0..ranks).rev().filter(is_exact).collect();
            exact.into_iter().for_each(|rank| self.pair(rank, Some(rank)));
        }
        if has_grown {
            self.turn();
        }
        // What was refused did not run, unless there is nothing else that it can be.
        for is_agreed in [true, false] {
            for rank in (0..self.calls.len()).rev() {
                let may_be = |at: usize| !is_agreed || self.agrees(rank, at);
                let found = self.alike(rank).rev().find(|at| self.fits(rank, *at, None, true) && may_be(*at));
                self.pair(rank, found);
            }
        }
        // Which arguments run is not known before the backend has told. What waits in between keeps its turn.
        let mut end = self.places.len();
        for rank in (0..self.calls.len()).rev() {
            let fits = |at: usize, stage: Stage| self.fits(rank, at, Some(stage), false);
            let is_it = |at: &usize| fits(*at, Stage::Ruled) || fits(*at, Stage::Open);
            let Some(found) = (0..end).rev().find(is_it) else { break };
            end = found;
            let found = Some(found).filter(|at| fits(*at, Stage::Ruled));
            self.pair(rank, found);
        }
        if has_grown {
            self.turn();
        }
    }

    /// Pairs what waits: the first calls with what was asked first.
    fn pair_open(&mut self) {
        for is_exact in [true, false] {
            for rank in (0..self.calls.len()).rev() {
                let fits = |at: &usize| self.fits(rank, *at, Some(Stage::Open), is_exact);
                let found = match is_exact {
                    true => self.alike(rank).filter(fits).take(rank + 1).last(),
                    false => (0..self.places.len()).filter(fits).take(rank + 1).last(),
                };
                self.pair(rank, found);
            }
        }
    }

    /// Where the arguments of this call may stand.
    fn alike(&self, rank: usize) -> impl DoubleEndedIterator<Item = usize> {
        let has_marks = self.places.first().is_some_and(|(_, mark)| mark.is_some());
        let mark = self.calls.get(rank).filter(|_| has_marks).and_then(|call| call.arguments.mark());
        let places =
            self.places.iter().enumerate().filter(move |(_, (_, own))| *own == mark || mark.is_none());
        places.map(|(at, _)| at)
    }

    /// Whether what stands at this place is at this stage, if one is meant, and has the arguments of this call, if it must.
    fn fits(&self, rank: usize, at: usize, stage: Option<Stage>, is_exact: bool) -> bool {
        let entry = self.places.get(at).and_then(|(at, _)| self.conversation.entry(*at));
        let (Some(call), Some(entry)) = (self.calls.get(rank), entry) else { return false };
        // Of a call that was refused unasked nobody has told the arguments yet.
        stage.is_none_or(|stage| entry.stage == stage || stage == Stage::Ruled && entry.lacks_args())
            && (!is_exact || entry.is_shown(&call.tool, &call.arguments))
    }

    /// Whether what the backend has said of whether it runs is what became of this call.
    fn agrees(&self, rank: usize, at: usize) -> bool {
        let entry = self.places.get(at).and_then(|(at, _)| self.conversation.entry(*at));
        let ran = self.calls.get(rank).and_then(|call| call.ran);
        ran.is_none_or(|ran| entry.is_none_or(|entry| entry.may_be(ran)))
    }

    fn pair(&mut self, rank: usize, found: Option<usize>) {
        let number = self.calls.get(rank).map(|call| call.number);
        if let (Some(found), Some(slot)) = (found, number.and_then(|number| self.known.get_mut(number))) {
            slot.at = Some(self.places.remove(found).0);
            self.calls.remove(rank);
        }
    }

    fn turn(&mut self) {
        self.calls.reverse();
        self.places.reverse();
    }
}

/// Gives the calls of a list their ranks: one that is not known stands right before the one that follows.
fn rank(conversation: &Conversation, calls: &[&Call<'_>], known: &mut [Known]) {
    let mut next = None;
    for call in calls.iter().rev() {
        let Some(slot) = known.get_mut(call.number) else { continue };
        next = match slot.at {
            Some(at) => conversation.entry(at).map(|entry| entry.order),
            None => next.map(|next: u64| next.saturating_sub(1)),
        };
        slot.order = next;
    }
}
