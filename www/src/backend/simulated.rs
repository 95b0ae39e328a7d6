//! The agent that is simulated in the page; its conversations live in the page's storage, so that a reload keeps them.

use std::cell::Cell;

use countersign_connect::{Answered, Each, Fault, FaultKind, Message, Transport};

use crate::browser;
use crate::settings::Settings;
use crate::systems::gates::Gates;
use crate::systems::script::Executed;
use crate::systems::{Agent, Wire};

/// The agent that is simulated in the page.
#[derive(Debug)]
pub(super) struct Simulated {
    wire: Wire,
    key: String,
    /// Where its configuration is kept.
    policy_key: String,
    seed: Option<u64>,
    delay: u32,
    /// The next decision does not arrive.
    fail: Cell<bool>,
}

impl Simulated {
    pub(super) fn new(settings: &Settings) -> Simulated {
        Simulated {
            wire: settings.wire,
            key: format!("countersign-demo:agent:{}", settings.wire.name()),
            policy_key: format!("countersign-demo:policy:{}", settings.wire.name()),
            seed: settings.seed,
            delay: settings.delay,
            fail: Cell::new(settings.fail),
        }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Which of its tools ask first.
    pub(super) fn gates(&self) -> Gates {
        let (format, configuration) = self.wire.system().configuration();
        Gates::read(format, &browser::stored(&self.policy_key).unwrap_or(configuration))
    }

    /// Keeps other gates.
    pub(super) fn govern(&self, gates: &Gates) {
        browser::store(&self.policy_key, &gates.text());
    }

    pub(super) fn executed(&self) -> Vec<Executed> {
        self.agent().executed().to_vec()
    }

    async fn answer(&self, conversation: &str, message: Message<'_>, each: Each) -> Result<(), Fault> {
        browser::sleep(self.delay).await;
        if message.id.is_some() && self.fail.take() {
            return Err(Fault::new(FaultKind::Status(503), "the simulated agent is not available"));
        }
        // Read and written without waiting in between: other tabs share the store.
        let mut agent = self.agent();
        let results = agent.send(conversation, message.text, browser::now());
        browser::store(&self.key, &agent.to_json());
        let system = self.wire.system();
        for result in results? {
            if let Some(message) = system.error_in(&result) {
                each(result);
                return Err(Fault::new(FaultKind::Answered, message));
            }
            each(result);
            browser::sleep(self.delay).await;
        }
        Ok(())
    }

    fn agent(&self) -> Box<dyn Agent> {
        let seed = self.seed.unwrap_or_else(browser::chance);
        let mut agent = self.wire.system().simulate(browser::stored(&self.key).as_deref(), seed);
        agent.govern(self.gates());
        agent
    }
}

impl Transport for Simulated {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        let known = browser::stored(&self.key).and_then(|_| self.agent().history(conversation));
        Box::pin(async move { Ok(known) })
    }

    fn send<'a>(&'a self, conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        Box::pin(self.answer(conversation, message, each))
    }

    fn error_in(&self, text: &str) -> Option<String> {
        self.wire.system().error_in(text)
    }
}
