//! The official tests of JSON Schema: `tests/schema-suite`.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_json::{Document, Limits, Value};
use countersign_schema::{Dialect, Options, Reason, Report, Schema};

/// Tests that do not come out as the suite says: their file, and how their group and their names begin.
struct Exception(&'static str, &'static str, &'static str);

fn suite(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schema-suite").join(folder)
}

/// All JSON files below the folder, each with its path from there.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(here) = pending.pop() {
        for entry in fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn parse(text: &str) -> Document<'_> {
    Document::parse(text, &Limits::default()).unwrap()
}

fn text(value: Value<'_>, key: &str) -> String {
    value.get(key).unwrap().as_str().unwrap().into_owned()
}

/// The documents that tests refer to, with their addresses.
fn documents() -> Vec<(String, String)> {
    let remotes = files(&suite("remotes"));
    let remotes = remotes.into_iter().map(|(name, text)| (format!("http://localhost:1234/{name}"), text));
    let metaschemas = files(&suite("metaschemas")).into_iter().map(|(_, text)| {
        let id = parse(&text).root().get("$id").unwrap().as_str().unwrap().into_owned();
        (id, text)
    });
    remotes.chain(metaschemas).collect()
}

/// What came of one test: its file, group and name, whether the value is valid, and what was said of it.
type Outcome = ([String; 3], bool, Report);

/// Runs all tests of a folder: `run` gets each schema and value.
fn outcomes(folder: &str, run: impl Fn(&Document<'_>, Value<'_>) -> Report) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (file, content) in files(&suite(folder)) {
        for group in parse(&content).root().items() {
            let schema = parse(group.get("schema").unwrap().text());
            for test in group.get("tests").unwrap().items() {
                let names = [file.clone(), text(group, "description"), text(test, "description")];
                let expected = test.get("valid").unwrap().as_bool().unwrap();
                outcomes.push((names, expected, run(&schema, test.get("data").unwrap())));
            }
        }
    }
    outcomes
}

/// Each wrong one is an exception, and each exception is wrong.
#[track_caller]
fn check(folder: &str, options: &Options, tests: usize, wrong_ones: usize, exceptions: &[Exception]) {
    let documents = documents();
    let documents: Vec<_> = documents.iter().map(|(address, text)| (address.as_str(), parse(text))).collect();
    let outcomes = outcomes(folder, |schema, value| {
        let alone = Schema::compile(schema);
        let all = documents.iter().fold(alone, |schema, (address, document)| schema.with(address, document));
        all.validate(value, options)
    });
    let count = outcomes.len();
    // What was not checked is not right either way.
    let is_wrong = |(_, expected, report): &Outcome| {
        report.is_valid() != *expected || (*expected && !report.unchecked.is_empty())
    };
    let wrong: Vec<_> = outcomes.into_iter().filter(is_wrong).map(|(names, ..)| names).collect();
    let is_meant = |Exception(file, group, test): &Exception, [in_file, in_group, name]: &[String; 3]| {
        in_file == file && in_group.starts_with(group) && name.starts_with(test)
    };
    for each in &wrong {
        assert!(exceptions.iter().any(|exception| is_meant(exception, each)), "{folder}: {each:?}");
    }
    for exception in exceptions {
        let Exception(file, group, test) = exception;
        assert!(
            wrong.iter().any(|each| is_meant(exception, each)),
            "{folder}: passes now: {file}, {group}, {test}"
        );
    }
    assert_eq!((count, wrong.len()), (tests, wrong_ones), "{folder}: {wrong:?}");
    println!("{folder}: {} of {count} tests pass, {} do not", count - wrong.len(), wrong.len());
}

fn options(dialect: Dialect) -> Options {
    Options { dialect: Some(dialect), ..Options::default() }
}

/// The engine for patterns knows no properties of characters: such a pattern is not checked.
const PROPERTIES: [Exception; 2] = [
    Exception("pattern.json", "pattern with Unicode property escape", ""),
    Exception("patternProperties.json", "patternProperties with Unicode property escape", ""),
];

#[test]
fn all_required_tests_of_draft_2020_12_pass_but_those_named() {
    let [pattern, properties] = PROPERTIES;
    // A metaschema of one's own does not switch vocabularies off.
    let vocabulary =
        Exception("vocabulary.json", "schema that uses custom metaschema", "no validation: invalid number");
    check("draft2020-12", &options(Dialect::Draft202012), 1299, 6, &[pattern, properties, vocabulary]);
}

#[test]
fn all_required_tests_of_draft_07_pass() {
    check("draft7", &options(Dialect::Draft07), 927, 0, &[]);
}

#[test]
fn optional_tests_of_what_is_promised_pass_but_those_named() {
    let exceptions = [
        Exception("ecmascript-regex.json", "patterns always use unicode semantics with pattern", ""),
        Exception(
            "ecmascript-regex.json",
            "patterns always use unicode semantics with patternProperties",
            "",
        ),
        Exception("ecmascript-regex.json", "pattern with non-ASCII digits", ""),
        Exception("ecmascript-regex.json", "patternProperties with non-ASCII digits", ""),
    ];
    check("optional", &options(Dialect::Draft202012), 157, 14, &exceptions);
}

#[test]
fn formats_are_told_as_the_suite_tells_them_but_those_named() {
    let options = Options { formats: true, ..options(Dialect::Draft202012) };
    // Which characters a name in another script stands for is not looked at.
    let scripts = Exception("hostname.json", "validation of A-label (punycode) host names", "");
    check("formats", &options, 416, 23, &[scripts]);
}

/// A schema that comes with a request brings no other documents, and none is fetched.
#[test]
fn r16_what_lies_outside_of_the_schema_is_reported_as_not_checked_and_never_as_right_or_wrong() {
    for (folder, dialect, not_checked) in
        [("draft2020-12", Dialect::Draft202012, 53), ("draft7", Dialect::Draft07, 27)]
    {
        let outcomes =
            outcomes(folder, |schema, value| Schema::compile(schema).validate(value, &options(dialect)));
        for (names, expected, report) in &outcomes {
            let is_unknown = !report.unchecked.is_empty();
            // Which vocabularies the metaschema has cannot be known without it.
            assert!(
                report.is_valid() || !expected || names[0] == "vocabulary.json",
                "{folder}: {names:?} {report:?}"
            );
            assert!(!report.is_valid() || *expected || is_unknown, "{folder}: {names:?}");
            let permitted = [Reason::Reference, Reason::Pattern, Reason::Depends];
            assert!(
                report.unchecked.iter().all(|unchecked| permitted.contains(&unchecked.reason)),
                "{names:?}"
            );
        }
        let unknown = outcomes.iter().filter(|(.., report)| !report.unchecked.is_empty()).count();
        assert_eq!(unknown, not_checked, "{folder}");
    }
}
