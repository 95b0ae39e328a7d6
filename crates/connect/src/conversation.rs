//! One conversation: what its backend says goes into the inbox, in order, and what the inbox says goes out.

use std::fmt;
use std::rc::Rc;

use countersign_core::{Inbox, Input, Millis, Output, Refusal, RequestRef, RequestView};
use gloo::events::EventListener;
use gloo::timers::callback::Interval;
use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::VisibilityState;

use super::host::Host;
use super::line::Line;
use super::pause::as_timeout;
use super::reading::{look_again, read};
use super::{Each, Fault, Missed, Transport};

/// A conversation with an agent, and the inbox that shows what waits in it. It ends when this is dropped: nothing is read or
/// followed any more. What a person has decided by then is still sent, also a rejection that could have been undone, and
/// an answer that has begun is read to its end.
///
/// It restores the history, follows what comes and what the agent does by itself, reads again after a break with longer waits
/// each time, sends what is due one after the other, and tells the inbox what became of it. A message of which nothing is heard for a minute
/// keeps no other back: the state says what became of it, or it has failed. Give the inbox a person's acts by
/// [`Conversation::handle`].
///
/// In a page that a browser draws ahead it reads and follows nothing before somebody opens that.
pub struct Conversation<H: Host + 'static = Inbox> {
    line: Rc<Line<H>>,
    polling: Option<Interval>,
    _looking: Option<[EventListener; 2]>,
    _opening: Option<EventListener>,
}

impl<H: Host + 'static> Conversation<H> {
    /// Begins with the conversation of this name. `host` is an [`Inbox`], or what a page keeps with one. `changed` is called whenever the inbox may look different; `clock` gives
    /// the present moment.
    #[must_use]
    pub fn open(
        transport: Rc<dyn Transport>,
        name: &str,
        host: H,
        clock: fn() -> Millis,
        changed: impl Fn() + 'static,
    ) -> Conversation<H> {
        let line = Rc::new(Line::new(transport, name, host, clock, Box::new(changed)));
        let opening = opening(&line);
        if opening.is_none() {
            begin(&line);
        }
        Conversation { _looking: looking(&line), _opening: opening, line, polling: None }
    }

    /// Reads the state every so many milliseconds, at least 100, and so sees what another client begins while nothing is sent
    /// from here. A backend that refused is left alone until [`Conversation::refresh`] is called.
    #[must_use]
    pub fn with_poll(mut self, milliseconds: u32) -> Conversation<H> {
        let line = Rc::downgrade(&self.line);
        let poll = move || {
            if line.upgrade().is_some_and(|line| line.is_at_rest() && !is_drawn_ahead()) {
                spawn_local(read(line.clone(), None));
            }
        };
        self.polling = Some(Interval::new(as_timeout(u64::from(milliseconds.max(OFTEN))), poll));
        self
    }

    /// The cards, in the order in which they are shown.
    #[must_use]
    pub fn views(&self) -> Vec<RequestView> {
        self.line.views()
    }

    /// The request with this scoped id, or with this bare one where that is unique.
    ///
    /// # Errors
    /// A [`Refusal`] where there is none, or more than one.
    pub fn find(&self, id: &str) -> Result<RequestRef, Refusal> {
        self.line.find(id)
    }

    /// Whether the inbox knows what the backend knew.
    #[must_use]
    pub fn is_restored(&self) -> bool {
        self.line.is_restored()
    }

    /// Why the backend cannot be read or followed, and what waits now is not known; or why the last words of a person did not
    /// arrive. After one that is not temporary it is not asked again until [`Conversation::refresh`] is called.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.line.fault()
    }

    /// Hands over what a person did, and sends what is due.
    ///
    /// # Errors
    /// A [`Refusal`]: nothing of the input was done; only what the clock or an ended rule caused has happened.
    pub fn handle(&self, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        self.line.handle(input)
    }

    /// Does something with the host that [`Conversation::handle`] has no input for, and sends what is due then: a grant, another
    /// policy. Give back what the inbox said to it; nothing of the conversation can be called from within.
    ///
    /// # Errors
    /// What `act` was refused with.
    pub fn act<E>(
        &self,
        act: impl FnOnce(&mut H, Millis) -> Result<Vec<Output>, E>,
    ) -> Result<Vec<Output>, E> {
        self.line.act(act)
    }

    /// Looks at the host: the record of its inbox, what was granted. Nothing of the conversation can be changed from within.
    pub fn with<T>(&self, read: impl FnOnce(&H) -> T) -> T {
        self.line.with(read)
    }

    /// Whether a message is on its way to the backend, or an answer to one is still coming; not while that is silent for long.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.line.sending.is_taken()
    }

    /// Sends a person's words: the message in which this backend takes them.
    pub fn say(&self, message: &str) {
        let (line, message) = (Rc::clone(&self.line), message.to_owned());
        spawn_local(async move { line.say(&message).await });
    }

    /// Reads what the backend knows by now; begins anew with one that had refused.
    pub fn refresh(&self) {
        if self.line.is_cut_off() {
            // The old one ends before the new one begins.
            self.line.following.take();
            follow(&self.line);
        } else {
            spawn_local(read(Rc::downgrade(&self.line), None));
        }
    }
}

/// The shortest time between two readings of the state, in milliseconds.
const OFTEN: u32 = 100;

fn begin<H: Host + 'static>(line: &Rc<Line<H>>) {
    // Who is followed says itself when there is something to read.
    if !follow(line) {
        spawn_local(read(Rc::downgrade(line), None));
    }
}

/// Begins once somebody opens the page, where a browser draws it ahead.
fn opening<H: Host + 'static>(line: &Rc<Line<H>>) -> Option<EventListener> {
    let document = web_sys::window()?.document().filter(|_| is_drawn_ahead())?;
    let line = Rc::downgrade(line);
    Some(EventListener::once(&document, "prerenderingchange", move |_| {
        if let Some(line) = line.upgrade() {
            begin(&line);
        }
    }))
}

/// Whether a browser draws the page ahead, which nobody may ever open.
fn is_drawn_ahead() -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    document.is_some_and(|document| {
        Reflect::get(&document, &JsValue::from_str("prerendering")) == Ok(JsValue::TRUE)
    })
}

/// Follows what the backend sends unasked, where it does, and says whether it does.
fn follow<H: Host + 'static>(line: &Rc<Line<H>>) -> bool {
    let each: Each = {
        let line = Rc::downgrade(line);
        Rc::new(move |text| {
            if let Some(line) = line.upgrade() {
                line.heard(text);
            }
        })
    };
    let missed: Missed = {
        let line = Rc::downgrade(line);
        Rc::new(move |news| {
            if let Some(line) = line.upgrade() {
                line.told(news);
            }
        })
    };
    let following = line.transport.follow(&line.name, each, missed);
    let is_followed = following.is_some();
    *line.following.borrow_mut() = following.map(Rc::from);
    is_followed
}

/// A page that goes out of sight may be ended without another word: what is held leaves. One that comes back may have missed
/// something, and so may one that was off the network.
fn looking<H: Host + 'static>(line: &Rc<Line<H>>) -> Option<[EventListener; 2]> {
    let window = web_sys::window()?;
    let document = window.document()?;
    let (seen, online, place) = (Rc::downgrade(line), Rc::downgrade(line), document.clone());
    let seen = EventListener::new(&place, "visibilitychange", move |_| {
        let Some(line) = seen.upgrade() else { return };
        if document.visibility_state() == VisibilityState::Hidden {
            line.handle(Input::Leave).ok();
        } else {
            spawn_local(look_again(Rc::downgrade(&line)));
        }
    });
    let online = EventListener::new(&window, "online", move |_| {
        if let Some(line) = online.upgrade() {
            line.online.come();
        }
        if !is_drawn_ahead() {
            spawn_local(look_again(online.clone()));
        }
    });
    Some([seen, online])
}

impl<H: Host + 'static> Drop for Conversation<H> {
    fn drop(&mut self) {
        self.line.end();
    }
}

impl<H: Host + 'static> fmt::Debug for Conversation<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Conversation").field(&self.line.name).finish()
    }
}
