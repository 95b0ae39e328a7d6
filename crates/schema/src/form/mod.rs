//! A schema as fields of a form: what an input for one value may look like.
//!
//! Pure data: no words but the schema's own titles and descriptions, which are untrusted. Children are described when
//! they are asked for, so a schema that contains itself has no end and costs nothing.

mod blank;
mod describe;
mod facets;
#[cfg(test)]
mod tests;

use countersign_json::{Document, Value, pointer};

use crate::dialect::Dialect;
pub use crate::format::Format;
use crate::resolve::Names;
use crate::types::Types;
use crate::validate::{Checker, Limits, Options, tracks};
use facets::Facets;

/// What an input field for one value may look like.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Which input fits.
    pub kind: FieldKind,
    /// The schema's title. Untrusted.
    pub title: Option<String>,
    /// The schema's description. Untrusted.
    pub description: Option<String>,
    /// What the tool assumes where nothing is given, as JSON text. Untrusted.
    pub default: Option<String>,
    /// Values that the schema names as examples, as JSON texts. Untrusted.
    pub examples: Vec<String>,
    /// Whether the value must be there: for a member what its object says, else true.
    pub required: bool,
    /// Whether the tool ignores or refuses changes (`readOnly`).
    pub read_only: bool,
    /// Whether the tool would rather not get it any more (`deprecated`).
    pub deprecated: bool,
    /// Whether it must not stand on a screen (`writeOnly`, or format `password`).
    pub secret: bool,
    /// Whether `null` is permitted besides what the kind says.
    ///
    /// Where a [`FieldKind::Choice`] has `null` among its values, it stands there and this is false.
    pub nullable: bool,
    /// What to ask [`Form`] for the field's own children with.
    pub node: Node,
}

/// Where the numbers end that are permitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number, as it stands in the schema.
    pub number: String,
    /// It is itself not permitted.
    pub excluded: bool,
}

/// Which input fits a value.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// A string.
    Text {
        /// Whether one line is too little.
        multiline: bool,
        /// What the string means.
        format: Option<Format>,
        /// How many characters are permitted.
        max_length: Option<usize>,
    },
    /// A number.
    Number {
        /// Whether it must be whole.
        integer: bool,
        /// How small it may be.
        minimum: Option<Bound>,
        /// How large it may be.
        maximum: Option<Bound>,
    },
    /// True or false.
    Boolean,
    /// Only `null`.
    Null,
    /// One of these values.
    Choice {
        /// The values as JSON texts, as they stand in the schema.
        values: Vec<String>,
    },
    /// A list.
    Array {
        /// Whether one more item is permitted.
        may_add: bool,
        /// Whether one item less is permitted.
        may_remove: bool,
    },
    /// An object.
    Object {
        /// The members that the schema declares, in its order.
        ///
        /// They are described one level deep: the fields of their own members, branches and values are asked for with
        /// [`Form::member`]. Empty for an object that is itself only mentioned.
        members: Vec<(String, Field)>,
        /// Whether members of other names are permitted.
        may_add: bool,
    },
    /// One of several forms.
    OneOf {
        /// The forms, each described as a field of its own; empty for a field that is only mentioned.
        branches: Vec<Field>,
        /// The form that the value has; where it fits none, the one that comes closest.
        chosen: Option<usize>,
    },
    /// Any JSON.
    Any,
}

/// A subschema, or what is known of a value without one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    parts: Vec<Part>,
    /// The only kinds that are meant here; `None`: all that the schema permits.
    only: Option<Types>,
}

/// A schema that takes part in a node.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    /// Where it starts in the text.
    start: usize,
    /// Only its own keywords count: what it refers to and consists of stands in other parts, or is not meant.
    alone: bool,
}

/// A schema, ready to be described field by field.
#[derive(Debug)]
pub struct Form<'s> {
    names: Option<Names<'s>>,
    /// Whether the schema asks anywhere what others have not looked at.
    tracks: bool,
}

/// How much of a value is looked at to tell which part of a schema is about it: fields are described while somebody types.
const STEPS: u32 = 4_000;

impl<'s> Form<'s> {
    /// The form of a schema; `None` if the document is no schema, or one that says nothing.
    #[must_use]
    pub fn of(schema: &'s Document<'_>) -> Option<Form<'s>> {
        let root = schema.root();
        let names = || Names::of(root, &[], Dialect::default());
        (root.is_object() && !root.is_empty())
            .then(|| Form { names: Some(names()), tracks: tracks(root.text()) })
    }

    /// The form of a value that no schema describes: each field follows its value's own kind.
    #[must_use]
    pub fn none() -> Form<'s> {
        Form { names: None, tracks: false }
    }

    /// The field for the whole value.
    ///
    /// Where the schema says `if`, what it says then, or else, counts as the value decides; without a value neither does.
    #[must_use]
    pub fn root(&self, value: Option<Value<'_>>) -> Field {
        self.field(self.root_node(), value, true)
    }

    /// The field for an item of an array; `of` is the array's node, `value` the item if it is there.
    #[must_use]
    pub fn item(&self, of: &Node, index: usize, value: Option<Value<'_>>) -> Field {
        self.field(Facets::of(self, of).item(index), value, true)
    }

    /// The field for a member of an object; `of` is the object's node, `value` the member if it is there.
    #[must_use]
    pub fn member(&self, of: &Node, name: &str, value: Option<Value<'_>>) -> Field {
        let facets = Facets::of(self, of);
        self.field(facets.member(name), value, facets.requires(name))
    }

    /// A JSON text to start with where a new value is added: the schema's default, its only or its first value, or the
    /// empty value of its kind. A default of `null` does not count where something else is permitted.
    #[must_use]
    pub fn blank(&self, of: &Node) -> String {
        blank::blank(self, of)
    }

    /// Whether the value is what the schema wants at this node; `None`: that cannot be told, or would take too long.
    #[must_use]
    pub fn fits(&self, of: &Node, value: Value<'_>) -> Option<bool> {
        let mut fits = Some(true);
        if of.only.is_some_and(|only| !only.permit(value)) {
            return Some(false);
        }
        for part in of.parts.iter().filter(|part| !part.alone) {
            let schema = self.schema().and_then(|root| pointer::at(root, part.start));
            match schema.and_then(|schema| self.passes(schema, value)) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => fits = None,
            }
        }
        fits
    }

    /// Whether the value is what this part of the schema wants; `None`: that cannot be told, or would take too long.
    fn passes(&self, part: Value<'s>, value: Value<'_>) -> Option<bool> {
        let limits = Limits { steps: STEPS, problems: 0, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        Checker::new(self.names.as_ref()?, self.tracks, &options).passes(part, value)
    }

    fn schema(&self) -> Option<Value<'s>> {
        self.names.as_ref()?.root()
    }

    fn root_node(&self) -> Node {
        let parts = self.schema().into_iter().map(|root| Part { start: root.span().start, alone: false });
        Node { parts: parts.collect(), only: None }
    }

    fn field(&self, node: Node, value: Option<Value<'_>>, required: bool) -> Field {
        describe::Describer::new(self).field(node, value, required, 0)
    }
}
