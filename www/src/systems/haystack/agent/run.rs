//! One run of the agent: from a person's words to the end, with the pauses in between.

use countersign_core::Millis;
use serde::{Deserialize, Serialize};

use super::event;
use crate::systems::gates::Gates;
use crate::systems::script::call::{Call, Executed};
use crate::systems::script::plan::Step;

/// Which calls a person is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Policy {
    /// About all.
    Always,
    /// About none.
    Never,
    /// About each call until it was confirmed once with the same arguments.
    Once,
}

/// One message of a person, and what the agent does about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    /// Which calls are asked about.
    pub policy: Policy,
    /// What is left to do.
    pub steps: Vec<Step>,
    /// The calls that wait.
    pub turn: Option<Turn>,
    /// The conversation so far, each message a JSON text.
    messages: Vec<String>,
    /// What the agent will say at the end.
    told: Vec<String>,
}

/// What the model said, and the calls that it made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Turn {
    says: String,
    /// The calls, in their order.
    pub calls: Vec<Asked>,
}

/// A call on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    /// The call.
    pub call: Call,
    /// A person is asked about it.
    pub gated: bool,
    /// The id of the request, once a person was asked.
    pub request: Option<String>,
    /// When that was.
    pub created: Millis,
    /// What was decided, once it was.
    pub decided: Option<Decided>,
}

/// What was decided about a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Decided {
    /// What the model is told about it.
    pub feedback: Option<String>,
    /// The arguments that it runs with; `None`: it does not run.
    pub args: Option<String>,
}

impl Run {
    /// The run for these words. `askonce` and `neverask` among them choose the policy.
    pub(super) fn new(text: &str, policy: Option<&str>, gates: &Gates) -> Run {
        let named = |word: &str| {
            let mut words = text.split_whitespace();
            words.any(|it| it.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case(word))
        };
        let policy = match policy {
            _ if named("askonce") => Policy::Once,
            _ if named("neverask") => Policy::Never,
            Some("once") => Policy::Once,
            Some("never") => Policy::Never,
            _ => Policy::Always,
        };
        let steps = gates.plan(text);
        let told = if steps.is_empty() { vec![small_talk(text)] } else { Vec::new() };
        Run { policy, steps, turn: None, messages: vec![event::words("user", text)], told }
    }

    /// Takes the next step, as far as it makes calls; `id` gives each of them one.
    ///
    /// # Errors
    /// What a model that fails says.
    pub(super) fn next_turn(&mut self, mut id: impl FnMut() -> String) -> Result<bool, &'static str> {
        if self.steps.is_empty() {
            return Ok(false);
        }
        let step = self.steps.remove(0);
        let gated = !matches!(step, Step::Run { .. });
        let (says, calls) = match step {
            Step::Run { says, calls } | Step::Gated { says, calls } => (says, calls),
            // It has no other agents, and no questions but those about its calls.
            Step::Delegate { says, calls, .. } => (says, calls.unwrap_or_default()),
            Step::Ask { .. } => (String::new(), Vec::new()),
            Step::Crash => return Err("RuntimeError: the scripted model failed"),
        };
        if calls.is_empty() {
            self.told.push("I cannot ask you anything.".to_owned());
            return Ok(true);
        }
        let asked = |call: Call| Asked { call, gated, request: None, created: Millis(0), decided: None };
        let calls = calls.into_iter().map(|call| asked(call.numbered(id()))).collect();
        self.turn = Some(Turn { says, calls });
        Ok(true)
    }

    /// Runs what may run once every call of the turn is decided, and writes down what the library would.
    ///
    /// First the refused calls, each with its refusal, then what was edited, then all calls that ran together.
    pub(super) fn settle(&mut self) -> Vec<Executed> {
        let Some(turn) = self.turn.take() else { return Vec::new() };
        let (mut edits, mut ran) = (Vec::new(), Vec::new());
        for asked in turn.calls {
            match asked.decided {
                Some(Decided { feedback, args: None }) => {
                    let refusal = feedback.unwrap_or_default();
                    self.messages.push(event::calls(&turn.says, std::slice::from_ref(&asked.call)));
                    self.messages.push(event::outcome(&asked.call, &refusal, true));
                }
                Some(Decided { feedback, args: Some(args) }) => {
                    edits.extend(feedback.map(|text| event::words("user", &text)));
                    ran.push(Call { args, ..asked.call });
                }
                None => ran.push(asked.call),
            }
        }
        self.messages.extend(edits);
        if !ran.is_empty() {
            self.messages.push(event::calls(&turn.says, &ran));
        }
        for call in &ran {
            self.messages.push(event::outcome(call, &call.told(), false));
            self.told.push(call.told());
        }
        ran.into_iter().map(|call| Executed { tool: call.tool, args: call.args }).collect()
    }

    /// The last event of the run.
    pub(super) fn finished(&mut self) -> String {
        let text = if self.told.is_empty() { "I have not done it.".to_owned() } else { self.told.join(" ") };
        self.messages.push(event::words("assistant", &text));
        event::finished(&self.messages)
    }
}

impl Asked {
    /// Whether it still has to be decided.
    pub(super) fn is_undecided(&self) -> bool {
        self.gated && self.decided.is_none()
    }

    /// Whether a person is being asked.
    pub(super) fn is_open(&self) -> bool {
        self.request.is_some() && self.decided.is_none()
    }
}

fn small_talk(text: &str) -> String {
    format!("You said: {text}. I can read and delete files, send an email, or transfer money.")
}
