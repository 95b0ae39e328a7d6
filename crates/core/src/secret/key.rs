//! Names under which secrets stand.

use countersign_json::Value;

use super::assigned::{is_option, is_value};

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

/// How long the name of a secret in a list can be, in bytes.
const NAME: usize = 64;

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

/// The places of the items of a list that hold a secret, in order: what follows an option that names one, as in
/// `["--password","…"]`, and the second of two, as in `["Authorization","…"]`. Only what looks like one: words of a
/// list may stand beside each other by chance.
fn secret_items(list: Value<'_>) -> Vec<usize> {
    let is_pair = list.items().count() == 2;
    let names_next = |text: &str| {
        let is_name = text.len() <= NAME && !text.contains(|sign: char| sign == '=' || sign.is_whitespace());
        is_name && if text.starts_with('-') { is_option(text) } else { is_pair && names_secret(text) }
    };
    let mut places = Vec::new();
    let mut names = false;
    for (at, item) in list.items().enumerate() {
        let text = item.as_str_lossy().unwrap_or_default();
        if names && is_value(&text) {
            places.push(at);
        }
        names = names_next(&text);
    }
    places
}

/// Which of the members and items of a value hold a secret, asked by the name that they have, if any, and their number.
pub fn secret_children(container: Value<'_>) -> impl Fn(Option<&str>, usize) -> bool {
    let (is_secret, items) = (secret_members(container), secret_items(container));
    move |name, at| name.map_or_else(|| items.binary_search(&at).is_ok(), &is_secret)
}

/// Whether what stands at this place of a value is, or is in, a member or an item that holds a [secret](secret_members).
#[must_use]
pub fn is_secret_place(root: Value<'_>, pointer: &str) -> bool {
    let mut outer = Some(root);
    pointer.split('/').skip(1).any(|step| {
        let is_item = |outer| step.parse().is_ok_and(|at| secret_items(outer).contains(&at));
        let is_secret =
            names_secret(step) || outer.is_some_and(|outer| secret_members(outer)(step) || is_item(outer));
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
    fn r24_what_follows_the_name_of_a_secret_in_a_list_is_one_where_it_looks_so() {
        for (list, secret) in [
            (r#"["--user","bob","--password","Sommer2026!"]"#, vec![3]),
            (r#"["--api-key","AbCdEf","--token","hunter2","x"]"#, vec![1, 3]),
            (r#"["Authorization","Basic YWxhZGRpbjpvcGVuc2VzYW1l"]"#, vec![1]),
            (r#"["X-Api-Key","hunter2"]"#, vec![1]),
            (r#"["Cookie","hunter2","password","hunter2"]"#, vec![]),
            (r#"["--password-file","/run/secret2"]"#, vec![]),
            (r#"["--password-stdin","registry2.example"]"#, vec![]),
            (r#"["--token=hunter2","reboot2"]"#, vec![]),
            (r#"["--password=hunter","reboot2"]"#, vec![]),
            (r#"["echo the password","reboot2"]"#, vec![]),
            (r#"["--use-token","alpine","reboot"]"#, vec![]),
            (r#"["--token","--retries10"]"#, vec![]),
            (r#"["--token","rm -rf ~/Work1"]"#, vec![]),
            (r#"["--token","rm${IFS}-rf${IFS}~1"]"#, vec![]),
            (r#"["--token","$TOKEN1"]"#, vec![]),
            (r#"["--token",12345678]"#, vec![]),
            (r#"["token","count"]"#, vec![]),
            (r#"["password","reset"]"#, vec![]),
            (r#"["token","/usr/bin/Evil1"]"#, vec![]),
            (r#"["path","hunter2"]"#, vec![]),
            (r#"{"--token":"hunter2"}"#, vec![]),
        ] {
            let document = Document::parse(list, &Limits::default()).unwrap();
            assert_eq!(secret_items(document.root()), secret, "{list}");
            let is_secret = |at: usize| is_secret_place(document.root(), &format!("/{at}"));
            assert_eq!((0..5).filter(|at| is_secret(*at)).collect::<Vec<_>>(), secret, "{list}");
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
