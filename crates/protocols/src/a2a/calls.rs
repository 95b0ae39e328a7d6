//! The calls of a conversation, and what is known of each.

use std::sync::Arc;

use countersign_core::collections::{Groups, Numbered};
use countersign_core::{ArgsText, CallId, Scope, Target, Text, ToolCall};
use countersign_json::same_texts;

use super::early::What;
use super::memory::{Conversation, Dialect, Request, Task};

/// A call, and the task in which it was made.
pub(super) struct Call {
    id: CallId,
    tool: Text,
    args: ArgsText,
    task: u32,
    /// Who made it, where an author was named.
    author: Option<Arc<str>>,
    /// The first message or artifact in which it stands as a whole.
    source: Option<Text>,
    known: Known,
}

/// What is known of a call.
#[derive(Default)]
pub(super) struct Known {
    /// It said that it waits.
    is_stubbed: bool,
    /// It said so in the words of a stub; what asks for its confirmation itself may say anything.
    pub(super) is_worded: bool,
    /// It said so of its own work: its tool has run.
    pub(super) is_of_work: bool,
    /// A request names it, or it waits for a remote agent.
    pub(super) is_named: bool,
    /// It waits for a remote agent, so that it runs until it has an outcome.
    pub(super) is_outer: bool,
    /// It has an outcome.
    is_over: bool,
    /// It has an outcome, and nobody had asked about it before.
    is_settled: bool,
    /// A request about it has an answer on the wire.
    pub(super) is_answered: bool,
    /// That answer stands in another task.
    pub(super) is_answered_beside: bool,
    /// The same call had run unasked before.
    is_again: bool,
}

/// The run that a request asks about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    /// It waits.
    Waits,
    /// It waits, and one of the same call has run unasked.
    Again,
    /// It has run unasked.
    Over,
}

/// The calls of a conversation, of all its tasks.
#[derive(Default)]
pub(super) struct Calls {
    all: Numbered<Call>,
    /// The calls of each id: what became of a call may stand in another task than the call.
    by_id: Groups,
    /// Other messages in which a call stands, too.
    sources: Groups,
}

impl Calls {
    fn get(&self, at: u32) -> Option<&Call> {
        self.all.get(at)
    }

    fn get_mut(&mut self, at: u32) -> Option<&mut Call> {
        self.all.get_mut(at)
    }

    /// The calls of a task that have this id, in the order in which they were made.
    fn of<'a>(
        &'a self,
        (at, task): (u32, &'a Task),
        id: &Text,
    ) -> impl DoubleEndedIterator<Item = u32> + Clone + use<'a> {
        let all = self.by_id.get(id);
        let far = if all.len() > NEAR { task.far_calls.get(id) } else { &[] };
        let near = all.get(..NEAR).unwrap_or(all).iter().copied();
        let is_here = move |call: &u32| self.get(*call).is_some_and(|call| call.task == at);
        near.filter(is_here).chain(far.iter().copied())
    }

    /// Whether a call that has run unasked is made once more where it did not stand before.
    fn is_again(&self, at: u32, source: Option<&Text>) -> bool {
        self.get(at).is_some_and(|run| run.known.is_settled) && self.is_elsewhere(at, source)
    }

    fn is_elsewhere(&self, at: u32, source: Option<&Text>) -> bool {
        let known = self.get(at).and_then(|run| run.source.as_ref());
        known
            .zip(source)
            .is_some_and(|(known, source)| known != source && self.sources.place(&both(at, source)).is_none())
    }

    fn add(&mut self, call: Call, task: &mut Task) -> u32 {
        let at = self.all.next_number();
        let id = call.id.shared();
        let place = self.by_id.push(id, at);
        if self.by_id.at(place).len() > NEAR {
            task.far_calls.push(id, at);
        }
        task.calls.push(at);
        self.all.push(call);
        at
    }
}

fn both(at: u32, source: &Text) -> Text {
    Text::from(format!("{at} {source}"))
}

/// So many runs of one id are told apart.
const MOST_RUNS: usize = 8;

/// So many calls of one id are looked through for those of a task; the others are found by their task, too.
const NEAR: usize = 8;

/// Behind so many requests about a call that wait, none is looked for that has an answer.
const MOST_WAITING: usize = 64;

impl Conversation {
    /// Remembers a call, who made it in which task, and where it stands; models give ids twice. What is returned is known from
    /// elsewhere, nobody asked about it, and nothing is known to have become of it.
    pub(super) fn note_call(
        &mut self,
        task: u32,
        call: &ToolCall,
        author: Option<Arc<str>>,
        source: Option<&Text>,
    ) -> Option<u32> {
        let at = self.run(task, call, author, source)?;
        let is_open = self.calls.get(at).is_some_and(|run| !run.known.is_over && !run.known.is_named);
        (is_open && self.calls.is_elsewhere(at, source)).then_some(at)
    }

    /// Notes that a call stands in this message, too.
    pub(super) fn note_source(&mut self, at: u32, source: &Text) {
        self.calls.sources.push(&both(at, source), 0);
    }

    fn run(
        &mut self,
        task: u32,
        call: &ToolCall,
        author: Option<Arc<str>>,
        source: Option<&Text>,
    ) -> Option<u32> {
        let id = call.id.as_ref()?;
        self.found(task, id.shared());
        let home = self.tasks.get_mut(task)?;
        let is_it = |at: &u32| {
            self.calls.get(*at).is_some_and(|run| {
                run.tool == call.tool
                    && (!run.known.is_over
                        || !home.about(id).is_empty()
                        || same_texts(run.args.as_str(), call.args.as_str()))
            })
        };
        let few = || self.calls.of((task, home), id.shared()).rev().take(MOST_RUNS);
        let known = few().find(|at| is_it(at) && !self.calls.is_again(*at, source));
        let known = known.or_else(|| few().nth(MOST_RUNS - 1));
        if let Some(at) = known {
            let run = self.calls.get_mut(at)?;
            run.author = run.author.take().or(author);
            if !run.known.is_over {
                run.args = call.args.clone();
                run.source = run.source.take().or_else(|| source.cloned());
            }
            return Some(at);
        }
        let known = Known { is_again: few().any(|at| is_it(&at)), ..Known::default() };
        let (id, tool, args, source) = (id.clone(), call.tool.clone(), call.args.clone(), source.cloned());
        let at = self.calls.add(Call { id: id.clone(), tool, args, task, author, source, known }, home);
        if self.take_early_stub(task, id.shared()) {
            self.stub(task, &id, true);
        }
        Some(at)
    }

    /// Who made a call of a tool, where an author was named with it.
    pub(super) fn author(&self, task: u32, (call, tool): (&CallId, &str)) -> Option<Arc<str>> {
        self.calls.get(self.call(task, call, Some(tool))?)?.author.clone()
    }

    /// The last call with this id, and of this tool where one is named.
    fn call(&self, task: u32, call: &CallId, tool: Option<&str>) -> Option<u32> {
        let runs = self.calls.of((task, self.task(task)?), call.shared()).rev();
        let is_it =
            |at: &u32| self.calls.get(*at).is_some_and(|run| tool.is_none_or(|tool| run.tool == *tool));
        runs.take(MOST_RUNS).find(is_it)
    }

    /// What an observation about a call is addressed to.
    pub(super) fn target(&self, task: u32, scope: &Scope, call: CallId) -> Target {
        match self.call(task, &call, None).and_then(|at| self.calls.get(at)) {
            Some(run) => Target::Tool(scope.clone(), call, run.tool.clone()),
            None => Target::Call(scope.clone(), call),
        }
    }

    /// The task in which this call was made: the one at hand, or another one of its context. The extension answers each
    /// task in itself; what another task answered in ADK's own form ran there.
    pub(super) fn home(&self, task: u32, call: &CallId, tool: Option<&str>) -> Option<u32> {
        if self.call(task, call, tool).is_some() {
            return Some(task);
        }
        let (tool, context) = (tool?, self.task(task)?.context.as_ref()?);
        let homes = self.calls.all.of(self.calls.by_id.get(call.shared()));
        let is_beside = |call: &&Call, task: &Task| {
            let is_hitl = task.asks_in() == Some(Dialect::HitlV1);
            task.context.as_ref() == Some(context) && (!is_hitl || call.known.is_answered_beside)
        };
        let mut homes = homes.filter(|call| call.tool == *tool);
        let home = homes.find(|call| self.task(call.task).is_some_and(|task| is_beside(call, task)))?;
        Some(home.task)
    }

    /// Notes that a call said that it waits, in the words of a stub or in its own.
    pub(super) fn stub(&mut self, task: u32, call: &CallId, is_worded: bool) {
        let Some(at) = self.call(task, call, None) else {
            return self.keep(task, call.shared(), What::Stub);
        };
        let Some(Call { known, .. }) = self.calls.get_mut(at) else { return };
        known.is_worded |= is_worded;
        let is_news = !std::mem::replace(&mut known.is_stubbed, true);
        if is_news && let Some(task) = self.task_mut(task) {
            task.stubbed.push(at);
        }
    }

    /// Notes something of a call.
    pub(super) fn note(&mut self, task: u32, call: &CallId, note: fn(&mut Known)) {
        let known = self.call(task, call, None).and_then(|at| self.calls.get_mut(at));
        if let Some(Call { known, .. }) = known {
            note(known);
        }
    }

    /// Whether this is known of a call.
    pub(super) fn knows(&self, task: u32, call: &CallId, what: fn(&Known) -> bool) -> bool {
        let known = self.call(task, call, None).and_then(|at| self.calls.get(at));
        known.is_some_and(|call| what(&call.known))
    }

    /// Notes that a call has an outcome, so that it waits no more, and says whose it is: of several requests that of the first
    /// that has an answer, else of the first; of a call that nobody asked about its own.
    pub(super) fn settle_call(&mut self, at: u32, call: &CallId, tool: Option<&str>) -> Option<Target> {
        let task = self.tasks.get_mut(at)?;
        task.questions.settle(call.as_str());
        let open = task.about(call).iter().copied().filter(|at| {
            let is_it = |request: &Request| {
                request.call.as_ref() == Some(call) && tool.is_none_or(|tool| request.tool == *tool)
            };
            !task.settled.contains(*at) && task.request(*at).is_some_and(is_it)
        });
        let waits = |at: &u32| task.unanswered.contains(*at) && !task.delivered.contains(*at);
        let asked = open.clone().take(MOST_WAITING).find(|at| !waits(at)).or_else(|| open.clone().next());
        let is_it = |at: &u32| {
            let run = self.calls.get(*at);
            run.is_some_and(|run| !run.known.is_over && tool.is_none_or(|tool| run.tool == *tool))
        };
        let run = self.calls.of((at, task), call.shared()).find(is_it);
        let run = run.and_then(|run| self.calls.get_mut(run));
        let target = match (asked, &run) {
            (Some(asked), _) => {
                task.unanswered.remove(asked);
                task.settled.insert(asked);
                task.target(&task.request(asked)?.id)
            }
            (None, Some(run)) => Target::Tool(task.id.clone(), call.clone(), run.tool.clone()),
            (None, None) => return None,
        };
        if let Some(Call { known, .. }) = run {
            known.is_over = true;
            known.is_settled |= !known.is_named;
            known.is_named = true;
        }
        Some(target)
    }

    /// Notes that a request names a call, and says which run of it that is about; another request is about a new one.
    pub(super) fn ask_call(&mut self, task: u32, call: &ToolCall) -> Run {
        let run = self.run(task, call, None, None).and_then(|at| self.calls.get_mut(at));
        let Some(Call { known, .. }) = run else { return Run::Waits };
        known.is_named = true;
        known.is_over = false;
        // The answer to an earlier request says nothing about this one.
        (known.is_answered, known.is_answered_beside) = (false, false);
        match (std::mem::take(&mut known.is_settled), known.is_again) {
            (true, _) => Run::Over,
            (false, true) => Run::Again,
            (false, false) => Run::Waits,
        }
    }

    /// The calls of a task of kagent 0.10 that has ended of which nobody says more than that they were made or wait for a remote
    /// agent, each once: what ran beside a call that waits has no outcome on its wire, and words that are typed end a pause.
    pub(super) fn unfinished(&mut self, task: u32) -> Vec<Target> {
        let is_it = |task: &&Task| task.asks_in() == Some(Dialect::Kagent010);
        let Some(task) = self.tasks.get(task).filter(is_it) else { return Vec::new() };
        let mut unfinished = Vec::new();
        for at in &task.calls {
            if let Some(Call { id, tool, known, .. }) = self.calls.get_mut(*at)
                && !known.is_over
                && (known.is_outer || !known.is_named && !known.is_stubbed)
            {
                (known.is_outer, known.is_named) = (false, true);
                unfinished.push(Target::Tool(task.id.clone(), id.clone(), tool.clone()));
            }
        }
        unfinished
    }

    /// The calls of a task that wait without a request that names them.
    pub(super) fn stubbed(&mut self, task: u32) -> Vec<(CallId, Target)> {
        let Some(task) = self.tasks.get_mut(task) else { return Vec::new() };
        let scope = &task.id;
        let mut waiting = Vec::new();
        task.stubbed.retain(|at| {
            let call = self.calls.get(*at).filter(|call| !call.known.is_named);
            waiting.extend(call.map(|call| {
                (call.id.clone(), Target::Tool(scope.clone(), call.id.clone(), call.tool.clone()))
            }));
            call.is_some()
        });
        waiting
    }
}
