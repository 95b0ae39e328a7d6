//! The interface, drawn into a shadow root that JavaScript owns.

use std::cell::RefCell;
use std::rc::Rc;

use countersign_core::Millis;
use countersign_yew::{InboxPanel, InboxPanelProps, Intent, adopt_styles};
use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ShadowRoot};
use yew::{AppHandle, Callback, Renderer};

use crate::desk::Desk;
use crate::error::told;
use crate::inbox::RawInbox;
use crate::intent::act;
use crate::options::millis;

/// A panel that was drawn; as long as it lives, JavaScript can have it drawn again.
#[wasm_bindgen]
pub struct Handle {
    panel: AppHandle<InboxPanel>,
    place: Element,
    desk: Rc<RefCell<Desk>>,
    on_intent: Callback<Intent>,
}

/// Draws the panel of `inbox` into a shadow root.
///
/// When a person acts, `now()` is asked for the moment, the inbox judges, and `acted(error)` is called, once without an
/// error when it was done, or with `{ code, message, help? }` for each act that was refused.
///
/// # Errors
/// Throws what the document throws when it cannot hold another element.
#[wasm_bindgen]
pub fn mount(root: &ShadowRoot, inbox: &RawInbox, now: Function, acted: Function) -> Result<Handle, JsValue> {
    adopt_styles(root);
    let document = root.owner_document().ok_or(JsValue::NULL)?;
    let place = document.create_element("div")?;
    root.append_child(&place)?;
    let desk = inbox.desk();
    let on_intent = {
        let desk = Rc::clone(&desk);
        Callback::from(move |intent| {
            let moment =
                now.call0(&JsValue::NULL).ok().and_then(|moment| moment.as_f64()).unwrap_or_default();
            let refusals = act(&mut desk.borrow_mut(), millis(moment), intent);
            let tell = |value: &JsValue| {
                // What the page does with the news is its own affair; its errors were reported there.
                let _ = acted.call1(&JsValue::NULL, value);
            };
            if refusals.is_empty() {
                tell(&JsValue::UNDEFINED);
            }
            refusals.iter().map(told).for_each(|error| tell(&error));
        })
    };
    let props = props(&desk, &on_intent, None);
    let panel = Renderer::<InboxPanel>::with_root_and_props(place.clone(), props).render();
    Ok(Handle { panel, place, desk, on_intent })
}

#[wasm_bindgen]
impl Handle {
    /// Draws what changed; countdowns are drawn for the moment `now`, or not at all.
    pub fn draw(&mut self, now: Option<f64>) {
        let props = props(&self.desk, &self.on_intent, now.map(millis));
        self.panel.update(props);
    }

    /// Takes the panel away.
    pub fn unmount(self) {
        self.panel.destroy();
        // The panel is emptied later; its place goes now, so that another one can be mounted at once.
        self.place.remove();
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Handle")
    }
}

fn props(desk: &Rc<RefCell<Desk>>, on_intent: &Callback<Intent>, now: Option<Millis>) -> InboxPanelProps {
    let requests = desk.borrow_mut().views();
    yew::props!(InboxPanelProps { requests, on_intent: on_intent.clone(), now })
}
