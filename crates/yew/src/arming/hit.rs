//! Whether a press would really land on a button.

use std::ops::Range;

use wasm_bindgen::JsCast;
use web_sys::{Document, DomRect, Element, Node, ShadowRoot};

use super::room::{Shown, zoom};

/// Where in a button is looked, as shares of its width and height: the centre and near each corner.
const POINTS: [(f64, f64); 5] = [(0.5, 0.5), (0.08, 0.2), (0.92, 0.2), (0.08, 0.8), (0.92, 0.8)];

/// Whether nothing stands in front of `button`, at so many points: its centre and near its corners.
#[inline(never)]
pub(super) fn is_uncovered(button: &Element, place: &DomRect, points: usize) -> bool {
    let Some((document, roots)) = roots(button) else { return false };
    let zoom = zoom(button);
    POINTS.iter().take(points).all(|(across, down)| {
        let x = ((place.x() + place.width() * across) * zoom) as f32;
        let y = ((place.y() + place.height() * down) * zoom) as f32;
        hits(&document, &roots, button, x, y)
    })
}

/// Where in what stands around a button is looked: from its top to its bottom, by turns left and right of the middle.
const SAMPLES: [(f64, f64); 5] = [(0.3, 0.1), (0.7, 0.3), (0.3, 0.5), (0.7, 0.7), (0.3, 0.9)];

/// Whether nothing stands in front of most of `frame`, as far as it lies within the view: where it is `shown`.
#[inline(never)]
pub(super) fn is_half_uncovered(frame: &Element, shown: &Shown) -> bool {
    let Some((document, roots)) = roots(frame) else { return false };
    let zoom = zoom(frame);
    let at =
        |range: &Range<f64>, share: f64| ((range.start + (range.end - range.start) * share) * zoom) as f32;
    let is_hit = |(across, down): &&(f64, f64)| {
        let (x, y) = (at(&shown.across, *across), at(&shown.down, *down));
        hits(&document, &roots, frame, x, y)
    };
    SAMPLES.iter().filter(is_hit).count() * 2 > SAMPLES.len()
}

/// The document, and the shadow roots around an element, outermost first.
fn roots(element: &Element) -> Option<(Document, Vec<ShadowRoot>)> {
    let mut roots = Vec::new();
    let mut root = element.get_root_node();
    loop {
        match root.dyn_into::<ShadowRoot>() {
            Ok(shadow) => {
                root = shadow.host().get_root_node();
                roots.insert(0, shadow);
            }
            // What stands in no document is covered by everything. That of another window is no `Document` of this one.
            Err(other) => {
                let is_document = other.node_type() == Node::DOCUMENT_NODE;
                return is_document.then(|| (other.unchecked_into(), roots));
            }
        }
    }
}

/// Whether each root on the way, from the document inwards, has the next one on top at this point.
fn hits(document: &Document, roots: &[ShadowRoot], button: &Element, x: f32, y: f32) -> bool {
    let mut found = document.element_from_point(x, y);
    for root in roots {
        if !is_within(&root.host(), found) {
            return false;
        }
        found = root.element_from_point(x, y);
    }
    is_within(button, found)
}

fn is_within(outer: &Element, found: Option<Element>) -> bool {
    let node: Option<&Node> = found.as_ref().map(AsRef::as_ref);
    node.is_some() && outer.contains(node)
}
