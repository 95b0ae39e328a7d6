//! What agent frameworks let people configure: which calls are asked about.

mod adalflow;
mod approvals;
pub mod haystack;
mod interrupt_on;
mod require_approval;
mod tool_approvals;

use countersign_core::{Decision, Ruling, ToolCall, Verdict};
use countersign_json::Value;

use crate::ask_policy::{AskPolicy, Remembered};
use crate::error::PolicyError;
use crate::read::{Read, What, fault, rule_name, with_document, word};

pub use approvals::Tools;

use adalflow::Adalflow;
use haystack::Haystack;
use interrupt_on::{InterruptOn, Unnamed};
use require_approval::RequireApproval;
use tool_approvals::ToolApprovals;

/// The configuration of one system, and what it has learned since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    system: &'static str,
    text: String,
    format: Format,
    /// What the policies that ask once remember; never written.
    remembered: Remembered,
    /// Entries that an edit took the place of, by their pointer, for when it is taken back; nothing where there was none.
    /// Never written.
    replaced: Vec<(String, Option<String>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Format {
    Plain(AskPolicy),
    Haystack(Haystack),
    Adalflow(Adalflow),
    InterruptOn(InterruptOn),
    ToolApprovals(ToolApprovals),
    RequireApproval(RequireApproval),
}

/// The names of the systems; the last ones, from [`PLAIN`] on, are those of policies, for all tools.
const SYSTEMS: [&str; 8] = [
    "haystack",
    "adalflow",
    "interrupt_on",
    "tool_approvals",
    "require_approval",
    "always-ask",
    "never-ask",
    "ask-once",
];
const PLAIN: usize = 5;

/// Where a system stands among them.
fn place(system: &str) -> Option<usize> {
    SYSTEMS.iter().position(|known| *known == system)
}

impl Configuration {
    /// Reads the configuration of a system: `haystack`, `adalflow`, `interrupt_on`, `tool_approvals`,
    /// `require_approval`; or one of the names of [`AskPolicy`], for all tools, whatever JSON `text` is.
    ///
    /// # Errors
    /// [`PolicyError`]: what is wrong, and where. Nothing of the text counts then.
    pub fn read(system: &str, text: &str) -> Result<Configuration, PolicyError> {
        let Some(place) = place(system) else {
            return Err(PolicyError { pointer: String::new(), fault: What::UnknownWord(system.to_owned()) });
        };
        with_document(text, |value| Configuration::from_value(place, value))
    }

    /// Reads the members `system` and `config` of an object; the policies for all tools need no `config`.
    pub(crate) fn of(holder: Value<'_>) -> Read<Configuration> {
        let system = word(holder, "system", place)?;
        match holder.get("config") {
            // What stands beside it would be read as the format's own: `"forever": false` as a tool that is free.
            None if system < PLAIN => Err(fault(holder, What::MissingMember("config"))),
            config => Configuration::from_value(system, config.unwrap_or(holder)),
        }
    }

    fn from_value(system: usize, value: Value<'_>) -> Read<Configuration> {
        let name = SYSTEMS.get(system).copied().unwrap_or_default();
        let format = match system {
            0 => Format::Haystack(Haystack::read(value)?),
            1 => Format::Adalflow(Adalflow::read(value)?),
            2 => Format::InterruptOn(InterruptOn::read(value)?),
            3 => Format::ToolApprovals(ToolApprovals::read(value)?),
            4 => Format::RequireApproval(RequireApproval::read(value)?),
            _ => Format::Plain(AskPolicy::named(name).unwrap_or_default()),
        };
        let (text, remembered) = (value.text().to_owned(), Remembered::default());
        Ok(Configuration { system: name, text, format, remembered, replaced: Vec::new() })
    }

    /// The system whose format it is.
    #[must_use]
    pub fn system(&self) -> &'static str {
        self.system
    }

    /// Whether a person is asked, exactly as the format is documented: what it does not name runs unasked, but for
    /// AdalFlow, where it is asked about.
    ///
    /// The arguments, the server and the agent path are those of the call. Never looser than the system itself.
    #[must_use]
    pub fn should_ask(&self, call: &ToolCall) -> Verdict {
        let unnamed = || Verdict::new(Ruling::Allow, rule_name(&[self.system, "unnamed"]));
        self.judged(call, true, Unnamed::Outermost).unwrap_or_else(unnamed)
    }

    /// The stricter reading, for requests that a backend asks about all the same: `None` where the configuration
    /// itself says nothing about the call, so that silence permits nothing.
    ///
    /// `remembers`: whether what was approved once before counts.
    #[must_use]
    pub fn opinion(&self, call: &ToolCall, remembers: bool) -> Option<Verdict> {
        self.judged(call, remembers, Unnamed::Anyone)
    }

    fn judged(&self, call: &ToolCall, remembers: bool, unnamed: Unnamed) -> Option<Verdict> {
        let (mut offers, mut policy) = (None, "");
        let (ruling, rule) = match &self.format {
            Format::Plain(plain) => (self.asks(*plain, call, remembers), "every tool"),
            Format::Haystack(haystack) => {
                let (key, of_key) = haystack.policy(&call.tool)?;
                policy = of_key.as_str();
                (self.asks(of_key, call, remembers), key)
            }
            Format::Adalflow(adalflow) => adalflow.opinion(&call.tool),
            Format::InterruptOn(interrupt_on) => {
                let ruling;
                (ruling, offers) = interrupt_on.opinion(call, unnamed)?;
                (ruling, call.tool.as_ref())
            }
            Format::ToolApprovals(approvals) => (approvals.opinion(&call.tool)?, call.tool.as_ref()),
            Format::RequireApproval(require) => (require.opinion(call)?, call.tool.as_ref()),
        };
        let parts = [self.system, rule, policy];
        let named = if policy.is_empty() { parts.get(..2) } else { parts.get(..) };
        Some(Verdict { offers, ..Verdict::new(ruling, rule_name(named.unwrap_or_default())) })
    }

    fn asks(&self, policy: AskPolicy, call: &ToolCall, remembers: bool) -> Ruling {
        let nothing = Remembered::default();
        policy.should_ask(call, if remembers { &self.remembered } else { &nothing })
    }

    /// Whether it has learned what ends with the conversation: what was approved once.
    #[must_use]
    pub fn remembers(&self) -> bool {
        !self.remembered.is_empty()
    }

    /// Another conversation begins: what was approved once counts no more.
    pub fn forget(&mut self) {
        self.remembered = Remembered::default();
    }

    /// Learns what a person decided on a call.
    pub fn update_after_confirmation(&mut self, call: &ToolCall, decision: &Decision) {
        let policy = match &mut self.format {
            Format::Plain(policy) => Some(*policy),
            Format::Haystack(haystack) => haystack.policy(&call.tool).map(|(_, policy)| policy),
            Format::Adalflow(adalflow) => return adalflow.update_after_confirmation(&call.tool, decision),
            _ => return,
        };
        if policy == Some(AskPolicy::AskOnce) {
            self.remembered.update_after_confirmation(call, decision);
        }
    }

    /// Unlearns an approval that did not count after all.
    pub fn take_back(&mut self, call: &ToolCall, decision: &Decision) {
        match &mut self.format {
            Format::Adalflow(adalflow) => adalflow.take_back(&call.tool, decision),
            _ if matches!(decision, Decision::Approve { .. }) => self.remembered.take_back(call),
            _ => {}
        }
    }

    /// The configuration as it is now, as JSON text: as it was read, with what was granted for good since.
    #[must_use]
    pub fn write(&self) -> String {
        match &self.format {
            Format::Adalflow(adalflow) if adalflow.has_learned() => adalflow.write_into(&self.text),
            _ => self.text.clone(),
        }
    }

    /// The configuration in its shortest form, as JSON text: every member in its own type, aliases resolved.
    #[must_use]
    pub fn normalised(&self) -> String {
        match &self.format {
            Format::Plain(_) | Format::Haystack(_) => self.text.clone(),
            Format::Adalflow(adalflow) => adalflow.normalised(),
            Format::InterruptOn(interrupt_on) => interrupt_on.normalised(),
            Format::ToolApprovals(approvals) => approvals.normalised(),
            Format::RequireApproval(require) => require.normalised(),
        }
    }
}
