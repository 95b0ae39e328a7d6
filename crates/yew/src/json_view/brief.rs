//! Arguments in one line.

use std::borrow::Cow;

use countersign_core::lookalike::odd;
use countersign_core::secret::{called_secret, masked_json, secret_members};
use countersign_json::{Document, Limits, Value};
use yew::prelude::*;

use super::survey::Survey;
use crate::fold::split;
use crate::messages::Messages;
use crate::node::{Tag, list, words};
use crate::text::{name, visible};

/// How much of a value a brief shows, in characters.
const BRIEF: usize = 56;

/// The first argument and the count of the others, for one line. Secrets are masked, also what the schema calls so.
pub(crate) fn brief(text: &str, schema: Option<&str>, messages: &Messages) -> Html {
    let Ok(document) = Document::parse(text, &Limits::default()) else {
        return words(messages.not_json());
    };
    let mut members = document.root().members();
    let Some((key, value)) = members.next() else {
        return Html::default();
    };
    let key = key.as_str().unwrap_or(Cow::Borrowed(key.text()));
    let is_called = || {
        let called = called_secret(schema, document.root());
        called.iter().any(|span| span.contains(&value.span().start))
    };
    let source = match (value.is_object(), value.is_array()) {
        (true, _) if !value.is_empty() => Cow::Owned(messages.fields(value.len())),
        (_, true) if !value.is_empty() => Cow::Owned(messages.items(value.len())),
        _ if secret_members(document.root())(&key) || is_called() => Cow::Borrowed("••••••••"),
        _ => unescaped(masked_json(value.text())),
    };
    let (head, between, _) = split(&source, BRIEF, 0);
    let others = members.count();
    // The code around it is read from left to right, our words as they are.
    let also = |text: String| {
        let text = Tag::new("bdi", "").words(text).html();
        list(vec![words(messages.separator()), text])
    };
    let mut brief = vec![name(&key, false), words(" "), visible(head)];
    if between > 0 {
        brief.push(words("…"));
        brief.push(also(messages.characters_more(between)));
    }
    if others > 0 {
        brief.push(also(messages.more(others)));
    }
    list(brief)
}

/// Whether one line says all that runs: no mask in it hides what may be no secret, and no letter is to be told.
pub(crate) fn is_brief(text: &str, schema: Option<&str>) -> bool {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return false };
    let mut members = document.root().members();
    let is_odd = |text: Value<'_>| text.as_str().is_some_and(|text| odd(&text, false).is_some());
    let is_short = |(key, value): (Value<'_>, Value<'_>)| {
        let is_short = !value.is_object() && !value.is_array() && value.text().chars().count() <= BRIEF;
        is_short && !is_odd(key) && !is_odd(value)
    };
    members.next().is_none_or(is_short)
        && members.next().is_none()
        && document.root().is_object()
        && !Survey::of(text, schema).odd_secret
}

/// A string without escapes, still between quotes; anything else as it is.
fn unescaped(text: Cow<'_, str>) -> Cow<'_, str> {
    let content = Document::parse(&text, &Limits::default()).ok().and_then(|document| {
        let content = document.root().as_str()?;
        Some(["\"", &content, "\""].concat())
    });
    content.map_or(text, Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r24_a_line_with_a_mask_over_what_may_be_no_secret_does_not_say_all() {
        let schema = r#"{"properties":{"run":{"format":"password"}}}"#;
        assert!(!is_brief(r#"{"run":"reboot"}"#, Some(schema)));
        assert!(!is_brief(r#"{"token":"/etc/passwd"}"#, None));
        assert!(is_brief(r#"{"run":"reboot"}"#, None));
        assert!(is_brief(r#"{"password":"hunter2!"}"#, Some(schema)));
    }

    #[test]
    fn r21_a_line_of_which_a_letter_is_to_be_told_does_not_say_all() {
        assert!(!is_brief(r#"{"p\u0430th":2}"#, None));
        assert!(!is_brief(r#"{"path":"/etc/p\u0430sswd"}"#, None));
        assert!(is_brief(r#"{"path":"/größe"}"#, None));
    }
}
