//! One component that draws any of the pieces: each further type of component would weigh kilobytes.

use std::fmt;
use std::rc::Rc;

use yew::prelude::*;

use crate::foreign;
use crate::inbox_panel::InboxPanelProps;
use crate::messages::Catalogue;
use crate::piece::{Plan, Wording, host};
use crate::policy_panel::PolicyPanelProps;
use crate::tool_call_card::ToolCallCardProps;

/// Something to draw: an inbox, a card, or a policy, by its properties.
#[derive(Clone)]
pub struct Scene(pub(crate) Rc<dyn Plan>);

impl From<InboxPanelProps> for Scene {
    fn from(props: InboxPanelProps) -> Scene {
        Scene(Rc::new(props))
    }
}

impl From<ToolCallCardProps> for Scene {
    fn from(props: ToolCallCardProps) -> Scene {
        Scene(Rc::new(props))
    }
}

impl From<PolicyPanelProps> for Scene {
    fn from(props: PolicyPanelProps) -> Scene {
        Scene(Rc::new(props))
    }
}

impl PartialEq for Scene {
    fn eq(&self, other: &Scene) -> bool {
        self.0.same(&*other.0)
    }
}

impl fmt::Debug for Scene {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Scene")
    }
}

/// Properties of [`Outlet`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct OutletProps {
    /// What is drawn; absent: nothing.
    #[prop_or_default]
    pub scene: Option<Scene>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
    /// What is drawn in one turn shares nothing with what was drawn in another, be it of the same kind: no dialog stays
    /// open, no button stays armed.
    #[prop_or_default]
    pub turn: u32,
}

/// Tells that an [`Outlet`] has just been given something to draw. What others change in the page between two halves of a long
/// drawing can be told from it then.
pub fn asked_to_draw() {
    foreign::asked();
}

/// Draws whatever it is given, for shells that show one thing in a place of its own.
#[derive(Debug)]
pub struct Outlet(Wording);

impl Component for Outlet {
    type Message = Catalogue;
    type Properties = OutletProps;

    fn create(context: &Context<Outlet>) -> Outlet {
        Outlet(Wording::of(context))
    }

    fn update(&mut self, _: &Context<Outlet>, words: Catalogue) -> bool {
        self.0.replace(words);
        true
    }

    fn view(&self, context: &Context<Outlet>) -> Html {
        let OutletProps { scene, messages, turn } = context.props();
        let words = messages.as_ref().unwrap_or(self.0.words());
        scene.as_ref().map(|scene| host(Rc::clone(&scene.0), words, Some(*turn))).unwrap_or_default()
    }
}
