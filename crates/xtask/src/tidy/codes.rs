//! Error codes: what the code says and what the table in the guide says are the same.

use std::collections::BTreeSet;

use super::Source;

/// Where codes are defined, one a line: `Variant = "code",` or `Variant => "code",`.
const CODE: &[&str] = &["crates/core/src/error.rs"];

/// Where further codes are thrown into JavaScript, each quoted after one of these words.
const BOUNDARY: &str = "crates/wasm/";
const THROWN: &[&str] = &["CountersignError(", "Thrown { code: "];

/// The table that explains them to users, one code a row.
const TABLE: &str = "www/docs/errors.md";

pub(super) fn complaints(all: &[Source]) -> Vec<String> {
    let text_of =
        |path: &str| all.iter().find(|source| source.path == path).map(|source| source.text.as_str());
    let mut found = Vec::new();
    let mut defined = BTreeSet::new();
    for path in CODE {
        match text_of(path).map(in_rust) {
            None => found.push(format!("{path} is missing: it defines the error codes")),
            Some(codes) if codes.is_empty() => found.push(format!("{path} defines no error code")),
            Some(codes) => defined.extend(codes),
        }
    }
    for source in all.iter().filter(|source| source.path.starts_with(BOUNDARY)) {
        defined.extend(THROWN.iter().flat_map(|before| quoted_after(&source.text, before)));
    }
    let Some(explained) = text_of(TABLE).map(in_table) else {
        found.push(format!("{TABLE} is missing: it explains the error codes"));
        return found;
    };
    for code in defined.difference(&explained) {
        found.push(format!("{TABLE}: the code `{code}` is not in the table"));
    }
    for code in explained.difference(&defined) {
        found.push(format!("{TABLE}: no code in {} or {BOUNDARY} is called `{code}`", CODE.join(", ")));
    }
    found
}

/// The codes that a file defines, tests left out.
fn in_rust(text: &str) -> BTreeSet<&str> {
    text.lines()
        .map(str::trim)
        .take_while(|line| *line != "#[cfg(test)]")
        .filter_map(|line| line.strip_suffix("\","))
        .filter_map(|line| line.split_once(" = \"").or_else(|| line.split_once(" => \"")))
        .map(|(_, code)| code)
        .filter(|code| is_code(code))
        .collect()
}

/// The codes that stand in quotation marks right behind some words.
fn quoted_after<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let quoted = text.split(before).skip(1).filter_map(|rest| rest.strip_prefix('"')?.split_once('"'));
    quoted.map(|(code, _)| code).filter(|code| is_code(code)).collect()
}

/// The codes in the first column of Markdown tables: rows that begin with a word in backticks.
fn in_table(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix('|')?.trim_start().strip_prefix('`')?.split_once('`'))
        .map(|(code, _)| code)
        .filter(|code| is_code(code))
        .collect()
}

/// Kebab case: `already-decided`, `expired`.
fn is_code(text: &str) -> bool {
    let letter = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
    text.split('-').all(|word| !word.is_empty() && word.chars().all(letter))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn codes_of_the_boundary_are_found() {
        assert_eq!(
            quoted_after(r#"throw new CountersignError("late-code", "words")"#, THROWN[0]),
            ["late-code"]
        );
        assert!(quoted_after("new CountersignError(code, message)", THROWN[0]).is_empty());
    }

    const RUST: &str = r#"//! Codes.
        codes! {
            /// Too late.
            #[serde(rename = "not-this")]
            Expired = "expired",
        }
        match self {
            Self::AlreadyDecided => "already-decided",
            Self::Sentence => "not a code",
        }
        #[cfg(test)]
        mod tests { const A: [(&str, &str); 1] = [
            A => "in-a-test",
        ]; }
    "#;

    fn check(rust: Option<&str>, table: Option<&str>, expected: &[&str]) {
        let rust = rust.map(|text| source("crates/core/src/error.rs", text));
        let table = table.map(|text| source("www/docs/errors.md", text));
        let all: Vec<Source> = rust.into_iter().chain(table).collect();
        assert_eq!(complaints(&all), expected);
    }

    #[test]
    fn the_table_has_exactly_the_codes() {
        check(
            Some(RUST),
            Some("| code | why |\n|---|---|\n| `expired` | … |\n| `already-decided` | … |"),
            &[],
        );
    }

    #[test]
    fn differences_are_told_in_both_directions() {
        let expected = [
            "www/docs/errors.md: the code `already-decided` is not in the table",
            "www/docs/errors.md: no code in crates/core/src/error.rs or crates/wasm/ is called `expird`",
        ];
        check(Some(RUST), Some("| `expired` |\n| `expird` |"), &expected);
    }

    #[test]
    fn a_missing_file_is_told() {
        check(Some(RUST), None, &["www/docs/errors.md is missing: it explains the error codes"]);
        check(None, Some(""), &["crates/core/src/error.rs is missing: it defines the error codes"]);
        check(Some("//! None."), Some(""), &["crates/core/src/error.rs defines no error code"]);
    }
}
