//! A Firefox for the browser tests, where there can be one.

use std::env;
use std::path::{Path, PathBuf};

use super::{debian, on_path};
use crate::invocation::Invocation;

/// Names under which it is installed.
const NAMES: [&str; 2] = ["firefox", "firefox-esr"];

/// Where it is on systems that do not put it on the path.
const PLACE: &str = "/Applications/Firefox.app/Contents/MacOS/firefox";

/// Finds Firefox or installs it: named by `FIREFOX`, on the path, Debian's. Where there is none, that has been said.
///
/// The path that is returned is meant for the environment variable `IN_FIREFOX` of what runs the tests.
pub(crate) fn prepare() -> Option<PathBuf> {
    let found = debian::install(&["firefox-esr"], installed);
    if found.is_none() {
        println!("   there is no Firefox here (Debian's package firefox-esr): its tests are left out");
    }
    found
}

fn installed() -> Option<PathBuf> {
    let named = env::var_os("FIREFOX").filter(|name| !name.is_empty()).map(PathBuf::from);
    if let Some(named) = named {
        return Some(named).filter(|path| path.is_file());
    }
    let mut places = NAMES.iter().flat_map(|name| on_path(name)).chain([PathBuf::from(PLACE)]);
    places.find(|path| path.is_file() && says_so(path))
}

/// A stub that only tells how to install the real one does not count.
fn says_so(program: &Path) -> bool {
    Invocation::new(program).arg("--version").text().is_some_and(|told| told.starts_with("Mozilla Firefox"))
}
