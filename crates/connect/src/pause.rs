//! Waiting: longer each time, or only so long.

use std::cell::Cell;
use std::future::{Future, poll_fn};
#[cfg(not(test))]
use std::rc::Rc;
use std::task::Poll;

#[cfg(not(test))]
use gloo::timers::callback::Timeout;

use super::race;
#[cfg(not(test))]
use super::race::Signal;
#[cfg(test)]
pub(crate) use super::testing::sleep;

/// The first wait, in milliseconds; each later one is twice as long.
const FIRST: u32 = 250;
/// The longest wait, in milliseconds.
const LONGEST: u32 = 8_000;
/// How long a connection lasts that was no mere moment, in milliseconds: the next one may follow at once.
pub(crate) const LASTING: u32 = 5_000;
/// The longest time that a timer of a browser knows, in milliseconds: 24 days. What is longer would come at once.
const TIMER: u32 = i32::MAX.unsigned_abs();

/// How long to wait after so many attempts, in milliseconds.
pub(crate) fn limit(attempts: u32) -> u32 {
    FIRST.saturating_mul(2_u32.saturating_pow(attempts)).min(LONGEST)
}

/// The same at random between the half and the whole, so that pages do not come back all at once.
pub(crate) fn jittered(attempts: u32) -> u32 {
    let half = f64::from(limit(attempts)) / 2.0;
    // Between 125 and 8,000.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is small and not negative"
    )]
    let wait = (half + half * js_sys::Math::random()) as u32;
    wait
}

/// As much of a wait as a timer can be set to at once, in milliseconds; who is called too early sets it again.
pub(crate) fn as_timeout(milliseconds: u64) -> u32 {
    u32::try_from(milliseconds).unwrap_or(TIMER).min(TIMER)
}

/// Waits for so many milliseconds. Not for a promise: one whose timer was given up is never settled, and what waits for it
/// stays for ever.
#[cfg(not(test))]
pub(crate) async fn sleep(milliseconds: u32) {
    let over = Rc::new(Signal::default());
    let told = Rc::clone(&over);
    let _timer = Timeout::new(milliseconds, move || told.come());
    over.next().await;
}

/// What comes within so many milliseconds; what takes longer is given up.
pub(crate) async fn within<T>(milliseconds: u32, future: impl Future<Output = T>) -> Option<T> {
    race::first(future, sleep(milliseconds)).await.one()
}

/// Waits until nothing was heard for so many milliseconds. Whoever hears wakes it, too.
pub(crate) async fn silence(milliseconds: u32, heard: &Cell<bool>) {
    let news = || poll_fn(|_| if heard.take() { Poll::Ready(()) } else { Poll::Pending });
    while within(milliseconds, news()).await.is_some() {}
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;
    use crate::testing::{now, pass};

    #[test]
    fn attempts_become_rarer_and_never_end() {
        let pauses: Vec<u32> = [0, 1, 2, 5, 40].map(limit).to_vec();
        assert_eq!(pauses, [250, 500, 1_000, 8_000, 8_000]);
    }

    #[test]
    fn what_is_heard_ends_the_silence() {
        let heard = Cell::new(false);
        let mut silent = pin!(silence(100, &heard));
        for passes in [0, 99] {
            pass(passes);
            assert_eq!(now(silent.as_mut()), None);
        }
        heard.set(true);
        for (passes, expected) in [(50, None), (99, None), (1, Some(()))] {
            pass(passes);
            assert_eq!(now(silent.as_mut()), expected);
        }
    }

    #[test]
    fn a_moment_that_is_months_away_is_not_waited_for_in_one_go() {
        assert_eq!([0, 1_000, 90 * 86_400_000, u64::MAX].map(as_timeout), [0, 1_000, TIMER, TIMER]);
        assert_eq!(i32::try_from(TIMER), Ok(i32::MAX));
    }
}
