//! JSON Schema over lossless JSON text: whether edited arguments are what a tool takes.
//!
//! Checked are the keywords that tools' schemas are made of: `type`, `enum`, `const`, `properties`, `required`,
//! `additionalProperties`, `items`, the lengths, `allOf`, `anyOf`, `oneOf`, `not` and references within the schema. All
//! others are left to the backend. A schema comes from outside: how much of it is looked at is bounded.

mod check;

pub use check::check;
