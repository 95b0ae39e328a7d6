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

    /// Whether nothing is to be told of it but the host that anyone reads in it.
    pub(crate) fn is_plain(&self) -> bool {
        let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-');
        let is_plain = |host: &Host| {
            // The last part of a number is one.
            let last = host.name.rsplit('.').next().unwrap_or_default();
            last.starts_with(|first: char| first.is_ascii_alphabetic())
                && host.name.chars().all(is_of_name)
                && !host.name.contains("xn--")
                && host.written.is_none()
                && host.reach == Reach::World
        };
        self.is_web()
            && self.port.is_none()
            && self.user.is_none()
            && self.host.as_ref().is_some_and(is_plain)
    }

    /// Whether its scheme is one of the web.
    pub(crate) fn is_web(&self) -> bool {
        SPECIAL.contains(&self.scheme.as_str())
    }
}

/// The addresses in a text, each once. Where tools read one in several ways, it is there in each of them.
pub(crate) fn addresses(text: &str) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    let mut keep = |address: Option<Address>| {
        if let Some(address) = address.filter(|address| !found.contains(address)) {
            found.push(address);
        }
        found.len() >= MOST
    };
    keep(schemeless(text));
    // Where the latest address that was read as far as possible ends.
    let mut end = 0;
    for (count, (at, _)) in text.match_indices(':').take(MOST * 8).enumerate() {
        let Some((before, rest)) = text.split_at_checked(at) else { continue };
        let rest = rest.get(1..).unwrap_or_default();
        if let Some((address, is_certain)) = (count == 0).then(|| whole(before, rest)).flatten() {
            keep(Some(address));
            if is_certain {
                continue;
            }
        }
        let Some(scheme) = scheme(before) else { continue };
        let first = before.trim_start().len() == scheme.len();
        let scheme = scheme.to_ascii_lowercase();
        let Some(authority) = after_slashes(&scheme, rest, first) else {
            keep(opaque(scheme).filter(|_| first));
            continue;
        };
        let ends = |character: char| {
            ends(&scheme, character)
                || character.is_whitespace()
                || matches!(character, '"' | '\'' | '`' | '<' | '>' | '|' | ',' | ';' | ')' | '}')
        };
        let until = |text: &str| text.find(ends).unwrap_or(text.len());
        let Some((near, left)) = authority.split_at_checked(until(authority)) else { continue };
        let start = text.len() - authority.len();
        if start >= end {
            let ends = |character: char| character.is_whitespace() || matches!(character, '/' | '?' | '#');
            end = start + authority.find(ends).unwrap_or(authority.len());
        }
        // A user name may hold what ends an address in a sentence; and not everyone takes a backslash for a slash.
        let far = text.get(start..end).unwrap_or_default();
        let far = match far.rfind('@').map(|at| at + 1) {
            Some(at) if at > near.len() => far.get(..at + far.get(at..).map_or(0, until)),
            None if first && rest.starts_with("//") && left.starts_with('\\') => {
                Some(far.trim_end_matches('\\'))
            }
            _ => None,
        };
        keep(place(&scheme, near));
        if keep(far.and_then(|far| place(&scheme, far))) {
            break;
        }
    }
    found
}

/// The address that a whole text is without its scheme, where other letters than those of ASCII name its host: what
/// else begins with slashes is mostly a path or a comment.
fn schemeless(text: &str) -> Option<Address> {
    let rest = text.trim().strip_prefix("//")?;
    let authority = rest.split(|character| ends("https", character)).next()?;
    let is_named = !authority.is_ascii() && authority.contains('.') && !rest.contains(char::is_whitespace);
    if is_named { place("https", authority) } else { None }
}

/// The address that a whole text is, as browsers and most other tools read it; and whether there is no other reading.
fn whole(before: &str, rest: &str) -> Option<(Address, bool)> {
    let is_trimmed = |character: char| character <= ' ';
    let stripped = |text: &str| text.replace(['\t', '\n', '\r'], "");
    let before = stripped(before.trim_start_matches(is_trimmed));
    let scheme = scheme(&before).filter(|scheme| scheme.len() == before.len())?.to_ascii_lowercase();
    let rest = rest.trim_end_matches(is_trimmed);
    let text = stripped(rest);
    let Some(after) = after_slashes(&scheme, &text, true) else { return Some((opaque(scheme)?, true)) };
    let (authority, path) =
        after.split_at(after.find(|character| ends(&scheme, character)).unwrap_or(after.len()));
    let address = place(&scheme, authority)?;
    let written = authority.rsplit('@').next().unwrap_or_default();
    // Another address follows, of whose scheme nobody could make the end of a host.
    let next = written.strip_suffix(':').filter(|_| path.starts_with("//")).and_then(self::scheme);
    let is_list =
        next.is_some_and(|next| !next.contains('.') || next.ends_with("http") || next.ends_with("https"));
    let is_name = |host: &Host| host.name.starts_with('[') || !host.name.contains(':');
    if is_list || written.contains(char::is_whitespace) || !address.host.as_ref().is_some_and(is_name) {
        return None;
    }
    let is_certain = !authority.contains(char::is_whitespace)
        && after_slashes(&scheme, rest, true)
            .and_then(|raw| raw.strip_prefix(authority))
            .is_some_and(|path| !path.starts_with('\\'));
    Some((address, is_certain))
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

/// An address without slashes that does something by itself.
fn opaque(scheme: String) -> Option<Address> {
    OPAQUE.contains(&&*scheme).then_some(Address { scheme, host: None, port: None, user: None })
}

/// What follows the slashes after a scheme; `None`: there are too few. `first`: nothing stands before the scheme.
fn after_slashes<'t>(scheme: &str, rest: &'t str, first: bool) -> Option<&'t str> {
    let is_special = SPECIAL.contains(&scheme);
    let is_slash = |character: char| character == '/' || (is_special && character == '\\');
    let slashes = rest.chars().take_while(|character| is_slash(*character)).count();
    if slashes < 2 && !(is_special && (slashes == 1 || (first && !rest.is_empty()))) {
        return None;
    }
    // Between a scheme of the web and its host any number of slashes may stand.
    if is_special { Some(rest.trim_start_matches(is_slash)) } else { rest.get(2..) }
}

/// Whether a character ends what names the host, whatever stands there.
fn ends(scheme: &str, character: char) -> bool {
    matches!(character, '/' | '?' | '#') || (character == '\\' && SPECIAL.contains(&scheme))
}

/// The address whose host, with user and port, is named so.
fn place(scheme: &str, authority: &str) -> Option<Address> {
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user.to_owned()), place),
        None => (None, authority),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let (name, port) = match place.rsplit_once(':') {
        Some((name, port)) if is_port(port) && !name.ends_with(':') => (name, Some(port)),
        _ => (place, None),
    };
    let host = Host::of(name, SPECIAL.contains(&scheme))?;
    let port = port.filter(|port| !port.is_empty()).map(str::to_owned);
    let user = user.filter(|user| !user.is_empty());
    Some(Address { scheme: scheme.to_owned(), host: Some(host), port, user })
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
        check("https://google.com\\@evil.example", &["google.com", "evil.example"]);
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
    fn r21_an_address_without_a_scheme_is_told_where_its_letters_deceive() {
        check("//\u{430}pple.com/x", &["xn--pple-43d.com"]);
        check(" //me@\u{430}pple.com:8080?x", &["xn--pple-43d.com"]);
        for text in [
            "//apple.com/x",
            "//server/share",
            "//s\u{435}rver/share.txt",
            "// \u{430}pple.com",
            "//\u{430}pple.com is meant",
            "//3.14",
            "/\u{430}pple.com/x",
            "///\u{430}pple.com",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn r21_a_whole_text_is_read_as_browsers_read_it() {
        for sign in [";", ",x", "'", ")", "}", "\"", "`", "|", ">", "<", ":443;"] {
            check(&["https://ok.example", sign, "@evil.example/x"].concat(), &["evil.example"]);
        }
        for address in [
            "https:/\t/evil.example/",
            "https:\n//evil.example",
            "ht\ttps://evil.example/",
            "http:\t\\\\evil.example",
            "\u{1}https:evil.example/",
            "\u{1} https://evil.example/ \n",
            "https://evil.example\n/",
        ] {
            check(address, &["evil.example"]);
        }
        for inner in ["\t", "\n", "\r", "\r\n"] {
            let text = ["https://ok.example", inner, ".evil.example/x"].concat();
            check(&text, &["ok.example.evil.example", "ok.example"]);
        }
        check("https://ok.example,.evil.example/", &["ok.example,.evil.example"]);
        check("https://ok.example;a.evil.example://", &["ok.example;a.evil.example"]);
        check("postgres://me:p;w@db.example/x", &["db.example"]);
        check("java\tscript:alert(1)", &["javascript:"]);
    }

    #[test]
    fn r21_the_host_that_a_browser_asks_for_is_always_told() {
        let pieces = [
            "a.example",
            "@",
            ".",
            ":",
            ":80",
            "/",
            "\\",
            "?",
            "#",
            ";",
            "'",
            "}",
            ")",
            " ",
            "\t",
            "\r\n",
            "b",
        ];
        let mut known = 0;
        for number in 0..pieces.len().pow(4) {
            let piece = |place: u32| pieces[number / pieces.len().pow(place) % pieces.len()];
            let text = ["https://o.example", piece(0), piece(1), piece(2), piece(3), "@e.example/"].concat();
            let Some(url) = url::Url::parse(&text).ok() else { continue };
            let real = url.host_str().expect("a host").to_owned();
            assert!(hosts(&text).contains(&real), "{text:?}: {real}, but {:?}", hosts(&text));
            known += 1;
        }
        assert!(known > 50_000);
    }

    #[test]
    fn r21_where_tools_read_an_address_in_two_ways_both_hosts_are_told() {
        check("https://ok.example @evil.example/", &["evil.example", "ok.example"]);
        check("https://ok.example\\@evil.example/x", &["ok.example", "evil.example"]);
        check("https://ok.example\\a\\@evil.example", &["ok.example", "evil.example"]);
        check("https://ok.example\\.evil.example/", &["ok.example", "ok.example\\.evil.example"]);
        check("https://ok.example\\/x", &["ok.example"]);
        check("see https://ok.example;@evil.example/ now", &["ok.example", "evil.example"]);
        check("see https://ok.example\\@evil.example/ now", &["ok.example", "evil.example"]);
        check("curl 'https://ok.example;@evil.example'", &["ok.example", "evil.example"]);
    }

    #[test]
    fn r21_lists_and_sentences_are_no_whole_addresses() {
        check("https://a.example\nhttps://b.example", &["a.example", "b.example"]);
        check("https://a.example,https://b.example/", &["a.example", "b.example"]);
        check("s3://a;s3://b", &["a", "b"]);
        check("https://a.example is the place", &["a.example"]);
        check("https://a.example, or ask me@b.example", &["b.example", "a.example"]);
        check("https://a.example/x, or ask me@b.example", &["a.example"]);
        check("https://a.example: yes", &["a.example"]);
        check("https://a.example\n\nBest regards", &["a.example"]);
        check("(see https://a.example), me@b.example", &["a.example"]);
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
