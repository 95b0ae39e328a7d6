//! Errors as JavaScript gets them.

use countersign_core::{InvalidDecision, Refusal, RefusalCode};
use countersign_json::Writer;
use countersign_policy::PolicyError;
use wasm_bindgen::JsValue;

use crate::decision::NoDecision;
use crate::json;
use crate::options::InvalidOptions;
use crate::validate::NoValidation;

/// What is thrown, or told, as JSON text: TypeScript makes it a `CountersignError`, or what an event says of one.
#[derive(Debug, Default)]
struct Thrown<'a> {
    code: &'a str,
    message: &'a str,
    help: Option<&'a str>,
    path: Option<&'a str>,
}

impl Thrown<'_> {
    fn value(&self) -> JsValue {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("code").string(self.code);
        writer.key("message").string(self.message);
        json::words(&mut writer, "help", self.help);
        json::words(&mut writer, "path", self.path);
        writer.end_object();
        JsValue::from_str(&writer.finish())
    }
}

pub(crate) fn refused(refusal: &Refusal) -> JsValue {
    let message = refusal.to_string();
    Thrown { code: refusal.code().as_str(), message: &message, help: refusal.help(), path: None }.value()
}

pub(crate) fn no_decision(error: &NoDecision) -> JsValue {
    let code = RefusalCode::DecisionInvalid.as_str();
    match error {
        NoDecision::Shape(path) => {
            let message = "the decision is not an object of the shape that its kind has";
            Thrown { code, message, path: Some(path), ..Thrown::default() }.value()
        }
        NoDecision::Fields(error) => {
            let surplus = matches!(error, InvalidDecision::SurplusArgs { .. });
            let help = surplus.then_some("decide `edit` to run it with other arguments");
            Thrown { code, message: &error.to_string(), help, path: None }.value()
        }
        NoDecision::Surplus(member) => {
            let message = ["a decision of this kind takes no `", member, "`"].concat();
            Thrown { code, message: &message, ..Thrown::default() }.value()
        }
    }
}

pub(crate) fn no_options(error: &InvalidOptions) -> JsValue {
    match error {
        InvalidOptions::Adapter(unknown) => {
            Thrown { code: "unknown-adapter", message: &unknown.to_string(), ..Thrown::default() }.value()
        }
        InvalidOptions::Shape(path) => {
            let message = "the option cannot have this value";
            Thrown { code: "options-invalid", message, path: Some(path), ..Thrown::default() }.value()
        }
        InvalidOptions::Wrong(path, expected) => {
            let message = ["expected ", expected].concat();
            Thrown { code: "options-invalid", message: &message, path: Some(path), ..Thrown::default() }
                .value()
        }
        InvalidOptions::Unknown(path) => {
            let message = "there is no such option";
            Thrown { code: "options-invalid", message, path: Some(path), ..Thrown::default() }.value()
        }
        InvalidOptions::Policy(base, error) => no_policy(base, error),
    }
}

pub(crate) fn no_validation(error: &NoValidation) -> JsValue {
    let (code, message, path) = match error {
        NoValidation::Schema(message) => ("schema-invalid", message.as_str(), None),
        NoValidation::Args(message) => ("args-invalid", message.as_str(), None),
        NoValidation::Dialect => ("options-invalid", "the option cannot have this value", Some("/dialect")),
    };
    Thrown { code, message, path, ..Thrown::default() }.value()
}

/// What stands at this place is no tool.
#[cfg(feature = "element")]
pub(crate) fn no_tools(path: &str) -> JsValue {
    let message = "the tools are not an array of objects with a name";
    Thrown { code: "options-invalid", message, path: Some(path), ..Thrown::default() }.value()
}

/// The configuration of the policy panel cannot be read.
#[cfg(feature = "element")]
pub(crate) fn no_configuration(base: &str, trouble: &countersign_yew::PolicyTrouble) -> JsValue {
    let path = [base, &trouble.pointer].concat();
    Thrown { code: "options-invalid", message: &trouble.message, path: Some(&path), ..Thrown::default() }
        .value()
}

/// What is wrong with a policy or grants that stand at `base`.
pub(crate) fn no_policy(base: &str, error: &PolicyError) -> JsValue {
    let message = PolicyError { pointer: String::new(), fault: error.fault.clone() }.to_string();
    let path = [base, &error.pointer].concat();
    Thrown { code: "options-invalid", message: &message, path: Some(&path), ..Thrown::default() }.value()
}
