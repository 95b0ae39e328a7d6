//! What a text of A2A is, in one line for the wire panel.

use countersign_json::{Document, Limits, Value};

use super::HITL;

/// What a text of the wire is, in one line.
#[must_use]
pub(super) fn summary(text: &str) -> String {
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
}
