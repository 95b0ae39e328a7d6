//! The chat: what was said, and where the person says something.

mod bubbles;
mod composer;
mod suggestions;
pub mod transcript;

use countersign_core::Millis;
use countersign_json::{Writer, quote};

use crate::agent::Wire;

pub use bubbles::{Bubbles, BubblesProps};
pub use composer::{Composer, ComposerProps};
pub use suggestions::{Suggestions, SuggestionsProps};

/// The message that carries a person's words.
///
/// `task` names the task that waits: the words then end the wait.
#[must_use]
pub fn user_message(
    wire: Wire,
    id: &str,
    context: &str,
    task: Option<&str>,
    text: &str,
    now: Millis,
) -> String {
    let mut writer = Writer::new();
    writer.begin_object();
    let (role, part) = match wire {
        Wire::Kagent010 => {
            writer.key("kind").string("message");
            ("user", format!(r#"{{"kind":"text","text":{}}}"#, quote(text)))
        }
        Wire::KagentHitlV1 => ("ROLE_USER", format!(r#"{{"text":{}}}"#, quote(text))),
    };
    writer.key("messageId").string(id).key("role").string(role);
    writer.key("parts").begin_array().raw(&part).end_array().key("contextId").string(context);
    if wire == Wire::Kagent010 {
        writer.key("metadata").begin_object().key("timestamp").raw(&now.0.to_string()).end_object();
    }
    if let Some(task) = task {
        writer.key("taskId").string(task);
    }
    writer.end_object();
    writer.finish()
}
