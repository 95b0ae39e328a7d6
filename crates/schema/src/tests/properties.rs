//! What holds for every schema and every value.

use crate::form::{Field, FieldKind, Form};
use crate::{Limits as Bounds, Options, Schema};
use countersign_json::{Document, Limits};
use proptest::prelude::*;

fn options() -> Options {
    Options { formats: true, limits: Bounds { steps: 100_000, ..Bounds::default() }, ..Options::default() }
}

/// A schema and a value that is what it wants, both as JSON text.
fn fitting() -> impl Strategy<Value = (String, String)> {
    let leaf = prop_oneof![
        (0..5_usize, "[a-zé]{5,8}").prop_map(|(least, text)| {
            (
                format!(r#"{{"type":"string","minLength":{least},"maxLength":8,"pattern":"^[a-zé]+$"}}"#),
                format!("\"{text}\""),
            )
        }),
        (-50_i64..50, 1..9_i64).prop_map(|(number, of)| {
            let value = number * of;
            (
                format!(r#"{{"type":"integer","minimum":{value}.0,"maximum":{value},"multipleOf":{of}}}"#),
                value.to_string(),
            )
        }),
        any::<i64>().prop_map(|number| (format!(r#"{{"enum":["x",{number}]}}"#), format!("{number}.00"))),
        any::<bool>().prop_map(|value| (r#"{"type":["boolean","null"]}"#.to_owned(), value.to_string())),
        Just((r#"{"const":null}"#.to_owned(), "null".to_owned())),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|pairs| {
                let (schemas, values): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
                (
                    format!(r#"{{"type":"array","prefixItems":[{}],"unevaluatedItems":false}}"#, schemas.join(",")),
                    format!("[{}]", values.join(",")),
                )
            }),
            prop::collection::vec(inner.clone(), 0..4).prop_map(|pairs| {
                let names: Vec<_> = (0..pairs.len()).map(|index| format!("\"m/{index}\"")).collect();
                let (schemas, values): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
                let join = |texts: &[String]| {
                    let members: Vec<_> = names.iter().zip(texts).map(|(name, text)| format!("{name}:{text}")).collect();
                    format!("{{{}}}", members.join(","))
                };
                (
                    format!(
                        r#"{{"type":"object","properties":{},"required":[{}],"unevaluatedProperties":false}}"#,
                        join(&schemas),
                        names.join(",")
                    ),
                    join(&values),
                )
            }),
            (inner.clone(), inner.clone()).prop_map(|((schema, value), (other, _))| {
                (format!(r#"{{"anyOf":[{other},{schema}]}}"#), value)
            }),
            (inner.clone(), inner).prop_map(|((schema, value), (other, _))| {
                (format!(r#"{{"allOf":[true,{schema}],"not":{{"not":{schema}}},"if":{other},"else":{schema}}}"#), value)
            }),
        ]
    })
}

/// JSON made of the words of schemas, in places where they may mean anything.
fn soup() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "$ref",
        "$id",
        "$anchor",
        "$dynamicRef",
        "$dynamicAnchor",
        "$defs",
        "$schema",
        "type",
        "enum",
        "const",
        "properties",
        "patternProperties",
        "additionalProperties",
        "required",
        "propertyNames",
        "dependentSchemas",
        "dependencies",
        "items",
        "prefixItems",
        "additionalItems",
        "contains",
        "minContains",
        "maxContains",
        "minItems",
        "uniqueItems",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "minimum",
        "multipleOf",
        "minLength",
        "pattern",
        "format",
        "unevaluatedProperties",
        "unevaluatedItems",
        "title",
        "default",
        "nullable",
        "a",
    ]);
    let leaf = prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("null".to_owned()),
        (-3..4_i64).prop_map(|number| number.to_string()),
        Just("1e-400".to_owned()),
        prop::sample::select(vec![
            "\"#\"",
            "\"#/$defs/a\"",
            "\"#a\"",
            "\"a\"",
            "\"string\"",
            "\"integer\"",
            "\"object\"",
            "\"array\"",
            "\"^a+$\"",
            "\"(\"",
            "\"date\"",
            "\"http://json-schema.org/draft-07/schema#\"",
            "\"\\ud800\"",
            "\"\\u0061\"",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((words.clone(), inner), 0..5).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// Asks a form for everything that it mentions, down to some depth.
fn walk(form: &Form<'_>, field: &Field, depth: usize) {
    let blank = form.blank(&field.node);
    assert!(Document::parse(&blank, &Limits::default()).is_ok(), "{blank}");
    if depth == 0 {
        return;
    }
    match &field.kind {
        FieldKind::Object { members, .. } => {
            for (name, member) in members {
                let asked = form.member(&field.node, name, None);
                assert_eq!((&asked.node, asked.required), (&member.node, member.required));
                walk(form, &asked, depth - 1);
            }
        }
        FieldKind::Array { .. } => walk(form, &form.item(&field.node, 0, None), depth - 1),
        FieldKind::OneOf { branches, .. } => branches.iter().for_each(|branch| walk(form, branch, depth - 1)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn a_value_made_for_a_schema_passes((schema, value) in fitting()) {
        let limits = Limits::default();
        let (schema, value) = (Document::parse(&schema, &limits).unwrap(), Document::parse(&value, &limits).unwrap());
        let report = Schema::compile(&schema).validate(value.root(), &options());
        prop_assert!(report.is_valid() && report.unchecked.is_empty(), "{report:?}");
    }

    #[test]
    fn a_blank_value_made_of_such_a_schema_is_json((schema, value) in fitting()) {
        let limits = Limits::default();
        let (schema, value) = (Document::parse(&schema, &limits).unwrap(), Document::parse(&value, &limits).unwrap());
        let form = Form::of(&schema).unwrap();
        walk(&form, &form.root(Some(value.root())), 4);
    }

    #[test]
    fn r16_no_schema_and_no_value_make_it_panic_and_all_places_exist(schema in soup(), value in soup()) {
        let limits = Limits::default();
        let (schema, value) = (Document::parse(&schema, &limits).unwrap(), Document::parse(&value, &limits).unwrap());
        let report = Schema::compile(&schema).validate(value.root(), &options());
        for problem in &report.problems {
            let place = if problem.message.ends_with("is missing") {
                problem.pointer.rsplit_once('/').unwrap().0
            } else {
                &problem.pointer
            };
            prop_assert!(value.root().pointer(place).is_some(), "{problem:?}");
            prop_assert!(schema.root().pointer(&problem.schema_pointer).is_some(), "{problem:?}");
        }
        for unchecked in &report.unchecked {
            prop_assert!(value.root().pointer(&unchecked.pointer).is_some(), "{unchecked:?}");
        }
        if let Some(form) = Form::of(&schema) {
            walk(&form, &form.root(Some(value.root())), 2);
        }
    }

    #[test]
    fn r16_bytes_that_happen_to_be_json_do_no_harm(schema in ".{0,60}", value in ".{0,60}", pattern in ".{0,40}") {
        let _ = crate::check(&schema, &value);
        let text = format!("{{\"pattern\":{}}}", countersign_json::quote(&pattern));
        let _ = crate::check(&text, &countersign_json::quote(&value));
    }
}
