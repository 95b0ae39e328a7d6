//! From bytes to observations: what kind of message it is.

use std::sync::Arc;

use countersign_core::collections::Marks;
use countersign_core::{Observation, ProblemCode, Reading, Source, Text};
use countersign_json::{Value, names};

use super::list::channel;
use super::memory::{Channel, Conversation};
use crate::options::AdalflowOptions;
use crate::reading::{is, problem, shared};

/// Reads one value into observations and keeps the conversation's memory.
pub(super) struct Reader<'m> {
    pub(super) conversation: &'m mut Conversation,
    pub(super) reading: &'m mut Reading,
    /// The message that kept texts are cut out of.
    pub(super) source: &'m Source,
    pub(super) options: AdalflowOptions,
    pub(super) rounded: bool,
    /// What stands on the list that is being read, by place.
    pub(super) listed: Marks,
    /// It is a list of all that waits.
    pub(super) is_pending: bool,
    /// Schemas that were read in this message, as they were spelt and as they are.
    pub(super) schemas: Vec<(Text, Arc<str>)>,
}

/// Whether this value is something that AdalFlow or its example backend sends.
pub(super) fn recognises(root: Value<'_>, looked_at: usize) -> bool {
    if root.is_array() {
        return root.items().take(looked_at).any(is_ours);
    }
    // A request with its type is a clear mark; without, all of the map must look like it.
    let mut is_map = !root.is_empty();
    for (_, value) in root.members() {
        match channel(value) {
            Some(Channel::List) => return true,
            found => is_map &= found.is_some(),
        }
    }
    is_map || is_ours(root)
}

fn is_ours(value: Value<'_>) -> bool {
    let [kind, tool, name, system, outcome, answer, id] =
        value.named(names!["type", "tool", "tool_name", "system", "outcome", "answer", "request_id"]);
    if kind.is_none() {
        return id.is_some() && name.is_some();
    }
    is(kind, "run_item_stream_event")
        || is(kind, "raw_response_event")
        // Haystack's request has the other name.
        || (tool.is_some() && name.is_none() && is(kind, "approval_request"))
        || (outcome.is_some() && is(kind, "approval_resolved"))
        || (answer.is_some() && is(kind, "run_finished"))
        || (is(system, "adalflow") && is(kind, "hello"))
}

impl Reader<'_> {
    pub(super) fn read(&mut self, root: Value<'_>, is_history: bool) {
        if root.is_array() {
            self.list(root);
        } else {
            self.message(root, false);
        }
        if is_history && self.is_pending {
            // The stream told of what was before it when nobody was there: nothing of it is overtaken.
            self.conversation.ahead.clear();
        }
        // An error in the place of a history is none: what is known stays.
        if is_history && self.reading.observations.is_empty() && !self.reading.problems.is_empty() {
            self.reading.hidden.clear();
        }
    }

    /// Reads one message and notes whether it is internal to the approval exchange.
    pub(super) fn message(&mut self, value: Value<'_>, in_list: bool) {
        let hidden = match self.item(value, in_list) {
            None if value.is_object() && !in_list => self.map(value),
            hidden => hidden,
        };
        if hidden.is_none() {
            let sentence = "this is no message, event or list of AdalFlow";
            problem(self.reading, ProblemCode::MessageUnrecognised, sentence, value);
        }
        self.reading.hidden.push(hidden.unwrap_or_default());
    }

    /// Reads a message, an event, a request of the shipped handler or a reply; `None` for anything else.
    fn item(&mut self, value: Value<'_>, in_list: bool) -> Option<bool> {
        let [kind, name, own, status, id, data] =
            value.named(names!["type", "tool_name", "request_id", "status", "id", "data"]);
        let Some(kind) = kind else {
            if own.is_some_and(Value::is_string) && (in_list || name.is_some()) {
                self.detail(value, own, status, in_list);
                return Some(true);
            }
            return self.reply(value, status).then_some(true);
        };
        let is_a = |word: &str| kind.equals(word);
        if is_a("approval_request") {
            let channel = if value.get("kwargs").is_some() { Channel::Message } else { Channel::SeedMessage };
            let place = self.conversation.place(self.source, id);
            self.request(value, place, channel, None);
        } else if is_a("approval_resolved") {
            self.resolved(value, id);
        } else if is_a("approval_error") {
            self.error(value, id, status);
        } else if is_a("run_item_stream_event") {
            return Some(self.event(value));
        } else if is_a("raw_response_event") {
            data.into_iter().for_each(|data| self.planned(data));
            return Some(false);
        } else if is_a("run_finished") || is_a("run_failed") {
            self.over(value);
            return Some(false);
        } else if is_a("hello") {
            return Some(false);
        } else {
            return kind.starts_with("approval_").then_some(true);
        }
        Some(true)
    }

    /// A run is over: nobody will say any more what became of a call that has started in it.
    fn over(&mut self, end: Value<'_>) {
        let run = shared(self.source, end.get("run"));
        let requests = self.conversation.ended(run.as_ref());
        if !requests.is_empty() {
            self.say(Observation::Broken { requests, error: None });
        }
    }

    /// The stream has come to this card: it stands before every request that only overtook it.
    pub(super) fn reached(&mut self, place: u32, is_new: bool) {
        let ahead = &mut self.conversation.ahead;
        if !is_new {
            if let Some(at) = ahead.iter().position(|ahead| *ahead == place) {
                ahead.drain(..=at);
            }
        } else if let Some(overtaken) = ahead.first().copied() {
            let target = self.conversation.target(place);
            let before = self.conversation.target(overtaken);
            self.say(Observation::Precedes { target, before });
        }
    }

    #[inline(never)]
    pub(super) fn say(&mut self, observation: Observation) {
        self.reading.observations.push(observation);
    }

    pub(super) fn nameless(&mut self, at: Value<'_>) {
        problem(self.reading, ProblemCode::PartInvalid, "the id is missing", at);
    }
}

/// A text to show, if it is one.
pub(super) fn shown(source: &Source, value: Option<Value<'_>>) -> Option<Text> {
    value?.as_str_lossy().map(|text| source.cut(&text))
}
