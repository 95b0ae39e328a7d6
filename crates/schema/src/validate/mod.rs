//! Holding a value against a schema.

mod array;
mod branches;
mod checker;
mod evaluated;
mod fault;
mod flaw;
mod object;
mod scalar;
mod words;

pub(crate) use checker::{Checker, tracks};
pub use flaw::{Detail, Flaw};

use crate::dialect::Dialect;

/// How a value is held against a schema.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The edition of JSON Schema where the schema does not name one; `None`: 2020-12.
    pub dialect: Option<Dialect>,
    /// Whether `format` is checked, for the formats that [`Format`](crate::Format) lists; else it says nothing.
    pub formats: bool,
    /// How much is looked at.
    pub limits: Limits,
}

/// How much of a schema and a value is looked at.
///
/// Schemas come from outside, and a small one can ask for any amount of work. What is beyond a limit is not checked, and the
/// report says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many steps are made: one for each member of a schema, member, item or 16 characters that is looked at; a step
    /// takes well below a microsecond.
    pub steps: u32,
    /// How deep schemas may apply inside one another.
    pub depth: u32,
    /// How many problems are reported, and how many places that were not checked.
    pub problems: usize,
}

impl Default for Limits {
    /// Two million steps, 200 levels, 100 problems.
    fn default() -> Self {
        Limits { steps: 2_000_000, depth: 200, problems: 100 }
    }
}

/// What a value lacks to be what the schema wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// What is wrong, in the order of the schema; empty: nothing that was checked.
    pub problems: Vec<SchemaProblem>,
    /// What was not checked; it neither passed nor failed.
    pub unchecked: Vec<Unchecked>,
    is_exhausted: bool,
}

impl Report {
    /// Whether nothing is known to be wrong.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    /// Whether the value could not be looked at to the end because the schema asks for too much.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

/// One thing that is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaProblem {
    /// Where in the value, as a JSON Pointer; a member that is missing has the pointer that it would have.
    pub pointer: String,
    /// What a person calls that place.
    path: String,
    /// Which keyword of the schema says so, as a JSON Pointer into the document that it stands in.
    pub schema_pointer: String,
    /// The keyword's name.
    pub keyword: &'static str,
    /// What is wrong.
    pub flaw: Flaw,
    /// What the sentence names besides the place.
    pub detail: Detail,
    /// A sentence without a full stop. It may quote the value and the schema: untrusted.
    pub message: String,
}

/// A keyword that was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unchecked {
    /// Where in the value, as a JSON Pointer.
    pub pointer: String,
    /// The keyword's name.
    pub keyword: &'static str,
    /// Why.
    pub reason: Reason,
}

/// Why a keyword was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The pattern needs more than an engine can do in linear time, or is none.
    Pattern,
    /// The reference leads out of the schema, or nowhere.
    Reference,
    /// The keyword does not have a value that means anything.
    Meaningless,
    /// It is about what other keywords leave over, and one of those was not checked.
    Depends,
    /// A limit was reached, or the schema has no end.
    TooMuch,
}
