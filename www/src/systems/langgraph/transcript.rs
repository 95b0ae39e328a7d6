//! What was said in a thread, read from its states and from the parts of a stream.

use countersign_json::{Document, Limits, Value};

use crate::chat::transcript::{Bubble, Role};

/// What is said in a text of the wire: a part of a stream, a thread state, or a list of them with the newest first.
///
/// `hidden` are the inbox's flags: one for each message of a whole state. Only a list tells what the person said: the
/// server gives those words an id of its own, under which a page that goes on would show them again. What an agent
/// inside a tool says is between that agent and the tool.
#[must_use]
pub(super) fn read(text: &str, hidden: &[bool]) -> Vec<Bubble> {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return Vec::new() };
    let root = document.root();
    if root.is_array() {
        let newest = root.items().next().and_then(|state| state.get("values"));
        return newest.map(|values| shown(values, hidden)).unwrap_or_default();
    }
    let [event, data, values] = root.pick(["event", "data", "values"]);
    let said = match (event, data) {
        (Some(event), Some(data)) if event.equals("values") => shown(data, hidden),
        (Some(event), Some(data)) if event.equals("updates") => {
            data.members().flat_map(|(_, update)| shown(update, &[])).collect()
        }
        (None, _) => values.map(|values| shown(values, hidden)).unwrap_or_default(),
        _ => Vec::new(),
    };
    said.into_iter().filter(|bubble| bubble.role == Role::Agent).collect()
}

/// The messages of a state or an update that a person sees.
fn shown(values: Value<'_>, hidden: &[bool]) -> Vec<Bubble> {
    let flags = hidden.iter().copied().chain(std::iter::repeat(false));
    let messages = values.get("messages").into_iter().flat_map(Value::items);
    messages.zip(flags).filter(|(_, hidden)| !hidden).filter_map(|(message, _)| bubble(message)).collect()
}

fn bubble(message: Value<'_>) -> Option<Bubble> {
    let [id, kind, content] = message.pick(["id", "type", "content"]);
    let role = match kind {
        Some(kind) if kind.equals("human") => Role::User,
        Some(kind) if kind.equals("ai") => Role::Agent,
        _ => return None,
    };
    let text = words(content?);
    let id = id.and_then(Value::as_str).unwrap_or_default().into_owned();
    (!text.is_empty()).then_some(Bubble { id, role, text })
}

/// The words of a content: a text, or a list of blocks of which some are texts.
fn words(content: Value<'_>) -> String {
    if let Some(text) = content.as_str_lossy() {
        return text.into_owned();
    }
    let texts: Vec<_> = content.items().filter_map(|block| block.get("text")?.as_str_lossy()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: &str = r#"{"messages":[
        {"id":"1","type":"human","content":"delete"},
        {"id":"2","type":"ai","content":[{"type":"text","text":"I will."},{"type":"image"}],"tool_calls":[{}]},
        {"id":"3","type":"tool","content":"Deleted."},
        {"id":"4","type":"ai","content":""},
        {"id":"5","type":"ai","content":"Done."}]}"#;

    fn texts(text: &str, hidden: &[bool]) -> Vec<String> {
        let bubbles = read(text, hidden).into_iter();
        bubbles.map(|bubble| format!("{} {} {}", bubble.id, bubble.role.as_str(), bubble.text)).collect()
    }

    #[test]
    fn a_history_tells_what_both_said_and_its_newest_state_counts() {
        let state = format!(r#"{{"values":{VALUES},"tasks":[]}}"#);
        let history = format!(r#"[{state},{{"values":{{}},"tasks":[]}}]"#);
        assert_eq!(texts(&history, &[]), ["1 user delete", "2 agent I will.", "5 agent Done."]);
        assert_eq!(texts(&history, &[false, true]), ["1 user delete", "5 agent Done."]);
        assert_eq!(texts(&state, &[]), ["2 agent I will.", "5 agent Done."]);
    }

    #[test]
    fn a_stream_tells_what_the_agent_says_and_not_what_its_own_agents_do() {
        let part = |event: &str, data: &str| format!(r#"{{"event":"{event}","data":{data}}}"#);
        assert_eq!(texts(&part("values", VALUES), &[]), ["2 agent I will.", "5 agent Done."]);
        let update = format!(r#"{{"model":{VALUES},"HumanInTheLoopMiddleware.after_model":null}}"#);
        assert_eq!(texts(&part("updates", &update), &[]), ["2 agent I will.", "5 agent Done."]);
        assert_eq!(texts(&part("values|tools:1", VALUES), &[]), Vec::<String>::new());
        assert_eq!(texts(&part("metadata", r#"{"run_id":"r"}"#), &[]), Vec::<String>::new());
    }
}
