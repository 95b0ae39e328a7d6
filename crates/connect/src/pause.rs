//! Waiting: longer each time, or only so long.

use std::future::Future;

use gloo::timers::callback::Timeout;
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::race;

/// The first wait, in milliseconds; each later one is twice as long.
const FIRST: u32 = 250;
/// The longest wait, in milliseconds.
const LONGEST: u32 = 8_000;
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

/// What a timer is set to that should wait so many milliseconds; who is called too early sets it again.
#[must_use]
pub fn timer(milliseconds: u64) -> u32 {
    u32::try_from(milliseconds).unwrap_or(TIMER).min(TIMER)
}

/// Waits for so many milliseconds.
pub(crate) async fn sleep(milliseconds: u32) {
    #[cfg(test)]
    if crate::testing::is_over(milliseconds) {
        return;
    }
    let mut timeout = None;
    let over = Promise::new(&mut |resolve, _| {
        let end = move || {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        };
        timeout = Some(Timeout::new(milliseconds, end));
    });
    let _ = JsFuture::from(over).await;
}

/// What comes within so many milliseconds; what takes longer is given up.
pub(crate) async fn within<T>(milliseconds: u32, future: impl Future<Output = T>) -> Option<T> {
    race::first(future, sleep(milliseconds)).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_become_rarer_and_never_end() {
        let pauses: Vec<u32> = [0, 1, 2, 5, 40].map(limit).to_vec();
        assert_eq!(pauses, [250, 500, 1_000, 8_000, 8_000]);
    }

    #[test]
    fn a_moment_that_is_months_away_is_not_waited_for_in_one_go() {
        assert_eq!([0, 1_000, 90 * 86_400_000, u64::MAX].map(timer), [0, 1_000, TIMER, TIMER]);
        assert_eq!(i32::try_from(TIMER), Ok(i32::MAX));
    }
}
