//! When a button may act: never by accident, never twice.
//!
//! A card that has just appeared, or whose arguments have just changed, does not approve: a click that was meant for
//! something else must not land on it. What counts as *the same card* is its [`Seal`].

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{RequestView, Status};
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// How long an approval is inert after a card appeared or changed, in milliseconds.
pub const ARM_DELAY: u32 = 500;

/// How long a card waits for its inbox before it may act again, in milliseconds.
///
/// An inbox that accepts an act answers with a changed view, and a changed view has a new seal. Only a refused act
/// leaves the view as it was, and must not leave a card behind that nobody can answer.
const RELEASE: u32 = 2000;

/// What was on screen when a person acted; any change of it starts anew.
#[derive(Clone, Debug, PartialEq)]
pub struct Seal(Vec<(u32, Status, Arc<str>)>);

impl Seal {
    /// The seal of one card.
    #[must_use]
    pub fn of(view: &RequestView) -> Seal {
        Seal::all([view])
    }

    /// The seal of several cards together.
    #[must_use]
    pub fn all<'v>(views: impl IntoIterator<Item = &'v RequestView>) -> Seal {
        Seal(views.into_iter().map(|view| (view.key, view.status, Arc::clone(&view.args_digest))).collect())
    }
}

/// Whether the buttons of a card may act now.
#[derive(Clone, Debug)]
pub struct Arming {
    seal: Seal,
    safety: Safety,
}

impl Arming {
    /// Whether an approval would count now.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        let guard = self.safety.0.borrow();
        guard.armed && guard.seal.as_ref() == Some(&self.seal)
    }

    /// Whether this act may be reported: true once for each seal.
    ///
    /// Rejections need no arming, but share the one act with approvals.
    #[must_use]
    pub fn take(&self) -> bool {
        let mut guard = self.safety.0.borrow_mut();
        if guard.spent.as_ref() == Some(&self.seal) {
            return false;
        }
        guard.spent = Some(self.seal.clone());
        guard.release = Some(self.safety.after(RELEASE, Callback::noop(), |guard| guard.spent = None));
        true
    }

    /// Whether this approval may be reported: armed, and the first act of the seal.
    #[must_use]
    pub fn take_armed(&self) -> bool {
        self.is_armed() && self.take()
    }
}

/// What is drawn now, since when, and what has been used up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Safety(Rc<RefCell<Guard>>);

#[derive(Debug, Default)]
struct Guard {
    seal: Option<Seal>,
    armed: bool,
    arm: Option<Timeout>,
    spent: Option<Seal>,
    release: Option<Timeout>,
}

impl Safety {
    /// Takes up what is in the document now. Another seal disarms; `delay` milliseconds later it is armed, and `redraw`
    /// called.
    ///
    /// This is the one place that decides when a card is armed; what else must hold (in view, unobstructed, unmoved)
    /// joins here.
    pub(crate) fn watch(&self, seal: &Seal, delay: u32, redraw: impl FnOnce() -> Callback<()>) {
        let mut guard = self.0.borrow_mut();
        if guard.seal.as_ref() == Some(seal) {
            return;
        }
        guard.seal = Some(seal.clone());
        // A view that comes back, after an undo, waits again.
        guard.armed = false;
        guard.spent = None;
        guard.arm = Some(self.after(delay, redraw(), |guard| guard.armed = true));
    }

    /// Whether what has this seal may act.
    pub(crate) fn arming(&self, seal: Seal) -> Arming {
        Arming { seal, safety: self.clone() }
    }

    fn after(&self, delay: u32, redraw: Callback<()>, change: fn(&mut Guard)) -> Timeout {
        let shared = Rc::downgrade(&self.0);
        Timeout::new(delay, move || {
            if let Some(guard) = shared.upgrade() {
                change(&mut guard.borrow_mut());
                redraw.emit(());
            }
        })
    }
}

/// Arms a card `delay` milliseconds after its seal was first drawn.
#[hook]
pub fn use_arming(seal: Seal, delay: u32) -> Arming {
    let safety = use_mut_ref(Safety::default).borrow().clone();
    let update = use_force_update();
    {
        let safety = safety.clone();
        use_effect_with(seal.clone(), move |seal| {
            safety.watch(seal, delay, || Callback::from(move |()| update.force_update()));
        });
    }
    safety.arming(seal)
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
