//! An ADK API server: REST, answers as server-sent events.

use countersign_json::{Document, Limits, Value, Writer};

use super::http::{self, Call};
use super::server::segment;
use super::{Answered, Each, Fault, Server, Transport};

/// What ADK calls the request for a confirmation.
const CONFIRMATION: &str = "adk_request_confirmation";

/// An ADK API server.
#[derive(Debug)]
pub struct Adk {
    server: Server,
    app: String,
    user: String,
}

impl Adk {
    /// The agent `app` of this server, for this user. A conversation is a session.
    #[must_use]
    pub fn new(server: Server, app: &str, user: &str) -> Adk {
        Adk { server, app: app.to_owned(), user: user.to_owned() }
    }
}

impl Adk {
    /// The sentence of a text that says that a message was not taken, or that its run failed.
    #[must_use]
    pub fn error_of(text: &str) -> Option<String> {
        error_in(text)
    }
}

impl Transport for Adk {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let [app, user, session] = [&self.app, &self.user, conversation].map(segment);
            let url = self.server.below(&format!("/apps/{app}/users/{user}/sessions/{session}"));
            http::known(&self.server, &Call { url: &url, ..Call::default() }).await
        })
    }

    fn check<'a>(&'a self, conversation: &'a str, message: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let session = self.history(conversation).await?;
            let session = session.ok_or_else(|| Fault::moved_on("the session is not there any more"))?;
            let (asked, answered) = confirmations(&session);
            let (_, ours) = confirmations(&format!(r#"{{"events":[{{"content":{message}}}]}}"#));
            if ours.iter().any(|id| answered.contains(id)) {
                return Err(Fault::moved_on("the request was answered elsewhere"));
            }
            if !ours.iter().all(|id| asked.contains(id)) {
                return Err(Fault::moved_on("the session asks this no more"));
            }
            Ok(Some(session))
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
            let body = run([&self.app, &self.user, conversation], message);
            let url = self.server.below("/run_sse");
            let call = Call { url: &url, body: Some(&body), decides: id, ..Call::default() };
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
        Adk::error_of(text)
    }
}

/// The body of `/run_sse` that carries this message.
fn run([app, user, session]: [&str; 3], message: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("appName").string(app).key("userId").string(user);
    writer.key("sessionId").string(session).key("newMessage").raw(message);
    writer.key("streaming").bool(false).end_object();
    writer.finish()
}

/// The ids of the requests that a session asks, and of those that people answered in it.
fn confirmations(session: &str) -> (Vec<String>, Vec<String>) {
    let (mut asked, mut answered) = (Vec::new(), Vec::new());
    let Ok(document) = Document::parse(session, &Limits::default()) else { return (asked, answered) };
    let events = document.root().get("events").into_iter().flat_map(|events| events.items());
    for content in events.filter_map(|event| event.get("content")) {
        let is_a_person = content.get("role").is_some_and(|role| role.equals("user"));
        for part in content.get("parts").into_iter().flat_map(|parts| parts.items()) {
            let [call, response] = part.pick(["functionCall", "functionResponse"]).map(id);
            asked.extend(call);
            answered.extend(response.filter(|_| is_a_person));
        }
    }
    (asked, answered)
}

/// The id of a confirmation, asked or answered.
fn id(part: Option<Value<'_>>) -> Option<String> {
    let [name, id] = part?.pick(["name", "id"]);
    name.filter(|name| name.equals(CONFIRMATION))?;
    Some(id?.as_str()?.into_owned())
}

/// The sentence of a run that ended in an error: an object `{"error": "…"}` in place of an event, or an event of the
/// model's own that has no content.
fn error_in(text: &str) -> Option<String> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    let [events, author, error, message, code] =
        document.root().pick(["events", "author", "error", "errorMessage", "errorCode"]);
    if events.is_some() {
        return None;
    }
    let sentence = if author.is_some() { message.or(code) } else { error };
    Some(sentence?.as_str_lossy()?.into_owned())
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
        assert_eq!(run(["deep", "user", "s"], message), expected);
    }

    #[test]
    fn what_a_session_asks_is_told_from_what_people_answered() {
        let call = |id| format!(r#"{{"functionCall":{{"name":"adk_request_confirmation","id":"{id}"}}}}"#);
        let answer =
            |id| format!(r#"{{"functionResponse":{{"name":"adk_request_confirmation","id":"{id}"}}}}"#);
        let event = |role, parts: String| format!(r#"{{"content":{{"role":"{role}","parts":[{parts}]}}}}"#);
        let model = event(
            "model",
            format!(
                r#"{},{},{{"functionCall":{{"name":"x","id":"c"}}}},{}"#,
                call("a"),
                call("b"),
                answer("b")
            ),
        );
        let session = format!(r#"{{"events":[{model},{{}},{}]}}"#, event("user", answer("a")));
        assert_eq!(confirmations(&session), (vec!["a".to_owned(), "b".to_owned()], vec!["a".to_owned()]));
        assert_eq!(confirmations("{"), (vec![], vec![]));
    }

    #[test]
    fn an_error_is_told_from_events_and_sessions() {
        let check = |text, expected: Option<&str>| assert_eq!(error_in(text).as_deref(), expected, "{text}");
        check(r#"{"error":"the model failed"}"#, Some("the model failed"));
        check(r#"{"author":"plain","errorCode":"429","errorMessage":"too many"}"#, Some("too many"));
        check(r#"{"author":"plain","content":{"parts":[{"text":"x"}]}}"#, None);
        check(r#"{"id":"s","events":[],"error":"x"}"#, None);
    }
}
