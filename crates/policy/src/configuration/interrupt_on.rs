//! `interrupt_on`: a tool's name to true, false, or the decisions that are allowed; sub-agents with their own.

use std::sync::Arc;

use countersign_core::{OfferKind, Ruling, ToolCall};
use countersign_json::{Document, Limits, Value, Writer};

use crate::read::{Names, Read, member, name, object};

/// The tools of one agent, and its sub-agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InterruptOn {
    tools: Names,
    /// What each of them says.
    gates: Vec<Gate>,
    agents: Vec<(String, InterruptOn)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Gate {
    Open,
    Asks(Option<Vec<OfferKind>>),
}

/// Who calls where no agent is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unnamed {
    /// The agent that all of this configures.
    Outermost,
    /// That one, or any sub-agent with its own.
    Anyone,
}

impl Gate {
    /// What both of them permit.
    fn stricter(self, other: Gate) -> Gate {
        match (self, other) {
            (Gate::Asks(Some(mut kinds)), Gate::Asks(Some(others))) => {
                kinds.retain(|kind| others.contains(kind));
                Gate::Asks(Some(kinds))
            }
            (Gate::Asks(None) | Gate::Open, stricter @ Gate::Asks(_)) => stricter,
            (stricter, _) => stricter,
        }
    }
}

/// The decisions that a configuration can name.
const KINDS: [OfferKind; 5] =
    [OfferKind::Approve, OfferKind::Edit, OfferKind::Reject, OfferKind::Respond, OfferKind::Ignore];

impl InterruptOn {
    pub(super) fn read(value: Value<'_>) -> Read<InterruptOn> {
        let mut read = InterruptOn::default();
        for (key, value) in object(value)?.members() {
            let key = name(key);
            // An object of this name is no tool's, unless it limits decisions as only a tool's does.
            let nested = value.is_object() && allowed(value).is_none() && !value.is_empty();
            if key == "agents" && nested {
                for (agent, own) in value.members() {
                    read.agents.push((name(agent), InterruptOn::read(own)?));
                }
            } else {
                read.tools.push(key);
                read.gates.push(gate(value));
            }
        }
        Ok(read)
    }

    /// The ruling and the decisions that are allowed; `None`: the agent's own configuration does not name the tool. A
    /// sub-agent without its own is asked what the outermost one is; that this runs something permits nothing.
    pub(super) fn opinion(
        &self,
        call: &ToolCall,
        unnamed: Unnamed,
    ) -> Option<(Ruling, Option<Vec<OfferKind>>)> {
        let mut gates = Vec::new();
        gates.extend(match self.of_agent(&call.agent) {
            Some(own) => own.gate(&call.tool),
            None => self.gate(&call.tool).filter(|gate| *gate != Gate::Open),
        });
        if call.agent.is_empty() && unnamed == Unnamed::Anyone {
            self.of_sub_agents(&call.tool, &mut gates);
        }
        let strictest = gates.into_iter().reduce(Gate::stricter)?;
        Some(match strictest {
            Gate::Open => (Ruling::Allow, None),
            Gate::Asks(offers) => (Ruling::Ask, offers),
        })
    }

    fn gate(&self, tool: &str) -> Option<Gate> {
        self.tools.place(tool).and_then(|place| self.gates.get(place).cloned())
    }

    /// What the sub-agents, at any depth, are asked that call this tool.
    fn of_sub_agents(&self, tool: &str, gates: &mut Vec<Gate>) {
        for (_, agent) in &self.agents {
            gates.extend(agent.gate(tool));
            agent.of_sub_agents(tool, gates);
        }
    }

    /// What a sub-agent without its own is to be given, so that it is asked what it was before; `None`: it has its own.
    pub(super) fn inherited(&self, path: &[Arc<str>], text: &str) -> Option<String> {
        if self.of_agent(path).is_some() {
            return None;
        }
        let document = Document::parse(text, &Limits::default()).ok()?;
        let mut writer = Writer::new();
        writer.begin_object();
        for (key, gate) in document.root().members() {
            let tool = name(key);
            if self.tools.has(&tool) {
                writer.key(&tool).raw(gate.text());
            }
        }
        writer.end_object();
        Some(writer.finish())
    }

    /// The configuration of the innermost agent, if it has its own.
    fn of_agent(&self, path: &[Arc<str>]) -> Option<&InterruptOn> {
        let (mut here, mut is_own) = (self, true);
        for (depth, agent) in path.iter().enumerate() {
            match here.agent(agent).or_else(|| self.agent(agent)) {
                Some(own) => (here, is_own) = (own, true),
                // The outermost is the agent that all of this configures, whatever its name.
                None => is_own = depth == 0,
            }
        }
        if is_own { Some(here) } else { None }
    }

    /// Where the tools of an agent stand, as steps; an agent without a place of its own gets one at the top.
    pub(super) fn way(&self, path: &[Arc<str>]) -> Vec<String> {
        let step = |agent: &str| vec!["agents".to_owned(), agent.to_owned()];
        let (mut here, mut way) = (self, Vec::new());
        for (depth, agent) in path.iter().enumerate() {
            if let Some(own) = here.agent(agent) {
                here = own;
                way.extend(step(agent));
            } else if let Some(own) = self.agent(agent) {
                (here, way) = (own, step(agent));
            } else if depth > 0 {
                (here, way) = (self, step(agent));
            }
        }
        way
    }

    /// Whether an entry for the tool would be read as one: `agents` has two meanings.
    pub(super) fn is_changeable(&self, call: &ToolCall) -> bool {
        let way = self.way(&call.agent);
        let holder = way.iter().skip(1).step_by(2).try_fold(self, |here, agent| here.agent(agent));
        match holder {
            Some(holder) => *call.tool != *"agents" || holder.agents.is_empty(),
            // Its place is made at the top.
            None => *call.tool != *"agents" && self.gate("agents").is_none(),
        }
    }

    pub(super) fn each_tool(&self, path: &mut Vec<String>, tell: &mut impl FnMut(&str, &[String])) {
        self.tools.list().iter().for_each(|tool| tell(tool, path));
        for (agent, own) in &self.agents {
            // The outermost of a path is the agent that all of this configures, whatever its name.
            let outermost = path.is_empty();
            if outermost {
                path.push(String::new());
            }
            path.push(agent.clone());
            own.each_tool(path, tell);
            path.pop();
            if outermost {
                path.pop();
            }
        }
    }

    fn agent(&self, name: &str) -> Option<&InterruptOn> {
        self.agents.iter().find(|(agent, _)| agent == name).map(|(_, own)| own)
    }

    pub(super) fn normalised(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_object();
        for (tool, gate) in self.tools.list().iter().zip(&self.gates) {
            writer.key(tool);
            match gate {
                Gate::Open => writer.bool(false),
                Gate::Asks(None) => writer.bool(true),
                Gate::Asks(Some(kinds)) => {
                    writer.begin_object().key("allowed_decisions").begin_array();
                    for kind in kinds {
                        writer.string(kind.as_str());
                    }
                    writer.end_array().end_object()
                }
            };
        }
        if !self.agents.is_empty() {
            writer.key("agents").begin_object();
            for (agent, own) in &self.agents {
                writer.key(agent).raw(&own.normalised());
            }
            writer.end_object();
        }
        writer.finish()
    }
}

fn allowed(value: Value<'_>) -> Option<Value<'_>> {
    member(value, "allowed_decisions").or_else(|| member(value, "allowedDecisions"))
}

/// False runs; whatever else there is asks.
fn gate(value: Value<'_>) -> Gate {
    if value.as_bool() == Some(false) {
        return Gate::Open;
    }
    let kind = |word: Value<'_>| KINDS.into_iter().find(|kind| word.equals(kind.as_str()));
    let words = allowed(value).filter(|words| words.is_array());
    Gate::Asks(words.map(|words| words.items().filter_map(kind).collect()))
}
