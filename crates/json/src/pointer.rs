//! JSON Pointers (RFC 6901).

use std::borrow::Cow;

use crate::value::{Kind, Value};

/// The reference tokens of `pointer`, unescaped; `None` if it is not a JSON Pointer.
pub(crate) fn tokens(pointer: &str) -> Option<Vec<Cow<'_, str>>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer.strip_prefix('/')?.split('/').map(unescape).collect()
}

/// The array index that `token` names: digits without a leading zero.
pub(crate) fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    if canonical && token.bytes().all(|byte| byte.is_ascii_digit()) { token.parse().ok() } else { None }
}

/// The value that `pointer` names, seen from `value`.
pub(crate) fn find<'d>(value: Value<'d>, pointer: &str) -> Option<Value<'d>> {
    if pointer.is_empty() {
        return Some(value);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(value, |value, token| {
        let token = unescape(token)?;
        match value.kind() {
            Kind::Object => value.get(&token),
            Kind::Array => value.items().nth(index(&token)?),
            _ => None,
        }
    })
}

/// Appends `/token` to `pointer`, escaped.
pub(crate) fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if !token.bytes().any(|byte| byte == b'~') {
        return Some(Cow::Borrowed(token));
    }
    let mut parts = token.split('~');
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (character, rest) = match part.strip_prefix('0') {
            Some(rest) => ('~', rest),
            None => ('/', part.strip_prefix('1')?),
        };
        plain.push(character);
        plain.push_str(rest);
    }
    Some(Cow::Owned(plain))
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

#[cfg(test)]
mod tests {
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
}
