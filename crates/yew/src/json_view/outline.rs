//! The rows of a JSON text, found without recursion.

use std::borrow::Cow;

use countersign_json::{Document, Items, Limits, Members, Value};
use yew::prelude::*;

use crate::escapes::count_hidden;
use crate::fold::split;
use crate::messages::Messages;
use crate::node::{list, words};
use crate::text::visible;

/// How deep values are drawn as rows; what is nested deeper is folded.
pub(crate) const DEPTH: usize = 64;

/// What a row is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name<'d> {
    /// A member's key, unescaped. Untrusted.
    Key(Cow<'d, str>),
    /// An item's position, counted from zero.
    Index(usize),
}

/// One member or item.
#[derive(Clone, Debug)]
pub(crate) struct Row<'d> {
    /// 1 for what stands directly in the root.
    pub(crate) depth: usize,
    /// What it is called.
    pub(crate) name: Name<'d>,
    /// What it is.
    pub(crate) value: Value<'d>,
}

/// The rows of a JSON text in its own order.
#[derive(Debug, Default)]
pub(crate) struct Outline<'d> {
    /// Every member and item down to [`DEPTH`].
    pub(crate) rows: Vec<Row<'d>>,
    /// How many hidden characters all strings and keys hold, at any depth.
    pub(crate) hidden: usize,
}

/// An open container.
enum Open<'d> {
    Object(Members<'d>),
    Array(std::iter::Enumerate<Items<'d>>),
}

impl<'d> Open<'d> {
    fn of(value: Value<'d>) -> Open<'d> {
        if value.is_object() { Open::Object(value.members()) } else { Open::Array(value.items().enumerate()) }
    }

    fn next(&mut self) -> Option<(Name<'d>, Value<'d>)> {
        match self {
            Open::Object(members) => {
                let (key, value) = members.next()?;
                Some((Name::Key(key.as_str().unwrap_or(Cow::Borrowed(key.text()))), value))
            }
            Open::Array(items) => items.next().map(|(at, value)| (Name::Index(at), value)),
        }
    }
}

impl<'d> Outline<'d> {
    /// The rows of `document`.
    pub(crate) fn of(document: &'d Document<'_>) -> Outline<'d> {
        let root = document.root();
        let mut outline = Outline { rows: Vec::new(), hidden: hidden(root) };
        let mut open = vec![Open::of(root)];
        while let Some(container) = open.last_mut() {
            let Some((name, value)) = container.next() else {
                open.pop();
                continue;
            };
            if let Name::Key(key) = &name {
                outline.hidden += count_hidden(key);
            }
            outline.hidden += hidden(value);
            let depth = open.len();
            if depth <= DEPTH {
                outline.rows.push(Row { depth, name, value });
            }
            if is_container(value) {
                open.push(Open::of(value));
            }
        }
        outline
    }
}

/// Whether there is something in it.
pub(crate) fn is_container(value: Value<'_>) -> bool {
    (value.is_object() || value.is_array()) && !value.is_empty()
}

fn hidden(value: Value<'_>) -> usize {
    value.as_str_lossy().map_or(0, |text| count_hidden(&text))
}

/// How much of a value a brief shows, in characters.
const BRIEF: usize = 56;

/// The first argument and the count of the others, for one line.
pub(crate) fn brief(text: &str, messages: &dyn Messages) -> Html {
    let Ok(document) = Document::parse(text, &Limits::default()) else {
        return words(messages.not_json());
    };
    let mut members = document.root().members();
    let Some((key, value)) = members.next() else {
        return Html::default();
    };
    let key = key.as_str().unwrap_or(Cow::Borrowed(key.text()));
    let source = match (value.as_str(), value.is_object(), value.is_array()) {
        (Some(text), ..) => Cow::Owned(["\"", &text, "\""].concat()),
        (None, true, _) if !value.is_empty() => Cow::Owned(messages.fields(value.len())),
        (None, _, true) if !value.is_empty() => Cow::Owned(messages.items(value.len())),
        _ => Cow::Borrowed(value.text()),
    };
    let (head, between, _) = split(&source, BRIEF, 0);
    let others = members.count();
    let also = |text: String| words([&messages.separator(), text.as_str()].concat());
    let mut brief = vec![visible(&key), words(" "), visible(head)];
    if between > 0 {
        brief.push(words("…"));
        brief.push(also(messages.characters_more(between)));
    }
    if others > 0 {
        brief.push(also(messages.more(others)));
    }
    list(brief)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, rows: &[(usize, &str, &str)], hidden: usize) {
        let document = Document::parse(text, &Limits::default()).expect("JSON");
        let outline = Outline::of(&document);
        let found: Vec<_> = outline
            .rows
            .iter()
            .map(|row| {
                let name = match &row.name {
                    Name::Key(key) => key.to_string(),
                    Name::Index(at) => at.to_string(),
                };
                (row.depth, name, row.value.text())
            })
            .collect();
        let found: Vec<_> = found.iter().map(|(depth, name, text)| (*depth, name.as_str(), *text)).collect();
        assert_eq!(found, rows);
        assert_eq!(outline.hidden, hidden);
    }

    #[test]
    fn r19_every_key_is_a_row_in_the_order_of_the_text() {
        check(
            r#"{"b":1.00,"a":[true,null],"a":{}}"#,
            &[(1, "b", "1.00"), (1, "a", "[true,null]"), (2, "0", "true"), (2, "1", "null"), (1, "a", "{}")],
            0,
        );
    }

    #[test]
    fn r18_hidden_characters_are_counted_where_escapes_hide_them() {
        check(r#"{"a\u200b":"\u202ex"}"#, &[(1, "a\u{200B}", r#""\u202ex""#)], 2);
    }

    #[test]
    fn depth_does_not_add_rows_beyond_the_limit_and_hides_nothing_from_the_count() {
        let text = ["[".repeat(1000), "\"\\u202e\"".to_owned(), "]".repeat(1000)].concat();
        let document = Document::parse(&text, &Limits::default()).expect("JSON");
        let outline = Outline::of(&document);
        assert_eq!(outline.rows.len(), DEPTH);
        assert_eq!(outline.hidden, 1);
    }
}
