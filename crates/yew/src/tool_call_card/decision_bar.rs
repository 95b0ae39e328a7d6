//! What may be decided now, or what became of the decision.

use std::rc::Rc;

use countersign_core::{Decision, DecisionFields, Millis, Offer, RequestView, Status, Words};
use yew::prelude::*;

use crate::arming::{Guarded, Seal};
use crate::controls::button;
use crate::deciding::Deciding;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Stage};
use crate::status_badge::{leaving, must_wait, undelivered};

/// Everything that the bar of one card draws.
pub(super) struct Bar<'b> {
    pub(super) view: &'b RequestView,
    pub(super) tool: &'b str,
    pub(super) approvable: bool,
    /// More than this call may be allowed, here or by the backend.
    pub(super) lasting: bool,
    pub(super) rejection: Option<&'b Offer>,
    pub(super) ignorable: bool,
    /// Words may be given to the agent instead of a result.
    pub(super) respondable: bool,
    /// It may run with other arguments.
    pub(super) editable: bool,
    /// The whole run may be ended.
    pub(super) endable: bool,
    pub(super) deciding: &'b Deciding,
    /// How long an approval is inert, in milliseconds.
    pub(super) arm_delay: u32,
    /// The moment for which countdowns are drawn.
    pub(super) now: Option<Millis>,
    pub(super) read_only: bool,
    pub(super) stage: &'b Rc<Stage>,
}

impl Bar<'_> {
    /// The buttons, or the words in their place.
    pub(super) fn draw(&self) -> Html {
        let messages = self.stage.messages();
        let (busy, undo, retry) = match self.view.status {
            // The badge says why it is held; how long it can be undone is said beside the button, too.
            Status::Drafted => {
                let soon = leaving(self.view, self.now, messages);
                let never = self.is_stuck().then(|| messages.cannot_leave());
                (soon.or(never), true, undelivered(self.view))
            }
            Status::Sending if must_wait(self.view) => (Some(messages.waits_for_task()), true, false),
            Status::Sending => (Some(messages.sending()), false, false),
            Status::Sent => (Some(messages.sent()), false, false),
            Status::Blocked => (Some(messages.blocked()), false, false),
            _ => (None, false, false),
        };
        let retry = (retry && !self.read_only).then(|| self.retry());
        let undo = (undo && !self.read_only)
            .then(|| self.button("undo-button", "cs-button", messages.undo(), Act::Undo).html());
        Tag::new("div", "cs-bar")
            .part("decision-bar")
            .optional(self.approvable.then(|| self.approve()))
            .optional(
                self.editable
                    .then(|| self.button("edit-button", "cs-button", messages.edit(), Act::Edit).html()),
            )
            .optional(self.rejection.map(|offer| self.reject(offer)))
            .optional(self.ignorable.then(|| self.refuse("ignore-button", false)))
            .optional(self.respondable.then(|| self.refuse("respond-button", true)))
            .optional(self.lasting.then(|| self.allow_always()))
            .optional(self.endable.then(|| {
                self.button("end-button", "cs-button cs-lasting", messages.end_run(), Act::End)
                    .with(Attribute::Refuses, "")
                    .html()
            }))
            .optional(busy.map(|text| Tag::new("span", "cs-progress").part("progress").words(text).html()))
            .optional(retry)
            .optional(undo)
            .html()
    }

    /// Whether all is decided that is answered together, and still nothing leaves: what else waits there is in the way.
    fn is_stuck(&self) -> bool {
        let is_whole = self.view.batch.as_ref().is_some_and(|batch| batch.decided >= batch.size);
        is_whole && self.view.sends_at.is_none() && !undelivered(self.view)
    }

    /// Sends again. Where something runs then, perhaps nobody has seen it yet: a rule may have decided.
    fn retry(&self) -> Html {
        let label = self.stage.messages().retry();
        let class = "cs-button cs-primary";
        let runs = self.view.decision.as_ref().is_none_or(DecisionFields::runs);
        let is_alone = self.view.batch.as_ref().is_none_or(|batch| batch.size < 2);
        if is_alone && !runs {
            return self.button("retry-button", class, label, Act::Retry).html();
        }
        self.guarded("retry-button", class, label, Act::Retry)
    }

    fn approve(&self) -> Html {
        let messages = self.stage.messages();
        // What is of high risk is not what the eye falls on first; a second question follows.
        let (class, label) = match self.view.is_high_risk() {
            true => ("cs-button", messages.approve_after_question()),
            false => ("cs-button cs-primary", messages.approve()),
        };
        self.guarded("approve-button", class, label, Act::Decide(Decision::approve()))
    }

    /// The one button of the bar that runs something.
    fn guarded(&self, part: &'static str, class: &'static str, label: AttrValue, act: Act) -> Html {
        let name = self.stage.messages().act_on(&label, self.tool).into();
        let key = ["-", &self.view.key.to_string()].concat();
        let heard =
            ["cs-changed", &key, " cs-odd-name", &key, " cs-risk", &key, " cs-arguments", &key].concat();
        self.stage.place(Guarded {
            asker: Rc::clone(self.stage),
            guard: self.deciding.approval.clone(),
            seal: Seal::of(self.view),
            delay: self.arm_delay,
            part,
            class,
            label,
            name,
            act,
            withheld: false,
            switch: None,
            described_by: Some(heard.into()),
        })
    }

    /// Last in the bar: it reaches further than the call that is shown, and a dialog says how far.
    fn allow_always(&self) -> Html {
        let label = self.stage.messages().always_allow_begin();
        self.button("always-button", "cs-button cs-lasting", label, Act::Grant)
            .with(Attribute::Refuses, "")
            .html()
    }

    fn reject(&self, offer: &Offer) -> Html {
        let messages = self.stage.messages();
        let label = match (offer.reason, self.view.questions.is_some()) {
            (Words::None, false) => messages.reject(),
            (_, false) => messages.reject_with_reason(),
            (Words::None, true) => messages.decline(),
            (_, true) => messages.decline_with_reason(),
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
        self.button(part, "cs-button", label, act).with(Attribute::Refuses, "").html()
    }

    fn button(&self, part: &'static str, class: &'static str, label: AttrValue, act: Act) -> Tag {
        let name = self.stage.messages().act_on(&label, self.tool);
        button(part, class, label, self.stage, act).named(name)
    }
}
