//! The way to an agent, with somebody who hears what goes and comes.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use countersign_connect::{Answered, Each, Fault, Message, Missed, Transport, Work};
use countersign_core::OutboundId;

/// What goes and comes.
#[derive(Clone, Debug)]
pub enum News {
    /// A text leaves.
    Went(String),
    /// A text came.
    Came(String),
    /// A message was not taken, or nobody knows whether it was.
    Broke(Fault),
    /// The answer to a message is over.
    Over,
}

/// The way to an agent, with somebody who hears what goes and comes.
pub struct Tapped {
    transport: Rc<dyn Transport>,
    hear: Rc<dyn Fn(News)>,
}

impl Tapped {
    pub(super) fn new(transport: Rc<dyn Transport>, hear: impl Fn(News) + 'static) -> Tapped {
        Tapped { transport, hear: Rc::new(hear) }
    }

    /// Hears what comes, and hands it on.
    fn each(&self, each: Each) -> Each {
        let hear = Rc::clone(&self.hear);
        Rc::new(move |text| {
            hear(News::Came(text.clone()));
            each(text);
        })
    }

    async fn known(&self, read: Answered<'_, Option<String>>) -> Result<Option<String>, Fault> {
        let known = read.await;
        if let Ok(Some(text)) = &known {
            (self.hear)(News::Came(text.clone()));
        }
        known
    }

    fn fate(&self, fate: Result<(), Fault>) -> Result<(), Fault> {
        if let Err(fault) = &fate {
            (self.hear)(News::Broke(fault.clone()));
        }
        fate
    }
}

impl Transport for Tapped {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(self.known(self.transport.history(conversation)))
    }

    fn check<'a>(&'a self, conversation: &'a str, message: Message<'a>) -> Answered<'a, Option<String>> {
        Box::pin(self.known(self.transport.check(conversation, message)))
    }

    fn shares(&self, one: &str, other: &str) -> bool {
        self.transport.shares(one, other)
    }

    fn send<'a>(&'a self, conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        Box::pin(async move {
            (self.hear)(News::Went(message.text.to_owned()));
            let fate = self.transport.send(conversation, message, self.each(each)).await;
            (self.hear)(News::Over);
            self.fate(fate)
        })
    }

    fn arrived<'a>(&'a self, id: Option<&'a str>) -> Answered<'a, ()> {
        Box::pin(async move {
            let fate = self.transport.arrived(id).await;
            if id.is_none() {
                (self.hear)(News::Over);
            }
            self.fate(fate)
        })
    }

    fn is_parallel(&self) -> bool {
        self.transport.is_parallel()
    }

    fn is_kept(&self) -> bool {
        self.transport.is_kept()
    }

    fn lost(&self, conversation: &str) -> Vec<OutboundId> {
        self.transport.lost(conversation)
    }

    fn error_in(&self, text: &str) -> Option<String> {
        self.transport.error_in(text)
    }

    fn is_taken(&self, text: &str) -> bool {
        self.transport.is_taken(text)
    }

    fn follow(&self, conversation: &str, each: Each, missed: Missed) -> Option<Box<dyn Any>> {
        self.transport.follow(conversation, self.each(each), missed)
    }

    fn attend<'a>(&'a self, conversation: &'a str, known: Option<&'a str>, each: Each) -> Answered<'a, Work> {
        self.transport.attend(conversation, known, self.each(each))
    }
}

impl fmt::Debug for Tapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tapped")
    }
}
