//! What the agent remembers of one task.

use serde::{Deserialize, Serialize};

use crate::systems::script::call::Call;
use crate::systems::script::plan::Step;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum State {
    /// It has been handed in.
    Submitted,
    /// The agent is at work.
    Working,
    /// The agent waits for a person.
    InputRequired,
    /// It is done.
    Completed,
    /// It has failed.
    Failed,
}

impl State {
    /// The state in the words of A2A 0.3; those of A2A 1.0 derive from it.
    #[must_use]
    pub(super) fn word(self) -> &'static str {
        match self {
            State::Submitted => "submitted",
            State::Working => "working",
            State::InputRequired => "input-required",
            State::Completed => "completed",
            State::Failed => "failed",
        }
    }

    /// The state in the words of A2A 1.0.
    #[must_use]
    pub(super) fn constant(self) -> &'static str {
        match self {
            State::Submitted => "TASK_STATE_SUBMITTED",
            State::Working => "TASK_STATE_WORKING",
            State::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            State::Completed => "TASK_STATE_COMPLETED",
            State::Failed => "TASK_STATE_FAILED",
        }
    }

    /// Whether nothing more can be said in this task.
    #[must_use]
    pub(super) fn has_ended(self) -> bool {
        matches!(self, State::Completed | State::Failed)
    }
}

/// One task, as the agent's store holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Task {
    /// The task's id.
    pub id: String,
    /// The conversation it belongs to.
    pub context: String,
    /// The latest run of the agent in it.
    pub invocation: String,
    /// Where it stands.
    pub state: State,
    /// The message of its status, as JSON text.
    pub message: Option<String>,
    /// When its status changed.
    pub timestamp: String,
    /// Its earlier messages, oldest first, as JSON texts.
    pub history: Vec<String>,
    /// Its artifacts, oldest first, as JSON texts.
    pub artifacts: Vec<String>,
    /// What a person is asked.
    pub pause: Option<Pause>,
    /// What comes after the pause.
    pub steps: Vec<Step>,
}

impl Task {
    /// A task that has just been handed in.
    #[must_use]
    pub(super) fn new(id: String, context: String) -> Task {
        Task {
            id,
            context,
            invocation: String::new(),
            state: State::Submitted,
            message: None,
            timestamp: String::new(),
            history: Vec::new(),
            artifacts: Vec::new(),
            pause: None,
            steps: Vec::new(),
        }
    }

    /// Moves the message of the status into the history, as both SDKs do whenever something follows it.
    pub(super) fn shelve(&mut self) {
        self.history.extend(self.message.take());
    }

    /// Takes a new status; the message of the one before becomes history.
    pub(super) fn stand(&mut self, state: State, message: Option<&str>, timestamp: String) {
        self.shelve();
        self.state = state;
        self.message = message.map(str::to_owned);
        self.timestamp = timestamp;
    }
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pause {
    /// Whether it is a question rather than the approval of calls.
    pub asks: bool,
    /// The calls that wait, each with the id that its answer must carry.
    pub pending: Vec<Pending>,
    /// The call that waits for another agent, if the calls are that agent's.
    pub outer: Option<Outer>,
}

/// One call that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pending {
    /// The id of the confirmation.
    pub request: String,
    /// The call.
    pub call: Call,
}

/// A call that waits for another agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outer {
    /// The confirmation of the call itself.
    pub pending: Pending,
    /// The other agent's task.
    pub task: String,
    /// The other agent's conversation.
    pub context: String,
}
