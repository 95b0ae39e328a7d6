//! Lists of what is pending, logs, and bursts.

use countersign_core::collections::Marks;
use countersign_core::{Closed, End, Observation, ProblemCode, Standing};
use countersign_json::Value;

use super::ask::Draft;
use super::memory::Channel;
use super::read::{Reader, id};

/// Whether this is a map of pending requests by their ids, and not an empty one.
pub(super) fn is_pending_map(root: Value<'_>) -> bool {
    root.is_object() && !root.is_empty() && root.members().all(|(_, value)| channel(value).is_some())
}

/// On which way a value of a pending map came; `None` if it is no request.
fn channel(value: Value<'_>) -> Option<Channel> {
    let [kind, tool, name, message] = value.pick(["type", "tool", "tool_name", "message"]);
    match kind {
        _ if tool.is_none() || name.is_some() => None,
        Some(kind) => kind.equals("approval_request").then_some(Channel::List),
        None => message.is_some().then_some(Channel::SeedList),
    }
}

impl Reader<'_> {
    /// Reads a list: what is pending at the shipped handler, or messages in their order.
    pub(super) fn list(&mut self, root: Value<'_>) {
        let mut listed = Marks::default();
        let mut is_pending = root.is_empty();
        for item in root.items() {
            is_pending |= item.get("type").is_none() && item.get("request_id").is_some();
            let hidden = self.item(item, &mut listed);
            if hidden.is_none() {
                self.strange(item);
            }
            self.reading.hidden.push(hidden.unwrap_or_default());
        }
        if is_pending {
            self.gone(&listed);
        }
    }

    /// Reads a map of pending requests; `None` if it is none.
    pub(super) fn map(&mut self, root: Value<'_>) -> Option<bool> {
        let is_map = root.is_empty() || root.members().any(|(_, value)| channel(value).is_some());
        if !is_map {
            return None;
        }
        let mut listed = Marks::default();
        for (key, value) in root.members() {
            // What is listed still waits, also where it cannot be read.
            let place = id(Some(key)).map(|id| self.conversation.place(&id));
            let twice = place.is_some_and(|place| listed.contains(place));
            if let Some(place) = place {
                listed.insert(place);
            }
            match channel(value) {
                Some(channel) => {
                    let [own] = value.pick(["id"]);
                    let other = own.is_some_and(|own| own.as_str() != key.as_str());
                    let doubt = if twice {
                        Some("the list has this id more than once")
                    } else if other {
                        Some("the request has another id than the list")
                    } else {
                        None
                    };
                    self.request(value, Some(key), channel, doubt);
                }
                None => self.problem(ProblemCode::PartInvalid, "this is no pending request", value),
            }
        }
        self.gone(&listed);
        Some(true)
    }

    /// Reads a request of the shipped handler, alone or in a list.
    pub(super) fn detail(
        &mut self,
        value: Value<'_>,
        own: Value<'_>,
        status: Option<Value<'_>>,
        listed: &mut Marks,
    ) {
        let Some(name) = id(Some(own)) else {
            return self.problem(ProblemCode::PartInvalid, "a request without its id", value);
        };
        let place = self.conversation.place(&name);
        let twice = listed.contains(place);
        listed.insert(place);
        let word = status.and_then(|status| status.as_str()).unwrap_or_default();
        let closed = match word.as_ref() {
            "expired" => Some(Closed::Expired),
            "cancelled" => Some(Closed::Cancelled),
            // Written for every answer, also for a cancel.
            "approved" => Some(Closed::Unknown),
            _ => None,
        };
        let is_open = word == "pending";
        if closed.is_none() && !is_open {
            self.problem(ProblemCode::StateUnknown, "a request with a status that is not known", value);
        }
        let is_asked = self.conversation.entry(place).is_some_and(|entry| entry.channel.is_some());
        if closed.is_none() || !is_asked {
            let [tool, args, kwargs] = value.pick(["tool_name", "tool_args", "tool_kwargs"]);
            let mut draft = Draft::new(Channel::Shipped, value, tool, args, kwargs);
            draft.standing = if is_open { Standing::Open } else { Standing::Blocked };
            draft.doubt = twice.then_some("the list has this id more than once");
            self.ask(&name, draft);
        }
        if let Some(closed) = closed {
            self.conversation.listed.remove(place);
            let target = self.conversation.target(&name);
            self.reading.observations.push(Observation::Closed { target, closed });
        } else {
            self.conversation.listed.insert(place);
        }
    }

    /// Ends the waiting of everything that stood on a list before and is missing from this one.
    fn gone(&mut self, listed: &Marks) {
        for place in self.conversation.listed.numbers() {
            if listed.contains(place) {
                continue;
            }
            self.conversation.listed.remove(place);
            self.conversation.settled(place);
            let Some(entry) = self.conversation.entry(place).filter(|entry| entry.verdict.is_none()) else {
                continue;
            };
            let target = self.conversation.target(&entry.id);
            self.reading.observations.push(Observation::Ended { target, end: End::Unknown });
        }
        for place in listed.numbers() {
            self.conversation.listed.insert(place);
        }
    }
}
