//! Words and pointers for what was found.

use countersign_json::{Value, items, pointer, shorten};

use super::fault::{Fault, Findings};
use super::flaw::{Detail, Flaw};
use super::{Reason, Report, SchemaProblem, Unchecked};
use crate::format::Format;
use crate::resolve::{Names, identity};
use crate::types::Types;

/// How many characters of a value from outside are quoted.
const QUOTED: usize = 60;
/// How many characters of the way to a value are told.
const PATH: usize = 240;

impl Findings<'_, '_> {
    pub(super) fn report(self, names: &Names<'_>, root: Value<'_>, most: usize) -> Report {
        let is_exhausted = self.doubts.iter().any(|doubt| doubt.reason == Reason::TooMuch);
        let mut report = Report { is_exhausted, ..Report::default() };
        for fault in self.faults {
            if report.problems.len() >= most {
                break;
            }
            let problem = problem(&fault, names, root);
            if !report.problems.contains(&problem) {
                report.problems.push(problem);
            }
        }
        for doubt in self.doubts {
            if report.unchecked.len() >= most {
                break;
            }
            let keyword = named(doubt.place.keyword, doubt.place.schema);
            let pointer = pointer::to(root, doubt.place.at.span().start);
            let unchecked = Unchecked { pointer, keyword, reason: doubt.reason };
            if !report.unchecked.contains(&unchecked) {
                report.unchecked.push(unchecked);
            }
        }
        report
    }
}

/// A place in a schema that has no keyword is the schema itself.
fn named(keyword: &'static str, schema: Value<'_>) -> &'static str {
    match keyword {
        "" if schema.as_bool().is_some() => "false",
        "" => "schema",
        keyword => keyword,
    }
}

fn problem(fault: &Fault<'_, '_>, names: &Names<'_>, root: Value<'_>) -> SchemaProblem {
    let place = fault.place;
    let mut pointer = pointer::to(root, place.at.span().start);
    if let Some(missing) = fault.missing {
        pointer::push(&mut pointer, &missing.as_str_lossy().unwrap_or_default());
    }
    let mut schema_pointer = names.pointer(place.schema);
    if !place.keyword.is_empty() {
        pointer::push(&mut schema_pointer, place.keyword);
    }
    let path = shorten(&pointer::readable(root, &pointer), PATH).into_owned();
    let (flaw, detail) = flaw(fault);
    let mut message = String::new();
    if let (Flaw::NameNotAllowed, Detail::Values(names)) = (flaw, &detail) {
        message.push_str("the name ");
        names.iter().for_each(|name| message.push_str(name));
    } else if pointer.is_empty() {
        message.push_str("the value");
    } else {
        message.push('`');
        message.push_str(&path);
        message.push('`');
    }
    message.push(' ');
    predicate(&mut message, flaw, &detail);
    let keyword = named(place.keyword, place.schema);
    SchemaProblem { pointer, path, schema_pointer, keyword, flaw, detail, message }
}

impl SchemaProblem {
    /// How a person calls the place: `to[1].name`; empty for the value itself. Untrusted.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// What is wrong, by the keyword that says so.
fn flaw(fault: &Fault<'_, '_>) -> (Flaw, Detail) {
    let place = fault.place;
    let argument = place.schema.get(place.keyword);
    let text = || quoted(argument.map_or("", Value::text));
    let (value, count) = (|| Detail::Values(vec![text()]), || Detail::Count(text()));
    match place.keyword {
        _ if fault.missing.is_some() => (Flaw::Missing, Detail::Nothing),
        "type" => (Flaw::Type, types(argument.and_then(Types::read).unwrap_or(Types::ALL))),
        "const" => (Flaw::Const, value()),
        "enum" => (Flaw::Enum, Detail::Values(listed(argument))),
        "minimum" => (Flaw::Minimum, value()),
        "maximum" => (Flaw::Maximum, value()),
        "exclusiveMinimum" => (Flaw::ExclusiveMinimum, value()),
        "exclusiveMaximum" => (Flaw::ExclusiveMaximum, value()),
        "multipleOf" => (Flaw::MultipleOf, value()),
        "minLength" => (Flaw::MinLength, count()),
        "maxLength" => (Flaw::MaxLength, count()),
        "pattern" => (Flaw::Pattern, value()),
        "format" => {
            let format = argument.and_then(|name| Format::named(&name.as_str()?));
            (Flaw::Format, format.map_or(Detail::Nothing, Detail::Format))
        }
        "minItems" => (Flaw::MinItems, count()),
        "maxItems" => (Flaw::MaxItems, count()),
        "uniqueItems" => (Flaw::UniqueItems, Detail::Nothing),
        "contains" => (Flaw::Contains, Detail::Nothing),
        "minContains" => (Flaw::MinContains, count()),
        "maxContains" => (Flaw::MaxContains, count()),
        "minProperties" => (Flaw::MinProperties, count()),
        "maxProperties" => (Flaw::MaxProperties, count()),
        "anyOf" => choice(argument),
        "oneOf" => (Flaw::OneOf, Detail::Nothing),
        "not" => (Flaw::Not, Detail::Nothing),
        "propertyNames" => (Flaw::NameNotAllowed, Detail::Values(vec![quoted(place.at.text())])),
        _ => (Flaw::NotAllowed, Detail::Nothing),
    }
}

/// What is wrong, in English.
fn predicate(message: &mut String, flaw: Flaw, detail: &Detail) {
    let shown = match detail {
        Detail::Nothing => String::new(),
        Detail::Types(names) => kinds(names),
        Detail::Format(format) => format.words().to_owned(),
        Detail::Count(count) => count.clone(),
        Detail::Values(values) => values.join(", "),
    };
    flaw.say(&shown, message);
}

/// Several forms are permitted: their kinds if all of them have one.
fn choice(branches: Option<Value<'_>>) -> (Flaw, Detail) {
    let read = |branch: Value<'_>| Types::read(branch.get("type")?);
    let all = items(branches).map(read);
    let types_of_all = all.into_iter().try_fold(Types::NONE, |sum, types| Some(sum.or(types?)));
    match types_of_all.filter(|types| !types.is_none()) {
        Some(permitted) => (Flaw::Type, types(permitted)),
        None => (Flaw::AnyOf, Detail::Nothing),
    }
}

fn types(types: Types) -> Detail {
    Detail::Types(types.each().map(|(_, name, _)| name).collect())
}

/// The kinds, for a sentence.
fn kinds(names: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            text.push_str(if index + 1 < names.len() { ", " } else { " or " });
        }
        let known = Types::EACH.iter().find(|(_, known, _)| known == name);
        text.push_str(known.map_or(name, |(.., words)| words));
    }
    text
}

/// The values, for a sentence; of many only the first.
fn listed(choices: Option<Value<'_>>) -> Vec<String> {
    const MOST: usize = 8;
    let mut values = Vec::new();
    for (index, choice) in items(choices).enumerate() {
        if index == MOST {
            values.push("…".to_owned());
            break;
        }
        values.push(quoted(choice.text()));
    }
    values
}

/// A JSON text as it stands, cut off where it is long.
fn quoted(text: &str) -> String {
    shorten(text, QUOTED).into_owned()
}

impl Names<'_> {
    /// Where the schema stands in its document, as a JSON Pointer.
    fn pointer(&self, schema: Value<'_>) -> String {
        self.documents()
            .find(|root| {
                let start = identity(*root);
                (start..start + root.text().len()).contains(&identity(schema))
            })
            .map(|root| pointer::to(root, schema.span().start))
            .unwrap_or_default()
    }
}
