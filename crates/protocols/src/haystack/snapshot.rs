//! Snapshots of a paused run: all their calls are answered together, in their order.

use countersign_core::collections::{Groups, Marks};
use countersign_core::{BatchId, CallId, Closed, Observation, ProblemCode, Text};
use countersign_json::{Value, names};

use super::ask::{Asking, nameless, offers};
use super::memory::{Entry, Stage, Way};
use super::read::{Reader, words};
use crate::lookup::Lookup;
use crate::reading::{doubt, problem};

/// One call of a snapshot.
struct Call<'a> {
    value: Value<'a>,
    tool: Text,
    id: Option<CallId>,
    arguments: Option<Value<'a>>,
}

impl Reader<'_> {
    pub(super) fn snapshot(
        &mut self,
        list: Value<'_>,
        descriptions: Option<Value<'_>>,
        error: Option<Value<'_>>,
    ) {
        let visit = error.and_then(Value::as_str).and_then(|error| {
            let (_, visit) = error.rsplit_once(VISIT)?;
            let len = visit.bytes().take_while(u8::is_ascii_digit).count();
            visit.get(..len).filter(|visit| !visit.is_empty()).map(|visit| self.source.cut(visit))
        });
        let (calls, is_whole) = self.calls(list);
        let places = self.places(&calls, visit.as_ref());
        // One answer carries all decisions, so that none can be given while one is missing.
        let is_safe = is_whole && !is_ambiguous(&calls);
        let first = places.first().and_then(|at| self.conversation.entry(*at)?.snapshot);
        let batch = BatchId::from(format!("snapshot-{}", first.map_or(0, |first| first + 1)));
        let mut descriptions = Lookup::new(descriptions);
        for (call, at) in calls.iter().zip(places) {
            let asking = Asking {
                offers: if is_safe { offers(None) } else { Vec::new() },
                description: words(self.source, descriptions.get(&call.tool)),
                doubt: doubt(call.value, "/arguments"),
                batch: Some(batch.clone()),
                ..Asking::default()
            };
            self.ask(at, asking);
        }
    }

    /// The calls in a list, and whether all of it could be read.
    fn calls<'v>(&mut self, list: Value<'v>) -> (Vec<Call<'v>>, bool) {
        let mut calls = Vec::new();
        let mut is_whole = true;
        for value in list.items() {
            let [tool, id, arguments] = value.named(names!["tool_name", "id", "arguments"]);
            match self.shared(tool) {
                Some(tool) => calls.push(Call { value, tool, id: self.call_id(id), arguments }),
                None => {
                    is_whole = false;
                    problem(self.reading, ProblemCode::PartInvalid, "a call without the tool's name", value);
                }
            }
        }
        (calls, is_whole)
    }

    /// Remembers the calls of one pause, and says where.
    fn places(&mut self, calls: &[Call<'_>], visit: Option<&Text>) -> Vec<u32> {
        let mut places: Vec<u32> = Vec::new();
        let mut used = Marks::default();
        let before = self.conversation.entries.next_number();
        for call in calls {
            let args = self.args(call.arguments);
            let wire = call
                .id
                .as_ref()
                .map_or_else(|| nameless(&call.tool, call.arguments), |id| id.shared().clone());
            let known = self.waiting(call, &wire, visit, &used);
            let mut entry = self.entry(wire, call.id.clone(), call.tool.clone(), args, Way::Snapshot);
            entry.visit = visit.cloned();
            let at = self.remember(known, entry);
            used.insert(at);
            places.push(at);
        }
        if self.conversation.entries.next_number() > before {
            self.pause(&places);
        }
        places
    }

    /// Where this call of the pause is remembered; `used` are the places of others. One that is new ends the pauses of other
    /// visits.
    fn waiting(&mut self, call: &Call<'_>, wire: &Text, visit: Option<&Text>, used: &Marks) -> Option<u32> {
        let is_elsewhere =
            |entry: &Entry| entry.visit.is_some() && visit.is_some() && entry.visit.as_ref() != visit;
        let mut known = None;
        let mut left = Vec::new();
        for at in self.conversation.on_wire(wire, [Way::Snapshot; 2]) {
            let Some(entry) = self.conversation.entry(at).filter(|_| !used.contains(at)) else {
                continue;
            };
            let is_same = entry.is_call(&call.tool, &call.arguments.into());
            // What has its answer and comes with other arguments is the next pause, also where no visits are counted.
            let is_next = entry.has_answer && entry.visit.is_none() && !is_same;
            let is_open = entry.stage == Stage::Open && !is_next;
            if is_elsewhere(entry) {
                left.extend(is_open.then_some(at));
            } else if known.is_none() && (is_open || is_same) {
                known = Some(at);
            }
        }
        if known.is_none() {
            left.into_iter().for_each(|at| self.left(at));
        }
        known
    }

    /// Keeps the calls of a snapshot together: the same pause goes on where one of them waits already.
    fn pause(&mut self, places: &[u32]) {
        let waits = |at: &u32| self.conversation.entry(*at).filter(|entry| entry.stage == Stage::Open);
        let known = |at: &u32| waits(at).filter(|entry| !entry.has_answer)?.snapshot;
        let number = places.iter().find_map(known).unwrap_or(self.conversation.snapshots.len());
        let before = self.conversation.snapshots.get(number).cloned().unwrap_or_default();
        for at in before.into_iter().filter(|at| !places.contains(at)) {
            self.close(at);
        }
        for at in places {
            if let Some(entry) = self.conversation.entry_mut(*at) {
                entry.snapshot = Some(number);
            }
        }
        match self.conversation.snapshots.get_mut(number) {
            Some(calls) => *calls = places.to_vec(),
            None => self.conversation.snapshots.push(places.to_vec()),
        }
    }

    /// The run has gone on from the snapshot with this call: what is not answered now was answered elsewhere.
    fn left(&mut self, at: u32) {
        let number = self.conversation.entry(at).and_then(|entry| entry.snapshot);
        let calls = number.and_then(|number| self.conversation.snapshots.get(number)).cloned();
        for at in calls.unwrap_or_default() {
            self.close(at);
        }
    }

    fn close(&mut self, at: u32) {
        if self.conversation.entry(at).is_some_and(|entry| entry.stage == Stage::Open) {
            self.conversation.enter(at, Stage::Ruled);
            let target = self.target(at);
            self.say(Observation::Closed { target, closed: Closed::Unknown });
        }
    }
}

/// What stands before the number of the visit, which the library counts in each run.
const VISIT: &str = " at visit count ";

/// Whether the backend could not tell the decisions on some of them apart: it takes one without an id by the name of its tool.
fn is_ambiguous(calls: &[Call<'_>]) -> bool {
    let (mut tools, mut ids) = (Groups::default(), Groups::default());
    for (number, call) in (0..).zip(calls) {
        tools.push(&call.tool, number);
        if let Some(id) = &call.id {
            ids.push(id.shared(), number);
        }
    }
    let is_nameless = |number: &u32| calls.get(*number as usize).is_some_and(|call| call.id.is_none());
    let mut mixed = tools.lists().filter(|numbers| numbers.iter().any(is_nameless)).chain(ids.lists());
    mixed.any(|numbers| numbers.len() > 1)
}
