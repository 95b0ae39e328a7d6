//! AdalFlow's permission manager: modes, tools that need approval, tools that are always allowed or blocked.

use countersign_core::{Decision, GrantScope, Ruling};
use countersign_json::{Value, Writer, shallow_merge};

use crate::read::{Flags, Names, Read, object, write_strings};

/// What the permission manager knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Adalflow {
    mode: Mode,
    require_approval: Flags,
    always_allowed: Names,
    blocked: Names,
    /// The tools that people have allowed for good since, as often as they did.
    learned: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Default,
    AutoApprove,
    Yolo,
}

impl Mode {
    fn as_str(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::AutoApprove => "auto_approve",
            Mode::Yolo => "yolo",
        }
    }
}

impl Adalflow {
    pub(super) fn read(value: Value<'_>) -> Read<Adalflow> {
        let root = object(value)?;
        let is = |mode: &Mode| root.get("approval_mode").is_some_and(|word| word.equals(mode.as_str()));
        let mode = [Mode::Yolo, Mode::AutoApprove].into_iter().find(is).unwrap_or(Mode::Default);
        Ok(Adalflow {
            mode,
            require_approval: Flags::read(root, "require_approval")?,
            always_allowed: Names::read(root, "always_allowed_tools")?,
            blocked: Names::read(root, "blocked_tools")?,
            learned: Vec::new(),
        })
    }

    pub(super) fn opinion<'a>(&'a self, tool: &'a str) -> (Ruling, &'a str) {
        if self.blocked.has(tool) {
            return (Ruling::Deny, "blocked_tools");
        }
        if self.always_allowed.has(tool) || self.learned.iter().any(|learned| learned == tool) {
            return (Ruling::Allow, "always_allowed_tools");
        }
        if self.mode != Mode::Default {
            return (Ruling::Allow, self.mode.as_str());
        }
        match self.require_approval.get(tool) {
            Some(false) => (Ruling::Allow, tool),
            Some(true) => (Ruling::Ask, tool),
            None => (Ruling::Ask, "unregistered"),
        }
    }

    /// Whether the tool's own entry decides.
    pub(super) fn is_changeable(&self, tool: &str) -> bool {
        !self.blocked.has(tool) && self.mode == Mode::Default
    }

    pub(super) fn each_tool(&self, mut tell: impl FnMut(&str)) {
        let allowed = self.always_allowed.list();
        let lists = [self.require_approval.tools(), allowed, &self.learned, self.blocked.list()];
        lists.into_iter().flatten().for_each(|tool| tell(tool));
    }

    pub(super) fn update_after_confirmation(&mut self, tool: &str, decision: &Decision) {
        if is_always(decision) && !self.always_allowed.has(tool) {
            self.learned.push(tool.to_owned());
        }
    }

    pub(super) fn take_back(&mut self, tool: &str, decision: &Decision) {
        let last = self.learned.iter().rposition(|learned| is_always(decision) && learned == tool);
        last.map(|last| self.learned.remove(last));
    }

    pub(super) fn has_learned(&self) -> bool {
        !self.learned.is_empty()
    }

    /// What another one has learned, without this tool.
    pub(super) fn learn_from(&mut self, other: &Adalflow, but: Option<&str>) {
        let kept = other.learned.iter().filter(|tool| Some(tool.as_str()) != but);
        self.learned = kept.cloned().collect();
    }

    /// All tools that are always allowed, each of what was learned once.
    fn allowed(&self) -> Vec<String> {
        let mut tools = self.always_allowed.list().to_vec();
        for tool in &self.learned {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        tools
    }

    /// The text that was read, with the set as it is now.
    pub(super) fn write_into(&self, text: &str) -> String {
        let mut writer = Writer::new();
        writer.begin_object().key("always_allowed_tools");
        write_strings(&mut writer, &self.allowed());
        shallow_merge(text, &writer.finish()).unwrap_or_else(|_| self.normalised())
    }

    pub(super) fn normalised(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_object().key("approval_mode").string(self.mode.as_str());
        writer.key("require_approval");
        self.require_approval.write(&mut writer);
        writer.key("always_allowed_tools");
        write_strings(&mut writer, &self.allowed());
        writer.key("blocked_tools");
        write_strings(&mut writer, self.blocked.list());
        writer.finish()
    }
}

fn is_always(decision: &Decision) -> bool {
    matches!(decision, Decision::Approve { scope: GrantScope::Tool })
}
