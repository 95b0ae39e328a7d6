//! What came and what went, and how to say it in one line.

use countersign_core::Millis;
use countersign_json::{Document, Limits, Value};

use crate::agent::HITL;

/// How many entries are kept; older ones are dropped.
const KEPT: usize = 500;

/// Which way a text went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the agent to the page.
    In,
    /// From the page to the agent.
    Out,
}

impl Direction {
    /// The direction as markup spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::In => "in",
            Direction::Out => "out",
        }
    }
}

/// One text that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from zero.
    pub number: u32,
    /// Which way it went.
    pub direction: Direction,
    /// When.
    pub at: Millis,
    /// What it is, in one line.
    pub summary: String,
    /// The exact text.
    pub text: String,
}

/// The latest texts that came and went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    entries: Vec<Entry>,
    next: u32,
}

impl Log {
    /// The entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds a text.
    pub fn add(&mut self, direction: Direction, at: Millis, text: String) {
        let summary = summary(&text);
        self.add_as(direction, at, summary, text);
    }

    /// Adds a text with words of its own.
    pub fn add_as(&mut self, direction: Direction, at: Millis, summary: String, text: String) {
        if self.entries.len() >= KEPT {
            self.entries.remove(0);
        }
        self.entries.push(Entry { number: self.next, direction, at, summary, text });
        self.next = self.next.saturating_add(1);
    }
}

/// What a text of the wire is, in one line.
#[must_use]
pub fn summary(text: &str) -> String {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return "not JSON".to_owned() };
    let root = document.root();
    if let Some(error) = root.get("error").filter(|error| error.is_object()) {
        let code = error.get("code").map_or("", Value::text);
        return format!("error {code} {}", word(error, "message"));
    }
    let root = root.get("result").unwrap_or(root);
    let list =
        [root.get("data"), root.get("tasks"), Some(root)].into_iter().flatten().find(|it| it.is_array());
    if let Some(list) = list {
        return counted(list.items().count(), "task");
    }
    if let Some(update) = root.get("artifactUpdate").or_else(|| root.get("artifact").map(|_| root)) {
        return join(&["artifact", &update.get("artifact").map(parts).unwrap_or_default()]);
    }
    let update = root.get("statusUpdate").or_else(|| root.get("task")).unwrap_or(root);
    if let Some(status) = update.get("status") {
        let state = word(status, "state");
        let state = state.trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-");
        let what = if update.get("id").is_some() { "task" } else { "status" };
        return join(&[what, &state, &status.get("message").map(message).unwrap_or_default()]);
    }
    join(&["message", &message(root)])
}

fn message(message: Value<'_>) -> String {
    let payload = message.get("metadata").and_then(|metadata| metadata.get(HITL));
    payload.map_or_else(|| parts(message), |payload| word(payload, "type"))
}

/// The kinds of parts, equal neighbours counted.
fn parts(source: Value<'_>) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for part in source.get("parts").into_iter().flat_map(Value::items) {
        let kind = kind(part);
        match kinds.last_mut() {
            Some((last, count)) if *last == kind => *count += 1,
            _ => kinds.push((kind, 1)),
        }
    }
    let words =
        kinds.into_iter().map(|(kind, count)| if count > 1 { format!("{count} × {kind}") } else { kind });
    words.collect::<Vec<_>>().join(", ")
}

fn kind(part: Value<'_>) -> String {
    let Some(data) = part.get("data") else { return "text".to_owned() };
    if let Some(decision) = data.get("decision_type") {
        return format!("decision {}", decision.as_str().unwrap_or_default());
    }
    let metadata = part.get("metadata");
    let typed = ["adk_type", "kagent_type", "type"].iter().find_map(|key| metadata?.get(key)?.as_str());
    match (word(data, "name"), typed) {
        (name, Some(kind)) if kind == "function_response" => format!("{name} result"),
        (name, _) => name,
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn join(words: &[&str]) -> String {
    words.iter().copied().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn word(object: Value<'_>, key: &str) -> String {
    object.get(key).and_then(Value::as_str_lossy).unwrap_or_default().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_said_in_one_line() {
        let check = |text: &str, expected| assert_eq!(summary(text), expected);
        check("{", "not JSON");
        check(r#"{"error":{"code":-32602,"message":"ended"}}"#, "error -32602 ended");
        check(r#"{"error":false,"data":[{},{}],"message":""}"#, "2 tasks");
        check(
            r#"{"result":{"kind":"status-update","status":{"state":"working","message":{"parts":[{"text":"x"},{"data":{"name":"delete_file"}},{"data":{"name":"delete_file"}}]}}}}"#,
            "status · working · text, 2 × delete_file",
        );
        check(
            r#"{"result":{"statusUpdate":{"status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"metadata":{"https://kagent.dev/extensions/hitl/v1":{"type":"tool_approval_request"}}}}}}}"#,
            "status · input-required · tool_approval_request",
        );
        check(
            r#"{"parts":[{"data":{"decision_type":"batch"}},{"text":"ok"}]}"#,
            "message · decision batch, text",
        );
        check(
            r#"{"result":{"artifactUpdate":{"artifact":{"parts":[{"data":{"name":"a"},"metadata":{"adk_type":"function_response"}}]}}}}"#,
            "artifact · a result",
        );
    }

    #[test]
    fn old_entries_are_dropped_and_numbers_go_on() {
        let mut log = Log::default();
        for _ in 0..=KEPT {
            log.add(Direction::In, Millis(0), "{}".to_owned());
        }
        assert_eq!((log.entries().len(), log.entries().first().map(|it| it.number)), (KEPT, Some(1)));
    }
}
