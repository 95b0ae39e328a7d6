//! Where something stands, as people write it: `to.tags[0]`.

use countersign_json::{Value, pointer, quote};

/// The readable form of a JSON Pointer into `root`: names with points between them, items by number in brackets, and
/// names that could be mistaken for something else in quotes and brackets. Untrusted, as the names are.
pub(crate) fn readable(root: Value<'_>, pointer: &str) -> String {
    let mut path = String::new();
    let mut place = Some(root);
    for token in pointer::tokens(pointer) {
        if place.is_some_and(Value::is_array) {
            path.push('[');
            path.push_str(&token);
            path.push(']');
            place = place.zip(token.parse().ok()).and_then(|(array, at)| array.items().nth(at));
            continue;
        }
        if is_plain(&token) {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&token);
        } else {
            path.push('[');
            path.push_str(&quote(&token));
            path.push(']');
        }
        place = place.and_then(|object| object.get(&token));
    }
    path
}

/// Whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    let starts = name.chars().next().is_some_and(|first| !first.is_ascii_digit());
    starts
        && name.chars().all(|character| {
            !character.is_ascii() || character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '$')
        })
}

#[cfg(test)]
mod tests {
    use countersign_json::{Document, Limits};

    use super::*;

    fn check(text: &str, pointer: &str, expected: &str) {
        let document = Document::parse(text, &Limits::default()).expect("JSON");
        assert_eq!(readable(document.root(), pointer), expected);
    }

    #[test]
    fn a_path_tells_names_from_positions() {
        check(r#"{"to":{"tags":[["a"]]}}"#, "/to/tags/0/0", "to.tags[0][0]");
        check(r#"{"0":{"a":1}}"#, "/0/a", r#"["0"].a"#);
        check("[1]", "", "");
    }

    #[test]
    fn a_name_that_looks_like_a_path_stands_in_quotes() {
        check(r#"{"a.b":1}"#, "/a.b", r#"["a.b"]"#);
        check(r#"{"a/b~":{"":1}}"#, "/a~1b~0/", r#"["a/b~"][""]"#);
        check(r#"{"tags[0]":1}"#, "/tags[0]", r#"["tags[0]"]"#);
    }
}
