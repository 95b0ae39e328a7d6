//! What a command says when it cannot go on.

use std::fmt;

/// One sentence for the person at the terminal: what is wrong, and what helps where that is known.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Puts what was attempted in front of an error that says only what went wrong.
pub(crate) trait Attempt<T> {
    /// `attempt` completes "cannot …".
    fn attempting(self, attempt: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> Attempt<T> for Result<T, E> {
    fn attempting(self, attempt: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(format!("cannot {}: {error}", attempt())))
    }
}
