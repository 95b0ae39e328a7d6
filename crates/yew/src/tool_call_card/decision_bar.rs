//! What may be decided now, or what became of the decision.

use std::rc::Rc;

use countersign_core::{Decision, GrantScope, Offer, RequestView, Status, Words};
use yew::prelude::*;

use crate::controls::button;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Stage};
use crate::standing::{Standing, undelivered};

/// Everything that the bar of one card draws.
pub(super) struct Bar<'b> {
    pub(super) view: &'b RequestView,
    pub(super) tool: &'b str,
    pub(super) approvable: bool,
    /// The whole tool may be allowed, whatever its arguments.
    pub(super) lasting: bool,
    pub(super) rejection: Option<&'b Offer>,
    pub(super) ignorable: bool,
    /// Words may be given to the agent instead of a result.
    pub(super) respondable: bool,
    pub(super) armed: bool,
    pub(super) read_only: bool,
    pub(super) stage: &'b Rc<Stage>,
}

impl Bar<'_> {
    /// The buttons, or the words in their place.
    pub(super) fn draw(&self, standing: &Standing) -> Html {
        let messages = self.stage.messages();
        let (busy, undo, retry) = match self.view.status {
            Status::Drafted => (Some(standing.text.clone()), true, undelivered(self.view)),
            Status::Sending => (Some(messages.sending()), false, false),
            Status::Sent => (Some(messages.sent()), false, false),
            Status::Blocked => (Some(messages.blocked()), false, false),
            _ => (None, false, false),
        };
        let retry = (retry && !self.read_only).then(|| {
            self.button("retry-button", "cs-button cs-primary", messages.retry(), Act::Retry).html()
        });
        let undo = (undo && !self.read_only)
            .then(|| self.button("undo-button", "cs-button", messages.undo(), Act::Undo).html());
        Tag::new("div", "cs-bar")
            .part("decision-bar")
            .optional(self.approvable.then(|| self.approve()))
            .optional(self.rejection.map(|offer| self.reject(offer)))
            .optional(self.ignorable.then(|| self.refuse("ignore-button", false)))
            .optional(self.respondable.then(|| self.refuse("respond-button", true)))
            .optional(self.lasting.then(|| self.allow_always()))
            .optional(busy.map(|text| Tag::new("span", "cs-progress").part("progress").words(text).html()))
            .optional(retry)
            .optional(undo)
            .html()
    }

    fn approve(&self) -> Html {
        let messages = self.stage.messages();
        let act = Act::Decide(Decision::approve());
        self.button("approve-button", "cs-button cs-primary", messages.approve(), act)
            .withheld(!self.armed)
            .option(Attribute::Title, (!self.armed).then(|| messages.ready_soon()))
            .html()
    }

    /// Last in the bar, and in words: it reaches further than the call that is shown.
    fn allow_always(&self) -> Html {
        let messages = self.stage.messages();
        let label = messages.always_allow(self.tool);
        let name = messages.always_allow_means(&label);
        let act = Act::Decide(Decision::Approve { scope: GrantScope::Tool });
        button("always-button", "cs-button cs-lasting", label.into(), self.stage, act)
            .named(name)
            .withheld(!self.armed)
            .option(Attribute::Title, (!self.armed).then(|| messages.ready_soon()))
            .html()
    }

    fn reject(&self, offer: &Offer) -> Html {
        let messages = self.stage.messages();
        let label = match offer.reason {
            Words::None => messages.reject(),
            _ => messages.reject_with_reason(),
        };
        // No shortcut for approval acts while a button that says no has the focus.
        self.button("reject-button", "cs-button cs-refuse", label, Act::Reject)
            .with(Attribute::Refuses, "")
            .html()
    }

    /// Leaves the call alone, or begins the words that stand in for a result.
    fn refuse(&self, part: &'static str, responds: bool) -> Html {
        let messages = self.stage.messages();
        let (label, act) = match responds {
            true => (messages.respond(), Act::Respond),
            false => (messages.ignore(), Act::Decide(Decision::Ignore)),
        };
        self.button(part, "cs-button cs-refuse", label, act).with(Attribute::Refuses, "").html()
    }

    fn button(&self, part: &'static str, class: &'static str, label: AttrValue, act: Act) -> Tag {
        let name = self.stage.messages().act_on(&label, self.tool);
        button(part, class, label, self.stage, act).named(name)
    }
}
