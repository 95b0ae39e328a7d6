//! Names under which secrets stand.

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

#[cfg(test)]
mod tests {
    use super::*;

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
