//! A schema that values can be held against.

use countersign_json::{Document, Value};

use crate::dialect::Dialect;
use crate::resolve::Names;
use crate::validate::{Checker, Options, Report, tracks};

/// A JSON Schema, read where it stands.
///
/// A `$ref` leads to a place in the schema's own document, or in one that was handed over with it. Nothing is ever fetched.
#[derive(Clone, Debug)]
pub struct Schema<'s> {
    root: Value<'s>,
    others: Vec<(&'s str, Value<'s>)>,
}

impl<'s> Schema<'s> {
    /// The schema in `document`. Costs nothing: the schema is looked at when a value is.
    #[must_use]
    pub fn compile(document: &'s Document<'_>) -> Schema<'s> {
        Schema { root: document.root(), others: Vec::new() }
    }

    /// The same with another document that references may lead to: by this address, and by the `$id`s in it.
    #[must_use]
    pub fn with(mut self, address: &'s str, document: &'s Document<'_>) -> Schema<'s> {
        self.others.push((address, document.root()));
        self
    }

    /// Holds `value` against the schema.
    ///
    /// ```
    /// use countersign_json::{Document, Limits};
    /// use countersign_schema::{Options, Schema};
    ///
    /// let schema = Document::parse(r#"{"properties":{"amount":{"maximum":100}}}"#, &Limits::default())?;
    /// let value = Document::parse(r#"{"amount":100.00000000000000000001}"#, &Limits::default())?;
    /// let report = Schema::compile(&schema).validate(value.root(), &Options::default());
    /// assert_eq!(report.problems[0].pointer, "/amount");
    /// assert_eq!(report.problems[0].schema_pointer, "/properties/amount/maximum");
    /// assert_eq!(report.problems[0].message, "`amount` must be at most 100");
    /// # Ok::<(), countersign_json::ParseError>(())
    /// ```
    #[must_use]
    pub fn validate(&self, value: Value<'_>, options: &Options) -> Report {
        let dialect = Dialect::declared(self.root).or(options.dialect).unwrap_or_default();
        let mut texts = self.others.iter().map(|(_, other)| other.text()).chain([self.root.text()]);
        let names = Names::of(self.root, &self.others, dialect);
        Checker::new(&names, texts.any(tracks), options).run(value)
    }
}
