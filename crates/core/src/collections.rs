//! Collections that work with numbers of 32 bits. The maps among them are small in the wasm: one that is generic over its keys
//! weighs kilobytes for each kind of key, so names have one kind.

use std::cell::Cell;
use std::collections::BTreeMap;

use countersign_json::same_bytes;

use crate::text::{Text, hash};

/// Lists of numbers under names.
///
/// A table of hashes, open to the next free slot. Names may come from outside: where many of them fall together, the
/// rest goes into an ordered map, so no choice of names makes it slow.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// Zero, or the place plus one of a name in the lower bits and its hash in those above: by these most other names are told
    /// without a look at their entry, which would have to come from far in memory. The length is a power of two. A few
    /// names have none: they are gone through.
    slots: Vec<u32>,
    entries: Vec<Entry>,
    /// Names that found no slot near theirs.
    crowded: BTreeMap<Text, u32>,
    /// The place that was pushed to last: the next name is often the same.
    last: u32,
}

#[derive(Clone, Debug)]
struct Entry {
    name: Text,
    hash: u32,
    numbers: Numbers,
}

impl Entry {
    #[inline(always)]
    fn is_named(&self, key: Key<'_>) -> bool {
        self.hash == key.hash && same_bytes(self.name.bytes(), key.content)
    }
}

/// The numbers under a name. Nearly always there is one, which then needs no memory elsewhere.
#[derive(Clone, Debug)]
enum Numbers {
    One([u32; 1]),
    /// With how many at the beginning need not be looked at any more.
    Many(Vec<u32>, Cell<u32>),
}

impl Numbers {
    fn as_slice(&self) -> &[u32] {
        match self {
            Numbers::One(number) => number,
            Numbers::Many(numbers, _) => numbers,
        }
    }

    fn push(&mut self, number: u32) {
        match self {
            Numbers::One([first]) => *self = Numbers::Many(vec![*first, number], Cell::default()),
            Numbers::Many(numbers, _) => numbers.push(number),
        }
    }
}

/// A name that is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Key<'k> {
    content: &'k [u8],
    hash: u32,
}

impl<'k> From<&'k str> for Key<'k> {
    fn from(name: &'k str) -> Key<'k> {
        Key { content: name.as_bytes(), hash: hash(name.as_bytes()) }
    }
}

impl<'k> From<&'k Text> for Key<'k> {
    fn from(name: &'k Text) -> Key<'k> {
        Key { content: name.bytes(), hash: name.content_hash() }
    }
}

/// How far from its own slot a name may stand.
const REACH: usize = 32;

/// So many names are found without a table.
const FEW: u32 = 8;

impl Groups {
    /// The place of the list under this name.
    #[must_use]
    pub fn place<'k>(&self, name: impl Into<Key<'k>>) -> Option<u32> {
        self.find(name.into())
    }

    #[inline(never)]
    fn find(&self, key: Key<'_>) -> Option<u32> {
        if self.slots.is_empty() {
            let mut few = (0..).zip(&self.entries);
            return few.find(|(_, entry)| entry.is_named(key)).map(|(place, _)| place);
        }
        let places = self.places();
        for slot in self.near(key.hash) {
            let slot = self.slots.get(slot).copied()?;
            let place = (slot & places).checked_sub(1)?;
            if (slot ^ key.hash) & !places == 0 && self.is_named(place, key) {
                return Some(place);
            }
        }
        if self.crowded.is_empty() {
            return None;
        }
        self.crowded.get(std::str::from_utf8(key.content).ok()?).copied()
    }

    fn is_named(&self, place: u32, key: Key<'_>) -> bool {
        self.entries.get(place as usize).is_some_and(|entry| entry.is_named(key))
    }

    /// The bits of a slot that hold a place. At most half of the slots are taken, so there are enough of them.
    fn places(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or_default().wrapping_sub(1)
    }

    /// The slots in which a name with this hash may stand.
    fn near(&self, hash: u32) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len().wrapping_sub(1);
        let first = usize::try_from(hash).unwrap_or_default();
        (0..REACH.min(self.slots.len())).map(move |step| first.wrapping_add(step) & mask)
    }

    /// The numbers under this name, in the order in which they came.
    #[must_use]
    pub fn get<'k>(&self, name: impl Into<Key<'k>>) -> &[u32] {
        self.find(name.into()).map(|place| self.at(place)).unwrap_or_default()
    }

    /// The numbers of the list at this place.
    #[must_use]
    pub fn at(&self, place: u32) -> &[u32] {
        self.entries.get(place as usize).map(|entry| entry.numbers.as_slice()).unwrap_or_default()
    }

    /// The first number under this name that is wanted. What is not, never may be again: it is looked at once.
    pub fn first<'k>(&self, name: impl Into<Key<'k>>, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let numbers = &self.entries.get(self.find(name.into())? as usize)?.numbers;
        let Numbers::Many(numbers, over) = numbers else {
            return numbers.as_slice().first().copied().filter(|number| is_wanted(*number));
        };
        while let Some(number) = numbers.get(over.get() as usize).copied() {
            if is_wanted(number) {
                return Some(number);
            }
            over.set(over.get() + 1);
        }
        None
    }

    /// All lists, in the order of their first number.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.entries.iter().map(|entry| entry.numbers.as_slice())
    }

    /// Puts a number behind the others of this name, and says at which place the list is.
    pub fn push(&mut self, name: &Text, number: u32) -> u32 {
        let key = Key::from(name);
        let again = Some(self.last).filter(|last| self.is_named(*last, key));
        self.last = match again.or_else(|| self.find(key)) {
            Some(place) => {
                if let Some(entry) = self.entries.get_mut(place as usize) {
                    entry.numbers.push(number);
                }
                place
            }
            None => self.add(name, key.hash, number),
        };
        self.last
    }

    fn add(&mut self, name: &Text, hash: u32, number: u32) -> u32 {
        let place = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(Entry { name: name.clone(), hash, numbers: Numbers::One([number]) });
        if place < FEW {
            return place;
        }
        if self.entries.len() * 2 > self.slots.len() {
            self.slots = vec![0; (self.entries.len() * 3).next_power_of_two()];
            self.crowded.clear();
            for place in 0..=place {
                self.settle(place);
            }
        } else {
            self.settle(place);
        }
        place
    }

    /// Gives a place its slot, or a line in the ordered map.
    fn settle(&mut self, place: u32) {
        let Some(entry) = self.entries.get(place as usize) else { return };
        let (hash, places) = (entry.hash, self.places());
        let free = self.near(hash).find(|slot| self.slots.get(*slot) == Some(&0));
        match free.and_then(|slot| self.slots.get_mut(slot)) {
            Some(slot) => *slot = (place + 1) | (hash & !places),
            None => drop(self.crowded.insert(entry.name.clone(), place)),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Groups::default();
    }
}

/// Things that are known by their numbers, in the order in which they came.
#[derive(Clone, Debug)]
pub struct Numbered<T>(Vec<T>);

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered(Vec::new())
    }
}

impl<T> Numbered<T> {
    /// The number that the next one gets.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// Puts one behind the others, and says which number it has.
    pub fn push(&mut self, one: T) -> u32 {
        let number = self.next_number();
        self.0.push(one);
        number
    }

    /// The one with this number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&T> {
        self.0.get(number as usize)
    }

    /// The one with this number, to change.
    #[must_use]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.0.get_mut(number as usize)
    }

    /// Those with these numbers, in this order.
    pub fn of<'n>(&'n self, numbers: &'n [u32]) -> impl DoubleEndedIterator<Item = &'n T> + Clone {
        numbers.iter().filter_map(|number| self.get(*number))
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// All of them, to change.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> IntoIterator for Numbered<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> std::vec::IntoIter<T> {
        self.0.into_iter()
    }
}

impl<'n, T> IntoIterator for &'n Numbered<T> {
    type Item = &'n T;
    type IntoIter = std::slice::Iter<'n, T>;

    fn into_iter(self) -> std::slice::Iter<'n, T> {
        self.iter()
    }
}

impl<'n, T> IntoIterator for &'n mut Numbered<T> {
    type Item = &'n mut T;
    type IntoIter = std::slice::IterMut<'n, T>;

    fn into_iter(self) -> std::slice::IterMut<'n, T> {
        self.iter_mut()
    }
}

/// A set of numbers, read in their order.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// Puts a number in.
    pub fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if let Some(word) = self.words.get_mut(word) {
            *word |= 1 << (number % 64);
        }
    }

    /// Takes a number out.
    pub fn remove(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Whether the number is in.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word & 1 << (number % 64) != 0)
    }

    /// The numbers, smallest first.
    #[must_use]
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        for (base, word) in (0_u32..).step_by(64).zip(&self.words) {
            let mut rest = *word;
            while rest != 0 {
                numbers.push(base + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        numbers
    }

    /// Whether nothing is in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_keeps_its_numbers_in_the_order_in_which_they_came() {
        let mut groups = Groups::default();
        let (a, b) = (Text::from("a"), Text::from("b"));
        assert_eq!((groups.push(&a, 7), groups.push(&b, 1), groups.push(&a, 3)), (0, 1, 0));
        assert_eq!((groups.get("a"), groups.get("b"), groups.get("c")), (&[7, 3][..], &[1][..], &[][..]));
    }

    #[test]
    fn what_is_not_wanted_any_more_is_looked_at_once() {
        let (mut groups, name, looks) = (Groups::default(), Text::from("a"), Cell::new(0));
        let first = |groups: &Groups, least: u32| {
            groups.first("a", |number| {
                looks.set(looks.get() + 1);
                number >= least
            })
        };
        assert_eq!(first(&groups, 0), None);
        for number in 0..1000 {
            groups.push(&name, number);
            assert_eq!((first(&groups, number), first(&groups, number + 1)), (Some(number), None));
        }
        // The first one was looked at before it was one of many.
        assert_eq!(looks.get(), 2 * 1000 + 1);
        assert_eq!(groups.get("a").len(), 1000);
    }

    #[test]
    fn many_names_are_found_again_also_where_their_hashes_fall_together() {
        let mut groups = Groups::default();
        let names: Vec<Text> = (0..5000_u32).map(|at| Text::from(format!("call-{at:08x}"))).collect();
        for (at, name) in (0..).zip(&names) {
            groups.push(name, at);
        }
        // As if all of them had fallen onto the same few slots.
        for entry in &mut groups.entries {
            entry.hash = 7;
        }
        let crowded = groups.entries.len();
        groups.slots = vec![0; 16384];
        groups.crowded.clear();
        for place in 0..crowded as u32 {
            groups.settle(place);
        }
        assert_eq!(groups.crowded.len(), crowded - REACH);
        for (at, name) in (0..).zip(&names) {
            assert_eq!(groups.find(Key { content: name.bytes(), hash: 7 }), Some(at), "{name}");
        }
        assert_eq!(groups.find(Key { content: b"call-none", hash: 7 }), None);
    }

    #[test]
    fn names_that_were_never_pushed_are_not_found() {
        let mut groups = Groups::default();
        assert_eq!(groups.place("a"), None);
        for at in 0..100_u32 {
            assert_eq!(groups.push(&Text::from(format!("{at}")), at), at);
        }
        assert!((0..100_u32).all(|at| groups.get(at.to_string().as_str()) == [at]));
        assert!(groups.place("100").is_none() && groups.place("").is_none());
    }

    #[test]
    fn what_is_numbered_is_found_by_its_number() {
        let mut numbered = Numbered::default();
        assert_eq!(["a", "b"].map(|one| numbered.push(one)), [0, 1]);
        assert_eq!((numbered.get(1), numbered.get(2), numbered.next_number()), (Some(&"b"), None, 2));
        assert_eq!(numbered.of(&[1, 7, 0]).copied().collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn marks_come_out_in_order_and_once() {
        let mut marks = Marks::default();
        for number in [200, 3, 64, 3, 63] {
            marks.insert(number);
        }
        marks.remove(64);
        assert_eq!(marks.numbers(), [3, 63, 200]);
        assert!(marks.contains(200) && !marks.contains(64) && !marks.contains(9999) && !marks.is_empty());
    }
}
