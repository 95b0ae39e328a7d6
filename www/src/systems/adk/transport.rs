//! A real ADK API server: REST, answers as server-sent events.

use countersign_json::{Document, Limits, Writer};

use super::{USER, error_in};
use crate::backend::{Fault, http};
use crate::settings::Server;
use crate::systems::{Answered, Each, Transport, Wire};

/// A real ADK API server.
#[derive(Debug)]
pub(super) struct Rest {
    server: Server,
    app: String,
}

impl Rest {
    pub(super) fn new(wire: Wire, server: Server) -> Rest {
        let named = if wire == Wire::AdkDeepagents { "deep" } else { "plain" };
        let app = server.app.clone().unwrap_or_else(|| named.to_owned());
        Rest { server, app }
    }
}

impl Transport for Rest {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let (app, session) = (http::segment(&self.app), http::segment(conversation));
            let path = format!("/apps/{app}/users/{USER}/sessions/{session}");
            http::known(&self.server, &path, &[]).await
        })
    }

    fn send<'a>(
        &'a self,
        conversation: &'a str,
        message: &'a str,
        _decides: bool,
        each: Each,
    ) -> Answered<'a, ()> {
        Box::pin(async move {
            let body = run(&self.app, conversation, message);
            let name = answered(message);
            let headers: Vec<(&str, &str)> =
                name.iter().map(|name| ("Idempotency-Key", name.as_str())).collect();
            let response = http::fetch(&self.server, "POST", "/run_sse", &headers, Some(&body)).await?;
            http::events(response, |event| hand_over(event.data, &each)).await
        })
    }
}

/// Hands over an event; an error in place of one ends the run.
fn hand_over(event: String, each: &Each) -> Result<(), Fault> {
    let error = error_in(&event);
    each(event);
    error.map_or(Ok(()), |message| Err(Fault { status: Some(200), message }))
}

/// The body of `/run_sse` that carries this message.
fn run(app: &str, session: &str, message: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("appName").string(app).key("userId").string(USER);
    writer.key("sessionId").string(session).key("newMessage").raw(message);
    writer.key("streaming").bool(false).end_object();
    writer.finish()
}

/// The first request that a message answers: it names the send, so that one whose reply was lost can be repeated.
fn answered(message: &str) -> Option<String> {
    let document = Document::parse(message, &Limits::default()).ok()?;
    let id = document.root().pointer("/parts/0/functionResponse/id")?;
    id.as_str().filter(|id| id.is_ascii()).map(|id| id.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_carried_as_it_is() {
        let message = r#"{"role":"user","parts":[{"functionResponse":{"id":"r1","response":{"n":1.0}}}]}"#;
        let expected = format!(
            r#"{{"appName":"deep","userId":"user","sessionId":"s","newMessage":{message},"streaming":false}}"#
        );
        assert_eq!(run("deep", "s", message), expected);
    }

    #[test]
    fn an_answer_has_the_name_of_what_it_answers_and_words_have_none() {
        let answer = r#"{"parts":[{"functionResponse":{"id":"r1"}},{"functionResponse":{"id":"r2"}}]}"#;
        assert_eq!(answered(answer).as_deref(), Some("r1"));
        assert_eq!(answered(r#"{"parts":[{"text":"hello"}]}"#), None);
    }
}
