//! Errors as JavaScript gets them.

use countersign_core::Refusal;
use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::decision::NoDecision;
use crate::options::InvalidOptions;

/// What is thrown, as JSON text, or told, as an object: TypeScript makes it a `CountersignError`.
#[derive(Debug, Default, Serialize)]
struct Thrown<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

impl Thrown<'_> {
    fn value(&self) -> JsValue {
        JsValue::from_str(&serde_json::to_string(self).unwrap_or_default())
    }
}

pub(crate) fn refused(refusal: &Refusal) -> JsValue {
    let message = refusal.to_string();
    Thrown { code: refusal.code().as_str(), message: &message, help: refusal.help(), path: None }.value()
}

/// A refusal for a callback, which gets objects.
#[cfg(feature = "element")]
pub(crate) fn told(refusal: &Refusal) -> JsValue {
    let message = refusal.to_string();
    let told = Thrown { code: refusal.code().as_str(), message: &message, help: refusal.help(), path: None };
    // Text in an ordinary object: nothing of it can fail.
    told.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or_default()
}

pub(crate) fn no_decision(error: &NoDecision) -> JsValue {
    let code = "decision-invalid";
    match error {
        NoDecision::Shape(path) => {
            let message = "the decision is not an object of the shape that its kind has";
            Thrown { code, message, path: Some(path), ..Thrown::default() }.value()
        }
        NoDecision::Fields(error) => {
            Thrown { code, message: &error.to_string(), ..Thrown::default() }.value()
        }
    }
}

pub(crate) fn no_options(error: &InvalidOptions) -> JsValue {
    match error {
        InvalidOptions::Adapter(unknown) => {
            Thrown { code: "unknown-adapter", message: &unknown.to_string(), ..Thrown::default() }.value()
        }
        InvalidOptions::Shape(path) => {
            let message = "the option does not have this value";
            Thrown { code: "options-invalid", message, path: Some(path), ..Thrown::default() }.value()
        }
    }
}
