//! A LangGraph server: threads over REST, runs as server-sent events.

use countersign_json::{Document, Limits, Value, Writer, quote};

use super::events::ServerEvent;
use super::http::{self, Call};
use super::server::segment;
use super::{Answered, Each, Fault, Server, Transport};

/// How many states of a thread are looked at.
const STATES: &str = r#"{"limit":100}"#;

/// A LangGraph server. A conversation is a thread.
#[derive(Debug)]
pub struct LangGraph {
    server: Server,
    assistant: String,
}

impl LangGraph {
    /// The assistant of this server with this id, or with this name of a graph.
    #[must_use]
    pub fn new(server: Server, assistant: &str) -> LangGraph {
        LangGraph { server, assistant: assistant.to_owned() }
    }

    async fn state(&self, conversation: &str) -> Result<Option<String>, Fault> {
        let url = self.server.below(&format!("/threads/{}/state", segment(conversation)));
        http::known(&self.server, &Call { url: &url, ..Call::default() }).await
    }

    async fn post(
        &self,
        path: &str,
        body: &str,
        id: Option<&str>,
    ) -> Result<gloo::net::http::Response, Fault> {
        let url = self.server.below(path);
        http::fetch(&self.server, &Call { url: &url, body: Some(body), decides: id, ..Call::default() }).await
    }
}

impl LangGraph {
    /// The sentence of a text that says that a message was not taken, or that its run failed.
    #[must_use]
    pub fn error_of(text: &str) -> Option<String> {
        error_in(text)
    }
}

impl Transport for LangGraph {
    /// The states of the thread, newest first: the present one alone does not tell what was decided.
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let url = self.server.below(&format!("/threads/{}/history", segment(conversation)));
            let call = Call { url: &url, body: Some(STATES), ..Call::default() };
            Ok(http::known(&self.server, &call).await?.filter(|text| !is_empty(text)))
        })
    }

    fn check<'a>(&'a self, conversation: &'a str, message: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let state = self.state(conversation).await?;
            let state = state.ok_or_else(|| Fault::moved_on("the thread is not there any more"))?;
            if !waits_for(&state, message) {
                return Err(Fault::moved_on("the thread does not wait for this answer any more"));
            }
            Ok(Some(state))
        })
    }

    fn send<'a>(
        &'a self,
        conversation: &'a str,
        message: &'a str,
        id: Option<&'a str>,
        each: Each,
    ) -> Answered<'a, ()> {
        Box::pin(async move {
            if id.is_none() {
                self.post("/threads", &thread(conversation), None).await?;
            }
            let path = format!("/threads/{}/runs/stream", segment(conversation));
            let body = run(&self.assistant, message, id.is_some());
            let response = self.post(&path, &body, id).await?;
            http::events(response, |event| {
                let part = part(event);
                let error = error_in(&part);
                each(part);
                error.map_or(Ok(()), |message| Err(Fault::answered(message)))
            })
            .await?;
            if id.is_some() {
                // Not every run says what became of an answer: of an agent inside a tool, only the state does. The
                // answer has arrived, so a state that cannot be read is no fault of it.
                self.state(conversation).await.ok().flatten().into_iter().for_each(|it| each(it));
            }
            Ok(())
        })
    }

    fn error_in(&self, text: &str) -> Option<String> {
        LangGraph::error_of(text)
    }
}

/// The sentence of a run that failed: the part `error` of its stream.
fn error_in(text: &str) -> Option<String> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    let [event, data] = document.root().pick(["event", "data"]);
    let data = data.filter(|_| event.is_some_and(|event| event.equals("error")))?;
    let [message, class] = data.pick(["message", "error"]);
    Some(message.or(class).unwrap_or(data).as_str_lossy().unwrap_or_default().into_owned())
}

/// Whether a thread waits for what this command answers.
fn waits_for(state: &str, command: &str) -> bool {
    let waiting = interrupts(state);
    let document = Document::parse(command, &Limits::default());
    let resume = document.as_ref().ok().and_then(|document| document.root().get("resume"));
    let keyed: Vec<_> = resume.filter(|it| it.is_object()).into_iter().flat_map(|it| it.members()).collect();
    let ids: Vec<String> = keyed.iter().filter_map(|(name, _)| Some(name.as_str()?.into_owned())).collect();
    let is_id =
        |id: &String| id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !ids.is_empty() && ids.len() == keyed.len() && ids.iter().all(is_id) {
        ids.iter().all(|id| waiting.contains(&Some(id.clone())))
    } else {
        waiting.len() == 1
    }
}

/// The ids of the interrupts that wait in a state; one without an id counts as well.
fn interrupts(state: &str) -> Vec<Option<String>> {
    let Ok(document) = Document::parse(state, &Limits::default()) else { return Vec::new() };
    let tasks = document.root().get("tasks").into_iter().flat_map(|tasks| tasks.items());
    // Before langgraph 1.2.20 a task that was answered and asks again has an empty result.
    let is_absent = |value: Option<Value<'_>>| {
        value.is_none_or(|it| it.is_null() || (it.is_object() && it.members().next().is_none()))
    };
    let waiting = tasks.filter(|task| task.pick(["result", "error"]).into_iter().all(is_absent));
    let interrupts = waiting.filter_map(|task| task.get("interrupts")).flat_map(|it| it.items());
    interrupts.map(|it| Some(it.get("id")?.as_str()?.into_owned())).collect()
}

/// A part of the stream as one text.
fn part(event: ServerEvent) -> String {
    let is_json = || Document::parse(&event.data, &Limits::default()).is_ok();
    match &event.name {
        // Data that is no JSON would break out of its frame.
        Some(name) if is_json() => format!(r#"{{"event":{},"data":{}}}"#, quote(name), event.data),
        _ => event.data,
    }
}

fn is_empty(history: &str) -> bool {
    Document::parse(history, &Limits::default()).is_ok_and(|it| it.root().is_array() && it.root().is_empty())
}

/// The body that makes a thread, unless it is there.
fn thread(id: &str) -> String {
    format!(r#"{{"thread_id":{},"if_exists":"do_nothing"}}"#, quote(id))
}

/// The body of a run that carries this message.
fn run(assistant: &str, message: &str, decides: bool) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("assistant_id").string(assistant);
    writer.key("stream_mode").raw(r#"["updates","values"]"#).key("stream_subgraphs").bool(true);
    // A second run must neither stop the first one nor wait behind it: what it answers may be gone by then.
    writer.key("multitask_strategy").string("reject").key("on_disconnect").string("continue");
    writer.key(if decides { "command" } else { "input" }).raw(message).end_object();
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, data: &str) -> String {
        part(ServerEvent { name: Some(name.to_owned()), data: data.to_owned() })
    }

    #[test]
    fn a_message_is_carried_as_it_is() {
        let command = r#"{"resume":{"a":[{"type":"edit","args":{"args":{"n":1.0}}}]}}"#;
        let common = r#"{"assistant_id":"per-call","stream_mode":["updates","values"],"stream_subgraphs":true,"multitask_strategy":"reject","on_disconnect":"continue""#;
        assert_eq!(run("per-call", command, true), format!(r#"{common},"command":{command}}}"#));
        let input = r#"{"messages":[]}"#;
        assert_eq!(run("per-call", input, false), format!(r#"{common},"input":{input}}}"#));
    }

    #[test]
    fn an_event_is_one_text_and_stays_in_its_frame() {
        assert_eq!(event("updates|tools:1", "{}"), r#"{"event":"updates|tools:1","data":{}}"#);
        assert_eq!(event("x", r#"1},"event":"values""#), r#"1},"event":"values""#);
    }

    #[test]
    fn an_answer_reaches_only_what_it_answers() {
        let [a, b] = ["0123456789abcdef0123456789abcdef", "ffffffffffffffffffffffffffffffff"];
        let task = |id: &str, rest: &str| format!(r#"{{"interrupts":[{{"id":"{id}"}}]{rest}}}"#);
        let state = |tasks: &[String]| format!(r#"{{"tasks":[{}]}}"#, tasks.join(","));
        let keyed = format!(r#"{{"resume":{{"{a}":1}}}}"#);
        let check =
            |state: &str, command: &str, expected| assert_eq!(waits_for(state, command), expected, "{state}");
        check(&state(&[task(a, ""), task(b, "")]), &keyed, true);
        check(&state(&[task(b, "")]), &keyed, false);
        check(&state(&[task(a, r#","result":{"x":1}"#)]), &keyed, false);
        check(&state(&[task(a, r#","result":{},"error":null"#)]), &keyed, true);
        check(&state(&[task(b, "")]), r#"{"resume":"yes"}"#, true);
        check(&state(&[task(a, ""), task(b, "")]), r#"{"resume":{"type":"approve"}}"#, false);
        check(&state(&[]), r#"{"resume":"yes"}"#, false);
        check("<html>", &keyed, false);
    }

    #[test]
    fn an_error_is_told_from_everything_else() {
        let check = |text, expected: Option<&str>| assert_eq!(error_in(text).as_deref(), expected, "{text}");
        let failed = r#"{"event":"error","data":{"error":"RuntimeError","message":"it failed"}}"#;
        check(failed, Some("it failed"));
        check(r#"{"event":"error","data":{"error":"RuntimeError"}}"#, Some("RuntimeError"));
        check(r#"{"event":"values","data":{"error":"x"}}"#, None);
        check(r#"[{"values":{},"tasks":[{"error":"x"}]}]"#, None);
        assert!(is_empty(" [ ]") && !is_empty("[{}]") && !is_empty("{}"));
    }
}
