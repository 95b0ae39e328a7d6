//! What came and what went.

use countersign_core::Millis;

/// How many entries are kept; older ones are dropped.
const KEPT: usize = 500;

/// Which way a text went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the agent to the page.
    In,
    /// From the page to the agent.
    Out,
}

impl Direction {
    /// The direction as markup spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::In => "in",
            Direction::Out => "out",
        }
    }
}

/// One text that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from zero.
    pub number: u32,
    /// Which way it went.
    pub direction: Direction,
    /// When.
    pub at: Millis,
    /// What it is, in one line.
    pub summary: String,
    /// The exact text.
    pub text: String,
}

/// The latest texts that came and went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    entries: Vec<Entry>,
    next: u32,
}

impl Log {
    /// The entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds a text with the line that says what it is.
    pub fn add(&mut self, direction: Direction, at: Millis, summary: String, text: String) {
        if self.entries.len() >= KEPT {
            self.entries.remove(0);
        }
        self.entries.push(Entry { number: self.next, direction, at, summary, text });
        self.next = self.next.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_entries_are_dropped_and_numbers_go_on() {
        let mut log = Log::default();
        for _ in 0..=KEPT {
            log.add(Direction::In, Millis(0), String::new(), "{}".to_owned());
        }
        assert_eq!((log.entries().len(), log.entries().first().map(|it| it.number)), (KEPT, Some(1)));
    }
}
