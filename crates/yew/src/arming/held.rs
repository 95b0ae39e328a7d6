//! What is held down, wherever that began: the Enter key, and the pointer that pressed a button; and whether the page was out of
//! sight meanwhile.

use std::cell::Cell;

use wasm_bindgen::prelude::*;
use web_sys::{Event, KeyboardEvent, PointerEvent, window};

/// How long after a pointer went up the browser may still make a click of it, in milliseconds: it waits for a second tap.
const AFTER: f64 = 1000.0;

thread_local! {
    static HELD: Cell<Option<bool>> = const { Cell::new(None) };
    // The last pointer that went down on a button, and when it went up.
    static POINTER: Cell<(i32, f64)> = const { Cell::new((0, f64::INFINITY)) };
    static TURNS: Cell<u32> = const { Cell::new(0) };
}

/// How often the page went out of sight or came back.
pub(super) fn turns() -> u32 {
    TURNS.get()
}

/// Whether a person holds Enter now, without a key that makes a command of it.
pub(super) fn is_enter_held() -> bool {
    HELD.get() == Some(true)
}

/// A pointer went down on a button; its id.
pub(super) fn follow_pointer(event: &PointerEvent) -> i32 {
    POINTER.set((event.pointer_id(), f64::INFINITY));
    event.pointer_id()
}

/// Whether that pointer went up so long before `event` that this is not its click.
pub(super) fn is_abandoned(pointer: i32, event: &Event) -> bool {
    let (last, up) = POINTER.get();
    last == pointer && event.time_stamp() - up > AFTER
}

/// Follows them from now on, in all of the page and for as long as it lives.
///
/// A browser presses the button that has the focus when the key acts, not the one that had it when the key went down:
/// who sends a line of the chat with Enter would approve a card that the page gives the focus to.
pub(super) fn follow() {
    let Some(window) = window().filter(|_| HELD.get().is_none()) else { return };
    HELD.set(Some(false));
    let heard = Closure::<dyn Fn(KeyboardEvent)>::new(|event: KeyboardEvent| match event.type_().as_str() {
        "blur" => HELD.set(Some(false)),
        "pointerup" | "pointercancel" => {
            let pointer: &PointerEvent = event.unchecked_ref();
            let (id, up) = POINTER.get();
            if pointer.pointer_id() == id && up.is_infinite() && event.is_trusted() {
                POINTER.set((id, event.time_stamp()));
            }
        }
        kind if event.key() == "Enter" => {
            let is_bare = !(event.ctrl_key() || event.alt_key() || event.meta_key());
            HELD.set(Some(kind == "keydown" && is_bare && event.is_trusted()));
        }
        _ => {}
    })
    .into_js_value();
    let turned = Closure::<dyn FnMut()>::new(|| TURNS.set(TURNS.get().wrapping_add(1))).into_js_value();
    for kind in ["keydown", "keyup", "pointerup", "pointercancel", "visibilitychange", "blur"] {
        let heard = if kind == "visibilitychange" { &turned } else { &heard };
        // The window's own blur does not pass it on the way down, those of everything in it do.
        let on_the_way = kind != "blur";
        // A window that hears nothing leaves the button as it is.
        let _ = window.add_event_listener_with_callback_and_bool(kind, heard.unchecked_ref(), on_the_way);
    }
}
