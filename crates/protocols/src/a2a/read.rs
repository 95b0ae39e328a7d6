//! From bytes to observations: walks tasks, updates and messages in order.

use std::cell::OnceCell;
use std::sync::Arc;

use countersign_core::collections::{Groups, Marks};
use countersign_core::{
    ArgsText, CallId, Called, Closed, Observation, Outcome, Problem, ProblemCode, Reading, RequestId,
    RequestRef, Scope, Source, Standing, Target, ToolCall,
};
use countersign_json::{Value, names};

use super::ask::has_remote;
use super::envelope::{Item, contents};
use super::memory::{Conversation, Envelope};
use super::part::{Data, Origin, Part, envelope, is_from_user, names_hitl, origin, part};
use super::state::{State, state};
use crate::lookup::Lookup;
use crate::registry::Edits;
use crate::speaker::Speaker;

/// Reads one value into observations and keeps the conversation's memory.
pub(super) struct Reader<'m> {
    pub(super) conversation: &'m mut Conversation,
    pub(super) reading: &'m mut Reading,
    /// What texts are cut out of that are kept.
    pub(super) source: &'m Source,
    pub(super) edits: Edits,
    pub(super) rounded: bool,
    pub(super) speaker: Speaker,
}

/// The task that is being read.
pub(super) struct Place {
    pub(super) task: u32,
    pub(super) scope: Scope,
    /// Requests that stand before the point of reading and are not answered yet, by place in the task.
    pub(super) before: Marks,
    /// Requests that the message at hand carries, by place.
    pub(super) carried: Marks,
    /// Requests that the point of reading has passed an answer of, by place.
    pub(super) answered: Marks,
    /// Messages of this history that were read already.
    seen: Groups,
    /// A request stands before the point of reading.
    pub(super) has_asked: bool,
    /// The task is known to have ended, so that nothing in it can be approved any more.
    pub(super) is_over: bool,
    /// The agent that the event or the task names, if the message does not.
    author: Option<Arc<str>>,
    /// The application, which stands in where no agent is named at all.
    app_name: Option<Arc<str>>,
    /// The calls that ask for confirmation in this event, or in the last one of a stored task.
    asking: Groups,
    /// Outcomes that stand before any answer, with the tasks of their calls. Another one behind the answer comes first:
    /// what a tool returns while it asks for its confirmation may be anything, and a history does not say that it asks.
    pub(super) held: Vec<(u32, CallId, Outcome)>,
}

impl Reader<'_> {
    pub(super) fn read(&mut self, root: Value<'_>) {
        let contents = contents(root);
        if contents.strange {
            self.problem(ProblemCode::MessageUnrecognised, "this is no task, update or message of A2A", root);
        }
        let mut hidden: Vec<Vec<bool>> = Vec::new();
        if contents.newest_first {
            hidden.extend(contents.items.iter().rev().map(|item| self.item(*item)));
            hidden.reverse();
        } else {
            hidden.extend(contents.items.iter().map(|item| self.item(*item)));
        }
        self.reading.hidden.extend(hidden.into_iter().flatten());
    }

    fn item(&mut self, item: Item<'_>) -> Vec<bool> {
        match item {
            Item::Task(task) => self.task(task),
            Item::StatusUpdate(update) => self.status_update(update),
            Item::ArtifactUpdate(update) => self.artifact_update(update),
            Item::Message(message) => self.message_alone(message),
            Item::Error(error) => {
                let words = error.get("message").and_then(|words| words.as_str_lossy()).unwrap_or_default();
                self.problem(
                    ProblemCode::BackendError,
                    format!("the backend answered with an error: {words}"),
                    error,
                );
                Vec::new()
            }
        }
    }

    fn task(&mut self, task: Value<'_>) -> Vec<bool> {
        let [id, artifacts, history, status] = task.named(names!["id", "artifacts", "history", "status"]);
        let Some(mut place) = self.place(task, id) else { return Vec::new() };
        let word = status.and_then(|status| status.get("state"));
        place.is_over = word.is_some_and(|word| matches!(state(word), (State::Ended(_), _)));
        if place.is_over {
            place.asking.clear();
        }
        self.note_change(&place, status);
        let mut outcomes = Vec::new();
        for artifact in artifacts.into_iter().flat_map(Value::items) {
            self.artifact(&place, artifact, &mut outcomes);
        }
        let mut hidden = Vec::new();
        let mut last = None;
        for message in history.into_iter().flat_map(Value::items) {
            // 0.3 stores the user's message and the confirmation twice; the second one says nothing new.
            let is_repeated = last.is_some_and(|last: Value<'_>| last.same_text(message));
            match hidden.last() {
                Some(before) if is_repeated => hidden.push(*before),
                _ => hidden.push(self.message(&mut place, message)),
            }
            last = Some(message);
        }
        self.close_questions(&place, &outcomes);
        hidden.extend(self.status(&mut place, status, |reader, place| {
            for outcome in outcomes {
                reader.outcome(place, outcome);
            }
        }));
        hidden
    }

    /// What has its outcome is not what the task asks now.
    fn close_questions(&mut self, place: &Place, outcomes: &[Data<'_>]) {
        let Some(task) = self.conversation.task_mut(place.task).filter(|task| !task.questions.is_empty())
        else {
            return;
        };
        for id in outcomes.iter().filter_map(|data| data.id?.as_str()) {
            task.questions.settle(&id);
        }
    }

    fn status_update(&mut self, update: Value<'_>) -> Vec<bool> {
        let Some(mut place) = self.place(update, update.get("taskId")) else { return Vec::new() };
        self.stand_behind_all(&mut place);
        let status = update.get("status");
        self.note_change(&place, status);
        self.status(&mut place, status, |_, _| {}).into_iter().collect()
    }

    fn artifact_update(&mut self, update: Value<'_>) -> Vec<bool> {
        let Some(mut place) = self.place(update, update.get("taskId")) else { return Vec::new() };
        if let Some(artifact) = update.get("artifact") {
            let mut outcomes = Vec::new();
            self.artifact(&place, artifact, &mut outcomes);
            for outcome in outcomes {
                self.outcome(&mut place, outcome);
            }
            self.settle_early(&mut place);
        }
        Vec::new()
    }

    fn message_alone(&mut self, message: Value<'_>) -> Vec<bool> {
        let named = message.get("taskId").is_some();
        let Some(mut place) = named.then(|| self.place(message, message.get("taskId"))).flatten() else {
            return vec![is_internal(message)];
        };
        self.stand_behind_all(&mut place);
        let hidden = self.message(&mut place, message);
        self.settle_early(&mut place);
        vec![hidden]
    }

    /// Finds or begins the task that `holder` is about.
    fn place(&mut self, holder: Value<'_>, id: Option<Value<'_>>) -> Option<Place> {
        let Some(id) = id.and_then(|id| id.as_str()).filter(|id| !id.is_empty()) else {
            self.problem(ProblemCode::PartInvalid, "a task or an update without the task's id", holder);
            return None;
        };
        let scope = Scope::from(self.source.cut(&id));
        let [context, metadata] = holder.named(names!["contextId", "metadata"]);
        let context = context.and_then(|context| context.as_str()).filter(|context| !context.is_empty());
        let origin = origin(metadata);
        let at = self.conversation.place(&scope, context.as_deref());
        let (author, app_name) = (self.name(origin.author), self.name(origin.app_name));
        let task = self.conversation.task_mut(at)?;
        task.app_name = app_name.or(task.app_name.take());
        let app_name = task.app_name.clone();
        let asking = origin.asking.into_iter().flat_map(Value::members).filter_map(|(call, _)| call.as_str());
        let mut confirmed = Groups::default();
        for call in asking {
            confirmed.push(&self.source.cut(&call), 0);
        }
        Some(Place {
            task: at,
            scope,
            before: Marks::default(),
            carried: Marks::default(),
            answered: Marks::default(),
            seen: Groups::default(),
            has_asked: false,
            is_over: false,
            author,
            app_name,
            asking: confirmed,
            held: Vec::new(),
        })
    }

    /// Keeps when the status last changed.
    fn note_change(&mut self, place: &Place, status: Option<Value<'_>>) {
        let changed = status.and_then(|status| status.get("timestamp")?.as_str());
        if let (Some(changed), Some(task)) = (changed, self.conversation.task_mut(place.task)) {
            // Without the letter behind it a whole second stands before its parts.
            let changed = Some(self.source.cut(changed.trim_end_matches('Z')));
            task.changed = task.changed.take().max(changed);
        }
    }

    /// Everything that is known of the task stands before what is read now.
    fn stand_behind_all(&self, place: &mut Place) {
        if let Some(task) = self.conversation.task(place.task) {
            place.before = task.unanswered.clone();
            place.has_asked = !task.requests.is_empty();
        }
    }

    /// Reads a status: its message, then what its state means for everything that waits.
    fn status(
        &mut self,
        place: &mut Place,
        status: Option<Value<'_>>,
        then: impl FnOnce(&mut Self, &mut Place),
    ) -> Option<bool> {
        let message = status.and_then(|status| status.get("message")).filter(|message| message.is_object());
        place.carried = Marks::default();
        let hidden = message.map(|message| self.message(place, message));
        then(self, place);
        let word = status.and_then(|status| status.get("state"));
        if word.is_some_and(|word| matches!(state(word), (State::InputRequired, _))) {
            self.drop_interim(place);
        }
        self.settle_early(place);
        if let Some(word) = word {
            let (state, known) = state(word);
            if known {
                self.enter(place, state, message.is_some());
            } else {
                self.problem(
                    ProblemCode::StateUnknown,
                    format!("`{}` is no state that is known", word.text()),
                    word,
                );
            }
        }
        hidden
    }

    /// Reads the calls of an artifact; what became of calls is read behind the history, which may answer them.
    fn artifact<'a>(&mut self, place: &Place, artifact: Value<'a>, outcomes: &mut Vec<Data<'a>>) {
        let [id, metadata, parts] = artifact.named(names!["artifactId", "metadata", "parts"]);
        let origin = origin(metadata);
        let mut asking = Lookup::new(origin.asking);
        for value in parts.into_iter().flat_map(Value::items) {
            match part(value, false) {
                Part::Call(data) => self.call(place, data, &origin, id),
                Part::Stub(data) => self.stub(place, data),
                Part::Outcome(data) if is_asking(place, &mut asking, data) => self.stub(place, data),
                Part::Outcome(data) => outcomes.push(data),
                _ => {}
            }
        }
    }

    /// Reads one message and says whether it is internal to the approval exchange.
    fn message(&mut self, place: &mut Place, message: Value<'_>) -> bool {
        let [role, id, metadata, extensions, list, kind] =
            message.named(names!["role", "messageId", "metadata", "extensions", "parts", "kind"]);
        let from_user = is_from_user(role);
        let id = id.and_then(|id| id.as_str()).filter(|id| !id.is_empty());
        let origin = origin(metadata);
        let author = origin.author;
        if place.app_name.is_none() {
            place.app_name = self.name(origin.app_name);
        }
        let payload = origin.hitl.filter(|_| names_hitl(extensions));
        if let Some(payload) = payload {
            self.hitl(place, message, payload, author);
        }
        let remote = OnceCell::new();
        let has_remote = || *remote.get_or_init(|| has_remote(list));
        let mut asking = Lookup::new(origin.asking);
        let (mut answers, mut internal, mut parts) = (false, 0, 0);
        for value in list.into_iter().flat_map(Value::items) {
            parts += 1;
            match part(value, from_user) {
                Part::Call(data) => self.call(place, data, &origin, None),
                Part::Confirmation(data, dialect) => {
                    internal += 1;
                    let envelope = if kind.is_some() { Envelope::V03 } else { envelope(value) };
                    self.confirmation(place, data, (dialect, envelope), author, &has_remote);
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
                    let is_news = id.as_ref().is_none_or(|id| place.seen.place(id.as_ref()).is_none());
                    if is_news {
                        self.word_answer(place, data, id.as_deref());
                    }
                }
                Part::Text | Part::Other => {}
            }
        }
        // 0.3 stores the user's message and the confirmation twice.
        if let Some(id) = id.filter(|_| answers) {
            place.seen.push(&self.source.cut(&id), 0);
        }
        payload.is_some() || answers || (parts > 0 && internal == parts)
    }

    fn call(&mut self, place: &Place, data: Data<'_>, origin: &Origin<'_>, artifact: Option<Value<'_>>) {
        let author = origin.author;
        let Some(call) = self.made_call(place, [data.id, data.name, data.args], author, None) else {
            return self.problem(ProblemCode::PartInvalid, "a function call without a name", data.value);
        };
        let Some(id) = call.id.clone() else {
            return self.problem(ProblemCode::PartInvalid, "a function call without an id", data.value);
        };
        let is_named = author.is_some() || place.author.is_some();
        let named = call.agent.first().filter(|_| is_named).cloned();
        let is_news = self.conversation.note_call(place.task, &id, named);
        if let Some(task) = self.conversation.task_mut(place.task)
            && is_news
            && call.tool == *"ask_user"
        {
            let artifact = artifact.and_then(|id| id.as_str()).map(|id| self.source.cut(&id));
            task.questions.add(&id, &call.args, artifact);
        }
        let called = Called { scope: place.scope.clone(), call, streaming: origin.is_partial };
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
        let name = name?.as_str()?;
        let id = id.and_then(|id| id.as_str()).filter(|id| !id.is_empty());
        let id = id.map(|id| CallId::from(self.source.cut(&id)));
        let author = self.author(place, author, id.as_ref());
        Some(ToolCall {
            id,
            tool: self.source.cut(&name),
            args: self.args(args),
            server: None,
            agent: self.speaker.path(author, subagent),
        })
    }

    /// Who made this call: the message's author, else whoever was named with the call, else the application.
    pub(super) fn author(
        &self,
        place: &Place,
        named: Option<Value<'_>>,
        call: Option<&CallId>,
    ) -> Option<Arc<str>> {
        let known = || self.conversation.author(place.task, call?);
        self.name(named).or_else(known).or_else(|| place.author.clone()).or_else(|| place.app_name.clone())
    }

    /// The name of an agent or an application.
    fn name(&self, value: Option<Value<'_>>) -> Option<Arc<str>> {
        Some(self.speaker.name(&value?.as_str()?))
    }

    /// The exact text of arguments; none at all are an empty object.
    pub(super) fn args(&self, args: Option<Value<'_>>) -> ArgsText {
        let text = args.filter(|args| !args.is_null()).map_or("{}", Value::text);
        ArgsText::from(self.source.cut(text)).rounded(self.rounded)
    }

    fn stub(&mut self, place: &Place, data: Data<'_>) {
        let Some(call) = data.id.and_then(|id| id.as_str()).map(|id| CallId::from(self.source.cut(&id)))
        else {
            return;
        };
        let waits_for_agent = data.response.and_then(|response| response.get("waiting_for"));
        if waits_for_agent.is_some_and(|what| what.equals("subagent_approval")) {
            return self.observe_call(place, call, |target| Observation::Running { target });
        }
        self.conversation.stub(place.task, &call);
    }

    pub(super) fn observe_call(
        &mut self,
        place: &Place,
        call: CallId,
        observation: impl FnOnce(Target) -> Observation,
    ) {
        self.reading.observations.push(observation(Target::Call(place.scope.clone(), call)));
    }

    pub(super) fn target(place: &Place, id: &RequestId) -> Target {
        Target::Request(RequestRef { scope: place.scope.clone(), id: id.clone() })
    }

    /// What a state means for everything that waits in the task.
    fn enter(&mut self, place: &Place, state: State, has_message: bool) {
        let Some(task) = self.conversation.task_mut(place.task) else { return };
        // A task that has ended does not go back, but what is read of it now has ended too.
        let state = if matches!(task.state, State::Ended(_)) { task.state } else { state };
        task.state = state;
        // While tools run, event after event says so.
        let stubbed =
            if state == State::Working { Vec::new() } else { self.conversation.stubbed(place.task) };
        let Some(task) = self.conversation.task_mut(place.task) else { return };
        let observations = &mut self.reading.observations;
        let waiting_call = |call: CallId| Target::Call(place.scope.clone(), call);
        match state {
            State::Ended(end) => {
                task.unanswered = Marks::default();
                for request in &task.requests {
                    observations.push(Observation::Ended { target: Self::target(place, &request.id), end });
                }
                for call in stubbed {
                    self.conversation.name_call(place.task, &call);
                    let target = waiting_call(call);
                    let standing = Standing::Blocked;
                    observations.push(Observation::Stands { target: target.clone(), standing });
                    observations.push(Observation::Ended { target, end });
                }
            }
            State::Working => {
                for (_, request) in task.waiting() {
                    let target = Self::target(place, &request.id);
                    observations.push(Observation::Stands { target, standing: Standing::Announced });
                }
            }
            State::InputRequired => {
                let names_request =
                    !place.carried.is_empty() || (!has_message && !task.unanswered.is_empty());
                for call in stubbed.into_iter().filter(|_| !names_request) {
                    let target = waiting_call(call);
                    observations.push(Observation::Stands { target, standing: Standing::Blocked });
                }
                let gone = |at: u32| has_message && !place.carried.contains(at);
                let blocks = task.blocks_questions(&gone);
                let mut superseded = Vec::new();
                for (at, request) in task.waiting() {
                    let target = Self::target(place, &request.id);
                    if gone(at) {
                        superseded.push(at);
                        observations.push(Observation::Closed { target, closed: Closed::Superseded });
                    } else {
                        let blocked = blocks && request.is_question;
                        let standing = if blocked { Standing::Blocked } else { Standing::Open };
                        observations.push(Observation::Stands { target, standing });
                    }
                }
                for at in superseded {
                    task.unanswered.remove(at);
                }
                for at in task.ran.numbers() {
                    if gone(at) {
                        task.ran.remove(at);
                    }
                }
            }
        }
    }

    pub(super) fn problem(&mut self, code: ProblemCode, message: impl Into<String>, at: Value<'_>) {
        let place = format!("byte {}", at.span().start);
        self.reading.problems.push(Problem::new(code, message).at(place));
    }
}

/// Whether a response is what a tool returned while it asked for its confirmation, which may be anything.
fn is_asking(place: &Place, asking: &mut Lookup<'_>, data: Data<'_>) -> bool {
    let Some(id) = data.id.and_then(|id| id.as_str()) else { return false };
    asking.get(&id).is_some() || place.asking.place(&*id).is_some()
}

/// Whether a message that belongs to no task is internal to the approval exchange.
fn is_internal(message: Value<'_>) -> bool {
    let [role, metadata, extensions, list] = message.named(names!["role", "metadata", "extensions", "parts"]);
    let from_user = is_from_user(role);
    let (mut answers, mut internal, mut parts) = (false, 0, 0);
    for value in list.into_iter().flat_map(Value::items) {
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
