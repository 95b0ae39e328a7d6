//! What must be remembered of a conversation.

use countersign_core::collections::{Groups, Numbered};
use countersign_core::{
    ArgsText, CallId, Observation, Outcome, RequestId, RequestRef, Scope, Source, Target, Text,
};
use countersign_json::Value;

use super::hosts::Hosts;
use super::pieces::Piece;
use crate::reading::{hash, shared};

/// The requests of a session and what has become of their calls.
pub(super) struct Conversation {
    /// Live events do not say which session they belong to, so there is only one.
    pub(super) scope: Scope,
    /// The session's own names, once a session was read: id, application, user.
    pub(super) session: [Option<Text>; 3],
    requests: Numbered<Request>,
    by_id: Groups,
    /// The requests that ask about a call: a tool may ask again, and models give ids twice.
    by_call: Groups,
    /// The requests that were asked or answered in a run.
    by_run: Groups,
    /// The requests that were asked inside a call, and the calls that ended.
    pub(super) hosts: Hosts,
    /// The outcomes that were read, by event and call, with which event of all that were read had them first.
    outcomes: Groups,
    /// Answers that came before their requests, as JSON text, and the ids that they name.
    early_answers: Numbered<Text>,
    by_answer: Groups,
    /// Outcomes that came before their calls and requests, and the ids of the calls.
    early_outcomes: Numbered<(Outcome, Option<Text>)>,
    by_outcome: Groups,
    /// Calls that only pieces of a stream have shown.
    pub(super) pieces: Vec<Piece>,
    /// Calls that a session has told whole before the stream came to them; the last of them.
    pub(super) ahead: Vec<Piece>,
    /// The calls that were read whole, and the pieces that became them, with the event of each.
    whole: Groups,
    /// The events that gave the id of such a call to another one, by id and tool.
    again: Groups,
    /// The run that called last, and what it has called.
    run: Option<Text>,
    called: Vec<CallId>,
    /// How many events were read, and how many before this reading.
    pub(super) events: u32,
    pub(super) events_before: u32,
}

/// One request, as far as later events need to know it.
pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) call: Option<CallId>,
    pub(super) tool: Text,
    /// The last run in which it was asked or answered.
    pub(super) run: Option<Text>,
    pub(super) args: ArgsText,
    /// An edit may be laid over them.
    pub(super) is_editable: bool,
    /// Its call has an outcome.
    pub(super) is_settled: bool,
    /// The call inside of which it was asked had its outcome first.
    pub(super) is_left: bool,
    /// Which event of all that were read asked it first, and which answered it last; zero: none did.
    pub(super) asked_in: u32,
    pub(super) answered_in: u32,
    /// The backend has the answer from here.
    pub(super) is_delivered: bool,
    /// How often the id of its call had been given again by then.
    pub(super) turn: usize,
    /// The place of the first request about its call: a tool may ask again.
    pub(super) first: u32,
}

impl Default for Conversation {
    fn default() -> Conversation {
        Conversation {
            scope: Scope::from("session"),
            session: [None, None, None],
            requests: Numbered::default(),
            by_id: Groups::default(),
            by_call: Groups::default(),
            by_run: Groups::default(),
            hosts: Hosts::default(),
            outcomes: Groups::default(),
            early_answers: Numbered::default(),
            by_answer: Groups::default(),
            early_outcomes: Numbered::default(),
            by_outcome: Groups::default(),
            pieces: Vec::new(),
            ahead: Vec::new(),
            whole: Groups::default(),
            again: Groups::default(),
            run: None,
            called: Vec::new(),
            events: 0,
            events_before: 0,
        }
    }
}

impl Conversation {
    /// What an answer or an observation about this request is addressed to.
    pub(super) fn reference(&self, id: &RequestId) -> RequestRef {
        RequestRef { scope: self.scope.clone(), id: id.clone() }
    }

    /// The request with this id.
    pub(super) fn request(&self, id: &RequestId) -> Option<&Request> {
        self.requests.get(*self.by_id.get(id.shared()).first()?)
    }

    /// The request with this id, which has an answer now.
    pub(super) fn answered(&mut self, id: &RequestId) -> Option<&Request> {
        let request = self.requests.get_mut(*self.by_id.get(id.shared()).first()?)?;
        request.answered_in = self.events;
        Some(request)
    }

    /// Notes that a request was asked or answered in this run.
    pub(super) fn note_run(&mut self, id: &RequestId, run: Option<Text>) {
        let Some(at) = self.by_id.get(id.shared()).first().copied() else { return };
        let Some(request) = self.requests.get_mut(at).filter(|request| request.run != run) else {
            return;
        };
        request.run.clone_from(&run);
        if let Some(run) = run {
            self.by_run.push(&run, at);
        }
    }

    /// The requests that were asked or answered in this run and lack an outcome.
    pub(super) fn of_run(&self, run: &str) -> Vec<RequestRef> {
        let requests = self.requests.of(self.by_run.get(run));
        requests.filter(|request| !request.is_settled).map(|request| self.reference(&request.id)).collect()
    }

    /// Notes that a run calls.
    pub(super) fn note_call(&mut self, call: &CallId, run: Option<Value<'_>>, source: &Source) {
        let is_same = self.run.as_deref().zip(run).is_some_and(|(known, run)| run.equals(known));
        if !is_same {
            self.run = run.and_then(|run| shared(source, Some(run)));
            self.called.clear();
        }
        self.called.push(call.clone());
    }

    /// What is read begins anew.
    pub(super) fn forget_calls(&mut self) {
        self.run = None;
    }

    /// What this run, which is over, has called and nobody was asked about.
    pub(super) fn take_unasked(&mut self, run: &str) -> Vec<Target> {
        if self.run.as_deref() != Some(run) {
            return Vec::new();
        }
        let mut called = std::mem::take(&mut self.called);
        called.retain(|call| self.by_call.get(call.shared()).is_empty());
        called.into_iter().map(|call| Target::Call(self.scope.clone(), call)).collect()
    }

    /// Whether nothing is known yet of what became of a request.
    pub(super) fn waits(&self, id: &RequestId) -> bool {
        self.request(id).is_some_and(|request| !request.is_settled && request.answered_in == 0)
    }

    /// The place of the request with this id.
    pub(super) fn place_of(&self, id: &RequestId) -> Option<u32> {
        self.by_id.get(id.shared()).first().copied()
    }

    /// Whether a request still has something to wait for.
    pub(super) fn may_be_left(&self, at: u32) -> bool {
        let request = self.requests.get(at);
        request.is_some_and(|request| !request.is_left && !request.is_settled && request.answered_in == 0)
    }

    /// Notes that what asked goes on without an answer.
    pub(super) fn leave(&mut self, at: u32) -> Option<RequestId> {
        if !self.may_be_left(at) {
            return None;
        }
        let request = self.requests.get_mut(at)?;
        request.is_left = true;
        Some(request.id.clone())
    }

    /// Remembers a request and says whether it is news; `None`: the id belongs to the request of another call.
    pub(super) fn remember(&mut self, mut request: Request) -> Option<bool> {
        if let Some(at) = self.by_id.get(request.id.shared()).first() {
            let known = self.requests.get_mut(*at).filter(|known| known.call == request.call)?;
            (known.args, known.is_editable) = (request.args, request.is_editable);
            return Some(false);
        }
        let at = self.requests.next_number();
        self.by_id.push(request.id.shared(), at);
        (request.asked_in, request.first) = (self.events, at);
        if let Some(call) = &request.call {
            request.turn = self.turn(call, &request.tool);
            let before = self.requests.of(self.by_call.get(call.shared())).next_back();
            // One event asks once about each call.
            let is_same = |before: &&Request| {
                before.tool == request.tool
                    && before.args == request.args
                    && before.turn == request.turn
                    && before.asked_in != self.events
            };
            request.first = before.filter(is_same).map_or(at, |before| before.first);
            self.by_call.push(call.shared(), at);
        }
        self.requests.push(request);
        Some(true)
    }

    /// Numbers the outcomes that an event has of a call, and says whether it is read for the first time; without an id it
    /// always is.
    ///
    /// A session that is read again must not settle a later call to which a model gave the same id.
    pub(super) fn note_outcome(&mut self, event: Option<&str>, call: &CallId) -> (u32, bool) {
        let Some(event) = event else { return (u32::MAX, true) };
        let key = Text::from([event, "\n", call.as_str()].concat());
        let place = self.outcomes.place(&key).unwrap_or_else(|| self.outcomes.push(&key, self.events));
        (place, self.outcomes.at(place).first() == Some(&self.events))
    }

    /// Whether a request about this call has no outcome that is known here.
    pub(super) fn lacks_outcome(&self, call: &CallId) -> bool {
        self.requests.of(self.by_call.get(call.shared())).any(|request| !request.is_settled)
    }

    /// Notes that the backend has the answer to this request.
    pub(super) fn deliver(&mut self, id: &RequestId) {
        let at = self.by_id.get(id.shared()).first();
        if let Some(request) = at.and_then(|at| self.requests.get_mut(*at)) {
            request.is_delivered = true;
        }
    }

    /// The last request about this call, if it has an answer.
    pub(super) fn answered_for(&self, call: &CallId) -> Option<RequestId> {
        let last = self.requests.of(self.by_call.get(call.shared())).next_back()?;
        (last.is_delivered || last.answered_in != 0).then(|| last.id.clone())
    }

    /// Whether this call was read whole before, also under the id that its piece had.
    pub(super) fn is_whole(&self, call: &CallId) -> bool {
        self.whole.place(call.shared()).is_some()
    }

    /// Notes that it was, and says what became of it if that was read before.
    pub(super) fn note_whole(&mut self, call: &CallId, of: &Text, event: Option<&str>) -> Option<Outcome> {
        let event = hash(event.unwrap_or_default());
        if let Some(first) = self.whole.get(call.shared()).first() {
            let key = again(call, of);
            if *first != event && !self.again.get(&key).contains(&event) {
                self.again.push(&key, event);
            }
            return None;
        }
        self.whole.push(call.shared(), event);
        let at = *self.by_outcome.get(call.shared()).first()?;
        let (outcome, tool) = self.early_outcomes.get(at)?;
        is_of(tool, of).then(|| outcome.clone())
    }

    /// How often the id of a call was given to calls of this tool after the first.
    pub(super) fn turn(&self, call: &CallId, tool: &Text) -> usize {
        // Nearly always no id comes again.
        if self.again.lists().next().is_none() { 0 } else { self.again.get(&again(call, tool)).len() }
    }

    /// Settles with the outcome of a call what it settles: requests that asked about it, or the call that nothing gates. Models
    /// give ids twice: what became of another tool says nothing of a request.
    pub(super) fn settle(
        &mut self,
        call: CallId,
        (tool, run): (Option<Text>, Option<Text>),
        outcome: Outcome,
        (number, is_news): (u32, bool),
        observations: &mut Vec<Observation>,
    ) {
        let asked = self.by_call.get(call.shared());
        let Some(last) = self.requests.of(asked).rev().find(|request| is_of(&tool, &request.tool)) else {
            if is_news {
                self.settle_unasked(call, tool, outcome, observations);
            }
            return;
        };
        // What is read again can only be of what was answered before it.
        let may_be = |request: &Request| is_news || request.answered_in > self.events_before;
        let is_open =
            |request: &Request| !request.is_settled && is_of(&tool, &request.tool) && may_be(request);
        let is_open = |at: &&u32| self.requests.get(**at).is_some_and(is_open);
        let mut open: Vec<u32> = asked.iter().filter(is_open).copied().collect();
        // The call that has the id now may be one that nothing gates.
        let is_alone = self.turn(&call, &last.tool) == last.turn;
        if let [at] = *open
            && is_alone
            && is_news
        {
            if let Some(request) = self.requests.get_mut(at) {
                request.is_settled = true;
                let id = request.id.clone();
                let (target, outcome) = (Target::Request(self.reference(&id)), Box::new(outcome));
                observations.push(Observation::Outcome { target, outcome });
            }
            return;
        }
        if open.is_empty() {
            return;
        }
        // What ran did so in the run that asked, since 2.x, or in that of the answer.
        let of_run = run.map(|run| self.by_run.get(&run)).unwrap_or_default();
        if open.iter().any(|at| of_run.contains(at)) {
            open.retain(|at| of_run.contains(at));
        }
        let mut requests: Vec<&Request> = self.requests.of(&open).collect();
        // What was answered first has its outcome first.
        requests.sort_by_key(|request| request.answered_in.wrapping_sub(1));
        let first = |request: &Request| (request.first, self.reference(&request.id));
        observations.push(Observation::SharedOutcome {
            requests: requests.into_iter().map(first).collect(),
            outcome: Box::new(outcome),
            number,
            is_news,
            is_alone,
        });
    }

    /// The same for a call that nobody asked about, or has not yet. Of its outcomes the first one counts.
    fn settle_unasked(
        &mut self,
        call: CallId,
        tool: Option<Text>,
        outcome: Outcome,
        observations: &mut Vec<Observation>,
    ) {
        // A call that was read keeps its outcome itself; a model may give its id to another one.
        let is_early = !self.is_whole(&call) && self.by_outcome.get(call.shared()).is_empty();
        if is_early {
            let at = self.early_outcomes.push((outcome.clone(), tool.clone()));
            self.by_outcome.push(call.shared(), at);
        }
        let target = match tool {
            Some(tool) => Target::Tool(self.scope.clone(), call, tool),
            None => Target::Call(self.scope.clone(), call),
        };
        observations.push(Observation::Outcome { target, outcome: Box::new(outcome) });
    }

    /// Keeps an answer whose request was not read yet.
    pub(super) fn keep_answer(&mut self, id: &RequestId, response: Value<'_>, source: &Source) {
        // The first one counts, and a session is read again and again.
        if !self.by_answer.get(id.shared()).is_empty() {
            return;
        }
        let at = self.early_answers.push(source.cut(response.text()));
        self.by_answer.push(id.shared(), at);
    }

    /// What was read about a request before the request itself: its first answer and the outcome of its call.
    pub(super) fn early(&mut self, id: &RequestId) -> (Option<Text>, Option<Outcome>) {
        let answer = self.early_answers.of(self.by_answer.get(id.shared())).next().cloned();
        let outcome = self.early_outcome(id);
        (answer, outcome)
    }

    fn early_outcome(&mut self, id: &RequestId) -> Option<Outcome> {
        let at = *self.by_id.get(id.shared()).first()?;
        let request = self.requests.get_mut(at)?;
        let call = request.call.as_ref()?.shared();
        // Only the first request of a call can have come late.
        if self.by_call.get(call).first() != Some(&at) {
            return None;
        }
        let (outcome, tool) = self.early_outcomes.of(self.by_outcome.get(call)).next()?;
        if !is_of(tool, &request.tool) {
            return None;
        }
        request.is_settled = true;
        Some(outcome.clone())
    }
}

/// The name of the calls of this tool that have this id.
fn again(call: &CallId, tool: &Text) -> Text {
    Text::from([call.as_str(), "\n", tool].concat())
}

/// Whether an outcome is of this tool, as far as it names one.
fn is_of(named: &Option<Text>, tool: &Text) -> bool {
    named.as_ref().is_none_or(|named| named == tool)
}
