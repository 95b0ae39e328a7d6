//! What may stand around tasks, updates and messages.

use countersign_json::Value;

/// One thing that an envelope holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'a> {
    /// A task with its history.
    Task(Value<'a>),
    /// A change of a task's status.
    StatusUpdate(Value<'a>),
    /// A piece of a task's output.
    ArtifactUpdate(Value<'a>),
    /// A message outside a task's history.
    Message(Value<'a>),
    /// The host's own call failed.
    Error(Value<'a>),
}

/// What an envelope holds, in the order of the bytes.
#[derive(Debug, Default)]
pub(super) struct Contents<'a> {
    pub(super) items: Vec<Item<'a>>,
    /// A list whose newest task stands first.
    pub(super) newest_first: bool,
    /// Something that is none of these was found.
    pub(super) strange: bool,
}

/// Whether this value is something that A2A servers send.
pub(super) fn recognises(root: Value<'_>, looked_at: usize) -> bool {
    let body = root.get("result").unwrap_or(root);
    if body.is_array() {
        return body.items().take(looked_at).any(|entry| item(entry).is_some());
    }
    root.get("jsonrpc").is_some() || list(body).is_some() || item(body).is_some()
}

/// Unwraps JSON-RPC, lists and one-ofs.
pub(super) fn contents(root: Value<'_>) -> Contents<'_> {
    let mut contents = Contents::default();
    let is_rpc = root.get("jsonrpc").is_some();
    let error = root.get("error").filter(|error| error.is_object());
    let body = match (root.get("result"), error) {
        (Some(result), _) => result,
        (None, Some(error)) if is_rpc || root.get("code").is_none() => {
            contents.items.push(Item::Error(error));
            return contents;
        }
        _ => root,
    };
    let (listed, newest_first) = match list(body) {
        Some((listed, newest_first)) => (Some(listed), newest_first),
        None => (body.is_array().then_some(body), false),
    };
    contents.newest_first = newest_first;
    match listed {
        Some(listed) => {
            for entry in listed.items() {
                match item(entry) {
                    Some(item) => contents.items.push(item),
                    None => contents.strange = true,
                }
            }
        }
        None => match item(body) {
            Some(item) => contents.items.push(item),
            // A null result, as a cancelled subscription gives, is no message at all.
            None => contents.strange = !body.is_null() && !is_empty_list(body),
        },
    }
    contents
}

/// The tasks of a list, and whether the newest stands first.
fn list(body: Value<'_>) -> Option<(Value<'_>, bool)> {
    if let Some(tasks) = body.get("tasks").filter(|tasks| tasks.is_array()) {
        return Some((tasks, true));
    }
    let is_kagent = body.get("error").is_some_and(|error| error.as_bool().is_some());
    body.get("data").filter(|data| is_kagent && data.is_array()).map(|data| (data, false))
}

/// Whether this is kagent's list of a session without tasks: its server leaves out a list that is empty.
fn is_empty_list(body: Value<'_>) -> bool {
    body.get("error").is_some_and(|error| error.as_bool() == Some(false))
        && body.get("message").is_some_and(Value::is_string)
        && body.get("data").is_none_or(Value::is_null)
}

fn item(value: Value<'_>) -> Option<Item<'_>> {
    if !value.is_object() {
        return None;
    }
    if let Some(kind) = value.get("kind").and_then(|kind| kind.as_str()) {
        match kind.as_ref() {
            "task" => return Some(Item::Task(value)),
            "status-update" => return Some(Item::StatusUpdate(value)),
            "artifact-update" => return Some(Item::ArtifactUpdate(value)),
            "message" => return Some(Item::Message(value)),
            _ => {}
        }
    }
    let member = |name: &str| value.get(name).filter(|member| member.is_object());
    if let Some(task) = member("task") {
        return Some(Item::Task(task));
    }
    if let Some(update) = member("statusUpdate") {
        return Some(Item::StatusUpdate(update));
    }
    if let Some(update) = member("artifactUpdate") {
        return Some(Item::ArtifactUpdate(update));
    }
    if let Some(message) = member("message").filter(|_| value.get("status").is_none()) {
        return Some(Item::Message(message));
    }
    if member("status").is_some_and(|status| status.get("state").is_some()) {
        let is_update = value.get("taskId").is_some() && value.get("id").is_none();
        return Some(if is_update { Item::StatusUpdate(value) } else { Item::Task(value) });
    }
    if member("artifact").is_some() && value.get("taskId").is_some() {
        return Some(Item::ArtifactUpdate(value));
    }
    if value.get("role").is_some() && value.get("messageId").is_some() {
        return Some(Item::Message(value));
    }
    None
}
