//! Lists of what is pending, logs, and bursts.

use countersign_core::{Closed, ProblemCode, Standing};
use countersign_json::{Value, names};

use super::ask::Asking;
use super::event::differs;
use super::memory::{Channel, Word};
use super::read::Reader;
use crate::reading::{is, problem};

/// Why a request cannot be approved that a list has more than once.
const TWICE: &str = "the list has this id more than once";

/// On which way a value of a pending map came; `None` if it is no request.
pub(super) fn channel(value: Value<'_>) -> Option<Channel> {
    let [kind, tool, name, message] = value.named(names!["type", "tool", "tool_name", "message"]);
    match kind {
        _ if tool.is_none() || name.is_some() => None,
        Some(kind) => kind.equals("approval_request").then_some(Channel::List),
        None => message.is_some().then_some(Channel::SeedList),
    }
}

impl Reader<'_> {
    /// Reads a list: what is pending at the shipped handler, or messages in their order.
    pub(super) fn list(&mut self, root: Value<'_>) {
        let mut is_pending = root.is_empty();
        // A log that is read again tells of the ends of runs that were before a call that goes on.
        let at_work = std::mem::take(&mut self.conversation.at_work);
        for item in root.items() {
            let [kind, id] = item.named(names!["type", "request_id"]);
            is_pending |= kind.is_none() && id.is_some();
            self.message(item, true);
        }
        for (place, run) in at_work {
            self.conversation.start(place, run);
        }
        if is_pending {
            self.gone(false);
        }
    }

    /// Reads a map of pending requests; `None` if it is none.
    pub(super) fn map(&mut self, root: Value<'_>) -> Option<bool> {
        if !root.is_empty() && !root.members().any(|(_, value)| channel(value).is_some()) {
            return None;
        }
        for (key, value) in root.members() {
            // What is listed still waits, also where it cannot be read.
            let place = self.conversation.place(self.source, Some(key));
            let twice = place.is_some_and(|place| self.mark(place));
            let Some(channel) = channel(value) else {
                problem(self.reading, ProblemCode::PartInvalid, "this is no pending request", value);
                continue;
            };
            let is_other = differs(value.get("id"), Some(key));
            let doubt = match (twice, is_other) {
                (true, _) => Some(TWICE),
                (_, true) => Some("the request has another id than the list"),
                _ => None,
            };
            self.request(value, place, channel, doubt);
        }
        self.gone(true);
        Some(true)
    }

    /// Reads a request of the shipped handler, alone or in a list.
    pub(super) fn detail(
        &mut self,
        source: Value<'_>,
        own: Option<Value<'_>>,
        status: Option<Value<'_>>,
        in_list: bool,
    ) {
        let Some(place) = self.conversation.place(self.source, own) else { return self.nameless(source) };
        let twice = in_list && self.mark(place);
        let closed = if is(status, "expired") {
            Some(Closed::Expired)
        } else if is(status, "cancelled") {
            Some(Closed::Cancelled)
        } else if is(status, "approved") {
            // Written for every answer, also for a cancel.
            Some(Closed::Unknown)
        } else {
            None
        };
        let is_open = is(status, "pending");
        if closed.is_none() && !is_open {
            problem(
                self.reading,
                ProblemCode::StateUnknown,
                "a request with a status that is not known",
                source,
            );
        }
        let is_asked = self.conversation.entry(place).is_some_and(|entry| entry.channel.is_some());
        if closed.is_none() || !is_asked {
            let asking = Asking {
                channel: Channel::Shipped,
                source,
                call: source.named(names!["tool_name", "tool_args", "tool_kwargs"]),
                standing: if is_open { Standing::Open } else { Standing::Blocked },
                doubt: twice.then_some(TWICE),
                hint: None,
            };
            self.ask(place, asking);
        }
        match closed {
            Some(closed) => self.judge(place, Word::Closed(closed)),
            None => self.conversation.listed.insert(place),
        }
    }

    /// Marks a request as listed and says whether it was already.
    fn mark(&mut self, place: u32) -> bool {
        let twice = self.listed.contains(place);
        self.listed.insert(place);
        twice
    }

    /// Ends the waiting of everything that was asked, on a list or otherwise, and is missing from this one.
    ///
    /// What was asked by a message is missing from maps alone: an empty list may be a log in which nothing stands yet.
    fn gone(&mut self, is_map: bool) {
        self.is_pending = true;
        let listed = std::mem::take(&mut self.listed);
        let before = std::mem::replace(&mut self.conversation.listed, listed);
        for place in before.numbers() {
            let channel = self.conversation.entry(place).and_then(|entry| entry.channel);
            if !is_map && channel.is_some_and(Channel::is_socket) {
                self.conversation.listed.insert(place);
            } else if !self.conversation.listed.contains(place) {
                self.conversation.settled(place);
                self.judge(place, Word::Gone);
            }
        }
    }
}
