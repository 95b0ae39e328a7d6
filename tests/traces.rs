//! Every recorded conversation, executed against the core.

use std::path::PathBuf;

use countersign_json::{Document, Limits, Value};
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
