//! What was said in a conversation, read from the runs that ended.
//!
//! The wire tells a person's words and those of the agent only at the end of a run.

use std::cell::RefCell;
use std::collections::BTreeMap;

use countersign_json::{Document, Limits, Value};

use crate::chat::transcript::{Bubble, Role};

/// Gives the runs of a conversation names where they have none on the wire.
///
/// Counting cannot tell a run that the log had before the socket told of it from one of the same words that follows.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// How often each run that made no calls was seen, by its text.
    plain: RefCell<BTreeMap<String, usize>>,
}

impl Names {
    /// Calls have ids that no other run has; what is said without them may be said again.
    fn name(&self, event: Value<'_>, messages: Value<'_>) -> String {
        if let Some(run) = event.get("run").and_then(Value::as_str) {
            return run.into_owned();
        }
        let mut parts = messages.items().flat_map(content);
        let call = parts.find_map(|part| part.get("tool_call")?.get("id")?.as_str_lossy());
        call.map_or_else(|| self.counted(messages.text()), |id| id.into_owned())
    }

    fn counted(&self, text: &str) -> String {
        let mut plain = self.plain.borrow_mut();
        let count = plain.entry(text.to_owned()).or_default();
        *count += 1;
        format!("{text}#{count}")
    }
}

/// What is said in a text of the wire: a message, or the log with everything from the beginning.
///
/// A message that has just come repeats the person's words, which the page showed when they were typed; only the log is
/// read with them.
#[must_use]
pub(super) fn read(text: &str, names: &Names) -> Vec<Bubble> {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return Vec::new() };
    let root = document.root();
    if !root.is_array() {
        let said = said(root, names).into_iter();
        return said.filter(|bubble| bubble.role == Role::Agent).collect();
    }
    names.plain.borrow_mut().clear();
    root.items().flat_map(|event| said(event, names)).collect()
}

/// The words of a run that ended.
fn said(event: Value<'_>, names: &Names) -> Vec<Bubble> {
    let [kind, messages, error] = event.pick(["type", "messages", "error"]);
    let is = |word: &str| kind.is_some_and(|kind| kind.equals(word));
    if let Some(error) = error.filter(|_| is("run_failed") || is("run_finished")) {
        let text = format!("The run failed: {}", error.as_str_lossy().unwrap_or_default());
        return vec![Bubble { id: names.name(event, event), role: Role::Agent, text }];
    }
    let Some(messages) = messages.filter(|_| is("run_finished")) else { return Vec::new() };
    let name = names.name(event, messages);
    let mut bubbles: Vec<Bubble> = Vec::new();
    for (place, message) in messages.items().enumerate() {
        let role = match message.get("role") {
            // Later messages of a user are those in which the library tells of edits.
            Some(role) if role.equals("user") && place == 0 => Role::User,
            Some(role) if role.equals("assistant") => Role::Agent,
            _ => continue,
        };
        let texts: Vec<_> = content(message).filter_map(|part| part.get("text")?.as_str_lossy()).collect();
        let text = texts.join("\n");
        // The library repeats the words beside the calls for each of them that was refused.
        let is_repeated = bubbles.last().is_some_and(|last| last.role == role && last.text == text);
        if !text.is_empty() && !is_repeated {
            bubbles.push(Bubble { id: format!("{name}/{place}"), role, text });
        }
    }
    bubbles
}

fn content(message: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    message.get("content").into_iter().flat_map(Value::items)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TALK: &str = r#"{"type":"run_finished","messages":[{"role":"user","content":[{"text":"hi"}]},{"role":"assistant","content":[{"text":"Hello."}]}]}"#;
    const CALLS: &str = r#"{"type":"run_finished","messages":[
        {"role":"user","content":[{"text":"go"}]},
        {"role":"assistant","content":[{"text":"I will."},{"tool_call":{"id":"c1"}}]},
        {"role":"tool","content":[{"tool_call_result":{"result":"no"}}]},
        {"role":"user","content":[{"text":"The parameters for tool 'x' were updated"}]},
        {"role":"assistant","content":[{"text":"I will."},{"tool_call":{"id":"c2"}}]},
        {"role":"assistant","content":[{"text":"Done."}]}]}"#;

    fn lines(bubbles: &[Bubble]) -> Vec<String> {
        bubbles.iter().map(|bubble| format!("{} {}", bubble.role.as_str(), bubble.text)).collect()
    }

    #[test]
    fn the_log_tells_everything_and_a_message_only_what_is_new() {
        let names = Names::default();
        let log =
            format!(r#"[{{"type":"approval_request"}},{CALLS},{{"type":"run_failed","error":"E: x"}}]"#);
        let expected = ["user go", "agent I will.", "agent Done.", "agent The run failed: E: x"];
        assert_eq!(lines(&read(&log, &names)), expected);
        assert_eq!(lines(&read(CALLS, &names)), ["agent I will.", "agent Done."]);
        assert_eq!(read(r#"{"type":"hello"}"#, &names), []);
    }

    #[test]
    fn a_run_that_the_log_had_before_the_socket_told_of_it_is_said_once() {
        let names = Names::default();
        let [first, second] = ["1", "2"].map(|run| TALK.replacen('{', &format!(r#"{{"run":"{run}","#), 1));
        let mut ids = std::collections::BTreeSet::new();
        for text in [&first, &format!("[{first},{second}]"), &second] {
            let agent = read(text, &names).into_iter().filter(|bubble| bubble.role == Role::Agent);
            ids.extend(agent.map(|bubble| bubble.id));
        }
        assert_eq!(ids.len(), 2);
    }

    #[test]
    fn the_same_run_has_the_same_name_live_and_in_the_log() {
        let names = Names::default();
        let live: Vec<Bubble> = [TALK, TALK, CALLS].iter().flat_map(|text| read(text, &names)).collect();
        let log = read(&format!("[{TALK},{TALK},{CALLS}]"), &names);
        let ids = |bubbles: &[Bubble]| -> Vec<String> {
            let agent = bubbles.iter().filter(|bubble| bubble.role == Role::Agent);
            agent.map(|bubble| bubble.id.clone()).collect()
        };
        assert_eq!(ids(&live), ids(&log));
        assert_eq!(ids(&live).iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
    }
}
