//! What the server remembers of one client: what it was sent, what runs, and what was decided.

use std::collections::VecDeque;

use countersign_core::Millis;
use countersign_json::{Writer, quote};
use serde::{Deserialize, Serialize};

use crate::systems::script::call::{Call, Proposal};
use crate::systems::script::clock;

/// One client, which is one conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Client {
    /// The name it chose.
    pub id: String,
    /// Every message that was sent to it, each a JSON text, without greetings and refusals.
    pub log: Vec<String>,
    /// The tools about which it is asked no more.
    pub always: Vec<String>,
    /// What has not ended.
    pub runs: Vec<Run>,
    /// How each request ended, oldest first.
    pub settled: Vec<Settled>,
}

/// A run of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    /// What it does next.
    pub todo: VecDeque<Todo>,
    /// How many steps it has made.
    pub step: usize,
    /// What it says at its end.
    pub told: Vec<String>,
    /// The call that waits for a person.
    pub waiting: Option<Waiting>,
    /// How many seconds a request of it waits.
    pub patience: u64,
}

/// One thing that a run does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Todo {
    /// Call a tool; one that is gated asks first.
    Call {
        /// Why, in the planner's words.
        thought: Option<String>,
        /// The call.
        call: Proposal,
        /// A person has to agree.
        gated: bool,
    },
    /// Say something at the end.
    Tell(String),
    /// The model fails.
    Crash,
}

/// A call that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    /// The call; its id is the request's.
    pub call: Call,
    /// Why, in the planner's words.
    pub thought: Option<String>,
    /// Since when, in milliseconds.
    pub since: u64,
    /// Until when, in milliseconds.
    pub until: u64,
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Settled {
    /// The request.
    pub id: String,
    /// The word of the decision, or `timeout`.
    pub how: String,
    /// The call, for who asks about the request later.
    pub call: Call,
}

impl Client {
    /// A client that nothing was sent to yet.
    #[must_use]
    pub(super) fn new(id: &str) -> Client {
        Client {
            id: id.to_owned(),
            log: Vec::new(),
            always: Vec::new(),
            runs: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// What waits under this id.
    #[must_use]
    pub(super) fn waiting(&self, id: &str) -> Option<&Waiting> {
        self.runs.iter().filter_map(|run| run.waiting.as_ref()).find(|waiting| waiting.call.id == id)
    }

    /// How the request with this id ended.
    #[must_use]
    pub(super) fn ended(&self, id: &str) -> Option<&Settled> {
        self.settled.iter().find(|settled| settled.id == id)
    }

    /// What a new connection is told first.
    #[must_use]
    pub(super) fn hello(&self) -> String {
        let allowed: Vec<String> = self.always.iter().map(|tool| quote(tool)).collect();
        format!(
            r#"{{"type":"hello","system":"adalflow","client_id":{},"always_allowed":[{}]}}"#,
            quote(&self.id),
            allowed.join(",")
        )
    }

    /// What waits, as the library's own list shows it.
    #[must_use]
    pub(super) fn pending(&self) -> Vec<String> {
        self.runs.iter().filter_map(|run| run.waiting.as_ref()).map(listed).collect()
    }
}

fn listed(waiting: &Waiting) -> String {
    let mut writer = Writer::new();
    writer
        .begin_object()
        .key("request_id")
        .string(&waiting.call.id)
        .key("tool_name")
        .string(&waiting.call.tool);
    writer.key("tool_args").begin_array().end_array().key("tool_kwargs").raw(&waiting.call.args);
    writer.key("timestamp").string(&clock::timestamp(Millis(waiting.since)));
    writer.key("status").string("pending").end_object();
    writer.finish()
}
