//! From bytes to observations: what stands in a message, a list or a pending map.

use std::sync::Arc;

use countersign_core::collections::Marks;
use countersign_core::{
    Answer, ArgsText, CallId, Closed, Decision, End, Failure, Observation, OfferKind, Outcome, OutcomeKind,
    ProblemCode, Reading, Source, Target, Text,
};
use countersign_json::{Value, names};

use super::arguments::Shown;
use super::feedback;
use super::memory::{Conversation, Entry, Stage, Way};
use super::outcome::outcome;
use crate::options::Templates;
use crate::reading::{detail, is, problem, shared};

/// The ways of the contract: an id stands for the same request, however it came.
pub(super) const CONTRACT: [Way; 2] = [Way::Message, Way::Http];

/// Reads one value into observations and keeps the conversation's memory.
pub(super) struct Reader<'m> {
    pub(super) conversation: &'m mut Conversation,
    pub(super) reading: &'m mut Reading,
    /// The message that kept texts are cut out of.
    pub(super) source: &'m Source,
    pub(super) templates: &'m Templates,
    pub(super) rounded: bool,
    /// What is read stands in a list.
    pub(super) is_log: bool,
}

/// Whether this value is something that Haystack hosts send.
pub(super) fn recognises(root: Value<'_>, looked_at: usize) -> bool {
    if root.is_array() {
        return root.items().take(looked_at).any(|item| is_message(item) || is_own(item));
    }
    is_own(root) || (!root.is_empty() && root.members().all(|(_, value)| is_request(value)))
}

fn is_own(value: Value<'_>) -> bool {
    let [kind, tool, system, messages, calls, descriptions, action] = value.named(names![
        "type",
        "tool_name",
        "system",
        "messages",
        "tool_calls",
        "tool_descriptions",
        "action"
    ]);
    match kind.and_then(Value::as_str).as_deref() {
        Some("hello") => is(system, "haystack"),
        Some("run_finished") => messages.is_some_and(is_history),
        Some("approval_request" | "tool_execution_decision") => tool.is_some(),
        Some("approval_resolved") => action.is_some(),
        Some(kind) => kind.starts_with("tool_call_") && tool.is_some(),
        None => calls.is_some_and(Value::is_array) && descriptions.is_some_and(Value::is_object),
    }
}

/// Whether the host itself sent this to answer a request.
pub(super) fn is_answer(value: Value<'_>) -> bool {
    let [kind, action] = value.named(names!["type", "action"]);
    action.is_some() || is(kind, "approval_response")
}

/// Whether this is a list of chat messages as the library writes them.
fn is_history(value: Value<'_>) -> bool {
    value.items().any(is_message)
}

fn is_message(value: Value<'_>) -> bool {
    let [role, content, meta] = value.named(names!["role", "content", "meta"]);
    role.is_some() && meta.is_some() && content.is_some_and(Value::is_array)
}

fn is_request(value: Value<'_>) -> bool {
    let [kind, tool] = value.named(names!["type", "tool_name"]);
    tool.is_some() && is(kind, "approval_request")
}

/// Whether this is a pending map. Arguments and descriptions are the agent's, so one that looks like a request says nothing.
fn is_map(root: Value<'_>) -> bool {
    let [kind, calls] = root.named(names!["type", "tool_calls"]);
    let is_other = kind.is_some_and(Value::is_string) || calls.is_some_and(Value::is_array);
    let has_request = || root.members().any(|(_, value)| is_request(value));
    root.is_object() && !is_other && (root.is_empty() || has_request())
}

impl Reader<'_> {
    pub(super) fn read(&mut self, root: Value<'_>) {
        if is_history(root) {
            let hidden = self.history(root);
            self.reading.hidden.extend(hidden);
        } else if root.is_array() {
            self.is_log = true;
            for item in root.items() {
                let hidden = self.one(item);
                self.reading.hidden.push(hidden);
            }
        } else {
            let hidden = if is_map(root) { self.pending(root) } else { self.one(root) };
            self.reading.hidden.push(hidden);
        }
    }

    /// Reads one message and says whether it is internal to the approval exchange.
    fn one(&mut self, value: Value<'_>) -> bool {
        let [kind, calls, descriptions, status, detail] =
            value.named(names!["type", "tool_calls", "tool_descriptions", "status", "detail"]);
        if let Some(kind) = kind.and_then(Value::as_str) {
            return self.event(&kind, value);
        }
        if let (Some(calls), Some(_)) = (calls.filter(|calls| calls.is_array()), descriptions) {
            self.snapshot(calls, descriptions, value.get("error"));
            return true;
        }
        if let Some(status) = status.filter(|status| status.is_string()) {
            if status.equals("accepted") {
                self.resolved(value, true);
            }
            return true;
        }
        if detail.is_none() {
            problem(
                self.reading,
                ProblemCode::MessageUnrecognised,
                "this is no message of a Haystack host",
                value,
            );
        }
        detail.is_some()
    }

    fn event(&mut self, kind: &str, value: Value<'_>) -> bool {
        match kind {
            "approval_request" => {
                self.request(value, None, false);
            }
            "approval_resolved" => self.resolved(value, false),
            "approval_error" => self.error(value),
            "tool_execution_decision" => self.execution(value),
            "run_finished" => {
                if let Some(messages) = value.get("messages").filter(|messages| is_history(*messages)) {
                    self.history(messages);
                }
                return false;
            }
            _ => match kind.strip_prefix("tool_call_") {
                Some(event) => self.call_event(event, value),
                None => return kind.starts_with("approval_"),
            },
        }
        true
    }

    /// Everything that waits: what is open and missing here waits no more.
    fn pending(&mut self, map: Value<'_>) -> bool {
        let mut present = Marks::default();
        for (key, value) in map.members() {
            let id = self.shared(Some(key));
            let known = self.known(Some(key));
            let is_repeated = known.is_some_and(|at| present.contains(at));
            let at = if id.is_some() && is_request(value) {
                self.request(value, id, is_repeated)
            } else {
                problem(
                    self.reading,
                    ProblemCode::PartInvalid,
                    "this is no request that could be answered",
                    value,
                );
                None
            };
            if let Some(at) = at.or(known) {
                present.insert(at);
            }
        }
        for at in self.conversation.open.numbers() {
            if !present.contains(at) {
                self.ended(at);
            }
        }
        true
    }

    /// A request of the contract was answered, by whomever, or nobody answered in time.
    pub(super) fn resolved(&mut self, value: Value<'_>, is_reply: bool) {
        let [id, action, reason] = value.named(names!["id", "action", "reason"]);
        let Some(at) = self.known(id) else {
            if let Some(wire) = self.shared(id).filter(|_| !is_reply) {
                self.conversation.expect(wire, self.source.cut(value.text()));
            }
            return;
        };
        let Some(entry) = self.conversation.entry(at) else { return };
        let is_late = is(reason, "timeout");
        // A request that was missing from a list may still be resolved otherwise; the first resolution counts.
        if entry.stage != Stage::Open && (entry.stage != Stage::Ruled || is_late && !entry.is_gone) {
            return;
        }
        let action = action.filter(|action| !action.is_null());
        if is_reply && action.is_none() {
            // It was taken as it was sent.
            if let Some(entry) = self.conversation.entry_mut(at) {
                entry.has_answer = true;
            }
            return self.ended(at);
        }
        let is_answered = reason.is_none_or(|reason| reason.is_null() || reason.equals("answered"));
        let word = action.and_then(action_kind).filter(|_| is_answered);
        if is_late {
            return self.expired(at);
        }
        self.conversation.enter(at, Stage::Ruled);
        if let Some(entry) = self.conversation.entry_mut(at) {
            entry.runs = word.map(OfferKind::runs);
        }
        let target = self.target(at);
        self.say(match word {
            Some(kind) => ruling(target, kind),
            None => Observation::Refused { target, failure: Failure::Unknown, why: None },
        });
    }

    /// It waits no more: an answer of ours counts as it was sent.
    fn ended(&mut self, at: u32) {
        self.conversation.enter(at, Stage::Ruled);
        if let Some(entry) = self.conversation.entry_mut(at) {
            entry.is_gone = true;
        }
        let target = self.target(at);
        self.say(Observation::Ended { target, end: End::Unknown });
    }

    pub(super) fn expired(&mut self, at: u32) {
        self.conversation.enter(at, Stage::Over);
        if let Some(entry) = self.conversation.entry_mut(at) {
            entry.runs = Some(false);
        }
        let target = self.target(at);
        self.say(Observation::Closed { target, closed: Closed::Expired });
    }

    /// The backend did not take our answer.
    fn error(&mut self, value: Value<'_>) {
        let [id, status, detail] = value.named(names!["id", "status", "detail"]);
        let Some(at) = self.known(id) else { return };
        let is_open = self.conversation.entry(at).is_some_and(|entry| entry.stage == Stage::Open);
        let words = detail.and_then(Value::as_str);
        let status = status.and_then(|status| status.as_number()?.parse().ok());
        let failure = failure(status, words.as_deref().unwrap_or_default());
        // Once another word on it came, only that our answer was another one is news.
        if !is_open && !matches!(failure, Failure::Conflict | Failure::Decided(_)) {
            return;
        }
        if matches!(failure, Failure::Reopened | Failure::Kept) {
            let why = detail.map_or("null", Value::text);
            let sentence = format!("the backend did not take the answer: {why}");
            problem(self.reading, ProblemCode::BackendError, &sentence, value);
        } else if self.conversation.entry(at).is_some_and(|entry| entry.stage < Stage::Told) {
            self.conversation.enter(at, Stage::Ruled);
        }
        let target = self.target(at);
        let why = words.as_deref().or(detail.map(Value::text)).map(Arc::from);
        self.say(Observation::Refused { target, failure, why });
    }

    /// What the strategy decided for a call, asked or not.
    fn execution(&mut self, value: Value<'_>) {
        let [tool, call, execute, words, params] =
            value.named(names!["tool_name", "tool_call_id", "execute", "feedback", "final_tool_params"]);
        let (Some(tool), Some(execute)) = (self.shared(tool), execute.and_then(Value::as_bool)) else {
            let sentence = "a decision without the tool's name or without `execute`";
            return problem(self.reading, ProblemCode::PartInvalid, sentence, value);
        };
        let call = self.call_id(call);
        let params = params.filter(|params| params.is_object());
        let shown = Shown::from(params);
        let args = params.map(|params| self.args(Some(params)));
        let is_same =
            |entry: &Entry| if execute { entry.is_call(&tool, &shown) } else { *entry.tool == *tool };
        let mut asked = match &call {
            Some(call) => self.conversation.decided(call, &tool, execute, is_same),
            None => Some(None),
        };
        if asked == Some(None) {
            // Hosts that ask as the library does name the call only once it is decided.
            let may_be = |entry: &Entry| (call.is_none() || entry.is_nameless()) && is_same(entry);
            asked = self.conversation.decided_unnamed(&tool, execute, may_be);
        }
        let Some(asked) = asked else { return };
        let automatic = asked.is_none();
        let decision = match &args {
            _ if !execute => {
                let text = words.and_then(Value::as_str);
                let reason = text.as_deref().and_then(|text| feedback::reason(text, &tool, self.templates));
                Some(Decision::reject(reason))
            }
            Some(args) if !automatic => Some(Decision::Edit { args: args.clone(), note: None }),
            Some(_) => Some(Decision::approve()),
            None => None,
        };
        let at = match asked {
            Some(at) => {
                self.conversation.name(at, call);
                at
            }
            None => self.unasked(call, tool, params),
        };
        self.conversation.enter(at, Stage::Told);
        if let Some(entry) = self.conversation.entry_mut(at) {
            entry.runs = Some(execute);
            if let Some(args) = args {
                entry.args = args.into();
            }
        }
        let target = self.target(at);
        self.say(if decision.is_some() {
            Observation::Answered { target, answer: Answer { decision, automatic } }
        } else {
            Observation::Ruled { target, runs: execute, decision }
        });
    }

    /// One of hayhooks' events.
    fn call_event(&mut self, event: &str, value: Value<'_>) {
        let [id, error] = value.named(names!["id", "error"]);
        let id = self.shared(id);
        if event == "start" {
            return self.started(value, id);
        }
        let Some(id) = id else { return };
        let waits = self.conversation.at_stage(&id, Stage::Open);
        let Some(at) = waits.or_else(|| self.conversation.at_stage(&id, Stage::Ruled)) else { return };
        let kind = match event {
            "approved" => OfferKind::Approve,
            "rejected" => OfferKind::Reject,
            "timeout" => return self.expired(at),
            "error" => {
                self.conversation.enter(at, Stage::Over);
                let error = words(self.source, error).map(|words| Arc::from(words.as_str()));
                let outcome = Box::new(Outcome { error, ..outcome(OutcomeKind::Failed) });
                let target = self.target(at);
                return self.say(Observation::Outcome { target, outcome });
            }
            _ => return,
        };
        self.conversation.enter(at, Stage::Ruled);
        let target = self.target(at);
        self.say(ruling(target, kind));
    }

    /// The request of the contract with this id.
    fn known(&self, id: Option<Value<'_>>) -> Option<u32> {
        let id = self.shared(id)?;
        self.conversation.on_wire(&id, CONTRACT).next()
    }

    pub(super) fn target(&self, at: u32) -> Target {
        Target::Request(self.conversation.reference(at))
    }

    #[inline(never)]
    pub(super) fn say(&mut self, observation: Observation) {
        self.reading.observations.push(observation);
    }

    /// The exact text of arguments; none at all are `null`, which no tool takes.
    pub(super) fn args(&self, args: Option<Value<'_>>) -> ArgsText {
        ArgsText::from(self.source.cut(args.map_or("null", Value::text))).rounded(self.rounded)
    }

    /// The text of a string that is not empty.
    #[inline(always)]
    pub(super) fn shared(&self, value: Option<Value<'_>>) -> Option<Text> {
        shared(self.source, value)
    }

    /// The id of a call.
    pub(super) fn call_id(&self, value: Option<Value<'_>>) -> Option<CallId> {
        self.shared(value).map(CallId::from)
    }
}

/// What it means for an answer of the contract that it was refused with this status and these words.
pub(super) fn failure(status: Option<u16>, words: &str) -> Failure {
    match status {
        Some(404) => Failure::Unknown,
        Some(409) => match detail(words).strip_prefix("already decided: ") {
            Some("timeout") => Failure::Expired,
            word => word.and_then(kind_of).map_or(Failure::Conflict, Failure::Decided),
        },
        Some(422) => Failure::Reopened,
        _ => Failure::Kept,
    }
}

/// The actions of the contract. The library runs the call for every word that it does not know.
pub(super) const ACTIONS: [(&str, OfferKind); 3] =
    [("confirm", OfferKind::Approve), ("modify", OfferKind::Edit), ("reject", OfferKind::Reject)];

fn kind_of(word: &str) -> Option<OfferKind> {
    ACTIONS.iter().find(|(action, _)| *action == word).map(|(_, kind)| *kind)
}

pub(super) fn action_kind(value: Value<'_>) -> Option<OfferKind> {
    kind_of(&value.as_str()?)
}

fn ruling(target: Target, kind: OfferKind) -> Observation {
    let decision = match kind {
        OfferKind::Approve => Some(Decision::approve()),
        OfferKind::Reject => Some(Decision::reject(None)),
        // What it was edited to is not said here.
        _ => None,
    };
    Observation::Ruled { target, runs: kind.runs(), decision }
}

/// Words for people: the text of a string, or whatever stands there as JSON.
pub(super) fn words(source: &Source, value: Option<Value<'_>>) -> Option<Text> {
    let value = value.filter(|value| !value.is_null())?;
    Some(source.cut(&value.words()))
}
