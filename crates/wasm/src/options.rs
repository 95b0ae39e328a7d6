//! The options of an inbox, as JavaScript gives them.

use std::sync::Arc;

use countersign_core::{InboxOptions, Millis};
use countersign_json::{Document, Limits, Value};
use countersign_protocols::{
    AdalflowAnswer, AdalflowOptions, AdapterOptions, Edits, Templates, UnknownAdapter, adapter,
};

use crate::decision::member;
use crate::desk::Desk;

/// Why an inbox cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InvalidOptions {
    /// There is no adapter of this name.
    Adapter(UnknownAdapter),
    /// The option at this JSON Pointer has a value that it cannot have.
    Shape(&'static str),
}

/// A desk with the options in this JSON object; absent members are the defaults, unknown ones are not looked at.
pub(crate) fn desk(text: &str, seed: &str) -> Result<Desk, InvalidOptions> {
    let document = Document::parse(text, &Limits::default()).map_err(|_| InvalidOptions::Shape(""))?;
    let root = document.root();
    if !root.is_object() {
        return Err(InvalidOptions::Shape(""));
    }
    // This build answers nothing without a person: rules that were silently left out would be worse than none.
    for (name, pointer) in [("policy", "/policy"), ("grants", "/grants")] {
        if member(root, name).is_some() {
            return Err(InvalidOptions::Shape(pointer));
        }
    }
    let name = match member(root, "adapter") {
        Some(name) => name.as_str_lossy().ok_or(InvalidOptions::Shape("/adapter"))?,
        None => "auto".into(),
    };
    let assumed = AdapterOptions {
        a2a_edits: edits(root, "a2a", "/a2a/edits")?,
        adk_edits: edits(root, "adk", "/adk/edits")?,
        adalflow: adalflow(root)?,
        haystack: templates(root)?,
    };
    let adapter = adapter(&name, &assumed).map_err(InvalidOptions::Adapter)?;
    let defaults = InboxOptions::default();
    let limits = member(root, "limits");
    let limit = |key, pointer, default| match limits.and_then(|limits| member(limits, key)) {
        Some(value) => count(value, pointer),
        None => Ok(default),
    };
    let hold = match member(root, "holdRejections") {
        Some(value) => Millis(count(value, "/holdRejections")? as u64),
        None => defaults.hold_rejections,
    };
    let options = InboxOptions {
        seed: Arc::from(seed),
        hold_rejections: hold,
        args_limits: Limits {
            bytes: limit("argsBytes", "/limits/argsBytes", defaults.args_limits.bytes)?,
            depth: limit("argsDepth", "/limits/argsDepth", defaults.args_limits.depth)?,
            nodes: limit("argsValues", "/limits/argsValues", defaults.args_limits.nodes)?,
        },
        args_check: Some(countersign_schema::check),
        message_bytes: limit("messageBytes", "/limits/messageBytes", defaults.message_bytes)?,
        words: limit("words", "/limits/words", defaults.words)?,
        policy: None,
    };
    Ok(Desk::new(adapter, options))
}

fn edits(root: Value<'_>, family: &str, pointer: &'static str) -> Result<Edits, InvalidOptions> {
    match member(root, family).and_then(|family| member(family, "edits")) {
        None => Ok(Edits::Declared),
        Some(word) if word.equals("declared") => Ok(Edits::Declared),
        Some(word) if word.equals("always") => Ok(Edits::Always),
        Some(_) => Err(InvalidOptions::Shape(pointer)),
    }
}

fn adalflow(root: Value<'_>) -> Result<AdalflowOptions, InvalidOptions> {
    let mut options = AdalflowOptions::default();
    // Null says something here: the server waits for ever.
    match root.get("adalflow").and_then(|given| given.get("timeout_s")) {
        None => {}
        Some(seconds) if seconds.is_null() => options.timeout = None,
        Some(seconds) => {
            let number = seconds.as_number().ok_or(InvalidOptions::Shape("/adalflow/timeout_s"))?;
            options.timeout = Millis::from_seconds(number);
        }
    }
    match member(root, "adalflow").and_then(|given| member(given, "answer")) {
        None => {}
        Some(word) if word.equals("shipped-rest") => options.answer = AdalflowAnswer::ShippedRest,
        Some(_) => return Err(InvalidOptions::Shape("/adalflow/answer")),
    }
    Ok(options)
}

fn templates(root: Value<'_>) -> Result<Templates, InvalidOptions> {
    let haystack = member(root, "haystack");
    let template = |key, pointer| match haystack.and_then(|haystack| member(haystack, key)) {
        None => Ok(None),
        Some(value) => value.as_str().map(|text| Some(Arc::from(text))).ok_or(InvalidOptions::Shape(pointer)),
    };
    Ok(Templates {
        reject: template("reject_template", "/haystack/reject_template")?,
        modify: template("modify_template", "/haystack/modify_template")?,
        user_feedback: template("user_feedback_template", "/haystack/user_feedback_template")?,
    })
}

/// A whole number; one that is too large for this machine is as large as can be.
fn count(value: Value<'_>, pointer: &'static str) -> Result<usize, InvalidOptions> {
    let digits = value.as_number().ok_or(InvalidOptions::Shape(pointer))?;
    match digits.parse() {
        Ok(count) => Ok(count),
        Err(_) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(usize::MAX),
        Err(_) => Err(InvalidOptions::Shape(pointer)),
    }
}

/// A moment as JavaScript counts it.
pub(crate) fn millis(value: f64) -> Millis {
    // Saturates: what is negative or not a number is zero.
    Millis(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Option<InvalidOptions> {
        desk(text, "seed").err()
    }

    #[test]
    fn nothing_is_needed_and_all_can_be_given() {
        assert_eq!(fault("{}"), None);
        let all = r#"{"adapter":"a2a","holdRejections":4000,"limits":{"argsDepth":9,"words":99999999999999999999},
            "a2a":{"edits":"always"},"adalflow":{"timeout_s":null,"answer":"shipped-rest"},"haystack":{"reject_template":"No."},"locale":"de","policy":null}"#;
        assert_eq!(fault(all), None);
    }

    #[test]
    fn unknown_names_are_refused() {
        let unknown = UnknownAdapter { name: "fax".to_owned() };
        assert_eq!(fault(r#"{"adapter":"fax"}"#), Some(InvalidOptions::Adapter(unknown)));
        assert_eq!(fault(r#"{"a2a":{"edits":"never"}}"#), Some(InvalidOptions::Shape("/a2a/edits")));
        assert_eq!(fault(r#"{"adk":{"edits":1}}"#), Some(InvalidOptions::Shape("/adk/edits")));
        assert_eq!(
            fault(r#"{"adalflow":{"answer":"fax"}}"#),
            Some(InvalidOptions::Shape("/adalflow/answer"))
        );
    }

    #[test]
    fn an_option_of_another_type_is_named() {
        assert_eq!(fault("[]"), Some(InvalidOptions::Shape("")));
        assert_eq!(fault(r#"{"adapter":1}"#), Some(InvalidOptions::Shape("/adapter")));
        assert_eq!(fault(r#"{"policy":{}}"#), Some(InvalidOptions::Shape("/policy")));
        let fax = r#"{"adalflow":{"timeout_s":"30"}}"#;
        assert_eq!(fault(fax), Some(InvalidOptions::Shape("/adalflow/timeout_s")));
        assert_eq!(fault(r#"{"holdRejections":-1}"#), Some(InvalidOptions::Shape("/holdRejections")));
        assert_eq!(fault(r#"{"limits":{"words":0.5}}"#), Some(InvalidOptions::Shape("/limits/words")));
        let pointer = "/haystack/modify_template";
        assert_eq!(fault(r#"{"haystack":{"modify_template":7}}"#), Some(InvalidOptions::Shape(pointer)));
    }

    #[test]
    fn times_that_are_none_count_as_the_beginning() {
        assert_eq!([millis(-1.0), millis(f64::NAN), millis(1.9)], [Millis(0), Millis(0), Millis(1)]);
    }
}
