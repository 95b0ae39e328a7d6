//! What makes a value dangerous to show or to approve.

use std::fmt;

/// What [`inspect`](crate::inspect) found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The hazards in the order in which they were met.
    ///
    /// At most 64 of each code, so that a hostile text cannot make a list longer than itself; the
    /// first of each code is always there.
    pub hazards: Vec<Hazard>,
    /// How many values there are; keys are not counted. 0 if the text could not be read.
    pub nodes: usize,
    /// How many containers stand around one another at most. 0 if the text could not be read.
    pub depth: usize,
}

impl Inspection {
    /// Whether everything can be shown without doubt: no hazard blocks.
    #[must_use]
    pub fn inspectable(&self) -> bool {
        !self.hazards.iter().any(|hazard| hazard.code.blocks())
    }
}

/// One thing that a person should know before approving, or that forbids approving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// Where: a JSON Pointer, seen from the inspected value; for a key, that of its member.
    pub pointer: String,
    /// What kind of hazard.
    pub code: HazardCode,
    /// One sentence, lowercase and without a full stop.
    pub message: String,
}

/// The kinds of hazards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HazardCode {
    /// Two members of one object have the same name, so readers differ in what they see. Blocks.
    DuplicateKey,
    /// A string holds half of a surrogate pair, which UTF-8 cannot carry. Blocks.
    LoneSurrogate,
    /// More containers around one another than the limit allows. Blocks.
    TooDeep,
    /// A longer text than the limit allows. Blocks.
    TooLarge,
    /// More values than the limit allows. Blocks.
    TooManyValues,
    /// The text is not JSON. Blocks.
    NotJson,
    /// The value is not an object. Blocks.
    NotAnObject,
    /// A key that JavaScript objects give a meaning: `__proto__`, `constructor`, `prototype`.
    PrototypeKey,
    /// A key that starts with `$serde_json::private::`, with which a reader could be deceived.
    PrivateKey,
    /// A number that was possibly rounded before it arrived.
    ///
    /// Only the caller can know that the text came from a parsed value: see
    /// [`rounded_numbers`](crate::rounded_numbers).
    RoundedNumber,
}

impl HazardCode {
    pub(crate) const COUNT: usize = 10;

    /// The stable name in kebab-case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DuplicateKey => "duplicate-key",
            Self::LoneSurrogate => "lone-surrogate",
            Self::TooDeep => "too-deep",
            Self::TooLarge => "too-large",
            Self::TooManyValues => "too-many-values",
            Self::NotJson => "not-json",
            Self::NotAnObject => "not-an-object",
            Self::PrototypeKey => "prototype-key",
            Self::PrivateKey => "private-key",
            Self::RoundedNumber => "rounded-number",
        }
    }

    /// Whether what has this hazard can only be rejected, not approved.
    #[must_use]
    pub fn blocks(self) -> bool {
        match self {
            Self::DuplicateKey
            | Self::LoneSurrogate
            | Self::TooDeep
            | Self::TooLarge
            | Self::TooManyValues
            | Self::NotJson
            | Self::NotAnObject => true,
            Self::PrototypeKey | Self::PrivateKey | Self::RoundedNumber => false,
        }
    }
}

impl fmt::Display for HazardCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
