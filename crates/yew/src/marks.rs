//! What in a text must be told apart from plain characters: hidden characters, padding, and marks that pile up.

use crate::escapes::{chip, is_hidden};

/// A stretch of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark<'t> {
    /// Shown as it is.
    Plain(&'t str),
    /// A hidden character, so many times.
    Hidden(char, usize),
    /// So many spaces of any kind, which could push something out of sight.
    Spaces(usize),
    /// So many line breaks, with or without spaces between them.
    Lines(usize),
    /// So many marks on one letter, which could reach over what stands above and below it.
    Piled(usize),
}

impl Mark<'_> {
    /// What is shown of it.
    pub(crate) fn text(self) -> String {
        let (text, times) = match self {
            Mark::Plain(text) => (text.to_owned(), 1),
            Mark::Hidden(character, times) => (chip(character), times),
            Mark::Spaces(times) => ("␣".to_owned(), times),
            Mark::Lines(times) => ("↵".to_owned(), times),
            Mark::Piled(times) => ("◌".to_owned(), times),
        };
        if times > 1 { [&text, " × ", &times.to_string()].concat() } else { text }
    }
}

/// A run of so many blanks is padding.
const SPACES: usize = 8;
/// A run with so many line breaks, one more than blank lines, is padding.
const LINES: usize = 4;
/// The indentation of a line may be so long and is still none.
const INDENT: usize = 40;

/// So many marks may stand on one letter, more than any living script needs.
const PILED: usize = 4;

/// Whether a character is drawn above, below or through the one before it.
///
/// Source: Unicode 17, the blocks of combining marks, and those of the scripts that pile them up.
pub(crate) fn is_piling(character: char) -> bool {
    matches!(
        u32::from(character),
        0x300..=0x36F | 0x483..=0x489 | 0x591..=0x5C7 | 0x610..=0x61A | 0x64B..=0x65F | 0x670 | 0x6D6..=0x6ED
        | 0x730..=0x74A | 0x8CA..=0x902 | 0xE31 | 0xE34..=0xE3A | 0xE47..=0xE4E | 0xEB1 | 0xEB4..=0xEBC
        | 0xEC8..=0xECE | 0xF71..=0xF87 | 0xF8D..=0xFBC | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF
        | 0x302A..=0x302F | 0x3099..=0x309A | 0xA66F..=0xA67D | 0xFE20..=0xFE2F
    )
}

/// Whether a character leaves the paper white and takes room on it.
fn is_blank(character: char) -> bool {
    // The last ones are letters and symbols without ink.
    character.is_whitespace()
        || matches!(character, '\u{2800}' | '\u{FFFC}' | '\u{3164}' | '\u{FFA0}' | '\u{115F}' | '\u{1160}')
}

/// The stretches of a text, in its order.
pub(crate) fn marks(text: &str) -> Vec<Mark<'_>> {
    let mut found = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let blank = is_blank(character);
        let rest = text.get(at..).unwrap_or_default();
        let hidden = is_hidden(character);
        let piling = !hidden && is_piling(character);
        if !blank && !hidden && !piling {
            at += character.len_utf8();
            continue;
        }
        let alike = |other: char| match (blank, piling) {
            (true, _) => is_blank(other),
            (_, true) => is_piling(other) && !is_hidden(other),
            _ => other == character,
        };
        let end = at + rest.find(|other| !alike(other)).unwrap_or(rest.len());
        let run = text.get(at..end).unwrap_or_default();
        let count = run.chars().count();
        if (blank && run.len() == 1 && !hidden) || (piling && count <= PILED) {
            at = end;
            continue;
        }
        if plain < at {
            found.push(Mark::Plain(text.get(plain..at).unwrap_or_default()));
        }
        match (blank, piling) {
            (true, _) => blanks(run, at == 0, &mut found),
            (_, true) => found.push(Mark::Piled(count)),
            _ => found.push(Mark::Hidden(character, count)),
        }
        (plain, at) = (end, end);
    }
    if plain < text.len() {
        found.push(Mark::Plain(text.get(plain..).unwrap_or_default()));
    }
    found
}

/// A run of blanks: padding, or what it is made of.
fn blanks<'t>(run: &'t str, first: bool, found: &mut Vec<Mark<'t>>) {
    // What indents the next line stays: nothing is pushed far by it.
    let line = run.rfind('\n').map_or(0, |at| at + 1);
    let (head, indent) = run.split_at_checked(line).unwrap_or((run, ""));
    let indents = (first || line > 0)
        && indent.len() <= INDENT
        && indent.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    let (head, indent) = if indents { (head, indent) } else { (run, "") };
    let count = head.chars().count();
    let lines = head.bytes().filter(|byte| *byte == b'\n').count();
    let one = head.chars().next().filter(|one| is_hidden(*one) && head.chars().all(|other| other == *one));
    match one {
        Some(one) => found.push(Mark::Hidden(one, count)),
        None if lines >= LINES => found.push(Mark::Lines(lines)),
        None if count >= SPACES => found.push(Mark::Spaces(count)),
        None => singly(head, found),
    }
    if !indent.is_empty() {
        found.push(Mark::Plain(indent));
    }
}

/// Each hidden character by itself.
fn singly<'t>(run: &'t str, found: &mut Vec<Mark<'t>>) {
    for part in run.split_inclusive(is_hidden) {
        let hidden = part.chars().next_back().filter(|last| is_hidden(*last));
        let plain = hidden.map_or(part.len(), |hidden| part.len() - hidden.len_utf8());
        if plain > 0 {
            found.push(Mark::Plain(part.get(..plain).unwrap_or_default()));
        }
        match (hidden, found.last_mut()) {
            (None, _) => {}
            (Some(hidden), Some(Mark::Hidden(last, times))) if *last == hidden && plain == 0 => *times += 1,
            (Some(hidden), _) => found.push(Mark::Hidden(hidden, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Mark<'_>]) {
        assert_eq!(marks(text), expected, "{text:?}");
    }

    #[test]
    fn r20_padding_is_counted_and_what_follows_stays() {
        for space in [' ', '\t'] {
            let text = ["a", &space.to_string().repeat(8), "b"].concat();
            check(&text, &[Mark::Plain("a"), Mark::Spaces(8), Mark::Plain("b")]);
        }
        for space in ['\u{A0}', '\u{2003}', '\u{3000}', '\u{3164}'] {
            let text = ["a", &space.to_string().repeat(300), "b"].concat();
            check(&text, &[Mark::Plain("a"), Mark::Hidden(space, 300), Mark::Plain("b")]);
        }
        let text = ["a", &"\n".repeat(5000), "b"].concat();
        check(&text, &[Mark::Plain("a"), Mark::Lines(5000), Mark::Plain("b")]);
        let text = ["a", &" \n".repeat(50), " b"].concat();
        check(&text, &[Mark::Plain("a"), Mark::Lines(50), Mark::Plain(" "), Mark::Plain("b")]);
        let text = ["a", &" \u{A0}\u{2800}".repeat(50), "b"].concat();
        check(&text, &[Mark::Plain("a"), Mark::Spaces(150), Mark::Plain("b")]);
        let text = ["a\n", &" ".repeat(41), "b"].concat();
        check(&text, &[Mark::Plain("a"), Mark::Spaces(42), Mark::Plain("b")]);
    }

    #[test]
    fn r19_marks_that_pile_up_are_counted_and_what_is_written_keeps_its_own() {
        let piled = ["a", &"\u{301}\u{489}".repeat(50), "\u{34F}\u{323}b"].concat();
        let joiner = Mark::Hidden('\u{34F}', 1);
        check(&piled, &[Mark::Plain("a"), Mark::Piled(100), joiner, Mark::Plain("\u{323}b")]);
        check("\u{E48}\u{E48}\u{E48}\u{E48}\u{E48}", &[Mark::Piled(5)]);
        for written in
            ["Vie\u{302}\u{323}t", "שָׁלוֹם", "اَلْعَرَبِيَّةُ", "ที่นี่", "བསྒྲུབས", "e\u{301}\u{302}\u{303}\u{304}"]
        {
            check(written, &[Mark::Plain(written)]);
        }
    }

    #[test]
    fn r20_what_is_written_in_lines_stays_as_it_is() {
        check(
            "a b\tc\n\n  d",
            &[Mark::Plain("a b\tc"), Mark::Plain("\n\n"), Mark::Plain("  "), Mark::Plain("d")],
        );
        check(
            "a\n            b",
            &[Mark::Plain("a"), Mark::Plain("\n"), Mark::Plain("            "), Mark::Plain("b")],
        );
        check("a       b", &[Mark::Plain("a"), Mark::Plain("       "), Mark::Plain("b")]);
        check("a\n\n\nb", &[Mark::Plain("a"), Mark::Plain("\n\n\n"), Mark::Plain("b")]);
    }

    #[test]
    fn r18_the_place_of_an_object_is_counted_as_what_it_is() {
        check("a\u{FFFC}b", &[Mark::Plain("a"), Mark::Hidden('\u{FFFC}', 1), Mark::Plain("b")]);
        check(
            "a\u{FFFC}\u{FFFC} b",
            &[Mark::Plain("a"), Mark::Hidden('\u{FFFC}', 2), Mark::Plain(" "), Mark::Plain("b")],
        );
    }

    #[test]
    fn r18_hidden_characters_stand_by_themselves() {
        check("a\u{202E}b", &[Mark::Plain("a"), Mark::Hidden('\u{202E}', 1), Mark::Plain("b")]);
        check("\u{200B}\u{200B}\u{AD}", &[Mark::Hidden('\u{200B}', 2), Mark::Hidden('\u{AD}', 1)]);
        check(
            "a\u{A0} b\r\n",
            &[
                Mark::Plain("a"),
                Mark::Hidden('\u{A0}', 1),
                Mark::Plain(" "),
                Mark::Plain("b"),
                Mark::Hidden('\r', 1),
                Mark::Plain("\n"),
            ],
        );
        check("", &[]);
    }
}
