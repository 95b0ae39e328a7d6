//! One request on its way, and its answer.

use gloo::net::http::Response;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, ReadableStreamDefaultReader, TextDecodeOptions, TextDecoder};

use super::events::{Events, ServerEvent};
use super::http::Heard;
use super::{Fault, answer};

/// A request whose answer has begun; it is given up when this is dropped.
pub(crate) struct Exchange {
    response: Response,
    _abort: Abort,
}

/// Gives up a request when it is dropped; what is over is not touched.
pub(crate) struct Abort(AbortController);

impl Abort {
    pub(crate) fn new() -> Result<Abort, Fault> {
        AbortController::new().map(Abort).map_err(|error| broken(&error))
    }

    pub(crate) fn signal(&self) -> AbortSignal {
        self.0.signal()
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Exchange {
    pub(crate) fn new(response: Response, abort: Abort) -> Exchange {
        Exchange { response, _abort: abort }
    }

    fn kind(&self) -> String {
        self.response.headers().get("content-type").unwrap_or_default()
    }

    pub(crate) fn is_stream(&self) -> bool {
        answer::is_stream(&self.kind())
    }

    /// The whole text.
    ///
    /// # Errors
    /// A [`Fault`] where the connection breaks, and for a web page.
    pub(crate) async fn body(self) -> Result<String, Fault> {
        let text = self.response.text().await.map_err(|error| unreachable(&error))?;
        if !answer::is_page(&self.kind(), &text) {
            return Ok(text);
        }
        let status = self.response.status();
        let message = format!("the agent answered with status {status} and a web page, not with data");
        Err(Fault::answered(message))
    }

    /// Hands over the events as they come, as long as more are wanted.
    ///
    /// # Errors
    /// A [`Fault`] where the connection breaks, or from `each`.
    pub(crate) async fn events(self, mut each: impl FnMut(ServerEvent) -> Heard) -> Result<(), Fault> {
        let Some(stream) = self.response.body() else { return Ok(()) };
        let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
        let decoder = TextDecoder::new().map_err(|error| broken(&error))?;
        let more = TextDecodeOptions::new();
        more.set_stream(true);
        let mut events = Events::default();
        loop {
            let piece = JsFuture::from(reader.read()).await.map_err(|error| broken(&error))?;
            let done = Reflect::get(&piece, &JsValue::from_str("done")).is_ok_and(|done| done.is_truthy());
            if done {
                break;
            }
            let bytes = Reflect::get(&piece, &JsValue::from_str("value")).map_err(|error| broken(&error))?;
            let bytes: Uint8Array = bytes.unchecked_into();
            let text =
                decoder.decode_with_js_u8_array_and_options(&bytes, &more).map_err(|error| broken(&error))?;
            for event in events.push(&text) {
                if each(event)?.is_break() {
                    return Ok(());
                }
            }
            if events.is_too_long() {
                return Err(Fault::answered("an event of the stream is too long"));
            }
        }
        events.finish().map_or(Ok(()), |event| each(event).map(drop))
    }
}

/// The connection did not come about, or broke.
pub(crate) fn unreachable(error: &gloo::net::Error) -> Fault {
    let said = match error {
        gloo::net::Error::JsError(error) => error.message.clone(),
        other => other.to_string(),
    };
    Fault::lost(format!("the agent cannot be reached: {said}"))
}

/// The same while an answer is read.
fn broken(error: &JsValue) -> Fault {
    let said = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    let message = said.map_or_else(String::new, |said| format!(": {said}"));
    Fault::lost(format!("the agent cannot be reached{message}"))
}
