//! How far a batch is, and one decision for all of it.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, OfferKind, RequestView, Status, Words};
use yew::prelude::*;

use crate::arming::Seal;
use crate::controls::button;
use crate::deciding::{Asking, Deciding};
use crate::intent::Intent;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage};
use crate::tool_call_card::reason_form::ReasonForm;
use crate::tool_call_card::same_view;

/// Up to how many calls are drawn as dots.
const DOTS: usize = 24;

/// The bar over the cards; nothing where fewer than two calls belong together.
pub(super) struct BatchBar {
    /// The calls that wait, in order of arrival.
    pub requests: Vec<Rc<RequestView>>,
    /// How many of them have a card in the document: only these can be approved together.
    pub shown: usize,
    /// A person asked for something.
    pub on_intent: Callback<Intent>,
    /// How long an approval is inert after the set of calls changed, in milliseconds.
    pub arm_delay: u32,
}

/// The calls that count in the batch.
#[derive(Default)]
struct Batch<'b> {
    open: Vec<&'b RequestView>,
    waiting: usize,
    approvable: Vec<&'b RequestView>,
    rejectable: Vec<&'b RequestView>,
}

impl BatchBar {
    fn batch(&self) -> Batch<'_> {
        let mut batch = Batch::default();
        for (at, view) in self.requests.iter().enumerate() {
            if matches!(view.status, Status::Pending | Status::Drafted | Status::Sending) {
                batch.open.push(view);
            }
            if view.status != Status::Pending {
                continue;
            }
            batch.waiting += 1;
            // What needs a look of its own is left out: what cannot be read, and what changed.
            if at < self.shown && is_plain(view) {
                batch.approvable.push(view);
            }
            if view.offer(OfferKind::Reject).is_some() {
                batch.rejectable.push(view);
            }
        }
        batch
    }
}

impl Piece for BatchBar {
    type Memory = Deciding;

    fn same(&self, other: &BatchBar) -> bool {
        self.requests.len() == other.requests.len()
            && self.requests.iter().zip(&other.requests).all(|(one, other)| same_view(one, other))
            && self.shown == other.shown
            && self.on_intent == other.on_intent
            && self.arm_delay == other.arm_delay
    }

    fn draw(&self, deciding: &Deciding, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let batch = self.batch();
        if batch.waiting == 0 || batch.open.len() < 2 {
            return Html::default();
        }
        let seal = batch.seal();
        let asks = deciding.asks(&seal).is_some();
        let form = asks.then(|| {
            stage.place(ReasonForm {
                asking: Asking::Reason,
                asker: Rc::clone(stage),
                id: "all".to_owned(),
                tool: None,
                words: batch.words(),
            })
        });
        let acts = (!asks).then(|| batch.acts(deciding.is_armed(&seal), stage));
        let waiting: AttrValue = messages.calls_wait(batch.waiting).into();
        let done = messages.decided_of(batch.open.len() - batch.waiting, batch.open.len());
        let line = Tag::new("div", "cs-batch-line")
            .child(Tag::new("b", "cs-batch-count").words(waiting.clone()).html())
            .optional((batch.open.len() <= DOTS).then(|| dots(&batch.open)))
            .child(Tag::new("span", "cs-batch-done").words(done).html())
            .optional(acts);
        Tag::new("div", "cs-batch")
            .part("batch-bar")
            .at(stage.root())
            .with(Attribute::Role, "group")
            .text(Attribute::Label, waiting)
            .child(line.html())
            .optional(form)
            .html()
    }

    fn act(&self, deciding: &Deciding, _: &Rc<Stage>, act: &Act, _: Option<&Event>) -> bool {
        let batch = self.batch();
        let (decision, changed) = deciding.act(&batch.seal(), batch.words(), act);
        if let Some(decision) = decision {
            let views = if decision.kind().runs() { &batch.approvable } else { &batch.rejectable };
            let mut requests = Vec::new();
            for view in views {
                requests.push((view.id.clone(), Arc::clone(&view.args_digest)));
            }
            self.on_intent.emit(Intent::DecideAll { requests, decision });
        }
        changed
    }

    fn drawn(&self, deciding: &Deciding, stage: &Rc<Stage>) {
        deciding.drawn(&self.batch().seal(), self.arm_delay, stage, "[part=reject-all-button]");
    }
}

impl Batch<'_> {
    fn seal(&self) -> Seal {
        Seal::all(self.open.iter().copied())
    }

    /// The most that any of the rejections asks of a reason.
    fn words(&self) -> Words {
        let rank = |words: Words| match words {
            Words::None => 0,
            Words::Local => 1,
            Words::Sent => 2,
            Words::Required => 3,
        };
        let mut strictest = Words::None;
        for offer in self.rejectable.iter().filter_map(|view| view.offer(OfferKind::Reject)) {
            if rank(offer.reason) > rank(strictest) {
                strictest = offer.reason;
            }
        }
        strictest
    }

    /// The buttons for all.
    fn acts(&self, armed: bool, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let reject = (self.rejectable.len() > 1).then(|| {
            let label = messages.reject_all();
            button("reject-all-button", "cs-button cs-refuse", label, stage, Act::Reject).html()
        });
        let approve = (self.approvable.len() > 1).then(|| {
            let label = if self.approvable.len() == self.waiting {
                messages.approve_all()
            } else {
                messages.approve_some(self.approvable.len(), self.waiting).into()
            };
            button("approve-all-button", "cs-button", label, stage, Act::Decide(Decision::approve()))
                .withheld(!armed)
                .option(Attribute::Title, (!armed).then(|| messages.ready_soon()))
                .html()
        });
        Tag::new("span", "cs-batch-acts").optional(reject).optional(approve).html()
    }
}

/// The decided calls as dots.
fn dots(open: &[&RequestView]) -> Html {
    let mut dots = Vec::new();
    for view in open {
        let decision = view.decision.as_ref().filter(|_| view.status != Status::Pending);
        let tone = match decision.map(|decision| decision.kind.as_str()) {
            None => "open",
            Some("reject" | "reject_always" | "cancel" | "ignore") => "bad",
            Some(_) => "good",
        };
        dots.push(Tag::new("i", "cs-dot").with(Attribute::Tone, tone).html());
    }
    Tag::new("span", "cs-dots").with(Attribute::Hidden, "true").list(dots).html()
}

/// Whether a call may be approved without a look of its own.
fn is_plain(view: &RequestView) -> bool {
    view.offer(OfferKind::Approve).is_some() && view.inspectable && !view.changed
}
