//! Long text, folded in the middle with an exact count.

use std::cell::Cell;
use std::rc::Rc;

use yew::prelude::*;

use crate::controls::button;
use crate::node::list;
use crate::piece::{Act, Piece, Stage};
use crate::text::visible;

/// How long a text may be and still be shown whole, in characters.
const WHOLE: usize = 400;
/// How much of the beginning a fold shows, in characters.
const HEAD: usize = 240;
/// How much of the end a fold shows, in characters.
const TAIL: usize = 80;

/// Text from outside, folded if it is long.
pub(crate) fn foldable(text: &str, stage: &Stage) -> Html {
    match text.char_indices().nth(WHOLE) {
        Some(_) => folded(text, 0, stage),
        None => visible(text),
    }
}

/// The beginning, the end, and how many characters stand between them.
pub(crate) fn split(text: &str, head: usize, tail: usize) -> (&str, usize, &str) {
    let length = text.chars().count();
    if length <= head + tail {
        return (text, 0, "");
    }
    let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let (beginning, rest) = text.split_at(at(head));
    let end = rest.split_at(at(length - tail) - beginning.len()).1;
    (beginning, length - head - tail, end)
}

/// What is nested too deep to be drawn: its exact text, on demand.
pub(crate) fn folded(text: &str, levels: usize, stage: &Stage) -> Html {
    stage.place(Fold { text: text.into(), levels })
}

/// A long or deep text with a button that shows all of it.
#[derive(PartialEq)]
struct Fold {
    /// The whole text. Untrusted.
    text: Rc<str>,
    /// After how many levels it was folded; 0: because it is long.
    levels: usize,
}

impl Piece for Fold {
    /// Whether it is open.
    type Memory = Cell<bool>;

    fn same(&self, other: &Fold) -> bool {
        self == other
    }

    fn draw(&self, open: &Cell<bool>, stage: &Rc<Stage>) -> Html {
        if open.get() {
            return visible(&self.text);
        }
        let (head, between, tail) = match self.levels {
            0 => split(&self.text, HEAD, TAIL),
            _ => ("", self.text.chars().count(), ""),
        };
        let label = match self.levels {
            0 => stage.messages().characters_more(between),
            levels => stage.messages().nested_deeper(levels, between),
        };
        let open_all = button("fold", "cs-fold", label.into(), stage, Act::Toggle).html();
        list(vec![visible(head), open_all, visible(tail)])
    }

    fn act(&self, open: &Cell<bool>, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        !open.replace(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r19_a_fold_counts_what_it_hides_and_keeps_both_ends() {
        let text = ["a".repeat(5), "é".repeat(7), "z".repeat(3)].concat();
        assert_eq!(split(&text, 5, 3), ("aaaaa", 7, "zzz"));
        assert_eq!(split("short", 3, 2), ("short", 0, ""));
    }
}
