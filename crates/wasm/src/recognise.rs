//! Looking at a message without an inbox.

use wasm_bindgen::prelude::wasm_bindgen;

/// The adapter that `auto` reads these UTF-8 bytes with, as far as they alone show it.
#[wasm_bindgen(js_name = adapterOf)]
#[must_use]
pub fn adapter_of(message: &[u8]) -> Option<String> {
    let name = countersign_protocols::recognise(std::str::from_utf8(message).ok()?)?;
    Some(name.to_owned())
}
