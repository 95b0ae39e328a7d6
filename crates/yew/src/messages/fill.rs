//! Texts with their places filled.

use yew::prelude::*;

use super::Messages;
use super::language::Category;
use super::table::Line;

/// What is put into a place.
#[derive(Clone, Copy)]
pub(super) enum Insert<'t> {
    /// A number; the first one of a text chooses its form.
    Count(u64),
    /// Other text, perhaps from outside: its hidden characters are escaped already.
    Text(&'t str),
}

impl From<usize> for Insert<'_> {
    fn from(count: usize) -> Self {
        Insert::Count(count as u64)
    }
}

impl From<u64> for Insert<'_> {
    fn from(count: u64) -> Self {
        Insert::Count(count)
    }
}

impl<'t> From<&'t str> for Insert<'t> {
    fn from(text: &'t str) -> Self {
        Insert::Text(text)
    }
}

impl Messages {
    /// A text without a number.
    pub(super) fn plain(&self, line: impl Into<Line>) -> AttrValue {
        self.sole(line.into())
    }

    #[inline(never)]
    fn sole(&self, line: Line) -> AttrValue {
        self.form(line, Category::Other)
    }

    /// A text with these places filled; others stay as they are, for something that is drawn there.
    pub(super) fn fill(&self, line: impl Into<Line>, inserts: &[(&str, Insert<'_>)]) -> String {
        self.filled(line.into(), inserts)
    }

    #[inline(never)]
    fn filled(&self, line: Line, inserts: &[(&str, Insert<'_>)]) -> String {
        let count = inserts.iter().find_map(|(_, insert)| match insert {
            Insert::Count(count) => Some(self.rule.category(*count)),
            Insert::Text(_) => None,
        });
        let category = count.unwrap_or(Category::Other);
        let form = self.form(line, category);
        let mut filled = String::new();
        let mut rest = &*form;
        // What is put in is not looked at again: it may hold braces.
        while let Some((before, name, after)) = place(rest) {
            filled.push_str(before);
            match inserts.iter().find(|(known, _)| *known == name).map(|(_, insert)| *insert) {
                Some(Insert::Count(count)) => filled.push_str(&self.number(count)),
                Some(Insert::Text(text)) => self.isolate(text, &mut filled),
                None => ["{", name, "}"].iter().for_each(|part| filled.push_str(part)),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }

    /// A count in figures: `1,560`.
    ///
    /// The figures are the European ones in every language, so that they can be compared with those in the arguments.
    pub(crate) fn number(&self, count: u64) -> String {
        let digits = count.to_string();
        let separator = self.digits_separator();
        let mut grouped = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                grouped.push_str(&separator);
            }
            grouped.push(digit);
        }
        grouped
    }

    /// Text that does not change the direction of what stands around it, nor is changed by it: between isolates, unless
    /// all of it is read as our own words are.
    pub(super) fn isolate(&self, text: &str, filled: &mut String) {
        let against = |letter: char| is_right_to_left(letter) != self.right_to_left && letter != ' ';
        let isolated = text.chars().any(against);
        if isolated {
            filled.push('\u{2068}');
        }
        filled.push_str(text);
        if isolated {
            filled.push('\u{2069}');
        }
    }
}

/// What stands before the first place of a text, the name of the place, and what stands behind it.
pub(crate) fn place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// Whether a letter is of a script that is read from right to left.
pub(crate) fn is_right_to_left(letter: char) -> bool {
    matches!(u32::from(letter), 0x590..=0x8FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFF | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF)
}
