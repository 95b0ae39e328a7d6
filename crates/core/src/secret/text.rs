//! Secrets that can be told by their look.

use std::ops::{Range, RangeInclusive};

use super::assigned::Values;

/// What the keys of well-known services begin with.
const BEGINNINGS: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "pypi-",
    "hf_",
    "ya29.",
];

/// What the first line of a private key or a certificate begins with.
const BEGIN: &str = "-----BEGIN ";

/// How long the key of a well-known service is at least.
const KEY: usize = 20;

/// How long a word must be to be taken for a key by the mix of its characters; what is longer than a key is content.
const MIXED: RangeInclusive<usize> = 40..=512;

/// So many letters in a row are a word; chance seldom makes one.
const WORD: usize = 5;

/// How long the parts of a JSON Web Token are at least; the first two are objects.
const OBJECT: usize = 10;
const SIGNATURE: usize = 4;

/// How long the name of what a key is for can be, in bytes.
const LABEL: usize = 64;

/// Where in a text something looks like a secret, in bytes; in order, none within another.
///
/// Private keys and certificates (PEM), JSON Web Tokens, keys of well-known services, long words of mixed letters and
/// digits, what is assigned to a name that [`names_secret`](super::names_secret), and passwords in addresses.
#[must_use]
pub fn secrets_in(text: &str) -> Vec<Range<usize>> {
    search(text, true)
}

/// The same without what is told by nothing but the mix of its characters: it could be the address of a wallet.
pub(super) fn told_in(text: &str) -> Vec<Range<usize>> {
    search(text, false)
}

fn search(text: &str, mixed: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // The search for a pattern takes long to set up, and most texts are short and have neither.
    if text.as_bytes().contains(&b'-') {
        pem(text, &mut found);
    }
    words(text, mixed, &mut found);
    let mut values = Values::default();
    // Behind the name of an option its value stands after the next space.
    let (mut dashes, mut option) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if matches!(byte, b'=' | b':') || (option && byte == b' ') {
            values.assigned(text, at, byte, &mut found);
            in_address(text, at, &mut found);
        }
        option = byte != b' ' && (option || (dashes && byte == b'-'));
        dashes = byte == b'-';
    }
    merged(found)
}

/// In order and without overlaps.
fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_unstable_by_key(|span| (span.start, span.end));
    found.dedup_by(|next, last| {
        let overlaps = next.start < last.end;
        if overlaps {
            last.end = last.end.max(next.end);
        }
        overlaps
    });
    found
}

/// Private keys and certificates: from their first line to their last, or to where something else begins.
///
/// A mask hides no more than such a key can hold: who writes a first line may go on with a command.
fn pem(text: &str, found: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(start) = find(text, BEGIN, from) {
        from = start + BEGIN.len();
        if let Some((length, _)) = text.get(start..).and_then(framed) {
            from = start + length;
            found.push(start..from);
        }
    }
}

/// Whether a text is nothing but private keys and certificates (PEM), whole ones, also as JSON writes their line breaks.
#[must_use]
pub fn is_pem(text: &str) -> bool {
    let mut rest = text;
    while let Some((length, true)) = framed(rest) {
        rest = after_breaks(rest.get(length..).unwrap_or_default());
        if rest.is_empty() {
            return true;
        }
    }
    false
}

/// How much of a text is the key that it begins with, and whether that ends as it began.
fn framed(text: &str) -> Option<(usize, bool)> {
    let after = text.strip_prefix(BEGIN)?;
    let is_of_label = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    let length = look(after.bytes().take_while(is_of_label).count());
    let (label, rest) = after.split_at_checked(length).filter(|_| (1..=LABEL).contains(&length))?;
    let body = rest.strip_prefix("-----")?;
    let rest = body.get(pem_body(body)..)?;
    let last =
        rest.strip_prefix("-----END ").and_then(|rest| rest.strip_prefix(label)?.strip_prefix("-----"));
    Some((text.len() - last.unwrap_or(rest).len(), last.is_some()))
}

/// How much of a text can be the body of a key, in bytes: lines of Base64, and the headers of one that is encrypted.
fn pem_body(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = after_breaks(rest);
        let header = ["Proc-Type: ", "DEK-Info: "].iter().find_map(|name| rest.strip_prefix(name));
        let is_of_line = |byte: &u8| {
            byte.is_ascii_alphanumeric()
                || match header {
                    Some(_) => matches!(byte, b',' | b'-'),
                    None => matches!(byte, b'+' | b'/' | b'=' | b' '),
                }
        };
        let content = header.unwrap_or(rest);
        let length = look(content.bytes().take_while(is_of_line).count());
        let (line, after) = content.split_at_checked(length).unwrap_or_default();
        if header.is_none() && !is_of_pem(line) {
            return text.len() - rest.len();
        }
        rest = after;
    }
}

/// A text without the line breaks that it begins with, also as JSON writes them.
fn after_breaks(text: &str) -> &str {
    let mut rest = text;
    loop {
        let next = rest.trim_start_matches(['\n', '\r', ' ']);
        let next = next.strip_prefix("\\n").or_else(|| next.strip_prefix("\\r")).unwrap_or(next);
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

/// Whether a line can stand in a key and could not be run: a short one has a capital letter and is no path.
fn is_of_pem(line: &str) -> bool {
    let content = line.trim_end_matches('=');
    let is_long = content.len() >= *MIXED.start() && !content.starts_with('/');
    let is_tail = content.bytes().any(|byte| byte.is_ascii_uppercase()) && !content.contains('/');
    (is_long || is_tail) && !content.contains(['=', ' '])
}

fn find(text: &str, pattern: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find(pattern).map(|at| from + at)
}

/// Whether a byte may stand in a key.
fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'.')
}

/// Where the next run of characters begins that is long enough to be a key. Of words that are short few bytes are looked at.
fn run(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let next = bytes.get(from..from + KEY)?;
        match next.iter().rposition(|byte| !is_of_key(*byte)) {
            Some(at) => from += at + 1,
            None => return Some(from),
        }
    }
}

/// Runs of characters that keys are made of.
fn words(text: &str, mixed: bool, found: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(start) = run(text.as_bytes(), from) {
        let rest = text.get(start..).unwrap_or_default();
        from = start + look(rest.bytes().take_while(|byte| is_of_key(*byte)).count());
        let Some(word) = text.get(start..from).map(|word| word.trim_end_matches('.')) else { continue };
        let end = start + word.len();
        let padding =
            text.get(end..).unwrap_or_default().bytes().take(2).take_while(|byte| *byte == b'=').count();
        let length = key(word).or_else(|| web_token(word)).unwrap_or(0);
        let mut at = start + length;
        if length > 0 {
            found.push(start..at + if at == end { padding } else { 0 });
        }
        for part in word.get(length..).unwrap_or_default().split('.') {
            if mixed && is_mixed(part) {
                found.push(at..at + part.len() + if at + part.len() == end { padding } else { 0 });
            }
            at += part.len() + 1;
        }
    }
}

/// How much of a text is Base64 as addresses have it, which no path is and no name with an ending.
fn token(text: &str) -> usize {
    let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    look(text.bytes().take_while(is_of_token).count())
}

/// How long the key of a well-known service is that a word begins with.
fn key(word: &str) -> Option<usize> {
    let rest = BEGINNINGS.iter().find_map(|beginning| word.strip_prefix(beginning))?;
    let content = rest.get(..token(rest))?;
    let length = word.len() - rest.len() + content.len();
    // Small letters alone are a name, of a package for one.
    let is_name = !content.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (length >= KEY && !(is_name && content.contains(['-', '_']))).then_some(length)
}

/// How long the JSON Web Token is that a word begins with: two objects and a signature.
fn web_token(word: &str) -> Option<usize> {
    let (head, rest) = word.split_once('.')?;
    let (body, rest) = rest.split_once('.')?;
    let is_object = |part: &str| part.len() >= OBJECT && part.starts_with("eyJ") && token(part) == part.len();
    let signature = token(rest);
    (is_object(head) && is_object(body) && signature >= SIGNATURE)
        .then_some(head.len() + body.len() + 2 + signature)
}

/// Whether letters and digits are mixed as chance mixes them.
fn is_mixed(word: &str) -> bool {
    let digest = ["sha256-", "sha384-", "sha512-"].iter().any(|name| word.starts_with(name));
    // Digests and numbers of versions are long and public.
    let plain =
        word.strip_prefix("0x").unwrap_or(word).bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let separators = word.bytes().filter(|byte| !byte.is_ascii_alphanumeric()).count();
    if !MIXED.contains(&word.len())
        || digest
        || plain
        || separators * 10 > word.len()
        || !word.bytes().any(|byte| byte.is_ascii_digit())
    {
        return false;
    }
    let mut seen = 0_u128;
    let (mut run, mut in_words) = (0, 0);
    let mut before = b'-';
    for byte in word.bytes().chain([b'-']) {
        seen |= 1 << byte;
        // A word ends where no letter follows, or a capital one after a small one.
        let goes_on =
            byte.is_ascii_alphabetic() && !(before.is_ascii_lowercase() && byte.is_ascii_uppercase());
        if !goes_on {
            in_words += if run >= WORD { run } else { 0 };
            run = 0;
        }
        run += usize::from(byte.is_ascii_alphabetic());
        before = byte;
    }
    seen.count_ones() >= 18 && in_words * 5 < word.len() * 3
}

/// The password of the address whose colon is at this place: `postgres://name:password@host`.
fn in_address(text: &str, at: usize, found: &mut Vec<Range<usize>>) {
    let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix("://")) else { return };
    let ends =
        |character: char| character.is_whitespace() || matches!(character, '/' | '?' | '#' | '"' | '\'');
    let authority = rest.split(ends).next().unwrap_or_default();
    look(authority.len());
    let user = authority.rfind('@').and_then(|end| authority.get(..end));
    if let Some((name, password)) = user.and_then(|user| user.split_once(':'))
        && !password.is_empty()
    {
        let start = at + 3 + name.len() + 1;
        found.push(start..start + password.len());
    }
}

/// Counts, in tests, how many bytes were looked at.
fn look(bytes: usize) -> usize {
    #[cfg(test)]
    tests::LOOKED.set(tests::LOOKED.get() + bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        pub(super) static LOOKED: Cell<usize> = const { Cell::new(0) };
    }

    fn check(text: &str, secrets: &[&str]) {
        let spans = secrets_in(text);
        let found: Vec<&str> = spans.iter().filter_map(|span| text.get(span.clone())).collect();
        assert_eq!(found, secrets, "{text}");
    }

    #[test]
    fn r24_secrets_are_told_by_their_look() {
        check("key AKIAIOSFODNN7EXAMPLE.", &["AKIAIOSFODNN7EXAMPLE"]);
        check("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", &["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"]);
        check("k3j9x0q8w7e5r2t4y6u1i0o9p8a7s6d5f4g3h2j1k", &["k3j9x0q8w7e5r2t4y6u1i0o9p8a7s6d5f4g3h2j1k"]);
        check(
            "a -----BEGIN RSA PRIVATE KEY-----\nX\n-----END RSA PRIVATE KEY----- b",
            &["-----BEGIN RSA PRIVATE KEY-----\nX\n-----END RSA PRIVATE KEY-----"],
        );
        check("-----BEGIN PRIVATE KEY-----\nMIIEvQ==", &["-----BEGIN PRIVATE KEY-----\nMIIEvQ=="]);
        let escaped = r"-----BEGIN PRIVATE KEY-----\nMIIEvQ==\naB\n-----END PRIVATE KEY-----";
        check(&[escaped, r"\n"].concat(), &[escaped]);
        let encrypted =
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nMII=";
        check(encrypted, &[encrypted]);
        check("eyJhbGciOi.eyJzdWIiOiIx.c2ln", &["eyJhbGciOi.eyJzdWIiOiIx.c2ln"]);
        check("sk-ant-0123456789abcdefGH== x", &["sk-ant-0123456789abcdefGH=="]);
        // They are found in another order than they stand in.
        check("API_KEY=abcd1 AKIAIOSFODNN7EXAMPLE", &["abcd1", "AKIAIOSFODNN7EXAMPLE"]);
        let line = "AAAA/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
        let slashes = ["-----BEGIN PRIVATE KEY-----\n", line, "\nMII=\n-----END PRIVATE KEY-----"].concat();
        check(&slashes, &[&slashes]);
    }

    #[test]
    fn r24_what_is_assigned_to_a_telling_name_is_a_secret() {
        check("API_KEY=abcd1 TOKEN='s3cret' ls", &["abcd1", "s3cret"]);
        check("curl -H 'Authorization: Bearer abc123def'", &["abc123def"]);
        check(r#"{\"password\": \"hunter2!\"}"#, &["hunter2!"]);
        check("https://a.example/?token=abcdef&x=1", &["abcdef"]);
        check("postgres://me:pa55@db.example/x", &["pa55"]);
        check("TOKEN=$TOKEN password: please", &[]);
    }

    #[test]
    fn r24_what_follows_a_scheme_of_authorization_is_a_secret() {
        check("curl -H 'Authorization: token 0123456789abcdef'", &["0123456789abcdef"]);
        check("curl -H 'Authorization: ApiKey VnVhQ2ZHY0JDZGJr'", &["VnVhQ2ZHY0JDZGJr"]);
        check("curl -H \"authorization: BASIC dXNlcjpwYXNz\"", &["dXNlcjpwYXNz"]);
        check("Proxy-Authorization: Digest dXNlcjpwYXNz", &["dXNlcjpwYXNz"]);
        for open in [
            "Authorization: Token required",
            "Authorization: Token Required",
            "authorization: basic reboot",
            "TOKEN=bearer reboot",
            "Authorization: token $(reboot)",
            "authorization: basics dXNlcjpwYXNz",
        ] {
            check(open, &[]);
        }
    }

    #[test]
    fn r24_the_value_of_an_option_stands_behind_a_space_as_well() {
        check("mysql --password hunter2 x", &["hunter2"]);
        check("x --api-key 'hunter2' --token  \"hunter3\"", &["hunter2", "hunter3"]);
        check("x --header --auth-token Bearer hunter2", &["hunter2"]);
        for open in [
            "use --token reboot",
            "x --token --retries10",
            "x --token",
            "x --token ; reboot2",
            "docker login --password-stdin registry2.example",
            "x --token-file /run/secret2",
            "x - token hunter2",
            "x token hunter2",
            "x --user hunter2",
        ] {
            check(open, &[]);
        }
    }

    #[test]
    fn r24_a_mask_hides_no_command() {
        check("echo -----BEGIN x; rm -rf ~", &[]);
        check("echo -----BEGIN KEY-----; rm -rf ~", &["-----BEGIN KEY-----"]);
        check("-----BEGIN KEY-----\nMIIE\nrm -rf ~\n-----END KEY-----", &["-----BEGIN KEY-----\nMIIE\n"]);
        check("TOKEN=dev1$(rm${IFS}-rf) make", &["dev1"]);
        check("env password=secret|nc<~/.ssh/id_rsa ls", &["secret"]);
        for sign in ['|', '<', '>', '(', ')', ';', '&', '`', ',', '}'] {
            check(&format!("password=secret{sign}nc ls"), &["secret"]);
        }
        check("password='a|b<c' ls", &["a|b<c"]);
        check("password=\"a|b>(c\" ls", &["a|b>(c"]);
        check(r#"TOKEN="abcd$(rm -rf ~)""#, &["abcd"]);
        // Quotes that close at once, and what is no quote at all.
        check("TOKEN=''dev1|nc<~/.ssh/id_rsa make", &["dev1"]);
        check(r"password=\dev1|sh<~/x ls", &["dev1"]);
        check("TOKEN= reboot now; TOKEN='' reboot; TOKEN=`reboot`", &[]);
        let lines = [
            "reboot",
            "/tmp/evil",
            "bin/Evil",
            "PATH=/tmp/Evil",
            "/Tmp/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/Evil",
        ];
        for line in lines {
            let text = format!("echo -----BEGIN KEY-----\nMIIE\n{line}\n-----END KEY-----");
            check(&text, &["-----BEGIN KEY-----\nMIIE\n"]);
        }
    }

    #[test]
    fn r24_chance_is_found_nearly_always() {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut state = 1_u64;
        let mut missed = 0;
        for _ in 0..1000 {
            let key: String = (0..40)
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    char::from(LETTERS[(state >> 58) as usize])
                })
                .collect();
            missed += usize::from(secrets_in(&key).is_empty());
        }
        assert!(missed <= 10, "{missed} of 1000");
    }

    #[test]
    fn what_is_long_and_public_hides_nothing() {
        let open = [
            "3f9a07c2d1e05b6688aa4c1f7e9023d45566f0b1a2c3d4e5f60718293a4be1b4",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe0",
            "123e4567-e89b-12d3-a456-426614174000-123e4567-e89b",
            "/home/alice/projects/countersign/crates/core/src/secret/mod2.rs",
            "/Users/Alice/Documents/Reports/Quarter3/Final2024/Summary.docx",
            "getUserAccountInformationByEmailAddressAndTenantV2",
            "a-long-title-of-a-post-about-the-year-2024-and-what-came-after",
            "https://example.com/articles/2024/11/20/a-title-that-goes-on-and-on",
            "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
            "INSERT INTO accounts (id, name) VALUES (1, 'x');",
        ];
        for text in open {
            check(text, &[]);
        }
    }

    #[test]
    fn r24_a_frame_hides_nothing_that_is_no_key() {
        let hidden = "-----BEGIN A-----\nRm4\n";
        check(&[hidden, "-----END A\nrm -r /x\n-----"].concat(), &[hidden]);
        check(&[hidden, "-----END B-----\nls"].concat(), &[hidden]);
        check(&[hidden, "-----END A----- rm -r /x"].concat(), &[&[hidden, "-----END A-----"].concat()]);
        let header = "-----BEGIN A-----\nProc-Type: rm";
        check(&[header, "\nrm -r /x\n-----END A-----"].concat(), &[&[header, "\n"].concat()]);
        let spaced = [header, " "].concat();
        check(&[&spaced, "-r /x\nMII=\n-----END A-----"].concat(), &[&spaced]);
        let whole = "-----BEGIN A-----\nMII=\n-----END A-----";
        for text in [whole, &[whole, "\r\n", whole, "\n"].concat(), &whole.replace('\n', "\\n")] {
            assert!(is_pem(text), "{text}");
        }
        for rest in ["\nrm -r /x", "\\nreboot", "; ls", "\nMII="] {
            assert!(!is_pem(&[whole, rest].concat()), "{rest}");
        }
        for text in ["", hidden, "-----BEGIN A-----\nrm -r /x\n-----END A-----", "ls\n-----BEGIN A-----"] {
            assert!(!is_pem(text), "{text}");
        }
    }

    #[test]
    fn r24_a_beginning_hides_no_path_and_no_name() {
        for text in [
            "hf_x/../../../../etc/cron.d/job",
            "npm install npm_left-pad.evil-package",
            "npm install npm_left-pad-evil-package",
            "hf_evil-org/backdoored-model-v1",
            "eyJ.eyJ./../../../../etc/passwd",
            "eyJ.eyJ.evil-package.example.com",
            "eyJhbGciOi.eyJzdWIiOiIx/etc/passwd",
            "aeyJhbGciOi.eyJzdWIiOiIx.c2ln",
        ] {
            check(text, &[]);
        }
        check("ghp_0123456789abcdefgh/../etc/passwd", &["ghp_0123456789abcdefgh"]);
        check("eyJhbGciOi.eyJzdWIiOiIx.c2ln/../../etc/passwd", &["eyJhbGciOi.eyJzdWIiOiIx.c2ln"]);
        check("eyJhbGciOi.eyJzdWIiOiIx.c2ln.example.com", &["eyJhbGciOi.eyJzdWIiOiIx.c2ln"]);
        check("ya29.a0AfH6SMBx7Qw-Zk_1", &["ya29.a0AfH6SMBx7Qw-Zk_1"]);
    }

    #[test]
    fn a_text_that_repeats_itself_is_read_in_one_pass() {
        for part in [
            "-----BEGIN A",
            "-----BEGIN A-----\nAb\n",
            "-----BEGIN A-----a\n",
            "-----BEGIN A-----\nProc-Type: 4\n",
            "://a:b",
            "://a:b@",
            "eyJ.",
            "eyJhbGciOi.eyJzdWIiOiIx.c2ln",
            "sk-a.",
            "AKIA",
        ] {
            let text = part.repeat(200_000 / part.len());
            LOOKED.set(0);
            let _ = secrets_in(&text);
            let looked = LOOKED.get();
            assert!((1..=4 * text.len()).contains(&looked), "{part}: {looked} of {}", text.len());
        }
    }

    #[test]
    fn any_text_is_read_without_a_fault() {
        for text in ["", "=", ":", "://", "://:@", "password=", "-----BEGIN ", "é=ü", "token=é€🙂🙂"]
        {
            for span in secrets_in(text) {
                assert!(text.get(span).is_some(), "{text}");
            }
        }
    }
}
