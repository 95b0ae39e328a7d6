//! The example backend's web socket.

use std::any::Any;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

use countersign_json::{Document, Limits, Value};

use super::{begin, log};
use crate::backend::socket::Socket;
use crate::backend::{Fault, http};
use crate::browser;
use crate::settings::Server;
use crate::systems::{Answered, Each, Missed, Transport};

/// How often an answer tries to find the socket open, after the first time.
const ATTEMPTS: u32 = 20;
/// How long it waits in between, in milliseconds.
const PAUSE: u32 = 100;

/// A web socket of the example backend, on which it asks and is answered.
#[derive(Debug)]
pub(in crate::systems::adalflow) struct Channel {
    server: Server,
    /// What follows the conversation; whoever follows it owns it.
    socket: RefCell<Weak<Socket>>,
}

impl Channel {
    pub(in crate::systems::adalflow) fn new(server: Server) -> Channel {
        Channel { server, socket: RefCell::default() }
    }
}

impl Transport for Channel {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move { log(&self.server, conversation).await.map(Some) })
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
                return begin(&self.server, conversation, message).await;
            }
            let id = id(message);
            let mut patience = ATTEMPTS;
            loop {
                let socket = self.socket.borrow().upgrade().ok_or_else(|| Fault {
                    status: None,
                    message: "there is no connection to the agent: nothing was sent".to_owned(),
                })?;
                let expected = id.clone();
                let reply = socket.expect(move |text| answers(text, expected.as_deref()), Rc::clone(&each));
                match socket.send(message) {
                    Ok(()) => return reply.arrived().await,
                    Err(fault) if patience == 0 => return Err(fault),
                    // Nothing was sent: it may wait for the connection that is being made.
                    Err(_) => patience -= 1,
                }
                drop((socket, reply));
                browser::sleep(PAUSE).await;
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

/// The request that a message is about.
fn id(message: &str) -> Option<String> {
    let document = Document::parse(message, &Limits::default()).ok()?;
    Some(document.root().get("id")?.as_str()?.into_owned())
}

/// Whether a text says what became of the answer to this request.
fn answers(text: &str, request: Option<&str>) -> bool {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return false };
    let [kind, id] = document.root().pick(["type", "id"]);
    let kind = kind.and_then(Value::as_str).unwrap_or_default();
    ["approval_resolved", "approval_error"].contains(&kind.as_ref())
        && id.and_then(Value::as_str).as_deref() == request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_fate_of_the_same_request_is_a_reply() {
        let message = r#"{"type":"approval_response","id":"1","outcome":"cancel"}"#;
        assert_eq!(id(message).as_deref(), Some("1"));
        let check = |text, expected| assert_eq!(answers(text, Some("1")), expected, "{text}");
        check(r#"{"type":"approval_resolved","id":"1"}"#, true);
        check(r#"{"type":"approval_error","id":"1","status":409}"#, true);
        check(r#"{"type":"approval_resolved","id":"2"}"#, false);
        check(r#"{"type":"approval_request","id":"1"}"#, false);
        check("{", false);
    }
}
