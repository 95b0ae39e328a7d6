//! Names of members that code looks up, with a number that tells most others apart without a look at the text.

/// The name of a member, as [`Value::named`](crate::Value::named) looks it up; [`names!`](crate::names) makes a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'n> {
    text: &'n str,
    /// The number that keys of this name have.
    mark: u32,
}

impl<'n> Name<'n> {
    /// The name with this content.
    #[must_use]
    pub const fn new(text: &'n str) -> Name<'n> {
        let mut bytes = text.as_bytes();
        let (mut word, mut at) = (0, 0);
        while at < 64
            && let Some((byte, rest)) = bytes.split_first()
        {
            word |= (*byte as u64) << at;
            (at, bytes) = (at + 8, rest);
        }
        Name { text, mark: mark(word, text.len()) }
    }

    /// The content.
    #[must_use]
    pub const fn text(self) -> &'n str {
        self.text
    }

    /// The number that keys of this name have.
    #[inline(always)]
    pub(crate) fn mark(self) -> u32 {
        self.mark
    }
}

/// The bit of a mark among those of several names.
#[inline(always)]
pub(crate) fn bit(mark: u32) -> u64 {
    1 << (mark & 63)
}

/// A list of names for [`Value::named`](crate::Value::named), made when the code is compiled.
///
/// ```
/// use countersign_json::{Document, Limits, Name, names};
///
/// const NAMES: &[Name<'static>; 2] = names!["id", "name"];
/// let document = Document::parse(r#"{"name":"x"}"#, &Limits::default())?;
/// let [id, name] = document.root().named(NAMES);
/// assert!(id.is_none() && name.is_some_and(|name| name.equals("x")));
/// # Ok::<(), countersign_json::ParseError>(())
/// ```
#[macro_export]
macro_rules! names {
    ($($name:expr),+ $(,)?) => {
        const { &[$($crate::Name::new($name)),+] }
    };
}

/// A number of 31 bits for a name: from its length and its first eight bytes, the first of them lowest.
#[inline(always)]
const fn mark(word: u64, len: usize) -> u32 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    ((word ^ (len as u64).rotate_right(8)).wrapping_mul(ODD) >> 33) as u32
}

/// The mark of the key whose content is `bytes[start..end]`.
#[inline(always)]
pub(crate) fn mark_at(bytes: &[u8], start: usize, end: usize) -> u32 {
    mark(word_at(bytes, start, end), end - start)
}

/// The first eight bytes of `bytes[start..end]`, the first of them lowest.
#[inline(always)]
fn word_at(bytes: &[u8], start: usize, end: usize) -> u64 {
    let Some(chunk) = bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) else {
        return word_near_end(bytes.get(start..end).unwrap_or_default());
    };
    let word = u64::from_le_bytes(*chunk);
    let len = end - start;
    if len < 8 { word & ((1 << (8 * len)) - 1) } else { word }
}

/// The same where no eight bytes are left in the text.
#[cold]
fn word_near_end(content: &[u8]) -> u64 {
    content.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Limits};

    #[test]
    fn a_key_has_the_mark_of_its_name_wherever_it_stands() {
        for name in ["", "a", "id", "äö", "seven77", "eight888", "originalFunctionCall", "漢字漢字"] {
            let expected = Name::new(name).mark();
            for tail in ["", "\"", "\":1}", "\":1,\"another\":2}"] {
                let text = format!("{{\"{name}{tail}");
                assert_eq!(mark_at(text.as_bytes(), 2, 2 + name.len()), expected, "{name} before {tail}");
            }
            assert!(expected < 1 << 31);
        }
    }

    #[test]
    fn names_with_one_mark_are_told_apart() {
        // The mark knows the length and the first eight bytes alone.
        let (one, other) = ("confirmedA", "confirmedB");
        assert_eq!(Name::new(one).mark(), Name::new(other).mark());
        let text = format!(r#"{{"{one}":1,"{other}":2,"confirmed\u0041":3}}"#);
        let document = Document::parse(&text, &Limits::default()).unwrap();
        let [first, second] = document.root().named(names!["confirmedA", "confirmedB"]);
        assert_eq!((first.unwrap().text(), second.unwrap().text()), ("3", "2"));
        assert_eq!(document.root().get("confirmedB").unwrap().text(), "2");
        assert!(document.root().get("confirmedC").is_none());
    }

    #[test]
    fn more_names_than_are_looked_up_at_once_are_all_found() {
        let text = r#"{"j":9,"a":0,"i":8,"c":2,"j":10,"h":7,"z":1}"#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let names = names!["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let found = document.root().named(names).map(|value| value.map_or("-", |value| value.text()));
        assert_eq!(found, ["0", "-", "2", "-", "-", "-", "-", "7", "8", "10"]);
    }

    #[test]
    fn a_key_is_found_however_it_is_escaped() {
        let text = r#"{"\u0069d":1,"n\u0061me":2,"\ud800":3,"\"":4,"":5}"#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let root = document.root();
        let found =
            root.named(names!["id", "name", "\"", "", "\u{FFFD}"]).map(|value| value.map(|it| it.text()));
        assert_eq!(found, [Some("1"), Some("2"), Some("4"), Some("5"), None]);
        for (name, value) in [("id", "1"), ("name", "2"), ("\"", "4"), ("", "5")] {
            assert_eq!(root.get(name).map(|it| it.text()), Some(value), "{name}");
        }
    }
}
