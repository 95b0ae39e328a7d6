//! JSON text without loss: the one reader of text that Countersign does not trust.
//!
//! Nothing here turns JSON into something else and back. [`Document::parse`] makes a flat index of
//! the text in one pass; a [`Value`] is a cursor into it. Numbers stay the characters that were
//! sent, members keep their order, repeated keys stay visible, `__proto__` is an ordinary key.
//!
//! - read: [`Document`], [`Value`], [`items`], [`members`], [`named`], [`Items`], [`Members`], [`Kind`], [`Name`], [`Limits`], [`ParseError`], [`ParseErrorCode`]
//! - judge: [`inspect`], [`inspect_around`] and [`inspect_text`] give an [`Inspection`], [`rounded_numbers`] [`Hazard`]s, each of a [`HazardCode`];
//!   [`is_unambiguous`], [`has_rounded_number`], [`changed_number`], [`is_whole`], [`is_multiple`]
//! - compare: [`same`], [`same_texts`] with [`Numbers`], [`mark`](fn@mark), [`diff`] into [`Change`]s, [`compare_numbers`], [`float`], [`same_bytes`]
//! - find: [`Value::pointer`], [`pointer`](mod@pointer)
//! - change: [`edit`] with [`EditError`], [`shallow_patch`] into a [`Patch`], [`shallow_merge`]
//! - write: [`Writer`], [`quote`], [`shorten`], [`compact`], [`pretty`], [`python`], [`sha256_hex`]
//!
//! Nothing recurses, so the depth of a text costs memory of the heap and never the stack.
//!
//! ```
//! use countersign_json::{Document, Limits};
//!
//! let text = r#"{"id":2512292042121000001,"tags":["a","\u0062"]}"#;
//! let document = Document::parse(text, &Limits::ARGUMENTS)?;
//! let root = document.root();
//! assert_eq!(root.get("id").and_then(|id| id.as_number()), Some("2512292042121000001"));
//! assert!(root.pointer("/tags/1").is_some_and(|tag| tag.equals("b")));
//! # Ok::<(), countersign_json::ParseError>(())
//! ```

mod canonical;
mod diff;
mod digest;
mod document;
pub mod edit;
mod error;
mod float;
mod hazard;
mod inspect;
mod keys;
mod limits;
mod mark;
mod name;
mod number;
mod parse;
mod patch;
pub mod pointer;
mod print;
mod python;
mod same;
mod string;
mod value;
mod walk;
mod write;

pub use canonical::canonical;
pub use diff::{Change, diff};
pub use digest::sha256_hex;
pub use document::Document;
pub use edit::EditError;
pub use error::{ParseError, ParseErrorCode};
pub use float::float;
pub use hazard::{Hazard, HazardCode, Inspection};
pub use inspect::{
    changed_number, has_rounded_number, inspect, inspect_around, inspect_text, is_unambiguous,
    rounded_numbers,
};
pub use keys::Index;
pub use limits::Limits;
pub use mark::mark;
pub use name::Name;
pub use number::{compare_numbers, is_multiple, is_whole};
pub use patch::{Patch, shallow_merge, shallow_patch};
pub use print::{compact, pretty};
pub use python::python;
pub use same::{Numbers, same, same_texts};
pub use string::{same_bytes, shorten};
pub use value::{Items, Kind, Members, Value, items, members, named};
pub use write::{Writer, quote};
