//! An adapter without an inbox: what it would write for decisions that an inbox does not let through.

use countersign_core::{
    Adapter, Arrival, Ask, Decision, Due, DueEntry, Incoming, Memory, Observation, Source, Stamp, Written,
};
use countersign_protocols::{AdapterOptions, adapter};

use crate::moment::START;

/// An adapter, what it remembers, and what was asked of it.
pub struct Alone {
    adapter: Box<dyn Adapter>,
    memory: Memory,
    asks: Vec<Ask>,
}

impl Alone {
    /// The adapter of this name before anything has arrived.
    pub fn new(name: &str) -> Alone {
        let adapter = adapter(name, &AdapterOptions::default()).expect("the adapter is built in");
        Alone { memory: adapter.memory(), adapter, asks: Vec::new() }
    }

    /// Reads something, and remembers what it asks.
    pub fn receive(&mut self, text: &str) {
        let source = Source::copied();
        let incoming = Incoming {
            text,
            source: &source,
            arrival: Arrival::Live,
            rounded: false,
            own: false,
            now: START,
        };
        let reading = self.adapter.read(&mut self.memory, &incoming);
        self.asks.extend(reading.observations.into_iter().filter_map(|observation| match observation {
            Observation::Asked(ask) => Some(*ask),
            _ => None,
        }));
    }

    /// What answers the request of this id with this decision, offered or not.
    ///
    /// # Errors
    /// Why the adapter writes nothing.
    pub fn write(&self, id: &str, decision: Decision) -> Result<Vec<Written>, String> {
        let asked = self.asks.iter().rev().find(|ask| ask.request.id.as_str() == id);
        let asked = asked.expect("it was asked");
        let entry = DueEntry {
            request: asked.request.clone(),
            call: asked.call.id.clone(),
            args: asked.call.args.clone(),
            decision,
        };
        let due = Due { batch: asked.batch.clone(), entries: vec![entry] };
        self.adapter.write(&self.memory, &[due], &Stamp::new("alone".to_owned(), START))
    }
}
