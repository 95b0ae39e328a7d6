//! The runs of one client: from words to the next request or the end.

use std::collections::VecDeque;

use countersign_core::Millis;
use countersign_json::{Document, Limits, Value, Writer, quote};

use super::answer::Answer;
use super::client::{Client, Run, Settled, Todo, Waiting};
use super::event;
use super::tools::QUESTION;
use crate::systems::Wire;
use crate::systems::gates::Gates;
use crate::systems::script::call::{Call, Executed, Proposal};
use crate::systems::script::ids::Ids;
use crate::systems::script::plan::{QUESTIONS, Step};

/// How many seconds a request waits, unless `timeout=` among a person's words says otherwise.
const PATIENCE: u64 = 3_600;

/// The server while it takes one message of a client.
pub(super) struct Server<'s> {
    pub wire: Wire,
    pub ids: &'s mut Ids,
    pub client: &'s mut Client,
    pub executed: &'s mut Vec<Executed>,
    pub gates: &'s Gates,
    pub now: Millis,
    /// What was sent so far.
    pub sent: Vec<String>,
}

/// How a request ended.
pub(super) enum Verdict {
    /// A person answered.
    Answered(Answer),
    /// Nobody did.
    TimedOut,
}

impl Server<'_> {
    /// Begins a run for these words, and one for every `beside` in them.
    pub(super) fn begin(&mut self, text: &str) {
        for part in text.split(" beside ") {
            let mut todo = VecDeque::new();
            let steps = self.gates.plan(part);
            if steps.is_empty() {
                todo.push_back(Todo::Tell(small_talk(part)));
            }
            let asks = self.wire == Wire::AdalflowRest;
            steps.into_iter().for_each(|step| spread(step, asks, &mut todo));
            let run = Run { todo, step: 0, told: Vec::new(), waiting: None, patience: patience(part) };
            self.proceed(run);
        }
    }

    /// Ends the requests that nobody answered in time. Nothing of them runs.
    pub(super) fn expire(&mut self) {
        let waiting = self.client.runs.iter().filter_map(|run| run.waiting.as_ref());
        let late = waiting.filter(|waiting| waiting.until <= self.now.0);
        let late: Vec<String> = late.map(|waiting| waiting.call.id.clone()).collect();
        late.iter().for_each(|id| self.settle(id, Verdict::TimedOut));
    }

    /// Ends a request, runs its call if it is allowed, and goes on with its run.
    pub(super) fn settle(&mut self, id: &str, verdict: Verdict) {
        let is_it = |run: &Run| run.waiting.as_ref().is_some_and(|waiting| waiting.call.id == id);
        let Some(place) = self.client.runs.iter().position(is_it) else { return };
        let mut run = self.client.runs.remove(place);
        let Some(Waiting { call, thought, .. }) = run.waiting.take() else { return };
        let (outcome, reason, how) = match &verdict {
            Verdict::Answered(answer) => (answer.outcome, "answered", answer.outcome),
            Verdict::TimedOut => ("cancel", "timeout", "timeout"),
        };
        let settled = Settled { id: id.to_owned(), how: how.to_owned(), call: call.clone() };
        self.client.settled.push(settled);
        if self.wire == Wire::AdalflowWs {
            self.publish(event::resolved(id, outcome, reason));
        }
        if outcome == "proceed_always" && !self.client.always.contains(&call.tool) {
            self.client.always.push(call.tool.clone());
        }
        match verdict {
            Verdict::Answered(answer) if outcome != "cancel" => {
                let edited = answer.kwargs.unwrap_or_else(|| call.args.clone());
                let answered = answer.words.map_or(edited, |words| with_answer(&call.args, &words));
                self.run(&mut run, &call, thought.as_deref(), answered);
            }
            _ => self.deny(&mut run, &call, thought.as_deref()),
        }
        self.proceed(run);
    }

    /// Makes steps until a call has to wait, or all are done.
    fn proceed(&mut self, mut run: Run) {
        while let Some(todo) = run.todo.pop_front() {
            match todo {
                Todo::Tell(words) => run.told.push(words),
                Todo::Crash => return self.crash(run.step),
                Todo::Call { thought, call, gated } => {
                    let call = call.numbered(self.ids.uuid());
                    if gated && !self.client.always.contains(&call.tool) {
                        return self.wait(run, call, thought);
                    }
                    let function = event::function(&call, thought.as_deref(), &call.args);
                    self.publish(event::planned(Some(&function), None));
                    let args = call.args.clone();
                    self.run(&mut run, &call, thought.as_deref(), args);
                }
            }
        }
        let answer = run.told.join(" ");
        let function = event::finish(&self.ids.uuid(), &answer);
        self.publish(event::planned(Some(&function), None));
        self.publish(event::ended(Ok(&answer)));
    }

    /// Asks about a call.
    fn wait(&mut self, mut run: Run, call: Call, thought: Option<String>) {
        let until = self.now.0.saturating_add(run.patience.saturating_mul(1_000));
        let function = event::function(&call, thought.as_deref(), &call.args);
        let waiting = Waiting { call, thought, since: self.now.0, until };
        if self.wire == Wire::AdalflowWs {
            self.publish(event::request(&waiting));
        }
        self.publish(event::planned(Some(&function), None));
        let data = event::permission(&waiting.call, &function);
        self.emit("tool_permission_request", None, "tool_call_permission_request", &data);
        run.waiting = Some(waiting);
        self.client.runs.push(run);
    }

    /// Runs a call with these arguments.
    fn run(&mut self, run: &mut Run, call: &Call, thought: Option<&str>, args: String) {
        let asked = event::function(call, thought, &call.args);
        let runs = event::function(call, thought, &args);
        self.emit("tool_call_start", Some(&call.id), "tool_call_start", &runs);
        let told = outcome(&Call { args: args.clone(), ..call.clone() });
        // What a person answers is no tool that ran.
        if call.tool != QUESTION {
            self.executed.push(Executed { tool: call.tool.clone(), args });
        }
        self.complete(run, call, &asked, &quote(&told), &quote(&told));
        run.told.push(told);
    }

    /// Tells the model that a call was not allowed. No wire of AdalFlow has room for a reason.
    fn deny(&mut self, run: &mut Run, call: &Call, thought: Option<&str>) {
        let asked = event::function(call, thought, &call.args);
        self.complete(run, call, &asked, &event::denied(), &quote(event::CANCELLED));
        run.told.push(format!("I did not run {}.", call.tool));
    }

    fn complete(&mut self, run: &mut Run, call: &Call, asked: &str, output: &str, observation: &str) {
        let data = event::output(call, asked, output);
        self.emit("tool_call_complete", Some(&call.id), "tool_output", &data);
        let step = event::step(run.step, asked, observation);
        self.emit("step_complete", None, "step", &step);
        run.step = run.step.saturating_add(1);
    }

    fn crash(&mut self, step: usize) {
        let error = "Connection error: the scripted model failed";
        self.publish(event::planned(None, Some(error)));
        self.emit("step_complete", None, "step", &event::step(step, "null", &quote(error)));
        self.publish(event::ended(Err(error)));
    }

    /// Sends an event of the stream; where nothing names it, it has an id that says nothing.
    fn emit(&mut self, name: &str, id: Option<&str>, kind: &str, data: &str) {
        let id = id.map_or_else(|| self.ids.uuid(), str::to_owned);
        self.publish(event::item(name, &id, kind, data, self.now));
    }

    fn publish(&mut self, message: String) {
        self.client.log.push(message.clone());
        self.sent.push(message);
    }
}

/// One step of the script as calls, one after the other. `asks`: the wire can ask a person something.
fn spread(step: Step, asks: bool, todo: &mut VecDeque<Todo>) {
    match step {
        Step::Run { says, calls } => call_all(says, calls, false, todo),
        Step::Gated { says, calls } => call_all(says, calls, true, todo),
        Step::Ask { says, questions } => ask(says, &questions, asks, todo),
        // There is one agent on these wires: it does itself what others would hand over.
        Step::Delegate { says, calls: Some(calls), .. } => call_all(says, calls, true, todo),
        Step::Delegate { says, calls: None, .. } => ask(says, QUESTIONS, asks, todo),
        Step::Crash => todo.push_back(Todo::Crash),
    }
}

fn call_all(says: String, calls: Vec<Proposal>, gated: bool, todo: &mut VecDeque<Todo>) {
    let thoughts = std::iter::once(Some(says)).chain(std::iter::repeat(None));
    for (thought, call) in thoughts.zip(calls) {
        todo.push_back(Todo::Call { thought, call, gated });
    }
}

/// Asks one question after the other; where the wire has none, in words.
fn ask(says: String, questions: &str, asks: bool, todo: &mut VecDeque<Todo>) {
    let Ok(document) = Document::parse(questions, &Limits::ARGUMENTS) else { return };
    let questions = document.root().items().filter_map(|it| it.get("question").and_then(Value::as_str_lossy));
    let questions: Vec<String> = questions.map(|question| question.into_owned()).collect();
    if !asks {
        return todo.push_back(Todo::Tell(format!("{says} {}", questions.join(" "))));
    }
    let calls = questions
        .iter()
        .map(|question| Proposal::new(QUESTION, format!(r#"{{"question":{}}}"#, quote(question))));
    call_all(says, calls.collect(), true, todo);
}

/// The arguments of a question, with what a person answered.
fn with_answer(args: &str, words: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object();
    if let Ok(document) = Document::parse(args, &Limits::ARGUMENTS) {
        for (key, value) in document.root().members() {
            writer.raw_key(key.text()).raw(value.text());
        }
    }
    writer.key("user_response").string(words).end_object();
    writer.finish()
}

/// What a tool returns.
fn outcome(call: &Call) -> String {
    if call.tool != QUESTION {
        return call.told();
    }
    let document = Document::parse(&call.args, &Limits::ARGUMENTS).ok();
    let words = document.as_ref().and_then(|it| it.root().get("user_response")?.as_str_lossy());
    format!("The person says: {}", words.unwrap_or_default())
}

/// How long requests of these words wait: `timeout=` and a number of seconds.
fn patience(text: &str) -> u64 {
    let given = text.split_whitespace().find_map(|word| word.strip_prefix("timeout=")?.parse().ok());
    given.unwrap_or(PATIENCE)
}

fn small_talk(text: &str) -> String {
    format!("You said: {text}. I can read and delete files, send an email, or transfer money.")
}
