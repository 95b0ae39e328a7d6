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

/// Ranges of marks: where each begins, and in the last byte how many follow. What is not assigned between two is part of
/// them.
///
/// Source: Unicode 17, `DerivedGeneralCategory.txt`.
#[rustfmt::skip]
const PILING: &[u32] = &[
    0x3006F, 0x48306, 0x5912C, 0x5BF00, 0x5C101, 0x5C401, 0x5C702, 0x6100A, 0x64B14, 0x67000, 0x6D606,
    0x6DF05, 0x6E701, 0x6EA03, 0x71100, 0x7301A, 0x7A60A, 0x7EB08, 0x7FD00, 0x81603, 0x81B08, 0x82502,
    0x82904, 0x85902, 0x89708, 0x8CA38, 0x93A00, 0x93C00, 0x94107, 0x94D00, 0x95106, 0x96201, 0x98100,
    0x9BC00, 0x9C103, 0x9CD00, 0x9E201, 0x9FE04, 0xA3C00, 0xA4110, 0xA7001, 0xA7500, 0xA8101, 0xABC00,
    0xAC107, 0xACD00, 0xAE201, 0xAFA07, 0xB3C00, 0xB3F00, 0xB4103, 0xB4D09, 0xB6201, 0xB8200, 0xBC000,
    0xBCD00, 0xC0000, 0xC0400, 0xC3C00, 0xC3E02, 0xC4610, 0xC6201, 0xC8100, 0xCBC00, 0xCBF00, 0xCC600,
    0xCCC01, 0xCE201, 0xD0001, 0xD3B01, 0xD4103, 0xD4D00, 0xD6201, 0xD8100, 0xDCA00, 0xDD204, 0xE3100,
    0xE3406, 0xE4707, 0xEB100, 0xEB408, 0xEC806, 0xF1801, 0xF3500, 0xF3700, 0xF3900, 0xF710D, 0xF8004,
    0xF8601, 0xF8D2F, 0xFC600, 0x102D03, 0x103205, 0x103901, 0x103D01, 0x105801, 0x105E02, 0x107103, 0x108200,
    0x108501, 0x108D00, 0x109D00, 0x135D02, 0x171202, 0x173201, 0x175201, 0x177201, 0x17B706, 0x17C600, 0x17C90A,
    0x17DD00, 0x188501, 0x18A900, 0x192002, 0x192701, 0x193200, 0x193902, 0x1A1701, 0x1A1B00, 0x1A5600, 0x1A5808,
    0x1A6200, 0x1A6507, 0x1A730C, 0x1AB053, 0x1B3400, 0x1B3604, 0x1B3C00, 0x1B4200, 0x1B6B08, 0x1B8001, 0x1BA203,
    0x1BA801, 0x1BAB02, 0x1BE600, 0x1BE801, 0x1BED00, 0x1BEF02, 0x1C2C07, 0x1C3601, 0x1CD002, 0x1CD40C, 0x1CE206,
    0x1CED00, 0x1CF400, 0x1CF801, 0x1DC03F, 0x20D020, 0x2CEF02, 0x2D7F00, 0x2DE01F, 0x302A03, 0x309901, 0xA66F03,
    0xA67409, 0xA69E01, 0xA6F001, 0xA80200, 0xA80600, 0xA80B00, 0xA82501, 0xA82C00, 0xA8C401, 0xA8E011, 0xA8FF00,
    0xA92607, 0xA9470A, 0xA98002, 0xA9B300, 0xA9B603, 0xA9BC01, 0xA9E500, 0xAA2905, 0xAA3101, 0xAA3501, 0xAA4300,
    0xAA4C00, 0xAA7C00, 0xAAB000, 0xAAB202, 0xAAB701, 0xAABE01, 0xAAC100, 0xAAEC01, 0xAAF600, 0xABE500, 0xABE800,
    0xABED00, 0xFB1E00, 0xFE200F, 0x101FD00, 0x102E000, 0x1037604, 0x10A010E, 0x10A3807, 0x10AE501, 0x10D2403, 0x10D6904,
    0x10EAB01, 0x10ECB04, 0x10EF00F, 0x10F460A, 0x10F8203, 0x1100100, 0x110380E, 0x1107000, 0x1107301, 0x1107F02, 0x110B303,
    0x110B901, 0x110C200, 0x1110002, 0x1112704, 0x1112D07, 0x1117300, 0x1118001, 0x111B608, 0x111C903, 0x111CF00, 0x1122F02,
    0x1123400, 0x1123601, 0x1123E00, 0x1124100, 0x112DF00, 0x112E307, 0x1130001, 0x1133B01, 0x1134000, 0x113660E, 0x113BB05,
    0x113CE00, 0x113D000, 0x113D200, 0x113E101, 0x1143807, 0x1144202, 0x1144600, 0x1145E00, 0x114B305, 0x114BA00, 0x114BF01,
    0x114C201, 0x115B203, 0x115BC01, 0x115BF01, 0x115DC01, 0x1163307, 0x1163D00, 0x1163F01, 0x116AB00, 0x116AD00, 0x116B005,
    0x116B700, 0x1171D00, 0x1171F00, 0x1172203, 0x1172704, 0x1182F08, 0x1183901, 0x1193B01, 0x1193E00, 0x1194300, 0x119D407,
    0x119E000, 0x11A0109, 0x11A3305, 0x11A3B03, 0x11A4700, 0x11A5105, 0x11A5902, 0x11A8A0C, 0x11A9801, 0x11B6000, 0x11B6202,
    0x11B6600, 0x11C300D, 0x11C3F00, 0x11C9215, 0x11CAA06, 0x11CB201, 0x11CB501, 0x11D3114, 0x11D4700, 0x11D9001, 0x11D9500,
    0x11D9700, 0x11DF000, 0x11EF301, 0x11F0001, 0x11F3604, 0x11F4000, 0x11F4200, 0x11F5A00, 0x1344000, 0x134470E, 0x1611E0B,
    0x1612D02, 0x16AF004, 0x16B3006, 0x16F4F00, 0x16F8F03, 0x16FE400, 0x1BC9D01, 0x1CF0046, 0x1D12701, 0x1D16702, 0x1D17B07,
    0x1D18506, 0x1D1AA03, 0x1D24202, 0x1D25B01, 0x1DA0036, 0x1DA3B31, 0x1DA7500, 0x1DA8400, 0x1DA9B14, 0x1E0002A, 0x1E08F00,
    0x1E13006, 0x1E2AE00, 0x1E2EC03, 0x1E4EC03, 0x1E5EE01, 0x1E6E300, 0x1E6E600, 0x1E6EE01, 0x1E6F500, 0x1E8D006, 0x1E94406,
];

/// Whether a character is drawn above, below or through the one before it.
///
/// These are the marks that take no room of their own (Mn, Me), save the hidden ones.
pub(crate) fn is_piling(character: char) -> bool {
    let code = u32::from(character);
    // Most text ends here.
    if code < 0x300 {
        return false;
    }
    let after = PILING.partition_point(|range| range >> 8 <= code);
    let range = after.checked_sub(1).and_then(|at| PILING.get(at));
    range.is_some_and(|range| code - (range >> 8) <= range & 0xFF)
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
    fn r19_every_mark_without_room_of_its_own_piles_up_and_nothing_else() {
        use icu_properties::CodePointMapData;
        use icu_properties::props::GeneralCategory as Category;
        let categories = CodePointMapData::<Category>::new();
        for character in (0..=0x10_FFFF).filter_map(char::from_u32).filter(|one| !is_hidden(*one)) {
            let expected = match categories.get(character) {
                Category::NonspacingMark | Category::EnclosingMark => true,
                Category::Unassigned => continue,
                _ => false,
            };
            assert_eq!(is_piling(character), expected, "U+{:04X}", u32::from(character));
        }
        check(&["Q", &"\u{DCA}".repeat(200)].concat(), &[Mark::Plain("Q"), Mark::Piled(200)]);
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
