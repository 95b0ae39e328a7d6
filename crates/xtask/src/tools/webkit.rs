//! A WebKit for the browser tests, where there can be one.

use std::env;
use std::path::PathBuf;

use super::{debian, on_path};

/// Finds the driver of WebKitGTK or installs it: named by `WEBKIT_DRIVER`, on the path, Debian's. Where there is none, that
/// has been said.
///
/// The path that is returned is meant for the environment variable `WEBKIT_DRIVER` of what runs the tests.
pub(crate) fn prepare() -> Option<PathBuf> {
    // The driver brings the browser along; the other is a screen that nobody sees.
    let found = debian::install(&["webkit2gtk-driver", "xvfb"], installed);
    if found.is_none() {
        println!(
            "   there is no WebKit here (Debian's packages webkit2gtk-driver and xvfb): its tests are left out"
        );
    }
    found
}

fn installed() -> Option<PathBuf> {
    let named = env::var_os("WEBKIT_DRIVER").filter(|name| !name.is_empty()).map(PathBuf::from);
    let driver = named.or_else(|| on_path("WebKitWebDriver").into_iter().next())?;
    let has_screen =
        !on_path("Xvfb").is_empty() || env::var_os("DISPLAY").is_some_and(|name| !name.is_empty());
    (driver.is_file() && has_screen).then_some(driver)
}
