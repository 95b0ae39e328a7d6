//! LangGraph's agent server, with the three ways in which its agents ask.

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

/// LangGraph with one of its gates.
#[derive(Clone, Copy, Debug)]
pub struct LangGraph {
    pub(super) wire: Wire,
}

impl System for LangGraph {
    fn words(&self, words: &Words<'_>) -> String {
        // Words end every wait of their thread, without naming it. Their id would be the server's to choose.
        format!(r#"{{"messages":[{{"role":"user","content":{}}}]}}"#, quote(words.text))
    }

    fn bubbles(&self, text: &str, hidden: &[bool]) -> Vec<Bubble> {
        transcript::read(text, hidden)
    }

    fn summary(&self, text: &str) -> String {
        summary::summary(text)
    }

    fn error_in(&self, text: &str) -> Option<String> {
        countersign_connect::LangGraph::error_of(text)
    }

    fn prompts(&self) -> &'static [&'static str] {
        match (self.wire, APPROVALS.split_last()) {
            (Wire::LangGraphHitl, _) | (_, None) => &APPROVALS,
            // The last one is for another agent, and only the first graph has one.
            (_, Some((_, own))) => own,
        }
    }

    fn script(&self) -> &'static [&'static str] {
        &[
            "delete path=/srv/reports/2019.csv",
            "delete path=/srv/d and email to=carol@example.com and transfer amount=5",
            "transfer amount=1250 reference=2512292042121000001",
            "delete path=/srv/a later delete path=/srv/b",
        ]
    }

    fn configuration(&self) -> (&'static str, String) {
        let text = r#"{"read_file": false, "delete_file": true, "send_email": true, "transfer_funds": true}"#;
        ("interrupt_on", text.to_owned())
    }

    fn simulate(&self, stored: Option<&str>, seed: u64) -> Box<dyn super::Agent> {
        Box::new(stored.and_then(Agent::from_json).unwrap_or_else(|| Agent::new(self.wire, seed)))
    }

    fn connect(&self, server: &Server) -> Box<dyn Transport> {
        let assistant = server.app.as_deref().unwrap_or_else(|| assistant(self.wire));
        Box::new(countersign_connect::LangGraph::new(server.reach(), assistant))
    }
}

/// The graph of this wire, unless the page's address names another one.
fn assistant(wire: Wire) -> &'static str {
    match wire {
        Wire::LangGraphInterrupt => "human-interrupt",
        Wire::LangGraphPerCall => "per-call",
        _ => "hitl-python",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_graph_with_another_agent_suggests_to_hand_work_over() {
        let count = |wire| LangGraph { wire }.prompts().len();
        let found = [Wire::LangGraphHitl, Wire::LangGraphInterrupt, Wire::LangGraphPerCall].map(count);
        assert_eq!(found, [4, 3, 3]);
    }
}
