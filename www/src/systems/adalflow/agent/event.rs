//! The messages of the wire.

use countersign_core::Millis;
use countersign_json::{Writer, quote};

use super::client::Waiting;
use super::tools;
use crate::systems::script::call::Call;
use crate::systems::script::clock;

/// What the model is told instead of an outcome.
pub(super) const CANCELLED: &str = "Tool execution cancelled by user";

/// A call as the library writes it, with these arguments.
pub(super) fn function(call: &Call, thought: Option<&str>, kwargs: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("id").string(&call.id).key("thought");
    match thought {
        Some(thought) => writer.string(thought),
        None => writer.null(),
    };
    writer.key("name").string(&call.tool).key("args").begin_array().end_array().key("kwargs").raw(kwargs);
    writer.key("_is_answer_final").null().key("_answer").null().end_object();
    writer.finish()
}

/// The end of a run, which the model calls like a tool.
pub(super) fn finish(id: &str, answer: &str) -> String {
    let (id, answer) = (quote(id), quote(answer));
    format!(
        r#"{{"id":{id},"thought":null,"name":"finish","args":[],"kwargs":{{}},"_is_answer_final":true,"_answer":{answer}}}"#
    )
}

/// What the model answered: a call, or nothing and why.
pub(super) fn planned(function: Option<&str>, error: Option<&str>) -> String {
    let error = error.map_or_else(|| "null".to_owned(), quote);
    let data = function.unwrap_or("null");
    format!(r#"{{"input":null,"data":{data},"type":"raw_response_event","error":{error}}}"#)
}

/// An event of the stream.
pub(super) fn item(name: &str, id: &str, kind: &str, data: &str, now: Millis) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("name").string(&format!("agent.{name}")).key("item").begin_object();
    writer.key("id").string(id).key("type").string(kind).key("data").raw(data).key("error").null();
    writer.key("timestamp").string(&clock::timestamp(now)).end_object();
    writer.key("type").string("run_item_stream_event").end_object();
    writer.finish()
}

/// What the stream says about a call that waits.
pub(super) fn permission(call: &Call, function: &str) -> String {
    let (id, tool) = (quote(&call.id), quote(&call.tool));
    format!(r#"{{"id":{id},"tool_name":{tool},"tool":{function},"confirmation_details":null}}"#)
}

/// What the stream says about a call that has ended; `input` is what the model had asked for.
pub(super) fn output(call: &Call, input: &str, output: &str) -> String {
    let tool = quote(&call.tool);
    format!(r#"{{"name":{tool},"input":{input},"parsed_input":null,"output":{output},"error":null}}"#)
}

/// The outcome of a call that was not allowed.
pub(super) fn denied() -> String {
    let words = quote(CANCELLED);
    format!(
        r#"{{"output":{words},"observation":{words},"display":"Permission denied","is_streaming":false,"metadata":null,"status":"cancelled"}}"#
    )
}

/// What the stream says about a step; `function` and `observation` are JSON texts.
pub(super) fn step(number: usize, function: &str, observation: &str) -> String {
    format!(
        r#"{{"step":{number},"planner_prompt":null,"action":{function},"function":{function},"observation":{observation},"ctx":null}}"#
    )
}

/// The request, as the pages of the client get it.
pub(super) fn request(waiting: &Waiting) -> String {
    let call = &waiting.call;
    let mut writer = Writer::new();
    writer.begin_object().key("type").string("approval_request").key("id").string(&call.id);
    writer.key("tool").string(&call.tool).key("args").begin_array().end_array().key("kwargs").raw(&call.args);
    writer.key("message").string(&format!("Allow {} to execute?", call.tool));
    writer.key("description").string(&tools::description(&call.tool));
    writer.key("parameters").raw(&tools::schema(&call.tool));
    writer.key("allowed_outcomes").begin_array();
    for word in super::answer::OUTCOMES {
        writer.string(word);
    }
    writer.end_array().key("created_at").raw(&seconds(waiting.since));
    writer.key("timeout_s").raw(&seconds(waiting.until.saturating_sub(waiting.since))).end_object();
    writer.finish()
}

/// How a request ended.
pub(super) fn resolved(id: &str, outcome: &str, reason: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("type").string("approval_resolved").key("id").string(id);
    writer.key("outcome").string(outcome).key("reason").string(reason).end_object();
    writer.finish()
}

/// How a run ended: with an answer, or with an error.
pub(super) fn ended(answer: Result<&str, &str>) -> String {
    match answer {
        Ok(answer) => format!(r#"{{"type":"run_finished","answer":{}}}"#, quote(answer)),
        Err(error) => format!(r#"{{"type":"run_failed","error":{}}}"#, quote(error)),
    }
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1_000, millis % 1_000)
}
