//! A place in a page where any of the pieces is drawn.

use std::fmt;
use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;
use yew::{AppHandle, Renderer};

use crate::inbox_panel::InboxPanelProps;
use crate::messages::Catalogue;
use crate::piece::{Act, Host, HostProps, Piece, Plan, Stage};
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

/// What is drawn in an [`Outlet`].
pub(crate) struct Shown {
    /// Absent: nothing.
    pub scene: Option<Scene>,
    /// By what it is told from what was drawn before.
    pub turn: u32,
}

impl Piece for Shown {
    type Memory = ();

    fn same(&self, other: &Shown) -> bool {
        (self.turn, &self.scene) == (other.turn, &other.scene)
    }

    fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
        self.scene.as_ref().map(|scene| stage.host(&scene.0, self.turn)).unwrap_or_default()
    }

    fn act(&self, (): &(), _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        false
    }
}

/// Draws whatever it is given into an element, for shells that show one thing in a place of its own.
pub struct Outlet(AppHandle<Host>);

impl Outlet {
    /// Draws a scene, or nothing yet, in these words.
    #[must_use]
    pub fn new(place: Element, scene: Option<Scene>, messages: Catalogue, turn: u32) -> Outlet {
        let props = HostProps::new(Shown { scene, turn }, messages);
        Outlet(Renderer::<Host>::with_root_and_props(place, props).render())
    }

    /// Draws another scene, or nothing. What is drawn in one turn shares nothing with what was drawn in another, be it of the
    /// same kind: no dialog stays open, no button stays armed.
    pub fn show(&mut self, scene: Option<Scene>, messages: Catalogue, turn: u32) {
        self.0.update(HostProps::new(Shown { scene, turn }, messages));
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Outlet")
    }
}
