//! A real AdalFlow agent: the example backend's web socket, or the library's own handler over HTTP.

mod channel;
mod rest;

pub(super) use channel::Channel;
pub(super) use rest::Rest;

use crate::backend::{Fault, http};
use crate::settings::Server;

/// Begins a run for a person's words; what it does comes on another way.
async fn begin(server: &Server, conversation: &str, message: &str) -> Result<(), Fault> {
    let path = format!("/run/{}", http::segment(conversation));
    http::fetch(server, "POST", &path, &[], Some(message)).await.map(|_| ())
}

/// Every message that was sent to the client of this name, as a list.
async fn log(server: &Server, conversation: &str) -> Result<String, Fault> {
    let path = format!("/history/{}", http::segment(conversation));
    let response = http::fetch(server, "GET", &path, &[], None).await?;
    http::text(&response).await
}
