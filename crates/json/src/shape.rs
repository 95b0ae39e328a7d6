//! Whether a value has the shape that a small part of JSON Schema describes.

use crate::keys::Index;
use crate::number;
use crate::same::{Numbers, same};
use crate::string::shorten;
use crate::value::{Kind, Value};

/// How many members, names and options are looked at before a schema counts as too large to be checked.
const MOST_STEPS: usize = 1 << 20;

/// Why `value` does not have the shape that `schema` asks for; `None` if nothing speaks against it.
///
/// Looks at `type`, `enum`, `required`, `properties` and `additionalProperties`. Everything else, and every type that is
/// not one of JSON Schema's seven, asks for nothing. Nothing recurses, and what would take too long does not fit.
pub fn misfit(value: Value<'_>, schema: Value<'_>) -> Option<String> {
    let mut steps = 0;
    let mut pending = vec![(value, schema, None)];
    while let Some((value, schema, place)) = pending.pop() {
        let [types, options, required, properties, others, patterns] = schema.pick([
            "type",
            "enum",
            "required",
            "properties",
            "additionalProperties",
            "patternProperties",
        ]);
        for list in [Some(value), Some(schema), types, options, required, properties] {
            steps += list.map_or(0, Value::len);
        }
        if steps > MOST_STEPS {
            return Some("the schema is too large to be checked".to_owned());
        }
        if types.is_some_and(|types| !has_type(value, types)) {
            return Some(sentence(place, "is not of the type that the schema asks for"));
        }
        let is_option =
            |options: Value<'_>| options.items().any(|option| same(option, value, Numbers::Value));
        if options.is_some_and(|options| options.is_array() && !is_option(options)) {
            return Some(sentence(place, "is none of the values that the schema allows"));
        }
        if !value.is_object() {
            continue;
        }
        let members = Index::new(value);
        let missing = |name: &Value<'_>| name.is_string() && members.find(*name).is_none();
        if let Some(name) = required.and_then(|required| required.items().find(missing)) {
            return Some(sentence(Some(name), "is missing"));
        }
        let properties = properties.filter(|properties| properties.is_object()).map(Index::new);
        let others = others.filter(|_| patterns.is_none());
        for (name, member) in value.members() {
            let known = properties.as_ref().and_then(|properties| properties.find(name));
            match (known.map(|(_, schema)| schema), others) {
                (None, Some(others)) if others.as_bool() == Some(false) => {
                    return Some(sentence(Some(name), "is not known to the schema"));
                }
                (Some(schema), _) | (None, Some(schema)) => pending.push((member, schema, Some(name))),
                (None, None) => {}
            }
        }
    }
    None
}

fn has_type(value: Value<'_>, types: Value<'_>) -> bool {
    let mut words = types.items().peekable();
    if words.peek().is_none() {
        return is_of(value, types);
    }
    words.any(|word| is_of(value, word))
}

/// Whether the value is of this type; a word that is none of JSON Schema's asks for nothing.
fn is_of(value: Value<'_>, word: Value<'_>) -> bool {
    const WORDS: [(&str, Kind); 6] = [
        ("null", Kind::Null),
        ("boolean", Kind::Bool),
        ("number", Kind::Number),
        ("string", Kind::String),
        ("array", Kind::Array),
        ("object", Kind::Object),
    ];
    if word.equals("integer") {
        return value.as_number().is_some_and(number::is_whole);
    }
    let kind = WORDS.iter().find(|(name, _)| word.equals(name));
    kind.is_none_or(|(_, kind)| *kind == value.kind())
}

/// What is wrong with the member of this name; without one, with the whole.
fn sentence(name: Option<Value<'_>>, words: &str) -> String {
    match name.and_then(Value::as_str_lossy) {
        Some(name) => format!("`{}` {words}", shorten(&name, 64)),
        None => format!("the whole {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::limits::Limits;

    #[track_caller]
    fn check(schema: &str, value: &str, expected: &str) {
        let limits = Limits::default();
        let (schema, value) =
            (Document::parse(schema, &limits).unwrap(), Document::parse(value, &limits).unwrap());
        let found = misfit(value.root(), schema.root()).unwrap_or_default();
        assert_eq!(found.split(' ').next().unwrap_or_default(), expected, "{found}");
    }

    const TRANSFER: &str = r#"{"type":"object","required":["to","amount"],"properties":{"to":{"type":"string"},
        "amount":{"type":"number"},"currency":{"enum":["EUR","USD"]},"tags":{"type":["array","null"]},
        "times":{"type":"integer"},"more":{"type":"object","additionalProperties":{"type":"boolean"}}}}"#;

    #[test]
    fn what_fits_is_not_spoken_against() {
        check(TRANSFER, r#"{"to":"x","amount":1e400,"pfad":1}"#, "");
        check(TRANSFER, r#"{"\u0074o":"","amount":-0,"currency":"\u0045UR","tags":null,"times":5.0}"#, "");
        check(TRANSFER, r#"{"to":"","amount":1,"tags":[1],"more":{"a":true,"b":false}}"#, "");
    }

    #[test]
    fn what_does_not_fit_is_named_by_its_place() {
        check(TRANSFER, r#"{"to":"x","amount":"1"}"#, "`amount`");
        check(TRANSFER, r#"{"to":"x"}"#, "`amount`");
        check(TRANSFER, r#"{"to":null,"amount":1}"#, "`to`");
        check(TRANSFER, r#"{"to":"x","amount":1,"currency":"CHF"}"#, "`currency`");
        check(TRANSFER, r#"{"to":"x","amount":1,"tags":{}}"#, "`tags`");
        check(TRANSFER, r#"{"to":"x","amount":1,"times":0.5}"#, "`times`");
        check(TRANSFER, r#"{"to":"x","amount":1,"more":{"a/b":1}}"#, "`a/b`");
        check(TRANSFER, "[]", "the");
    }

    #[test]
    fn members_that_the_schema_does_not_know_are_refused_where_it_says_so() {
        let closed = r#"{"properties":{"a":{}},"additionalProperties":false}"#;
        check(closed, r#"{"a":1}"#, "");
        check(closed, r#"{"a":1,"b":1}"#, "`b`");
        let patterns = r#"{"patternProperties":{"^b":{}},"additionalProperties":false}"#;
        check(patterns, r#"{"b":1}"#, "");
    }

    #[test]
    fn a_schema_that_says_nothing_it_knows_asks_for_nothing() {
        for schema in
            ["null", "true", "[]", r#"{"type":"List[str]"}"#, r#"{"type":7,"enum":1,"required":"a"}"#]
        {
            check(schema, r#"{"a":1}"#, "");
        }
    }

    #[test]
    fn hostile_schemas_are_looked_at_once() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(900), "}".repeat(900));
        let deeper = format!("{}{{}}{}", r#"{"properties":{"a":"#.repeat(450), "}}".repeat(450));
        check(&deeper, &deep, "");
        let names: Vec<String> = (0..50_000).map(|at| format!("\"k{at}\"")).collect();
        let members: Vec<String> = names.iter().map(|name| format!("{name}:1")).collect();
        let (names, members) = (names.join(","), members.join(","));
        check(&format!("{{\"required\":[{names}]}}"), &format!("{{{members}}}"), "");
        let many: Vec<String> = (0..5_000).map(|at| format!(r#""x{at}":{{"k":1}}"#)).collect();
        let schema =
            format!(r#"{{"additionalProperties":{{"additionalProperties":{{"enum":[{names},1]}}}}}}"#);
        check(&schema, &format!("{{{}}}", many.join(",")), "the");
    }
}
