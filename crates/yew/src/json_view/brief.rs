//! Arguments in one line.

use std::borrow::Cow;

use countersign_core::lookalike::odd;
use countersign_core::secret::{called_secret, masked_json, secret_members};
use countersign_json::{Document, Limits, Value};
use yew::prelude::*;

use super::asides::has_asides;
use super::survey::Survey;
use crate::fold::{shortened, split};
use crate::messages::Messages;
use crate::node::{Tag, list, words};
use crate::text::{code, name};

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
    let mut brief = vec![name(&shortened(&key), false), words(" "), code(head)];
    if between > 0 {
        brief.push(words("…"));
        brief.push(also(messages.characters_more(between)));
    }
    if others > 0 {
        brief.push(also(messages.more(others)));
    }
    list(brief)
}

/// Whether one line says all that runs: no mask in it hides what may be no secret, and nothing is to be told of it, such
/// as where an address leads that does not say so itself.
pub(crate) fn is_brief(text: &str, schema: Option<&str>) -> bool {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return false };
    let mut members = document.root().members();
    let is_odd = |text: Value<'_>| text.as_str().is_some_and(|text| odd(&text, false).is_some());
    let survey = Survey::of(text, schema);
    let is_short = |(key, value): (Value<'_>, Value<'_>)| {
        let is_short = |value: Value<'_>| value.text().chars().count() <= BRIEF;
        let name = key.as_str();
        let is_told = || value.as_str().is_some_and(|content| has_asides(name.as_deref(), &content));
        // What its look alone calls a secret may be to whom something is paid.
        let is_named = || {
            !survey.called.is_empty()
                || name.as_deref().is_some_and(|name| secret_members(document.root())(name))
        };
        let is_value = !value.is_object() && !value.is_array();
        is_value
            && is_short(key)
            && is_short(value)
            && !is_odd(key)
            && !is_odd(value)
            && (survey.secrets.is_empty() || is_named())
            && !is_told()
    };
    members.next().is_none_or(is_short)
        && members.next().is_none()
        && document.root().is_object()
        && !survey.odd_secret
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
    fn r24_a_line_with_a_mask_that_rests_on_a_look_does_not_say_all() {
        for value in [
            "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
            "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
            "ghp_0123456789abcdefgh",
        ] {
            let of = |key: &str| ["{\"", key, "\":\"", value, "\"}"].concat();
            assert!(!is_brief(&of("to"), None), "{value}");
        }
        assert!(is_brief(r#"{"to":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe0"}"#, None));
        assert!(is_brief(r#"{"token":"ghp_0123456789abcdefgh"}"#, None));
    }

    #[test]
    fn r21_a_line_with_an_address_of_which_something_is_told_does_not_say_all() {
        for value in ["https://google.com@evil.example/", "http://192.168.0.1/x", "javascript:alert(1)"] {
            assert!(!is_brief(&["{\"url\":\"", value, "\"}"].concat(), None), "{value}");
        }
        assert!(!is_brief(&["{\"", &"k".repeat(100), "\":1}"].concat(), None));
    }

    #[test]
    fn r21_a_plain_address_says_itself_where_it_leads() {
        let brief = |value: &str| is_brief(&["{\"url\":\"", value, "\"}"].concat(), None);
        for plain in ["https://docs.example.com/a?b=c#d", "http://Example.com", "get https://a.example/x"] {
            assert!(brief(plain), "{plain}");
        }
        for told in [
            "https://example.com:8443/",
            "https://me@example.com/",
            "https://evil.example#@good.example/",
            "https://evil.example?https://good.example/",
            "https:\\\\evil.example",
            "https://ok.example;a.evil.example/",
            "http://8.8.8.8/",
            "http://0x7f000001/",
            "http://[2001:db8::1]/",
            "http://localhost/",
            "https://xn--pple-43d.com/",
            "https://\u{430}pple.com/",
            "https://ex%61mple.com/",
            "ssh://example.com/",
            "mailto:me@example.com",
        ] {
            assert!(!brief(told), "{told}");
        }
    }

    #[test]
    fn r21_a_line_of_which_a_letter_is_to_be_told_does_not_say_all() {
        assert!(!is_brief(r#"{"p\u0430th":2}"#, None));
        assert!(!is_brief(r#"{"path":"/etc/p\u0430sswd"}"#, None));
        assert!(is_brief(r#"{"path":"/größe"}"#, None));
    }
}
