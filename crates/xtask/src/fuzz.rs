//! Looks for bytes that break what reads them, with libFuzzer.

use std::path::PathBuf;

use serde_json::Value;

use crate::failure::Failure;
use crate::files;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

const FOLDER: &str = "tests/fuzz";
const TARGETS: &[&str] = &["read", "receive"];

/// Every branch is counted, so that bytes are kept that reach a new one; an overflow is a panic. They are those of
/// `cargo fuzz` without a sanitizer, which this code without `unsafe` has no need of: so the usual compiler does.
const FLAGS: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "-Cdebug-assertions",
    "-Coverflow-checks",
];

/// Runs each target for this long. What was found before is the beginning; what breaks something is kept in a file.
pub(crate) fn run(workspace: &Workspace, minutes: u32) -> Result<(), Failure> {
    let made = workspace.path("target/fuzz");
    let seeds = seeds(workspace)?;
    let host = host()?;
    cargo(workspace, "build")
        .args(["--release", "--target", &host])
        .env("CARGO_TARGET_DIR", &made)
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"))
        .run()?;
    for target in TARGETS {
        let corpus = made.join("corpus").join(target);
        let found = made.join("found").join(target);
        files::make_folder(&corpus)?;
        files::make_folder(&found)?;
        Invocation::new(made.join(&host).join("release").join(target))
            .arg(format!("-max_total_time={}", u64::from(minutes) * 60))
            .arg(format!("-artifact_prefix={}/", found.display()))
            .args(["-max_len=20000", "-timeout=20", "-verbosity=0", "-print_final_stats=1"])
            .args([&corpus, &seeds])
            .run()?;
    }
    Ok(())
}

/// Sees to it that the targets compile, for which no C++ is needed.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    cargo(workspace, "clippy")
        .args(["--no-default-features", "--", "--deny", "warnings"])
        .env("CARGO_TARGET_DIR", workspace.path("target"))
        .run()
}

fn cargo(workspace: &Workspace, command: &str) -> Invocation {
    Invocation::cargo().folder(&workspace.path(FOLDER)).arg(command)
}

/// What the compiler makes programs for. Named to it, it leaves what runs while building without the flags.
fn host() -> Result<String, Failure> {
    let told = Invocation::new("rustc").arg("-vV").text().unwrap_or_default();
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("`rustc -vV` names no host"))
}

/// A folder with the messages of the recorded conversations, each once.
fn seeds(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let folder = workspace.path("target/fuzz/seeds");
    files::remove_folder(&folder)?;
    for trace in files::below(&workspace.path("tests/traces"))? {
        let text = files::text(&trace)?;
        // A few are about what this reader refuses, such as numbers beyond every range.
        let Ok(trace) = serde_json::from_str::<Value>(&text) else { continue };
        let steps = trace.get("steps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for message in steps.iter().filter_map(|step| step.get("receive").or_else(|| step.get("restore"))) {
            let text = message.get("$text").and_then(Value::as_str);
            let text = text.map_or_else(|| message.to_string(), str::to_owned);
            files::write(&folder.join(files::short_digest(&[text.as_bytes()])), text)?;
        }
    }
    Ok(folder)
}
