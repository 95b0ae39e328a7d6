//! Rows drawn as nested definition lists.

use std::iter::Peekable;
use std::slice::Iter;

use countersign_json::{Kind, Value};
use yew::prelude::*;
use yew::virtual_dom::VList;

use super::outline::{DEPTH, Name, Outline, Row, is_container};
use crate::fold::{foldable, folded};
use crate::messages::Messages;
use crate::text::words;

/// The first `shown` rows of an outline; a lone value where the root has no rows.
pub(super) fn draw(
    root: Value<'_>,
    outline: &Outline<'_>,
    shown: usize,
    empty: Option<AttrValue>,
    messages: &dyn Messages,
) -> Html {
    if outline.rows.is_empty() {
        return match empty {
            Some(text) if root.is_object() => html! { <p class="cs-none">{ words(text) }</p> },
            _ => html! { <p class="cs-lone cs-code">{ scalar(root) }</p> },
        };
    }
    let mut rows = outline.rows.get(..shown).unwrap_or(&outline.rows).iter().peekable();
    list(&mut rows, 1, messages)
}

/// The rows of one container. Calls itself at most [`DEPTH`] times.
fn list(rows: &mut Peekable<Iter<'_, Row<'_>>>, depth: usize, messages: &dyn Messages) -> Html {
    let mut drawn = VList::new();
    while let Some(row) = rows.next_if(|row| row.depth == depth) {
        let name = match &row.name {
            Name::Key(key) if key.is_empty() => words("\"\""),
            Name::Key(key) => foldable(key),
            Name::Index(at) => words(["[", &at.to_string(), "]"].concat()),
        };
        let nested = is_container(row.value);
        let value = if !nested {
            scalar(row.value)
        } else if depth >= DEPTH {
            folded(row.value.text(), DEPTH)
        } else {
            let count = row.value.len();
            let size = if row.value.is_object() { messages.fields(count) } else { messages.items(count) };
            html! { <><span class="cs-size">{ words(size) }</span>{ list(rows, depth + 1, messages) }</> }
        };
        let class = match &row.name {
            _ if nested => "cs-row cs-row-nested",
            Name::Index(_) => "cs-row cs-row-item",
            Name::Key(_) => "cs-row",
        };
        drawn.push(html! {
            <div {class}>
                <dt class="cs-code" part="key">{ name }</dt>
                <dd class="cs-code" part="value">{ value }</dd>
            </div>
        });
    }
    html! { <dl class="cs-tree">{ Html::from(drawn) }</dl> }
}

/// A value without rows of its own: numbers and words as they came, strings unescaped between quotes.
fn scalar(value: Value<'_>) -> Html {
    let class = match value.kind() {
        Kind::String => "cs-string",
        Kind::Number => "cs-number",
        _ => "cs-word",
    };
    match value.as_str() {
        Some(text) => html! { <span {class}>{ foldable(&text) }</span> },
        None => html! { <span {class}>{ foldable(value.text()) }</span> },
    }
}
