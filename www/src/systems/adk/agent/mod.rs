//! An ADK API server simulated in the page, which speaks its real wire: text in, events out.
//!
//! It keeps its sessions like a server does, refuses what the example server in `tests/backends` refuses, and remembers
//! what its tools really ran with.

mod answer;
mod event;
mod gate;
mod session;
mod turn;

#[cfg(test)]
mod tests;

use countersign_core::Millis;
use serde::{Deserialize, Serialize};

use super::{CONFIRMATION, USER};
use crate::systems::Wire;
use crate::systems::gates::Gates;
use crate::systems::script::call::Executed;
use crate::systems::script::ids::Ids;
use countersign_connect::Fault;

use answer::{Received, check};
use session::Session;
use turn::Turn;

/// The name of the app, and of its agent.
const APP: &str = "ops_agent";
/// The agent to which it hands over.
const SUBAGENT: &str = "k8s_agent";

/// The simulated server with its sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    wire: Wire,
    ids: Ids,
    sessions: Vec<Session>,
    executed: Vec<Executed>,
    #[serde(skip)]
    gates: Gates,
}

impl Agent {
    /// An agent that has done nothing yet; the same seed gives the same identifiers.
    #[must_use]
    pub fn new(wire: Wire, seed: u64) -> Agent {
        Agent {
            wire,
            ids: Ids::new(seed),
            sessions: Vec::new(),
            executed: Vec::new(),
            gates: Gates::default(),
        }
    }

    /// The agent that its own text was written from; `None` if the text is not of it.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Agent> {
        serde_json::from_str(text).ok()
    }

    /// Where the session with this id is; it begins with its first message.
    fn session(&mut self, id: &str) -> usize {
        let known = self.sessions.iter().position(|session| session.id == id);
        known.unwrap_or_else(|| {
            self.sessions.push(Session::new(id));
            self.sessions.len().saturating_sub(1)
        })
    }
}

impl crate::systems::Agent for Agent {
    fn govern(&mut self, gates: Gates) {
        self.gates = gates;
    }

    fn send(&mut self, conversation: &str, message: &str, now: Millis) -> Result<Vec<String>, Fault> {
        let received = Received::read(message)?;
        if let Received::Answers(answers) = &received {
            let known = self.sessions.iter().find(|session| session.id == conversation);
            check(self.wire, known, answers)?;
        }
        let index = self.session(conversation);
        let Some(session) = self.sessions.get_mut(index) else { return Ok(Vec::new()) };
        let mut turn = Turn::new(self.wire, &mut self.ids, session, &mut self.executed, now);
        match received {
            Received::Words(text) => {
                turn.begin(message);
                turn.note_dangling();
                let steps = self.gates.plan(&text);
                if steps.is_empty() {
                    turn.say(&small_talk(&text));
                } else {
                    turn.proceed(steps, Vec::new());
                }
            }
            Received::Answers(answers) => turn.settle(message, &answers),
        }
        Ok(turn.results)
    }

    fn history(&self, conversation: &str) -> Option<String> {
        let session = self.sessions.iter().find(|session| session.id == conversation)?;
        Some(session.object(APP, USER))
    }

    fn executed(&self) -> &[Executed] {
        &self.executed
    }

    fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn small_talk(text: &str) -> String {
    format!(
        "You said: {text}. I can read and delete files, send an email, transfer money, or hand over to the agent that \
         looks after the cluster."
    )
}
