//! kagent over A2A, in both of its wires.

pub mod agent;
#[cfg(test)]
mod round_trip;
mod summary;
mod transcript;

use countersign_connect::{A2a, Transport, Version};
use countersign_json::{Writer, quote};

use super::script::PROMPTS;
use super::{System, Wire, Words};
use crate::chat::transcript::Bubble;
use crate::settings::Server;
use agent::Agent;

/// The extension of A2A 1.0 messages in which kagent asks and is answered.
const HITL: &str = "https://kagent.dev/extensions/hitl/v1";

/// kagent in one of its wires.
#[derive(Clone, Copy, Debug)]
pub struct Kagent {
    pub(super) wire: Wire,
}

impl System for Kagent {
    fn words(&self, words: &Words<'_>) -> String {
        let mut writer = Writer::new();
        writer.begin_object();
        let (role, part) = match self.wire {
            Wire::Kagent010 => {
                writer.key("kind").string("message");
                ("user", format!(r#"{{"kind":"text","text":{}}}"#, quote(words.text)))
            }
            _ => ("ROLE_USER", format!(r#"{{"text":{}}}"#, quote(words.text))),
        };
        writer.key("messageId").string(words.id).key("role").string(role);
        writer.key("parts").begin_array().raw(&part).end_array().key("contextId").string(words.conversation);
        if self.wire == Wire::Kagent010 {
            writer.key("metadata").begin_object().key("timestamp").raw(&words.now.0.to_string()).end_object();
        }
        if let Some(task) = words.waiting {
            writer.key("taskId").string(task);
        }
        writer.end_object();
        writer.finish()
    }

    fn bubbles(&self, text: &str, hidden: &[bool]) -> Vec<Bubble> {
        transcript::read(text, hidden)
    }

    fn summary(&self, text: &str) -> String {
        summary::summary(text)
    }

    fn error_in(&self, text: &str) -> Option<String> {
        A2a::error_of(text)
    }

    fn prompts(&self) -> &'static [&'static str] {
        &PROMPTS
    }

    fn script(&self) -> &'static [&'static str] {
        &[
            "delete path=/srv/reports/2019.csv",
            "delete path=/srv/d and email to=carol@example.com and transfer amount=5",
            "transfer amount=1250",
            "ask me",
        ]
    }

    fn configuration(&self) -> (&'static str, String) {
        let tools = r#""delete_file", "send_email", "transfer_funds""#;
        let text = [
            r#"{"server": "workspace", "toolNames": ["read_file", "#,
            tools,
            r#"], "requireApproval": ["#,
            tools,
            "]}",
        ];
        ("require_approval", text.concat())
    }

    fn simulate(&self, stored: Option<&str>, seed: u64) -> Box<dyn super::Agent> {
        Box::new(stored.and_then(Agent::from_json).unwrap_or_else(|| Agent::new(self.wire, seed)))
    }

    fn connect(&self, server: &Server) -> Box<dyn Transport> {
        match self.wire {
            Wire::KagentHitlV1 => Box::new(A2a::new(server.reach(), Version::V1_0)),
            _ => {
                let tasks = format!("{}/api/sessions/{{conversation}}/tasks", server.url);
                Box::new(A2a::new(server.reach(), Version::V0_3).with_history(&tasks))
            }
        }
    }
}
