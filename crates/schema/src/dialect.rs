//! Which edition of JSON Schema a schema is written in.

use countersign_json::Value;

/// An edition of JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Draft-07, and what came before it.
    Draft07,
    /// Draft 2020-12, and what is not known.
    #[default]
    Draft202012,
}

impl Dialect {
    /// The edition that goes by this name or address: `draft-07`, `2020-12`, or what `$schema` has for them.
    #[must_use]
    pub fn named(name: &str) -> Option<Dialect> {
        let is = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if is(&["draft-07", "draft7", "draft-06", "draft-04", "draft-03"]) {
            Some(Dialect::Draft07)
        } else if is(&["2020-12", "2019-09"]) {
            Some(Dialect::Draft202012)
        } else {
            None
        }
    }

    /// The edition that the schema itself names.
    pub(crate) fn declared(schema: Value<'_>) -> Option<Dialect> {
        Dialect::named(&schema.get("$schema")?.as_str()?)
    }
}
