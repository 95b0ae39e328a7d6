//! Where the focus goes when the card that had it has left.

use std::rc::Rc;

use countersign_core::RequestView;
use web_sys::{Document, Element, FocusOptions, HtmlElement};
use yew::prelude::*;

use crate::intent::Intent;

/// Remembers on which cards a person acted; once one of them has left and the focus with it, the next card gets the
/// focus, else the panel.
///
/// The focus moves only when nothing on the page has it: never away from what a person is doing, never because
/// something arrived.
#[hook]
pub(super) fn use_follow(
    panel: &NodeRef,
    on_intent: &Callback<Intent>,
    waiting: &[Rc<RequestView>],
) -> Callback<Intent> {
    let acted = use_mut_ref(Vec::<String>::new);
    {
        let (panel, acted, waiting) = (panel.clone(), Rc::clone(&acted), waiting.to_vec());
        use_effect(move || {
            let mut acted = acted.borrow_mut();
            let before = acted.len();
            acted.retain(|id| waiting.iter().any(|view| view.id == *id));
            if acted.len() < before {
                catch(&panel);
            }
        });
    }
    use_callback(on_intent.clone(), move |intent: Intent, on_intent| {
        match &intent {
            Intent::Decide { request, .. } => acted.borrow_mut().push(request.clone()),
            Intent::DecideAll { requests, .. } => {
                acted.borrow_mut().extend(requests.iter().map(|(id, _)| id.clone()))
            }
            Intent::Undo(id) => acted.borrow_mut().retain(|other| other != id),
            Intent::Retry(_) => {}
        }
        on_intent.emit(intent);
    })
}

/// Gives a focus that nobody has to the first card that waits, or to the panel.
fn catch(panel: &NodeRef) {
    let Some(panel) = panel.cast::<Element>() else { return };
    if !panel.owner_document().is_some_and(|document| is_lost(&document)) {
        return;
    }
    let card = panel.query_selector("[data-status=pending]").ok().flatten();
    if let Ok(element) = wasm_bindgen::JsCast::dyn_into::<HtmlElement>(card.unwrap_or(panel)) {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        // Without focus everything still works.
        let _ = element.focus_with_options(&options);
    }
}

fn is_lost(document: &Document) -> bool {
    document.active_element().is_none_or(|element| element.tag_name().eq_ignore_ascii_case("body"))
}
