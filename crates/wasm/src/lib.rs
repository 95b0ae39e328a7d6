//! Countersign for JavaScript: the headless inbox, and with feature `element` the interface that draws it.
//!
//! What crosses the boundary is JSON text; the TypeScript in `npm/` turns it into objects and owns everything that
//! JavaScript sees. Nothing here decides anything: [`Desk`] keeps an inbox and what was drawn of it, and the exported
//! types only translate.

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
mod versions;

pub use desk::{Desk, News};
pub use inbox::RawInbox;
pub use inspect::{inspect_args, inspection};
#[cfg(feature = "element")]
pub use mount::{Handle, mount};
pub use versions::versions;
