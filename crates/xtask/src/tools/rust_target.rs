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

/// Whether the sources of the standard library are there, which are added with `rustup` when they are missing.
///
/// Without them everything can be built, but what is published is larger.
pub(crate) fn prepare_sources(workspace: &Workspace) -> bool {
    if has_sources(workspace) {
        return true;
    }
    println!("   adding the sources of Rust's standard library");
    let added =
        Invocation::new("rustup").args(["component", "add", "rust-src"]).folder(workspace.root()).run();
    added.is_ok() && has_sources(workspace)
}

fn has_sources(workspace: &Workspace) -> bool {
    let root = Invocation::new("rustc").args(["--print", "sysroot"]).folder(workspace.root()).text();
    root.is_some_and(|root| Path::new(root.trim()).join("lib/rustlib/src/rust/library/Cargo.lock").is_file())
}

fn is_there(workspace: &Workspace) -> bool {
    Invocation::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .folder(workspace.root())
        .text()
        .is_some_and(|folder| Path::new(folder.trim()).is_dir())
}
