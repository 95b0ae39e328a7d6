//! Words that a file must not contain.

use super::Source;

/// Where packages come from is a matter of the machine that builds, not of the repository. Each is put together, so
/// that this file does not break the rule.
const HOSTS: &[&str] = &[
    concat!("registry.npm", "js.org"),
    concat!("static.cra", "tes.io"),
    concat!("py", "pi.org"),
    concat!("files.python", "hosted.org"),
    concat!("deb.deb", "ian.org"),
    concat!("arti", "factory"),
];

/// Folders of one machine.
const FOLDERS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tmp/", "setup")];

/// Words of a wire format; only the adapters know them.
const WIRE: &[&str] = &[
    "adk_request_confirmation",
    "input-required",
    "requestedToolConfirmations",
    "__interrupt__",
    "action_requests",
    "tool_call_start",
    "proceed_once",
];

/// The crates that know no wire format.
const WIRELESS: &[&str] =
    &["crates/json/", "crates/core/", "crates/yew/", "crates/schema/", "crates/policy/"];

/// What is out of reach where only arguments say what the world is like: clocks, files, and the maps of the standard library,
/// which take random numbers and have another order in each run.
const WORLD: &[&str] =
    &["std::{", "std::time", "std::fs", "std::net", "std::env", "std::thread", "HashMap", "HashSet"];

/// The crates that are pure.
const PURE: &[&str] = &[
    "crates/json/src/",
    "crates/core/src/",
    "crates/schema/src/",
    "crates/policy/src/",
    "crates/protocols/src/",
];

/// Where types of a module are used that reach nothing.
const HARMLESS: (&str, &str) = ("crates/schema/src/format.rs", "std::net::{Ipv4Addr, Ipv6Addr}");

pub(super) fn complaints(source: &Source) -> Vec<String> {
    let mut found = impurities(source);
    let path = &source.path;
    let wireless = source.has_extension("rs") && WIRELESS.iter().any(|folder| path.starts_with(folder));
    for (number, line) in (1..).zip(source.text.lines()) {
        for host in HOSTS.iter().filter(|host| line.contains(*host)) {
            found.push(format!("{path}:{number}: names the registry host `{host}`"));
        }
        for folder in FOLDERS.iter().filter(|folder| has_folder(line, folder)) {
            found.push(format!("{path}:{number}: names the local folder `{folder}`"));
        }
        for word in WIRE.iter().filter(|word| wireless && line.contains(*word)) {
            found.push(format!(
                "{path}:{number}: `{word}` is a word of a wire format: only crates/protocols knows them"
            ));
        }
    }
    found
}

/// Tests may look at the clock.
fn impurities(source: &Source) -> Vec<String> {
    let path = &source.path;
    let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
    if is_test || !source.has_extension("rs") || !PURE.iter().any(|folder| path.starts_with(folder)) {
        return Vec::new();
    }
    let code = source.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    for (number, line) in (1..).zip(code.lines()) {
        let is_harmless = path == HARMLESS.0 && line.contains(HARMLESS.1);
        for word in WORLD.iter().filter(|word| !is_harmless && line.contains(*word)) {
            found.push(format!(
                "{path}:{number}: `{word}`: this crate is pure: what it needs of the world is handed in"
            ));
        }
    }
    found
}

/// Whether the line has `folder` at the start of a path, not within one.
fn has_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|head| head.chars().next_back());
        !before.is_some_and(|character| character.is_alphanumeric() || "_-.~*}>$/".contains(character))
    })
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn registry_hosts_are_told_in_any_text_file() {
        for host in HOSTS {
            let text = format!("{{\n\"resolved\": \"https://{host}/a.tgz\"\n}}");
            let expected = [format!("tests/package-lock.json:2: names the registry host `{host}`")];
            assert_eq!(complaints(&source("tests/package-lock.json", text)), expected);
        }
    }

    #[test]
    fn local_folders_are_told_only_at_the_start_of_a_path() {
        let check = |line: String, expected: bool| {
            assert_eq!(!complaints(&source("README.md", line.clone())).is_empty(), expected, "{line}");
        };
        for folder in FOLDERS {
            check(format!("cd {folder}main"), true);
            check(format!("\"{folder}main\""), true);
            check(format!("file://{folder}main"), false);
            check(format!("https://example.org{folder}main"), false);
            check(format!("./tests{folder}main"), false);
        }
    }

    #[test]
    fn pure_crates_reach_for_nothing() {
        for word in WORLD {
            let text = format!("//! A.\nuse {word};\n#[cfg(test)]\nmod tests {{\n    use {word};\n}}");
            let expected = [format!(
                "crates/core/src/a.rs:2: `{word}`: this crate is pure: what it needs of the world is handed in"
            )];
            assert_eq!(complaints(&source("crates/core/src/a.rs", text.clone())), expected);
            for path in ["crates/core/src/a/tests.rs", "crates/core/src/tests/a.rs", "crates/wasm/src/a.rs"] {
                assert!(complaints(&source(path, text.clone())).is_empty(), "{path}");
            }
        }
        let (path, harmless) = HARMLESS;
        assert!(complaints(&source(path, format!("use {harmless};"))).is_empty());
        assert_eq!(complaints(&source(path, "use std::net::TcpStream;")).len(), 1);
    }

    #[test]
    fn wire_words_are_for_adapters() {
        for word in WIRE {
            let text = format!("//! A.\nconst A: &str = \"{word}\";");
            let expected = [format!(
                "crates/core/src/a.rs:2: `{word}` is a word of a wire format: only crates/protocols knows them"
            )];
            assert_eq!(complaints(&source("crates/core/src/a.rs", text.clone())), expected);
            assert!(complaints(&source("crates/protocols/src/a2a.rs", text.clone())).is_empty());
            assert!(complaints(&source("crates/yew/demo.md", text)).is_empty());
        }
    }
}
