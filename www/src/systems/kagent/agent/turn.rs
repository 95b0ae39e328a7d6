//! One turn of the agent: from a message to the next pause or the end, in whichever wire.

use countersign_core::Millis;
use countersign_json::{Document, Limits, Writer, quote};

use super::answer::{Answer, Received, Verdict};
use super::task::{Outer, Pause, Pending, Task};
use crate::systems::Wire;
use crate::systems::script::call::{Call, Executed, Proposal};
use crate::systems::script::clock::timestamp;
use crate::systems::script::ids::Ids;
use crate::systems::script::plan::Step;

use super::{SUBAGENT, hitl_v1, kagent_010};

/// What happens in a turn, before a wire spells it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event<'e> {
    /// The task has been handed in with this message.
    Submitted(&'e Received),
    /// The agent is at work.
    Working,
    /// The agent says something and proposes calls.
    Calls { says: &'e str, calls: &'e [Call], subagent: Option<&'e str> },
    /// Calls have answered, each with a JSON text.
    Outcomes(&'e [(Call, String)]),
    /// The agent waits for a person.
    Paused(&'e Pause),
    /// The agent's last words.
    Said(&'e str),
    /// The task is done.
    Completed,
    /// The task has failed.
    Failed(&'e str),
    /// Words have taken the place of what was asked; the task waits on, for nothing.
    Replaced(&'e str),
}

/// One turn of the agent.
pub(super) struct Turn<'t> {
    pub(super) wire: Wire,
    pub(super) ids: &'t mut Ids,
    pub(super) task: &'t mut Task,
    pub(super) executed: &'t mut Vec<Executed>,
    /// The id of the JSON-RPC exchange.
    pub(super) exchange: String,
    pub(super) now: Millis,
    /// The results that were streamed so far, each a JSON text.
    pub(super) results: Vec<String>,
}

impl Turn<'_> {
    pub(super) fn emit(&mut self, event: Event<'_>) {
        match self.wire {
            Wire::Kagent010 => kagent_010::emit(self, event),
            _ => hitl_v1::emit(self, event),
        }
    }

    /// Streams one result in its JSON-RPC envelope.
    pub(super) fn stream(&mut self, result: &str) {
        self.results.push(super::envelope(&self.exchange, result));
    }

    /// The moment of the next event; every event is a little later than the one before.
    pub(super) fn moment(&mut self) -> String {
        self.now = self.now.after(Millis(3));
        let zone = if self.wire == Wire::Kagent010 { "+00:00" } else { "Z" };
        timestamp(self.now) + zone
    }

    /// Takes the steps that are left until one has to wait, or all are done.
    pub(super) fn proceed(&mut self, mut told: Vec<String>) {
        while !self.task.steps.is_empty() {
            match self.task.steps.remove(0) {
                Step::Run { says, calls } => {
                    let calls = self.numbered(calls);
                    self.emit(Event::Calls { says: &says, calls: &calls, subagent: None });
                    let outcomes: Vec<_> = calls.into_iter().map(|call| self.run(call)).collect();
                    self.emit(Event::Outcomes(&outcomes));
                    told.extend(outcomes.iter().map(|(call, _)| call.told()));
                }
                Step::Gated { says, calls } => {
                    let calls = self.numbered(calls);
                    self.emit(Event::Calls { says: &says, calls: &calls, subagent: None });
                    let pending = self.pending(calls);
                    return self.wait(Pause { asks: false, pending, outer: None });
                }
                Step::Ask { says, questions } => {
                    let calls = self.numbered(vec![ask_user(&questions)]);
                    self.emit(Event::Calls { says: &says, calls: &calls, subagent: None });
                    let pending = self.pending(calls);
                    return self.wait(Pause { asks: true, pending, outer: None });
                }
                Step::Delegate { says, request, calls } => return self.delegate(&says, &request, calls),
                Step::Crash => return self.fail("scripted model failure"),
            }
        }
        self.say(&told.join(" "));
    }

    /// Says the last words and ends the task.
    pub(super) fn say(&mut self, text: &str) {
        self.emit(Event::Said(text));
        self.task.pause = None;
        self.emit(Event::Completed);
    }

    /// Ends the task in failure.
    pub(super) fn fail(&mut self, text: &str) {
        self.task.pause = None;
        self.task.steps.clear();
        self.emit(Event::Failed(text));
    }

    /// Settles a pause: runs what was approved, and goes on.
    pub(super) fn settle(&mut self, pause: Pause, verdicts: Vec<Option<Verdict>>) {
        let mut told = Vec::new();
        let mut outcomes = Vec::new();
        for (pending, verdict) in pause.pending.into_iter().zip(verdicts) {
            let Some(verdict) = verdict else { continue };
            let (outcome, sentence) = self.decide(pending.call, verdict);
            outcomes.push(outcome);
            told.push(sentence);
        }
        if let Some(outer) = pause.outer {
            let mut writer = Writer::new();
            writer.begin_object().key("result").string(&told.join(" "));
            writer.key("kagent_usage_metadata").raw(super::USAGE);
            writer.key("subagent_session_id").string(&outer.context).end_object();
            outcomes = vec![(outer.pending.call, writer.finish())];
        }
        self.emit(Event::Outcomes(&outcomes));
        self.proceed(told);
    }

    fn delegate(&mut self, says: &str, request: &str, calls: Option<Vec<Proposal>>) {
        let args = format!(r#"{{"request":{}}}"#, quote(request));
        let outer = self.numbered(vec![Proposal::new(SUBAGENT, args)]);
        let (task, context) = (self.ids.uuid(), self.ids.uuid());
        self.emit(Event::Calls { says, calls: &outer, subagent: Some(&context) });
        let asks = calls.is_none();
        let inner = calls.unwrap_or_else(|| vec![ask_user(crate::systems::script::plan::QUESTIONS)]);
        let inner = self.numbered(inner);
        let pending = self.pending(inner);
        let outer = self.pending(outer).pop().map(|pending| Outer { pending, task, context });
        self.wait(Pause { asks, pending, outer });
    }

    fn wait(&mut self, pause: Pause) {
        self.emit(Event::Paused(&pause));
        self.task.pause = Some(pause);
    }

    fn numbered(&mut self, calls: Vec<Proposal>) -> Vec<Call> {
        calls.into_iter().map(|call| call.numbered(self.ids.call())).collect()
    }

    fn pending(&mut self, calls: Vec<Call>) -> Vec<Pending> {
        calls.into_iter().map(|call| Pending { request: self.ids.call(), call }).collect()
    }

    fn run(&mut self, call: Call) -> (Call, String) {
        self.executed.push(Executed { tool: call.tool.clone(), args: call.args.clone() });
        let answer = call.run();
        (call, answer)
    }

    /// What becomes of a call, and the sentence that tells it.
    fn decide(&mut self, call: Call, verdict: Verdict) -> ((Call, String), String) {
        let asks = call.tool == "ask_user";
        match verdict {
            Verdict::Rejected(reason) => {
                let refused = "Tool call was rejected by user.";
                let (result, told) = match reason {
                    Some(reason) => (
                        format!("{refused} Reason: {reason}"),
                        format!("I did not run {}: {reason}.", call.tool),
                    ),
                    None => (refused.to_owned(), format!("I did not run {}.", call.tool)),
                };
                ((call, result_object(&result)), told)
            }
            Verdict::Answered(_) | Verdict::Approved if asks => {
                let answers = if let Verdict::Answered(answers) = verdict { answers } else { Vec::new() };
                let told = format!("Thank you. I noted: {}.", answers.concat().join(", "));
                let result = answered(&call.args, &answers);
                ((call, result_object(&result)), told)
            }
            Verdict::Approved | Verdict::Answered(_) => {
                let told = call.told();
                (self.run(call), told)
            }
        }
    }
}

/// For each pending call the verdict on it; an error is what makes the task fail.
pub(super) fn verdicts(pause: &Pause, answer: &Answer) -> Result<Vec<Option<Verdict>>, String> {
    let pending = pause.pending.iter();
    let find = |answers: &[(String, Verdict)], id: &str| {
        answers.iter().find(|(answered, _)| answered == id).map(|(_, verdict)| verdict.clone())
    };
    Ok(match answer {
        Answer::All(verdict) => pending.map(|_| Some(verdict.clone())).collect(),
        Answer::ByCall(answers) => {
            pending.map(|it| Some(find(answers, &it.call.id).unwrap_or(Verdict::Approved))).collect()
        }
        Answer::ByConfirmation(answers) => pending.map(|it| find(answers, &it.request)).collect(),
        Answer::Complete { answers, .. } => {
            let known = |id: &String| pause.pending.iter().any(|it| it.request == *id);
            let unknown: Vec<&str> =
                answers.iter().filter(|(id, _)| !known(id)).map(|(id, _)| id.as_str()).collect();
            if !unknown.is_empty() {
                return Err(format!("Tool approval response has unknown ids: {}", unknown.join(", ")));
            }
            let missing: Vec<&str> = pending
                .clone()
                .filter(|it| find(answers, &it.request).is_none())
                .map(|it| it.request.as_str())
                .collect();
            if !missing.is_empty() {
                return Err(format!("Tool approval response is missing ids: {}", missing.join(", ")));
            }
            pending.map(|it| find(answers, &it.request)).collect()
        }
    })
}

fn ask_user(questions: &str) -> Proposal {
    Proposal::new("ask_user", format!(r#"{{"questions":{questions}}}"#))
}

fn result_object(result: &str) -> String {
    format!(r#"{{"result":{}}}"#, quote(result))
}

/// The questions with their answers, as the tool returns them: JSON inside a string.
fn answered(args: &str, answers: &[Vec<String>]) -> String {
    let mut writer = Writer::new();
    writer.begin_array();
    if let Ok(document) = Document::parse(args, &Limits::ARGUMENTS) {
        let questions = document.root().get("questions");
        for (index, question) in questions.into_iter().flat_map(|it| it.items()).enumerate() {
            writer
                .begin_object()
                .key("question")
                .raw(question.get("question").map_or("\"\"", |text| text.text()));
            writer.key("answer").begin_array();
            for answer in answers.get(index).into_iter().flatten() {
                writer.string(answer);
            }
            writer.end_array().end_object();
        }
    }
    writer.end_array();
    writer.finish()
}
