//! An ADK API server: REST, answers as server-sent events.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use countersign_json::{Document, Limits, Value, Writer};
use js_sys::Date;

use super::adk_session::{confirmations, is_at_work, is_beside_another};
use super::answer::{Unknown, is_forgotten, is_whole};
use super::http::{self, Call, Heard};
use super::server::segment;
use super::{Answered, Each, Fault, Message, Server, Transport, Work};

/// The answer says of its run that it goes on.
const UNFINISHED: &str = "the answer ended before the agent did";

/// Why an answer does not leave that may when it is sent again.
const BESIDE: &str = "the agent works on another answer of this run, and could run its call again; send this one when that has ended, or after a minute if it broke off";

/// How long it is kept back, in milliseconds.
const AGAIN: f64 = 60_000.0;

/// An ADK API server.
#[derive(Debug)]
pub struct Adk {
    server: Server,
    app: String,
    user: String,
    /// When a message was first kept back, in milliseconds.
    kept: RefCell<BTreeMap<String, f64>>,
}

impl Adk {
    /// The agent `app` of this server, for this user. A conversation is a session.
    #[must_use]
    pub fn new(server: Server, app: &str, user: &str) -> Adk {
        let kept = RefCell::default();
        Adk { server, app: app.to_owned(), user: user.to_owned(), kept }
    }

    /// The sentence of a text that says that a message was not taken, or of what went wrong in its run; after an event that
    /// says so the run may go on.
    #[must_use]
    pub fn error_of(text: &str) -> Option<String> {
        let (Error::Ended(sentence) | Error::Met(sentence)) = Error::of(text)?;
        Some(sentence)
    }
}

impl Transport for Adk {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let [app, user, session] = [&self.app, &self.user, conversation].map(segment);
            let url = self.server.below(&format!("/apps/{app}/users/{user}/sessions/{session}"));
            let call = Call { url: &url, must_exist: true, ..Call::default() };
            // A session that was in the memory of a server is gone with it.
            http::known_or_forgotten(&self.server, call, conversation, |it| is_unknown(it, conversation))
                .await
        })
    }

    fn check<'a>(&'a self, conversation: &'a str, message: Message<'a>) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let session = self.history(conversation).await?;
            let session = session.filter(|session| !is_forgotten(session));
            let session = session.ok_or_else(|| Fault::moved_on("the session is not there any more"))?;
            let (asked, answered) = confirmations(&session);
            let (_, ours) = confirmations(&format!(r#"{{"events":[{{"content":{}}}]}}"#, message.text));
            if ours.iter().any(|id| answered.contains(id)) {
                return Err(Fault::moved_on("the request was answered elsewhere"));
            }
            if !ours.iter().all(|id| asked.contains(id)) {
                return Err(Fault::moved_on("the session asks this no more"));
            }
            if is_beside_another(&session, &ours) {
                let (id, now) = (message.id.unwrap_or_default().to_owned(), Date::now());
                // A run that broke off looks the same: who still wants to send has decided that it did.
                if now - *self.kept.borrow_mut().entry(id).or_insert(now) < AGAIN {
                    return Err(Fault::moved_on(BESIDE));
                }
            }
            Ok(Some(session))
        })
    }

    fn send<'a>(&'a self, conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        Box::pin(async move {
            let body = run([&self.app, &self.user, conversation], &message);
            let url = self.server.below("/run_sse");
            // A proxy may keep back the beginning, and ADK cancels a run that nobody reads.
            let call =
                Call { url: &url, body: Some(&body), decides: message.id, is_whole: true, ..Call::default() };
            let mut run = Run::default();
            http::run(&self.server, &call, |event| {
                let heard = run.hear(&event.data);
                each(event.data);
                heard
            })
            .await?;
            run.end()
        })
    }

    fn error_in(&self, text: &str) -> Option<String> {
        ended(text)
    }

    fn is_taken(&self, text: &str) -> bool {
        is_whole(text) && self.error_in(text).is_none()
    }

    fn is_kept(&self) -> bool {
        true
    }

    /// A run cannot be joined: the session is read again while it lasts.
    fn attend<'a>(
        &'a self,
        _conversation: &'a str,
        known: Option<&'a str>,
        _each: Each,
    ) -> Answered<'a, Work> {
        let work = if known.is_some_and(is_at_work) { Work::GoesOn } else { Work::Rests };
        Box::pin(async move { Ok(work) })
    }
}

/// Whether ADK says so of a session that it does not know; some versions name it.
fn is_unknown(unknown: &Unknown, session: &str) -> bool {
    let rest = unknown.said.strip_prefix("Session not found").filter(|_| unknown.is_json);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(": ") == Some(session))
}

/// The body of `/run_sse` that carries this message, and what is to go along with its run.
fn run([app, user, session]: [&str; 3], message: &Message<'_>) -> String {
    let told = Document::parse(message.transport, &Limits::default()).ok();
    let told = told.as_ref().and_then(|told| told.root().get("customMetadata"));
    let mut writer = Writer::new();
    writer.begin_object().key("appName").string(app).key("userId").string(user);
    writer.key("sessionId").string(session).key("newMessage").raw(message.text);
    writer.key("streaming").bool(false);
    if let Some(told) = told {
        writer.key("customMetadata").raw(told.text());
    }
    writer.end_object();
    writer.finish()
}

/// A run, as far as it was heard.
#[derive(Default)]
struct Run {
    /// What its last event says of an error.
    met: Option<String>,
    /// Its last event.
    last: String,
}

impl Run {
    /// An event of the run never ends the reading: ADK cancels a run whose reader leaves, and another agent of it may still work.
    fn hear(&mut self, text: &str) -> Heard {
        self.met = None;
        text.clone_into(&mut self.last);
        match Error::of(text) {
            Some(Error::Ended(sentence)) => return Err(Fault::answered(sentence)),
            Some(Error::Met(sentence)) => self.met = Some(sentence),
            None => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A run whose last word is an error has failed. One that would go on after it is looked after.
    fn end(self) -> Result<(), Fault> {
        match self.met {
            Some(sentence) => Err(Fault::answered(sentence)),
            None if is_at_work(&format!(r#"{{"events":[{}]}}"#, self.last)) => Err(Fault::lost(UNFINISHED)),
            None => Ok(()),
        }
    }
}

/// An error that a text tells.
enum Error {
    /// An object `{"error": "…"}` in place of an event: the run is over, or never began.
    Ended(String),
    /// An event of the run has it.
    Met(String),
}

impl Error {
    fn of(text: &str) -> Option<Error> {
        let document = Document::parse(text, &Limits::default()).ok()?;
        let [events, author, run, error, message, code] =
            document.root().pick(["events", "author", "invocationId", "error", "errorMessage", "errorCode"]);
        if events.is_some() {
            return None;
        }
        if author.or(run).is_none() {
            return Some(Error::Ended(error?.as_str_lossy()?.into_owned()));
        }
        // The model has ended as it should, and said nothing.
        let code = code.filter(|code| !code.equals("STOP"));
        let said = [message, code].into_iter().flatten().find_map(Value::as_str_lossy);
        Some(Error::Met(said?.into_owned()))
    }
}

/// The sentence of a text that is no event of a run: the message was not taken, or its run has failed.
fn ended(text: &str) -> Option<String> {
    match Error::of(text)? {
        Error::Ended(sentence) => Some(sentence),
        Error::Met(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_forgotten_where_adk_says_so_of_it() {
        let check = |said: &str, is_json, expected| {
            let unknown = Unknown { said: said.to_owned(), is_json };
            assert_eq!(is_unknown(&unknown, "s1"), expected, "{said}");
        };
        check("Session not found", true, true);
        check("Session not found: s1", true, true);
        check("Session not found: s2", true, false);
        check("Session not found", false, false);
        check("App not found", true, false);
    }

    #[test]
    fn a_message_is_carried_as_it_is() {
        let message = r#"{"role":"user","parts":[{"functionResponse":{"id":"r1","response":{"n":1.0}}}]}"#;
        let expected = format!(
            r#"{{"appName":"deep","userId":"user","sessionId":"s","newMessage":{message},"streaming":false}}"#
        );
        assert_eq!(run(["deep", "user", "s"], &Message::words(message)), expected);
        let expected = format!(
            r#"{{"appName":"deep","userId":"user","sessionId":"s","newMessage":{message},"streaming":false,"customMetadata":{{"d":{{"r1":"ab"}}}}}}"#
        );
        let transport = r#"{"event":"run","customMetadata":{"d":{"r1":"ab"}}}"#;
        let message = Message { text: message, id: Some("m1"), transport };
        assert_eq!(run(["deep", "user", "s"], &message), expected);
    }

    #[test]
    fn an_error_is_told_from_events_and_sessions() {
        let check =
            |text, expected: Option<&str>| assert_eq!(Adk::error_of(text).as_deref(), expected, "{text}");
        check(r#"{"error":"the model failed"}"#, Some("the model failed"));
        check(r#"{"author":"plain","errorCode":"429","errorMessage":"too many"}"#, Some("too many"));
        check(r#"{"author":"plain","errorCode":"MAX_TOKENS","errorMessage":null}"#, Some("MAX_TOKENS"));
        check(r#"{"author":"plain","errorCode":"STOP"}"#, None);
        check(r#"{"author":"plain","content":{"parts":[{"text":"x"}]}}"#, None);
        check(r#"{"id":"s","events":[],"error":"x"}"#, None);
    }

    const MET: &str =
        r#"{"author":"first","invocationId":"i","errorCode":"MAX_TOKENS","errorMessage":"cut"}"#;
    const SAYS: &str = r#"{"author":"second","invocationId":"i","content":{"parts":[{"text":"x"}]}}"#;

    /// How the reading of these texts ends, and after how many.
    fn heard(texts: &[&str]) -> (usize, Result<(), String>) {
        let mut run = Run::default();
        for (read, text) in (1..).zip(texts) {
            if let Err(fault) = run.hear(text) {
                return (read, Err(fault.message));
            }
        }
        (texts.len(), run.end().map_err(|fault| fault.message))
    }

    #[test]
    fn r10_no_event_of_a_run_ends_it_for_adk_cancels_a_run_that_nobody_reads() {
        assert_eq!(heard(&[MET, SAYS]), (2, Ok(())));
        assert_eq!(heard(&[SAYS, MET]), (2, Err("cut".to_owned())));
        let unnamed = r#"{"invocationId":"i","error":"x","errorCode":"UNKNOWN"}"#;
        assert_eq!(heard(&[unnamed, SAYS]), (2, Ok(())));
        assert_eq!(heard(&[SAYS, r#"{"error":"boom"}"#, SAYS]), (2, Err("boom".to_owned())));
    }

    #[test]
    fn r10_a_run_that_is_cut_off_between_two_events_is_looked_after() {
        let call = r#"{"author":"a","content":{"parts":[{"functionCall":{"id":"c","name":"delete_file"}}]}}"#;
        let asks = call.replace("delete_file", "adk_request_confirmation");
        let partial = r#"{"author":"a","partial":true,"content":{"parts":[{"text":"x"}]}}"#;
        for cut in [call, partial] {
            assert_eq!(heard(&[SAYS, cut]), (2, Err(UNFINISHED.to_owned())), "{cut}");
        }
        assert_eq!(
            [heard(&[call, SAYS]), heard(&[call, &asks]), heard(&[])],
            [(2, Ok(())), (2, Ok(())), (0, Ok(()))]
        );
    }

    #[test]
    fn r10_what_has_an_event_of_its_run_was_taken() {
        let adk = Adk::new(crate::Server::new("/"), "plain", "user");
        assert_eq!(adk.error_in(MET), None);
        assert_eq!(adk.error_in(r#"{"error":"boom"}"#).as_deref(), Some("boom"));
    }
}
