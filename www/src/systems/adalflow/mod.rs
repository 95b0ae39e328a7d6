//! AdalFlow: its permission manager behind web sockets, and the handler that it ships, polled over HTTP.

pub mod agent;
#[cfg(test)]
mod round_trip;
mod summary;
mod transcript;

use countersign_connect::{Channel, Rest, Transport};
use countersign_json::{Value, quote};

use super::script::PROMPTS;
use super::{System, Wire, Words};
use crate::chat::transcript::Bubble;
use crate::settings::Server;
use agent::Agent;

/// Where the example backend takes words, keeps what it sent, and lists what its handler asks.
const RUN: &str = "/run/{conversation}";
const LOG: &str = "/history/{conversation}";
const PENDING: &str = "/api/v1/approvals/pending?client_id={conversation}";
/// How often the handler is asked, in milliseconds.
const POLL: u32 = 500;

/// AdalFlow in one of its wires.
#[derive(Clone, Copy, Debug)]
pub struct Adalflow {
    pub(super) wire: Wire,
}

impl System for Adalflow {
    fn words(&self, words: &Words<'_>) -> String {
        let text = quote(words.text);
        // The example backend asks through the library's own handler where it is told to.
        if self.wire == Wire::AdalflowRest {
            return format!(r#"{{"text":{text},"shipped":true}}"#);
        }
        format!(r#"{{"text":{text}}}"#)
    }

    fn bubbles(&self, text: &str, hidden: &[bool]) -> Vec<Bubble> {
        transcript::read(text, hidden)
    }

    fn summary(&self, text: &str) -> String {
        summary::summary(text)
    }

    fn error_in(&self, _text: &str) -> Option<String> {
        // A run that fails says so like anything else, and it may be another run than that of the person's message.
        None
    }

    fn prompts(&self) -> &'static [&'static str] {
        // No agent hands over to another one here, and only the library's own handler asks questions.
        match self.wire {
            Wire::AdalflowRest => PROMPTS.get(..4).unwrap_or_default(),
            _ => PROMPTS.get(..3).unwrap_or_default(),
        }
    }

    fn script(&self) -> &'static [&'static str] {
        match self.wire {
            Wire::AdalflowRest => &[
                "delete path=/srv/reports/2019.csv",
                "delete path=/srv/a then delete path=/srv/b",
                "transfer amount=1250 reference=2512292042121000001",
                "clarify",
            ],
            _ => &[
                "delete path=/srv/reports/2019.csv",
                "delete path=/srv/a then delete path=/srv/b",
                "delete path=/srv/d beside email to=carol@example.com beside transfer amount=5",
                "transfer amount=1250 reference=2512292042121000001",
            ],
        }
    }

    fn keeps_words(&self) -> bool {
        false
    }

    fn configuration(&self) -> (&'static str, String) {
        let text = r#"{"approval_mode": "default", "require_approval": {"read_file": false, "delete_file": true, "send_email": true, "transfer_funds": true}, "always_allowed_tools": [], "blocked_tools": []}"#;
        ("adalflow", text.to_owned())
    }

    fn simulate(&self, stored: Option<&str>, seed: u64) -> Box<dyn super::Agent> {
        Box::new(stored.and_then(Agent::from_json).unwrap_or_else(|| Agent::new(self.wire, seed)))
    }

    fn connect(&self, server: &Server) -> Box<dyn Transport> {
        match self.wire {
            Wire::AdalflowRest => {
                let rest = Rest::new(server.reach(), PENDING).with_history(LOG).with_words(RUN);
                Box::new(rest.with_poll(POLL))
            }
            _ => {
                let channel = Channel::new(server.reach(), "/ws/{conversation}");
                Box::new(channel.with_history(LOG).with_words(RUN, &[]))
            }
        }
    }
}

/// The messages in a text of the wire.
fn messages(root: Value<'_>) -> Vec<Value<'_>> {
    if root.is_array() { root.items().collect() } else { vec![root] }
}
