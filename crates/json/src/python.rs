//! A value as Python prints it: `repr` of what its JSON reader makes of the text.

use crate::float;
use crate::string::{self, Piece};
use crate::value::{Kind, Value};
use crate::walk::{Step, Walk};

/// What Python does not print, but for most of what Unicode has not assigned: controls, formats, spaces other than the
/// space, private use, surrogates and noncharacters.
const UNPRINTED: &[(u32, u32)] = &[
    (0, 0x1F),
    (0x7F, 0xA0),
    (0xAD, 0xAD),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x1680, 0x1680),
    (0x180E, 0x180E),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x3000, 0x3000),
    (0xD800, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0x1FFFE, 0x1FFFF),
    (0x2FFFE, 0x2FFFF),
    (0x3FFFE, 0xE00FF),
    (0xE01F0, 0x0010_FFFF),
];

/// The value in Python's notation: `{'a': 1.5, 'b': [True, None]}`.
///
/// Integers stay digit for digit; other numbers are what a 64-bit float holds, in its shortest form.
#[must_use]
pub fn python(value: Value<'_>) -> String {
    let mut text = String::with_capacity(value.span().len());
    let mut is_due = false;
    for step in Walk::new(value) {
        if let Step::Close(container) = step {
            text.push(if container.is_object() { '}' } else { ']' });
            is_due = true;
            continue;
        }
        if is_due {
            text.push_str(", ");
        }
        is_due = match step {
            Step::Open(container) => {
                text.push(if container.is_object() { '{' } else { '[' });
                false
            }
            Step::Key(key) => {
                push_string(&mut text, key.source().unwrap_or_default());
                text.push_str(": ");
                false
            }
            Step::Leaf(leaf) | Step::Close(leaf) => {
                push_leaf(&mut text, leaf);
                true
            }
        };
    }
    text
}

#[inline(never)]
fn push_leaf(text: &mut String, leaf: Value<'_>) {
    match leaf.kind() {
        Kind::String => push_string(text, leaf.source().unwrap_or_default()),
        Kind::Number => float::push_python(text, leaf.text()),
        _ => text.push_str(match leaf.as_bool() {
            Some(true) => "True",
            Some(false) => "False",
            None => "None",
        }),
    }
}

/// Writes a string from its JSON source, in single quotes unless that needs an escape that double quotes do not.
#[inline(never)]
fn push_string(text: &mut String, source: &str) {
    let has = |wanted: char| {
        string::pieces(source).any(|piece| match piece {
            Piece::Plain(plain) => plain.contains(wanted),
            Piece::Escape(character) => character == wanted,
            Piece::Lone(_) => false,
        })
    };
    let quote = if has('\'') && !has('"') { '"' } else { '\'' };
    text.push(quote);
    for piece in string::pieces(source) {
        match piece {
            Piece::Plain(plain) => {
                for character in plain.chars() {
                    push_character(text, u32::from(character), quote);
                }
            }
            Piece::Escape(character) => push_character(text, u32::from(character), quote),
            Piece::Lone(half) => push_character(text, u32::from(half), quote),
        }
    }
    text.push(quote);
}

#[inline(never)]
fn push_character(text: &mut String, code: u32, quote: char) {
    let unprinted = UNPRINTED.iter().any(|(first, last)| (*first..=*last).contains(&code));
    match char::from_u32(code) {
        Some('\n') => text.push_str("\\n"),
        Some('\r') => text.push_str("\\r"),
        Some('\t') => text.push_str("\\t"),
        Some(character) if !unprinted => {
            if character == quote || character == '\\' {
                text.push('\\');
            }
            text.push(character);
        }
        _ => {
            let (letter, digits) = match code {
                0..=0xFF => ('x', 2),
                0x100..=0xFFFF => ('u', 4),
                _ => ('U', 8),
            };
            text.push('\\');
            text.push(letter);
            for place in (0..digits).rev() {
                text.push(char::from_digit(code >> (4 * place) & 0xF, 16).unwrap_or('0'));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Limits};

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let document = Document::parse(json, &Limits::default()).unwrap();
        assert_eq!(python(document.root()), expected, "{json}");
    }

    #[test]
    fn containers_and_words_are_pythons() {
        check(
            r#" {"a":null,"b":[true,false,[],{}],"c":{"d":{}},"e":1} "#,
            "{'a': None, 'b': [True, False, [], {}], 'c': {'d': {}}, 'e': 1}",
        );
        check("[[1],[2]]", "[[1], [2]]");
        check("{}", "{}");
        check("null", "None");
    }

    #[test]
    fn quotes_are_single_unless_only_double_ones_need_no_escape() {
        check(r#""it's""#, r#""it's""#);
        check(r#""say \"x\"""#, r#"'say "x"'"#);
        check(r#""it's \"b\"""#, r#"'it\'s "b"'"#);
        check(r#"{"it's":""}"#, r#"{"it's": ''}"#);
    }

    #[test]
    fn what_python_does_not_print_is_escaped() {
        check(r#""\\ \n\t\r\u0000\u007f\b/""#, r"'\\ \n\t\r\x00\x7f\x08/'");
        check(
            "\"ü 漢 🔧 \u{200b}\u{202e}\u{a0}\u{e000}\u{e0001}\u{10ffff}\"",
            r"'ü 漢 🔧 \u200b\u202e\xa0\ue000\U000e0001\U0010ffff'",
        );
        check(r#""\ud800 \udc00\ud83d\ude00""#, r"'\ud800 \udc00😀'");
    }

    #[test]
    fn what_is_escaped_here_the_library_does_not_print_either() {
        for (first, last) in UNPRINTED {
            for character in (*first..=*last).filter_map(char::from_u32) {
                let shown = format!("a{character}").escape_debug().count() == 2;
                assert!(!shown, "{:x}", u32::from(character));
            }
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
        check(&deep, &deep);
    }
}
