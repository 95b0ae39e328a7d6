//! From the two members of a call to the arguments on its card.

use std::borrow::Cow;

use countersign_core::{Argument, Source, Text};
use countersign_json::{Document, Limits, Numbers, Value, Writer, same};

use super::memory::Form;

impl Form {
    /// What the arguments of an answer must be.
    pub(super) fn argument(self) -> Argument {
        match self {
            Form::Named | Form::Both => Argument::Object,
            Form::Positional => Argument::Positional,
            Form::Hidden => Argument::Any,
        }
    }
}

/// How both members of a call are shown as they stand in a message, and why they cannot be approved, if so. `None` where
/// one is missing.
pub(super) fn form(args: Option<Value<'_>>, kwargs: Option<Value<'_>>) -> (Form, Option<&'static str>) {
    let is_strange = args.is_some_and(|args| !args.is_array() && !args.is_null())
        || kwargs.is_some_and(|kwargs| !kwargs.is_object() && !kwargs.is_null());
    let has_positional = args.is_some_and(|args| !args.is_empty());
    let is_complete = kwargs.is_some_and(|kwargs| kwargs.is_object() || args.is_some());
    match (is_strange, has_positional) {
        (true, _) => (Form::Both, Some("the arguments are neither a list nor an object of names")),
        (_, true) if kwargs.is_none() => (Form::Positional, None),
        (_, true) => (Form::Both, None),
        _ if is_complete => (Form::Named, None),
        _ => (Form::Hidden, Some("the message leaves out the named arguments of the call")),
    }
}

/// The form of a card that is there already, in which these members of the same call have room.
pub(super) fn fitting(form: Form, args: Option<Value<'_>>, kwargs: Option<Value<'_>>) -> Form {
    let other = match form {
        Form::Named => args,
        Form::Positional => kwargs,
        form => return form,
    };
    if other.is_some_and(|other| !other.is_empty()) { Form::Both } else { form }
}

/// The text of one JSON value: the arguments in this form.
pub(super) fn write<'v>(form: Form, args: Option<Value<'v>>, kwargs: Option<Value<'v>>) -> Cow<'v, str> {
    let (args, kwargs) = (text(args, "[]"), text(kwargs, "{}"));
    match form {
        Form::Named => Cow::Borrowed(kwargs),
        Form::Positional | Form::Hidden => Cow::Borrowed(args),
        Form::Both => {
            let mut writer = Writer::new();
            writer.begin_object();
            writer.key("args").raw(args).key("kwargs").raw(kwargs);
            Cow::Owned(writer.finish())
        }
    }
}

/// A call as two messages about it have it: its tool, positional and named arguments.
#[derive(PartialEq, Eq)]
pub(super) struct Whole([Text; 3]);

impl Whole {
    pub(super) fn new(
        source: &Source,
        tool: &Text,
        args: Option<Value<'_>>,
        kwargs: Option<Value<'_>>,
    ) -> Whole {
        Whole([tool.clone(), source.cut(text(args, "[]")), source.cut(text(kwargs, "{}"))])
    }

    /// Whether both are the same call: in the same characters, or with the same meaning.
    pub(super) fn is_same(&self, other: &Whole) -> bool {
        let ([tool, args, kwargs], [other_tool, other_args, other_kwargs]) = (&self.0, &other.0);
        self == other || (tool == other_tool && means(args, other_args) && means(kwargs, other_kwargs))
    }
}

/// Whether two values have the same content. One in which a key is repeated has none, also beside its very characters.
fn means(one: &str, other: &str) -> bool {
    let limits = Limits::default();
    match (Document::parse(one, &limits), Document::parse(other, &limits)) {
        (Ok(one), Ok(other)) => same(one.root(), other.root(), Numbers::Value),
        _ => false,
    }
}

/// The exact text of a member; none, and null, are the empty one.
fn text<'a>(value: Option<Value<'a>>, empty: &'a str) -> &'a str {
    value.filter(|value| !value.is_null()).map_or(empty, Value::text)
}
