//! What was found in long texts: who types beside one does not wait until it is looked through anew at every key.

use std::cell::RefCell;
use std::mem::take;

use countersign_core::secret::secrets_in;

use crate::escapes::is_hidden;
use crate::marks::{Mark, marks};

/// From how many bytes on a text is long.
const LONG: usize = 10_000;
/// So many marks on one letter are drawn at once.
const PILED: usize = 500;

/// The long texts of the last drawing.
#[derive(Debug, Default)]
pub(super) struct Looks(RefCell<Vec<Known>>);

#[derive(Debug)]
struct Known {
    text: String,
    /// Whether something was found: a secret, what cannot be seen, a pile of marks.
    found: [Option<bool>; 3],
    used: bool,
}

impl Looks {
    /// Forgets what the last drawing did not need.
    pub(super) fn turn(&self) {
        self.0.borrow_mut().retain_mut(|known| take(&mut known.used));
    }

    /// Whether it looks like a secret.
    pub(super) fn secret(&self, text: &str) -> bool {
        self.ask(text, 0, |text| !secrets_in(text).is_empty())
    }

    /// Whether there is something in it that cannot be seen.
    pub(super) fn hidden(&self, text: &str) -> bool {
        self.ask(text, 1, |text| text.chars().any(|it| is_hidden(it) && it != '\n'))
    }

    /// Whether so many marks stand on one letter that browsers are busy with it for seconds.
    pub(super) fn piled(&self, text: &str) -> bool {
        let is_piled = |mark: &Mark<'_>| matches!(mark, Mark::Piled(times) if *times > PILED);
        text.len() > PILED && self.ask(text, 2, |text| marks(text).iter().any(is_piled))
    }

    fn ask(&self, text: &str, what: usize, look: impl Fn(&str) -> bool) -> bool {
        if text.len() < LONG {
            return look(text);
        }
        let mut all = self.0.borrow_mut();
        let at = all.iter().position(|known| known.text == text).unwrap_or(all.len());
        if at == all.len() {
            all.push(Known { text: text.to_owned(), found: [None; 3], used: true });
        }
        let Some(known) = all.get_mut(at) else { return look(text) };
        known.used = true;
        let Some(found) = known.found.get_mut(what) else { return look(text) };
        *found.get_or_insert_with(|| look(text))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_long_text_is_looked_through_once_as_long_as_it_is_drawn() {
        let (looks, times) = (Looks::default(), Cell::new(0));
        let ask = |text: &str| {
            looks.ask(text, 0, |_| {
                times.set(times.get() + 1);
                true
            })
        };
        let long = "a".repeat(LONG);
        for _ in 0..3 {
            looks.turn();
            assert!(ask(&long) && ask(&long));
        }
        assert_eq!(times.get(), 1);
        assert!(ask(&[&long, "b"].concat()));
        assert_eq!(times.get(), 2, "another text");
        looks.turn();
        looks.turn();
        assert!(looks.0.borrow().is_empty(), "nothing of it stays");
    }

    #[test]
    fn r24_what_is_found_in_long_texts_is_what_is_found_in_short_ones() {
        let looks = Looks::default();
        let long = |end: &str| ["word ".repeat(LONG / 5), end.to_owned()].concat();
        for text in ["", "password=hunter2-hunter2", "a\u{200B}", "plain"] {
            for (text, known) in [(text.to_owned(), false), (long(text), false), (long(text), true)] {
                let found = [looks.secret(&text), looks.hidden(&text), looks.piled(&text)];
                let marked = |sign: char| text.contains(sign);
                assert_eq!(found, [marked('='), marked('\u{200B}'), false], "{known}");
            }
        }
    }
}
