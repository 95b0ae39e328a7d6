//! The rules of the card: each has its words and its test, and no test has a number that is no rule's.

use super::Source;

/// One rule a row: its number, its words, one of its tests.
const TABLE: &str = "tests/RULES.md";

/// What tests are written in.
const LANGUAGES: &[&str] = &["rs", "mjs", "ts", "tsx", "js", "py"];

pub(super) fn complaints(all: &[Source]) -> Vec<String> {
    let Some(table) = all.iter().find(|source| source.path == TABLE) else {
        return vec![format!("{TABLE} is missing: it has the words of the rules")];
    };
    let tests =
        || all.iter().filter(|source| LANGUAGES.iter().any(|language| source.has_extension(language)));
    let mut found = Vec::new();
    let mut rows = 0;
    for (line, number, test) in (1..).zip(table.text.lines()).filter_map(|(line, text)| row(line, text)) {
        rows += 1;
        if number != rows {
            found.push(format!("{TABLE}:{line}: rule {rows:02} should stand here"));
        }
        if !test.contains(&format!("r{number:02}_")) {
            found.push(format!("{TABLE}:{line}: `{test}` is not named after the rule"));
        } else if !tests().any(|source| source.text.contains(test)) {
            found.push(format!("{TABLE}:{line}: there is no test `{test}`"));
        }
    }
    for source in tests() {
        for (line, text) in (1..).zip(source.text.lines()) {
            for number in numbers(text).filter(|number| !(1..=rows).contains(number)) {
                found.push(format!("{}:{line}: {TABLE} has no rule {number:02}", source.path));
            }
        }
    }
    found
}

/// The number and the test of a row.
fn row(line: usize, text: &str) -> Option<(usize, u32, &str)> {
    let rest = text.strip_prefix("| ")?;
    let (number, rest) = rest.split_once(" |")?;
    let (_, test) = rest.trim_end().strip_suffix("` |")?.rsplit_once('`')?;
    Some((line, number.parse().ok()?, test))
}

/// The numbers of rules in the names of tests: `r26_…`, `test_r50_…`.
fn numbers(line: &str) -> impl Iterator<Item = u32> {
    line.match_indices('r').filter_map(|(at, _)| {
        let (before, rest) = line.split_at_checked(at)?;
        let is_first = !before.chars().next_back().is_some_and(char::is_alphanumeric);
        let digits = rest.get(1..3).filter(|_| is_first && rest.get(3..4) == Some("_"))?;
        digits.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn check(table: &str, test: &str, expected: &[&str]) {
        let all = [source(TABLE, table), source("tests/a.mjs", test)];
        assert_eq!(complaints(&all), expected, "{table}");
    }

    // Put together, so that this file names no test.
    const FIRST: &str = concat!("| 01 | It holds. | `r", "01_it_holds` |\n");
    const TEST: &str = concat!("test('r", "01_it_holds', a);\n");

    #[test]
    fn each_rule_has_a_test_and_each_number_a_rule() {
        check(FIRST, TEST, &[]);
        let second = concat!("test('a: r", "02_it_is_not_there: b', c); test_r", "77_a(); var_1r", "78_");
        let expected =
            ["tests/a.mjs:2: tests/RULES.md has no rule 02", "tests/a.mjs:2: tests/RULES.md has no rule 77"];
        check(FIRST, &format!("{TEST}{second}"), &expected);
    }

    #[test]
    fn rows_that_show_nothing_are_told() {
        check(FIRST, "", &[concat!("tests/RULES.md:1: there is no test `r", "01_it_holds`")]);
        let expected = [
            "tests/RULES.md:1: rule 01 should stand here",
            concat!("tests/RULES.md:1: `r", "01_it_holds` is not named after the rule"),
            concat!("tests/a.mjs:1: tests/RULES.md has no rule ", "02"),
        ];
        let table = FIRST.replace("| 01 |", "| 02 |");
        check(&table, concat!("test('r", "01_it_holds', r", "02_a);"), &expected);
        assert_eq!(complaints(&[]), ["tests/RULES.md is missing: it has the words of the rules"]);
    }
}
