//! Ways from a page that is written in Rust to the backends of agents.
//!
//! A [`Transport`] speaks with one backend: [`A2a`] (kagent, ADK over A2A), [`Adk`], [`LangGraph`], [`Channel`] (a web
//! socket: Haystack, AdalFlow) and [`Rest`] (a list of what waits: AdalFlow's own handler). It reads the history of a
//! conversation, follows what the backend sends unasked, sends, and says why something did not arrive. A [`Conversation`]
//! is an inbox over it, or another [`Host`] with one: it restores, follows, sends what is due, and tells the inbox what became of it.
//!
//! Texts go in and out as they are. Nothing here looks into arguments.

mod a2a;
mod a2a_tasks;
mod a2a_wire;
mod adk;
mod adk_session;
mod answer;
mod awaited;
mod channel;
mod conversation;
mod delivery;
mod events;
mod exchange;
mod expected;
mod host;
mod http;
mod intake;
mod langgraph;
mod langgraph_wire;
mod line;
mod pause;
mod race;
mod reading;
mod rest;
mod rest_wire;
mod server;
mod socket;
#[cfg(test)]
mod testing;
mod transport;
mod turn;

pub use a2a::{A2a, Version};
pub use adk::Adk;
pub use channel::Channel;
pub use conversation::Conversation;
pub use host::Host;
pub use langgraph::LangGraph;
pub use rest::Rest;
pub use server::Server;
pub use transport::{Answered, Each, Fault, FaultKind, Message, Missed, Transport, Work};
