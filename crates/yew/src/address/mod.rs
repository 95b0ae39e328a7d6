//! Addresses in texts: which host they really lead to.

mod host;
mod punycode;

pub(crate) use host::{Host, Reach};

/// An address that stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The scheme in small letters, without the colon.
    pub(crate) scheme: String,
    /// Where it leads; `None`: to no host.
    pub(crate) host: Option<Host>,
    /// The port as it is written.
    pub(crate) port: Option<String>,
    /// What stands before the host and is none: `google.com` in `https://google.com@evil.example/`. Untrusted.
    pub(crate) user: Option<String>,
}

/// Schemes whose addresses browsers read in the same way.
const SPECIAL: &[&str] = &["http", "https", "ws", "wss", "ftp"];

/// Schemes of addresses without slashes that do something by themselves.
const OPAQUE: &[&str] =
    &["javascript", "vbscript", "data", "blob", "file", "mailto", "tel", "sms", "view-source"];

/// How long a scheme may be, in bytes.
const SCHEME: usize = 24;

/// How many addresses of a text are looked at.
const MOST: usize = 64;

impl Address {
    /// Whether it is no address of the web, or of the kind that runs by being opened.
    pub(crate) fn is_script(&self) -> bool {
        matches!(self.scheme.as_str(), "javascript" | "vbscript" | "data" | "blob" | "view-source")
    }

    /// Whether its scheme is one of the web.
    pub(crate) fn is_web(&self) -> bool {
        SPECIAL.contains(&self.scheme.as_str())
    }
}

/// The addresses in a text, each once.
pub(crate) fn addresses(text: &str) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    for (at, _) in text.match_indices(':').take(MOST * 8) {
        let Some((before, rest)) = text.split_at_checked(at) else { continue };
        let rest = rest.get(1..).unwrap_or_default();
        let address = scheme(before).and_then(|scheme| {
            let first = before.len() == scheme.len() || before.trim_start().len() == scheme.len();
            read(scheme.to_ascii_lowercase(), rest, first)
        });
        if let Some(address) = address.filter(|address| !found.contains(address)) {
            found.push(address);
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

/// The scheme that a text ends with.
fn scheme(text: &str) -> Option<&str> {
    let is_of_scheme =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.');
    let tail = text.get(text.floor_char_boundary(text.len().saturating_sub(SCHEME))..)?;
    let scheme = tail.get(
        tail.rfind(|character| !is_of_scheme(character)).map_or(0, |at| {
            at + tail.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
        })..,
    )?;
    scheme.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(scheme)
}

/// The address with what follows its colon; `first`: nothing stands before it.
fn read(scheme: String, rest: &str, first: bool) -> Option<Address> {
    let is_special = SPECIAL.contains(&scheme.as_str());
    let is_slash = |character: char| character == '/' || (is_special && character == '\\');
    let slashes = rest.chars().take_while(|character| is_slash(*character)).count();
    if slashes < 2 && !(is_special && (slashes == 1 || (first && !rest.is_empty()))) {
        let opaque = first && OPAQUE.contains(&scheme.as_str());
        return opaque.then_some(Address { scheme, host: None, port: None, user: None });
    }
    // Between a scheme of the web and its host any number of slashes may stand.
    let rest = if is_special { rest.trim_start_matches(is_slash) } else { rest.get(2..)? };
    let ends = |character: char| {
        is_slash(character)
            || character.is_whitespace()
            || matches!(
                character,
                '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '|' | ',' | ';' | ')' | '}'
            )
    };
    let authority = rest.split(ends).next().unwrap_or_default();
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user.to_owned()), place),
        None => (None, authority),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let (name, port) = match place.rsplit_once(':') {
        Some((name, port)) if is_port(port) && !name.ends_with(':') => (name, Some(port)),
        _ => (place, None),
    };
    let host = Host::of(name, is_special)?;
    let port = port.filter(|port| !port.is_empty()).map(str::to_owned);
    Some(Address { scheme, host: Some(host), port, user: user.filter(|user| !user.is_empty()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Vec<String> {
        let name =
            |address: Address| address.host.map_or_else(|| [&address.scheme, ":"].concat(), |host| host.name);
        addresses(text).into_iter().map(name).collect()
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(hosts(text), expected, "{text}");
    }

    #[test]
    fn r21_the_host_is_the_one_that_is_asked() {
        check("https://google.com@evil.example/", &["evil.example"]);
        check("https://google.com:443@evil.example:8080/x", &["evil.example"]);
        check("https://google.com\\@evil.example", &["google.com"]);
        check("https:/\\evil.example/a", &["evil.example"]);
        check("HTTPS:evil.example", &["evil.example"]);
        check("https://evil.example?https://good.example/", &["evil.example", "good.example"]);
        check("https://evil.example#@good.example/", &["evil.example"]);
        check("curl -s 'https://a.example/x' | sh; wget http://b.example", &["a.example", "b.example"]);
        check("postgres://me:pw@db.example:5432/x s3://bucket/key", &["db.example", "bucket"]);
        check("javascript:alert(1)", &["javascript:"]);
        check(" data:text/html,x", &["data:"]);
        check("note: no address, 12:30, C:\\a, a::b, say \"x:y\"", &[]);
    }

    #[test]
    fn r21_what_stands_before_the_host_is_told() {
        let found = addresses("https://google.com:443@evil.example:8080/x");
        let address = found.first().expect("an address");
        assert_eq!(address.user.as_deref(), Some("google.com:443"));
        assert_eq!(address.port.as_deref(), Some("8080"));
    }

    #[test]
    fn r21_hosts_are_those_that_browsers_find() {
        let texts = [
            "https://google.com@evil.example/",
            "https://a:b@c:d@e.example:81/",
            "http://127.1/",
            "http://0x7f000001",
            "http://2130706433/",
            "http://0177.0.0.1:80/",
            "http://0x7f.1",
            "http://[::1]:3000/",
            "https://EXAMPLE.com./",
            "http://ex%61mple.com/",
            "https://münchen.example/",
            "https://аррӏе.com/",
            "https://例え.jp/",
            "http:\\\\a.example\\b",
            "http:////a.example",
            "https://www。example。com/",
            "https://ＥＸＡＭＰＬＥ.com/",
            "https://ПРИМЕР.рф/",
            "https://a\u{AD}b.example/",
            "https://Ärzte.example/",
            "https://xn--pple-43d.com/",
            "https://ελλάδα.gr/",
            "https://שלום.example/",
            "http://1.2.3/",
            "http://256/",
            "http://3232235777/",
            "http://[2001:db8::1]/",
            "https://a_b.example/",
        ];
        for text in texts {
            let real = url::Url::parse(text).expect("an address");
            let real = real.host_str().expect("a host").to_owned();
            assert_eq!(hosts(text), [real], "{text}");
        }
    }
}
