//! Traces: recorded conversations with what must be shown and sent.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_json::{Document, Limits, Value};

/// The folder of traces in this repository.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("traces")
}

/// Every recorded trace of an adapter that is built in, in order of name.
pub fn files() -> Vec<PathBuf> {
    files_in("")
}

/// Every trace that was written by hand for a rule which no recording shows.
pub fn written_files() -> Vec<PathBuf> {
    files_in("written")
}

/// Every trace of one adapter, recorded or written by hand.
pub fn of(adapter: &str) -> Vec<PathBuf> {
    let of_it = |path: &PathBuf| path.starts_with(folder().join(adapter));
    files().into_iter().chain(written_files()).filter(of_it).collect()
}

/// Runs `check` on traces and reports each one that fails.
pub fn for_all(paths: Vec<PathBuf>, check: impl Fn(Value<'_>) -> Result<(), String>) {
    assert!(!paths.is_empty(), "no traces were found");
    let mut failed = Vec::new();
    for path in paths {
        if let Err(error) = with_trace(&path, &check) {
            failed.push(format!("{}: {error}", path.file_name().unwrap_or_default().to_string_lossy()));
        }
    }
    assert!(failed.is_empty(), "{} traces fail:\n{}", failed.len(), failed.join("\n"));
}

/// The steps of a trace.
pub fn steps(trace: Value<'_>) -> Vec<Value<'_>> {
    trace.get("steps").into_iter().flat_map(Value::items).collect()
}

fn files_in(part: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for adapter in countersign_protocols::names() {
        let Ok(entries) = fs::read_dir(folder().join(adapter).join(part)) else { continue };
        let paths = entries.flatten().map(|entry| entry.path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")));
    }
    found.sort();
    found
}

/// Reads a trace and hands it to `use_it`.
pub fn with_trace<T>(path: &Path, use_it: impl FnOnce(Value<'_>) -> T) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = Document::parse(&text, &Limits::default())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    use_it(document.root())
}

/// The text of a message: as it stands in the trace, or the exact bytes of `{"$text": …}`.
pub fn message(value: Value<'_>) -> String {
    match value.get("$text").and_then(|text| text.as_str()) {
        Some(text) => text.into_owned(),
        None => value.text().to_owned(),
    }
}
