//! How high the bar over the cards is: nothing that gets the focus is scrolled under it.

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, ResizeObserver};

use crate::piece::Stage;

/// A step of the height, in pixels.
const STEP: u32 = 24;
/// The stylesheet knows as many steps; a higher bar takes most of a window.
const MOST: u32 = 12;

/// Tells the stylesheet the height of what stands on a stage, from now on.
#[derive(Debug)]
pub(super) struct Measure {
    observer: ResizeObserver,
    _heard: Closure<dyn FnMut(Array)>,
}

impl Measure {
    pub(super) fn new(stage: &Stage) -> Option<Measure> {
        let root = stage.root().clone();
        let heard = Closure::<dyn FnMut(Array)>::new(move |_| {
            let Some(bar) = root.cast::<HtmlElement>() else { return };
            // In steps, which the stylesheet knows: strict pages allow no styles in attributes.
            let steps = u32::try_from(bar.offset_height()).unwrap_or_default().div_ceil(STEP).min(MOST);
            if let Some(panel) = bar.parent_element() {
                // Without it the height of one line is reckoned with.
                let _ = panel.set_attribute("data-bar", &steps.to_string());
            }
        });
        let observer = ResizeObserver::new(heard.as_ref().unchecked_ref()).ok()?;
        Some(Measure { observer, _heard: heard })
    }

    /// What stands on the stage now is measured.
    pub(super) fn follow(&self, stage: &Stage) {
        if let Some(bar) = stage.find(None) {
            self.observer.observe(&bar);
        }
    }
}

impl Drop for Measure {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
