//! A real LangGraph server: threads over REST, runs as server-sent events.

use countersign_json::{Document, Limits, Value, Writer, quote};

use super::{assistant, error_in};
use crate::backend::{Fault, ServerEvent, http};
use crate::settings::Server;
use crate::systems::{Answered, Each, Transport, Wire};

/// How many states of a thread are looked at.
const STATES: &str = r#"{"limit":100}"#;

/// A real LangGraph server.
#[derive(Debug)]
pub(super) struct Threads {
    server: Server,
    assistant: String,
}

impl Threads {
    pub(super) fn new(wire: Wire, server: Server) -> Threads {
        let assistant = server.app.clone().unwrap_or_else(|| assistant(wire).to_owned());
        Threads { server, assistant }
    }
}

impl Transport for Threads {
    /// The states of the thread, newest first: the present one alone does not tell what was decided.
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let path = format!("/threads/{}/history", http::segment(conversation));
            match http::fetch(&self.server, "POST", &path, &[], Some(STATES)).await {
                Ok(response) => Ok(Some(http::text(&response).await?).filter(|text| !is_empty(text))),
                Err(fault) if fault.status == Some(404) => Ok(None),
                Err(fault) => Err(fault),
            }
        })
    }

    fn send<'a>(
        &'a self,
        conversation: &'a str,
        message: &'a str,
        decides: bool,
        each: Each,
    ) -> Answered<'a, ()> {
        Box::pin(async move {
            if !decides {
                let thread = thread(conversation);
                http::fetch(&self.server, "POST", "/threads", &[], Some(&thread)).await?;
            }
            let path = format!("/threads/{}/runs/stream", http::segment(conversation));
            let body = run(&self.assistant, message, decides);
            let name = decides.then(|| answered(message)).flatten();
            let headers: Vec<(&str, &str)> =
                name.iter().map(|name| ("Idempotency-Key", name.as_str())).collect();
            let response = http::fetch(&self.server, "POST", &path, &headers, Some(&body)).await?;
            http::events(response, |event| hand_over(event, &each)).await?;
            if decides {
                // Not every run says what became of an answer: of an agent inside a tool, only the state does. The
                // answer has arrived, so a state that cannot be read is no fault of it.
                let path = format!("/threads/{}/state", http::segment(conversation));
                http::known(&self.server, &path, &[])
                    .await
                    .ok()
                    .flatten()
                    .into_iter()
                    .for_each(|it| each(it));
            }
            Ok(())
        })
    }
}

/// Hands over a part of the stream; an error ends the run.
fn hand_over(event: ServerEvent, each: &Each) -> Result<(), Fault> {
    let part = part(event);
    let error = error_in(&part);
    each(part);
    error.map_or(Ok(()), |message| Err(Fault { status: Some(200), message }))
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

/// The first interrupt that a command answers: it names the send, so that one whose reply was lost can be repeated.
fn answered(command: &str) -> Option<String> {
    let document = Document::parse(command, &Limits::default()).ok()?;
    let (id, _) = document.root().get("resume").filter(|it: &Value<'_>| it.is_object())?.members().next()?;
    id.as_str().filter(|id| id.is_ascii()).map(|id| id.into_owned())
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
    fn an_answer_has_the_name_of_what_it_answers() {
        assert_eq!(answered(r#"{"resume":{"a":{},"b":{}}}"#).as_deref(), Some("a"));
        assert_eq!(answered(r#"{"resume":"yes"}"#), None);
        assert!(is_empty(" [ ]") && !is_empty("[{}]") && !is_empty("{}"));
    }
}
