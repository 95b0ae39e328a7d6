//! LangGraph, LangChain's middleware and Agent OS: five dialects of one thread's interrupts.
//!
//! Source: langgraph 1.2, langchain 1.4 and langgraph-api 0.16 (Python); langchain 1.5 and @langchain/langgraph 1.4
//! (JavaScript). The wire shapes and their traps are in `docs/langgraph.md` beside this crate's sources.

mod ask;
mod calls;
mod form;
mod join;
mod memory;
mod namespace;
mod outcome;
mod read;
mod seen;
mod state;
mod turns;
mod walk;
mod write;

use countersign_core::OfferKind::{Approve, Edit, Ignore, Reject, Respond};
use countersign_core::{Advice, Arrival, Due, Failure, Reading, RequestRef, Stamp, Written};
use countersign_json::Value;

use crate::dialects::{Dialect, Recovery};
use crate::family::{Family, Page, Talk};

use memory::Thread;
use read::Reader;

/// The dialects of the LangGraph family.
pub(crate) const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "hitl-python",
        system: "LangChain",
        adapter: "langgraph",
        decisions: &[Approve, Edit, Reject, Respond],
        held: true,
        recovery: Recovery::Everything,
    },
    Dialect {
        name: "hitl-js",
        system: "LangChain",
        adapter: "langgraph",
        decisions: &[Approve, Edit, Reject],
        held: true,
        recovery: Recovery::Everything,
    },
    Dialect {
        name: "per-call",
        system: "LangChain",
        adapter: "langgraph",
        decisions: &[Approve, Edit, Reject, Respond],
        held: false,
        recovery: Recovery::Everything,
    },
    Dialect {
        name: "human-interrupt",
        system: "LangGraph",
        adapter: "langgraph",
        decisions: &[Approve, Edit, Respond, Ignore],
        held: true,
        recovery: Recovery::Unexplained,
    },
    Dialect {
        name: "agent-os",
        system: "Agent OS",
        adapter: "langgraph",
        decisions: &[Approve, Edit, Respond, Ignore],
        held: true,
        recovery: Recovery::Unexplained,
    },
];

/// The LangGraph family.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LangGraph;

impl Family for LangGraph {
    fn name(&self) -> &'static str {
        "langgraph"
    }

    fn recognises(&self, root: Value<'_>, looked_at: usize) -> bool {
        read::recognises(root, looked_at)
    }

    fn recognises_event(&self, name: &str, root: Value<'_>) -> bool {
        read::is_own_event(name) && !root.is_array()
    }

    fn begin(&self) -> Box<dyn Talk> {
        Box::new(Thread::default())
    }
}

impl Talk for Thread {
    fn read(&mut self, page: &Page<'_>, reading: &mut Reading) {
        let mut reader = Reader {
            thread: self,
            reading,
            source: page.source,
            rounded: page.rounded,
            is_history: page.arrival == Arrival::History,
            is_by_hand: false,
            skips: false,
            edits: Vec::new(),
        };
        reader.read(page.event, page.root);
    }

    fn write(&self, due: &[Due], _stamp: &Stamp) -> Result<Vec<Written>, String> {
        write::commands(self, due)
    }

    fn handed_over(&mut self, requests: &[RequestRef]) {
        self.answer(requests);
    }

    fn delivered(&mut self, request: &RequestRef) {
        self.arrive(request);
    }

    fn failure(&mut self, requests: &[RequestRef], status: Option<u16>, _message: Option<&str>) -> Failure {
        self.fail(requests, status);
        Failure::Kept
    }

    fn advice(&self) -> Vec<Advice> {
        if self.waiting().is_empty() {
            return Vec::new();
        }
        vec![Advice {
            code: "typed-text-ends-pause".to_owned(),
            message: "a new message in this thread while a call waits abandons the call for ever; ask first"
                .to_owned(),
        }]
    }
}

/// The smallest messages for the tests beside the code.
#[cfg(test)]
mod tests {
    use countersign_core::{Reading, Source};
    use countersign_json::{Document, Limits};

    use super::memory::Thread;
    use super::read::Reader;

    pub(super) const ID: &str = "000000000000000000000000000000a1";
    pub(super) const OTHER: &str = "000000000000000000000000000000b2";

    /// The event with which an interrupt asks.
    pub(super) fn asks(id: &str, value: &str) -> String {
        format!(r#"{{"event":"updates","data":{{"__interrupt__":[{{"id":"{id}","value":{value}}}]}}}}"#)
    }

    /// What the Python middleware asks about these requests for the tool `t`.
    pub(super) fn python(requests: &str) -> String {
        let config = r#"{"action_name":"t","allowed_decisions":["approve","edit","reject"]}"#;
        format!(r#"{{"action_requests":[{requests}],"review_configs":[{config}]}}"#)
    }

    /// The same, as the JavaScript middleware asks.
    pub(super) fn javascript(requests: &str) -> String {
        let config = r#"{"actionName":"t","allowedDecisions":["approve","edit","reject"]}"#;
        format!(r#"{{"actionRequests":[{requests}],"reviewConfigs":[{config}]}}"#)
    }

    /// A HumanInterrupt about a call without arguments.
    pub(super) fn human(action: &str) -> String {
        let config = r#"{"allow_accept":true,"allow_edit":true,"allow_respond":true,"allow_ignore":true}"#;
        format!(r#"{{"action_request":{{"action":"{action}","args":{{}}}},"config":{config}}}"#)
    }

    /// What is remembered after these events.
    pub(super) fn read(events: &[&str]) -> Thread {
        let mut thread = Thread::default();
        for event in events {
            let document = Document::parse(event, &Limits::default()).expect("it is JSON");
            let (mut reading, source) = (Reading::default(), Source::copied());
            let (thread, reading, source) = (&mut thread, &mut reading, &source);
            let (rounded, is_history, is_by_hand, skips) = (false, false, false, false);
            let edits = Vec::new();
            Reader { thread, reading, source, rounded, is_history, is_by_hand, skips, edits }
                .read(None, document.root());
            assert!(reading.problems.is_empty(), "{:?}", reading.problems);
        }
        thread
    }
}
