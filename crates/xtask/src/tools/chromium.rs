//! A Chromium for the browser tests.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{debian, node, node_modules, on_path, version_of};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// Names under which Chromium is installed: first without windows, which needs a quarter less time for the same pages.
const NAMES: &[&str] =
    &[SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const SHELL: &str = "chromium-headless-shell";

/// Where it is on systems that do not put it on the path.
const PLACES: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// It is not installed by two at once.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Finds a Chromium or installs one: named by `CHROMIUM`, on the path, Debian's, Playwright's.
///
/// The path that is returned is meant for the environment variable `CHROMIUM` of what runs the tests.
pub(crate) fn prepare(workspace: &Workspace) -> Result<PathBuf, Failure> {
    if let Some(named) = env::var_os("CHROMIUM").filter(|name| !name.is_empty()) {
        let named = PathBuf::from(named);
        return if named.is_file() {
            Ok(named)
        } else {
            Err(Failure::new(format!("CHROMIUM names {}, which is not a file", named.display())))
        };
    }
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    debian::install(&[SHELL], installed)
        .or_else(|| debian::install(&["chromium"], installed))
        .or_else(|| from_playwright(workspace))
        .ok_or_else(|| {
            Failure::new(
                "there is no Chromium: install the package `chromium`, or set CHROMIUM to the path of one",
            )
        })
}

/// A stub that only tells how to install the real one does not count: it tells no version.
fn installed() -> Option<PathBuf> {
    let places = PLACES.iter().map(PathBuf::from).filter(|path| path.is_file());
    NAMES.iter().flat_map(|name| on_path(name)).chain(places).find(|path| version_of(path).is_some())
}

fn from_playwright(workspace: &Workspace) -> Option<PathBuf> {
    let fetch = || {
        node_modules::prepare(workspace)?;
        let node = node::prepare()?;
        let program = playwright_path(workspace, &node);
        if program.is_none() {
            println!("   downloading Playwright's Chromium: about two minutes");
            Invocation::new(&node)
                .arg(workspace.node_module("playwright-core/cli.js"))
                .args(["install", "chromium"])
                .run()?;
        }
        Ok(program.or_else(|| playwright_path(workspace, &node)))
    };
    fetch().unwrap_or_else(|failure: Failure| {
        println!("   {failure}");
        None
    })
}

/// Where Playwright has its own Chromium, when it has one.
fn playwright_path(workspace: &Workspace, node: &Path) -> Option<PathBuf> {
    let script = "import('playwright-core').then(({ chromium }) => console.log(chromium.executablePath()))";
    let path = Invocation::new(node).arg("-e").arg(script).folder(&workspace.path("tests")).text()?;
    Some(PathBuf::from(path.trim())).filter(|path| path.is_file())
}
