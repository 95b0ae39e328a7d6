//! A2A: JSON-RPC over HTTP, answers as server-sent events.

use std::cell::Cell;

use countersign_json::{Document, Limits, Value, Writer, quote};

use super::events::error_in;
use super::http::{self, Call};
use super::server::path;
use super::{Answered, Each, Fault, Server, Transport};

/// kagent's extension, which brings its requests along.
const HITL: &str = "https://kagent.dev/extensions/hitl/v1";
/// There is no such task.
const NO_TASK: &str = "-32001";
/// How many tasks are asked for at once, and how often more.
const PAGE: u32 = 100;
const PAGES: usize = 1_000;

/// The version of A2A in which tasks are read and messages are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A2A 0.3: kagent up to 0.10, ADK with `to_a2a`.
    V0_3,
    /// A2A 1.0, with kagent's extension `hitl/v1`.
    V1_0,
}

/// An A2A agent: kagent, or ADK with `to_a2a`.
#[derive(Debug)]
pub struct A2a {
    server: Server,
    version: Version,
    history: Option<String>,
    calls: Cell<u64>,
}

impl A2a {
    /// An agent that takes JSON-RPC calls at the address of this server.
    #[must_use]
    pub fn new(server: Server, version: Version) -> A2a {
        A2a { server, version, history: None, calls: Cell::new(0) }
    }

    /// With an address where all tasks of a conversation are listed, with `{conversation}` in it: for kagent
    /// `/api/sessions/{conversation}/tasks`. In 1.0 they are listed by `ListTasks` without it; in 0.3 nothing lists them.
    #[must_use]
    pub fn with_history(mut self, url: &str) -> A2a {
        self.history = Some(url.to_owned());
        self
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        match self.version {
            Version::V1_0 => &[("A2A-Version", "1.0"), ("A2A-Extensions", HITL)],
            Version::V0_3 => &[],
        }
    }

    fn call(&self, method: &str, parameters: &str) -> String {
        self.calls.set(self.calls.get().wrapping_add(1));
        call(&self.calls.get().to_string(), method, parameters)
    }

    async fn ask(&self, method: &str, parameters: &str) -> Result<String, Fault> {
        let body = self.call(method, parameters);
        let call =
            Call { url: &self.server.url, headers: self.headers(), body: Some(&body), ..Call::default() };
        http::text(&http::fetch(&self.server, &call).await?).await
    }

    /// The tasks page by page. They come newest first, so the pages are put together and read as one.
    async fn listed(&self, conversation: &str) -> Result<String, Fault> {
        let mut pages: Vec<String> = Vec::new();
        let mut token = None;
        while pages.len() < PAGES {
            let page = self.ask("ListTasks", &list(conversation, token.as_deref())).await?;
            if let Some(message) = error_in(&page) {
                return Err(Fault::answered(message));
            }
            token = next(&page);
            pages.push(page);
            if token.is_none() {
                break;
            }
        }
        Ok(joined(pages))
    }
}

impl A2a {
    /// The sentence of a text that says that a message was not taken, or that its run failed.
    #[must_use]
    pub fn error_of(text: &str) -> Option<String> {
        error_in(text)
    }
}

impl Transport for A2a {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            if let Some(history) = &self.history {
                let url = path(history, conversation);
                let call = Call { url: &url, headers: self.headers(), ..Call::default() };
                return http::known(&self.server, &call).await;
            }
            match self.version {
                Version::V1_0 => self.listed(conversation).await.map(Some),
                Version::V0_3 => Ok(None),
            }
        })
    }

    fn check<'a>(&'a self, _conversation: &'a str, message: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let Some(task) = task(message) else { return Ok(None) };
            let method = match self.version {
                Version::V1_0 => "GetTask",
                Version::V0_3 => "tasks/get",
            };
            let found = self.ask(method, &parameter("id", &quote(&task))).await?;
            match state(&found) {
                State::Waits => Ok(Some(found)),
                State::Other(state) => Err(Fault::moved_on(format!("the task is `{state}`"))),
                State::Unknown => Err(Fault::moved_on("the task is not known any more")),
                State::Error(message) => Err(Fault::answered(message)),
            }
        })
    }

    fn send<'a>(
        &'a self,
        _conversation: &'a str,
        message: &'a str,
        id: Option<&'a str>,
        each: Each,
    ) -> Answered<'a, ()> {
        Box::pin(async move {
            let method = match self.version {
                Version::V1_0 => "SendStreamingMessage",
                Version::V0_3 => "message/stream",
            };
            let body = self.call(method, &parameter("message", message));
            let call = Call {
                url: &self.server.url,
                headers: self.headers(),
                body: Some(&body),
                decides: id,
                ..Call::default()
            };
            let response = http::fetch(&self.server, &call).await?;
            http::events(response, |event| {
                let error = error_in(&event.data);
                each(event.data);
                error.map_or(Ok(()), |message| Err(Fault::answered(message)))
            })
            .await
        })
    }

    fn error_in(&self, text: &str) -> Option<String> {
        A2a::error_of(text)
    }
}

/// What a task is found in.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// It waits for an answer.
    Waits,
    /// In the words of 0.3.
    Other(String),
    /// Nobody knows it.
    Unknown,
    /// The agent could not be asked.
    Error(String),
}

fn state(answer: &str) -> State {
    let Ok(document) = Document::parse(answer, &Limits::default()) else { return State::Unknown };
    let root = document.root();
    if let Some(message) = error_in(answer) {
        let code = root.pointer("/error/code").map(|code| code.text().to_owned());
        return if code.as_deref() == Some(NO_TASK) { State::Unknown } else { State::Error(message) };
    }
    let found = root.pointer("/result/status/state").or_else(|| root.pointer("/result/task/status/state"));
    let Some(state) = found.and_then(Value::as_str) else { return State::Unknown };
    match state.trim_start_matches("TASK_STATE_").to_ascii_lowercase().replace('_', "-") {
        state if state == "input-required" => State::Waits,
        state => State::Other(state),
    }
}

/// The task that a message answers.
fn task(message: &str) -> Option<String> {
    let document = Document::parse(message, &Limits::default()).ok()?;
    Some(document.root().get("taskId")?.as_str()?.into_owned())
}

/// A JSON-RPC call whose parameters are JSON text.
fn call(id: &str, method: &str, parameters: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("jsonrpc").string("2.0").key("id").string(id);
    writer.key("method").string(method).key("params").raw(parameters).end_object();
    writer.finish()
}

/// Parameters of one member, which is JSON text.
fn parameter(name: &str, value: &str) -> String {
    format!("{{{}:{value}}}", quote(name))
}

fn list(conversation: &str, token: Option<&str>) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("contextId").string(conversation).key("pageSize").raw(&PAGE.to_string());
    writer.key("includeArtifacts").bool(true);
    if let Some(token) = token {
        writer.key("pageToken").string(token);
    }
    writer.end_object();
    writer.finish()
}

/// The token of the next page.
fn next(page: &str) -> Option<String> {
    let document = Document::parse(page, &Limits::default()).ok()?;
    let token = document.root().pointer("/result/nextPageToken")?.as_str()?;
    (!token.is_empty()).then(|| token.into_owned())
}

/// The tasks of several pages as one list; each task is as it came.
fn joined(mut pages: Vec<String>) -> String {
    if pages.len() < 2 {
        return pages.pop().unwrap_or_default();
    }
    let tasks = pages.iter().flat_map(|page| {
        let document = Document::parse(page, &Limits::default()).ok();
        let tasks = document.as_ref().and_then(|document| document.root().pointer("/result/tasks"));
        tasks.into_iter().flat_map(|it| it.items()).map(|it| it.text().to_owned()).collect::<Vec<_>>()
    });
    format!(r#"{{"tasks":[{}]}}"#, tasks.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_carried_as_it_is() {
        let message = r#"{"taskId":"t","parts":[{"data":{"n":1.0}}]}"#;
        let body = call("7", "message/stream", &parameter("message", message));
        assert_eq!(
            body,
            format!(
                r#"{{"jsonrpc":"2.0","id":"7","method":"message/stream","params":{{"message":{message}}}}}"#
            )
        );
        assert_eq!(task(message).as_deref(), Some("t"));
        assert_eq!(task(r#"{"parts":[]}"#), None);
    }

    #[test]
    fn only_a_task_that_waits_is_answered() {
        let check = |answer, expected| assert_eq!(state(answer), expected, "{answer}");
        check(r#"{"result":{"status":{"state":"input-required"}}}"#, State::Waits);
        check(r#"{"result":{"status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}"#, State::Waits);
        check(r#"{"result":{"task":{"status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}}"#, State::Waits);
        check(r#"{"result":{"status":{"state":"completed"}}}"#, State::Other("completed".to_owned()));
        check(r#"{"error":{"code":-32001,"message":"no"}}"#, State::Unknown);
        check(r#"{"error":{"code":-32603,"message":"no"}}"#, State::Error("no".to_owned()));
        check("<html>", State::Unknown);
    }

    #[test]
    fn pages_are_read_as_one_list_and_no_task_is_touched() {
        let page = |tasks: &str, token: &str| {
            format!(r#"{{"result":{{"tasks":[{tasks}],"nextPageToken":"{token}"}}}}"#)
        };
        let pages = vec![page(r#"{"n":1.0}, {"id":"b"}"#, "2"), page(r#"{"id":"c"}"#, "")];
        assert_eq!(next(&pages[0]).as_deref(), Some("2"));
        assert_eq!(next(&pages[1]), None);
        assert_eq!(joined(pages), r#"{"tasks":[{"n":1.0},{"id":"b"},{"id":"c"}]}"#);
        assert_eq!(joined(vec![page("", "")]), page("", ""));
    }
}
