//! Texts that stand in what arrived, without copies of them.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use countersign_json::same_bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that never changes: all of a shared one, or a part of it.
#[derive(Clone, Default)]
pub struct Text {
    whole: Arc<String>,
    start: u32,
    end: u32,
    /// The hash of the content, where it is known; else zero.
    hash: u32,
}

impl Text {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.whole.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// The same text, which keeps nothing of what it was cut out of.
    #[must_use]
    pub fn alone(&self) -> Text {
        if self.bytes().len() == self.whole.len() {
            return self.clone();
        }
        Text { hash: self.hash, ..Text::from(self.as_str()) }
    }

    /// The same text, with its hash: for what is looked up again and again.
    #[must_use]
    pub(crate) fn hashed(mut self) -> Text {
        self.hash = self.content_hash();
        self
    }

    /// The hash of the content.
    pub(crate) fn content_hash(&self) -> u32 {
        if self.hash == 0 { hash(self.bytes()) } else { self.hash }
    }

    /// Whether both are the same part of the same message.
    fn is_same_part(&self, other: &Text) -> bool {
        self.start == other.start && self.end == other.end && Arc::ptr_eq(&self.whole, &other.whole)
    }

    /// Its bytes: nothing has to be said of where characters begin.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.whole.as_bytes().get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl From<String> for Text {
    /// A text of 4 GiB and more, which no limit lets in, would be empty.
    fn from(text: String) -> Text {
        let end = u32::try_from(text.len()).unwrap_or_default();
        Text { whole: Arc::new(text), start: 0, end, hash: 0 }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::from(text.to_owned())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        self.is_same_part(other) || same_bytes(self.bytes(), other.bytes())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        same_bytes(self.bytes(), other.as_bytes())
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Text) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Text) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        String::deserialize(deserializer).map(Text::from)
    }
}

/// Mixes a content into a number that is not zero, eight bytes at a time.
pub(crate) fn hash(content: &[u8]) -> u32 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |mixed: u64, word: u64| (mixed.rotate_left(23) ^ word).wrapping_mul(ODD);
    let mut mixed = content.len() as u64;
    let mut rest = content;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        mixed = mix(mixed, u64::from_le_bytes(*word));
        rest = tail;
    }
    mixed = mix(mixed, rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    ((mixed ^ (mixed >> 29)) >> 16) as u32 | 1 << 31
}

/// A message that texts are cut out of.
///
/// Of a history the parts share the whole: a good part of it is on some card, and everything is let go together when the
/// next history takes its place. Of a live event, and of a state that is polled again and again, each part is copied:
/// one new id would keep all of it for as long as the conversation lives. Whoever keeps an id out of a history keeps that
/// history: a host that does so for long takes it `alone`. What shells draw is so already.
#[derive(Clone, Debug, Default)]
pub struct Source {
    whole: Option<Arc<String>>,
}

impl Source {
    /// A message whose parts keep all of it.
    #[must_use]
    pub fn shared(whole: String) -> Source {
        Source { whole: Some(Arc::new(whole)) }
    }

    /// A message whose parts are copied.
    #[must_use]
    pub fn copied() -> Source {
        Source { whole: None }
    }

    /// All of the message, where its parts keep it.
    #[must_use]
    pub fn whole(&self) -> Option<&str> {
        self.whole.as_ref().map(|whole| whole.as_str())
    }

    /// This part of the message; what stands elsewhere, as what an escape stands for does, is copied.
    #[must_use]
    pub fn cut(&self, part: &str) -> Text {
        self.find(part).unwrap_or_else(|| Text::from(part))
    }

    fn find(&self, part: &str) -> Option<Text> {
        let whole = self.whole.as_ref()?;
        // Where it stands in memory says where it stands in the message, for nothing else can stand there.
        let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
        let end = start.checked_add(part.len()).filter(|end| *end <= whole.len())?;
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        Some(Text { whole: Arc::clone(whole), start, end, hash: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, range: impl std::slice::SliceIndex<str, Output = str>) -> &str {
        text.get(range).unwrap()
    }

    /// How many hold the message, the source among them.
    fn users(source: &Source) -> usize {
        source.whole.as_ref().map_or(0, Arc::strong_count)
    }

    #[test]
    fn parts_of_a_shared_message_are_not_copied() {
        let source = Source::shared("{\"id\":\"c1\"}".to_owned());
        let whole = source.whole().unwrap();
        let cut = source.cut(part(whole, 7..9));
        assert_eq!((&*cut, cut.as_ptr()), ("c1", part(whole, 7..).as_ptr()));
        assert_eq!((&*source.cut(whole), &*source.cut(part(whole, 11..))), (whole, ""));
        assert_eq!(users(&source), 2);
    }

    #[test]
    fn what_is_alone_keeps_nothing_of_its_message_and_is_copied_once() {
        let source = Source::shared("{\"id\":\"c1\"}".to_owned());
        let cut = source.cut(part(source.whole().unwrap(), 7..9)).hashed();
        let alone = cut.alone();
        assert!(alone == cut && alone.hash == cut.hash && alone.as_ptr() != cut.as_ptr());
        assert_eq!((alone.alone().as_ptr(), users(&source)), (alone.as_ptr(), 2));
        drop(cut);
        assert_eq!(users(&source), 1);
    }

    #[test]
    fn what_stands_elsewhere_is_copied() {
        let source = Source::shared("abc".to_owned());
        let copies =
            ["abc", "é", ""].map(|other| (other.to_owned(), source.cut(String::from(other).as_str())));
        assert!(copies.iter().all(|(other, copy)| *copy == **other));
        assert_eq!(users(&source), 1);
    }

    #[test]
    fn parts_of_a_live_message_keep_nothing_of_it() {
        let live = "abc".to_owned();
        let cut = Source::copied().cut(part(&live, 1..));
        assert!(*cut == *"bc" && cut.as_ptr() != part(&live, 1..).as_ptr());
        assert_eq!(Source::copied().whole(), None);
    }

    #[test]
    fn texts_are_the_same_by_their_content() {
        let source = Source::shared("12345678-x 12345678-x 12345678-y".to_owned());
        let whole = source.whole().unwrap();
        let [a, b, c] = [0, 11, 22].map(|at| source.cut(part(whole, at..at + 10)));
        assert!(a == a.clone() && a == b && b != c && a == *"12345678-x" && a != *"12345678");
        assert_eq!((a.cmp(&c), a.to_string()), (Ordering::Less, "12345678-x".to_owned()));
    }

    #[test]
    fn a_hash_belongs_to_the_content() {
        let source = Source::shared("12345678-x 12345678-x 12345678-y".to_owned());
        let whole = source.whole().unwrap();
        let [a, b, c] = [0, 11, 22].map(|at| source.cut(part(whole, at..at + 10)));
        assert_eq!(a.content_hash(), b.clone().hashed().content_hash());
        assert_ne!(a.content_hash(), c.content_hash());
        assert!(a == b.hashed() && Text::default().hashed().content_hash() == hash(b""));
        assert_ne!(hash(b"\0"), hash(b"\0\0"));
    }
}
