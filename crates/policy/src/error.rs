//! Why a configuration, a rule or a grant cannot be read.

use std::fmt;

/// Why a configuration, a rule or a grant cannot be read, and where; nothing of it counts then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// Where, as a JSON Pointer into the text that was read.
    pub pointer: String,
    /// What is wrong there.
    pub fault: PolicyFault,
}

/// What is wrong with a configuration, a rule or a grant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyFault {
    /// The text is not JSON: what is wrong with it, and at which byte.
    NotJson(String),
    /// Readers may differ in what it says: a key that occurs twice, half a character.
    Doubtful(String),
    /// The value is of another type than this one.
    WrongType(&'static str),
    /// This member is missing.
    MissingMember(&'static str),
    /// A member that has no meaning here: what it was meant to restrict would go unrestricted.
    UnknownMember,
    /// A word that has no meaning here.
    UnknownWord(String),
    /// These tools need approval and are not among the tools.
    NotSubset(Vec<String>),
    /// A name or an id that stands for two things.
    Twice(String),
}

impl PolicyError {
    /// The stable code, in kebab case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.fault {
            PolicyFault::NotJson(_) => "policy-not-json",
            PolicyFault::Doubtful(_) => "policy-doubtful",
            PolicyFault::WrongType(_) => "policy-type",
            PolicyFault::MissingMember(_) => "policy-member-missing",
            PolicyFault::UnknownMember => "policy-member-unknown",
            PolicyFault::UnknownWord(_) => "policy-word-unknown",
            PolicyFault::NotSubset(_) => "policy-not-subset",
            PolicyFault::Twice(_) => "policy-id-twice",
        }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut write = |parts: &[&str]| parts.iter().try_for_each(|part| f.write_str(part));
        match &self.fault {
            PolicyFault::NotJson(reason) => write(&["the text is not JSON: ", reason]),
            PolicyFault::Doubtful(reason) => write(&["it cannot be read without doubt: ", reason]),
            PolicyFault::WrongType(expected) => write(&["expected ", expected]),
            PolicyFault::MissingMember(member) => write(&["the member `", member, "` is missing"]),
            PolicyFault::UnknownMember => write(&["this member has no meaning here"]),
            PolicyFault::UnknownWord(word) => write(&["`", word, "` has no meaning here"]),
            PolicyFault::NotSubset(names) => {
                write(&["what needs approval is not among the tools: `", &names.join("`, `"), "`"])
            }
            PolicyFault::Twice(id) => write(&["`", id, "` stands for two things"]),
        }?;
        match self.pointer.as_str() {
            "" => Ok(()),
            pointer => write(&[" at `", pointer, "`"]),
        }
    }
}

impl std::error::Error for PolicyError {}
