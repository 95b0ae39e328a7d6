//! Where the focus was before a part took it.

use std::cell::RefCell;

use gloo::timers::callback::Timeout;
use web_sys::Element;

use crate::piece::{focus, is_lost};

/// Gives the focus back once the part is gone, unless something else has it by then.
#[derive(Default)]
pub(super) struct Opener(RefCell<Option<Element>>);

impl Opener {
    /// Notes what has the focus now; only the first time.
    pub(super) fn note(&self) {
        if self.0.borrow().is_none() {
            self.0.replace(focused());
        }
    }
}

impl Drop for Opener {
    fn drop(&mut self) {
        let Some(element) = self.0.take() else { return };
        // A part that is gone stands in the document a moment longer.
        let back = move || {
            if element.owner_document().is_some_and(|document| is_lost(&document)) {
                focus(element);
            }
        };
        Timeout::new(0, back).forget();
    }
}

/// The element with the focus, through shadow roots.
#[cfg(target_arch = "wasm32")]
fn focused() -> Option<Element> {
    let mut element = web_sys::window()?.document()?.active_element()?;
    while let Some(within) = element.shadow_root().and_then(|root| root.active_element()) {
        element = within;
    }
    Some(element)
}

/// Without a browser nothing has it.
#[cfg(not(target_arch = "wasm32"))]
fn focused() -> Option<Element> {
    None
}
