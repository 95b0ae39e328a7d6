//! JSON Pointers (RFC 6901): where a value stands in a document, and the way back.
//!
//! ```
//! use countersign_json::{Document, Limits, pointer};
//!
//! let text = r#"{"a/b":[1,{"c":2}]}"#;
//! let document = Document::parse(text, &Limits::default())?;
//! let two = document.root().pointer("/a~1b/1/c");
//! assert_eq!(two.map(|two| pointer::to(document.root(), two.span().start)), Some("/a~1b/1/c".to_owned()));
//! assert_eq!(pointer::of(["a/b", "1", "c"]), "/a~1b/1/c");
//! # Ok::<(), countersign_json::ParseError>(())
//! ```

use std::borrow::Cow;

use crate::value::{Kind, Value};
use crate::write::quote;

/// Whether a text is a JSON Pointer.
#[must_use]
pub fn is_pointer(text: &str) -> bool {
    let mut escapes = text.split('~').skip(1);
    escapes.all(|escape| escape.starts_with(['0', '1'])) && (text.is_empty() || text.starts_with('/'))
}

/// The reference tokens of a pointer, unescaped. Of a text that is none, what stands behind its slashes.
pub fn tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

/// The pointer with these reference tokens.
#[must_use]
pub fn of(tokens: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut pointer = String::new();
    tokens.into_iter().for_each(|token| push(&mut pointer, token.as_ref()));
    pointer
}

/// Makes a pointer longer by one reference token, which is escaped.
#[inline(never)]
pub fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

// Byte by byte: the library's own replacing weighs kilobytes.
#[inline(never)]
fn unescape(token: &str) -> Cow<'_, str> {
    if !token.bytes().any(|byte| byte == b'~') {
        return Cow::Borrowed(token);
    }
    let mut parts = token.split('~');
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (character, rest) = match part.strip_prefix('1') {
            Some(rest) => ('/', rest),
            None => ('~', part.strip_prefix('0').unwrap_or(part)),
        };
        plain.push(character);
        plain.push_str(rest);
    }
    Cow::Owned(plain)
}

/// The array index that `token` names: digits without a leading zero.
pub(crate) fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    if canonical && token.bytes().all(|byte| byte.is_ascii_digit()) { token.parse().ok() } else { None }
}

/// The value that `pointer` names, seen from `value`.
pub(crate) fn find<'d>(value: Value<'d>, pointer: &str) -> Option<Value<'d>> {
    if !is_pointer(pointer) {
        return None;
    }
    tokens(pointer).try_fold(value, |value, token| match value.kind() {
        Kind::Object => value.get(&token),
        Kind::Array => value.items().nth(index(&token)?),
        _ => None,
    })
}

/// The pointer, seen from `root`, of what starts at this byte of the text; a key has that of its member.
#[must_use]
pub fn to(root: Value<'_>, start: usize) -> String {
    let mut pointer = String::new();
    let mut here = root;
    while here.span().start != start {
        let member =
            here.members().find(|(key, value)| key.span().start <= start && start < value.span().end);
        if let Some((key, value)) = member {
            Token::Key(key).push_to(&mut pointer);
            if key.span().contains(&start) {
                break;
            }
            here = value;
        } else {
            let item = here.items().enumerate().find(|(_, item)| item.span().contains(&start));
            let Some((index, item)) = item else { break };
            Token::Index(index).push_to(&mut pointer);
            here = item;
        }
    }
    pointer
}

/// The value or key below `root` that starts at this byte of the text.
#[must_use]
pub fn at(root: Value<'_>, start: usize) -> Option<Value<'_>> {
    let (document, first) = (root.document(), root.index());
    let nodes = document.nodes_to(root.behind()).get(first as usize..).unwrap_or_default();
    // They stand in the order of the text.
    let place = nodes.binary_search_by_key(&start, |node| node.start as usize).ok()?;
    Some(Value::new(document, first + place as u32))
}

/// One step from a container to what it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token<'d> {
    /// The member with this key.
    Key(Value<'d>),
    /// The item with this index.
    Index(usize),
}

impl Token<'_> {
    /// Appends this step to `pointer`.
    pub(crate) fn push_to(self, pointer: &mut String) {
        match self {
            Token::Key(key) => push(pointer, &key.as_str_lossy().unwrap_or_default()),
            Token::Index(index) => push(pointer, &index.to_string()),
        }
    }
}

/// The readable form of a JSON Pointer into `root`, such as `to.tags[0]`: names with points between them, items by number in brackets, and
/// names that could be mistaken for something else in quotes and brackets. Untrusted, as the names are.
#[must_use]
#[inline(never)]
pub fn readable(root: Value<'_>, pointer: &str) -> String {
    let mut path = String::new();
    let mut place = Some(root);
    for token in tokens(pointer) {
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
    use super::*;
    use crate::document::Document;
    use crate::limits::Limits;

    #[test]
    fn pointers_are_those_of_rfc_6901() {
        let text =
            r#"{"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"~1":9,"k\"l":6," ":7,"\u0061":5,"x":1,"x":2}"#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let at = |pointer: &str| document.root().pointer(pointer).map(|value| value.text());
        assert_eq!(at(""), Some(text));
        assert_eq!(at("/foo/1"), Some("\"baz\""));
        assert_eq!(
            (at("/"), at("/a~1b"), at("/m~0n"), at("/~01")),
            (Some("0"), Some("1"), Some("8"), Some("9"))
        );
        assert_eq!((at("/k\"l"), at("/ "), at("/a")), (Some("6"), Some("7"), Some("5")));
        assert_eq!(at("/x"), Some("2"));
        for missing in [
            "foo",
            "/foo/2",
            "/foo/01",
            "/foo/-",
            "/foo/+1",
            "/foo/",
            "/nope",
            "/foo/0/x",
            "/a~2b",
            "/m~",
            "/foo/99999999999999999999",
        ] {
            assert_eq!(at(missing), None, "{missing}");
        }
    }

    #[test]
    fn tokens_come_back_as_they_were() {
        let names = ["a/b", "~1", "m~n", "", "0"];
        assert_eq!(of(names), "/a~1b/~01/m~0n//0");
        assert_eq!(tokens(&of(names)).collect::<Vec<_>>(), names);
        assert_eq!((of([""; 0]).as_str(), tokens("").count()), ("", 0));
        assert_eq!(tokens("/a~2b/~").collect::<Vec<_>>(), ["a~2b", "~"]);
        assert!(["", "/", "/~0~1/"].into_iter().all(is_pointer));
        assert!(!["a", "~0", "/~", "/~2", "/a~/0"].into_iter().any(is_pointer));
    }

    #[test]
    fn every_value_is_found_by_where_it_starts() {
        let text = r#" {"a/b":[1,{"m~n":[[]]}],"c":"d"} "#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let root = document.root();
        for expected in ["", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/m~0n", "/a~1b/1/m~0n/0", "/c"] {
            let value = root.pointer(expected).unwrap();
            assert_eq!(to(root, value.span().start), expected);
            assert_eq!(at(root, value.span().start).unwrap().span(), value.span());
        }
        let (key, _) = root.members().nth(1).unwrap();
        assert_eq!(to(root, key.span().start), "/c");
        assert_eq!(at(root, key.span().start).unwrap().span(), key.span());
        assert!(at(root, 0).is_none() && at(root, 999).is_none());
    }

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
