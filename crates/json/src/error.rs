//! Why a text is not JSON, and where.

use std::fmt;

/// Why a text could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub code: ParseErrorCode,
    /// Where it is wrong: an offset into the text, in bytes.
    pub at: usize,
}

/// What makes a text unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorCode {
    /// The text starts with a byte order mark.
    ByteOrderMark,
    /// A string holds an unescaped character below U+0020.
    ControlCharacter,
    /// After `{` stands neither a key nor `}`.
    ExpectedKeyOrBrace,
    /// After `,` in an object stands no key.
    ExpectedKey,
    /// After a key stands no `:`.
    ExpectedColon,
    /// After a member stands neither `,` nor `}`.
    ExpectedCommaOrBrace,
    /// After an item stands neither `,` nor `]`.
    ExpectedCommaOrBracket,
    /// Where a value belongs stands something else.
    ExpectedValue,
    /// A string holds a `\` that starts no escape of JSON.
    InvalidEscape,
    /// A word is not `true`, `false` or `null`.
    InvalidLiteral,
    /// A number lacks a digit.
    InvalidNumber,
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// A number has zeros in front.
    LeadingZero,
    /// `NaN` and `Infinity` are not JSON.
    NotFinite,
    /// More containers around one another than the limit allows.
    TooDeep,
    /// More bytes than the limit or the memory allows.
    TooLarge,
    /// More values than the limit allows.
    TooManyValues,
    /// Something follows after the value.
    TrailingText,
    /// The text ends in the middle of a value.
    UnexpectedEnd,
    /// A string has no closing quote; `at` is its opening one.
    UnterminatedString,
}

impl ParseErrorCode {
    /// The stable name in kebab-case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte-order-mark",
            Self::ControlCharacter => "control-character",
            Self::ExpectedKeyOrBrace => "expected-key-or-brace",
            Self::ExpectedKey => "expected-key",
            Self::ExpectedColon => "expected-colon",
            Self::ExpectedCommaOrBrace => "expected-comma-or-brace",
            Self::ExpectedCommaOrBracket => "expected-comma-or-bracket",
            Self::ExpectedValue => "expected-value",
            Self::InvalidEscape => "invalid-escape",
            Self::InvalidLiteral => "invalid-literal",
            Self::InvalidNumber => "invalid-number",
            Self::InvalidUtf8 => "invalid-utf-8",
            Self::LeadingZero => "leading-zero",
            Self::NotFinite => "not-finite",
            Self::TooDeep => "too-deep",
            Self::TooLarge => "too-large",
            Self::TooManyValues => "too-many-values",
            Self::TrailingText => "trailing-text",
            Self::UnexpectedEnd => "unexpected-end",
            Self::UnterminatedString => "unterminated-string",
        }
    }

    /// What is wrong, in a few words: lowercase and without a full stop.
    pub fn message(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "unexpected byte order mark",
            Self::ControlCharacter => "unescaped control character in a string",
            Self::ExpectedKeyOrBrace => "expected a key or `}`",
            Self::ExpectedKey => "expected a key",
            Self::ExpectedColon => "expected `:`",
            Self::ExpectedCommaOrBrace => "expected `,` or `}`",
            Self::ExpectedCommaOrBracket => "expected `,` or `]`",
            Self::ExpectedValue => "expected a value",
            Self::InvalidEscape => "invalid escape in a string",
            Self::InvalidLiteral => "expected `true`, `false` or `null`",
            Self::InvalidNumber => "expected a digit",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::LeadingZero => "unexpected leading zero",
            Self::NotFinite => "expected a finite number",
            Self::TooDeep => "too many levels",
            Self::TooLarge => "too many bytes",
            Self::TooManyValues => "too many values",
            Self::TrailingText => "expected the end of the text",
            Self::UnexpectedEnd => "unexpected end of the text",
            Self::UnterminatedString => "expected a closing quote for the string",
        }
    }
}

impl fmt::Display for ParseErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl ParseError {
    pub(crate) fn new(code: ParseErrorCode, at: usize) -> Self {
        ParseError { code, at }
    }

    /// The line in `text`, the text that was parsed; the first line is 1.
    pub fn line(&self, text: &str) -> usize {
        self.before(text).iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The column in `text`, the text that was parsed, in characters; the first column is 1.
    pub fn column(&self, text: &str) -> usize {
        let line = self.before(text).iter().rev().take_while(|byte| **byte != b'\n');
        // The bytes 0x80 to 0xBF continue a character.
        line.filter(|byte| **byte & 0xC0 != 0x80).count() + 1
    }

    fn before<'t>(&self, text: &'t str) -> &'t [u8] {
        text.as_bytes().get(..self.at).unwrap_or(text.as_bytes())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.code.message(), self.at)
    }
}

impl std::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_and_column_count_from_one_and_in_characters() {
        let error = ParseError::new(ParseErrorCode::ExpectedColon, 7);
        assert_eq!((error.line("{\n\"ä\" 1"), error.column("{\n\"ä\" 1")), (2, 5));
        let first = ParseError::new(ParseErrorCode::ExpectedValue, 0);
        assert_eq!((first.line(""), first.column("")), (1, 1));
    }

    #[test]
    fn an_error_reads_as_one_line_with_its_place() {
        let error = ParseError::new(ParseErrorCode::ExpectedCommaOrBrace, 41);
        assert_eq!(error.to_string(), "expected `,` or `}` at byte 41");
    }
}
