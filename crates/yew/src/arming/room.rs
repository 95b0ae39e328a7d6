//! How much of an element can be seen at once: the window, what of it is on the screen, what scrolls within it, and what holds
//! it in a frame.

use std::cell::Cell;
use std::ops::Range;

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, ShadowRoot, Window};

/// What of an element lies within all that is around it, in pixels of its window.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// From where to where, sideways.
    pub(super) across: Range<f64>,
    /// From where to where, downwards.
    pub(super) down: Range<f64>,
}

/// Into how many strips beside one another an element is cut, to remember which of them were in view.
const STRIPS: u32 = 16;

/// What cuts off what does not fit into it: elements around another one, and the frame that holds their page.
#[derive(Debug)]
pub(super) struct Room {
    /// Each with whether it cuts off sideways, and above and below.
    around: Vec<(Element, [bool; 2])>,
    frame: Option<Box<(Room, Element)>>,
}

impl Room {
    /// What stands around `element` now.
    pub(super) fn around(element: &Element) -> Room {
        let mut around = Vec::new();
        let mut inner = element.clone();
        let mut position = style(&inner, "position");
        while let Some(element) = outer(&inner).filter(|_| !is_above_all(&inner)) {
            // What the body cuts off, the window does.
            if matches!(element.tag_name().as_str(), "BODY" | "HTML") {
                break;
            }
            if is_holding(&element, &position) {
                let cuts = ["overflow-x", "overflow-y"].map(|name| style(&element, name) != "visible");
                if cuts.contains(&true) {
                    around.push((element.clone(), cuts));
                }
                position = style(&element, "position");
            }
            inner = element;
        }
        // The element of a frame is shown to its own origin alone.
        let frame = view(element).and_then(|view| view.frame_element().ok()?);
        Room { around, frame: frame.map(|frame| Box::new((Room::around(&frame), frame))) }
    }

    /// Where `element` lies within all of it, and what height would fit.
    pub(super) fn shown(&self, element: &Element) -> (Shown, f64) {
        let [left, top, width, height, _] = screen(element);
        let mut shown = Shown { across: left..left + width, down: top..top + height };
        let mut room = height;
        if let Some((outer, frame)) = self.frame.as_deref() {
            let place = frame.get_bounding_client_rect();
            let (seen, fits) = outer.shown(frame);
            let [x, y] = [width / place.width(), height / place.height()];
            let [left, right] = [seen.across.start, seen.across.end].map(|at| (at - place.left()) * x);
            let [top, bottom] = [seen.down.start, seen.down.end].map(|at| (at - place.top()) * y);
            cut(&mut shown.across, left, right);
            cut(&mut shown.down, top, bottom);
            room = room.min(fits * y);
        }
        for (around, [across, down]) in &self.around {
            let place = around.get_bounding_client_rect();
            if *across {
                cut(&mut shown.across, place.left(), place.right());
            }
            if *down {
                cut(&mut shown.down, place.top(), place.bottom());
                room = room.min(place.height());
            }
        }
        let place = element.get_bounding_client_rect();
        cut(&mut shown.across, place.left(), place.right());
        cut(&mut shown.down, place.top(), place.bottom());
        (shown, room)
    }

    /// Where `element` lies within all of it, if that is half of it; of what is higher than would fit, half of that.
    ///
    /// Who comes to the buttons below has passed what stands above them. What lies beside the view nobody has passed: there
    /// nothing is forgiven, but to whoever has enlarged a part of the window with two fingers, once half of the element's width
    /// has been in it. `passed` remembers which strips of it were, as bits from the left.
    pub(super) fn shown_half(&self, element: &Element, passed: &Cell<u32>) -> Option<Shown> {
        let (shown, room) = self.shown(element);
        let place = element.get_bounding_client_rect();
        let [width, height] = [&shown.across, &shown.down].map(|range| range.end - range.start);
        // Less than a pixel is nobody's fault.
        let [wanted, high] = [place.height().min(room), height * 2.0 + 1.0];
        if width > 0.0 && high >= wanted {
            let strip = |at: f64| (at - place.left()) / place.width() * f64::from(STRIPS);
            let below = |at: f64| (1_u32 << (at as u32).min(STRIPS)) - 1;
            passed.set(
                passed.get()
                    | below(strip(shown.across.end) + 0.01) & !below(strip(shown.across.start) + 0.99),
            );
            if passed.get().count_ones() * 2 >= STRIPS && self.is_enlarged(element) {
                return Some(shown);
            }
        }
        (width * high >= place.width() * wanted).then_some(shown)
    }

    /// Whether two fingers have enlarged a part of the window.
    pub(super) fn is_enlarged(&self, element: &Element) -> bool {
        match self.frame.as_deref() {
            Some((outer, frame)) => outer.is_enlarged(frame),
            None => {
                let [.., scale] = screen(element);
                scale > 1.0
            }
        }
    }

    /// Where what stands at this place of the window of `element` lies on the screen, as far as the frames around are known.
    pub(super) fn on_screen(&self, element: &Element, x: f64, y: f64) -> [f64; 2] {
        if let Some((outer, frame)) = self.frame.as_deref() {
            let place = frame.get_bounding_client_rect();
            return outer.on_screen(frame, x + place.x(), y + place.y());
        }
        let [left, top, _, _, scale] = screen(element);
        [(x - left) * scale, (y - top) * scale]
    }
}

fn cut(range: &mut Range<f64>, start: f64, end: f64) {
    range.start = range.start.max(start);
    range.end = range.end.min(end).max(range.start);
}

/// What of the window of `element` is on the screen, of which two fingers may have enlarged a part: left, top, width, height, and
/// how much it is enlarged.
fn screen(element: &Element) -> [f64; 5] {
    let Some(view) = view(element) else { return [0.0; 5] };
    if let Some(seen) = view.visual_viewport() {
        return [seen.offset_left(), seen.offset_top(), seen.width(), seen.height(), seen.scale()];
    }
    let [width, height] = [view.inner_width(), view.inner_height()]
        .map(|length| length.ok().and_then(|length| length.as_f64()).unwrap_or(f64::INFINITY));
    [0.0, 0.0, width, height, 1.0]
}

/// Whether what an element is drawn in leaves less than half of its colour: for browsers that do not judge it themselves.
pub(super) fn is_faint(element: &Element) -> bool {
    product(element, "opacity", true) < 0.5
}

/// By how much what stands at an element's place is larger than the browser says.
///
/// Safari, and Chrome before 128, tell places as if nothing around the element had a CSS `zoom`, but look for what is hit in
/// pixels of the window. Those that know `currentCSSZoom` do not.
pub(super) fn zoom(element: &Element) -> f64 {
    let is_told = Reflect::has(element, &JsValue::from_str("currentCSSZoom")) == Ok(true);
    if is_told { 1.0 } else { product(element, "zoom", false) }
}

/// What this property of an element and of all that it is drawn in comes to; `out`: also of the frames around it.
fn product(element: &Element, name: &str, out: bool) -> f64 {
    let mut next = Some(element.clone());
    let mut product = 1.0;
    while let Some(element) = next {
        let value = JsValue::from(style(&element, name)).unchecked_into_f64();
        // Firefox before 126 knows no zoom.
        if out || value > 0.0 {
            product *= value;
        }
        next = outer(&element).or_else(|| view(&element)?.frame_element().ok()?.filter(|_| out));
    }
    product
}

/// What an element is drawn in: what is slotted, in its slot.
fn outer(element: &Element) -> Option<Element> {
    let host = || element.get_root_node().dyn_into::<ShadowRoot>().ok().map(|root| root.host());
    element.assigned_slot().map(Into::into).or_else(|| element.parent_element()).or_else(host)
}

/// Whether an element has its place in the window, whatever stands around it.
fn is_above_all(element: &Element) -> bool {
    // Browsers without popovers know no such selector.
    element.tag_name() == "DIALOG" || element.matches(":popover-open, :fullscreen") == Ok(true)
}

/// Whether what has this `position` within `element` has its place there, and is cut off with it.
fn is_holding(element: &Element, position: &str) -> bool {
    let moves = |name: &&str| !matches!(style(element, name).as_str(), "none" | "auto" | "");
    match position {
        "absolute" if style(element, "position") != "static" => true,
        "absolute" | "fixed" => HOLDING.iter().any(moves),
        _ => true,
    }
}

/// With any of these an element holds what is absolute or fixed within it. Some values do not have that effect: there too
/// little counts as seen, never too much.
const HOLDING: [&str; 9] = [
    "transform",
    "translate",
    "rotate",
    "scale",
    "perspective",
    "filter",
    "backdrop-filter",
    "contain",
    "will-change",
];

fn view(element: &Element) -> Option<Window> {
    element.owner_document()?.default_view()
}

fn style(element: &Element, name: &str) -> String {
    let style = view(element).and_then(|view| view.get_computed_style(element).ok()?);
    style.and_then(|style| style.get_property_value(name).ok()).unwrap_or_default()
}
