//! A shadow root with the look of the components in it.

use js_sys::{Array, Function, Reflect, WeakMap};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CssStyleSheet, Document, Element, ShadowRoot, ShadowRootInit, ShadowRootMode};
use yew::prelude::*;

use crate::stylesheet::FIRST;
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

/// Draws its children in an open shadow root that has the look of [`STYLESHEET`](crate::STYLESHEET).
///
/// Where no shadow root can be had, the children stand in the host element itself.
#[component]
pub fn Shadow(props: &ShadowProps) -> Html {
    let host = use_node_ref();
    let root = use_state(|| None::<(AttrValue, Element)>);
    {
        let (host, root) = (host.clone(), root.clone());
        use_effect_with(props.tag.clone(), move |tag| {
            let place = host.cast::<Element>().and_then(|host| root_in(&host));
            root.set(place.map(|place| (tag.clone(), place)))
        });
    }
    // Under another name there is another host, which has no root yet.
    let place = root.as_ref().filter(|(tag, _)| *tag == props.tag);
    let children = match place {
        Some((_, place)) => create_portal(props.children.clone(), place.clone()),
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
    // For each document one sheet, parsed once, for every shadow root in it: what another document has made cannot be adopted.
    static SHEETS: WeakMap = WeakMap::new();
}

/// The sheet of a document; none where it has no window and nothing is painted.
fn sheet_of(document: &Document) -> Option<CssStyleSheet> {
    SHEETS.with(|sheets| {
        let known = sheets.get(document);
        if !known.is_undefined() {
            return Some(known.unchecked_into());
        }
        let view = document.default_view()?;
        let class: Function = Reflect::get(&view, &JsValue::from_str("CSSStyleSheet")).ok()?.unchecked_into();
        let sheet: CssStyleSheet = Reflect::construct(&class, &Array::new()).ok()?.unchecked_into();
        sheet.replace_sync(FIRST).ok()?;
        sheets.set(document, &sheet);
        Some(sheet)
    })
}

/// Adds to the look of the document in which an element stands, once, what only some components need; `name` says which.
pub(crate) fn add_styles(element: &Element, name: &str, styles: &str) {
    let Some(document) = element.owner_document() else { return };
    let sheet = SHEETS.with(|sheets| sheets.get(&document));
    let name = JsValue::from_str(name);
    // Where no sheet is adopted the page has all of the look.
    if sheet.is_undefined() || Reflect::has(&sheet, &name) != Ok(false) {
        return;
    }
    let _ = Reflect::set(&sheet, &name, &JsValue::TRUE);
    let sheet: CssStyleSheet = sheet.unchecked_into();
    // One rule around all of them: behind the others, but before the sheets that a page adopts.
    let end = sheet.css_rules().map_or(0, |rules| rules.length());
    let _ = sheet.insert_rule_with_index(&["@media all{", styles, "}"].concat(), end);
}

/// Gives a shadow root the look of the components.
///
/// Sheets that it has already adopted stay; calling this again changes nothing.
pub fn adopt_styles(root: &ShadowRoot) {
    let Some(sheet) = root.owner_document().and_then(|document| sheet_of(&document)) else { return };
    let adopted = Array::from(&root.adopted_style_sheets());
    if !adopted.includes(&sheet, 0) {
        adopted.push(&sheet);
        root.set_adopted_style_sheets(adopted.unchecked_ref::<JsValue>());
    }
}
