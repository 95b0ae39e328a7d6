//! What every way to a backend offers.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use countersign_core::{Outbound, OutboundId};

use super::pause;

/// Why a message or a history did not come through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What came in the way.
    pub kind: FaultKind,
    /// What went wrong, in one sentence.
    pub message: String,
}

/// What came in the way of a message or a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Nothing came back, or the connection was lost: a message may have arrived.
    Lost,
    /// The agent answered with this HTTP status, which is none of success, or closed a web socket as HTTP would (401 for 4401).
    Status(u16),
    /// A good answer said that there was an error, or was none that can be read.
    Answered,
    /// A good answer said that something failed in the agent, which may pass.
    Internal,
    /// Nothing was sent: the conversation has moved on, or something failed before.
    Unsent,
    /// The agent is at another address.
    Elsewhere,
    /// The server has nothing at this address.
    Nowhere,
    /// The agent closed the web socket by a rule of its own, and would do so again.
    Closed,
    /// No web socket can be opened with this address, these subprotocols or this token.
    Unusable,
}

impl Fault {
    /// A fault of this kind, with a sentence for people.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into() }
    }

    /// Nothing came back.
    pub(crate) fn lost(message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Lost, message)
    }

    /// An error that came as an ordinary answer.
    pub(crate) fn answered(message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Answered, message)
    }

    /// What a message would answer waits no longer: it was not sent.
    pub(crate) fn moved_on(message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Unsent, message)
    }

    /// The message has not left: nobody needs to wonder whether it arrived.
    pub(crate) fn unsent(self) -> Fault {
        Fault { kind: FaultKind::Unsent, ..self }
    }

    /// Nothing came back, or the word of a gateway, whose agent may have it: it may have arrived, and nobody says so.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self.kind, FaultKind::Lost | FaultKind::Status(408 | 500..))
    }

    /// The HTTP status, or the one that says the same to an inbox: what was not sent is 412, as where a server took nothing.
    /// `None`: nobody knows whether a message arrived.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self.kind {
            FaultKind::Lost | FaultKind::Closed => None,
            FaultKind::Status(status) => Some(status),
            FaultKind::Answered => Some(200),
            FaultKind::Internal => Some(500),
            FaultKind::Unsent | FaultKind::Unusable => Some(412),
            FaultKind::Elsewhere => Some(421),
            FaultKind::Nowhere => Some(404),
        }
    }

    /// Whether the same question may be answered later; a backend that refused is not asked again.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self.kind {
            FaultKind::Lost | FaultKind::Internal => true,
            FaultKind::Status(status) => status >= 500 || [408, 425, 429].contains(&status),
            _ => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Fault {}

/// What an agent does in a conversation by itself: in a run that began before the page did, or that another client began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Nothing.
    Rests,
    /// It works, and cannot be followed.
    GoesOn,
    /// It worked until now; the state says what came of it.
    Ended,
}

/// How often is looked whether an agent still works, at most: for about an hour.
const LOOKS: u32 = 450;

impl Work {
    /// How long to wait until the state is read again, in milliseconds, in this round of looking, of which the first is 0;
    /// `None`: nothing is to be read.
    #[must_use]
    pub fn wait(self, round: u32) -> Option<u32> {
        match self {
            Work::Rests => None,
            Work::Ended if round == 0 => Some(0),
            // What is listed as at work but has nothing to tell is not asked ever faster.
            Work::GoesOn | Work::Ended => (round < LOOKS).then(|| pause::limit(round.saturating_add(1))),
        }
    }
}

/// What becomes of a request to a backend.
pub type Answered<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + 'a>>;

/// Takes what a backend sends, text by text.
pub type Each = Rc<dyn Fn(String)>;

/// Is called when something may have been missed, or with why nothing is heard now.
pub type Missed = Rc<dyn Fn(Result<(), Fault>)>;

/// A message on its way to a backend.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Its text, in the form that the backend takes.
    pub text: &'a str,
    /// The id of the outbound message, under which a backend knows it again: the same each time that it is sent. `None`: a
    /// person's words.
    pub id: Option<&'a str>,
    /// What goes along around it, as the text of a JSON object: the `transport` of the outbound message, `{}` for words.
    pub transport: &'a str,
}

impl<'a> Message<'a> {
    /// What an inbox has to send.
    #[must_use]
    pub fn of(outbound: &'a Outbound) -> Message<'a> {
        let Outbound { id, body, transport, .. } = outbound;
        Message { text: body, id: Some(id.as_str()), transport }
    }

    /// A person's words.
    #[must_use]
    pub fn words(text: &'a str) -> Message<'a> {
        Message { text, id: None, transport: "{}" }
    }
}

/// The way to one backend.
pub trait Transport {
    /// Everything that is known of a conversation, in the backend's own form; `None` if there is nothing.
    ///
    /// # Errors
    /// A [`Fault`]: it could not be read. That says nothing of what waits; where it is not temporary nothing is asked any more.
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>>;

    /// Looks once more, right before a decision is sent, whether what it answers still waits: some backends would take
    /// a late answer for one to the next question, or run a call again. The state that it read is handed to the inbox;
    /// the message is sent only if the inbox then still waits for its fate.
    ///
    /// # Errors
    /// A [`Fault`] where it waits no longer, or that of reading. The message has not left then.
    fn check<'a>(&'a self, _conversation: &'a str, _message: Message<'a>) -> Answered<'a, Option<String>> {
        Box::pin(async { Ok(None) })
    }

    /// Whether an answer to one of these requests, by its id, reaches the other one as well. Where the other one waits, and the
    /// answer says nothing of it, the message does not leave.
    fn shares(&self, _one: &str, _other: &str) -> bool {
        false
    }

    /// Sends a message and hands over what is streamed back, in order.
    ///
    /// # Errors
    /// A [`Fault`]: the message was not taken, or the answer broke off. What was handed over before counts, so it may have
    /// arrived all the same; not where it is [`FaultKind::Unsent`].
    fn send<'a>(&'a self, conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()>;

    /// Waits until the backend has said something of the message with this id, which has left, where it does so on another way
    /// than in the answer; the next message may leave meanwhile. `None`: until what comes of the words that left last is over; other words
    /// wait meanwhile.
    ///
    /// # Errors
    /// A [`Fault`]: nothing was said of it in time, or the connection broke before. It may have arrived all the same.
    fn arrived<'a>(&'a self, _id: Option<&'a str>) -> Answered<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Whether the next decision may leave once an answer has begun, though it is still being read.
    fn is_parallel(&self) -> bool {
        false
    }

    /// Whether the backend ends a run when nobody reads its answer: then none is given up.
    fn is_kept(&self) -> bool {
        false
    }

    /// The ids of messages of this conversation that counted as delivered, and whose connection broke before the backend said
    /// anything of them; each is told once.
    fn lost(&self, _conversation: &str) -> Vec<OutboundId> {
        Vec::new()
    }

    /// Whether a text of an answer says that the message was not taken, or that its run failed: the sentence of that.
    fn error_in(&self, _text: &str) -> Option<String> {
        None
    }

    /// Whether a text of an answer says that the message was taken.
    fn is_taken(&self, text: &str) -> bool {
        self.error_in(text).is_none()
    }

    /// Follows what the backend sends unasked, until the returned value is dropped; `None` where it never does.
    ///
    /// `missed` is called as soon as that has begun and again after every interruption, for history knows what did not come
    /// this way; and with a [`Fault`] whenever it breaks or fails to begin. After one that is not temporary it is over.
    fn follow(&self, _conversation: &str, _each: Each, _missed: Missed) -> Option<Box<dyn Any>> {
        None
    }

    /// Follows what the agent does by itself, where the history that was read last, `known`, says that it does something.
    /// It ends when that is over, or at once where it cannot be followed.
    ///
    /// # Errors
    /// A [`Fault`]: it could not be followed, or no longer. The state is read again after a while.
    fn attend<'a>(
        &'a self,
        _conversation: &'a str,
        _known: Option<&'a str>,
        _each: Each,
    ) -> Answered<'a, Work> {
        Box::pin(async { Ok(Work::Rests) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_refuses_is_not_asked_again() {
        let check = |kind, expected| assert_eq!(Fault::new(kind, "").is_temporary(), expected, "{kind:?}");
        for kind in [FaultKind::Lost, FaultKind::Internal, FaultKind::Status(500), FaultKind::Status(429)] {
            check(kind, true);
        }
        for status in [401, 403, 404, 412] {
            check(FaultKind::Status(status), false);
        }
        for kind in [FaultKind::Answered, FaultKind::Unsent, FaultKind::Elsewhere, FaultKind::Nowhere] {
            check(kind, false);
        }
        for kind in [FaultKind::Closed, FaultKind::Unusable] {
            check(kind, false);
        }
    }

    #[test]
    fn r43_an_inbox_is_told_of_what_was_not_sent_as_of_what_a_server_did_not_take() {
        let check = |kind, expected| assert_eq!(Fault::new(kind, "").status(), expected, "{kind:?}");
        check(FaultKind::Unsent, Some(412));
        check(FaultKind::Unusable, Some(412));
        // Of these nobody knows whether a message arrived.
        check(FaultKind::Lost, None);
        check(FaultKind::Closed, None);
    }

    #[test]
    fn a_fault_says_its_sentence() {
        let fault: Box<dyn Error> = Box::new(Fault::lost("the agent cannot be reached"));
        assert_eq!(fault.to_string(), "the agent cannot be reached");
    }

    #[test]
    fn an_agent_at_work_is_looked_at_ever_more_rarely_and_not_for_ever() {
        assert_eq!([0, 1, 9].map(|round| Work::Rests.wait(round)), [None; 3]);
        assert_eq!([0, 1, 9].map(|round| Work::Ended.wait(round)), [Some(0), Some(1_000), Some(8_000)]);
        let waits: Vec<u32> = (0..).map_while(|round| Work::GoesOn.wait(round)).collect();
        assert_eq!(waits[..6], [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        assert_eq!(waits.len(), 450);
    }
}
