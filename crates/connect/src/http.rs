//! Requests to a backend, and streams of what it answers.

use std::str::FromStr;

use countersign_json::{Document, Limits};
use gloo::net::http::{Method, RequestBuilder, Response};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, RequestCache, RequestRedirect, TextDecodeOptions, TextDecoder};

use super::events::{Events, ServerEvent};
use super::{Fault, Server};

/// A request to a backend.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call<'c> {
    /// The method; by default `GET`, with a body `POST`.
    pub(crate) method: Option<&'c str>,
    pub(crate) url: &'c str,
    pub(crate) headers: &'c [(&'c str, &'c str)],
    /// JSON text.
    pub(crate) body: Option<&'c str>,
    /// The id under which a decision is sent.
    pub(crate) decides: Option<&'c str>,
}

/// Sends a request.
///
/// # Errors
/// A [`Fault`] for every answer but a good one.
pub(crate) async fn fetch(server: &Server, call: &Call<'_>) -> Result<Response, Fault> {
    let response = request(server, call)?.send().await.map_err(|error| unreachable(&error))?;
    if response.ok() {
        return Ok(response);
    }
    let status = response.status();
    if status == 0 || (300..400).contains(&status) {
        return Err(Fault {
            status: Some(421),
            message: "the agent is at another address: nothing was sent".to_owned(),
        });
    }
    let message = format!("the agent answered with status {status} {}", response.status_text());
    let said = response.text().await.ok().and_then(|text| said(&text));
    let message =
        said.map_or_else(|| message.trim_end().to_owned(), |said| format!("the agent refused: {said}"));
    Err(Fault { status: Some(status), message })
}

/// What the backend knows at a place; `None` where it knows nothing there (404).
///
/// # Errors
/// A [`Fault`] for every other answer but a good one.
pub(crate) async fn known(server: &Server, call: &Call<'_>) -> Result<Option<String>, Fault> {
    match fetch(server, call).await {
        Ok(response) => text(&response).await.map(Some),
        Err(fault) if fault.status == Some(404) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// Hands over the events of an answer as they come; an answer that is no stream is one event.
///
/// # Errors
/// A [`Fault`] where the connection breaks, or from `each`.
pub(crate) async fn events(
    response: Response,
    each: impl Fn(ServerEvent) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let kind = response.headers().get("content-type").unwrap_or_default();
    if !kind.starts_with("text/event-stream") {
        return each(ServerEvent { name: None, data: text(&response).await? });
    }
    let Some(stream) = response.body() else { return Ok(()) };
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
            each(event)?;
        }
    }
    events.finish().map_or(Ok(()), each)
}

/// The text of an answer.
///
/// # Errors
/// A [`Fault`] where the connection breaks.
pub(crate) async fn text(response: &Response) -> Result<String, Fault> {
    response.text().await.map_err(|error| unreachable(&error))
}

/// The sentence in the body of an answer that is no good one.
fn said(body: &str) -> Option<String> {
    let document = Document::parse(body, &Limits::default()).ok()?;
    let members = document.root().pick(["message", "detail", "error"]);
    members.into_iter().flatten().find_map(|member| Some(member.as_str_lossy()?.into_owned()))
}

fn request(server: &Server, call: &Call<'_>) -> Result<gloo::net::http::Request, Fault> {
    let named = call.method.unwrap_or(if call.body.is_some() { "POST" } else { "GET" });
    let method = Method::from_str(named).map_err(|_| Fault::lost(format!("`{named}` is no method")))?;
    let bearer = server.token.as_ref().map(|token| format!("Bearer {token}"));
    let own = [
        ("Authorization", bearer.as_deref()),
        ("Idempotency-Key", call.decides),
        ("Content-Type", call.body.map(|_| "application/json")),
        ("Accept", Some("text/event-stream, application/json")),
    ];
    let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let mut builder = RequestBuilder::new(call.url).method(method);
    builder = builder.cache(RequestCache::NoStore);
    if call.decides.is_some() {
        // A decision that was sent on may arrive as a question, and looks delivered.
        builder = builder.redirect(RequestRedirect::Manual);
    }
    for (name, value) in own.chain(call.headers.iter().copied()) {
        if !fits_a_header(value) {
            return Err(Fault::lost(format!("the header `{name}` has a character that no header can have")));
        }
        builder = builder.header(name, value);
    }
    match call.body {
        Some(body) => builder.body(body),
        None => builder.build(),
    }
    .map_err(|error| unreachable(&error))
}

/// Whether a browser takes it as the value of a header.
fn fits_a_header(value: &str) -> bool {
    value.chars().all(|character| !matches!(character, '\0' | '\r' | '\n' | '\u{100}'..))
}

/// The connection did not come about, or broke.
fn unreachable(error: &gloo::net::Error) -> Fault {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_of_a_refusal_is_found_in_its_body() {
        let check = |body, expected: Option<&str>| assert_eq!(said(body).as_deref(), expected, "{body}");
        check(r#"{"error":true,"message":"it does not wait"}"#, Some("it does not wait"));
        check(r#"{"detail":"Session not found"}"#, Some("Session not found"));
        check("<html>", None);
    }

    #[test]
    fn a_token_with_a_line_break_is_refused_before_a_browser_sees_it() {
        assert!(fits_a_header("Bearer abc é"));
        assert!(!fits_a_header("a\nb") && !fits_a_header("a\0") && !fits_a_header("€"));
    }
}
