//! The seam between the machine and the wire.

use std::any::Any;
use std::fmt;

use countersign_json::sha256_hex;
use serde::{Deserialize, Serialize};

use crate::call::ArgsText;
use crate::decision::Decision;
use crate::error::Problem;
use crate::ids::{BatchId, CallId, Millis, RequestRef};
use crate::observation::Observation;
use crate::offer::OfferKind;
use crate::outbound::{Outbound, Written};
use crate::text::Source;

/// A translator between one family of wire dialects and the model.
///
/// It keeps no state of its own: what a dialect must remember of a conversation is a [`Memory`] that the inbox owns.
pub trait Adapter {
    /// The adapter's name, as hosts spell it.
    fn name(&self) -> &'static str;

    /// The name of the adapter that this conversation turned out to need, where there are several to choose from.
    fn speaking(&self, _memory: &Memory) -> &'static str {
        self.name()
    }

    /// The memory of a conversation that has not begun.
    fn memory(&self) -> Memory;

    /// The memory of a conversation that is rebuilt from history: nothing of it is known but who speaks.
    fn memory_after(&self, _before: &Memory) -> Memory {
        self.memory()
    }

    /// Reads what arrived. One bad part never hides the good ones.
    fn read(&self, memory: &mut Memory, incoming: &Incoming<'_>) -> Reading;

    /// Writes the answers to complete batches that became due together, in as many messages as the wire needs.
    ///
    /// `Ok` may leave out a batch that has no form, where another one has: it stays drafted, and is written once more
    /// alone, so that the error is told. What is held together is in one message or in none. The message at place `k`
    /// of what is returned is the one with [`Stamp::message_id`]`(k)`: under that id it is sent and its fate reported,
    /// so a wire that names its messages carries it.
    ///
    /// # Errors
    /// A sentence that says why these decisions have no form on this wire. The decisions are kept as drafts.
    fn write(&self, memory: &Memory, due: &[Due], stamp: &Stamp) -> Result<Vec<Written>, String>;

    /// The host has taken the message that answers these requests, the first time or again: from now on it may arrive.
    fn handed_over(&self, _memory: &mut Memory, _requests: &[RequestRef]) {}

    /// What a failed send means for the requests in it.
    fn failure(
        &self,
        _memory: &mut Memory,
        _requests: &[RequestRef],
        _status: Option<u16>,
        _message: Option<&str>,
    ) -> Failure {
        Failure::Kept
    }

    /// Whether a send that failed with this status cannot have arrived: the backend itself did not take it.
    fn refuses(&self, _memory: &Memory, status: u16) -> bool {
        (400..500).contains(&status)
    }

    /// Whether a message that did not arrive would still be taken as it was meant: it is sent again as it was written, and
    /// since then the backend may ask for something else, too.
    fn may_repeat(&self, _memory: &Memory, _outbound: &Outbound) -> bool {
        true
    }

    /// Whether a message that is due may go to the host now. If not it stays due: what the backend is at could make another answer
    /// of it.
    fn may_leave(&self, _memory: &Memory, _outbound: &Outbound) -> bool {
        true
    }

    /// The backend has our answer to this request.
    fn delivered(&self, _memory: &mut Memory, _request: &RequestRef) {}

    /// What the host should know now.
    fn advice(&self, _memory: &Memory) -> Vec<Advice> {
        Vec::new()
    }
}

/// Something that arrived from a backend.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    /// The text, exactly as it came.
    pub text: &'a str,
    /// The message that kept texts are cut out of.
    pub source: &'a Source,
    /// Whether it is news or history.
    pub arrival: Arrival,
    /// The host handed over a parsed value, so integers may have been rounded.
    pub rounded: bool,
    /// The host itself sent this message.
    pub own: bool,
    /// When it arrived.
    pub now: Millis,
}

/// Whether something is news or history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A live event, or a polled state that refreshes what is known.
    Live,
    /// History from which everything is rebuilt.
    History,
}

/// What an adapter read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What was seen, in order.
    pub observations: Vec<Observation>,
    /// For each message, in order: is it internal to the approval exchange?
    pub hidden: Vec<bool>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// What an adapter remembers of a conversation: a plain value behind a box.
pub struct Memory(Box<dyn Any>);

impl Memory {
    /// A memory that holds `value`.
    #[must_use]
    pub fn new(value: impl Any) -> Memory {
        Memory(Box::new(value))
    }

    /// The value, if it is of this type.
    #[must_use]
    pub fn of<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }

    /// The value to change, if it is of this type.
    pub fn of_mut<T: Any>(&mut self) -> Option<&mut T> {
        self.0.downcast_mut()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}

/// A complete batch that may be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The batch.
    pub batch: BatchId,
    /// Its requests with their decisions, in order of arrival.
    pub entries: Vec<DueEntry>,
}

/// One decided request of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueEntry {
    /// The request.
    pub request: RequestRef,
    /// The call's id, where there is one.
    pub call: Option<CallId>,
    /// The arguments that were shown.
    pub args: ArgsText,
    /// What was decided.
    pub decision: Decision,
}

/// What makes the messages of one writing unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Of this writing and of no other.
    seed: String,
    /// The moment of writing.
    pub now: Millis,
}

impl Stamp {
    /// The stamp of the writing that this seed belongs to, and to which no other does.
    #[must_use]
    pub fn new(seed: String, now: Millis) -> Stamp {
        Stamp { seed, now }
    }

    /// The identifier, in the form of a UUID, of the message that stands at this place of what is written.
    #[must_use]
    pub fn message_id(&self, at: usize) -> String {
        let digest = sha256_hex(&format!("{}:{at}", self.seed));
        let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
        format!("{}-{}-8{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
    }
}

/// What a failed send means for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The decision is kept as a draft and can be sent again.
    Kept,
    /// The backend refused the decision: the request waits again.
    Reopened,
    /// Someone else decided first.
    Conflict,
    /// It was decided before, as this: if that is what we sent, our answer counts; otherwise someone else was first.
    Decided(OfferKind),
    /// The agent stopped waiting.
    Expired,
    /// The backend no longer knows the request.
    Unknown,
}

/// Something that the host should know now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Advice {
    /// A stable code in kebab case.
    pub code: String,
    /// One sentence for the host's developers or people.
    pub message: String,
}
