//! A real kagent: JSON-RPC over HTTP, answers as server-sent events.

use countersign_json::{Writer, quote};

use super::HITL;
use crate::backend::{Fault, error_in, http};
use crate::browser;
use crate::settings::Server;
use crate::systems::{Answered, Each, Transport, Wire};

/// A real kagent, over A2A.
#[derive(Debug)]
pub(super) struct A2a {
    wire: Wire,
    server: Server,
}

impl A2a {
    pub(super) fn new(wire: Wire, server: Server) -> A2a {
        A2a { wire, server }
    }

    fn headers(&self) -> http::HeaderList<'static> {
        match self.wire {
            Wire::KagentHitlV1 => &[("A2A-Version", "1.0"), ("A2A-Extensions", HITL)],
            _ => &[],
        }
    }
}

impl Transport for A2a {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            if self.wire == Wire::Kagent010 {
                let path = format!("/api/sessions/{}/tasks", http::segment(conversation));
                return http::known(&self.server, &path, self.headers()).await;
            }
            let body = call("ListTasks", "contextId", &quote(conversation));
            let response = http::fetch(&self.server, "POST", "/", self.headers(), Some(&body)).await?;
            http::text(&response).await.map(Some)
        })
    }

    fn send<'a>(
        &'a self,
        _conversation: &'a str,
        message: &'a str,
        _decides: bool,
        each: Each,
    ) -> Answered<'a, ()> {
        Box::pin(async move {
            let method = match self.wire {
                Wire::KagentHitlV1 => "SendStreamingMessage",
                _ => "message/stream",
            };
            let body = call(method, "message", message);
            let response = http::fetch(&self.server, "POST", "/", self.headers(), Some(&body)).await?;
            http::events(response, |event| hand_over(event.data, &each)).await
        })
    }
}

/// Hands over an event; an error of JSON-RPC ends the stream.
fn hand_over(event: String, each: &Each) -> Result<(), Fault> {
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
