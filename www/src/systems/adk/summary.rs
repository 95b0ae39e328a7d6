//! What a text of ADK is, in one line for the wire panel.

use countersign_json::{Document, Limits, Value};

use super::{CONFIRMATION, transcript};

/// What a text of the wire is, in one line.
#[must_use]
pub(super) fn summary(text: &str) -> String {
    if let Some(error) = countersign_connect::Adk::error_of(text) {
        return format!("error · {error}");
    }
    let Ok(document) = Document::parse(text, &Limits::default()) else { return "not JSON".to_owned() };
    let root = document.root();
    if root.get("events").is_some() || root.is_array() {
        let count = transcript::events(root).len();
        return format!("session · {count} {}", if count == 1 { "event" } else { "events" });
    }
    // A message that is sent is the content alone.
    let content = root.get("content").unwrap_or(root);
    let actions = root.get("actions");
    let is_stub =
        actions.is_some_and(|it| it.get("requestedToolConfirmations").is_some_and(|it| !it.is_empty()));
    let parts: Vec<String> = content
        .get("parts")
        .into_iter()
        .flat_map(Value::items)
        .filter_map(|part| described(part, is_stub))
        .collect();
    let author = root.get("author").and_then(Value::as_str_lossy);
    let what = author.map_or_else(|| "message".to_owned(), |author| author.into_owned());
    if parts.is_empty() {
        return format!("{what} · state");
    }
    format!("{what} · {}", counted(parts).join(", "))
}

fn described(part: Value<'_>, is_stub: bool) -> Option<String> {
    let [text, call, response] = part.pick(["text", "functionCall", "functionResponse"]);
    if let Some(call) = call {
        let name = word(call, "name");
        let asked = call.get("args").and_then(|args| args.get("originalFunctionCall"));
        return Some(
            asked.filter(|_| name == CONFIRMATION).map_or(name, |it| format!("asks {}", word(it, "name"))),
        );
    }
    if let Some(response) = response {
        let name = word(response, "name");
        if name != CONFIRMATION {
            return Some(format!("{name} {}", if is_stub { "waits" } else { "result" }));
        }
        let [confirmed, payload] =
            response.get("response").map(|it| it.pick(["confirmed", "payload"])).unwrap_or_default();
        let edited = payload.is_some_and(|payload| payload.get("modified_args").is_some());
        return Some(
            match confirmed.and_then(Value::as_bool) {
                Some(true) if edited => "edited",
                Some(true) => "approved",
                _ => "rejected",
            }
            .to_owned(),
        );
    }
    text.map(|_| "text".to_owned())
}

/// Equal neighbours counted.
fn counted(words: Vec<String>) -> Vec<String> {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for word in words {
        match kinds.last_mut() {
            Some((last, count)) if *last == word => *count += 1,
            _ => kinds.push((word, 1)),
        }
    }
    kinds
        .into_iter()
        .map(|(word, count)| if count > 1 { format!("{count} × {word}") } else { word })
        .collect()
}

fn word(object: Value<'_>, key: &str) -> String {
    object.get(key).and_then(Value::as_str_lossy).unwrap_or_default().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_said_in_one_line() {
        let check = |text: &str, expected| assert_eq!(summary(text), expected, "{text}");
        check("{", "not JSON");
        check(r#"{"error":"the model failed"}"#, "error · the model failed");
        check(r#"{"id":"s","events":[{}]}"#, "session · 1 event");
        check(
            r#"{"author":"plain","content":{"parts":[{"text":"x"},{"functionCall":{"name":"read_file"}},{"functionCall":{"name":"read_file"}}]}}"#,
            "plain · text, 2 × read_file",
        );
        check(
            r#"{"author":"plain","content":{"parts":[{"functionCall":{"name":"adk_request_confirmation","args":{"originalFunctionCall":{"name":"delete_file"}}}}]}}"#,
            "plain · asks delete_file",
        );
        check(
            r#"{"author":"plain","actions":{"requestedToolConfirmations":{"c":{}}},"content":{"parts":[{"functionResponse":{"name":"delete_file"}}]}}"#,
            "plain · delete_file waits",
        );
        check(r#"{"author":"deep","actions":{"stateDelta":{"x":null}}}"#, "deep · state");
    }

    #[test]
    fn an_answer_is_said_in_words() {
        let answer = |response: &str| {
            format!(r#"{{"functionResponse":{{"name":"adk_request_confirmation","response":{response}}}}}"#)
        };
        let parts = [
            answer(r#"{"confirmed":true}"#),
            answer(r#"{"confirmed":true,"payload":{"modified_args":{}}}"#),
            answer(r#"{"confirmed":false}"#),
        ];
        let message = format!(r#"{{"role":"user","parts":[{}]}}"#, parts.join(","));
        assert_eq!(summary(&message), "message · approved, edited, rejected");
    }
}
