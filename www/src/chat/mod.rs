//! The chat: what was said, and where the person says something.

mod bubbles;
mod composer;
mod suggestions;
pub mod transcript;

pub use bubbles::{Bubbles, BubblesProps};
pub use composer::{Composer, ComposerProps};
pub use suggestions::{Suggestions, SuggestionsProps};
