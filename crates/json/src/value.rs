//! A cursor into a document.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::document::{Document, Node};
use crate::name::{Name, bit};
use crate::{pointer, string};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number of any size and precision.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// One value in a [`Document`]; as cheap to copy as a reference.
///
/// A member's key is a value too: a string.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document<'d>,
    index: u32,
}

impl<'d> Value<'d> {
    pub(crate) fn new(document: &'d Document<'d>, index: u32) -> Value<'d> {
        Value { document, index }
    }

    /// What the value is.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        // The grammar has been checked: the first byte tells.
        match self.document.text().as_bytes().get(self.node().start as usize) {
            Some(b'"') => Kind::String,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            _ => Kind::Null,
        }
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.begins_with(b'n')
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.begins_with(b'{')
    }

    /// Whether the value is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.begins_with(b'[')
    }

    /// Whether the value is a string.
    #[must_use]
    pub fn is_string(self) -> bool {
        self.begins_with(b'"')
    }

    /// Whether it is of the one kind that begins with this byte.
    #[inline]
    fn begins_with(self, first: u8) -> bool {
        self.document.text().as_bytes().get(self.node().start as usize) == Some(&first)
    }

    /// The value exactly as it stands in the text.
    #[inline]
    #[must_use]
    pub fn text(self) -> &'d str {
        self.document.text().get(self.span()).unwrap_or_default()
    }

    /// Where the value stands in the text, in bytes.
    #[inline]
    #[must_use]
    pub fn span(self) -> Range<usize> {
        let node = self.node();
        node.start as usize..node.end as usize
    }

    /// The truth value; `None` if it is not one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.text() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The number's characters; `None` if it is not a number.
    #[must_use]
    pub fn as_number(self) -> Option<&'d str> {
        if self.kind() == Kind::Number { Some(self.text()) } else { None }
    }

    /// The string's content; `None` if it is not a string, or holds a lone surrogate.
    #[inline]
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        let source = self.source()?;
        if self.escaped() { string::unescape(source).map(Cow::Owned) } else { Some(Cow::Borrowed(source)) }
    }

    /// The string's content, with U+FFFD for each lone surrogate; `None` if it is not a string.
    #[must_use]
    pub fn as_str_lossy(self) -> Option<Cow<'d, str>> {
        let source = self.source()?;
        Some(if self.escaped() { Cow::Owned(string::unescape_lossy(source)) } else { Cow::Borrowed(source) })
    }

    /// Words for people: the string's content, with U+FFFD for each lone surrogate, or whatever else stands there as JSON.
    #[inline(never)]
    pub fn words(self) -> Cow<'d, str> {
        self.as_str_lossy().unwrap_or_else(|| Cow::Borrowed(self.text()))
    }

    /// Whether the value is a string with exactly this content, however it is escaped.
    #[must_use]
    pub fn equals(self, text: &str) -> bool {
        self.is_string() && self.reads(text)
    }

    /// Whether the value is a string whose content starts so, however it is escaped.
    #[must_use]
    pub fn starts_with(self, text: &str) -> bool {
        let Some(source) = self.source() else { return false };
        if self.escaped() { string::starts_with(source, text) } else { source.starts_with(text) }
    }

    /// The same for a value that is known to be a string, as a key is.
    #[inline]
    fn reads(self, text: &str) -> bool {
        let node = self.node();
        if node.escaped() {
            return self.source().is_some_and(|source| string::equals(source, text));
        }
        // Most strings differ in length, which is known without a look at the text.
        (node.end - node.start) as usize == text.len() + 2 && self.stands_as(&node, text)
    }

    /// The same where it is at hand that `node` is a string without escapes.
    #[inline(always)]
    fn stands_as(self, node: &Node, text: &str) -> bool {
        let content = self.document.text().as_bytes().get(node.start as usize + 1..node.end as usize - 1);
        content.is_some_and(|content| string::same_bytes(content, text.as_bytes()))
    }

    /// The value of the *last* member of that name, the one that `JSON.parse` and Python keep.
    ///
    /// `None`: it is not an object, or has no such member.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'d>> {
        let mut found = [None];
        self.find_all(&[Name::new(key)], &mut found);
        let [found] = found;
        found
    }

    /// The values of the *last* members of these names, in one pass; see [`Value::get`].
    #[inline]
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Value<'d>>; N] {
        self.named(&keys.map(Name::new))
    }

    /// The values of the *last* members of these names, in one pass; see [`Value::get`], and [`names!`](crate::names).
    #[inline]
    #[must_use]
    pub fn named<const N: usize>(self, names: &[Name<'_>; N]) -> [Option<Value<'d>>; N] {
        let mut found = [None; N];
        self.find_all(names, &mut found);
        found
    }

    /// Not generic, so that it is compiled once and with this crate.
    #[inline(never)]
    fn find_all(self, names: &[Name<'_>], found: &mut [Option<Value<'d>>]) {
        if !self.is_object() {
            return;
        }
        let bits = names.iter().fold(0, |bits, name| bits | bit(name.mark()));
        let nodes = self.document.nodes_to(self.node().next());
        let mut at = self.index as usize + 1;
        while let (Some(key), Some(value)) = (nodes.get(at), nodes.get(at + 1)) {
            // Most members have none of these names, and the last bits of their marks say so.
            if bits & bit(key.mark()) != 0 || key.escaped() {
                let place = Value { document: self.document, index: at as u32 };
                let is_it = |name: &Name<'_>| match key.escaped() {
                    true => place.reads(name.text()),
                    false => key.is_marked(name.mark()) && place.stands_as(key, name.text()),
                };
                if let Some((slot, _)) = found.iter_mut().zip(names).find(|(_, name)| is_it(name)) {
                    *slot = Some(Value { document: self.document, index: at as u32 + 1 });
                }
            }
            at = value.next() as usize;
        }
    }

    /// Whether both stand in the text in the same characters.
    #[must_use]
    pub fn same_text(self, other: Value<'_>) -> bool {
        // Lengths first: where they differ, nothing has to be fetched.
        self.span().len() == other.span().len() && string::same_bytes(self.bytes(), other.bytes())
    }

    fn bytes(self) -> &'d [u8] {
        self.document.text().as_bytes().get(self.span()).unwrap_or_default()
    }

    /// The members in the order of the text, each key with its value; none if it is not an object.
    #[inline]
    #[must_use]
    pub fn members(self) -> Members<'d> {
        Members { values: self.children(b'{') }
    }

    /// The items in the order of the text; none if it is not an array.
    #[inline]
    #[must_use]
    pub fn items(self) -> Items<'d> {
        self.children(b'[')
    }

    /// How many members or items there are; 0 for everything else. Counts them.
    #[must_use]
    pub fn len(self) -> usize {
        if self.is_object() { self.members().count() } else { self.items().count() }
    }

    /// Whether there are no members or items.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.behind() == self.index + 1
    }

    /// The value that a JSON Pointer (RFC 6901) names, seen from here; the last member of a name counts.
    ///
    /// `None`: there is no such value, or `pointer` is not a JSON Pointer.
    #[must_use]
    pub fn pointer(self, pointer: &str) -> Option<Value<'d>> {
        pointer::find(self, pointer)
    }

    /// Whether it is a string with a backslash in it.
    #[inline]
    pub(crate) fn escaped(self) -> bool {
        self.node().escaped()
    }

    /// The string as it stands between its quotes; `None` if it is not a string.
    #[inline]
    pub(crate) fn source(self) -> Option<&'d str> {
        let Range { start, end } = self.span();
        if self.is_string() { self.document.text().get(start + 1..end - 1) } else { None }
    }

    pub(crate) fn document(self) -> &'d Document<'d> {
        self.document
    }

    pub(crate) fn index(self) -> u32 {
        self.index
    }

    #[inline]
    pub(crate) fn node(self) -> Node {
        self.document.node(self.index)
    }

    /// The index of the node after this one and everything in it.
    pub(crate) fn behind(self) -> u32 {
        if self.is_object() || self.is_array() { self.node().next() } else { self.index + 1 }
    }

    #[inline]
    fn children(self, first: u8) -> Items<'d> {
        let end = if self.begins_with(first) { self.node().next() } else { 0 };
        Items { document: self.document, at: self.index + 1, end }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Value({})", string::shorten(self.text(), 200))
    }
}

/// The items of what is there; none if nothing is, or no array.
///
/// The same as `value.into_iter().flat_map(Value::items)` in much less code.
#[inline(never)]
pub fn items(value: Option<Value<'_>>) -> Items<'_> {
    value.map_or(Items { document: Document::nothing(), at: 0, end: 0 }, Value::items)
}

/// The values of the *last* members of these names of what is there; see [`Value::named`].
// What it returns is large, and would be copied.
#[inline(always)]
#[must_use]
pub fn named<'d, const N: usize>(value: Option<Value<'d>>, names: &[Name<'_>; N]) -> [Option<Value<'d>>; N] {
    value.map_or([None; N], |value| value.named(names))
}

/// The members of what is there; none if nothing is, or no object.
#[inline(never)]
pub fn members(value: Option<Value<'_>>) -> Members<'_> {
    value.map_or(Members { values: items(None) }, Value::members)
}

/// The items of an array; see [`Value::items`].
#[derive(Clone, Debug)]
pub struct Items<'d> {
    document: &'d Document<'d>,
    at: u32,
    end: u32,
}

impl<'d> Iterator for Items<'d> {
    type Item = Value<'d>;

    #[inline]
    fn next(&mut self) -> Option<Value<'d>> {
        if self.at >= self.end {
            return None;
        }
        let item = Value { document: self.document, index: self.at };
        self.at = item.node().next();
        Some(item)
    }
}

/// The members of an object; see [`Value::members`].
#[derive(Clone, Debug)]
pub struct Members<'d> {
    values: Items<'d>,
}

impl<'d> Iterator for Members<'d> {
    type Item = (Value<'d>, Value<'d>);

    #[inline]
    fn next(&mut self) -> Option<(Value<'d>, Value<'d>)> {
        let Items { document, at, end } = self.values;
        if at >= end {
            return None;
        }
        let (key, value) = (Value { document, index: at }, Value { document, index: at + 1 });
        self.values.at = value.node().next();
        Some((key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    const TEXT: &str =
        r#" {"n":-1.50,"s":"a\u0062","t":true,"z":null,"l":[1,[2],{"x":3}],"n":7,"lone":"\ud800!"} "#;

    #[test]
    fn each_kind_answers_its_own_questions_only() {
        let document = Document::parse(TEXT, &Limits::default()).unwrap();
        let root = document.root();
        let get = |key: &str| root.get(key).unwrap();
        assert_eq!((root.kind(), root.text()), (Kind::Object, TEXT.trim()));
        assert_eq!(document.text().get(get("s").span()), Some(r#""a\u0062""#));
        assert_eq!((get("n").as_number(), get("s").as_number()), (Some("7"), None));
        assert_eq!((get("t").as_bool(), get("z").as_bool()), (Some(true), None));
        assert_eq!((get("s").as_str().as_deref(), get("n").as_str()), (Some("ab"), None));
        assert!(get("s").equals("ab") && !get("s").equals("a") && !get("z").equals("null"));
        let starts = |key: &str, text: &str| get(key).starts_with(text);
        assert!(
            starts("s", "")
                && starts("s", "a")
                && starts("s", "ab")
                && !starts("s", "abc")
                && !starts("s", "b")
        );
        assert!(!starts("n", "7") && starts("lone", "") && !starts("lone", "\u{FFFD}"));
        assert!(get("z").is_null() && get("l").is_array() && root.is_object() && get("s").is_string());
        assert!(root.get("nope").is_none() && get("l").get("x").is_none());
        assert_eq!(get("lone").as_str(), None);
        assert_eq!(get("lone").as_str_lossy().as_deref(), Some("\u{FFFD}!"));
    }

    #[test]
    fn several_members_are_picked_in_one_pass() {
        let document = Document::parse(TEXT, &Limits::default()).unwrap();
        let root = document.root();
        let [n, nope, s] = root.pick(["n", "nope", "s"]);
        assert_eq!(
            (n.map(Value::text), nope.map(Value::text), s.map(Value::text)),
            (Some("7"), None, Some(r#""a\u0062""#))
        );
        assert!(root.get("l").unwrap().pick(["x"])[0].is_none());
    }

    #[test]
    fn members_and_items_come_in_the_order_of_the_text() {
        let document = Document::parse(TEXT, &Limits::default()).unwrap();
        let root = document.root();
        let keys: Vec<_> = root.members().map(|(key, _)| key.text()).collect();
        assert_eq!(keys, ["\"n\"", "\"s\"", "\"t\"", "\"z\"", "\"l\"", "\"n\"", "\"lone\""]);
        let list = root.get("l").unwrap();
        assert_eq!(list.items().map(|item| item.text()).collect::<Vec<_>>(), ["1", "[2]", "{\"x\":3}"]);
        assert_eq!((root.len(), list.len(), root.get("t").unwrap().len()), (7, 3, 0));
        assert_eq!((root.items().count(), list.members().count()), (0, 0));
        assert!(!list.is_empty() && root.get("t").unwrap().is_empty());
        assert_eq!(document.node_count(), 13);
    }

    #[test]
    fn values_outlive_the_cursor_they_came_from() {
        fn longest<'d>(document: &'d Document<'_>) -> Cow<'d, str> {
            let strings = document.root().items().filter_map(|item| item.as_str());
            strings.max_by_key(|string| string.len()).unwrap_or_default()
        }
        let text = String::from(r#"["a","bcd","ef"]"#);
        let document = Document::parse(&text, &Limits::default()).unwrap();
        assert_eq!(longest(&document), "bcd");
    }

    #[test]
    fn debug_output_of_a_long_value_is_short() {
        let text = format!("\"{}\"", "x".repeat(10_000));
        let document = Document::parse(&text, &Limits::default()).unwrap();
        assert!(format!("{:?}", document.root()).len() < 300);
    }
}
