//! Which tools of a simulated agent ask first: a configuration in the format of its system.

use countersign_core::{Gate, ToolApproval};
use countersign_policy::Configuration;

use super::script::call::Proposal;
use super::script::plan::{Step, plan};

/// The tools that a person may let run unasked, or not, and what they do.
const TOOLS: [(&str, &str); 4] = [
    ("read_file", "Reads one file."),
    ("delete_file", "Deletes one file."),
    ("send_email", "Sends an e-mail."),
    ("transfer_funds", "Transfers money."),
];

/// Which tools ask first. Without a configuration all do but the one that reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gates(Option<Configuration>);

impl Gates {
    /// The gates of a configuration, given as JSON text; one that cannot be read counts as none.
    #[must_use]
    pub fn read(format: &str, text: &str) -> Gates {
        Gates(Configuration::read(format, text).ok())
    }

    /// Every tool, and what happens to its calls.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolApproval> {
        let named = self.0.as_ref().map(Configuration::tools).unwrap_or_default();
        let tool = |(name, does): &(&str, &str)| {
            let known = named.iter().find(|tool| tool.name == *name).cloned();
            let mut tool =
                known.unwrap_or_else(|| ToolApproval { name: (*name).to_owned(), ..ToolApproval::default() });
            tool.description = Some((*does).to_owned());
            match &self.0 {
                Some(configuration) => configuration.survey(&mut tool),
                None if *name == "read_file" => tool.gate = Gate::Open,
                None => {}
            }
            tool
        };
        TOOLS.iter().map(tool).collect()
    }

    /// The gates in which calls of the tool at this place are asked about, or run unasked; `None`: the configuration has
    /// no way to say so.
    #[must_use]
    pub fn with_approval(&self, at: usize, asks: bool) -> Option<Gates> {
        let tools = self.tools();
        let changed = self.0.as_ref()?.with_approval(tools.get(at)?, asks)?;
        Some(Gates(Some(changed)))
    }

    /// The configuration as JSON text; empty without one.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.as_ref().map(Configuration::write).unwrap_or_default()
    }

    /// What the agent does with a person's words, behind these gates.
    #[must_use]
    pub(crate) fn plan(&self, text: &str) -> Vec<Step> {
        let tools = self.tools();
        let asks = |call: &Proposal| {
            let known = tools.iter().find(|tool| tool.name == call.tool);
            known.is_none_or(|tool| tool.gate != Gate::Open)
        };
        let mut steps = Vec::new();
        for step in plan(text) {
            let (Step::Run { says, calls } | Step::Gated { says, calls }) = step else {
                steps.push(step);
                continue;
            };
            let (gated, free): (Vec<_>, Vec<_>) = calls.into_iter().partition(asks);
            let both = !gated.is_empty() && !free.is_empty();
            let then = if both { "The rest has to wait for you.".to_owned() } else { says.clone() };
            if !free.is_empty() {
                steps.push(Step::Run { says, calls: free });
            }
            if !gated.is_empty() {
                steps.push(Step::Gated { says: then, calls: gated });
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::Wire;

    /// The tools of each step, gated ones after `?`.
    fn steps(gates: &Gates, text: &str) -> Vec<String> {
        let word = |step: Step| match step {
            Step::Run { calls, .. } => {
                calls.iter().map(|call| call.tool.clone()).collect::<Vec<_>>().join("+")
            }
            Step::Gated { calls, .. } => {
                ["?", &calls.iter().map(|call| call.tool.clone()).collect::<Vec<_>>().join("+")].concat()
            }
            _ => "else".to_owned(),
        };
        gates.plan(text).into_iter().map(word).collect()
    }

    #[test]
    fn every_wire_has_a_configuration_that_says_what_its_agent_does_anyway() {
        let text = "read then delete then email then transfer";
        for wire in Wire::ALL {
            let (format, text_of_it) = wire.system().configuration();
            let gates = Gates::read(format, &text_of_it);
            assert_eq!(gates.text(), text_of_it, "{}", wire.name());
            assert_eq!(steps(&gates, text), ["read_file", "?delete_file+send_email+transfer_funds"]);
            assert_eq!(steps(&gates, text), steps(&Gates::default(), text));
        }
    }

    #[test]
    fn a_switch_takes_effect_in_every_format() {
        let text = "read then delete then email";
        for wire in Wire::ALL {
            let (format, configuration) = wire.system().configuration();
            let gates = Gates::read(format, &configuration);
            assert!(gates.tools().iter().all(|tool| tool.changeable), "{}", wire.name());
            let free = gates.with_approval(1, false).unwrap();
            assert_eq!(steps(&free, text), ["read_file", "delete_file", "?send_email"], "{}", wire.name());
            let strict = gates.with_approval(0, true).unwrap();
            assert_eq!(steps(&strict, text), ["?read_file", "?delete_file+send_email"], "{}", wire.name());
            assert_eq!(Gates::read(format, &strict.text()), strict);
        }
    }
}
