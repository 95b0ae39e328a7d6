//! Measuring the reader of JSON, and the built package in a browser.

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::npm;
use crate::tools::{chromium, node, node_modules};
use crate::workspace::Workspace;

/// Prints how fast JSON is read beside serde_json, builds the package and runs the measurements in a browser, which print
/// a table and write `target/bench.json`.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let script = workspace.require("tests/bench/run.mjs")?;
    let speed = ["run", "--release", "--package", "countersign-json", "--example", "speed"];
    Invocation::cargo().folder(workspace.root()).args(speed).run()?;
    npm::build(workspace)?;
    node_modules::prepare(workspace)?;
    let browser = chromium::prepare(workspace)?;
    Invocation::new(node::prepare()?).arg(script).folder(workspace.root()).env("CHROMIUM", browser).run()
}
