//! The program `wasm-bindgen`, which writes the JavaScript around a wasm file.

use std::path::PathBuf;

use super::version::Version;
use super::{Installable, install};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// Finds the program or installs it, in exactly the version of the library in Cargo.lock: others cannot read its wasm.
pub(crate) fn prepare(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let locked = workspace.locked_version("wasm-bindgen")?;
    let version = Version::in_text(&locked)
        .ok_or_else(|| Failure::new(format!("`{locked}` in Cargo.lock is not a version of wasm-bindgen")))?;
    let wanted = Installable {
        package: "wasm-bindgen-cli",
        program: "wasm-bindgen",
        version,
        fits: |found, wanted| found == wanted,
        // The lock file in the package names versions that not every mirror of the registry has.
        locked: false,
        duration: "two minutes",
    };
    install(workspace, &wanted)
}
