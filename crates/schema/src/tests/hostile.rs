//! Rule 16: holding a value against a schema is bounded, whatever the schema and the value are.

use std::time::{Duration, Instant};

use crate::form::Form;
use crate::{Options, Reason, Report, Schema, check};
use countersign_json::{Document, Limits, Value};

/// Far more than any of these takes, even on a busy machine without optimisation; without bounds they take years.
const LONG: Duration = Duration::from_secs(60);

fn parse(text: &str) -> Document<'_> {
    Document::parse(text, &Limits::default()).unwrap()
}

#[track_caller]
fn report(schema: &str, value: &str, options: &Options) -> Report {
    let (schema, value) = (parse(schema), parse(value));
    let start = Instant::now();
    let report = Schema::compile(&schema).validate(value.root(), options);
    if let Some(form) = Form::of(&schema) {
        let field = form.root(Some(value.root()));
        let blank = form.blank(&field.node);
        assert!(Document::parse(&blank, &Limits::default()).is_ok());
    }
    assert!(start.elapsed() < LONG, "took {:?}", start.elapsed());
    report
}

/// The value cannot be looked at to the end, and the report says so.
#[track_caller]
fn is_too_much(schema: &str, value: &str) {
    // Fewer steps than usual: how many there are only decides how long the test takes.
    let limits = crate::Limits { steps: 400_000, ..crate::Limits::default() };
    let report = report(schema, value, &Options { limits, ..Options::default() });
    assert!(report.is_exhausted(), "{report:?}");
    assert!(report.unchecked.len() <= 100 && report.problems.len() <= 100);
}

#[track_caller]
fn is_checked(schema: &str, value: &str, expected: bool) {
    let report = report(schema, value, &Options::default());
    assert_eq!((report.is_valid(), report.unchecked.is_empty()), (expected, true), "{report:?}");
}

#[test]
fn r16_references_in_a_circle_end() {
    is_too_much(r##"{"$ref":"#"}"##, "1");
    is_too_much(r##"{"$dynamicRef":"#a","$dynamicAnchor":"a"}"##, "1");
    is_too_much(
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##,
        "1",
    );
    is_too_much(r##"{"not":{"$ref":"#"}}"##, "1");
    assert!(check(r##"{"$ref":"#"}"##, "{}").unwrap_err().contains("no end"));
    // A circle that goes through the value ends with the value.
    is_checked(
        r##"{"properties":{"a":{"$ref":"#"}},"additionalProperties":false}"##,
        r#"{"a":{"a":{"a":{"b":1}}}}"#,
        false,
    );
}

#[test]
fn r16_branches_that_multiply_end() {
    let mut text = String::from(r##"{"$ref":"#/$defs/0","$defs":{"##);
    for level in 0..60 {
        let next = level + 1;
        text.push_str(&format!(
            r##""{level}":{{"anyOf":[{{"$ref":"#/$defs/{next}","minimum":5}},{{"$ref":"#/$defs/{next}","minimum":6}}]}},"##
        ));
    }
    text.push_str(r#""60":{"type":"string"}}}"#);
    is_too_much(&text, "1");
    is_too_much(&text.replace("anyOf", "oneOf"), "1");
    is_too_much(&text.replace("anyOf", "allOf"), "1");
}

#[test]
fn r16_patterns_take_linear_time() {
    let text = format!("{{\"s\":\"{}b\"}}", "a".repeat(1 << 20));
    is_checked(r#"{"properties":{"s":{"pattern":"(a+)+$"}}}"#, &text, false);
    is_checked(r#"{"properties":{"s":{"pattern":"^(a|aa)*b$"}}}"#, &text, true);
    let long_pattern = format!(r#"{{"properties":{{"s":{{"pattern":"{}$"}}}}}}"#, "a?".repeat(1000));
    is_too_much(&long_pattern, &text);
    for pattern in ["(a{1000}){1000}", "((((a{99}){99}){99}){99})", "a{4294967296}"] {
        let schema = format!(r#"{{"properties":{{"s":{{"pattern":"{pattern}"}}}}}}"#);
        let found = report(&schema, &text, &Options::default());
        assert_eq!(found.unchecked[0].reason, Reason::Pattern, "{pattern}");
    }
    // A pattern that costs too much for one text does not keep the rest from being checked.
    let both = long_pattern.replace("}}}", r#"},"n":{"type":"string"}}}"#);
    let found = report(&both, &text.replace('}', ",\"n\":1}"), &Options::default());
    assert_eq!((found.problems.len(), found.unchecked.len()), (1, 1), "{found:?}");
}

#[test]
fn r16_deep_schemas_and_deep_values_end() {
    let nested =
        |open: &str, close: &str, depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    is_too_much(&format!("{}true{}", r#"{"not":"#.repeat(50_000), "}".repeat(50_000)), "1");
    is_too_much(&format!("{}true{}", r#"{"allOf":["#.repeat(50_000), "]}".repeat(50_000)), "1");
    is_too_much(r##"{"items":{"$ref":"#"}}"##, &nested("[", "]", 50_000));
    is_too_much(r##"{"properties":{"a":{"$ref":"#"}}}"##, &nested(r#"{"a":"#, "}", 50_000));
    is_checked(&format!(r#"{{"const":{}}}"#, nested("[", "]", 50_000)), &nested("[", "]", 50_000), true);
    // As deep as the arguments of a real tool are.
    is_checked(r##"{"items":{"$ref":"#"},"type":["array","integer"]}"##, &nested("[", "]", 60), true);
}

#[test]
fn r16_long_lists_in_a_schema_end() {
    let many =
        |each: &dyn Fn(usize) -> String, count: usize| (0..count).map(each).collect::<Vec<_>>().join(",");
    let names = many(&|index| format!("\"k{index}\""), 20_000);
    let values = format!("[{}]", many(&|index| format!("\"x{index}\""), 10_000));
    is_too_much(&format!(r#"{{"items":{{"enum":[{names}]}}}}"#), &values);
    is_too_much(
        &format!(r#"{{"items":{{"required":[{names}]}}}}"#),
        &format!("[{}]", many(&|_| "{}".to_owned(), 10_000)),
    );
    let properties = many(&|index| format!("\"k{index}\":true"), 20_000);
    let members = format!("{{{}}}", many(&|index| format!("\"m{index}\":1"), 10_000));
    // Names are sorted, not looked for one by one.
    is_checked(&format!(r#"{{"properties":{{{properties}}}}}"#), &members, true);
    is_checked(
        &format!(r#"{{"required":[{names}]}}"#),
        &format!("{{{}}}", properties.replace("true", "1")),
        true,
    );
    let patterns = many(&|index| format!("\"^a{index}\":true"), 5_000);
    is_too_much(&format!(r#"{{"patternProperties":{{{patterns}}}}}"#), &members);
    let dependencies = many(&|index| format!("\"m{index}\":[\"m1\"]"), 10_000);
    is_too_much(&format!(r#"{{"dependentRequired":{{{dependencies}}}}}"#), &members);
    let ids = many(&|index| format!(r#"{{"$id":"i{index}","$ref":"i{}"}}"#, index + 1), 10_000);
    is_too_much(&format!(r#"{{"allOf":[{ids}]}}"#), "1");
    let unknown = format!(r#"{{"items":{{{properties}}}}}"#);
    is_too_much(&unknown, &values);
}

#[test]
fn r16_items_are_told_apart_quickly_and_never_endlessly() {
    let list = |each: &dyn Fn(usize) -> String, count: usize| {
        format!("[{}]", (0..count).map(each).collect::<Vec<_>>().join(","))
    };
    let unique = r#"{"uniqueItems":true}"#;
    is_checked(unique, &list(&|index| index.to_string(), 10_000), true);
    is_checked(unique, &list(&|index| format!("\"s{index}\""), 10_000), true);
    is_checked(unique, &list(&|index| format!("{{\"a\":{index}}}"), 5_000), true);
    is_checked(unique, &list(&|index| format!("{}.0", index % 9_999), 10_000), false);
    // These all look alike until one looks into them.
    is_too_much(unique, &list(&|index| format!("[[{index}]]"), 10_000));
}

#[test]
fn r16_a_long_string_is_counted_and_compared_once() {
    let long = format!("\"{}\"", "\\u0061".repeat(1 << 20));
    is_checked(r#"{"minLength":1048576,"maxLength":1048576,"not":{"const":"a"}}"#, &long, true);
    is_checked(r#"{"maxLength":1048575}"#, &long, false);
    let found = report(r#"{"enum":["a"]}"#, &long, &Options::default());
    assert!(found.problems[0].message.len() < 100);
}

#[test]
fn r16_messages_and_pointers_are_short_where_the_schema_is_long() {
    let long = "x".repeat(100_000);
    let schema =
        format!(r#"{{"enum":["{long}","{long}"],"pattern":"{long}","const":"{long}","type":"{long}"}}"#);
    for problem in report(&schema, "\"\"", &Options::default()).problems {
        assert!(problem.message.len() < 1000, "{}", problem.keyword);
    }
    let many = r#"{"items":false,"maxItems":0}"#;
    let list = format!("[{}0]", "0,".repeat(5_000));
    assert_eq!(report(many, &list, &Options::default()).problems.len(), 100);
}

#[test]
fn r16_long_numbers_cost_what_they_are_long() {
    let list = |one: &str, count: usize| vec![one; count].join(",");
    let digits = "1".repeat(100_000);
    is_too_much(&format!(r#"{{"enum":[{}]}}"#, list("1", 2000)), &digits);
    is_too_much(&format!(r#"{{"allOf":[{}]}}"#, list(r#"{"const":1}"#, 2000)), &digits);
    is_too_much(&format!(r#"{{"allOf":[{}]}}"#, list(r#"{"multipleOf":3}"#, 2000)), &digits);
    is_too_much(&format!(r#"{{"allOf":[{}]}}"#, list(r#"{"type":"integer"}"#, 2000)), &digits);
    for keyword in ["minLength", "maxItems", "minProperties"] {
        let value = match keyword {
            "minLength" => r#""a""#,
            "maxItems" => "[]",
            _ => "{}",
        };
        let schema = format!(
            r#"{{"additionalProperties":true,"allOf":[{}]}}"#,
            list(r##"{"$ref":"#/$defs/a"}"##, 2000)
        );
        let defs =
            format!(r#"{{"$defs":{{"a":{{"{keyword}":{digits}}}}},{}"#, schema.trim_start_matches('{'));
        is_too_much(&defs, value);
    }
    let counted = format!(
        r##"{{"$defs":{{"a":{{"contains":true,"minContains":{digits}}}}},"allOf":[{}]}}"##,
        list(r##"{"$ref":"#/$defs/a"}"##, 2000)
    );
    is_too_much(&counted, "[1]");
    // One such number, and a short list, are looked at to the end.
    is_checked(r#"{"type":"integer","multipleOf":1,"enum":[1,2,3]}"#, &digits, false);
}

#[test]
fn r16_too_much_is_told_beside_any_number_of_unchecked_places() {
    for unchecked in [150, 1500] {
        let names =
            |text: &str| (0..unchecked).map(|at| format!(r#""p{at}":{text}"#)).collect::<Vec<_>>().join(",");
        let schema = format!(
            r#"{{"properties":{{{},"z":{{"items":{{"allOf":[{}]}}}}}}}}"#,
            names(r#"{"pattern":"(?=x)"}"#),
            vec!["{}"; 2000].join(",")
        );
        let value = format!(r#"{{{},"z":[{}]}}"#, names(r#""x""#), vec!["1"; 2000].join(","));
        is_too_much(&schema, &value);
    }
}

#[test]
fn limits_can_be_set() {
    let (schema, value) = (parse(r#"{"items":{"type":"string"}}"#), parse("[1,2,3,4,5]"));
    let validate = |limits| {
        let options = Options { limits, ..Options::default() };
        Schema::compile(&schema).validate(value.root(), &options)
    };
    let limits = crate::Limits::default();
    assert_eq!(validate(limits).problems.len(), 5);
    assert_eq!(validate(crate::Limits { problems: 2, ..limits }).problems.len(), 2);
    assert!(validate(crate::Limits { steps: 3, ..limits }).is_exhausted());
    assert!(validate(crate::Limits { depth: 1, ..limits }).is_exhausted());
}

#[test]
fn a_value_within_a_document_is_held_like_one_of_its_own() {
    let (schema, value) = (parse(r#"{"type":"string"}"#), parse(r#"{"args":{"a":[7]}}"#));
    let inner: Value<'_> = value.root().pointer("/args/a").unwrap();
    let report = Schema::compile(&schema).validate(inner, &Options::default());
    assert_eq!(
        (report.problems[0].pointer.as_str(), report.problems[0].message.as_str()),
        ("", "the value must be a string")
    );
}
