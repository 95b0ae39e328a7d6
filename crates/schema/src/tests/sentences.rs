//! What a person and a form are told: which place, which keyword, which words. Rule 25.

use crate::{Detail, Flaw, Format, Options, Reason, Report, Schema};
use countersign_json::{Document, Limits};

fn validate(schema: &str, value: &str, options: &Options) -> Report {
    let limits = Limits::default();
    let (schema, value) =
        (Document::parse(schema, &limits).unwrap(), Document::parse(value, &limits).unwrap());
    let report = Schema::compile(&schema).validate(value.root(), options);
    for problem in &report.problems {
        // Each problem leads to the keyword that made it.
        let found = schema.root().pointer(&problem.schema_pointer);
        assert!(found.is_some(), "{problem:?}");
    }
    report
}

/// The problems of the value, each as `keyword: message`.
#[track_caller]
fn check(schema: &str, value: &str, expected: &[&str]) {
    let report = validate(schema, value, &Options { formats: true, ..Options::default() });
    let found: Vec<_> =
        report.problems.iter().map(|problem| format!("{}: {}", problem.keyword, problem.message)).collect();
    assert_eq!(found, expected, "{schema} {value}");
    assert_eq!(report.unchecked, []);
}

#[test]
fn r25_each_keyword_says_in_a_sentence_what_is_wrong() {
    let mut flaws = Vec::new();
    for (schema, value, expected) in [
        (r#"{"maximum":100}"#, "100.01", "maximum: the value must be at most 100"),
        (r#"{"minimum":1.50}"#, "1.4", "minimum: the value must be at least 1.50"),
        (r#"{"exclusiveMaximum":1}"#, "1.0", "exclusiveMaximum: the value must be less than 1"),
        (r#"{"exclusiveMinimum":1}"#, "1", "exclusiveMinimum: the value must be more than 1"),
        (r#"{"multipleOf":0.01}"#, "0.001", "multipleOf: the value must be a multiple of 0.01"),
        (r#"{"type":"integer"}"#, "\"1\"", "type: the value must be a whole number"),
        (
            r#"{"type":["string","integer","null"]}"#,
            "true",
            "type: the value must be a string, a whole number or null",
        ),
        (r#"{"type":["number","integer"]}"#, "true", "type: the value must be a number"),
        (r#"{"minLength":1}"#, "\"\"", "minLength: the value must have at least 1 character"),
        (r#"{"maxLength":2}"#, "\"äöü\"", "maxLength: the value must have at most 2 characters"),
        (r#"{"pattern":"^a"}"#, "\"b\"", "pattern: the value must match the pattern \"^a\""),
        (r#"{"format":"date"}"#, "\"31.1.\"", "format: the value must be a date such as 2026-01-31"),
        (r#"{"minItems":2}"#, "[1]", "minItems: the value must have at least 2 items"),
        (r#"{"maxItems":1}"#, "[1,2]", "maxItems: the value must have at most 1 item"),
        (r#"{"uniqueItems":true}"#, "[1,1.0]", "uniqueItems: the value must not have the same item twice"),
        (r#"{"contains":{"const":1}}"#, "[]", "contains: the value lacks an item that it must have"),
        (
            r#"{"contains":{"const":1},"minContains":2}"#,
            "[1]",
            "minContains: the value must have at least 2 of the items that it is to have",
        ),
        (
            r#"{"contains":{"const":1},"maxContains":0,"minContains":0}"#,
            "[1]",
            "maxContains: the value must have at most 0 of the items that it may have",
        ),
        (r#"{"minProperties":1}"#, "{}", "minProperties: the value must have at least 1 member"),
        (r#"{"maxProperties":0}"#, "{\"a\":1}", "maxProperties: the value must have at most 0 members"),
        (r#"{"required":["a/b"]}"#, "{}", r#"required: `["a/b"]` is missing"#),
        (r#"{"dependentRequired":{"a":["b"]}}"#, r#"{"a":1}"#, "dependentRequired: `b` is missing"),
        (r#"{"additionalProperties":false}"#, r#"{"a":1}"#, "additionalProperties: `a` is not allowed"),
        (r#"{"unevaluatedProperties":false}"#, r#"{"a":1}"#, "unevaluatedProperties: `a` is not allowed"),
        (r#"{"properties":{"a":false}}"#, r#"{"a":1}"#, "false: `a` is not allowed"),
        (r#"{"prefixItems":[true],"items":false}"#, "[1,2]", "items: `[1]` is not allowed"),
        (
            r#"{"propertyNames":{"maxLength":1}}"#,
            r#"{"ab":1}"#,
            "propertyNames: the name \"ab\" is not allowed",
        ),
        (r#"{"enum":["a",1.0,null]}"#, "2", "enum: the value must be one of \"a\", 1.0, null"),
        (r#"{"const":{"a":1}}"#, "2", "const: the value must be {\"a\":1}"),
        (r#"{"not":{"type":"null"}}"#, "null", "not: the value is of a form that is excluded"),
        (
            r#"{"oneOf":[{"type":"number"},{"type":"integer"}]}"#,
            "1",
            "oneOf: the value must fit exactly one of the forms that are allowed",
        ),
        (
            r#"{"anyOf":[{"type":"number"},{"type":"null"}]}"#,
            "\"\"",
            "anyOf: the value must be a number or null",
        ),
        (
            r#"{"anyOf":[{"const":1},{"const":2}]}"#,
            "3",
            "anyOf: the value fits none of the forms that are allowed",
        ),
    ] {
        check(schema, value, &[expected]);
        let report = validate(schema, value, &Options { formats: true, ..Options::default() });
        flaws.extend(report.problems.iter().map(|problem| problem.flaw));
    }
    for flaw in Flaw::ALL {
        assert!(flaws.contains(flaw), "no sentence says {}", flaw.as_str());
    }
}

#[test]
fn r25_what_a_sentence_says_stands_beside_it_without_words() {
    let of = |schema: &str, value: &str| {
        let report = validate(schema, value, &Options { formats: true, ..Options::default() });
        let problem = report.problems.into_iter().next().expect("a problem");
        (problem.path().to_owned(), problem.flaw, problem.detail)
    };
    let values = |values: &[&str]| Detail::Values(values.iter().map(ToString::to_string).collect());
    let place = String::new;
    assert_eq!(
        of(r#"{"properties":{"to":{"items":{"type":["null","integer"]}}}}"#, r#"{"to":[null,"x"]}"#),
        ("to[1]".into(), Flaw::Type, Detail::Types(vec!["integer", "null"]))
    );
    let missing = |name: &str| of(&format!(r#"{{"required":["{name}"]}}"#), "{}").0;
    assert_eq!(missing("a"), "a");
    // What could be taken for another place stands in quotes, as it does over its field.
    for name in ["a/b", "a.b", "a[0]", "0", ""] {
        assert_eq!(missing(name), format!("[\"{name}\"]"));
    }
    assert_eq!(of(r#"{"enum":["a",1.0]}"#, "2"), (place(), Flaw::Enum, values(&["\"a\"", "1.0"])));
    assert_eq!(of(r#"{"minimum":1.50}"#, "1"), (place(), Flaw::Minimum, values(&["1.50"])));
    assert_eq!(of(r#"{"minItems":2.0}"#, "[]"), (place(), Flaw::MinItems, Detail::Count("2.0".into())));
    assert_eq!(of(r#"{"format":"uuid"}"#, "\"x\""), (place(), Flaw::Format, Detail::Format(Format::Uuid)));
    assert_eq!(
        of(r#"{"propertyNames":{"maxLength":1}}"#, r#"{"ab":1}"#),
        ("ab".into(), Flaw::NameNotAllowed, values(&["\"ab\""]))
    );
    assert_eq!(
        of(r#"{"anyOf":[{"type":"number"},{"type":"null"}]}"#, "\"\""),
        (place(), Flaw::Type, Detail::Types(vec!["number", "null"]))
    );
    let nine = of(r#"{"enum":[1,2,3,4,5,6,7,8,9]}"#, "0").2;
    assert_eq!(nine, values(&["1", "2", "3", "4", "5", "6", "7", "8", "…"]));
}

#[test]
fn r25_places_are_named_as_a_person_would() {
    let schema = r#"{"properties":{"to":{"items":{"properties":{"name":{"type":"string"}}}},"":{"const":1},"a~b":{"const":1}}}"#;
    check(
        schema,
        r#"{"to":[{},{"name":1}],"":2,"a~b":2}"#,
        &[
            "type: `to[1].name` must be a string",
            r#"const: `[""]` must be 1"#,
            r#"const: `["a~b"]` must be 1"#,
        ],
    );
    let report = validate(schema, r#"{"to":[{},{"name":1}],"a~b":2}"#, &Options::default());
    let places: Vec<_> = report
        .problems
        .iter()
        .map(|problem| (problem.pointer.as_str(), problem.schema_pointer.as_str()))
        .collect();
    assert_eq!(
        places,
        [("/to/1/name", "/properties/to/items/properties/name/type"), ("/a~0b", "/properties/a~0b/const"),]
    );
}

#[test]
fn r25_of_several_forms_the_closest_one_says_what_is_wrong() {
    let schema = r##"{"anyOf":[{"$ref":"#/$defs/card"},{"$ref":"#/$defs/bank"},{"type":"string"}],"$defs":{
        "card":{"type":"object","properties":{"kind":{"const":"card"},"number":{"type":"string"}},"required":["kind","number"]},
        "bank":{"type":"object","properties":{"kind":{"const":"bank"},"iban":{"minLength":5},"owner":{}},"required":["kind","iban","owner"]}}}"##;
    check(schema, r#"{"kind":"card"}"#, &["required: `number` is missing"]);
    check(
        schema,
        r#"{"kind":"bank","iban":"x"}"#,
        &["required: `owner` is missing", "minLength: `iban` must have at least 5 characters"],
    );
    check(schema, "7", &["anyOf: the value fits none of the forms that are allowed"]);
    check(schema, "\"x\"", &[]);
    check(&schema.replace("anyOf", "oneOf"), r#"{"kind":"card"}"#, &["required: `number` is missing"]);
}

#[test]
fn r25_numbers_are_held_by_their_exact_digits() {
    check(
        r#"{"const":9007199254740993}"#,
        "9007199254740992",
        &["const: the value must be 9007199254740993"],
    );
    check(
        r#"{"maximum":9007199254740992}"#,
        "9007199254740993",
        &["maximum: the value must be at most 9007199254740992"],
    );
    check(r#"{"enum":[0.1]}"#, "0.1000000000000000000001", &["enum: the value must be one of 0.1"]);
    check(
        r#"{"multipleOf":0.1}"#,
        "0.30000000000000000000001",
        &["multipleOf: the value must be a multiple of 0.1"],
    );
    for (schema, value) in [
        (r#"{"type":"integer","const":1}"#, "1.00"),
        (r#"{"type":"integer"}"#, "1e400"),
        (r#"{"type":"integer"}"#, "123456789012345678901234567890"),
        (r#"{"multipleOf":0.1}"#, "0.3"),
        (r#"{"maximum":1e400}"#, "9.99e399"),
        (r#"{"minLength":2.0}"#, "\"ab\""),
        (r#"{"uniqueItems":true}"#, "[9007199254740993,9007199254740992,1,true,\"1\"]"),
    ] {
        check(schema, value, &[]);
    }
}

#[test]
fn what_was_not_checked_has_a_place_a_keyword_and_a_reason() {
    let schema = r#"{"properties":{"a":{"pattern":"(?<=x)y"},"b":{"$ref":"https://example.com/"},"c":{"$ref":"nowhere"},
        "d":{"minimum":"7"},"e":{"type":"MyClass"}},"patternProperties":{"\\p{L}":false}}"#;
    let report = validate(schema, r#"{"a":"y","b":1,"c":1,"d":1,"e":1}"#, &Options::default());
    assert!(report.is_valid() && !report.is_exhausted());
    let found: Vec<_> = report
        .unchecked
        .iter()
        .filter(|unchecked| unchecked.keyword != "patternProperties")
        .map(|unchecked| (unchecked.pointer.as_str(), unchecked.keyword, unchecked.reason))
        .collect();
    let expected = [
        ("/a", "pattern", Reason::Pattern),
        ("/b", "$ref", Reason::Reference),
        ("/c", "$ref", Reason::Reference),
        ("/d", "minimum", Reason::Meaningless),
        ("/e", "type", Reason::Meaningless),
    ];
    assert_eq!(found, expected);
    assert_eq!(report.unchecked.len(), 10);
}

#[test]
fn a_doubt_decides_nothing_that_depends_on_it() {
    let doubtful = r#"{"pattern":"(?=x)"}"#;
    for (schema, expected) in [
        (format!(r#"{{"not":{doubtful}}}"#), vec!["pattern"]),
        (format!(r#"{{"anyOf":[{doubtful},{{"type":"null"}}]}}"#), vec!["pattern"]),
        (format!(r#"{{"anyOf":[{doubtful},{{"type":"string"}}]}}"#), vec![]),
        (format!(r#"{{"oneOf":[{doubtful},{{"type":"string"}}]}}"#), vec!["pattern"]),
        (format!(r#"{{"if":{doubtful},"then":false,"else":false}}"#), vec!["pattern"]),
        (format!(r#"{{"if":{{"not":{doubtful}}},"then":false}}"#), vec!["pattern"]),
    ] {
        let report = validate(&schema, "\"y\"", &Options::default());
        assert!(report.is_valid(), "{schema}: {report:?}");
        assert_eq!(
            report.unchecked.iter().map(|unchecked| unchecked.keyword).collect::<Vec<_>>(),
            expected,
            "{schema}"
        );
    }
    // Where something else is wrong for sure, that counts.
    let report =
        validate(&format!(r#"{{"allOf":[{doubtful},{{"type":"null"}}]}}"#), "\"y\"", &Options::default());
    assert_eq!((report.problems.len(), report.unchecked.len()), (1, 1));
}
