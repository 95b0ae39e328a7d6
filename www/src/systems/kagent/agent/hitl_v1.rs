//! The wire of kagent since August 2026: A2A 1.0 with the message extension `hitl/v1`.

use countersign_json::{Document, Limits, Writer, quote};

use super::answer::{Answer, Received, Verdict};
use super::task::{Pause, Pending, State, Task};
use super::turn::{Event, Turn};
use super::{APP, HITL, SUBAGENT};
use crate::systems::script::call::Call;

pub(super) fn emit(turn: &mut Turn<'_>, event: Event<'_>) {
    match event {
        Event::Submitted(received) => {
            let message = user_message(turn.task, received);
            turn.task.history.push(message);
            let moment = turn.moment();
            turn.task.stand(State::Submitted, None, moment);
            let task = task_object(turn.task);
            turn.stream(&format!(r#"{{"task":{task}}}"#));
        }
        Event::Working => status(turn, State::Working, None, false),
        Event::Calls { says, calls, .. } => {
            let mut parts = vec![text_part(says)];
            parts.extend(calls.iter().map(|call| {
                let mut writer = Writer::new();
                writer.begin_object().key("args").raw(&call.args).key("id").string(&call.id);
                writer.key("name").string(&call.tool).end_object();
                data_part(&writer.finish(), "function_call")
            }));
            artifact(turn, &parts, true);
        }
        Event::Outcomes(outcomes) => {
            let parts: Vec<String> =
                outcomes.iter().map(|(call, response)| response_part(call, response)).collect();
            artifact(turn, &parts, false);
        }
        Event::Paused(pause) => {
            mark(turn, IDLE);
            artifact_of(turn, &stubs(pause), false, &asked(pause));
            let message = request(turn, pause);
            status(turn, State::InputRequired, Some(&message), true);
        }
        Event::Said(text) => artifact(turn, &[text_part(text)], true),
        Event::Completed => {
            mark(turn, r#"{"stateDelta":{},"endOfAgent":true}"#);
            status(turn, State::Completed, None, true);
        }
        Event::Failed(text) => {
            let message = notice(turn, text);
            status(turn, State::Failed, Some(&message), false);
        }
        Event::Replaced(text) => {
            let message = notice(turn, text);
            status(turn, State::InputRequired, Some(&message), false);
        }
    }
}

/// The message that a person's client sent, as the store keeps it.
pub(super) fn user_message(task: &Task, received: &Received) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("messageId").string(&received.message).key("contextId").string(&task.context);
    writer.key("taskId").string(&task.id).key("role").string("ROLE_USER").key("parts").raw(&received.parts);
    if let Some(metadata) = &received.metadata {
        writer.key("metadata").raw(metadata);
    }
    if let Some(extensions) = &received.extensions {
        writer.key("extensions").raw(extensions);
    }
    writer.end_object();
    writer.finish()
}

/// The answer that stands in the history: the server replaces the client's message by its native form.
pub(super) fn rewritten(turn: &mut Turn<'_>, pause: &Pause, answer: &Answer) -> String {
    let Answer::Complete { answers, payload } = answer else { return String::new() };
    let confirmation = |request: &str, response: &str| {
        let mut writer = Writer::new();
        writer.begin_object().key("data").begin_object().key("id").string(request);
        writer.key("name").string("adk_request_confirmation").key("response").begin_object();
        writer.key("response").string(response).end_object().end_object();
        writer.key("metadata").begin_object().key("adk_type").string("function_response");
        writer.end_object().end_object();
        writer.finish()
    };
    let parts: Vec<String> = match &pause.outer {
        Some(outer) => {
            let approved = answers.iter().any(|(_, verdict)| !matches!(verdict, Verdict::Rejected(_)));
            let mut writer = Writer::new();
            writer.begin_object().key("hint").string("").key("confirmed").bool(approved).key("payload");
            writer.begin_object().key("task_id").string(&outer.task).key("context_id").string(&outer.context);
            writer.key("subagent_name").string(SUBAGENT).key("hitl_response").raw(payload).end_object();
            writer.end_object();
            vec![confirmation(&outer.pending.request, &writer.finish())]
        }
        None => answers.iter().map(|(id, verdict)| confirmation(id, &confirmed(verdict))).collect(),
    };
    let mut writer = Writer::new();
    writer
        .begin_object()
        .key("messageId")
        .string(&turn.ids.uuid())
        .key("contextId")
        .string(&turn.task.context);
    writer.key("taskId").string(&turn.task.id).key("role").string("ROLE_USER");
    writer.key("parts").raw(&super::array(&parts)).end_object();
    writer.finish()
}

/// ADK's confirmation of one call.
fn confirmed(verdict: &Verdict) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("hint").string("");
    writer.key("confirmed").bool(!matches!(verdict, Verdict::Rejected(_)));
    match verdict {
        Verdict::Rejected(Some(reason)) => {
            writer.key("payload").begin_object().key("rejection_reason").string(reason).end_object();
        }
        Verdict::Answered(answers) => {
            writer.key("payload").begin_object().key("answers").begin_array();
            for texts in answers {
                writer.begin_object().key("answer").begin_array();
                for text in texts {
                    writer.string(text);
                }
                writer.end_array().end_object();
            }
            writer.end_array().end_object();
        }
        Verdict::Approved | Verdict::Rejected(None) => {}
    }
    writer.end_object();
    writer.finish()
}

/// The task as `GetTask` and `ListTasks` show it.
pub(super) fn task_object(task: &Task) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("id").string(&task.id).key("contextId").string(&task.context);
    writer.key("status").raw(&status_object(task));
    if !task.artifacts.is_empty() {
        writer.key("artifacts").raw(&super::array(&task.artifacts));
    }
    writer.key("history").raw(&super::array(&task.history)).key("metadata").raw(&session(task, false));
    writer.end_object();
    writer.finish()
}

fn status_object(task: &Task) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("state").string(task.state.constant());
    if let Some(message) = &task.message {
        writer.key("message").raw(message);
    }
    writer.key("timestamp").string(&task.timestamp).end_object();
    writer.finish()
}

fn status(turn: &mut Turn<'_>, state: State, message: Option<&str>, finished: bool) {
    let moment = turn.moment();
    turn.task.stand(state, message, moment);
    let mut writer = Writer::new();
    writer.begin_object().key("statusUpdate").begin_object().key("taskId").string(&turn.task.id);
    writer.key("contextId").string(&turn.task.context).key("status").raw(&status_object(turn.task));
    writer.key("metadata").raw(&session(turn.task, finished)).end_object().end_object();
    turn.stream(&writer.finish());
}

fn artifact(turn: &mut Turn<'_>, parts: &[String], by_model: bool) {
    artifact_of(turn, parts, by_model, IDLE);
}

fn artifact_of(turn: &mut Turn<'_>, parts: &[String], by_model: bool, actions: &str) {
    let metadata = authored(turn, actions, by_model);
    let mut writer = Writer::new();
    writer.begin_object().key("artifactId").string(&turn.ids.uuid()).key("parts").raw(&super::array(parts));
    writer.key("metadata").raw(&metadata).end_object();
    let artifact = writer.finish();
    let mut writer = Writer::new();
    writer.begin_object().key("artifactUpdate").begin_object().key("taskId").string(&turn.task.id);
    writer
        .key("contextId")
        .string(&turn.task.context)
        .key("artifact")
        .raw(&artifact)
        .key("lastChunk")
        .bool(true);
    writer.key("metadata").raw(&session(turn.task, false)).end_object().end_object();
    turn.task.artifacts.push(artifact);
    turn.stream(&writer.finish());
}

/// A working status whose message has no parts: ADK's events that carry actions alone.
fn mark(turn: &mut Turn<'_>, actions: &str) {
    let metadata = authored(turn, actions, false);
    let mut writer = Writer::new();
    writer.begin_object().key("messageId").string(&turn.ids.uuid()).key("role").string("ROLE_AGENT");
    writer.key("metadata").raw(&metadata).end_object();
    status(turn, State::Working, Some(&writer.finish()), false);
}

fn notice(turn: &mut Turn<'_>, text: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("messageId").string(&turn.ids.uuid()).key("role").string("ROLE_AGENT");
    writer.key("parts").begin_array().raw(&text_part(text)).end_array().end_object();
    writer.finish()
}

/// What each waiting call has returned so far.
fn stubs(pause: &Pause) -> Vec<String> {
    if let Some(outer) = &pause.outer {
        let mut writer = Writer::new();
        writer.begin_object().key("status").string("pending").key("subagent").string(SUBAGENT);
        writer.key("waiting_for").string("subagent_approval");
        writer.key("subagent_session_id").string(&outer.context).end_object();
        return vec![response_part(&outer.pending.call, &writer.finish())];
    }
    let stub = |call: &Call| {
        let mut writer = Writer::new();
        writer.begin_object();
        if pause.asks {
            writer.key("questions").raw(&questions(call)).key("status").string("pending");
        } else {
            writer.key("status").string("confirmation_requested").key("tool").string(&call.tool);
        }
        writer.end_object();
        response_part(call, &writer.finish())
    };
    pause.pending.iter().map(|it| stub(&it.call)).collect()
}

/// The actions of an event that asks for confirmations.
fn asked(pause: &Pause) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("stateDelta").raw("{}").key("requestedToolConfirmations").begin_object();
    let outer = pause.outer.as_ref().map(|outer| &outer.pending);
    for pending in outer.map_or(pause.pending.as_slice(), std::slice::from_ref) {
        let hint = super::hint(&pending.call);
        writer.key(&pending.call.id).begin_object().key("hint").string(&hint).end_object();
    }
    writer.end_object().end_object();
    writer.finish()
}

/// The message that asks.
fn request(turn: &mut Turn<'_>, pause: &Pause) -> String {
    let first = pause.pending.first();
    let mut words = first.map(|it| super::hint(&it.call)).unwrap_or_default();
    if pause.outer.is_some() {
        let tools: Vec<&str> = pause.pending.iter().map(|it| it.call.tool.as_str()).collect();
        words = format!("Remote agent '{SUBAGENT}' requires approval for tool(s): {}", tools.join(", "));
    }
    let mut payload = Writer::new();
    payload.begin_object();
    let outer = pause.outer.as_ref();
    let asked = outer.map(|it| &it.pending).or(first);
    if pause.asks {
        payload.key("type").string("ask_user_request");
        payload.key("id").string(asked.map_or("", |it| it.request.as_str()));
        payload.key("questions").raw(&first.map_or_else(|| "[]".to_owned(), |it| questions(&it.call)));
    } else {
        payload.key("type").string("tool_approval_request").key("hint").string(&words);
        payload.key("tools").begin_array();
        match outer {
            Some(outer) => tool(&mut payload, &outer.pending),
            None => pause.pending.iter().for_each(|pending| tool(&mut payload, pending)),
        }
        payload.end_array();
    }
    if let Some(outer) = outer {
        payload.key("nested").begin_object().key("subagent_name").string(SUBAGENT).key("tools").begin_array();
        pause.pending.iter().for_each(|pending| tool(&mut payload, pending));
        payload
            .end_array()
            .key("context_id")
            .string(&outer.context)
            .key("task_id")
            .string(&outer.task)
            .end_object();
    }
    payload.end_object();
    let mut writer = Writer::new();
    writer
        .begin_object()
        .key("messageId")
        .string(&turn.ids.uuid())
        .key("contextId")
        .string(&turn.task.context);
    writer.key("taskId").string(&turn.task.id).key("role").string("ROLE_AGENT");
    writer.key("parts").begin_array().raw(&text_part(&words)).end_array();
    writer.key("metadata").begin_object().key(HITL).raw(&payload.finish()).end_object();
    writer.key("extensions").begin_array().string(HITL).end_array().end_object();
    writer.finish()
}

fn tool(writer: &mut Writer, pending: &Pending) {
    writer.begin_object().key("args").raw(&pending.call.args).key("id").string(&pending.request);
    writer.key("name").string(&pending.call.tool).key("call_id").string(&pending.call.id).end_object();
}

fn questions(call: &Call) -> String {
    let document = Document::parse(&call.args, &Limits::ARGUMENTS);
    let found = document.ok().and_then(|it| it.root().get("questions").map(|list| list.text().to_owned()));
    found.unwrap_or_else(|| "[]".to_owned())
}

fn text_part(text: &str) -> String {
    format!(r#"{{"text":{}}}"#, quote(text))
}

fn response_part(call: &Call, response: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("id").string(&call.id).key("name").string(&call.tool);
    writer.key("response").raw(response).end_object();
    data_part(&writer.finish(), "function_response")
}

fn data_part(data: &str, kind: &str) -> String {
    format!(r#"{{"data":{data},"metadata":{{"adk_type":"{kind}"}}}}"#)
}

/// The actions of an event that does nothing.
const IDLE: &str = r#"{"stateDelta":{}}"#;
const USAGE: &str = r#"{"promptTokenCount":10.0,"totalTokenCount":15.0,"candidatesTokenCount":5.0}"#;

fn session(task: &Task, finished: bool) -> String {
    let user = format!("A2A_USER_{}", task.context);
    let mut writer = Writer::new();
    writer.begin_object().key("adk_app_name").string(APP).key("adk_user_id").string(&user);
    writer.key("adk_session_id").string(&task.context);
    writer
        .key("https://google.github.io/adk-docs/a2a/a2a-extension/")
        .raw(r#"{"adk_agent_executor_v2":true}"#);
    if finished {
        writer.key("kagent_app_name").string(APP).key("kagent_user_id").string(&user);
        writer.key("kagent_session_id").string(&task.context).key("kagent_usage_metadata").raw(USAGE);
        writer.key("kagent_invocation_id").string(&task.invocation);
    }
    writer.end_object();
    writer.finish()
}

fn authored(turn: &mut Turn<'_>, actions: &str, by_model: bool) -> String {
    let mut writer = Writer::new();
    writer
        .begin_object()
        .key("adk_invocation_id")
        .string(&turn.task.invocation)
        .key("adk_actions")
        .raw(actions);
    writer.key("adk_event_id").string(&turn.ids.uuid()).key("adk_author").string(APP);
    if by_model {
        writer.key("adk_usage_metadata").raw(USAGE);
    }
    writer.end_object();
    writer.finish()
}
