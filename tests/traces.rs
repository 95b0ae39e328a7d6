//! Every recorded conversation, executed against the core.

use std::path::PathBuf;

use countersign_tests::runner::Runner;
use countersign_tests::trace::{files, with_trace, written_files};

/// Runs traces through the adapter of each, or through `auto`, and reports every one that fails.
fn run_all(files: Vec<PathBuf>, at_least: usize, auto: bool) {
    assert!(files.len() >= at_least, "only {} traces were found", files.len());
    let mut failed = Vec::new();
    for path in &files {
        let result = with_trace(path, |trace| {
            let named = trace.get("adapter").and_then(|name| name.as_str()).unwrap_or_default();
            let mut runner = Runner::new(trace, if auto { "auto" } else { &named });
            for (place, step) in trace.get("steps").into_iter().flat_map(|steps| steps.items()).enumerate() {
                runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
            }
            Ok::<(), String>(())
        });
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
