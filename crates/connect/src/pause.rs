//! Waiting, longer each time.

use gloo::timers::callback::Timeout;
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// The first wait, in milliseconds; each later one is twice as long.
const FIRST: u32 = 250;
/// The longest wait, in milliseconds.
const LONGEST: u32 = 8_000;

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

/// Waits for so many milliseconds.
pub(crate) async fn sleep(milliseconds: u32) {
    let over = Promise::new(&mut |resolve, _| {
        let end = move || {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        };
        Timeout::new(milliseconds, end).forget();
    });
    let _ = JsFuture::from(over).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_become_rarer_and_never_end() {
        let pauses: Vec<u32> = [0, 1, 2, 5, 40].map(limit).to_vec();
        assert_eq!(pauses, [250, 500, 1_000, 8_000, 8_000]);
    }
}
