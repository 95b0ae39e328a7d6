//! A host's own reason for care.

use std::sync::Arc;

use countersign_json::{Document, Limits, Numbers, Value, float, same};

use super::RiskLevel;
use crate::call::ToolCall;

/// A host's own reason for care; it can raise the level of a call, never lower it.
#[derive(Clone, Debug, PartialEq)]
pub struct RiskRule {
    /// The tool; `None`: any.
    pub tool: Option<Arc<str>>,
    /// The server that owns the tool; `None`: any.
    pub server: Option<Arc<str>>,
    /// What the arguments must be, each at a JSON Pointer. All of it.
    pub args: Vec<(Arc<str>, ArgsTest)>,
    /// The level of calls that fit.
    pub level: RiskLevel,
    /// Why, for people.
    pub reason: Arc<str>,
}

/// What must stand at a place of the arguments.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ArgsTest {
    /// This value, as JSON text; numbers are compared by their exact value.
    Equals(Arc<str>),
    /// A text that begins with these characters.
    Prefix(Arc<str>),
    /// A text in which these characters stand.
    Contains(Arc<str>),
    /// A number above this one.
    Above(f64),
}

impl RiskRule {
    /// Whether the rule is about this call.
    pub(super) fn fits(&self, call: &ToolCall, args: Option<Value<'_>>) -> bool {
        self.tool.as_ref().is_none_or(|tool| call.tool == **tool)
            // A server that the wire does not name may be this one.
            && (self.server.is_none() || call.server.is_none() || self.server == call.server)
            && self.args.iter().all(|(pointer, test)| {
                let found = args.and_then(|args| args.pointer(pointer));
                let positional = args.filter(|_| call.positional);
                let named = positional.and_then(|args| args.get("kwargs")?.pointer(pointer));
                // Without its name it may be any of the list.
                let list = positional.filter(|_| named.is_none()).map(|args| args.get("args").unwrap_or(args));
                let unnamed = list.into_iter().flat_map(Value::items);
                let unnamed = unnamed.filter_map(|value| value.pointer(below_first(pointer)));
                found.into_iter().chain(named).chain(unnamed).any(|value| test.is_met(value))
            })
    }
}

/// The pointer without its first token.
fn below_first(pointer: &str) -> &str {
    let next = pointer.bytes().skip(1).position(|byte| byte == b'/');
    next.and_then(|next| pointer.get(next + 1..)).unwrap_or_default()
}

impl ArgsTest {
    fn is_met(&self, found: Value<'_>) -> bool {
        let text = || found.as_str_lossy();
        match self {
            ArgsTest::Equals(value) => Document::parse(value, &Limits::default())
                .is_ok_and(|document| same(found, document.root(), Numbers::Value)),
            ArgsTest::Prefix(start) => text().is_some_and(|text| text.starts_with(&**start)),
            ArgsTest::Contains(part) => text().is_some_and(|text| text.contains(&**part)),
            ArgsTest::Above(limit) => {
                let digits =
                    found.as_number().map(str::to_owned).or_else(|| text().map(|text| text.into_owned()));
                digits.and_then(|digits| float(digits.trim())).is_some_and(|number| number > *limit)
            }
        }
    }
}
