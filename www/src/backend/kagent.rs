//! A real kagent: JSON-RPC over HTTP, answers as server-sent events.

use countersign_json::{Writer, quote};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Headers, ReadableStreamDefaultReader, Request, RequestInit, Response, TextDecodeOptions, TextDecoder,
};

use crate::agent::{HITL, Wire};
use crate::browser;
use crate::settings::Server;

use super::Fault;
use super::stream::{Events, error_in};

/// A real kagent, over A2A.
#[derive(Debug)]
pub struct Kagent {
    wire: Wire,
    server: Server,
}

impl Kagent {
    pub(super) fn new(wire: Wire, server: Server) -> Kagent {
        Kagent { wire, server }
    }

    pub(super) async fn history(&self, context: &str) -> Result<Option<String>, Fault> {
        let response = match self.wire {
            Wire::Kagent010 => {
                let context = String::from(js_sys::encode_uri_component(context));
                let url = format!("{}/api/sessions/{context}/tasks", self.server.url);
                self.fetch("GET", &url, None).await
            }
            Wire::KagentHitlV1 => {
                let body = call("ListTasks", "contextId", &quote(context));
                self.fetch("POST", &self.endpoint(), Some(&body)).await
            }
        };
        match response {
            Ok(response) => Ok(Some(text_of(&response).await?)),
            Err(fault) if fault.status == Some(404) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    pub(super) async fn send(&self, message: &str, each: impl Fn(String)) -> Result<(), Fault> {
        let method = match self.wire {
            Wire::Kagent010 => "message/stream",
            Wire::KagentHitlV1 => "SendStreamingMessage",
        };
        let body = call(method, "message", message);
        let response = self.fetch("POST", &self.endpoint(), Some(&body)).await?;
        let kind = response.headers().get("content-type").ok().flatten().unwrap_or_default();
        if !kind.starts_with("text/event-stream") {
            return hand_over(text_of(&response).await?, &each);
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
                hand_over(event, &each)?;
            }
        }
        events.finish().map_or(Ok(()), |event| hand_over(event, &each))
    }

    fn endpoint(&self) -> String {
        format!("{}/", self.server.url)
    }

    /// # Errors
    /// A [`Fault`] for every answer but a good one.
    async fn fetch(&self, method: &str, url: &str, body: Option<&str>) -> Result<Response, Fault> {
        let request = self.request(method, url, body).map_err(|error| lost(&error))?;
        let window = web_sys::window().ok_or_else(|| lost(&JsValue::UNDEFINED))?;
        let response =
            JsFuture::from(window.fetch_with_request(&request)).await.map_err(|error| lost(&error))?;
        let response: Response = response.unchecked_into();
        if response.ok() {
            return Ok(response);
        }
        let status = response.status();
        let message = format!("the agent answered with status {status} {}", response.status_text());
        Err(Fault { status: Some(status), message: message.trim_end().to_owned() })
    }

    fn request(&self, method: &str, url: &str, body: Option<&str>) -> Result<Request, JsValue> {
        let headers = Headers::new()?;
        if let Some(token) = &self.server.token {
            headers.set("Authorization", &format!("Bearer {token}"))?;
        }
        if self.wire == Wire::KagentHitlV1 {
            headers.set("A2A-Version", "1.0")?;
            headers.set("A2A-Extensions", HITL)?;
        }
        let init = RequestInit::new();
        init.set_method(method);
        if let Some(body) = body {
            headers.set("Content-Type", "application/json")?;
            headers.set("Accept", "text/event-stream, application/json")?;
            init.set_body(&JsValue::from_str(body));
        }
        init.set_headers(&headers);
        Request::new_with_str_and_init(url, &init)
    }
}

/// Hands over an event; an error of JSON-RPC ends the stream.
fn hand_over(event: String, each: &impl Fn(String)) -> Result<(), Fault> {
    let error = error_in(&event);
    each(event);
    error.map_or(Ok(()), |message| Err(Fault { status: Some(200), message }))
}

/// A JSON-RPC call with one parameter, which is JSON text.
fn call(method: &str, name: &str, parameter: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("jsonrpc").string("2.0").key("id").string(&browser::uuid());
    writer.key("method").string(method).key("params").begin_object().key(name).raw(parameter).end_object();
    writer.end_object();
    writer.finish()
}

async fn text_of(response: &Response) -> Result<String, Fault> {
    let text = response.text().map_err(|error| lost(&error))?;
    let text = JsFuture::from(text).await.map_err(|error| lost(&error))?;
    Ok(text.as_string().unwrap_or_default())
}

/// The connection did not come about, or broke.
fn lost(error: &JsValue) -> Fault {
    let said = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    let message = said.map_or_else(String::new, |said| format!(": {said}"));
    Fault { status: None, message: format!("the agent cannot be reached{message}") }
}
