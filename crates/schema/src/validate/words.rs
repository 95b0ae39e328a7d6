//! Words and pointers for what was found.

use countersign_json::Value;

use super::fault::{Fault, Findings};
use super::{Report, SchemaProblem, Unchecked};
use crate::format::Format;
use crate::place;
use crate::resolve::{Names, identity};
use crate::types::Types;

/// How many characters of a value from outside are quoted.
const QUOTED: usize = 60;

impl Findings<'_, '_> {
    pub(super) fn report(self, names: &Names<'_>, root: Value<'_>, most: usize) -> Report {
        let mut report = Report::default();
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
            let pointer = place::pointer(root, place::start(doubt.place.at));
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
    let mut pointer = place::pointer(root, place::start(place.at));
    if let Some(missing) = fault.missing {
        pointer.push('/');
        place::push_escaped(&mut pointer, &missing.as_str_lossy().unwrap_or_default());
    }
    let mut schema_pointer = names.pointer(place.schema);
    if !place.keyword.is_empty() {
        schema_pointer.push('/');
        schema_pointer.push_str(place.keyword);
    }
    let mut message = String::new();
    if place.keyword == "propertyNames" {
        message.push_str("the name ");
        message.push_str(&quoted(place.at.text()));
    } else {
        subject(&mut message, &pointer);
    }
    message.push(' ');
    predicate(&mut message, fault);
    SchemaProblem { pointer, schema_pointer, keyword: named(place.keyword, place.schema), message }
}

/// How a person calls the place: `to[1].name`.
fn subject(message: &mut String, pointer: &str) {
    if pointer.is_empty() {
        message.push_str("the value");
        return;
    }
    message.push('`');
    for (index, token) in pointer.split('/').skip(1).enumerate() {
        if !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit()) {
            message.push('[');
            message.push_str(token);
            message.push(']');
        } else {
            if index > 0 {
                message.push('.');
            }
            message.push_str(&quoted(&token.replace("~1", "/").replace("~0", "~")));
        }
    }
    message.push('`');
}

/// What is wrong, in the words of the keyword.
fn predicate(message: &mut String, fault: &Fault<'_, '_>) {
    let place = fault.place;
    let argument = place.schema.get(place.keyword);
    let text = argument.map_or("", Value::text);
    let mut say = |before: &str, shown: &str, after: &str| {
        for part in [before, shown, after] {
            message.push_str(part);
        }
    };
    let plural = |one: &'static str, many: &'static str| if text == "1" { one } else { many };
    match place.keyword {
        _ if fault.missing.is_some() => say("is missing", "", ""),
        "type" => say("must be ", &types(argument.and_then(Types::read).unwrap_or(Types::ALL)), ""),
        "const" => say("must be ", &quoted(text), ""),
        "enum" => say("must be one of ", &listed(argument), ""),
        "minimum" => say("must be at least ", &quoted(text), ""),
        "maximum" => say("must be at most ", &quoted(text), ""),
        "exclusiveMinimum" => say("must be more than ", &quoted(text), ""),
        "exclusiveMaximum" => say("must be less than ", &quoted(text), ""),
        "multipleOf" => say("must be a multiple of ", &quoted(text), ""),
        "minLength" => say("must have at least ", &quoted(text), plural(" character", " characters")),
        "maxLength" => say("must have at most ", &quoted(text), plural(" character", " characters")),
        "pattern" => say("must match the pattern ", &quoted(text), ""),
        "format" => say(
            "must be ",
            argument.and_then(|name| Format::named(&name.as_str()?)).map_or("", Format::words),
            "",
        ),
        "minItems" => say("must have at least ", &quoted(text), plural(" item", " items")),
        "maxItems" => say("must have at most ", &quoted(text), plural(" item", " items")),
        "uniqueItems" => say("must not have the same item twice", "", ""),
        "contains" => say("lacks an item that it must have", "", ""),
        "minContains" => say("must have at least ", &quoted(text), " of the items that it is to have"),
        "maxContains" => say("must have at most ", &quoted(text), " of the items that it may have"),
        "minProperties" => say("must have at least ", &quoted(text), plural(" member", " members")),
        "maxProperties" => say("must have at most ", &quoted(text), plural(" member", " members")),
        "anyOf" | "oneOf" => choice(message, argument, place.keyword),
        "not" => say("is of a form that is excluded", "", ""),
        _ => say("is not allowed", "", ""),
    }
}

/// Several forms are permitted: their kinds if those differ, else their number.
fn choice(message: &mut String, branches: Option<Value<'_>>, keyword: &str) {
    let read = |branch: Value<'_>| Types::read(branch.get("type")?);
    let all = branches.into_iter().flat_map(Value::items).map(read);
    let types_of_all = all.into_iter().try_fold(Types::NONE, |sum, types| Some(sum.or(types?)));
    match types_of_all.filter(|types| !types.is_none() && keyword == "anyOf") {
        Some(permitted) => {
            message.push_str("must be ");
            message.push_str(&types(permitted));
        }
        None if keyword == "anyOf" => message.push_str("fits none of the forms that are allowed"),
        None => message.push_str("must fit exactly one of the forms that are allowed"),
    }
}

/// The kinds, for a sentence.
fn types(types: Types) -> String {
    let mut text = String::new();
    let mut names = types.each().map(|(_, _, name)| name).peekable();
    while let Some(name) = names.next() {
        if !text.is_empty() {
            text.push_str(if names.peek().is_some() { ", " } else { " or " });
        }
        text.push_str(name);
    }
    text
}

/// The values, for a sentence; of many only the first.
fn listed(choices: Option<Value<'_>>) -> String {
    const MOST: usize = 8;
    let mut text = String::new();
    for (index, choice) in choices.into_iter().flat_map(Value::items).enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        if index == MOST {
            text.push('…');
            break;
        }
        text.push_str(&quoted(choice.text()));
    }
    text
}

/// A JSON text as it stands, cut off where it is long.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => {
            let mut short = text.get(..end).unwrap_or_default().to_owned();
            short.push('…');
            short
        }
        None => text.to_owned(),
    }
}

impl Names<'_> {
    /// Where the schema stands in its document, as a JSON Pointer.
    fn pointer(&self, schema: Value<'_>) -> String {
        self.documents()
            .find(|root| {
                let start = identity(*root);
                (start..start + root.text().len()).contains(&identity(schema))
            })
            .map(|root| place::pointer(root, place::start(schema)))
            .unwrap_or_default()
    }
}
