//! How characters are shown that cannot be seen as what they are.

pub use countersign_core::lookalike::is_hidden;

use crate::marks::{Mark, marks};

/// The visible form of a hidden character: `\u{202E}`.
pub(crate) fn chip(character: char) -> String {
    let digits = u32::from(character);
    let mut text = String::from("\\u{");
    let mut started = false;
    for shift in (0..6).rev() {
        let digit = (digits >> (shift * 4)) & 0xF;
        started = started || digit != 0 || shift == 0;
        if started {
            text.extend(char::from_digit(digit, 16).map(|digit| digit.to_ascii_uppercase()));
        }
    }
    text.push('}');
    text
}

/// The text with every hidden character in its visible form, and padding counted; for accessible names and announcements.
#[must_use]
pub fn escaped(text: &str) -> String {
    marks(text).into_iter().map(Mark::text).collect()
}

/// How many hidden characters there are.
pub(crate) fn count_hidden(text: &str) -> usize {
    text.chars().filter(|character| is_hidden(*character)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r18_a_chip_names_the_code_point() {
        assert_eq!(chip('\u{202E}'), "\\u{202E}");
        assert_eq!(chip('\0'), "\\u{0}");
        assert_eq!(chip('\u{10FFFF}'), "\\u{10FFFF}");
        assert_eq!(escaped("a\u{202E}b\u{A0}c"), "a\\u{202E}b\\u{A0}c");
        assert_eq!(count_hidden("a\u{202E}b\u{A0}c\n"), 2);
    }

    #[test]
    fn r20_padding_is_counted_where_it_is_heard_as_where_it_is_seen() {
        let padded = ["read", &" ".repeat(60), &"\n".repeat(20), "delete_all"].concat();
        assert_eq!(escaped(&padded), "read↵ × 20delete_all");
        assert_eq!(escaped(&["a", &" ".repeat(30), "z"].concat()), "a␣ × 30z");
        assert_eq!(escaped(&["a", &"\u{A0}".repeat(40), "z"].concat()), "a\\u{A0} × 40z");
    }
}
