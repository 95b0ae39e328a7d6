//! What arrives, in the order in which it is true.
//!
//! A state that was asked for says nothing about what happened afterwards. So while one is read, live events wait, and come
//! after it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Live events, and those who let them wait.
#[derive(Debug, Default)]
pub(crate) struct Intake {
    held: Cell<u32>,
    waiting: RefCell<VecDeque<String>>,
}

/// Live events wait until this is dropped.
#[derive(Debug)]
pub(crate) struct Hold(Rc<Intake>);

impl Intake {
    /// Lets what arrives wait.
    pub(crate) fn hold(self: &Rc<Intake>) -> Hold {
        self.held.set(self.held.get().saturating_add(1));
        Hold(Rc::clone(self))
    }

    /// A live event, if it need not wait.
    pub(crate) fn heard(&self, text: String) -> Option<String> {
        if self.held.get() == 0 {
            return Some(text);
        }
        self.waiting.borrow_mut().push_back(text);
        None
    }

    /// The next one that waited and need not wait any more.
    pub(crate) fn next(&self) -> Option<String> {
        if self.held.get() > 0 { None } else { self.waiting.borrow_mut().pop_front() }
    }

    /// What waited is dropped: before there is history nothing can be said about events, and reading it again will tell.
    pub(crate) fn clear(&self) {
        self.waiting.borrow_mut().clear();
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.held.set(self.0.held.get().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_while_a_state_is_read_comes_after_it() {
        let intake = Rc::new(Intake::default());
        let text = |word: &str| word.to_owned();
        assert_eq!(intake.heard(text("a")), Some(text("a")));
        let holds = [intake.hold(), intake.hold()];
        assert_eq!((intake.heard(text("b")), intake.heard(text("c"))), (None, None));
        let [first, second] = holds;
        drop(first);
        assert_eq!(intake.next(), None);
        drop(second);
        assert_eq!([(); 3].map(|()| intake.next()), [Some(text("b")), Some(text("c")), None]);
    }

    #[test]
    fn what_came_before_there_was_history_is_dropped() {
        let intake = Rc::new(Intake::default());
        let hold = intake.hold();
        assert_eq!(intake.heard("a".to_owned()), None);
        intake.clear();
        drop(hold);
        assert_eq!(intake.next(), None);
    }
}
