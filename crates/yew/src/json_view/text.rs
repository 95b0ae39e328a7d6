//! Members that hold text of a kind of its own: programs, patches, a text before and after.

use std::borrow::Cow;
use std::rc::Rc;

use countersign_core::secret::{masked, secrets_in};
use countersign_json::Value;
use yew::prelude::*;

use crate::fold::{Room, chips_drawn, roomy, split};
use crate::node::{Tag, list, words};
use crate::piece::Stage;
use crate::text::code;
use crate::tool_call_card::facts::warning;
use crate::variants::Tone;

/// Members that hold a program.
const CODE: &[&str] =
    &["command", "cmd", "script", "code", "sql", "query", "shell", "bash", "python", "source", "source_code"];

/// Members that hold a text before a change and after it.
const PAIRS: &[(&str, &str)] = &[
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
    ("old_content", "new_content"),
    ("oldString", "newString"),
    ("before", "after"),
    ("old", "new"),
];

/// Members that hold a patch.
const PATCHES: &[&str] = &["diff", "patch", "unified_diff"];

/// How many lines of a patch are drawn as such.
const LINES: usize = 400;

/// How many marks are drawn in the lines of a patch.
const CHIPS: usize = 400;

/// Whether a member holds a program. A single word is drawn like any other text.
pub(super) fn is_code(key: &str, content: &str) -> bool {
    CODE.contains(&key) && content.contains([' ', '\n', ';', '('])
}

/// The text before and after a change that an object holds.
pub(super) fn pair<'d>(object: Value<'d>) -> Option<(Cow<'d, str>, Cow<'d, str>)> {
    if !object.is_object() {
        return None;
    }
    // Only names that stand there once: a repeated one is a hazard of its own.
    let text = |wanted: &str| {
        let mut found = object.members().filter(|(key, _)| key.equals(wanted));
        let text = found.next()?.1.as_str()?;
        found.next().is_none().then_some(text)
    };
    let (before, after) = PAIRS.iter().find_map(|(before, after)| Some((text(before)?, text(after)?)))?;
    (before != after).then_some((before, after))
}

/// The lines of a patch, each as what it is.
pub(super) fn patch(key: &str, content: &str, stage: &Rc<Stage>) -> Option<Html> {
    let is_patch = PATCHES.contains(&key)
        && content.lines().any(|line| line.starts_with(['+', '-']))
        && secrets_in(content).is_empty();
    if !is_patch {
        return None;
    }
    let mut rest = content;
    let mut rows = Vec::new();
    let mut chips = 0;
    while !rest.is_empty() && rows.len() < LINES && chips < CHIPS {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let class = match line.chars().next() {
            Some('+') => "cs-line cs-added-line",
            Some('-') => "cs-line cs-removed-line",
            Some('@') => "cs-line cs-changes-name",
            _ => "cs-line",
        };
        rows.push(Tag::new("div", class).child(roomy(line, Room::LINE, stage)).html());
        chips += chips_drawn(line);
        rest = after;
    }
    if !rest.is_empty() {
        rows.push(Tag::new("div", "cs-line").child(roomy(rest, Room::LINE, stage)).html());
    }
    Some(Tag::new("div", "cs-diff cs-patch cs-code").part("diff").list(rows).html())
}

/// Both ends of a text that is too long to be shown, and how long it is.
pub(super) fn ends(text: &str, stage: &Stage) -> Html {
    let messages = stage.messages();
    let (head, between, tail) = split(text, 2_000, 500);
    let size = head.chars().count() + between + tail.chars().count();
    let gap = Tag::new("span", "cs-chip").words(messages.characters_more(between)).html();
    let ends = vec![code(&masked(head)), gap, code(&masked(tail))];
    list(vec![
        warning(Tone::Bad, words(messages.too_large(&messages.characters(size)))).html(),
        Tag::new("pre", "cs-raw cs-code").part("raw").list(ends).html(),
    ])
}

#[cfg(test)]
mod tests {
    use countersign_json::{Document, Limits};

    use super::*;

    #[test]
    fn a_text_before_and_after_is_found_only_where_both_are_there_once() {
        let found = |text: &str| {
            let document = Document::parse(text, &Limits::default()).expect("JSON");
            pair(document.root()).map(|(before, after)| [before, after].join("→"))
        };
        assert_eq!(found(r#"{"path":"a","old_string":"x","new_string":"y"}"#).as_deref(), Some("x→y"));
        for text in [
            r#"{"old_string":"x"}"#,
            r#"{"old_string":"x","new_string":1}"#,
            r#"{"old":"x","new":"x"}"#,
            r#"{"old":"x","new":"y","old":"z"}"#,
            "[]",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn a_program_is_more_than_a_word() {
        assert!(is_code("command", "rm -rf /") && is_code("sql", "drop table\nusers"));
        assert!(!is_code("command", "undo") && !is_code("path", "a b"));
    }
}
