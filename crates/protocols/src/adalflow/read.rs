//! From bytes to observations: what kind of message it is.

use std::sync::Arc;

use countersign_core::collections::Marks;
use countersign_core::{Problem, ProblemCode, Reading};
use countersign_json::Value;

use super::list;
use super::memory::{Channel, Conversation};
use crate::registry::AdalflowOptions;

/// Reads one value into observations and keeps the conversation's memory.
pub(super) struct Reader<'m> {
    pub(super) conversation: &'m mut Conversation,
    pub(super) reading: &'m mut Reading,
    pub(super) options: AdalflowOptions,
    pub(super) rounded: bool,
    pub(super) is_history: bool,
}

/// How many elements of a list are looked at to recognise it.
const LOOKED_AT: usize = 16;

/// Whether this value is something that AdalFlow or its example backend sends.
pub(super) fn recognises(root: Value<'_>) -> bool {
    root.items().take(LOOKED_AT).any(is_ours) || is_ours(root) || list::is_pending_map(root)
}

fn is_ours(value: Value<'_>) -> bool {
    let [kind, tool, name, system, outcome, answer, id] =
        value.pick(["type", "tool", "tool_name", "system", "outcome", "answer", "request_id"]);
    let Some(kind) = kind else { return id.is_some() && name.is_some() };
    let known = [
        ("run_item_stream_event", true),
        ("raw_response_event", true),
        // Haystack's request has the other name.
        ("approval_request", tool.is_some() && name.is_none()),
        ("approval_resolved", outcome.is_some()),
        ("run_finished", answer.is_some()),
        ("hello", system.is_some_and(|system| system.equals("adalflow"))),
    ];
    known.iter().any(|(word, fits)| *fits && kind.equals(word))
}

impl Reader<'_> {
    pub(super) fn read(&mut self, root: Value<'_>) {
        if root.is_array() {
            self.list(root);
        } else {
            let hidden = match self.item(root, &mut Marks::default()) {
                None if root.is_object() => self.map(root),
                hidden => hidden,
            };
            if hidden.is_none() {
                self.strange(root);
            }
            self.reading.hidden.push(hidden.unwrap_or_default());
        }
        // An error in the place of a history is none: what is known stays.
        if self.is_history && self.reading.observations.is_empty() && !self.reading.problems.is_empty() {
            self.reading.hidden.clear();
        }
    }

    /// Reads a message, an event, a request of the shipped handler or a reply, and says whether it is internal to the
    /// approval exchange; `None` for anything else. The requests of a list are marked in `listed`.
    pub(super) fn item(&mut self, value: Value<'_>, listed: &mut Marks) -> Option<bool> {
        let [kind, name, id, status] = value.pick(["type", "tool_name", "request_id", "status"]);
        let Some(kind) = kind else {
            if let (Some(id), true) = (id.filter(|id| id.is_string()), name.is_some()) {
                self.detail(value, id, status, listed);
                return Some(true);
            }
            return self.reply(value, status).then_some(true);
        };
        let kind = kind.as_str()?;
        match kind.as_ref() {
            "approval_request" => {
                let id = value.get("id");
                let channel =
                    if value.get("kwargs").is_some() { Channel::Message } else { Channel::SeedMessage };
                self.request(value, id, channel, None);
            }
            "approval_resolved" => self.resolved(value),
            "approval_error" => self.error(value),
            "run_item_stream_event" => return Some(self.event(value)),
            "raw_response_event" => {
                self.planned(value);
                return Some(false);
            }
            "hello" | "run_finished" | "run_failed" => return Some(false),
            _ if kind.starts_with("approval_") => {}
            _ => return None,
        }
        Some(true)
    }

    pub(super) fn strange(&mut self, value: Value<'_>) {
        self.problem(
            ProblemCode::MessageUnrecognised,
            "this is no message, event or list of AdalFlow",
            value,
        );
    }

    pub(super) fn problem(&mut self, code: ProblemCode, message: &str, at: Value<'_>) {
        let place = format!("byte {}", at.span().start);
        self.reading.problems.push(Problem::new(code, message).at(place));
    }
}

/// An id that can be answered: a text, and not an empty one.
pub(super) fn id(value: Option<Value<'_>>) -> Option<std::borrow::Cow<'_, str>> {
    value?.as_str().filter(|id| !id.is_empty())
}

/// A text to show, if it is one.
pub(super) fn shown(value: Option<Value<'_>>) -> Option<Arc<str>> {
    value?.as_str_lossy().map(|text| Arc::from(text.as_ref()))
}
