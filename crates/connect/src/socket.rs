//! A web socket to a real backend, opened again whenever it breaks.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::{Array, ArrayBuffer, Date, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{BinaryType, CloseEvent, Event, MessageEvent, WebSocket};

use super::expected::{Expectations, Reply};
use super::{Each, Fault, FaultKind, Missed, Server, pause};

const CLOSED: &str = "the connection to the agent is closed: nothing was sent";
pub(crate) const LOST: &str = "the connection to the agent was lost";
/// How long a message waits for the socket to be open, in milliseconds.
const PATIENCE: u32 = 5_000;
/// How long it may take to open, in milliseconds.
const OPENING: u32 = 30_000;
/// How often is looked whether it is, in milliseconds.
const LOOK: u32 = 50;
/// How often is looked whether a message has left, in milliseconds.
const LEAVING: u32 = 20;
/// How long it may take to leave, in milliseconds.
const LIMIT: u32 = 60_000;

/// A web socket that is opened again whenever it breaks, and closed when this is dropped.
pub(crate) struct Socket {
    line: Rc<Line>,
    _online: Option<EventListener>,
}

/// Everything that the events of the browser need.
struct Line {
    address: String,
    server: Server,
    each: Each,
    missed: Missed,
    connection: RefCell<Option<Connection>>,
    expected: Expectations,
    /// Attempts to open it since a connection lasted.
    attempts: Cell<u32>,
    /// The host is asked for its subprotocols.
    is_asking: Cell<bool>,
    /// Since when it is open.
    opened: Cell<Option<f64>>,
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
    /// Opens a socket at this address, with the subprotocols of its server.
    ///
    /// `each` takes what comes and nobody expects. `missed` is called whenever the socket is open, for what happened before
    /// has to be looked up elsewhere, and with the reason whenever it closed.
    pub(crate) fn open(url: &str, server: &Server, each: Each, missed: Missed) -> Socket {
        let line = Rc::new(Line {
            address: address(url),
            server: server.clone(),
            each,
            missed,
            connection: RefCell::default(),
            expected: Expectations::default(),
            attempts: Cell::default(),
            is_asking: Cell::default(),
            opened: Cell::default(),
            is_refused: Cell::default(),
            timer: RefCell::default(),
        });
        line.connect();
        let own = Rc::downgrade(&line);
        let online = web_sys::window().map(|window| {
            EventListener::new(&window, "online", move |_| {
                if let Some(line) = own.upgrade() {
                    line.anew();
                }
            })
        });
        Socket { line, _online: online }
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
    /// A [`Fault`] where the socket is not open: nothing was sent; or where it closes before the text has left, or the text does not leave
    /// in time: then it is opened anew.
    pub(crate) async fn send(&self, text: &str) -> Result<(), Fault> {
        let socket = self.line.connection.borrow().as_ref().map(|connection| connection.socket.clone());
        let socket = socket.filter(is_open).ok_or_else(|| Fault::lost(CLOSED).unsent())?;
        socket.send_with_str(text).map_err(|_| Fault::lost(CLOSED).unsent())?;
        match pause::within(LIMIT, left(|| socket.buffered_amount(), || is_open(&socket))).await {
            Some(true) => Ok(()),
            Some(false) => Err(Fault::lost(LOST)),
            None => {
                let sentence =
                    format!("the message did not leave within {LIMIT} ms and may have arrived all the same");
                self.give_up(Fault::lost(sentence.clone()));
                Err(Fault::lost(sentence))
            }
        }
    }
}

impl Line {
    fn connect(self: &Rc<Line>) {
        self.attempts.set(self.attempts.get().saturating_add(1));
        *self.timer.borrow_mut() = Some(self.later(OPENING, |line| {
            line.closed(Fault::lost(format!("the connection did not open within {OPENING} ms")));
        }));
        self.is_asking.set(true);
        let (line, server) = (Rc::downgrade(self), self.server.clone());
        spawn_local(async move {
            let protocols = server.protocols().await;
            // Whoever waits too long for the host has closed by now.
            if let Some(line) = line.upgrade().filter(|line| line.is_asking.take()) {
                line.make(&protocols).unwrap_or_else(|fault| line.closed(fault));
            }
        });
    }

    fn make(self: &Rc<Line>, protocols: &[String]) -> Result<(), Fault> {
        check(protocols)?;
        let protocols: Array = protocols.iter().map(|name| JsValue::from_str(name)).collect();
        let socket = WebSocket::new_with_str_sequence(&self.address, &protocols);
        // The browser would say it with the address, in which a key may stand.
        let socket = socket
            .map_err(|_| unusable("no web socket can be opened with this address and these subprotocols"))?;
        socket.set_binary_type(BinaryType::Arraybuffer);
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
                line.heard(event.dyn_ref::<MessageEvent>().and_then(|event| text(&event.data())));
            }),
            listen("close", |line, event| {
                let event = event.dyn_ref::<CloseEvent>();
                let (code, reason) = event.map(|it| (it.code(), it.reason())).unwrap_or_default();
                line.closed(end(line.opened.get().is_some(), code, &reason));
            }),
        ];
        *self.connection.borrow_mut() = Some(Connection { socket, _listeners: listeners });
        Ok(())
    }

    /// Tries at once, where it would wait before it tries again.
    fn hurry(self: &Rc<Line>) {
        if self.connection.borrow().is_none() && !self.is_asking.get() && !self.is_refused.get() {
            self.connect();
        }
    }

    /// The network is back: what is open may be silent for ever.
    fn anew(self: &Rc<Line>) {
        if self.is_open() {
            self.closed(Fault::lost(LOST));
        }
        self.hurry();
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
        self.opened.set(Some(Date::now()));
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
        self.is_asking.set(false);
        let lasted = self.opened.take().map(|opened| Date::now() - opened);
        self.attempts.set(after(self.attempts.get(), lasted));
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
        f.debug_tuple("Socket").field(&self.line.server).finish()
    }
}

/// Why a socket closed that had been open, or had not.
fn end(was_open: bool, code: u16, reason: &str) -> Fault {
    let kind = kind(code);
    let sentence = match (kind, was_open) {
        (FaultKind::Lost, true) => LOST,
        (FaultKind::Lost, false) => "the agent cannot be reached",
        _ => "the agent closed the connection",
    };
    let said = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    Fault::new(kind, format!("{sentence}{said}"))
}

/// Whether a backend closes because of a rule of its own, or as HTTP would with a status of 400 and more; that it took too long
/// (408) or too much (429) passes.
fn kind(code: u16) -> FaultKind {
    match code {
        4408 | 4429 => FaultKind::Lost,
        // As HTTP it would pass, too.
        1008 | 4425 => FaultKind::Closed,
        4400..4500 => FaultKind::Status(code - 4000),
        _ => FaultKind::Lost,
    }
}

/// The attempts that count after a connection that lasted so many milliseconds, or did not come about: a backend that hangs up
/// after a moment each time is asked ever more rarely.
fn after(attempts: u32, lasted: Option<f64>) -> u32 {
    let long = pause::limit(attempts).max(pause::LASTING);
    let has_lasted = lasted.is_some_and(|lasted| lasted >= f64::from(long));
    if has_lasted { 0 } else { attempts }
}

/// It will be the same at every attempt.
fn unusable(message: &str) -> Fault {
    Fault::new(FaultKind::Unusable, message)
}

/// Whether a browser takes these as subprotocols. It would say what is wrong with the name, in which a token may stand.
fn check(protocols: &[String]) -> Result<(), Fault> {
    let fits = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
    if protocols.iter().all(|name| !name.is_empty() && name.bytes().all(fits)) {
        return Ok(());
    }
    Err(unusable("a token or a subprotocol of the web socket has a character that no subprotocol can have"))
}

/// What came in a frame of text, or of bytes.
fn text(data: &JsValue) -> Option<String> {
    let bytes = || data.dyn_ref::<ArrayBuffer>().map(|bytes| decoded(&Uint8Array::new(bytes).to_vec()));
    data.as_string().or_else(bytes)
}

/// Bytes as text, as a body is read.
fn decoded(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits until nothing waits to leave; `false` where the socket closes before.
async fn left(waiting: impl Fn() -> u32, is_open: impl Fn() -> bool) -> bool {
    while waiting() > 0 {
        pause::sleep(LEAVING).await;
        if !is_open() {
            return false;
        }
    }
    true
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

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;
    use crate::testing::{now, pass};

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
    fn a_backend_that_closes_as_http_would_refuse_is_not_asked_again() {
        let check = |code, expected| {
            let fault = end(true, code, "");
            assert_eq!((fault.kind, fault.is_temporary()), (expected, expected == FaultKind::Lost), "{code}");
        };
        for code in [1000, 1006, 1011, 3000, 4000, 4399, 4408, 4429, 4500] {
            check(code, FaultKind::Lost);
        }
        for (code, status) in [(4400, 400), (4401, 401), (4403, 403), (4499, 499)] {
            check(code, FaultKind::Status(status));
        }
        check(1008, FaultKind::Closed);
        check(4425, FaultKind::Closed);
    }

    #[test]
    fn a_backend_that_hangs_up_at_once_is_asked_ever_more_rarely() {
        let mut attempts = 0;
        for expected in [1, 2, 3, 4] {
            attempts = after(attempts + 1, Some(20.0));
            assert_eq!(attempts, expected);
        }
        // A moment is more than the first waits.
        assert_eq!([after(1, Some(1_000.0)), after(1, Some(4_999.0)), after(1, Some(5_000.0))], [1, 1, 0]);
        assert_eq!([after(5, None), after(5, Some(7_999.0)), after(5, Some(8_000.0))], [5, 5, 0]);
    }

    #[test]
    fn a_token_that_no_subprotocol_can_hold_is_refused_once_and_not_repeated() {
        let check = |names: &[&str]| check(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!([check(&[]), check(&["countersign", "token.a-b_c~1"])], [Ok(()), Ok(())]);
        for name in ["", "token.abc==", "token.a/b", "token.a b", "token.é", "token.a\n"] {
            let fault = check(&["countersign", name]).expect_err(name);
            assert!(!fault.is_temporary() && !fault.message.contains("abc"), "{fault:?}");
        }
    }

    #[test]
    fn a_frame_of_bytes_is_read_as_text() {
        assert_eq!(decoded(b"\xEF\xBB\xBF{\"a\":\"\xC3\xA9\"}"), "{\"a\":\"é\"}");
        assert_eq!(decoded(b"a\xFF"), "a\u{FFFD}");
    }

    #[test]
    fn r10_a_message_has_a_minute_to_leave() {
        let (waiting, is_open) = (Cell::new(7), Cell::new(true));
        let leaving = || pause::within(LIMIT, left(|| waiting.get(), || is_open.get()));
        let (mut one, mut other) = (pin!(leaving()), pin!(leaving()));
        for _ in 1..LIMIT / LEAVING {
            assert_eq!((now(one.as_mut()), now(other.as_mut())), (None, None));
            pass(LEAVING);
        }
        waiting.set(0);
        assert_eq!(now(one), Some(Some(true)));
        waiting.set(7);
        pass(LEAVING);
        assert_eq!(now(other), Some(None));
        let mut closed = pin!(leaving());
        assert_eq!(now(closed.as_mut()), None);
        is_open.set(false);
        pass(LEAVING);
        assert_eq!(now(closed), Some(Some(false)));
    }
}
