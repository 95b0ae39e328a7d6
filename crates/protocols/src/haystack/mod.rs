//! Haystack agents: a contract over WebSocket or REST, snapshots, hayhooks' events, and the chat history.
//!
//! Source: haystack-ai 2.23 to 3.4, haystack-experimental 0.19, deepset-ai/hitl-hayhooks-redis-openwebui. The wire shapes
//! and their traps are in `docs/haystack.md` beside this crate's sources.

mod align;
mod arguments;
mod ask;
pub mod feedback;
mod memory;
mod messages;
mod outcome;
mod read;
mod snapshot;
mod write;

use countersign_core::OfferKind::{Approve, Edit, Reject};
use countersign_core::{Due, Failure, Reading, RequestRef, Stamp, Written};
use countersign_json::Value;

use crate::dialects::{Dialect, Recovery};
use crate::family::{Family, Page, Talk};
use crate::options::Templates;

use memory::Conversation;
use read::Reader;

/// The dialects of the Haystack family.
pub(crate) const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "ws",
        system: "Haystack",
        adapter: "haystack",
        decisions: &[Approve, Edit, Reject],
        held: false,
        recovery: Recovery::Log,
    },
    Dialect {
        name: "ws-minimal",
        system: "Haystack",
        adapter: "haystack",
        decisions: &[Approve, Edit, Reject],
        held: false,
        recovery: Recovery::Log,
    },
    Dialect {
        name: "rest",
        system: "Haystack",
        adapter: "haystack",
        decisions: &[Approve, Edit, Reject],
        held: false,
        recovery: Recovery::Log,
    },
    Dialect {
        name: "snapshot",
        system: "Haystack",
        adapter: "haystack",
        decisions: &[Approve, Edit, Reject],
        held: true,
        recovery: Recovery::Log,
    },
    Dialect {
        name: "messages",
        system: "Haystack",
        adapter: "haystack",
        decisions: &[],
        held: false,
        recovery: Recovery::Settled,
    },
    Dialect {
        name: "hayhooks-sse",
        system: "hayhooks",
        adapter: "haystack",
        decisions: &[Approve, Reject],
        held: false,
        recovery: Recovery::Kept,
    },
];

/// The Haystack family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Haystack {
    /// How the backend words what people decided.
    pub(crate) templates: Templates,
}

impl Family for Haystack {
    fn name(&self) -> &'static str {
        "haystack"
    }

    fn recognises(&self, root: Value<'_>, looked_at: usize) -> bool {
        read::recognises(root, looked_at)
    }

    fn begin(&self) -> Box<dyn Talk> {
        Box::new(HaystackTalk { templates: self.templates.clone(), conversation: Conversation::default() })
    }
}

/// A conversation with a Haystack backend.
struct HaystackTalk {
    templates: Templates,
    conversation: Conversation,
}

impl Talk for HaystackTalk {
    fn read(&mut self, page: &Page<'_>, reading: &mut Reading) {
        if page.own {
            return reading.hidden.push(read::is_answer(page.root));
        }
        let mut reader = Reader {
            conversation: &mut self.conversation,
            reading,
            source: page.source,
            templates: &self.templates,
            rounded: page.rounded,
            is_log: false,
        };
        reader.read(page.root);
    }

    fn write(&self, due: &[Due], _stamp: &Stamp) -> Result<Vec<Written>, String> {
        let mut written = Vec::new();
        for due in due {
            write::bodies(&self.conversation, due, &self.templates, &mut written)?;
        }
        Ok(written)
    }

    fn delivered(&mut self, request: &RequestRef) {
        self.conversation.delivered(request);
    }

    fn failure(&mut self, requests: &[RequestRef], status: Option<u16>, message: Option<&str>) -> Failure {
        write::failure(&self.conversation, requests, status, message)
    }
}
