//! Two texts, line by line.

mod compare;

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::secret::{masked, secrets_in};
use yew::prelude::*;

use crate::controls::button;
use crate::fold::{chips, chips_drawn, foldable};
use crate::node::{Tag, list, words};
use crate::piece::{Act, Piece, Stage};
use crate::text::visible;
use compare::{Line, Side, compare};

/// How many unchanged lines stand around a change.
const AROUND: usize = 3;

/// How many changed lines are drawn before a person asks for all.
const MOST: usize = 400;

/// How long a line may be and still have its differing middle pointed out, in bytes.
const SHORT: usize = 320;

/// How many marks in the place of characters are drawn before a person asks for all.
const CHIPS: usize = 400;

/// What differs between two texts; the lines that stay the same are folded.
#[derive(PartialEq)]
pub(crate) struct LineDiff {
    /// The text before. Untrusted.
    pub before: Arc<str>,
    /// The text after. Untrusted.
    pub after: Arc<str>,
    /// Secrets are shown.
    pub open: bool,
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
            let block = |tag, class, text: &str| {
                let text = if self.open { text.into() } else { masked(text) };
                Tag::new(tag, class).child(foldable(&text, stage)).html()
            };
            return diff
                .child(block("del", "cs-line cs-removed", &self.before))
                .child(block("ins", "cs-line cs-added", &self.after))
                .html();
        };
        let shown = if open.get() { vec![true; lines.len()] } else { near(&lines) };
        let find = |text| if self.open { Vec::new() } else { secrets_in(text) };
        let secrets = [find(&self.before), find(&self.after)];
        let (mut from, mut hidden, mut differ) = ([0; 2], 0, false);
        let mut rest = lines.iter().zip(shown).peekable();
        while let Some((line, shown)) = rest.next() {
            let mut masks = Vec::new();
            for (side, (from, secrets)) in from.iter_mut().zip(&secrets).enumerate() {
                let elsewhere = if side == 0 { Side::After } else { Side::Before };
                if line.side != elsewhere {
                    if masks.is_empty() {
                        masks = within(secrets, *from..*from + line.text.len());
                    }
                    *from += line.text.len() + 1;
                }
            }
            if shown {
                diff = diff.child(row(line, &masks, stage));
                continue;
            }
            hidden += 1;
            differ |= line.side != Side::Same;
            if rest.peek().is_none_or(|(_, next)| *next) {
                let (hidden, differ) = (std::mem::take(&mut hidden), std::mem::take(&mut differ));
                let messages = stage.messages();
                let label = if differ { messages.lines(hidden) } else { messages.lines_unchanged(hidden) };
                diff = diff.child(button("fold", "cs-line cs-lines", label.into(), stage, Act::More).html());
            }
        }
        diff.html()
    }

    fn act(&self, open: &Cell<bool>, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        !open.replace(true)
    }
}

/// The parts of secrets that stand in a line of a text, from the beginning of the line.
fn within(secrets: &[Range<usize>], line: Range<usize>) -> Vec<Range<usize>> {
    let part = |secret: &Range<usize>| {
        let part = secret.start.max(line.start)..secret.end.min(line.end);
        (part.start < part.end).then(|| part.start - line.start..part.end - line.start)
    };
    secrets.iter().filter_map(part).collect()
}

/// A line with masks; those over what its mate does not have are marked.
fn hidden_parts(line: &Line<'_>, masks: &[Range<usize>], stage: &Stage) -> Html {
    let mut nodes = Vec::new();
    let mut done = 0;
    for mask in masks {
        let secret = line.text.get(mask.clone()).unwrap_or_default();
        let count = secret.chars().count();
        let noun = if count == 1 { " character masked]" } else { " characters masked]" };
        let text = words(["[", &count.to_string(), noun].concat());
        let differs = line.side != Side::Same && line.mate.is_none_or(|mate| !mate.contains(secret));
        nodes.push(foldable(line.text.get(done..mask.start).unwrap_or_default(), stage));
        nodes.push(if differs { Tag::new("span", "cs-differs").child(text).html() } else { text });
        done = mask.end;
    }
    nodes.push(foldable(line.text.get(done..).unwrap_or_default(), stage));
    list(nodes)
}

fn row(line: &Line<'_>, masks: &[Range<usize>], stage: &Stage) -> Html {
    let (tag, class) = match line.side {
        Side::Same => ("div", "cs-line"),
        Side::Before => ("del", "cs-line cs-removed"),
        Side::After => ("ins", "cs-line cs-added"),
    };
    let is_short = |text: &str| text.len() <= SHORT && chips(text) == chips_drawn(text);
    let text = match line.mate.filter(|mate| is_short(mate) && is_short(line.text)) {
        _ if !masks.is_empty() => hidden_parts(line, masks, stage),
        Some(mate) => parts(middles(line.text, mate).0),
        None => foldable(line.text, stage),
    };
    Tag::new(tag, class).child(text).html()
}

/// Which lines stand near a change, and not too many of them.
fn near(lines: &[Line<'_>]) -> Vec<bool> {
    let mut shown = vec![false; lines.len()];
    let (mut changed, mut chips) = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        if line.side == Side::Same || changed == MOST || chips >= CHIPS {
            continue;
        }
        changed += 1;
        chips += chips_drawn(line.text);
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
    use crate::testing::drawn;

    #[test]
    fn the_middle_is_what_differs() {
        assert_eq!(middles("a = 12;", "a = 132;"), (["a = 1", "", "2;"], ["a = 1", "3", "2;"]));
        assert_eq!(middles("ä", "ö"), (["", "ä", ""], ["", "ö", ""]));
        assert_eq!(middles("aa", "a"), (["a", "a", ""], ["a", "", ""]));
    }

    fn diff(before: &str, after: &str, open: bool) -> String {
        drawn(LineDiff { before: before.into(), after: after.into(), open }, Vec::new())
    }

    #[test]
    fn r24_a_secret_that_becomes_another_one_of_its_length_is_a_change() {
        let (before, after) = ("A=1\nAUTH=good.example\nB=2", "A=1\nAUTH=evil.example\nB=2");
        let markup = diff(before, after, false);
        let mask = r#"AUTH=<span class="cs-differs">[12 characters masked]</span>"#;
        assert_eq!(markup.matches(mask).count(), 2, "{markup}");
        assert!(!markup.contains("unchanged") && !markup.contains("evil"), "{markup}");
        let markup = diff(before, after, true);
        assert!(markup.contains("evil") && markup.contains("good") && !markup.contains("masked"), "{markup}");
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQ==\n-----END PRIVATE KEY-----";
        let markup = diff(key, &[key, "\nls"].concat(), false);
        assert!(markup.contains("ls") && !markup.contains("MIIE"), "{markup}");
    }

    #[test]
    fn r19_hidden_characters_are_drawn_in_a_bounded_number_and_no_change_counts_as_none() {
        let lines = |first: &str| [first, &"a\u{202E}".repeat(150), "\n"].concat().repeat(250);
        let markup = diff(&lines("o"), &lines("n"), false);
        assert!(markup.matches("cs-chip").count() < 1500, "{}", markup.matches("cs-chip").count());
        assert!(!markup.contains("unchanged") && markup.contains(" lines</button>"), "{markup}");
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
