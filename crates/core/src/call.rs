//! What the agent wants to run.

use std::fmt;
use std::sync::Arc;

use crate::ids::CallId;
use crate::text::Text;

/// Arguments exactly as the agent sent them.
///
/// # Shape
/// The text of one JSON value, for almost every protocol an object. Kept as text because parsing loses what may
/// matter to the tool: `1.0` and `1`, integers above 2^53, repeated keys, the order of members.
#[derive(Clone, PartialEq, Eq)]
pub struct ArgsText {
    text: Text,
    rounded: bool,
}

impl ArgsText {
    /// The exact text that arrived.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The exact text, to be shared by itself.
    #[must_use]
    pub fn shared(&self) -> Arc<str> {
        Arc::from(self.as_str())
    }

    /// The host handed over a parsed value: integers beyond 2^53 may have been rounded before they came here.
    #[must_use]
    pub fn rounded(mut self, rounded: bool) -> ArgsText {
        self.rounded = rounded;
        self
    }

    /// Whether the text was written from a parsed value.
    #[must_use]
    pub fn is_rounded(&self) -> bool {
        self.rounded
    }
}

impl From<&str> for ArgsText {
    fn from(text: &str) -> ArgsText {
        ArgsText { text: Text::from(text), rounded: false }
    }
}

impl From<String> for ArgsText {
    fn from(text: String) -> ArgsText {
        ArgsText { text: Text::from(text), rounded: false }
    }
}

impl From<Text> for ArgsText {
    fn from(text: Text) -> ArgsText {
        ArgsText { text, rounded: false }
    }
}

impl fmt::Debug for ArgsText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What the arguments of a tool must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Argument {
    /// A JSON object of named arguments.
    #[default]
    Object,
    /// An object, but the agent may show something else, such as `null`; an edit is an object.
    Shown,
    /// Any JSON value: some wires carry positional arguments.
    Any,
    /// Positional arguments alone: the message has no room for named ones, with which the call may run too.
    Positional,
}

/// One call of a tool, as the agent proposed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The agent's id of this call, where there is one.
    pub id: Option<CallId>,
    /// The tool's name, verbatim.
    pub tool: Text,
    /// The arguments that will run.
    pub args: ArgsText,
    /// Some of them are given without their names: alone as a list, or as `args` beside those with names as `kwargs`.
    pub positional: bool,
    /// The MCP server or toolset that owns the tool, where the wire says so.
    pub server: Option<Arc<str>>,
    /// The agents that led to this call, outermost first.
    pub agent: Arc<[Arc<str>]>,
}

impl ToolCall {
    /// A call of which nothing else is known.
    #[inline(always)]
    #[must_use]
    pub fn new(tool: impl Into<Text>, args: impl Into<ArgsText>) -> ToolCall {
        let (tool, args) = (tool.into(), args.into());
        ToolCall { id: None, tool, args, positional: false, server: None, agent: Arc::default() }
    }
}
