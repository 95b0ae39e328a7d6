//! One spelling for all texts of a value.

use crate::inspect::is_unambiguous;
use crate::keys::Index;
use crate::number;
use crate::value::{Kind, Value};
use crate::write::Writer;

/// What stands deeper keeps its spelling: it is taken apart on the stack.
const MOST_LEVELS: usize = 64;

/// A text that only the spellings of one value share, those that [`same`](crate::same) finds the same by the values of
/// their numbers.
///
/// Where readers differ in what the value is, and below 64 levels, each spelling is its own.
///
/// ```
/// use countersign_json::{Document, Limits, canonical};
///
/// let one = Document::parse(r#"{"a":[1,"é"],"b":null}"#, &Limits::default())?;
/// let other = Document::parse(r#"{ "b": null, "a": [1.0, "\u00e9"] }"#, &Limits::default())?;
/// assert_eq!(canonical(one.root()), canonical(other.root()));
/// # Ok::<(), countersign_json::ParseError>(())
/// ```
#[must_use]
pub fn canonical(value: Value<'_>) -> String {
    let mut writer = Writer::new();
    if is_unambiguous(value) {
        write(&mut writer, value, MOST_LEVELS);
    } else {
        writer.raw(value.text());
    }
    writer.finish()
}

fn write(writer: &mut Writer, value: Value<'_>, levels: usize) {
    match value.kind() {
        Kind::Object if levels > 0 => {
            writer.begin_object();
            for (key, value) in Index::new(value).sorted() {
                writer.key(&key.as_str_lossy().unwrap_or_default());
                write(writer, *value, levels - 1);
            }
            writer.end_object();
        }
        Kind::Array if levels > 0 => {
            writer.begin_array();
            for item in value.items() {
                write(writer, item, levels - 1);
            }
            writer.end_array();
        }
        Kind::String => {
            writer.string(&value.as_str_lossy().unwrap_or_default());
        }
        Kind::Number => {
            writer.raw(&number::canonical(value.text()));
        }
        _ => {
            writer.raw(value.text());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::limits::Limits;
    use crate::same::same_texts;

    fn of(text: &str) -> String {
        canonical(Document::parse(text, &Limits::default()).unwrap().root())
    }

    #[test]
    fn r03_only_what_is_the_same_has_one_text() {
        let texts = [
            r#"{"a":1,"b":"é"}"#,
            r#"{ "b" : "\u00e9", "\u0061" : 10e-1 }"#,
            r#"{"a":1,"b":"e"}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":{},"b":1}"#,
            r#"{"a":"{","b":1}"#,
            r#"{"a":"\",\""}"#,
            r#"{"a":"","b":""}"#,
            r#"["a","b"]"#,
            r#"["a",["b"]]"#,
            r#"["a,b"]"#,
            r#"["a\u002cb"]"#,
            r#"["\\u002c"]"#,
            "[1,2]",
            "[2,1]",
            "[12]",
            "[1.20e1]",
            "[120]",
            "[-12]",
            "[0.12]",
            "[1e400]",
            "[1e401]",
            "[1e-401]",
            "[10e400]",
            "[0]",
            "[-0.0e7]",
            "[9007199254740993]",
            "[9007199254740992]",
            "[\"12\"]",
            "[null]",
            "[\"null\"]",
            "[true]",
            "[]",
            "[[]]",
            "{}",
            "null",
            r#""""#,
        ];
        for left in texts {
            for right in texts {
                assert_eq!(of(left) == of(right), same_texts(left, right), "{left} and {right}");
            }
        }
    }

    #[test]
    fn r03_where_readers_differ_each_spelling_is_its_own() {
        for text in [r#"{"a":1,"a":2}"#, r#"[{"x":{"a":1,"\u0061":1}}]"#, r#"["\ud800"]"#] {
            assert_eq!(of(text), text);
        }
    }

    #[test]
    fn r14_deep_values_need_no_deep_stack() {
        let text = |inner: &str| format!("{}{inner}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(of(&text("1")), of(&text("1")));
        assert_ne!(of(&text("1")), of(&text("2")));
    }
}
