//! The event stream of a run.

use std::sync::Arc;

use countersign_core::{ArgsText, Contradiction, Observation, Outcome, OutcomeKind, Standing};
use countersign_json::{Value, named, names};

use super::arguments::{fitting, write};
use super::ask::Asking;
use super::memory::{Channel, Form, Word};
use super::read::{Reader, shown};
use crate::reading::{is, shared};

impl Reader<'_> {
    /// Reads one event and says whether it is internal to the approval exchange.
    pub(super) fn event(&mut self, event: Value<'_>) -> bool {
        let [name, item] = event.named(names!["name", "item"]);
        let [own, data, error] = named(item, names!["id", "data", "error"]);
        if is(name, "agent.tool_permission_request") {
            self.permission(event, data);
            return true;
        }
        let starts = is(name, "agent.tool_call_start");
        if let Some(data) = data.filter(|_| starts || is(name, "agent.tool_call_complete"))
            && let Some(place) = self.conversation.place(self.source, own)
        {
            if starts {
                let run = shared(self.source, event.get("run"));
                self.conversation.start(place, run);
                self.started(place, data);
            } else {
                self.completed(place, data, error);
            }
        }
        false
    }

    /// Reads the planner's call, if it is one.
    pub(super) fn planned(&mut self, data: Value<'_>) {
        if let Some(place) = self.conversation.place(self.source, data.get("id")) {
            self.call(place, data, false);
        }
    }

    fn permission(&mut self, source: Value<'_>, data: Option<Value<'_>>) {
        let keys = ["id", "tool_name", "tool", "confirmation_details"];
        let [own, name, tool, details] = data.map(|data| data.pick(keys)).unwrap_or_default();
        let keys = ["id", "name", "args", "kwargs"];
        let [inner, inner_name, args, kwargs] = tool.map(|tool| tool.pick(keys)).unwrap_or_default();
        let Some(place) = self.conversation.place(self.source, own.or(inner)) else {
            return self.nameless(source);
        };
        let is_twofold = differs(own, inner) || differs(name, inner_name);
        let asking = Asking {
            channel: Channel::Stream,
            source,
            call: [inner_name.or(name), args, kwargs],
            standing: Standing::Open,
            doubt: is_twofold.then_some("the event names two calls"),
            hint: shown(self.source, details),
        };
        self.ask(place, asking);
    }

    fn started(&mut self, place: u32, function: Value<'_>) {
        self.call(place, function, true);
        let [args, kwargs] = function.named(names!["args", "kwargs"]);
        let target = self.conversation.target(place);
        let Some(entry) = self.conversation.entry_mut(place) else { return };
        entry.has_started = true;
        // Where nobody was asked, what is shown is what runs.
        let comparable = entry.channel.is_some() && entry.form != Form::Hidden;
        let args = comparable.then(|| {
            let text = write(fitting(entry.form, args, kwargs), args, kwargs);
            ArgsText::from(self.source.cut(&text)).rounded(self.rounded)
        });
        self.say(Observation::Started { target, args });
    }

    /// `refused`: why a check before the call kept it from running.
    fn completed(&mut self, place: u32, data: Value<'_>, refused: Option<Value<'_>>) {
        let [input, output, error] = data.named(names!["input", "output", "error"]);
        if let Some(input) = input {
            self.call(place, input, false);
        }
        let target = self.conversation.target(place);
        self.conversation.at_work.retain(|(other, _)| *other != place);
        let Some(entry) = self.conversation.entry_mut(place) else { return };
        (entry.asked, entry.event) = (None, None);
        let (word, has_started) = (entry.word, entry.has_started);
        let [output, error, refused] =
            [output, error, refused].map(|value| value.filter(|value| !value.is_null()));
        let error = error.or(refused).or_else(|| failure(output?));
        // What has started ran, so this is then what the tool itself returned.
        let is_denied = !has_started && is(output.and_then(|output| output.get("status")), "cancelled");
        if let Some(expired @ Word::Closed(_)) = word.filter(|_| is_denied) {
            // Known before the call was.
            self.judge(place, expired);
        }
        let kind = match (output, error) {
            _ if is_denied => OutcomeKind::Rejected,
            (_, Some(_)) => OutcomeKind::Failed,
            (Some(_), _) => OutcomeKind::Completed,
            // A tool that raised is reported exactly like one that returned nothing.
            _ => OutcomeKind::Unknown,
        };
        let outcome = Outcome {
            kind,
            result: output.filter(|_| !is_denied).map(|output| self.source.cut(output.text())),
            error: error.map(|error| Arc::from(error.as_str_lossy().as_deref().unwrap_or(error.text()))),
            reason: None,
            contradiction: Contradiction::Conflict,
            is_unproven: false,
        };
        self.say(Observation::Outcome { target, outcome: Box::new(outcome) });
    }
}

/// What a tool says that returns AdalFlow's own form of an output, and in it that it failed.
fn failure(output: Value<'_>) -> Option<Value<'_>> {
    let [status, is_streaming, observation, display, said] =
        output.named(names!["status", "is_streaming", "observation", "display", "output"]);
    let words = [observation, display, said, status].into_iter().flatten().find(|words| !words.is_null());
    words.filter(|_| is(status, "error") && is_streaming.is_some())
}

/// Whether two values are not the same; a text may be spelt in several ways.
pub(super) fn differs(one: Option<Value<'_>>, other: Option<Value<'_>>) -> bool {
    one.zip(other).is_some_and(|(one, other)| {
        !one.same_text(other) && !one.as_str().is_some_and(|text| other.equals(&text))
    })
}
