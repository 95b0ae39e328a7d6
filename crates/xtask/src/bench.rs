//! Measuring the built package in a browser.

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::npm;
use crate::tools::{chromium, node, node_modules};
use crate::workspace::Workspace;

/// Builds the package and runs the measurements, which print a table and write `target/bench.json`.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let script = workspace.require("tests/bench/run.mjs")?;
    npm::build(workspace)?;
    node_modules::prepare(workspace)?;
    let browser = chromium::prepare(workspace)?;
    Invocation::new(node::prepare()?).arg(script).folder(workspace.root()).env("CHROMIUM", browser).run()
}
