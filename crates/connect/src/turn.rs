//! One after the other, in the order in which they came.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Something that one at a time does: who came first has the turn.
#[derive(Debug, Default)]
pub(crate) struct Turn(Rc<Queue>);

/// Everybody who has the turn or waits for it, each with how to be woken.
type Queue = RefCell<VecDeque<Rc<RefCell<Waker>>>>;

/// Somebody's place among those who wait, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    queue: Rc<Queue>,
    own: Rc<RefCell<Waker>>,
}

impl Turn {
    /// Waits for a turn.
    pub(crate) async fn take(&self) -> Place {
        let place = self.place();
        place.come().await;
        place
    }

    /// A turn, unless somebody has it.
    pub(crate) fn try_take(&self) -> Option<Place> {
        (!self.is_taken()).then(|| self.place())
    }

    /// The last place.
    pub(crate) fn place(&self) -> Place {
        let own = Rc::new(RefCell::new(Waker::noop().clone()));
        self.0.borrow_mut().push_back(Rc::clone(&own));
        Place { queue: Rc::clone(&self.0), own }
    }

    /// Whether somebody has it.
    pub(crate) fn is_taken(&self) -> bool {
        !self.0.borrow().is_empty()
    }
}

impl Place {
    /// Waits until nobody stands before it.
    pub(crate) async fn come(&self) {
        poll_fn(|context| {
            if self.queue.borrow().front().is_some_and(|first| Rc::ptr_eq(first, &self.own)) {
                return Poll::Ready(());
            }
            self.own.borrow_mut().clone_from(context.waker());
            Poll::Pending
        })
        .await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.queue.borrow_mut().retain(|other| !Rc::ptr_eq(other, &self.own));
        let first = self.queue.borrow().front().map(|first| first.borrow().clone());
        first.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::{Context, Wake};

    use super::*;
    use crate::testing::now;

    #[derive(Default)]
    struct Woken(AtomicU32);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn one_at_a_time_has_it() {
        let turn = Turn::default();
        let taken = turn.try_take();
        assert!(taken.is_some() && turn.is_taken() && turn.try_take().is_none());
        drop(taken);
        assert!(!turn.is_taken() && turn.try_take().is_some());
    }

    #[test]
    fn who_came_first_has_it_first_and_who_goes_keeps_nobody_back() {
        let turn = Turn::default();
        let [first, second, third, fourth] = [(); 4].map(|()| turn.place());
        let come = || [&second, &third, &fourth].map(|place| now(place.come()).is_some());
        assert_eq!((now(first.come()), come()), (Some(()), [false, false, false]));
        drop(first);
        assert_eq!(come(), [true, false, false]);
        // Nobody takes it out of turn in the moment in which it is free.
        assert!(turn.try_take().is_none() && now(turn.take()).is_none());
        drop(third);
        drop(second);
        assert_eq!(now(fourth.come()), Some(()));
    }

    #[test]
    fn who_waits_is_woken() {
        let turn = Turn::default();
        let (first, second) = (turn.place(), turn.place());
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut waits = pin!(second.come());
        let mut context = Context::from_waker(&waker);
        assert_eq!(waits.as_mut().poll(&mut context), Poll::Pending);
        drop(first);
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        assert_eq!(waits.as_mut().poll(&mut context), Poll::Ready(()));
    }
}
