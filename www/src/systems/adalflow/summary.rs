//! What a text of AdalFlow is, in one line for the wire panel.

use countersign_json::{Document, Limits, Value};

/// What a text of the wire is, in one line.
#[must_use]
pub(super) fn summary(text: &str) -> String {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return "not JSON".to_owned() };
    let root = document.root();
    if root.is_array() {
        return list(root);
    }
    let [kind, path, status, told] = root.pick(["type", "path", "status", "text"]);
    let Some(kind) = kind.and_then(Value::as_str) else {
        return match (path, status, told) {
            (Some(_), ..) => join(&["answer", &root.get("body").map(outcome).unwrap_or_default()]),
            (_, Some(status), _) => join(&[&words(status), &outcome(root)]),
            (_, _, Some(_)) => "message".to_owned(),
            _ => "state".to_owned(),
        };
    };
    match kind.as_ref() {
        "approval_request" => format!("asks {}", word(root, "tool")),
        "approval_response" => join(&["answer", &outcome(root)]),
        "approval_resolved" if word(root, "reason") == "timeout" => "resolved · timeout".to_owned(),
        "approval_resolved" => join(&["resolved", &outcome(root)]),
        "approval_error" => join(&[
            "refused",
            root.get("status").map_or("", Value::text),
            &root.get("detail").map(words).unwrap_or_default(),
        ]),
        "raw_response_event" => planned(root),
        "run_item_stream_event" => event(root),
        "run_finished" => "run finished".to_owned(),
        "run_failed" => join(&["run failed", &word(root, "error")]),
        other => other.to_owned(),
    }
}

/// A log, a list of what waits, or both together.
fn list(root: Value<'_>) -> String {
    let waiting = root.items().filter(|item| item.get("request_id").is_some()).count();
    let messages = root.items().count().saturating_sub(waiting);
    let waiting = (waiting > 0 || messages == 0).then(|| format!("{waiting} waiting"));
    let plural = if messages == 1 { "message" } else { "messages" };
    let messages = (messages > 0).then(|| format!("{messages} {plural}"));
    let parts: Vec<String> = messages.into_iter().chain(waiting).collect();
    format!("list · {}", parts.join(", "))
}

fn planned(root: Value<'_>) -> String {
    match root.get("data").filter(|data| data.is_object()) {
        Some(data) => format!("plans {}", word(data, "name")),
        None => join(&["model failed", &word(root, "error")]),
    }
}

/// An event of the stream, with the tool that it is about.
fn event(root: Value<'_>) -> String {
    let name = word(root, "name");
    let name = name.trim_start_matches("agent.").replace('_', " ");
    let data = root.get("item").and_then(|item| item.get("data"));
    let tool = data.and_then(|data| {
        let [tool, name, function] = data.pick(["tool_name", "name", "function"]);
        tool.or(name).or(function.and_then(|function| function.get("name")))
    });
    join(&[&name, &tool.map(words).unwrap_or_default()])
}

fn outcome(object: Value<'_>) -> String {
    word(object, "outcome")
}

fn word(object: Value<'_>, key: &str) -> String {
    object.get(key).map(words).unwrap_or_default()
}

/// A string's content, else the text of the value.
fn words(value: Value<'_>) -> String {
    value.as_str_lossy().map_or_else(|| value.text().to_owned(), |text| text.into_owned())
}

fn join(words: &[&str]) -> String {
    words.iter().copied().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_said_in_one_line() {
        let check = |text: &str, expected| assert_eq!(summary(text), expected, "{text}");
        check("{", "not JSON");
        check(r#"{"type":"hello","system":"adalflow"}"#, "hello");
        check(r#"{"text":"delete"}"#, "message");
        check(r#"{"type":"approval_request","id":"1","tool":"delete_file"}"#, "asks delete_file");
        check(r#"{"type":"approval_response","id":"1","outcome":"cancel"}"#, "answer · cancel");
        check(
            r#"{"method":"POST","path":"/api/v1/approvals/1/approve","body":{"outcome":"cancel"}}"#,
            "answer · cancel",
        );
        check(r#"{"status":"accepted","request_id":"1","outcome":"cancel"}"#, "accepted · cancel");
        check(r#"{"type":"approval_resolved","outcome":"cancel","reason":"timeout"}"#, "resolved · timeout");
        check(
            r#"{"type":"approval_resolved","outcome":"proceed_always","reason":"answered"}"#,
            "resolved · proceed_always",
        );
        check(
            r#"{"type":"approval_error","status":409,"detail":"already decided: cancel"}"#,
            "refused · 409 · already decided: cancel",
        );
        check(r#"{"type":"run_failed","error":"x"}"#, "run failed · x");
    }

    #[test]
    fn events_name_their_tool_and_lists_count() {
        let check = |text: &str, expected| assert_eq!(summary(text), expected, "{text}");
        check(r#"{"type":"raw_response_event","data":{"name":"finish"}}"#, "plans finish");
        check(r#"{"type":"raw_response_event","data":null,"error":"x"}"#, "model failed · x");
        check(
            r#"{"type":"run_item_stream_event","name":"agent.tool_call_start","item":{"data":{"name":"read_file"}}}"#,
            "tool call start · read_file",
        );
        check("[]", "list · 0 waiting");
        check(r#"[{"request_id":"1"}]"#, "list · 1 waiting");
        check(r#"[{"type":"hello"},{"request_id":"1"}]"#, "list · 1 message, 1 waiting");
    }
}
