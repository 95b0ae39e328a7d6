//! AdalFlow's permission manager: six dialects with one set of ids.
//!
//! Source: adalflow 1.1.3, `apps/permission_manager.py`, `apps/fastapi_permission_handler.py`, the stream events of
//! `components/agent/runner.py`, and the design document that came before them. The wire shapes and their traps are in
//! `docs/adalflow.md` beside this crate's sources.

mod arguments;
mod ask;
mod event;
mod list;
mod memory;
mod python;
mod read;
mod reply;
mod words;
mod write;

use countersign_core::OfferKind::{Answer, Approve, ApproveAlways, Edit, Reject};
use countersign_core::collections::Marks;
use countersign_core::{Arrival, Due, Failure, Reading, RequestRef, Stamp, Written};
use countersign_json::{Value, names};

use crate::dialects::{Dialect, Recovery};
use crate::family::{Family, Page, Talk};
use crate::options::AdalflowOptions;

use crate::reading::is;
use memory::Conversation;
use read::Reader;

/// The dialects of the AdalFlow family.
pub(crate) const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "seed-ws",
        system: "AdalFlow",
        adapter: "adalflow",
        decisions: &[Approve, ApproveAlways, Reject],
        held: false,
        recovery: Recovery::Nothing,
    },
    Dialect {
        name: "seed-rest",
        system: "AdalFlow",
        adapter: "adalflow",
        decisions: &[Approve, ApproveAlways, Reject],
        held: false,
        recovery: Recovery::Waiting,
    },
    Dialect {
        name: "shipped-rest",
        system: "AdalFlow",
        adapter: "adalflow",
        decisions: &[Approve, ApproveAlways, Reject, Answer],
        held: false,
        recovery: Recovery::Waiting,
    },
    Dialect {
        name: "stream",
        system: "AdalFlow",
        adapter: "adalflow",
        decisions: &[Approve, ApproveAlways, Reject, Answer],
        held: false,
        recovery: Recovery::Kept,
    },
    Dialect {
        name: "ws",
        system: "AdalFlow",
        adapter: "adalflow",
        decisions: &[Approve, ApproveAlways, Edit, Reject],
        held: false,
        recovery: Recovery::Log,
    },
    Dialect {
        name: "rest",
        system: "AdalFlow",
        adapter: "adalflow",
        decisions: &[Approve, ApproveAlways, Edit, Reject],
        held: false,
        recovery: Recovery::Log,
    },
];

/// The AdalFlow family.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Adalflow {
    /// What the host knows beyond the bytes.
    pub(crate) options: AdalflowOptions,
}

impl Family for Adalflow {
    fn name(&self) -> &'static str {
        "adalflow"
    }

    fn recognises(&self, root: Value<'_>, looked_at: usize) -> bool {
        read::recognises(root, looked_at)
    }

    fn begin(&self) -> Box<dyn Talk> {
        Box::new(AdalflowTalk { options: self.options, conversation: Conversation::default() })
    }
}

/// A conversation with an AdalFlow backend.
struct AdalflowTalk {
    options: AdalflowOptions,
    conversation: Conversation,
}

impl Talk for AdalflowTalk {
    fn read(&mut self, page: &Page<'_>, reading: &mut Reading) {
        if page.own {
            // What the host sent says nothing about what the backend does.
            let [kind, method] = page.root.named(names!["type", "method"]);
            return reading.hidden.push(is(kind, "approval_response") || method.is_some());
        }
        let mut reader = Reader {
            conversation: &mut self.conversation,
            reading,
            source: page.source,
            options: self.options,
            rounded: page.rounded,
            listed: Marks::default(),
            is_pending: false,
            schemas: Vec::new(),
        };
        reader.read(page.root, page.arrival == Arrival::History);
    }

    fn write(&self, due: &[Due], _stamp: &Stamp) -> Result<Vec<Written>, String> {
        let mut written = Vec::new();
        for entry in due.iter().flat_map(|due| &due.entries) {
            written.push(write::answer(&self.conversation, entry)?);
        }
        Ok(written)
    }

    fn failure(&mut self, _requests: &[RequestRef], status: Option<u16>, message: Option<&str>) -> Failure {
        words::reply_failure(status, message.unwrap_or_default())
    }
}
