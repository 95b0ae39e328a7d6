//! Looking at arguments without an inbox.

use countersign_json::{Limits, Writer, inspect_text, sha256_hex};
use wasm_bindgen::prelude::wasm_bindgen;

/// What a reader must know about the arguments of a call, as JSON text.
///
/// # Shape
/// `{ inspectable, hazards: [{ pointer, code, message }], digest }`.
#[wasm_bindgen(js_name = inspectArgs)]
#[must_use]
pub fn inspect_args(text: &str) -> String {
    inspection(text)
}

/// What [`inspect_args`] returns.
#[must_use]
pub fn inspection(text: &str) -> String {
    let inspection = inspect_text(text, &Limits::ARGUMENTS);
    let mut writer = Writer::new();
    writer.begin_object();
    writer.key("inspectable").bool(inspection.inspectable());
    writer.key("hazards").begin_array();
    for hazard in &inspection.hazards {
        writer.begin_object();
        writer.key("pointer").string(&hazard.pointer);
        writer.key("code").string(hazard.code.as_str());
        writer.key("message").string(&hazard.message);
        writer.end_object();
    }
    writer.end_array();
    writer.key("digest").string(&sha256_hex(text));
    writer.end_object();
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::inspection;

    #[test]
    fn doubtful_arguments_are_not_inspectable() {
        let text = inspection(r#"{"a":1,"a":2}"#);
        assert!(
            text.starts_with(r#"{"inspectable":false,"hazards":[{"pointer":"/a","code":"duplicate-key""#),
            "{text}"
        );
    }

    #[test]
    fn ordinary_arguments_have_a_digest_and_nothing_else() {
        let digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(inspection("{}"), format!(r#"{{"inspectable":true,"hazards":[],"digest":"{digest}"}}"#));
    }
}
