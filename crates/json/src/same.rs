//! Whether two values are the same.

use crate::document::Document;
use crate::keys::{self, Index};
use crate::limits::Limits;
use crate::number;
use crate::string::same_bytes;
use crate::value::{Kind, Value};

/// When two numbers count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// When they are the same characters: `1.0` and `1` differ.
    Lexeme,
    /// When they have exactly the same value: `100`, `100.0` and `1e2` do; no digit is rounded away.
    Value,
}

/// Whether two values have the same content.
///
/// White space, the order of members, and how a string is escaped do not count. An object with a
/// repeated key is never the same as anything, for readers differ in what it means.
#[must_use]
pub fn same(a: Value<'_>, b: Value<'_>, numbers: Numbers) -> bool {
    let mut pending = Vec::new();
    if !compare(a, b, numbers, &mut pending) {
        return false;
    }
    while let Some((left, right)) = pending.pop() {
        let equal = if left.is_array() {
            items(left, right, numbers, &mut pending)
        } else {
            members(left, right, numbers, &mut pending)
        };
        if !equal {
            return false;
        }
    }
    true
}

/// Whether two JSON texts have the same content, with numbers by their values; what cannot be read is the same as its
/// very characters alone.
#[must_use]
pub fn same_texts(a: &str, b: &str) -> bool {
    if same_bytes(a.as_bytes(), b.as_bytes()) {
        return true;
    }
    let limits = Limits::default();
    match (Document::parse(a, &limits), Document::parse(b, &limits)) {
        (Ok(a), Ok(b)) => same(a.root(), b.root(), Numbers::Value),
        _ => false,
    }
}

type Pending<'a, 'b> = Vec<(Value<'a>, Value<'b>)>;

/// Compares two leaves now; puts two containers of one kind off.
fn compare<'a, 'b>(
    left: Value<'a>,
    right: Value<'b>,
    numbers: Numbers,
    pending: &mut Pending<'a, 'b>,
) -> bool {
    let kind = left.kind();
    if kind != right.kind() {
        return false;
    }
    match kind {
        Kind::Null => true,
        Kind::Bool => left.text() == right.text(),
        Kind::String => keys::same_string(left, right),
        Kind::Number => match numbers {
            Numbers::Lexeme => left.text() == right.text(),
            Numbers::Value => number::same_value(left.text(), right.text()),
        },
        Kind::Array | Kind::Object => {
            pending.push((left, right));
            true
        }
    }
}

fn items<'a, 'b>(left: Value<'a>, right: Value<'b>, numbers: Numbers, pending: &mut Pending<'a, 'b>) -> bool {
    let mut others = right.items();
    let equal =
        left.items().all(|item| others.next().is_some_and(|other| compare(item, other, numbers, pending)));
    equal && others.next().is_none()
}

fn members<'a, 'b>(
    left: Value<'a>,
    right: Value<'b>,
    numbers: Numbers,
    pending: &mut Pending<'a, 'b>,
) -> bool {
    if keys::in_order(left, right) {
        let mut pairs = left.members().zip(right.members());
        return !keys::repeats(left)
            && pairs.all(|((_, value), (_, other))| compare(value, other, numbers, pending));
    }
    if keys::has_few(left) && keys::has_few(right) {
        // If no name on the left repeats and each is on the right, none on the right can repeat.
        return left.len() == right.len()
            && !keys::repeats(left)
            && left.members().all(|(key, value)| {
                let other = right.members().find(|(name, _)| keys::same_string(key, *name));
                other.is_some_and(|(_, other)| compare(value, other, numbers, pending))
            });
    }
    let (left, right) = (Index::new(left), Index::new(right));
    left.sorted().len() == right.sorted().len()
        && left.repeated().is_none()
        && left.sorted().iter().zip(right.sorted()).all(|((key, value), (name, other))| {
            keys::same_string(*key, *name) && compare(*value, *other, numbers, pending)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::limits::Limits;

    #[track_caller]
    fn check(a: &str, b: &str, numbers: Numbers, expected: bool) {
        let limits = Limits::default();
        let (left, right) = (Document::parse(a, &limits).unwrap(), Document::parse(b, &limits).unwrap());
        assert_eq!(same(left.root(), right.root(), numbers), expected, "{a} and {b}");
        assert_eq!(same(right.root(), left.root(), numbers), expected, "{b} and {a}");
    }

    #[test]
    fn content_counts_and_spelling_does_not() {
        check(
            r#"{"a":[1,"x"],"b":null}"#,
            r#"{ "b": null, "\u0061": [1, "\u0078"] }"#,
            Numbers::Lexeme,
            true,
        );
        for (left, right) in [
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            ("[]", "{}"),
            ("null", "false"),
            ("true", "false"),
            ("\"1\"", "1"),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
            (r#"{"a":null}"#, "{}"),
            ("[[[1]]]", "[[[2]]]"),
            (r#""\ud800""#, r#""\ud801""#),
            ("\"a\"", "\"A\""),
        ] {
            check(left, right, Numbers::Lexeme, false);
            check(left, right, Numbers::Value, false);
        }
    }

    #[test]
    fn numbers_are_compared_as_asked() {
        check("[100]", "[1e2]", Numbers::Lexeme, false);
        check("[100]", "[1e2]", Numbers::Value, true);
    }

    #[test]
    fn an_object_with_a_repeated_key_is_never_the_same() {
        check(r#"{"a":1,"a":1}"#, r#"{"a":1,"a":1}"#, Numbers::Lexeme, false);
        check(r#"{"a":1,"a":1}"#, r#"{"a":1,"b":1}"#, Numbers::Lexeme, false);
        check(r#"[{"x":{"a":1,"\u0061":1}}]"#, r#"[{"x":{"a":1,"\u0061":1}}]"#, Numbers::Value, false);
        let many = (0..50).map(|number| format!("\"k{number}\":0,")).collect::<String>();
        let (once, twice) = (format!("{{{many}\"a\":1}}"), format!("{{{many}\"k1\":0}}"));
        check(&once, &once, Numbers::Lexeme, true);
        check(&twice, &twice, Numbers::Lexeme, false);
        check(&once, &twice, Numbers::Lexeme, false);
    }

    #[test]
    fn objects_of_any_size_differ_by_one_value_or_one_name() {
        for size in [1, 5, 9, 50] {
            let members = (0..size).map(|number| format!("\"k{number}\":0,")).collect::<String>();
            let text = |last: &str| format!("{{{members}{last}}}");
            let one = text(r#""last":1"#);
            for numbers in [Numbers::Lexeme, Numbers::Value] {
                check(&one, &text(r#""l\u0061st":1"#), numbers, true);
                check(&one, &text(r#""last":2"#), numbers, false);
                check(&one, &text(r#""lost":1"#), numbers, false);
                check(&one, &text(r#""last":1,"more":0"#), numbers, false);
            }
        }
    }

    #[test]
    fn texts_are_the_same_by_their_content_and_what_cannot_be_read_by_its_characters() {
        for (left, right, expected) in [
            (r#"{"a":5,"b":"x"}"#, r#"{ "b": "\u0078", "a": 5.0 }"#, true),
            (r#"{"a":5}"#, r#"{"a":6}"#, false),
            ("{", "{", true),
            ("{", "{ ", false),
            ("{}", "{", false),
            (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#, true),
            (r#"{"a":1,"a":2}"#, r#"{"a":1, "a":2}"#, false),
        ] {
            assert_eq!(same_texts(left, right), expected, "{left} and {right}");
            assert_eq!(same_texts(right, left), expected, "{right} and {left}");
        }
    }

    #[test]
    fn large_objects_in_another_order_are_the_same() {
        let members: Vec<_> = (0..20_000).map(|number| format!("\"k{number}\":{number}")).collect();
        let reversed: Vec<_> = members.iter().rev().cloned().collect();
        let text = |members: &[String]| format!("{{{}}}", members.join(","));
        check(&text(&members), &text(&reversed), Numbers::Lexeme, true);
    }
}
