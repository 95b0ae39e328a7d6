//! From bytes to observations: which shape it is, and what each shape holds.

use std::sync::Arc;

use countersign_core::{Closed, Observation, ProblemCode, Reading, Source, Standing, Target, Text};
use countersign_json::{Items, Value, items, names};

use super::form::{repeats, text};
use super::memory::{Answered, InterruptAt, InterruptSet, NamespaceAt, RequestAt, Thread};
use super::seen::SeenInterrupt;
use super::walk::How;
use crate::reading::{is, problem, some_text};

/// Reads one value into observations and keeps the thread's memory.
pub(super) struct Reader<'m> {
    pub(super) thread: &'m mut Thread,
    pub(super) reading: &'m mut Reading,
    /// The message that kept texts are cut out of.
    pub(super) source: &'m Source,
    pub(super) rounded: bool,
    /// Older states are read, in which what came after is known.
    pub(super) is_history: bool,
    /// No run wrote what is new in the state at hand: somebody updated it, or began a branch of the thread with it.
    pub(super) is_by_hand: bool,
    /// Between the state at hand and the one that was read before it, there were others, which were not kept.
    pub(super) skips: bool,
    /// The requests that the states of a history show as edited, and the ids of their calls.
    pub(super) edits: Vec<(RequestAt, Text)>,
}

/// How the nodes of middlewares are called that look at what the model proposes.
const AFTER_MODEL: &str = ".after_model";

/// Names of stream parts that nobody else uses.
const OWN: [&str; 3] = ["metadata", "values", "updates"];
/// Names of stream parts that others use too.
const COMMON: [&str; 4] = ["custom", "error", "end", "heartbeat"];
/// Names of stream parts of which nothing is read. A checkpoint in the stream may be a sub-agent's, and is no state of the thread.
const UNREAD: [&str; 4] = ["checkpoints", "tasks", "debug", "events"];

/// Whether only this family names a stream part so.
pub(super) fn is_own_event(name: &str) -> bool {
    let name = name.split('|').next().unwrap_or_default();
    OWN.contains(&name) || name.starts_with("messages")
}

/// Whether stream parts have this name.
fn is_part(name: &str) -> bool {
    let first = name.split('|').next().unwrap_or_default();
    is_own_event(name) || COMMON.contains(&first) || UNREAD.contains(&first)
}

/// Whether this value is something that the family speaks.
pub(super) fn recognises(root: Value<'_>, looked_at: usize) -> bool {
    if root.is_array() {
        return items(Some(root)).take(looked_at).any(is_state);
    }
    let [event, data, kind, method, params, interrupts, messages] =
        root.named(names!["event", "data", "type", "method", "params", "__interrupt__", "messages"]);
    if let (Some(event), Some(_)) = (some_text(event), data) {
        let name = event.split('|').next().unwrap_or_default();
        return is_own_event(name) || (COMMON.contains(&name) && root.len() == 2);
    }
    let is_event = is(kind, "event") && object(params).is_some();
    (is_event && method.is_some_and(Value::is_string))
        || interrupts.is_some()
        || is_state(root)
        || items(messages).take(looked_at).any(is_message)
}

/// Whether this is a message as only LangChain writes it: the reply to a run that was waited for may hold nothing else.
fn is_message(value: Value<'_>) -> bool {
    let [kind, content] = value.named(names!["type", "content"]);
    content.is_some() && (is(kind, "human") || is(kind, "ai"))
}

fn is_state(root: Value<'_>) -> bool {
    let [values, tasks] = root.named(names!["values", "tasks"]);
    values.is_some() && tasks.is_some_and(Value::is_array)
}

impl Reader<'_> {
    pub(super) fn read(&mut self, event: Option<&str>, root: Value<'_>) {
        self.thread.turn += 1;
        self.value(event, root);
        self.stand_alone();
    }

    fn value(&mut self, name: Option<&str>, root: Value<'_>) {
        let [event, data, kind, method, params, values, tasks, interrupts, messages, error] =
            root.named(names![
                "event",
                "data",
                "type",
                "method",
                "params",
                "values",
                "tasks",
                "__interrupt__",
                "messages",
                "__error__"
            ]);
        let is_event = is(kind, "event") && method.is_some() && object(params).is_some();
        // What a named part holds may look like anything: an application wrote it.
        if let Some(name) = name.filter(|name| is_part(name) && !is_event) {
            return self.part(name, root);
        }
        if root.is_array() {
            return self.states(root);
        }
        if let (Some(event), Some(data)) = (some_text(event), data) {
            return self.part(&event, data);
        }
        if let (true, Some(method), Some(params)) = (is_event, some_text(method), params) {
            let [namespace, data] = params.named(names!["namespace", "data"]);
            let namespace = joined(namespace);
            return self.channel(&method, &namespace, data);
        }
        if let (Some(values), Some(tasks)) = (values, tasks.filter(|tasks| tasks.is_array())) {
            return self.state(root, values, tasks, true);
        }
        if let Some(name) = name {
            return self.part(name, root);
        }
        // What the reply to a run holds that was waited for.
        let is_reply = messages.is_some_and(Value::is_array);
        if interrupts.is_some() || is_reply {
            if interrupts.is_some_and(|listed| is_reply && self.asks_anew(listed)) {
                self.thread.begin_run(None);
            }
            return self.values("", root);
        }
        if let Some(error) = object(error) {
            self.thread.begin_run(None);
            return self.channel("error", "", Some(error));
        }
        problem(
            self.reading,
            ProblemCode::MessageUnrecognised,
            "this is no stream part, event or thread state",
            root,
        );
    }

    /// Whether this list of all that waits is a later run's: it lacks what waited, and holds what did not.
    fn asks_anew(&self, listed: Value<'_>) -> bool {
        let waiting = self.thread.waiting();
        let keys = || waiting.iter().filter_map(|at| self.thread.interrupt(*at)).filter(|known| known.keyed);
        let lacks = |key: &str| !each(listed).any(|interrupt| is(interrupt.get("id"), key));
        keys().any(|known| lacks(&known.wire))
            && each(listed).any(|interrupt| {
                some_text(interrupt.get("id")).is_some_and(|id| !keys().any(|known| *known.wire == *id))
            })
    }

    /// Reads a stream part: its name may carry a namespace.
    fn part(&mut self, event: &str, data: Value<'_>) {
        let (name, namespace) = event.split_once('|').unwrap_or((event, ""));
        self.channel(name, namespace, Some(data));
    }

    fn channel(&mut self, name: &str, namespace: &str, data: Option<Value<'_>>) {
        let Some(data) = data else { return self.reading.hidden.push(false) };
        match name {
            "values" => return self.values(namespace, data),
            "metadata" => {
                let run = some_text(data.get("run_id"));
                self.thread.begin_run(run.as_deref());
            }
            "lifecycle" if namespace.is_empty() => {
                let event = data.get("event");
                if is(event, "running") {
                    self.thread.begin_run(None);
                } else if is(event, "failed") {
                    self.failed(data);
                }
            }
            "updates" => self.updates(namespace, data),
            "error" => self.failed(data),
            "input.requested" => {
                let [id, value] = data.named(names!["interrupt_id", "payload"]);
                let is_doubtful = repeats(data, &["interrupt_id", "payload"]);
                let place = self.thread.namespace_of(namespace);
                self.ask_all(
                    place,
                    vec![SeenInterrupt { id, value, is_doubtful, ..SeenInterrupt::default() }],
                    None,
                );
            }
            "tools" => self.tools(namespace, data),
            _ => {}
        }
        self.reading.hidden.push(false);
    }

    /// Reads the whole state of a namespace.
    fn values(&mut self, namespace: &str, data: Value<'_>) {
        let place = self.thread.namespace_of(namespace);
        let [messages, interrupts, jump_python, jump] =
            data.named(names!["messages", "__interrupt__", "jump_to", "jumpTo"]);
        // A middleware that refuses goes back to the model; what tools leave goes there without being told to.
        let is_before_tools = is(jump_python.or(jump), "model");
        let is_first = std::mem::take(&mut self.thread.is_begun) && namespace.is_empty();
        let how = How { is_whole: true, shows: true, is_before_tools, is_first, ..How::default() };
        if let (Some(_), Some(interrupts)) = (messages, interrupts) {
            for interrupt in each(interrupts) {
                self.list(interrupt, true);
            }
        }
        let last = messages.and_then(|messages| self.walk(place, messages, how));
        if let Some(interrupts) = interrupts {
            self.interrupts(place, interrupts, last);
        }
    }

    /// Reads what the nodes of a namespace have just added.
    fn updates(&mut self, namespace: &str, data: Value<'_>) {
        let place = self.thread.namespace_of(namespace);
        self.thread.is_begun = false;
        for (node, update) in data.members() {
            if node.equals("__interrupt__") {
                self.interrupts(place, update, None);
                continue;
            }
            let is_before_tools = some_text(Some(node)).is_some_and(|node| node.ends_with(AFTER_MODEL));
            for update in each(update) {
                if let Some(messages) = update.get("messages") {
                    self.walk(place, messages, How { is_live: true, is_before_tools, ..How::default() });
                }
            }
        }
    }

    fn interrupts<'v>(&mut self, place: NamespaceAt, list: Value<'v>, last: Option<Value<'v>>) {
        let mut seen = Vec::new();
        for interrupt in each(list) {
            if interrupt.is_object() {
                seen.push(SeenInterrupt::of(interrupt));
            } else {
                problem(self.reading, ProblemCode::PartInvalid, "an interrupt that is no object", interrupt);
            }
        }
        self.ask_all(place, seen, last);
    }

    /// Reads what a tool reports of itself: unlike a message, that is no person's word.
    fn tools(&mut self, namespace: &str, data: Value<'_>) {
        let place = self.thread.namespace_of(namespace);
        self.thread.is_begun = false;
        let [event, call, output] = data.named(names!["event", "tool_call_id", "output"]);
        if is(event, "tool-finished") {
            if let Some(output) = object(output) {
                self.walk(place, output, How { ran: true, is_live: true, ..How::default() });
            }
        } else if let (true, Some(id)) = (is(event, "tool-started"), some_text(call)) {
            let Some(call) = self.thread.namespace_mut(place).map(|home| home.call(self.source, &id)) else {
                return;
            };
            for request in self.open(place, call) {
                if !self.is_in_its_run(request) && !self.asks_inside(request) {
                    self.observe(request, |target| Observation::Running { target });
                }
            }
        }
    }

    /// A run failed: what was on its way was in it, if it began after that.
    fn failed(&mut self, data: Value<'_>) {
        let words = error_words(data);
        self.take(&[], Some(&words));
        if !self.thread.answered.iter().any(|answer| self.thread.is_open(answer.interrupt)) {
            // It was another client's answer, and the server may have kept it.
            self.thread.broken = self.thread.broken.max(Some(self.thread.run));
        }
    }

    /// The answers on their way were taken, but for those to interrupts that are listed still.
    pub(super) fn take(&mut self, listed: &[InterruptAt], error: Option<&Arc<str>>) {
        let mut answered = std::mem::take(&mut self.thread.answered);
        // An answer that failed may leave again, so it is kept in mind until its outcome is seen.
        // One whose outcome was seen has still begun this run, if no other run began since it left.
        let run = self.thread.run;
        let began = |answer: &Answered| answer.may_have_arrived && run != 0 && run <= answer.run + 1;
        answered.retain(|answer| self.thread.is_open(answer.interrupt) || began(answer));
        let listed = InterruptSet::of(listed);
        // One that the host has taken may still stand behind another one in its queue, whose run this is.
        let is_queued = |answer: &Answered| {
            let is_first = |other: &Answered| other.may_have_arrived && other.run <= answer.run;
            !answer.may_have_arrived && answered.iter().any(is_first)
        };
        for Answered { interrupt: at, run, may_have_arrived, .. } in
            answered.iter().filter(|answer| !is_queued(answer))
        {
            // A run that repeats what was answered before it began may still fail over the answer.
            // Where no run was seen to begin, what leaves may not have arrived yet.
            let is_resumed = self.thread.is_resumed(*at) && (self.thread.run != 0 || *may_have_arrived);
            let is_later = is_resumed || (error.is_some() && *run < self.thread.run);
            if listed.contains(*at) || !is_later || !self.thread.is_open(*at) {
                continue;
            }
            for request in self.requests(*at) {
                self.observe(request, |target| Observation::Accepted { target, error: error.cloned() });
            }
            if let Some(interrupt) = self.thread.interrupt_mut(*at) {
                interrupt.is_gone |= error.is_none();
                interrupt.has_failed |= error.is_some();
                self.thread.is_stirred = true;
            }
        }
        self.thread.answered = answered;
    }

    /// An interrupt without an id can be answered while it is the only one that waits.
    fn stand_alone(&mut self) {
        if !(self.thread.has_bare && std::mem::take(&mut self.thread.is_stirred)) {
            return;
        }
        let waiting = self.thread.waiting();
        for at in &waiting {
            let is_alone = waiting.len() == 1 && !self.may_hide_others(*at);
            let Some(interrupt) = self.thread.interrupt_mut(*at) else { continue };
            if interrupt.keyed || interrupt.is_alone == is_alone {
                continue;
            }
            interrupt.is_alone = is_alone;
            if interrupt.is_blocked || interrupt.is_doubtful {
                continue;
            }
            let standing = if is_alone { Standing::Open } else { Standing::Blocked };
            for request in self.requests(*at) {
                self.observe(request, |target| Observation::Stands { target, standing });
            }
        }
    }

    /// Whether another interrupt may wait beside one of which no state was read.
    ///
    /// Streams of langgraph before 0.3.20 name one of those that wait, whichever it is.
    fn may_hide_others(&self, at: InterruptAt) -> bool {
        self.thread
            .interrupt(at)
            .is_some_and(|known| known.when.entry == 0 && self.has_running(known.namespace, None))
    }

    /// The requests of an interrupt of which no outcome was seen.
    pub(super) fn requests(&self, interrupt: InterruptAt) -> Vec<RequestAt> {
        let mut open = Vec::new();
        if let Some(interrupt) = self.thread.interrupt(interrupt) {
            for at in &interrupt.requests {
                if self.thread.request(*at).is_some_and(|request| !request.is_over) {
                    open.push(*at);
                }
            }
        }
        open
    }

    pub(super) fn observe(&mut self, request: RequestAt, observation: impl FnOnce(Target) -> Observation) {
        if let Some(request) = self.thread.request(request) {
            self.reading.observations.push(observation(request.target()));
        }
    }

    pub(super) fn close(&mut self, request: RequestAt, closed: Closed) {
        self.observe(request, |target| Observation::Closed { target, closed });
    }
}

/// The values of a list, or the only one.
pub(super) struct Each<'v> {
    list: Items<'v>,
    alone: Option<Value<'v>>,
}

impl<'v> Iterator for Each<'v> {
    type Item = Value<'v>;

    // Loops over lists are many, so what they share is compiled once.
    #[inline(never)]
    fn next(&mut self) -> Option<Value<'v>> {
        self.list.next().or_else(|| self.alone.take())
    }
}

/// The items of a list, or the value itself.
pub(super) fn each(value: Value<'_>) -> Each<'_> {
    Each { list: value.items(), alone: Some(value).filter(|value| !value.is_array()) }
}

/// What an error says, which is a text or holds one.
pub(super) fn error_words(data: Value<'_>) -> Arc<str> {
    let [error, message] = data.named(names!["error", "message"]);
    let words = message.or(error).unwrap_or(data);
    match words.as_str_lossy() {
        Some(words) => Arc::from(words.as_ref()),
        None => text(words),
    }
}

/// An object.
#[inline(never)]
pub(super) fn object(value: Option<Value<'_>>) -> Option<Value<'_>> {
    value.filter(|value| value.is_object())
}

/// The segments of a namespace in one text.
pub(super) fn joined(segments: Option<Value<'_>>) -> String {
    let mut joined = String::new();
    for segment in items(segments) {
        if !joined.is_empty() {
            joined.push('|');
        }
        joined.push_str(&segment.as_str_lossy().unwrap_or_default());
    }
    joined
}
