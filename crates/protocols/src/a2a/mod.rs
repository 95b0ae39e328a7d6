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
use countersign_core::{Advice, Due, Failure, Memory, Outbound, Reading, RequestRef, Scope, Stamp, Written};
use countersign_json::Value;

use crate::dialects::{Dialect, Recovery};
use crate::family::{Family, Page};
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

    fn memory(&self) -> Memory {
        Memory::new(Conversation::default())
    }

    fn read(&self, memory: &mut Memory, page: &Page<'_>, reading: &mut Reading) {
        let Some(conversation) = memory.of_mut::<Conversation>() else { return };
        let (source, edits, rounded) = (page.source, self.edits, page.rounded);
        let speaker = Speaker::default();
        let mut reader = Reader {
            conversation,
            reading,
            source,
            edits,
            rounded,
            doubles: false,
            speaker,
            is_list: false,
            ending: Vec::new(),
        };
        reader.read(page.root);
    }

    fn write(&self, memory: &Memory, due: &[Due], stamp: &Stamp) -> Result<Vec<Written>, String> {
        let conversation =
            memory.of::<Conversation>().ok_or_else(|| "nothing was received yet".to_owned())?;
        due.iter().enumerate().map(|(at, due)| write::message(conversation, due, stamp, at)).collect()
    }

    /// A JSON-RPC error comes with status 200. Whether a gateway that gave up waiting had handed it on, nobody knows.
    fn refuses(&self, status: u16) -> bool {
        matches!(status, 200..=299 | 400..=407 | 409..=499 | 503)
    }

    fn may_repeat(&self, memory: &Memory, outbound: &Outbound) -> bool {
        memory.of::<Conversation>().is_none_or(|conversation| write::may_repeat(conversation, outbound))
    }

    fn may_leave(&self, memory: &Memory, outbound: &Outbound) -> bool {
        memory.of::<Conversation>().is_none_or(|conversation| write::may_leave(conversation, outbound))
    }

    fn handed_over(&self, memory: &mut Memory, requests: &[RequestRef]) {
        note(memory, requests, Answering::Sent);
    }

    fn failure(
        &self,
        memory: &mut Memory,
        requests: &[RequestRef],
        status: Option<u16>,
        _message: Option<&str>,
    ) -> Failure {
        let was_refused = status.is_some_and(|status| self.refuses(status));
        note(memory, requests, if was_refused { Answering::No } else { Answering::Lost });
        Failure::Kept
    }

    fn delivered(&self, memory: &mut Memory, request: &RequestRef) {
        if let Some(conversation) = memory.of_mut::<Conversation>() {
            conversation.delivered(request);
        }
    }

    fn advice(&self, memory: &Memory) -> Vec<Advice> {
        memory.of::<Conversation>().map(Conversation::advice).unwrap_or_default()
    }

    /// One task of several: what is known of the others stays.
    fn forget(&self, memory: &mut Memory, id: &str) -> Option<Scope> {
        let task = Scope::from(id);
        let conversation = memory.of_mut::<Conversation>();
        let known = conversation.and_then(|it| it.place_of(&task).and_then(|at| it.task_mut(at)));
        if let Some(known) = known {
            // Should it turn up again, it says itself that it waits.
            (known.state, known.is_forgotten) = (State::Working, true);
        }
        Some(task)
    }
}

/// Notes what becomes of an answer of ours, which is to one task.
fn note(memory: &mut Memory, requests: &[RequestRef], answering: Answering) {
    if let Some((conversation, request)) = memory.of_mut::<Conversation>().zip(requests.first()) {
        conversation.note_answering(request, answering);
    }
}
