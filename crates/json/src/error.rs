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

/// Declares the codes: `Variant "name" "message";`.
macro_rules! codes {
    ($($(#[doc = $about:literal])* $code:ident $name:literal $message:literal;)*) => {
        /// What makes a text unreadable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ParseErrorCode {
            $($(#[doc = $about])* $code,)*
        }

        impl ParseErrorCode {
            /// Every code.
            pub const ALL: &[ParseErrorCode] = &[$(Self::$code),*];

            /// The stable name in kebab-case.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }

            /// What is wrong, in a few words: lowercase and without a full stop.
            pub fn message(self) -> &'static str {
                match self {
                    $(Self::$code => $message,)*
                }
            }
        }
    };
}

codes! {
    /// The text starts with a byte order mark.
    ByteOrderMark "byte-order-mark" "unexpected byte order mark";
    /// A string holds an unescaped character below U+0020.
    ControlCharacter "control-character" "unescaped control character in a string";
    /// After `{` stands neither a key nor `}`.
    ExpectedKeyOrBrace "expected-key-or-brace" "expected a key or `}`";
    /// After `,` in an object stands no key.
    ExpectedKey "expected-key" "expected a key";
    /// After a key stands no `:`.
    ExpectedColon "expected-colon" "expected `:`";
    /// After a member stands neither `,` nor `}`.
    ExpectedCommaOrBrace "expected-comma-or-brace" "expected `,` or `}`";
    /// After an item stands neither `,` nor `]`.
    ExpectedCommaOrBracket "expected-comma-or-bracket" "expected `,` or `]`";
    /// Where a value belongs stands something else.
    ExpectedValue "expected-value" "expected a value";
    /// A string holds a `\` that starts no escape of JSON.
    InvalidEscape "invalid-escape" "invalid escape in a string";
    /// A word is not `true`, `false` or `null`.
    InvalidLiteral "invalid-literal" "expected `true`, `false` or `null`";
    /// A number lacks a digit.
    InvalidNumber "invalid-number" "expected a digit";
    /// The bytes are not UTF-8.
    InvalidUtf8 "invalid-utf-8" "invalid UTF-8";
    /// A number has zeros in front.
    LeadingZero "leading-zero" "unexpected leading zero";
    /// `NaN` and `Infinity` are not JSON.
    NotFinite "not-finite" "expected a finite number";
    /// More containers around one another than the limit allows.
    TooDeep "too-deep" "too many levels";
    /// More bytes than the limit or the memory allows.
    TooLarge "too-large" "too many bytes";
    /// More values than the limit allows.
    TooManyValues "too-many-values" "too many values";
    /// Something follows after the value.
    TrailingText "trailing-text" "expected the end of the text";
    /// The text ends in the middle of a value.
    UnexpectedEnd "unexpected-end" "unexpected end of the text";
    /// A string has no closing quote; `at` is its opening one.
    UnterminatedString "unterminated-string" "expected a closing quote for the string";
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
    #[must_use]
    pub fn line(&self, text: &str) -> usize {
        self.before(text).iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The column in `text`, the text that was parsed, in characters; the first column is 1.
    #[must_use]
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
