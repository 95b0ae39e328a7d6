//! Google ADK's own API server, with both gates that are in use.

pub mod agent;
#[cfg(test)]
mod round_trip;
mod summary;
mod transcript;

use countersign_connect::Transport;
use countersign_json::quote;

use super::script::APPROVALS;
use super::{System, Wire, Words};
use crate::chat::transcript::Bubble;
use crate::settings::Server;
use agent::Agent;

/// The call in which ADK asks, and the response in which it is answered.
const CONFIRMATION: &str = "adk_request_confirmation";
/// To whom sessions belong: who knows the token of the example server is this user.
const USER: &str = "user";

/// ADK with one of its gates.
#[derive(Clone, Copy, Debug)]
pub struct Adk {
    pub(super) wire: Wire,
}

impl System for Adk {
    fn words(&self, words: &Words<'_>) -> String {
        // Words end no pause here, so nothing tells what waits.
        format!(r#"{{"role":"user","parts":[{{"text":{}}}]}}"#, quote(words.text))
    }

    fn bubbles(&self, text: &str, hidden: &[bool]) -> Vec<Bubble> {
        transcript::read(text, hidden)
    }

    fn summary(&self, text: &str) -> String {
        summary::summary(text)
    }

    fn error_in(&self, text: &str) -> Option<String> {
        countersign_connect::Adk::error_of(text)
    }

    fn prompts(&self) -> &'static [&'static str] {
        &APPROVALS
    }

    fn script(&self) -> &'static [&'static str] {
        &[
            "delete path=/srv/reports/2019.csv",
            "delete path=/srv/d and email to=carol@example.com and transfer amount=5",
            "transfer amount=1250 reference=2512292042121000001",
            "delegate: delete path=/srv/cache",
        ]
    }

    fn configuration(&self) -> (&'static str, String) {
        const TOOLS: &str =
            r#"{"read_file": false, "delete_file": true, "send_email": true, "transfer_funds": true}"#;
        match self.wire {
            Wire::AdkDeepagents => ("interrupt_on", TOOLS.to_owned()),
            _ => {
                let names = r#"["read_file", "delete_file", "send_email", "transfer_funds"]"#;
                let text = [r#"{"tools": "#, names, r#", "tool_approvals": "#, TOOLS, "}"];
                ("tool_approvals", text.concat())
            }
        }
    }

    fn simulate(&self, stored: Option<&str>, seed: u64) -> Box<dyn super::Agent> {
        Box::new(stored.and_then(Agent::from_json).unwrap_or_else(|| Agent::new(self.wire, seed)))
    }

    fn connect(&self, server: &Server) -> Box<dyn Transport> {
        let named = if self.wire == Wire::AdkDeepagents { "deep" } else { "plain" };
        let app = server.app.as_deref().unwrap_or(named);
        Box::new(countersign_connect::Adk::new(server.reach(), app, USER))
    }
}
