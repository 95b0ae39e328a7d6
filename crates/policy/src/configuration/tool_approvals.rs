//! `tool_approvals`: a tool's name to whether it needs approval, for the tools of a list.

use countersign_core::Ruling;
use countersign_json::{Value, Writer};

use crate::read::{Read, flag, flags, lists, member, object, strings, write_flags};

/// The entries that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolApprovals {
    entries: Vec<(String, bool)>,
    /// The tools, where they are listed.
    tools: Option<Vec<String>>,
}

impl ToolApprovals {
    pub(super) fn read(value: Value<'_>) -> Read<ToolApprovals> {
        let root = object(value)?;
        let (mut listed, mut tools) = (false, Vec::new());
        for list in ["tools", "enabled_tools"] {
            listed |= member(root, list).is_some();
            tools.extend(strings(root, list)?);
        }
        let mut entries = flags(root, "tool_approvals")?;
        entries.retain(|(tool, _)| !listed || lists(&tools, tool));
        Ok(ToolApprovals { entries, tools: listed.then_some(tools) })
    }

    pub(super) fn opinion(&self, tool: &str) -> Option<Ruling> {
        flag(&self.entries, tool).map(|needs| if needs { Ruling::Ask } else { Ruling::Allow })
    }

    /// Whether an entry for the tool would count.
    pub(super) fn takes(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| lists(tools, tool))
    }

    pub(super) fn each_tool(&self, mut tell: impl FnMut(&str)) {
        self.tools.iter().flatten().for_each(|tool| tell(tool));
        self.entries.iter().for_each(|(tool, _)| tell(tool));
    }

    pub(super) fn normalised(&self) -> String {
        let mut writer = Writer::new();
        write_flags(&mut writer, &self.entries);
        writer.finish()
    }
}
