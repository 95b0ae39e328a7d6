//! A backend that a test plays, and futures that are there at once.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use countersign_core::testing::inbox;
use countersign_core::{InboxOptions, Millis, OutboundId};

use super::line::Line;
use super::{Answered, Each, Fault, Message, Transport, Work};

/// What a future is at once.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(found) => Some(found),
        Poll::Pending => None,
    }
}

/// More than any test waits.
const WAITS: usize = 100;

thread_local! {
    static TIME: Cell<u64> = const { Cell::new(0) };
    static WAITED: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Lets so many milliseconds pass.
pub(crate) fn pass(milliseconds: u32) {
    TIME.set(TIME.get() + u64::from(milliseconds));
}

/// Waits until so many milliseconds have passed; what waits is polled by hand.
pub(crate) async fn sleep(milliseconds: u32) {
    WAITED.with_borrow_mut(|waited| waited.push(milliseconds));
    let until = TIME.get() + u64::from(milliseconds);
    poll_fn(|_| if TIME.get() < until { Poll::Pending } else { Poll::Ready(()) }).await;
}

/// What a future is in time, and for how long it waited, each time.
pub(crate) fn in_time<T>(future: impl Future<Output = T>) -> (Option<T>, Vec<u32>) {
    let mut future = pin!(future);
    WAITED.take();
    let mut found = now(future.as_mut());
    for _ in 0..WAITS {
        if found.is_some() {
            break;
        }
        pass(WAITED.with_borrow(|waited| waited.last().copied().unwrap_or_default()));
        found = now(future.as_mut());
    }
    (found, WAITED.take())
}

/// What is streamed back, and how that ends.
type Answer = (Vec<String>, Result<(), Fault>);

/// What a test plays: each answer once, in the notation of the core.
#[derive(Default)]
pub(crate) struct Played {
    pub(crate) histories: RefCell<VecDeque<Result<Option<String>, Fault>>>,
    pub(crate) checks: RefCell<VecDeque<Result<Option<String>, Fault>>>,
    pub(crate) answers: RefCell<VecDeque<Answer>>,
    pub(crate) arrivals: RefCell<VecDeque<Result<(), Fault>>>,
    pub(crate) lost: RefCell<Vec<OutboundId>>,
    pub(crate) sent: RefCell<Vec<String>>,
    pub(crate) attended: Cell<u32>,
    /// What the agent does by itself, each time: for how many milliseconds, and what is said of it then.
    pub(crate) attends: RefCell<VecDeque<(u32, Result<Work, Fault>)>>,
    /// Answers have no end.
    pub(crate) stays_open: Cell<bool>,
    /// Further parts of an answer that has no end.
    pub(crate) more: RefCell<Vec<String>>,
    pub(crate) is_parallel: Cell<bool>,
    pub(crate) is_kept: Cell<bool>,
    /// What the agent does by itself, or for a person's words, goes on.
    pub(crate) works: Cell<bool>,
}

impl Transport for Played {
    fn history<'a>(&'a self, _conversation: &'a str) -> Answered<'a, Option<String>> {
        let history = self.histories.borrow_mut().pop_front().unwrap_or(Ok(None));
        Box::pin(async move { history })
    }

    fn check<'a>(&'a self, _conversation: &'a str, _message: Message<'a>) -> Answered<'a, Option<String>> {
        let state = self.checks.borrow_mut().pop_front().unwrap_or(Ok(None));
        Box::pin(async move { state })
    }

    /// `i/0` and `i/1` are asked in one.
    fn shares(&self, one: &str, other: &str) -> bool {
        let place = |id: &str| id.split('/').next().map(str::to_owned);
        place(one) == place(other)
    }

    fn send<'a>(&'a self, _conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        self.sent.borrow_mut().push(message.text.to_owned());
        let (parts, end) = self.answers.borrow_mut().pop_front().unwrap_or((Vec::new(), Ok(())));
        Box::pin(async move {
            parts.into_iter().for_each(|part| each(part));
            if !self.stays_open.get() {
                return end;
            }
            // What has begun goes on, and has no end.
            poll_fn(|_| {
                self.more.take().into_iter().for_each(|part| each(part));
                Poll::Pending
            })
            .await
        })
    }

    fn arrived<'a>(&'a self, id: Option<&'a str>) -> Answered<'a, ()> {
        if id.is_none() && self.works.get() {
            return Box::pin(pending());
        }
        let arrived = self.arrivals.borrow_mut().pop_front().unwrap_or(Ok(()));
        Box::pin(async move { arrived })
    }

    fn lost(&self, _conversation: &str) -> Vec<OutboundId> {
        self.lost.take()
    }

    fn is_parallel(&self) -> bool {
        self.is_parallel.get()
    }

    fn is_kept(&self) -> bool {
        self.is_kept.get()
    }

    fn error_in(&self, text: &str) -> Option<String> {
        text.strip_prefix("error ").map(str::to_owned)
    }

    fn attend<'a>(
        &'a self,
        _conversation: &'a str,
        _known: Option<&'a str>,
        _each: Each,
    ) -> Answered<'a, Work> {
        self.attended.set(self.attended.get() + 1);
        if let Some((lasts, work)) = self.attends.borrow_mut().pop_front() {
            pass(lasts);
            return Box::pin(async { work });
        }
        Box::pin(async { if self.works.get() { pending().await } else { Ok(Work::Rests) } })
    }
}

/// A line over a backend that knows these histories, one after the other.
pub(crate) fn line<const N: usize>(histories: [Result<Option<&str>, Fault>; N]) -> (Rc<Line>, Rc<Played>) {
    let played = Rc::new(Played::default());
    let histories = histories.into_iter().map(|history| history.map(|text| text.map(str::to_owned)));
    played.histories.borrow_mut().extend(histories);
    let inbox = inbox(InboxOptions { message_bytes: 1_000, ..InboxOptions::default() });
    let line = Line::new(played.clone(), "c", inbox, || Millis(TIME.get()), Box::new(|| {}));
    (Rc::new(line), played)
}
