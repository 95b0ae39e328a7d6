//! A web socket on which a backend asks and is answered, with its log over HTTP: Haystack, AdalFlow.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::{Rc, Weak};

use countersign_core::OutboundId;
use countersign_json::{Document, Limits, Value};

use super::expected::Reply;
use super::http::{self, Call};
use super::server::path;
use super::socket::{LOST, Socket};
use super::{Answered, Each, Fault, Message, Missed, Server, Transport, pause};

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
    sockets: Ways<Socket>,
    /// Messages that have left, by their ids, and what is awaited of each.
    left: RefCell<Vec<(OutboundId, Left)>>,
    /// What ends that which comes of the last words.
    said: RefCell<Option<Reply>>,
    heard: Rc<Heard>,
}

/// The ways of the conversations that are followed, by their names; who follows one keeps it open.
#[derive(Debug)]
struct Ways<T>(RefCell<Vec<(String, Weak<T>)>>);

impl<T> Ways<T> {
    fn keep(&self, conversation: &str, way: &Rc<T>) {
        let mut ways = self.0.borrow_mut();
        ways.retain(|(_, way)| way.strong_count() > 0);
        ways.push((conversation.to_owned(), Rc::downgrade(way)));
    }

    fn of(&self, conversation: &str) -> Option<Rc<T>> {
        let ways = self.0.borrow();
        let mut own = ways.iter().rev().filter(|(name, _)| name == conversation);
        own.find_map(|(_, way)| way.upgrade())
    }
}

/// A message that has left.
#[derive(Debug)]
struct Left {
    socket: Weak<Socket>,
    conversation: String,
    /// What the backend calls the request.
    request: Option<String>,
    reply: Reply,
}

/// What counts as delivered though nothing was said of it.
#[derive(Debug)]
struct Unsaid {
    conversation: String,
    /// What the backend calls the request.
    request: Option<String>,
    id: OutboundId,
}

/// What was heard over the socket.
#[derive(Debug, Default)]
struct Heard {
    /// The backend is one that says what became of an answer.
    answers: Cell<bool>,
    unsaid: RefCell<Vec<Unsaid>>,
}

impl Heard {
    fn note(&self, conversation: &str, text: &str) {
        let (answers, request) = word_on(text);
        self.answers.set(self.answers.get() || answers);
        if request.is_some() {
            let is_said = |unsaid: &Unsaid| unsaid.conversation == conversation && unsaid.request == request;
            self.unsaid.borrow_mut().retain(|unsaid| !is_said(unsaid));
        }
    }
}

/// How long an answer may take where the backend answers, in milliseconds.
const PATIENCE: u32 = 60_000;
/// How long a socket has to stay open behind a message that its backend may never answer, in milliseconds.
const SILENCE: u32 = 5_000;

impl Channel {
    /// A socket at this path of the server, with `{conversation}` in it: `/ws/{conversation}`.
    #[must_use]
    pub fn new(server: Server, socket: &str) -> Channel {
        let socket_path = socket.to_owned();
        Channel {
            server,
            socket_path,
            history: None,
            words: None,
            ends: &[],
            sockets: Ways(RefCell::default()),
            left: RefCell::default(),
            said: RefCell::default(),
            heard: Rc::default(),
        }
    }

    /// With a path where everything that was sent can be read: `/history/{conversation}`. Without it, the backend says what
    /// is open whenever a socket opens.
    #[must_use]
    pub fn with_history(mut self, path: &str) -> Channel {
        self.history = Some(path.to_owned());
        self
    }

    /// With a path that takes a person's words; what comes of them is over with a message of one of these kinds (`type`). Other words wait
    /// for that, decisions do not.
    #[must_use]
    pub fn with_words(mut self, path: &str, ends: &'static [&'static str]) -> Channel {
        self.words = Some(path.to_owned());
        self.ends = ends;
        self
    }

    /// It has left then, and may be lost behind this machine all the same: only the backend can say that it has it.
    async fn decide(&self, conversation: &str, id: &str, message: &str, each: Each) -> Result<(), Fault> {
        let socket = self.sockets.of(conversation);
        let socket =
            socket.ok_or_else(|| Fault::lost("nothing connects this page with the agent").unsent())?;
        socket.ready().await?;
        let request = request_of(message);
        let (wanted, heard) = (request.clone(), Rc::clone(&self.heard));
        let fits = move |text: &str| {
            let (answers, request) = word_on(text);
            heard.answers.set(heard.answers.get() || answers);
            request.is_some() && request == wanted
        };
        let reply = socket.expect(fits, each);
        socket.send(message).await?;
        let left =
            Left { socket: Rc::downgrade(&socket), conversation: conversation.to_owned(), request, reply };
        self.left.borrow_mut().push((OutboundId::from(id), left));
        Ok(())
    }

    /// Waits for a word on a message that has left. A backend that neither says `hello` nor ever answered has it when its socket is
    /// still open after a while.
    async fn wait(&self, id: &str) -> Result<(), Fault> {
        let place = self.left.borrow().iter().position(|(left, _)| left.as_str() == id);
        let Some((id, Left { socket, conversation, request, reply })) =
            place.map(|at| self.left.borrow_mut().remove(at))
        else {
            return Ok(());
        };
        let is_answered = self.heard.answers.get() && request.is_some();
        let limit = if is_answered { PATIENCE } else { SILENCE };
        match pause::within(limit, reply.arrived()).await {
            Some(true) => Ok(()),
            Some(false) => Err(Fault::lost(LOST)),
            None if is_answered => {
                let sentence = format!(
                    "the message was not answered within {limit} ms and may have arrived all the same"
                );
                let fault = Fault::lost(sentence);
                if let Some(socket) = socket.upgrade() {
                    socket.give_up(fault.clone());
                }
                Err(fault)
            }
            None => {
                self.heard.unsaid.borrow_mut().push(Unsaid { conversation, request, id });
                Ok(())
            }
        }
    }

    async fn say(&self, conversation: &str, message: &str, each: Each) -> Result<(), Fault> {
        let words = self.words.as_ref();
        let words = words.ok_or_else(|| Fault::lost("this transport takes no words: nothing was sent"))?;
        let ends = self.ends;
        let socket = self.sockets.of(conversation).filter(|_| !ends.is_empty());
        let news = socket.as_ref().map(|socket| socket.expect(move |text| is_one_of(text, ends), each));
        let url = self.server.below(&path(words, conversation));
        let call = Call { url: &url, body: Some(message), is_whole: true, ..Call::default() };
        // The receipt says nothing that the socket does not say.
        http::send(&self.server, &call, |_| Ok(ControlFlow::Continue(()))).await?;
        *self.said.borrow_mut() = news;
        Ok(())
    }

    /// Waits for the end of what comes of words.
    async fn rest(&self) -> Result<(), Fault> {
        let news = self.said.take();
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
                Some(id) => self.decide(conversation, id, message.text, each).await,
                None => self.say(conversation, message.text, each).await,
            }
        })
    }

    fn arrived<'a>(&'a self, id: Option<&'a str>) -> Answered<'a, ()> {
        Box::pin(async move {
            match id {
                Some(id) => self.wait(id).await,
                None => self.rest().await,
            }
        })
    }

    fn lost(&self, conversation: &str) -> Vec<OutboundId> {
        let mut unsaid = self.heard.unsaid.borrow_mut();
        unsaid.extract_if(.., |unsaid| unsaid.conversation == conversation).map(|unsaid| unsaid.id).collect()
    }

    fn follow(&self, conversation: &str, each: Each, missed: Missed) -> Option<Box<dyn Any>> {
        let (heard, name) = (Rc::clone(&self.heard), conversation.to_owned());
        let each: Each = Rc::new(move |text| {
            heard.note(&name, &text);
            each(text);
        });
        let url = self.server.below(&path(&self.socket_path, conversation));
        let socket = Rc::new(Socket::open(&url, &self.server, each, missed));
        self.sockets.keep(conversation, &socket);
        Some(Box::new(socket))
    }
}

/// What a message answers, as the backend calls it.
fn request_of(message: &str) -> Option<String> {
    let document = Document::parse(message, &Limits::default()).ok()?;
    Some(document.root().get("id")?.as_str()?.into_owned())
}

/// Whether a text shows that the backend says what became of answers, and of which request it says so. A request that is repeated
/// may have left before the answer to it came.
fn word_on(text: &str) -> (bool, Option<String>) {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return (false, None) };
    let [kind, id, name] = document.root().pick(["type", "id", "name"]);
    let is = |value: Option<Value<'_>>, words: &[&str]| {
        value.and_then(Value::as_str).is_some_and(|word| words.contains(&&*word))
    };
    let is_answer = is(kind, &["approval_resolved", "approval_error"]);
    let is_run = is(kind, &["run_item_stream_event"])
        && is(name, &["agent.tool_call_start", "agent.tool_call_complete"]);
    let of_run = document.root().pointer("/item/data/id").filter(|_| is_run);
    let id = if is_answer { id } else { of_run };
    (is_answer || is(kind, &["hello"]), id.and_then(Value::as_str).map(|id| id.into_owned()))
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
    use crate::FaultKind;
    use crate::expected::Expectations;
    use crate::testing::now;

    #[test]
    fn r10_lost_only_a_word_on_the_request_says_that_a_decision_was_heard() {
        let check = |text: &str, answers, of: Option<&str>| {
            assert_eq!(word_on(text), (answers, of.map(str::to_owned)), "{text}");
        };
        check(r#"{"type":"approval_resolved","id":"r1","action":"confirm"}"#, true, Some("r1"));
        check(r#"{"type":"approval_error","id":"r1","status":409}"#, true, Some("r1"));
        check(r#"{"type":"hello","id":"r1"}"#, true, None);
        check(r#"{"type":"approval_request","id":"r1"}"#, false, None);
        let run = |name| {
            format!(
                r#"{{"type":"run_item_stream_event","name":"{name}","item":{{"id":"x","data":{{"id":"r1"}}}}}}"#
            )
        };
        check(&run("agent.tool_call_start"), false, Some("r1"));
        check(&run("agent.tool_permission_request"), false, None);
        check("{", false, None);
        assert_eq!(request_of(r#"{"type":"approval_response","id":"r1"}"#).as_deref(), Some("r1"));
    }

    /// These count as delivered: the conversation, the request and the message of each.
    fn leave<const N: usize>(channel: &Channel, left: [(&str, &str, &str); N]) {
        channel.heard.unsaid.borrow_mut().extend(left.map(|(conversation, request, id)| Unsaid {
            conversation: conversation.to_owned(),
            request: Some(request.to_owned()),
            id: OutboundId::from(id),
        }));
    }

    #[test]
    fn r10_lost_what_was_answered_late_is_not_lost() {
        let channel = Channel::new(Server::new("/"), "/ws");
        leave(&channel, [("c", "r1", "m1"), ("c", "r2", "m2")]);
        channel.heard.note("c", r#"{"type":"approval_resolved","id":"r1"}"#);
        assert_eq!(channel.lost("c"), [OutboundId::from("m2")]);
        assert!(channel.lost("c").is_empty());
    }

    #[test]
    fn r10_lost_what_one_conversation_lost_is_nothing_of_another_one() {
        let channel = Channel::new(Server::new("/"), "/ws/{conversation}");
        leave(&channel, [("a", "r1", "m1"), ("b", "r1", "m2")]);
        channel.heard.note("b", r#"{"type":"approval_resolved","id":"r1"}"#);
        assert!(channel.lost("b").is_empty());
        assert_eq!(channel.lost("a"), [OutboundId::from("m1")]);
    }

    #[test]
    fn r01_a_decision_leaves_on_the_way_of_its_own_conversation() {
        let (ways, [first, second, third]) = (Ways(RefCell::default()), [1, 2, 3].map(Rc::new));
        ways.keep("a", &first);
        ways.keep("b", &second);
        assert_eq!(["a", "b", "c"].map(|name| ways.of(name).map(|way| *way)), [Some(1), Some(2), None]);
        drop(first);
        ways.keep("b", &third);
        assert_eq!(["a", "b"].map(|name| ways.of(name).map(|way| *way)), [None, Some(3)]);
        drop(third);
        assert_eq!(ways.of("b").map(|way| *way), Some(2));
    }

    #[test]
    fn r43_without_a_socket_nothing_has_left() {
        let channel = Channel::new(Server::new("/"), "/ws");
        let message = Message { id: Some("m1"), ..Message::words("{}") };
        let sent = now(channel.send("c", message, Rc::new(|_| {})));
        assert_eq!(sent.map(|sent| sent.map_err(|fault| fault.kind)), Some(Err(FaultKind::Unsent)));
    }

    #[test]
    fn words_are_over_with_what_ends_them() {
        let channel = Channel::new(Server::new("/"), "/ws");
        assert_eq!(now(channel.arrived(None)), Some(Ok(())));
        let expectations = Expectations::default();
        let news = expectations.add(|text| is_one_of(text, &["run_finished"]), Rc::new(drop));
        *channel.said.borrow_mut() = Some(news);
        let mut over = channel.arrived(None);
        assert_eq!(now(over.as_mut()), None);
        assert_eq!(expectations.take(r#"{"type":"run_finished"}"#.to_owned()), None);
        assert_eq!(now(over), Some(Ok(())));
    }

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
