//! What the library tells the model of a decision, word for word.

use countersign_core::Decision;
use countersign_json::{Document, Limits, Value, python, quote};

use crate::options::Templates;

const REJECT: &str = "Tool execution for '{tool_name}' was rejected by the user.";
const MODIFY: &str =
    "The parameters for tool '{tool_name}' were updated by the user to:\n{final_tool_params}";
const USER_FEEDBACK: &str = "With user feedback: {feedback}";

/// What a strategy hands back for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// What the model is told, if anything.
    pub text: Option<String>,
    /// Whether the call runs.
    pub execute: bool,
    /// The arguments that it runs with, as JSON text. `None`: it does not run.
    pub final_tool_params: Option<String>,
}

/// What the library's own strategy makes of a decision on a call of `tool` with the arguments `args`, a JSON text.
///
/// `None`: the decision is none that the library knows; it would run the call.
#[must_use]
pub fn feedback(tool: &str, args: &str, decision: &Decision, templates: &Templates) -> Option<Feedback> {
    let (text, words, params) = match decision {
        Decision::Approve { .. } => {
            let final_tool_params = Some(args.to_owned());
            return Some(Feedback { text: None, execute: true, final_tool_params });
        }
        Decision::Reject { reason, .. } => (refusal_text(tool, templates), reason, None),
        Decision::Edit { args, note } => {
            let document = Document::parse(args.as_str(), &Limits::default()).ok()?;
            (edit_text(tool, document.root(), templates), note, Some(args.as_str().to_owned()))
        }
        _ => return None,
    };
    let text = match words.as_deref() {
        Some(words) if !words.is_empty() => format!("{text} {}", words_text(words, templates)),
        _ => text,
    };
    Some(Feedback { text: Some(text), execute: params.is_some(), final_tool_params: params })
}

fn refusal_text(tool: &str, templates: &Templates) -> String {
    render(templates.reject.as_deref().unwrap_or(REJECT), &[("tool_name", tool)])
}

/// What tells the model that a call was edited, without the words that may follow.
pub(super) fn edit_text(tool: &str, args: Value<'_>, templates: &Templates) -> String {
    let fields = [("tool_name", tool), (PARAMS, &python(args))];
    render(templates.modify.as_deref().unwrap_or(MODIFY), &fields)
}

fn words_text(words: &str, templates: &Templates) -> String {
    render(templates.user_feedback.as_deref().unwrap_or(USER_FEEDBACK), &[("feedback", words)])
}

/// The words behind the text of a refusal, if it is one; they may be empty.
pub(super) fn refusal<'t>(text: &'t str, tool: &str, templates: &Templates) -> Option<&'t str> {
    let template = templates.reject.as_deref().unwrap_or(REJECT);
    // Most results are no refusals, and their first words say it.
    if !text.starts_with(plain_start(template)) {
        return None;
    }
    words_in(text.strip_prefix(&*refusal_text(tool, templates))?, templates)
}

/// The reason in the text of a refusal, if it gives one.
pub(super) fn reason<'t>(text: &'t str, tool: &str, templates: &Templates) -> Option<&'t str> {
    refusal(text, tool, templates).filter(|words| !words.is_empty())
}

/// Whether it is worth a closer look whether a text tells of an edit.
pub(super) fn may_tell_edit(text: &str, templates: &Templates) -> bool {
    text.starts_with(plain_start(templates.modify.as_deref().unwrap_or(MODIFY)))
}

/// What stands in a template before anything is filled in.
fn plain_start(template: &str) -> &str {
    let len = template.bytes().take_while(|byte| !matches!(byte, b'{' | b'}')).count();
    template.get(..len).unwrap_or_default()
}

/// Whether a text is exactly this one about an edit, with or without words.
pub(super) fn tells_edit(text: &str, edit: &str, templates: &Templates) -> bool {
    behind(text, edit).is_some_and(|rest| {
        rest.is_empty() || words_in(rest, templates).is_some_and(|words| !words.is_empty())
    })
}

/// What stands in a text behind `before`. A Python whose Unicode does not know a character yet has escaped it.
fn behind<'t>(text: &'t str, before: &str) -> Option<&'t str> {
    before.chars().try_fold(text, |text, character| {
        text.strip_prefix(character).or_else(|| {
            let len = if character > '\u{ffff}' { 8 } else { 4 };
            let (digits, rest) = text.strip_prefix('\\')?.strip_prefix(['u', 'U'])?.split_at_checked(len)?;
            let is_it = u32::from_str_radix(digits, 16) == Ok(u32::from(character));
            (is_it && !character.is_ascii()).then_some(rest)
        })
    })
}

/// The words in what stands behind the text of a refusal or an edit; empty if there are none.
fn words_in<'t>(rest: &'t str, templates: &Templates) -> Option<&'t str> {
    if rest.is_empty() {
        return Some(rest);
    }
    let rest = rest.strip_prefix(' ')?;
    // Where the words stand, and how often, is seen from a mark in their place.
    let (empty, marked) = (words_text("", templates), words_text("\0", templates));
    let from = marked.find('\0').unwrap_or(0);
    let spare = rest.len().checked_sub(empty.len())?;
    let len = spare.checked_div(marked.len() - empty.len()).unwrap_or(0);
    let words = rest.get(from..from + len)?;
    (words_text(words, templates) == rest).then_some(words)
}

/// The field that is no string in the library, but a dictionary.
const PARAMS: &str = "final_tool_params";

/// Fills in a template as Python's `str.format` does; what it would fail on stays as it is.
fn render(template: &str, fields: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'{' | b'}')) {
        let (plain, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        text.push_str(plain);
        let (brace, behind) = from.split_at_checked(1).unwrap_or((from, ""));
        rest = behind;
        let field = behind.split_once('}').and_then(|(field, after)| {
            let (name, conversion) = field.split_once('!').unwrap_or((field, "s"));
            let (name, value) = fields.iter().find(|(known, _)| *known == name)?;
            Some((*name, *value, conversion, after))
        });
        match field {
            _ if behind.starts_with(brace) => {
                text.push_str(brace);
                rest = behind.get(1..).unwrap_or_default();
            }
            Some((name, value, conversion @ ("s" | "r"), after)) if brace == "{" => {
                if conversion == "r" && name != PARAMS {
                    push_quoted(&mut text, value);
                } else {
                    text.push_str(value);
                }
                rest = after;
            }
            _ => text.push_str(brace),
        }
    }
    text.push_str(rest);
    text
}

fn push_quoted(text: &mut String, value: &str) {
    if let Ok(document) = Document::parse(&quote(value), &Limits::default()) {
        text.push_str(&python(document.root()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_template_is_parsed() {
        let fields = [("tool_name", "{feedback} {{}}"), ("feedback", "it's {tool_name}")];
        assert_eq!(render("a {tool_name}|{feedback}", &fields), "a {feedback} {{}}|it's {tool_name}");
        assert_eq!(render("{{{tool_name!s}}} }}{{", &[("tool_name", "t")]), "{t} }{");
        assert_eq!(render("{feedback!r}", &fields), "\"it's {tool_name}\"");
        assert_eq!(render("{other} {tool_name!x} { }", &fields), "{other} {tool_name!x} { }");
        assert_eq!(render("}tool_name}", &fields), "}tool_name}");
    }

    #[test]
    fn words_are_found_wherever_the_template_puts_them() {
        let with =
            |template: &str| Templates { user_feedback: Some(template.into()), ..Templates::default() };
        let check = |template: &str, words: &str| {
            let templates = with(template);
            let rest = format!(" {}", words_text(words, &templates));
            assert_eq!(words_in(&rest, &templates), Some(words), "{template}");
        };
        for template in ["{feedback}", "({feedback})", "{feedback}|{feedback}", "x{{{feedback}}}x"] {
            for words in ["a", "ä ö", "base x", "a\nb"] {
                check(template, words);
            }
        }
        assert_eq!(words_in("", &with("{feedback}")), Some(""));
        assert_eq!(words_in("x", &with("{feedback}")), None);
        assert_eq!(words_in(" (a", &with("({feedback})")), None);
        assert_eq!(words_in(" a|b", &with("{feedback}|{feedback}")), None);
    }

    #[test]
    fn what_an_older_python_escapes_is_still_the_same_text() {
        let check = |text: &str, edit: &str, expected: bool| {
            assert_eq!(tells_edit(text, edit, &Templates::default()), expected, "{text}");
        };
        for text in [
            "{'a': '🩷\u{378}'}",
            r"{'a': '\U0001fa77\u0378'}",
            r"{'a': '\U0001fa77\u0378'} With user feedback: x",
        ] {
            check(text, "{'a': '🩷\u{378}'}", true);
        }
        check(r"{'a': '\uffff'}", "{'a': '\u{ffff}'}", true);
        check(r"{'a': '\U0001fa78'}", "{'a': '🩷'}", false);
        check(r"{'\u0061': 1}", "{'a': 1}", false);
        check(r"{'a': '\\u0378'}", "{'a': '\u{378}'}", false);
    }
}
