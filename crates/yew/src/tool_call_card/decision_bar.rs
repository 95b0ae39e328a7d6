//! What may be decided now, or what became of the decision.

use countersign_core::{Decision, Offer, RequestView, Status, Words};
use yew::prelude::*;

use crate::controls::Button;
use crate::intent::Intent;
use crate::messages::Messages;
use crate::standing::{Standing, undelivered};
use crate::text::words;

/// Everything that the bar of one card draws and reports.
pub(super) struct Bar<'b> {
    pub(super) view: &'b RequestView,
    pub(super) tool: &'b str,
    pub(super) approvable: bool,
    pub(super) rejection: Option<&'b Offer>,
    pub(super) armed: bool,
    pub(super) read_only: bool,
    pub(super) reject: NodeRef,
    pub(super) decide: &'b Callback<Decision>,
    pub(super) resume: &'b Callback<Intent>,
    pub(super) on_reject: Callback<()>,
    pub(super) messages: &'b dyn Messages,
}

impl Bar<'_> {
    /// The buttons, or the words in their place.
    pub(super) fn draw(&self, standing: &Standing) -> Html {
        let messages = self.messages;
        let (busy, undo, retry) = match self.view.status {
            Status::Drafted => (Some(standing.text.clone()), true, undelivered(self.view)),
            Status::Sending => (Some(messages.sending()), false, false),
            Status::Sent => (Some(messages.sent()), false, false),
            Status::Blocked => (Some(messages.blocked()), false, false),
            _ => (None, false, false),
        };
        html! {
            <div class="cs-bar" part="decision-bar">
                if self.approvable { { self.approve() } }
                if let Some(offer) = self.rejection { { self.reject(offer) } }
                if let Some(text) = busy { <span class="cs-progress" part="progress">{ words(text) }</span> }
                if retry && !self.read_only {
                    { self.resume("retry-button", "cs-button cs-primary", messages.retry(), Intent::Retry) }
                }
                if undo && !self.read_only {
                    { self.resume("undo-button", "cs-button", messages.undo(), Intent::Undo) }
                }
            </div>
        }
    }

    fn approve(&self) -> Html {
        let label = self.messages.approve();
        let name = self.messages.act_on(&label, self.tool);
        Button::new(
            "approve-button",
            "cs-button cs-primary",
            label,
            self.decide.reform(|()| Decision::approve()),
        )
        .named(name)
        .withheld(!self.armed)
        .titled((!self.armed).then(|| self.messages.ready_soon()))
        .draw()
    }

    fn reject(&self, offer: &Offer) -> Html {
        let label = match offer.reason {
            Words::None => self.messages.reject(),
            _ => self.messages.reject_with_reason(),
        };
        let name = self.messages.act_on(&label, self.tool);
        Button::new("reject-button", "cs-button cs-refuse", label, self.on_reject.clone())
            .named(name)
            .refusing()
            .at(&self.reject)
            .draw()
    }

    fn resume(
        &self,
        part: &'static str,
        class: &'static str,
        label: AttrValue,
        intent: fn(String) -> Intent,
    ) -> Html {
        let (name, id) = (self.messages.act_on(&label, self.tool), self.view.id.clone());
        Button::new(part, class, label, self.resume.reform(move |()| intent(id.clone()))).named(name).draw()
    }
}
