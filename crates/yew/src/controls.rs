//! The one button that everything is pressed with.

use yew::prelude::*;

use crate::arming::{ignore_repeats, is_genuine};
use crate::text::words;

/// A button. One function draws them all: markup is code, and code is downloaded.
#[derive(Clone, Default)]
pub(crate) struct Button {
    node: NodeRef,
    part: &'static str,
    class: &'static str,
    label: AttrValue,
    name: Option<AttrValue>,
    title: Option<AttrValue>,
    withheld: bool,
    refuses: bool,
    pressed: Option<bool>,
    expanded: Option<bool>,
    described_by: Option<AttrValue>,
    on_press: Callback<()>,
}

impl Button {
    /// A button with this visible label. It answers to people only, and once for each press of a key.
    pub(crate) fn new(
        part: &'static str,
        class: &'static str,
        label: impl Into<AttrValue>,
        on_press: Callback<()>,
    ) -> Button {
        Button { part, class, label: label.into(), on_press, ..Button::default() }
    }

    /// With another accessible name than its label.
    pub(crate) fn named(mut self, name: impl Into<AttrValue>) -> Button {
        self.name = Some(name.into());
        self
    }

    /// With words that appear over it.
    pub(crate) fn titled(mut self, title: Option<AttrValue>) -> Button {
        self.title = title;
        self
    }

    /// Shown as not acting now. It keeps its place and can be focused; what it reports must be refused elsewhere.
    pub(crate) fn withheld(mut self, withheld: bool) -> Button {
        self.withheld = withheld;
        self
    }

    /// One that says no: no shortcut for approval acts while it has the focus.
    pub(crate) fn refusing(mut self) -> Button {
        self.refuses = true;
        self
    }

    /// One of several choices.
    pub(crate) fn pressed(mut self, pressed: bool) -> Button {
        self.pressed = Some(pressed);
        self
    }

    /// One that shows and hides something.
    pub(crate) fn expanded(mut self, expanded: bool) -> Button {
        self.expanded = Some(expanded);
        self
    }

    /// Explained by the element with this id.
    pub(crate) fn described_by(mut self, id: Option<AttrValue>) -> Button {
        self.described_by = id;
        self
    }

    /// With a handle, to give it the focus later.
    pub(crate) fn at(mut self, node: &NodeRef) -> Button {
        self.node = node.clone();
        self
    }

    /// The element.
    pub(crate) fn draw(self) -> Html {
        let truth = |value: bool| if value { "true" } else { "false" };
        let on_press = self.on_press;
        let onclick = Callback::from(move |event: MouseEvent| {
            if is_genuine(&event) {
                on_press.emit(());
            }
        });
        html! {
            <button
                ref={self.node}
                type="button"
                part={self.part}
                class={self.class}
                aria-label={self.name}
                title={self.title}
                aria-disabled={self.withheld.then_some("true")}
                data-refuses={self.refuses.then_some("")}
                aria-pressed={self.pressed.map(truth)}
                aria-expanded={self.expanded.map(truth)}
                aria-describedby={self.described_by}
                onkeydown={ignore_repeats()}
                {onclick}
            >{ words(self.label) }</button>
        }
    }
}
