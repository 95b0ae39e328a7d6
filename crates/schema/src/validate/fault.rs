//! What was found, before there are words for it.

use countersign_json::Value;

use super::Reason;

/// What holding a value against a schema comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Pass,
    /// Something was not checked, and nothing else is wrong.
    Doubt,
    Fail,
}

impl Outcome {
    /// What both come to if both must hold.
    pub(super) fn and(self, other: Outcome) -> Outcome {
        self.max(other)
    }
}

/// A keyword and the value that it is about. Words and pointers are made for those that are reported only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'s, 'v> {
    /// The schema with the keyword.
    pub(super) schema: Value<'s>,
    /// The keyword; empty where the schema is `false`.
    pub(super) keyword: &'static str,
    pub(super) at: Value<'v>,
}

/// Something that is wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault<'s, 'v> {
    pub(super) place: Place<'s, 'v>,
    /// The name, in the schema, of a member that is missing.
    pub(super) missing: Option<Value<'s>>,
}

/// Something that was not checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt<'s, 'v> {
    pub(super) place: Place<'s, 'v>,
    pub(super) reason: Reason,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Findings<'s, 'v> {
    pub(super) faults: Vec<Fault<'s, 'v>>,
    pub(super) doubts: Vec<Doubt<'s, 'v>>,
}

/// How many findings were there at some moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) faults: usize,
    pub(super) doubts: usize,
}

/// More findings than anyone reads are not kept.
const MOST: usize = 1000;

impl<'s, 'v> Findings<'s, 'v> {
    pub(super) fn fault(&mut self, fault: Fault<'s, 'v>) {
        if self.faults.len() < MOST {
            self.faults.push(fault);
        }
    }

    pub(super) fn doubt(&mut self, doubt: Doubt<'s, 'v>) {
        if self.doubts.len() < MOST {
            self.doubts.push(doubt);
        } else if let Some(last) = self.doubts.last_mut().filter(|_| doubt.reason == Reason::TooMuch) {
            // That a schema asks for too much is never lost among what could not be checked.
            *last = doubt;
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { faults: self.faults.len(), doubts: self.doubts.len() }
    }

    /// Forgets what was found since; doubts stay where the outcome depends on them.
    pub(super) fn forget(&mut self, mark: Mark, outcome: Outcome) {
        self.faults.truncate(mark.faults);
        if outcome != Outcome::Doubt {
            self.doubts.truncate(mark.doubts);
        }
    }
}
