//! Programs that the commands need: found where they are, else installed.

pub(crate) mod chromium;
mod debian;
pub(crate) mod firefox;
pub(crate) mod node;
pub(crate) mod node_modules;
pub(crate) mod python;
pub(crate) mod rust_target;
pub(crate) mod trunk;
pub(crate) mod version;
pub(crate) mod wasm_bindgen;
pub(crate) mod wasm_opt;
pub(crate) mod webkit;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::workspace::Workspace;
use version::Version;

/// Every program of this name: on the path, in `target/tools/bin`, in Cargo's home, in this order.
fn candidates(workspace: &Workspace, name: &str) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    folders.push(workspace.target("tools/bin"));
    folders.extend(cargo_home().map(|home| home.join("bin")));
    in_folders(&folders, name)
}

/// Every program of this name on the path.
fn on_path(name: &str) -> Vec<PathBuf> {
    in_folders(&env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>(), name)
}

fn in_folders(folders: &[PathBuf], name: &str) -> Vec<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    folders.iter().map(|folder| folder.join(&file)).filter(|path| path.is_file()).collect()
}

/// Cargo's home: where `cargo install` puts programs, and where sources of dependencies are.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")))
}

/// The version that `program --version` prints.
fn version_of(program: &Path) -> Option<Version> {
    Version::in_text(&Invocation::new(program).arg("--version").text()?)
}

/// A program that Cargo can install.
struct Installable<'a> {
    /// The name of the package.
    package: &'a str,
    /// The name of the program.
    program: &'a str,
    /// What is installed when nothing fits.
    version: Version,
    /// Whether a found version will do.
    fits: fn(found: Version, wanted: Version) -> bool,
    /// With the versions of dependencies that the package was published with.
    locked: bool,
    /// How long the installation takes on two cores.
    duration: &'a str,
}

/// One program is installed at a time, and none by two at once.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Finds the program or installs it.
///
/// It goes to Cargo's home, where every checkout on the machine finds it. Where another version of it already is
/// there, someone needs that one: then it goes to `target/tools`.
fn install(workspace: &Workspace, wanted: &Installable<'_>) -> Result<PathBuf, Failure> {
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let all = candidates(workspace, wanted.program);
    let fits = |path: &PathBuf| version_of(path).is_some_and(|found| (wanted.fits)(found, wanted.version));
    if let Some(found) = all.into_iter().find(fits) {
        return Ok(found);
    }
    println!("   installing {} {}: about {}", wanted.package, wanted.version, wanted.duration);
    let mut cargo = Invocation::patient_cargo()
        // Cargo may remember one that is gone, or does not run here.
        .args(["install", "--force", wanted.package, "--version", &wanted.version.to_string()])
        // The default release profiles of these tools take three times as long, for programs that run for a second.
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    if wanted.locked {
        cargo = cargo.arg("--locked");
    }
    let occupied =
        cargo_home().is_none_or(|home| !in_folders(&[home.join("bin")], wanted.program).is_empty());
    if occupied {
        cargo = cargo.arg("--root").arg(workspace.target("tools"));
    }
    cargo.run()?;
    candidates(workspace, wanted.program).into_iter().find(fits).ok_or_else(|| {
        Failure::new(format!("`{}` {} was installed but is not found", wanted.program, wanted.version))
    })
}

/// The folders of some programs: what to put on the path so that another program finds them.
pub(crate) fn folders_of(programs: &[&Path]) -> Vec<PathBuf> {
    programs.iter().filter_map(|program| program.parent()).map(Path::to_path_buf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_only_in_the_given_folders() {
        let bin = cargo_home().unwrap().join("bin");
        assert_eq!(in_folders(&[PathBuf::from("no/such/folder")], "cargo"), Vec::<PathBuf>::new());
        assert!(in_folders(&[bin], "no-such-program").is_empty());
        assert!(!on_path("cargo").is_empty());
    }

    #[test]
    fn folders_of_programs_keep_their_order() {
        let folders = folders_of(&[Path::new("a/bin/trunk"), Path::new("b/bin/wasm-opt")]);
        assert_eq!(folders, [PathBuf::from("a/bin"), PathBuf::from("b/bin")]);
    }
}
