//! What must be remembered of a thread.

use std::sync::Arc;

use countersign_core::collections::{Groups, Marks, Numbered};
use countersign_core::{Ask, RequestId, RequestRef, Scope, Standing, Target, Text};

use super::form::Dialect;
use super::namespace::{NOBODY, Namespace};

/// So many runs are known again.
const RUNS: usize = 64;

/// Where a namespace stands among those of its thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NamespaceAt(u32);

/// Where an interrupt stands among those of its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) struct InterruptAt(u32);

/// Where a request stands among those of its thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestAt(pub(super) u32);

/// A set of interrupts.
#[derive(Default)]
pub(super) struct InterruptSet(Marks);

impl InterruptSet {
    pub(super) fn of(interrupts: &[InterruptAt]) -> InterruptSet {
        let mut set = InterruptSet::default();
        interrupts.iter().for_each(|at| set.insert(*at));
        set
    }

    fn insert(&mut self, at: InterruptAt) {
        self.0.insert(at.0);
    }

    pub(super) fn contains(&self, at: InterruptAt) -> bool {
        self.0.contains(at.0)
    }
}

/// One thread: its namespaces and what was asked in them.
#[derive(Default)]
pub(super) struct Thread {
    namespaces: Numbered<Namespace>,
    by_namespace: Groups,
    interrupts: Numbered<Interrupt>,
    by_interrupt: Groups,
    /// Some interrupt has no id.
    pub(super) has_bare: bool,
    /// Other interrupts may wait than when that was looked at.
    pub(super) is_stirred: bool,
    requests: Numbered<Request>,
    by_request: Groups,
    /// How many runs were seen to begin.
    pub(super) runs: u32,
    /// The run that is told now: the last one, or an earlier one that is told again.
    pub(super) run: u32,
    /// The last runs that have ids.
    run_ids: Vec<(Arc<str>, u32)>,
    /// The last run that asked something.
    pub(super) asked: u32,
    /// The last run after which the server was found to have kept an answer that it cannot use, or that failed over
    /// another client's.
    pub(super) broken: Option<u32>,
    /// The last state, by its number, with a task that has failed and was not done again.
    pub(super) failed: u32,
    /// How many thread states were read.
    pub(super) entry: u32,
    /// The last state that was read as the present one, by its number.
    pub(super) head: u32,
    /// The newest AI message of the root when that was read.
    pub(super) newest: u32,
    /// How many messages and thread states were read.
    pub(super) turn: u32,
    /// The newest checkpoint that was read as the present state.
    pub(super) checkpoint: Text,
    /// The state, by its number, that was read first of that checkpoint.
    pub(super) since: u32,
    /// A run has begun, and nothing was told of it so far: what it tells first was there before it.
    pub(super) is_begun: bool,
    /// The answers that have left and of which no sign was seen since.
    pub(super) answered: Vec<Answered>,
}

/// An answer that has left.
pub(super) struct Answered {
    pub(super) interrupt: InterruptAt,
    /// The run in which it left.
    pub(super) run: u32,
    /// It was sent: it has arrived, or nobody knows whether it did.
    pub(super) may_have_arrived: bool,
    /// Nobody knows whether it did.
    pub(super) is_lost: bool,
}

/// One interrupt.
pub(super) struct Interrupt {
    /// What it is called here: its id, or what stands for one; numbered, if another question had that name before.
    pub(super) key: Text,
    /// The id, or what stands for one, as the wire has it.
    pub(super) wire: Text,
    /// The id can be a key of a resume map.
    pub(super) keyed: bool,
    pub(super) dialect: Dialect,
    /// Whose agent asks, as far as is known.
    pub(super) namespace: NamespaceAt,
    /// Its requests, in the order in which they are answered.
    pub(super) requests: Vec<RequestAt>,
    pub(super) when: When,
    /// The task that asks it, by its place from 1 in the state that lists it last; 0 if none does.
    pub(super) task: u32,
    /// It has no answer that could be given from here.
    pub(super) is_blocked: bool,
    /// The server has kept an answer that it cannot use.
    pub(super) is_broken: bool,
    /// That is a tool's task, and may have run the tool before it failed.
    pub(super) has_tried: bool,
    /// A run failed over an answer from here.
    pub(super) has_failed: bool,
    /// It is the only one that waits, so that an answer needs no id.
    pub(super) is_alone: bool,
    /// It waits no more.
    pub(super) is_gone: bool,
    /// It waits no more for no other reason than that a state does not list it, or that a person wrote on.
    pub(super) is_missing: bool,
    /// Another one waits under the same name.
    pub(super) is_shared: bool,
    /// Only an event asks this, and it may be an old one: a state says whether it waits.
    pub(super) is_doubtful: bool,
    /// Its task has a result.
    pub(super) has_result: bool,
    /// That result holds messages, and so those that a middleware wrote.
    pub(super) has_messages: bool,
    /// The state behind the one that lists it last was not kept: a later one does not tell who wrote what.
    pub(super) is_cut_off: bool,
    /// A sub-agent asks it inside a tool, so it is about no call of the root.
    pub(super) is_inner: bool,
    /// A schema has said what is allowed.
    pub(super) has_schema: bool,
    /// The AI message of the root that made the last calls when this was asked, by number: a sub-agent asks in one of them.
    pub(super) host: u32,
    /// How many messages of people the last whole list of the root held when this was seen last; 0: there was none.
    pub(super) humans: u32,
}

/// When an interrupt was seen, by the clocks of its thread; 0 is never.
#[derive(Clone, Copy, Default)]
pub(super) struct When {
    /// In an event: the [run](Thread::run) that asked it for the first time, if no state had listed it.
    pub(super) first_run: u32,
    /// In an event: the [run](Thread::run) that asked it, then for the last time.
    pub(super) event_run: u32,
    /// In an event or a state: the [run](Thread::run) during which that was read.
    pub(super) seen_run: u32,
    /// In a state: its [number](Thread::entry).
    pub(super) entry: u32,
    /// Listed beside all messages, as one that waits: the [turn](Thread::turn) in which those were read.
    pub(super) listed: u32,
}

/// One request.
pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) interrupt: InterruptAt,
    /// The call, by its number in the interrupt's namespace.
    pub(super) call: Option<u32>,
    /// The AI message that made the call, by number; 0 if it is not known.
    pub(super) message: u32,
    pub(super) tool: Text,
    /// The name that goes back in an edit, as JSON text.
    pub(super) action: Text,
    pub(super) args: Text,
    /// The kinds of decision that are allowed, a bit for each.
    pub(super) allowed: u32,
    /// What became of it was seen.
    pub(super) is_over: bool,
    /// An outcome of its call stands in the result of the task that asks it: the middleware wrote that.
    pub(super) is_said: bool,
    /// What was written into the message in the place of this call, if it is another one. Its outcome shows that it ran.
    pub(super) rewritten: Option<Rewritten>,
    /// What it asks, if it was asked before any AI message was seen.
    pub(super) early: Option<Box<Ask>>,
}

/// How a call in a message differs from the one that was asked about.
pub(super) enum Rewritten {
    /// It has other arguments.
    Args(Text),
    /// It is of another tool.
    Tool,
}

impl Interrupt {
    /// One of which nothing is known but its name and where and how it asks.
    pub(super) fn new(
        [key, wire]: [Text; 2],
        keyed: bool,
        dialect: Dialect,
        namespace: NamespaceAt,
    ) -> Interrupt {
        Interrupt {
            key,
            wire,
            keyed,
            dialect,
            namespace,
            requests: Vec::new(),
            when: When::default(),
            task: 0,
            is_blocked: false,
            is_broken: false,
            has_tried: false,
            has_failed: false,
            is_alone: false,
            is_gone: false,
            is_missing: false,
            is_shared: false,
            is_doubtful: false,
            has_result: false,
            has_messages: false,
            is_cut_off: false,
            is_inner: false,
            has_schema: false,
            host: 0,
            humans: 0,
        }
    }

    /// Whether its requests can be answered from here.
    pub(super) fn standing(&self) -> Standing {
        let is_open = !self.is_blocked && !self.is_broken && !self.is_doubtful;
        if is_open && (self.keyed || self.is_alone) { Standing::Open } else { Standing::Blocked }
    }
}

impl Request {
    /// What the inbox calls it.
    pub(super) fn target(&self) -> Target {
        Target::Request(reference(&self.id))
    }
}

/// A request of this thread. An inbox holds one thread, and not every event names it.
pub(super) fn reference(id: &RequestId) -> RequestRef {
    RequestRef { scope: Scope::from("thread"), id: id.clone() }
}

impl Thread {
    /// The namespace of this name.
    pub(super) fn namespace_of(&mut self, name: &str) -> NamespaceAt {
        if let Some(at) = self.known_namespace(name) {
            return at;
        }
        let name = Text::from(name);
        let at = self.namespaces.push(Namespace::new(name.clone()));
        self.by_namespace.push(&name, at);
        NamespaceAt(at)
    }

    /// The namespace of this name, if anything was read in it.
    pub(super) fn known_namespace(&self, name: &str) -> Option<NamespaceAt> {
        self.by_namespace.get(name).first().copied().map(NamespaceAt)
    }

    pub(super) fn namespace(&self, at: NamespaceAt) -> Option<&Namespace> {
        self.namespaces.get(at.0)
    }

    pub(super) fn namespace_mut(&mut self, at: NamespaceAt) -> Option<&mut Namespace> {
        self.namespaces.get_mut(at.0)
    }

    /// The interrupt with this key; the last question, if a node asks several under one id.
    pub(super) fn interrupt_of(&self, key: &str) -> Option<InterruptAt> {
        self.questions(key).last()
    }

    /// The questions that were asked under this key, one after the other.
    pub(super) fn questions(
        &self,
        key: &str,
    ) -> impl DoubleEndedIterator<Item = InterruptAt> + ExactSizeIterator + use<'_> {
        self.by_interrupt.get(key).iter().copied().map(InterruptAt)
    }

    pub(super) fn interrupt(&self, at: InterruptAt) -> Option<&Interrupt> {
        self.interrupts.get(at.0)
    }

    pub(super) fn interrupt_mut(&mut self, at: InterruptAt) -> Option<&mut Interrupt> {
        self.interrupts.get_mut(at.0)
    }

    /// Where all interrupts stand, in the order in which they were asked.
    pub(super) fn all_interrupts(&self) -> impl Iterator<Item = InterruptAt> + use<> {
        (0..self.interrupts.next_number()).map(InterruptAt)
    }

    pub(super) fn add_interrupt(&mut self, interrupt: Interrupt) -> InterruptAt {
        let at = self.interrupts.next_number();
        self.by_interrupt.push(&interrupt.wire, at);
        if interrupt.key != interrupt.wire {
            self.by_interrupt.push(&interrupt.key, at);
        }
        self.has_bare |= !interrupt.keyed;
        self.interrupts.push(interrupt);
        InterruptAt(at)
    }

    /// The request with this id.
    pub(super) fn request_of(&self, id: &RequestId) -> Option<RequestAt> {
        self.by_request.get(id.shared()).first().copied().map(RequestAt)
    }

    pub(super) fn request(&self, at: RequestAt) -> Option<&Request> {
        self.requests.get(at.0)
    }

    pub(super) fn request_mut(&mut self, at: RequestAt) -> Option<&mut Request> {
        self.requests.get_mut(at.0)
    }

    pub(super) fn add_request(&mut self, request: Request) -> RequestAt {
        self.by_request.push(request.id.shared(), self.requests.next_number());
        RequestAt(self.requests.push(request))
    }

    /// The interrupt that asks this request.
    pub(super) fn asker(&self, request: RequestAt) -> Option<&Interrupt> {
        self.interrupt(self.owner(request)?)
    }

    /// Where the interrupt stands that asks this request.
    pub(super) fn owner(&self, request: RequestAt) -> Option<InterruptAt> {
        self.request(request).map(|request| request.interrupt)
    }

    /// Whether an interrupt still waits, as far as is known.
    pub(super) fn waits(&self, at: InterruptAt) -> bool {
        self.is_open(at) && self.interrupt(at).is_some_and(|interrupt| !interrupt.is_gone)
    }

    /// Whether an answer to this request has left, and was not refused.
    pub(super) fn is_answered(&self, request: RequestAt) -> bool {
        self.owner(request).is_some_and(|at| self.has_answer(at))
    }

    fn has_answer(&self, interrupt: InterruptAt) -> bool {
        self.answered.iter().any(|answer| answer.interrupt == interrupt)
    }

    /// Whether all HumanInterrupts that the last state lists wait as they did then: what events ask besides may be old, and
    /// a node that asks one question after the other takes an answer to an old one for the next.
    ///
    /// Such a node keeps the order of the calls: old is nothing that is about a later call of this namespace than this one.
    pub(super) fn rests(&self, place: NamespaceAt) -> Option<u32> {
        let root = self.known_namespace("").and_then(|at| self.namespace(at));
        // An old event tells of no AI message that the state does not hold.
        if self.head == 0 || root.is_some_and(|root| root.newest > self.newest) {
            return None;
        }
        let mut last = None;
        for at in self.all_interrupts() {
            let Some(known) = self.interrupt(at) else { continue };
            if known.dialect != Dialect::Human || known.when.entry != self.head || known.has_result {
                continue;
            }
            // The run that has asked it may ask others beside it, and one that failed over it may be done again.
            let runs = [Some(self.run), self.broken];
            let is_asked_now = self.run != 0 && runs.contains(&Some(known.when.event_run));
            if known.is_broken || is_asked_now || !self.waits(at) || self.has_answer(at) {
                return None;
            }
            let first = known.requests.first().filter(|_| known.namespace == place);
            let call = first.and_then(|at| self.request(*at)).and_then(|request| request.call);
            last = last.max(Some(call.unwrap_or(NOBODY)));
        }
        last
    }

    /// Whether an answer to this interrupt may have reached the server: the host said so, or a run began after it had left.
    pub(super) fn may_be_taken(&self, interrupt: InterruptAt) -> bool {
        let may = |answer: &Answered| answer.may_have_arrived || answer.run < self.runs;
        self.answered.iter().any(|answer| answer.interrupt == interrupt && may(answer))
    }

    /// The answer to this request has arrived.
    pub(super) fn arrive(&mut self, request: &RequestRef) {
        let interrupt = self.request_of(&request.id).and_then(|at| self.owner(at));
        let answers = self.answered.iter_mut().filter(|answer| Some(answer.interrupt) == interrupt);
        answers.for_each(|answer| (answer.may_have_arrived, answer.is_lost) = (true, false));
    }

    /// The answers to these requests leave, the first time or again.
    pub(super) fn answer(&mut self, requests: &[RequestRef]) {
        let mut known = InterruptSet::default();
        self.answered.iter().for_each(|answer| known.insert(answer.interrupt));
        for interrupt in self.owners(requests) {
            if !known.contains(interrupt) {
                known.insert(interrupt);
                let (run, may_have_arrived, is_lost) = (self.runs, false, false);
                self.answered.push(Answered { interrupt, run, may_have_arrived, is_lost });
            }
        }
    }

    /// The answers to these requests did not arrive, as far as the host knows.
    pub(super) fn fail(&mut self, requests: &[RequestRef], status: Option<u16>) {
        let failed = InterruptSet::of(&self.owners(requests));
        // A 4xx is the server's own word that it did not take the message.
        let is_refused = matches!(status, Some(400..=499));
        self.answered.retain_mut(|answer| {
            let has_failed = failed.contains(answer.interrupt);
            answer.may_have_arrived |= has_failed && !is_refused;
            answer.is_lost |= has_failed && !is_refused;
            !(has_failed && is_refused) || answer.may_have_arrived
        });
    }

    fn owners(&self, requests: &[RequestRef]) -> Vec<InterruptAt> {
        requests.iter().filter_map(|request| self.owner(self.request_of(&request.id)?)).collect()
    }

    /// The interrupts that still wait.
    pub(super) fn waiting(&self) -> Vec<InterruptAt> {
        let mut waiting = Vec::new();
        for at in self.all_interrupts() {
            if self.waits(at) {
                waiting.push(at);
            }
        }
        waiting
    }

    /// Whether of some request of an interrupt no outcome was seen.
    pub(super) fn is_open(&self, at: InterruptAt) -> bool {
        let is_open = |at: &RequestAt| self.request(*at).is_some_and(|request| !request.is_over);
        self.interrupt(at).is_some_and(|interrupt| interrupt.requests.iter().any(is_open))
    }

    /// A run begins; the same one may be announced again, and an earlier one told again.
    pub(super) fn begin_run(&mut self, id: Option<&str>) {
        let known = self.run_ids.iter().find(|(known, _)| Some(&**known) == id).map(|(_, run)| *run);
        self.runs += u32::from(known.is_none());
        // Said again before anything was told, it has still just begun.
        self.is_begun = known.is_none_or(|known| self.is_begun && known == self.run);
        self.run = known.unwrap_or(self.runs);
        if let Some(id) = id.filter(|_| known.is_none()) {
            if self.run_ids.len() == RUNS {
                self.run_ids.remove(0);
            }
            self.run_ids.push((Arc::from(id), self.run));
        }
    }

    /// Whether what is read now comes from a later run than the one in which this interrupt was seen.
    ///
    /// Not every stream says when a run begins.
    pub(super) fn is_resumed(&self, interrupt: InterruptAt) -> bool {
        self.run == 0
            || self.interrupt(interrupt).is_some_and(|interrupt| interrupt.when.event_run < self.run)
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::RequestId;

    use super::super::tests::{ID, asks, human, read};
    use super::{Thread, reference};

    /// Whether an answer is kept in mind that left and failed with each of these in turn.
    fn is_answered(failures: &[Option<u16>]) -> bool {
        let mut thread: Thread = read(&[&asks(ID, &human("t"))]);
        let request = RequestId::from(ID);
        for status in failures {
            thread.answer(&[reference(&request)]);
            thread.fail(&[reference(&request)], *status);
        }
        thread.request_of(&request).is_some_and(|at| thread.is_answered(at))
    }

    #[test]
    fn an_answer_counts_from_when_it_leaves_until_it_surely_did_not_arrive() {
        let mut thread = read(&[&asks(ID, &human("t"))]);
        let request = RequestId::from(ID);
        let at = thread.request_of(&request).expect("it was asked");
        assert!(!thread.is_answered(at));
        thread.answer(&[reference(&request)]);
        assert!(thread.is_answered(at));
        assert!(is_answered(&[None]) && is_answered(&[Some(503)]), "it may have arrived");
        assert!(!is_answered(&[Some(409)]), "it was refused");
        assert!(is_answered(&[None, Some(409)]), "the first may have arrived");
    }
}
