//! Requests to a real backend, and streams of what it answers.

use countersign_json::{Document, Limits};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Headers, ReadableStreamDefaultReader, Request, RequestInit, Response, TextDecodeOptions, TextDecoder,
};

use super::Fault;
use super::stream::{Events, ServerEvent};
use crate::settings::Server;

/// The headers of a request, by name and value.
pub type HeaderList<'h> = &'h [(&'h str, &'h str)];

/// Sends a request to a path of the backend.
///
/// # Errors
/// A [`Fault`] for every answer but a good one.
pub async fn fetch(
    server: &Server,
    method: &str,
    path: &str,
    headers: HeaderList<'_>,
    body: Option<&str>,
) -> Result<Response, Fault> {
    let request = request(server, method, path, headers, body).map_err(|error| lost(&error))?;
    let window = web_sys::window().ok_or_else(|| lost(&JsValue::UNDEFINED))?;
    let response = JsFuture::from(window.fetch_with_request(&request)).await.map_err(|error| lost(&error))?;
    let response: Response = response.unchecked_into();
    if response.ok() {
        return Ok(response);
    }
    let status = response.status();
    let message = format!("the agent answered with status {status} {}", response.status_text());
    let said = text(&response).await.ok().and_then(|text| said(&text));
    let message =
        said.map_or_else(|| message.trim_end().to_owned(), |said| format!("the agent refused: {said}"));
    Err(Fault { status: Some(status), message })
}

/// The sentence in the body of an answer that is no good one.
fn said(body: &str) -> Option<String> {
    let document = Document::parse(body, &Limits::default()).ok()?;
    let members = document.root().pick(["message", "detail", "error"]);
    members.into_iter().flatten().find_map(|member| Some(member.as_str_lossy()?.into_owned()))
}

/// What the backend answers to a `GET`; `None` where it knows nothing there.
///
/// # Errors
/// A [`Fault`] for every answer but a good one and 404.
pub async fn known(server: &Server, path: &str, headers: HeaderList<'_>) -> Result<Option<String>, Fault> {
    match fetch(server, "GET", path, headers, None).await {
        Ok(response) => Ok(Some(text(&response).await?)),
        Err(fault) if fault.status == Some(404) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// Hands over the events of an answer as they come; an answer that is no stream is one event.
///
/// # Errors
/// A [`Fault`] where the connection breaks, or from `each`.
pub async fn events(
    response: Response,
    each: impl Fn(ServerEvent) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let kind = response.headers().get("content-type").ok().flatten().unwrap_or_default();
    if !kind.starts_with("text/event-stream") {
        return each(ServerEvent { name: None, data: text(&response).await? });
    }
    let Some(stream) = response.body() else { return Ok(()) };
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    let decoder = TextDecoder::new().map_err(|error| lost(&error))?;
    let more = TextDecodeOptions::new();
    more.set_stream(true);
    let mut events = Events::default();
    loop {
        let piece = JsFuture::from(reader.read()).await.map_err(|error| lost(&error))?;
        let done = Reflect::get(&piece, &JsValue::from_str("done")).is_ok_and(|done| done.is_truthy());
        if done {
            break;
        }
        let bytes = Reflect::get(&piece, &JsValue::from_str("value")).map_err(|error| lost(&error))?;
        let bytes: Uint8Array = bytes.unchecked_into();
        let text =
            decoder.decode_with_js_u8_array_and_options(&bytes, &more).map_err(|error| lost(&error))?;
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
pub async fn text(response: &Response) -> Result<String, Fault> {
    let text = response.text().map_err(|error| lost(&error))?;
    let text = JsFuture::from(text).await.map_err(|error| lost(&error))?;
    Ok(text.as_string().unwrap_or_default())
}

/// One segment of a path, escaped.
#[must_use]
pub fn segment(text: &str) -> String {
    String::from(js_sys::encode_uri_component(text))
}

fn request(
    server: &Server,
    method: &str,
    path: &str,
    listed: HeaderList<'_>,
    body: Option<&str>,
) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    if let Some(token) = &server.token {
        headers.set("Authorization", &format!("Bearer {token}"))?;
    }
    for (name, value) in listed {
        headers.set(name, value)?;
    }
    let init = RequestInit::new();
    init.set_method(method);
    if let Some(body) = body {
        headers.set("Content-Type", "application/json")?;
        headers.set("Accept", "text/event-stream, application/json")?;
        init.set_body(&JsValue::from_str(body));
    }
    init.set_headers(&headers);
    Request::new_with_str_and_init(&format!("{}{path}", server.url), &init)
}

/// The connection did not come about, or broke.
fn lost(error: &JsValue) -> Fault {
    let said = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    let message = said.map_or_else(String::new, |said| format!(": {said}"));
    Fault { status: None, message: format!("the agent cannot be reached{message}") }
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
}
