//! Two collections that are small in the wasm: every map that is generic over its keys weighs kilobytes for each of them.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Lists of numbers under names.
///
/// Names may come from outside: the map is ordered, so no choice of names makes it slow.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    places: BTreeMap<Arc<str>, u32>,
    lists: Vec<Vec<u32>>,
    /// The name that was pushed last: the next one is often the same.
    last: Option<(Arc<str>, u32)>,
}

impl Groups {
    /// The place of the list under this name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<u32> {
        self.places.get(name).copied()
    }

    /// The numbers under this name, in the order in which they came.
    #[must_use]
    pub fn get(&self, name: &str) -> &[u32] {
        self.place(name).map(|place| self.at(place)).unwrap_or_default()
    }

    /// The numbers of the list at this place.
    #[must_use]
    pub fn at(&self, place: u32) -> &[u32] {
        self.lists.get(place as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// All lists, in the order of their first number.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.lists.iter().map(Vec::as_slice)
    }

    /// Puts a number behind the others of this name, and says at which place the list is.
    pub fn push(&mut self, name: &Arc<str>, number: u32) -> u32 {
        let again = self.last.as_ref().filter(|(last, _)| last == name).map(|(_, place)| *place);
        let place = match again.or_else(|| self.place(name)) {
            Some(place) => place,
            None => {
                let place = u32::try_from(self.lists.len()).unwrap_or(u32::MAX);
                self.places.insert(Arc::clone(name), place);
                self.lists.push(Vec::new());
                place
            }
        };
        if again.is_none() {
            self.last = Some((Arc::clone(name), place));
        }
        if let Some(list) = self.lists.get_mut(place as usize) {
            list.push(number);
        }
        place
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Groups::default();
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
        let (a, b) = (Arc::from("a"), Arc::from("b"));
        assert_eq!((groups.push(&a, 7), groups.push(&b, 1), groups.push(&a, 3)), (0, 1, 0));
        assert_eq!((groups.get("a"), groups.get("b"), groups.get("c")), (&[7, 3][..], &[1][..], &[][..]));
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
