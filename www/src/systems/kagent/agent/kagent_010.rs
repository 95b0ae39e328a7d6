//! The wire of kagent 0.8 to 0.10: A2A 0.3, confirmations as data parts.

use countersign_json::{Writer, quote};

use super::answer::Received;
use super::task::{Pause, State, Task};
use super::turn::{Event, Turn};
use super::{APP, SUBAGENT, USAGE};
use crate::systems::script::call::Call;

pub(super) fn emit(turn: &mut Turn<'_>, event: Event<'_>) {
    match event {
        Event::Submitted(received) => {
            let message = user_message(turn.task, received);
            turn.task.history.push(message.clone());
            status(turn, State::Submitted, Some(&message), "");
        }
        Event::Working => {
            let metadata = session(turn.task);
            status(turn, State::Working, None, &metadata);
        }
        Event::Calls { says, calls, subagent } => {
            let mut parts = vec![text_part(says)];
            parts.extend(calls.iter().map(|call| {
                let session = subagent.map(|id| format!(r#","kagent_subagent_session_id":{}"#, quote(id)));
                let metadata = format!(r#"{{"kagent_type":"function_call"{}}}"#, session.unwrap_or_default());
                data_part(&call_object(call), &metadata)
            }));
            say(turn, &parts, true);
        }
        Event::Outcomes(outcomes) => {
            let parts: Vec<String> = outcomes
                .iter()
                .map(|(call, response)| {
                    let mut writer = Writer::new();
                    writer.begin_object().key("id").string(&call.id).key("name").string(&call.tool);
                    writer.key("response").raw(response).end_object();
                    data_part(&writer.finish(), r#"{"kagent_type":"function_response"}"#)
                })
                .collect();
            say(turn, &parts, false);
        }
        Event::Paused(pause) => {
            let message = say(turn, &confirmations(pause), false);
            let metadata = finished(turn.task);
            status(turn, State::InputRequired, Some(&message), &metadata);
        }
        Event::Said(text) => {
            let parts = [text_part(text)];
            say(turn, &parts, true);
            let artifact =
                format!(r#"{{"artifactId":{},"parts":[{}]}}"#, quote(&turn.ids.uuid()), text_part(text));
            turn.task.artifacts.push(artifact.clone());
            let mut writer = Writer::new();
            writer.begin_object().key("artifact").raw(&artifact).key("contextId").string(&turn.task.context);
            writer.key("kind").string("artifact-update").key("lastChunk").bool(true);
            writer.key("taskId").string(&turn.task.id).end_object();
            turn.stream(&writer.finish());
        }
        Event::Completed => {
            let metadata = finished(turn.task);
            status(turn, State::Completed, None, &metadata);
        }
        Event::Failed(text) | Event::Replaced(text) => {
            let mut writer = Writer::new();
            writer.begin_object().key("kind").string("message").key("messageId").string(&turn.ids.uuid());
            writer.key("parts").begin_array().raw(&text_part(text)).end_array();
            writer.key("role").string("agent").end_object();
            status(turn, State::Failed, Some(&writer.finish()), "");
        }
    }
}

/// The message that a person's client sent, as the store keeps it.
pub(super) fn user_message(task: &Task, received: &Received) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("contextId").string(&task.context).key("kind").string("message");
    writer.key("messageId").string(&received.message);
    if let Some(metadata) = &received.metadata {
        writer.key("metadata").raw(metadata);
    }
    writer.key("parts").raw(&received.parts).key("role").string("user");
    writer.key("taskId").string(&task.id).end_object();
    writer.finish()
}

/// The task as `tasks/get` and the list of a session show it.
pub(super) fn task_object(task: &Task) -> String {
    let mut writer = Writer::new();
    writer.begin_object();
    if !task.artifacts.is_empty() {
        writer.key("artifacts").raw(&super::array(&task.artifacts));
    }
    writer.key("contextId").string(&task.context).key("history").raw(&super::array(&task.history));
    writer.key("id").string(&task.id).key("kind").string("task").key("metadata").raw(&finished(task));
    writer.key("status").raw(&status_object(task)).end_object();
    writer.finish()
}

fn status_object(task: &Task) -> String {
    let mut writer = Writer::new();
    writer.begin_object();
    if let Some(message) = &task.message {
        writer.key("message").raw(message);
    }
    writer.key("state").string(task.state.word()).key("timestamp").string(&task.timestamp).end_object();
    writer.finish()
}

/// Takes a new status and streams it; empty metadata are left out.
fn status(turn: &mut Turn<'_>, state: State, message: Option<&str>, metadata: &str) {
    let moment = turn.moment();
    turn.task.stand(state, message, moment);
    let mut writer = Writer::new();
    writer.begin_object().key("contextId").string(&turn.task.context);
    writer.key("final").bool(!matches!(state, State::Submitted | State::Working));
    writer.key("kind").string("status-update");
    if !metadata.is_empty() {
        writer.key("metadata").raw(metadata);
    }
    writer.key("status").raw(&status_object(turn.task)).key("taskId").string(&turn.task.id).end_object();
    turn.stream(&writer.finish());
}

/// Streams a message of the agent in a working status, and returns it.
fn say(turn: &mut Turn<'_>, parts: &[String], by_model: bool) -> String {
    let metadata = authored(turn, by_model);
    let mut writer = Writer::new();
    writer.begin_object().key("contextId").string(&turn.task.context).key("kind").string("message");
    writer.key("messageId").string(&turn.ids.uuid()).key("metadata").raw(&metadata);
    writer.key("parts").raw(&super::array(parts)).key("role").string("agent");
    writer.key("taskId").string(&turn.task.id).end_object();
    let message = writer.finish();
    status(turn, State::Working, Some(&message), &metadata);
    message
}

/// The confirmations of a pause; the calls of another agent stand in the payload of one.
fn confirmations(pause: &Pause) -> Vec<String> {
    let confirmation = |request: &str, call: &Call, hint: &str, payload: &str| {
        let mut writer = Writer::new();
        writer.begin_object().key("id").string(request).key("args").begin_object();
        writer.key("originalFunctionCall").raw(&call_object(call));
        writer.key("toolConfirmation").begin_object().key("hint").string(hint).key("confirmed").bool(false);
        if !payload.is_empty() {
            writer.key("payload").raw(payload);
        }
        writer.end_object().end_object().key("name").string("adk_request_confirmation").end_object();
        data_part(&writer.finish(), r#"{"kagent_type":"function_call","kagent_is_long_running":true}"#)
    };
    if let Some(outer) = &pause.outer {
        let tools: Vec<&str> = pause.pending.iter().map(|it| it.call.tool.as_str()).collect();
        let hint = format!("Remote agent '{SUBAGENT}' requires approval for tool(s): {}", tools.join(", "));
        let mut writer = Writer::new();
        writer.begin_object().key("task_id").string(&outer.task).key("context_id").string(&outer.context);
        writer.key("subagent_name").string(SUBAGENT).key("hitl_parts").begin_array();
        for pending in &pause.pending {
            writer
                .begin_object()
                .key("name")
                .string("adk_request_confirmation")
                .key("id")
                .string(&pending.request);
            writer.key("originalFunctionCall").begin_object().key("name").string(&pending.call.tool);
            writer.key("args").raw(&pending.call.args).key("id").string(&pending.call.id);
            writer.end_object().end_object();
        }
        writer.end_array().end_object();
        return vec![confirmation(&outer.pending.request, &outer.pending.call, &hint, &writer.finish())];
    }
    let pending = pause.pending.iter();
    pending.map(|it| confirmation(&it.request, &it.call, &super::hint(&it.call), "")).collect()
}

fn call_object(call: &Call) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("id").string(&call.id).key("args").raw(&call.args);
    writer.key("name").string(&call.tool).end_object();
    writer.finish()
}

fn text_part(text: &str) -> String {
    format!(r#"{{"kind":"text","text":{}}}"#, quote(text))
}

fn data_part(data: &str, metadata: &str) -> String {
    format!(r#"{{"data":{data},"kind":"data","metadata":{metadata}}}"#)
}

/// The metadata of the session, still open.
fn session_writer(task: &Task) -> Writer {
    let mut writer = Writer::new();
    writer.begin_object().key("kagent_app_name").string(APP);
    writer.key("kagent_user_id").string(&format!("A2A_USER_{}", task.context));
    writer.key("kagent_session_id").string(&task.context);
    writer
}

fn session(task: &Task) -> String {
    session_writer(task).finish()
}

fn finished(task: &Task) -> String {
    let mut writer = session_writer(task);
    writer.key("kagent_invocation_id").string(&task.invocation).key("kagent_usage_metadata").raw(USAGE);
    writer.finish()
}

fn authored(turn: &Turn<'_>, by_model: bool) -> String {
    let mut writer = session_writer(turn.task);
    writer.key("kagent_adk_partial").null().key("kagent_invocation_id").string(&turn.task.invocation);
    writer.key("kagent_author").string(APP);
    if by_model {
        writer.key("kagent_usage_metadata").raw(USAGE);
    }
    writer.finish()
}
