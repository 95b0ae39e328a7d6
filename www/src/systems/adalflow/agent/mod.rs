//! An AdalFlow agent simulated in the page, which speaks its real wire: text in, messages out.
//!
//! It keeps its clients like a server does, refuses what the example server in `tests/backends` refuses, and remembers
//! what its tools really ran with. Like AdalFlow's runner it makes one call at a time; `beside` begins a run of its own.

mod answer;
mod client;
mod event;
mod refusal;
mod run;
mod tools;

#[cfg(test)]
mod tests;

use countersign_core::Millis;
use serde::{Deserialize, Serialize};

use crate::systems::Wire;
use crate::systems::gates::Gates;
use crate::systems::script::call::Executed;
use crate::systems::script::ids::Ids;
use countersign_connect::Fault;

use answer::{Received, check, check_shipped};
use client::Client;
use refusal::Refused;
use run::{Server, Verdict};

/// The simulated server with its clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    wire: Wire,
    ids: Ids,
    clients: Vec<Client>,
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
            clients: Vec::new(),
            executed: Vec::new(),
            gates: Gates::default(),
        }
    }

    /// The agent that its own text was written from; `None` if the text is not of it.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Agent> {
        serde_json::from_str(text).ok()
    }

    /// Where the client with this id is; it is there from its first message on.
    fn client(&mut self, id: &str) -> usize {
        let known = self.clients.iter().position(|client| client.id == id);
        known.unwrap_or_else(|| {
            self.clients.push(Client::new(id));
            self.clients.len().saturating_sub(1)
        })
    }
}

impl crate::systems::Agent for Agent {
    fn govern(&mut self, gates: Gates) {
        self.gates = gates;
    }

    fn send(&mut self, conversation: &str, message: &str, now: Millis) -> Result<Vec<String>, Fault> {
        let received = Received::read(message).map_err(Refused::fault)?;
        let is_socket = self.wire == Wire::AdalflowWs;
        let index = self.client(conversation);
        let Some(client) = self.clients.get_mut(index) else { return Ok(Vec::new()) };
        let greeting = (is_socket && client.log.is_empty()).then(|| client.hello());
        let mut server = Server {
            wire: self.wire,
            ids: &mut self.ids,
            client,
            executed: &mut self.executed,
            gates: &self.gates,
            now,
            sent: greeting.into_iter().collect(),
        };
        server.expire();
        match received {
            Received::Words(text) => server.begin(&text),
            Received::Answer { id, body } if is_socket => {
                match check(server.client, &id, &body) {
                    Ok(answer) => server.settle(&id, Verdict::Answered(answer)),
                    // Only the page that answered hears of it, and it is no part of the log.
                    Err(refused) => server.sent.push(refused.message(&id)),
                }
            }
            Received::Answer { id, body } => {
                let answer = check_shipped(server.client, &id, &body).map_err(Refused::fault)?;
                server.sent.push(answer.receipt(&id));
                server.settle(&id, Verdict::Answered(answer));
            }
        }
        if !is_socket {
            // What a page that polls finds next.
            server.sent.push(format!("[{}]", server.client.pending().join(",")));
        }
        Ok(server.sent)
    }

    fn history(&self, conversation: &str) -> Option<String> {
        let client = self.clients.iter().find(|client| client.id == conversation)?;
        let pending = if self.wire == Wire::AdalflowWs { Vec::new() } else { client.pending() };
        let known: Vec<&str> = client.log.iter().chain(&pending).map(String::as_str).collect();
        Some(format!("[{}]", known.join(",")))
    }

    fn executed(&self) -> &[Executed] {
        &self.executed
    }

    fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
