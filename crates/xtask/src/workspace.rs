//! Where things are, and which versions the workspace fixes.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::failure::{Attempt, Failure};
use crate::files;

/// The checkout this command works on.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Finds the workspace of the running command.
    ///
    /// Cargo names the folder of this crate; where the program is started without Cargo, the folders above the current
    /// one are searched.
    pub(crate) fn find() -> Result<Self, Failure> {
        let start = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => env::current_dir().attempting(|| "find the current folder".into())?,
        };
        start
            .ancestors()
            .find(|folder| is_root(folder))
            .map(|root| Self { root: root.to_path_buf() })
            .ok_or_else(|| {
                Failure::new("this is not a checkout of Countersign: no Cargo.toml with a workspace above")
            })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path below the root, written with `/`.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A path below `target`, written with `/`. All that the commands make is there.
    pub(crate) fn target(&self, relative: &str) -> PathBuf {
        self.root.join("target").join(relative)
    }

    /// A path below `tests/node_modules`.
    pub(crate) fn node_module(&self, relative: &str) -> PathBuf {
        self.root.join("tests/node_modules").join(relative)
    }

    /// Fails with a sentence when a file of the checkout that a step needs is not there.
    pub(crate) fn require(&self, relative: &str) -> Result<PathBuf, Failure> {
        let path = self.path(relative);
        if path.exists() { Ok(path) } else { Err(Failure::new(format!("{relative} is missing"))) }
    }

    /// The version that all crates share.
    pub(crate) fn version(&self) -> Result<String, Failure> {
        let manifest = files::text(&self.path("Cargo.toml"))?;
        let table: toml::Table = manifest.parse().attempting(|| "read Cargo.toml".into())?;
        table
            .get("workspace")
            .and_then(|workspace| workspace.get("package"))
            .and_then(|package| package.get("version"))
            .and_then(toml::Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| Failure::new("Cargo.toml has no `workspace.package.version`"))
    }

    /// The features of the crate in this folder of `crates`.
    pub(crate) fn features(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let path = format!("crates/{folder}/Cargo.toml");
        let table: toml::Table =
            files::text(&self.path(&path))?.parse().attempting(|| format!("read {path}"))?;
        let features = table.get("features").and_then(toml::Value::as_table);
        let names = features.into_iter().flat_map(toml::Table::keys);
        Ok(names.filter(|name| *name != "default").cloned().collect())
    }

    /// The version of `package` in Cargo.lock.
    pub(crate) fn locked_version(&self, package: &str) -> Result<String, Failure> {
        locked_version(&files::text(&self.path("Cargo.lock"))?, package)
    }
}

fn is_root(folder: &Path) -> bool {
    fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"))
}

fn locked_version(lock: &str, package: &str) -> Result<String, Failure> {
    let table: toml::Table = lock.parse().attempting(|| "read Cargo.lock".into())?;
    let packages =
        table.get("package").and_then(toml::Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let versions: Vec<&str> = packages
        .iter()
        .filter(|entry| entry.get("name").and_then(toml::Value::as_str) == Some(package))
        .filter_map(|entry| entry.get("version").and_then(toml::Value::as_str))
        .collect();
    match versions.as_slice() {
        [version] => Ok((*version).to_owned()),
        [] => Err(Failure::new(format!("Cargo.lock has no package `{package}`"))),
        several => Err(Failure::new(format!(
            "Cargo.lock has several versions of `{package}`: {}",
            several.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
        version = 4
        [[package]]
        name = "wasm-bindgen"
        version = "0.2.130"
        [[package]]
        name = "wasm-bindgen-futures"
        version = "0.4.80"
        [[package]]
        name = "syn"
        version = "1.0.0"
        [[package]]
        name = "syn"
        version = "2.0.0"
    "#;

    #[test]
    fn locked_version_is_of_exactly_that_package() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen").unwrap(), "0.2.130");
    }

    #[test]
    fn missing_and_ambiguous_packages_are_named() {
        let check = |package: &str, expected: &str| {
            assert_eq!(locked_version(LOCK, package).unwrap_err().to_string(), expected);
        };
        check("yew", "Cargo.lock has no package `yew`");
        check("syn", "Cargo.lock has several versions of `syn`: 1.0.0, 2.0.0");
    }

    #[test]
    fn this_workspace_is_found_and_has_a_version() {
        let workspace = Workspace::find().unwrap();
        assert!(workspace.path("crates/xtask/src/main.rs").is_file());
        assert_eq!(workspace.version().unwrap(), env!("CARGO_PKG_VERSION"));
        assert!(workspace.locked_version("wasm-bindgen").is_ok());
    }

    #[test]
    fn a_missing_part_of_the_checkout_is_a_sentence() {
        let failure = Workspace::find().unwrap().require("www/nothing.html").unwrap_err();
        assert_eq!(failure.to_string(), "www/nothing.html is missing");
    }
}
