//! Node.js and npm.

use std::path::PathBuf;

use super::version::Version;
use super::{on_path, version_of};
use crate::failure::Failure;
use crate::invocation::Invocation;

/// Finds Node.js 20 or newer.
pub(crate) fn prepare() -> Result<PathBuf, Failure> {
    let Some(node) = on_path("node").into_iter().next() else {
        return Err(Failure::new("Node.js is not installed: version 20 or newer is needed"));
    };
    match version_of(&node) {
        Some(version) if version >= Version::new(20, 0, 0) => Ok(node),
        Some(version) => {
            Err(Failure::new(format!("Node.js {version} is too old: version 20 or newer is needed")))
        }
        None => Err(Failure::new(format!("{} does not tell its version", node.display()))),
    }
}

/// npm, ready for arguments.
pub(crate) fn npm() -> Result<Invocation, Failure> {
    let name = if cfg!(windows) { "npm.cmd" } else { "npm" };
    match Invocation::new(name).arg("--version").text() {
        Some(_) => Ok(Invocation::new(name)),
        None => Err(Failure::new("npm is not installed: it comes with Node.js, or as a package of its own")),
    }
}
