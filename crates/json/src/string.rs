//! Strings: finding their end, and what their escapes stand for.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::error::{ParseError, ParseErrorCode as Code};

/// Where a string ends, and whether it holds a backslash.
pub(crate) struct Scanned {
    pub(crate) end: usize,
    pub(crate) escaped: bool,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Reads the string whose opening quote is at `start`.
#[inline(always)]
pub(crate) fn scan(bytes: &[u8], start: usize) -> Result<Scanned, ParseError> {
    let end = plain(bytes, start + 1);
    match bytes.get(end) {
        Some(b'"') => Ok(Scanned { end: end + 1, escaped: false }),
        _ => scan_rest(bytes, start, end),
    }
}

/// Goes on at `at`, where something other than a plain character or the closing quote stands.
#[inline(never)]
fn scan_rest(bytes: &[u8], start: usize, mut at: usize) -> Result<Scanned, ParseError> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(Scanned { end: at + 1, escaped: true }),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at = plain(bytes, at + 2),
                Some(b'u') if hex(bytes, at + 2).is_some() => at = plain(bytes, at + 6),
                Some(_) => return Err(ParseError::new(Code::InvalidEscape, at)),
                None => return Err(ParseError::new(Code::UnterminatedString, start)),
            },
            Some(_) => return Err(ParseError::new(Code::ControlCharacter, at)),
            None => return Err(ParseError::new(Code::UnterminatedString, start)),
        }
    }
}

/// The first quote, backslash or control character at or after `start`, eight bytes at a time.
#[inline(always)]
pub(crate) fn plain(bytes: &[u8], start: usize) -> usize {
    let mut rest = bytes.get(start..).unwrap_or_default();
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        // With its second bit turned, a quote stands right above the control characters: both are below 0x21.
        let quote_or_control = word ^ (ONES * 0x02);
        let backslash = word ^ (ONES * b'\\' as u64);
        // The high bit of a byte is set where subtracting borrowed: exact up to the first hit.
        let hits = (quote_or_control.wrapping_sub(ONES * 0x21) | backslash.wrapping_sub(ONES)) & !word & HIGH;
        if hits != 0 {
            return bytes.len() - rest.len() + (hits.trailing_zeros() / 8) as usize;
        }
        rest = tail;
    }
    let tail = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)).unwrap_or(rest.len());
    bytes.len() - rest.len() + tail
}

/// Whether two runs of bytes are the same, eight bytes at a time: in wasm the library compares each byte.
#[inline]
#[must_use]
pub fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    // The last eight bytes, which may overlap with those before them, spare a look at each byte that is left.
    let (Some(left_last), Some(right_last)) = (left.last_chunk::<8>(), right.last_chunk::<8>()) else {
        return left.iter().zip(right).all(|(a, b)| a == b);
    };
    if u64::from_le_bytes(*left_last) != u64::from_le_bytes(*right_last) {
        return false;
    }
    let (mut left, mut right) = (left, right);
    while let (Some((a, left_tail)), Some((b, right_tail))) =
        (left.split_first_chunk::<8>(), right.split_first_chunk::<8>())
    {
        if u64::from_le_bytes(*a) != u64::from_le_bytes(*b) {
            return false;
        }
        (left, right) = (left_tail, right_tail);
    }
    true
}

/// The value of four hexadecimal digits.
fn hex(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at.checked_add(4)?)?;
    digits.iter().try_fold(0, |sum, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(sum << 4 | value as u16)
    })
}

/// A stretch of a string's content.
#[derive(Clone, Copy)]
pub(crate) enum Piece<'t> {
    /// Stands in the source as it is.
    Plain(&'t str),
    /// An escape, or a pair of escapes.
    Escape(char),
    /// An escape that is half of a pair.
    Lone(u16),
}

/// The content of a string, piece by piece.
#[derive(Clone)]
pub(crate) struct Pieces<'t> {
    rest: &'t str,
}

/// Takes a string's source, without its quotes, apart. The source has been checked by [`scan`].
pub(crate) fn pieces(source: &str) -> Pieces<'_> {
    Pieces { rest: source }
}

impl<'t> Pieces<'t> {
    fn skip(&mut self, len: usize) {
        self.rest = self.rest.get(len..).unwrap_or_default();
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        let bytes = self.rest.as_bytes();
        // Between escapes there is neither a quote nor a control character, so this stops at a backslash.
        let end = plain(bytes, 0);
        if end > 0 {
            let piece = self.rest.get(..end)?;
            self.skip(end);
            return Some(Piece::Plain(piece));
        }
        let escaped = *bytes.get(1)?;
        let (piece, len) = match escaped {
            b'u' => unicode(bytes),
            b'b' => (Piece::Escape('\u{8}'), 2),
            b'f' => (Piece::Escape('\u{c}'), 2),
            b'n' => (Piece::Escape('\n'), 2),
            b'r' => (Piece::Escape('\r'), 2),
            b't' => (Piece::Escape('\t'), 2),
            other => (Piece::Escape(char::from(other)), 2),
        };
        self.skip(len);
        Some(piece)
    }
}

/// The escape `\uXXXX` at the start of `bytes`, or two of them that belong together, and its length.
fn unicode<'t>(bytes: &[u8]) -> (Piece<'t>, usize) {
    let first = hex(bytes, 2).unwrap_or(0xFFFD);
    let second = if bytes.get(6..8) == Some(b"\\u") { hex(bytes, 8) } else { None };
    let mut pair = char::decode_utf16([first].into_iter().chain(second));
    match pair.next() {
        Some(Ok(character)) => (Piece::Escape(character), if character > '\u{FFFF}' { 12 } else { 6 }),
        _ => (Piece::Lone(first), 6),
    }
}

/// The content of a string; `None` if it holds a lone surrogate.
pub(crate) fn unescape(source: &str) -> Option<String> {
    let mut content = String::with_capacity(source.len());
    for piece in pieces(source) {
        match piece {
            Piece::Plain(text) => content.push_str(text),
            Piece::Escape(character) => content.push(character),
            Piece::Lone(_) => return None,
        }
    }
    Some(content)
}

/// The content of a string, with U+FFFD for each lone surrogate.
pub(crate) fn unescape_lossy(source: &str) -> String {
    let mut content = String::with_capacity(source.len());
    for piece in pieces(source) {
        match piece {
            Piece::Plain(text) => content.push_str(text),
            Piece::Escape(character) => content.push(character),
            Piece::Lone(_) => content.push(char::REPLACEMENT_CHARACTER),
        }
    }
    content
}

/// Whether a string's content is exactly `text`.
pub(crate) fn equals(source: &str, text: &str) -> bool {
    let mut rest = text;
    for piece in pieces(source) {
        match after(rest, piece) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}

/// Whether a string's content starts with `text`.
pub(crate) fn starts_with(source: &str, text: &str) -> bool {
    let mut rest = text;
    for piece in pieces(source) {
        match after(rest, piece) {
            Some(after) => rest = after,
            None => {
                return matches!(piece, Piece::Plain(plain) if plain.starts_with(rest)) || rest.is_empty();
            }
        }
    }
    rest.is_empty()
}

/// What is left of `text` behind this piece.
fn after<'t>(text: &'t str, piece: Piece<'_>) -> Option<&'t str> {
    match piece {
        Piece::Plain(plain) => text.strip_prefix(plain),
        Piece::Escape(character) => text.strip_prefix(character),
        Piece::Lone(_) => None,
    }
}

/// Orders two strings by their content, code point by code point; lone surrogates count as such.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    code_points(left).cmp(code_points(right))
}

fn code_points(source: &str) -> impl Iterator<Item = u32> {
    pieces(source).flat_map(|piece| {
        let (plain, single) = match piece {
            Piece::Plain(text) => (text, None),
            Piece::Escape(character) => ("", Some(u32::from(character))),
            Piece::Lone(unit) => ("", Some(u32::from(unit))),
        };
        plain.chars().map(u32::from).chain(single)
    })
}

/// The first `most` characters of `text`, for a message: what is cut off is told by `…`.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_is_found_at_every_offset() {
        for stop in [b'"', b'\\', 0x00, 0x1F, b'\n'] {
            for offset in 0..40 {
                // The bytes around each stop are those that a careless trick with carries confuses with it.
                let mut bytes = [0x21, 0x23, 0x20, 0x5B, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF].repeat(5);
                bytes[offset] = stop;
                assert_eq!(plain(&bytes, 0), offset, "{stop} at {offset}");
            }
        }
        assert_eq!(plain(b"abcdefghijk", 0), 11);
        assert_eq!(plain(b"abc", 9), 3);
    }

    #[test]
    fn every_byte_is_told_apart_also_beside_its_neighbours() {
        for before in [0x20, 0x21, 0x22 ^ 0x80, 0x5D, 0x7F, 0xFF_u8] {
            for byte in 0..=0xFF_u8 {
                let is_stop = matches!(byte, b'"' | b'\\' | 0..=0x1F);
                let bytes = [before, before, byte, 0x61, 0x20, 0x23, 0x7E, 0x80, b'"'];
                assert_eq!(plain(&bytes, 0), if is_stop { 2 } else { 8 }, "{byte:x} after {before:x}");
            }
        }
    }

    #[test]
    fn bytes_are_the_same_to_the_last_one() {
        for len in 0..40 {
            let bytes: Vec<u8> = (0..len).collect();
            assert!(
                same_bytes(&bytes, &bytes.clone()) && !same_bytes(&bytes, &[bytes.as_slice(), &[0]].concat())
            );
            for at in 0..bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 0x40;
                assert!(!same_bytes(&bytes, &other), "{at} of {len}");
            }
        }
    }

    #[test]
    fn escapes_stand_for_what_json_says() {
        let source = r#"a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\uDE00z"#;
        assert_eq!(unescape(source).as_deref(), Some("a\"\\/\u{8}\u{c}\n\r\tAé😀z"));
        assert!(equals(source, "a\"\\/\u{8}\u{c}\n\r\tAé😀z"));
        assert!(!equals(source, "a\"\\/\u{8}\u{c}\n\r\tAé😀"));
        assert!(!equals(source, "a\"\\/\u{8}\u{c}\n\r\tAé😀zz"));
    }

    #[test]
    fn lone_surrogates_are_told_apart_and_never_become_text() {
        for lone in
            [r"\ud800", r"\udc00", r"\ud800x", r"\ud800\ud800", r"\udc00\ud800", r"\ud83d\n", r"\ud83d\u0041"]
        {
            assert_eq!(unescape(lone), None, "{lone}");
            assert!(!equals(lone, &unescape_lossy(lone)), "{lone}");
        }
        assert_eq!(unescape_lossy(r"\ud83d\u0041"), "\u{FFFD}A");
        assert_eq!(unescape_lossy(r"\ud800\ud83d\ude00"), "\u{FFFD}😀");
        assert_eq!(compare(r"\ud800", r"\ud801"), Ordering::Less);
        assert_eq!(compare(r"\ud800", r"\ufffd"), Ordering::Less);
        assert_eq!(compare(r"\u0061b", "ab"), Ordering::Equal);
    }

    #[test]
    fn a_long_text_is_shortened_between_characters() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüx", 3), "äöü…");
    }
}
