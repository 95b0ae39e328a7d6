//! The event stream of a run.

use std::borrow::Cow;
use std::sync::Arc;

use countersign_core::{
    ArgsText, CallId, Contradiction, Observation, Outcome, OutcomeKind, ProblemCode, Target,
};
use countersign_json::Value;

use super::arguments::in_form;
use super::ask::Draft;
use super::memory::Channel;
use super::read::{Reader, id, shown};

impl Reader<'_> {
    /// Reads one event and says whether it is internal to the approval exchange.
    pub(super) fn event(&mut self, event: Value<'_>) -> bool {
        let [name, item] = event.pick(["name", "item"]);
        let (Some(name), Some(item)) = (name, item) else { return false };
        if name.equals("agent.tool_permission_request") {
            self.permission(event, item);
            return true;
        }
        let [own, data] = item.pick(["id", "data"]);
        if let (Some(own), Some(data)) = (id(own), data) {
            if name.equals("agent.tool_call_start") {
                self.started(&own, data);
            } else if name.equals("agent.tool_call_complete") {
                self.completed(&own, data);
            }
        }
        false
    }

    /// Reads the planner's call, if it is one.
    pub(super) fn planned(&mut self, event: Value<'_>) {
        let [data] = event.pick(["data"]);
        let Some(data) = data else { return };
        if let Some(own) = id(data.get("id")) {
            self.call(&own, data, false);
        }
    }

    fn permission(&mut self, event: Value<'_>, item: Value<'_>) {
        let [own, name, tool, details] = match item.get("data") {
            Some(data) => data.pick(["id", "tool_name", "tool", "confirmation_details"]),
            None => [None; 4],
        };
        let [inner, inner_name, args, kwargs] = match tool {
            Some(tool) => tool.pick(["id", "name", "args", "kwargs"]),
            None => [None; 4],
        };
        let Some(request) = id(own.or(inner)) else {
            return self.problem(ProblemCode::PartInvalid, "a permission event without the call's id", event);
        };
        let mut draft = Draft::new(Channel::Stream, event, inner_name.or(name), args, kwargs);
        if differs(own, inner) || differs(name, inner_name) {
            draft.doubt = Some("the event names two calls");
        }
        draft.hint = shown(details);
        self.ask(&request, draft);
    }

    fn started(&mut self, own: &str, function: Value<'_>) {
        self.call(own, function, true);
        let Some(place) = self.conversation.known(own) else { return };
        let Some(entry) = self.conversation.entry_mut(place) else { return };
        entry.has_started = true;
        let [args, kwargs] = function.pick(["args", "kwargs"]);
        // Where nobody was asked, what is shown is what runs.
        let text = in_form(entry.form, args, kwargs).filter(|_| entry.channel.is_some());
        let args = text.map(|text| ArgsText::from(text).rounded(self.rounded));
        let target = Target::Call(self.conversation.scope(), CallId::from(own));
        self.reading.observations.push(Observation::Started { target, args });
    }

    fn completed(&mut self, own: &str, data: Value<'_>) {
        let [input, output, error] = data.pick(["input", "output", "error"]);
        if let Some(input) = input {
            self.call(own, input, false);
        }
        let Some(place) = self.conversation.known(own) else { return };
        let Some(entry) = self.conversation.entry_mut(place) else { return };
        (entry.asked, entry.event) = (None, None);
        let [output, error] = [output, error].map(|value| value.filter(|value| !value.is_null()));
        let result = output.map(|output| Arc::from(output.text()));
        let error = error.map(|error| error.as_str_lossy().unwrap_or(Cow::Borrowed(error.text())));
        let error = error.map(|words| Arc::from(words.as_ref()));
        // What has started ran, so this is then what the tool itself returned.
        let status = output.and_then(|output| output.get("status")).filter(|_| !entry.has_started);
        let is_denied = status.is_some_and(|status| status.equals("cancelled"));
        let kind = match (is_denied, &error, &result) {
            (true, ..) => OutcomeKind::Rejected,
            (_, Some(_), _) => OutcomeKind::Failed,
            (_, _, Some(_)) => OutcomeKind::Completed,
            // A tool that raised is reported exactly like one that returned nothing.
            _ => OutcomeKind::Unknown,
        };
        let outcome = Outcome {
            kind,
            result: result.filter(|_| !is_denied),
            error,
            reason: None,
            contradiction: Contradiction::Conflict,
        };
        let target = Target::Call(self.conversation.scope(), CallId::from(own));
        self.reading.observations.push(Observation::Outcome { target, outcome: Box::new(outcome) });
    }
}

fn differs(one: Option<Value<'_>>, other: Option<Value<'_>>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.as_str() != other.as_str())
}
