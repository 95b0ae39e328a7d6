//! Licences, origins and features of the dependencies.

use serde_json::Value;

use crate::failure::{Attempt, Failure};
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// Permissive licences. The same list is in `deny.toml`.
const PERMISSIVE: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Features that must be off in the whole build, and why.
const FORBIDDEN_FEATURES: &[(&str, &str, &str)] = &[
    ("serde_json", "arbitrary_precision", "its marker key lets untrusted text replace what is displayed"),
    ("serde_json", "raw_value", "its marker key lets untrusted text replace what is displayed"),
];

/// The public registry; a dependency from elsewhere is not there tomorrow.
const ORIGIN: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn complaints(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let text = Invocation::cargo()
        .args(["metadata", "--all-features", "--format-version", "1"])
        .folder(workspace.root())
        .text()
        .ok_or_else(|| Failure::new("`cargo metadata` failed"))?;
    let metadata = serde_json::from_str(&text).attempting(|| "read what `cargo metadata` prints".into())?;
    Ok(of_metadata(&metadata))
}

fn of_metadata(metadata: &Value) -> Vec<String> {
    let list =
        |pointer| metadata.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text =
        |value: &Value, member| value.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for package in list("/packages") {
        let name = format!("{} {}", text(package, "name"), text(package, "version"));
        let licence = text(package, "license");
        if licence.is_empty() {
            found.push(format!("{name} names no licence"));
        } else if !is_permissive(&licence) {
            found.push(format!("{name} has the licence `{licence}`, which is not permissive"));
        }
        let origin = text(package, "source");
        if !origin.is_empty() && origin != ORIGIN {
            found.push(format!("{name} comes from `{origin}`"));
        }
    }
    for node in list("/resolve/nodes") {
        let id = text(node, "id");
        let on = node.get("features").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (package, feature, reason) in FORBIDDEN_FEATURES {
            let is_package = id.split(['#', '/']).any(|part| part.split('@').next() == Some(package));
            if is_package && on.iter().any(|name| name.as_str() == Some(feature)) {
                found.push(format!("the feature `{feature}` of {package} is on: {reason}"));
            }
        }
    }
    found
}

/// Whether an SPDX expression can be satisfied with permissive licences alone.
fn is_permissive(expression: &str) -> bool {
    // An old way to write `OR`.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest).unwrap_or(false) && rest.is_empty()
}

/// `a OR b`
fn any_of(rest: &mut &[&str]) -> Option<bool> {
    let mut permissive = all_of(rest)?;
    while take(rest, "OR") {
        permissive |= all_of(rest)?;
    }
    Some(permissive)
}

/// `a AND b`, which binds stronger.
fn all_of(rest: &mut &[&str]) -> Option<bool> {
    let mut permissive = one(rest)?;
    while take(rest, "AND") {
        permissive &= one(rest)?;
    }
    Some(permissive)
}

/// A licence, with an exception or without, or an expression in parentheses.
fn one(rest: &mut &[&str]) -> Option<bool> {
    if take(rest, "(") {
        let permissive = any_of(rest)?;
        return take(rest, ")").then_some(permissive);
    }
    let (licence, tail) = rest.split_first()?;
    *rest = tail;
    if !take(rest, "WITH") {
        return Some(PERMISSIVE.contains(licence));
    }
    let (exception, tail) = rest.split_first()?;
    *rest = tail;
    Some(PERMISSIVE.contains(&format!("{licence} WITH {exception}").as_str()))
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    match rest.split_first() {
        Some((first, tail)) if *first == word => {
            *rest = tail;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn licence_expressions_are_understood() {
        let check = |expression, expected| assert_eq!(is_permissive(expression), expected, "{expression}");
        check("MIT", true);
        check("MIT/Apache-2.0", true);
        check("GPL-3.0-only OR MIT", true);
        check("MIT AND GPL-3.0-only", false);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
        check("(MIT OR GPL-3.0-only) AND MPL-2.0", false);
        check("Apache-2.0 WITH LLVM-exception OR GPL-3.0-only", true);
        check("GPL-3.0-only WITH Classpath-exception-2.0", false);
        check("MIT OR", false);
        check("(MIT", false);
        check("MIT Apache-2.0", false);
    }

    #[test]
    fn licences_origins_and_features_are_told() {
        let metadata = json!({
            "packages": [
                { "name": "a", "version": "1.0.0", "license": "GPL-3.0-only", "source": ORIGIN },
                { "name": "b", "version": "1.0.0", "license": null, "source": null },
                { "name": "c", "version": "1.0.0", "license": "MIT", "source": "git+https://example.org/c" },
                { "name": "d", "version": "1.0.0", "license": "MIT", "source": ORIGIN },
            ],
            "resolve": { "nodes": [
                { "id": format!("{ORIGIN}#serde_json@1.0.0"), "features": ["std", "raw_value"] },
                { "id": format!("{ORIGIN}#other@1.0.0"), "features": ["raw_value"] },
            ] },
        });
        let expected = [
            "a 1.0.0 has the licence `GPL-3.0-only`, which is not permissive",
            "b 1.0.0 names no licence",
            "c 1.0.0 comes from `git+https://example.org/c`",
            "the feature `raw_value` of serde_json is on: \
             its marker key lets untrusted text replace what is displayed",
        ];
        assert_eq!(of_metadata(&metadata), expected);
    }

    #[test]
    fn the_list_for_cargo_deny_is_the_same() {
        let path = Workspace::find().unwrap().path("deny.toml");
        let table: toml::Table = crate::files::text(&path).unwrap().parse().unwrap();
        let allowed: Vec<_> = table["licenses"]["allow"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        assert_eq!(allowed, PERMISSIVE);
    }
}
