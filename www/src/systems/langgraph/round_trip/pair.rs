//! A person's page and the agent behind it.

use countersign_core::{Decision, Millis, RequestView};
use countersign_yew::Intent;

use super::super::agent::Agent;
use crate::backend::Fault;
use crate::shell::Shell;
use crate::systems::{Agent as _, Wire, Words};

pub(super) const NOW: Millis = Millis(1_795_190_359_000);
pub(super) const HITL: Wire = Wire::LangGraphHitl;
pub(super) const HUMAN: Wire = Wire::LangGraphInterrupt;
pub(super) const PER_CALL: Wire = Wire::LangGraphPerCall;
pub(super) const ALL: [Wire; 3] = [HITL, HUMAN, PER_CALL];

/// A person's page and the agent behind it.
pub(super) struct Pair {
    pub wire: Wire,
    pub agent: Agent,
    pub shell: Shell,
}

impl Pair {
    pub(super) fn new(wire: Wire) -> Pair {
        Pair { wire, agent: Agent::new(wire, 1), shell: Shell::new(wire, "seed", Millis(0)) }
    }

    pub(super) fn say(&mut self, text: &str) {
        let words = Words { id: "u", conversation: "t", waiting: None, text, now: NOW };
        let message = self.wire.system().words(&words);
        self.post(&message).expect("words are taken");
    }

    pub(super) fn post(&mut self, message: &str) -> Result<(), Fault> {
        for part in self.agent.send("t", message, NOW)? {
            self.shell.receive(&part, NOW);
            assert_eq!(self.shell.notice(), None, "{part}");
        }
        Ok(())
    }

    /// Decides the card at this place, and sends what is due.
    pub(super) fn decide(&mut self, place: usize, decision: Decision) {
        self.draft(place, decision);
        assert_eq!(self.shell.notice(), None);
        self.send_due();
    }

    pub(super) fn send_due(&mut self) {
        for outbound in self.shell.take_outbound() {
            self.shell.delivered(outbound.id.clone(), NOW);
            self.post(&outbound.body).expect("the answer fits");
        }
    }

    pub(super) fn draft(&mut self, place: usize, decision: Decision) {
        let view = self.view(place);
        let intent = Intent::Decide { request: view.id.clone(), decision, seen: view.args_digest.clone() };
        self.shell.act(intent, NOW);
    }

    pub(super) fn view(&self, place: usize) -> RequestView {
        RequestView::clone(&self.shell.views()[place])
    }

    /// Another page with the same thread.
    pub(super) fn other_page(&self) -> Shell {
        let mut other = Shell::new(self.wire, "other", Millis(0));
        other.restore(&self.agent.history("t").expect("a thread"), NOW);
        assert_eq!(other.notice(), None);
        other
    }

    /// The cards as `tool status`, also as a reload shows them: both must be the same, but that nothing on the wire
    /// tells who wrote the outcome of a tool that asks for itself.
    pub(super) fn cards(&self) -> Vec<String> {
        let live = lines(&self.shell);
        let known = |line: &String| match (self.wire, line.split_once(' ')) {
            (HUMAN, Some((tool, "completed" | "rejected" | "responded"))) => format!("{tool} unknown"),
            _ => line.clone(),
        };
        assert_eq!(live.iter().map(known).collect::<Vec<_>>(), lines(&self.other_page()), "after a reload");
        live
    }

    /// What ran, as `tool arguments`.
    pub(super) fn executed(&self) -> Vec<String> {
        self.agent.executed().iter().map(|call| format!("{} {}", call.tool, call.args)).collect()
    }

    /// Whether the model was told these words.
    pub(super) fn told(&self, words: &str) -> bool {
        self.agent.history("t").is_some_and(|history| history.contains(&countersign_json::quote(words)))
    }
}

/// The cards of a page as `tool status`.
pub(super) fn lines(shell: &Shell) -> Vec<String> {
    shell.views().iter().map(|view| format!("{} {}", view.tool, view.status.as_str())).collect()
}
