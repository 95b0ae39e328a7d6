//! What must be remembered of a conversation.

use std::cmp::Ordering;
use std::sync::Arc;

use countersign_core::collections::{Groups, Marks, Numbered};
use countersign_core::{Advice, ArgsText, CallId, RequestId, RequestRef, Scope, Target, Text, ToolCall};

use super::ask::Remote;
use super::calls::Calls;
use super::early::Early;
use super::questions::Questions;
use super::state::State;
use super::told::Told;

/// The tasks of a conversation and what they still wait for.
#[derive(Default)]
pub(super) struct Conversation {
    pub(super) tasks: Numbered<Task>,
    by_id: Groups,
    /// The tasks of each context, in the order in which they were first seen.
    contexts: Groups,
    /// The tasks of each context that asked for something and may still wait.
    waiting: Vec<Vec<u32>>,
    pub(super) calls: Calls,
    /// The tasks that carry each confirmation.
    pub(super) confirmations: Groups,
    pub(super) early: Early,
    /// The outcomes that were taken in, by where they stand: what is read again settles nothing that came after it.
    pub(super) told: Told,
    /// How many messages were read.
    pub(super) readings: u32,
    /// The tasks that asked for what can be answered in kagent's words only.
    in_words_only: Vec<u32>,
}

/// One task.
pub(super) struct Task {
    pub(super) id: Scope,
    pub(super) context: Option<Text>,
    pub(super) state: State,
    /// Whether an answer of ours is on its way to it.
    pub(super) answering: Answering,
    /// The backend knows it no more.
    pub(super) is_forgotten: bool,
    pub(super) app_name: Option<Arc<str>>,
    pub(super) requests: Numbered<Request>,
    by_id: Groups,
    /// The calls that were made in it, by place in the conversation.
    pub(super) calls: Vec<u32>,
    /// Of these, by id, the ones whose id is that of many calls.
    pub(super) far_calls: Groups,
    /// The places of the requests about each call.
    by_call: Groups,
    /// The places of the requests under each confirmation that is not their own.
    by_confirmation: Groups,
    /// Requests without an answer on the wire, by place.
    pub(super) unanswered: Marks,
    /// Requests whose calls had run when they were asked about, by place: nobody decides them, and an answer for
    /// everything that waits must not approve them.
    pub(super) ran: Marks,
    /// Requests whose calls have an outcome, by place.
    pub(super) settled: Marks,
    /// Requests of which the backend has our answer and that it did not name since, by place.
    pub(super) delivered: Marks,
    /// Calls that said that they wait, by place; a request may name them by now.
    pub(super) stubbed: Vec<u32>,
    pub(super) questions: Questions,
    /// Messages that answer and were read.
    answers: Groups,
    /// When its status last changed, as far as it says so.
    pub(super) changed: Option<Text>,
    asked: Asked,
    /// How much is kept of it that was read early.
    pub(super) early: u32,
}

/// Whether an answer of ours is on its way to a task that was read as one that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Answering {
    /// None left, it was refused, or what the task did with it was read.
    #[default]
    No,
    /// Until the task is read in another state: what says that it still waits may be older than the answer.
    Sent,
    /// Nobody knows whether it arrived, until the task is read again.
    Lost,
}

/// When a task asked for something new the last time.
#[derive(Default)]
struct Asked {
    /// In which reading.
    reading: u32,
    /// When its status had changed by then.
    moment: Option<Text>,
    /// It waited then: that is the moment at which it asked.
    waited: bool,
}

/// One request, as far as its answer needs to know it.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) id: RequestId,
    /// The call's own id: what a batch of kagent 0.10 is keyed by.
    pub(super) call: Option<CallId>,
    pub(super) tool: Text,
    /// The confirmation that carries it: its own id, or that of the remote agent's call.
    pub(super) confirmation: RequestId,
    /// It is a call of a remote agent.
    pub(super) nested: bool,
    pub(super) is_question: bool,
    /// It is a question in a list of calls, which kagent's extension can only approve or reject.
    pub(super) is_listed: bool,
    /// It is a question that cannot be read without doubt, and cannot be refused either.
    pub(super) is_mute: bool,
    /// What stands beside it, where its answer is kagent's words: it may be such that all can be refused only, in one word.
    pub(super) remote: Remote,
    pub(super) dialect: Dialect,
    pub(super) envelope: Envelope,
    /// The arguments, where an edit may be laid over them.
    pub(super) editable: Option<ArgsText>,
}

impl Request {
    /// A request about this call, of which nothing else is known.
    pub(super) fn new(id: RequestId, call: &ToolCall, (dialect, envelope): (Dialect, Envelope)) -> Request {
        Request {
            confirmation: id.clone(),
            id,
            call: call.id.clone(),
            tool: call.tool.clone(),
            nested: false,
            is_question: false,
            is_listed: false,
            is_mute: false,
            remote: Remote::None,
            dialect,
            envelope,
            editable: None,
        }
    }

    /// Whether it is a remote agent's call that can be answered in kagent's words only.
    fn is_in_words_only(&self) -> bool {
        self.nested && self.dialect == Dialect::Kagent010
    }
}

/// How a request is spelt, and so its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The first `decision_type` wire.
    Seed,
    /// kagent 0.8 to 0.10.
    Kagent010,
    /// kagent's message extension `hitl/v1`.
    HitlV1,
    /// google-adk's own A2A server.
    Adk,
}

/// Which version of A2A the message came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Envelope {
    /// A2A 0.3.
    V03,
    /// A2A 1.0.
    V10,
}

impl Conversation {
    /// The place of the task, and its context if that is news.
    pub(super) fn place(&mut self, id: &Scope, context: Option<&str>) -> u32 {
        let at = match self.by_id.get(id.shared()) {
            [at, ..] => *at,
            [] => {
                let at = self.tasks.push(Task::new(id));
                self.by_id.push(id.shared(), at);
                at
            }
        };
        if let (Some(task), Some(context)) = (self.tasks.get_mut(at), context)
            && task.context.is_none()
        {
            let context = Text::from(context);
            self.contexts.push(&context, at);
            task.context = Some(context);
            self.note_waiting(at);
        }
        at
    }

    /// Notes that a task may wait for an answer.
    fn note_waiting(&mut self, at: u32) {
        let context =
            self.task(at).filter(|task| !task.unanswered.is_empty()).and_then(|task| task.context.as_ref());
        let Some(context) = context.and_then(|context| self.contexts.place(context)) else { return };
        let context = context as usize;
        if self.waiting.len() <= context {
            self.waiting.resize(context + 1, Vec::new());
        }
        if let Some(waiting) = self.waiting.get_mut(context).filter(|waiting| waiting.last() != Some(&at)) {
            waiting.push(at);
        }
    }

    /// The task at this place.
    pub(super) fn task(&self, at: u32) -> Option<&Task> {
        self.tasks.get(at)
    }

    /// The task at this place, to change.
    pub(super) fn task_mut(&mut self, at: u32) -> Option<&mut Task> {
        self.tasks.get_mut(at)
    }

    /// Notes that the backend has our answer to a request.
    pub(super) fn delivered(&mut self, request: &RequestRef) {
        let task = self.place_of(&request.scope);
        if let Some(task) = task.and_then(|at| self.task_mut(at))
            && let Some(at) = task.place_of(&request.id)
        {
            task.delivered.insert(at);
        }
    }

    /// The task with this id.
    pub(super) fn task_of(&self, id: &Scope) -> Option<&Task> {
        self.task(self.place_of(id)?)
    }

    /// The place of the task with this id.
    pub(super) fn place_of(&self, id: &Scope) -> Option<u32> {
        self.by_id.get(id.shared()).first().copied()
    }

    /// The other tasks of the context of this one.
    fn beside<'a>(&'a self, task: &'a Task) -> impl Iterator<Item = (u32, &'a Task)> {
        let beside = task.context.as_ref().map(|context| self.contexts.get(context)).unwrap_or_default();
        let others = beside.iter().filter_map(|at| Some((*at, self.task(*at)?)));
        others.filter(|(_, other)| other.id != task.id)
    }

    /// Whether another task of the context asked in kagent's words that `is_it`. Of all that was asked in a context the server
    /// looks for a word at what was asked last, whichever task it names.
    pub(super) fn asked_beside(&self, task: &Task, is_it: impl Fn(u32, &Task) -> bool) -> bool {
        self.beside(task).any(|(at, other)| other.asks_in() == Some(Dialect::Kagent010) && is_it(at, other))
    }

    /// Whether another task of the context is at work, or soon will be: it may ask before a word for this one is read.
    pub(super) fn works_beside(&self, task: &Task) -> bool {
        let works = |other: &Task| other.state == State::Working || other.answering != Answering::No;
        self.beside(task).any(|(_, other)| works(other) && !other.is_forgotten)
    }

    /// Notes what becomes of an answer of ours to the task of this request.
    pub(super) fn note_answering(&mut self, request: &RequestRef, answering: Answering) {
        let task = self.place_of(&request.scope).and_then(|at| self.task_mut(at));
        if let Some(task) = task.filter(|task| task.state == State::InputRequired) {
            task.answering = answering;
        }
    }

    /// Whether another task of the context asked after this one.
    pub(super) fn is_overtaken(&self, at: u32) -> bool {
        self.task(at).is_some_and(|task| self.asked_beside(task, |other, _| self.asked_after(other, at)))
    }

    /// Whether a task asked after another one. Of two in one list the moments tell, as far as they go; else the place does.
    pub(super) fn asked_after(&self, later: u32, at: u32) -> bool {
        let (Some(one), Some(other)) = (self.task(later), self.task(at)) else { return false };
        let (one, other) = (&one.asked, &other.asked);
        let order = one.moment.as_ref().zip(other.moment.as_ref()).map(|(one, other)| one.cmp(other));
        match (one.reading.cmp(&other.reading), order) {
            (Ordering::Equal, Some(Ordering::Less)) => false,
            (Ordering::Equal, Some(Ordering::Greater)) if one.waited => true,
            (Ordering::Equal, _) => later > at,
            (order, _) => order == Ordering::Greater,
        }
    }

    /// Notes that a task waits.
    pub(super) fn note_wait(&mut self, at: u32) {
        let reading = self.readings;
        if let Some(task) = self.task_mut(at).filter(|task| task.asked.reading == reading) {
            task.asked.waited = true;
        }
    }

    /// The tasks of the context of this one that wait for what can be answered in kagent's words only.
    pub(super) fn in_words_only(&mut self, at: u32) -> Vec<u32> {
        let tasks = &self.tasks;
        let task = |at: u32| tasks.get(at);
        self.in_words_only.retain(|at| task(*at).is_some_and(|task| !task.unanswered.is_empty()));
        let context = task(at).map(|task| &task.context);
        let is_it = |other: &u32| {
            *other == at
                || task(*other).is_some_and(|task| task.context.is_some() && Some(&task.context) == context)
        };
        self.in_words_only.iter().copied().filter(is_it).collect()
    }

    /// The tasks of the same context that were seen before this one and wait for an answer.
    pub(super) fn waiting_before(&mut self, at: u32) -> Vec<u32> {
        let context = self.task(at).and_then(|task| self.contexts.place(task.context.as_ref()?));
        let Some(waiting) = context.and_then(|context| self.waiting.get_mut(context as usize)) else {
            return Vec::new();
        };
        let tasks = &self.tasks;
        waiting.retain(|at| tasks.get(*at).is_some_and(|task| !task.unanswered.is_empty()));
        waiting.iter().copied().filter(|earlier| *earlier < at).collect()
    }

    /// Remembers a request and says where in its task.
    pub(super) fn remember(&mut self, task: u32, request: Request) -> Option<u32> {
        let confirmation = request.confirmation.clone();
        self.found(task, confirmation.shared());
        let is_in_words = request.is_in_words_only();
        let asking = self.tasks.get_mut(task)?;
        let next = asking.requests.next_number();
        let at = asking.remember(request);
        if at == next {
            asking.asked = Asked { reading: self.readings, moment: asking.changed.clone(), waited: false };
            if is_in_words && !self.in_words_only.contains(&task) {
                self.in_words_only.push(task);
            }
            self.confirmations.push(confirmation.shared(), task);
            self.note_waiting(task);
        }
        Some(at)
    }

    /// What the host should know while someone waits.
    pub(super) fn advice(&self) -> Vec<Advice> {
        let waiting = |task: &&Task| task.state == State::InputRequired && !task.unanswered.is_empty();
        let mut advice = Vec::new();
        if self.tasks.iter().any(|task| waiting(&task)) {
            advice.push(Advice {
                code: "typed-text-ends-pause".to_owned(),
                message: "a message typed into this task while a call waits ends the pause, and the call can never be \
                          approved; ask first, or send it without the task's id"
                    .to_owned(),
            });
        }
        if self.tasks.iter().any(|task| waiting(&task) && task.blocks_questions(&|_| false)) {
            advice.push(Advice {
                code: "question-blocks-batch".to_owned(),
                message:
                    "a question waits beside a remote agent's call: nothing that is decided there can be sent"
                        .to_owned(),
            });
        }
        let is_held = |task: &Task| task.in_words_only().next().is_some() && self.works_beside(task);
        if self.tasks.iter().any(|task| waiting(&task) && is_held(task)) {
            advice.push(Advice {
                code: "decision-is-held".to_owned(),
                message: "what is decided of a remote agent's call stays here while another task of its context works; if \
                          that goes on, take it back"
                    .to_owned(),
            });
        }
        // The session of kagent 0.10 knows only the last confirmation of a context, whichever task is answered.
        let waits_in_words = |at: &&u32| {
            let task = self.task(**at).filter(waiting);
            task.is_some_and(|task| task.requests.iter().any(|request| request.dialect == Dialect::Kagent010))
        };
        if self.contexts.lists().any(|tasks| tasks.iter().filter(waits_in_words).count() > 1) {
            advice.push(Advice {
                code: "several-tasks-wait".to_owned(),
                message: "several tasks of one context wait; this backend may take an answer to an older task for the \
                          newest call where it is given in its own words, as other clients do; start no task while one waits"
                    .to_owned(),
            });
        }
        advice
    }
}

impl Task {
    fn new(id: &Scope) -> Task {
        Task {
            id: id.clone(),
            context: None,
            state: State::Working,
            answering: Answering::No,
            is_forgotten: false,
            app_name: None,
            requests: Numbered::default(),
            by_id: Groups::default(),
            calls: Vec::new(),
            far_calls: Groups::default(),
            by_call: Groups::default(),
            by_confirmation: Groups::default(),
            unanswered: Marks::default(),
            delivered: Marks::default(),
            stubbed: Vec::new(),
            questions: Questions::default(),
            answers: Groups::default(),
            ran: Marks::default(),
            settled: Marks::default(),
            changed: None,
            asked: Asked::default(),
            early: 0,
        }
    }

    /// What an observation about a request of this task is addressed to.
    pub(super) fn target(&self, id: &RequestId) -> Target {
        Target::Request(RequestRef { scope: self.id.clone(), id: id.clone() })
    }

    /// The place of the request with this id.
    pub(super) fn place_of(&self, id: &RequestId) -> Option<u32> {
        self.by_id.get(id.shared()).first().copied()
    }

    /// The places of the requests about this call.
    pub(super) fn about(&self, call: &CallId) -> &[u32] {
        self.by_call.get(call.shared())
    }

    /// Whether the first request about this call is of google-adk; the others are of the same server.
    pub(super) fn is_of_adk(&self, call: &CallId, tool: Option<&str>) -> bool {
        let mut about = self.about(call).iter().filter_map(|at| self.request(*at));
        let first = about.find(|request| tool.is_none_or(|tool| request.tool == *tool));
        first.is_some_and(|request| request.dialect == Dialect::Adk)
    }

    /// The places of the requests that this confirmation carries.
    pub(super) fn confirmed_by(&self, id: &RequestId) -> Vec<u32> {
        let mut places = self.by_confirmation.get(id.shared()).to_vec();
        let is_own = |at: &u32| self.request(*at).is_some_and(|request| request.confirmation == *id);
        places.extend(self.place_of(id).filter(is_own).filter(|at| !places.contains(at)));
        places
    }

    /// The first of the requests that this confirmation carries.
    pub(super) fn first_under(&self, confirmation: &str) -> Option<u32> {
        let inner = self.by_confirmation.get(confirmation).iter();
        inner.chain(self.by_id.get(confirmation)).min().copied()
    }

    /// The request at this place.
    pub(super) fn request(&self, at: u32) -> Option<&Request> {
        self.requests.get(at)
    }

    /// The dialect of its first request: a task asks in one.
    pub(super) fn asks_in(&self) -> Option<Dialect> {
        self.request(0).map(|request| request.dialect)
    }

    /// Notes the call of a request that named none.
    pub(super) fn name_call_of(&mut self, at: u32, call: &CallId) -> Option<RequestId> {
        let request = self.requests.get_mut(at)?;
        request.call = Some(call.clone());
        self.by_call.push(call.shared(), at);
        Some(request.id.clone())
    }

    fn remember(&mut self, request: Request) -> u32 {
        let known = self.place_of(&request.id);
        let at = known.unwrap_or(self.requests.next_number());
        let before = self.requests.get_mut(at);
        let differs =
            |is_it: fn(&Request, &Request) -> bool| before.as_ref().is_none_or(|b| !is_it(b, &request));
        let (call, confirmation) = (request.call.clone(), request.confirmation.clone());
        let is_called = !request.nested && differs(|a, b| a.call == b.call);
        let is_carried = confirmation != request.id && differs(|a, b| a.confirmation == b.confirmation);
        match before {
            // What was answered was answered as it was asked.
            Some(_) if !self.unanswered.contains(at) => return at,
            Some(before) => *before = Request { call: request.call.or(before.call.take()), ..request },
            None => {
                self.by_id.push(request.id.shared(), at);
                self.unanswered.insert(at);
                self.requests.push(request);
            }
        }
        if let Some(call) = call.filter(|_| is_called) {
            self.by_call.push(call.shared(), at);
        }
        if is_carried {
            self.by_confirmation.push(confirmation.shared(), at);
        }
        at
    }

    /// The requests without an answer on the wire.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (u32, &Request)> {
        self.unanswered.numbers().into_iter().filter_map(|at| Some((at, self.request(at)?)))
    }

    /// Whether questions of this pause have no safe answer.
    ///
    /// kagent 0.10 takes the answers of one question for the confirmation of everything that waits, and what its native form
    /// does to a remote agent's confirmation is not known. Later ones hand words for several calls to the remote agent,
    /// and the answers to a question are none.
    pub(super) fn blocks_questions(&self, gone: &dyn Fn(u32) -> bool) -> bool {
        let waiting = || {
            let requests = self.waiting().filter(|(at, _)| !gone(*at)).map(|(_, request)| request);
            requests.filter(|request| matches!(request.dialect, Dialect::Kagent010 | Dialect::HitlV1))
        };
        waiting().count() > 1
            && waiting().any(|request| request.nested)
            && waiting().any(|request| request.is_question)
    }

    /// Whether a remote agent's calls wait in the extension.
    ///
    /// It has no answer for them while another call waits, too: what is said to the agent's calls fails the task, and
    /// what answers its question is taken for the approval of the first call that waits, which nobody named.
    pub(super) fn waits_inside(&self, gone: &dyn Fn(u32) -> bool) -> bool {
        self.waiting().any(|(at, request)| request.nested && request.dialect == Dialect::HitlV1 && !gone(at))
    }

    /// A remote agent's calls that wait and can be answered in kagent's words only.
    pub(super) fn in_words_only(&self) -> impl Iterator<Item = &Request> {
        self.waiting().map(|(_, request)| request).filter(|request| request.is_in_words_only())
    }

    /// Whether this message answered something before.
    pub(super) fn has_answer(&self, message: &str) -> bool {
        self.answers.place(message).is_some()
    }

    /// Notes that this message, which answers, was read.
    pub(super) fn note_answer(&mut self, message: &Text) {
        if !self.has_answer(message) {
            self.answers.push(message, 0);
        }
    }
}
