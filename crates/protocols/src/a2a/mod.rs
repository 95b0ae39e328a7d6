//! kagent and ADK agents over A2A: four dialects in two envelopes.
//!
//! Source: kagent 0.8 to 0.10.4, kagent main of August 2026 (`hitl/v1`), google-adk 1.39 and 2.13 (`to_a2a`), A2A 0.3 and
//! 1.0. The wire shapes and their traps are in `docs/a2a.md` beside this crate's sources.

mod answer;
mod ask;
mod calls;
mod early;
mod enter;
mod envelope;
mod hitl;
mod memory;
mod message;
mod outcome;
mod part;
mod place;
mod questions;
mod read;
mod state;
mod told;
mod write;

use countersign_core::OfferKind::{Answer, Approve, Edit, Reject};
use countersign_core::{Advice, Due, Failure, Outbound, Reading, RequestRef, Scope, Stamp, Written};
use countersign_json::Value;

use crate::dialects::{Dialect, Recovery};
use crate::family::{Family, Page, Talk};
use crate::options::Edits;
use crate::speaker::Speaker;

use memory::{Answering, Conversation};
use read::Reader;
use state::State;

/// The dialects of the A2A family.
pub(crate) const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "seed",
        system: "kagent",
        adapter: "a2a",
        decisions: &[Approve, Reject],
        held: true,
        recovery: Recovery::Everything,
    },
    Dialect {
        name: "kagent-0.10",
        system: "kagent",
        adapter: "a2a",
        decisions: &[Approve, Edit, Reject, Answer],
        held: true,
        recovery: Recovery::Everything,
    },
    Dialect {
        name: "kagent-hitl-v1",
        system: "kagent",
        adapter: "a2a",
        decisions: &[Approve, Reject, Answer],
        held: true,
        recovery: Recovery::Everything,
    },
    Dialect {
        name: "adk-a2a",
        system: "Google ADK over A2A",
        adapter: "a2a",
        decisions: &[Approve, Edit, Reject, Answer],
        held: true,
        recovery: Recovery::Everything,
    },
];

/// The A2A family.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct A2a {
    /// When an edit is offered.
    pub(crate) edits: Edits,
}

impl Family for A2a {
    fn name(&self) -> &'static str {
        "a2a"
    }

    fn recognises(&self, root: Value<'_>, looked_at: usize) -> bool {
        envelope::recognises(root, looked_at)
    }

    fn begin(&self) -> Box<dyn Talk> {
        Box::new(A2aTalk { edits: self.edits, conversation: Conversation::default() })
    }
}

/// A conversation with a server of A2A.
struct A2aTalk {
    edits: Edits,
    conversation: Conversation,
}

impl A2aTalk {
    /// Notes what becomes of an answer of ours, which is to one task.
    fn note(&mut self, requests: &[RequestRef], answering: Answering) {
        if let Some(request) = requests.first() {
            self.conversation.note_answering(request, answering);
        }
    }
}

impl Talk for A2aTalk {
    fn read(&mut self, page: &Page<'_>, reading: &mut Reading) {
        let mut reader = Reader {
            conversation: &mut self.conversation,
            reading,
            source: page.source,
            edits: self.edits,
            rounded: page.rounded,
            doubles: false,
            speaker: Speaker::default(),
            is_list: false,
            ending: Vec::new(),
        };
        reader.read(page.root);
    }

    fn write(&self, due: &[Due], stamp: &Stamp) -> Result<Vec<Written>, String> {
        let write = |(at, due)| write::message(&self.conversation, due, stamp, at);
        due.iter().enumerate().map(write).collect()
    }

    /// A JSON-RPC error comes with status 200. Whether a gateway that gave up waiting had handed it on, nobody knows.
    fn refuses(&self, status: u16) -> bool {
        matches!(status, 200..=299 | 400..=407 | 409..=499 | 503)
    }

    fn may_repeat(&self, outbound: &Outbound) -> bool {
        write::may_repeat(&self.conversation, outbound)
    }

    fn may_leave(&self, outbound: &Outbound) -> bool {
        write::may_leave(&self.conversation, outbound)
    }

    fn handed_over(&mut self, requests: &[RequestRef]) {
        self.note(requests, Answering::Sent);
    }

    fn failure(&mut self, requests: &[RequestRef], status: Option<u16>, _message: Option<&str>) -> Failure {
        let was_refused = status.is_some_and(|status| self.refuses(status));
        self.note(requests, if was_refused { Answering::No } else { Answering::Lost });
        Failure::Kept
    }

    fn delivered(&mut self, request: &RequestRef) {
        self.conversation.delivered(request);
    }

    fn advice(&self) -> Vec<Advice> {
        self.conversation.advice()
    }

    /// One task of several: what is known of the others stays.
    fn forget(&mut self, id: &str) -> Option<Scope> {
        let task = Scope::from(id);
        let known = self.conversation.place_of(&task);
        if let Some(known) = known.and_then(|at| self.conversation.task_mut(at)) {
            // Should it turn up again, it says itself that it waits.
            (known.state, known.is_forgotten) = (State::Working, true);
        }
        Some(task)
    }
}
