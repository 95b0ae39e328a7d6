//! `tool_approvals`: a tool's name to whether it needs approval, for the tools of a list.

use countersign_core::Ruling;
use countersign_json::{Value, Writer};

use crate::read::{Read, flag, flags, lists, member, object, strings, write_flags};

/// The entries that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolApprovals {
    entries: Vec<(String, bool)>,
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
        Ok(ToolApprovals { entries })
    }

    pub(super) fn opinion(&self, tool: &str) -> Option<Ruling> {
        flag(&self.entries, tool).map(|needs| if needs { Ruling::Ask } else { Ruling::Allow })
    }

    pub(super) fn normalised(&self) -> String {
        let mut writer = Writer::new();
        write_flags(&mut writer, &self.entries);
        writer.finish()
    }
}
