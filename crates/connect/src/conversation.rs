//! One conversation: what its backend says goes into the inbox, in order, and what the inbox says goes out.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::{Rc, Weak};

use countersign_core::{
    Inbox, Input, Millis, Outbound, OutboundId, Output, Refusal, RequestRef, RequestView, Status,
};
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use web_sys::VisibilityState;

use super::{Each, Fault, Missed, Transport, pause};

/// How often is looked whether it is somebody's turn, in milliseconds.
const LOOK: u32 = 10;

/// A conversation with an agent, and the inbox that shows what waits in it. It ends when this is dropped; what a person
/// has decided by then is still sent, also a rejection that could have been undone.
///
/// It restores the history, follows what comes, reads again after a break with longer waits each time, sends what is
/// due, and tells the inbox what became of it. Give the inbox a person's acts by [`Conversation::handle`].
pub struct Conversation {
    line: Rc<Line>,
    _following: Option<Box<dyn Any>>,
    _looking: Option<EventListener>,
}

struct Line {
    transport: Rc<dyn Transport>,
    name: String,
    inbox: RefCell<Inbox>,
    clock: fn() -> Millis,
    changed: Box<dyn Fn()>,
    /// Somebody looks.
    open: Cell<bool>,
    fault: RefCell<Option<Fault>>,
    timer: RefCell<Option<Timeout>>,
    /// History is in the inbox.
    restored: Cell<bool>,
    /// Somebody waits to read once more.
    retrying: Cell<bool>,
    /// How many of those who read a state let live events wait: a state says nothing of what happened after it was asked for.
    held: Cell<u32>,
    waiting: RefCell<VecDeque<String>>,
    reading: Turn,
    sending: Turn,
}

/// One after the other.
#[derive(Default)]
struct Turn(Cell<bool>);

/// Somebody's turn, until it is dropped.
struct Taken<'t>(&'t Turn);

/// Live events wait until this is dropped.
struct Hold<'l>(&'l Line);

impl Conversation {
    /// Begins with the conversation of this name. `changed` is called whenever the inbox may look different; `clock` gives
    /// the present moment.
    #[must_use]
    pub fn open(
        transport: Rc<dyn Transport>,
        name: &str,
        inbox: Inbox,
        clock: fn() -> Millis,
        changed: impl Fn() + 'static,
    ) -> Conversation {
        let line = Rc::new(Line {
            transport,
            name: name.to_owned(),
            inbox: RefCell::new(inbox),
            clock,
            changed: Box::new(changed),
            open: Cell::new(true),
            fault: RefCell::default(),
            timer: RefCell::default(),
            restored: Cell::default(),
            retrying: Cell::default(),
            held: Cell::default(),
            waiting: RefCell::default(),
            reading: Turn::default(),
            sending: Turn::default(),
        });
        let each: Each = {
            let line = Rc::downgrade(&line);
            Rc::new(move |text| {
                if let Some(line) = line.upgrade() {
                    line.heard(text);
                }
            })
        };
        let missed: Missed = {
            let line = Rc::downgrade(&line);
            Rc::new(move || spawn_local(read(line.clone())))
        };
        let following = line.transport.follow(&line.name, each, missed);
        // Who is followed says itself when there is something to read.
        if following.is_none() {
            spawn_local(read(Rc::downgrade(&line)));
        }
        Conversation { _looking: looking(&line), line, _following: following }
    }

    /// The cards, in order of arrival.
    #[must_use]
    pub fn views(&self) -> Vec<RequestView> {
        self.line.inbox.borrow().views()
    }

    /// The request with this scoped id, or with this bare one where that is unique.
    ///
    /// # Errors
    /// A [`Refusal`] where there is none, or more than one.
    pub fn find(&self, id: &str) -> Result<RequestRef, Refusal> {
        self.line.inbox.borrow().find(id)
    }

    /// Whether the inbox knows what the backend knew.
    #[must_use]
    pub fn is_restored(&self) -> bool {
        self.line.restored.get()
    }

    /// Why the backend could not be read last; what waits now is not known then.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.line.fault.borrow().clone()
    }

    /// Hands over what a person did, and sends what is due.
    ///
    /// # Errors
    /// A [`Refusal`]; nothing was changed.
    pub fn handle(&self, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        self.line.handle(input)
    }

    /// Sends a person's words: the message in which this backend takes them.
    pub fn say(&self, message: &str) {
        let (line, message) = (Rc::clone(&self.line), message.to_owned());
        spawn_local(async move {
            let _turn = line.sending.take().await;
            let each = line.each(None);
            let said = line.transport.send(&line.name, &message, None, each).await;
            let broke = said.is_err();
            *line.fault.borrow_mut() = said.err();
            line.tell();
            if broke {
                line.read_once().await.ok();
            }
        });
    }

    /// Reads what the backend knows by now.
    pub fn refresh(&self) {
        spawn_local(read(Rc::downgrade(&self.line)));
    }
}

/// A page that goes out of sight may be ended without another word: what is held leaves. One that comes back may have missed
/// something.
fn looking(line: &Rc<Line>) -> Option<EventListener> {
    let document = web_sys::window()?.document()?;
    let (line, place) = (Rc::downgrade(line), document.clone());
    Some(EventListener::new(&place, "visibilitychange", move |_| {
        let Some(line) = line.upgrade() else { return };
        if document.visibility_state() == VisibilityState::Hidden {
            line.handle(Input::Leave).ok();
        } else {
            spawn_local(read(Rc::downgrade(&line)));
        }
    }))
}

/// Reads what the backend knows until that succeeds, later each time, or nobody wants it any more.
async fn read(of: Weak<Line>) {
    for attempts in 0.. {
        let Some(line) = of.upgrade() else { return };
        let fault = line.read_once().await.err();
        let temporary = fault.as_ref().is_some_and(is_temporary);
        *line.fault.borrow_mut() = fault;
        line.tell();
        // One at a time comes back to it.
        if !temporary || line.retrying.replace(true) {
            return;
        }
        drop(line);
        pause::sleep(pause::jittered(attempts)).await;
        let Some(line) = of.upgrade() else { return };
        line.retrying.set(false);
    }
}

/// Whether the same question may be answered later.
fn is_temporary(fault: &Fault) -> bool {
    fault.status.is_none_or(|status| status >= 500 || [408, 425, 429].contains(&status))
}

impl Line {
    /// Hands an input to the inbox, sends what is due then, and winds the clock.
    fn handle(self: &Rc<Line>, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        let outputs = self.inbox.borrow_mut().handle((self.clock)(), input)?;
        let due = self.inbox.borrow_mut().take_outbound();
        for outbound in due {
            let line = Rc::clone(self);
            spawn_local(async move { line.deliver(outbound).await });
        }
        let wake = outputs.iter().find_map(|output| match output {
            Output::WakeAt(moment) => Some(*moment),
            _ => None,
        });
        *self.timer.borrow_mut() = wake.map(|moment| {
            let wait = moment.0.saturating_sub((self.clock)().0);
            let line = Rc::downgrade(self);
            Timeout::new(u32::try_from(wait).unwrap_or(u32::MAX), move || {
                if let Some(line) = line.upgrade() {
                    line.handle(Input::Tick).ok();
                }
            })
        });
        self.tell();
        Ok(outputs)
    }

    /// The inbox may look different.
    fn tell(&self) {
        if self.open.get() {
            (self.changed)();
        }
    }

    /// A live event.
    fn heard(self: &Rc<Line>, text: String) {
        if self.held.get() > 0 {
            self.waiting.borrow_mut().push_back(text);
        } else {
            self.handle(Input::Receive { text: &text, rounded: false }).ok();
        }
    }

    fn hold(self: &Rc<Line>) -> Hold<'_> {
        self.held.set(self.held.get().saturating_add(1));
        Hold(self)
    }

    /// What waited comes after the state that was read.
    fn release(self: &Rc<Line>, hold: Hold<'_>) {
        drop(hold);
        while self.held.get() == 0 {
            let Some(text) = self.waiting.borrow_mut().pop_front() else { return };
            self.handle(Input::Receive { text: &text, rounded: false }).ok();
        }
    }

    async fn read_once(self: &Rc<Line>) -> Result<(), Fault> {
        let _turn = self.reading.take().await;
        let hold = self.hold();
        let known = self.transport.history(&self.name).await;
        match &known {
            Ok(Some(text)) if self.restored.get() => {
                self.handle(Input::Receive { text, rounded: false }).ok();
            }
            Ok(Some(text)) => {
                self.handle(Input::Restore { text: text.as_str().into(), rounded: false }).ok();
            }
            // Before there is history, nothing can be said about events: reading it again will tell.
            Err(_) if !self.restored.get() => self.waiting.borrow_mut().clear(),
            _ => {}
        }
        self.restored.set(self.restored.get() || known.is_ok());
        self.release(hold);
        known.map(|_| ())
    }

    /// Sends a decision, and tells the inbox what became of it.
    async fn deliver(self: &Rc<Line>, outbound: Outbound) {
        let _turn = self.sending.take().await;
        let sent = self.try_deliver(&outbound).await;
        let told = match &sent {
            Ok(()) => Input::Delivered(outbound.id.clone()),
            Err(Fault { status, message }) => {
                Input::Failed { id: outbound.id.clone(), status: *status, message: Some(message.clone()) }
            }
        };
        // Where a part of the answer came, the inbox knows already that it arrived.
        self.handle(told).ok();
        if sent.is_err() {
            // What the backend did with it, or why it did not take it, is seen in its state.
            read(Rc::downgrade(self)).await;
        }
    }

    async fn try_deliver(self: &Rc<Line>, outbound: &Outbound) -> Result<(), Fault> {
        let still = |line: &Line| {
            if line.is_sending(&outbound.id) {
                return Ok(());
            }
            Err(Fault::moved_on("the request was settled in the meantime"))
        };
        still(self)?;
        {
            let _turn = self.reading.take().await;
            let hold = self.hold();
            let state = self.transport.check(&self.name, &outbound.body).await;
            if let Ok(Some(text)) = &state {
                self.handle(Input::Receive { text, rounded: false }).ok();
            }
            self.release(hold);
            state?;
        }
        still(self)?;
        let each = self.each(Some(outbound.id.clone()));
        self.transport.send(&self.name, &outbound.body, Some(outbound.id.as_str()), each).await
    }

    /// Takes the parts of an answer: the first that is no error says that the message arrived.
    fn each(self: &Rc<Line>, id: Option<OutboundId>) -> Each {
        let (line, id) = (Rc::clone(self), Cell::new(id));
        Rc::new(move |text| {
            if line.transport.error_in(&text).is_none()
                && let Some(id) = id.take()
            {
                line.handle(Input::Delivered(id)).ok();
            }
            line.heard(text);
        })
    }

    /// Whether the inbox still waits for the fate of this message: what it answers is neither settled, nor another call, nor
    /// asked together with something that it leaves out.
    fn is_sending(&self, id: &OutboundId) -> bool {
        let views = self.inbox.borrow().views();
        let (carried, others): (Vec<_>, Vec<_>) =
            views.iter().partition(|view| view.outbound.as_ref().is_some_and(|it| it.id == *id));
        let batches: Vec<_> = carried.iter().filter_map(|view| Some(&view.batch.as_ref()?.id)).collect();
        let is_open = |status| matches!(status, Status::Pending | Status::Drafted | Status::Blocked);
        let joined = others.iter().any(|view| {
            is_open(view.status) && view.batch.as_ref().is_some_and(|batch| batches.contains(&&batch.id))
        });
        !carried.is_empty() && !joined && carried.iter().all(|it| it.status == Status::Sending && !it.changed)
    }
}

impl Turn {
    async fn take(&self) -> Taken<'_> {
        while self.0.replace(true) {
            pause::sleep(LOOK).await;
        }
        Taken(self)
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.line.open.set(false);
        self.line.handle(Input::Leave).ok();
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.0.set(false);
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.held.set(self.0.held.get().saturating_sub(1));
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Conversation").field(&self.line.name).finish()
    }
}
