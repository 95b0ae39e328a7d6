//! Ask always, never, or once.

use countersign_core::{Decision, OfferKind, Ruling, ToolCall};
use countersign_json::{Document, Limits, Numbers, Value, has_rounded_number, same};

/// When a tool's calls are asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskPolicy {
    /// For every call.
    #[default]
    AlwaysAsk,
    /// For no call.
    NeverAsk,
    /// Unless the last call that was approved as it stood had equal arguments.
    AskOnce,
}

impl AskPolicy {
    /// The policy's name, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            AskPolicy::AlwaysAsk => "always-ask",
            AskPolicy::NeverAsk => "never-ask",
            AskPolicy::AskOnce => "ask-once",
        }
    }

    /// The policy of this name, in kebab case.
    #[must_use]
    pub fn named(name: &str) -> Option<AskPolicy> {
        [AskPolicy::AlwaysAsk, AskPolicy::NeverAsk, AskPolicy::AskOnce]
            .into_iter()
            .find(|policy| policy.as_str() == name)
    }

    /// Whether a person is asked; never a denial.
    #[must_use]
    pub fn should_ask(self, call: &ToolCall, remembered: &Remembered) -> Ruling {
        match self {
            AskPolicy::NeverAsk => Ruling::Allow,
            AskPolicy::AskOnce if remembered.knows(call) => Ruling::Allow,
            _ => Ruling::Ask,
        }
    }
}

/// How many approvals of a tool are kept, so that the last ones can be taken back.
const KEPT: usize = 8;

/// What [`AskPolicy::AskOnce`] remembers: for each tool the last call that was approved as it stood. Never written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The last one of each tool counts.
    approved: Vec<Approved>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Approved {
    tool: String,
    server: Option<String>,
    agent: Vec<String>,
    args: String,
}

impl Remembered {
    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.approved.is_empty()
    }

    /// Whether the remembered call of this tool has the same server, the same agents and equal arguments.
    ///
    /// Numbers are compared by their exact value, the order of members does not count, `true` is not `1`, and
    /// arguments with a key that occurs twice are equal to nothing.
    #[must_use]
    pub fn knows(&self, call: &ToolCall) -> bool {
        let of_tool = |approved: &&Approved| *approved.tool == *call.tool;
        self.approved.iter().rfind(of_tool).is_some_and(|approved| {
            let is_by_same =
                approved.agent.iter().map(String::as_str).eq(call.agent.iter().map(|name| &**name));
            approved.server.as_deref() == call.server.as_deref()
                && is_by_same
                && are_equal(&approved.args, call)
        })
    }

    /// Learns what a person decided: an approval of the call as it stands replaces what was remembered of its tool.
    pub fn update_after_confirmation(&mut self, call: &ToolCall, decision: &Decision) {
        let approves = matches!(decision.kind(), OfferKind::Approve | OfferKind::ApproveAlways);
        // Only a clear text equals itself.
        if !approves || !are_equal(call.args.as_str(), call) {
            return;
        }
        let approved = Approved::of(call);
        let of_tool = |known: &Approved| known.tool == approved.tool;
        if self.approved.iter().filter(|known| of_tool(known)).count() >= KEPT {
            let first = self.approved.iter().position(of_tool);
            first.map(|first| self.approved.remove(first));
        }
        self.approved.push(approved);
    }

    /// Forgets an approval that did not count after all; the one before it is the last one again.
    pub fn take_back(&mut self, call: &ToolCall) {
        let approved = Approved::of(call);
        let last = self.approved.iter().rposition(|known| *known == approved);
        last.map(|last| self.approved.remove(last));
    }
}

impl Approved {
    fn of(call: &ToolCall) -> Approved {
        Approved {
            tool: call.tool.to_string(),
            server: call.server.as_deref().map(str::to_owned),
            agent: call.agent.iter().map(|name| name.as_ref().to_owned()).collect(),
            args: call.args.as_str().to_owned(),
        }
    }
}

/// Whether the call has these arguments; a text in which numbers may have been rounded has no equal.
fn are_equal(args: &str, call: &ToolCall) -> bool {
    let limits = Limits::default();
    let (Ok(one), Ok(other)) = (Document::parse(args, &limits), Document::parse(call.args.as_str(), &limits))
    else {
        return false;
    };
    let rounded = |value: Value<'_>| call.args.is_rounded() && has_rounded_number(value);
    same(one.root(), other.root(), Numbers::Value) && !rounded(other.root())
}
