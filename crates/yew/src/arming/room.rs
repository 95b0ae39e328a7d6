//! How much of an element can be seen at once: the window, what scrolls within it, and what holds it in a frame.

use std::ops::Range;

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, ShadowRoot, Window};

/// What cuts off what does not fit into it: elements around another one, and the frame that holds their page.
#[derive(Debug)]
pub(super) struct Room {
    around: Vec<Element>,
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
                if style(&element, "overflow-y") != "visible" {
                    around.push(element.clone());
                }
                position = style(&element, "position");
            }
            inner = element;
        }
        // The element of a frame is shown to its own origin alone.
        let frame = view(element).and_then(|view| view.frame_element().ok()?);
        Room { around, frame: frame.map(|frame| Box::new((Room::around(&frame), frame))) }
    }

    /// From where to where `element` lies within all of it, in pixels of its window, and how much would fit.
    pub(super) fn shown(&self, element: &Element) -> (Range<f64>, f64) {
        let height = view(element).and_then(|view| view.inner_height().ok()?.as_f64());
        let mut room = height.unwrap_or(f64::INFINITY);
        let (mut top, mut bottom) = (0.0_f64, room);
        if let Some((outer, frame)) = self.frame.as_deref() {
            let place = frame.get_bounding_client_rect();
            let scale = room / place.height();
            let (shown, fits) = outer.shown(frame);
            (top, bottom) = ((shown.start - place.top()) * scale, (shown.end - place.top()) * scale);
            room = room.min(fits * scale);
        }
        for around in &self.around {
            let place = around.get_bounding_client_rect();
            (top, bottom) = (top.max(place.top()), bottom.min(place.bottom()));
            room = room.min(place.height());
        }
        let place = element.get_bounding_client_rect();
        (top, bottom) = (top.max(place.top()), bottom.min(place.bottom()));
        (top..bottom.max(top), room)
    }

    /// From where to where `element` lies within all of it, if that is half of it or half of what would fit.
    pub(super) fn shown_half(&self, element: &Element) -> Option<Range<f64>> {
        let (shown, room) = self.shown(element);
        let height = element.get_bounding_client_rect().height();
        // Less than a pixel is nobody's fault.
        ((shown.end - shown.start) * 2.0 + 1.0 >= height.min(room)).then_some(shown)
    }

    /// Where the page lies in the outermost window, as far as its frames are known.
    pub(super) fn shift(&self) -> [f64; 2] {
        self.frame.as_deref().map_or([0.0; 2], |(outer, frame)| {
            let ([x, y], place) = (outer.shift(), frame.get_bounding_client_rect());
            [x + place.x(), y + place.y()]
        })
    }
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
