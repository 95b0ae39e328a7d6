//! From the two members of a call to the arguments on its card.

use countersign_core::Argument;
use countersign_json::{Document, Limits, Numbers, Value, Writer, same};

use super::memory::Form;

/// The arguments of a call as a person sees them.
pub(super) struct Arguments {
    /// The text of one JSON value.
    pub(super) text: String,
    pub(super) form: Form,
    /// Why they cannot be approved, if so.
    pub(super) doubt: Option<&'static str>,
}

impl Form {
    /// What the arguments of an answer must be.
    pub(super) fn argument(self) -> Argument {
        match self {
            Form::Named | Form::Both => Argument::Object,
            Form::Positional | Form::Hidden => Argument::Any,
        }
    }
}

/// Reads both members as they stand in a message; `None` where one is missing.
pub(super) fn arguments(args: Option<Value<'_>>, kwargs: Option<Value<'_>>) -> Arguments {
    let is_strange = args.is_some_and(|args| !args.is_array() && !args.is_null())
        || kwargs.is_some_and(|kwargs| !kwargs.is_object() && !kwargs.is_null());
    let has_positional = args.is_some_and(|args| !args.is_empty());
    let is_empty_named = kwargs.is_some_and(Value::is_null) && args.is_some();
    let (form, doubt) = if is_strange {
        (Form::Hidden, Some("the arguments are neither a list nor an object of names"))
    } else if has_positional && kwargs.is_none() {
        (Form::Positional, None)
    } else if has_positional {
        (Form::Both, None)
    } else if kwargs.is_some_and(Value::is_object) || is_empty_named {
        (Form::Named, None)
    } else {
        (Form::Hidden, Some("the message leaves out the named arguments of the call"))
    };
    let text = match form {
        Form::Hidden if is_strange => both(args, kwargs),
        Form::Hidden => text(args, "[]").to_owned(),
        form => write(form, args, kwargs),
    };
    Arguments { text, form, doubt }
}

/// The same members in the form of a card that is there already; `None` where the two cannot be compared.
pub(super) fn in_form(form: Form, args: Option<Value<'_>>, kwargs: Option<Value<'_>>) -> Option<String> {
    let has_positional = args.is_some_and(|args| !args.is_empty());
    let has_named = kwargs.is_some_and(|kwargs| !kwargs.is_empty());
    let form = match form {
        Form::Hidden => return None,
        Form::Named if has_positional => Form::Both,
        Form::Positional if has_named => Form::Both,
        form => form,
    };
    Some(write(form, args, kwargs))
}

/// A call as a text that two messages about it have in common.
pub(super) fn whole(tool: &str, args: Option<Value<'_>>, kwargs: Option<Value<'_>>) -> String {
    let mut writer = Writer::new();
    writer.begin_array().string(tool).raw(text(args, "[]")).raw(text(kwargs, "{}"));
    writer.finish()
}

/// Whether two such texts mean the same call.
pub(super) fn same_call(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    match (Document::parse(a, &Limits::default()), Document::parse(b, &Limits::default())) {
        (Ok(a), Ok(b)) => same(a.root(), b.root(), Numbers::Value),
        _ => false,
    }
}

fn write(form: Form, args: Option<Value<'_>>, kwargs: Option<Value<'_>>) -> String {
    match form {
        Form::Named => text(kwargs, "{}").to_owned(),
        Form::Positional => text(args, "[]").to_owned(),
        Form::Both | Form::Hidden => both(args, kwargs),
    }
}

fn both(args: Option<Value<'_>>, kwargs: Option<Value<'_>>) -> String {
    let mut writer = Writer::new();
    writer.begin_object();
    writer.key("args").raw(text(args, "[]"));
    writer.key("kwargs").raw(text(kwargs, "{}"));
    writer.end_object();
    writer.finish()
}

/// The exact text of a member; none, and null, are the empty one.
fn text<'a>(value: Option<Value<'a>>, empty: &'a str) -> &'a str {
    value.filter(|value| !value.is_null()).map_or(empty, Value::text)
}
