//! Secrets that can be told by the name that they are assigned to.

use std::ops::Range;

use super::key::names_secret;

/// How much of an assigned value is masked, in bytes.
const ASSIGNED: usize = 1024;

/// How far a capital letter is looked for, in bytes.
const CAPITAL: usize = 32;

/// Where assigned values end: assignments may stand in one another.
#[derive(Default)]
pub(super) struct Values {
    bare: Next,
    quoted: Next,
    digits: Next,
}

impl Values {
    /// What is assigned to a telling name by the sign at this place: `TOKEN=…`, `Authorization: Bearer …`,
    /// `"password":"…"`, and by a space to an option: `--password …`.
    pub(super) fn assigned(&mut self, text: &str, at: usize, sign: u8, found: &mut Vec<Range<usize>>) {
        let is_quote = |character| matches!(character, '"' | '\'' | '\\');
        let Some((before, after)) = text.split_at_checked(at) else { return };
        let before = before.trim_end_matches(is_quote);
        let is_of_name =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        let name = before.len() - before.trim_end_matches(is_of_name).len();
        let name = before.get(before.len() - name..).unwrap_or_default();
        if !(3..=64).contains(&name.len()) || !names_secret(name) || (sign == b' ' && !is_option(name)) {
            return;
        }
        // Behind `NAME= ` a shell runs what follows.
        let is_between = |character| {
            is_quote(character) || matches!(character, '=' | ':') || (sign != b'=' && character == ' ')
        };
        let mut value = after.trim_start_matches(is_between);
        let behind = behind_scheme(value);
        value = behind.unwrap_or(value);
        // So does what begins another option.
        if value.starts_with(['$', '<', '{', '%', '(', '[']) || (sign == b' ' && value.starts_with('-')) {
            return;
        }
        let start = text.len() - value.len();
        let read = text.as_bytes().get(..start).unwrap_or_default();
        let quote = read.last().filter(|byte| matches!(byte, b'"' | b'\''));
        let quotes = |quote| read.iter().rev().take_while(|byte| *byte == quote).count();
        let is_bare = quote.is_none_or(|quote| quotes(quote) % 2 == 0);
        // What a shell would run is no part of a secret.
        let ends = |(at, character): (usize, char)| match character {
            ',' | ';' | '&' | '}' | ')' => true,
            '|' | '<' | '>' | '(' => is_bare,
            '$' => text.as_bytes().get(at + 1) == Some(&b'('),
            '`' => true,
            _ => character.is_whitespace() || is_quote(character),
        };
        let next = if is_bare { &mut self.bare } else { &mut self.quoted };
        let end = next.from(text, start, &ends).min(start + value.floor_char_boundary(ASSIGNED));
        // A word after a colon is mostly prose, and one after an option or a scheme may be what runs.
        let enough = match sign {
            b'=' if behind.is_none() => end - start >= 4,
            _ => {
                let mut has_digit =
                    || self.digits.from(text, start, &|(_, digit)| digit.is_ascii_digit()) < end;
                let is_authorization =
                    || behind.is_some() && name.to_ascii_lowercase().ends_with("authorization");
                let has_capital =
                    || is_authorization() && has_inner_capital(text.get(start..end).unwrap_or_default());
                end - start >= 6 && (has_digit() || has_capital())
            }
        };
        if enough {
            found.push(start..end);
        }
    }
}

/// Whether what follows this option is a secret. Some say where one is to be read.
pub(super) fn is_option(name: &str) -> bool {
    name.starts_with("--") && !["-stdin", "-file"].iter().any(|end| name.ends_with(end)) && names_secret(name)
}

/// Whether a text in a list that follows the name of a secret looks like one, and like nothing that is run or read.
pub(super) fn is_value(text: &str) -> bool {
    let value = behind_scheme(text).unwrap_or(text);
    let is_of_command =
        |sign: char| sign.is_whitespace() || matches!(sign, '`' | '|' | ';' | '<' | '>' | '(' | '{');
    value.len() >= 6
        && !value.starts_with(['-', '$', '%', '[', '/', '.', '~'])
        && !value.contains(is_of_command)
        && (value.bytes().any(|byte| byte.is_ascii_digit()) || has_inner_capital(value))
}

/// What follows the scheme of an `Authorization` that a text begins with.
fn behind_scheme(text: &str) -> Option<&str> {
    ["bearer ", "basic ", "token ", "apikey ", "digest "].iter().find_map(|scheme| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    })
}

/// Whether a capital letter stands behind the beginning, as in few words and nearly all Base64.
fn has_inner_capital(text: &str) -> bool {
    text.bytes().take(CAPITAL).skip(1).any(|byte| byte.is_ascii_uppercase())
}

/// Where the next character of a kind stands. No part of a text is searched twice.
#[derive(Default)]
struct Next {
    /// From where to where none was found.
    searched: Range<usize>,
    #[cfg(test)]
    looked: usize,
}

impl Next {
    /// The place of the first one from here on, or the end of the text.
    fn from(&mut self, text: &str, start: usize, is: &dyn Fn((usize, char)) -> bool) -> usize {
        if !self.searched.contains(&start) {
            let rest = text.get(start..).unwrap_or_default();
            let found = rest.char_indices().find(|(at, character)| is((start + at, *character)));
            self.searched = start..start + found.map_or(rest.len(), |(at, _)| at);
            #[cfg(test)]
            {
                self.looked += self.searched.len() + 1;
            }
        }
        self.searched.end
    }
}

#[cfg(test)]
mod tests {
    use super::super::secrets_in;
    use super::*;

    #[test]
    fn r14_no_part_of_a_text_is_searched_twice_for_the_ends_of_values() {
        for part in [
            "token=",
            "token:",
            "token=$",
            "token='",
            "token=\"\"",
            "token='a|token=b",
            "password:x",
            "token:1",
            "token=a|",
            "--token a",
            "--token \"a ",
            "--token --token ",
        ] {
            let text = part.repeat(20_000 / part.len());
            let (mut values, mut found) = (Values::default(), Vec::new());
            for (at, byte) in text.bytes().enumerate() {
                if matches!(byte, b'=' | b':' | b' ') {
                    values.assigned(&text, at, byte, &mut found);
                }
            }
            let looked =
                [values.bare, values.quoted, values.digits].iter().map(|next| next.looked).sum::<usize>();
            assert!(looked <= 4 * text.len(), "{part}: {looked} of {}", text.len());
        }
        let value = "a".repeat(3000);
        for (text, masked) in [
            (["token=", &value].concat(), 6..6 + ASSIGNED),
            (["token=token=", &value].concat(), 6..12 + ASSIGNED),
        ] {
            assert_eq!(secrets_in(&text), [masked]);
        }
    }
}
