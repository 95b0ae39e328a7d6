//! How far a batch is, and one decision for all of it.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use countersign_core::{Decision, DecisionFields, Millis, OfferKind, RequestView, Shown, Status, Words};
use yew::prelude::*;

use super::measure::Measure;
use super::review::{Purpose, Review, Reviewing, is_plain};
use crate::arming::Seal;
use crate::controls::button;
use crate::deciding::Deciding;
use crate::edit::Editings;
use crate::intent::Intent;
use crate::messages::LeftOut;
use crate::node::{Attribute, Tag, words};
use crate::piece::{Act, Piece, Stage};
use crate::status_badge::{leaving, tone, undelivered};
use crate::tool_call_card::facts::{rejects_all, warning};
use crate::tool_call_card::same_views;
use crate::variants::Tone;
use crate::writing::Writing;

/// Up to how many calls are drawn as dots.
const DOTS: usize = 8;

/// The bar over the cards; nothing where fewer than two calls belong together.
pub(crate) struct BatchBar {
    /// The calls that wait, in the order in which they are shown.
    pub requests: Vec<Rc<RequestView>>,
    /// Those with a draft that was not sent.
    pub unsent: Vec<(u32, LeftOut)>,
    /// The drafts of all.
    pub editings: Rc<Editings>,
    /// A person asked for something.
    pub on_intent: Callback<Intent>,
    /// The moment for which countdowns are drawn.
    pub now: Option<Millis>,
    /// How long an approval is inert after the set of calls changed, in milliseconds.
    pub arm_delay: u32,
    /// What the host says about everything that people write.
    pub writing: Writing,
}

/// The calls that count in the batch.
#[derive(Default)]
struct Batch<'b> {
    open: Vec<&'b RequestView>,
    waiting: usize,
    approvable: usize,
    rejectable: Vec<&'b RequestView>,
}

/// What the bar remembers.
#[derive(Default)]
pub(crate) struct Remembered {
    deciding: Deciding,
    reviewing: Reviewing,
    /// Of the calls that were drawn last.
    seal: RefCell<Option<Seal>>,
    /// The list was confirmed, and took the focus along.
    closed: Cell<bool>,
    measure: OnceCell<Option<Measure>>,
}

impl BatchBar {
    fn batch(&self) -> Batch<'_> {
        let mut batch = Batch::default();
        for view in &self.requests {
            if matches!(view.status, Status::Pending | Status::Drafted | Status::Sending) {
                batch.open.push(view);
            }
            if view.status != Status::Pending {
                continue;
            }
            batch.waiting += 1;
            // What needs a look of its own is left out.
            let is_unsent = self.unsent.iter().any(|(key, _)| *key == view.key);
            batch.approvable += usize::from(is_plain(view) && !is_unsent);
            if view.offer(OfferKind::Reject).is_some() {
                batch.rejectable.push(view);
            }
        }
        batch
    }

    /// The batch that goes out as a whole in a moment: the last of its decisions to change.
    fn held(&self) -> Option<&RequestView> {
        let held = |view: &&RequestView| view.sends_at.is_some() && view.batch.is_some();
        self.requests.iter().map(|view| &**view).filter(held).max_by_key(|view| view.decided_at)
    }

    /// Whether something here is counted down: the hold of a batch, or in the list of calls the time that an agent waits.
    fn is_timed(&self) -> bool {
        self.held().is_some() || self.requests.iter().any(|view| view.expires_at.is_some())
    }

    /// Opens the list of what waits now.
    fn open(&self, purpose: Purpose, memory: &Remembered) {
        let drafted = |view: &RequestView| self.editings.left_out(view, &self.writing.drafts);
        let first = self.requests.first().map_or(0, |view| view.key);
        let said = memory.deciding.said(first);
        memory.reviewing.review.replace(Some(Review::open(purpose, &self.requests, drafted, said)));
    }

    /// What was decided in the batch of `last`, before it leaves: another batch beside it is a message of its own.
    fn summary(&self, last: &RequestView, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let mut runs = 0;
        let mut all = 0;
        let together = last.batch.as_ref().map(|batch| &batch.id);
        let leaves = |view: &&Rc<RequestView>| {
            view.sends_at.is_some() && view.batch.as_ref().map(|batch| &batch.id) == together
        };
        for view in self.requests.iter().filter(leaves) {
            all += 1;
            runs += usize::from(view.decision.as_ref().is_some_and(DecisionFields::runs));
        }
        let refused = all - runs;
        // What was approved beside a rejection does not run where the one drops the other.
        let drops = (runs > 0 && refused > 0 && rejects_all(last)).then(|| {
            runs = 0;
            warning(Tone::Bad, words(messages.rejects_all())).html()
        });
        let told: AttrValue = messages.decided_as(runs, refused).into();
        let mut line = Tag::new("div", "cs-batch-line")
            .child(Tag::new("b", "cs-batch-count").words(told.clone()).html());
        if let Some(said) = leaving(last, self.now, messages) {
            line = line.child(Tag::new("span", "cs-batch-done").words(said).html());
        }
        let change = button("change-button", "cs-button", messages.change_decision(), stage, Act::Undo);
        let acts = Tag::new("span", "cs-batch-acts").child(change.html());
        bar(told, line.child(acts.html()), drops, stage)
    }
}

/// The bar, with this name: its line, and what stands below.
fn bar(name: AttrValue, line: Tag, below: Option<Html>, stage: &Rc<Stage>) -> Html {
    Tag::new("div", "cs-batch")
        .part("batch-bar")
        .at(stage.root())
        .with(Attribute::Role, "group")
        .with(Attribute::TabIndex, "-1")
        .text(Attribute::Label, name)
        .child(line.html())
        .optional(below)
        .html()
}

impl Piece for BatchBar {
    type Memory = Remembered;

    fn same(&self, other: &BatchBar) -> bool {
        same_views(&self.requests, &other.requests)
            && self.unsent == other.unsent
            && self.on_intent == other.on_intent
            && self.arm_delay == other.arm_delay
            && (self.now == other.now || !self.is_timed())
            && self.writing == other.writing
    }

    fn draw(&self, memory: &Remembered, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let batch = self.batch();
        let seal = batch.seal();
        memory.deciding.draws(stage);
        memory.seal.replace(Some(seal));
        let review = &memory.reviewing.review;
        if let (0, Some(last)) = (batch.waiting, self.held()) {
            review.take();
            return self.summary(last, stage);
        }
        if batch.waiting == 0 || batch.open.len() < 2 {
            review.take();
            return Html::default();
        }
        let waiting: AttrValue = messages.calls_wait(batch.waiting).into();
        let done = messages.decided_of(batch.open.len() - batch.waiting, batch.open.len());
        let line = Tag::new("div", "cs-batch-line")
            .child(Tag::new("b", "cs-batch-count").words(waiting.clone()).html())
            .optional((batch.open.len() <= DOTS).then(|| dots(&batch.open)))
            .child(Tag::new("span", "cs-batch-done").words(done).html())
            .child(batch.acts(stage));
        let dialog = review.borrow().as_ref().map(|review| review.draw(self, &memory.reviewing.guard, stage));
        bar(waiting, line, dialog, stage)
    }

    fn act(&self, memory: &Remembered, stage: &Rc<Stage>, act: &Act, _: Option<&Event>) -> bool {
        let reviewing = &memory.reviewing;
        let is_open = reviewing.review.borrow().is_some();
        match act {
            Act::Review => {
                self.open(Purpose::Approve, memory);
                return true;
            }
            Act::Refused(refusal) => {
                self.on_intent.emit(Intent::Refused(refusal.clone()));
                return false;
            }
            Act::Undo => {
                if let Some(last) = self.held() {
                    self.on_intent.emit(Intent::Undo(last.id.clone()));
                }
                return false;
            }
            Act::Cancel if is_open && reviewing.keeps_open() => return true,
            Act::Cancel if is_open => {
                reviewing.returning.set(reviewing.review.take().map(|review| review.purpose));
                return true;
            }
            Act::Reject if is_open => {
                let words =
                    reviewing.review.borrow().as_ref().and_then(|review| review.words(&self.requests));
                match words {
                    Some(Words::None) => stage.act(&Act::Decide(Decision::reject(None)), None),
                    Some(_) => reviewing.ask(),
                    None => {}
                }
                return true;
            }
            Act::Decide(decision) if is_open => {
                let runs = decision.kind().runs();
                let chosen = |review: &Review| review.chosen(&self.requests, runs);
                let requests = reviewing.review.borrow().as_ref().map(chosen).unwrap_or_default();
                if requests.is_empty() {
                    return false;
                }
                let Some(review) = reviewing.review.take() else { return false };
                if memory.deciding.take(&review.seal(&self.requests, runs)) {
                    self.on_intent.emit(Intent::DecideAll { requests, decision: decision.clone() });
                    memory.closed.set(true);
                }
                return true;
            }
            _ if is_open => {
                return reviewing.review.borrow().as_ref().is_some_and(|review| review.act(act));
            }
            Act::Reject => {
                let batch = self.batch();
                if batch.words() != Words::None {
                    self.open(Purpose::Reject, memory);
                    return true;
                }
                if memory.deciding.take(&batch.seal()) {
                    let bound = |view: &&RequestView| (view.id.clone(), Shown::of(view));
                    let requests = batch.rejectable.iter().map(bound).collect();
                    self.on_intent.emit(Intent::DecideAll { requests, decision: Decision::reject(None) });
                }
            }
            _ => {}
        }
        false
    }

    fn drawn(&self, memory: &Remembered, stage: &Rc<Stage>) {
        if let Some(measure) = memory.measure.get_or_init(|| Measure::new(stage)) {
            measure.follow(stage);
        }
        if let Some(seal) = memory.seal.take() {
            memory.deciding.drawn(&seal, self.arm_delay, stage, "[part=reject-all-button]");
        }
        if memory.reviewing.was_asked.take() {
            stage.focus(Some("[part=reject-chosen-button]"));
        }
        if let Some(purpose) = memory.reviewing.returning.take() {
            stage.focus(Some(match purpose {
                Purpose::Approve => "[part=approve-all-button]",
                Purpose::Reject => "[part=reject-all-button]",
            }));
        }
        if memory.closed.take() {
            stage.catch_focus(None);
        }
    }
}

impl Batch<'_> {
    fn seal(&self) -> Seal {
        Seal::all(self.open.iter().copied())
    }

    fn words(&self) -> Words {
        strictest(self.rejectable.iter().copied()).unwrap_or_default()
    }

    /// The buttons for all.
    fn acts(&self, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let reject = (self.rejectable.len() > 1).then(|| {
            let label = messages.reject_all();
            button("reject-all-button", "cs-button cs-refuse", label, stage, Act::Reject).html()
        });
        let approve = (self.approvable > 1).then(|| {
            let label = if self.approvable == self.waiting {
                messages.approve_all()
            } else {
                messages.approve_some(self.approvable, self.waiting).into()
            };
            button("approve-all-button", "cs-button", label, stage, Act::Review).html()
        });
        Tag::new("span", "cs-batch-acts").optional(reject).optional(approve).html()
    }
}

/// The most that any of these rejections asks of a reason; `None`: none of them is offered.
pub(super) fn strictest<'v>(views: impl Iterator<Item = &'v RequestView>) -> Option<Words> {
    let rank = |words: &Words| match words {
        Words::None => 0,
        Words::Local => 1,
        Words::Sent => 2,
        Words::Required => 3,
    };
    views.filter_map(|view| view.offer(OfferKind::Reject)).map(|offer| offer.reason).max_by_key(rank)
}

/// The decided calls as dots.
fn dots(open: &[&RequestView]) -> Html {
    let mut dots = Vec::new();
    for view in open {
        let decision = view.decision.as_ref().filter(|_| view.status != Status::Pending);
        let tone = match decision {
            None => "open",
            Some(_) if undelivered(view) => Tone::Attention.as_str(),
            Some(decision) => tone(decision).as_str(),
        };
        dots.push(Tag::new("i", "cs-dot").with(Attribute::Tone, tone).html());
    }
    Tag::new("span", "cs-dots").with(Attribute::Hidden, "true").list(dots).html()
}
