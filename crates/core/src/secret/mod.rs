//! What looks like a secret, so that it can be masked where it is shown, copied or recorded.
//!
//! A guess in both directions: it keeps secrets off screens and out of files, it protects nothing else. What is sent and
//! what is hashed is never masked.

mod assigned;
mod key;
mod schema;
mod text;

use std::borrow::Cow;
use std::ops::Range;

use countersign_json::{Document, Limits, Value};

pub use key::{is_secret_place, names_secret, secret_children, secret_members};
pub use schema::called_secret;
pub use text::{is_pem, secrets_in};

/// A secret in a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands in the text, in bytes; of a string without the quotes.
    pub span: Range<usize>,
    /// How many characters it has; escapes count as what they stand for.
    pub characters: usize,
    /// It is a string, or a part of one.
    pub quoted: bool,
    /// Nothing but the mix of its characters says that it is one: it could be an address to which something is paid.
    pub guessed: bool,
}

/// Where something beside names and contents says that values are secret, in order. Behind a pointer, so that a build in
/// which nothing but these is asked carries no more.
type Called<'c> = &'c dyn Fn(Value<'_>) -> Vec<Range<usize>>;

/// The secrets in a JSON text, in its order: what stands under a key that names one, and what looks like one by itself.
///
/// A string with escapes is a secret as a whole where a part of it is. In a text that is not JSON only what looks like a
/// secret by itself is found.
#[must_use]
pub fn secrets_in_json(text: &str) -> Vec<Secret> {
    secrets_under(false, text, &|_| Vec::new())
}

/// The same for arguments, with what their schema calls secret.
#[must_use]
pub fn secrets_in_args(text: &str, schema: Option<&str>) -> Vec<Secret> {
    secrets_under(false, text, &|args| called_secret(schema, args))
}

/// The same for a text that stands under a key; `named`: the key names a secret.
fn secrets_under(named: bool, text: &str, called: Called<'_>) -> Vec<Secret> {
    let Ok(document) = Document::parse(text, &Limits::default()) else {
        let found = secrets_in(text).into_iter();
        let told = text::told_in(text);
        let secret = |span: Range<usize>| Secret {
            characters: count(text, &span),
            guessed: !told.contains(&span),
            span,
            quoted: true,
        };
        return found.map(secret).collect();
    };
    let called = called(document.root());
    let mut secrets = Vec::new();
    // Values that are still to be looked at, the next one last, and whether a key around them names a secret.
    let mut open = vec![(document.root(), named)];
    while let Some((value, named)) = open.pop() {
        let is_called = || called.binary_search_by_key(&value.span().start, |span| span.start).is_ok();
        let named = named || is_called();
        let first = open.len();
        let is_secret = secret_children(value);
        for (key, member) in value.members() {
            let named = named || key.as_str_lossy().is_some_and(|key| is_secret(Some(&key), 0));
            open.push((member, named));
        }
        for (at, item) in value.items().enumerate() {
            open.push((item, named || is_secret(None, at)));
        }
        if let Some(pushed) = open.get_mut(first..) {
            pushed.reverse();
        }
        in_value(value, named, &mut secrets);
    }
    secrets
}

/// The secrets in a value that is no container.
fn in_value(value: Value<'_>, named: bool, secrets: &mut Vec<Secret>) {
    let Range { start, end } = value.span();
    let Some(content) = value.as_str_lossy() else {
        if named && value.as_number().is_some() {
            secrets.push(Secret { span: start..end, characters: end - start, quoted: false, guessed: false });
        }
        return;
    };
    let whole = start + 1..end - 1;
    if content.is_empty() {
        return;
    }
    let parts = if named { Vec::new() } else { secrets_in(&content) };
    let told = if parts.is_empty() { Vec::new() } else { text::told_in(&content) };
    let is_guessed = |part: &Range<usize>| !told.contains(part);
    // Without escapes the content stands in the text as it is.
    let escaped = content.len() != whole.len();
    if named || (escaped && !parts.is_empty()) {
        let guessed = parts.iter().any(is_guessed);
        secrets.push(Secret { span: whole, characters: content.chars().count(), quoted: true, guessed });
        return;
    }
    for part in parts {
        let (characters, guessed) = (count(&content, &part), is_guessed(&part));
        let span = whole.start + part.start..whole.start + part.end;
        secrets.push(Secret { span, characters, quoted: true, guessed });
    }
}

fn count(text: &str, span: &Range<usize>) -> usize {
    text.get(span.clone()).map_or(0, |part| part.chars().count())
}

/// The text with a mask in place of each secret: `[24 characters masked]`.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    let spans = secrets_in(text);
    let secret =
        |span: Range<usize>| Secret { characters: count(text, &span), span, quoted: true, guessed: false };
    replaced(text, spans.into_iter().map(secret).collect())
}

/// The JSON text with a mask in place of each secret. It stays JSON: a mask is a string, or a part of one.
#[must_use]
pub fn masked_json(text: &str) -> Cow<'_, str> {
    masked_under(false, text)
}

/// The JSON text of arguments, with a mask also over what their schema calls secret.
#[must_use]
pub fn masked_args<'t>(text: &'t str, schema: Option<&str>) -> Cow<'t, str> {
    replaced(text, secrets_in_args(text, schema))
}

/// The JSON text of one value, masked. With `named`, its key [names a secret](names_secret), so all of it is masked.
#[must_use]
pub fn masked_under(named: bool, text: &str) -> Cow<'_, str> {
    replaced(text, secrets_under(named, text, &|_| Vec::new()))
}

fn replaced(text: &str, secrets: Vec<Secret>) -> Cow<'_, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for Secret { span, characters, quoted, .. } in secrets {
        masked.push_str(text.get(done..span.start).unwrap_or_default());
        let quote = if quoted { "" } else { "\"" };
        let count = characters.to_string();
        let noun = if characters == 1 { " character masked]" } else { " characters masked]" };
        for part in [quote, "[", &count, noun, quote] {
            masked.push_str(part);
        }
        done = span.end;
    }
    masked.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AWS: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

    #[test]
    fn r24_what_stands_under_a_telling_key_is_masked_with_its_length() {
        for key in ["password", "token", "api_key", "authorization", "X-API-Key", "clientSecret"] {
            let text = ["{\"", key, "\":\"hunter2\",\"n\":1.00}"].concat();
            let masked = masked_json(&text);
            assert_eq!(masked, ["{\"", key, "\":\"[7 characters masked]\",\"n\":1.00}"].concat());
        }
    }

    #[test]
    fn r24_what_a_name_beside_it_calls_secret_is_masked_and_the_name_is_not() {
        for [name, value] in [["name", "value"], ["key", "value"], ["header", "value"], ["Name", "Value"]] {
            let pair =
                |of: &str, to: &str| ["{\"", value, "\":\"", to, "\",\"", name, "\":\"", of, "\"}"].concat();
            let text = ["[", &pair("X-Api-Key", "hunter2"), ",", &pair("path", "/a"), "]"].concat();
            let expected =
                ["[", &pair("X-Api-Key", "[7 characters masked]"), ",", &pair("path", "/a"), "]"].concat();
            assert_eq!(masked_json(&text), expected);
        }
    }

    #[test]
    fn r24_what_an_item_before_it_names_is_masked() {
        for (text, masked) in [
            (
                r#"{"args":["--user","bob","--password","Sommer2026!"]}"#,
                r#"{"args":["--user","bob","--password","[11 characters masked]"]}"#,
            ),
            (
                r#"{"headers":[["Authorization","Basic YWxhZGRpbjpvcGVuc2VzYW1l"],["Accept","a/b2"]]}"#,
                r#"{"headers":[["Authorization","[30 characters masked]"],["Accept","a/b2"]]}"#,
            ),
        ] {
            assert_eq!(masked_json(text), masked);
        }
        for open in [r#"{"args":["--password-file","/etc/x1"]}"#, r#"{"tags":["password","reset"]}"#] {
            assert_eq!(masked_json(open), open);
        }
    }

    #[test]
    fn r24_what_looks_like_a_secret_is_masked_wherever_it_stands() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
        let pem = r"-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n";
        for secret in [AWS, jwt, pem] {
            let text = ["[\"", secret, "\"]"].concat();
            assert!(masked_json(&text).contains("characters masked]"), "{secret}");
            assert!(!masked_json(&text).contains(secret.get(..20).unwrap_or_default()), "{secret}");
        }
    }

    #[test]
    fn r24_only_the_secret_part_of_a_text_is_masked() {
        let text = ["{\"command\":\"aws configure set key ", AWS, " && ls\"}"].concat();
        assert_eq!(masked_json(&text), r#"{"command":"aws configure set key [40 characters masked] && ls"}"#);
    }

    #[test]
    fn r24_everything_under_a_telling_key_is_secret_and_the_mask_stays_json() {
        let text = r#"{"credentials":{"user":"me","pin":1234,"on":true},"a":[null,""]}"#;
        let masked = masked_json(text);
        assert_eq!(
            masked,
            r#"{"credentials":{"user":"[2 characters masked]","pin":"[4 characters masked]","on":true},"a":[null,""]}"#
        );
        assert!(Document::parse(&masked, &Limits::default()).is_ok());
    }

    #[test]
    fn r24_what_a_schema_calls_secret_is_masked_under_any_name() {
        let schema = r#"{"properties":{"door":{"format":"password"},"safe":{"writeOnly":true},"open":{"type":"boolean"}}}"#;
        let text = r#"{"door":"1234","safe":{"left":7,"open":true},"open":true}"#;
        assert_eq!(
            masked_args(text, Some(schema)),
            r#"{"door":"[4 characters masked]","safe":{"left":"[1 character masked]","open":true},"open":true}"#
        );
        assert_eq!(masked_args(text, None), text);
    }

    #[test]
    fn r24_the_length_counts_what_escapes_stand_for() {
        let secrets = secrets_in_json(r#"{"password":"a\u202eb\n"}"#);
        assert_eq!(secrets, [Secret { span: 13..23, characters: 4, quoted: true, guessed: false }]);
    }

    #[test]
    fn r24_what_nothing_but_its_mix_tells_is_a_guess() {
        let guessed = |text: &str| -> Vec<bool> {
            secrets_in_json(text).into_iter().map(|secret| secret.guessed).collect()
        };
        assert_eq!(guessed(&["{\"to\":\"", AWS, "\"}"].concat()), [true]);
        assert_eq!(guessed(&["{\"to\":\"\\u0061 ", AWS, "\"}"].concat()), [true]);
        assert_eq!(guessed(&["pay ", AWS].concat()), [true]);
        assert_eq!(guessed(&["{\"token\":\"", AWS, "\"}"].concat()), [false]);
        assert_eq!(guessed(&["[\"SECRET_KEY=", AWS, " ls\"]"].concat()), [false]);
        assert_eq!(guessed(r#"["ghp_0123456789abcdefgh"]"#), [false]);
    }

    #[test]
    fn what_holds_no_secret_stays_as_it_is() {
        for text in [r#"{"path":"/a","n":[1,{"token":""}]}"#, "no JSON", "{}"] {
            assert!(matches!(masked_json(text), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(masked_json("not JSON: password=hunter2"), "not JSON: password=[7 characters masked]");
    }
}
