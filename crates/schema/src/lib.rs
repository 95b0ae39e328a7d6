//! JSON Schema over lossless JSON text: whether edited arguments are what a tool takes, and a form to edit them in.
//!
//! - [`Schema::validate`] holds a value against a schema of draft 2020-12 or draft-07 and says what is wrong, where, and what
//!   could not be checked; [`check`] does so in one sentence
//! - [`form`] describes a schema as the fields of a form
//!
//! Numbers are compared by their exact digits, never as floats. A schema comes from outside: references lead nowhere but into
//! it, patterns run on an engine that takes linear time, and how much is looked at is bounded. What is not checked is
//! reported as such; it neither passes nor fails.

mod check;
mod dialect;
pub mod form;
mod format;
mod pattern;
mod resolve;
mod schema;
#[cfg(test)]
mod tests;
mod types;
mod uri;
mod validate;

pub use check::{Misfit, SCHEMA_LIMITS, check, fit};
pub use dialect::Dialect;
pub use format::Format;
pub use schema::Schema;
pub use validate::{Detail, Flaw, Limits, Options, Reason, Report, SchemaProblem, Unchecked};
