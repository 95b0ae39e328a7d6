//! What must be remembered of the messages of one agent.

use countersign_core::collections::{Groups, Numbered};
use countersign_core::{Source, Text};

use super::memory::{InterruptAt, RequestAt};

/// Stands for a call that no request is about.
pub(super) const NOBODY: u32 = u32::MAX;

/// A namespace: the messages of one agent.
#[derive(Default)]
pub(super) struct Namespace {
    pub(super) name: Text,
    /// The `tool_calls` of the last AI message that has some.
    pub(super) last: Text,
    messages: Groups,
    /// The number of the newest AI message.
    pub(super) newest: u32,
    /// Which AI messages the tool messages were about, by number, under their ids.
    pub(super) about: Groups,
    /// The calls by their ids, and the requests about each.
    by_call: Groups,
    pub(super) calls: Numbered<Call>,
    /// The AI message whose calls a middleware may take out, and the interrupt about them.
    pub(super) rewritten: Option<(u32, InterruptAt)>,
    /// The last AI message, by number, behind whose calls a person wrote on.
    pub(super) left: u32,
    /// How many messages of people the last whole list held.
    pub(super) humans: u32,
    /// How many AI messages were read here.
    pub(super) stamp: u32,
    /// The requests that were asked here before any AI message was seen.
    pub(super) early: Vec<RequestAt>,
    /// The newest AI message that makes calls, by number.
    pub(super) made: u32,
    /// The content of the tool messages about its calls, each with the number of its call.
    pub(super) said: Numbered<(u32, Text)>,
}

/// A call that some AI message makes.
#[derive(Clone, Copy, Default)]
pub(super) struct Call {
    /// The AI message that made it last, by number; 0 if that has no id.
    pub(super) message: u32,
    /// What a tool message said of it since.
    pub(super) told: Option<Told>,
    /// Where the content of that message stands in what was [said](Namespace::said), if it does.
    pub(super) said: u32,
    /// The [stamp](Namespace::stamp) of the AI message in which it was last seen.
    pub(super) stamp: u32,
    /// The hash of the tool's name; 0 if that is not known.
    pub(super) name: u32,
    /// The state, by its [number](super::memory::Thread::entry), and the [task](super::memory::Interrupt::task) in whose result its outcome stands.
    pub(super) left: (u32, u32),
}

/// What a tool message said, without its words.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    /// Its status is an error.
    pub(super) is_error: bool,
    /// It says that a person rejected the call.
    pub(super) is_rejection: bool,
    /// The tool surely ran: it says so, or that the call was edited.
    pub(super) ran: bool,
    /// A request was waiting for it.
    pub(super) is_awaited: bool,
    /// A run reported it while it went on, so nothing that is asked later is about this call.
    pub(super) is_live: bool,
    /// A state held it among its messages.
    pub(super) is_kept: bool,
    /// When it was read last.
    pub(super) turn: u32,
}

impl Namespace {
    /// One in which nothing was read yet.
    pub(super) fn new(name: Text) -> Namespace {
        Namespace { name, ..Namespace::default() }
    }

    /// The number of the message with this id; none has the number 0.
    pub(super) fn message(&mut self, source: &Source, id: Option<&str>) -> u32 {
        let Some(id) = id.filter(|id| !id.is_empty()) else { return 0 };
        match self.messages.place(id) {
            Some(at) => at + 1,
            None => self.messages.push(&source.cut(id), 0) + 1,
        }
    }

    /// The number of the message with this id, if it was read.
    pub(super) fn known_message(&self, id: &str) -> Option<u32> {
        self.messages.place(id).map(|at| at + 1)
    }

    /// The call with this id.
    pub(super) fn call(&mut self, source: &Source, id: &str) -> u32 {
        match self.by_call.place(id) {
            Some(at) => at,
            None => {
                self.calls.push(Call::default());
                self.by_call.push(&source.cut(id), NOBODY)
            }
        }
    }

    /// The requests about a call.
    pub(super) fn requests(&self, call: u32) -> impl Iterator<Item = RequestAt> {
        self.by_call.at(call).iter().filter(|at| **at != NOBODY).map(|at| RequestAt(*at))
    }

    /// Whether nobody asks about a call.
    pub(super) fn is_unasked(&self, call: u32) -> bool {
        self.by_call.at(call) == [NOBODY]
    }

    /// The call with this id, if anything is known of it.
    pub(super) fn known_call(&self, id: &str) -> Option<u32> {
        self.by_call.place(id)
    }

    /// Whether a call has no outcome, and nobody asks about it.
    pub(super) fn runs(&self, call: u32) -> bool {
        self.call_at(call).told.is_none() && self.is_unasked(call)
    }

    /// Whether all calls that this AI message makes have an outcome.
    pub(super) fn is_done(&self, message: u32) -> bool {
        let numbers = 0..self.calls.next_number();
        let mut made = numbers.map(|at| self.call_at(at)).filter(|call| call.message == message).peekable();
        message != 0 && made.peek().is_some() && made.all(|call| call.told.is_some())
    }

    /// Joins a request to the call with this id, and returns the call.
    pub(super) fn join(&mut self, source: &Source, id: &Text, request: RequestAt) -> u32 {
        let call = self.call(source, id);
        self.by_call.push(id, request.0);
        call
    }

    pub(super) fn call_at(&self, at: u32) -> Call {
        self.calls.get(at).copied().unwrap_or_default()
    }

    pub(super) fn call_mut(&mut self, at: u32) -> Option<&mut Call> {
        self.calls.get_mut(at)
    }
}
