//! Long text, folded in the middle with an exact count.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use countersign_core::RequestView;
use yew::prelude::*;

use crate::controls::button;
use crate::escapes::escaped;
use crate::marks::{Mark, marks};
use crate::messages::Messages;
use crate::node::{list, words};
use crate::piece::{Act, Piece, Stage};
use crate::text::{code, name, prose, visible};

/// How long a text is shown before and after a fold, in characters; what is not longer than [`Room::whole`] is shown
/// whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    whole: usize,
    head: usize,
    tail: usize,
    /// So many marks in the place of characters are drawn at once: each is an element of its own.
    chips: usize,
    /// What stands first in it stands left, also in what reads as a sentence.
    ordered: bool,
}

impl Room {
    /// For one value among others.
    pub(crate) const VALUE: Room = Room { whole: 400, head: 240, tail: 80, chips: CHIPS, ordered: false };
    /// For a name.
    const NAME: Room = Room { whole: 256, head: 160, tail: 60, ..Room::VALUE };
    /// For a text that stands by itself.
    pub(crate) const TEXT: Room = Room { whole: 4_000, head: 2_400, tail: 800, ..Room::VALUE };
    /// For a program.
    pub(crate) const CODE: Room = Room { ordered: true, ..Room::TEXT };
    /// For a line of a program.
    pub(crate) const LINE: Room = Room { ordered: true, ..Room::VALUE };

    /// For each of so many parts of one text.
    pub(crate) fn shared(self, parts: usize) -> Room {
        Room { chips: (self.chips / parts.max(1)).max(1), ..self }
    }

    fn draw(self, text: &str) -> Html {
        if self.ordered { code(text) } else { visible(text) }
    }
}

/// How many marks in the place of characters are drawn of a text before a person asks for more.
const CHIPS: usize = 40;

/// How many marks a text has in the place of characters.
pub(crate) fn chips(text: &str) -> usize {
    marks(text).iter().filter(|mark| !matches!(mark, Mark::Plain(_))).count()
}

/// How many marks are drawn of a text that can be folded.
pub(crate) fn chips_drawn(text: &str) -> usize {
    chips(text).min(CHIPS)
}

/// Each time that more is asked for, so many times as much is shown: a text of any length opens in a few steps, and no
/// step draws more than the eye has asked for.
const GROWTH: usize = 12;

/// Text from outside, folded if it is long.
pub(crate) fn foldable(text: &str, stage: &Stage) -> Html {
    roomy(text, Room::VALUE, stage)
}

/// Text from outside, folded if it does not fit.
pub(crate) fn roomy(text: &str, room: Room, stage: &Stage) -> Html {
    if fits(text, room) {
        return room.draw(text);
    }
    stage.place(Fold { text: text.into(), levels: 0, room, reads: Reads::Text })
}

/// A name from outside, folded if it is long, and between quotes where its ends could not be seen; `latin` as of [`name`].
pub(crate) fn foldable_name(text: &str, latin: bool, stage: &Stage) -> Html {
    let name = long_name(text, latin, stage);
    if !text.is_empty() && text.trim() == text {
        return name;
    }
    list(vec![words("\""), name, words("\"")])
}

fn long_name(text: &str, latin: bool, stage: &Stage) -> Html {
    if is_short(text, Room::NAME) {
        return name(text, latin);
    }
    stage.place(Fold { text: text.into(), levels: 0, room: Room::NAME, reads: Reads::Name { latin } })
}

/// A name, between quotes where its ends could not be seen.
pub(crate) fn ended(name: &str) -> Cow<'_, str> {
    if !name.is_empty() && name.trim() == name {
        return Cow::Borrowed(name);
    }
    Cow::Owned(["\"", name, "\""].concat())
}

/// A name as it is announced: without its middle where nobody would listen to the whole of it.
pub(crate) fn spoken(name: &str) -> String {
    escaped(&shortened(name))
}

/// A name without its middle where it is long, for places in which nothing can be unfolded.
pub(crate) fn shortened(name: &str) -> Cow<'_, str> {
    match split(name, Room::NAME.head, Room::NAME.tail) {
        (name, 0, _) => Cow::Borrowed(name),
        (head, left, tail) => Cow::Owned([head, " … × ", &left.to_string(), " … ", tail].concat()),
    }
}

/// What is drawn of a long name before a person asks for more.
pub(crate) fn name_ends(name: &str) -> (&str, &str) {
    let (head, _, tail) = split(name, Room::NAME.head, Room::NAME.tail);
    (head, tail)
}

/// The name of the call's tool as it is announced, or words where it names none.
pub(crate) fn spoken_tool(view: &RequestView, messages: &Messages) -> String {
    if view.tool.is_empty() { messages.no_tool().to_string() } else { spoken(&view.tool) }
}

/// How long a text may be to be measured with its padding counted as little as it is drawn, in bytes.
const MEASURED: usize = 64 << 10;

/// Whether a text is short and has few marks.
fn is_short(text: &str, room: Room) -> bool {
    text.char_indices().nth(room.whole).is_none() && chips(text) <= room.chips
}

/// Whether a text needs no more room than this.
fn fits(text: &str, room: Room) -> bool {
    let drawn = |mark: &Mark<'_>| if let Mark::Plain(text) = mark { text.chars().count() } else { 8 };
    is_short(text, room)
        || (text.len() <= MEASURED
            && chips(text) <= room.chips
            && marks(text).iter().map(drawn).sum::<usize>() <= room.whole)
}

/// How many characters at an end of a text, no more than `most`, have no more than so many marks.
fn few(text: &str, most: usize, chips_at_most: usize, at_end: bool) -> usize {
    let mut count = most.min(text.chars().count());
    while count > 1 {
        let (head, _, tail) = if at_end { split(text, 0, count) } else { split(text, count, 0) };
        let part = if at_end && !tail.is_empty() { tail } else { head };
        if chips(part) <= chips_at_most {
            break;
        }
        count /= 2;
    }
    count
}

/// Sentences from outside, folded if they are long.
pub(crate) fn foldable_prose(text: &str, stage: &Stage) -> Html {
    if is_short(text, Room::VALUE) {
        return prose(text);
    }
    stage.place(Fold { text: text.into(), levels: 0, room: Room::VALUE, reads: Reads::Sentences })
}

/// The beginning, the end, and how many characters stand between them.
pub(crate) fn split(text: &str, head: usize, tail: usize) -> (&str, usize, &str) {
    let length = text.chars().count();
    if length <= head + tail {
        return (text, 0, "");
    }
    let end = text.char_indices().nth_back(tail.saturating_sub(1)).filter(|_| tail > 0);
    let end = end.map_or(text.len(), |(at, _)| at);
    let start = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let (beginning, rest) = text.split_at(start);
    (beginning, length - head - tail, rest.split_at(end - start).1)
}

/// What is nested too deep to be drawn: its text, folded as any other one.
pub(crate) fn folded(text: &str, levels: usize, stage: &Stage) -> Html {
    if fits(text, Room::VALUE) {
        return visible(text);
    }
    stage.place(Fold { text: text.into(), levels, room: Room::VALUE, reads: Reads::Text })
}

/// What a folded text is.
#[derive(Clone, Copy, PartialEq)]
enum Reads {
    Text,
    Sentences,
    Name { latin: bool },
}

/// A long or deep text with a button that shows more of it.
#[derive(PartialEq)]
struct Fold {
    /// The whole text. Untrusted.
    text: Rc<str>,
    /// After how many levels it was folded; 0: because it is long.
    levels: usize,
    /// How much is shown of it.
    room: Room,
    /// What it is.
    reads: Reads,
}

impl Fold {
    /// What is shown after so many steps, and how many characters stand between.
    fn ends(&self, steps: u32) -> (&str, usize, &str) {
        let growth = GROWTH.saturating_pow(steps);
        let Room { head, tail, chips, .. } = self.room;
        // Together fewer than what has to be folded.
        let of_tail = chips / 4;
        let of_head = chips.saturating_mul(growth).saturating_sub(of_tail);
        let tail = few(&self.text, tail, of_tail, true);
        let head = few(&self.text, head.saturating_mul(growth), of_head, false);
        split(&self.text, head, tail)
    }
}

impl Piece for Fold {
    /// How often more was asked for.
    type Memory = Cell<u32>;

    fn same(&self, other: &Fold) -> bool {
        self == other
    }

    fn draw(&self, steps: &Cell<u32>, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let (head, between, tail) = self.ends(steps.get());
        let label = match (steps.get(), between) {
            (_, 0) => messages.show_less().to_string(),
            (0, between) if self.levels > 0 => messages.nested_deeper(between, self.levels),
            (_, between) => {
                let shown = head.len()..self.text.len() - tail.len();
                let lines = self.text.get(shown).unwrap_or_default().matches('\n').count();
                let mut label = messages.characters_more(between);
                if lines > 0 {
                    label.push_str(&messages.separator());
                    label.push_str(&messages.lines(lines));
                }
                label
            }
        };
        let toggle = button("fold", "cs-fold", label.into(), stage, Act::Toggle).html();
        let shown = |text| match self.reads {
            Reads::Text => self.room.draw(text),
            Reads::Sentences => prose(text),
            Reads::Name { latin } => name(text, latin),
        };
        list(vec![shown(head), toggle, shown(tail)])
    }

    fn act(&self, steps: &Cell<u32>, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        let whole = steps.get() > 0 && self.ends(steps.get()).1 == 0;
        steps.set(if whole { 0 } else { steps.get() + 1 });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::drawn;

    #[test]
    fn r19_a_fold_counts_what_it_hides_and_keeps_both_ends() {
        let text = ["a".repeat(5), "é".repeat(7), "z".repeat(3)].concat();
        assert_eq!(split(&text, 5, 3), ("aaaaa", 7, "zzz"));
        assert_eq!(split(&text, 5, 0), ("aaaaa", 10, ""));
        assert_eq!(split("short", 3, 2), ("short", 0, ""));
    }

    #[test]
    fn r19_marks_in_the_place_of_characters_are_drawn_in_a_bounded_number() {
        let text: Rc<str> = "a\u{202E}".repeat(190).into();
        let fold = |reads| Fold { text: Rc::clone(&text), levels: 0, room: Room::VALUE, reads };
        let first = drawn(fold(Reads::Text), Vec::new());
        assert!((1..=CHIPS).contains(&first.matches("cs-chip").count()), "{first}");
        assert!(first.contains(" characters more"), "{first}");
        let more = drawn(fold(Reads::Text), vec![Act::Toggle]);
        assert_eq!(more.matches("cs-chip").count(), 190, "{more}");
        assert!(!fits(&text, Room::VALUE) && !is_short(&text, Room::NAME));
        assert!(fits(&"a\u{202E}".repeat(CHIPS), Room::VALUE));
        // Each step shows more, to the end.
        let long = Fold { text: "a\u{202E}".repeat(100_000).into(), ..fold(Reads::Text) };
        let mut left = usize::MAX;
        for steps in 0..8 {
            let (head, between, tail) = long.ends(steps);
            assert_eq!(head.chars().count() + between + tail.chars().count(), 200_000);
            assert!(between < left || left == 0, "{steps}");
            left = between;
        }
        assert_eq!(left, 0);
    }

    #[test]
    fn r46_a_long_name_is_announced_without_its_middle_and_counts_it() {
        assert_eq!(spoken("del\u{202E}ete"), "del\\u{202E}ete");
        let long = ["start", &"x".repeat(1000), "end"].concat();
        let words = spoken(&long);
        assert!(
            words.starts_with("startx") && words.ends_with("xend") && words.contains("x … × 788 … x"),
            "{words}"
        );
    }
}
