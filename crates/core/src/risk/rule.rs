//! A host's own reason for care.

use std::sync::Arc;

use countersign_json::{Value, items};

use super::RiskLevel;
use crate::call::ToolCall;
use crate::constraint::Constraint;

/// A host's own reason for care; it can raise the level of a call, never lower it.
#[derive(Clone, Debug, PartialEq)]
pub struct RiskRule {
    /// The tool; `None`: any.
    pub tool: Option<Arc<str>>,
    /// The server that owns the tool; `None`: any.
    pub server: Option<Arc<str>>,
    /// What the arguments must be. All of it.
    pub args: Vec<Constraint>,
    /// The level of calls that fit.
    pub level: RiskLevel,
    /// Why, for people.
    pub reason: Arc<str>,
}

impl RiskRule {
    /// Whether the rule is about this call.
    pub(super) fn fits(&self, call: &ToolCall, args: Option<Value<'_>>) -> bool {
        self.tool.as_ref().is_none_or(|tool| call.tool == **tool)
            // A server that the wire does not name may be this one.
            && (self.server.is_none() || call.server.is_none() || self.server == call.server)
            && self.args.iter().all(|Constraint { pointer, test }| {
                let found = args.and_then(|args| args.pointer(pointer));
                let positional = args.filter(|_| call.positional);
                let named = positional.and_then(|args| args.get("kwargs")?.pointer(pointer));
                // Without its name it may be any of the list.
                let list = positional.filter(|_| named.is_none()).map(|args| args.get("args").unwrap_or(args));
                let unnamed = items(list);
                let unnamed = unnamed.filter_map(|value| value.pointer(below_first(pointer)));
                let mut places = found.into_iter().chain(named).chain(unnamed);
                places.any(|value| test.is_met(Some(value), false))
                    || test.is_met(found.or(named), false)
                    || [found, named].into_iter().any(|value| test.is_unclear(value))
            })
    }
}

/// The pointer without its first token.
fn below_first(pointer: &str) -> &str {
    let next = pointer.bytes().skip(1).position(|byte| byte == b'/');
    next.and_then(|next| pointer.get(next + 1..)).unwrap_or_default()
}
