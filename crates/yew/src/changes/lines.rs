//! Two texts, line by line.

mod compare;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use yew::prelude::*;

use crate::controls::button;
use crate::fold::foldable;
use crate::node::{Tag, list};
use crate::piece::{Act, Piece, Stage};
use crate::text::visible;
use compare::{Line, Side, compare};

/// How many unchanged lines stand around a change.
const AROUND: usize = 3;

/// How many changed lines are drawn before a person asks for all.
const MOST: usize = 400;

/// How long a line may be and still have its differing middle pointed out, in bytes.
const SHORT: usize = 320;

/// What differs between two texts; the lines that stay the same are folded.
#[derive(PartialEq)]
pub(crate) struct LineDiff {
    /// The text before. Untrusted.
    pub before: Arc<str>,
    /// The text after. Untrusted.
    pub after: Arc<str>,
}

impl Piece for LineDiff {
    /// Whether every line is shown.
    type Memory = Cell<bool>;

    fn same(&self, other: &LineDiff) -> bool {
        self == other
    }

    fn draw(&self, open: &Cell<bool>, stage: &Rc<Stage>) -> Html {
        let mut diff = Tag::new("div", "cs-diff cs-code").part("diff");
        let Some(lines) = compare(&self.before, &self.after) else {
            // Too different for a comparison: one after the other.
            let block = |tag, class, text: &str| Tag::new(tag, class).child(foldable(text, stage)).html();
            return diff
                .child(block("del", "cs-line cs-removed", &self.before))
                .child(block("ins", "cs-line cs-added", &self.after))
                .html();
        };
        let shown = if open.get() { vec![true; lines.len()] } else { near(&lines) };
        let mut hidden = 0;
        let mut rest = lines.iter().zip(shown).peekable();
        while let Some((line, shown)) = rest.next() {
            if shown {
                diff = diff.child(row(line, stage));
                continue;
            }
            hidden += 1;
            if rest.peek().is_none_or(|(_, next)| *next) {
                let label = stage.messages().lines_unchanged(std::mem::take(&mut hidden));
                diff = diff.child(button("fold", "cs-line cs-lines", label.into(), stage, Act::More).html());
            }
        }
        diff.html()
    }

    fn act(&self, open: &Cell<bool>, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        !open.replace(true)
    }
}

fn row(line: &Line<'_>, stage: &Stage) -> Html {
    let (tag, class) = match line.side {
        Side::Same => ("div", "cs-line"),
        Side::Before => ("del", "cs-line cs-removed"),
        Side::After => ("ins", "cs-line cs-added"),
    };
    let text = match line.mate.filter(|mate| mate.len().max(line.text.len()) <= SHORT) {
        Some(mate) => parts(middles(line.text, mate).0),
        None => foldable(line.text, stage),
    };
    Tag::new(tag, class).child(text).html()
}

/// Which lines stand near a change, and not too many of them.
fn near(lines: &[Line<'_>]) -> Vec<bool> {
    let mut shown = vec![false; lines.len()];
    let mut changed = 0;
    for (at, line) in lines.iter().enumerate() {
        if line.side == Side::Same || changed == MOST {
            continue;
        }
        changed += 1;
        let around = at.saturating_sub(AROUND)..lines.len().min(at + AROUND + 1);
        for place in shown.get_mut(around).unwrap_or_default() {
            *place = true;
        }
    }
    shown
}

/// What two texts begin with alike, where they differ, and what they end with alike.
pub(super) fn middles<'t>(before: &'t str, after: &'t str) -> ([&'t str; 3], [&'t str; 3]) {
    let alike = |(one, other): &(char, char)| one == other;
    let length = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(alike).map(|(character, _)| character.len_utf8()).sum()
    };
    let start = length(&mut before.chars().zip(after.chars()));
    let (head, before) = before.split_at(start);
    let after = after.split_at(start).1;
    let end = length(&mut before.chars().rev().zip(after.chars().rev()));
    let (middle, tail) = before.split_at(before.len() - end);
    ([head, middle, tail], [head, after.split_at(after.len() - end).0, tail])
}

/// The three parts of a text, the middle one marked unless it is the whole.
pub(super) fn parts([head, middle, tail]: [&str; 3]) -> Html {
    if middle.is_empty() || (head.is_empty() && tail.is_empty()) {
        return list(vec![visible(head), visible(middle), visible(tail)]);
    }
    let middle = Tag::new("span", "cs-differs").child(visible(middle)).html();
    list(vec![visible(head), middle, visible(tail)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_what_differs() {
        assert_eq!(middles("a = 12;", "a = 132;"), (["a = 1", "", "2;"], ["a = 1", "3", "2;"]));
        assert_eq!(middles("ä", "ö"), (["", "ä", ""], ["", "ö", ""]));
        assert_eq!(middles("aa", "a"), (["a", "a", ""], ["a", "", ""]));
    }

    #[test]
    fn only_what_stands_near_a_change_is_shown() {
        let before: String = (0..20).map(|line| line.to_string() + "\n").collect();
        let after = before.replace("10\n", "ten\n");
        let lines = compare(&before, &after).expect("few lines");
        let shown = near(&lines);
        assert_eq!(shown.iter().filter(|shown| **shown).count(), 8);
        assert_eq!(shown.iter().position(|shown| *shown), Some(7));
    }
}
