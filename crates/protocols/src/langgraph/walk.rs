//! Messages, in their order: which calls are made, and what becomes of them.

use std::cell::OnceCell;

use countersign_core::collections::{Marks, Numbered};
use countersign_core::{Answer, ArgsText, Closed, Decision, Observation, Text};
use countersign_json::{Document, Limits, Numbers, Value, items, names, same};

use super::form::Dialect;
use super::memory::{Interrupt, NamespaceAt, RequestAt, Rewritten};
use super::namespace::Told;
use super::outcome::{Said, is_notice, is_rejection, is_stand_in};
use super::read::{Reader, each};
use crate::reading::{hash, is, some_text};

/// How messages are read.
#[derive(Clone, Copy, Default)]
pub(super) struct How {
    /// They are all there are, so that what stands between two of them counts.
    pub(super) is_whole: bool,
    /// A chat shows them.
    pub(super) shows: bool,
    /// They are those of a thread state.
    pub(super) is_kept: bool,
    /// They are the result of this task of the present state, which has asked; 0: of none.
    pub(super) task: u32,
    /// The tool itself reports them.
    pub(super) ran: bool,
    /// A run reports them while it goes on.
    pub(super) is_live: bool,
    /// They are what another task has left.
    pub(super) is_left: bool,
    /// No later state holds them.
    pub(super) is_void: bool,
    /// They were there before the run that tells them.
    pub(super) is_first: bool,
    /// A middleware wrote them behind the model, before any tool could run.
    pub(super) is_before_tools: bool,
}

impl Reader<'_> {
    /// Reads one message or several; returns the calls of the last AI message that has some.
    pub(super) fn walk<'v>(
        &mut self,
        place: NamespaceAt,
        messages: Value<'v>,
        how: How,
    ) -> Option<Value<'v>> {
        let mut last: Option<Value<'v>> = None;
        let mut waiting: Vec<u32> = Vec::new();
        let (mut lost, goes_on) = (Vec::new(), OnceCell::new());
        // The AI message with the last calls, and the same if a person wrote on behind it.
        let (mut made, mut left, mut humans) = (0, 0, 0);
        for message in each(messages) {
            let (kind, message) = plain(message);
            let [id, calls, call, content, status] =
                message.named(names!["id", "tool_calls", "tool_call_id", "content", "status"]);
            let id = some_text(id);
            // Chat front ends put placeholders where a call has no result yet.
            let is_placeholder = id.as_ref().is_some_and(|id| id.starts_with("do-not-render-"));
            if how.shows {
                self.reading.hidden.push(is_placeholder);
            }
            let Some(kind) = kind.filter(|_| !is_placeholder) else { continue };
            if is_a(kind, ["tool", "ToolMessage"]) {
                if !self.repeats(place, [id.as_deref(), some_text(call).as_deref()], how.is_live) {
                    self.tool(place, [call, content, status], how, (messages, &goes_on));
                }
            } else if how.is_left || how.is_void {
                continue;
            } else if is_a(kind, ["human", "HumanMessage"]) {
                left = made;
                humans += 1;
                if how.is_whole {
                    self.abandon(place, &mut waiting);
                }
            } else if is_a(kind, ["ai", "AIMessage"]) {
                // What a run shows again is not what it does now.
                if how.is_live && self.is_old(place, id.as_deref()) {
                    continue;
                }
                if self.proposed(place, id.as_deref(), calls, how, &mut waiting) {
                    lost = self.lost(place);
                }
                if let Some(calls) = calls.filter(|calls| calls.is_array() && !calls.is_empty()) {
                    let home = self.thread.namespace(place).zip(id);
                    made = home.and_then(|(home, id)| home.known_message(&id)).unwrap_or_default();
                    (last, left) = (Some(calls), 0);
                }
            }
        }
        if let Some(home) = self.thread.namespace_mut(place).filter(|_| how.is_whole || how.is_kept) {
            home.humans = humans;
        }
        self.cancel(place, lost);
        self.abandon_inner(place, left, last.filter(|_| how.is_whole));
        if let (Some(calls), Some(home)) = (last, self.thread.namespace_mut(place))
            && *home.last != *calls.text()
        {
            home.last = self.source.cut(calls.text());
        }
        if how.is_whole {
            self.ask_early(place, last);
        }
        last
    }

    /// Those of these requests will not run whose calls have no outcome.
    fn cancel(&mut self, place: NamespaceAt, lost: Vec<RequestAt>) {
        for request in lost {
            if self.is_untold(place, request) {
                self.close(request, Closed::Cancelled);
                self.end(request);
            }
        }
    }

    /// Whether other AI messages have come after this one.
    fn is_old(&self, place: NamespaceAt, id: Option<&str>) -> bool {
        let known = self.thread.namespace(place).zip(id);
        known.is_some_and(|(home, id)| home.known_message(id).is_some_and(|number| number < home.newest))
    }

    /// Whether a tool message comes again that was about the call of an earlier AI message: models give ids twice.
    fn repeats(&mut self, place: NamespaceAt, [id, call]: [Option<&str>; 2], is_live: bool) -> bool {
        let Some(((home, id), call)) = self.thread.namespace_mut(place).zip(id).zip(call) else {
            return false;
        };
        let now = home.known_call(call).map_or(0, |call| home.call_at(call).message);
        let before = home.about.place(id).and_then(|at| home.about.at(at).first().copied());
        match before {
            Some(before) if before != 0 => is_live && now != 0 && before != now,
            _ => {
                home.about.push(&self.source.cut(id), now);
                false
            }
        }
    }

    /// Reads an AI message; says whether a middleware may take calls out of it.
    fn proposed(
        &mut self,
        place: NamespaceAt,
        id: Option<&str>,
        calls: Option<Value<'_>>,
        how: How,
        waiting: &mut Vec<u32>,
    ) -> bool {
        let Some(home) = self.thread.namespace_mut(place) else { return false };
        let message = home.message(self.source, id);
        home.newest = home.newest.max(message);
        home.stamp += 1;
        let stamp = home.stamp;
        if items(calls).next().is_some() && (message == 0 || home.made < message) {
            home.made = message;
            home.said = Numbered::default();
        }
        let rewritten = home.rewritten.is_some_and(|(known, _)| known == message);
        for value in items(calls) {
            let [id, name, args] = value.named(names!["id", "name", "args"]);
            let Some(id) = some_text(id) else { continue };
            let Some(home) = self.thread.namespace_mut(place) else { continue };
            let number = home.call(self.source, &id);
            let Some(call) = home.call_mut(number) else { continue };
            if call.message != message {
                // The same id in another message is another call.
                (call.message, call.told) = (message, None);
            }
            call.stamp = stamp;
            call.name = some_text(name).map_or(0, |name| hash(&name));
            let open = self.open(place, number);
            if how.is_whole && !open.is_empty() {
                waiting.push(number);
            }
            for request in open {
                self.compare(request, [name, args], how, rewritten);
            }
        }
        rewritten
    }

    /// Holds the call in an AI message against what a request asks about; `rewritten`: a middleware has written that message again.
    fn compare(
        &mut self,
        request: RequestAt,
        [name, args]: [Option<Value<'_>>; 2],
        how: How,
        rewritten: bool,
    ) {
        let is_other = |args: &Value<'_>| !self.asks(request, *args);
        let other = args.filter(is_other).map(|args| self.source.cut(args.text()));
        let is_anothers = self.came_before(request) && (other.is_some() || !self.is_of(request, name));
        if is_anothers || (self.is_by_hand && other.is_some()) {
            // Not the answer to it: what stands there now is asked anew, or is no sub-agent's.
            self.let_go(request);
            return;
        }
        // JavaScript writes an edit into the message, as Python did before langchain 1.4.2, and nothing else tells of one
        // that was made elsewhere.
        let may_be_edit = !self.is_history && (rewritten || self.is_of_python(request));
        let is_edit = may_be_edit && (rewritten || (how.is_live && how.is_before_tools));
        let is_other_tool = may_be_edit && !self.is_of(request, name);
        let is_told = is_edit && !is_other_tool && !self.thread.is_answered(request);
        let is_next = self.is_next(request, how);
        if let Some(known) = self.thread.request_mut(request).filter(|_| may_be_edit) {
            let other = || other.clone().map(Rewritten::Args);
            known.rewritten = if is_other_tool { Some(Rewritten::Tool) } else { other() };
        }
        if let Some(args) = other.filter(|_| is_told || is_next) {
            self.edited(request, args);
        }
    }

    /// A person wrote on: calls without a result are left behind.
    fn abandon(&mut self, place: NamespaceAt, waiting: &mut Vec<u32>) {
        for call in waiting.drain(..) {
            let told = self.thread.namespace(place).map(|home| home.call_at(call).told);
            if let Some(None) = told {
                for request in self.open(place, call) {
                    self.leave_request(request);
                }
            }
        }
    }

    /// A person wrote on behind this AI message of the root, some of whose calls have no result: what earlier runs have asked
    /// inside of them is left behind too. What is asked later may wait while that message stands there.
    fn abandon_inner(&mut self, place: NamespaceAt, left: u32, calls: Option<Value<'_>>) {
        let home = self.thread.namespace_mut(place).filter(|home| home.name.is_empty());
        // What stands before newer messages may be told again.
        let Some(home) = home.filter(|home| left == home.newest && left != 0 && home.left != left) else {
            return;
        };
        home.left = left;
        let is_open = |call: Value<'_>| {
            let number = some_text(call.get("id")).and_then(|id| home.known_call(&id));
            number.is_some_and(|number| home.call_at(number).told.is_none())
        };
        if !items(calls).any(is_open) {
            return;
        }
        for at in self.thread.waiting() {
            let is_here = self.thread.interrupt(at).is_some_and(|known| known.namespace == place);
            for request in self.requests(at) {
                let has_call = self.thread.request(request).is_some_and(|request| request.call.is_some());
                if self.thread.is_resumed(at) && !(is_here && has_call) {
                    self.leave_request(request);
                }
            }
        }
    }

    /// A request is left behind.
    fn leave_request(&mut self, request: RequestAt) {
        let has_tried = self.thread.asker(request).is_some_and(|known| known.has_tried);
        self.close(request, if has_tried { Closed::Unknown } else { Closed::Superseded });
        let owner = self.thread.owner(request);
        if let Some(interrupt) = owner.and_then(|at| self.thread.interrupt_mut(at)) {
            // A command may bring words along and leave what waits: the state says so.
            (interrupt.is_gone, interrupt.is_missing) = (true, true);
            self.thread.is_stirred = true;
        }
    }

    /// The requests whose calls are no longer in the AI message at hand: they will not run.
    fn lost(&self, place: NamespaceAt) -> Vec<RequestAt> {
        let Some(home) = self.thread.namespace(place) else { return Vec::new() };
        let asked = home.rewritten.map(|(_, interrupt)| self.requests(interrupt));
        let mut lost = asked.unwrap_or_default();
        lost.retain(|at| {
            let call = self.thread.request(*at).and_then(|request| request.call);
            call.is_some_and(|call| home.call_at(call).stamp < home.stamp) && self.is_untold(place, *at)
        });
        lost
    }

    /// Whether no outcome was seen of the call of a request. One under its id may be another message's.
    fn is_untold(&self, place: NamespaceAt, at: RequestAt) -> bool {
        let Some((home, request)) = self.thread.namespace(place).zip(self.thread.request(at)) else {
            return false;
        };
        let is_untold = |call| {
            let call = home.call_at(call);
            call.told.is_none() || call.message != request.message
        };
        !request.is_over && request.call.is_some_and(is_untold)
    }

    fn tool(
        &mut self,
        place: NamespaceAt,
        [call, content, status]: [Option<Value<'_>>; 3],
        how: How,
        (messages, goes_on): (Value<'_>, &OnceCell<bool>),
    ) {
        let Some(id) = some_text(call) else { return };
        let Some(home) = self.thread.namespace_mut(place) else { return };
        let number = home.call(self.source, &id);
        let mut open = self.open(place, number);
        let is_rejection = content.is_some_and(is_rejection);
        open.retain(|request| {
            // Before any tool runs, no sub-agent asks.
            let is_of_a_run = (how.is_whole || how.is_live) && !is_rejection && !how.is_before_tools;
            let goes_on = || *goes_on.get_or_init(|| self.has_running(place, Some(messages)));
            let is_anothers = self.is_listed(*request)
                || (is_of_a_run && goes_on() && self.is_in_its_run(*request))
                || (how.task != 0 && self.task(*request).is_some_and(|task| task != how.task));
            if is_anothers {
                self.let_go(*request);
            }
            !is_anothers
        });
        if how.is_left && !open.is_empty() {
            // Its own outcome comes with the messages.
            return;
        }
        let is_stand_in = content.is_some_and(|content| is_stand_in(content, &id));
        if is_stand_in && !open.iter().any(|request| self.was_answered(*request)) {
            // The call has none: what stands behind this message tells what became of it.
            return;
        }
        let is_error = is_stand_in || is(status, "error");
        let ran = how.ran || content.is_some_and(is_notice);
        let told = Told { is_error, is_rejection, ran, is_awaited: !open.is_empty(), ..Told::default() };
        let Some(told) = self.tell(place, number, told, how, content).filter(|_| !open.is_empty()) else {
            return;
        };
        let text = content.and_then(|content| content.as_str_lossy());
        for request in open {
            let is_fresh = self.is_fresh(request, how);
            let is_before_tools = how.is_before_tools || self.has_lost_calls(place, request);
            let is_of_node = how.is_before_tools && how.is_live;
            let text = text.as_deref();
            let proof = self.proof(request, how);
            self.settle(request, &Said { content, text, told, is_fresh, is_before_tools, is_of_node, proof });
        }
    }

    /// Notes what a tool message says of a call, beside what others have said before.
    fn tell(
        &mut self,
        place: NamespaceAt,
        number: u32,
        now: Told,
        how: How,
        content: Option<Value<'_>>,
    ) -> Option<Told> {
        let turn = self.thread.turn;
        let home = self.thread.namespace_mut(place)?;
        let before = home.call_at(number).told.unwrap_or_default();
        let told = Told {
            is_awaited: before.is_awaited || now.is_awaited,
            is_live: before.is_live || how.is_live,
            is_kept: before.is_kept || how.is_kept,
            turn,
            ..now
        };
        if let Some(call) = home.call_mut(number).filter(|_| !how.is_void) {
            call.told = Some(told);
            home.keep(self.source, number, content);
        }
        self.thread.is_stirred = true;
        Some(told)
    }

    /// Whether the message at hand has lost calls that were asked about along with this one: in JavaScript, one rejection drops
    /// the whole batch, and no tool runs.
    fn has_lost_calls(&self, place: NamespaceAt, request: RequestAt) -> bool {
        let rewritten = self.thread.namespace(place).and_then(|home| home.rewritten);
        let is_asked = rewritten.is_some_and(|(_, at)| self.thread.owner(request) == Some(at));
        is_asked && !self.lost(place).is_empty()
    }

    /// Whether a request waits beside the outcome of its call, which then is an equal call's.
    fn is_listed(&self, request: RequestAt) -> bool {
        let listed =
            |known: &Interrupt| known.dialect != Dialect::Human && known.when.listed == self.thread.turn;
        self.thread.asker(request).is_some_and(listed)
    }

    /// Whether the run that has asked this first goes on without an answer: what it runs are equal calls.
    pub(super) fn is_in_its_run(&self, request: RequestAt) -> bool {
        let run = self.thread.run;
        let goes_on =
            |known: &Interrupt| known.dialect != Dialect::Human && run != 0 && known.when.first_run >= run;
        self.thread.asker(request).is_some_and(goes_on) && !self.thread.is_answered(request)
    }

    /// Whether the tool that starts may be asking this still: each run starts every tool anew that has no result.
    pub(super) fn asks_inside(&self, request: RequestAt) -> bool {
        let asks = self.thread.asker(request).is_some_and(|known| known.dialect == Dialect::Human);
        asks && !self.thread.is_answered(request)
    }

    /// Whether somebody has answered this, here or, as a history shows, elsewhere.
    fn was_answered(&self, request: RequestAt) -> bool {
        self.thread.is_answered(request) || self.thread.asker(request).is_some_and(|known| known.has_result)
    }

    /// Whether a call runs beside these messages that nobody asks about: in it, a sub-agent may ask.
    pub(super) fn has_running(&self, place: NamespaceAt, messages: Option<Value<'_>>) -> bool {
        let Some(home) = self.thread.namespace(place) else { return false };
        let Ok(calls) = Document::parse(&home.last, &Limits::default()) else { return false };
        let number = |id: Option<Value<'_>>| some_text(id).and_then(|id| home.known_call(&id));
        let mut told = Marks::default();
        for message in messages.into_iter().flat_map(each) {
            number(plain(message).1.get("tool_call_id")).into_iter().for_each(|number| told.insert(number));
        }
        let runs = |number: u32| home.runs(number) && !told.contains(number);
        items(Some(calls.root())).any(|call| number(call.get("id")).is_some_and(runs))
    }

    /// A request is about no call that is known.
    pub(super) fn let_go(&mut self, request: RequestAt) {
        if let Some(request) = self.thread.request_mut(request) {
            (request.call, request.message) = (None, 0);
        }
    }

    /// The requests about a call of which no outcome was seen.
    pub(super) fn open(&self, place: NamespaceAt, number: u32) -> Vec<RequestAt> {
        let Some(home) = self.thread.namespace(place) else { return Vec::new() };
        let message = home.call_at(number).message;
        let mut open = Vec::new();
        for candidate in home.requests(number) {
            let Some(request) = self.thread.request(candidate) else { continue };
            let interrupt = self.thread.interrupt(request.interrupt);
            let is_here = interrupt.is_some_and(|known| known.namespace == place);
            let is_same = request.message == 0 || message == 0 || request.message == message;
            // A request that was asked twice is listed twice.
            let is_new = !open.contains(&candidate);
            if is_here && is_same && is_new && !request.is_over && request.call == Some(number) {
                open.push(candidate);
            }
        }
        open
    }

    /// Whether the middleware that asked wrote this itself: it stands in what its own task has left.
    fn is_fresh(&self, request: RequestAt, how: How) -> bool {
        let wrote = |known: &Interrupt| match known.has_messages {
            true => self.thread.request(request).is_some_and(|request| request.is_said),
            // A host may leave out what tasks have left.
            false => !known.is_cut_off,
        };
        self.is_next(request, how) && (how.task != 0 || self.thread.asker(request).is_some_and(wrote))
    }

    /// Whether this stands in what the task that asked has left, or first in the state behind it.
    pub(super) fn is_next(&self, request: RequestAt, how: How) -> bool {
        let next = |entry: u32| entry != 0 && entry + 1 == self.thread.entry;
        let is_next = || self.thread.asker(request).is_some_and(|interrupt| next(interrupt.when.entry));
        if how.task != 0 { self.task(request) == Some(how.task) } else { self.is_history && is_next() }
    }

    /// The task of the present state that asks this, if one does.
    fn task(&self, request: RequestAt) -> Option<u32> {
        let interrupt = self.thread.asker(request)?;
        (interrupt.when.entry == self.thread.entry).then_some(interrupt.task)
    }

    /// Notes of which calls the result of a task tells, so that no other task's request is about them. No later state may
    /// hold what is void: then the calls are asked anew.
    pub(super) fn leave(&mut self, place: NamespaceAt, messages: Value<'_>, task: u32, is_void: bool) {
        let left = (self.thread.entry, task);
        for message in each(messages) {
            let id = some_text(plain(message).1.get("tool_call_id"));
            let Some((home, id)) = self.thread.namespace_mut(place).zip(id) else { continue };
            let number = home.call(self.source, &id);
            if let Some(call) = home.call_mut(number) {
                call.left = left;
                call.told = call.told.filter(|_| !is_void);
            }
        }
    }

    /// Notes of which calls the task that asks them tells an outcome: the middleware wrote it, and no tool.
    pub(super) fn say(&mut self, place: NamespaceAt, messages: Value<'_>, task: u32) {
        for message in each(messages) {
            let id = some_text(plain(message).1.get("tool_call_id"));
            let Some((home, id)) = self.thread.namespace(place).zip(id) else { continue };
            for request in home.known_call(&id).map(|call| self.open(place, call)).unwrap_or_default() {
                let is_its = self.task(request) == Some(task);
                if let Some(request) = self.thread.request_mut(request).filter(|_| is_its) {
                    request.is_said = true;
                }
            }
        }
    }

    /// Whether these are the arguments that a request asks about.
    fn asks(&self, request: RequestAt, args: Value<'_>) -> bool {
        self.thread.request(request).is_some_and(|request| is_same(&request.args, args))
    }

    /// Whether the middleware of Python asks this.
    pub(super) fn is_of_python(&self, request: RequestAt) -> bool {
        self.thread.asker(request).is_some_and(|known| known.dialect == Dialect::Python)
    }

    /// Whether this is the tool that a request asks about.
    fn is_of(&self, request: RequestAt, name: Option<Value<'_>>) -> bool {
        let tool = self.thread.request(request).map(|request| &*request.tool);
        name.zip(tool).is_some_and(|(name, tool)| name.equals(tool))
    }

    /// Whether a request named its call before any message had made it: a sub-agent's ids may be those of later calls here.
    fn came_before(&self, request: RequestAt) -> bool {
        let is_named = self.thread.asker(request).is_some_and(|known| known.dialect == Dialect::PerCall);
        is_named && self.thread.request(request).is_some_and(|request| request.message == 0)
    }

    /// The call runs with other arguments than were asked about: someone has edited it.
    pub(super) fn edited(&mut self, request: RequestAt, args: Text) {
        let dialect = self.thread.asker(request).map(|interrupt| interrupt.dialect);
        if !matches!(dialect, Some(Dialect::Python | Dialect::JavaScript | Dialect::PerCall)) {
            return;
        }
        let args = ArgsText::from(args).rounded(self.rounded);
        let answer = Answer { decision: Some(Decision::Edit { args, note: None }), automatic: false };
        self.observe(request, |target| Observation::Answered { target, answer });
    }

    /// Nothing more is expected of a request.
    pub(super) fn end(&mut self, request: RequestAt) {
        if let Some(request) = self.thread.request_mut(request) {
            request.is_over = true;
            self.thread.is_stirred = true;
        }
    }
}

/// What kind of message this is, and its members.
///
/// A JavaScript process writes its messages as `{lc, type: "constructor", id: […, "AIMessage"], kwargs: {…}}`.
fn plain(message: Value<'_>) -> (Option<Value<'_>>, Value<'_>) {
    let [kind, class, members] = message.named(names!["type", "id", "kwargs"]);
    match members.filter(|_| is(kind, "constructor")) {
        Some(members) => (items(class).last(), members),
        None => (kind, message),
    }
}

/// Whether a message is of this kind, or a chunk of one.
fn is_a(kind: Value<'_>, [name, class]: [&str; 2]) -> bool {
    let words = kind.as_str().unwrap_or_default();
    words == name || words.strip_suffix("Chunk").unwrap_or(&words) == class
}

/// Whether arguments mean the same; servers may write `5` as `5.0`.
pub(super) fn is_same(known: &str, args: Value<'_>) -> bool {
    let equal = |known: Document<'_>| same(known.root(), args, Numbers::Value);
    known == args.text() || Document::parse(known, &Limits::default()).is_ok_and(equal)
}
