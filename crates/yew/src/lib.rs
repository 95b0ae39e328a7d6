//! Yew components that show what an agent wants to run and take the decision.
//!
//! A component draws a [`RequestView`](countersign_core::RequestView) and reports an [`Intent`]; it never decides,
//! sends, or remembers what the inbox owns. Every text that comes from outside becomes a text node, with invisible
//! and direction-changing characters made visible.
//!
//! - [`InboxPanel`]: the queue of one conversation, with a bar for the whole batch and what was decided before
//! - [`ToolCallCard`]: one card, to stand anywhere
//! - [`PolicyPanel`]: which tools need approval, and what was granted
//!
//! Their parts stand alone, too, with plain properties and the safeguards of the card:
//!
//! | component | shows | reports |
//! |---|---|---|
//! | [`ArgumentsView`] | arguments, as a tree or exactly as they came | nothing |
//! | [`ChangesView`] | what an edit changes | nothing |
//! | [`StatusBadge`] | where a call stands | nothing |
//! | [`EditDialog`] | arguments to be edited, with their schema | the edited text |
//! | [`RejectForm`], [`RespondDialog`] | a field for words to the agent | the words |
//! | [`QuestionForm`] | questions to a person | the answers |
//! | [`BatchBar`] | how many calls wait, and one decision for them | an [`Intent`] |
//! | [`History`] | what was decided before | that the record is to be saved |
//! | [`GrantList`] | what people have allowed | the grant that is taken back |
//! | [`LiveRegion`] | nothing: it says what happens to people who do not see it | nothing |
//!
//! There is no button that approves by itself: what it would approve stands on a card, and the card knows when it was seen.
//!
//! - [`Shadow`], [`adopt_styles`], [`STYLESHEET`]: how the look arrives
//! - [`Renderers`]: what a page draws of a call in addition to its arguments
//! - [`Catalogue`]: every word that the components say, in any language
//! - [`save_file`]: saves the record of all decisions, where a page offers that
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
//!
//! Draw components within a [`Shadow`], or give their container the class `countersign` and adopt [`STYLESHEET`]. Without it nothing is
//! approved that should not be, but spaces run together and the page's own styles hold: parts that stand alone say so in the console.
//!
//! `www/examples/yew` of the repository is a page to copy: an agent, an inbox, a card and a part alone.

mod address;
mod alone;
mod arming;
mod changes;
mod clipboard;
mod controls;
mod deciding;
mod dialog;
mod digest;
mod edit;
mod emoji;
mod escapes;
mod fold;
mod foreign;
mod grant_dialog;
mod grant_list;
mod granting;
mod inbox_panel;
mod intent;
mod json_view;
mod kept_words;
mod left_out;
mod marks;
mod mask;
mod messages;
mod node;
mod outlet;
mod piece;
mod policy_panel;
mod question_form;
mod renderers;
mod session;
mod shadow;
mod shortcuts;
#[cfg(test)]
mod snapshots;
mod status_badge;
mod stylesheet;
#[cfg(test)]
mod testing;
mod text;
mod tool_call_card;
mod variants;
mod writing;

pub use alone::{
    ArgumentsView, ArgumentsViewProps, BatchBar, BatchBarProps, ChangesView, ChangesViewProps, EditDialog,
    EditDialogProps, GrantList, GrantListProps, History, HistoryProps, LiveRegion, LiveRegionProps,
    QuestionForm, QuestionFormProps, RejectForm, RejectFormProps, RespondDialog, RespondDialogProps,
    StatusBadge, StatusBadgeProps,
};
pub use arming::ARM_DELAY;
pub use clipboard::save_file;
pub use digest::short_digest;
pub use edit::{DraftStore, Drafts};
pub use escapes::{escaped, is_hidden};
pub use granting::Granting;
pub use inbox_panel::{Connection, InboxPanel, InboxPanelProps, Kept, Speaks, notice};
pub use intent::{Intent, Refused};
pub use messages::{
    Catalogue, CatalogueFault, CatalogueProblem, LeftOut, Messages, Translation, locales, use_messages,
};
pub use outlet::{Outlet, Scene};
pub use policy_panel::{PolicyPanel, PolicyPanelProps, PolicyTrouble};
pub use renderers::Renderers;
pub use shadow::{Shadow, ShadowProps, adopt_styles};
pub use shortcuts::{Shortcut, Shortcuts};
pub use stylesheet::STYLESHEET;
pub use tool_call_card::{ToolCallCard, ToolCallCardProps};
pub use variants::{Density, Theme, Tone};
pub use writing::{EditRisk, Writing};
