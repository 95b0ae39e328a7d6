//! When a button may act: never by accident, never twice.
//!
//! A card that has just appeared, or whose arguments have just changed, does not approve: a click that was meant for
//! something else must not land on it. What counts as *the same card* is its [`Seal`].

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{RequestView, Status};
use gloo::timers::callback::Timeout;
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
    armed: bool,
    guard: Rc<RefCell<Guard>>,
}

/// What has been used up.
#[derive(Debug, Default)]
struct Guard {
    spent: Option<Seal>,
    release: Option<Timeout>,
}

impl Arming {
    /// Whether an approval would count now.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.armed
    }

    /// Whether this act may be reported: true once for each seal.
    ///
    /// Rejections need no arming, but share the one act with approvals.
    #[must_use]
    pub fn take(&self) -> bool {
        let mut guard = self.guard.borrow_mut();
        if guard.spent.as_ref() == Some(&self.seal) {
            return false;
        }
        guard.spent = Some(self.seal.clone());
        let shared = Rc::downgrade(&self.guard);
        guard.release = Some(Timeout::new(RELEASE, move || {
            if let Some(guard) = shared.upgrade() {
                guard.borrow_mut().spent = None;
            }
        }));
        true
    }

    /// Whether this approval may be reported: armed, and the first act of the seal.
    #[must_use]
    pub fn take_armed(&self) -> bool {
        self.armed && self.take()
    }
}

/// Arms a card `delay` milliseconds after its seal was first drawn.
///
/// This is the one place that decides when a card is armed; what else must hold (in view, unobstructed, unmoved)
/// joins here.
#[hook]
pub fn use_arming(seal: Seal, delay: u32) -> Arming {
    let armed = use_state(|| None::<Seal>);
    let guard = use_mut_ref(Guard::default);
    {
        let (armed, guard) = (armed.clone(), Rc::clone(&guard));
        use_effect_with(seal.clone(), move |seal| {
            guard.borrow_mut().spent = None;
            let (seal, disarm) = (seal.clone(), armed.setter());
            let timeout = Timeout::new(delay, move || armed.set(Some(seal)));
            move || {
                drop(timeout);
                // A view that comes back, after an undo, waits again.
                disarm.set(None);
            }
        });
    }
    Arming { armed: armed.as_ref() == Some(&seal), seal, guard }
}

/// Whether a click is a person's: made by a device, not by a script.
pub(crate) fn is_genuine(event: &Event) -> bool {
    event.is_trusted()
}

/// Keeps a held key from pressing a button again and again.
pub(crate) fn ignore_repeats() -> Callback<KeyboardEvent> {
    Callback::from(|event: KeyboardEvent| {
        if event.repeat() && matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
        }
    })
}
