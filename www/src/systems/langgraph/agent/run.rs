//! One run of a thread: from words or answers to the next pause or the end.

use countersign_core::Millis;

use super::answer::{Answers, Verdict};
use super::gate::{Form, Interrupt, REVIEW};
use super::level::{Level, Turn, Work};
use super::message::{self, messages, part};
use super::script::{self, Said};
use super::thread::{Checkpoint, Task};
use crate::systems::script::call::{Call, Executed, Proposal};
use crate::systems::script::ids::Ids;
use crate::systems::script::plan::Step;

/// One run of a thread.
pub(super) struct Run<'r> {
    pub(super) form: Form,
    pub(super) ids: &'r mut Ids,
    pub(super) executed: &'r mut Vec<Executed>,
    pub(super) log: &'r mut Vec<Checkpoint>,
    pub(super) id: String,
    pub(super) now: Millis,
    /// What was streamed so far.
    pub(super) results: Vec<String>,
}

impl Run<'_> {
    /// Takes a person's words; what waited is left behind.
    pub(super) fn begin(&mut self, root: &mut Level, words: &str, steps: Vec<Step>, told: Option<String>) {
        root.turn = None;
        self.announce();
        let input =
            format!(r#"{{"messages":[{{"role":"user","content":{}}}]}}"#, countersign_json::quote(words));
        let task = self.task("__start__").returning(&input);
        self.checkpoint(root, true, vec![task]);
        // Who only hands work over needs no review of its own.
        let hands_over = steps.iter().any(|step| matches!(step, Step::Delegate { .. }));
        let is_gated = steps.iter().any(|step| matches!(step, Step::Gated { .. }));
        root.reviews = self.form != Form::Human && (is_gated || !hands_over);
        self.enter(root, words, steps);
        root.told.extend(told);
        self.think(root);
    }

    /// Takes a person's answers.
    pub(super) fn resume(&mut self, level: &mut Level, answers: &Answers) {
        if level.namespace.is_empty() {
            self.announce();
        }
        self.emit("values", level, &level.values(&[], None));
        let asked = level.turn.as_ref().and_then(|turn| turn.review.clone());
        let is_done = match asked {
            None => self.work(level, answers, true),
            Some(asked) => match answers.get(&asked.id) {
                Some(verdicts) => self.review(level, &asked, verdicts),
                // Somebody else was answered.
                None => return self.interrupt(level, &asked),
            },
        };
        if is_done {
            self.think(level);
        }
    }

    fn announce(&mut self) {
        self.results.push(part("metadata", "", &format!(r#"{{"run_id":"{}","attempt":1}}"#, self.id)));
    }

    /// Gives an agent its first words.
    pub(super) fn enter(&mut self, level: &mut Level, words: &str, steps: Vec<Step>) {
        level.messages.push(message::human(&self.ids.uuid(), words));
        level.steps = steps;
        level.told = Vec::new();
        self.emit("values", level, &level.values(&[], None));
    }

    /// Lets the model speak until something has to wait, or all is done.
    pub(super) fn think(&mut self, level: &mut Level) {
        loop {
            let task = self.task("model");
            self.checkpoint(level, false, vec![task]);
            let Some(said) = script::next(self.form, level) else { return self.fail(level) };
            let Said { words, proposals, is_gated, inner } = said;
            let calls: Vec<Call> = proposals.into_iter().map(|it| self.numbered(it)).collect();
            let id = format!("lc_run--{}-0", self.ids.uuid());
            let spoken = message::ai(&id, &words, &calls);
            let result = messages([&spoken]);
            self.update(level, "model", &result);
            self.return_last(level, &result);
            level.messages.push(spoken.clone());
            self.emit("values", level, &level.values(&[], None));
            if calls.is_empty() {
                self.pass_review(level);
                return self.checkpoint(level, false, Vec::new());
            }
            let is_batch = is_gated && self.form == Form::Batch;
            let asks = (is_gated && !is_batch).then_some(self.form);
            let works = calls.iter().map(|call| self.prepared(call, inner.clone())).collect();
            let mut turn = Turn { message: spoken, review: None, asks, works };
            if is_batch {
                let asked = Interrupt { id: self.interrupt_id(), form: Form::Batch, calls };
                turn.review = Some(asked.clone());
                level.turn = Some(turn);
                let task = Task { interrupts: vec![asked.clone()], ..self.task(REVIEW) };
                self.checkpoint(level, false, vec![task]);
                return self.interrupt(level, &asked);
            }
            level.turn = Some(turn);
            self.pass_review(level);
            if !self.work_anew(level) {
                return;
            }
        }
    }

    /// The middleware has its answers: what is refused gets its outcome from it; returns whether all is done.
    fn review(&mut self, level: &mut Level, asked: &Interrupt, verdicts: &[Verdict]) -> bool {
        let Some(mut turn) = level.turn.take() else { return true };
        turn.review = None;
        let mut written = Vec::new();
        let mut edits = Vec::new();
        for (call, verdict) in asked.calls.iter().zip(verdicts) {
            if let Some((words, is_error, told)) = Work::settled(call, verdict) {
                written.push(message::tool(&self.ids.uuid(), call, &words, is_error));
                level.told.push(told);
                turn.works.retain(|work| work.call.id != call.id);
            } else if let Verdict::Edit(args) = verdict {
                edits.push((call, args.as_str()));
                let found = turn.works.iter_mut().find(|work| work.call.id == call.id);
                found.into_iter().for_each(|work| work.edited = Some(args.clone()));
            }
        }
        level.note_edits(edits.into_iter());
        let returned: Vec<String> =
            std::iter::once(turn.message.clone()).chain(written.iter().cloned()).collect();
        self.update(level, REVIEW, &messages(&returned));
        let edits = level.edits.as_deref().unwrap_or("{}");
        let result =
            format!(r#"{{"messages":{},"hitl_edited_tool_calls":{edits}}}"#, message::array(&returned));
        self.return_last(level, &result);
        level.messages.extend(written);
        self.emit("values", level, &level.values(&[], None));
        if turn.works.is_empty() {
            return true;
        }
        level.turn = Some(turn);
        self.work_anew(level)
    }

    /// The middleware has nothing to ask.
    fn pass_review(&mut self, level: &Level) {
        if level.reviews {
            let task = self.task(REVIEW).returning("{}");
            self.checkpoint(level, false, vec![task]);
            self.update(level, REVIEW, "null");
        }
    }

    fn work_anew(&mut self, level: &mut Level) -> bool {
        let works = level.turn.iter().flat_map(|turn| turn.works.iter().enumerate());
        let tasks =
            works.map(|(place, work)| Task { place: Some(place), ..Task::new(work.task.clone(), "tools") });
        let tasks = tasks.collect();
        self.checkpoint(level, false, tasks);
        self.work(level, &Answers::new(), false)
    }

    /// Runs what may run, and asks about the rest; returns whether all is done.
    fn work(&mut self, level: &mut Level, answers: &Answers, again: bool) -> bool {
        let Some(mut turn) = level.turn.take() else { return true };
        let done: Vec<&String> = turn.works.iter().filter_map(|work| work.outcome.as_ref()).collect();
        for outcome in done.iter().filter(|_| again) {
            let data = format!(r#"{{"tools":{},"__metadata__":{{"cached":true}}}}"#, messages([*outcome]));
            self.emit("updates", level, &data);
        }
        for work in turn.works.iter_mut().filter(|work| work.outcome.is_none()) {
            work.outcome = self.attempt(level, turn.asks, work, answers);
            if let Some(outcome) = &work.outcome {
                self.update(level, "tools", &messages([outcome]));
            }
        }
        for asked in turn.works.iter().flat_map(Work::waiting) {
            self.interrupt(level, asked);
        }
        self.keep(level, &turn.works);
        let outcomes: Vec<String> = turn.works.iter().filter_map(|work| work.outcome.clone()).collect();
        let is_done = outcomes.len() == turn.works.len();
        if is_done {
            level.messages.extend(outcomes);
            self.emit("values", level, &level.values(&[], None));
        } else {
            if !outcomes.is_empty() {
                self.emit("values", level, &level.values(&outcomes, None));
            }
            level.turn = Some(turn);
        }
        is_done
    }

    /// Notes in the thread's state what its tasks ask and have returned.
    fn keep(&mut self, level: &Level, works: &[Work]) {
        let Some(last) = self.log.last_mut().filter(|_| level.namespace.is_empty()) else { return };
        for (task, work) in last.tasks.iter_mut().zip(works) {
            task.result = work.outcome.as_ref().map(|outcome| messages([outcome]));
            let waiting: Vec<Interrupt> = work.waiting().into_iter().cloned().collect();
            if !waiting.is_empty() {
                task.interrupts = waiting;
            }
        }
    }

    fn fail(&mut self, level: &Level) {
        if let Some(task) = self.log.last_mut().and_then(|last| last.tasks.first_mut()) {
            task.error = Some("RuntimeError('the scripted model failed')".to_owned());
        }
        self.emit("error", level, r#"{"error":"RuntimeError","message":"the scripted model failed"}"#);
    }

    /// What the model's last message returned.
    fn return_last(&mut self, level: &Level, result: &str) {
        let last = self.log.last_mut().filter(|_| level.namespace.is_empty());
        if let Some(task) = last.and_then(|last| last.tasks.first_mut()) {
            task.result = Some(result.to_owned());
        }
    }

    fn checkpoint(&mut self, level: &Level, is_input: bool, tasks: Vec<Task>) {
        if level.namespace.is_empty() {
            let at = Checkpoint::after(self.log.last(), self.now);
            let (run, edits) = (self.id.clone(), level.edits.clone());
            self.log.push(Checkpoint { at, run, is_input, messages: level.messages.len(), edits, tasks });
        }
    }

    fn interrupt(&mut self, level: &Level, asked: &Interrupt) {
        self.emit("updates", level, &format!(r#"{{"__interrupt__":[{}]}}"#, asked.object(false)));
        self.emit("values", level, &level.values(&[], Some(asked)));
    }

    fn update(&mut self, level: &Level, node: &str, data: &str) {
        self.emit("updates", level, &format!(r#"{{"{node}":{data}}}"#));
    }

    fn emit(&mut self, event: &str, level: &Level, data: &str) {
        self.results.push(part(event, &level.namespace, data));
    }

    fn task(&mut self, node: &str) -> Task {
        Task::new(self.ids.uuid(), node)
    }

    pub(super) fn interrupt_id(&mut self) -> String {
        self.ids.uuid().replace('-', "")
    }

    fn numbered(&mut self, proposal: Proposal) -> Call {
        proposal.numbered(format!("call_{}", self.ids.uuid().replace('-', "")))
    }

    /// A call before its turn; `inner` is what another agent has to do for it.
    fn prepared(&mut self, call: &Call, inner: Option<Vec<Step>>) -> Work {
        let (task, call) = (self.ids.uuid(), call.clone());
        let inner = inner.map(|steps| {
            let namespace = format!("tools:{task}");
            Box::new(Level { reviews: true, steps, ..Level::new(namespace) })
        });
        Work { task, call, edited: None, ask: None, inner, outcome: None }
    }
}
