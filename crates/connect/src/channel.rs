//! A web socket on which a backend asks and is answered, with its log over HTTP: Haystack, AdalFlow.

use std::any::Any;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::{Rc, Weak};

use countersign_json::{Document, Limits, Value};

use super::http::{self, Call};
use super::server::path;
use super::socket::Socket;
use super::{Answered, Each, Fault, Message, Missed, Server, Transport};

/// A web socket on which a backend asks and is answered, with its log over HTTP.
///
/// A decision is sent on the socket that [`Transport::follow`] keeps open.
#[derive(Debug)]
pub struct Channel {
    server: Server,
    socket_path: String,
    history: Option<String>,
    words: Option<String>,
    /// The kinds of messages with which an answer to words ends.
    ends: &'static [&'static str],
    /// The socket of the conversation that is followed; who follows it keeps it open.
    socket: RefCell<Weak<Socket>>,
}

impl Channel {
    /// A socket at this path of the server, with `{conversation}` in it: `/ws/{conversation}`.
    #[must_use]
    pub fn new(server: Server, socket: &str) -> Channel {
        let socket_path = socket.to_owned();
        Channel { server, socket_path, history: None, words: None, ends: &[], socket: RefCell::default() }
    }

    /// With a path where everything that was sent can be read: `/history/{conversation}`. Without it, the backend says what
    /// is open whenever a socket opens.
    #[must_use]
    pub fn with_history(mut self, path: &str) -> Channel {
        self.history = Some(path.to_owned());
        self
    }

    /// With a path that takes a person's words; what comes of them is over with a message of one of these kinds (`type`).
    #[must_use]
    pub fn with_words(mut self, path: &str, ends: &'static [&'static str]) -> Channel {
        self.words = Some(path.to_owned());
        self.ends = ends;
        self
    }

    /// It is delivered once it has left: not every backend has a word for what it took.
    async fn decide(&self, message: &str) -> Result<(), Fault> {
        let socket = self.socket.borrow().upgrade();
        let socket = socket.ok_or_else(|| Fault::lost("nothing connects this page with the agent"))?;
        socket.ready().await?;
        socket.send(message).await
    }

    async fn say(&self, conversation: &str, message: &str, each: Each) -> Result<(), Fault> {
        let words = self.words.as_ref();
        let words = words.ok_or_else(|| Fault::lost("this transport takes no words: nothing was sent"))?;
        let ends = self.ends;
        let socket = self.socket.borrow().upgrade().filter(|_| !ends.is_empty());
        let news = socket.as_ref().map(|socket| socket.expect(move |text| is_one_of(text, ends), each));
        let url = self.server.below(&path(words, conversation));
        let call = Call { url: &url, body: Some(message), is_whole: true, ..Call::default() };
        // The receipt says nothing that the socket does not say.
        http::send(&self.server, &call, |_| Ok(ControlFlow::Continue(()))).await?;
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
            let Some(history) = &self.history else { return Ok(None) };
            let url = self.server.below(&path(history, conversation));
            http::known(&self.server, &Call { url: &url, ..Call::default() }).await
        })
    }

    fn send<'a>(&'a self, conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        Box::pin(async move {
            match message.id {
                Some(_) => self.decide(message.text).await,
                None => self.say(conversation, message.text, each).await,
            }
        })
    }

    fn follow(&self, conversation: &str, each: Each, missed: Missed) -> Option<Box<dyn Any>> {
        let url = self.server.below(&path(&self.socket_path, conversation));
        let socket = Rc::new(Socket::open(&url, self.server.token.as_deref(), each, missed));
        *self.socket.borrow_mut() = Rc::downgrade(&socket);
        Some(Box::new(socket))
    }
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
    fn what_comes_of_words_is_over_with_a_message_of_one_kind() {
        let check =
            |text, expected| assert_eq!(is_one_of(text, &["run_finished", "run_failed"]), expected, "{text}");
        check(r#"{"type":"run_finished"}"#, true);
        check(r#"{"type":"approval_request","id":"run_finished"}"#, false);
        check(r#"{"type":7}"#, false);
        check("{", false);
    }
}
