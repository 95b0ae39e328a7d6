//! What must be remembered of a conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use countersign_core::{Advice, ArgsText, CallId, RequestId, Scope};

use super::state::State;

/// The tasks of a conversation and what they still wait for.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    pub(super) tasks: BTreeMap<Scope, Task>,
    /// The tasks of each context, in the order in which they were first seen.
    pub(super) contexts: BTreeMap<Arc<str>, Vec<Scope>>,
    /// In which tasks a call was made: its outcome may stand in another one.
    pub(super) calls: BTreeMap<CallId, Vec<Scope>>,
}

/// One task.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    pub(super) context: Option<Arc<str>>,
    pub(super) state: State,
    pub(super) app_name: Option<Arc<str>>,
    pub(super) requests: Vec<Request>,
    pub(super) by_id: BTreeMap<RequestId, usize>,
    /// Requests without an answer on the wire, by place.
    pub(super) unanswered: BTreeSet<usize>,
    /// Calls that are neither settled nor known to wait for a named request, and said to wait.
    pub(super) stubbed: BTreeSet<CallId>,
    /// Calls that were made here, in order.
    pub(super) calls: Vec<CallId>,
    /// Calls of `ask_user` that nobody answered yet, with their arguments.
    pub(super) questions: Vec<(CallId, ArgsText)>,
    /// Messages whose answers were read.
    pub(super) answers: BTreeSet<Arc<str>>,
}

/// One request, as far as its answer needs to know it.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) id: RequestId,
    /// The call's own id: what a batch of kagent 0.10 is keyed by.
    pub(super) call: Option<CallId>,
    /// The confirmation that carries it: its own id, or that of the remote agent's call.
    pub(super) confirmation: RequestId,
    /// It is a call of a remote agent.
    pub(super) nested: bool,
    pub(super) is_question: bool,
    pub(super) dialect: Dialect,
    pub(super) envelope: Envelope,
    /// The arguments, where an edit may be laid over them.
    pub(super) editable: Option<ArgsText>,
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
    /// The task, and its context if that is news.
    pub(super) fn task(&mut self, id: &Scope, context: Option<&str>) -> &mut Task {
        let is_new = !self.tasks.contains_key(id);
        let task = self.tasks.entry(id.clone()).or_default();
        if let Some(context) = context.filter(|_| task.context.is_none()) {
            let context: Arc<str> = Arc::from(context);
            task.context = Some(context.clone());
            self.contexts.entry(context).or_default().push(id.clone());
        } else if is_new {
            task.context = None;
        }
        task
    }

    /// The task in which this call was made: the one at hand, or another one of its context.
    pub(super) fn home(&self, task: &Scope, call: &CallId) -> Option<Scope> {
        let homes = self.calls.get(call)?;
        if homes.contains(task) {
            return Some(task.clone());
        }
        let context = self.tasks.get(task)?.context.as_ref()?;
        let same = |home: &&Scope| {
            self.tasks.get(*home).is_some_and(|other| other.context.as_ref() == Some(context))
        };
        homes.iter().find(same).cloned()
    }

    /// The request with this id in the task.
    pub(super) fn request(&self, task: &Scope, id: &RequestId) -> Option<&Request> {
        let task = self.tasks.get(task)?;
        task.requests.get(*task.by_id.get(id)?)
    }

    /// What the host should know while someone waits.
    pub(super) fn advice(&self) -> Vec<Advice> {
        let waiting = |task: &&Task| task.state == State::InputRequired && !task.unanswered.is_empty();
        let mut advice = Vec::new();
        if self.tasks.values().any(|task| waiting(&task)) {
            advice.push(Advice {
                code: "typed-text-ends-pause".to_owned(),
                message: "a message typed into this task while a call waits ends the pause, and the call can never be \
                          approved; ask first, or send it without the task's id"
                    .to_owned(),
            });
        }
        // The session of kagent 0.10 knows only the last confirmation of a context, whichever task is answered.
        let waits_in_words = |scope: &&Scope| {
            let task = self.tasks.get(*scope).filter(waiting);
            task.is_some_and(|task| task.requests.iter().any(|request| request.dialect == Dialect::Kagent010))
        };
        if self.contexts.values().any(|scopes| scopes.iter().filter(waits_in_words).count() > 1) {
            advice.push(Advice {
                code: "several-tasks-wait".to_owned(),
                message: "several tasks of one context wait; this backend may take an answer to an older task for the \
                          newest call, so answer the newest task first and start no task while one waits"
                    .to_owned(),
            });
        }
        advice
    }
}

impl Task {
    /// Remembers a request and says whether it is new.
    pub(super) fn remember(&mut self, request: Request) -> bool {
        if self.by_id.contains_key(&request.id) {
            return false;
        }
        let place = self.requests.len();
        self.by_id.insert(request.id.clone(), place);
        self.unanswered.insert(place);
        self.requests.push(request);
        true
    }
}
