//! Which calls of a chat history are known already.

use countersign_core::Text;
use countersign_core::collections::Groups;
use countersign_json::{Value, names};

use super::ask::nameless;
use super::memory::{Entry, Stage, Way};
use super::read::Reader;

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
    arguments: Option<Value<'a>>,
    is_named: bool,
    /// What is known under its id, in the order in which it was asked.
    places: &'a [u32],
}

impl Reader<'_> {
    /// What is known of each call of a list, in their order; nothing where nothing can be known.
    pub(super) fn known_calls<'a>(&'a self, list: Value<'a>) -> Vec<Known> {
        let (mut known, mut calls, mut groups) = (Vec::new(), Vec::new(), Groups::default());
        let conversation = &self.conversation;
        if conversation.entries.is_empty() {
            return known;
        }
        for message in list.items() {
            let [role, content] = message.named(names!["role", "content"]);
            if !role.is_some_and(|role| role.equals("assistant")) {
                continue;
            }
            for part in content.into_iter().flat_map(Value::items) {
                let [Some(call)] = part.named(names!["tool_call"]) else { continue };
                let [tool, id, arguments] = call.named(names!["tool_name", "id", "arguments"]);
                let Some(tool) = self.shared(tool) else { continue };
                let number = known.len();
                known.push(Known::default());
                let id = self.call_id(id);
                let is_named = id.is_some();
                let places = match id {
                    Some(id) => conversation.by_call.get(id.shared()),
                    None => conversation.unnamed(&nameless(&tool, &self.args(arguments))),
                };
                let Some(first) = places.first() else { continue };
                // The first of them stands for the id.
                let group = Text::from(format!("{is_named} {first} {tool}"));
                groups.push(&group, u32::try_from(calls.len()).unwrap_or(u32::MAX));
                calls.push(Call { number, tool, arguments, is_named, places });
            }
        }
        for group in groups.lists() {
            let group = group.iter().filter_map(|at| calls.get(*at as usize)).collect();
            self.align(group, &mut known);
        }
        known
    }

    /// Finds calls of one id and one tool: those of the list in its order, and those that are known in theirs.
    fn align(&self, mut calls: Vec<&Call<'_>>, known: &mut [Known]) {
        let Some(first) = calls.first() else { return };
        let conversation = &self.conversation;
        let entry = |at: u32| conversation.entry(at);
        // Without an id only what history itself has shown can be the same.
        let is_it = |entry: &Entry| entry.tool == first.tool && (first.is_named || entry.way == Way::Unasked);
        let mut places: Vec<u32> =
            first.places.iter().copied().filter(|at| entry(*at).is_some_and(is_it)).collect();
        let order = |at: &u32| entry(*at).map(|entry| entry.order);
        if !places.is_sorted_by_key(order) {
            places.sort_unstable_by_key(order);
        }
        let all = calls.clone();
        // What waits leaves nothing in a history; but its answer may have been missed, where the list shows more than that.
        let is_open = |at: &u32| entry(*at).is_some_and(|entry| entry.stage == Stage::Open);
        let settled = || places.iter().filter(|at| !is_open(at));
        let mut spare = calls.len().saturating_sub(settled().count());
        // Mostly both end with the same call, and one of them has begun before the other. But a list that has shown all
        // and is longer by now has grown at its end.
        let last = settled().next_back().and_then(|at| entry(*at));
        let has_grown = last.is_some_and(|last| last.is_listed) && calls.len() > places.len();
        let (mut places, mut late): (Vec<u32>, Vec<u32>) = places.iter().partition(|at| {
            let is_settled = !is_open(at);
            let is_missed = !is_settled && spare > 0;
            spare -= usize::from(is_missed);
            is_settled || is_missed
        });
        // Which arguments run is not known before the backend has told.
        for (is_late, is_exact) in [(false, true), (false, false), (true, true), (true, false)] {
            if is_late {
                places.append(&mut late);
            }
            let is_turned = has_grown && !is_late;
            if is_turned {
                calls.reverse();
                places.reverse();
            }
            for rank in (0..calls.len()).rev() {
                let Some(call) = calls.get(rank).copied() else { continue };
                let fits = |place: &usize| {
                    let entry = places.get(*place).and_then(|at| entry(*at));
                    entry.is_some_and(|entry| {
                        let may = if is_late {
                            entry.stage == Stage::Open
                        } else {
                            is_exact || entry.stage == Stage::Ruled
                        };
                        may && (!is_exact || entry.is_shown(&call.tool, call.arguments))
                    })
                };
                let found = if is_late {
                    (0..places.len()).filter(fits).take(rank + 1).last()
                } else {
                    (0..places.len()).rev().find(fits)
                };
                if let (Some(found), Some(slot)) = (found, known.get_mut(call.number)) {
                    slot.at = Some(places.remove(found));
                    calls.remove(rank);
                }
            }
            if is_turned {
                calls.reverse();
                places.reverse();
            }
        }
        let mut next = None;
        for call in all.into_iter().rev() {
            let Some(slot) = known.get_mut(call.number) else { continue };
            next = match slot.at {
                Some(at) => order(&at),
                None => next.map(|next| next.saturating_sub(1)),
            };
            slot.order = next;
        }
    }
}
