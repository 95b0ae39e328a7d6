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

pub(super) fn complaints(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
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
