//! Yew components that show what an agent wants to run and take the decision.
//!
//! A component draws a [`RequestView`](countersign_core::RequestView) and reports an [`Intent`]; it never decides,
//! sends, or remembers what the inbox owns. Every text that comes from outside becomes a text node, with invisible
//! and direction-changing characters made visible.
//!
//! - [`InboxPanel`]: the queue of one conversation, with a bar for the whole batch and what was decided before
//! - [`ToolCallCard`]: one card, to stand anywhere
//! - [`Shadow`], [`adopt_styles`], [`STYLESHEET`]: how the look arrives
//! - [`Messages`]: every word that the components say
//!
//! ```
//! use std::rc::Rc;
//!
//! use countersign_core::RequestView;
//! use countersign_yew::{InboxPanel, Intent, Shadow};
//! use yew::prelude::*;
//!
//! #[derive(PartialEq, Properties)]
//! struct SideProps {
//!     requests: Rc<[Rc<RequestView>]>,
//!     on_intent: Callback<Intent>,
//! }
//!
//! #[component]
//! fn Side(props: &SideProps) -> Html {
//!     html! {
//!         <Shadow tag="countersign-inbox">
//!             <InboxPanel requests={&props.requests} on_intent={&props.on_intent} />
//!         </Shadow>
//!     }
//! }
//! ```

mod arming;
mod controls;
mod deciding;
mod digest;
mod escapes;
mod fold;
mod inbox_panel;
mod intent;
mod json_view;
mod messages;
mod node;
mod piece;
mod question_form;
mod shadow;
#[cfg(test)]
mod snapshots;
mod standing;
mod stylesheet;
#[cfg(test)]
mod testing;
mod text;
mod tool_call_card;
mod variants;

pub use arming::{ARM_DELAY, Arming, Seal, use_arming};
pub use digest::short_digest;
pub use escapes::{escaped, is_hidden};
pub use inbox_panel::{InboxPanel, InboxPanelProps};
pub use intent::Intent;
pub use messages::{Catalogue, English, Messages, use_messages};
pub use shadow::{Shadow, ShadowProps, adopt_styles};
pub use stylesheet::STYLESHEET;
pub use tool_call_card::{ToolCallCard, ToolCallCardProps};
pub use variants::{Theme, Tone};
