//! Where the agent is: in the page, or behind an address.

mod simulated;
mod tapped;

use std::fmt;
use std::rc::Rc;

use countersign_connect::Transport;

use crate::settings::Settings;
use crate::systems::gates::Gates;
use crate::systems::script::Executed;

use simulated::Simulated;
pub use tapped::{News, Tapped};

/// An agent that the page can talk to.
pub struct Backend {
    transport: Rc<dyn Transport>,
    /// The agent itself, where it is simulated in the page.
    simulated: Option<Rc<Simulated>>,
}

impl Backend {
    /// The agent that these settings name.
    #[must_use]
    pub fn new(settings: &Settings) -> Backend {
        match &settings.server {
            Some(server) => {
                Backend { transport: settings.wire.system().connect(server).into(), simulated: None }
            }
            None => {
                let simulated = Rc::new(Simulated::new(settings));
                Backend { transport: Rc::clone(&simulated) as Rc<dyn Transport>, simulated: Some(simulated) }
            }
        }
    }

    /// The way to it, with somebody who hears what goes and comes.
    pub fn tapped(&self, hear: impl Fn(News) + 'static) -> Tapped {
        Tapped::new(Rc::clone(&self.transport), hear)
    }

    /// What the tools of the simulated agent ran with; nothing is known of a real one.
    #[must_use]
    pub fn executed(&self) -> Vec<Executed> {
        self.simulated.as_ref().map(|agent| agent.executed()).unwrap_or_default()
    }

    /// Which tools of the simulated agent ask first; a real one is configured elsewhere.
    #[must_use]
    pub fn gates(&self) -> Option<Gates> {
        self.simulated.as_ref().map(|agent| agent.gates())
    }

    /// Keeps other gates for the simulated agent.
    pub fn govern(&self, gates: &Gates) {
        if let Some(agent) = &self.simulated {
            agent.govern(gates);
        }
    }

    /// Where the simulated agent keeps its conversations; a change there is another tab's news.
    #[must_use]
    pub fn storage_key(&self) -> Option<&str> {
        self.simulated.as_ref().map(|agent| agent.key())
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.simulated.is_some() { "Simulated" } else { "Real" })
    }
}
