//! Where the agent is: in the page, or behind an address.

mod kagent;
mod simulated;
mod stream;

use crate::agent::Executed;
use crate::settings::Settings;

use kagent::Kagent;
use simulated::Simulated;
pub use stream::error_in;

/// An agent that the page can talk to.
#[derive(Debug)]
pub enum Backend {
    /// One that is simulated in the page.
    Simulated(Simulated),
    /// A real kagent, over A2A.
    Kagent(Kagent),
}

/// Why a message or a history did not come through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The HTTP status, where there was an answer at all.
    pub status: Option<u16>,
    /// What went wrong, in one sentence.
    pub message: String,
}

impl Backend {
    /// The agent that these settings name.
    #[must_use]
    pub fn new(settings: &Settings) -> Backend {
        match &settings.server {
            Some(server) => Backend::Kagent(Kagent::new(settings.wire, server.clone())),
            None => Backend::Simulated(Simulated::new(settings)),
        }
    }

    /// Everything that is known of a conversation, in the agent's own form; `None` if there is nothing.
    ///
    /// # Errors
    /// A [`Fault`] when the agent cannot be asked.
    pub async fn history(&self, context: &str) -> Result<Option<String>, Fault> {
        match self {
            Backend::Simulated(simulated) => Ok(simulated.history(context)),
            Backend::Kagent(kagent) => kagent.history(context).await,
        }
    }

    /// Sends a message and hands over what is streamed back, in order.
    ///
    /// `decides` says that the message is a decision rather than words.
    ///
    /// # Errors
    /// A [`Fault`] when the message was not taken, or the stream broke.
    pub async fn send(&self, message: &str, decides: bool, each: impl Fn(String)) -> Result<(), Fault> {
        match self {
            Backend::Simulated(simulated) => simulated.send(message, decides, each).await,
            Backend::Kagent(kagent) => kagent.send(message, each).await,
        }
    }

    /// What the tools of the simulated agent ran with; nothing is known of a real one.
    #[must_use]
    pub fn executed(&self) -> Vec<Executed> {
        match self {
            Backend::Simulated(simulated) => simulated.executed(),
            Backend::Kagent(_) => Vec::new(),
        }
    }

    /// Where the simulated agent keeps its tasks; a change there is another tab's news.
    #[must_use]
    pub fn storage_key(&self) -> Option<&str> {
        match self {
            Backend::Simulated(simulated) => Some(simulated.key()),
            Backend::Kagent(_) => None,
        }
    }
}
