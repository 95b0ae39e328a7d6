//! What every way to a backend offers.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

/// Why a message or a history did not come through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The HTTP status, where there was an answer at all; 412 where nothing was sent because the request has moved on.
    pub status: Option<u16>,
    /// What went wrong, in one sentence.
    pub message: String,
}

impl Fault {
    /// Nothing came back.
    pub(crate) fn lost(message: impl Into<String>) -> Fault {
        Fault { status: None, message: message.into() }
    }

    /// An error that came as an ordinary answer.
    pub(crate) fn answered(message: String) -> Fault {
        Fault { status: Some(200), message }
    }

    /// What a message would answer waits no longer: it was not sent.
    pub(crate) fn moved_on(message: impl Into<String>) -> Fault {
        Fault { status: Some(412), message: message.into() }
    }
}

/// What becomes of a request to a backend.
pub type Answered<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + 'a>>;

/// Takes what a backend sends, text by text.
pub type Each = Rc<dyn Fn(String)>;

/// Is called when something may have been missed.
pub type Missed = Rc<dyn Fn()>;

/// The way to one backend.
pub trait Transport {
    /// Everything that is known of a conversation, in the backend's own form; `None` if there is nothing.
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>>;

    /// Looks once more, right before a decision is sent, whether what it answers still waits: some backends would take
    /// a late answer for one to the next question, or run a call again. The state that it read is handed to the inbox;
    /// the message is sent only if the inbox then still waits for its fate.
    ///
    /// # Errors
    /// A [`Fault`] of status 412 where it waits no longer, or that of reading.
    fn check<'a>(&'a self, _conversation: &'a str, _message: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async { Ok(None) })
    }

    /// Sends a message and hands over what is streamed back, in order.
    ///
    /// `id` is that of the outbound message, under which a backend knows it again: the same each time that it is sent.
    /// It is `None` for a person's words.
    fn send<'a>(
        &'a self,
        conversation: &'a str,
        message: &'a str,
        id: Option<&'a str>,
        each: Each,
    ) -> Answered<'a, ()>;

    /// Whether a text of an answer says that the message was not taken, or that its run failed: the sentence of that.
    fn error_in(&self, _text: &str) -> Option<String> {
        None
    }

    /// Follows what the backend sends unasked, until the returned value is dropped; `None` where it never does.
    ///
    /// `missed` is called as soon as that has begun, again after every interruption, and once when it fails to begin:
    /// history knows what did not come this way.
    fn follow(&self, _conversation: &str, _each: Each, _missed: Missed) -> Option<Box<dyn Any>> {
        None
    }
}
