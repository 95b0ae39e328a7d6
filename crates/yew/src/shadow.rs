//! A shadow root with the look of the components in it.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CssStyleSheet, Element, ShadowRoot, ShadowRootInit, ShadowRootMode};
use yew::prelude::*;

use crate::stylesheet::STYLESHEET;
use crate::variants::{Density, Theme};

/// Properties of [`Shadow`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ShadowProps {
    /// The name of the host element, with a hyphen: `countersign-inbox`.
    pub tag: AttrValue,
    /// Light or dark.
    #[prop_or_default]
    pub theme: Theme,
    /// How much room things have.
    #[prop_or_default]
    pub density: Density,
    /// The class of the host element, for the page's own layout.
    #[prop_or_default]
    pub class: Classes,
    /// What stands in the shadow root.
    #[prop_or_default]
    pub children: Html,
}

/// Draws its children in an open shadow root that has adopted [`STYLESHEET`].
///
/// Where no shadow root can be had, the children stand in the host element itself.
#[component]
pub fn Shadow(props: &ShadowProps) -> Html {
    let host = use_node_ref();
    let place = use_state(|| None::<Element>);
    {
        let (host, place) = (host.clone(), place.clone());
        use_effect_with(props.tag.clone(), move |_| {
            place.set(host.cast::<Element>().and_then(|host| root_in(&host)))
        });
    }
    let children = match &*place {
        Some(place) => create_portal(props.children.clone(), place.clone()),
        None => Html::default(),
    };
    html! {
        <@{props.tag.to_string()} ref={host} class={props.class.clone()} data-theme={props.theme.attribute()} data-density={props.density.attribute()}>
            { children }
        </@>
    }
}

/// The element in the shadow root of `host` into which components are drawn; made if it is missing.
fn root_in(host: &Element) -> Option<Element> {
    let shadow =
        host.shadow_root().or_else(|| host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open)).ok());
    if let Some(shadow) = &shadow {
        adopt_styles(shadow);
        if let Some(place) = shadow.first_element_child() {
            return Some(place);
        }
    }
    let place = host.owner_document()?.create_element("div").ok()?;
    let parent: &web_sys::Node = match &shadow {
        Some(shadow) => shadow,
        None => host,
    };
    parent.append_child(&place).ok()?;
    Some(place)
}

thread_local! {
    // One sheet, parsed once, for every shadow root of the page.
    static SHEET: Option<CssStyleSheet> = {
        let sheet = CssStyleSheet::new().ok();
        sheet.filter(|sheet| sheet.replace_sync(STYLESHEET).is_ok())
    };
}

/// Gives a shadow root the look of the components.
///
/// Sheets that it has already adopted stay; calling this again changes nothing.
pub fn adopt_styles(root: &ShadowRoot) {
    SHEET.with(|sheet| {
        let Some(sheet) = sheet else { return };
        let adopted = Array::from(&root.adopted_style_sheets());
        if !adopted.includes(sheet, 0) {
            adopted.push(sheet);
            root.set_adopted_style_sheets(adopted.unchecked_ref::<JsValue>());
        }
    });
}
