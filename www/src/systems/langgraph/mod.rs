//! LangGraph's agent server, with the three ways in which its agents ask.

pub mod agent;
#[cfg(test)]
mod round_trip;
mod summary;
mod transcript;
mod transport;

use countersign_json::{Document, Limits, quote};

use super::script::APPROVALS;
use super::{System, Transport, Wire, Words};
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
        error_in(text)
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
        Box::new(transport::Threads::new(self.wire, server.clone()))
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

/// The sentence of a run that failed: the part `error` of its stream.
fn error_in(text: &str) -> Option<String> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    let [event, data] = document.root().pick(["event", "data"]);
    let data = data.filter(|_| event.is_some_and(|event| event.equals("error")))?;
    let [message, class] = data.pick(["message", "error"]);
    Some(message.or(class).unwrap_or(data).as_str_lossy().unwrap_or_default().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_from_everything_else() {
        let check = |text, expected: Option<&str>| assert_eq!(error_in(text).as_deref(), expected, "{text}");
        check(
            r#"{"event":"error","data":{"error":"RuntimeError","message":"it failed"}}"#,
            Some("it failed"),
        );
        check(r#"{"event":"error","data":{"error":"RuntimeError"}}"#, Some("RuntimeError"));
        check(r#"{"event":"values","data":{"error":"x"}}"#, None);
        check(r#"[{"values":{},"tasks":[{"error":"x"}]}]"#, None);
    }

    #[test]
    fn only_the_graph_with_another_agent_suggests_to_hand_work_over() {
        let count = |wire| LangGraph { wire }.prompts().len();
        let found = [Wire::LangGraphHitl, Wire::LangGraphInterrupt, Wire::LangGraphPerCall].map(count);
        assert_eq!(found, [4, 3, 3]);
    }
}
