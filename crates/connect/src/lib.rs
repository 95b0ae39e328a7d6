//! Ways from a page that is written in Rust to the backends of agents.
//!
//! A [`Transport`] speaks with one backend: [`A2a`] (kagent, ADK over A2A), [`Adk`], [`LangGraph`], [`Channel`] (a web
//! socket: Haystack, AdalFlow) and [`Rest`] (a list of what waits: AdalFlow's own handler). It reads the history of a
//! conversation, follows what the backend sends unasked, sends, and says why something did not arrive. A [`Conversation`]
//! is an inbox over it: it restores, follows, sends what is due, and tells the inbox what became of it.
//!
//! Texts go in and out as they are. Nothing here looks into arguments.

mod a2a;
mod adk;
mod channel;
mod conversation;
mod events;
mod http;
mod langgraph;
mod pause;
mod rest;
mod server;
mod socket;
mod transport;

pub use a2a::{A2a, Version};
pub use adk::Adk;
pub use channel::Channel;
pub use conversation::Conversation;
pub use langgraph::LangGraph;
pub use rest::Rest;
pub use server::Server;
pub use transport::{Answered, Each, Fault, Missed, Transport};
