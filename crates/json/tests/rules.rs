//! The rules of the card that this crate keeps; each test carries the number of its rule.

use std::time::{Duration, Instant};

use countersign_json::{
    Document, HazardCode, Limits, Numbers, ParseErrorCode, Value, compact, edit, inspect, inspect_text,
    pretty, same, sha256_hex, shallow_merge, shallow_patch,
};

const NUMBER_TABLE: [&str; 9] = [
    "2512292042121000001",
    "18446744073709551616",
    "9007199254740993",
    "1e400",
    "1.00",
    "-0",
    "1e2",
    "1E+2",
    "0.1e-7",
];

/// Far more than the work takes on a slow machine, far less than work that grows with the square.
const SOON: Duration = Duration::from_secs(120);

/// The hazards of arguments, each as code and pointer.
fn hazards(text: &str) -> Vec<(HazardCode, String)> {
    let inspection = inspect_text(text, &Limits::ARGUMENTS);
    inspection.hazards.into_iter().map(|hazard| (hazard.code, hazard.pointer)).collect()
}

#[track_caller]
fn refuses(bytes: &[u8], code: ParseErrorCode) {
    let error = Document::parse_bytes(bytes, &Limits::default()).map(|_| ()).map_err(|error| error.code);
    assert_eq!(error, Err(code), "{}", String::from_utf8_lossy(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        let inspection = inspect_text(text, &Limits::ARGUMENTS);
        assert!(!inspection.inspectable(), "{text}");
        assert!(inspection.hazards.iter().any(|hazard| hazard.code == HazardCode::NotJson), "{text}");
    }
}

#[test]
fn r04_the_digest_tells_apart_what_readers_take_for_the_same() {
    let texts = [
        r#"{"a":1.0,"b":1}"#,
        r#"{"a":1.00,"b":1}"#,
        r#"{"b":1,"a":1.0}"#,
        r#"{"a":9007199254740993,"b":1}"#,
        r#"{"a":9007199254740992,"b":1}"#,
        r#"{"a":1.0, "b":1}"#,
    ];
    let mut digests: Vec<_> = texts.iter().map(|text| sha256_hex(text)).collect();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), texts.len());
}

#[test]
fn r05_unknown_members_survive_an_edit_byte_for_byte() {
    let text = "{\"sig\":\"a\\/\\u00e9+==\" ,\n \"x-meta\" : { \"n\":1.0e+2, \"dup\":1, \"dup\":2 },\"args\":{\"a\":1}}";
    let edited = edit::replace(text, "/args/a", "2");
    assert_eq!(edited, Ok(text.replace("\"a\":1", "\"a\":2")));
    assert_eq!(shallow_merge(text, r#"{"args":{"a":2}}"#), Ok(text.replace("\"a\":1", "\"a\":2")));
}

#[test]
fn r06_a_value_gives_the_identical_substring() {
    let text = "{\"call\":{\"args\": {\"n\" : 1.00,\t\"s\":\"\\u0061\"} }}";
    let document = Document::parse(text, &Limits::default()).unwrap();
    let args = document.root().pointer("/call/args").unwrap();
    assert_eq!(args.text(), "{\"n\" : 1.00,\t\"s\":\"\\u0061\"}");
    assert_eq!(text.get(args.span()), Some(args.text()));
}

#[test]
fn r07_editing_one_member_leaves_the_others_byte_for_byte() {
    let text = r#"{"id":2512292042121000001,"n":1.00,"z":null}"#;
    assert_eq!(edit::replace(text, "/z", "7").as_deref(), Ok(r#"{"id":2512292042121000001,"n":1.00,"z":7}"#));
    assert_eq!(edit::replace(text, "/id", "1").as_deref(), Ok(r#"{"id":1,"n":1.00,"z":null}"#));
    let patch = shallow_patch(text, r#"{"id":2512292042121000001,"n":1.00,"z":[]}"#).unwrap();
    assert_eq!((patch.text.as_str(), patch.removed.is_empty()), (r#"{"z":[]}"#, true));
}

#[test]
fn r11_duplicate_keys_are_found_in_every_spelling_and_depth() {
    let corpus = [
        (r#"{"a":1,"a":2}"#, "/a"),
        (r#"{"a":1,"a":1}"#, "/a"),
        (r#"{"a":1,"\u0061":2}"#, "/a"),
        (r#"{"\u0061":1,"\u0061":2}"#, "/a"),
        (r#"{"a":1,"b":2,"c":3,"\u0061":4}"#, "/a"),
        (r#"{"":1,"":2}"#, "/"),
        (r#"{"a/b":1,"a\/b":2}"#, "/a~1b"),
        (r#"{"é":1,"\u00e9":2}"#, "/é"),
        (r#"{"😀":1,"\ud83d\ude00":2}"#, "/😀"),
        (r#"{"\uD83D\uDE00":1,"\ud83d\ude00":2}"#, "/😀"),
        (r#"{"\n":1,"\u000A":2}"#, "/\n"),
        (r#"{"\"":1,"\u0022":2}"#, "/\""),
        (r#"{"x":[[{"y":{"a":1,"a":2}}]]}"#, "/x/0/0/y/a"),
        (r#"{"x":{"a":1},"y":{"a":{"b":1,"b":1}}}"#, "/y/a/b"),
        (r#"{"a":{"a":{"a":1},"a":2}}"#, "/a/a"),
    ];
    for (text, pointer) in corpus {
        assert_eq!(hazards(text), [(HazardCode::DuplicateKey, pointer.to_string())], "{text}");
        assert!(!inspect_text(text, &Limits::ARGUMENTS).inspectable(), "{text}");
    }
    for text in [r#"{"a":{"a":{"a":1}}}"#, r#"{"a":1,"A":2}"#, r#"{"a":1,"a ":2}"#, r#"[{"a":1},{"a":1}]"#] {
        assert!(!hazards(text).iter().any(|(code, _)| *code == HazardCode::DuplicateKey), "{text}");
    }
    // Canonically equivalent, but other code points: JSON takes them for two names.
    assert_eq!(hazards("{\"\u{e9}\":1,\"e\u{301}\":2}"), []);
}

#[test]
fn r11_duplicates_among_a_hundred_thousand_members_are_found_soon() {
    let start = Instant::now();
    // A long common beginning makes each comparison dear.
    let beginning = "k".repeat(40);
    let mut members: Vec<_> =
        (0..100_000).map(|number| format!("\"{beginning}{number}\":{number}")).collect();
    let unique = format!("{{{}}}", members.join(","));
    members.push(format!("\"\\u006b{}99\":0", "k".repeat(39)));
    let repeated = format!("{{{}}}", members.join(","));
    let limits = Limits::default();
    assert!(inspect_text(&unique, &limits).inspectable());
    let hazards = inspect_text(&repeated, &limits).hazards;
    assert_eq!(hazards.len(), 1);
    assert_eq!(hazards[0].pointer, format!("/{beginning}99"));
    assert!(start.elapsed() < SOON);
}

#[test]
fn r12_numbers_stay_the_characters_that_were_sent() {
    for number in NUMBER_TABLE {
        let text = format!("{{\"n\":{number},\"other\":0}}");
        let document = Document::parse(&text, &Limits::ARGUMENTS).unwrap();
        let value = document.root().get("n").unwrap();
        assert_eq!((value.as_number(), value.text()), (Some(number), number));
        assert_eq!(compact(document.root()), text);
        assert_eq!(pretty(document.root()), format!("{{\n  \"n\": {number},\n  \"other\": 0\n}}"));
        assert_eq!(edit::replace(&text, "/other", "1"), Ok(text.replace("\"other\":0", "\"other\":1")));
        assert_eq!(shallow_merge(&text, "{\"other\":1}"), Ok(text.replace("\"other\":0", "\"other\":1")));
        assert_eq!(hazards(&text), []);
    }
}

#[test]
fn r12_no_two_numbers_of_the_table_are_confused() {
    let text = format!("[{}]", NUMBER_TABLE.join(","));
    let document = Document::parse(&text, &Limits::ARGUMENTS).unwrap();
    let numbers: Vec<Value<'_>> = document.root().items().collect();
    for (i, left) in numbers.iter().enumerate() {
        for (j, right) in numbers.iter().enumerate() {
            assert_eq!(same(*left, *right, Numbers::Lexeme), i == j);
            let hundreds = [left, right]
                .iter()
                .all(|value| value.text().eq_ignore_ascii_case("1e2") || value.text() == "1E+2");
            assert_eq!(same(*left, *right, Numbers::Value), i == j || hundreds);
        }
    }
}

#[test]
fn r13_keys_with_a_meaning_elsewhere_are_kept_and_flagged() {
    for key in ["__proto__", "constructor", "prototype", r"\u005f_proto__", r"constructo\u0072"] {
        let text = format!("{{\"{key}\":{{\"isAdmin\":true}}}}");
        let document = Document::parse(&text, &Limits::ARGUMENTS).unwrap();
        let (name, value) = document.root().members().next().unwrap();
        assert_eq!((name.text(), value.text()), (format!("\"{key}\"").as_str(), "{\"isAdmin\":true}"));
        assert!(document.root().get("isAdmin").is_none());
        let pointer = format!("/{}", name.as_str().unwrap());
        assert_eq!(hazards(&text), [(HazardCode::PrototypeKey, pointer)]);
        assert!(inspect_text(&text, &Limits::ARGUMENTS).inspectable());
    }
}

#[test]
fn r13_private_keys_of_other_readers_replace_nothing() {
    for key in [
        "$serde_json::private::Number",
        "$serde_json::private::RawValue",
        r"\u0024serde_json::private::Number",
    ] {
        let text = format!("{{\"amount\":{{\"{key}\":\"7\"}}}}");
        let document = Document::parse(&text, &Limits::ARGUMENTS).unwrap();
        let amount = document.root().get("amount").unwrap();
        assert!(amount.is_object() && amount.as_number().is_none());
        assert_eq!(compact(document.root()), text);
        let found = hazards(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, HazardCode::PrivateKey);
    }
}

#[test]
fn r14_what_is_beyond_the_limits_is_a_hazard_and_not_an_error() {
    let check = |text: &str, code| {
        let inspection = inspect_text(text, &Limits::ARGUMENTS);
        assert_eq!(inspection.hazards.iter().map(|hazard| hazard.code).collect::<Vec<_>>(), [code]);
        assert!(!inspection.inspectable());
    };
    check(&format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20)), HazardCode::TooLarge);
    check(&format!("{{\"a\":{}{}}}", "[".repeat(512), "]".repeat(512)), HazardCode::TooDeep);
    check(&format!("{{\"a\":[0{}]}}", ",0".repeat(10_000)), HazardCode::TooManyValues);
    let fits = format!("{{\"a\":{}{},\"b\":[0{}]}}", "[".repeat(511), "]".repeat(511), ",0".repeat(9_486));
    let inspection = inspect_text(&fits, &Limits::ARGUMENTS);
    assert_eq!((inspection.hazards.len(), inspection.nodes, inspection.depth), (0, 10_000, 512));
}

#[test]
fn r14_ten_mebibytes_and_a_hundred_thousand_levels_are_bounded_work() {
    let start = Instant::now();
    let limits = Limits::default();
    let deep = format!("{{\"a\":{}0{}}}", "[{\"k\":".repeat(50_000), "}]".repeat(50_000));
    let wide = format!("{{\"a\":[{}0]}}", "{\"k\":\"\\u0061\"},".repeat(720_000));
    let long = format!("{{\"a\":\"{}\"}}", "x\\n".repeat(3_500_000));
    assert!(wide.len() > 10 << 20 && long.len() > 10 << 20);
    for text in [&deep, &wide, &long] {
        let document = Document::parse(text, &limits).unwrap();
        let root = document.root();
        let args = root.get("a").unwrap();
        assert!(!inspect(root, &Limits::ARGUMENTS).inspectable());
        assert!(inspect(args, &limits).inspectable());
        assert!(same(root, root, Numbers::Value));
        assert_eq!(compact(root), *text);
        assert_eq!(edit::replace(text, "/a", "1").as_deref(), Ok("{\"a\":1}"));
        assert!(!inspect_text(text, &Limits::ARGUMENTS).inspectable());
    }
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn r14_a_million_levels_cost_no_stack() {
    let work = || {
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{}0{}", opening.repeat(1_000_000), closing.repeat(1_000_000));
            let document = Document::parse(&text, &Limits::default()).unwrap();
            let inspection = inspect(document.root(), &Limits::default());
            assert_eq!((inspection.nodes, inspection.depth), (1_000_001, 1_000_000));
            assert!(same(document.root(), document.root(), Numbers::Lexeme));
            assert_eq!(countersign_json::diff(document.root(), document.root()), []);
            assert_eq!(pretty(document.root()).lines().count(), 129);
            assert!(Document::parse(&opening.repeat(1_000_000), &Limits::default()).is_err());
        }
    };
    // A stack of 128 KiB would not hold even a thousand frames of a careless reader.
    std::thread::Builder::new().stack_size(128 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn r15_what_json_forbids_is_refused_and_uninspectable() {
    refuses(b"\xEF\xBB\xBF{}", ParseErrorCode::ByteOrderMark);
    refuses(b"\xFF\xFE{\0}\0", ParseErrorCode::InvalidUtf8);
    refuses(b"{\"a\":\"\xC0\x80\"}", ParseErrorCode::InvalidUtf8);
    refuses(b"{\"a\":\"\xED\xA0\x80\"}", ParseErrorCode::InvalidUtf8);
    refuses(b"{\"a\":NaN}", ParseErrorCode::NotFinite);
    refuses(b"{\"a\":Infinity}", ParseErrorCode::NotFinite);
    refuses(b"{\"a\":-Infinity}", ParseErrorCode::NotFinite);
    refuses(b"{\"a\":01}", ParseErrorCode::LeadingZero);
    refuses(b"{\"a\":-01.5}", ParseErrorCode::LeadingZero);
    refuses(b"{\"a\":.5}", ParseErrorCode::ExpectedValue);
    refuses(b"{\"a\":+1}", ParseErrorCode::ExpectedValue);
    refuses(b"{\"a\":1.}", ParseErrorCode::InvalidNumber);
    refuses(b"{\"a\":0x10}", ParseErrorCode::ExpectedCommaOrBrace);
    refuses(b"{\"a\":\"\n\"}", ParseErrorCode::ControlCharacter);
    refuses(b"{\"a\":\"\0\"}", ParseErrorCode::ControlCharacter);
    refuses(b"{\"a\":\"\\x41\"}", ParseErrorCode::InvalidEscape);
    refuses(b"{\"a\":\"\\u00g0\"}", ParseErrorCode::InvalidEscape);
    refuses(b"{\"a\":\"\\u+123\"}", ParseErrorCode::InvalidEscape);
    refuses(b"{\"a\":\"x}", ParseErrorCode::UnterminatedString);
    refuses(b"{\"a\":\"x\\", ParseErrorCode::UnterminatedString);
    refuses(b"{\"a\":1}{}", ParseErrorCode::TrailingText);
    refuses(b"{\"a\":1}\0", ParseErrorCode::TrailingText);
    refuses(b"{\"a\":1,}", ParseErrorCode::ExpectedKey);
    refuses(b"{a:1}", ParseErrorCode::ExpectedKeyOrBrace);
    refuses(b"", ParseErrorCode::UnexpectedEnd);
}

#[test]
fn r15_lone_surrogates_are_readable_and_uninspectable() {
    for string in [r"\ud800", r"\uDFFF", r"x\ud83dx", r"\ude00\ud83d", r"\ud83d\ud83d\ude00"] {
        let text = format!("{{\"a\":\"{string}\"}}");
        assert!(Document::parse(&text, &Limits::default()).is_ok(), "{text}");
        assert_eq!(hazards(&text), [(HazardCode::LoneSurrogate, "/a".to_string())]);
        assert!(!inspect_text(&text, &Limits::ARGUMENTS).inspectable());
    }
}

#[test]
fn r15_arguments_that_are_no_object_are_uninspectable() {
    for text in ["null", "7", "\"x\"", "[]", "[{}]", "true"] {
        assert_eq!(hazards(text), [(HazardCode::NotAnObject, String::new())]);
        assert!(!inspect_text(text, &Limits::ARGUMENTS).inspectable());
    }
}
