//! Who may depend on whom.
//!
//! Development dependencies do not count: they never reach a build that uses the crate.

use std::process::Command;

use serde_json::Value;

/// The arrows between our own crates: each crate with all that it may use directly.
const ARROWS: &[(&str, &[&str])] = &[
    ("countersign-json", &[]),
    ("countersign-schema", &["countersign-json"]),
    ("countersign-core", &["countersign-json"]),
    ("countersign-policy", &["countersign-json", "countersign-core"]),
    ("countersign-protocols", &["countersign-json", "countersign-core"]),
    ("countersign-connect", &["countersign-json", "countersign-core"]),
    ("countersign-yew", &["countersign-json", "countersign-schema", "countersign-core"]),
    (
        "countersign-wasm",
        &[
            "countersign-json",
            "countersign-schema",
            "countersign-core",
            "countersign-policy",
            "countersign-protocols",
            "countersign-yew",
        ],
    ),
    (
        "countersign-www",
        &[
            "countersign-json",
            "countersign-schema",
            "countersign-core",
            "countersign-policy",
            "countersign-protocols",
            "countersign-connect",
            "countersign-yew",
        ],
    ),
    (
        "countersign-example",
        &[
            "countersign-json",
            "countersign-core",
            "countersign-policy",
            "countersign-protocols",
            "countersign-connect",
            "countersign-yew",
        ],
    ),
    (
        "countersign-tests",
        &[
            "countersign-json",
            "countersign-schema",
            "countersign-core",
            "countersign-policy",
            "countersign-protocols",
        ],
    ),
    ("xtask", &[]),
];

/// What needs a browser, and the only crates that may.
const BROWSER: &[&str] =
    &["web-sys", "js-sys", "wasm-bindgen", "wasm-bindgen-futures", "serde-wasm-bindgen", "yew", "gloo"];
const MAY_USE_BROWSER: &[&str] =
    &["countersign-connect", "countersign-yew", "countersign-wasm", "countersign-www", "countersign-example"];

/// What a crate must not use although it is nobody of ours: a second reader of untrusted text, clocks, chance, logs,
/// threads of control.
const FOREIGN: &[(&str, &[&str])] = &[
    ("countersign-json", &["serde", "serde_json"]),
    ("countersign-core", IMPURE),
    ("countersign-policy", IMPURE),
    ("countersign-protocols", IMPURE),
    ("countersign-schema", IMPURE),
];
const IMPURE: &[&str] = &[
    "chrono",
    "futures",
    "getrandom",
    "instant",
    "log",
    "rand",
    "time",
    "tokio",
    "tracing",
    "uuid",
    "web-time",
];

/// Says why `package` must not depend on `dependency`; nothing when it may.
fn objection(package: &str, dependency: &str) -> Option<String> {
    let must_not = || Some(format!("{package} must not depend on {dependency}"));
    let Some((_, may)) = ARROWS.iter().find(|(name, _)| *name == package) else {
        return Some(format!("{package} has no row in tests/layering.rs: say what it may depend on"));
    };
    if ARROWS.iter().any(|(name, _)| *name == dependency) {
        return if may.contains(&dependency) { None } else { must_not() };
    }
    let browser = BROWSER.contains(&dependency) || dependency.starts_with("gloo-");
    let foreign = FOREIGN.iter().any(|(name, not)| *name == package && not.contains(&dependency));
    if foreign || (browser && !MAY_USE_BROWSER.contains(&package)) { must_not() } else { None }
}

/// All objections to the packages of one `cargo metadata --no-deps`.
fn objections(metadata: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().expect("a list of packages") {
        let name = package["name"].as_str().expect("a package name");
        if !ARROWS.iter().any(|(known, _)| *known == name) {
            found.extend(objection(name, ""));
            continue;
        }
        for dependency in package["dependencies"].as_array().expect("a list of dependencies") {
            if dependency["kind"].as_str() != Some("dev") {
                found.extend(objection(name, dependency["name"].as_str().expect("a dependency name")));
            }
        }
    }
    found
}

#[test]
fn dependencies_point_one_way() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().map_or(0, Vec::len);
    assert!(packages >= 8, "the workspace has at least 8 packages, cargo named {packages}");
    let found = objections(&metadata);
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn objections_are_sentences_that_name_both_crates() {
    let check = |package, dependency, expected: Option<&str>| {
        assert_eq!(objection(package, dependency).as_deref(), expected);
    };
    check("countersign-core", "web-sys", Some("countersign-core must not depend on web-sys"));
    check("countersign-core", "gloo-timers", Some("countersign-core must not depend on gloo-timers"));
    check(
        "countersign-json",
        "countersign-core",
        Some("countersign-json must not depend on countersign-core"),
    );
    check("countersign-json", "serde_json", Some("countersign-json must not depend on serde_json"));
    check("countersign-www", "countersign-wasm", Some("countersign-www must not depend on countersign-wasm"));
    check("countersign-core", "rand", Some("countersign-core must not depend on rand"));
    check("countersign-core", "countersign-json", None);
    check("countersign-core", "serde", None);
    check("countersign-yew", "web-sys", None);
    check(
        "countersign-new",
        "serde",
        Some("countersign-new has no row in tests/layering.rs: say what it may depend on"),
    );
}

#[test]
fn development_dependencies_do_not_count() {
    let metadata = serde_json::json!({ "packages": [{ "name": "countersign-core", "dependencies": [
        { "name": "tokio", "kind": "dev" },
        { "name": "tokio", "kind": "build" },
        { "name": "serde", "kind": null },
    ] }] });
    assert_eq!(objections(&metadata), ["countersign-core must not depend on tokio"]);
}
