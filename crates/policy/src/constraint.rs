//! What the arguments of a call must be for a rule or a grant to fit.

use std::cell::OnceCell;

use countersign_core::{ArgsTest, BadConstraint, Constraint, Proposal, ToolCall};
use countersign_json::{Document, Limits, Value, Writer};

use crate::read::{Read, What, array, fault, member, only, required, with_document};

/// Whether something fits a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    No,
    /// The call does not say enough: no permission, and reason enough to ask.
    Unclear,
    Yes,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Fit {
        if fits { Fit::Yes } else { Fit::No }
    }
}

/// The arguments of a call, read when the first constraint asks for them.
pub(crate) struct Arguments<'a> {
    text: &'a str,
    positional: bool,
    inspectable: bool,
    document: OnceCell<Option<Document<'a>>>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(proposal: &Proposal<'a>) -> Arguments<'a> {
        let ToolCall { args, positional, .. } = proposal.call;
        let (text, positional) = (args.as_str(), *positional);
        Arguments { text, positional, inspectable: proposal.inspectable, document: OnceCell::new() }
    }

    fn root(&self) -> Option<Value<'_>> {
        let read = || Document::parse(self.text, &Limits::default()).ok().filter(|_| self.inspectable);
        self.document.get_or_init(read).as_ref().map(Document::root)
    }

    /// Whether all constraints are met; `permits`: something would be permitted by that.
    pub(crate) fn meet(&self, constraints: &[Constraint], permits: bool) -> Fit {
        if constraints.is_empty() {
            return Fit::Yes;
        }
        let Some(root) = self.root() else { return Fit::Unclear };
        let met = |constraint: &Constraint| self.is_met(root, constraint, permits);
        constraints.iter().map(met).min().unwrap_or(Fit::Yes)
    }

    fn is_met(&self, root: Value<'_>, constraint: &Constraint, permits: bool) -> Fit {
        let Constraint { pointer, test } = constraint;
        let found = root.pointer(pointer);
        if !self.positional || pointer.is_empty() {
            return fit(test, found, permits);
        }
        // It may name an argument of the tool, or a place on the card.
        let named = root.get("kwargs").and_then(|kwargs| kwargs.pointer(pointer));
        match (found, named) {
            (Some(found), None) | (None, Some(found)) => fit(test, Some(found), permits),
            // It may be one of those whose names are not known.
            _ => Fit::Unclear,
        }
    }
}

fn fit(test: &ArgsTest, found: Option<Value<'_>>, permits: bool) -> Fit {
    match test.is_met(found, permits) {
        true => Fit::Yes,
        false if !permits && test.is_unclear(found) => Fit::Unclear,
        false => Fit::No,
    }
}

/// The arguments as a whole are these.
pub(crate) fn same_args(args: &str) -> Constraint {
    Constraint { pointer: String::new(), test: ArgsTest::Equals(args.to_owned()) }
}

/// Whether it pins the arguments as a whole.
pub(crate) fn pins_all(constraint: &Constraint) -> bool {
    constraint.pointer.is_empty() && matches!(constraint.test, ArgsTest::Equals(_))
}

fn write(constraint: &Constraint, writer: &mut Writer) {
    writer.begin_object().key("pointer").string(&constraint.pointer);
    match &constraint.test {
        ArgsTest::Equals(value) => writer.key("equals").raw(value),
        ArgsTest::OneOf(values) => {
            writer.key("oneOf").begin_array();
            for value in values {
                writer.raw(value);
            }
            writer.end_array()
        }
        ArgsTest::Prefix(prefix) => writer.key("prefix").string(prefix),
        ArgsTest::Contains(part) => writer.key("contains").string(part),
        ArgsTest::Above(limit) => writer.key("above").raw(limit),
        ArgsTest::Absent => writer.key("absent").bool(true),
    };
    writer.end_object();
}

/// Reads the member `args`: a list of constraints.
pub(crate) fn read_all(holder: Value<'_>) -> Read<Vec<Constraint>> {
    let mut constraints = Vec::new();
    if let Some(list) = member(holder, "args") {
        for value in array(list)?.items() {
            only(value, &Constraint::MEMBERS)?;
            required(value, "pointer")?;
            let bad = |bad: BadConstraint| {
                fault(value.get(bad.member).unwrap_or(value), What::WrongType(bad.expected))
            };
            constraints.push(Constraint::read(value).map_err(bad)?);
        }
    }
    Ok(constraints)
}

pub(crate) fn write_all(writer: &mut Writer, constraints: &[Constraint]) {
    if !constraints.is_empty() {
        writer.key("args").begin_array();
        for constraint in constraints {
            write(constraint, writer);
        }
        writer.end_array();
    }
}

/// Whether a value can stand in a constraint: it is JSON, and clear.
pub(crate) fn is_clear(json: &str) -> bool {
    with_document(json, |_| Ok(())).is_ok()
}
