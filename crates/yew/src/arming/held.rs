//! What is held down, wherever that began: the Enter key, and the pointer that pressed a button; and whether the page was out of
//! sight meanwhile.

use std::cell::{Cell, OnceCell};

use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use web_sys::{Event, KeyboardEvent, PointerEvent, UiEvent, Window};

/// How long after a pointer went up the browser may still make a click of it, in milliseconds: it waits for a second tap.
const AFTER: f64 = 1000.0;
/// How long after the focus has come into a window a key that went down in another one may still act there, in milliseconds.
const COMING: f64 = 200.0;

thread_local! {
    static HELD: Cell<bool> = const { Cell::new(false) };
    // It went down on one of our buttons.
    static ON_BUTTON: Cell<bool> = const { Cell::new(false) };
    // When the focus last came into a window.
    static CAME: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
    // What hears of it, and what of a page that was put away.
    static EARS: OnceCell<[JsValue; 2]> = const { OnceCell::new() };
    // The last pointer that went down on a button, and when it went up.
    static POINTER: Cell<(i32, f64)> = const { Cell::new((0, f64::INFINITY)) };
    // A pointer is down, wherever.
    static DOWN: Cell<bool> = const { Cell::new(false) };
    // When one last went up, and whether it was heard to go down.
    static UP: Cell<(f64, bool)> = const { Cell::new((f64::NEG_INFINITY, false)) };
    static TURNS: Cell<u32> = const { Cell::new(0) };
}

/// How often the page went out of sight or came back.
pub(super) fn turns() -> u32 {
    TURNS.get()
}

/// Whether a person holds Enter now, without a key that makes a command of it.
pub(super) fn is_enter_held() -> bool {
    HELD.get()
}

/// A key went down on a button.
pub(crate) fn press_by_key() {
    ON_BUTTON.set(true);
}

/// Whether the focus has come into the window just before: Firefox presses the button that gets it by a key that went down in another
/// frame, which nobody here hears.
pub(super) fn has_just_come(event: &Event) -> bool {
    (0.0..COMING).contains(&(event.time_stamp() - CAME.get()))
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

/// Whether a click is of a pointer; otherwise a key or assistive technology made it.
pub(super) fn is_of_pointer(event: &Event) -> bool {
    let click: &UiEvent = event.unchecked_ref();
    kind(event).map_or_else(|| click.detail() > 0, |kind| !kind.is_empty())
}

/// Whether nobody heard the pointer of this click go down, be it on what passes its click on, as a label does.
///
/// Where clicks do not say what made them (Safari, Firefox before 128), one of assistive technology may look like a pointer's: there
/// a pointer must have gone up just now.
pub(super) fn is_unheard(event: &Event) -> bool {
    let (up, is_heard) = UP.get();
    let is_its = event.time_stamp() - up <= AFTER;
    if kind(event).is_some() { !(is_its && is_heard) } else { is_its && !is_heard }
}

fn kind(event: &Event) -> Option<String> {
    Reflect::get(event, &JsValue::from_str("pointerType")).ok()?.as_string()
}

/// Whether nothing is followed yet.
pub(super) fn is_deaf() -> bool {
    EARS.with(|ears| ears.get().is_none())
}

/// Follows them from now on, in all of a window and for as long as it lives. `down` is told of each pointer that goes down: the
/// page may keep that from the buttons.
///
/// A browser presses the button that has the focus when the key acts, not the one that had it when the key went down:
/// who sends a line of the chat with Enter would approve a card that the page gives the focus to.
pub(super) fn follow(window: &Window, down: fn(&Event)) {
    EARS.with(|ears| {
        let [heard, turned] = ears.get_or_init(|| ears_of(down));
        for kind in [
            "keydown",
            "keyup",
            "pointerdown",
            "pointerup",
            "pointercancel",
            "visibilitychange",
            "blur",
            "focus",
        ] {
            let ear = if kind == "visibilitychange" { turned } else { heard };
            // The window's own blur and focus do not pass it on the way down, those of everything in it do.
            let on_the_way = !matches!(kind, "blur" | "focus");
            // A window that has it keeps it once. One that hears nothing leaves the button as it is.
            let _ = window.add_event_listener_with_callback_and_bool(kind, ear.unchecked_ref(), on_the_way);
        }
    });
}

fn ears_of(down: fn(&Event)) -> [JsValue; 2] {
    let heard =
        Closure::<dyn Fn(KeyboardEvent)>::new(move |event: KeyboardEvent| match event.type_().as_str() {
            "blur" => HELD.set(false),
            "focus" => CAME.set(event.time_stamp()),
            "pointerdown" => {
                DOWN.set(DOWN.get() || event.is_trusted());
                down(&event);
            }
            "pointerup" | "pointercancel" => {
                let pointer: &PointerEvent = event.unchecked_ref();
                let (id, up) = POINTER.get();
                if event.is_trusted() {
                    UP.set((event.time_stamp(), DOWN.take()));
                    if pointer.pointer_id() == id && up.is_infinite() {
                        POINTER.set((id, event.time_stamp()));
                    }
                }
            }
            kind if event.key() == "Enter" => {
                let is_bare = !(event.ctrl_key() || event.alt_key() || event.meta_key());
                HELD.set(kind == "keydown" && is_bare && event.is_trusted());
                // What it has opened has the focus now: held on, it would type into that.
                if event.repeat() && ON_BUTTON.get() {
                    event.prevent_default();
                } else {
                    ON_BUTTON.set(false);
                }
            }
            _ => {}
        });
    let turned = Closure::<dyn FnMut()>::new(|| TURNS.set(TURNS.get().wrapping_add(1)));
    [heard.into_js_value(), turned.into_js_value()]
}
