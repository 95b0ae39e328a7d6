//! Looking through a record without an inbox.

use countersign_core::verify_audit;
use countersign_json::Writer;
use wasm_bindgen::prelude::wasm_bindgen;

/// Where an exported record is not what was written, as JSON text; nothing where all of it is.
///
/// # Shape
/// `{ seq, reason }`, where `seq` is the first line that does not fit, counted from zero.
#[wasm_bindgen(js_name = verifyAudit)]
#[must_use]
pub fn audit_fault(json_lines: &str) -> Option<String> {
    let fault = verify_audit(json_lines).err()?;
    let mut writer = Writer::new();
    writer.begin_object();
    writer.key("seq").raw(&fault.seq.to_string());
    writer.key("reason").string(fault.reason);
    writer.end_object();
    Some(writer.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r45_a_record_that_was_tampered_with_is_told_with_the_place() {
        assert_eq!(audit_fault(""), None);
        assert_eq!(audit_fault("{}").as_deref(), Some(r#"{"seq":0,"reason":"it has no hash"}"#));
    }
}
