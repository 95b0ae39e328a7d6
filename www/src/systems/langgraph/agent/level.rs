//! One agent's part of a thread: the thread itself, or an agent inside a tool.

use countersign_json::Writer;
use serde::{Deserialize, Serialize};

use super::answer::Verdict;
use super::gate::{self, Form, Interrupt};
use super::message::{array, messages};
use crate::systems::script::call::Call;
use crate::systems::script::plan::Step;

/// One agent's part of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Level {
    /// Its namespace; empty: it is the thread itself.
    pub namespace: String,
    /// The middleware looks at what this agent's model says.
    pub reviews: bool,
    /// What was said and done, each a JSON text.
    pub messages: Vec<String>,
    /// The calls that a person edited, as the text of an object; `None` before the first review.
    pub edits: Option<String>,
    /// What the model does next.
    pub steps: Vec<Step>,
    /// What the model will say of what has happened.
    pub told: Vec<String>,
    /// The calls that are not all done.
    pub turn: Option<Turn>,
}

/// The calls of one message of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Turn {
    /// The message.
    pub message: String,
    /// What the middleware asks before any of them runs.
    pub review: Option<Interrupt>,
    /// The tools ask for themselves.
    pub asks: Option<Form>,
    /// The calls, in their order.
    pub works: Vec<Work>,
}

/// A call and what has become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Work {
    /// The id of its task.
    pub task: String,
    /// The call, as the model made it.
    pub call: Call,
    /// The arguments that a person put in place of its own.
    pub edited: Option<String>,
    /// What the tool asks.
    pub ask: Option<Interrupt>,
    /// The agent that the tool hands its work to.
    pub inner: Option<Box<Level>>,
    /// The tool's message, once there is one.
    pub outcome: Option<String>,
}

impl Level {
    /// An agent that has done nothing yet.
    #[must_use]
    pub(super) fn new(namespace: String) -> Level {
        Level {
            namespace,
            reviews: false,
            messages: Vec::new(),
            edits: None,
            steps: Vec::new(),
            told: Vec::new(),
            turn: None,
        }
    }

    /// What waits for a person, here and further inside.
    #[must_use]
    pub(super) fn waiting(&self) -> Vec<&Interrupt> {
        let Some(turn) = &self.turn else { return Vec::new() };
        turn.review.iter().chain(turn.works.iter().flat_map(Work::waiting)).collect()
    }

    /// The values of this agent as a stream shows them, with these messages and this interrupt beside them.
    #[must_use]
    pub(super) fn values(&self, more: &[String], interrupt: Option<&Interrupt>) -> String {
        let said = self.messages.iter().chain(more);
        match interrupt {
            None => messages(said),
            Some(asked) => {
                format!(r#"{{"messages":{},"__interrupt__":[{}]}}"#, array(said), asked.object(false))
            }
        }
    }

    /// Adds the calls of this review that a person edited to those before.
    pub(super) fn note_edits<'c>(&mut self, edited: impl Iterator<Item = (&'c Call, &'c str)>) {
        let mut writer = Writer::new();
        writer.begin_object();
        for (call, args) in edited {
            writer.key(&call.id).begin_object().key("name").string(&call.tool);
            writer.key("args").raw(args).end_object();
        }
        writer.end_object();
        let added = writer.finish();
        let before = self.edits.as_deref().unwrap_or("{}");
        self.edits = Some(countersign_json::shallow_merge(before, &added).unwrap_or(added));
    }
}

impl Work {
    /// What waits for a person here.
    pub(super) fn waiting(&self) -> Vec<&Interrupt> {
        let inner = self.inner.as_deref().map(Level::waiting).unwrap_or_default();
        self.ask.iter().chain(inner).filter(|_| self.outcome.is_none()).collect()
    }

    /// The call with the arguments that it runs with.
    #[must_use]
    pub(super) fn final_call(&self) -> Call {
        let args = self.edited.as_ref().unwrap_or(&self.call.args).clone();
        Call { args, ..self.call.clone() }
    }

    /// What a verdict leaves to read for the model, without a run: the words, whether they are an error, and what
    /// the model says of it.
    pub(super) fn settled(call: &Call, verdict: &Verdict) -> Option<(String, bool, String)> {
        let not_run = format!("I did not run {}.", call.tool);
        match verdict {
            Verdict::Approve | Verdict::Edit(_) => None,
            Verdict::Reject(reason) => Some((gate::rejection(call, reason.as_deref()), true, not_run)),
            Verdict::Respond(words) => Some((words.clone(), false, format!("{not_run} You said: {words}"))),
            Verdict::Ignore => Some((
                format!("The person ignored the call of {}. It did not run.", call.tool),
                false,
                not_run,
            )),
        }
    }
}
