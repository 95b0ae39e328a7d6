//! Thread states: the present one, and those before it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use countersign_core::collections::Marks;
use countersign_core::{Answer, Closed, Decision, Observation, ProblemCode, Text};
use countersign_json::{Document, Limits, Value, items, names};

use super::calls::Calls;
use super::form::{Asking, Dialect};
use super::memory::{Interrupt, InterruptAt, InterruptSet, NamespaceAt, RequestAt, Rewritten};
use super::namespace::Call;
use super::read::{Reader, each, error_words};
use super::seen::SeenInterrupt;
use super::walk::How;
use crate::reading::{is, problem, some_text};

/// How long the ids are that the library gives to checkpoints: UUIDs of version 6, which begin with the time.
const UUID: usize = 36;

/// What the tasks of a state say.
#[derive(Default)]
struct Tasks<'v> {
    /// What is asked in the thread itself.
    seen: Vec<SeenInterrupt<'v>>,
    /// What tasks that ask have left, with their numbers.
    results: Vec<(u32, Value<'v>)>,
    /// What those have left that do not.
    left: Vec<(u32, Value<'v>)>,
    /// One has failed.
    has_failed: bool,
    /// One has failed and was not done again.
    is_cut: bool,
    /// So it is, or one waits in a state with others behind it: none of these takes over what this one's tasks have left.
    is_void: bool,
    /// Why the only tool has failed that did.
    broken: Option<Value<'v>>,
    /// A tool runs, or will.
    runs_tools: bool,
}

impl Reader<'_> {
    /// Reads a history, newest first; a host may have turned it round.
    pub(super) fn states(&mut self, list: Value<'_>) {
        let mut entries: Vec<Value<'_>> = list.items().collect();
        let ends = entries.first().zip(entries.last());
        let ids = ends.and_then(|(first, last)| checkpoint(*first).zip(checkpoint(*last)));
        if ids.is_some_and(|(first, last)| first.len() == UUID && is_before(&first, &last)) {
            entries.reverse();
        }
        self.is_history = true;
        let mut before: Option<Value<'_>> = None;
        for (place, entry) in entries.iter().enumerate().rev() {
            self.skips = before.is_some_and(|before| is_far_behind(*entry, before));
            before = Some(*entry);
            match entry.named(names!["values", "tasks"]) {
                [Some(values), Some(tasks)] => self.state(*entry, values, tasks, place == 0),
                _ => problem(
                    self.reading,
                    ProblemCode::PartInvalid,
                    "an entry that is no thread state",
                    *entry,
                ),
            }
        }
        // What was edited and has not run.
        for (request, _) in std::mem::take(&mut self.edits) {
            self.take_rewritten(request);
        }
    }

    /// Reads one state; the head of a history is the present one.
    pub(super) fn state(&mut self, root: Value<'_>, values: Value<'_>, tasks: Value<'_>, is_head: bool) {
        let root_place = self.thread.namespace_of("");
        self.thread.entry += 1;
        self.thread.turn += 1;
        let (listed, asks_anew) = self.listed(tasks, is_head);
        if self.skips {
            self.cut_off();
        }
        let before = self.thread.failed;
        if asks_anew && self.is_history && before != 0 && before + 1 == self.thread.entry {
            self.leave_behind(&listed, |known| known.when.entry == before && !known.has_result);
        }
        let [messages, edits] = values.named(names!["messages", "hitl_edited_tool_calls"]);
        if let Some(edits) = edits.filter(|_| self.is_history) {
            self.edits(root_place, edits);
        }
        self.is_by_hand = is_by_hand(root);
        let how = How { shows: is_head, is_kept: true, ..How::default() };
        let last = messages.and_then(|messages| self.walk(root_place, messages, how));
        let before = self.thread.checkpoint.clone();
        if is_head && self.is_outdated(root, &listed) {
            return;
        }
        // What is read again, or late, is no other branch.
        let is_later = !before.is_empty() && is_before(&before, &self.thread.checkpoint);
        let undone = if self.is_history || is_later { self.undo(root_place, last) } else { Marks::default() };
        if asks_anew && !self.is_history {
            self.leave_behind(&listed, |known| known.is_broken);
        }
        if !self.is_history {
            self.find_again(&listed, last, &undone);
        }
        let told = self.tasks(root_place, tasks, is_head);
        let Tasks { is_cut, broken, has_failed, runs_tools, .. } = told;
        self.take_up(root_place, told, last, is_head);
        if is_head {
            self.thread.head = self.thread.entry;
            self.thread.newest = self.thread.namespace(root_place).map_or(0, |home| home.newest);
        }
        if is_cut {
            self.thread.failed = self.thread.entry;
        }
        if let (true, Some(error)) = (is_head, broken) {
            self.fail(root_place, last, error);
        }
        // An older state settles only what it shows as broken.
        if is_head || has_failed {
            self.pass(is_head, runs_tools && !self.is_by_hand);
        }
        if let Some(edits) = edits.filter(|_| is_head && !self.is_history) {
            self.edits_here(root_place, edits, last);
        }
    }

    /// The interrupts that a state lists and that are known; and whether it asks some that are not.
    fn listed(&mut self, tasks: Value<'_>, is_head: bool) -> (Vec<InterruptAt>, bool) {
        let (mut listed, mut asks_anew) = (Vec::new(), false);
        for task in items(Some(tasks)) {
            let [interrupts, result] = task.named(names!["interrupts", "result"]);
            // What is answered in the present state waits no more; of an older one, only the later states tell.
            let waits = !(is_head && result.is_some_and(is_result));
            for interrupt in items(interrupts) {
                let known = self.list(interrupt, waits);
                asks_anew |= known.is_none() && interrupt.get("id").is_some();
                listed.extend(known);
            }
        }
        (listed, asks_anew)
    }

    /// Reads the tasks of a state. What a sub-agent asks is asked at once.
    fn tasks<'v>(&mut self, root_place: NamespaceAt, tasks: Value<'v>, is_head: bool) -> Tasks<'v> {
        let mut told = Tasks::default();
        let mut broken = Vec::new();
        // A task that fails stops those beside it, whose tools may have run all the same.
        let is_sound = items(Some(tasks)).all(|task| task.get("error").is_none_or(Value::is_null));
        for (number, task) in (1..).zip(items(Some(tasks))) {
            let [id, name, interrupts, error, result, path] =
                task.named(names!["id", "name", "interrupts", "error", "result", "path"]);
            let [error, result] = [error, result].map(|value| value.filter(|value| !value.is_null()));
            let result = result.filter(|result| !is_head || is_result(*result));
            // A task that was done again is not broken, nor is one that has asked about a call and was answered with what is no
            // answer: it is checked first, and not kept.
            let is_per_call = |interrupt: Value<'_>| is(interrupt.pointer("/value/type"), "tool_approval");
            let is_refused = error.is_some_and(is_refusal) && items(interrupts).any(is_per_call);
            let error = error.filter(|_| !result.is_some_and(is_result) && !is_refused);
            let asks = items(interrupts).next().is_some();
            told.has_failed |= error.is_some();
            told.is_cut |= error.is_some() && result.is_none();
            told.is_void |= result.is_none() && (error.is_some() || (asks && !is_head));
            let place = self.namespace_of(id, name).unwrap_or(root_place);
            let messages = result.and_then(|result| result.get("messages"));
            if let Some(messages) = messages {
                if asks { &mut told.results } else { &mut told.left }.push((number, messages));
            }
            let is_tool = is(items(path).next(), "__pregel_push");
            told.runs_tools |= is_tool && is_head && !asks && error.is_none() && result.is_none();
            broken.extend(error.filter(|_| is_tool && result.is_none() && !asks));
            // Of a HumanInterrupt nobody can tell whether its tool or the answer was at fault.
            let is_of_middleware = |interrupt: Value<'_>| {
                let mut lists = ["/value/action_requests", "/value/actionRequests"].into_iter();
                lists.any(|list| interrupt.pointer(list).is_some())
            };
            let has_tried = error.is_some()
                && items(interrupts).any(|it| is_per_call(it) || (is_tool && is_of_middleware(it)));
            for interrupt in items(interrupts) {
                if !interrupt.is_object() {
                    let message = "an interrupt that is no object";
                    problem(self.reading, ProblemCode::PartInvalid, message, interrupt);
                    continue;
                }
                let seen = SeenInterrupt {
                    in_state: true,
                    task: number,
                    error,
                    has_tried,
                    keeps_nothing: result.is_none() && (is_refused || is_sound),
                    has_result: result.is_some(),
                    has_messages: messages.is_some_and(|messages| each(messages).next().is_some()),
                    is_tool: place == root_place && is_tool,
                    ..SeenInterrupt::of(interrupt)
                };
                if place == root_place {
                    told.seen.push(seen);
                } else {
                    self.ask_all(place, vec![seen], None);
                }
            }
        }
        told.broken = if let [error] = *broken { Some(error) } else { None };
        told
    }

    /// Takes up what the tasks of a state have left and ask; `last` are the calls of the last message.
    fn take_up<'v>(
        &mut self,
        root_place: NamespaceAt,
        told: Tasks<'v>,
        last: Option<Value<'v>>,
        is_head: bool,
    ) {
        let Tasks { seen, mut results, mut left, is_void, .. } = told;
        for (task, messages) in results.iter().chain(left.iter().filter(|_| is_void)) {
            self.leave(root_place, *messages, *task, is_void);
        }
        if !seen.is_empty() {
            // A history shows what a task has left in the next state only.
            for (_, messages) in &left {
                self.walk(root_place, *messages, How { is_left: true, is_void, ..How::default() });
            }
        }
        self.ask_all(root_place, seen, last);
        for (task, messages) in &results {
            self.say(root_place, *messages, *task);
        }
        if is_head {
            // There is no next state.
            results.append(&mut left);
        }
        for (task, messages) in results {
            if is_head || is_void {
                self.walk(root_place, messages, How { task, is_void, ..How::default() });
            }
        }
    }

    /// What the state before this one has asked went on unseen.
    fn cut_off(&mut self) {
        let now = self.thread.entry;
        for at in self.thread.all_interrupts() {
            if let Some(known) = self.thread.interrupt_mut(at).filter(|known| known.when.entry + 1 == now) {
                known.is_cut_off = true;
            }
        }
    }

    /// This state asks anew what nothing can answer any more: what it does not list waits no more, and its calls are free.
    fn leave_behind(&mut self, listed: &[InterruptAt], is_left: impl Fn(&Interrupt) -> bool) {
        let listed = InterruptSet::of(listed);
        for at in self.thread.all_interrupts() {
            if !listed.contains(at) && self.thread.interrupt(at).is_some_and(&is_left) {
                for request in self.requests(at) {
                    self.close(request, Closed::Superseded);
                    self.end(request);
                }
            }
        }
    }

    /// A call without an outcome here that an earlier state held has none in this branch of the thread: it is made anew.
    fn undo(&mut self, place: NamespaceAt, calls: Option<Value<'_>>) -> Marks {
        let (mut undone, turn) = (Marks::default(), self.thread.turn);
        for call in items(calls) {
            let Some((home, id)) = self.thread.namespace_mut(place).zip(some_text(call.get("id"))) else {
                continue;
            };
            let number = home.known_call(&id);
            let Some((number, call)) = number.and_then(|number| Some((number, home.call_mut(number)?)))
            else {
                continue;
            };
            if call.told.is_some_and(|told| told.is_kept && told.turn != turn) {
                call.told = None;
                undone.insert(number);
            }
        }
        undone
    }

    /// What this state lists as waiting although it holds the outcome that was taken for its own waits: that was another call's.
    fn find_again(&mut self, listed: &[InterruptAt], last: Option<Value<'_>>, undone: &Marks) {
        let (parsed, turn) = (OnceCell::new(), self.thread.turn);
        let mut calls = Calls::new(last, "", &parsed);
        for at in listed {
            let Some(known) = self.thread.interrupt(*at).filter(|known| known.when.listed == turn) else {
                continue;
            };
            let (place, is_human) = (known.namespace, known.dialect == Dialect::Human);
            for request in known.requests.clone() {
                let Some(home) = self.thread.namespace_mut(place) else { continue };
                calls.load(home, self.source);
                let Some((home, known)) = self.thread.namespace(place).zip(self.thread.request(request))
                else {
                    continue;
                };
                let Some(number) = known.call.filter(|_| known.is_over) else { continue };
                let call = home.call_at(number);
                // The call of its id is a later message's, or its outcome stands beside it or in another branch.
                let is_anothers = undone.contains(number) || call.told.is_some_and(|told| told.turn == turn);
                if call.message == known.message && !is_anothers {
                    continue;
                }
                let Ok(args) = Document::parse(&known.args, &Limits::default()) else { continue };
                let open = calls.open(home, &Asking::of(known.tool.clone(), args.root()));
                // Some servers list a HumanInterrupt that is answered as if it waited.
                if is_human && open.is_none() && !calls.has_running(home) {
                    continue;
                }
                // Who has taken that call for its own and is listed no more had the other one.
                for other in open.map(|call| self.open(place, call)).unwrap_or_default() {
                    let owner = self.thread.asker(other);
                    if owner.is_some_and(|owner| owner.when.listed != turn) {
                        self.let_go(other);
                    }
                }
                self.let_go(request);
                if let Some(known) = self.thread.request_mut(request) {
                    known.is_over = false;
                }
                self.observe(request, |target| Observation::Found { target });
            }
        }
    }

    /// A tool has failed, and with it the only call that has no outcome. A run that goes on may still run it again.
    fn fail(&mut self, place: NamespaceAt, calls: Option<Value<'_>>, error: Value<'_>) {
        let Some(home) = self.thread.namespace(place) else { return };
        let number = |call: Value<'_>| home.known_call(&some_text(call.get("id"))?);
        let is_open = |number: &u32| {
            let call = home.call_at(*number);
            call.told.is_none() && call.left.0 != self.thread.entry
        };
        let open: Vec<u32> = items(calls).filter_map(number).filter(is_open).collect();
        let [call] = *open else { return };
        let error = error_words(error);
        for request in self.open(place, call) {
            let waits =
                |at| self.thread.interrupt(at).is_some_and(|known| known.when.entry == self.thread.entry);
            if !self.thread.owner(request).is_some_and(waits) {
                let error = Some(Arc::clone(&error));
                self.observe(request, |target| Observation::Running { target });
                self.observe(request, |target| Observation::Accepted { target, error });
            }
        }
    }

    /// What this state says of interrupts beyond their questions.
    fn pass(&mut self, is_head: bool, runs_tools: bool) {
        let now = self.thread.entry;
        for at in self.thread.all_interrupts() {
            let Some(interrupt) = self.thread.interrupt(at) else { continue };
            let is_listed = interrupt.when.entry == now;
            let (is_broken, has_result) = (interrupt.is_broken, interrupt.has_result);
            // What a tool has left behind that failed, the states after it tell.
            let is_settled = is_listed && is_broken && !interrupt.has_tried;
            let is_over = if is_head { !is_listed || has_result } else { is_settled };
            if !is_over {
                continue;
            }
            let may_have_run = interrupt.has_tried || ((has_result || interrupt.is_cut_off) && !is_broken);
            let open = self.requests(at);
            let is_news = is_head && !self.is_history && !open.is_empty();
            let is_answered = is_news && self.is_answered_elsewhere(at);
            for request in open {
                let may_run = may_have_run || is_answered || (runs_tools && self.may_run(request));
                let closed = if may_run { Closed::Unknown } else { Closed::Superseded };
                if is_head {
                    self.observe(request, |target| Observation::Accepted { target, error: None });
                } else {
                    self.end(request);
                }
                self.close(request, closed);
            }
            if let Some(interrupt) = self.thread.interrupt_mut(at) {
                interrupt.is_missing |= !interrupt.is_gone && !is_listed && !has_result && !is_broken;
                interrupt.is_gone = true;
                self.thread.is_stirred = true;
            }
        }
    }

    /// Whether what the present state does not list any more was answered, as far as that shows: on the checkpoint at which it
    /// waited nothing else ends it, and the calls of the root have outcomes in one of which a sub-agent has asked.
    fn is_answered_elsewhere(&self, at: InterruptAt) -> bool {
        let Some(known) = self.thread.interrupt(at).filter(|known| !known.is_broken) else { return false };
        let is_here = known.when.entry != 0 && known.when.entry >= self.thread.since;
        let has_call =
            |at: &RequestAt| self.thread.request(*at).is_some_and(|request| request.call.is_some());
        let root = self.thread.known_namespace("").and_then(|at| Some((at, self.thread.namespace(at)?)));
        let is_done = root.is_some_and(|(place, root)| {
            let is_inner = known.namespace != place || !known.requests.iter().any(has_call);
            // A node went on that had asked about no call, if no person wrote on.
            let goes_on = known.host == 0 && known.humans != 0 && known.humans == root.humans;
            is_inner && !self.is_by_hand && (goes_on || root.is_done(known.host))
        });
        is_here || is_done
    }

    /// Whether the call of a request is one of those that run now.
    fn may_run(&self, at: RequestAt) -> bool {
        let Some((request, asker)) = self.thread.request(at).zip(self.thread.asker(at)) else { return false };
        let home = self.thread.namespace(asker.namespace);
        home.zip(request.call).is_some_and(|(home, call)| {
            let call = home.call_at(call);
            home.name.is_empty() && call.told.is_none() && call.message != 0 && call.message == home.newest
        })
    }

    /// The namespace that a task's messages were streamed in.
    fn namespace_of(&self, id: Option<Value<'_>>, name: Option<Value<'_>>) -> Option<NamespaceAt> {
        let (id, name) = (some_text(id)?, some_text(name)?);
        self.thread.known_namespace(&format!("{name}:{id}"))
    }

    /// Whether a later state than this one was read; remembers the latest.
    ///
    /// A node that asks one question after the other does so on one checkpoint: old is what lists one of them and not the
    /// later one that was seen.
    fn is_outdated(&mut self, root: Value<'_>, listed: &[InterruptAt]) -> bool {
        let id = checkpoint(root).unwrap_or_default();
        let set = InterruptSet::of(listed);
        let is_passed = |at: &InterruptAt| self.thread.overtakers(*at).any(|next| !set.contains(next));
        if is_before(&id, &self.thread.checkpoint)
            || (!is_before(&self.thread.checkpoint, &id) && listed.iter().any(is_passed))
        {
            return true;
        }
        if id.is_empty() || *id != *self.thread.checkpoint {
            self.thread.since = self.thread.entry;
        }
        if !id.is_empty() {
            self.thread.checkpoint = Text::from(id.as_ref());
        }
        false
    }

    /// What the present state says of how those calls were answered that have run since an answer from here left: the middleware of
    /// Python writes down every edit of the last message.
    fn edits_here(&mut self, place: NamespaceAt, edits: Value<'_>, calls: Option<Value<'_>>) {
        for call in items(calls) {
            let Some((id, home)) = some_text(call.get("id")).zip(self.thread.namespace(place)) else {
                continue;
            };
            let Some(number) = home.known_call(&id) else { continue };
            let Call { told: Some(told), message, .. } = home.call_at(number) else { continue };
            for at in home.requests(number).collect::<Vec<_>>() {
                let is_its = self.thread.request(at).is_some_and(|request| {
                    request.call == Some(number) && request.message == message && !told.is_rejection
                });
                if !is_its || !self.is_of_python(at) {
                    continue;
                }
                if let Some(args) = edits.get(&id).and_then(|edit| edit.get("args")) {
                    self.edited(at, self.source.cut(args.text()));
                } else if self.thread.is_answered(at) {
                    let answer = Answer { decision: Some(Decision::approve()), automatic: false };
                    self.observe(at, |target| Observation::Answered { target, answer });
                }
            }
        }
    }

    /// The arguments with which calls will run that a person edited.
    fn edits(&mut self, place: NamespaceAt, edits: Value<'_>) {
        // A middleware writes down its own alone: what another one wrote there before it is lost, and the call runs as it was asked about.
        for (request, id) in &self.edits {
            if let Some(known) = self.thread.request_mut(*request).filter(|_| edits.get(id).is_none()) {
                known.rewritten = None;
            }
        }
        for (id, edit) in edits.members() {
            let (Some(id), Some(args)) = (some_text(Some(id)), edit.get("args")) else { continue };
            let Some(call) = self.thread.namespace_mut(place).map(|home| home.call(self.source, &id)) else {
                continue;
            };
            for request in self.open(place, call) {
                // Before the middleware has an answer, what stands there is an earlier turn's, whose calls may have the same ids.
                let owner = self.thread.asker(request);
                let has_answer = owner.is_some_and(|owner| owner.has_result);
                let is_its = has_answer && self.is_next(request, How::default());
                if let Some(known) = self.thread.request_mut(request).filter(|_| is_its) {
                    known.rewritten = Some(Rewritten::Args(self.source.cut(args.text())));
                    self.edits.push((request, self.source.cut(&id)));
                }
            }
        }
    }
}

/// Whether a task of the present state has come to its end.
///
/// Before langgraph 1.2.20 one that was answered and asks again has an empty result beside its interrupt.
fn is_result(result: Value<'_>) -> bool {
    !(result.is_null() || (result.is_object() && result.is_empty()))
}

/// Whether an error is that of checking what was sent as a decision on one call.
fn is_refusal(error: Value<'_>) -> bool {
    const DECISIONS: [&str; 5] =
        ["ApproveDecision", "EditDecision", "RejectDecision", "RespondDecision", "function-wrap[_as_sent()]"];
    let words = error_words(error);
    let Some((head, rest)) = words.split_once(" for ") else { return false };
    let is_count = |count: &str| count.bytes().all(|byte| byte.is_ascii_digit());
    let title = rest.lines().next().unwrap_or_default();
    let union =
        title.strip_prefix("tagged-union[").and_then(|title| title.strip_suffix(']')).unwrap_or(title);
    head.split_once(" validation error").is_some_and(|(count, _)| is_count(count))
        && union.split(',').all(|name| DECISIONS.contains(&name))
}

/// The id of a state's checkpoint.
fn checkpoint(state: Value<'_>) -> Option<Cow<'_, str>> {
    let places = ["/checkpoint_id", "/checkpoint/checkpoint_id", "/config/configurable/checkpoint_id"];
    places.iter().find_map(|place| some_text(state.pointer(place)))
}

/// Whether a state came out of another one by several steps, of which those between were not kept.
///
/// A run with the durability `exit` keeps its last state alone.
fn is_far_behind(state: Value<'_>, before: Value<'_>) -> bool {
    let step = |state: Value<'_>| state.pointer("/metadata/step")?.as_number()?.parse::<usize>().ok();
    let is_far =
        step(before).zip(step(state)).is_some_and(|(before, now)| now.checked_sub(1) != Some(before));
    let parents = ["/parent_checkpoint/checkpoint_id", "/parentConfig/configurable/checkpoint_id"];
    let is_behind = |id: Cow<'_, str>| parents.iter().any(|place| is(state.pointer(place), &id));
    is_far && checkpoint(before).is_some_and(is_behind)
}

/// Whether no run wrote this state.
fn is_by_hand(state: Value<'_>) -> bool {
    let source = state.pointer("/metadata/source");
    is(source, "update") || is(source, "fork")
}

/// Checkpoints are numbered by time, in the order of their texts.
fn is_before(one: &str, other: &str) -> bool {
    one.len() == other.len() && one < other
}
