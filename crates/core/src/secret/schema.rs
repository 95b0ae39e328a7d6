//! What a JSON Schema calls secret: `writeOnly`, and the format `password`.
//!
//! It is looked at as far as a mask needs it: every branch that may count does, names that only a pattern tells do not,
//! and a reference leads no further than within the schema.

use std::ops::Range;

use countersign_json::{Document, Limits, Value};

/// How much is looked at: each member or item, times the length of the schemas that speak of it in units of 64 bytes, and
/// the whole schema for each reference. What would take more is not masked, since a mask too many hides what runs.
const STEPS: usize = 2_000_000;

/// How many schemas may speak of one value.
const MOST: usize = 32;

/// Where the values stand in these arguments that their schema calls secret, in bytes and in their order; of those within
/// one another only the outermost.
#[must_use]
pub fn called_secret(schema: Option<&str>, args: Value<'_>) -> Vec<Range<usize>> {
    let may = |schema: &&str| ["writeOnly", "password", "\\u"].iter().any(|word| schema.contains(word));
    let Some(schema) = schema.filter(may) else { return Vec::new() };
    let Ok(schema) = Document::parse(schema, &Limits::default()) else { return Vec::new() };
    let mut found = Vec::new();
    let mut left = STEPS;
    let mut open = vec![(args, vec![schema.root()])];
    while let Some((value, mut speaking)) = open.pop() {
        with_branches(schema.root(), &mut speaking, &mut left);
        if speaking.iter().any(|schema| calls_secret(*schema)) {
            found.push(value.span());
            continue;
        }
        let length: usize = speaking.iter().map(|schema| schema.span().len() / 64 + 1).sum();
        match left.checked_sub(length.saturating_mul(value.len() + 1)) {
            Some(rest) => left = rest,
            // What is in it is let be; the rest may be small.
            None => continue,
        }
        for (at, item) in value.items().enumerate() {
            push(&mut open, item, speaking.iter().filter_map(|schema| of_item(*schema, at)));
        }
        for (key, member) in value.members() {
            let key = key.as_str_lossy().unwrap_or_default();
            push(&mut open, member, speaking.iter().filter_map(|schema| of_member(*schema, &key)));
        }
    }
    found.sort_unstable_by_key(|span| span.start);
    found
}

fn push<'a, 's>(
    open: &mut Vec<(Value<'a>, Vec<Value<'s>>)>,
    value: Value<'a>,
    schemas: impl Iterator<Item = Value<'s>>,
) {
    let speaking: Vec<Value<'s>> = schemas.collect();
    if !speaking.is_empty() {
        open.push((value, speaking));
    }
}

fn calls_secret(schema: Value<'_>) -> bool {
    let says_password = || schema.get("format").is_some_and(|format| format.equals("password"));
    schema.get("writeOnly").and_then(Value::as_bool) == Some(true) || says_password()
}

/// Adds what these schemas refer to and every branch of theirs: each may be the one that counts.
fn with_branches<'s>(root: Value<'s>, speaking: &mut Vec<Value<'s>>, left: &mut usize) {
    speaking.truncate(MOST);
    let mut at = 0;
    while let Some(schema) = speaking.get(at).copied() {
        at += 1;
        let mut add = |branch| {
            if speaking.len() < MOST {
                speaking.push(branch);
            }
        };
        let to = schema.get("$ref").and_then(Value::as_str).filter(|_| spend(left, root));
        if let Some(found) = to.and_then(|to| root.pointer(to.strip_prefix('#')?)) {
            add(found);
        }
        for key in ["allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas"] {
            let Some(found) = schema.get(key) else { continue };
            match key {
                "then" | "else" => add(found),
                "dependentSchemas" => found.members().for_each(|(_, dependent)| add(dependent)),
                _ => found.items().for_each(&mut add),
            }
        }
    }
}

/// Whether there is enough left to look through this schema once.
fn spend(left: &mut usize, schema: Value<'_>) -> bool {
    let rest = left.checked_sub(schema.span().len() / 64 + 1);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

fn of_item(schema: Value<'_>, at: usize) -> Option<Value<'_>> {
    let place = |key| schema.get(key).and_then(|list: Value<'_>| list.items().nth(at));
    // In draft-07 `items` may be a list.
    let rest = |key| schema.get(key).filter(|schema: &Value<'_>| schema.is_object());
    place("prefixItems")
        .or_else(|| place("items"))
        .or_else(|| rest("items"))
        .or_else(|| rest("additionalItems"))
}

fn of_member<'s>(schema: Value<'s>, key: &str) -> Option<Value<'s>> {
    let named = schema.get("properties").and_then(|properties| properties.get(key));
    let others = || schema.get("additionalProperties").filter(|_| schema.get("patternProperties").is_none());
    named.or_else(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(schema: &str, args: &str) -> Vec<String> {
        let document = Document::parse(args, &Limits::default()).unwrap();
        let spans = called_secret(Some(schema), document.root());
        spans.into_iter().map(|span| args.get(span).unwrap().to_owned()).collect()
    }

    #[test]
    fn r24_what_a_schema_calls_secret_is_found_wherever_it_may_be_said() {
        let args = r#"{"a":"x","b":{"c":["y",{"d":1}],"e":"z"},"f/g":"w"}"#;
        for (schema, found) in [
            (r#"{"properties":{"a":{"format":"password"}}}"#, vec![r#""x""#]),
            (
                r#"{"properties":{"b":{"writeOnly":true,"properties":{"e":{"writeOnly":true}}}}}"#,
                vec![r#"{"c":["y",{"d":1}],"e":"z"}"#],
            ),
            (
                r#"{"properties":{"b":{"properties":{"c":{"prefixItems":[{"writeOnly":true}],"items":{"properties":{"d":{"writeOnly":true}}}}}}}}"#,
                vec![r#""y""#, "1"],
            ),
            (
                r#"{"properties":{"b":{"properties":{"c":{"items":[{},{"writeOnly":true}]}}}}}"#,
                vec![r#"{"d":1}"#],
            ),
            (
                r##"{"$defs":{"s":{"format":"password"}},"properties":{"f/g":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/s"}]}}}"##,
                vec![r#""w""#],
            ),
            (r#"{"if":{"required":["a"]},"then":{"properties":{"a":{"writeOnly":true}}}}"#, vec![r#""x""#]),
            (
                r#"{"properties":{"a":true,"b":true},"additionalProperties":{"writeOnly":true}}"#,
                vec![r#""w""#],
            ),
            (r#"{"writeOnly":true}"#, vec![args]),
            (r#"{"properties":{"a":{"writeOnly":false,"format":"date"}},"title":"password"}"#, vec![]),
            (r#"{"properties":{"a":{"type":"string"}}}"#, vec![]),
            ("writeOnly", vec![]),
        ] {
            assert_eq!(called(schema, args), found, "{schema}");
        }
    }

    #[test]
    fn r24_what_is_too_large_to_look_at_leaves_its_neighbours_masked() {
        let rows = ["[", &"1,".repeat(70_000), "1]"].concat();
        let args = format!(r#"{{"door":"1234","rows":{rows},"gate":"5678"}}"#);
        let long = "x".repeat(2_100);
        let secret = r#"{"writeOnly":true}"#;
        let schema = format!(
            r#"{{"properties":{{"door":{secret},"gate":{secret},"rows":{{"title":"{long}","items":{{}}}}}}}}"#
        );
        assert_eq!(called(&schema, &args), [r#""1234""#, r#""5678""#]);
    }

    #[test]
    fn r16_references_into_a_large_schema_are_counted() {
        let others: String = (0..20_000).map(|at| format!(r#""d{at}":{{}},"#)).collect();
        let branches = [r##"{"$ref":"#/$defs/z"}"##; 31].join(",");
        let schema = format!(
            r#"{{"$defs":{{{others}"z":{{"title":"writeOnly"}}}},"properties":{{"a":{{"items":{{"allOf":[{branches}]}}}}}}}}"#
        );
        let document = Document::parse(&schema, &Limits::default()).unwrap();
        let mut left = STEPS;
        let item = document.root().pointer("/properties/a/items").unwrap();
        let mut looked = 0;
        while spend(&mut left, document.root()) {
            with_branches(document.root(), &mut vec![item], &mut left);
            looked += 1;
        }
        // Far fewer than the items that arguments may have.
        assert!((1..100).contains(&looked), "{looked}");
        let args = format!(r#"{{"a":[{}0]}}"#, "0,".repeat(5_000));
        assert!(called(&schema, &args).is_empty());
    }

    #[test]
    fn r16_a_schema_that_refers_to_itself_or_branches_without_end_is_bounded() {
        let cycle = r##"{"$ref":"#","anyOf":[{"$ref":"#"},{"$ref":"#/anyOf/0"}],"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"},"title":"writeOnly"}"##;
        let deep = ["[".repeat(500), "]".repeat(500)].concat();
        assert!(called(cycle, &deep).is_empty());
        let wide = ["[", &"[1,2,3],".repeat(20_000), "1]"].concat();
        assert!(called(cycle, &wide).is_empty());
    }
}
