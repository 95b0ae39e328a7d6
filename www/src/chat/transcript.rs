//! What was said in a conversation, each message once.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Agent,
}

impl Role {
    /// The role as markup spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Agent => "agent",
        }
    }

    /// Who that is, for those who do not see on which side the words stand.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::User => "You:",
            Role::Agent => "Agent:",
        }
    }
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bubble {
    /// The id of the message or artifact.
    pub id: String,
    /// Who said it.
    pub role: Role,
    /// The words. Untrusted.
    pub text: String,
}

/// What was said so far, each message once.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    bubbles: Vec<Bubble>,
    known: BTreeSet<String>,
}

impl Transcript {
    /// Everything that was said, oldest first.
    #[must_use]
    pub fn bubbles(&self) -> &[Bubble] {
        &self.bubbles
    }

    /// Adds what is new.
    pub fn add(&mut self, bubbles: impl IntoIterator<Item = Bubble>) {
        for bubble in bubbles {
            if self.known.insert(bubble.id.clone()) {
                self.bubbles.push(bubble);
            }
        }
    }

    /// Takes over a whole history; what it does not know keeps its place before what followed it, and stays at the end
    /// where nothing did.
    ///
    /// Some agents give a person's words an id of their own: the same words, new in the history and behind all that
    /// was said before them, are those that were shown before they were sent.
    pub fn replace(&mut self, bubbles: impl IntoIterator<Item = Bubble>) {
        let before = std::mem::take(self);
        self.add(bubbles);
        let mut unknown = Vec::new();
        // Where in the history the conversation goes on behind what was found of it so far.
        let mut next = 0;
        for bubble in before.bubbles {
            let is_it = |other: &Bubble| {
                let renamed =
                    bubble.role == Role::User && other.role == Role::User && bubble.text == other.text;
                bubble.id == other.id || renamed && !before.known.contains(&other.id)
            };
            // What has kept its id may stand anywhere.
            let from = if self.known.contains(&bubble.id) { 0 } else { next };
            match self.bubbles.iter().skip(from).position(is_it) {
                Some(place) => {
                    let place = from + place;
                    next = next.max(place + 1) + unknown.len();
                    self.known.extend(unknown.iter().map(|bubble: &Bubble| bubble.id.clone()));
                    self.bubbles.splice(place..place, unknown.drain(..));
                }
                None => unknown.push(bubble),
            }
        }
        self.add(unknown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_said_once() {
        let bubble = |id: &str| Bubble { id: id.to_owned(), role: Role::User, text: "x".to_owned() };
        let mut transcript = Transcript::default();
        transcript.add([bubble("1"), bubble("1"), bubble("2")]);
        transcript.replace([bubble("0"), bubble("1")]);
        let ids: Vec<&str> = transcript.bubbles().iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids, ["0", "1", "2"]);
    }

    #[test]
    fn words_that_a_history_leaves_out_keep_their_places() {
        let bubble = |id: &str| Bubble { id: id.to_owned(), role: Role::User, text: id.to_owned() };
        let mut transcript = Transcript::default();
        transcript.add(["u1", "a1", "u2", "a2", "u3"].map(bubble));
        for _ in 0..2 {
            transcript.replace(["a0", "a1", "a2"].map(bubble));
            let ids: Vec<&str> = transcript.bubbles().iter().map(|it| it.id.as_str()).collect();
            assert_eq!(ids, ["a0", "u1", "a1", "u2", "a2", "u3"]);
        }
    }

    #[test]
    fn words_that_come_back_under_another_id_are_said_once() {
        let bubble = |id: &str| Bubble { id: id.to_owned(), role: Role::User, text: "x".to_owned() };
        let mut transcript = Transcript::default();
        transcript.add([bubble("page-1")]);
        transcript.replace([bubble("server-1")]);
        transcript.add([bubble("page-2")]);
        // The second words have not arrived yet.
        transcript.replace([bubble("server-1")]);
        let ids = |transcript: &Transcript| -> Vec<String> {
            transcript.bubbles().iter().map(|bubble| bubble.id.clone()).collect()
        };
        assert_eq!(ids(&transcript), ["server-1", "page-2"]);
        transcript.replace([bubble("server-1"), bubble("server-2")]);
        assert_eq!(ids(&transcript), ["server-1", "server-2"]);
    }
}
