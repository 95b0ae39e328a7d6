//! What is said about fields.

use countersign_schema::form::{Bound, Field, FieldKind, Format};
use yew::prelude::*;

use super::draft::parse;
use super::judge::Fault;
use super::unfit::unfit;
use crate::fold::foldable;
use crate::json_view::{own, ticked};
use crate::node::{Tag, list, words};
use crate::piece::Stage;
use crate::text::{around, visible};
use crate::tool_call_card::facts::quoted;

/// What is wrong, in a sentence.
pub(super) fn fault(fault: &Fault, stage: &Stage) -> Html {
    let messages = stage.messages();
    match fault {
        Fault::NotJson(line, column, code) => {
            own(&messages.edit_not_json(*line, *column, &messages.json_error(*code)))
        }
        Fault::NotANumber => words(messages.edit_not_a_number("12, -0.5, 1e6")),
        Fault::Empty => words(messages.edit_number_missing()),
        Fault::Kept(name) => around(&messages.edit_kept_member(), member(name)),
        Fault::Rounded(number) => around(&messages.edit_rounded(), member(number)),
        Fault::Nothing => words(messages.edit_is_nothing()),
        Fault::Hazard(hazard) => ticked(&messages.hazard(hazard), &|part| foldable(part, stage)),
        Fault::Unfit(misfit) => unfit(misfit, stage),
    }
}

/// The name of a member, or other text from outside, as code.
pub(super) fn member(name: &str) -> Html {
    Tag::new("code", "cs-code").child(visible(name)).html()
}

/// Which input it is, in a word or two.
pub(super) fn kind(kind: &FieldKind, stage: &Stage) -> AttrValue {
    let messages = stage.messages();
    match kind {
        FieldKind::Text { format: Some(format), .. } => words_of(*format, stage),
        FieldKind::Text { .. } => messages.edit_type("string"),
        FieldKind::Number { integer: true, .. } => messages.edit_type("integer"),
        FieldKind::Number { .. } => messages.edit_type("number"),
        FieldKind::Boolean => messages.edit_type("boolean"),
        FieldKind::Null => messages.edit_type("null"),
        FieldKind::Choice { .. } => messages.edit_type("enum"),
        FieldKind::Array { .. } => messages.edit_type("array"),
        FieldKind::Object { .. } => messages.edit_type("object"),
        FieldKind::OneOf { .. } | FieldKind::Any => messages.edit_type("any"),
    }
}

/// What tells a form without a title from all others: its only value, or that of a member.
pub(super) fn known_by(form: &Field, all: &[Field]) -> Option<String> {
    let FieldKind::Object { members, .. } = &form.kind else { return only(form).map(plain) };
    members.iter().find_map(|(name, member)| {
        let value = only(member)?;
        let is_shared = others(form, all).any(|other| member_of(other, name).and_then(only) == Some(value));
        (!is_shared).then(|| [name, " = ", value].concat())
    })
}

/// The member that no other form has; better one that must be there.
pub(super) fn own_member<'f>(form: &'f Field, all: &[Field]) -> Option<&'f str> {
    let FieldKind::Object { members, .. } = &form.kind else { return None };
    let is_own = |name: &str| others(form, all).all(|other| member_of(other, name).is_none());
    let mut own = members.iter().filter(|(name, _)| is_own(name));
    let first = own.clone().next();
    own.find(|(_, member)| member.required).or(first).map(|(name, _)| name.as_str())
}

fn others<'f>(form: &'f Field, all: &'f [Field]) -> impl Iterator<Item = &'f Field> {
    all.iter().filter(move |other| !std::ptr::eq(*other, form))
}

fn member_of<'f>(form: &'f Field, name: &str) -> Option<&'f Field> {
    let FieldKind::Object { members, .. } = &form.kind else { return None };
    members.iter().find(|(known, _)| known == name).map(|(_, member)| member)
}

/// The only value that there may be.
fn only(field: &Field) -> Option<&str> {
    match &field.kind {
        FieldKind::Choice { values } => values.first().filter(|_| values.len() == 1).map(String::as_str),
        _ => None,
    }
}

/// What a text of this format is, and how it is written.
pub(super) fn words_of(format: Format, stage: &Stage) -> AttrValue {
    let messages = stage.messages();
    let (kind, example) = match format {
        Format::Date => (messages.type_date(), "2026-01-31"),
        Format::DateTime => (messages.type_moment(), "2026-01-31T12:00:00Z"),
        Format::Time => (messages.type_time(), "12:00:00Z"),
        Format::Uri => (messages.type_address(), "https://example.com/"),
        Format::Email => return messages.type_email(),
        Format::Hostname => return messages.type_host(),
        Format::Password => return messages.type_secret(),
        // Their names are the same in every language.
        Format::Uuid => return AttrValue::Static("UUID"),
        Format::Ipv4 => return AttrValue::Static("IPv4"),
        Format::Ipv6 => return AttrValue::Static("IPv6"),
    };
    messages.edit_such_as(&kind, example).into()
}

/// The limits that the field's schema sets, in our words around its numbers.
pub(super) fn limits(field: &Field, stage: &Stage) -> Vec<String> {
    let messages = stage.messages();
    let mut limits = Vec::new();
    match &field.kind {
        FieldKind::Number { minimum, maximum, .. } => {
            limits.extend(minimum.as_ref().map(|Bound { number, excluded }| match excluded {
                true => messages.edit_more_than(number),
                false => messages.edit_at_least(number),
            }));
            limits.extend(maximum.as_ref().map(|Bound { number, excluded }| match excluded {
                true => messages.edit_less_than(number),
                false => messages.edit_at_most(number),
            }));
        }
        FieldKind::Text { max_length: Some(most), .. } => {
            limits.push(messages.edit_at_most(&messages.characters(*most)));
        }
        _ => {}
    }
    limits
}

/// What the schema says about a field, labelled as its words.
pub(super) fn claims(field: &Field, stage: &Stage) -> Option<Html> {
    let messages = stage.messages();
    let mut said = Vec::new();
    let mut say = |label: Option<AttrValue>, text: &str| {
        if !said.is_empty() {
            said.push(words(" "));
        }
        if let Some(label) = label {
            said.push(Tag::new("span", "cs-claim-label").words(label).html());
            said.push(words(" "));
        }
        said.push(quoted(text, stage));
    };
    let mut label = Some(messages.schema_says());
    for text in [&field.title, &field.description].into_iter().flatten() {
        say(label.take(), text);
    }
    if let Some(default) = &field.default {
        say(Some(messages.edit_default()), &plain(default));
    }
    if !field.examples.is_empty() {
        let examples: Vec<String> = field.examples.iter().take(3).map(|json| plain(json)).collect();
        say(Some(messages.edit_examples()), &examples.join(", "));
    }
    (!said.is_empty()).then(|| list(said))
}

/// A JSON text as a person reads it: strings without their quotes, where these do not tell what it is.
pub(super) fn plain(json: &str) -> String {
    let content = parse(json).ok().and_then(|document| document.root().as_str().map(String::from));
    // `"1"` is not `1`, and what is empty or ends in spaces could not be seen.
    let is_clear = |text: &String| !text.is_empty() && text.trim() == text && parse(text).is_err();
    content.filter(is_clear).unwrap_or_else(|| json.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r19_strings_keep_the_quotes_that_tell_them_from_other_values() {
        for (json, shown) in [
            (r#""a b""#, "a b"),
            ("1.0", "1.0"),
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (r#""1.0""#, r#""1.0""#),
            (r#""null""#, r#""null""#),
            (r#""{}""#, r#""{}""#),
            (r#""""#, r#""""#),
            (r#"" a""#, r#"" a""#),
        ] {
            assert_eq!(plain(json), shown);
        }
    }
}
