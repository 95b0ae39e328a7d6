//! How much of an element can be seen at once: the window, and what scrolls within it.

use std::ops::Range;

use wasm_bindgen::JsCast;
use web_sys::{Element, ShadowRoot, window};

/// The elements around another one that cut off what does not fit into them.
#[derive(Debug)]
pub(super) struct Room(Vec<Element>);

impl Room {
    /// What stands around `element` now.
    pub(super) fn around(element: &Element) -> Room {
        let mut around = Vec::new();
        let mut inner = element.clone();
        while let Some(element) = outer(&inner).filter(|_| !is_above_all(&inner)) {
            // What the body cuts off, the window does.
            if matches!(element.tag_name().as_str(), "BODY" | "HTML") {
                break;
            }
            if style(&element, "overflow-y") != "visible" {
                around.push(element.clone());
            }
            inner = element;
        }
        Room(around)
    }

    /// From where to where `element` lies within all of it, in pixels of the window, and how much would fit.
    pub(super) fn shown(&self, element: &Element) -> (Range<f64>, f64) {
        let window = window().and_then(|window| window.inner_height().ok()?.as_f64());
        let mut room = window.unwrap_or(f64::INFINITY);
        let place = element.get_bounding_client_rect();
        let (mut top, mut bottom) = (place.top().max(0.0), place.bottom().min(room));
        for around in &self.0 {
            let place = around.get_bounding_client_rect();
            (top, bottom) = (top.max(place.top()), bottom.min(place.bottom()));
            room = room.min(place.height());
        }
        (top..bottom.max(top), room)
    }
}

fn outer(element: &Element) -> Option<Element> {
    let host = || element.get_root_node().dyn_into::<ShadowRoot>().ok().map(|root| root.host());
    element.parent_element().or_else(host)
}

/// Whether an element has its place in the window, whatever stands around it: a dialog, and what is fixed.
fn is_above_all(element: &Element) -> bool {
    element.tag_name() == "DIALOG" || style(element, "position") == "fixed"
}

fn style(element: &Element, name: &str) -> String {
    let style = window().and_then(|window| window.get_computed_style(element).ok()?);
    style.and_then(|style| style.get_property_value(name).ok()).unwrap_or_default()
}
