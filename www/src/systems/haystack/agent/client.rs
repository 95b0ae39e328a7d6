//! One conversation: its log, its requests, and how each of them ended.

use countersign_core::{Decision, Millis};
use countersign_json::{Value, quote};
use countersign_protocols::{Templates, haystack::feedback::feedback};
use serde::{Deserialize, Serialize};

use super::answer::{self, Refused};
use super::run::{Asked, Decided, Policy, Run, Turn};
use super::{TIMEOUT, event};
use crate::systems::gates::Gates;
use crate::systems::script::call::{Call, Executed};
use crate::systems::script::ids::Ids;

/// What the model is told besides that the call was refused; pages are told `timeout`.
const TIMED_OUT: &str = "Nobody decided in time.";

/// One conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Client {
    /// Its id.
    pub id: String,
    /// Everything that was sent to it but greetings, each a JSON text.
    pub log: Vec<String>,
    /// How each request ended: its id and the word, `timeout` for those that nobody answered.
    settled: Vec<(String, String)>,
    /// Calls that `once` need not ask about any more.
    confirmed: Vec<(String, String)>,
    runs: Vec<Run>,
}

/// What a turn needs of the server.
pub(super) struct Server<'s> {
    /// Where identifiers come from.
    pub ids: &'s mut Ids,
    /// What the tools ran with.
    pub executed: &'s mut Vec<Executed>,
    /// The moment.
    pub now: Millis,
    /// What is asked about.
    pub gates: &'s Gates,
}

impl Client {
    /// A conversation in which nothing has happened.
    pub(super) fn new(id: &str) -> Client {
        let (settled, confirmed, runs) = (Vec::new(), Vec::new(), Vec::new());
        Client { id: id.to_owned(), log: Vec::new(), settled, confirmed, runs }
    }

    /// Begins a run for a person's words.
    pub(super) fn begin(&mut self, text: &str, policy: Option<&str>, server: &mut Server<'_>) {
        let mut run = Run::new(text, policy, server.gates);
        if !self.proceed(&mut run, server) {
            self.runs.push(run);
        }
    }

    /// Takes an answer to an open request of this conversation.
    ///
    /// # Errors
    /// [`Refused`] for one that changes nothing.
    pub(super) fn answer(&mut self, answer: Value<'_>, server: &mut Server<'_>) -> Result<(), Refused> {
        let id = answer::id(answer).unwrap_or_default();
        if let Some((_, word)) = self.settled.iter().find(|(settled, _)| *settled == id) {
            return Err((409, quote(&format!("already decided: {word}"))));
        }
        let call = self.open().find(|asked| asked.request.as_deref() == Some(&id));
        let call = call.ok_or_else(|| (404, quote("no such approval")))?.call.clone();
        let decision = answer::check(&call, answer)?;
        if decision == Decision::approve() {
            self.confirmed.push((call.tool, call.args));
        }
        self.settle(&id, &decision, false, server);
        Ok(())
    }

    /// Ends what nobody has answered in time.
    pub(super) fn expire(&mut self, server: &mut Server<'_>) {
        let late = |asked: &&Asked| asked.created.after(Millis(TIMEOUT * 1_000)) <= server.now;
        let late: Vec<String> = self.open().filter(late).filter_map(|asked| asked.request.clone()).collect();
        for id in late {
            self.settle(&id, &Decision::reject(Some(TIMED_OUT)), true, server);
        }
    }

    /// The calls that wait for a person.
    fn open(&self) -> impl Iterator<Item = &Asked> {
        let turns = self.runs.iter().filter_map(|run| run.turn.as_ref());
        turns.flat_map(|turn| &turn.calls).filter(|asked| asked.is_open())
    }

    fn settle(&mut self, id: &str, decision: &Decision, late: bool, server: &mut Server<'_>) {
        let action = match decision {
            Decision::Approve { .. } => "confirm",
            Decision::Edit { .. } => "modify",
            _ => "reject",
        };
        self.settled.push((id.to_owned(), if late { "timeout" } else { action }.to_owned()));
        self.log.push(event::resolved(id, action, if late { "timeout" } else { "answered" }));
        let is_its =
            |run: &Run| run.turn.iter().flat_map(|it| &it.calls).any(|it| it.request.as_deref() == Some(id));
        let Some(at) = self.runs.iter().position(is_its) else { return };
        let mut run = self.runs.remove(at);
        for asked in run.turn.iter_mut().flat_map(|turn| &mut turn.calls) {
            if asked.request.as_deref() == Some(id) {
                let decided = decided(&asked.call, decision);
                self.log.push(event::decision(&asked.call, &decided));
                asked.decided = Some(decided);
            }
        }
        if !self.proceed(&mut run, server) {
            self.runs.insert(at, run);
        }
    }

    /// Goes on until a person is asked; whether the run is over.
    fn proceed(&mut self, run: &mut Run, server: &mut Server<'_>) -> bool {
        loop {
            let policy = run.policy;
            if let Some(turn) = &mut run.turn {
                self.ask(turn, policy, server);
                if turn.calls.iter().any(Asked::is_undecided) {
                    return false;
                }
                server.executed.extend(run.settle());
            }
            let last = match run.next_turn(|| format!("call_{}", server.ids.uuid())) {
                Ok(true) => continue,
                Ok(false) => run.finished(),
                Err(error) => event::failed(error),
            };
            self.log.push(last);
            return true;
        }
    }

    /// Asks about the calls of a turn; one by one where an answer may settle the next question too.
    fn ask(&mut self, turn: &mut Turn, policy: Policy, server: &mut Server<'_>) {
        for asked in turn.calls.iter_mut().filter(|asked| asked.is_undecided()) {
            let Call { tool, args, .. } = &asked.call;
            let is_known = self.confirmed.iter().any(|(name, known)| name == tool && known == args);
            if asked.request.is_some() {
                // It was asked about before.
            } else if policy == Policy::Never || policy == Policy::Once && is_known {
                let decided = decided(&asked.call, &Decision::approve());
                self.log.push(event::decision(&asked.call, &decided));
                asked.decided = Some(decided);
                continue;
            } else {
                let id = server.ids.uuid();
                asked.created = server.now;
                self.log.push(event::request(asked, &id));
                asked.request = Some(id);
            }
            if policy == Policy::Once {
                return;
            }
        }
    }
}

/// What the library's own strategy makes of a decision.
fn decided(call: &Call, decision: &Decision) -> Decided {
    match feedback(&call.tool, &call.args, decision, &Templates::default()) {
        Some(told) => Decided { feedback: told.text, args: told.final_tool_params },
        None => Decided { feedback: None, args: None },
    }
}
