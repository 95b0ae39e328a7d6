//! A card as traces write it.

use std::collections::BTreeSet;

use countersign_core::{DecisionFields, RequestView};
use countersign_json::{Value, Writer};

use crate::matching::{Names, matches};

/// What a trace can compare of a card.
pub const FIELDS: [&str; 17] = [
    "request",
    "call",
    "tool",
    "args",
    "server",
    "agent",
    "status",
    "offers",
    "title",
    "description",
    "hint",
    "decision",
    "reason",
    "automatic",
    "questions",
    "result",
    "error",
];

/// The card as the JSON object that a trace compares with.
pub fn card(view: &RequestView) -> String {
    let mut writer = Writer::new();
    writer.begin_object();
    let text = |writer: &mut Writer, key: &str, value: Option<&str>| {
        if let Some(value) = value {
            writer.key(key).string(value);
        }
    };
    text(&mut writer, "request", view.request.as_ref().map(|id| id.as_str()));
    text(&mut writer, "call", view.call.as_ref().map(|id| id.as_str()));
    text(&mut writer, "tool", Some(view.tool.as_ref()).filter(|tool| !tool.is_empty()));
    text(&mut writer, "server", view.server.as_deref());
    text(&mut writer, "status", Some(view.status.as_str()));
    text(&mut writer, "title", view.title.as_deref());
    text(&mut writer, "description", view.description.as_deref());
    text(&mut writer, "hint", view.hint.as_deref());
    text(&mut writer, "reason", view.reason.as_deref());
    text(&mut writer, "error", view.error.as_deref());
    raw(&mut writer, "args", &view.args_text);
    if let Some(result) = &view.result_text {
        raw(&mut writer, "result", result);
    }
    writer.key("agent").begin_array();
    for agent in &view.agent {
        writer.string(agent);
    }
    writer.end_array();
    writer.key("offers").begin_array();
    for offer in &view.offers {
        writer.string(offer.kind.as_str());
    }
    writer.end_array();
    writer.key("automatic").bool(view.automatic);
    if let Some(decision) = &view.decision {
        writer.key("decision");
        write_decision(&mut writer, decision);
    }
    if let Some(questions) = &view.questions {
        writer.key("questions").raw(&serde_json::to_string(questions).unwrap_or_default());
    }
    writer.end_object();
    writer.finish()
}

/// What cannot be read is compared as the text that it is.
fn raw(writer: &mut Writer, key: &str, text: &str) {
    let readable = countersign_json::Document::parse(text, &countersign_json::Limits::default()).is_ok();
    writer.key(key);
    if readable {
        writer.raw(text);
    } else {
        writer.string(text);
    }
}

fn write_decision(writer: &mut Writer, decision: &DecisionFields) {
    writer.begin_object();
    writer.key("kind").string(&decision.kind);
    if let Some(scope) = decision.scope {
        writer.key("scope").raw(&serde_json::to_string(&scope).unwrap_or_default());
    }
    if let Some(args) = &decision.args {
        writer.key("args").raw(args);
    }
    for (key, words) in [("note", &decision.note), ("reason", &decision.reason), ("text", &decision.text)] {
        if let Some(words) = words {
            writer.key(key).string(words);
        }
    }
    if let Some(answers) = &decision.answers {
        writer.key("answers").raw(&serde_json::to_string(answers).unwrap_or_default());
    }
    writer.end_object();
}

/// Compares the fields that `expected` has; `offers` as a set.
///
/// # Errors
/// Where the two differ, and how.
pub fn matches_card(
    expected: Value<'_>,
    actual: Value<'_>,
    names: &mut Names,
    at: &str,
) -> Result<(), String> {
    for (key, value) in expected.members() {
        let key = key.as_str().unwrap_or_default();
        let at = format!("{at}/{key}");
        if !FIELDS.contains(&key.as_ref()) {
            return Err(format!("{at}: a card has no such field"));
        }
        if key == "offers" && value.is_array() {
            let set = |offers: Value<'_>| -> BTreeSet<String> {
                offers.items().map(|kind| kind.text().to_owned()).collect()
            };
            let given = actual.get("offers").map(set).unwrap_or_default();
            if set(value) != given {
                return Err(format!("{at}: should be {}, is {given:?}", value.text()));
            }
        } else {
            matches(value, actual.get(&key), names, &at)?;
        }
    }
    Ok(())
}
