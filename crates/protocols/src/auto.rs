//! The adapter that finds out by itself which family a conversation is in.

use std::borrow::Cow;
use std::sync::Arc;

use countersign_core::{
    Adapter, Advice, Arrival, Due, Failure, Incoming, Memory, Observation, Outbound, Problem, ProblemCode,
    Reading, RequestRef, Stamp, Written,
};
use countersign_json::{Document, Limits, Value, names};

use crate::digests;
use crate::family::{Family, LOOKED_AT, Page, Talk};
use crate::lines::{Frame, frames};

/// Speaks whichever of its families the conversation turns out to be in.
pub(crate) struct Auto {
    families: Vec<Box<dyn Family>>,
    /// Whether digests go along.
    digests: bool,
}

/// What is remembered of a conversation.
#[derive(Default)]
struct Known {
    found: Option<Found>,
    /// The place of its family before everything was rebuilt: an empty list is one of that.
    before: Option<usize>,
}

/// The family that was recognised, by its place and its name, and the conversation in its words.
struct Found {
    place: usize,
    name: &'static str,
    talk: Box<dyn Talk>,
}

impl Auto {
    pub(crate) fn new(families: Vec<Box<dyn Family>>, digests: bool) -> Auto {
        Auto { families, digests }
    }

    /// A conversation with the family at this place.
    fn begin(&self, place: usize) -> Option<Found> {
        let family = self.families.get(place)?;
        Some(Found { place, name: family.name(), talk: family.begin() })
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
        let Some(known) = memory.of_mut::<Known>() else { return };
        if known.found.is_none() {
            let alone = self.families.len() == 1;
            let place = if alone { Some(0) } else { place(&self.families, frame, root) };
            known.found = place.or(known.before).and_then(|place| self.begin(place));
        }
        let Some(found) = &mut known.found else {
            // An empty list or map is a history in which nothing happened, whosever it is.
            let is_container = root.is_object() || root.is_array();
            if incoming.arrival == Arrival::History && is_container && root.is_empty() {
                return reading.hidden.extend(root.is_object().then_some(true));
            }
            let sentence = "no adapter knows this message";
            return reading.problems.push(Problem::new(ProblemCode::MessageUnrecognised, sentence));
        };
        if let Some([id, why]) = forgotten(root).filter(|_| incoming.arrival == Arrival::Live) {
            let scope = found.talk.forget(&id);
            if scope.is_none() {
                known.found = self.begin(found.place);
            }
            reading.observations.push(Observation::Forgotten { scope, why: Arc::from(&*why) });
            return reading.hidden.push(true);
        }
        let Incoming { source, arrival, rounded, own, .. } = *incoming;
        found.talk.read(&Page { root, source, event: frame.event, arrival, rounded, own }, reading);
    }
}

/// The conversation, once it is known who speaks.
fn found(memory: &Memory) -> Option<&Found> {
    memory.of::<Known>()?.found.as_ref()
}

fn talk(memory: &Memory) -> Option<&dyn Talk> {
    Some(found(memory)?.talk.as_ref())
}

fn talk_mut(memory: &mut Memory) -> Option<&mut dyn Talk> {
    Some(memory.of_mut::<Known>()?.found.as_mut()?.talk.as_mut())
}

impl Adapter for Auto {
    fn name(&self) -> &'static str {
        match self.families.as_slice() {
            [only] => only.name(),
            _ => "auto",
        }
    }

    fn speaking(&self, memory: &Memory) -> &'static str {
        found(memory).map_or_else(|| self.name(), |found| found.name)
    }

    fn memory(&self) -> Memory {
        Memory::new(Known::default())
    }

    fn memory_after(&self, before: &Memory) -> Memory {
        let known = before.of::<Known>();
        let before = known.and_then(|known| known.found.as_ref().map(|found| found.place).or(known.before));
        Memory::new(Known { found: None, before })
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
        let found = found(memory).ok_or_else(|| "nothing was received yet".to_owned())?;
        let mut written = found.talk.write(due, stamp)?;
        if self.digests {
            written.iter_mut().for_each(|written| digests::attach(found.name, written, due));
        }
        Ok(written)
    }

    fn handed_over(&self, memory: &mut Memory, requests: &[RequestRef]) {
        if let Some(talk) = talk_mut(memory) {
            talk.handed_over(requests);
        }
    }

    fn failure(
        &self,
        memory: &mut Memory,
        requests: &[RequestRef],
        status: Option<u16>,
        message: Option<&str>,
    ) -> Failure {
        talk_mut(memory).map_or(Failure::Kept, |talk| talk.failure(requests, status, message))
    }

    fn refuses(&self, memory: &Memory, status: u16) -> bool {
        talk(memory).is_some_and(|talk| talk.refuses(status))
    }

    fn may_repeat(&self, memory: &Memory, outbound: &Outbound) -> bool {
        talk(memory).is_none_or(|talk| talk.may_repeat(outbound))
    }

    fn may_leave(&self, memory: &Memory, outbound: &Outbound) -> bool {
        talk(memory).is_none_or(|talk| talk.may_leave(outbound))
    }

    fn delivered(&self, memory: &mut Memory, request: &RequestRef) {
        if let Some(talk) = talk_mut(memory) {
            talk.delivered(request);
        }
    }

    fn advice(&self, memory: &Memory) -> Vec<Advice> {
        talk(memory).map(|talk| talk.advice()).unwrap_or_default()
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
