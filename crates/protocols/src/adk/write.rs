//! From decisions to the message that carries them.

use countersign_core::{Due, Written};
use countersign_json::Writer;

use super::memory::Conversation;
use crate::confirmation::{CONFIRMATION, write_response};

/// Writes the one message that answers what is still open of an event's requests: nothing stands beside the answers.
pub(super) fn message(conversation: &Conversation, due: &Due) -> Result<Written, String> {
    let mut writer = Writer::new();
    writer.begin_object().key("role").string("user").key("parts").begin_array();
    for entry in &due.entries {
        if conversation.request(&entry.request.id).is_none() {
            return Err(format!("request `{}` is not known", entry.request));
        }
        writer.begin_object().key("functionResponse").begin_object();
        writer.key("id").string(entry.request.id.as_str());
        writer.key("name").string(CONFIRMATION).key("response");
        write_response(&mut writer, entry)?;
        writer.end_object().end_object();
    }
    let requests = due.entries.iter().map(|entry| entry.request.clone()).collect();
    Ok(Written { requests, body: writer.finish(), transport: transport(conversation) })
}

/// What the host adds around the message, as far as a session has named it.
fn transport(conversation: &Conversation) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("protocol").string("adk").key("method").string("run_sse");
    for (key, name) in ["sessionId", "appName", "userId"].iter().zip(&conversation.session) {
        if let Some(name) = name {
            writer.key(key).string(name);
        }
    }
    writer.finish()
}
