//! The steps of `cargo xtask test`, in their order.

use std::path::PathBuf;
use std::thread;

use crate::counts::{Counts, Tally};
use crate::demo;
use crate::docs;
use crate::failure::Failure;
use crate::files;
use crate::invocation::Invocation;
use crate::tools::{chromium, firefox, node, node_modules, python, rust_target, trunk, wasm_bindgen, webkit};
use crate::workspace::Workspace;
use crate::{fuzz, npm, size, tidy};

/// One thing that has to hold.
pub(super) struct Step {
    /// What `--only` calls it.
    pub(super) name: &'static str,
    /// What holds when it passes.
    pub(super) promise: &'static str,
    /// Part of `--quick`.
    pub(super) quick: bool,
    /// Steps that make what this one uses.
    pub(super) needs: &'static [&'static str],
    pub(super) run: fn(&Workspace) -> Result<Tally, Failure>,
}

pub(super) const STEPS: &[Step] = &[
    Step { name: "fmt", promise: "every Rust file is formatted", quick: true, needs: &[], run: fmt },
    Step {
        name: "clippy",
        promise: "no lint warns in native code, whichever features are left out",
        quick: true,
        needs: &[],
        run: clippy,
    },
    Step {
        name: "clippy-wasm",
        promise: "no lint warns in browser code",
        quick: false,
        needs: &[],
        run: clippy_wasm,
    },
    Step {
        name: "test",
        promise: "Rust tests, traces, layering, examples in the documentation",
        quick: true,
        needs: &[],
        run: test,
    },
    Step {
        name: "doc",
        promise: "the documentation of native code builds without a warning",
        quick: true,
        needs: &[],
        run: doc,
    },
    Step {
        name: "doc-wasm",
        promise: "the documentation of browser code builds without a warning",
        quick: false,
        needs: &[],
        run: doc_wasm,
    },
    Step { name: "tidy", promise: "the rules that no compiler checks", quick: true, needs: &[], run: tidy },
    Step { name: "npm", promise: "the npm package builds", quick: false, needs: &[], run: npm },
    Step {
        name: "package",
        promise: "traces, the API and the element through the npm package",
        quick: false,
        needs: &["npm"],
        run: package,
    },
    Step {
        name: "packaging",
        promise: "the packed package works in bundlers and frameworks",
        quick: false,
        needs: &["npm"],
        run: packaging,
    },
    Step {
        name: "size",
        promise: "downloads stay in their budget",
        quick: false,
        needs: &["npm"],
        run: size,
    },
    Step { name: "demo", promise: "the demo page builds as published", quick: false, needs: &[], run: page },
    Step {
        name: "site",
        promise: "the documentation site builds, and none of its links is dead",
        quick: false,
        needs: &["npm", "demo"],
        run: site,
    },
    Step {
        name: "browser",
        promise: "the pages work in real browsers",
        quick: false,
        needs: &["npm", "demo"],
        run: browser,
    },
    Step {
        name: "backends",
        promise: "decisions reach the real frameworks",
        quick: false,
        needs: &["npm", "demo"],
        run: backends,
    },
];

/// The packages that only make sense in a browser, and those that run in both.
const IN_BROWSER: &[&str] = &[
    "--package",
    "countersign-connect",
    "--package",
    "countersign-yew",
    "--package",
    "countersign-wasm",
    "--package",
    "countersign-www",
    "--package",
    "countersign-example",
];

/// The backends that run in Node.js: folders of `tests/backends`. Their tests are named after a framework of [`frameworks`].
const IN_NODE: &[&str] = &["langgraph-js"];

/// The native packages of which a build may leave parts out: each is looked at without its features, and with each alone.
const IN_PARTS: &[&str] = &["core", "protocols"];

/// The real frameworks: those of the demo page, and those that only tests and pages of one's own reach.
fn frameworks() -> impl Iterator<Item = &'static str> {
    demo::BACKENDS.iter().copied().chain(["adk_a2a"])
}

fn cargo(workspace: &Workspace) -> Invocation {
    Invocation::cargo().folder(workspace.root())
}

fn fmt(workspace: &Workspace) -> Result<Tally, Failure> {
    cargo(workspace).args(["fmt", "--all", "--check"]).run().map(|()| Counts::ONE_PASSED.into())
}

fn clippy(workspace: &Workspace) -> Result<Tally, Failure> {
    let strict = ["--all-targets", "--all-features", "--", "--deny", "warnings"];
    cargo(workspace).arg("clippy").args(strict).run()?;
    for folder in IN_PARTS {
        let features = workspace.features(folder)?;
        for feature in [""].into_iter().chain(features.iter().map(String::as_str)) {
            cargo(workspace)
                .args(["clippy", "--package", &format!("countersign-{folder}")])
                .args(["--no-default-features", "--features", feature, "--", "--deny", "warnings"])
                .run()?;
        }
    }
    fuzz::check(workspace)?;
    Ok(Counts::ONE_PASSED.into())
}

fn clippy_wasm(workspace: &Workspace) -> Result<Tally, Failure> {
    rust_target::prepare(workspace)?;
    let check = |packages: &[&str], features: &[&str]| {
        cargo(workspace)
            .args(["clippy", "--target", rust_target::TARGET])
            .args(packages)
            .args(features)
            .args(["--", "--deny", "warnings"])
            .run()
    };
    // Once as the element and once without any interface.
    check(IN_BROWSER, &["--all-features"])?;
    check(IN_BROWSER, &[])?;
    // As the element with one adapter, as a page may have it that speaks with one system.
    let one = ["--no-default-features", "--features", "element,a2a"];
    check(&["--package", "countersign-wasm"], &one)?;
    Ok(Counts::ONE_PASSED.into())
}

fn test(workspace: &Workspace) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let mut program = Counts::default();
    // What is drawn and carried in a browser is tested here as far as it needs none; all at once, as what they share would be
    // compiled twice with other features.
    let ended_well = cargo(workspace)
        .args(["test", "--workspace", "--exclude", "countersign-example", "--all-features", "--no-fail-fast"])
        .run_reading(|line| {
            tally.read_name(line);
            if let Some(counts) = Counts::of_cargo_line(line) {
                program += counts;
            }
        })?;
    tally.counts += program.settle(ended_well);
    Ok(tally)
}

/// Strict `cargo doc`.
fn documentation(workspace: &Workspace) -> Invocation {
    cargo(workspace).args(["doc", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "--deny warnings")
}

fn doc(workspace: &Workspace) -> Result<Tally, Failure> {
    documentation(workspace).run().map(|()| Counts::ONE_PASSED.into())
}

fn doc_wasm(workspace: &Workspace) -> Result<Tally, Failure> {
    rust_target::prepare(workspace)?;
    documentation(workspace)
        .args(["--target", rust_target::TARGET])
        .args(IN_BROWSER)
        .run()
        .map(|()| Counts::ONE_PASSED.into())
}

fn tidy(workspace: &Workspace) -> Result<Tally, Failure> {
    tidy::run(workspace).map(|()| Counts::ONE_PASSED.into())
}

fn npm(workspace: &Workspace) -> Result<Tally, Failure> {
    npm::build(workspace).map(|()| Counts::ONE_PASSED.into())
}

fn package(workspace: &Workspace) -> Result<Tally, Failure> {
    script(workspace, "tests/package/run.mjs")
}

fn packaging(workspace: &Workspace) -> Result<Tally, Failure> {
    script(workspace, "tests/packaging/run.mjs")
}

/// Runs a script that drives Chromium and counts.
fn script(workspace: &Workspace, path: &str) -> Result<Tally, Failure> {
    let script = workspace.require(path)?;
    node_modules::prepare(workspace)?;
    let browser = chromium::prepare(workspace)?;
    count(Invocation::new(node::prepare()?).arg(script).folder(workspace.root()).env("CHROMIUM", browser))
}

fn size(workspace: &Workspace) -> Result<Tally, Failure> {
    size::measure(workspace).map(|()| Counts::ONE_PASSED.into())
}

fn page(workspace: &Workspace) -> Result<Tally, Failure> {
    demo::build(workspace).map(|()| Counts::ONE_PASSED.into())
}

fn site(workspace: &Workspace) -> Result<Tally, Failure> {
    docs::build(workspace).map(|()| Counts::ONE_PASSED.into())
}

/// Everything in `tests/browser` that needs no real framework.
fn browser(workspace: &Workspace) -> Result<Tally, Failure> {
    let (_, mut simulated) = browser_tests(workspace)?;
    let mut runner = browser_runner(workspace)?;
    match webkit::prepare() {
        Some(driver) => runner = runner.env("WEBKIT_DRIVER", driver),
        None => simulated.retain(|path| !path.ends_with("webkit.test.mjs")),
    }
    let mut tally = count(runner.args(simulated))?;
    if let Some(firefox) = firefox::prepare() {
        println!("   what keeps approvals from happening by accident, in Firefox too");
        tally += count(browser_runner(workspace)?.env("IN_FIREFOX", firefox))?;
    }
    Ok(tally)
}

/// The rest of `tests/browser`, each against its framework.
fn backends(workspace: &Workspace) -> Result<Tally, Failure> {
    let (real, _) = browser_tests(workspace)?;
    // A framework starts, stops and lets time run out: its tests wait most of the time.
    let mut runner = browser_runner(workspace)?.env("AT_ONCE", "4");
    let mut smokes = Vec::new();
    for backend in IN_NODE {
        node_modules::prepare_backend(workspace, backend)?;
    }
    for backend in frameworks() {
        let smoke = workspace.require(&format!("tests/backends/{backend}_smoke.py"))?;
        let python = python::environment(workspace, backend)?;
        runner = runner.env(&format!("{}_PYTHON", backend.to_uppercase()), &python);
        smokes.push(Invocation::new(&python).arg(smoke).folder(workspace.root()));
    }
    thread::scope(|scope| {
        let smokes = scope.spawn(|| {
            smokes.into_iter().try_fold(Tally::default(), |mut tally, smoke| {
                tally += count(smoke)?;
                Ok(tally)
            })
        });
        let mut tally = count(runner.args(real))?;
        tally += smokes.join().map_err(|_| Failure::new("a smoke test of a backend panicked"))??;
        Ok(tally)
    })
}

/// Installs what later steps need while earlier ones run; the step that needs a thing says what went wrong with it.
pub(super) fn prepare_all(workspace: &Workspace) {
    let _ = chromium::prepare(workspace);
    let _ = firefox::prepare();
    let _ = webkit::prepare();
    let _ = node_modules::prepare(workspace);
    let _ = wasm_bindgen::prepare(workspace);
    for backend in IN_NODE {
        let _ = node_modules::prepare_backend(workspace, backend);
    }
    for backend in frameworks() {
        if python::environment(workspace, backend).is_err() {
            break;
        }
    }
    let _ = trunk::prepare(workspace);
}

/// The tests in `tests/browser`: first those of real frameworks, which are named after them, then all others.
fn browser_tests(workspace: &Workspace) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failure> {
    let tests = files::below(&workspace.path("tests/browser"))?;
    let tests = tests.into_iter().filter(|path| path.to_string_lossy().ends_with(".test.mjs"));
    let (real, simulated): (Vec<PathBuf>, Vec<PathBuf>) = tests.partition(|path| is_of_backend(path));
    if real.is_empty() || simulated.is_empty() {
        return Err(Failure::new(
            "tests/browser has to hold tests of a real framework (`kagent.test.mjs`) and others (`demo.test.mjs`)",
        ));
    }
    Ok((real, simulated))
}

fn is_of_backend(test: &std::path::Path) -> bool {
    let name = test.file_name().unwrap_or_default().to_string_lossy();
    frameworks().any(|backend| name.split(['.', '-']).next() == Some(backend))
}

fn browser_runner(workspace: &Workspace) -> Result<Invocation, Failure> {
    let runner = workspace.require("tests/browser/run.mjs")?;
    node_modules::prepare(workspace)?;
    let browser = chromium::prepare(workspace)?;
    Ok(Invocation::new(node::prepare()?).arg(runner).folder(workspace.root()).env("CHROMIUM", browser))
}

/// Runs a program whose last line is `N passed, N failed`.
fn count(invocation: Invocation) -> Result<Tally, Failure> {
    let mut last = None;
    let mut tally = Tally::default();
    let ended_well = invocation.run_reading(|line| {
        tally.read_name(line);
        last = Counts::of_runner_line(line).or(last);
    })?;
    match last {
        Some(counts) => Ok(Tally { counts: counts.settle(ended_well), ..tally }),
        None => Err(Failure::new("it ended without the line `N passed, N failed`")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn tests_of_real_frameworks_are_known_by_name() {
        for backend in frameworks() {
            assert!(is_of_backend(Path::new(&format!("tests/browser/{backend}.test.mjs"))));
        }
        assert!(is_of_backend(Path::new("tests/browser/kagent-nested.test.mjs")));
        assert!(!is_of_backend(Path::new("tests/browser/demo.test.mjs")));
    }

    #[test]
    fn a_runner_without_a_last_line_is_told() {
        let failure = count(Invocation::cargo().arg("--version")).unwrap_err().to_string();
        assert_eq!(failure, "it ended without the line `N passed, N failed`");
    }
}
