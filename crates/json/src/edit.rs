//! Changing one place of a JSON text and leaving every other byte as it is.
//!
//! ```
//! use countersign_json::edit;
//!
//! let text = r#"{"id":2512292042121000001, "n":1.00}"#;
//! assert_eq!(edit::replace(text, "/n", "2")?, r#"{"id":2512292042121000001, "n":2}"#);
//! assert_eq!(edit::insert(text, "/z", "[]")?, r#"{"id":2512292042121000001, "n":1.00, "z":[]}"#);
//! assert_eq!(edit::remove(text, "/id")?, r#"{"n":1.00}"#);
//! # Ok::<(), countersign_json::EditError>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::document::Document;
use crate::error::ParseError;
use crate::limits::Limits;
use crate::pointer;
use crate::value::{Kind, Value};
use crate::write::quote;

/// Why a text was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The text to change is not JSON.
    InvalidText(ParseError),
    /// What should be put in is not JSON.
    InvalidJson(ParseError),
    /// Not a JSON Pointer.
    InvalidPointer(String),
    /// The text has no value at this pointer.
    Missing(String),
    /// The object has a member of this name already.
    AlreadyThere(String),
    /// On the way stands a name that occurs more than once, so it is unclear which member is meant.
    RepeatedKey(String),
    /// The whole value cannot be removed, and nothing can stand beside it.
    WholeValue,
    /// A text whose members are to be merged is not an object.
    NotAnObject,
}

impl fmt::Display for EditError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidText(error) => write!(formatter, "the text to change is not JSON: {error}"),
            Self::InvalidJson(error) => write!(formatter, "the new value is not JSON: {error}"),
            Self::InvalidPointer(pointer) => write!(formatter, "`{pointer}` is not a JSON Pointer"),
            Self::Missing(pointer) => write!(formatter, "there is nothing at `{pointer}`"),
            Self::AlreadyThere(pointer) => write!(formatter, "there is a member at `{pointer}` already"),
            Self::RepeatedKey(pointer) => write!(formatter, "the key at `{pointer}` occurs more than once"),
            Self::WholeValue => formatter.write_str("the whole value can only be replaced"),
            Self::NotAnObject => formatter.write_str("expected an object"),
        }
    }
}

impl std::error::Error for EditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::InvalidText(error) | Self::InvalidJson(error) => Some(error),
            _ => None,
        }
    }
}

/// Puts `json` in the place of the value at `pointer`.
///
/// # Errors
/// [`EditError`]: one of the texts is not JSON, or the place is not there or not clear.
pub fn replace(text: &str, pointer: &str, json: &str) -> Result<String, EditError> {
    let document = parse(text)?;
    let json = checked(json)?;
    let target = find(document.root(), &tokens(pointer)?)?;
    Ok(splice(text, target.span(), &[json]))
}

/// Adds `json` as a member, or as an item before the one that `pointer` names; `-` is the end of an array.
///
/// White space follows that of the neighbours.
///
/// # Errors
/// [`EditError`]: one of the texts is not JSON, the container is not there or not clear, or the object
/// has the name already.
pub fn insert(text: &str, pointer: &str, json: &str) -> Result<String, EditError> {
    let document = parse(text)?;
    let json = checked(json)?;
    let tokens = tokens(pointer)?;
    let (last, outer) = tokens.split_last().ok_or(EditError::WholeValue)?;
    let container = find(document.root(), outer)?;
    match container.kind() {
        Kind::Object => {
            if member(container, last, outer)?.is_some() {
                return Err(EditError::AlreadyThere(pointer.to_string()));
            }
            Ok(append_member(text, container, &quote(last), json))
        }
        Kind::Array => {
            let missing = || EditError::Missing(pointer.to_string());
            let len = container.len();
            let index = if last == "-" { len } else { pointer::index(last).ok_or_else(missing)? };
            if index > len { Err(missing()) } else { Ok(insert_item(text, container, index, json)) }
        }
        _ => Err(EditError::Missing(pointer.to_string())),
    }
}

/// Takes out the member or item at `pointer`, with its comma.
///
/// # Errors
/// [`EditError`]: the text is not JSON, the place is not there or not clear, or it is the whole value.
pub fn remove(text: &str, pointer: &str) -> Result<String, EditError> {
    let document = parse(text)?;
    let tokens = tokens(pointer)?;
    let (_, outer) = tokens.split_last().ok_or(EditError::WholeValue)?;
    let target = find(document.root(), &tokens)?.index();
    let container = find(document.root(), outer)?;
    let spans = spans(container);
    let position = spans.iter().position(|span| span.value == target).unwrap_or_default();
    let before = position.checked_sub(1).and_then(|previous| spans.get(previous));
    let cut = match (before, spans.get(position), spans.get(position + 1)) {
        (Some(before), Some(removed), _) => before.range.end..removed.range.end,
        (None, Some(removed), Some(next)) => removed.range.start..next.range.start,
        // The only one: the white space around it goes too.
        _ => container.span().start + 1..container.span().end - 1,
    };
    Ok(splice(text, cut, &[]))
}

/// A member from its key to its value, or an item.
struct Span {
    range: Range<usize>,
    /// The index of the value's node.
    value: u32,
}

fn spans(container: Value<'_>) -> Vec<Span> {
    let members = container.members().map(|(key, value)| (key.span().start, value));
    let items = container.items().map(|item| (item.span().start, item));
    members
        .chain(items)
        .map(|(start, value)| Span { range: start..value.span().end, value: value.index() })
        .collect()
}

pub(crate) fn parse(text: &str) -> Result<Document<'_>, EditError> {
    Document::parse(text, &Limits::default()).map_err(EditError::InvalidText)
}

/// `json` without white space around it, if it is JSON.
fn checked(json: &str) -> Result<&str, EditError> {
    Document::parse(json, &Limits::default()).map_err(EditError::InvalidJson)?;
    Ok(json.trim_matches([' ', '\t', '\n', '\r']))
}

fn tokens(pointer: &str) -> Result<Vec<String>, EditError> {
    if !pointer::is_pointer(pointer) {
        return Err(EditError::InvalidPointer(pointer.to_string()));
    }
    Ok(pointer::tokens(pointer).map(Cow::into_owned).collect())
}

fn find<'d>(root: Value<'d>, tokens: &[String]) -> Result<Value<'d>, EditError> {
    let mut value = root;
    for (position, token) in tokens.iter().enumerate() {
        let outer = tokens.get(..position).unwrap_or_default();
        let inner = match value.kind() {
            Kind::Object => member(value, token, outer)?,
            Kind::Array => pointer::index(token).and_then(|index| value.items().nth(index)),
            _ => None,
        };
        value = inner.ok_or_else(|| EditError::Missing(pointer::of(tokens)))?;
    }
    Ok(value)
}

/// The one member of that name, if there is any; `outer` is the way to the object.
fn member<'d>(object: Value<'d>, name: &str, outer: &[String]) -> Result<Option<Value<'d>>, EditError> {
    let mut found = object.members().filter(|(key, _)| key.equals(name)).map(|(_, value)| value);
    let first = found.next();
    match found.next() {
        Some(_) => Err(EditError::RepeatedKey(pointer::of(outer.iter().chain([&name.to_string()])))),
        None => Ok(first),
    }
}

/// `text` with a member at the end of `object`; `key` is a string literal.
fn append_member(text: &str, object: Value<'_>, key: &str, json: &str) -> String {
    let style = Style::of(text, object);
    let mut parts = vec![","];
    parts.extend([style.lead, key, style.colon, json]);
    let parts = if style.end.is_some() { parts.as_slice() } else { &[key, ":", json] };
    let at = style.end.unwrap_or(object.span().start + 1);
    splice(text, at..at, parts)
}

/// How the members of an object are set.
pub(crate) struct Style<'t> {
    /// The end of the last member; `None` if there is none.
    pub(crate) end: Option<usize>,
    /// The white space before the last member.
    pub(crate) lead: &'t str,
    /// The colon of the last member, and the white space around it.
    pub(crate) colon: &'t str,
}

impl<'t> Style<'t> {
    pub(crate) fn of(text: &'t str, object: Value<'_>) -> Style<'t> {
        match object.members().last() {
            Some((key, value)) => {
                let colon = text.get(key.span().end..value.span().start).unwrap_or(":");
                Style { end: Some(value.span().end), lead: space_before(text, key.span().start), colon }
            }
            None => Style { end: None, lead: "", colon: ":" },
        }
    }
}

fn insert_item(text: &str, array: Value<'_>, index: usize, json: &str) -> String {
    let spans = spans(array);
    let start = |position: usize| spans.get(position).map(|span| span.range.start);
    match (start(index), spans.last()) {
        (Some(at), _) => {
            // Between two items stands what stood between the first two, or else before this one.
            let lead = space_before(text, if index == 0 { start(1).unwrap_or(at) } else { at });
            splice(text, at..at, &[json, ",", lead])
        }
        (None, Some(last)) => {
            splice(text, last.range.end..last.range.end, &[",", space_before(text, last.range.start), json])
        }
        (None, None) => {
            let at = array.span().start + 1;
            splice(text, at..at, &[json])
        }
    }
}

/// The white space that ends at `at`.
fn space_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    before.get(before.trim_end_matches([' ', '\t', '\n', '\r']).len()..).unwrap_or_default()
}

fn splice(text: &str, range: Range<usize>, parts: &[&str]) -> String {
    let mut spliced = String::with_capacity(text.len() + parts.iter().map(|part| part.len()).sum::<usize>());
    spliced.push_str(text.get(..range.start).unwrap_or_default());
    parts.iter().for_each(|part| spliced.push_str(part));
    spliced.push_str(text.get(range.end..).unwrap_or_default());
    spliced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: Result<String, EditError>, expected: &str) {
        assert_eq!(found.as_deref(), Ok(expected));
    }

    #[test]
    fn replacing_changes_the_value_alone() {
        check(
            replace(" { \"a\" : 1.00 , \"b\":[ 1, 2 ] } ", "/b/0", " \"x\"\n"),
            " { \"a\" : 1.00 , \"b\":[ \"x\", 2 ] } ",
        );
        check(replace(" 1 ", "", "[2 ]"), " [2 ] ");
        check(replace(r#"{"a~/":1}"#, "/a~0~1", "2"), r#"{"a~/":2}"#);
    }

    #[test]
    fn inserting_follows_the_white_space_of_the_neighbours() {
        check(insert("{}", "/a", "1"), r#"{"a":1}"#);
        check(insert("{ }", "/a", "1"), r#"{"a":1 }"#);
        check(insert("{\n  \"a\": 1\n}", "/b\"", "[]"), "{\n  \"a\": 1,\n  \"b\\\"\": []\n}");
        check(insert(r#"{"a":{"x":1, "y" : 2}}"#, "/a/z", "3"), r#"{"a":{"x":1, "y" : 2, "z" : 3}}"#);
        check(insert("[]", "/-", "1"), "[1]");
        check(insert("[]", "/0", "1"), "[1]");
        check(insert("[1, 2]", "/0", "0"), "[0, 1, 2]");
        check(insert("[1, 2]", "/1", "0"), "[1, 0, 2]");
        check(insert("[1, 2]", "/2", "0"), "[1, 2, 0]");
        check(insert("[\n  1\n]", "/-", "2"), "[\n  1,\n  2\n]");
        check(insert("[\n  1\n]", "/0", "2"), "[\n  2,\n  1\n]");
    }

    #[test]
    fn removing_takes_one_comma_along() {
        check(remove("{\"a\":1, \"b\":2, \"c\":3}", "/a"), "{\"b\":2, \"c\":3}");
        check(remove("{\"a\":1, \"b\":2, \"c\":3}", "/b"), "{\"a\":1, \"c\":3}");
        check(remove("{\"a\":1, \"b\":2, \"c\":3}", "/c"), "{\"a\":1, \"b\":2}");
        check(remove("{\n  \"a\": 1,\n  \"b\": 2\n}", "/a"), "{\n  \"b\": 2\n}");
        check(remove("{\n  \"a\": 1\n}", "/a"), "{}");
        check(remove(" [ [1] , 2 ] ", "/0/0"), " [ [] , 2 ] ");
        check(remove("[1,2,3]", "/1"), "[1,3]");
    }

    #[test]
    fn what_is_missing_or_unclear_is_refused() {
        let twice = r#"{"a":{"k":1,"\u006b":2},"b":[1]}"#;
        assert_eq!(replace(twice, "/a/k", "3"), Err(EditError::RepeatedKey("/a/k".into())));
        assert_eq!(remove(twice, "/a/k"), Err(EditError::RepeatedKey("/a/k".into())));
        assert_eq!(insert(twice, "/a/k", "3"), Err(EditError::RepeatedKey("/a/k".into())));
        assert_eq!(insert(twice, "/a/k/x", "3"), Err(EditError::RepeatedKey("/a/k".into())));
        assert_eq!(insert(twice, "/b", "3"), Err(EditError::AlreadyThere("/b".into())));
        for missing in ["/c", "/b/1", "/b/-", "/b/0/x", "/b/00"] {
            assert_eq!(replace(twice, missing, "3"), Err(EditError::Missing(missing.into())), "{missing}");
            assert_eq!(remove(twice, missing), Err(EditError::Missing(missing.into())), "{missing}");
        }
        for missing in ["/b/2", "/b/x", "/b/0/x"] {
            assert_eq!(insert(twice, missing, "3"), Err(EditError::Missing(missing.into())), "{missing}");
        }
        assert_eq!(remove(twice, ""), Err(EditError::WholeValue));
        assert_eq!(insert(twice, "", "1"), Err(EditError::WholeValue));
        assert_eq!(replace(twice, "b", "1"), Err(EditError::InvalidPointer("b".into())));
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for bad in ["", "1,2", "\"a\":1", "NaN", "01", "1}", "/**/1"] {
            assert!(matches!(replace("[1]", "/0", bad), Err(EditError::InvalidJson(_))), "{bad}");
            assert!(matches!(insert("[1]", "/0", bad), Err(EditError::InvalidJson(_))), "{bad}");
        }
        assert!(matches!(remove("[1", "/0"), Err(EditError::InvalidText(_))));
        assert_eq!(
            replace("[1]", "/0", "tru").map_err(|error| error.to_string()),
            Err("the new value is not JSON: expected `true`, `false` or `null` at byte 0".to_string())
        );
    }
}
