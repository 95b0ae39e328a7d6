//! Text that nobody vouches for, as nodes that can be nothing but text.

use yew::prelude::*;

use crate::escapes::{chip, is_hidden};
use crate::node::{Tag, list, words};

/// Text from outside: text nodes, with a chip in the place of each hidden character.
pub(crate) fn visible(text: &str) -> Html {
    if !text.chars().any(is_hidden) {
        return words(text.to_owned());
    }
    let mut nodes = Vec::new();
    let mut plain = String::new();
    for character in text.chars() {
        if is_hidden(character) {
            if !plain.is_empty() {
                nodes.push(words(std::mem::take(&mut plain)));
            }
            nodes.push(Tag::new("span", "cs-chip").part("escape").words(chip(character)).html());
        } else {
            plain.push(character);
        }
    }
    if !plain.is_empty() {
        nodes.push(words(plain));
    }
    list(nodes)
}

/// A sentence with a place for something drawn: `{}` in the template.
///
/// Translations choose where the place is. Without one, the thing stands at the end.
pub(crate) fn around(template: &str, thing: Html) -> Html {
    let (before, after) = template.split_once("{}").unwrap_or((template, ""));
    list(vec![words(before.to_owned()), thing, words(after.to_owned())])
}
