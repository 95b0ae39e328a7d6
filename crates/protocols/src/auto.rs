//! The adapter that finds out by itself which family a conversation is in.

use std::borrow::Cow;
use std::sync::Arc;

use countersign_core::{
    Adapter, Advice, Arrival, Due, Failure, Incoming, Memory, Observation, Outbound, Problem, ProblemCode,
    Reading, RequestRef, Stamp, Written,
};
use countersign_json::{Document, Limits, Value, names};

use crate::digests;
use crate::family::{Family, LOOKED_AT, Page};
use crate::lines::{Frame, frames};

/// Speaks whichever of its families the conversation turns out to be in.
pub(crate) struct Auto {
    families: Vec<Box<dyn Family>>,
    /// Whether digests go along.
    digests: bool,
}

/// The family that was recognised, by place, and its memory.
#[derive(Default)]
struct Found {
    family: Option<(usize, Memory)>,
    /// The family before everything was rebuilt: an empty list is one of its own.
    before: Option<usize>,
}

impl Auto {
    pub(crate) fn new(families: Vec<Box<dyn Family>>, digests: bool) -> Auto {
        Auto { families, digests }
    }

    fn found<'a>(&'a self, memory: &'a Memory) -> Option<(&'a dyn Family, &'a Memory)> {
        let (place, memory) = memory.of::<Found>()?.family.as_ref()?;
        Some((self.families.get(*place)?.as_ref(), memory))
    }

    fn found_mut<'a>(&'a self, memory: &'a mut Memory) -> Option<(&'a dyn Family, &'a mut Memory)> {
        let (place, memory) = memory.of_mut::<Found>()?.family.as_mut()?;
        Some((self.families.get(*place)?.as_ref(), memory))
    }

    fn read_frame(
        &self,
        memory: &mut Memory,
        incoming: &Incoming<'_>,
        frame: &Frame<'_>,
        reading: &mut Reading,
    ) {
        let document = match Document::parse(&frame.text, &Limits::default()) {
            Ok(document) => document,
            Err(error) => {
                let problem = Problem::new(ProblemCode::JsonInvalid, error.to_string());
                return reading.problems.push(problem.at(format!("byte {}", error.at)));
            }
        };
        let root = document.root();
        let Some(found) = memory.of_mut::<Found>() else { return };
        if found.family.is_none() {
            let alone = self.families.len() == 1;
            let place = if alone { Some(0) } else { place(&self.families, frame, root) };
            let place = place.or(found.before);
            found.family = place.and_then(|place| Some((place, self.families.get(place)?.memory())));
        }
        let Some((place, memory)) = &mut found.family else {
            // An empty list or map is a history in which nothing happened, whosever it is.
            let is_container = root.is_object() || root.is_array();
            if incoming.arrival == Arrival::History && is_container && root.is_empty() {
                return reading.hidden.extend(root.is_object().then_some(true));
            }
            let sentence = "no adapter knows this message";
            return reading.problems.push(Problem::new(ProblemCode::MessageUnrecognised, sentence));
        };
        let Some(family) = self.families.get(*place) else { return };
        if let Some([id, why]) = forgotten(root).filter(|_| incoming.arrival == Arrival::Live) {
            let scope = family.forget(memory, &id);
            reading.observations.push(Observation::Forgotten { scope, why: Arc::from(&*why) });
            return reading.hidden.push(true);
        }
        let Incoming { source, arrival, rounded, own, .. } = *incoming;
        family.read(memory, &Page { root, source, event: frame.event, arrival, rounded, own }, reading);
    }
}

impl Adapter for Auto {
    fn name(&self) -> &'static str {
        match self.families.as_slice() {
            [only] => only.name(),
            _ => "auto",
        }
    }

    fn speaking(&self, memory: &Memory) -> &'static str {
        self.found(memory).map_or_else(|| self.name(), |(family, _)| family.name())
    }

    fn memory(&self) -> Memory {
        Memory::new(Found::default())
    }

    fn memory_after(&self, before: &Memory) -> Memory {
        let found = before.of::<Found>();
        let before = found.and_then(|found| found.family.as_ref().map(|(place, _)| *place).or(found.before));
        Memory::new(Found { family: None, before })
    }

    fn read(&self, memory: &mut Memory, incoming: &Incoming<'_>) -> Reading {
        let mut reading = Reading::default();
        // A history says something about every half kilobyte; room that grows as it fills is copied again and again.
        reading.observations.reserve(incoming.text.len() / 512);
        for frame in frames(incoming.text) {
            self.read_frame(memory, incoming, &frame, &mut reading);
        }
        reading
    }

    fn write(&self, memory: &Memory, due: &[Due], stamp: &Stamp) -> Result<Vec<Written>, String> {
        let (family, memory) = self.found(memory).ok_or_else(|| "nothing was received yet".to_owned())?;
        let mut written = family.write(memory, due, stamp)?;
        if self.digests {
            written.iter_mut().for_each(|written| digests::attach(family.name(), written, due));
        }
        Ok(written)
    }

    fn handed_over(&self, memory: &mut Memory, requests: &[RequestRef]) {
        if let Some((family, memory)) = self.found_mut(memory) {
            family.handed_over(memory, requests);
        }
    }

    fn failure(
        &self,
        memory: &mut Memory,
        requests: &[RequestRef],
        status: Option<u16>,
        message: Option<&str>,
    ) -> Failure {
        let found = self.found_mut(memory);
        found.map_or(Failure::Kept, |(family, memory)| family.failure(memory, requests, status, message))
    }

    fn refuses(&self, memory: &Memory, status: u16) -> bool {
        self.found(memory).is_some_and(|(family, _)| family.refuses(status))
    }

    fn may_repeat(&self, memory: &Memory, outbound: &Outbound) -> bool {
        self.found(memory).is_none_or(|(family, memory)| family.may_repeat(memory, outbound))
    }

    fn may_leave(&self, memory: &Memory, outbound: &Outbound) -> bool {
        self.found(memory).is_none_or(|(family, memory)| family.may_leave(memory, outbound))
    }

    fn delivered(&self, memory: &mut Memory, request: &RequestRef) {
        if let Some((family, memory)) = self.found_mut(memory) {
            family.delivered(memory, request);
        }
    }

    fn advice(&self, memory: &Memory) -> Vec<Advice> {
        self.found(memory).map(|(family, memory)| family.advice(memory)).unwrap_or_default()
    }
}

/// The first family that has a dialect which this message is in.
pub(crate) fn place(families: &[Box<dyn Family>], frame: &Frame<'_>, root: Value<'_>) -> Option<usize> {
    let knows = |family: &dyn Family, looked_at| {
        frame.event.is_some_and(|name| family.recognises_event(name, root))
            || family.recognises(root, looked_at)
    };
    // All of a list only where its beginning says nothing.
    [LOOKED_AT, usize::MAX]
        .into_iter()
        .find_map(|looked_at| families.iter().position(|family| knows(family.as_ref(), looked_at)))
}

/// Which conversation the backend knows no more, and in what words it says so: `{"forgotten", "said"}`, which a connector or
/// a host makes of an answer that says so, for that answer does not name what was asked for.
fn forgotten(root: Value<'_>) -> Option<[Cow<'_, str>; 2]> {
    let [Some(id), Some(said)] = root.named(names!["forgotten", "said"]) else { return None };
    if root.len() != 2 {
        return None;
    }
    Some([id.as_str()?, said.as_str_lossy()?])
}
