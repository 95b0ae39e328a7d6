//! Elements, built by a few functions that everything shares.
//!
//! What the `html!` macro writes out at every place stands here once: markup is code, and code is downloaded.

use std::rc::Rc;

use yew::prelude::*;
use yew::virtual_dom::{AttributeOrProperty, Attributes, Key, Listener, VList, VTag, VText};

use crate::messages::Messages;
use crate::piece::{Act, Ear, Stage};

/// Declares the attributes that elements have.
macro_rules! attributes {
    ($($attribute:ident = $name:literal;)*) => {
        /// An attribute.
        #[derive(Clone, Copy)]
        pub(crate) enum Attribute {
            $(#[doc = $name] $attribute,)*
        }

        /// The names in the order of [`Attribute`].
        const NAMES: &[&str] = &[$($name),*];
    };
}

attributes! {
    Part = "part";
    Class = "class";
    Type = "type";
    Name = "name";
    Id = "id";
    For = "for";
    Role = "role";
    TabIndex = "tabindex";
    Title = "title";
    Rows = "rows";
    Dir = "dir";
    Lang = "lang";
    Translate = "translate";
    Label = "aria-label";
    AriaDisabled = "aria-disabled";
    Pressed = "aria-pressed";
    Expanded = "aria-expanded";
    DescribedBy = "aria-describedby";
    LabelledBy = "aria-labelledby";
    Required = "aria-required";
    Checked = "aria-checked";
    Hidden = "aria-hidden";
    Live = "aria-live";
    Atomic = "aria-atomic";
    Level = "aria-level";
    Status = "data-status";
    Request = "data-request";
    Key = "data-key";
    Changed = "data-changed";
    Tone = "data-tone";
    Note = "data-note";
    Held = "data-held";
    Automatic = "data-automatic";
    Refuses = "data-refuses";
    Gate = "data-gate";
    Risk = "data-risk";
    Placeholder = "placeholder";
    Value = "value";
    Selected = "selected";
    Invalid = "aria-invalid";
    InputMode = "inputmode";
    AutoComplete = "autocomplete";
    Spelling = "spellcheck";
    Capitals = "autocapitalize";
    Correction = "autocorrect";
    Suggestions = "writingsuggestions";
    Grammarly = "data-gramm";
    OnePassword = "data-1p-ignore";
    LastPass = "data-lpignore";
    Bitwarden = "data-bwignore";
    Dashlane = "data-form-type";
    Bad = "data-bad";
    Disabled = "disabled";
}

/// The names of what almost every element has: the first two.
const COMMON: &[&str] = &["part", "class"];

/// An element that is being built.
pub(crate) struct Tag(Box<Draft>);

struct Draft {
    tag: VTag,
    /// By place in [`NAMES`]; as long as [`COMMON`] while nothing else is set.
    values: Vec<Option<AttributeOrProperty>>,
    children: Vec<Html>,
    listeners: Vec<Option<Rc<dyn Listener>>>,
}

impl Tag {
    /// An element with this class; without one where it is empty.
    #[inline(never)]
    pub(crate) fn new(name: &'static str, class: &'static str) -> Tag {
        let values = vec![None; COMMON.len()];
        let tag = VTag::new(AttrValue::Static(name));
        let draft = Tag(Box::new(Draft { tag, values, children: Vec::new(), listeners: Vec::new() }));
        draft.when(!class.is_empty(), Attribute::Class, class)
    }

    /// With an attribute of our own words.
    #[inline(never)]
    pub(crate) fn with(self, attribute: Attribute, value: &'static str) -> Tag {
        self.set(attribute, AttrValue::Static(value))
    }

    /// With this part.
    pub(crate) fn part(self, part: &'static str) -> Tag {
        self.with(Attribute::Part, part)
    }

    /// With an attribute.
    pub(crate) fn text(self, attribute: Attribute, value: impl Into<AttrValue>) -> Tag {
        self.set(attribute, value.into())
    }

    /// With an attribute where there is a value.
    #[inline(never)]
    pub(crate) fn option(self, attribute: Attribute, value: Option<AttrValue>) -> Tag {
        match value {
            Some(value) => self.text(attribute, value),
            None => self,
        }
    }

    /// With an attribute where something holds.
    #[inline(never)]
    pub(crate) fn when(self, holds: bool, attribute: Attribute, value: &'static str) -> Tag {
        if holds { self.with(attribute, value) } else { self }
    }

    /// With the language of our words, and its direction where somebody chose it.
    ///
    /// Nothing in it is translated: what is shown is what runs, and a button says what it does.
    pub(crate) fn spoken(self, messages: &Messages) -> Tag {
        self.with(Attribute::Translate, "no")
            .text(Attribute::Lang, messages.locale().clone())
            .option(Attribute::Dir, messages.direction().map(AttrValue::Static))
    }

    /// With an attribute that is true or false.
    pub(crate) fn truth(self, attribute: Attribute, value: bool) -> Tag {
        self.with(attribute, if value { "true" } else { "false" })
    }

    #[inline(never)]
    fn set(mut self, attribute: Attribute, value: AttrValue) -> Tag {
        let place = attribute as usize;
        if place >= self.0.values.len() {
            self.0.values.resize(NAMES.len(), None);
        }
        if let Some(slot) = self.0.values.get_mut(place) {
            *slot = Some(AttributeOrProperty::Attribute(value));
        }
        self
    }

    /// With a child.
    #[inline(never)]
    pub(crate) fn child(mut self, child: Html) -> Tag {
        self.0.children.push(child);
        self
    }

    /// With a child that may be missing: its neighbours keep their places.
    #[inline(never)]
    pub(crate) fn optional(self, child: Option<Html>) -> Tag {
        self.child(child.unwrap_or_default())
    }

    /// With children that come and go together.
    pub(crate) fn list(self, children: Vec<Html>) -> Tag {
        self.child(list(children))
    }

    /// With words of our own.
    pub(crate) fn words(self, text: impl Into<AttrValue>) -> Tag {
        self.child(words(text))
    }

    /// With the event that means this act.
    #[inline(never)]
    pub(crate) fn on(mut self, stage: &Rc<Stage>, act: Act) -> Tag {
        self.0.listeners.push(Some(Rc::new(Ear::new(stage, act))));
        self
    }

    /// With a handle, to find it in the document.
    pub(crate) fn at(mut self, node: &NodeRef) -> Tag {
        self.0.tag.node_ref = node.clone();
        self
    }

    /// A field with this content. Nothing that a browser or a password manager remembers is offered there, or kept.
    pub(crate) fn value(mut self, value: String) -> Tag {
        self.0.tag.set_value(AttrValue::from(value));
        self.with(Attribute::AutoComplete, "off")
            .with(Attribute::OnePassword, "true")
            .with(Attribute::LastPass, "true")
            .with(Attribute::Bitwarden, "true")
            .with(Attribute::Dashlane, "other")
    }

    /// A field for exact text: nothing in it is corrected, completed, or sent elsewhere to be.
    pub(crate) fn exact(self) -> Tag {
        self.with(Attribute::Spelling, "false")
            .with(Attribute::Capitals, "off")
            .with(Attribute::Correction, "off")
            .with(Attribute::Suggestions, "false")
            .with(Attribute::Grammarly, "false")
    }

    /// A choice that is taken or not.
    pub(crate) fn checked(mut self, checked: bool) -> Tag {
        self.0.tag.set_checked(checked);
        self
    }

    /// A choice of a list, which is the one that is taken or not.
    pub(crate) fn selected(mut self, selected: bool) -> Tag {
        // Where a person has chosen before, the browser no longer reads the attribute.
        self = self.set(Attribute::Selected, AttrValue::default());
        if let Some(slot) = self.0.values.get_mut(Attribute::Selected as usize) {
            *slot = Some(AttributeOrProperty::Property(selected.into()));
        }
        self
    }

    /// With an identity among its neighbours.
    pub(crate) fn key(mut self, key: impl Into<Key>) -> Tag {
        self.0.tag.key = Some(key.into());
        self
    }

    /// The element.
    #[inline(never)]
    pub(crate) fn html(self) -> Html {
        let Draft { mut tag, values, mut children, listeners } = *self.0;
        let keys = if values.len() == COMMON.len() { COMMON } else { NAMES };
        tag.attributes = Attributes::Dynamic { keys, values: values.into_boxed_slice() };
        if !listeners.is_empty() {
            tag.set_listeners(listeners.into_boxed_slice());
        }
        if let Some(place) = tag.children_mut() {
            *place = match children.len() {
                1 => children.pop().unwrap_or_default(),
                _ => list(children),
            };
        }
        tag.into()
    }
}

/// Several nodes in a row.
#[inline(never)]
pub(crate) fn list(nodes: Vec<Html>) -> Html {
    VList::with_children(nodes, None).into()
}

/// Nodes in a row that may be missing; each has its place.
pub(crate) fn options<const COUNT: usize>(nodes: [Option<Html>; COUNT]) -> Html {
    let mut places = Vec::with_capacity(COUNT);
    for node in nodes {
        places.push(node.unwrap_or_default());
    }
    list(places)
}

/// Words of our own as a text node.
pub(crate) fn words(text: impl Into<AttrValue>) -> Html {
    text_node(text.into())
}

#[inline(never)]
fn text_node(text: AttrValue) -> Html {
    VText::new(text).into()
}
