//! Texts on their way out of the page: into the clipboard and into a file.

use crate::foreign;
use crate::piece::focus;
use gloo::timers::callback::Timeout;
use js_sys::{Array, Function, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, Clipboard, Element, HtmlAnchorElement, HtmlTextAreaElement, Url};

/// How long the address of a saved file stays, in milliseconds.
const SAVING: u32 = 40_000;

/// Copies a text; `done` hears whether that worked.
///
/// `button` was pressed; beside it a field may stand for a moment, for browsers without the clipboard's own interface.
pub(crate) fn copy(text: &str, button: Option<Element>, done: impl Fn(bool) + Clone + 'static) {
    let by_selection =
        move |text: &str| button.as_ref().and_then(|button| by_selection(text, button)) == Some(true);
    let clipboard = web_sys::window()
        .and_then(|window| Reflect::get(&window.navigator(), &"clipboard".into()).ok())
        .filter(JsValue::is_object);
    let Some(clipboard) = clipboard else {
        return done(by_selection(text));
    };
    let promise = clipboard.unchecked_into::<Clipboard>().write_text(text);
    let failed = {
        let (done, text) = (done.clone(), text.to_owned());
        Closure::once_into_js(move |_: JsValue| done(by_selection(&text)))
    };
    let copied = Closure::once_into_js(move |_: JsValue| done(true));
    if let Ok(then) = Reflect::get(&promise, &"then".into()) {
        // A promise that cannot be waited for says nothing.
        let _ = then.unchecked_into::<Function>().call2(&promise, &copied, &failed);
    }
}

/// The old way: a field, a selection and a command.
fn by_selection(text: &str, button: &Element) -> Option<bool> {
    let document = button.owner_document()?;
    let field: HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
    field.set_class_name("cs-unseen");
    field.set_value(text);
    button.parent_element()?.append_child(&field).ok()?;
    field.select();
    let command: Function = Reflect::get(&document, &"execCommand".into()).ok()?.dyn_into().ok()?;
    let copied = command.call1(&document, &"copy".into()).ok()?.is_truthy();
    field.remove();
    foreign::end();
    focus(button.clone());
    Some(copied)
}

/// Saves a text as a file of this name; `None`: the browser does not let the page.
///
/// For what a person asks for by [`Intent::Export`](crate::Intent::Export).
pub fn save_file(text: &str, name: &str) -> Option<()> {
    let blob = Blob::new_with_str_sequence(&Array::of1(&text.into())).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
    let document = web_sys::window()?.document()?;
    let link: HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // Safari reads it only after a while.
    Timeout::new(SAVING, move || drop(Url::revoke_object_url(&address))).forget();
    Some(())
}
