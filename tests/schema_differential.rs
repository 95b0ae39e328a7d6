//! Schemas and values at random: what `countersign-schema` says of them, the crate `jsonschema` says too.

use std::cell::Cell;
use std::collections::BTreeSet;

use countersign_json::{Document, Limits};
use countersign_schema::{Dialect, Options, Schema};
use proptest::prelude::*;
use proptest::strategy::Union;
use proptest::test_runner::{Config, TestRunner};

/// Numbers that floats hold exactly: beyond those the other one rounds.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        (-4..8_i64).prop_map(|number| number.to_string()),
        Just("1.0".to_owned()),
        Just("2.5".to_owned())
    ]
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "ab", "x"])
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["\"\"", "\"a\"", "\"ab\"", "\"\u{e9}\"", "\"\u{1f600}x\"", "\"1\""])
        .prop_map(str::to_owned)
}

fn list(items: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(items, 0..=most).prop_map(|items| format!("[{}]", items.join(",")))
}

fn object(
    names: impl Strategy<Value = &'static str>,
    values: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    prop::collection::btree_map(names, values, 0..4).prop_map(|members| {
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        number(),
        text(),
        prop::sample::select(vec!["null", "true", "false"]).prop_map(str::to_owned)
    ];
    leaf.prop_recursive(3, 12, 4, |inner| prop_oneof![list(inner.clone(), 4), object(name(), inner)])
}

/// One keyword with a value that it may have, as a member.
fn keyword(schema: BoxedStrategy<String>, dialect: Dialect) -> BoxedStrategy<String> {
    let is_new = dialect == Dialect::Draft202012;
    let count = || (0..3_u8).prop_map(|count| count.to_string()).boxed();
    let some = || {
        prop::collection::vec(schema.clone(), 1..4).prop_map(|items| format!("[{}]", items.join(","))).boxed()
    };
    let map = || object(name(), schema.clone()).boxed();
    let names = || {
        prop::collection::btree_set(name(), 0..3)
            .prop_map(|names| {
                format!("[{}]", names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(","))
            })
            .boxed()
    };
    let kinds = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let kind = prop::sample::select(kinds.to_vec()).prop_map(|kind| format!("\"{kind}\""));
    let kinds = prop_oneof![
        kind.clone(),
        prop::collection::btree_set(kind, 1..3)
            .prop_map(|kinds| format!("[{}]", kinds.into_iter().collect::<Vec<_>>().join(",")))
    ];
    let definition =
        prop::sample::select(vec!["\"#/definitions/p\"", "\"#/definitions/q\"", "\"#/definitions/n%65xt\""]);
    let mut all: Vec<(&str, BoxedStrategy<String>)> = vec![
        ("type", kinds.boxed()),
        ("const", value().boxed()),
        (
            "enum",
            prop::collection::vec(value(), 1..4).prop_map(|items| format!("[{}]", items.join(","))).boxed(),
        ),
        ("allOf", some()),
        ("anyOf", some()),
        ("oneOf", some()),
        ("not", schema.clone()),
        ("if", schema.clone()),
        ("then", schema.clone()),
        ("else", schema.clone()),
        ("properties", map()),
        (
            "patternProperties",
            object(prop::sample::select(vec!["^a", "b$", "^[^x]+$"]), schema.clone()).boxed(),
        ),
        ("additionalProperties", schema.clone()),
        ("propertyNames", schema.clone()),
        ("required", names()),
        ("minProperties", count()),
        ("maxProperties", count()),
        ("items", schema.clone()),
        ("contains", schema.clone()),
        ("minItems", count()),
        ("maxItems", count()),
        ("uniqueItems", Just("true".to_owned()).boxed()),
        ("minimum", number().boxed()),
        ("maximum", number().boxed()),
        ("exclusiveMinimum", number().boxed()),
        ("exclusiveMaximum", number().boxed()),
        ("multipleOf", prop::sample::select(vec!["1", "2", "0.5", "3.0"]).prop_map(str::to_owned).boxed()),
        ("minLength", count()),
        ("maxLength", count()),
        (
            "pattern",
            prop::sample::select(vec!["\"^a\"", "\"^.$\"", "\"\\\\d\"", "\"^(a|b)*$\""])
                .prop_map(str::to_owned)
                .boxed(),
        ),
        ("$ref", definition.prop_map(str::to_owned).boxed()),
    ];
    if is_new {
        all.extend([
            ("prefixItems", some()),
            ("minContains", count()),
            ("maxContains", count()),
            ("dependentRequired", object(name(), names()).boxed()),
            ("dependentSchemas", map()),
            ("unevaluatedProperties", schema.clone()),
            ("unevaluatedItems", schema.clone()),
        ]);
    } else {
        all.extend([
            ("items", some()),
            ("additionalItems", schema.clone()),
            ("dependencies", map()),
            ("dependencies", object(name(), names()).boxed()),
        ]);
    }
    Union::new(
        all.into_iter()
            .map(|(name, value)| value.prop_map(move |value| format!("\"{name}\":{value}")).boxed()),
    )
    .boxed()
}

fn schema(dialect: Dialect) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("true".to_owned()), Just("false".to_owned()), Just("{}".to_owned())].boxed();
    let inner = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop::collection::vec(keyword(inner.boxed(), dialect), 1..5).prop_map(|members| {
            let mut seen = BTreeSet::new();
            let first = |member: &&String| seen.insert(member.split(':').next().unwrap().to_owned());
            let members: Vec<_> = members.iter().filter(first).map(String::as_str).collect();
            format!("{{{}}}", members.join(","))
        })
    });
    // Definitions that lead nowhere but into the value, so that no reference is endless.
    (inner.clone(), keyword(inner.boxed(), dialect)).prop_map(|(first, second)| {
        let definitions = r##""p":{"type":["integer","string"]},"q":{"items":{"$ref":"#/definitions/q"},"minItems":1},"next":{"properties":{"a":{"$ref":"#/definitions/next"}},"additionalProperties":false}"##;
        format!("{{\"allOf\":[{first}],{second},\"definitions\":{{{definitions}}}}}")
    })
}

/// What each of the two says, ours first; `None`: one of them says nothing.
fn opinions(schema: &str, value: &str, dialect: Dialect) -> Option<(bool, bool)> {
    let draft = match dialect {
        Dialect::Draft07 => jsonschema::Draft::Draft7,
        Dialect::Draft202012 => jsonschema::Draft::Draft202012,
    };
    let parsed = serde_json::from_str(schema).unwrap();
    let theirs = jsonschema::options().with_draft(draft).build(&parsed).ok()?;
    let theirs = theirs.is_valid(&serde_json::from_str(value).unwrap());
    let limits = Limits::default();
    let (schema, value) =
        (Document::parse(schema, &limits).unwrap(), Document::parse(value, &limits).unwrap());
    let options = Options { dialect: Some(dialect), ..Options::default() };
    let ours = Schema::compile(&schema).validate(value.root(), &options);
    if ours.unchecked.is_empty() { Some((ours.is_valid(), theirs)) } else { None }
}

#[track_caller]
fn check(dialect: Dialect) {
    let (valid, invalid) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(Config { cases: 1500, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&(schema(dialect), prop::collection::vec(value(), 4)), |(schema, values)| {
        for value in values {
            let Some((ours, theirs)) = opinions(&schema, &value, dialect) else { continue };
            prop_assert_eq!(ours, theirs, "{}\n{}", schema, value);
            let count = if ours { &valid } else { &invalid };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    println!("{} valid and {} invalid values, of which both say the same", valid.get(), invalid.get());
    assert!(valid.get() > 500 && invalid.get() > 500, "{} and {}", valid.get(), invalid.get());
}

#[test]
fn another_validator_says_the_same_of_draft_2020_12() {
    check(Dialect::Draft202012);
}

#[test]
fn another_validator_says_the_same_of_draft_07() {
    check(Dialect::Draft07);
}
