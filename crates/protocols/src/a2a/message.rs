//! Messages, and the calls in them.

use std::cell::OnceCell;
use std::sync::Arc;

use countersign_core::{CallId, Called, Observation, ProblemCode, RequestId, RequestRef, Target, ToolCall};
use countersign_json::{Value, has_rounded_number, items, names};

use super::ask::remote;
use super::hitl::Carrier;
use super::memory::Envelope;
use super::part::{Data, Origin, Part, envelope, is_from_user, names_hitl, origin, part};
use super::place::{Place, with_tool};
use super::read::{Reader, Told};
use super::state::State;
use crate::confirmation::{is_of_work, is_stub};
use crate::lookup::Lookup;
use crate::reading::{arguments, is, present, problem, shared, text};

impl Reader<'_> {
    /// Reads one message and says whether it is internal to the approval exchange.
    pub(super) fn message(&mut self, place: &mut Place, message: Value<'_>) -> bool {
        let [role, id, metadata, extensions, list, kind] =
            message.named(names!["role", "messageId", "metadata", "extensions", "parts", "kind"]);
        let (from_user, kind) = (is_from_user(role), present(kind));
        let id = shared(self.source, id);
        let origin = origin(metadata);
        let author = origin.author;
        self.note_app(place, &origin);
        place.source = id.clone();
        place.heard.clear();
        if from_user {
            place.held.note_spoken();
        }
        let payload = origin.hitl.filter(|_| names_hitl(extensions));
        if let Some(payload) = payload {
            self.doubles = kind.is_none();
            self.hitl(place, Carrier { message, payload, author });
        }
        let found = OnceCell::new();
        let remote = || *found.get_or_init(|| remote(list));
        let mut asking = Lookup::new(origin.asking);
        let (mut answers, mut internal, mut parts) = (false, 0, 0);
        for value in items(list) {
            parts += 1;
            match part(value, from_user) {
                Part::Call(data) => self.call(place, data, &origin, None),
                Part::Confirmation(data, dialect) => {
                    internal += 1;
                    let envelope = if kind.is_some() { Envelope::V03 } else { envelope(value) };
                    self.confirmation(place, data, (dialect, envelope), author, &remote);
                }
                Part::Stub(data) => {
                    internal += 1;
                    self.stub(place, data);
                }
                Part::Outcome(data) if is_asking(place, &mut asking, data) => {
                    internal += 1;
                    self.stub(place, data);
                }
                Part::Outcome(data) => self.outcome(place, data),
                Part::NativeAnswer(data) => {
                    answers = true;
                    self.native_answer(place, data);
                }
                Part::WordAnswer(data) => {
                    answers = true;
                    if id.as_ref().is_none_or(|id| self.is_news(place, id)) {
                        self.word_answer(place, data, id.as_deref());
                    } else {
                        place.is_repeated = place.is_live;
                    }
                }
                Part::Other => {}
            }
        }
        // 0.3 stores the user's message and the confirmation twice.
        if let Some(id) = id.filter(|_| answers) {
            place.seen.push(&id, 0);
            if let Some(task) = self.conversation.task_mut(place.task) {
                task.note_answer(&id);
            }
        }
        payload.is_some() || answers || (parts > 0 && internal == parts)
    }

    /// Notes the application, where neither the event nor the task nor what stood before in it named one.
    pub(super) fn note_app(&self, place: &mut Place, origin: &Origin<'_>) {
        if place.app_name.is_none() {
            place.app_name = self.name(origin.app_name);
        }
    }

    /// Whether an answer in words says something new. A history tells it in its place each time; a stream that repeats
    /// it behind another request would have it answer that one too.
    fn is_news(&self, place: &Place, message: &str) -> bool {
        let was_read = || self.conversation.task(place.task).is_some_and(|task| task.has_answer(message));
        place.seen.place(message).is_none() && !(place.is_live && was_read())
    }

    pub(super) fn call(
        &mut self,
        place: &mut Place,
        data: Data<'_>,
        origin: &Origin<'_>,
        artifact: Option<&mut Vec<Told<'_>>>,
    ) {
        let author = origin.author;
        self.doubles = data.has_doubles;
        let Some(call) = self.made_call(place, [data.id, data.name, data.args], author, None) else {
            return problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a function call without a name",
                data.value,
            );
        };
        let Some(id) = call.id.clone() else {
            return problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a function call without an id",
                data.value,
            );
        };
        if !place.is_live && call.tool == *"transfer_to_agent" {
            place.handed = self.name(data.args.and_then(|args| args.get("agent_name")));
        }
        let is_named = author.is_some() || place.author.is_some() && !place.spoke_last;
        let named = call.agent.first().filter(|_| is_named).cloned();
        let streaming = origin.is_partial || data.is_piece;
        let in_artifact = artifact.is_some();
        if streaming {
            self.conversation.note_call(place.task, &call, named, None);
        } else {
            self.note_made(place, &call, named, artifact.unwrap_or(&mut Vec::new()));
        }
        if let Some(task) = self.conversation.task_mut(place.task)
            && !streaming
            && call.tool == *"ask_user"
        {
            let artifact = place.source.clone().filter(|_| in_artifact);
            // A stream may be late with a call while its request waits; a later call asks the same anew.
            let is_late = |at: &u32| {
                !place.is_live || task.state == State::InputRequired && task.unanswered.contains(*at)
            };
            let lone = task.questions.add(&id, &call.args, artifact).filter(is_late);
            if let Some(request) = lone.and_then(|at| task.name_call_of(at, &id)) {
                let target = task.target(&request);
                self.reading.observations.push(Observation::Renamed { target, id: id.clone() });
            }
        }
        let called = Called { scope: place.scope.clone(), call, streaming };
        self.reading.observations.push(Observation::Called(Box::new(called)));
    }

    /// The call of this id, name and arguments; `None` without a name.
    pub(super) fn made_call(
        &mut self,
        place: &Place,
        [id, name, args]: [Option<Value<'_>>; 3],
        author: Option<Value<'_>>,
        subagent: Option<&str>,
    ) -> Option<ToolCall> {
        let tool = text(self.source, name)?;
        let id = shared(self.source, id).map(CallId::from);
        let author = self.author(place, author, id.as_ref().map(|id| (id, &*tool)));
        let rounded = self.rounded || self.doubles && args.is_some_and(has_rounded_number);
        Some(ToolCall {
            id,
            tool,
            args: arguments(self.source, args, rounded),
            positional: false,
            server: None,
            agent: self.speaker.path(author, subagent),
        })
    }

    /// Who made this call of a tool: the author of the message or of the event, else whoever was named with the call, else the
    /// application. Whoever spoke last in a task may be another one, where several agents work in it, and counts only where it is
    /// the application's own agent, or the one to which the conversation was handed.
    pub(super) fn author(
        &self,
        place: &Place,
        named: Option<Value<'_>>,
        call: Option<(&CallId, &str)>,
    ) -> Option<Arc<str>> {
        let known = || self.conversation.author(place.task, call?);
        let (speaker, last) = match place.spoke_last {
            true => (None, place.author.as_ref()),
            false => (place.author.as_ref(), None),
        };
        let turn = place.handed.as_ref().or(place.app_name.as_ref());
        let fallback = || turn.filter(|turn| last.is_none_or(|last| last == *turn)).cloned();
        self.name(named).or_else(|| speaker.cloned()).or_else(known).or_else(fallback)
    }

    /// The name of an agent or an application.
    pub(super) fn name(&self, value: Option<Value<'_>>) -> Option<Arc<str>> {
        Some(self.speaker.name(&value?.as_str()?))
    }

    pub(super) fn stub(&mut self, place: &Place, data: Data<'_>) {
        let Some(call) = text(self.source, data.id).map(CallId::from) else { return };
        let waits_for_agent = data.response.and_then(|response| response.get("waiting_for"));
        if is(waits_for_agent, "subagent_approval") {
            self.conversation.note(place.task, &call, |known| known.is_outer = true);
            self.observe_call(place, call, |target| Observation::Running { target });
            return;
        }
        self.conversation.stub(place.task, &call, is_stub(data.response));
        if data.response.is_some_and(is_of_work) {
            self.conversation.note(place.task, &call, |known| known.is_of_work = true);
        }
    }

    pub(super) fn observe_call(
        &mut self,
        place: &Place,
        call: CallId,
        observation: impl FnOnce(Target) -> Observation,
    ) {
        let target = self.conversation.target(place.task, &place.scope, call);
        self.reading.observations.push(observation(target));
    }

    pub(super) fn target(place: &Place, id: &RequestId) -> Target {
        Target::Request(RequestRef { scope: place.scope.clone(), id: id.clone() })
    }
}

/// Whether a response is what a tool returned while it asked for its confirmation, which may be anything.
pub(super) fn is_asking(place: &Place, asking: &mut Lookup<'_>, data: Data<'_>) -> bool {
    let Some(id) = data.id.and_then(|id| id.as_str()) else { return false };
    asking.get(&id).is_some() || !place.is_over && place.is_asking && is_asked(place, data)
}

/// Whether this is about one of the calls that the event or the stored task asks about.
pub(super) fn is_asked(place: &Place, data: Data<'_>) -> bool {
    let Some(id) = data.id.and_then(|id| id.as_str()) else { return false };
    let tool = data.name.and_then(|name| name.as_str()).unwrap_or_default();
    place.asking.place(&*id).is_some() || place.asking.place(&*with_tool(&id, &tool)).is_some()
}

/// Whether a message that belongs to no task is internal to the approval exchange.
pub(super) fn is_internal(message: Value<'_>) -> bool {
    let [role, metadata, extensions, list] = message.named(names!["role", "metadata", "extensions", "parts"]);
    let from_user = is_from_user(role);
    let (mut answers, mut internal, mut parts) = (false, 0, 0);
    for value in items(list) {
        parts += 1;
        match part(value, from_user) {
            Part::Confirmation(..) | Part::Stub(_) => internal += 1,
            Part::NativeAnswer(_) | Part::WordAnswer(_) => answers = true,
            _ => {}
        }
    }
    let is_hitl = names_hitl(extensions) && origin(metadata).hitl.is_some();
    is_hitl || answers || (parts > 0 && internal == parts)
}
