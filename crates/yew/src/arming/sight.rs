//! Whether what is decided on is in sight, as the browser sees it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, window};

use super::room::{Room, Shown, is_faint};

thread_local! {
    // A page that is scaled or filtered as a whole is never "visible" in the strict sense of the browser: there only
    // the hit test counts. Once the browser has said yes, its no counts too; and always where the page is held in a
    // frame by somebody else, who may have made it faint from the start.
    static HAS_SEEN: Cell<bool> = const { Cell::new(false) };
}

/// What the browser last said.
#[derive(Debug, Default)]
struct Seen {
    /// The share of the frame that is in view.
    share: Cell<Option<f64>>,
    /// The browser's own judgement of the buttons, where it has one: nothing is painted over them, nothing makes them faint.
    visible: Cell<Option<bool>>,
    /// The same of the whole frame while all of it is in view.
    clear: Cell<Option<bool>>,
    /// What the frame is seen through.
    room: RefCell<Option<Room>>,
}

/// Watches a frame, and within it the place of the buttons.
#[derive(Debug)]
pub(super) struct Sight {
    observer: IntersectionObserver,
    frame: Element,
    seen: Rc<Seen>,
    /// The browser's no counts from the start.
    strict: bool,
    _heard: Closure<dyn FnMut(Array)>,
}

impl Sight {
    /// Watches whether half of `frame` is in view and `bar` can be seen; `changed` is told of every change.
    pub(super) fn new(frame: Element, bar: &Element, changed: impl Fn() + 'static) -> Option<Sight> {
        let seen = Rc::new(Seen::default());
        let heard = {
            let (seen, frame) = (Rc::clone(&seen), frame.clone());
            Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
                for entry in entries.iter() {
                    take(&seen, &frame, entry.unchecked_ref());
                }
                changed();
            })
        };
        let options = Object::new();
        let set = |name: &str, value: JsValue| Reflect::set(&options, &JsValue::from_str(name), &value);
        let steps = Array::new();
        for step in 0..=10 {
            steps.push(&JsValue::from_f64(f64::from(step) / 10.0));
        }
        let _ = set("threshold", steps.into());
        let _ = set("trackVisibility", JsValue::TRUE);
        let _ = set("delay", JsValue::from_f64(100.0));
        let options: IntersectionObserverInit = options.unchecked_into();
        let observer =
            IntersectionObserver::new_with_options(heard.as_ref().unchecked_ref(), &options).ok()?;
        observer.observe(&frame);
        observer.observe(bar);
        Some(Sight { observer, frame, seen, strict: is_held_by_others(), _heard: heard })
    }

    /// What must be in view.
    pub(super) fn frame(&self) -> &Element {
        &self.frame
    }

    /// Where the frame lies within the view, if that is half of it or half of the view; `passed` as of [`Room::shown_half`].
    pub(super) fn shown(&self, passed: &Cell<u32>) -> Option<Shown> {
        self.seen.room.borrow().as_ref()?.shown_half(&self.frame, passed)
    }

    /// Whether two fingers have enlarged a part of the window.
    pub(super) fn is_enlarged(&self) -> bool {
        self.seen.room.borrow().as_ref().is_some_and(|room| room.is_enlarged(&self.frame))
    }

    /// Where what stands at this place of the window lies on the screen, as far as is known.
    pub(super) fn on_screen(&self, x: f64, y: f64) -> [f64; 2] {
        self.seen.room.borrow().as_ref().map_or([x, y], |room| room.on_screen(&self.frame, x, y))
    }

    /// Whether something of the frame is in view.
    pub(super) fn is_in_view(&self) -> bool {
        self.seen.share.get() > Some(0.0)
    }

    /// Whether the browser says that enough of the frame is in view, if it has said anything.
    ///
    /// Half of the frame; of a frame that does not fit into the view, whatever is there: between two of the observer's
    /// steps more of it may come into view, and [`Sight::shown`] measures it.
    pub(super) fn is_framed(&self) -> Option<bool> {
        let share = self.seen.share.get()?;
        // What fits may be another by now: a keyboard on the screen, an enlarged part of the page.
        let is_higher = || {
            let room =
                self.seen.room.borrow().as_ref().map_or(f64::INFINITY, |room| room.shown(&self.frame).1);
            self.frame.get_bounding_client_rect().height() > room
        };
        Some(share >= 0.5 || (share > 0.0 && is_higher()))
    }

    /// Whether the browser says that something is painted over the buttons, or what they stand in is faint.
    pub(super) fn is_painted_over(&self) -> bool {
        let is_covered = match self.seen.visible.get() {
            Some(is_visible) => !is_visible && (self.strict || HAS_SEEN.get()),
            None => is_faint(&self.frame),
        };
        is_covered || (self.strict && self.seen.clear.get() == Some(false))
    }
}

impl Drop for Sight {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Whether a page of another origin holds this one in a frame.
fn is_held_by_others() -> bool {
    let Some(mut page) = window() else { return true };
    // The element of a frame is shown to its own origin alone.
    while let Ok(Some(_)) = page.frame_element() {
        let Ok(Some(parent)) = page.parent() else { return true };
        page = parent;
    }
    page.top().ok().flatten().as_ref() != Some(&page)
}

fn take(seen: &Seen, frame: &Element, entry: &IntersectionObserverEntry) {
    // Browsers that do not judge visibility leave it out.
    let visible =
        Reflect::get(entry, &JsValue::from_str("isVisible")).ok().and_then(|visible| visible.as_bool());
    let is_whole = entry.intersection_ratio() > 0.99;
    if entry.target() == *frame {
        // What scrolls around it may be another now.
        seen.room.replace(Some(Room::around(frame)));
        seen.share.set(Some(if entry.is_intersecting() { entry.intersection_ratio() } else { 0.0 }));
        seen.clear.set(visible.filter(|_| is_whole));
        return;
    }
    // A layer over the whole window that shows nothing, as pages keep for their notices, often ends before its edge:
    // buttons that have only begun to come in there say nothing of the rest of the page.
    if is_whole && visible == Some(true) {
        HAS_SEEN.set(true);
    }
    seen.visible.set(visible);
}
