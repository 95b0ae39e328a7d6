//! What was said in a session, read from ADK's events.

use countersign_json::{Document, Limits, Value};

use crate::chat::transcript::{Bubble, Role};

/// What is said in a text of the wire: an event, a list of them, or a session.
///
/// `hidden` are the inbox's flags: one for each event, in order.
#[must_use]
pub(super) fn read(text: &str, hidden: &[bool]) -> Vec<Bubble> {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return Vec::new() };
    let events = events(document.root());
    let flags = hidden.iter().copied().chain(std::iter::repeat(false));
    events
        .into_iter()
        .zip(flags)
        .filter(|(_, hidden)| !hidden)
        .filter_map(|(event, _)| bubble(event))
        .collect()
}

/// The events in a text of the wire.
#[must_use]
pub(super) fn events(root: Value<'_>) -> Vec<Value<'_>> {
    match root.get("events").or_else(|| root.is_array().then_some(root)) {
        Some(list) => list.items().collect(),
        None => vec![root],
    }
}

fn bubble(event: Value<'_>) -> Option<Bubble> {
    let [id, author, content] = event.pick(["id", "author", "content"]);
    let parts = content?.get("parts").into_iter().flat_map(Value::items);
    // What a model thinks is not what it says.
    let spoken =
        parts.filter(|part| part.get("thought").is_none_or(|thought| thought.as_bool() != Some(true)));
    let texts: Vec<_> = spoken.filter_map(|part| part.get("text")?.as_str_lossy()).collect();
    let text = texts.join("\n");
    let role = if author?.equals("user") { Role::User } else { Role::Agent };
    let id = id.and_then(Value::as_str).unwrap_or_default().into_owned();
    (!text.is_empty()).then_some(Bubble { id, role, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = r#"{"id":"s","events":[
        {"id":"1","author":"user","content":{"role":"user","parts":[{"text":"delete"}]}},
        {"id":"2","author":"plain","content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I will."},{"functionCall":{}}]}},
        {"id":"3","author":"plain"},
        {"id":"4","author":"plain","content":{"role":"user","parts":[{"functionResponse":{}}]}},
        {"id":"5","author":"plain","content":{"role":"model","parts":[{"text":"Done."}]}}]}"#;

    fn texts(text: &str, hidden: &[bool]) -> Vec<String> {
        let bubbles = read(text, hidden).into_iter();
        bubbles.map(|bubble| format!("{} {} {}", bubble.id, bubble.role.as_str(), bubble.text)).collect()
    }

    #[test]
    fn words_are_read_and_thoughts_and_calls_are_not() {
        assert_eq!(texts(SESSION, &[]), ["1 user delete", "2 agent I will.", "5 agent Done."]);
        assert_eq!(texts(r#"{"error":"the model failed"}"#, &[]), Vec::<String>::new());
    }

    #[test]
    fn a_hidden_event_makes_no_bubble() {
        assert_eq!(texts(SESSION, &[false, true, false, false, false]), ["1 user delete", "5 agent Done."]);
    }
}
