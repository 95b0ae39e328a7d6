//! Two things at once: what is there first counts, and the other one is given up.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::task::{Poll, Waker};

/// Which of two was there first, and what it said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum First<A, B> {
    One(A),
    Other(B),
}

impl<A, B> First<A, B> {
    /// What the one said, if it was first.
    pub(crate) fn one(self) -> Option<A> {
        match self {
            First::One(found) => Some(found),
            First::Other(_) => None,
        }
    }

    /// What the other one said, if it was first.
    pub(crate) fn other(self) -> Option<B> {
        match self {
            First::One(_) => None,
            First::Other(found) => Some(found),
        }
    }
}

/// What is there first; the other one is dropped, and a request with it.
pub(crate) async fn first<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> First<A, B> {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Ready(found) => Poll::Ready(First::One(found)),
        Poll::Pending => other.as_mut().poll(context).map(First::Other),
    })
    .await
}

/// Something that happens now and then.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    times: Cell<u32>,
    /// How to wake each that waits, as long as it does.
    waiting: RefCell<Vec<Weak<RefCell<Waker>>>>,
}

impl Signal {
    /// It happens now.
    pub(crate) fn come(&self) {
        self.times.set(self.times.get().wrapping_add(1));
        let waiting = self.waiting.take();
        waiting.iter().filter_map(Weak::upgrade).for_each(|own| own.borrow().wake_by_ref());
    }

    /// Waits until it happens.
    pub(crate) async fn next(&self) {
        let before = self.times.get();
        let own = self.enter();
        poll_fn(|context| {
            if self.times.get() != before {
                return Poll::Ready(());
            }
            own.borrow_mut().clone_from(context.waker());
            Poll::Pending
        })
        .await;
    }

    /// Takes a place among those who wait, and those away who gave up.
    fn enter(&self) -> Rc<RefCell<Waker>> {
        let own = Rc::new(RefCell::new(Waker::noop().clone()));
        let mut waiting = self.waiting.borrow_mut();
        waiting.retain(|other| other.strong_count() > 0);
        waiting.push(Rc::downgrade(&own));
        own
    }
}

/// An end that comes once.
#[derive(Debug, Default)]
pub(crate) struct End {
    is_over: Cell<bool>,
    signal: Signal,
}

impl End {
    /// It is over now.
    pub(crate) fn come(&self) {
        self.is_over.set(true);
        self.signal.come();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// What comes before the end; nothing is waited for any more after it.
    pub(crate) async fn unless<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let end = async {
            if !self.is_over.get() {
                self.signal.next().await;
            }
        };
        first(end, future).await.other()
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::Arc;
    use std::task::{Context, Wake};

    use super::*;
    use crate::testing::now;

    #[test]
    fn the_first_counts() {
        assert_eq!(now(first(ready(1), pending::<()>())), Some(First::One(1)));
        assert_eq!(now(first(pending::<()>(), ready(2))), Some(First::Other(2)));
        assert_eq!(now(first(pending::<()>(), pending::<()>())), None);
    }

    #[test]
    fn only_what_happens_from_now_on_is_waited_for() {
        let signal = Signal::default();
        signal.come();
        let mut next = pin!(signal.next());
        assert_eq!(now(next.as_mut()), None);
        signal.come();
        assert_eq!(now(next.as_mut()), Some(()));
    }

    struct Task;

    impl Wake for Task {
        fn wake(self: Arc<Self>) {}
    }

    #[test]
    fn who_waited_in_vain_leaves_nothing() {
        let end = End::default();
        let task = Arc::new(Task);
        for _ in 0..3 {
            let waker = Waker::from(Arc::clone(&task));
            let mut waits = pin!(end.unless(pending::<()>()));
            assert_eq!(waits.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Pending);
        }
        assert_eq!(Arc::strong_count(&task), 1);
        assert_eq!(now(end.unless(pending::<()>())), None);
        assert_eq!(end.signal.waiting.borrow().len(), 1);
    }

    #[test]
    fn after_the_end_nothing_is_waited_for() {
        let end = End::default();
        assert_eq!(now(end.unless(ready(1))), Some(Some(1)));
        let mut waits = pin!(end.unless(pending::<()>()));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(waits.as_mut().poll(&mut context), Poll::Pending);
        end.come();
        assert_eq!(waits.as_mut().poll(&mut context), Poll::Ready(None));
        assert_eq!(now(end.unless(ready(1))), Some(None));
    }
}
