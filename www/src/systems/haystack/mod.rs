//! Haystack behind a small host: requests and answers over a web socket, words and the log over HTTP.

pub mod agent;
#[cfg(test)]
mod round_trip;
mod summary;
mod transcript;

use countersign_connect::{Channel, Transport};
use countersign_json::quote;
use countersign_policy::AskPolicy;
use countersign_policy::haystack::{Release, write_strategy};

use super::script::APPROVALS;
use super::{System, Words};
use crate::chat::transcript::Bubble;
use crate::settings::Server;
use agent::Agent;
use transcript::Names;

/// What one could say to the simulated agent; the last one shows a policy that asks once for the same call.
const PROMPTS: [&str; 4] = [APPROVALS[0], APPROVALS[1], APPROVALS[2], ONCE];
const ONCE: &str = "askonce: delete path=/srv/tmp and delete path=/srv/tmp";

/// Haystack.
#[derive(Clone, Debug, Default)]
pub struct Haystack {
    names: Names,
}

impl System for Haystack {
    fn words(&self, words: &Words<'_>) -> String {
        // Words end no pause here: they begin a run of their own.
        format!(r#"{{"text":{}}}"#, quote(words.text))
    }

    fn bubbles(&self, text: &str, _hidden: &[bool]) -> Vec<Bubble> {
        // The flags are one for each message of the socket, and what is said stands inside of them.
        transcript::read(text, &self.names)
    }

    fn keeps_words(&self) -> bool {
        // They come back at the end of their run, and never from one that failed.
        false
    }

    fn summary(&self, text: &str) -> String {
        summary::summary(text)
    }

    fn error_in(&self, _text: &str) -> Option<String> {
        // A refused answer is told to the inbox, which knows what it means; a run that failed is said in the chat.
        None
    }

    fn prompts(&self) -> &'static [&'static str] {
        &PROMPTS
    }

    fn script(&self) -> &'static [&'static str] {
        &[
            "delete path=/srv/reports/2019.csv",
            "delete path=/srv/d and email to=carol@example.com and transfer amount=5",
            "transfer amount=1250 reference=2512292042121000001",
            ONCE,
        ]
    }

    fn configuration(&self) -> (&'static str, String) {
        let strategy = |policy| write_strategy(policy, Release::Three);
        let asks = strategy(AskPolicy::AlwaysAsk);
        let text = [
            r#"{"confirmation_strategies": {"read_file": "#,
            &strategy(AskPolicy::NeverAsk),
            r#", "delete_file": "#,
            &asks,
            r#", "send_email": "#,
            &asks,
            r#", "transfer_funds": "#,
            &asks,
            "}}",
        ];
        ("haystack", text.concat())
    }

    fn simulate(&self, stored: Option<&str>, seed: u64) -> Box<dyn super::Agent> {
        Box::new(stored.and_then(Agent::from_json).unwrap_or_else(|| Agent::new(seed)))
    }

    fn connect(&self, server: &Server) -> Box<dyn Transport> {
        let channel =
            Channel::new(server.reach(), "/ws/{conversation}").with_history("/history/{conversation}");
        Box::new(
            channel.with_words("/run/{conversation}", &["approval_request", "run_finished", "run_failed"]),
        )
    }
}
