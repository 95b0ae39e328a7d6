//! From bytes to observations: walks sessions and events in order.

use std::sync::Arc;

use countersign_core::{
    CallId, Called, Observation, ProblemCode, Reading, RequestId, Source, Target, ToolCall,
};
use countersign_json::{Value, names};

use super::event::{Event, Name, call_id, name};
use super::memory::Conversation;
use crate::confirmation::is_stub;
use crate::lookup::Lookup;
use crate::options::Edits;
use crate::reading::{arguments, is, problem, shared};
use crate::speaker::Speaker;

/// Reads one value into observations and keeps the conversation's memory.
pub(super) struct Reader<'m, 'v> {
    pub(super) conversation: &'m mut Conversation,
    pub(super) reading: &'m mut Reading,
    /// The message that kept texts are cut out of.
    pub(super) source: &'m Source,
    pub(super) edits: Edits,
    pub(super) rounded: bool,
    /// What is read stands in a list, and a page that was open before reads it: a stream may still come to it.
    pub(super) is_listed: bool,
    pub(super) speaker: Speaker,
    /// The requests that were read, by their observation, the parts that carry them, and which event of all that were read it was.
    pub(super) asked: Vec<(usize, RequestId, Value<'v>, u32)>,
    /// Tools of workflows that were read to wait, and the parts that say so: they have no answer here.
    pub(super) workflow: Vec<(Value<'v>, Value<'v>)>,
}

/// What stands in an event, as far as it says whether a chat should show it.
#[derive(Default)]
struct Tally {
    /// Text, calls and real outcomes.
    shown: bool,
    confirmations: bool,
    stubs: bool,
    /// Parts that are not for approvals.
    others: bool,
    answers: bool,
}

impl Tally {
    /// Whether the event is internal to the approval exchange.
    fn is_hidden(&self) -> bool {
        self.answers || (!self.shown && (self.confirmations || (self.stubs && !self.others)))
    }
}

impl<'v> Reader<'_, 'v> {
    /// Reads an event, a list of events or a session; `own`: the message that the host sent.
    pub(super) fn read(&mut self, root: Value<'v>, own: bool) {
        self.conversation.events_before = self.conversation.events;
        if root.is_array() {
            return self.events(root);
        }
        let events = root.get("events").filter(|events| events.is_array());
        let message = if own { Event::from_host(root) } else { None };
        match (message.or_else(|| Event::new(root)), events) {
            (Some(event), _) => {
                self.cut_off(event.invocation);
                let hidden = self.event(&event);
                self.reading.hidden.push(hidden);
            }
            (None, Some(events)) => self.session(root, events),
            (None, None) => self.strange(root),
        }
    }

    fn session(&mut self, session: Value<'v>, events: Value<'v>) {
        let names = session.named(names!["id", "appName", "userId"]).map(|name| shared(self.source, name));
        let known = &self.conversation.session;
        let differs =
            |(known, given): (&Option<_>, &Option<_>)| known.is_some() && given.is_some() && known != given;
        if known.iter().zip(&names).any(differs) {
            // Its ids mean something else, and its answers would go to this session.
            let sentence = "this is another session than the one that was read before";
            return problem(self.reading, ProblemCode::MessageUnrecognised, sentence, session);
        }
        for (known, given) in self.conversation.session.iter_mut().zip(names) {
            *known = known.take().or(given);
        }
        self.events(events);
    }

    fn events(&mut self, list: Value<'v>) {
        let before = self.reading.hidden.len();
        let mut strange = None;
        let mut is_history = false;
        let mut is_rewound = false;
        let mut last = None;
        self.conversation.forget_calls();
        for value in list.items() {
            let event = Event::new(value);
            is_history |= event.is_some();
            last = event.or(last);
            is_rewound |= event.is_some_and(|event| event.rewound().is_some());
            if event.is_none() && strange.is_none() {
                strange = Some(value);
            }
            let hidden = event.is_some_and(|event| self.event(&event));
            self.reading.hidden.push(hidden);
        }
        if let Some(value) = strange {
            problem(self.reading, ProblemCode::MessageUnrecognised, "this is no event of ADK", value);
        }
        self.cut_off(last.and_then(|event| event.invocation));
        if is_rewound {
            self.rewind(list);
        }
        if !is_history {
            self.reading.hidden.truncate(before);
        }
    }

    /// What is no event: mostly the server's own complaint.
    fn strange(&mut self, root: Value<'_>) {
        let [error, detail] = root.named(names!["error", "detail"]);
        match error.or(detail).and_then(Value::as_str_lossy) {
            Some(words) => {
                let sentence = ["the backend answered with an error: ", &words].concat();
                problem(self.reading, ProblemCode::BackendError, &sentence, root);
            }
            None => problem(
                self.reading,
                ProblemCode::MessageUnrecognised,
                "this is no event or session of ADK",
                root,
            ),
        }
    }

    /// Reads one event and says whether it is internal to the approval exchange.
    fn event(&mut self, event: &Event<'v>) -> bool {
        let mut tally = Tally::default();
        let mut batch = None;
        self.conversation.events = self.conversation.events.wrapping_add(1);
        if let Some(error) = event.error {
            self.broken(event, error);
        }
        let Some(parts) = event.parts else { return false };
        let mut requested = None;
        for part in parts.items() {
            let [text, call, response] = part.named(names!["text", "functionCall", "functionResponse"]);
            let call = call.filter(|call| call.is_object());
            let response = response.filter(|response| response.is_object());
            let speaks = text.and_then(Value::as_str_lossy).is_some_and(|text| !text.is_empty());
            tally.shown |= speaks;
            tally.others |= !speaks && call.is_none() && response.is_none();
            if let Some(call) = call {
                self.call(event, part, call, &mut batch, &mut tally);
            }
            if let Some(response) = response {
                let requested = requested.get_or_insert_with(|| Lookup::new(event.requested()));
                self.response(event, response, requested, &mut tally);
            }
        }
        tally.is_hidden()
    }

    fn call(
        &mut self,
        event: &Event<'v>,
        part: Value<'v>,
        call: Value<'v>,
        batch: &mut Option<RequestId>,
        tally: &mut Tally,
    ) {
        let [id, named, args] = call.named(names!["id", "name", "args"]);
        let kind = name(named);
        // Only agents call tools and ask for confirmation.
        if kind == Name::Confirmation && !event.is_from_user {
            tally.confirmations = true;
            // A piece of a stream may show half of what will run.
            if !event.is_partial {
                self.confirmation(event, part, [id, args], batch);
            }
            return;
        }
        tally.shown = true;
        if kind != Name::Tool || event.is_from_user {
            if let Some(id) = id.filter(|id| !event.is_from_user && asks_for_workflow(*id)) {
                self.workflow.push((id, part));
            }
            return;
        }
        match self.tool_call(event, [id, named, args]) {
            Some(call) if let Some(id) = call.id.clone() => {
                if self.join_pieces(event, &call) {
                    return;
                }
                let scope = self.conversation.scope.clone();
                let target = Target::Call(scope.clone(), id.clone());
                let tool = call.tool.clone();
                let called = Called { scope, call, streaming: event.is_partial };
                self.reading.observations.push(Observation::Called(Box::new(called)));
                let event_id = event.id.and_then(|id| id.as_str());
                if !event.is_partial {
                    self.conversation.note_call(&id, event.invocation, self.source);
                }
                let mut note = || self.conversation.note_whole(&id, &tool, event_id.as_deref());
                let outcome = if event.is_partial { None } else { note() };
                if let Some(outcome) = outcome {
                    let outcome = Box::new(outcome);
                    self.reading.observations.push(Observation::Outcome { target, outcome });
                }
            }
            // A stream names a call in its first piece only.
            _ if event.is_partial => {}
            _ => problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a function call without its id or its name",
                call,
            ),
        }
    }

    fn response(
        &mut self,
        event: &Event<'_>,
        part: Value<'_>,
        requested: &mut Lookup<'_>,
        tally: &mut Tally,
    ) {
        let [id, named, response] = part.named(names!["id", "name", "response"]);
        match name(named) {
            Name::Confirmation if event.is_from_user => {
                tally.answers = true;
                if !event.is_partial {
                    self.answer(event, id, response);
                }
            }
            Name::Tool => {
                let call = call_id(self.source, id);
                let mut is_requested =
                    |call: &CallId| requested.get(call.as_str()).is_some_and(Value::is_object);
                if call.as_ref().is_some_and(&mut is_requested) {
                    tally.stubs = true;
                    return;
                }
                let wants = |call: &CallId| event.unauthorised()?.get(call.as_str());
                let is_unauthorised = call.as_ref().and_then(wants).is_some_and(Value::is_object);
                if is_unauthorised || is_stub(response) {
                    tally.stubs = true;
                    // The word of no gate of ADK: a tool says it of its own work.
                    let status = response.and_then(|response| response.get("status"));
                    let is_of_work = is(status, "pending");
                    if let Some(call) = call.filter(|_| is_unauthorised || is_of_work) {
                        self.goes_on(event, &call, is_unauthorised);
                    }
                    return;
                }
                tally.shown = true;
                if let Some(call) = call.filter(|_| !event.is_partial) {
                    self.outcome(event, call, shared(self.source, named), response);
                }
            }
            Name::Confirmation | Name::Internal => {
                tally.shown = true;
                self.workflow.retain(|(asked, _)| id.is_none_or(|id| asked.as_str() != id.as_str()));
            }
        }
    }

    /// A response that is no outcome says of an answered call that it is under way, or wants a credential first. One that is read
    /// again says nothing new.
    fn goes_on(&mut self, event: &Event<'_>, call: &CallId, is_unauthorised: bool) {
        let id = event.id.and_then(Value::as_str_lossy);
        let is_news = self.conversation.note_outcome(id.as_deref(), call).1;
        let Some(request) = self.conversation.answered_for(call).filter(|_| is_news) else { return };
        let target = Target::Request(self.conversation.reference(&request));
        self.reading.observations.push(match is_unauthorised {
            true => Observation::Accepted { target, error: None },
            false => Observation::Running { target },
        });
    }

    /// Tells of tools of workflows that wait, for which there are no cards.
    pub(super) fn report_workflow(&mut self) {
        for (_, part) in std::mem::take(&mut self.workflow) {
            let sentence = "a tool of a workflow waits for its confirmation, which cannot be given from here";
            problem(self.reading, ProblemCode::PartInvalid, sentence, part);
        }
    }

    /// The call with this id, name and arguments; `None` without a name.
    pub(super) fn tool_call(
        &mut self,
        event: &Event<'_>,
        [id, name, args]: [Option<Value<'_>>; 3],
    ) -> Option<ToolCall> {
        Some(ToolCall {
            id: call_id(self.source, id),
            tool: shared(self.source, name)?,
            args: arguments(self.source, args, self.rounded),
            positional: false,
            server: None,
            agent: self.agent(event),
        })
    }

    fn agent(&mut self, event: &Event<'_>) -> Arc<[Arc<str>]> {
        let name = event.agent.and_then(|agent| agent.as_str()).filter(|name| !name.is_empty());
        let name = name.map(|name| self.speaker.name(&name));
        self.speaker.path(name, None)
    }
}

/// Whether a request for input has the id that ADK's workflows give to the confirmation of a tool.
///
/// Source: google-adk 2.13.0, `workflow/utils/_workflow_hitl_utils.py`.
fn asks_for_workflow(id: Value<'_>) -> bool {
    id.as_str().is_some_and(|id| id.starts_with("wf_tool_confirmation:"))
}
