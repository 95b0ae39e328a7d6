//! Secrets in what a grant says of arguments: there they stand apart from the names that call them secret.

use std::ops::Range;
use std::sync::Arc;

use countersign_core::secret::secrets_in_args;
use countersign_core::{GrantArgument, GrantTest};
use countersign_json::{Writer, pointer};

/// Where the secrets stand in arguments, in bytes and in their order.
pub(super) fn in_args(args: &str, schema: Option<&str>) -> Vec<Range<usize>> {
    secrets_in_args(args, schema).into_iter().map(|secret| secret.span).collect()
}

/// Those of these secrets that stand in a part of the text, by their places in that part.
pub(super) fn within(secrets: &[Range<usize>], part: &Range<usize>) -> Vec<Range<usize>> {
    let mut inside = Vec::new();
    for secret in secrets {
        if part.start <= secret.start && secret.end <= part.end {
            inside.push(secret.start - part.start..secret.end - part.start);
        }
    }
    inside
}

/// Whether what stands at this place of the arguments is a secret, whatever it is.
pub(super) fn is_place(pointer: &str, schema: Option<&str>) -> bool {
    !in_value(pointer, "0", schema).is_empty()
}

/// Where the secrets stand in the JSON text of a value that stands at this place of the arguments.
pub(super) fn in_value(pointer: &str, value: &str, schema: Option<&str>) -> Vec<Range<usize>> {
    let mut writer = Writer::new();
    let mut depth = 0;
    for name in pointer::tokens(pointer) {
        writer.begin_object().key(&name);
        depth += 1;
    }
    writer.raw(value);
    let text = writer.finish();
    let end = text.len() - depth;
    within(&in_args(&text, schema), &(end - value.len()..end))
}

/// A schema for the text of a grant, in which the arguments stand elsewhere than their own schema says. `None`: their names
/// and contents alone tell the secrets.
///
/// A condition is called secret as a whole where a part of it is: what else it says is said in words above.
pub(super) fn of_text(args: &[GrantArgument], schema: Option<&str>) -> Option<Arc<str>> {
    let mut text = String::from(r#"{"properties":{"args":{"prefixItems":["#);
    let mut is_needed = false;
    for argument in args {
        let GrantArgument { pointer, value, test } = argument;
        let is_called = match test {
            GrantTest::Equals => in_value(pointer, value, schema) != in_args(value, None),
            _ => is_place(pointer, schema),
        };
        is_needed |= is_called;
        text.push_str(if is_called { CALLED } else { "{}," });
    }
    text.push_str("{}]}}}");
    is_needed.then(|| Arc::from(text))
}

/// What stands in a condition beside its place is secret.
const CALLED: &str = r#"{"properties":{"pointer":{}},"additionalProperties":{"writeOnly":true}},"#;

#[cfg(test)]
mod tests {
    use countersign_core::secret::masked_args;

    use super::*;

    const SCHEMA: &str = r#"{"properties":{"door":{"writeOnly":true},"a/~b":{"writeOnly":true},"to":{"items":{"properties":{"iban":{"format":"password"}}}}}}"#;

    #[test]
    fn r24_what_the_place_or_the_schema_calls_secret_is_found() {
        for (pointer, value, found) in [
            ("/password", r#""hunter2""#, &["hunter2"][..]),
            ("/api~1x/token", "[7,\"é\"]", &["7", "é"]),
            ("/door", "1234", &["1234"]),
            ("/a~1~0b", "1234", &["1234"]),
            ("/amount", "1234", &[]),
            ("", r#"{"door":"12","to":[{"iban":"DE1"}],"n":1}"#, &["12", "DE1"]),
            ("/to", r#"[{"iban":"DE1"}]"#, &["DE1"]),
        ] {
            let spans = in_value(pointer, value, Some(SCHEMA)).into_iter();
            let secrets: Vec<&str> = spans.map(|span| value.get(span).expect("characters")).collect();
            assert_eq!(secrets, found, "{pointer} {value}");
        }
        assert!(is_place("/password", None) && is_place("/door", Some(SCHEMA)));
        assert!(!is_place("/path", Some(SCHEMA)) && !is_place("/door", None) && !is_place("", None));
    }

    #[test]
    fn r24_a_grant_as_it_is_kept_shows_no_more_than_its_words() {
        use GrantTest::{Equals, OneOf, Prefix};
        let argument = |pointer: &str, test, value: &str| GrantArgument {
            pointer: pointer.to_owned(),
            test,
            value: value.to_owned(),
        };
        let args = [
            argument("/password", Equals, r#""hunter2""#),
            argument("/path", Prefix, "/srv/"),
            argument("/door", OneOf, "12, 34"),
            argument("", Equals, r#"{"token":"t0ken","n":2}"#),
            argument("/password", Equals, r#""see sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD""#),
        ];
        let grant = r#"{"id":"g","args":[{"pointer":"/password","equals":"hunter2"},{"pointer":"/path","prefix":"/srv/"},{"pointer":"/door","oneOf":[12,34]},{"pointer":"","equals":{"token":"t0ken","n":2}},{"pointer":"/password","equals":"see sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD"}],"createdAt":1}"#;
        let schema = of_text(&args, Some(SCHEMA)).expect("something is called secret");
        let masked = masked_args(grant, Some(&schema));
        for hidden in ["hunter2", "12", "34", "t0ken", "see"] {
            assert!(!masked.contains(hidden), "{hidden}: {masked}");
        }
        for shown in [r#""pointer":"/password""#, r#""prefix":"/srv/""#, r#""n":2"#, r#""createdAt":1"#] {
            assert!(masked.contains(shown), "{shown}: {masked}");
        }
        assert_eq!(of_text(args.get(3..4).expect("it is there"), Some(SCHEMA)), None, "its name tells");
        assert!(of_text(&[argument("", Equals, r#"{"door":"12"}"#)], Some(SCHEMA)).is_some());
    }

    #[test]
    fn places_in_a_part_are_those_of_the_part() {
        let secrets = [1..3, 5..9, 12..13];
        assert_eq!(within(&secrets, &(4..12)), [Range { start: 1, end: 5 }]);
        assert_eq!(within(&secrets, &(0..20)), secrets);
        assert!(within(&secrets, &(6..9)).is_empty());
    }
}
