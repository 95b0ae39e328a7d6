//! Addresses of schemas: joining a reference to its base, and reading fragments (RFC 3986, section 5).

/// The part before `#`, and the fragment after it if there is one.
pub(crate) fn split(reference: &str) -> (&str, Option<&str>) {
    match reference.split_once('#') {
        Some((address, fragment)) => (address, Some(fragment)),
        None => (reference, None),
    }
}

/// What `reference`, which has no fragment, stands for where `base` is the address.
pub(crate) fn join(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    if scheme_len(reference).is_some() {
        return normal(reference);
    }
    let path_at = path_start(base);
    let (before, path) = base.split_at_checked(path_at).unwrap_or_default();
    if reference.starts_with("//") {
        let scheme = scheme_len(base).and_then(|len| base.get(..len)).unwrap_or_default();
        return normal(&format!("{scheme}{reference}"));
    }
    if reference.starts_with('/') {
        return normal(&format!("{before}{reference}"));
    }
    let path = path.split('?').next().unwrap_or_default();
    if reference.starts_with('?') {
        return normal(&format!("{before}{path}{reference}"));
    }
    let folder = path.rfind('/').and_then(|slash| path.get(..=slash)).unwrap_or_default();
    let slash = if folder.is_empty() && before.ends_with(|last| last != ':') { "/" } else { "" };
    normal(&format!("{before}{slash}{folder}{reference}"))
}

/// How long the scheme with its colon is.
fn scheme_len(address: &str) -> Option<usize> {
    let colon = address.find(':')?;
    let scheme = address.get(..colon)?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|each| each.is_ascii_alphanumeric() || matches!(each, '+' | '-' | '.'));
    is_scheme.then_some(colon + 1)
}

/// Where the path begins, after the scheme and the host.
fn path_start(address: &str) -> usize {
    let scheme = scheme_len(address).unwrap_or(0);
    let rest = address.get(scheme..).unwrap_or_default();
    match rest.strip_prefix("//") {
        Some(host) => scheme + 2 + host.find(['/', '?']).unwrap_or(host.len()),
        None => scheme,
    }
}

/// The address without `.` and `..` in its path.
fn normal(address: &str) -> String {
    let (before, path) = address.split_at_checked(path_start(address)).unwrap_or_default();
    if !path.contains("./") && !path.ends_with("/.") && !path.ends_with("..") {
        return address.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut ends_open = false;
    for part in path.split('/') {
        ends_open = matches!(part, "." | "..");
        match part {
            "." => {}
            ".." if parts.len() > 1 => {
                parts.pop();
            }
            ".." => {}
            part => parts.push(part),
        }
    }
    let slash = if ends_open { "/" } else { "" };
    format!("{before}{}{slash}", parts.join("/"))
}

/// A fragment with its percent signs read.
pub(crate) fn decoded(fragment: &str) -> String {
    let mut parts = fragment.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(part.get(2..).unwrap_or_default().as_bytes());
            }
            None => {
                bytes.push(b'%');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_joined_as_rfc_3986_says() {
        for (base, reference, expected) in [
            ("http://a/b/c/d?q", "g", "http://a/b/c/g"),
            ("http://a/b/c/d?q", "./g", "http://a/b/c/g"),
            ("http://a/b/c/d?q", "/g", "http://a/g"),
            ("http://a/b/c/d?q", "//g", "http://g"),
            ("http://a/b/c/d?q", "g//h", "http://a/b/c/g//h"),
            ("http://a/b/c/d?q", "?y", "http://a/b/c/d?y"),
            ("http://a/b/c/d?q", "", "http://a/b/c/d?q"),
            ("http://a/b/c/d?q", "../g", "http://a/b/g"),
            ("http://a/b/c/d?q", "../../../g", "http://a/g"),
            ("http://a/b/c/d?q", "..", "http://a/b/"),
            ("http://a/b/c/d?q", "g:h", "g:h"),
            ("http://a", "g", "http://a/g"),
            ("", "item.json", "item.json"),
            ("tree.json", "node.json", "node.json"),
            ("urn:uuid:1", "urn:uuid:2", "urn:uuid:2"),
            ("file:///folder/file.json", "other.json", "file:///folder/other.json"),
        ] {
            assert_eq!(join(base, reference), expected, "{base} and {reference}");
        }
    }

    #[test]
    fn fragments_are_decoded_byte_by_byte() {
        assert_eq!(decoded("/a%25b%7E%22%C3%A4"), "/a%b~\"ä");
        assert_eq!(decoded("%zz%+1%"), "%zz%+1%");
    }
}
