//! What a host knows of its backend.

use std::sync::Arc;

use countersign_core::Millis;

/// What an adapter may assume beyond what the bytes show.
#[derive(Clone, Debug, Default)]
pub struct AdapterOptions {
    /// `a2a.edits`.
    pub a2a_edits: Edits,
    /// `adk.edits`.
    pub adk_edits: Edits,
    /// `adalflow.*`.
    pub adalflow: AdalflowOptions,
    /// `haystack.{reject,modify,user_feedback}_template`.
    pub haystack: Templates,
    /// `sendDigests`: the digests of the arguments go along with the decisions on them, where the wire has a place.
    pub digests: bool,
}

/// What a host knows of its AdalFlow server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdalflowOptions {
    /// How long the server of the design document waits before it cancels without a word; `None`: for ever.
    pub timeout: Option<Millis>,
    /// Where requests are answered that are known from the stream only.
    pub answer: AdalflowAnswer,
}

impl Default for AdalflowOptions {
    fn default() -> AdalflowOptions {
        AdalflowOptions { timeout: Some(Millis(30_000)), answer: AdalflowAnswer::default() }
    }
}

/// Where requests are answered that are known from AdalFlow's stream only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdalflowAnswer {
    /// Nowhere, until they come on a way that can be answered.
    #[default]
    Nowhere,
    /// At the shipped REST handler.
    ShippedRest,
}

/// How a Haystack backend words what people decided, as Python's `str.format` reads it. `None`: the library's own words.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    /// Of a refusal; `{tool_name}`.
    pub reject: Option<Arc<str>>,
    /// Of an edit; `{tool_name}` and `{final_tool_params}`.
    pub modify: Option<Arc<str>>,
    /// Of words that go with either; `{feedback}`.
    pub user_feedback: Option<Arc<str>>,
}

/// When an edit is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edits {
    /// Only where the request shows that it takes effect.
    #[default]
    Declared,
    /// On every call: the host knows that its gate reads edits.
    Always,
}
