//! One decision for several calls, wherever a page offers it.

use std::rc::Rc;

use countersign_core::{Millis, RequestView};
use yew::prelude::*;

use super::{Part, alone};
use crate::arming::ARM_DELAY;
use crate::edit::Editings;
use crate::inbox_panel::batch_bar::BatchBar as Bar;
use crate::inbox_panel::waits;
use crate::intent::Intent;
use crate::messages::{Catalogue, use_messages};
use crate::piece::Stage;
use crate::writing::Writing;

/// Properties of [`BatchBar`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct BatchBarProps {
    /// Calls in the order in which they are shown; those that wait for nobody are left out.
    pub requests: Rc<[Rc<RequestView>]>,
    /// A person asked for something: [`Intent::DecideAll`], [`Intent::Undo`] of what is held, or [`Intent::Refused`].
    pub on_intent: Callback<Intent>,
    /// The moment for which countdowns are drawn; absent: no countdowns.
    #[prop_or_default]
    pub now: Option<Millis>,
    /// How long an approval is inert after the list appeared or changed, in milliseconds; at least 300 and at most 3000.
    #[prop_or(ARM_DELAY)]
    pub arm_delay: u32,
    /// What the host says about everything that people write. Give it the drafts that the cards of these calls have
    /// ([`Drafts::shared`](crate::Drafts::shared)): a call that somebody has begun to edit is left out of what is approved.
    #[prop_or_default]
    pub writing: Writing,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// How many calls wait, how far a batch is, and one decision for all of them. Nothing is drawn where fewer than two wait.
///
/// Nothing is approved unseen: the button opens a list that stands still, with the arguments of each call, and names what it leaves
/// out: what is of high risk, changed, cannot be read, or was begun to be edited. The button in that list waits as that of a card
/// does.
///
/// ```
/// use std::rc::Rc;
///
/// use countersign_core::RequestView;
/// use countersign_yew::{BatchBar, Intent, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct HeadProps {
///     calls: Rc<[Rc<RequestView>]>,
///     on_intent: Callback<Intent>,
/// }
///
/// #[component]
/// fn Head(props: &HeadProps) -> Html {
///     html! { <Shadow tag="tool-batch"><BatchBar requests={&props.calls} on_intent={&props.on_intent} /></Shadow> }
/// }
/// ```
#[component]
pub fn BatchBar(props: &BatchBarProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

impl Part for BatchBarProps {
    /// The drafts of other arguments, where they are not shared.
    type Memory = Rc<Editings>;

    fn draw(&self, own: &Rc<Editings>, stage: &Rc<Stage>) -> Html {
        let editings = self.writing.drafts.open().unwrap_or(own);
        let requests: Vec<_> = self.requests.iter().filter(|view| waits(view)).cloned().collect();
        stage.place(Bar {
            unsent: editings.unsent(&requests),
            editings: Rc::clone(editings),
            requests,
            on_intent: self.on_intent.clone(),
            now: self.now,
            arm_delay: self.arm_delay,
            writing: self.writing.clone(),
        })
    }
}
