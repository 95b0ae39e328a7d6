//! Texts that somebody waits for.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Poll, Waker};

use super::Each;

/// Texts that are expected on one connection.
#[derive(Default)]
pub(crate) struct Expectations(RefCell<Vec<Weak<Expected>>>);

struct Expected {
    fits: Box<dyn Fn(&str) -> bool>,
    each: Each,
    /// Whether it is there; `None`: it is not known yet.
    arrived: Cell<Option<bool>>,
    waiting: RefCell<Option<Waker>>,
}

/// A text that is expected; nobody waits for it any more when this is dropped.
pub(crate) struct Reply(Rc<Expected>);

impl Expectations {
    /// Expects a text that `fits`; `each` takes it.
    pub(crate) fn add(&self, fits: impl Fn(&str) -> bool + 'static, each: Each) -> Reply {
        let (arrived, waiting) = (Cell::default(), RefCell::default());
        let expected = Rc::new(Expected { fits: Box::new(fits), each, arrived, waiting });
        self.0.borrow_mut().push(Rc::downgrade(&expected));
        Reply(expected)
    }

    /// Hands over a text that somebody expects; returns one that nobody does.
    pub(crate) fn take(&self, text: String) -> Option<String> {
        self.0.borrow_mut().retain(|it| it.strong_count() > 0);
        let all: Vec<Rc<Expected>> = self.0.borrow().iter().filter_map(Weak::upgrade).collect();
        let Some(expected) = all.iter().find(|it| it.arrived.get().is_none() && (it.fits)(&text)) else {
            return Some(text);
        };
        (expected.each)(text);
        expected.settle(true);
        None
    }

    /// The connection broke: nothing that is expected will come.
    pub(crate) fn give_up(&self) {
        self.0.take().iter().filter_map(Weak::upgrade).for_each(|it| it.settle(false));
    }
}

impl Expected {
    fn settle(&self, arrived: bool) {
        self.arrived.set(Some(self.arrived.get().unwrap_or(arrived)));
        self.waiting.take().into_iter().for_each(Waker::wake);
    }
}

impl Reply {
    /// Waits until the text is there and was taken; `false` where the connection breaks before.
    pub(crate) async fn arrived(self) -> bool {
        poll_fn(|context| match self.0.arrived.get() {
            Some(arrived) => Poll::Ready(arrived),
            None => {
                *self.0.waiting.borrow_mut() = Some(context.waker().clone());
                Poll::Pending
            }
        })
        .await
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reply").field(&self.0.arrived).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::Context;

    use super::*;

    fn polled(reply: Reply) -> Poll<bool> {
        pin!(reply.arrived()).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_text_goes_to_who_expects_it_and_once() {
        let expectations = Expectations::default();
        let heard: Rc<RefCell<Vec<String>>> = Rc::default();
        let each: Each = {
            let heard = Rc::clone(&heard);
            Rc::new(move |text| heard.borrow_mut().push(text))
        };
        let reply = expectations.add(|text| text == "a", each);
        assert_eq!(expectations.take("b".to_owned()).as_deref(), Some("b"));
        assert_eq!(expectations.take("a".to_owned()), None);
        assert_eq!(expectations.take("a".to_owned()).as_deref(), Some("a"));
        assert_eq!(*heard.borrow(), ["a"]);
        assert_eq!(polled(reply), Poll::Ready(true));
    }

    #[test]
    fn nothing_is_waited_for_when_the_connection_broke_or_nobody_waits() {
        let expectations = Expectations::default();
        let reply = expectations.add(|_| true, Rc::new(drop));
        expectations.give_up();
        assert_eq!(polled(reply), Poll::Ready(false));
        assert_eq!(polled(expectations.add(|_| true, Rc::new(drop))), Poll::Pending);
        assert_eq!(expectations.take("a".to_owned()).as_deref(), Some("a"));
    }
}
