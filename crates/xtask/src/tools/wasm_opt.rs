//! `wasm-opt`, which makes wasm smaller; from the npm package `binaryen`.

use std::path::PathBuf;

use super::{node, node_modules};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// The features of wasm that the Rust compiler uses today; `wasm-opt` refuses what is not named.
pub(crate) const FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// `wasm-opt`, ready for arguments.
pub(crate) fn prepare(workspace: &Workspace) -> Result<Invocation, Failure> {
    node_modules::prepare(workspace)?;
    Ok(Invocation::new(node::prepare()?).arg(workspace.node_module("binaryen/bin/wasm-opt")))
}

/// The folder that makes other programs find `wasm-opt`.
pub(crate) fn folder(workspace: &Workspace) -> Result<PathBuf, Failure> {
    node_modules::prepare(workspace)?;
    Ok(workspace.node_module(".bin"))
}

/// The version that is installed.
pub(crate) fn version(workspace: &Workspace) -> Result<String, Failure> {
    prepare(workspace)?
        .arg("--version")
        .text()
        .ok_or_else(|| Failure::new("wasm-opt does not tell its version"))
}
