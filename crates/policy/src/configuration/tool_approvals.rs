//! `tool_approvals`: a tool's name to whether it needs approval, for the tools of a list.

use countersign_core::Ruling;
use countersign_json::{Value, Writer};

use crate::read::{Flags, Names, Read, member, object, strings};

/// The entries that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolApprovals {
    entries: Flags,
    /// The tools, where they are listed.
    tools: Option<Names>,
}

impl ToolApprovals {
    pub(super) fn read(value: Value<'_>) -> Read<ToolApprovals> {
        let root = object(value)?;
        let (mut listed, mut tools) = (false, Names::default());
        for list in ["tools", "enabled_tools"] {
            listed |= member(root, list).is_some();
            tools = tools.with(strings(root, list)?);
        }
        let entries = Flags::read(root, "tool_approvals")?;
        Ok(match listed {
            true => ToolApprovals { entries: entries.of(&tools), tools: Some(tools) },
            false => ToolApprovals { entries, tools: None },
        })
    }

    pub(super) fn opinion(&self, tool: &str) -> Option<Ruling> {
        self.entries.get(tool).map(|needs| if needs { Ruling::Ask } else { Ruling::Allow })
    }

    /// Whether an entry for the tool would count.
    pub(super) fn takes(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.has(tool))
    }

    pub(super) fn each_tool(&self, mut tell: impl FnMut(&str)) {
        self.tools.iter().flat_map(Names::list).chain(self.entries.tools()).for_each(|tool| tell(tool));
    }

    pub(super) fn normalised(&self) -> String {
        let mut writer = Writer::new();
        self.entries.write(&mut writer);
        writer.finish()
    }
}
