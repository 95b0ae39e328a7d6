//! Where the agent is: in the page, or behind an address.

mod simulated;

use std::fmt;

use countersign_connect::{Each, Fault, Message, Missed, Transport, Work};
use countersign_core::OutboundId;

use crate::settings::Settings;
use crate::systems::gates::Gates;
use crate::systems::script::Executed;

use simulated::Simulated;

/// An agent that the page can talk to.
pub enum Backend {
    /// One that is simulated in the page.
    Simulated(Simulated),
    /// A real one.
    Real(Box<dyn Transport>),
}

impl Backend {
    /// The agent that these settings name.
    #[must_use]
    pub fn new(settings: &Settings) -> Backend {
        match &settings.server {
            Some(server) => Backend::Real(settings.wire.system().connect(server)),
            None => Backend::Simulated(Simulated::new(settings)),
        }
    }

    /// Everything that is known of a conversation, in the agent's own form; `None` if there is nothing.
    ///
    /// # Errors
    /// A [`Fault`] when the agent cannot be asked.
    pub async fn history(&self, conversation: &str) -> Result<Option<String>, Fault> {
        match self {
            Backend::Simulated(simulated) => Ok(simulated.history(conversation)),
            Backend::Real(transport) => transport.history(conversation).await,
        }
    }

    /// Looks once more whether what a decision answers still waits; see [`Transport::check`].
    ///
    /// # Errors
    /// A [`Fault`] where it does not, or the agent cannot be asked.
    pub async fn check(&self, conversation: &str, message: Message<'_>) -> Result<Option<String>, Fault> {
        match self {
            Backend::Simulated(_) => Ok(None),
            Backend::Real(transport) => transport.check(conversation, message).await,
        }
    }

    /// Sends a message and hands over what is streamed back, in order.
    ///
    /// # Errors
    /// A [`Fault`] when the message was not taken, or the stream broke.
    pub async fn send(&self, conversation: &str, message: Message<'_>, each: Each) -> Result<(), Fault> {
        match self {
            Backend::Simulated(simulated) => simulated.send(conversation, &message, &each).await,
            Backend::Real(transport) => transport.send(conversation, message, each).await,
        }
    }

    /// Waits until the agent has said something of a decision that has left; see [`Transport::arrived`].
    ///
    /// # Errors
    /// A [`Fault`]: nothing was said of it in time, or the connection broke before.
    pub async fn arrived(&self, id: &str) -> Result<(), Fault> {
        match self {
            Backend::Simulated(_) => Ok(()),
            Backend::Real(transport) => transport.arrived(id).await,
        }
    }

    /// Decisions that counted as delivered, and whose connection broke before the agent said anything of them.
    #[must_use]
    pub fn lost(&self) -> Vec<OutboundId> {
        match self {
            Backend::Simulated(_) => Vec::new(),
            Backend::Real(transport) => transport.lost(),
        }
    }

    /// Follows what a real agent sends unasked, until the returned value is dropped; see [`Transport::follow`].
    #[must_use]
    pub fn follow(&self, conversation: &str, each: Each, missed: Missed) -> Option<Box<dyn std::any::Any>> {
        match self {
            Backend::Simulated(_) => None,
            Backend::Real(transport) => transport.follow(conversation, each, missed),
        }
    }

    /// Follows what a real agent does by itself; see [`Transport::attend`].
    ///
    /// # Errors
    /// A [`Fault`] where the connection breaks.
    pub async fn attend(&self, conversation: &str, known: Option<&str>, each: Each) -> Result<Work, Fault> {
        match self {
            Backend::Simulated(_) => Ok(Work::Rests),
            Backend::Real(transport) => transport.attend(conversation, known, each).await,
        }
    }

    /// What the tools of the simulated agent ran with; nothing is known of a real one.
    #[must_use]
    pub fn executed(&self) -> Vec<Executed> {
        match self {
            Backend::Simulated(simulated) => simulated.executed(),
            Backend::Real(_) => Vec::new(),
        }
    }

    /// Which tools of the simulated agent ask first; a real one is configured elsewhere.
    #[must_use]
    pub fn gates(&self) -> Option<Gates> {
        match self {
            Backend::Simulated(simulated) => Some(simulated.gates()),
            Backend::Real(_) => None,
        }
    }

    /// Keeps other gates for the simulated agent.
    pub fn govern(&self, gates: &Gates) {
        if let Backend::Simulated(simulated) = self {
            simulated.govern(gates);
        }
    }

    /// Where the simulated agent keeps its conversations; a change there is another tab's news.
    #[must_use]
    pub fn storage_key(&self) -> Option<&str> {
        match self {
            Backend::Simulated(simulated) => Some(simulated.key()),
            Backend::Real(_) => None,
        }
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.storage_key().is_some() { "Simulated" } else { "Real" })
    }
}
