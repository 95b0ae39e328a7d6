//! Google ADK's own events: what `adk web` and `adk api_server` stream, answer and store.
//!
//! Source: google-adk 1.39 and 2.13, adk-deepagents 0.3. The wire shapes and their traps are in `docs/adk.md` beside this
//! crate's sources.

mod ask;
mod credentials;
mod event;
mod hosts;
mod memory;
mod outcome;
mod pieces;
mod read;
mod rewind;
mod write;

use countersign_core::OfferKind::{Approve, Edit, Reject};
use countersign_core::{Arrival, Due, Reading, RequestRef, Stamp, Written};
use countersign_json::Value;

use crate::dialects::{Dialect, Recovery};
use crate::family::{Family, Page, Talk};
use crate::options::Edits;
use crate::speaker::Speaker;

use event::Event;
use memory::Conversation;
use read::Reader;

/// The dialects of ADK's own REST interface.
pub(crate) const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "adk-plain",
        system: "Google ADK",
        adapter: "adk",
        decisions: &[Approve, Reject],
        held: true,
        recovery: Recovery::Everything,
    },
    Dialect {
        name: "adk-deepagents",
        system: "adk-deepagents",
        adapter: "adk",
        decisions: &[Approve, Edit, Reject],
        held: true,
        recovery: Recovery::Everything,
    },
];

/// The family of ADK's own events.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Adk {
    /// When an edit is offered.
    pub(crate) edits: Edits,
}

impl Family for Adk {
    fn name(&self) -> &'static str {
        "adk"
    }

    fn recognises(&self, root: Value<'_>, looked_at: usize) -> bool {
        event::recognises(root, looked_at)
    }

    fn begin(&self) -> Box<dyn Talk> {
        Box::new(AdkTalk { edits: self.edits, conversation: Conversation::default() })
    }
}

/// A conversation with a server of ADK.
struct AdkTalk {
    edits: Edits,
    conversation: Conversation,
}

impl Talk for AdkTalk {
    fn read(&mut self, page: &Page<'_>, reading: &mut Reading) {
        let mut reader = Reader {
            conversation: &mut self.conversation,
            reading,
            source: page.source,
            edits: self.edits,
            rounded: page.rounded,
            is_listed: page.arrival == Arrival::Live && Event::new(page.root).is_none(),
            speaker: Speaker::default(),
            asked: Vec::new(),
            workflow: Vec::new(),
        };
        reader.read(page.root, page.own);
        reader.inspect();
        reader.report_workflow();
    }

    fn write(&self, due: &[Due], _stamp: &Stamp) -> Result<Vec<Written>, String> {
        let mut written = Vec::with_capacity(due.len());
        for due in due {
            written.push(write::message(&self.conversation, due)?);
        }
        Ok(written)
    }

    fn delivered(&mut self, request: &RequestRef) {
        self.conversation.deliver(&request.id);
    }
}
