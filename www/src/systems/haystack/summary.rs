//! What a text of the wire is, in one line for the wire panel.

use countersign_json::{Document, Limits, Value};

/// What a text of the wire is, in one line.
#[must_use]
pub(super) fn summary(text: &str) -> String {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return "not JSON".to_owned() };
    let root = document.root();
    if root.is_array() {
        return format!("history · {}", counted(root, "event"));
    }
    let word = |key| root.get(key).and_then(Value::as_str_lossy).unwrap_or_default();
    let kind = word("type");
    match &*kind {
        "" if root.get("text").is_some() => "words".to_owned(),
        "hello" => format!("hello · {} {}", word("system"), word("version")),
        "approval_request" => format!("asks · {}", word("tool_name")),
        "approval_response" => format!("answer · {}", word("action")),
        "approval_resolved" if word("reason") == "timeout" => "resolved · timeout".to_owned(),
        "approval_resolved" => format!("resolved · {}", word("action")),
        "approval_error" => {
            let [status, detail] = root.pick(["status", "detail"]);
            let detail = detail.map(|detail| detail.as_str_lossy().unwrap_or(detail.text().into()));
            format!("refused · {} {}", status.map_or("", Value::text), detail.unwrap_or_default())
        }
        "tool_execution_decision" => {
            let runs = root.get("execute").and_then(Value::as_bool) == Some(true);
            format!("decision · {} {}", word("tool_name"), if runs { "runs" } else { "does not run" })
        }
        "run_finished" => {
            let messages = root.get("messages").map(|messages| counted(messages, "message"));
            format!("run finished · {}", messages.unwrap_or_else(|| word("error").into_owned()))
        }
        "run_failed" => format!("run failed · {}", word("error")),
        "" => "message".to_owned(),
        other => other.to_owned(),
    }
}

fn counted(list: Value<'_>, noun: &str) -> String {
    let count = list.items().count();
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_said_in_one_line() {
        let check = |text, expected| assert_eq!(summary(text), expected, "{text}");
        check("{", "not JSON");
        check("[{},{}]", "history · 2 events");
        check(r#"{"text":"hello"}"#, "words");
        check(r#"{"type":"hello","system":"haystack","version":"3.4.0"}"#, "hello · haystack 3.4.0");
        check(r#"{"type":"approval_request","tool_name":"x"}"#, "asks · x");
        check(r#"{"type":"approval_response","action":"modify"}"#, "answer · modify");
        check(r#"{"type":"approval_resolved","action":"reject","reason":"answered"}"#, "resolved · reject");
        check(r#"{"type":"approval_resolved","action":"reject","reason":"timeout"}"#, "resolved · timeout");
        check(
            r#"{"type":"approval_error","status":409,"detail":"already decided: reject"}"#,
            "refused · 409 already decided: reject",
        );
        check(
            r#"{"type":"approval_error","status":422,"detail":{"errors":["/a: x"]}}"#,
            r#"refused · 422 {"errors":["/a: x"]}"#,
        );
        check(r#"{"type":"tool_execution_decision","tool_name":"x","execute":true}"#, "decision · x runs");
        check(r#"{"type":"run_finished","messages":[{}]}"#, "run finished · 1 message");
        check(r#"{"type":"run_failed","error":"E: x"}"#, "run failed · E: x");
    }
}
