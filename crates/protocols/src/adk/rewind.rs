//! What a session has taken back.

use countersign_core::collections::{Groups, Marks};
use countersign_core::{Closed, Observation, Target, Text};
use countersign_json::Value;

use super::event::Event;
use super::read::Reader;

impl<'v> Reader<'_, 'v> {
    /// Closes what waits and was asked in events that later ones of this list take back: some versions still run what it asked.
    #[inline(never)]
    pub(super) fn rewind(&mut self, list: Value<'v>) {
        let before = self.conversation.events_before;
        let back = taken_back(list);
        let is_back = |event: u32| back.contains(event.wrapping_sub(before));
        // What is asked again elsewhere in the list still waits.
        let mut kept = Groups::default();
        for (_, id, _, event) in &self.asked {
            if !is_back(*event) {
                kept.push(id.shared(), *event);
            }
        }
        for (_, id, _, event) in &self.asked {
            if is_back(*event) && kept.get(id.shared()).is_empty() && self.conversation.waits(id) {
                let target = Target::Request(self.conversation.reference(id));
                let closed = Closed::Superseded;
                self.reading.observations.push(Observation::Closed { target, closed });
            }
        }
    }
}

/// Which events are taken back, by their number, the first of them being 1.
///
/// Source: google-adk 2.13.0, `events/_rewind_events.py`.
fn taken_back(list: Value<'_>) -> Marks {
    let events: Vec<Event<'_>> = list.items().filter_map(Event::new).collect();
    let mut first = Groups::default();
    for (event, number) in events.iter().zip(1..) {
        let Some(run) = event.invocation.and_then(Value::as_str) else { continue };
        let run = Text::from(run.as_ref());
        if first.get(&run).is_empty() {
            first.push(&run, number);
        }
    }
    let mut back = Marks::default();
    let mut from = u32::MAX;
    for (event, number) in events.iter().zip(1..).collect::<Vec<_>>().into_iter().rev() {
        // What takes back and is itself taken back takes nothing back.
        if number < from
            && let Some(run) = event.rewound().and_then(Value::as_str)
        {
            let start = first.get(&Text::from(run.as_ref())).first().copied();
            from = start.filter(|start| *start < number).unwrap_or(from);
        }
        if number >= from {
            back.insert(number);
        }
    }
    back
}
