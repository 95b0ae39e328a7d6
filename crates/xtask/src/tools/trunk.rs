//! Trunk, which builds and serves the demo page.

use std::path::PathBuf;

use super::version::Version;
use super::{Installable, install};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// The version that `Trunk.toml` asks for.
const VERSION: Version = Version::new(0, 21, 14);

/// Finds Trunk or installs it.
pub(crate) fn prepare(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let wanted = Installable {
        package: "trunk",
        program: "trunk",
        version: VERSION,
        fits,
        locked: true,
        duration: "three minutes",
    };
    install(workspace, &wanted)
}

/// `Trunk.toml` says the same.
fn fits(found: Version, wanted: Version) -> bool {
    (found.major, found.minor) == (wanted.major, wanted.minor) && found >= wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_patches_fit_and_other_minor_versions_do_not() {
        let check = |found, expected| assert_eq!(fits(found, VERSION), expected, "{found}");
        check(VERSION, true);
        check(Version::new(0, 21, 15), true);
        check(Version::new(0, 21, 13), false);
        check(Version::new(0, 22, 0), false);
    }

    #[test]
    fn trunk_toml_asks_for_the_version_that_is_installed() {
        let workspace = Workspace::find().unwrap();
        let text = crate::files::text(&workspace.path("Trunk.toml")).unwrap();
        assert!(text.contains(&format!("trunk-version = \">={VERSION}, <0.22\"")), "{text}");
    }
}
