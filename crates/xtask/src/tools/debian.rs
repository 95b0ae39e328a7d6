//! Packages of Debian, where they can be installed.

use std::sync::{Mutex, PoisonError};

use super::on_path;
use crate::invocation::Invocation;

/// Two at once would wait for each other's lock, or fail.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Installs packages, if this is a Debian and the user is its root; `found` says whether that is still to be done.
///
/// What went wrong has been said. What is missing then, the caller says in its own words.
pub(super) fn install<T>(packages: &[&str], found: impl Fn() -> Option<T>) -> Option<T> {
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = found() {
        return Some(found);
    }
    if on_path("apt-get").is_empty() {
        return None;
    }
    let names = packages.join(" ");
    if Invocation::new("id").arg("-u").text()?.trim() != "0" {
        println!("   `apt-get install {names}` needs root");
        return None;
    }
    println!("   installing {names} from Debian: a minute or two");
    let apt = || Invocation::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive");
    let update = apt().args(["update", "-q"]).run();
    let install = apt().args(["install", "-y", "-q", "--no-install-recommends"]).args(packages).run();
    for failure in [update.err(), install.err()].into_iter().flatten() {
        println!("   {failure}");
    }
    found()
}
