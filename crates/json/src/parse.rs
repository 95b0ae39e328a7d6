//! The one pass over a text: checks the grammar and makes the tape.

use crate::document::{Node, Tape};
use crate::error::{ParseError, ParseErrorCode as Code};
use crate::limits::Limits;
use crate::{name, number, string};

/// Fewer than 2^32 bytes, so that every offset fits a node.
const MAX_BYTES: usize = u32::MAX as usize - 1;
/// Two nodes for each value (a key, and itself) stay below the bit that marks escapes.
const MAX_VALUES: usize = 1 << 30;
/// Stands for the container around the root.
const NONE: u32 = u32::MAX;

/// Refuses what is too long to look at.
pub(crate) fn check_size(bytes: &[u8], limits: &Limits) -> Result<(), ParseError> {
    let most = limits.bytes.min(MAX_BYTES);
    if bytes.len() > most { Err(ParseError::new(Code::TooLarge, most)) } else { Ok(()) }
}

/// Reads `text` into a tape.
///
/// All that the loop changes are its own variables, and nothing is handed a reference to them: so they can live in
/// registers, which takes a third off the time.
pub(crate) fn tape(text: &str, limits: &Limits) -> Result<Tape, ParseError> {
    let bytes = text.as_bytes();
    check_size(bytes, limits)?;
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return Err(ParseError::new(Code::ByteOrderMark, 0));
    }
    let (max_depth, max_values) = (limits.depth, limits.nodes.min(MAX_VALUES));
    // The first `len` of the slots are filled.
    let (mut slots, mut len): (Vec<Node>, usize) = (Vec::new(), 0);
    let (mut values, mut depth) = (0_usize, 0_usize);
    // The innermost open container. Until a container closes, its node holds in `next` the container around it and in
    // `end` whether that one is an object, so no second stack is needed.
    let (mut open, mut in_object) = (NONE, false);
    let mut at = 0;

    macro_rules! push {
        ($node:expr, $at:expr) => {
            match slots.get_mut(len) {
                Some(slot) => *slot = $node,
                None => slots = grown(slots, $node, $at, bytes.len())?,
            }
            len += 1;
        };
    }
    macro_rules! open {
        ($object:expr) => {
            if depth >= max_depth {
                return Err(ParseError::new(Code::TooDeep, at));
            }
            let index = len as u32;
            push!(Node::open(at, open, in_object), at);
            depth += 1;
            (open, in_object) = (index, $object);
            at = skip_space(bytes, at + 1);
        };
    }
    macro_rules! close {
        () => {
            at += 1;
            if let Some(node) = slots.get_mut(open as usize) {
                (open, in_object) = node.close(at, len as u32);
            }
            depth -= 1;
        };
    }
    // A key that starts here, and its colon; then the value may start.
    macro_rules! key {
        () => {
            let scanned = string::scan(bytes, at)?;
            let mark = name::mark_at(bytes, at + 1, scanned.end - 1);
            push!(Node::key(at, scanned.end, mark, scanned.escaped), at);
            at = skip_space(bytes, scanned.end);
            match bytes.get(at) {
                Some(b':') => at += 1,
                found => return Err(unexpected(Code::ExpectedColon, found, at)),
            }
        };
    }

    'value: loop {
        at = skip_space(bytes, at);
        if values >= max_values {
            return Err(ParseError::new(Code::TooManyValues, at));
        }
        values += 1;
        match bytes.get(at) {
            Some(b'"') => {
                let scanned = string::scan(bytes, at)?;
                push!(Node::new(at, scanned.end, len as u32 + 1, scanned.escaped), at);
                at = scanned.end;
            }
            Some(b'{') => {
                open!(true);
                match bytes.get(at) {
                    Some(b'"') => {
                        key!();
                        continue 'value;
                    }
                    Some(b'}') => {
                        close!();
                    }
                    found => return Err(unexpected(Code::ExpectedKeyOrBrace, found, at)),
                }
            }
            Some(b'[') => {
                open!(false);
                match bytes.get(at) {
                    Some(b']') => {
                        close!();
                    }
                    _ => continue 'value,
                }
            }
            Some(b'-' | b'0'..=b'9') => {
                let end = number::scan(bytes, at)?;
                push!(Node::new(at, end, len as u32 + 1, false), at);
                at = end;
            }
            found => {
                let end = literal(bytes, at, found)?;
                push!(Node::new(at, end, len as u32 + 1, false), at);
                at = end;
            }
        }
        // A value is complete, and perhaps the containers around it.
        loop {
            at = skip_space(bytes, at);
            if open == NONE {
                break 'value;
            }
            match bytes.get(at) {
                Some(b',') if in_object => {
                    at = skip_space(bytes, at + 1);
                    match bytes.get(at) {
                        Some(b'"') => {
                            key!();
                        }
                        found => return Err(unexpected(Code::ExpectedKey, found, at)),
                    }
                    continue 'value;
                }
                Some(b',') => {
                    at += 1;
                    continue 'value;
                }
                Some(b'}') if in_object => {
                    close!();
                }
                Some(b']') if !in_object => {
                    close!();
                }
                found if in_object => return Err(unexpected(Code::ExpectedCommaOrBrace, found, at)),
                found => return Err(unexpected(Code::ExpectedCommaOrBracket, found, at)),
            }
        }
    }
    if at < bytes.len() {
        return Err(ParseError::new(Code::TrailingText, at));
    }
    slots.truncate(len);
    Ok(Tape { nodes: slots, values })
}

/// How many slots are made ready at a time: they are still in the processor's cache when the loop comes to them.
const AHEAD: usize = 2_048;

/// More slots, the first new one filled: room for what the rest of the text will need if it goes on as before.
///
/// Memory that a page takes it never gives back, so doubling blindly would be dear.
#[cold]
#[inline(never)]
fn grown(mut slots: Vec<Node>, node: Node, at: usize, text_len: usize) -> Result<Vec<Node>, ParseError> {
    let len = slots.len();
    if len == slots.capacity() {
        let rest = text_len.saturating_sub(at);
        let expected = (len as u64).saturating_mul(rest as u64) / (at as u64).max(1);
        let expected = usize::try_from(expected).unwrap_or(usize::MAX);
        let room = expected.saturating_add(expected / 16).clamp(len / 2, len.saturating_mul(3)).max(16);
        let reserved = slots.try_reserve_exact(room).or_else(|_| slots.try_reserve_exact(len / 16 + 1));
        reserved.map_err(|_| ParseError::new(Code::TooLarge, at))?;
    }
    slots.push(node);
    slots.resize(slots.capacity().min(len.saturating_add(AHEAD)), Node::NOWHERE);
    Ok(slots)
}

#[inline(always)]
fn skip_space(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(byte) if *byte > b' ' => at,
        _ => skip_spaces(bytes, at),
    }
}

fn skip_spaces(bytes: &[u8], start: usize) -> usize {
    let mut rest = bytes.get(start..).unwrap_or_default();
    loop {
        // Indentation comes in long runs.
        while let Some((b"        ", tail)) = rest.split_first_chunk::<8>() {
            rest = tail;
        }
        match rest.split_first() {
            Some((b' ' | b'\n' | b'\r' | b'\t', tail)) => rest = tail,
            _ => return bytes.len() - rest.len(),
        }
    }
}

/// Reads `true`, `false` or `null`; returns its end.
fn literal(bytes: &[u8], at: usize, found: Option<&u8>) -> Result<usize, ParseError> {
    let rest = bytes.get(at..).unwrap_or_default();
    let word: &[u8] = match found {
        Some(b't') => b"true",
        Some(b'f') => b"false",
        Some(b'n') => b"null",
        _ if rest.starts_with(b"NaN") || rest.starts_with(b"Infinity") => {
            return Err(ParseError::new(Code::NotFinite, at));
        }
        _ => return Err(unexpected(Code::ExpectedValue, found, at)),
    };
    if rest.starts_with(word) { Ok(at + word.len()) } else { Err(ParseError::new(Code::InvalidLiteral, at)) }
}

#[cold]
fn unexpected(code: Code, found: Option<&u8>, at: usize) -> ParseError {
    ParseError::new(if found.is_some() { code } else { Code::UnexpectedEnd }, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[track_caller]
    fn check(text: &str, code: Code, at: usize) {
        let found = Document::parse(text, &Limits::default()).map(|_| ());
        assert_eq!(found, Err(ParseError::new(code, at)), "{text}");
    }

    #[test]
    fn every_value_of_json_is_read() {
        let limits = Limits::default();
        for text in
            ["null", "true", "false", "0", "\"\"", "[]", "{}", " [ ] ", "{ }", "\t\r\n1 ", "[[],{},[{}]]"]
        {
            assert!(Document::parse(text, &limits).is_ok(), "{text}");
        }
        let text = format!("[{}1,{}2]{}", " ".repeat(23), "\n".repeat(8), "\t".repeat(9));
        let document = Document::parse(&text, &limits).unwrap();
        assert_eq!(document.root().items().map(|item| item.text()).collect::<Vec<_>>(), ["1", "2"]);
    }

    #[test]
    fn errors_say_what_was_expected_and_where() {
        check("", Code::UnexpectedEnd, 0);
        check("  ", Code::UnexpectedEnd, 2);
        check("{", Code::UnexpectedEnd, 1);
        check("{1", Code::ExpectedKeyOrBrace, 1);
        check("{,", Code::ExpectedKeyOrBrace, 1);
        check(r#"{"a""#, Code::UnexpectedEnd, 4);
        check(r#"{"a" 1}"#, Code::ExpectedColon, 5);
        check(r#"{"a":1 "b":2}"#, Code::ExpectedCommaOrBrace, 7);
        check(r#"{"a":1]"#, Code::ExpectedCommaOrBrace, 6);
        check(r#"{"a":1,}"#, Code::ExpectedKey, 7);
        check(r#"{"a":}"#, Code::ExpectedValue, 5);
        check("[1 2]", Code::ExpectedCommaOrBracket, 3);
        check("[1}", Code::ExpectedCommaOrBracket, 2);
        check("[1,]", Code::ExpectedValue, 3);
        check("[,1]", Code::ExpectedValue, 1);
        check("[1", Code::UnexpectedEnd, 2);
        check("]", Code::ExpectedValue, 0);
        check("nul", Code::InvalidLiteral, 0);
        check("nulL", Code::InvalidLiteral, 0);
        check("truex", Code::TrailingText, 4);
        check("1 2", Code::TrailingText, 2);
        check("{}}", Code::TrailingText, 2);
        check("'a'", Code::ExpectedValue, 0);
        check("1/**/", Code::TrailingText, 1);
        check("\u{a0}1", Code::ExpectedValue, 0);
        check("\u{b}1", Code::ExpectedValue, 0);
    }

    #[test]
    fn limits_refuse_one_more_than_they_allow() {
        let limits = Limits { bytes: 12, depth: 2, nodes: 4 };
        let check = |text: &str| Document::parse(text, &limits).map(|document| document.node_count());
        assert_eq!(check("[[1],2]     "), Ok(4));
        assert_eq!(check(r#"{"a":{"b":1}}"#), Err(ParseError::new(Code::TooLarge, 12)));
        assert_eq!(check("[[[1]]]"), Err(ParseError::new(Code::TooDeep, 2)));
        assert_eq!(check("[1,2,3,4]"), Err(ParseError::new(Code::TooManyValues, 7)));
        assert_eq!(check(r#"{"":1,"":2}"#), Ok(3));
        let none = Limits { bytes: 0, depth: 0, nodes: 0 };
        assert_eq!(Document::parse("1", &none).map(|_| ()), Err(ParseError::new(Code::TooLarge, 0)));
    }
}
