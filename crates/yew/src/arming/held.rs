//! Whether the Enter key is down, wherever that began.

use std::cell::Cell;

use wasm_bindgen::prelude::*;
use web_sys::{KeyboardEvent, window};

thread_local! {
    static HELD: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Whether a person holds Enter now, without a key that makes a command of it.
pub(super) fn is_enter_held() -> bool {
    HELD.get() == Some(true)
}

/// Follows the key from now on, in all of the page and for as long as it lives.
///
/// A browser presses the button that has the focus when the key acts, not the one that had it when the key went down:
/// who sends a line of the chat with Enter would approve a card that the page gives the focus to.
pub(super) fn follow_enter() {
    let Some(window) = window().filter(|_| HELD.get().is_none()) else { return };
    HELD.set(Some(false));
    let heard = Closure::<dyn Fn(KeyboardEvent)>::new(|event: KeyboardEvent| match event.type_().as_str() {
        "blur" => HELD.set(Some(false)),
        kind if event.key() == "Enter" => {
            let is_bare = !(event.ctrl_key() || event.alt_key() || event.meta_key());
            HELD.set(Some(kind == "keydown" && is_bare && event.is_trusted()));
        }
        _ => {}
    })
    .into_js_value();
    for kind in ["keydown", "keyup", "blur"] {
        // The window's own blur does not pass it on the way down, those of everything in it do.
        let on_the_way = kind != "blur";
        // A window that hears nothing leaves the button as it is.
        let _ = window.add_event_listener_with_callback_and_bool(kind, heard.unchecked_ref(), on_the_way);
    }
}
