//! The few things that only a browser has: time, chance, storage, and where to put an error.

use countersign_core::Millis;
use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlElement, Storage, UrlSearchParams, Window, console};

/// The present moment.
#[must_use]
pub fn now() -> Millis {
    // Milliseconds since the epoch fit the 53 bits of the number.
    Millis(js_sys::Date::now() as u64)
}

/// Waits for so many milliseconds; for none, not at all.
pub async fn sleep(millis: u32) {
    if millis == 0 {
        return;
    }
    let promise = Promise::new(&mut |resolve, _| {
        gloo::timers::callback::Timeout::new(millis, move || {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        })
        .forget();
    });
    let _ = JsFuture::from(promise).await;
}

/// A number that nobody can guess.
#[must_use]
pub fn chance() -> u64 {
    let mut bytes = [0; 8];
    let filled = web_sys::window().and_then(|window| window.crypto().ok());
    if filled.is_none_or(|crypto| crypto.get_random_values_with_u8_array(&mut bytes).is_err()) {
        return js_sys::Math::random().to_bits();
    }
    u64::from_le_bytes(bytes)
}

/// A new identifier in the form of a UUID.
#[must_use]
pub fn uuid() -> String {
    crate::systems::script::random_uuid(chance(), chance())
}

/// The members of the page's query.
#[must_use]
pub fn query() -> Vec<(String, String)> {
    let search = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    let Ok(members) = UrlSearchParams::new_with_str(&search) else { return Vec::new() };
    let entries = js_sys::try_iter(&members).ok().flatten().into_iter().flatten().filter_map(Result::ok);
    entries
        .filter_map(|entry| {
            let pair = Array::from(&entry);
            Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
        })
        .collect()
}

/// Writes one member of the page's query into its address, without loading it again.
pub fn set_query(name: &str, value: &str) {
    let Some(window) = window() else { return };
    let search = window.location().search().unwrap_or_default();
    let Ok(members) = UrlSearchParams::new_with_str(&search) else { return };
    members.set(name, value);
    let address = format!("?{}", String::from(members.to_string()));
    if let Ok(history) = window.history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}

/// What the page stored under this key.
#[must_use]
pub fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Stores a text; where storage is forbidden or full, it is lost with the page.
pub fn store(key: &str, value: &str) {
    if storage().is_none_or(|storage| storage.set_item(key, value).is_err()) {
        complain("the page's storage is not available: a reload forgets the conversation");
    }
}

/// Saves a text as a file of this name.
pub fn save(text: &str, name: &str) {
    if countersign_yew::save_file(text, name).is_none() {
        complain("the browser does not let the page save a file");
    }
}

/// Gives the focus to the first element that a selector names.
pub fn focus(selector: &str) {
    let found = gloo::utils::document().query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|element: Element| element.dyn_into::<HtmlElement>().ok()) {
        // Without focus everything still works.
        let _ = element.focus();
    }
}

/// Whether a selector names anything.
#[must_use]
pub fn is_there(selector: &str) -> bool {
    matches!(gloo::utils::document().query_selector(selector), Ok(Some(_)))
}

/// Where the documentation is, where the page stands beside it.
#[must_use]
pub fn documentation() -> Option<String> {
    gloo::utils::document().query_selector("link[rel=help]").ok()??.get_attribute("href")
}

/// Sets an attribute `data-…` of the document's root; `None` removes it.
pub fn mark_root(name: &str, value: Option<&str>) {
    let Some(root) = gloo::utils::document().document_element() else { return };
    let name = format!("data-{name}");
    let _ = match value {
        Some(value) => root.set_attribute(&name, value),
        None => root.remove_attribute(&name),
    };
}

/// Says what went wrong on the console.
pub fn complain(sentence: &str) {
    console::error_1(&JsValue::from_str(sentence));
}

/// Says on the console, and in the page, where a panic happened.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|information| {
        complain(&format!("the demo page has stopped: {information}"));
        let document = gloo::utils::document();
        if let (Some(body), Ok(note)) = (document.body(), document.create_element("p")) {
            note.set_text_content(Some(
                "The page has stopped working. Load it again; the agent's tasks are kept.",
            ));
            let _ = note.set_attribute("role", "alert");
            let _ = note.set_attribute("class", "stopped");
            let _ = body.prepend_with_node_1(&note);
        }
    }));
}

/// The width of the window, in CSS pixels.
#[must_use]
pub fn width() -> f64 {
    window().and_then(|window| window.inner_width().ok()?.as_f64()).unwrap_or_default()
}

fn window() -> Option<Window> {
    web_sys::window()
}

fn storage() -> Option<Storage> {
    window()?.local_storage().ok().flatten()
}
