//! Lasting permissions and configured approvals, as people see them: plain values between a rulebook and an interface.

use std::sync::Arc;

use crate::decision::GrantScope;
use crate::ids::Millis;
use crate::view::RequestView;

/// How long a permission lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrantSpan {
    /// As long as the task, thread or session that it is given in.
    #[default]
    Session,
    /// So long from now on, in any session.
    For(Millis),
    /// Without an end, in any session. Only where the host lets it count.
    Forever,
}

/// What a person chose to allow, before it is written out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantWish {
    /// The scoped id of the request that it is given on.
    pub request: String,
    /// How far it reaches.
    pub scope: GrantScope,
    /// Where values of the arguments must stay as they are, as JSON Pointers; looked at where the scope is a tool.
    pub pins: Vec<String>,
    /// How long it lasts.
    pub span: GrantSpan,
}

/// The literal grant that a wish comes to, and what else it would approve at once.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantDraft {
    /// What would be kept.
    pub grant: GrantView,
    /// The other calls that wait and are covered, as they stand now.
    pub siblings: Vec<RequestView>,
}

/// A grant, as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantView {
    /// Its id.
    pub id: String,
    /// How far it reaches.
    pub scope: GrantScope,
    /// The one tool; `None`: any. Untrusted.
    pub tool: Option<String>,
    /// The server. Untrusted.
    pub server: Option<String>,
    /// The agents that lead to the call, outermost first; empty: any. Untrusted.
    pub agent: Vec<String>,
    /// The digest of the schema that the tool declared.
    pub schema_digest: Option<String>,
    /// The one task, thread or session; `None`: any. Untrusted.
    pub session: Option<String>,
    /// What the arguments must be. Untrusted.
    pub args: Vec<GrantArgument>,
    /// When it was given.
    pub created_at: Millis,
    /// When it ends; `None`: never, or with its session.
    pub expires_at: Option<Millis>,
    /// When it was taken back.
    pub revoked_at: Option<Millis>,
    /// It counts, or will where the clock was ahead when it was given: not over, not taken back.
    pub in_force: bool,
    /// All of it, literally: the JSON text that is kept.
    pub text: Arc<str>,
}

/// What one place of the arguments must be for a grant to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantArgument {
    /// Where, as a JSON Pointer; empty: the arguments as a whole.
    pub pointer: String,
    /// How it is compared.
    pub test: GrantTest,
    /// With what: JSON text, or the beginning of a text; empty where nothing must stand there.
    pub value: String,
}

/// How a grant compares a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantTest {
    /// It is this one.
    Equals,
    /// It is one of these.
    OneOf,
    /// It is a text that begins so.
    Prefix,
    /// It is a text in which this stands.
    Contains,
    /// It is a number above this one.
    Above,
    /// Nothing stands there.
    Absent,
}

/// A tool, and whether its calls are asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolApproval {
    /// The tool's name. Untrusted.
    pub name: String,
    /// What it says it does. Untrusted.
    pub description: Option<String>,
    /// Its server. Untrusted.
    pub server: Option<String>,
    /// The path of the agent that has it, outermost first. Untrusted.
    pub agent: Vec<String>,
    /// The JSON Schema of its arguments, as JSON text. Untrusted.
    pub schema: Option<String>,
    /// What happens to its calls.
    pub gate: Gate,
    /// The configuration can say otherwise for this tool alone.
    pub changeable: bool,
}

/// What happens to the calls of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// They run unasked.
    Open,
    /// A person is asked about each.
    #[default]
    Asks,
    /// A person is asked until one was approved with equal arguments.
    AsksOnce,
    /// They are refused.
    Denied,
}
