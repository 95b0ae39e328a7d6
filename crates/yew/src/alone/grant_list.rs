//! What people have allowed, wherever a page lists it.

use std::rc::Rc;

use countersign_core::GrantView;
use yew::prelude::*;

use super::{Part, alone};
use crate::grant_list::GrantList as Rows;
use crate::intent::Intent;
use crate::messages::{Catalogue, use_messages};
use crate::piece::Stage;

/// Properties of [`GrantList`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct GrantListProps {
    /// What was granted, oldest first; also what is over or was taken back.
    pub grants: Rc<[GrantView]>,
    /// A person took a grant back: its id.
    pub on_revoke: Callback<String>,
    /// The list stands open under a heading of level 3. Else it opens by a button.
    #[prop_or_default]
    pub open: bool,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// What people have allowed for longer than one call, each with a button that takes it back. Nothing is drawn where nothing was
/// ever granted.
///
/// ```
/// use std::rc::Rc;
///
/// use countersign_core::GrantView;
/// use countersign_yew::{GrantList, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct SettingsProps {
///     grants: Rc<[GrantView]>,
///     on_revoke: Callback<String>,
/// }
///
/// #[component]
/// fn Settings(props: &SettingsProps) -> Html {
///     html! { <Shadow tag="tool-grants"><GrantList grants={&props.grants} on_revoke={&props.on_revoke} open=true /></Shadow> }
/// }
/// ```
#[component]
pub fn GrantList(props: &GrantListProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

impl Part for GrantListProps {
    type Memory = ();

    fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
        let on_revoke = self.on_revoke.clone();
        let on_intent = Callback::from(move |intent| {
            if let Intent::Revoke(grant) = intent {
                on_revoke.emit(grant);
            }
        });
        stage.place(Rows { grants: Rc::clone(&self.grants), on_intent, open: self.open })
    }
}
