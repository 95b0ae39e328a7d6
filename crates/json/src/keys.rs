//! The names of an object's members: which are the same, and which occur twice.

use std::cmp::Ordering;

use crate::string;
use crate::value::Value;

/// Up to so many members are compared each with each, which needs no memory.
const FEW: usize = 8;
/// Up to so many members are told apart by the marks of their names.
const MARKED: usize = 32;

/// Whether two strings have the same content, however they are escaped.
pub(crate) fn same_string(left: Value<'_>, right: Value<'_>) -> bool {
    if left.text() == right.text() {
        return true;
    }
    (left.escaped() || right.escaped()) && compare(left, right) == Ordering::Equal
}

/// Orders two strings by their content.
pub(crate) fn compare(left: Value<'_>, right: Value<'_>) -> Ordering {
    #[cfg(test)]
    tests::COMPARED.set(tests::COMPARED.get() + 1);
    let (left_source, right_source) = (left.source().unwrap_or_default(), right.source().unwrap_or_default());
    if left.escaped() || right.escaped() {
        string::compare(left_source, right_source)
    } else {
        // The bytes of UTF-8 are in the order of the code points.
        left_source.cmp(right_source)
    }
}

/// The keys of `object` that occur more than once: each name once, by its second occurrence, in the
/// order of the text.
pub(crate) fn repeated(object: Value<'_>) -> Vec<Value<'_>> {
    if clearly_distinct(object) || has_distinct_sums(object) {
        return Vec::new();
    }
    let sorted = Index::new(object).sorted;
    let groups = sorted.chunk_by(|left, right| same_string(left.0, right.0));
    let mut repeated: Vec<_> = groups.filter_map(|group| group.get(1)).map(|(key, _)| *key).collect();
    repeated.sort_unstable_by_key(|key| key.index());
    repeated
}

/// Whether the names are not too many, without escapes, and their marks all different; that is so nearly always.
fn clearly_distinct(object: Value<'_>) -> bool {
    let mut marks = [0; MARKED];
    for (position, (key, _)) in object.members().enumerate() {
        let node = key.node();
        let (earlier, rest) = marks.split_at_mut(position.min(MARKED));
        if node.escaped() || earlier.iter().any(|mark| node.is_marked(*mark)) {
            return false;
        }
        match rest.first_mut() {
            Some(slot) => *slot = node.mark(),
            None => return false,
        }
    }
    true
}

/// Whether the sums of the names are all different, and found to be so in a few looks at each.
///
/// Sums that are the same prove nothing, and whoever wants them to be can make them so.
fn has_distinct_sums(object: Value<'_>) -> bool {
    let count = object.len();
    let mut seen = vec![0; (count * 2).next_power_of_two()];
    let (last, mut looks) = (seen.len() - 1, count * 8);
    for (key, _) in object.members() {
        let sum = sum(&key.as_str_lossy().unwrap_or_default());
        let mut at = sum as usize;
        loop {
            match seen.get_mut(at & last) {
                Some(slot) if *slot == 0 => {
                    *slot = sum;
                    break;
                }
                Some(slot) if *slot != sum && looks > 0 => (at, looks) = (at.wrapping_add(1), looks - 1),
                _ => return false,
            }
        }
    }
    true
}

/// A number for a name, never 0.
fn sum(name: &str) -> u64 {
    let sum = name.as_bytes().chunks(8).fold(name.len() as u64, |sum, part| {
        let part = part.iter().fold(0, |part, byte| part << 8 | u64::from(*byte));
        let product = (sum ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        product ^ product >> 32
    });
    sum | 1
}

/// Whether some name of `object` occurs more than once.
pub(crate) fn repeats(object: Value<'_>) -> bool {
    !repeated(object).is_empty()
}

/// The members of an object by name, for who looks up many of them.
#[derive(Debug)]
pub struct Index<'d> {
    sorted: Vec<(Value<'d>, Value<'d>)>,
}

impl<'d> Index<'d> {
    /// Sorts the members of `object`; none if it is not an object.
    #[must_use]
    pub fn new(object: Value<'d>) -> Index<'d> {
        let mut sorted: Vec<_> = object.members().collect();
        // Members of one name stay in the order of the text.
        sorted.sort_unstable_by(|(left, _), (right, _)| {
            compare(*left, *right).then_with(|| left.index().cmp(&right.index()))
        });
        Index { sorted }
    }

    /// The member with the name that `key` has.
    pub(crate) fn find(&self, key: Value<'_>) -> Option<(Value<'d>, Value<'d>)> {
        let position = self.sorted.binary_search_by(|(name, _)| compare(*name, key)).ok()?;
        self.sorted.get(position).copied()
    }

    /// The value of the *last* member with the name that the string `key` has; see [`Value::get`].
    #[must_use]
    pub fn get(&self, key: Value<'_>) -> Option<Value<'d>> {
        let behind = self.sorted.partition_point(|(name, _)| compare(*name, key) != Ordering::Greater);
        let (name, value) = self.sorted.get(behind.checked_sub(1)?)?;
        same_string(*name, key).then_some(*value)
    }

    /// The key of some name that occurs more than once.
    pub(crate) fn repeated(&self) -> Option<Value<'d>> {
        let pairs = self.sorted.iter().zip(self.sorted.iter().skip(1));
        pairs.filter(|(left, right)| same_string(left.0, right.0)).map(|(_, right)| right.0).next()
    }

    /// The members in the order of their names.
    pub(crate) fn sorted(&self) -> &[(Value<'d>, Value<'d>)] {
        &self.sorted
    }
}

/// Whether two objects have members of the same names in the same order.
pub(crate) fn in_order(left: Value<'_>, right: Value<'_>) -> bool {
    let mut pairs = left.members().zip(right.members());
    left.len() == right.len() && pairs.all(|((key, _), (name, _))| same_string(key, name))
}

/// Whether `object` has so few members that looking for each is cheaper than an [`Index`].
pub(crate) fn has_few(object: Value<'_>) -> bool {
    object.members().take(FEW + 1).count() <= FEW
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::document::Document;
    use crate::limits::Limits;

    thread_local! {
        pub(super) static COMPARED: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn r14_many_names_are_told_apart_without_being_sorted() {
        for escape in ["", "\\u00e9", "a long name that starts as all the others do, "] {
            let members: Vec<String> = (0..50_000).map(|number| format!(r#""{escape}{number}":0"#)).collect();
            let text = format!("{{{}}}", members.join(","));
            let document = Document::parse(&text, &Limits::default()).unwrap();
            COMPARED.set(0);
            assert!(!repeats(document.root()));
            assert_eq!(COMPARED.get(), 0, "{escape}");
            let text = format!(r#"{{{},"{escape}\u0031":1}}"#, members.join(","));
            let document = Document::parse(&text, &Limits::default()).unwrap();
            assert_eq!(repeated(document.root()).len(), 1, "{escape}");
        }
    }

    #[test]
    fn a_repeated_name_is_found_once_in_small_and_large_objects() {
        for filler in [0, 10, 100] {
            let mut text = String::from(r#"{"b":1,"a":1,"\u0062":2,"b":3,"a":4,"\ud800":5,"\ud801":6"#);
            (0..filler).for_each(|number| text.push_str(&format!(r#","k{number}":0"#)));
            text.push('}');
            let document = Document::parse(&text, &Limits::default()).unwrap();
            let found: Vec<_> = repeated(document.root()).iter().map(|key| key.text()).collect();
            assert_eq!(found, [r#""\u0062""#, r#""a""#], "{filler} more members");
        }
    }

    #[test]
    fn names_with_one_mark_do_not_repeat_each_other() {
        let members: Vec<String> = (10..40).map(|number| format!(r#""same start {number}":0"#)).collect();
        for count in [2, 8, 20, 30] {
            let text = format!("{{{}}}", members[..count].join(","));
            let document = Document::parse(&text, &Limits::default()).unwrap();
            assert!(!repeats(document.root()), "{text}");
            let text = format!(r#"{{{},"same start 11":1}}"#, members[..count].join(","));
            let document = Document::parse(&text, &Limits::default()).unwrap();
            assert!(repeats(document.root()), "{text}");
        }
    }
}
