//! Whether a value is what a schema wants, in one sentence.

use std::fmt;

use countersign_json::{Document, Limits, ParseError};

use crate::schema::Schema;
use crate::validate::{Options, SchemaProblem};

/// How much a schema may hold that comes with a request: 4 MiB, 512 levels, 200,000 values.
pub const SCHEMA_LIMITS: Limits = Limits { bytes: 4 << 20, depth: 512, nodes: 200_000 };

/// Says what is wrong with `args`, and where, if they are not what `schema` wants; both are JSON texts.
///
/// What cannot be checked is left to the backend; see [`Unchecked`](crate::Unchecked).
///
/// ```
/// use countersign_schema::check;
///
/// let schema = r#"{"type":"object","properties":{"to":{"type":"array"}},"required":["to"]}"#;
/// assert_eq!(check(schema, r#"{"to":[]}"#), Ok(()));
/// assert_eq!(check(schema, r#"{"to":"x"}"#), Err("`to` must be a list".to_owned()));
/// ```
///
/// # Errors
/// One sentence about the first problem, or that a text is not JSON or the schema asks for more than can be looked at.
pub fn check(schema: &str, args: &str) -> Result<(), String> {
    fit(schema, args).map_err(|misfit| misfit.to_string())
}

/// Why arguments are not what a schema wants.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misfit {
    /// The schema is not JSON.
    Schema(ParseError),
    /// The arguments are not JSON.
    Args(ParseError),
    /// This is wrong with the arguments.
    Problem(Box<SchemaProblem>),
    /// The schema has no end, or asks for more than can be looked at.
    TooMuch,
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Schema(error) => write!(formatter, "the schema cannot be read: {error}"),
            Misfit::Args(error) => error.fmt(formatter),
            Misfit::Problem(problem) => formatter.write_str(&problem.message),
            Misfit::TooMuch => formatter
                .write_str("the arguments cannot be checked: the schema has no end, or asks for too much"),
        }
    }
}

impl std::error::Error for Misfit {}

/// The same as [`check`], with what is wrong as a value.
///
/// # Errors
/// The first problem, or that a text is not JSON or the schema asks for more than can be looked at.
pub fn fit(schema: &str, args: &str) -> Result<(), Misfit> {
    let schema = Document::parse(schema, &SCHEMA_LIMITS).map_err(Misfit::Schema)?;
    let args = Document::parse(args, &Limits::default()).map_err(Misfit::Args)?;
    let report = Schema::compile(&schema).validate(args.root(), &Options::default());
    let is_exhausted = report.is_exhausted();
    match report.problems.into_iter().next() {
        Some(problem) => Err(Misfit::Problem(Box::new(problem))),
        None if is_exhausted => Err(Misfit::TooMuch),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[track_caller]
    fn fits(schema: &str, value: &str, expected: bool) {
        let result = check(schema, value);
        assert_eq!(result.is_ok(), expected, "{schema} {value}: {result:?}");
    }

    #[test]
    fn the_first_fault_is_named_with_its_place() {
        let schema = r##"{"$ref":"#/$defs/mail","$defs":{"mail":{"properties":{"to":{"type":"array","items":{"type":"string"}},"a/b":{"const":1}},"required":["to"]}}}"##;
        let says = |args| check(schema, args).unwrap_err();
        assert_eq!(says("{}"), "`to` is missing");
        assert_eq!(says(r#"{"to":["a",1]}"#), "`to[1]` must be a string");
        assert_eq!(says(r#"{"to":[],"a/b":2}"#), r#"`["a/b"]` must be 1"#);
        assert_eq!(check(schema, r#"{"to":["a"],"more":1}"#), Ok(()));
    }

    #[test]
    fn what_is_not_known_is_left_to_the_backend() {
        fits(r##"{"$ref":"https://example.com/x","pattern":"(a+)+$","type":7}"##, "1", true);
        fits(r##"{"$ref":"#/$defs/none"}"##, "1", true);
        fits(r#"{"type":"MyClass"}"#, "1", true);
        fits("7", "1", true);
    }

    #[test]
    fn names_of_python_types_count() {
        fits(
            r#"{"type":"object","properties":{"n":{"type":"int"},"s":{"type":"Optional[str]"}}}"#,
            r#"{"n":1,"s":null}"#,
            true,
        );
        fits(r#"{"properties":{"n":{"type":"int"}}}"#, r#"{"n":"1"}"#, false);
        fits(r#"{"properties":{"l":{"type":"List[str]"}}}"#, r#"{"l":"x"}"#, true);
    }

    #[test]
    fn a_choice_that_may_be_null_permits_null() {
        let schema = r#"{"type":"string","enum":["a","b"],"nullable":true}"#;
        fits(schema, "null", true);
        fits(schema, r#""c""#, false);
        fits(r#"{"type":"string","enum":["a"],"nullable":false}"#, "null", false);
    }

    #[test]
    fn a_schema_without_end_refuses_and_does_not_hang() {
        fits(r##"{"$ref":"#"}"##, "1", false);
        let many =
            r##"{"allOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}],"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##;
        fits(many, "{}", false);
        fits("{", "{}", false);
        fits("{}", "{", false);
    }
}
