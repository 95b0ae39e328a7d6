//! A LangGraph server simulated in the page, which speaks its real wire: text in, parts of a stream out.
//!
//! It keeps its threads with every state they were in, refuses what the example server in `tests/backends` refuses,
//! and remembers what its tools really ran with.

mod answer;
mod gate;
mod level;
mod message;
mod run;
mod script;
mod thread;
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

use gate::Form;
use run::Run;
use thread::Thread;

/// The simulated server with its threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    wire: Wire,
    ids: Ids,
    threads: Vec<Thread>,
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
            threads: Vec::new(),
            executed: Vec::new(),
            gates: Gates::default(),
        }
    }

    /// The agent that its own text was written from; `None` if the text is not of it.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Agent> {
        serde_json::from_str(text).ok()
    }

    fn known(&self, id: &str) -> Option<&Thread> {
        self.threads.iter().find(|thread| thread.id == id)
    }
}

impl crate::systems::Agent for Agent {
    fn govern(&mut self, gates: Gates) {
        self.gates = gates;
    }

    fn send(&mut self, conversation: &str, message: &str, now: Millis) -> Result<Vec<String>, Fault> {
        let document = answer::parse(message)?;
        let words = answer::words(&document)?;
        let answers = match words {
            Some(_) => None,
            None => {
                let waiting = self.known(conversation).map(Thread::waiting);
                Some(answer::answers(&document, waiting.as_deref())?)
            }
        };
        if self.known(conversation).is_none() {
            self.threads.push(Thread::new(conversation));
        }
        let id = self.ids.uuid();
        let found = self.threads.iter_mut().find(|thread| thread.id == conversation);
        let Some(Thread { root, log, .. }) = found else { return Ok(Vec::new()) };
        let (form, ids, executed) = (Form::of(self.wire), &mut self.ids, &mut self.executed);
        let mut run = Run { form, ids, executed, log, id, now, results: Vec::new() };
        if let Some(answers) = &answers {
            run.resume(root, answers);
        } else if let Some(words) = words {
            let steps = self.gates.plan(&words);
            let told = steps.is_empty().then(|| script::small_talk(&words));
            run.begin(root, &words, steps, told);
        }
        let mut results = run.results;
        // After an answer the page also reads the state.
        let known = self.known(conversation).filter(|_| answers.is_some());
        results.extend(known.and_then(|thread| thread.present(super::assistant(self.wire))));
        Ok(results)
    }

    fn history(&self, conversation: &str) -> Option<String> {
        Some(self.known(conversation)?.history(super::assistant(self.wire)))
    }

    fn executed(&self) -> &[Executed] {
        &self.executed
    }

    fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
