//! Regular expressions of ECMAScript, on an engine that takes linear time.
//!
//! The engine knows no look-around, no back-references and no properties of characters. A pattern with one of these is not
//! checked at all: half a pattern would be another one.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use regex_lite::{Regex, RegexBuilder};

/// A pattern that can be looked for.
#[derive(Debug)]
pub(crate) struct Pattern {
    regex: Regex,
    size: usize,
}

/// How many steps of the engine a pattern may come to, counting what is repeated as often as it is.
const MOST: usize = 5_000;
/// How deep groups may stand in one another.
const DEPTH: usize = 40;
/// How many steps of the engine are one of the checker.
const STEPS: usize = 16;

impl Pattern {
    /// `None`: the pattern is none, or the engine cannot do it.
    pub(crate) fn new(source: &str) -> Option<Pattern> {
        let mut translation = Translation { rest: source.chars().peekable(), regex: String::new() };
        let size = translation.pattern()?;
        let mut builder = RegexBuilder::new(&translation.regex);
        let regex = builder.size_limit(1 << 20).build().ok()?;
        Some(Pattern { regex, size })
    }

    /// How many of the checker's steps it takes at most to look for it in a text.
    pub(crate) fn cost(&self, text: &str) -> usize {
        self.size.saturating_mul(text.len()) / STEPS
    }

    /// Whether the pattern is found anywhere in the text.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// What ECMAScript means by `\s`.
const SPACE: &str =
    r"\t\n\x0B\x0C\r\x20\xA0\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";

/// The pattern in ECMAScript that is still to be read, and what it is for the engine.
struct Translation<'p> {
    rest: Peekable<Chars<'p>>,
    regex: String,
}

/// One escape.
enum Escape {
    Character(char),
    /// What the engine has the same letter for.
    Class(char),
}

impl Translation<'_> {
    /// Translates everything; returns the size.
    fn pattern(&mut self) -> Option<usize> {
        // What is open: the size of each group up to here, the innermost last.
        let mut sizes = vec![0_usize];
        // The size of what a quantifier would repeat; 0 where none may stand.
        let mut last = 0;
        while let Some(character) = self.rest.next() {
            let mut atom = 1;
            match character {
                '(' => {
                    self.group()?;
                    sizes.push(0);
                    if sizes.len() > DEPTH {
                        return None;
                    }
                    atom = 0;
                }
                ')' => {
                    atom = sizes.pop()?.max(1);
                    self.regex.push(')');
                }
                '|' | '^' | '$' => {
                    self.regex.push(character);
                    *sizes.last_mut()? += 1;
                    last = 0;
                    continue;
                }
                '*' | '+' | '?' => {
                    last = self.repeated(&mut sizes, last, 2)?;
                    self.regex.push(character);
                    self.lazy();
                    continue;
                }
                '{' => {
                    if let Some(times) = self.counted() {
                        last = self.repeated(&mut sizes, last, times)?;
                        self.lazy();
                        continue;
                    }
                    self.literal('{');
                }
                '.' => self.regex.push_str(r"[^\n\r\u{2028}\u{2029}]"),
                '[' => atom = self.class()?,
                '\\' => match self.rest.peek()? {
                    'b' | 'B' => {
                        let boundary = self.rest.next()?;
                        self.regex.push('\\');
                        self.regex.push(boundary);
                        *sizes.last_mut()? += 1;
                        last = 0;
                        continue;
                    }
                    _ => match self.escape()? {
                        Escape::Character(character) => self.literal(character),
                        Escape::Class(class) => {
                            self.regex.push('[');
                            self.letter(class);
                            self.regex.push(']');
                        }
                    },
                },
                character => self.literal(character),
            }
            *sizes.last_mut()? += atom;
            last = atom;
        }
        let size = sizes.pop()?;
        (sizes.is_empty() && size <= MOST).then_some(size + 1)
    }

    /// Counts the last atom so many times; returns 0, for nothing may be repeated twice.
    fn repeated(&mut self, sizes: &mut [usize], last: usize, times: usize) -> Option<usize> {
        if last == 0 {
            return None;
        }
        let size = sizes.last_mut()?;
        *size = size.checked_add(last.checked_mul(times.max(1))?)?;
        (*size <= MOST).then_some(0)
    }

    fn lazy(&mut self) {
        // Whether a quantifier takes much or little does not change what is found.
        self.rest.next_if_eq(&'?');
    }

    /// Reads what follows the parenthesis of a group. Nothing needs to be remembered of any.
    fn group(&mut self) -> Option<()> {
        self.regex.push_str("(?:");
        if self.rest.next_if_eq(&'?').is_none() {
            return Some(());
        }
        match self.rest.next()? {
            ':' => Some(()),
            '<' if !matches!(self.rest.peek()?, '=' | '!') => {
                self.rest.by_ref().find(|character| *character == '>').map(|_| ())
            }
            _ => None,
        }
    }

    /// Reads the rest of `{n}`, `{n,}` or `{n,m}`, and writes it; returns how often it repeats at most.
    fn counted(&mut self) -> Option<usize> {
        let mut ahead = self.rest.clone();
        let mut number = || {
            let mut digits = String::new();
            while let Some(digit) = ahead.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            let comma = ahead.next();
            (digits, comma)
        };
        let (least, end) = number();
        let (most, end, is_open) = match end {
            Some(',') => {
                let (most, end) = number();
                let is_open = most.is_empty();
                (if is_open { least.clone() } else { most }, end, is_open)
            }
            _ => (least.clone(), end, false),
        };
        if least.is_empty() || end != Some('}') {
            return None;
        }
        self.rest = ahead;
        let separator = if is_open { "," } else { "" };
        // Numbers that are too large are refused with the size.
        let (from, to) = (least.parse::<usize>().ok(), most.parse::<usize>().ok());
        let _ = match (from, to) {
            (Some(from), Some(to)) if from == to => write!(self.regex, "{{{from}{separator}}}"),
            (Some(from), Some(to)) => write!(self.regex, "{{{from},{to}}}"),
            _ => Ok(()),
        };
        Some(to.unwrap_or(usize::MAX).saturating_add(usize::from(is_open)))
    }

    /// Reads a class after its opening bracket; returns its size.
    fn class(&mut self) -> Option<usize> {
        let is_negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            // Nothing, or everything.
            self.regex.push_str(if is_negated { r"[\s\S]" } else { r"[^\s\S]" });
            return Some(1);
        }
        self.regex.push_str(if is_negated { "[^" } else { "[" });
        let mut size = 4;
        loop {
            size += 1;
            match self.class_item()? {
                None => break,
                Some(Escape::Class(class)) => self.letter(class),
                Some(Escape::Character(from)) => {
                    self.code(from);
                    let mut ahead = self.rest.clone();
                    if ahead.next() == Some('-') && ahead.peek().is_some_and(|next| *next != ']') {
                        self.rest.next();
                        match self.class_item()?? {
                            Escape::Character(to) if from <= to => {
                                self.regex.push('-');
                                self.code(to);
                            }
                            _ => return None,
                        }
                    }
                }
            }
        }
        self.regex.push(']');
        Some(size / 4)
    }

    /// Reads one item of a class; the inner `None` is its end.
    fn class_item(&mut self) -> Option<Option<Escape>> {
        Some(Some(match self.rest.next()? {
            ']' => return Some(None),
            '\\' if self.rest.next_if_eq(&'b').is_some() => Escape::Character('\u{8}'),
            '\\' if self.rest.next_if_eq(&'-').is_some() => Escape::Character('-'),
            '\\' => self.escape()?,
            character => Escape::Character(character),
        }))
    }

    /// Reads an escape after its backslash.
    fn escape(&mut self) -> Option<Escape> {
        Some(Escape::Character(match self.rest.next()? {
            class @ ('d' | 'D' | 'w' | 'W' | 's' | 'S') => return Some(Escape::Class(class)),
            't' => '\t',
            'n' => '\n',
            'v' => '\u{B}',
            'f' => '\u{C}',
            'r' => '\r',
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => '\0',
            'c' => {
                let letter = self.rest.next().filter(char::is_ascii_alphabetic)?;
                char::from(letter as u8 & 0x1F)
            }
            'x' => char::from_u32(self.digits(2)?)?,
            'u' => self.unicode()?,
            // Another letter or digit has a meaning that the engine does not know, or none.
            other if other.is_ascii_alphanumeric() => return None,
            other => other,
        }))
    }

    /// Reads `XXXX`, two of them that belong together, or `{X}`, after `\u`.
    fn unicode(&mut self) -> Option<char> {
        if self.rest.next_if_eq(&'{').is_some() {
            let mut digits = String::new();
            loop {
                match self.rest.next()? {
                    '}' => break,
                    digit => digits.push(digit),
                }
            }
            return char::from_u32(u32::from_str_radix(&digits, 16).ok()?);
        }
        let first = u16::try_from(self.digits(4)?).ok()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(u32::from(first));
        }
        self.rest.next_if_eq(&'\\')?;
        self.rest.next_if_eq(&'u')?;
        let second = u16::try_from(self.digits(4)?).ok()?;
        char::decode_utf16([first, second]).next()?.ok()
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        (0..count).try_fold(0, |sum, _| Some(sum * 16 + self.rest.next()?.to_digit(16)?))
    }

    /// A class by its letter; within brackets.
    fn letter(&mut self, class: char) {
        match class {
            's' => self.regex.push_str(SPACE),
            // What is left out between the spaces.
            'S' => self.regex.push_str(
                r"\x00-\x08\x0E-\x1F\x21-\x9F\u{A1}-\u{167F}\u{1681}-\u{1FFF}\u{200B}-\u{2027}\u{202A}-\u{202E}\u{2030}-\u{205E}\u{2060}-\u{2FFF}\u{3001}-\u{FEFE}\u{FF00}-\u{10FFFF}",
            ),
            class => {
                self.regex.push('\\');
                self.regex.push(class);
            }
        }
    }

    fn literal(&mut self, character: char) {
        if character.is_ascii_alphanumeric() { self.regex.push(character) } else { self.code(character) }
    }

    /// A character by its number, which means nothing else anywhere.
    fn code(&mut self, character: char) {
        // Writing to a string cannot fail.
        let _ = write!(self.regex, "\\x{{{:X}}}", u32::from(character));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: Option<bool>) {
        let found = Pattern::new(pattern).map(|pattern| pattern.is_in(text));
        assert_eq!(found, expected, "{pattern} in {text:?}");
    }

    #[test]
    fn patterns_mean_what_ecmascript_says() {
        for (pattern, text, expected) in [
            ("^a+$", "aaa", true),
            ("a", "xay", true),
            ("^$", "", true),
            ("^a$", "a\n", false),
            ("^.$", "\r", false),
            ("^.$", "\u{2028}", false),
            ("^.$", "😀", true),
            (r"^\d$", "৪", false),
            (r"^\w$", "é", false),
            (r"^\W$", "é", true),
            (r"^\s$", "\u{a0}", true),
            (r"^\s$", "\u{feff}", true),
            (r"^\S$", "\u{3000}", false),
            (r"^\S$", "x", true),
            (r"^[^\s]$", "\u{2029}", false),
            (r"^[\S]$", "\u{85}", true),
            (r"^\cJ$", "\n", true),
            (r"^\cj$", "\n", true),
            (r"^\u0061\x62\/$", "ab/", true),
            (r"^\ud83d\ude00$", "😀", true),
            (r"^\u{1F600}$", "😀", true),
            (r"^\0$", "\0", true),
            (r"^[\b]$", "\u{8}", true),
            (r"\bfoo\b", "a foo b", true),
            (r"^[a-c\-.&&[]+$", "ab-.&[", true),
            (r"^[^]$", "\n", true),
            (r"[]", "a", false),
            (r"^a{2}$", "aa", true),
            (r"^a{2}$", "aaa", false),
            (r"^a{2,}$", "aaaa", true),
            (r"^a{2,3}$", "aaaa", false),
            (r"^a{,3}$", "a{,3}", true),
            (r"^{$", "{", true),
            (r"^(?<year>\d{4})-(\d\d)$", "2026-01", true),
            (r"^(?:a|b)*?c$", "abac", true),
            (r"^\p$", "p", false),
        ] {
            let expected = if pattern == r"^\p$" { None } else { Some(expected) };
            check(pattern, text, expected);
        }
    }

    #[test]
    fn what_the_engine_cannot_do_is_no_pattern() {
        for pattern in [
            "(?=a)",
            "(?!a)",
            "(?<=a)",
            "(?<!a)",
            r"(a)\1",
            r"(?<n>a)\k<n>",
            r"\p{L}",
            r"\P{L}",
            r"^\a$",
            r"\Z",
            "(?i)a",
            "(",
            ")",
            "[",
            "[b-a]",
            "a**",
            "*",
            r"\",
            r"\ud800",
            r"\u12",
            r"\01",
            "a{99999999999999999999}",
            "(a{100}){100}",
            "((((a{9}){9}){9}){9}){9}",
        ] {
            check(pattern, "", None);
        }
        check(&"(".repeat(100_000), "", None);
        check(&format!("{}a{}", "(".repeat(60), ")".repeat(60)), "", None);
    }
}
