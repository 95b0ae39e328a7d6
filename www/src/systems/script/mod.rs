//! The script that stands in for a model in every simulated agent: what it says, calls and asks.

pub(crate) mod call;
pub(crate) mod clock;
pub(crate) mod ids;
pub(crate) mod plan;
pub(crate) mod prompts;

pub use call::Executed;
pub use ids::random_uuid;
pub use prompts::{APPROVALS, PROMPTS};
