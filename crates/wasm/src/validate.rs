//! Holding arguments against a schema without an inbox.

use countersign_json::{Document, Limits, Writer};
use countersign_schema::{Dialect, Options, Report, SCHEMA_LIMITS, Schema};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error;

/// What is wrong with arguments by a schema, both JSON text, as JSON text.
///
/// # Shape
/// `{ valid, problems: [{ pointer, keyword, message }], unchecked: [{ pointer, keyword }] }`.
///
/// # Errors
/// `schema-invalid` and `args-invalid` for what cannot be read, `options-invalid` for a dialect that does not exist.
#[wasm_bindgen(js_name = validateArgs)]
pub fn validate_args(
    schema: &str,
    args: &str,
    dialect: Option<String>,
    formats: bool,
) -> Result<String, JsValue> {
    validation(schema, args, dialect.as_deref(), formats).map_err(|error| error::no_validation(&error))
}

/// Why nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoValidation {
    Schema(String),
    Args(String),
    Dialect,
}

/// What [`validate_args`] returns.
pub(crate) fn validation(
    schema: &str,
    args: &str,
    dialect: Option<&str>,
    formats: bool,
) -> Result<String, NoValidation> {
    let dialect = match dialect {
        Some(name) => Some(Dialect::named(name).ok_or(NoValidation::Dialect)?),
        None => None,
    };
    let unreadable = |error: countersign_json::ParseError| NoValidation::Schema(error.to_string());
    let schema = Document::parse(schema, &SCHEMA_LIMITS).map_err(unreadable)?;
    if !schema.root().is_object() && schema.root().as_bool().is_none() {
        return Err(NoValidation::Schema("a schema is an object, true or false".to_owned()));
    }
    let args =
        Document::parse(args, &Limits::ARGUMENTS).map_err(|error| NoValidation::Args(error.to_string()))?;
    let options = Options { dialect, formats, ..Options::default() };
    Ok(write(&Schema::compile(&schema).validate(args.root(), &options)))
}

fn write(report: &Report) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("valid").bool(report.is_valid());
    writer.key("problems").begin_array();
    for problem in &report.problems {
        writer.begin_object();
        writer.key("pointer").string(&problem.pointer);
        writer.key("keyword").string(problem.keyword);
        writer.key("message").string(&problem.message);
        writer.end_object();
    }
    writer.end_array();
    writer.key("unchecked").begin_array();
    for unchecked in &report.unchecked {
        writer.begin_object();
        writer.key("pointer").string(&unchecked.pointer);
        writer.key("keyword").string(unchecked.keyword);
        writer.end_object();
    }
    writer.end_array().end_object();
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_and_what_was_not_checked_stand_beside_each_other() {
        let schema = r#"{"properties":{"n":{"maximum":1},"s":{"pattern":"(?=x)","format":"date"}}}"#;
        assert_eq!(
            validation(schema, r#"{"n":1.0000000000000000001,"s":"y"}"#, None, false).unwrap(),
            concat!(
                r#"{"valid":false,"problems":[{"pointer":"/n","keyword":"maximum","message":"`n` must be at most 1"}],"#,
                r#""unchecked":[{"pointer":"/s","keyword":"pattern"}]}"#
            )
        );
        let formats = validation(schema, r#"{"s":"y"}"#, None, true).unwrap();
        assert!(formats.contains(r#""keyword":"format""#), "{formats}");
    }

    #[test]
    fn the_dialect_counts_where_the_schema_names_none() {
        let schema = r##"{"$ref":"#/x","maximum":0,"x":{}}"##;
        let valid =
            |dialect| validation(schema, "1", Some(dialect), false).unwrap().contains("\"valid\":true");
        assert!(valid("draft-07") && !valid("2020-12"));
        assert_eq!(validation(schema, "1", Some("latin"), false), Err(NoValidation::Dialect));
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        assert!(matches!(validation("{", "1", None, false), Err(NoValidation::Schema(_))));
        assert!(matches!(validation("7", "1", None, false), Err(NoValidation::Schema(_))));
        assert!(matches!(validation("{}", "{", None, false), Err(NoValidation::Args(_))));
    }
}
