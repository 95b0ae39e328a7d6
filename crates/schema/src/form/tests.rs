//! Forms of schemas and of values without one.

use countersign_json::{Document, Limits, Value};

use super::*;

fn parse(text: &str) -> Document<'_> {
    Document::parse(text, &Limits::default()).unwrap()
}

/// The field for `value` by `schema`; an empty text stands for no schema, and for no value.
fn root(schema: &str, value: &str) -> Field {
    let value = parse(if value.is_empty() { "null" } else { value });
    let given = Some(value.root()).filter(|_| value.text() != "null");
    if schema.is_empty() {
        return Form::none().root(given);
    }
    let schema = parse(schema);
    Form::of(&schema).unwrap().root(given)
}

fn line() -> FieldKind {
    FieldKind::Text { multiline: false, format: None, max_length: None }
}

fn any_number(integer: bool) -> FieldKind {
    FieldKind::Number { integer, minimum: None, maximum: None }
}

#[test]
fn without_a_schema_fields_follow_their_values() {
    for (value, expected) in [
        (r#""a""#, line()),
        (r#""a\nb""#, FieldKind::Text { multiline: true, format: None, max_length: None }),
        ("1.00", any_number(false)),
        ("true", FieldKind::Boolean),
        ("[1]", FieldKind::Array { may_add: true, may_remove: true }),
        ("{\"a\":1}", FieldKind::Object { members: vec![], may_add: true }),
        ("", FieldKind::Any),
    ] {
        assert_eq!(root("", value).kind, expected, "{value}");
    }
    let long = format!("\"{}\"", "ä".repeat(61));
    assert_eq!(root("", &long).kind, FieldKind::Text { multiline: true, format: None, max_length: None });
    let document = parse("[true]");
    let form = Form::none();
    let list = form.root(Some(document.root()));
    assert_eq!(form.item(&list.node, 0, document.root().items().next()).kind, FieldKind::Boolean);
    assert_eq!(form.member(&list.node, "x", None).kind, FieldKind::Any);
}

#[test]
fn each_type_has_its_input() {
    for (schema, expected) in [
        (
            r#"{"type":"string","maxLength":9}"#,
            FieldKind::Text { multiline: false, format: None, max_length: Some(9) },
        ),
        (
            r#"{"type":"string","format":"date"}"#,
            FieldKind::Text { multiline: false, format: Some(Format::Date), max_length: None },
        ),
        (
            r#"{"type":"integer","minimum":1,"exclusiveMaximum":1e2}"#,
            FieldKind::Number {
                integer: true,
                minimum: Some(Bound { number: "1".to_owned(), excluded: false }),
                maximum: Some(Bound { number: "1e2".to_owned(), excluded: true }),
            },
        ),
        (
            r#"{"type":"number","exclusiveMinimum":1,"maximum":2}"#,
            FieldKind::Number {
                integer: false,
                minimum: Some(Bound { number: "1".to_owned(), excluded: true }),
                maximum: Some(Bound { number: "2".to_owned(), excluded: false }),
            },
        ),
        (r#"{"type":"float"}"#, any_number(false)),
        (r#"{"type":"boolean"}"#, FieldKind::Boolean),
        (r#"{"type":"null"}"#, FieldKind::Null),
        (
            r#"{"enum":["a",1.0,null]}"#,
            FieldKind::Choice { values: vec!["\"a\"".into(), "1.0".into(), "null".into()] },
        ),
        (r#"{"const":{"a":1}}"#, FieldKind::Choice { values: vec!["{\"a\":1}".into()] }),
        (r#"{"type":"array","maxItems":0}"#, FieldKind::Array { may_add: false, may_remove: false }),
        (r#"{"prefixItems":[{}],"items":false}"#, FieldKind::Array { may_add: true, may_remove: false }),
        (r#"{"minLength":1}"#, line()),
        (r#"{"title":"x"}"#, FieldKind::Any),
        (r#"{"type":"Whatever"}"#, FieldKind::Any),
    ] {
        assert_eq!(root(schema, "").kind, expected, "{schema}");
    }
    let full = r#"{"type":"array","items":{},"minItems":1,"maxItems":2}"#;
    assert_eq!(root(full, "[1,2]").kind, FieldKind::Array { may_add: false, may_remove: true });
    assert_eq!(root(full, "[1]").kind, FieldKind::Array { may_add: true, may_remove: false });
}

#[test]
fn members_come_in_the_declared_order_with_what_is_said_about_them() {
    let schema = r##"{"type":"object","additionalProperties":false,"required":["to","token"],"properties":{
        "to":{"$ref":"#/$defs/mail","description":"who gets it"},
        "token":{"type":"string","format":"password","deprecated":true},
        "id":{"type":"integer","readOnly":true,"default":7,"examples":[1,2.50]}},
        "$defs":{"mail":{"title":"Mail","type":["string","null"],"format":"email"}}}"##;
    let field = root(schema, "");
    let FieldKind::Object { members, may_add: false } = field.kind else { panic!("{:?}", field.kind) };
    let [(to_name, to), (token_name, token), (id_name, id)] = members.as_slice() else {
        panic!("{members:?}")
    };
    assert_eq!((to_name.as_str(), token_name.as_str(), id_name.as_str()), ("to", "token", "id"));
    assert_eq!((to.title.as_deref(), to.description.as_deref()), (Some("Mail"), Some("who gets it")));
    assert_eq!(to.kind, FieldKind::Text { multiline: false, format: Some(Format::Email), max_length: None });
    assert_eq!((to.required, to.nullable, to.secret), (true, true, false));
    assert_eq!((token.required, token.secret, token.deprecated, token.nullable), (true, true, true, false));
    assert_eq!((id.required, id.read_only, id.kind.clone()), (false, true, any_number(true)));
    assert_eq!(
        (id.default.as_deref(), id.examples.as_slice()),
        (Some("7"), &["1".to_owned(), "2.50".to_owned()][..])
    );
}

#[test]
fn what_only_wraps_a_schema_is_looked_through() {
    for schema in [
        r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
        r#"{"type":["integer","null"]}"#,
        r#"{"type":"integer","nullable":true}"#,
        r#"{"type":"Optional[int]"}"#,
        r##"{"allOf":[{"$ref":"#/$defs/n"},{"title":"N"}],"$defs":{"n":{"oneOf":[{"const":null},{"type":"integer"}]}}}"##,
    ] {
        for value in ["", "1"] {
            let field = root(schema, value);
            assert_eq!((field.kind, field.nullable), (any_number(true), true), "{schema}");
        }
    }
    let merged = root(
        r#"{"allOf":[{"properties":{"a":{}},"required":["b"]},{"properties":{"b":{"type":"null"},"a":{}}}]}"#,
        "",
    );
    let FieldKind::Object { members, may_add: true } = merged.kind else { panic!("{:?}", merged.kind) };
    assert_eq!(
        members.iter().map(|(name, field)| (name.as_str(), field.required)).collect::<Vec<_>>(),
        [("a", false), ("b", true)]
    );
}

#[test]
fn of_several_forms_the_one_that_the_value_has_is_chosen() {
    let schema = r##"{"title":"Pet","properties":{"name":{"type":"string"}},"oneOf":[
        {"title":"Cat","properties":{"kind":{"const":"cat"},"lives":{"type":"integer"}}},
        {"title":"Dog","properties":{"kind":{"const":"dog"}}}, {"type":"string"}]}"##;
    for (value, expected) in [
        (r#"{"kind":"dog","name":"x"}"#, Some(1)),
        (r#"{"kind":"cat"}"#, Some(0)),
        ("\"x\"", Some(2)),
        ("", None),
    ] {
        let field = root(schema, value);
        let FieldKind::OneOf { branches, chosen } = field.kind else { panic!("{:?}", field.kind) };
        assert_eq!(chosen, expected, "{value}");
        assert_eq!(field.title.as_deref(), Some("Pet"));
        let titles: Vec<_> = branches.iter().map(|branch| branch.title.as_deref()).collect();
        assert_eq!(titles, [Some("Cat"), Some("Dog"), None]);
        let FieldKind::Object { members, .. } = &branches[1].kind else { continue };
        assert_eq!(members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["kind", "name"]);
    }
    let kinds = root(r#"{"type":["string","integer","null"]}"#, "5");
    let FieldKind::OneOf { branches, chosen: Some(1) } = kinds.kind else { panic!("{:?}", kinds.kind) };
    assert_eq!(
        (kinds.nullable, branches[0].kind.clone(), branches[1].kind.clone()),
        (true, line(), any_number(true))
    );
}

#[test]
fn of_several_forms_the_one_that_the_value_passes_is_chosen() {
    // Both have the type and the members of the value: only one takes it.
    let schema = r#"{"oneOf":[
        {"type":"object","properties":{"n":{"type":"integer","maximum":9},"unit":{"type":"string"}}},
        {"type":"object","properties":{"n":{"type":"integer","minimum":10}}},
        {"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]}"#;
    let chosen = |schema: &str, value: &str| match root(schema, value).kind {
        FieldKind::OneOf { chosen, .. } => chosen,
        other => panic!("{other:?}"),
    };
    for (value, expected) in [
        (r#"{"n":5,"unit":"kg"}"#, 0),
        (r#"{"n":50,"unit":"kg"}"#, 1),
        (r#"{"n":1e1}"#, 1),
        ("\"abc\"", 2),
        ("\"bcd\"", 3),
        // None takes it: the first that comes closest.
        ("\"cde\"", 2),
    ] {
        assert_eq!(chosen(schema, value), Some(expected), "{value}");
    }
    // What cannot be told comes after what fits, and before what does not.
    let unsure =
        r#"{"anyOf":[{"type":"string","maxLength":1},{"type":"string","pattern":"^(?=a)"},{"minLength":3}]}"#;
    assert_eq!((chosen(unsure, "\"ab\""), chosen(unsure, "\"abc\"")), (Some(1), Some(2)));
    let reference = r##"{"$defs":{"big":{"minimum":100}},"oneOf":[{"$ref":"#/$defs/big"},{"maximum":99}]}"##;
    assert_eq!((chosen(reference, "5"), chosen(reference, "500")), (Some(1), Some(0)));
}

#[test]
fn what_a_condition_says_counts_as_the_value_decides() {
    let schema = r#"{"properties":{"kind":{"enum":["card","bank"]}},
        "if":{"properties":{"kind":{"const":"card"}},"required":["kind"]},
        "then":{"properties":{"number":{"type":"integer"},"holder":{"type":"string"}},"required":["number"],
            "if":{"required":["holder"]},"then":{"properties":{"title":{"enum":["Ms","Mr"]}}}},
        "else":{"properties":{"iban":{"type":"string","maxLength":34}},"required":["iban"]}}"#;
    let document = parse(schema);
    let form = Form::of(&document).unwrap();
    let names = |value: &str| {
        let value = parse(value);
        let FieldKind::Object { members, .. } = form.root(Some(value.root())).kind else {
            panic!("{value:?}")
        };
        members
            .iter()
            .map(|(name, field)| format!("{name}{}", if field.required { "!" } else { "" }))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names(r#"{"kind":"card"}"#), "kind number! holder");
    assert_eq!(names(r#"{"kind":"card","holder":"x"}"#), "kind number! holder title");
    assert_eq!(names(r#"{"kind":"bank"}"#), "kind iban!");
    assert_eq!(names("{}"), "kind iban!");
    // Its members are described by what counts, at any depth.
    let value = parse(r#"{"kind":"card","number":1}"#);
    let field = form.root(Some(value.root()));
    assert_eq!(form.member(&field.node, "number", value.root().get("number")).kind, any_number(true));
    assert_eq!(form.member(&field.node, "iban", None).kind, FieldKind::Any);
    let within = r#"{"items":{"allOf":[{"if":{"required":["a"]},"then":{"required":["b"],"properties":{"b":{"type":"boolean"}}}}]}}"#;
    let document = parse(within);
    let form = Form::of(&document).unwrap();
    let list = parse(r#"[{"a":1},{}]"#);
    let field = form.root(Some(list.root()));
    let kinds = list.root().items().enumerate().map(|(at, item)| {
        let item = form.item(&field.node, at, Some(item));
        (form.member(&item.node, "b", None).kind, form.member(&item.node, "b", None).required)
    });
    assert_eq!(kinds.collect::<Vec<_>>(), [(FieldKind::Boolean, true), (FieldKind::Any, false)]);
}

#[test]
fn r16_conditions_without_end_end() {
    let branches =
        (0..200).map(|at| format!(r##"{{"if":{{"$ref":"#"}},"then":{{"$ref":"#/oneOf/{at}"}}}}"##));
    for schema in [
        r##"{"if":true,"then":{"$ref":"#"}}"##.to_owned(),
        r##"{"properties":{"a":{"$ref":"#"}},"if":{"$ref":"#"},"then":{"if":{"$ref":"#/then"},"then":{"$ref":"#"}}}"##.to_owned(),
        format!(r#"{{"oneOf":[{}]}}"#, branches.collect::<Vec<_>>().join(",")),
    ] {
        let field = root(&schema, r#"{"a":{"a":{}}}"#);
        assert!(field.required);
    }
}

#[test]
fn children_are_described_at_any_depth_when_asked_for() {
    let schema = parse(
        r##"{"properties":{"next":{"$ref":"#"},"n":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}"##,
    );
    let value = parse(r#"{"next":{"next":{"n":1,"more":true}}}"#);
    let form = Form::of(&schema).unwrap();
    let mut field = form.root(Some(value.root()));
    let mut here: Option<Value<'_>> = Some(value.root());
    for _ in 0..50 {
        here = here.and_then(|value| value.get("next"));
        field = form.member(&field.node, "next", here);
        let FieldKind::Object { members, .. } = &field.kind else { panic!("{:?}", field.kind) };
        assert_eq!(members.len(), 2);
    }
    assert_eq!(form.member(&field.node, "n", None).kind, any_number(true));
    assert_eq!(form.member(&field.node, "other", None).kind, FieldKind::Boolean);
}

#[test]
fn a_blank_value_is_the_least_that_the_schema_asks_for() {
    for (schema, expected) in [
        (r#"{"type":"string"}"#, "\"\""),
        (r#"{"type":"string","default":"x"}"#, "\"x\""),
        (r#"{"enum":[3,4]}"#, "3"),
        (r#"{"type":"integer","minimum":5}"#, "5"),
        (r#"{"type":"integer","minimum":-5}"#, "0"),
        (r#"{"type":"number","maximum":-2.5}"#, "-2.5"),
        (r#"{"type":"boolean"}"#, "false"),
        (r#"{"type":"null"}"#, "null"),
        (r#"{"type":["null","integer"]}"#, "0"),
        (r#"{"items":{"type":"boolean"},"minItems":2}"#, "[false,false]"),
        (r#"{"title":"x"}"#, "\"\""),
        (r#"{"properties":{"a":{"const":1},"b":{}},"required":["c","a"]}"#, r#"{"a":1,"c":""}"#),
        (r#"{"oneOf":[{"properties":{"k":{"const":1}},"required":["k"]},{}]}"#, r#"{"k":1}"#),
    ] {
        let document = parse(schema);
        let form = Form::of(&document).unwrap();
        assert_eq!(form.blank(&form.root(None).node), expected, "{schema}");
    }
    assert_eq!(Form::none().blank(&Node::default()), "\"\"");
}

#[test]
fn r16_a_form_of_a_hostile_schema_ends() {
    let branches = (0..300).map(|_| r##"{"$ref":"#"}"##).collect::<Vec<_>>().join(",");
    for schema in [
        r##"{"$ref":"#"}"##.to_owned(),
        r##"{"allOf":[{"$ref":"#"},{"$ref":"#"}],"anyOf":[{"$ref":"#"},{"$ref":"#"}],"properties":{"a":{"$ref":"#"}},"required":["a"]}"##.to_owned(),
        format!(r#"{{"oneOf":[{branches}],"allOf":[{branches}]}}"#),
        format!("{}{}", r#"{"allOf":["#.repeat(2000), "]}".repeat(2000)),
        format!("{}1{}", r#"{"properties":{"a":"#.repeat(2000), "}}".repeat(2000)),
    ] {
        let document = parse(&schema);
        let form = Form::of(&document).unwrap();
        let field = form.root(None);
        assert!(form.blank(&field.node).len() < 10_000);
        assert!(form.member(&field.node, "a", None).required || schema.len() > 200 || schema.len() < 20);
    }
}

#[test]
fn what_is_no_schema_has_no_form() {
    for text in ["true", "[]", "7", "{}"] {
        assert!(Form::of(&parse(text)).is_none(), "{text}");
    }
}
