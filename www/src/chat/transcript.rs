//! What was said in a conversation, each message once.

use std::collections::BTreeSet;

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// Takes over a whole history; what it does not know yet stays at the end.
    pub fn replace(&mut self, bubbles: impl IntoIterator<Item = Bubble>) {
        let before = std::mem::take(self);
        self.add(bubbles);
        self.add(before.bubbles);
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
}
