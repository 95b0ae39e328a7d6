//! What the test files share: traces, the runner that executes them, and how values are compared.

pub mod a2a_store;
pub mod alone;
pub mod card;
pub mod damage;
mod drawn;
pub mod matching;
pub mod moment;
pub mod runner;
pub mod trace;

/// The Rust of the project's README compiles and runs.
#[doc = include_str!("../../README.md")]
#[derive(Debug)]
pub struct Readme;

/// The Rust of the page on policies compiles and runs.
#[doc = include_str!("../../www/docs/policies.md")]
#[derive(Debug)]
pub struct Policies;
