//! Rows drawn as nested definition lists.

use std::iter::Peekable;
use std::slice::Iter;

use countersign_json::{Kind, Value};
use yew::prelude::*;

use super::outline::{DEPTH, Name, Outline, Row, is_container};
use crate::fold::{foldable, folded};
use crate::node::{Tag, options, words};
use crate::piece::Stage;

/// The first `shown` rows of an outline; a lone value where the root has no rows.
pub(super) fn draw(
    root: Value<'_>,
    outline: &Outline<'_>,
    shown: usize,
    empty: Option<&AttrValue>,
    stage: &Stage,
) -> Html {
    if outline.rows.is_empty() {
        return match empty {
            Some(text) if root.is_object() => Tag::new("p", "cs-none").words(text.clone()).html(),
            _ => Tag::new("p", "cs-lone cs-code").child(scalar(root, stage)).html(),
        };
    }
    let mut rows = outline.rows.get(..shown).unwrap_or(&outline.rows).iter().peekable();
    list(&mut rows, 1, stage)
}

/// The rows of one container. Calls itself at most [`DEPTH`] times.
fn list(rows: &mut Peekable<Iter<'_, Row<'_>>>, depth: usize, stage: &Stage) -> Html {
    let mut drawn = Vec::new();
    while let Some(row) = rows.next_if(|row| row.depth == depth) {
        let name = match &row.name {
            Name::Key(key) if key.is_empty() => words("\"\""),
            Name::Key(key) => foldable(key, stage),
            Name::Index(at) => words(["[", &at.to_string(), "]"].concat()),
        };
        let nested = is_container(row.value);
        let value = if !nested {
            scalar(row.value, stage)
        } else if depth >= DEPTH {
            folded(row.value.text(), DEPTH, stage)
        } else {
            let count = row.value.len();
            let messages = stage.messages();
            let size = if row.value.is_object() { messages.fields(count) } else { messages.items(count) };
            let size = Tag::new("span", "cs-size").words(size).html();
            options([Some(size), Some(list(rows, depth + 1, stage))])
        };
        let class = match &row.name {
            _ if nested => "cs-row cs-row-nested",
            Name::Index(_) => "cs-row cs-row-item",
            Name::Key(_) => "cs-row",
        };
        let name = Tag::new("dt", "cs-code").part("key").child(name);
        let value = Tag::new("dd", "cs-code").part("value").child(value);
        drawn.push(Tag::new("div", class).child(name.html()).child(value.html()).html());
    }
    Tag::new("dl", "cs-tree").list(drawn).html()
}

/// A value without rows of its own: numbers and words as they came, strings unescaped between quotes.
fn scalar(value: Value<'_>, stage: &Stage) -> Html {
    let class = match value.kind() {
        Kind::String => "cs-string",
        Kind::Number => "cs-number",
        _ => "cs-word",
    };
    let text = match value.as_str() {
        Some(text) => foldable(&text, stage),
        None => foldable(value.text(), stage),
    };
    Tag::new("span", class).child(text).html()
}
