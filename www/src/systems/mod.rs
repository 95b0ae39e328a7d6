//! The systems that the demo speaks with: for each its wire in words and lines, an agent simulated in the page, and the
//! way to a real backend.

pub mod adalflow;
pub mod adk;
pub mod gates;
pub mod haystack;
pub mod kagent;
pub mod langgraph;
#[cfg(test)]
mod pair;
#[cfg(test)]
mod recording;
pub mod script;

use std::rc::Rc;

use countersign_connect::{Fault, Transport};
use countersign_core::Millis;
use serde::{Deserialize, Serialize};

use crate::chat::transcript::Bubble;
use crate::settings::Server;
use gates::Gates;
use script::Executed;

/// A wire that the demo speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wire {
    /// kagent 0.8 to 0.10: A2A 0.3, confirmations as data parts.
    #[default]
    #[serde(rename = "kagent-0.10")]
    Kagent010,
    /// kagent since August 2026: A2A 1.0 with the extension `hitl/v1`.
    #[serde(rename = "kagent-hitl-v1")]
    KagentHitlV1,
    /// Google ADK's API server, with the gate of google-adk itself.
    #[serde(rename = "adk-plain")]
    AdkPlain,
    /// Google ADK's API server, with the gate of adk-deepagents.
    #[serde(rename = "adk-deepagents")]
    AdkDeepagents,
    /// LangGraph with LangChain's middleware: all calls of a turn in one interrupt.
    #[serde(rename = "langgraph-hitl")]
    LangGraphHitl,
    /// LangGraph with tools that ask with a `HumanInterrupt`.
    #[serde(rename = "langgraph-interrupt")]
    LangGraphInterrupt,
    /// LangGraph with LangChain's middleware: one interrupt for each call.
    #[serde(rename = "langgraph-per-call")]
    LangGraphPerCall,
    /// Haystack behind the contract of the example host: a web socket, and HTTP beside it.
    #[serde(rename = "haystack-ws")]
    HaystackWs,
    /// AdalFlow behind the example backend's web socket.
    #[serde(rename = "adalflow-ws")]
    AdalflowWs,
    /// AdalFlow's own handler, polled over HTTP.
    #[serde(rename = "adalflow-rest")]
    AdalflowRest,
}

impl Wire {
    /// All wires, in the order in which the page offers them; those of one system stand together.
    pub const ALL: &[Wire] = &[
        Wire::Kagent010,
        Wire::KagentHitlV1,
        Wire::AdkPlain,
        Wire::AdkDeepagents,
        Wire::LangGraphHitl,
        Wire::LangGraphInterrupt,
        Wire::LangGraphPerCall,
        Wire::HaystackWs,
        Wire::AdalflowWs,
        Wire::AdalflowRest,
    ];

    /// The name that the page's address uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Wire::Kagent010 => "kagent-0.10",
            Wire::KagentHitlV1 => "kagent-hitl-v1",
            Wire::AdkPlain => "adk-plain",
            Wire::AdkDeepagents => "adk-deepagents",
            Wire::LangGraphHitl => "langgraph-hitl",
            Wire::LangGraphInterrupt => "langgraph-interrupt",
            Wire::LangGraphPerCall => "langgraph-per-call",
            Wire::HaystackWs => "haystack-ws",
            Wire::AdalflowWs => "adalflow-ws",
            Wire::AdalflowRest => "adalflow-rest",
        }
    }

    /// The name that people read.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Wire::Kagent010 => "kagent 0.10",
            Wire::KagentHitlV1 => "kagent hitl/v1",
            Wire::AdkPlain => "Google ADK",
            Wire::AdkDeepagents => "ADK deepagents",
            Wire::LangGraphHitl => "LangGraph HITL",
            Wire::LangGraphInterrupt => "LangGraph interrupt",
            Wire::LangGraphPerCall => "LangGraph per call",
            Wire::HaystackWs => "Haystack",
            Wire::AdalflowWs => "AdalFlow",
            Wire::AdalflowRest => "AdalFlow REST",
        }
    }

    /// The system that speaks this wire, as people know it; wires of one system stand together in the list.
    #[must_use]
    pub fn group(self) -> &'static str {
        match self {
            Wire::Kagent010 | Wire::KagentHitlV1 => "kagent",
            Wire::AdkPlain | Wire::AdkDeepagents => "Google ADK",
            Wire::LangGraphHitl | Wire::LangGraphInterrupt | Wire::LangGraphPerCall => "LangGraph",
            Wire::HaystackWs => "Haystack",
            Wire::AdalflowWs | Wire::AdalflowRest => "AdalFlow",
        }
    }

    /// The backend that speaks this wire, as `?backend=` names it.
    #[must_use]
    pub fn backend(self) -> &'static str {
        match self {
            Wire::Kagent010 | Wire::KagentHitlV1 => "kagent",
            Wire::AdkPlain | Wire::AdkDeepagents => "adk",
            Wire::LangGraphHitl | Wire::LangGraphInterrupt | Wire::LangGraphPerCall => "langgraph",
            Wire::HaystackWs => "haystack",
            Wire::AdalflowWs | Wire::AdalflowRest => "adalflow",
        }
    }

    /// The wire of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Wire> {
        Wire::ALL.iter().copied().find(|wire| wire.name() == name)
    }

    /// The first wire of the backend with this name.
    #[must_use]
    pub fn of_backend(name: &str) -> Option<Wire> {
        Wire::ALL.iter().copied().find(|wire| wire.backend() == name)
    }

    /// What the page must know of the system behind this wire.
    #[must_use]
    pub fn system(self) -> Rc<dyn System> {
        match self {
            Wire::Kagent010 | Wire::KagentHitlV1 => Rc::new(kagent::Kagent { wire: self }),
            Wire::AdkPlain | Wire::AdkDeepagents => Rc::new(adk::Adk { wire: self }),
            Wire::LangGraphHitl | Wire::LangGraphInterrupt | Wire::LangGraphPerCall => {
                Rc::new(langgraph::LangGraph { wire: self })
            }
            Wire::HaystackWs => Rc::new(haystack::Haystack::default()),
            Wire::AdalflowWs | Wire::AdalflowRest => Rc::new(adalflow::Adalflow { wire: self }),
        }
    }
}

/// A system that the page can talk with, in one of its wires.
pub trait System {
    /// The message that carries a person's words.
    fn words(&self, words: &Words<'_>) -> String;

    /// What is said in a text of the wire. `hidden` are the inbox's flags: one for each message, in order.
    fn bubbles(&self, text: &str, hidden: &[bool]) -> Vec<Bubble>;

    /// What a text of the wire is, in one line.
    fn summary(&self, text: &str) -> String;

    /// The sentence of an error that came as an ordinary answer.
    fn error_in(&self, text: &str) -> Option<String>;

    /// What one could say to the simulated agent.
    fn prompts(&self) -> &'static [&'static str];

    /// What one could say to the scripted model of the real backend, which knows words only.
    fn script(&self) -> &'static [&'static str];

    /// Whether the history has the person's words in it; otherwise the page keeps what was said.
    fn keeps_words(&self) -> bool {
        true
    }

    /// What the simulated agent asks about as long as nobody says otherwise: the name of the format, and the configuration.
    fn configuration(&self) -> (&'static str, String);

    /// The simulated agent that [`Agent::to_json`] wrote, or a new one; the same seed gives the same identifiers.
    fn simulate(&self, stored: Option<&str>, seed: u64) -> Box<dyn Agent>;

    /// The way to a real backend.
    fn connect(&self, server: &Server) -> Box<dyn Transport>;
}

/// What a person typed.
#[derive(Clone, Copy, Debug)]
pub struct Words<'w> {
    /// A new identifier for the message.
    pub id: &'w str,
    /// The conversation.
    pub conversation: &'w str,
    /// The scope of what waits for a person, if something does: on some wires the words then end the wait.
    pub waiting: Option<&'w str>,
    /// The words.
    pub text: &'w str,
    /// The moment.
    pub now: Millis,
}

/// An agent that is simulated in the page: text in, texts out.
///
/// It keeps its conversations like a server does, enforces what the real one enforces, and remembers what its tools
/// really ran with. No clock, no chance, no DOM: the moment and the seed come in as arguments.
pub trait Agent {
    /// Puts gates in place; they count for what is begun then.
    fn govern(&mut self, gates: Gates);

    /// Takes a message, words or decisions, and returns what is streamed back, in order.
    ///
    /// # Errors
    /// A [`Fault`] where the real one would answer with an HTTP status that is no success.
    fn send(&mut self, conversation: &str, message: &str, now: Millis) -> Result<Vec<String>, Fault>;

    /// Everything that is known of a conversation, as the real one tells it; `None` if there is nothing.
    fn history(&self, conversation: &str) -> Option<String>;

    /// The tools that ran, in order, with the exact text of their arguments.
    fn executed(&self) -> &[Executed];

    /// The agent with all its conversations, as the text of a JSON object. Wire texts stand in it as strings.
    fn to_json(&self) -> String;
}
