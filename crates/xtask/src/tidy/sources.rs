//! How a source file begins, how long it is, and what is left open in it.

use super::Source;

/// The longest a source file may be, in lines.
const LONGEST: usize = 600;

/// Files that may be longer: the path, and why.
const LONG: &[(&str, &str)] = &[];

/// What counts as a source file for the length.
const LANGUAGES: &[&str] = &["rs", "ts", "tsx", "mts", "js", "mjs", "cjs", "css", "html", "py"];

/// What is not left in Rust files, and what to do instead. Put together, so that this file does not break the rule.
const UNFINISHED: &[(&str, &str)] = &[
    (concat!("#[", "ignore"), "a test that does not run is deleted or made to run"),
    (concat!("to", "do!("), "it is finished, or an error says that it is not there"),
    (concat!("unimple", "mented!("), "it is finished, or an error says that it is not there"),
    (concat!("db", "g!("), "it was for one afternoon"),
    (concat!("```", "ignore"), "examples compile"),
];

pub(super) fn complaints(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    let path = &source.path;
    if source.has_extension("rs") {
        let ours = ["crates/", "www/", "tests/"].iter().any(|folder| path.starts_with(folder));
        if ours && !source.text.starts_with("//!") {
            found.push(format!("{path}:1: a module starts with a line `//! …` that says what it is for"));
        }
        for (number, line) in (1..).zip(source.text.lines()) {
            for (mark, advice) in UNFINISHED.iter().filter(|(mark, _)| line.contains(mark)) {
                found.push(format!("{path}:{number}: `{mark}`: {advice}"));
            }
        }
    }
    for (number, _) in (1..).zip(source.text.lines()).filter(|(_, line)| names_rule_shortly(line)) {
        found
            .push(format!("{path}:{number}: a rule has two digits, `r09_`: so it is found; here it has one"));
    }
    let lines = source.text.lines().count();
    let is_source = LANGUAGES.iter().any(|extension| source.has_extension(extension));
    if is_source && lines > LONGEST && !LONG.iter().any(|(long, _)| long == path) {
        found.push(format!("{path}: {lines} lines, {LONGEST} are allowed; it wants to be several files"));
    }
    found
}

/// Whether a test says its rule with one digit.
fn names_rule_shortly(line: &str) -> bool {
    let pieces = line.split(['"', '\'', '`', ' ']);
    pieces.filter_map(|piece| piece.strip_prefix('r')).any(|rest| {
        let mut rest = rest.chars();
        rest.next().is_some_and(|digit| digit.is_ascii_digit()) && rest.next() == Some('_')
    })
}

/// Exceptions that nothing needs any more.
pub(super) fn stale_exceptions(all: &[Source]) -> Vec<String> {
    LONG.iter()
        .filter(|(path, _)| {
            !all.iter().any(|source| source.path == *path && source.text.lines().count() > LONGEST)
        })
        .map(|(path, _)| format!("{path} is not long any more: take it out of the list in tidy/sources.rs"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn modules_start_with_what_they_are_for() {
        let expected =
            ["crates/core/src/a.rs:1: a module starts with a line `//! …` that says what it is for"];
        assert_eq!(complaints(&source("crates/core/src/a.rs", "use b;\n")), expected);
        assert!(complaints(&source("crates/core/src/a.rs", "//! Calls.\nuse b;\n")).is_empty());
        assert!(complaints(&source("tests/a.py", "import b\n")).is_empty());
    }

    #[test]
    fn long_source_files_are_told_and_long_data_is_not() {
        let text = "//! Long.\n".repeat(601);
        let expected = ["www/src/a.rs: 601 lines, 600 are allowed; it wants to be several files"];
        assert_eq!(complaints(&source("www/src/a.rs", text.clone())), expected);
        assert!(complaints(&source("tests/traces/a.json", text)).is_empty());
        assert!(complaints(&source("www/src/a.rs", "//! Short.\n".repeat(600))).is_empty());
    }

    #[test]
    fn unfinished_work_is_told_with_its_line() {
        for (mark, advice) in UNFINISHED {
            let text = format!("//! A.\nfn a() {{ {mark} }}\n");
            let expected = [format!("tests/a.rs:2: `{mark}`: {advice}")];
            assert_eq!(complaints(&source("tests/a.rs", text)), expected);
        }
    }

    #[test]
    fn rules_have_two_digits() {
        let rule = concat!("r", "9_replay");
        let line = |number| {
            format!("tests/a.mjs:{number}: a rule has two digits, `r09_`: so it is found; here it has one")
        };
        let text = format!("test('r09_a', b);\ntest(`${{name}}: {rule}: c`, d);\n");
        assert_eq!(complaints(&source("tests/a.mjs", text)), [line(2)]);
        assert!(complaints(&source("tests/a.mjs", "const [r1, error_1] = [\"r1\", 7_000];\n")).is_empty());
    }

    #[test]
    fn exceptions_are_needed_and_have_a_reason() {
        assert!(LONG.iter().all(|(_, reason)| reason.len() > 10));
        assert_eq!(stale_exceptions(&[]).len(), LONG.len());
    }
}
