//! Countersign for JavaScript: the headless inbox, and with feature `element` the interface that draws it.
//!
//! What crosses the boundary is JSON text; the TypeScript in `npm/` turns it into objects and owns everything that
//! JavaScript sees. Nothing here decides anything: [`Desk`] keeps an inbox and what was drawn of it, and the exported
//! types only translate.

#[cfg(not(feature = "element"))]
mod audit;
#[cfg(feature = "element")]
mod board;
mod decision;
mod desk;
mod error;
mod inbox;
mod inspect;
#[cfg(feature = "element")]
mod intent;
mod json;
#[cfg(feature = "element")]
mod mount;
mod options;
mod policy;
mod recognise;
mod validate;
mod versions;

#[cfg(not(feature = "element"))]
pub use audit::audit_fault;
#[cfg(feature = "element")]
pub use board::{RawPolicy, mount_policy};
pub use desk::{Desk, News};
pub use inbox::RawInbox;
pub use inspect::{inspect_args, inspection};
#[cfg(feature = "element")]
pub use mount::{Handle, mount, mount_card};
pub use recognise::adapter_of;
pub use validate::validate_args;
pub use versions::versions;
