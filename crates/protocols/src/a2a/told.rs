//! Which outcomes were taken in: what is read again settles nothing that came after it.

use countersign_core::Text;
use countersign_core::collections::{Groups, Numbered};

/// So many outcomes of one call are looked through; the others are found by where they stand, too.
const NEAR: usize = 8;

/// The outcomes that were taken in, by where they stand.
#[derive(Default)]
pub(super) struct Told {
    stands: Numbered<Stand>,
    by_call: Groups,
    /// Those behind the first few of a call.
    far: Groups,
}

/// Where an outcome stands: in which task, in which of its messages or artifacts, and as which one of its call there.
#[derive(Clone, PartialEq)]
pub(super) struct Stand {
    pub(super) task: u32,
    pub(super) source: Text,
    pub(super) nth: usize,
}

impl Stand {
    fn key(&self, call: &Text) -> Text {
        let Stand { task, source, nth } = self;
        Text::from(format!("{task} {nth} {} {source}{call}", source.len()))
    }
}

impl Told {
    pub(super) fn holds(&self, call: &Text, stand: &Stand) -> bool {
        let all = self.by_call.get(call);
        let mut near = self.stands.of(all.get(..NEAR).unwrap_or(all));
        near.any(|near| near == stand) || all.len() > NEAR && self.far.place(&stand.key(call)).is_some()
    }

    pub(super) fn note(&mut self, call: &Text, stand: Stand) {
        let at = self.stands.next_number();
        let place = self.by_call.push(call, at);
        if self.by_call.at(place).len() > NEAR {
            self.far.push(&stand.key(call), 0);
        }
        self.stands.push(stand);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand(task: u32, source: &str, nth: usize) -> Stand {
        Stand { task, source: Text::from(source), nth }
    }

    #[test]
    fn an_outcome_is_known_by_its_task_its_message_and_its_turn_there() {
        let (mut told, call) = (Told::default(), Text::from("c"));
        let first = stand(0, "m", 1);
        assert!(!told.holds(&call, &first));
        told.note(&call, first.clone());
        assert!(told.holds(&call, &first) && !told.holds(&Text::from("d"), &first));
        for other in [stand(1, "m", 1), stand(0, "n", 1), stand(0, "m", 2)] {
            assert!(!told.holds(&call, &other));
        }
    }

    #[test]
    fn of_many_outcomes_of_one_call_each_is_known() {
        let (mut told, call) = (Told::default(), Text::from("c"));
        let stands: Vec<Stand> = (0..100).map(|at| stand(at % 3, &format!("{at}"), 1)).collect();
        for stand in &stands {
            assert!(!told.holds(&call, stand));
            told.note(&call, stand.clone());
        }
        assert!(stands.iter().all(|stand| told.holds(&call, stand)));
    }
}
