//! What a text of LangGraph is, in one line for the wire panel.

use countersign_json::{Document, Limits, Value};

/// What a text of the wire is, in one line.
#[must_use]
pub(super) fn summary(text: &str) -> String {
    if let Some(error) = countersign_connect::LangGraph::error_of(text) {
        return format!("error · {error}");
    }
    let Ok(document) = Document::parse(text, &Limits::default()) else { return "not JSON".to_owned() };
    let root = document.root();
    if root.is_array() {
        return format!("history · {}", count(root.len(), "state"));
    }
    let [event, data, resume, messages, values] =
        root.pick(["event", "data", "resume", "messages", "values"]);
    if let Some(resume) = resume {
        let answers = resume.members().flat_map(|(_, answer)| answered(answer)).collect();
        return format!("resume · {}", counted(answers).join(", "));
    }
    if let (Some(event), Some(data)) = (event.and_then(Value::as_str_lossy), data) {
        let (name, namespace) = event.split_once('|').unwrap_or((&event, ""));
        let inside = if namespace.is_empty() { "" } else { " inside a tool" };
        return format!("{name}{inside} · {}", described(name, data));
    }
    match (messages, values) {
        (Some(_), _) => "input · text".to_owned(),
        (None, Some(values)) => format!("state · {}", described("values", values)),
        (None, None) => "unknown".to_owned(),
    }
}

fn described(name: &str, data: Value<'_>) -> String {
    if name == "metadata" {
        return "a run begins".to_owned();
    }
    let [messages, interrupts] = data.pick(["messages", "__interrupt__"]);
    let asks = interrupts.into_iter().flat_map(Value::items).flat_map(asked);
    let mut words: Vec<String> = asks.map(|tool| format!("asks {tool}")).collect();
    if name == "values" {
        words.insert(0, count(messages.map_or(0, Value::len), "message"));
    } else {
        for (_, update) in data.members() {
            let messages = update.get("messages").into_iter().flat_map(Value::items);
            words.extend(messages.flat_map(said));
        }
    }
    if words.is_empty() { "nothing new".to_owned() } else { counted(words).join(", ") }
}

/// What a message is.
fn said(message: Value<'_>) -> Vec<String> {
    let [kind, content, calls] = message.pick(["type", "content", "tool_calls"]);
    if kind.is_some_and(|kind| kind.equals("tool")) {
        return vec![format!("{} result", word(message, "name"))];
    }
    let text = content.filter(|content| !content.equals("")).map(|_| "text".to_owned());
    text.into_iter().chain(calls.into_iter().flat_map(Value::items).map(|call| word(call, "name"))).collect()
}

/// The tools about which an interrupt asks.
fn asked(interrupt: Value<'_>) -> Vec<String> {
    let Some(value) = interrupt.get("value") else { return Vec::new() };
    if let Some(batch) = value.get("action_requests") {
        return batch.items().map(|action| word(action, "name")).collect();
    }
    if value.is_array() {
        let actions = value.items().filter_map(|it| it.get("action_request"));
        return actions.map(|action| word(action, "action")).collect();
    }
    vec![word(value, "name")]
}

/// What an answer says of each call.
fn answered(answer: Value<'_>) -> Vec<String> {
    let list = answer.get("decisions").unwrap_or(answer);
    let decisions: Vec<Value<'_>> = if list.is_array() { list.items().collect() } else { vec![list] };
    let spoken = |word: &str| {
        match word {
            "approve" | "accept" => "approved",
            "edit" => "edited",
            "reject" => "rejected",
            "respond" | "response" => "responded",
            "ignore" => "ignored",
            other => other,
        }
        .to_owned()
    };
    decisions.into_iter().map(|decision| spoken(&word(decision, "type"))).collect()
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

fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

fn word(object: Value<'_>, key: &str) -> String {
    object.get(key).and_then(Value::as_str_lossy).unwrap_or_default().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(summary(text), expected, "{text}");
    }

    #[test]
    fn a_part_of_a_stream_is_said_in_one_line() {
        check("{", "not JSON");
        check(r#"{"event":"error","data":{"message":"it failed"}}"#, "error · it failed");
        check(r#"{"event":"metadata","data":{"run_id":"r"}}"#, "metadata · a run begins");
        check(
            r#"{"event":"updates","data":{"model":{"messages":[{"type":"ai","content":"x","tool_calls":[{"name":"a"},{"name":"a"}]}]}}}"#,
            "updates · text, 2 × a",
        );
        check(
            r#"{"event":"updates|tools:1","data":{"tools":{"messages":[{"type":"tool","name":"a","content":""}]}}}"#,
            "updates inside a tool · a result",
        );
        check(
            r#"{"event":"updates","data":{"HumanInTheLoopMiddleware.after_model":null}}"#,
            "updates · nothing new",
        );
    }

    #[test]
    fn what_is_asked_is_said_in_every_form() {
        let updates = |value: &str| {
            format!(r#"{{"event":"updates","data":{{"__interrupt__":[{{"id":"i","value":{value}}}]}}}}"#)
        };
        check(&updates(r#"{"action_requests":[{"name":"a"},{"name":"b"}]}"#), "updates · asks a, asks b");
        check(&updates(r#"{"type":"tool_approval","name":"a"}"#), "updates · asks a");
        check(&updates(r#"[{"action_request":{"action":"a"}}]"#), "updates · asks a");
    }

    #[test]
    fn states_and_what_is_sent_are_said_in_one_line() {
        check(r#"[{"values":{},"tasks":[]}]"#, "history · 1 state");
        check(r#"{"values":{"messages":[{},{}]},"tasks":[]}"#, "state · 2 messages");
        check(r#"{"messages":[{"role":"user","content":"x"}]}"#, "input · text");
        check(
            r#"{"resume":{"i":{"decisions":[{"type":"approve"},{"type":"reject"}]}}}"#,
            "resume · approved, rejected",
        );
        check(
            r#"{"resume":{"i":[{"type":"ignore","args":null}],"j":{"type":"edit"}}}"#,
            "resume · ignored, edited",
        );
    }
}
