//! Drafts that are kept a moment after the last key: writing a long one down holds up whoever types.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use countersign_core::RequestView;
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::window;

use super::editing::Editing;
use super::store::Drafts;

/// How long after the last key a draft is kept, in milliseconds.
const MOMENT: u32 = 300;

thread_local! {
    /// People type in one place at a time.
    static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
    static HEARS: Cell<bool> = const { Cell::new(false) };
}

/// What is to be kept.
struct Late {
    editing: Rc<Editing>,
    view: Rc<RequestView>,
    drafts: Drafts,
    _clock: Timeout,
}

/// Keeps the draft in a moment, and at the latest when the page goes.
pub(super) fn keep(editing: &Rc<Editing>, view: &Rc<RequestView>, drafts: &Drafts) {
    if !drafts.are_kept() {
        return;
    }
    let is_other = |late: &Late| !Rc::ptr_eq(&late.editing, editing) || late.view.id != view.id;
    if LATE.with_borrow(|late| late.as_ref().is_some_and(is_other)) {
        flush();
    }
    hear();
    let (editing, view, drafts) = (Rc::clone(editing), Rc::clone(view), drafts.clone());
    LATE.set(Some(Late { editing, view, drafts, _clock: Timeout::new(MOMENT, flush) }));
}

/// Keeps now what would have been kept in a moment.
pub(super) fn flush() {
    if let Some(Late { editing, view, drafts, _clock }) = LATE.take() {
        editing.keep_late(&view, &drafts);
    }
}

/// What is kept of this call, or is not any more, is newer.
pub(super) fn forget(view: &RequestView, drafts: &Drafts) {
    let is_it = |late: &&mut Late| late.view.id == view.id && late.drafts == *drafts;
    LATE.with_borrow_mut(|late| {
        if late.as_mut().filter(is_it).is_some() {
            *late = None;
        }
    });
}

/// Hears from now on when the page goes, is hidden or loses the focus.
fn hear() {
    if HEARS.replace(true) {
        return;
    }
    let heard = Closure::<dyn FnMut()>::new(flush).into_js_value();
    for kind in ["pagehide", "visibilitychange", "blur"] {
        // Where nothing is heard, the clock keeps it.
        let _ = window().map(|window| {
            window.add_event_listener_with_callback_and_bool(kind, heard.unchecked_ref(), true)
        });
    }
}
