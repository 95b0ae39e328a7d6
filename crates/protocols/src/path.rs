//! Ids in the paths of requests.

/// Whether an id would name another path, however it is encoded.
pub(crate) fn is_dots(id: &str) -> bool {
    id == "." || id == ".."
}

/// Appends an id as one segment of a path, percent-encoded.
pub(crate) fn push_segment(path: &mut String, id: &str) {
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
            continue;
        }
        path.push('%');
        for half in [byte >> 4, byte & 0xF] {
            path.push(char::from(if half < 10 { b'0' + half } else { b'A' - 10 + half }));
        }
    }
}
