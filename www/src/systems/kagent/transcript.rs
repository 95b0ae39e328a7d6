//! What was said in a conversation, read from A2A.
//!
//! Which messages belong to the approval exchange alone the inbox knows; here only the words are read.

use countersign_json::{Document, Limits, Value};

use crate::chat::transcript::{Bubble, Role};

/// What is said in a text of the wire.
///
/// `hidden` are the inbox's flags: one for each message, in the order of the bytes.
#[must_use]
pub(super) fn read(text: &str, hidden: &[bool]) -> Vec<Bubble> {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return Vec::new() };
    let root = document.root();
    let root = root.get("result").unwrap_or(root);
    let mut flags = Flags { hidden: hidden.iter() };
    let listed =
        [root.get("data"), root.get("tasks"), Some(root)].into_iter().flatten().find(|it| it.is_array());
    if let Some(list) = listed {
        let mut tasks: Vec<Vec<Bubble>> = list.items().map(|task| in_task(task, &mut flags)).collect();
        // A2A 1.0 lists the newest task first.
        if root.get("tasks").is_some() {
            tasks.reverse();
        }
        return tasks.concat();
    }
    if let Some(update) = root.get("artifactUpdate") {
        return update.get("artifact").and_then(artifact).into_iter().collect();
    }
    let update = root.get("statusUpdate").unwrap_or(root);
    if let Some(status) = update.get("status").filter(|_| update.get("id").is_none()) {
        return status.get("message").and_then(|message| flags.shown(message)).into_iter().collect();
    }
    let task = root.get("task").unwrap_or(root);
    if task.get("status").is_some() {
        return in_task(task, &mut flags);
    }
    let message = root.get("message").unwrap_or(root);
    if message.get("parts").is_some() { flags.shown(message).into_iter().collect() } else { Vec::new() }
}

/// What is said in a task. In A2A 1.0 the agent's words stand in artifacts; in 0.3 an artifact repeats a message.
fn in_task(task: Value<'_>, flags: &mut Flags<'_>) -> Vec<Bubble> {
    let history = task.get("history").into_iter().flat_map(Value::items);
    let mut bubbles: Vec<Option<Bubble>> = history.map(|message| flags.shown(message)).collect();
    if let Some(message) = task.get("status").and_then(|status| status.get("message")) {
        bubbles.push(flags.shown(message));
    }
    if task.get("kind").is_none() {
        let artifacts = task.get("artifacts").into_iter().flat_map(Value::items).map(artifact);
        let asked = bubbles.len().min(1);
        bubbles.splice(asked..asked, artifacts.collect::<Vec<_>>());
    }
    bubbles.into_iter().flatten().collect()
}

struct Flags<'f> {
    hidden: std::slice::Iter<'f, bool>,
}

impl Flags<'_> {
    /// The message as a bubble, unless the next flag hides it.
    fn shown(&mut self, message: Value<'_>) -> Option<Bubble> {
        let hidden = self.hidden.next().copied().unwrap_or(false);
        let role = message.get("role")?;
        let role = if role.equals("user") || role.equals("ROLE_USER") { Role::User } else { Role::Agent };
        if hidden { None } else { bubble(message, "messageId", role) }
    }
}

fn artifact(artifact: Value<'_>) -> Option<Bubble> {
    bubble(artifact, "artifactId", Role::Agent)
}

fn bubble(source: Value<'_>, id: &str, role: Role) -> Option<Bubble> {
    let parts = source.get("parts").into_iter().flat_map(Value::items);
    let texts: Vec<_> = parts.filter_map(|part| part.get("text")?.as_str_lossy()).collect();
    let text = texts.join("\n");
    let id = source.get(id).and_then(Value::as_str).unwrap_or_default().into_owned();
    (!text.is_empty()).then_some(Bubble { id, role, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, hidden: &[bool]) -> Vec<String> {
        read(text, hidden)
            .into_iter()
            .map(|bubble| format!("{} {}", bubble.role.as_str(), bubble.text))
            .collect()
    }

    #[test]
    fn hidden_messages_make_no_bubble() {
        let task = r#"{"kind":"task","id":"t","history":[
            {"messageId":"1","role":"user","parts":[{"kind":"text","text":"delete"}]},
            {"messageId":"2","role":"user","parts":[{"kind":"text","text":"Approved"}]}],
            "artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"Done"}]}],
            "status":{"state":"completed","message":{"messageId":"3","role":"agent","parts":[{"kind":"text","text":"Done"}]}}}"#;
        assert_eq!(texts(task, &[false, true, false]), ["user delete", "agent Done"]);
    }

    #[test]
    fn in_a2a_1_0_the_agent_speaks_in_artifacts_behind_the_question() {
        let list = r#"{"result":{"tasks":[
            {"id":"2","status":{"state":"X"},"history":[{"messageId":"b","role":"ROLE_USER","parts":[{"text":"second"}]}]},
            {"id":"1","status":{"state":"X"},"artifacts":[{"artifactId":"x","parts":[{"text":"answer"}]}],
             "history":[{"messageId":"a","role":"ROLE_USER","parts":[{"text":"first"}]},{"messageId":"c","role":"ROLE_USER","parts":[{"text":"more"}]}]}]}}"#;
        let expected = ["user first", "agent answer", "user more", "user second"];
        assert_eq!(texts(list, &[false; 3]), expected);
    }

    #[test]
    fn live_events_of_both_envelopes_are_read() {
        let old = r#"{"result":{"kind":"status-update","status":{"message":{"messageId":"1","role":"agent","parts":[{"kind":"text","text":"hi"}]}}}}"#;
        assert_eq!(texts(old, &[false]), ["agent hi"]);
        assert_eq!(texts(old, &[true]), Vec::<String>::new());
        let new = r#"{"result":{"artifactUpdate":{"artifact":{"artifactId":"1","parts":[{"text":"hi"}]}}}}"#;
        assert_eq!(texts(new, &[]), ["agent hi"]);
        assert_eq!(texts(r#"{"error":{"code":-32602}}"#, &[]), Vec::<String>::new());
    }
}
