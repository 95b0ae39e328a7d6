//! A kagent simulated in the page, which speaks kagent's real wire: text in, texts out.
//!
//! It keeps its tasks like a server does, enforces what the real one enforces, and remembers what its tools really
//! ran with. No clock, no chance, no DOM: the moment and the seed come in as arguments.

mod answer;
mod hitl_v1;
mod kagent_010;
mod task;
mod turn;

#[cfg(test)]
mod tests;

use countersign_core::Millis;
use countersign_json::{Writer, quote};
use serde::{Deserialize, Serialize};

use super::HITL;
use crate::systems::Wire;
use crate::systems::gates::Gates;
use crate::systems::script::call::{Call, Executed};
use crate::systems::script::ids::Ids;
use countersign_connect::Fault;

use answer::{Answer, Content, Received};
use task::Task;
use turn::{Event, Turn, verdicts};

/// The agent's name.
const APP: &str = "ops_agent";
/// The name of the agent that it delegates to.
const SUBAGENT: &str = "k8s_agent";

/// What a call of the model costs, as ADK counts it.
const USAGE: &str = r#"{"candidatesTokenCount":5,"promptTokenCount":10,"totalTokenCount":15}"#;

/// The simulated agent with its store of tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    wire: Wire,
    ids: Ids,
    tasks: Vec<Task>,
    executed: Vec<Executed>,
    #[serde(skip)]
    gates: Gates,
}

impl Agent {
    /// An agent that has done nothing yet; the same seed gives the same identifiers.
    #[must_use]
    pub fn new(wire: Wire, seed: u64) -> Agent {
        Agent { wire, ids: Ids::new(seed), tasks: Vec::new(), executed: Vec::new(), gates: Gates::default() }
    }

    /// The agent that [`to_json`](crate::systems::Agent::to_json) wrote; `None` if the text is not of it.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Agent> {
        serde_json::from_str(text).ok()
    }

    /// One task as its JSON-RPC method returns it.
    #[must_use]
    pub fn task(&self, id: &str) -> Option<String> {
        let task = self.tasks.iter().find(|task| task.id == id)?;
        Some(envelope("req-task", &self.object(task)))
    }

    /// All tasks of a conversation: kagent's list of a session, or `ListTasks`, newest first.
    #[must_use]
    pub fn tasks(&self, context: &str) -> String {
        let mut tasks: Vec<String> =
            self.tasks.iter().filter(|task| task.context == context).map(|task| self.object(task)).collect();
        match self.wire {
            Wire::Kagent010 => {
                format!(r#"{{"error":false,"data":{},"message":"Tasks retrieved"}}"#, array(&tasks))
            }
            _ => {
                tasks.reverse();
                let mut writer = Writer::new();
                writer.begin_object().key("tasks").raw(&array(&tasks)).key("nextPageToken").string("");
                writer
                    .key("pageSize")
                    .integer(50)
                    .key("totalSize")
                    .raw(&tasks.len().to_string())
                    .end_object();
                envelope("req-tasks", &writer.finish())
            }
        }
    }

    /// Takes a message and returns what is streamed back, in order, each a JSON-RPC response.
    pub fn send(&mut self, message: &str, now: Millis) -> Vec<String> {
        let exchange = self.ids.exchange();
        let received = match Received::read(message) {
            Ok(received) => received,
            Err(error) => return vec![failure(&exchange, -32700, &format!("Invalid JSON payload: {error}"))],
        };
        let named = received.task.as_deref();
        let known = named.and_then(|id| self.tasks.iter().position(|task| task.id == id));
        if let (Some(id), None) = (named, known) {
            return vec![failure(&exchange, -32001, &format!("Task {id} was specified but does not exist"))];
        }
        let index = match known {
            Some(index) => index,
            None => {
                if self.wire == Wire::KagentHitlV1 && matches!(received.content, Content::Answer(_)) {
                    let text = "Agent should enqueue Task before TaskStatusUpdateEvent event";
                    return vec![failure(&exchange, -32006, text)];
                }
                let context = received.context.clone().unwrap_or_else(|| self.ids.uuid());
                self.tasks.push(Task::new(self.ids.uuid(), context));
                self.tasks.len().saturating_sub(1)
            }
        };
        self.take(index, &exchange, &received, known.is_none(), now)
    }

    /// One turn in the task at `index`.
    fn take(
        &mut self,
        index: usize,
        exchange: &str,
        received: &Received,
        fresh: bool,
        now: Millis,
    ) -> Vec<String> {
        // An answer that names no task is given to the conversation, and runs in a task of its own.
        let context = self.tasks.get(index).map(|task| task.context.clone());
        let elsewhere = self.tasks.iter().filter(|task| Some(&task.context) == context.as_ref());
        let elsewhere = elsewhere.filter_map(|task| task.pause.clone()).next_back();
        let Some(task) = self.tasks.get_mut(index) else { return Vec::new() };
        if task.state.has_ended() {
            let state = if self.wire == Wire::Kagent010 { task.state.word() } else { task.state.constant() };
            let text = format!("Task {} is in terminal state: {state}", task.id);
            return vec![failure(exchange, -32602, &text)];
        }
        task.invocation = format!("e-{}", self.ids.uuid());
        let mut turn = Turn {
            wire: self.wire,
            ids: &mut self.ids,
            task,
            executed: &mut self.executed,
            exchange: exchange.to_owned(),
            now,
            results: Vec::new(),
        };
        if fresh {
            turn.emit(Event::Submitted(received));
        }
        let pause = if fresh { elsewhere } else { turn.task.pause.clone() };
        match &received.content {
            Content::Answer(answer) => answered(&mut turn, received, pause, answer, fresh),
            Content::Text(text) if fresh => {
                turn.emit(Event::Working);
                turn.task.steps = self.gates.plan(text);
                if turn.task.steps.is_empty() {
                    turn.say(&small_talk(text))
                } else {
                    turn.proceed(Vec::new())
                }
            }
            Content::Text(text) => interrupted(&mut turn, received, text),
        }
        turn.results
    }

    fn object(&self, task: &Task) -> String {
        match self.wire {
            Wire::Kagent010 => kagent_010::task_object(task),
            _ => hitl_v1::task_object(task),
        }
    }
}

/// A person has answered what was asked.
fn answered(
    turn: &mut Turn<'_>,
    received: &Received,
    pause: Option<task::Pause>,
    answer: &Answer,
    fresh: bool,
) {
    let resolved = match &pause {
        Some(pause) => verdicts(pause, answer),
        None if turn.wire == Wire::Kagent010 => {
            if !fresh {
                keep(turn, received);
            }
            turn.emit(Event::Working);
            return turn.say("There is nothing to decide.");
        }
        None => Err("Stored input-required task has no HITL request".to_owned()),
    };
    let (pause, verdicts) = match (pause, resolved) {
        (Some(pause), Ok(verdicts)) => (pause, verdicts),
        (_, Ok(_)) => return,
        (_, Err(text)) => {
            keep(turn, received);
            return turn.fail(&text);
        }
    };
    if turn.wire == Wire::KagentHitlV1 {
        turn.task.shelve();
        let message = hitl_v1::rewritten(turn, &pause, answer);
        turn.task.history.push(message);
    } else if !fresh {
        keep(turn, received);
    }
    turn.task.pause = None;
    turn.emit(Event::Working);
    turn.settle(pause, verdicts);
}

/// A person has typed something while the agent waited for a decision.
fn interrupted(turn: &mut Turn<'_>, received: &Received, text: &str) {
    keep(turn, received);
    turn.task.pause = None;
    turn.task.steps.clear();
    match turn.wire {
        Wire::Kagent010 => {
            turn.emit(Event::Working);
            turn.say(&format!("You said: {text}. I have let go of what I wanted to do."));
        }
        _ => {
            turn.emit(Event::Replaced("It was not provided a function response for the function call."));
        }
    }
}

/// Puts a message of the person's client into the history of its task.
fn keep(turn: &mut Turn<'_>, received: &Received) {
    turn.task.shelve();
    let message = match turn.wire {
        Wire::Kagent010 => kagent_010::user_message(turn.task, received),
        _ => hitl_v1::user_message(turn.task, received),
    };
    turn.task.history.push(message);
}

fn small_talk(text: &str) -> String {
    format!(
        "You said: {text}. I can read and delete files, send an email, transfer money, ask you something, or delegate \
         to the agent that looks after the cluster."
    )
}

/// Why the agent asks for one call.
fn hint(call: &Call) -> String {
    if call.tool != "ask_user" {
        return format!("Tool '{}' requires approval before execution.", call.tool);
    }
    let document = countersign_json::Document::parse(&call.args, &countersign_json::Limits::ARGUMENTS);
    let Ok(document) = document else { return String::new() };
    let questions = document.root().get("questions");
    let texts = questions.into_iter().flat_map(|list| list.items());
    let texts: Vec<String> =
        texts.filter_map(|it| Some(it.get("question")?.as_str()?.into_owned())).collect();
    texts.join("; ")
}

/// A JSON-RPC response with this result.
fn envelope(exchange: &str, result: &str) -> String {
    format!(r#"{{"id":{},"jsonrpc":"2.0","result":{result}}}"#, quote(exchange))
}

/// A JSON-RPC response with this error.
fn failure(exchange: &str, code: i64, message: &str) -> String {
    let mut writer = Writer::new();
    writer
        .begin_object()
        .key("error")
        .begin_object()
        .key("code")
        .integer(code)
        .key("message")
        .string(message);
    writer.end_object().key("id").string(exchange).key("jsonrpc").string("2.0").end_object();
    writer.finish()
}

/// A JSON array of these texts.
fn array(texts: &[String]) -> String {
    format!("[{}]", texts.join(","))
}

impl crate::systems::Agent for Agent {
    fn govern(&mut self, gates: Gates) {
        self.gates = gates;
    }

    fn send(&mut self, _conversation: &str, message: &str, now: Millis) -> Result<Vec<String>, Fault> {
        Ok(Agent::send(self, message, now))
    }

    fn history(&self, conversation: &str) -> Option<String> {
        Some(self.tasks(conversation))
    }

    fn executed(&self) -> &[Executed] {
        &self.executed
    }

    fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
