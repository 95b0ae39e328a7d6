//! A Haystack host simulated in the page, which speaks the contract's real wire: text in, messages out.
//!
//! It keeps its conversations like a server does, refuses what the example server in `tests/backends` refuses, and
//! remembers what its tools really ran with.

mod answer;
mod client;
mod event;
mod run;
mod tools;

#[cfg(test)]
mod tests;

use countersign_core::Millis;
use countersign_json::{Document, Limits, quote};
use serde::{Deserialize, Serialize};

use crate::systems::gates::Gates;
use crate::systems::script::call::Executed;
use crate::systems::script::ids::Ids;
use countersign_connect::Fault;

use answer::Received;
use client::{Client, Server};

/// How long a request waits, in seconds.
const TIMEOUT: u64 = 3_600;

/// The simulated host with its conversations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    ids: Ids,
    clients: Vec<Client>,
    executed: Vec<Executed>,
    #[serde(skip)]
    gates: Gates,
}

impl Agent {
    /// A host on which nothing has happened; the same seed gives the same identifiers.
    #[must_use]
    pub fn new(seed: u64) -> Agent {
        Agent { ids: Ids::new(seed), clients: Vec::new(), executed: Vec::new(), gates: Gates::default() }
    }

    /// The host that its own text was written from; `None` if the text is not of it.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Agent> {
        serde_json::from_str(text).ok()
    }

    /// Where the conversation with this id is; it begins with its first message.
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
        let at = self.client(conversation);
        let mut server = Server { ids: &mut self.ids, executed: &mut self.executed, now, gates: &self.gates };
        let before: Vec<usize> = self.clients.iter().map(|client| client.log.len()).collect();
        self.clients.iter_mut().for_each(|client| client.expire(&mut server));
        let Some(client) = self.clients.get_mut(at) else { return Ok(Vec::new()) };
        let mut refusal = None;
        match Document::parse(message, &Limits::default()) {
            Err(error) => {
                let detail = quote(&format!("the body is not JSON: {error}"));
                refusal = Some(event::refused(None, 422, &detail));
            }
            Ok(document) => match Received::read(&document)? {
                Received::Words(text, policy) => client.begin(&text, policy.as_deref(), &mut server),
                Received::Answer(answer) => {
                    let id = answer::id(answer);
                    let refused = client.answer(answer, &mut server).err();
                    refusal = refused.map(|(status, detail)| event::refused(id.as_deref(), status, &detail));
                }
            },
        }
        let known = before.get(at).copied().unwrap_or_default();
        // A page that opens a conversation is greeted first.
        let greeting = (known == 0).then(|| event::hello(&client.id));
        let news = client.log.iter().skip(known).cloned();
        Ok(greeting.into_iter().chain(news).chain(refusal).collect())
    }

    fn history(&self, conversation: &str) -> Option<String> {
        let client = self.clients.iter().find(|client| client.id == conversation)?;
        (!client.log.is_empty()).then(|| format!("[{}]", client.log.join(",")))
    }

    fn executed(&self) -> &[Executed] {
        &self.executed
    }

    fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
