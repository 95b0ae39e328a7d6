//! A web socket to a real backend, opened again whenever it breaks.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CloseEvent, Event, MessageEvent, WebSocket};

use super::expected::{Expectations, Reply};
use super::{Each, Fault, Missed, pause};

/// The subprotocol that the backend chooses; the token stands beside it, since pages cannot set headers here.
const PROTOCOL: &str = "countersign";
const CLOSED: &str = "the connection to the agent is closed: nothing was sent";
pub(crate) const LOST: &str = "the connection to the agent was lost";
/// How long a message waits for the socket to be open, in milliseconds.
const PATIENCE: u32 = 5_000;
/// How long it may take to open, in milliseconds.
const OPENING: u32 = 30_000;
/// The backend closes because of a rule of its own.
const POLICY: u16 = 1008;
/// How often is looked whether it is, in milliseconds.
const LOOK: u32 = 50;
/// How often is looked whether a message has left, in milliseconds.
const LEAVING: u32 = 20;

/// A web socket that is opened again whenever it breaks, and closed when this is dropped.
pub(crate) struct Socket {
    line: Rc<Line>,
}

/// Everything that the events of the browser need.
struct Line {
    address: String,
    protocols: JsValue,
    each: Each,
    missed: Missed,
    connection: RefCell<Option<Connection>>,
    expected: Expectations,
    /// Attempts to open it since it was open.
    attempts: Cell<u32>,
    /// The backend refused: it is not opened again.
    is_refused: Cell<bool>,
    timer: RefCell<Option<Timeout>>,
}

/// One connection; it ends when it is dropped.
struct Connection {
    socket: WebSocket,
    _listeners: [EventListener; 3],
}

impl Socket {
    /// Opens a socket at this address; the token goes along in a subprotocol.
    ///
    /// `each` takes what comes and nobody expects. `missed` is called whenever the socket is open, for what happened before
    /// has to be looked up elsewhere, and with the reason whenever it closed.
    pub(crate) fn open(url: &str, token: Option<&str>, each: Each, missed: Missed) -> Socket {
        let names = protocols(token);
        let line = Rc::new(Line {
            address: address(url),
            protocols: names.iter().map(|name| JsValue::from_str(name)).collect::<Array>().into(),
            each,
            missed,
            connection: RefCell::default(),
            expected: Expectations::default(),
            attempts: Cell::default(),
            is_refused: Cell::default(),
            timer: RefCell::default(),
        });
        line.connect();
        Socket { line }
    }

    /// Expects a text that `fits`; `each` takes it, instead of that of [`Socket::open`].
    pub(crate) fn expect(&self, fits: impl Fn(&str) -> bool + 'static, each: Each) -> Reply {
        self.line.expected.add(fits, each)
    }

    /// Waits a while for the socket to be open: who decides just when it broke need not press again.
    ///
    /// # Errors
    /// A [`Fault`] where it does not open.
    pub(crate) async fn ready(&self) -> Result<(), Fault> {
        self.line.hurry();
        for _ in 0..PATIENCE / LOOK {
            if self.line.is_open() {
                return Ok(());
            }
            if self.line.is_refused.get() {
                break;
            }
            pause::sleep(LOOK).await;
        }
        Err(Fault::lost(CLOSED).unsent())
    }

    /// What was sent hangs, and what would wait behind it would not arrive either: it is opened anew.
    pub(crate) fn give_up(&self, fault: Fault) {
        self.line.closed(fault);
    }

    /// Sends a text, and waits until it has left.
    ///
    /// # Errors
    /// A [`Fault`] where the socket is not open: nothing was sent; or where it closes before the text has left.
    pub(crate) async fn send(&self, text: &str) -> Result<(), Fault> {
        let socket = self.line.connection.borrow().as_ref().map(|connection| connection.socket.clone());
        let socket = socket.filter(is_open).ok_or_else(|| Fault::lost(CLOSED).unsent())?;
        socket.send_with_str(text).map_err(|_| Fault::lost(CLOSED).unsent())?;
        while socket.buffered_amount() > 0 {
            pause::sleep(LEAVING).await;
            if !is_open(&socket) {
                return Err(Fault::lost(LOST));
            }
        }
        Ok(())
    }
}

impl Line {
    fn connect(self: &Rc<Line>) {
        self.attempts.set(self.attempts.get().saturating_add(1));
        // Only a token that no header could hold makes this fail.
        let Ok(socket) = WebSocket::new_with_str_sequence(&self.address, &self.protocols) else {
            return self.closed(end(false, 0, ""));
        };
        let listen = |event, react: fn(&Rc<Line>, &Event)| {
            let line = Rc::downgrade(self);
            EventListener::new(&socket, event, move |event| {
                if let Some(line) = line.upgrade() {
                    react(&line, event);
                }
            })
        };
        let listeners = [
            listen("open", |line, _| line.opened()),
            listen("message", |line, event| {
                line.heard(event.dyn_ref::<MessageEvent>().and_then(|event| event.data().as_string()));
            }),
            listen("close", |line, event| {
                let event = event.dyn_ref::<CloseEvent>();
                let (code, reason) = event.map(|it| (it.code(), it.reason())).unwrap_or_default();
                line.closed(end(line.attempts.get() == 0, code, &reason));
            }),
        ];
        *self.timer.borrow_mut() = Some(self.later(OPENING, |line| {
            line.connection.take();
            line.closed(Fault::lost(format!("the connection did not open within {OPENING} ms")));
        }));
        *self.connection.borrow_mut() = Some(Connection { socket, _listeners: listeners });
    }

    /// Tries at once, where it would wait before it tries again.
    fn hurry(self: &Rc<Line>) {
        if self.connection.borrow().is_none() && !self.is_refused.get() {
            self.connect();
        }
    }

    fn later(self: &Rc<Line>, milliseconds: u32, act: fn(&Rc<Line>)) -> Timeout {
        let line = Rc::downgrade(self);
        Timeout::new(milliseconds, move || {
            if let Some(line) = line.upgrade() {
                act(&line);
            }
        })
    }

    fn is_open(&self) -> bool {
        let connection = self.connection.borrow();
        connection.as_ref().is_some_and(|it| is_open(&it.socket))
    }

    fn opened(&self) {
        self.attempts.set(0);
        self.timer.take();
        (self.missed)(Ok(()));
    }

    fn heard(&self, text: Option<String>) {
        let Some(text) = text else { return };
        if let Some(text) = self.expected.take(text) {
            (self.each)(text);
        }
    }

    fn closed(self: &Rc<Line>, fault: Fault) {
        self.expected.give_up();
        self.connection.take();
        self.is_refused.set(!fault.is_temporary());
        *self.timer.borrow_mut() =
            fault.is_temporary().then(|| self.later(pause::jittered(self.attempts.get()), Line::connect));
        (self.missed)(Err(fault));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.socket.close();
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The token stands in the protocols.
        f.debug_tuple("Socket").field(&self.line.address).finish()
    }
}

/// Why a socket closed that had been open, or had not.
fn end(was_open: bool, code: u16, reason: &str) -> Fault {
    let (status, sentence) = match (code, was_open) {
        (POLICY, _) => (Some(403), "the agent closed the connection"),
        (_, true) => (None, LOST),
        (_, false) => (None, "the agent cannot be reached"),
    };
    let said = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    Fault { status, message: format!("{sentence}{said}") }
}

fn is_open(socket: &WebSocket) -> bool {
    socket.ready_state() == WebSocket::OPEN
}

/// A relative address is one of the page.
fn address(url: &str) -> String {
    // `http` becomes `ws`, and `https` becomes `wss`.
    match url.strip_prefix("http") {
        Some(rest) => format!("ws{rest}"),
        None => url.to_owned(),
    }
}

fn protocols(token: Option<&str>) -> Vec<String> {
    let token = token.map(|token| format!("token.{token}"));
    std::iter::once(PROTOCOL.to_owned()).chain(token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_has_the_address_of_its_server() {
        let check = |url, expected| assert_eq!(address(url), expected);
        check("http://127.0.0.1:8084/ws/c", "ws://127.0.0.1:8084/ws/c");
        check("https://agent.example/ws/c", "wss://agent.example/ws/c");
        check("ws://127.0.0.1:8084/ws/c", "ws://127.0.0.1:8084/ws/c");
    }

    #[test]
    fn a_backend_that_closes_by_a_rule_of_its_own_is_not_asked_again() {
        let check = |was_open, code, reason, message: &str, temporary| {
            let fault = end(was_open, code, reason);
            assert_eq!((fault.message.as_str(), fault.is_temporary()), (message, temporary));
        };
        check(true, 1006, "", "the connection to the agent was lost", true);
        check(true, 1011, "it fell", "the connection to the agent was lost: it fell", true);
        check(false, 1006, "", "the agent cannot be reached", true);
        check(true, 1008, "", "the agent closed the connection", false);
        check(false, 1008, "token refused", "the agent closed the connection: token refused", false);
    }

    #[test]
    fn the_token_stands_beside_the_protocol() {
        assert_eq!(protocols(Some("t")), ["countersign", "token.t"]);
        assert_eq!(protocols(None), ["countersign"]);
    }
}
