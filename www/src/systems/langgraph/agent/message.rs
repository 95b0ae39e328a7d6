//! How LangGraph spells messages and the parts of a stream.

use countersign_json::{Writer, quote};

use crate::systems::script::call::Call;

/// A person's message.
#[must_use]
pub(super) fn human(id: &str, words: &str) -> String {
    let mut writer = begun(words, "human", None, id);
    writer.end_object();
    writer.finish()
}

/// The model's message, with the calls that it makes.
#[must_use]
pub(super) fn ai(id: &str, words: &str, calls: &[Call]) -> String {
    let mut writer = begun(words, "ai", None, id);
    writer.key("tool_calls").begin_array();
    for call in calls {
        writer.begin_object().key("name").string(&call.tool).key("args").raw(&call.args);
        writer.key("id").string(&call.id).key("type").string("tool_call").end_object();
    }
    writer.end_array().key("invalid_tool_calls").raw("[]").key("usage_metadata").null().end_object();
    writer.finish()
}

/// The outcome of a call.
#[must_use]
pub(super) fn tool(id: &str, call: &Call, content: &str, is_error: bool) -> String {
    let mut writer = begun(content, "tool", Some(&call.tool), id);
    writer.key("tool_call_id").string(&call.id).key("artifact").null();
    writer.key("status").string(if is_error { "error" } else { "success" }).end_object();
    writer.finish()
}

fn begun(content: &str, kind: &str, name: Option<&str>, id: &str) -> Writer {
    let mut writer = Writer::new();
    writer.begin_object().key("content").string(content);
    writer.key("additional_kwargs").raw("{}").key("response_metadata").raw("{}").key("type").string(kind);
    match name {
        Some(name) => writer.key("name").string(name),
        None => writer.key("name").null(),
    };
    writer.key("id").string(id);
    writer
}

/// An object whose only member is a list of messages.
#[must_use]
pub(super) fn messages<'m>(list: impl IntoIterator<Item = &'m String>) -> String {
    format!(r#"{{"messages":{}}}"#, array(list))
}

/// The text of an array of these JSON texts.
#[must_use]
pub(super) fn array<'m>(items: impl IntoIterator<Item = &'m String>) -> String {
    let items: Vec<&str> = items.into_iter().map(String::as_str).collect();
    format!("[{}]", items.join(","))
}

/// One part of a stream, as the page gets it: the event's name with its namespace, and its data.
#[must_use]
pub(super) fn part(event: &str, namespace: &str, data: &str) -> String {
    let name = if namespace.is_empty() { event.to_owned() } else { format!("{event}|{namespace}") };
    format!(r#"{{"event":{},"data":{data}}}"#, quote(&name))
}
