//! What the arguments of a call must be for a rule or a grant to fit.

use std::cell::OnceCell;

use countersign_core::{Proposal, ToolCall};
use countersign_json::{Document, Limits, Numbers, Value, Writer, same};

use crate::read::{Read, What, array, fault, member, only, required, string, with_document};

/// One thing that the arguments must be; taken literally.
///
/// # Shape
/// `{"pointer": "/path", …}` with one of `"equals": value`, `"oneOf": [value…]`, `"prefix": text`, `"absent": true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Where in the arguments, as a JSON Pointer.
    pub pointer: String,
    /// What must stand there.
    pub test: Test,
}

/// What must stand at a place of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Test {
    /// This value, as JSON text; numbers are compared by their exact value.
    Equals(String),
    /// One of these values, as JSON texts.
    OneOf(Vec<String>),
    /// A text that begins with these characters.
    ///
    /// For a permission the rest must not hold `..`: what begins with `/tmp/` should not end in `/etc`.
    Prefix(String),
    /// Nothing.
    Absent,
}

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
            return Fit::from(test.is_met(found, permits));
        }
        // It may name an argument of the tool, or a place on the card.
        let named = root.get("kwargs").and_then(|kwargs| kwargs.pointer(pointer));
        match (found, named) {
            (Some(found), None) | (None, Some(found)) => Fit::from(test.is_met(Some(found), permits)),
            // It may be one of those whose names are not known.
            _ => Fit::Unclear,
        }
    }
}

impl Test {
    fn is_met(&self, found: Option<Value<'_>>, permits: bool) -> bool {
        let Some(found) = found else { return *self == Test::Absent };
        match self {
            Test::Equals(value) => equals(found, value),
            Test::OneOf(values) => values.iter().any(|value| equals(found, value)),
            Test::Prefix(prefix) => found.as_str().is_some_and(|text| {
                // The dots may stand across the end of the prefix.
                let end = prefix.len().saturating_sub(1);
                text.starts_with(prefix.as_str())
                    && !(permits && climbs(text.as_bytes().get(end..).unwrap_or_default()))
            }),
            Test::Absent => false,
        }
    }
}

fn equals(found: Value<'_>, text: &str) -> bool {
    let document = Document::parse(text, &Limits::default());
    document.is_ok_and(|document| same(found, document.root(), Numbers::Value))
}

impl Constraint {
    /// The arguments as a whole are these.
    #[must_use]
    pub fn same_args(args: &str) -> Constraint {
        Constraint { pointer: String::new(), test: Test::Equals(args.to_owned()) }
    }

    /// Whether it pins the arguments as a whole.
    pub(crate) fn pins_all(&self) -> bool {
        self.pointer.is_empty() && matches!(self.test, Test::Equals(_))
    }

    fn read(value: Value<'_>) -> Read<Constraint> {
        const TESTS: [&str; 5] = ["pointer", "equals", "oneOf", "prefix", "absent"];
        only(value, &TESTS)?;
        let place = required(value, "pointer")?;
        let pointer = string(place)?;
        if !is_pointer(&pointer) {
            return Err(fault(place, What::WrongType("a JSON Pointer")));
        }
        let exactly =
            || fault(value, What::WrongType("exactly one of `equals`, `oneOf`, `prefix`, `absent: true`"));
        let mut tests = value.members().filter(|(key, _)| !key.equals("pointer"));
        let (Some((key, found)), None) = (tests.next(), tests.next()) else { return Err(exactly()) };
        let test = if key.equals("equals") {
            Test::Equals(found.text().to_owned())
        } else if key.equals("oneOf") {
            let mut values = Vec::new();
            for value in array(found)?.items() {
                values.push(value.text().to_owned());
            }
            Test::OneOf(values)
        } else if key.equals("prefix") {
            Test::Prefix(string(found)?)
        } else if found.as_bool() == Some(true) {
            Test::Absent
        } else {
            return Err(exactly());
        };
        Ok(Constraint { pointer, test })
    }

    fn write(&self, writer: &mut Writer) {
        writer.begin_object().key("pointer").string(&self.pointer);
        match &self.test {
            Test::Equals(value) => writer.key("equals").raw(value),
            Test::OneOf(values) => {
                writer.key("oneOf").begin_array();
                for value in values {
                    writer.raw(value);
                }
                writer.end_array()
            }
            Test::Prefix(prefix) => writer.key("prefix").string(prefix),
            Test::Absent => writer.key("absent").bool(true),
        };
        writer.end_object();
    }
}

/// Reads the member `args`: a list of constraints.
pub(crate) fn read_all(holder: Value<'_>) -> Read<Vec<Constraint>> {
    let mut constraints = Vec::new();
    if let Some(list) = member(holder, "args") {
        for value in array(list)?.items() {
            constraints.push(Constraint::read(value)?);
        }
    }
    Ok(constraints)
}

pub(crate) fn write_all(writer: &mut Writer, constraints: &[Constraint]) {
    if !constraints.is_empty() {
        writer.key("args").begin_array();
        for constraint in constraints {
            constraint.write(writer);
        }
        writer.end_array();
    }
}

fn is_pointer(text: &str) -> bool {
    let bytes = text.as_bytes();
    let stray = (0..bytes.len())
        .any(|at| bytes.get(at) == Some(&b'~') && !matches!(bytes.get(at + 1), Some(b'0' | b'1')));
    !stray && matches!(bytes.first(), None | Some(b'/'))
}

/// Whether the text holds `..`.
fn climbs(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair == b"..")
}

/// Whether a value can stand in a constraint: it is JSON, and clear.
pub(crate) fn is_clear(json: &str) -> bool {
    with_document(json, |_| Ok(())).is_ok()
}
