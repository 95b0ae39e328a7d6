//! A web socket to a real backend, opened again whenever it breaks.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, WebSocket};

use super::{Each, Fault, Missed, pause};

/// The subprotocol that the backend chooses; the token stands beside it, since pages cannot set headers here.
const PROTOCOL: &str = "countersign";
const CLOSED: &str = "the connection to the agent is closed: nothing was sent";
/// How long a message waits for the socket to be open, in milliseconds.
const PATIENCE: u32 = 5_000;
/// How often is looked whether it is, in milliseconds.
const LOOK: u32 = 50;

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
    expected: RefCell<Vec<Weak<Expected>>>,
    /// Attempts to open it since it was open.
    attempts: Cell<u32>,
    timer: RefCell<Option<Timeout>>,
}

/// One connection; it ends when it is dropped.
struct Connection {
    socket: WebSocket,
    _listeners: [EventListener; 3],
}

/// Texts that somebody waits for.
struct Expected {
    fits: Box<dyn Fn(&str) -> bool>,
    each: Each,
    resolve: RefCell<Option<Function>>,
}

/// A text that is expected; nobody waits for it any more when this is dropped.
pub(crate) struct Reply {
    expected: Rc<Expected>,
    promise: Promise,
}

impl Socket {
    /// Opens a socket at this address; the token goes along in a subprotocol.
    ///
    /// `each` takes what comes and nobody expects. `missed` is called whenever the socket is open, and once when it
    /// cannot be opened: what happened in between has to be looked up elsewhere.
    pub(crate) fn open(url: &str, token: Option<&str>, each: Each, missed: Missed) -> Socket {
        let names = protocols(token);
        let line = Rc::new(Line {
            address: address(url),
            protocols: names.iter().map(|name| JsValue::from_str(name)).collect::<Array>().into(),
            each,
            missed,
            connection: RefCell::default(),
            expected: RefCell::default(),
            attempts: Cell::default(),
            timer: RefCell::default(),
        });
        line.connect();
        Socket { line }
    }

    /// Expects a text that `fits`; `each` takes it, instead of that of [`Socket::open`].
    pub(crate) fn expect(&self, fits: impl Fn(&str) -> bool + 'static, each: Each) -> Reply {
        let mut found = None;
        let promise = Promise::new(&mut |resolve, _| found = Some(resolve));
        let expected = Rc::new(Expected { fits: Box::new(fits), each, resolve: RefCell::new(found) });
        self.line.expected.borrow_mut().push(Rc::downgrade(&expected));
        Reply { expected, promise }
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
            pause::sleep(LOOK).await;
        }
        Err(Fault::lost(CLOSED))
    }

    /// Sends a text.
    ///
    /// # Errors
    /// A [`Fault`] where the socket is not open: nothing was sent.
    pub(crate) fn send(&self, text: &str) -> Result<(), Fault> {
        let connection = self.line.connection.borrow();
        let sent = self.line.is_open()
            && connection.as_ref().is_some_and(|connection| connection.socket.send_with_str(text).is_ok());
        if sent { Ok(()) } else { Err(Fault::lost(CLOSED)) }
    }
}

impl Reply {
    /// Waits until the text is there and was taken.
    ///
    /// # Errors
    /// A [`Fault`] where the connection breaks before.
    pub(crate) async fn arrived(self) -> Result<(), Fault> {
        let arrived = JsFuture::from(self.promise.clone()).await;
        if arrived.is_ok_and(|it| it.is_truthy()) {
            return Ok(());
        }
        Err(Fault::lost("the connection to the agent was lost"))
    }
}

impl Expected {
    /// It is there, or will never be.
    fn settle(&self, arrived: bool) {
        if let Some(resolve) = self.resolve.take() {
            let _ = resolve.call1(&JsValue::UNDEFINED, &JsValue::from_bool(arrived));
        }
    }
}

impl Line {
    fn connect(self: &Rc<Line>) {
        self.attempts.set(self.attempts.get().saturating_add(1));
        // Only a token that no header could hold makes this fail.
        let Ok(socket) = WebSocket::new_with_str_sequence(&self.address, &self.protocols) else {
            return self.closed();
        };
        let listen = |event, react: fn(&Rc<Line>, JsValue)| {
            let line = Rc::downgrade(self);
            EventListener::new(&socket, event, move |event| {
                if let Some(line) = line.upgrade() {
                    let data = event.dyn_ref::<MessageEvent>().map(MessageEvent::data);
                    react(&line, data.unwrap_or(JsValue::UNDEFINED));
                }
            })
        };
        let listeners = [
            listen("open", |line, _| line.opened()),
            listen("message", |line, data| line.heard(data.as_string())),
            listen("close", |line, _| line.closed()),
        ];
        *self.connection.borrow_mut() = Some(Connection { socket, _listeners: listeners });
    }

    /// Tries at once, where it would wait before it tries again.
    fn hurry(self: &Rc<Line>) {
        let waits = self.timer.take().is_some();
        if waits && !self.is_open() {
            self.connect();
        }
    }

    fn is_open(&self) -> bool {
        let connection = self.connection.borrow();
        connection.as_ref().is_some_and(|it| it.socket.ready_state() == WebSocket::OPEN)
    }

    fn opened(&self) {
        self.attempts.set(0);
        (self.missed)();
    }

    fn heard(&self, text: Option<String>) {
        let Some(text) = text else { return };
        let alive = || -> Vec<Rc<Expected>> {
            self.expected.borrow_mut().retain(|it| it.strong_count() > 0);
            self.expected.borrow().iter().filter_map(Weak::upgrade).collect()
        };
        let waits = |it: &Rc<Expected>| it.resolve.borrow().is_some() && (it.fits)(&text);
        match alive().into_iter().find(waits) {
            Some(expected) => {
                (expected.each)(text);
                expected.settle(true);
            }
            None => (self.each)(text),
        }
    }

    fn closed(self: &Rc<Line>) {
        let expected = std::mem::take(&mut *self.expected.borrow_mut());
        expected.iter().filter_map(Weak::upgrade).for_each(|it| it.settle(false));
        let attempts = self.attempts.get();
        if attempts == 1 {
            (self.missed)();
        }
        let line = Rc::downgrade(self);
        let again = Timeout::new(pause::jittered(attempts), move || {
            if let Some(line) = line.upgrade() {
                line.connect();
            }
        });
        *self.timer.borrow_mut() = Some(again);
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

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reply").field(&self.expected.resolve.borrow().is_none()).finish()
    }
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
    fn the_token_stands_beside_the_protocol() {
        assert_eq!(protocols(Some("t")), ["countersign", "token.t"]);
        assert_eq!(protocols(None), ["countersign"]);
    }
}
