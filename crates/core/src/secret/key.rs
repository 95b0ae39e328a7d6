//! Names under which secrets stand.

use countersign_json::Value;

/// Wherever these stand in a name.
const WITHIN: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "apikey",
    "secret",
    "credential",
    "authorization",
    "privatekey",
    "accesskey",
    "signingkey",
    "encryptionkey",
];

/// Where a name ends with these.
const AT_END: &[&str] = &["token", "pwd", "cvv", "cvc", "otp", "cookie", "jwt", "auth", "bearer"];

/// Names that end so tell about a secret and do not hold it.
const ABOUT: &[&str] = &[
    "name",
    "type",
    "id",
    "length",
    "policy",
    "count",
    "ttl",
    "url",
    "uri",
    "endpoint",
    "pagetoken",
    "nexttoken",
    "continuationtoken",
    "synctoken",
    "maxtoken",
    "secretary",
];

/// Whether what stands under this key is a secret: `password`, `X-API-Key`, `clientSecret`, `GITHUB_TOKEN`.
#[must_use]
pub fn names_secret(key: &str) -> bool {
    // As one word in small letters, however the words of it are told apart.
    let letters = key.bytes().filter(u8::is_ascii_alphanumeric);
    let name: Vec<u8> = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending.as_bytes()));
    // A search for texts takes longer to set up than such a name to be read.
    let within = || {
        let starts = |rest: &[u8]| WITHIN.iter().any(|word| rest.starts_with(word.as_bytes()));
        let can_start = |byte: &u8| matches!(byte, b'a' | b'c' | b'e' | b'p' | b's');
        (0..name.len())
            .any(|at| name.get(at..).is_some_and(|rest| rest.first().is_some_and(can_start) && starts(rest)))
    };
    (name == b"pin" || ends(AT_END) || within()) && !ends(ABOUT)
}

/// The members of an object in which another member names what stands in one of them, as headers and variables are written
/// in lists.
const NAMES: [&str; 3] = ["name", "key", "header"];

/// Which members of an object hold a secret: those under a key that [names](names_secret) one, and the `value` of what is
/// named so: `{"name":"password","value":"…"}`.
pub fn secret_members(object: Value<'_>) -> impl Fn(&str) -> bool {
    let is_name = |key: Value<'_>| {
        key.as_str_lossy().is_some_and(|key| NAMES.iter().any(|name| key.eq_ignore_ascii_case(name)))
    };
    let names = |value: Value<'_>| value.as_str_lossy().is_some_and(|name| names_secret(&name));
    let named = object.members().any(|(key, value)| is_name(key) && names(value));
    move |key| names_secret(key) || (named && key.eq_ignore_ascii_case("value"))
}

/// Whether what stands at this place of a value is, or is in, a member that holds a [secret](secret_members).
#[must_use]
pub fn is_secret_place(root: Value<'_>, pointer: &str) -> bool {
    let mut outer = Some(root);
    pointer.split('/').skip(1).any(|step| {
        let is_secret = names_secret(step) || outer.is_some_and(|outer| secret_members(outer)(step));
        outer = outer.and_then(|outer| outer.pointer(&["/", step].concat()));
        is_secret
    })
}

#[cfg(test)]
mod tests {
    use countersign_json::{Document, Limits};

    use super::*;

    #[test]
    fn r24_what_a_name_beside_it_calls_secret_is_one_wherever_it_stands() {
        let text = r#"{"env":[{"name":"DB_PASSWORD","value":{"from":["x"]}},{"name":"USER","value":"me"}]}"#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let is_secret = |pointer| is_secret_place(document.root(), pointer);
        for pointer in ["/env/0/value", "/env/0/value/from/0", "/api_key", "/a/token/b"] {
            assert!(is_secret(pointer), "{pointer}");
        }
        for pointer in ["", "/env", "/env/0", "/env/0/name", "/env/1/value", "/value", "/env/2/value"] {
            assert!(!is_secret(pointer), "{pointer}");
        }
    }

    #[test]
    fn r24_keys_that_hold_secrets_are_known_in_every_spelling() {
        let secret = [
            "password",
            "Password",
            "db_password",
            "newPassword2",
            "token",
            "GITHUB_TOKEN",
            "accessToken",
            "api_key",
            "apiKey",
            "X-API-Key",
            "authorization",
            "Proxy-Authorization",
            "client_secret",
            "aws_secret_access_key",
            "privateKey",
            "credentials",
            "Set-Cookie",
            "otp",
            "pin",
        ];
        for key in secret {
            assert!(names_secret(key), "{key}");
        }
    }

    #[test]
    fn keys_that_only_speak_of_secrets_hide_nothing() {
        let open = [
            "path",
            "max_tokens",
            "tokens",
            "next_page_token",
            "nextToken",
            "secret_name",
            "secretary",
            "access_key_id",
            "authorization_url",
            "password_policy",
            "author",
            "key",
            "pinned",
            "spin",
            "",
        ];
        for key in open {
            assert!(!names_secret(key), "{key}");
        }
    }
}
