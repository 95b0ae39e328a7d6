//! Adapters: what agent frameworks say on the wire, and what they want to hear.
//!
//! Each family of dialects is a module behind a cargo feature and implements `Family`. [`adapter`] makes the
//! [`Adapter`](countersign_core::Adapter) that an inbox speaks through, for one family or, by `auto`, for whichever the
//! bytes turn out to be. No other crate reads a request from wire JSON or writes an answer; `countersign-connect` knows what is
//! around them.

#![cfg_attr(
    not(all(
        feature = "a2a",
        feature = "adalflow",
        feature = "adk",
        feature = "haystack",
        feature = "langgraph"
    )),
    allow(dead_code, reason = "each family uses some of what they share")
)]

#[cfg(feature = "a2a")]
mod a2a;
#[cfg(feature = "adalflow")]
mod adalflow;
#[cfg(feature = "adk")]
mod adk;
mod auto;
#[cfg(any(feature = "a2a", feature = "adk"))]
mod confirmation;
mod dialects;
mod digests;
mod family;
#[cfg(feature = "haystack")]
pub mod haystack;
#[cfg(feature = "langgraph")]
mod langgraph;
mod lines;
#[cfg(any(feature = "a2a", feature = "adk", feature = "haystack"))]
mod lookup;
mod options;
#[cfg(any(feature = "adalflow", feature = "haystack"))]
mod path;
mod reading;
mod registry;
#[cfg(any(feature = "a2a", feature = "adk"))]
mod speaker;

pub use dialects::{Dialect, Recovery};
pub use options::{AdalflowAnswer, AdalflowOptions, AdapterOptions, Edits, Templates};
pub use registry::{UnknownAdapter, adapter, dialects, names, recognise};
