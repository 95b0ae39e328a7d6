//! Rules that answer without a person, what people have granted, and the configuration formats of agent frameworks.
//!
//! Pure, without a clock and without storage: a [`Rulebook`] is handed its configuration, rules and grants, and judges
//! one call at a time. An inbox carries it as its [`Policy`](countersign_core::Policy).
//!
//! - what frameworks configure: [`Configuration`], [`AskPolicy`], [`Remembered`], [`haystack`]
//! - what a host writes: [`Rule`], [`Constraint`]
//! - what people allowed: [`Grant`], [`Grants`]; what they may allow now: [`draft`]
//! - all together: [`Rulebook`]; what a host keeps of it while people grant and take back: [`GrantKeeper`]
//!
//! The default is to ask. A denial beats a question, a question beats a permission; a grant turns a question into a
//! permission and nothing else. What is of high risk or cannot be read without doubt never runs unasked.
//!
//! ```
//! use countersign_policy::Configuration;
//! use countersign_core::{Ruling, ToolCall};
//!
//! let configuration = Configuration::read("interrupt_on", r#"{"write_file": true, "ls": false}"#)?;
//! let call = |tool: &str| ToolCall::new(tool, "{}");
//! assert_eq!(configuration.should_ask(&call("write_file")).ruling, Ruling::Ask);
//! assert_eq!(configuration.should_ask(&call("ls")).ruling, Ruling::Allow);
//! # Ok::<(), countersign_policy::PolicyError>(())
//! ```

mod ask_policy;
mod configuration;
mod constraint;
mod draft;
mod error;
mod grant;
mod grants;
mod keeper;
mod read;
mod rule;
mod rulebook;

pub use ask_policy::{AskPolicy, Remembered};
pub use configuration::{Configuration, Tools, haystack};
pub use countersign_core::{ArgsTest, Constraint};
pub use draft::{draft, read_wish, unchanged};
pub use error::{PolicyError, PolicyFault};
pub use grant::Grant;
pub use grants::Grants;
pub use keeper::{GrantKeeper, Seen};
pub use rule::Rule;
pub use rulebook::Rulebook;
