//! The messages of the wire, and the chat messages inside them.

use countersign_core::Millis;
use countersign_json::Writer;

use super::TIMEOUT;
use super::run::{Asked, Decided};
use super::tools;
use crate::systems::script::call::Call;

/// The version of the framework that is simulated.
const VERSION: &str = "3.4.0";

/// What a new connection is told first.
pub(super) fn hello(client: &str) -> String {
    let mut writer = begun("hello");
    writer.key("system").string("haystack").key("version").string(VERSION);
    ended(writer.key("client_id").string(client))
}

/// A person is asked about a call.
pub(super) fn request(asked: &Asked, id: &str) -> String {
    let call = &asked.call;
    let mut writer = begun("approval_request");
    writer.key("id").string(id).key("tool_name").string(&call.tool);
    writer.key("tool_description").string(tools::description(&call.tool));
    writer.key("tool_params").raw(&call.args).key("tool_call_id").string(&call.id);
    writer.key("parameters").raw(&tools::schema(&call.tool));
    writer.key("allowed_actions").raw(r#"["confirm","reject","modify"]"#);
    writer.key("created_at").raw(&seconds(asked.created));
    ended(writer.key("timeout_s").raw(&TIMEOUT.to_string()))
}

/// A request has ended.
pub(super) fn resolved(id: &str, action: &str, reason: &str) -> String {
    let mut writer = begun("approval_resolved");
    writer.key("id").string(id).key("action").string(action);
    ended(writer.key("reason").string(reason))
}

/// An answer was not taken; `detail` is JSON text.
pub(super) fn refused(id: Option<&str>, status: u16, detail: &str) -> String {
    let mut writer = begun("approval_error");
    writer.key("id");
    nullable(&mut writer, id);
    ended(writer.key("status").raw(&status.to_string()).key("detail").raw(detail))
}

/// What becomes of a call.
pub(super) fn decision(call: &Call, decided: &Decided) -> String {
    let mut writer = begun("tool_execution_decision");
    writer.key("tool_name").string(&call.tool).key("execute").bool(decided.args.is_some());
    writer.key("tool_call_id").string(&call.id).key("feedback");
    nullable(&mut writer, decided.feedback.as_deref());
    ended(writer.key("final_tool_params").raw(decided.args.as_deref().unwrap_or("null")))
}

/// A run is over, with the conversation as the library writes it.
pub(super) fn finished(messages: &[String]) -> String {
    let mut writer = begun("run_finished");
    ended(writer.key("messages").raw(&format!("[{}]", messages.join(","))))
}

/// A run broke off.
pub(super) fn failed(error: &str) -> String {
    ended(begun("run_failed").key("error").string(error))
}

/// A chat message with words alone.
pub(super) fn words(role: &str, text: &str) -> String {
    message(role, &[text_part(text)])
}

/// A chat message in which the model calls tools.
pub(super) fn calls(says: &str, calls: &[Call]) -> String {
    let made = calls.iter().map(|call| format!(r#"{{"tool_call":{}}}"#, tool_call(call)));
    message("assistant", &std::iter::once(text_part(says)).chain(made).collect::<Vec<_>>())
}

/// A chat message with what a tool answered.
pub(super) fn outcome(call: &Call, result: &str, error: bool) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("tool_call_result").begin_object().key("result").string(result);
    writer.key("origin").raw(&tool_call(call)).key("error").bool(error).end_object().end_object();
    message("tool", &[writer.finish()])
}

fn message(role: &str, parts: &[String]) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("role").string(role).key("meta").raw("{}").key("name").null();
    ended(writer.key("content").raw(&format!("[{}]", parts.join(","))))
}

fn text_part(text: &str) -> String {
    ended(Writer::new().begin_object().key("text").string(text))
}

fn tool_call(call: &Call) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("tool_name").string(&call.tool).key("arguments").raw(&call.args);
    ended(writer.key("id").string(&call.id).key("extra").null())
}

fn begun(kind: &str) -> Writer {
    let mut writer = Writer::new();
    writer.begin_object().key("type").string(kind);
    writer
}

fn ended(writer: &mut Writer) -> String {
    writer.end_object();
    std::mem::take(writer).finish()
}

fn nullable(writer: &mut Writer, text: Option<&str>) {
    match text {
        Some(text) => writer.string(text),
        None => writer.null(),
    };
}

/// A moment in seconds, as Python writes it.
fn seconds(moment: Millis) -> String {
    format!("{}.{:03}", moment.0 / 1_000, moment.0 % 1_000)
}
