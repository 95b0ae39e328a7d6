//! What a whole text holds, found once.

use std::ops::Range;

use countersign_core::secret::{Secret, called_secret, secrets_in_args};
use countersign_json::{Document, Limits, Value};

use crate::escapes::count_hidden;

/// What a whole text holds.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// How many hidden characters its strings and keys hold, at any depth.
    pub(super) hidden: usize,
    /// Its secrets.
    pub(super) secrets: Vec<Secret>,
    /// Where the values stand that its schema calls secret.
    pub(super) called: Vec<Range<usize>>,
    /// It is too long to be looked at here.
    pub(super) too_large: bool,
    /// It is so long, or holds so much, that a file is a better place to read it.
    pub(super) long: bool,
}

/// From this length a text can be saved, in bytes.
const LONG: usize = 64 << 10;

impl Survey {
    /// What `text` holds, which this schema describes if there is one.
    pub(super) fn of(text: &str, schema: Option<&str>) -> Survey {
        let too_large = text.len() > Limits::ARGUMENTS.bytes;
        let long = text.len() > LONG;
        if too_large {
            return Survey { too_large, long, ..Survey::default() };
        }
        let document = Document::parse(text, &Limits::default());
        let many = document.as_ref().is_ok_and(|document| document.node_count() > Limits::ARGUMENTS.nodes);
        let called =
            document.as_ref().map(|document| called_secret(schema, document.root())).unwrap_or_default();
        let hidden = document.map_or_else(|_| count_hidden(text), |document| hidden(&document));
        Survey { hidden, secrets: secrets_in_args(text, schema), called, too_large, long: long || many }
    }
}

/// How many hidden characters all strings and keys hold.
fn hidden(document: &Document<'_>) -> usize {
    // Without escapes and beyond ASCII nothing can be hidden but in plain sight of a byte.
    let text = document.text();
    if text.is_ascii() && !text.contains('\\') && !text.contains('\u{7F}') {
        return 0;
    }
    let count = |value: Value<'_>| value.as_str_lossy().map_or(0, |text| count_hidden(&text));
    let mut hidden = 0;
    let mut open = vec![document.root()];
    while let Some(value) = open.pop() {
        hidden += count(value);
        for (key, member) in value.members() {
            hidden += count(key);
            open.push(member);
        }
        open.extend(value.items());
    }
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r18_hidden_characters_are_counted_where_escapes_hide_them() {
        assert_eq!(Survey::of(r#"{"a\u200b":"\u202ex"}"#, None).hidden, 2);
        assert_eq!(Survey::of("{\"a\":\"\u{202E}\"}", None).hidden, 1);
        assert_eq!(Survey::of("{\"a\":\"\u{7F}\"}", None).hidden, 1);
        assert_eq!(Survey::of("{\n  \"a\": \"\\n\" }", None).hidden, 0);
        let deep = ["[".repeat(1000), "\"\\u202e\"".to_owned(), "]".repeat(1000)].concat();
        assert_eq!(Survey::of(&deep, None).hidden, 1);
    }

    #[test]
    fn r14_what_is_too_large_is_not_searched() {
        let survey = Survey::of(&["\"", &"x".repeat(1 << 20), "\""].concat(), None);
        assert!(survey.too_large && survey.long && survey.secrets.is_empty());
        let many = Survey::of(&["[", &"0,".repeat(10_000), "0]"].concat(), None);
        assert!(many.long && !many.too_large);
    }
}
