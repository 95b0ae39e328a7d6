//! What ADK sends: events, lists of events and sessions, and what stands in them.

use countersign_core::{CallId, RequestId, Source};
use countersign_json::{Value, names};

use crate::confirmation::{CONFIRMATION, INTERNAL};
use crate::reading::{is, shared};

/// Whether this value is something that ADK's own server sends.
pub(super) fn recognises(root: Value<'_>, looked_at: usize) -> bool {
    if root.is_array() {
        return root.items().take(looked_at).any(is_sure);
    }
    if is_sure(root) {
        return true;
    }
    let [events, app, user, updated, kind, rpc] =
        root.named(names!["events", "appName", "userId", "lastUpdateTime", "kind", "jsonrpc"]);
    let is_named = app.is_some() || user.is_some() || updated.is_some();
    let is_other = kind.is_some() || rpc.is_some();
    events.is_some_and(|events| {
        !is_other
            && events.is_array()
            && ((is_named && events.is_empty()) || events.items().take(looked_at).any(is_sure))
    })
}

/// An event that no other family could have sent.
fn is_sure(value: Value<'_>) -> bool {
    let [invocation, author, kind, rpc] = value.named(names!["invocationId", "author", "kind", "jsonrpc"]);
    invocation.is_some() && author.is_some() && kind.is_none() && rpc.is_none()
}

/// One event.
#[derive(Clone, Copy)]
pub(super) struct Event<'a> {
    pub(super) id: Option<Value<'a>>,
    /// The agent that speaks; none if a person does.
    pub(super) agent: Option<Value<'a>>,
    /// A person's message; the role says nothing, for what tools return has the same one.
    pub(super) is_from_user: bool,
    /// A piece of a stream that is never stored; the whole follows.
    pub(super) is_partial: bool,
    pub(super) parts: Option<Value<'a>>,
    pub(super) actions: Option<Value<'a>>,
    /// The run that made it.
    pub(super) invocation: Option<Value<'a>>,
    /// Which sub-agents it came through, joined by dots: names, or `<tool>@<id of the call>` (2.x).
    pub(super) branch: Option<Value<'a>>,
    /// Why that run broke off.
    pub(super) error: Option<Value<'a>>,
}

impl<'a> Event<'a> {
    /// Reads an event; `None` for what has nothing of one.
    pub(super) fn new(value: Value<'a>) -> Option<Event<'a>> {
        let [id, author, content, actions, partial, invocation, branch, code, words] = value.named(names![
            "id",
            "author",
            "content",
            "actions",
            "partial",
            "invocationId",
            "branch",
            "errorCode",
            "errorMessage",
        ]);
        if author.is_none() && content.is_none() && actions.is_none() && invocation.is_none() {
            return None;
        }
        let is_from_user = is(author, "user");
        Some(Event {
            id,
            agent: author.filter(|_| !is_from_user),
            is_from_user,
            is_partial: partial.and_then(Value::as_bool) == Some(true),
            parts: content.and_then(|content| content.get("parts")),
            actions,
            invocation,
            branch,
            error: words
                .filter(|words| words.is_string())
                .or(code)
                .filter(|_| content.is_none_or(Value::is_null)),
        })
    }

    /// The message of a person, as the host sends it.
    pub(super) fn from_host(message: Value<'a>) -> Option<Event<'a>> {
        let parts = message.get("parts").filter(|parts| parts.is_array());
        parts.is_some().then_some(Event {
            id: None,
            agent: None,
            is_from_user: true,
            is_partial: false,
            parts,
            actions: None,
            invocation: None,
            branch: None,
            error: None,
        })
    }

    /// The calls of which the event itself says that they wait for a person, whatever their tools returned meanwhile.
    pub(super) fn requested(&self) -> Option<Value<'a>> {
        self.actions?.get("requestedToolConfirmations")
    }

    /// The calls that wait for a credential, whatever their tools returned meanwhile.
    pub(super) fn unauthorised(&self) -> Option<Value<'a>> {
        self.actions?.get("requestedAuthConfigs")
    }

    /// The run that it takes back, with everything from its first event up to this one.
    pub(super) fn rewound(&self) -> Option<Value<'a>> {
        self.actions?.get("rewindBeforeInvocationId").filter(|run| run.is_string())
    }
}

/// What a function call or response is about, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// A tool.
    Tool,
    /// A confirmation.
    Confirmation,
    /// Something else that ADK asks for by a call of its own: credentials, input.
    Internal,
}

/// Sorts names.
pub(super) fn name(value: Option<Value<'_>>) -> Name {
    let Some(name) = value.and_then(Value::as_str_lossy) else { return Name::Tool };
    match name.as_ref() {
        CONFIRMATION => Name::Confirmation,
        name if name.starts_with(INTERNAL) => Name::Internal,
        _ => Name::Tool,
    }
}

/// The id of a call.
pub(super) fn call_id(source: &Source, value: Option<Value<'_>>) -> Option<CallId> {
    shared(source, value).map(CallId::from)
}

/// The id of a request.
pub(super) fn request_id(source: &Source, value: Option<Value<'_>>) -> Option<RequestId> {
    shared(source, value).map(RequestId::from)
}
