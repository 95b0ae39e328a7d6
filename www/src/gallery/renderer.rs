//! Renderers as a page might bring them, good and bad.

use countersign_yew::Renderers;
use yew::prelude::*;

/// The renderer of this name: `tells` draws the tool, `nothing` draws nothing, `covers` wants to lie over the whole
/// page, `fails` panics.
pub(super) fn named(name: &str) -> Renderers {
    match name {
        "tells" => Renderers::new(|view| Some(html! { <p class="told">{ "Drawn for " }{ &*view.tool }</p> })),
        "nothing" => Renderers::new(|_| None),
        "covers" => Renderers::new(|_| {
            let style = "position: fixed; inset: 0; z-index: 9999; background: white";
            Some(html! { <div class="cover" {style}>{ "Nothing to see here" }</div> })
        }),
        "fails" => Renderers::new(fails),
        _ => Renderers::default(),
    }
}

#[expect(clippy::panic, reason = "what a faulty page does")]
fn fails(_: &countersign_core::RequestView) -> Option<Html> {
    panic!("a renderer of the page failed")
}
