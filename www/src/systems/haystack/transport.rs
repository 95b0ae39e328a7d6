//! A real host: decisions and news over a web socket, words and the log over HTTP.

use std::any::Any;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

use countersign_json::{Document, Limits, Value};

use crate::backend::socket::Socket;
use crate::backend::{Fault, http};
use crate::settings::Server;
use crate::systems::{Answered, Each, Missed, Transport};

/// A real host.
#[derive(Debug)]
pub(super) struct Channel {
    server: Server,
    /// The socket of the conversation that is followed; who follows it keeps it open.
    socket: RefCell<Weak<Socket>>,
}

impl Channel {
    pub(super) fn new(server: Server) -> Channel {
        Channel { server, socket: RefCell::default() }
    }

    async fn decide(&self, message: &str, each: Each) -> Result<(), Fault> {
        let socket = self.socket.borrow().upgrade().ok_or_else(|| Fault {
            status: None,
            message: "nothing connects this page with the agent".to_owned(),
        })?;
        socket.ready().await?;
        let id = id_of(message);
        let reply = socket.expect(move |text| settles(text, &id), each);
        socket.send(message)?;
        reply.arrived().await
    }

    async fn say(&self, conversation: &str, message: &str, each: Each) -> Result<(), Fault> {
        let socket = self.socket.borrow().upgrade();
        let news = socket.as_ref().map(|socket| socket.expect(is_news, each));
        let path = format!("/run/{}", http::segment(conversation));
        // The receipt says nothing that the socket does not say.
        http::fetch(&self.server, "POST", &path, &[], Some(message)).await?;
        if let Some(news) = news {
            // Where the connection breaks, the log tells what came of the words.
            let _ = news.arrived().await;
        }
        Ok(())
    }
}

impl Transport for Channel {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let path = format!("/history/{}", http::segment(conversation));
            let log = http::known(&self.server, &path, &[]).await?;
            Ok(log.filter(|log| log.trim() != "[]"))
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
            if decides {
                self.decide(message, each).await
            } else {
                self.say(conversation, message, each).await
            }
        })
    }

    fn follow(&self, conversation: &str, each: Each, missed: Missed) -> Option<Box<dyn Any>> {
        let path = format!("/ws/{}", http::segment(conversation));
        let socket = Rc::new(Socket::open(&self.server, &path, each, missed));
        *self.socket.borrow_mut() = Rc::downgrade(&socket);
        Some(Box::new(socket))
    }
}

fn id_of(text: &str) -> Option<String> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    Some(document.root().get("id")?.as_str()?.into_owned())
}

/// Whether this is the first word on the request with this id.
fn settles(text: &str, id: &Option<String>) -> bool {
    is_one_of(text, &["approval_resolved", "approval_error"]) && id_of(text) == *id
}

/// Whether the agent has come to a pause or to the end.
fn is_news(text: &str) -> bool {
    is_one_of(text, &["approval_request", "run_finished", "run_failed"])
}

fn is_one_of(text: &str, kinds: &[&str]) -> bool {
    let document = Document::parse(text, &Limits::default());
    let kind = document.as_ref().ok().and_then(|document| document.root().get("type"));
    let kind = kind.and_then(Value::as_str);
    kind.is_some_and(|kind| kinds.contains(&&*kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_over_with_the_first_word_on_its_request() {
        let check = |text, expected| assert_eq!(settles(text, &Some("a".to_owned())), expected, "{text}");
        check(r#"{"type":"approval_resolved","id":"a"}"#, true);
        check(r#"{"type":"approval_error","id":"a"}"#, true);
        check(r#"{"type":"approval_request","id":"a"}"#, false);
        check(r#"{"type":"approval_resolved","id":"b"}"#, false);
        check("{", false);
    }

    #[test]
    fn words_are_over_when_the_agent_asks_or_ends() {
        assert!(is_news(r#"{"type":"run_failed","error":"x"}"#));
        assert!(!is_news(r#"{"type":"hello"}"#));
    }
}
