//! What the server remembers of one session.

use countersign_core::Millis;
use countersign_json::Writer;
use serde::{Deserialize, Serialize};

use super::event::seconds;
use crate::systems::script::call::Call;
use crate::systems::script::plan::Step;

/// One session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Session {
    /// Its id.
    pub id: String,
    /// Its events, each a JSON text.
    pub events: Vec<String>,
    /// What waits for a person, oldest first.
    pub pauses: Vec<Pause>,
    /// The agent in charge, where it is not the first one.
    pub in_charge: Option<String>,
    /// Open confirmations were noted in the session's state, as adk-deepagents does it.
    pub dangling: bool,
    /// The moment of the newest event, in milliseconds.
    pub updated: u64,
}

/// The calls of one turn that wait for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pause {
    /// The invocation that paused, and goes on with the answer.
    pub invocation: String,
    /// The agent that asks; `None`: the first one.
    pub agent: Option<String>,
    /// The calls, in their order.
    pub pending: Vec<Pending>,
    /// What the agent wants to do afterwards.
    pub steps: Vec<Step>,
}

/// A call that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pending {
    /// The id of the confirmation.
    pub request: String,
    /// The call.
    pub call: Call,
}

impl Session {
    /// An empty session.
    #[must_use]
    pub(super) fn new(id: &str) -> Session {
        Session {
            id: id.to_owned(),
            events: Vec::new(),
            pauses: Vec::new(),
            in_charge: None,
            dangling: false,
            updated: 0,
        }
    }

    /// The session as its route returns it.
    #[must_use]
    pub(super) fn object(&self, app: &str, user: &str) -> String {
        let state = if self.dangling { r#"{"_dangling_tool_calls":null}"# } else { "{}" };
        let mut writer = Writer::new();
        writer.begin_object().key("id").string(&self.id).key("appName").string(app);
        writer.key("userId").string(user).key("state").raw(state);
        writer.key("events").raw(&format!("[{}]", self.events.join(",")));
        writer.key("lastUpdateTime").raw(&seconds(Millis(self.updated))).end_object();
        writer.finish()
    }
}
