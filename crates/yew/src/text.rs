//! Text that nobody vouches for, as nodes that can be nothing but text.

use countersign_core::lookalike::odd;
use yew::prelude::*;

use crate::emoji;
use crate::marks::{Mark, marks};
use crate::messages::{is_right_to_left, place};
use crate::node::{Tag, list, words};

/// What no sentence has, and commands, paths and JSON have.
const SIGNS: [char; 12] = ['/', '\\', '|', '<', '>', '=', ';', '&', '$', '`', '{', '['];

/// Text from outside: text nodes, with a chip in the place of each hidden character and of padding.
///
/// What stands first stands left, also among words that are read from right to left; only sentences are read as their
/// language is.
pub(crate) fn visible(text: &str) -> Html {
    if is_sentence(text) { chipped(text, false) } else { code(text) }
}

/// The same for commands and exact texts: in none of them a sentence is looked for.
pub(crate) fn code(text: &str) -> Html {
    chipped(text, !text.is_ascii() && text.contains(is_right_to_left))
}

/// Whether a text has words and nothing that stands elsewhere when they are read from right to left: no signs, and no
/// digit that touches one of their letters.
fn is_sentence(text: &str) -> bool {
    let touches = || {
        let pairs = text.chars().zip(text.chars().skip(1));
        let is = |one: char, other: char| one.is_ascii_digit() && is_right_to_left(other);
        pairs.into_iter().any(|(one, other)| is(one, other) || is(other, one))
    };
    text.trim().contains(' ') && !text.contains(SIGNS) && (text.is_ascii() || !touches())
}

fn chipped(text: &str, ordered: bool) -> Html {
    let marks = marks(text);
    if let [Mark::Plain(text)] = marks.as_slice() {
        return plain(text, ordered);
    }
    let node = |mark| if let Mark::Plain(text) = mark { plain(text, ordered) } else { node(mark) };
    list(marks.into_iter().map(node).collect())
}

/// A text in lower case, for a search.
///
/// The browser knows the letters of all scripts: a table of our own would be a good part of what is downloaded.
#[cfg(target_arch = "wasm32")]
pub(crate) fn lower_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    js_sys::JsString::from(text).to_lower_case().into()
}

#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn lower_case(text: &str) -> String {
    text.to_lowercase()
}

/// Plain text; `ordered`: each word that is read from right to left is read so by itself.
fn plain(text: &str, ordered: bool) -> Html {
    if !ordered {
        return words(text.to_owned());
    }
    let mut nodes = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let turned = is_right_to_left(first);
        let end = rest.find(|character| is_right_to_left(character) != turned).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        let part = words(part.to_owned());
        nodes.push(if turned { Tag::new("bdi", "").child(part).html() } else { part });
        rest = after;
    }
    list(nodes)
}

/// The same for sentences, where emoji made of several characters stay whole.
pub(crate) fn prose(text: &str) -> Html {
    let marked = |text| chipped(text, false);
    if text.is_ascii() {
        return marked(text);
    }
    let mut nodes = Vec::new();
    let mut rest = text;
    while let Some((at, length)) = emoji::find(rest) {
        let (before, sequence) = rest.split_at(at);
        let (sequence, after) = sequence.split_at(length);
        nodes.push(marked(before));
        nodes.push(words(sequence.to_owned()));
        rest = after;
    }
    nodes.push(marked(rest));
    list(nodes)
}

/// A name, such as a key, with the letters marked that could be mistaken for others; `latin`: all that are not Latin.
pub(crate) fn name(text: &str, latin: bool) -> Html {
    let Some(odd) = odd(text, latin) else { return line(text) };
    let is_odd = |character: char| odd.has(character);
    let mut nodes = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let marked = is_odd(first);
        let end = rest.find(|character| is_odd(character) != marked).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        let part = line(part);
        nodes.push(if marked { Tag::new("span", "cs-odd").part("odd").child(part).html() } else { part });
        rest = after;
    }
    list(nodes)
}

/// A name stands on one line: its line breaks and tabs are chips too.
fn line(text: &str) -> Html {
    const BREAKS: [char; 2] = ['\n', '\t'];
    if !text.contains(BREAKS) {
        return visible(text);
    }
    let mut nodes = Vec::new();
    for mark in marks(text) {
        let Mark::Plain(plain) = mark else {
            nodes.push(node(mark));
            continue;
        };
        for piece in plain.split_inclusive(BREAKS) {
            nodes.push(words(piece.trim_end_matches(BREAKS).to_owned()));
            let end = piece.chars().next_back().filter(|end| BREAKS.contains(end));
            nodes.extend(end.map(|end| node(Mark::Hidden(end, 1))));
        }
    }
    list(nodes)
}

fn node(mark: Mark<'_>) -> Html {
    if let Mark::Plain(text) = mark {
        return words(text.to_owned());
    }
    let chip = Tag::new("span", "cs-chip").part("escape").words(mark.text()).html();
    // What follows blank lines stays on a line of its own.
    if matches!(mark, Mark::Lines(_)) { list(vec![chip, words("\n")]) } else { chip }
}

/// A sentence with something drawn at each of its places, by the names of these.
pub(crate) fn drawn(template: &str, draw: &dyn Fn(&str) -> Html) -> Html {
    let (mut nodes, mut rest) = (Vec::new(), template);
    while let Some((before, name, after)) = place(rest) {
        nodes.push(words(before.to_owned()));
        nodes.push(draw(name));
        rest = after;
    }
    nodes.push(words(rest.to_owned()));
    list(nodes)
}

/// A sentence with a place for something drawn: `{name}` in the template.
///
/// Translations choose where the place is. Without one, the thing stands at the end.
pub(crate) fn around(template: &str, thing: Html) -> Html {
    let (before, _, after) = place(template).unwrap_or((template, "", ""));
    list(vec![words(before.to_owned()), thing, words(after.to_owned())])
}
