//! What must be remembered of a conversation.

use countersign_core::collections::Groups;
use countersign_core::{
    ArgsText, CallId, Observation, Outcome, RequestId, RequestRef, Scope, Source, Target, Text, ToolCall,
};
use countersign_json::Value;

/// The requests of a session and what has become of their calls.
pub(super) struct Conversation {
    /// Live events do not say which session they belong to, so there is only one.
    pub(super) scope: Scope,
    /// The session's own names, once a session was read: id, application, user.
    pub(super) session: [Option<Text>; 3],
    requests: Vec<Request>,
    by_id: Groups,
    /// The requests that ask about a call: a tool may ask again, and models give ids twice.
    by_call: Groups,
    /// The requests that were asked or answered in a run.
    by_run: Groups,
    /// The outcomes that were read, by event and call.
    outcomes: Groups,
    /// Answers that came before their requests, as JSON text, and the ids that they name.
    early_answers: Vec<Text>,
    by_answer: Groups,
    /// Outcomes that came before their calls and requests, and the ids of the calls.
    early_outcomes: Vec<(Outcome, Option<Text>)>,
    by_outcome: Groups,
    /// Calls that only pieces of a stream have shown.
    pub(super) pieces: Vec<ToolCall>,
    /// The calls that were read whole, and the pieces that became them.
    whole: Groups,
}

/// One request, as far as later events need to know it.
pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) call: Option<CallId>,
    pub(super) tool: Text,
    /// The last run in which it was asked or answered.
    pub(super) run: Option<Text>,
    /// The arguments, where an edit may be laid over them.
    pub(super) editable: Option<ArgsText>,
    /// Its call has an outcome.
    pub(super) is_settled: bool,
    /// It has an answer on the wire.
    pub(super) is_answered: bool,
}

impl Default for Conversation {
    fn default() -> Conversation {
        Conversation {
            scope: Scope::from("session"),
            session: [None, None, None],
            requests: Vec::new(),
            by_id: Groups::default(),
            by_call: Groups::default(),
            by_run: Groups::default(),
            outcomes: Groups::default(),
            early_answers: Vec::new(),
            by_answer: Groups::default(),
            early_outcomes: Vec::new(),
            by_outcome: Groups::default(),
            pieces: Vec::new(),
            whole: Groups::default(),
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
        self.requests.get(*self.by_id.get(id.shared()).first()? as usize)
    }

    /// The request with this id, which has an answer now.
    pub(super) fn answered(&mut self, id: &RequestId) -> Option<&Request> {
        let request = self.requests.get_mut(*self.by_id.get(id.shared()).first()? as usize)?;
        request.is_answered = true;
        Some(request)
    }

    /// Notes that a request was asked or answered in this run.
    pub(super) fn note_run(&mut self, id: &RequestId, run: Option<Text>) {
        let Some(at) = self.by_id.get(id.shared()).first().copied() else { return };
        let Some(request) = self.requests.get_mut(at as usize).filter(|request| request.run != run) else {
            return;
        };
        request.run.clone_from(&run);
        if let Some(run) = run {
            self.by_run.push(&run, at);
        }
    }

    /// The requests that were asked or answered in this run and lack an outcome.
    pub(super) fn of_run(&self, run: &str) -> Vec<RequestRef> {
        let requests = self.by_run.get(run).iter().filter_map(|at| self.requests.get(*at as usize));
        requests.filter(|request| !request.is_settled).map(|request| self.reference(&request.id)).collect()
    }

    /// Whether nothing is known yet of what became of a request.
    pub(super) fn waits(&self, id: &RequestId) -> bool {
        self.request(id).is_some_and(|request| !request.is_settled && !request.is_answered)
    }

    /// Remembers a request and says whether it is news; `None`: the id belongs to the request of another call.
    pub(super) fn remember(&mut self, request: Request) -> Option<bool> {
        if let Some(at) = self.by_id.get(request.id.shared()).first() {
            let known = self.requests.get_mut(*at as usize).filter(|known| known.call == request.call)?;
            known.editable = request.editable;
            return Some(false);
        }
        let at = u32::try_from(self.requests.len()).unwrap_or(u32::MAX);
        self.by_id.push(request.id.shared(), at);
        if let Some(call) = &request.call {
            self.by_call.push(call.shared(), at);
        }
        self.requests.push(request);
        Some(true)
    }

    /// Whether this outcome of a call is read for the first time; an event without an id is always news.
    ///
    /// A session that is read again must not settle a later call to which a model gave the same id.
    pub(super) fn is_news(&mut self, event: Option<&str>, call: &CallId) -> bool {
        let Some(event) = event else { return true };
        let mut key = String::with_capacity(event.len() + call.as_str().len() + 1);
        key.push_str(event);
        key.push('\n');
        key.push_str(call.as_str());
        let is_news = self.outcomes.place(key.as_str()).is_none();
        if is_news {
            self.outcomes.push(&Text::from(key), 0);
        }
        is_news
    }

    /// Whether this call was read whole before, also under the id that its piece had.
    pub(super) fn is_whole(&self, call: &CallId) -> bool {
        self.whole.place(call.shared()).is_some()
    }

    /// Notes that it was, and says what became of it if that was read before.
    pub(super) fn note_whole(&mut self, call: &CallId, of: &Text) -> Option<Outcome> {
        if self.is_whole(call) {
            return None;
        }
        self.whole.push(call.shared(), 0);
        let at = *self.by_outcome.get(call.shared()).first()?;
        let (outcome, tool) = self.early_outcomes.get(at as usize)?;
        is_of(tool, of).then(|| outcome.clone())
    }

    /// Settles with the outcome of a call what it settles: requests that asked about it, or the call that nothing gates. Models
    /// give ids twice: what became of another tool says nothing of a request.
    pub(super) fn settle(
        &mut self,
        call: CallId,
        tool: Option<Text>,
        outcome: Outcome,
        observations: &mut Vec<Observation>,
    ) {
        let mut settle = |target| {
            observations.push(Observation::Outcome { target, outcome: Box::new(outcome.clone()) });
        };
        let asked = self.by_call.get(call.shared());
        let mut about = asked.iter().filter_map(|at| self.requests.get(*at as usize));
        if !about.any(|request| is_of(&tool, &request.tool)) {
            // A call that was read keeps its outcome itself; a model may give its id to another one.
            let is_early = !self.is_whole(&call) && self.by_outcome.get(call.shared()).is_empty();
            settle(match &tool {
                Some(tool) => Target::Tool(self.scope.clone(), call.clone(), tool.clone()),
                None => Target::Call(self.scope.clone(), call.clone()),
            });
            // The first one counts, so no other is ever looked for.
            if is_early {
                let at = u32::try_from(self.early_outcomes.len()).unwrap_or(u32::MAX);
                self.early_outcomes.push((outcome, tool));
                self.by_outcome.push(call.shared(), at);
            }
            return;
        }
        let is_open = |request: &Request| !request.is_settled && is_of(&tool, &request.tool);
        let is_open = |at: &&u32| self.requests.get(**at as usize).is_some_and(is_open);
        let open: Vec<u32> = asked.iter().filter(is_open).copied().collect();
        let reference = |request: &Request| RequestRef { scope: self.scope.clone(), id: request.id.clone() };
        if let [at] = *open {
            if let Some(request) = self.requests.get_mut(at as usize) {
                request.is_settled = true;
                settle(Target::Request(reference(request)));
            }
            return;
        }
        if open.is_empty() {
            return;
        }
        let requests = open.iter().filter_map(|at| self.requests.get(*at as usize)).map(reference).collect();
        observations.push(Observation::SharedOutcome { requests, outcome: Box::new(outcome) });
    }

    /// Keeps an answer whose request was not read yet.
    pub(super) fn keep_answer(&mut self, id: &RequestId, response: Value<'_>, source: &Source) {
        // The first one counts, and a session is read again and again.
        if !self.by_answer.get(id.shared()).is_empty() {
            return;
        }
        let at = u32::try_from(self.early_answers.len()).unwrap_or(u32::MAX);
        self.early_answers.push(source.cut(response.text()));
        self.by_answer.push(id.shared(), at);
    }

    /// What was read about a request before the request itself: its first answer and the outcome of its call.
    pub(super) fn early(&mut self, id: &RequestId) -> (Option<Text>, Option<Outcome>) {
        let answer = self.by_answer.get(id.shared()).first();
        let answer = answer.and_then(|at| self.early_answers.get(*at as usize)).cloned();
        let outcome = self.early_outcome(id);
        (answer, outcome)
    }

    fn early_outcome(&mut self, id: &RequestId) -> Option<Outcome> {
        let at = *self.by_id.get(id.shared()).first()?;
        let request = self.requests.get_mut(at as usize)?;
        let call = request.call.as_ref()?.shared();
        // Only the first request of a call can have come late.
        if self.by_call.get(call).first() != Some(&at) {
            return None;
        }
        let (outcome, tool) = self.early_outcomes.get(*self.by_outcome.get(call).first()? as usize)?;
        if !is_of(tool, &request.tool) {
            return None;
        }
        request.is_settled = true;
        Some(outcome.clone())
    }
}

/// Whether an outcome is of this tool, as far as it names one.
fn is_of(named: &Option<Text>, tool: &Text) -> bool {
    named.as_ref().is_none_or(|named| named == tool)
}
