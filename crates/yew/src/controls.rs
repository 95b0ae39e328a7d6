//! The one button that everything is pressed with.

use std::rc::Rc;

use yew::prelude::*;

use crate::node::{Attribute, Tag};
use crate::piece::{Act, Stage};

/// A button with this visible label. It answers to people only, and once for each press of a key.
#[inline(never)]
pub(crate) fn button(
    part: &'static str,
    class: &'static str,
    label: AttrValue,
    stage: &Rc<Stage>,
    act: Act,
) -> Tag {
    Tag::new("button", class)
        .with(Attribute::Type, "button")
        .part(part)
        .on(stage, Act::ButtonKey)
        .on(stage, act)
        .words(label)
}

impl Tag {
    /// With another accessible name than its label.
    pub(crate) fn named(self, name: String) -> Tag {
        self.text(Attribute::Label, name)
    }

    /// Shown as not acting now. It keeps its place and can be focused; what it reports must be refused elsewhere.
    pub(crate) fn withheld(self, withheld: bool) -> Tag {
        self.when(withheld, Attribute::AriaDisabled, "true")
    }
}
