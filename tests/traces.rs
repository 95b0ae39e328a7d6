//! Every recorded conversation, executed against the core.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use countersign_json::{Document, Limits, Value};
use countersign_tests::card::FIELDS;
use countersign_tests::runner::Runner;
use countersign_tests::trace::{files, for_all, steps, with_trace, written_files};

/// Runs one trace.
fn run(trace: Value<'_>, auto: bool) -> Result<(), String> {
    let named = trace.get("adapter").and_then(|name| name.as_str()).unwrap_or_default();
    let mut runner = Runner::new(trace, if auto { "auto" } else { &named });
    for (place, step) in steps(trace).into_iter().enumerate() {
        runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
    }
    Ok(())
}

/// Runs traces through the adapter of each, or through `auto`, and reports every one that fails.
fn run_all(files: Vec<PathBuf>, at_least: usize, auto: bool) {
    assert!(files.len() >= at_least, "only {} traces were found", files.len());
    let mut failed = Vec::new();
    for path in &files {
        let result = with_trace(path, |trace| run(trace, auto));
        if let Err(error) = result {
            failed.push(format!("{}: {error}", path.file_name().unwrap_or_default().to_string_lossy()));
        }
    }
    assert!(failed.is_empty(), "{} of {} traces fail:\n{}", failed.len(), files.len(), failed.join("\n"));
    println!("{} traces passed", files.len());
}

#[test]
fn all_traces_pass_through_their_adapters() {
    run_all(files(), 205, false);
}

#[test]
fn all_traces_pass_when_the_adapter_is_found_from_the_bytes() {
    run_all(files(), 205, true);
}

#[test]
fn traces_written_for_rules_that_no_recording_shows_pass_too() {
    run_all(written_files(), 1060, false);
    run_all(written_files(), 1060, true);
}

#[test]
fn r08_the_words_of_a_protocol_are_read_however_they_are_escaped() {
    let words = [
        (r#""tool_approval_"#, r#""tool\u005fapproval_"#),
        (r#""approval_"#, r#""\u0061pproval_"#),
        (r#"\"already decided: "#, r#"\"already decided\\u003a "#),
        ("already decided: ", r"already decided\u003a "),
    ];
    let tried = std::cell::Cell::new(0);
    for_all(files().into_iter().chain(written_files()).collect(), |trace| {
        let text =
            words.iter().fold(trace.text().to_owned(), |text, (word, spelt)| text.replace(word, spelt));
        if text == trace.text() {
            return Ok(());
        }
        tried.set(tried.get() + 1);
        let spelt = Document::parse(&text, &Limits::default()).map_err(|error| error.to_string())?;
        run(spelt.root(), false)
    });
    assert!(tried.get() > 300, "only {} traces were tried", tried.get());
}

/// What a wrong expectation is tried with, by the name of what is expected: where it stands, in the step of this place.
fn expectations(trace: Value<'_>) -> Vec<(usize, String, Range<usize>)> {
    let mut found = Vec::new();
    for (place, step) in steps(trace).into_iter().enumerate() {
        for card in step.get("cards").into_iter().flat_map(Value::items) {
            for (field, value) in card.members() {
                let field = field.as_str().unwrap_or_default();
                ends(value, &mut |end| found.push((place, field.clone().into_owned(), end)));
            }
        }
        for name in ["send", "hidden"] {
            step.get(name).into_iter().for_each(|list| {
                ends(list, &mut |end| found.push((place, name.to_owned(), end)));
            });
        }
        if let Some(code) = step.pointer("/refuse/code") {
            found.push((place, "refuse".to_owned(), code.span()));
        }
    }
    found
}

/// What holds nothing else, and what stands for a value.
fn ends(value: Value<'_>, found: &mut impl FnMut(Range<usize>)) {
    let stands = ["$any", "$id", "$absent"].iter().any(|word| value.get(word).is_some());
    match value.is_array() || (value.is_object() && !stands) {
        true if value.is_array() => value.items().for_each(|item| ends(item, found)),
        true => value.members().for_each(|(_, member)| ends(member, found)),
        false => found(value.span()),
    }
}

#[test]
fn a_wrong_expectation_fails_whatever_it_is_about() {
    const EACH: usize = 40;
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for path in files().into_iter().chain(written_files()) {
        with_trace(&path, |trace| {
            let mut seen = Vec::new();
            for (place, name, span) in expectations(trace) {
                let count = tried.entry(name.clone()).or_default();
                if *count == EACH || seen.contains(&name) {
                    continue;
                }
                *count += 1;
                seen.push(name.clone());
                let is = &trace.text()[span.clone()];
                let wrong = match is {
                    "true" => "false",
                    "false" => "true",
                    _ if is.contains("$any") || is.contains("$id") => r#"{"$absent":true}"#,
                    _ => r#""something else""#,
                };
                let text = format!("{}{wrong}{}", &trace.text()[..span.start], &trace.text()[span.end..]);
                let spoilt = Document::parse(&text, &Limits::default()).expect("it is still JSON");
                let adapter = trace.get("adapter").and_then(|name| name.as_str()).unwrap_or_default();
                let mut runner = Runner::new(spoilt.root(), &adapter);
                let fault = steps(spoilt.root())
                    .into_iter()
                    .take(place + 1)
                    .enumerate()
                    .find_map(|step| runner.step(step.1).err().map(|_| step.0));
                assert_eq!(fault, Some(place), "{}: `{name}` {is} became {wrong}", path.display());
            }
        });
    }
    // No wire names a server.
    let fields = FIELDS.into_iter().filter(|field| *field != "server");
    for name in fields.chain(["send", "hidden", "refuse"]) {
        assert!(tried.get(name).is_some_and(|count| *count > 3), "`{name}` was tried too seldom: {tried:?}");
    }
}

#[test]
fn an_expectation_that_compares_nothing_fails() {
    let nothing = [
        r#"{"cards":{}}"#,
        r#"{"send":{}}"#,
        r#"{"hidden":null}"#,
        r#"{"hidden":[false,"true"]}"#,
        r#"{"cards":[{"state":{"$absent":true}}]}"#,
        r#"{"card":[]}"#,
    ];
    let call = r#"{"receive":{"author":"ops","invocationId":"e","id":"1","content":{"parts":[{"functionCall":{"id":"c","name":"pay","args":{}}}]}}},{"cards":[{"call":"c"}]},{"hidden":[false]}"#;
    for step in nothing {
        let text = format!(r#"{{"options":{{}},"steps":[{call},{step}]}}"#);
        let trace = Document::parse(&text, &Limits::default()).expect("it is JSON");
        let mut runner = Runner::new(trace.root(), "adk");
        let fault = steps(trace.root()).into_iter().position(|step| runner.step(step).is_err());
        assert_eq!(fault, Some(3), "{step}");
    }
}
