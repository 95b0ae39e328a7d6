//! When a button may act: never by accident, never twice.
//!
//! A card that has just appeared, or whose arguments have just changed, does not approve: a click that was meant for
//! something else must not land on it. What counts as *the same card* is its [`Seal`].

mod guarded;
mod held;
mod hit;
mod latch;
mod room;
mod sight;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{RequestView, Status};
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use yew::prelude::*;

pub(crate) use guarded::{Guard, Guarded, listen, renew};
pub(crate) use held::press_by_key;

/// How long an approval is inert after a card appeared, changed, moved or was covered, in milliseconds.
pub const ARM_DELAY: u32 = 500;
/// The shortest and the longest such time that a host may choose.
const MIN_DELAY: u32 = 300;
const MAX_DELAY: u32 = 3000;

/// How long a card waits for its inbox before it may act again, in milliseconds.
///
/// An inbox that accepts an act answers with a changed view, and a changed view has a new seal. Only a refused act
/// leaves the view as it was, and must not leave a card behind that nobody can answer.
const RELEASE: u32 = 2000;

/// What was on screen when a person acted; any change of it starts anew.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seal(Vec<Sealed>);

/// What must not change between the look and the press.
#[derive(Clone, Debug, PartialEq)]
struct Sealed {
    key: u32,
    status: Status,
    tool: Arc<str>,
    args: Arc<str>,
    schema: Option<Arc<str>>,
}

impl Seal {
    /// The seal of one card.
    pub(crate) fn of(view: &RequestView) -> Seal {
        Seal::all([view])
    }

    /// The seal with something else that was on screen.
    pub(crate) fn with(mut self, key: u32, text: &Arc<str>) -> Seal {
        let (tool, args) = (Arc::from(""), Arc::clone(text));
        self.0.push(Sealed { key, status: Status::Pending, tool, args, schema: None });
        self
    }

    /// Whether the other one is this with a schema, where there was none.
    pub(crate) fn gains_schema(&self, other: &Seal) -> bool {
        let ([one], [other]) = (self.0.as_slice(), other.0.as_slice()) else { return false };
        one.schema.is_none() && other.schema.is_some() && *one == Sealed { schema: None, ..other.clone() }
    }

    /// The seal of several cards together.
    pub(crate) fn all<'v>(views: impl IntoIterator<Item = &'v RequestView>) -> Seal {
        let sealed = |view: &RequestView| Sealed {
            key: view.key,
            status: view.status,
            tool: Arc::clone(&view.tool),
            args: Arc::clone(&view.args_digest),
            schema: view.args_schema.clone(),
        };
        Seal(views.into_iter().map(sealed).collect())
    }
}

/// What is drawn now, since when, and what has been used up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Safety(Rc<RefCell<Wait>>);

#[derive(Debug, Default)]
struct Wait {
    seal: Option<Seal>,
    armed: bool,
    arm: Option<Timeout>,
    spent: Option<Seal>,
    release: Option<Timeout>,
}

impl Safety {
    /// Takes up what is in the document now. Another seal disarms; `delay` milliseconds later it is armed, and `redraw`
    /// called. What else must hold for a button (in view, uncovered, unmoved) is its [`Guard`]'s to know.
    pub(crate) fn watch(&self, seal: &Seal, delay: u32, redraw: impl FnOnce() -> Callback<()>) {
        let mut wait = self.0.borrow_mut();
        if wait.seal.as_ref() == Some(seal) {
            return;
        }
        wait.seal = Some(seal.clone());
        // A view that comes back, after an undo, waits again.
        wait.armed = false;
        wait.spent = None;
        let delay = delay.clamp(MIN_DELAY, MAX_DELAY);
        wait.arm = Some(self.after(delay, redraw(), |wait| wait.armed = true));
    }

    /// Whether what has this seal has stood unchanged for long enough.
    ///
    /// Whether a person sees it (in view, uncovered, where it was) is its [`Guard`]'s to know.
    pub(crate) fn is_armed(&self, seal: &Seal) -> bool {
        let wait = self.0.borrow();
        wait.armed && wait.seal.as_ref() == Some(seal)
    }

    /// Whether this act may be reported: true once for each seal.
    ///
    /// Rejections need no arming, but share the one act with approvals.
    pub(crate) fn take(&self, seal: &Seal) -> bool {
        let mut wait = self.0.borrow_mut();
        if wait.spent.as_ref() == Some(seal) {
            return false;
        }
        wait.spent = Some(seal.clone());
        wait.release = Some(self.after(RELEASE, Callback::noop(), |wait| wait.spent = None));
        true
    }

    /// The act was refused: another one may be reported.
    pub(crate) fn release(&self) {
        self.0.borrow_mut().spent = None;
    }

    fn after(&self, delay: u32, redraw: Callback<()>, change: fn(&mut Wait)) -> Timeout {
        let shared = Rc::downgrade(&self.0);
        Timeout::new(delay, move || {
            if let Some(wait) = shared.upgrade() {
                change(&mut wait.borrow_mut());
                redraw.emit(());
            }
        })
    }
}

/// Whether a click is a person's: made by a device, not by a script.
pub(crate) fn is_genuine(event: &Event) -> bool {
    event.is_trusted()
}

/// Whether a held key presses a button again.
pub(crate) fn is_repeat(event: &Event) -> bool {
    let event: &KeyboardEvent = event.unchecked_ref();
    event.repeat() && matches!(event.key().as_str(), "Enter" | " ")
}
