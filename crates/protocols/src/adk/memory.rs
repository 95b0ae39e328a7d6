//! What must be remembered of a conversation.

use std::sync::Arc;

use countersign_core::collections::{Groups, Marks};
use countersign_core::{ArgsText, CallId, RequestId, RequestRef, Scope, Target};

/// The requests of a session and what has become of their calls.
pub(super) struct Conversation {
    /// Live events do not say which session they belong to, so there is only one.
    pub(super) scope: Scope,
    /// The session's own names, once a session was read: id, application, user.
    pub(super) session: [Option<Arc<str>>; 3],
    requests: Vec<Request>,
    by_id: Groups,
    /// The requests that ask about a call: a tool may ask again, and models give ids twice.
    by_call: Groups,
    /// Requests whose call has an outcome.
    settled: Marks,
    /// The outcomes that were read, by event and call.
    outcomes: Groups,
}

/// One request, as far as later events need to know it.
pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) call: Option<CallId>,
    /// The arguments, where an edit may be laid over them.
    pub(super) editable: Option<ArgsText>,
}

impl Default for Conversation {
    fn default() -> Conversation {
        Conversation {
            scope: Scope::from("session"),
            session: [None, None, None],
            requests: Vec::new(),
            by_id: Groups::default(),
            by_call: Groups::default(),
            settled: Marks::default(),
            outcomes: Groups::default(),
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
        self.requests.get(*self.by_id.get(id.as_str()).first()? as usize)
    }

    /// Remembers a request; `false`: the id belongs to the request of another call.
    pub(super) fn remember(&mut self, request: Request) -> bool {
        if let Some(at) = self.by_id.get(request.id.as_str()).first() {
            let Some(known) = self.requests.get_mut(*at as usize) else { return false };
            let is_same = known.call == request.call;
            if is_same {
                *known = request;
            }
            return is_same;
        }
        let at = u32::try_from(self.requests.len()).unwrap_or(u32::MAX);
        self.by_id.push(request.id.shared(), at);
        if let Some(call) = &request.call {
            self.by_call.push(call.shared(), at);
        }
        self.requests.push(request);
        true
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
        let is_news = self.outcomes.place(&key).is_none();
        if is_news {
            self.outcomes.push(&Arc::from(key), 0);
        }
        is_news
    }

    /// What the outcome of a call settles: every request that asked about it, or the call that nothing gates.
    pub(super) fn settle(&mut self, call: CallId) -> Vec<Target> {
        let asked = self.by_call.get(call.as_str());
        if asked.is_empty() {
            return vec![Target::Call(self.scope.clone(), call)];
        }
        let mut targets = Vec::new();
        for at in asked {
            if !self.settled.contains(*at)
                && let Some(request) = self.requests.get(*at as usize)
            {
                self.settled.insert(*at);
                targets.push(Target::Request(self.reference(&request.id)));
            }
        }
        targets
    }
}
