//! The standard library for wasm.

use crate::failure::{Attempt, Failure};
use crate::invocation::Invocation;
use crate::workspace::Workspace;
use std::path::Path;

/// The target that browsers run.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Adds the target with `rustup` when it is missing.
pub(crate) fn prepare(workspace: &Workspace) -> Result<(), Failure> {
    if is_there(workspace) {
        return Ok(());
    }
    println!("   adding the Rust target {TARGET}: about a minute");
    Invocation::new("rustup")
        .args(["target", "add", TARGET])
        .folder(workspace.root())
        .run()
        .attempting(|| format!("add the Rust target {TARGET} (without rustup: install its standard library)"))
}

fn is_there(workspace: &Workspace) -> bool {
    Invocation::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .folder(workspace.root())
        .text()
        .is_some_and(|folder| Path::new(folder.trim()).is_dir())
}
