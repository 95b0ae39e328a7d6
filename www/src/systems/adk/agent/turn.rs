//! One turn of the agent: from a message to the next pause or the end.

use countersign_core::Millis;
use countersign_json::{Document, Limits, Value, shallow_merge};

use super::answer::Answer;
use super::event::{self, Draft, Stamp};
use super::session::{Pause, Pending, Session};
use super::{CONFIRMATION, SUBAGENT, gate};
use crate::systems::Wire;
use crate::systems::script::call::{Call, Executed, Proposal};
use crate::systems::script::ids::Ids;
use crate::systems::script::plan::{QUESTIONS, Step};

/// What adk-deepagents notes while a person types beside a pause.
const DANGLING: &str = "_dangling_tool_calls";

/// One turn of the agent.
pub(super) struct Turn<'t> {
    wire: Wire,
    ids: &'t mut Ids,
    session: &'t mut Session,
    executed: &'t mut Vec<Executed>,
    invocation: String,
    /// The agent that speaks; `None`: the first one.
    agent: Option<String>,
    now: Millis,
    /// What was streamed so far.
    pub results: Vec<String>,
}

impl<'t> Turn<'t> {
    pub(super) fn new(
        wire: Wire,
        ids: &'t mut Ids,
        session: &'t mut Session,
        executed: &'t mut Vec<Executed>,
        now: Millis,
    ) -> Turn<'t> {
        let invocation = format!("e-{}", ids.uuid());
        let agent = session.in_charge.clone();
        // The clock of a page may have been set back; the events of a session come in order.
        let now = Millis(now.0.max(session.updated));
        Turn { wire, ids, session, executed, invocation, agent, now, results: Vec::new() }
    }

    /// Puts the person's message into the session; it is not streamed back.
    pub(super) fn begin(&mut self, message: &str) {
        let written = self.write(&Draft { content: Some(message.to_owned()), ..Draft::default() }, true);
        self.session.events.push(written);
    }

    /// adk-deepagents notes which confirmations are open while a person says something else.
    pub(super) fn note_dangling(&mut self) {
        let open = self.session.pauses.iter().flat_map(|pause| &pause.pending);
        let open: Vec<String> = open
            .map(|pending| {
                format!(r#"{{"id":{},"name":"{CONFIRMATION}"}}"#, countersign_json::quote(&pending.request))
            })
            .collect();
        if gate::takes_edits(self.wire) && !open.is_empty() {
            self.session.dangling = true;
            let state = format!(r#"{{"{DANGLING}":[{}]}}"#, open.join(","));
            self.emit(Draft { state: Some(state), ..Draft::default() });
        }
    }

    /// Takes these steps until one has to wait, or all are done.
    pub(super) fn proceed(&mut self, steps: Vec<Step>, mut told: Vec<String>) {
        let mut steps = steps.into_iter();
        while let Some(step) = steps.next() {
            match step {
                Step::Run { says, calls } => {
                    let calls = self.calls(&says, calls);
                    let outcomes: Vec<_> = calls.into_iter().map(|call| self.run(call)).collect();
                    self.outcomes(&outcomes);
                    told.extend(outcomes.iter().map(|(call, _)| call.told()));
                }
                Step::Gated { says, calls } => return self.wait(&says, calls, steps.collect()),
                // Neither gate can ask questions: the model does it in words.
                Step::Ask { says, questions } => told.push(asked(&says, &questions)),
                Step::Delegate { says, request, calls } => {
                    self.hand_over(&says);
                    let says = format!("I will see to it: {request}.");
                    match calls {
                        Some(calls) => return self.wait(&says, calls, steps.collect()),
                        None => told.push(asked(&says, QUESTIONS)),
                    }
                }
                Step::Crash => return self.results.push(r#"{"error":"scripted model failure"}"#.to_owned()),
            }
        }
        self.say(&told.join(" "));
    }

    /// Takes a person's answers to everything that one turn asked: runs what was approved, and goes on.
    pub(super) fn settle(&mut self, message: &str, answers: &[Answer]) {
        let find = |request: &str| answers.iter().find(|answer| answer.request == request);
        let place =
            self.session.pauses.iter().position(|pause| {
                pause.pending.first().is_some_and(|pending| find(&pending.request).is_some())
            });
        let Some(pause) = place.map(|place| self.session.pauses.remove(place)) else { return };
        self.invocation = pause.invocation;
        self.agent = pause.agent;
        self.begin(message);
        let (mut outcomes, mut told) = (Vec::new(), Vec::new());
        for Pending { request, call } in pause.pending {
            let answer = find(&request);
            if !answer.is_some_and(|answer| answer.confirmed) {
                told.push(format!("I did not run {}.", call.tool));
                outcomes.push((call.clone(), gate::refusal(self.wire, &call)));
                continue;
            }
            let changed = answer.and_then(|answer| answer.changed.as_deref());
            let args = changed.and_then(|changed| shallow_merge(&call.args, changed).ok());
            let call = Call { args: args.unwrap_or_else(|| call.args.clone()), ..call };
            told.push(call.told());
            outcomes.push(self.run(call));
        }
        self.outcomes(&outcomes);
        self.proceed(pause.steps, told);
    }

    /// Says the last words of the turn.
    pub(super) fn say(&mut self, words: &str) {
        self.emit(self.of_model(&[event::text(words)], None));
    }

    /// Says something and calls tools.
    fn calls(&mut self, says: &str, proposals: Vec<Proposal>) -> Vec<Call> {
        let calls: Vec<Call> =
            proposals.into_iter().map(|proposal| proposal.numbered(self.ids.call())).collect();
        let mut parts = vec![event::text(says)];
        parts.extend(calls.iter().map(event::call));
        self.emit(self.of_model(&parts, Some(Vec::new())));
        calls
    }

    /// Calls tools that a person has to allow.
    fn wait(&mut self, says: &str, proposals: Vec<Proposal>, steps: Vec<Step>) {
        let calls = self.calls(says, proposals);
        let pending: Vec<Pending> =
            calls.into_iter().map(|call| Pending { request: self.ids.call(), call }).collect();
        let asked = |pending: &Pending| gate::confirmation(self.wire, &pending.call);
        let questions: Vec<String> =
            pending.iter().map(|it| event::question(&it.request, &it.call, &asked(it))).collect();
        let mut draft = Draft::of("model", &questions);
        draft.long_running = Some(pending.iter().map(|it| it.request.clone()).collect());
        let stubs: Vec<String> =
            pending.iter().map(|it| event::response(&it.call, &gate::stub(self.wire, &it.call))).collect();
        let mut stub = Draft::of("user", &stubs);
        stub.skip_summarization = true;
        stub.confirmations = pending.iter().map(|it| (it.call.id.clone(), asked(it))).collect();
        self.emit(draft);
        self.emit(stub);
        let (invocation, agent) = (self.invocation.clone(), self.agent.clone());
        self.session.pauses.push(Pause { invocation, agent, pending, steps });
    }

    /// Lets the other agent take over; it stays in charge of the session.
    fn hand_over(&mut self, says: &str) {
        let args = format!(r#"{{"agent_name":"{SUBAGENT}"}}"#);
        let calls = self.calls(says, vec![Proposal::new("transfer_to_agent", args)]);
        let parts: Vec<String> =
            calls.iter().map(|call| event::response(call, r#"{"result":null}"#)).collect();
        self.emit(Draft { transfer: Some(SUBAGENT), ..Draft::of("user", &parts) });
        self.agent = Some(SUBAGENT.to_owned());
        self.session.in_charge.clone_from(&self.agent);
    }

    fn outcomes(&mut self, outcomes: &[(Call, String)]) {
        let parts: Vec<String> =
            outcomes.iter().map(|(call, outcome)| event::response(call, outcome)).collect();
        self.emit(Draft::of("user", &parts));
    }

    fn run(&mut self, call: Call) -> (Call, String) {
        self.executed.push(Executed { tool: call.tool.clone(), args: call.args.clone() });
        let outcome = call.run();
        (call, outcome)
    }

    /// What the model says; in a session that has noted open confirmations it clears the note every time.
    fn of_model(&self, parts: &[String], long_running: Option<Vec<String>>) -> Draft {
        let state = self.session.dangling.then(|| format!(r#"{{"{DANGLING}":null}}"#));
        Draft { usage: true, state, long_running, ..Draft::of("model", parts) }
    }

    /// Puts an event into the session and streams it.
    fn emit(&mut self, draft: Draft) {
        let written = self.write(&draft, false);
        self.session.events.push(written.clone());
        self.results.push(written);
    }

    /// Every event is a little later than the one before.
    fn write(&mut self, draft: &Draft, by_user: bool) -> String {
        self.now = self.now.after(Millis(3));
        self.session.updated = self.now.0;
        let id = self.ids.uuid();
        draft.write(&Stamp {
            id: &id,
            invocation: &self.invocation,
            agent: self.agent.as_deref(),
            by_user,
            moment: self.now,
        })
    }
}

/// Questions, in the words of a model that has no tool to ask them with.
fn asked(says: &str, questions: &str) -> String {
    let Ok(document) = Document::parse(questions, &Limits::ARGUMENTS) else { return says.to_owned() };
    let questions = document.root().items().filter_map(|it| it.get("question").and_then(Value::as_str_lossy));
    let mut sentence = says.to_owned();
    for question in questions {
        sentence.push(' ');
        sentence.push_str(&question);
    }
    sentence
}
