//! The calls of one conversation: what waits, and what was decided.

mod batch_bar;
mod follow;
mod history_row;
mod live_region;

use std::cell::Cell;
use std::rc::Rc;

use countersign_core::{Millis, RequestView, Status};
use yew::prelude::*;

use crate::arming::ARM_DELAY;
use crate::controls::button;
use crate::intent::Intent;
use crate::messages::Catalogue;
use crate::node::{Attribute, Tag, options};
use crate::piece::{Act, Piece, Stage, Wording, host};
use crate::tool_call_card::{ToolCallCardProps, same_view};
use batch_bar::BatchBar;
use follow::Follow;
use history_row::HistoryRow;
use live_region::LiveRegion;

/// How many cards, and how many rows of the history, are drawn before a person asks for more.
const PAGE: usize = 50;

/// Properties of [`InboxPanel`].
#[derive(Clone, Debug, Properties)]
pub struct InboxPanelProps {
    /// Every call of the conversation, in order of arrival.
    pub requests: Rc<[Rc<RequestView>]>,
    /// A person asked for something.
    #[prop_or_default]
    pub on_intent: Callback<Intent>,
    /// The moment for which countdowns are drawn; absent: no countdowns.
    #[prop_or_default]
    pub now: Option<Millis>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
    /// How long an approval is inert after its card appeared or changed, in milliseconds.
    #[prop_or(ARM_DELAY)]
    pub arm_delay: u32,
}

impl PartialEq for InboxPanelProps {
    fn eq(&self, other: &InboxPanelProps) -> bool {
        same_views(&self.requests, &other.requests)
            && self.on_intent == other.on_intent
            && self.now == other.now
            && self.messages == other.messages
            && self.arm_delay == other.arm_delay
    }
}

#[inline(never)]
fn same_views(some: &Rc<[Rc<RequestView>]>, others: &Rc<[Rc<RequestView>]>) -> bool {
    let equal = || some.iter().zip(others.iter()).all(|(one, other)| same_view(one, other));
    Rc::ptr_eq(some, others) || (some.len() == others.len() && equal())
}

/// The queue of one conversation: a bar for the whole batch, a card for each call that waits, a row for each other.
///
/// A call keeps its place until its decision has left, so that nothing moves under a person's pointer.
#[derive(Debug)]
pub struct InboxPanel(Wording);

impl Component for InboxPanel {
    type Message = Catalogue;
    type Properties = InboxPanelProps;

    fn create(context: &Context<InboxPanel>) -> InboxPanel {
        InboxPanel(Wording::of(context))
    }

    fn update(&mut self, _: &Context<InboxPanel>, words: Catalogue) -> bool {
        self.0.replace(words);
        true
    }

    fn view(&self, context: &Context<InboxPanel>) -> Html {
        let props = context.props();
        host(Rc::new(props.clone()), props.messages.as_ref().unwrap_or(self.0.words()), None)
    }
}

/// What a panel remembers.
#[derive(Default)]
pub(crate) struct Seen {
    /// How many more cards were asked for.
    cards: Cell<usize>,
    /// How many more rows of the history were asked for.
    rows: Cell<usize>,
    follow: Follow,
}

impl Piece for InboxPanelProps {
    type Memory = Seen;

    fn same(&self, other: &InboxPanelProps) -> bool {
        self == other
    }

    fn draw(&self, seen: &Seen, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let (mut waiting, mut past) = (Vec::new(), Vec::new());
        for view in self.requests.iter() {
            if waits(view) { &mut waiting } else { &mut past }.push(Rc::clone(view));
        }
        let on_intent = seen.follow.way(&self.on_intent);
        let shown = waiting.len().min(PAGE + seen.cards.get());
        let mut cards = Vec::new();
        for view in waiting.iter().take(shown) {
            let card = ToolCallCardProps {
                request: Rc::clone(view),
                read_only: false,
                on_intent: on_intent.clone(),
                now: self.now,
                arm_delay: self.arm_delay,
            };
            cards.push(stage.place_keyed(view.key, card));
        }
        let left = waiting.len() - shown;
        let more = (left > 0).then(|| {
            let label = messages.show_more(left.min(PAGE), waiting.len());
            button("more", "cs-more", label.into(), stage, Act::More).html()
        });
        let empty = waiting
            .is_empty()
            .then(|| Tag::new("p", "cs-empty").part("empty").words(messages.nothing_waits()).html());
        let batch = BatchBar { requests: waiting, shown, on_intent, arm_delay: self.arm_delay };
        Tag::new("section", "cs cs-inbox")
            .part("inbox")
            .with(Attribute::TabIndex, "-1")
            .text(Attribute::Label, messages.inbox())
            .at(stage.root())
            .child(stage.place(LiveRegion { requests: Rc::clone(&self.requests) }))
            .child(stage.place(batch))
            .optional(empty)
            .child(Tag::new("div", "cs-list").part("waiting").list(cards).html())
            .optional(more)
            .optional((!past.is_empty()).then(|| history(&past, PAGE + seen.rows.get(), stage)))
            .html()
    }

    fn act(&self, seen: &Seen, _: &Rc<Stage>, act: &Act, _: Option<&Event>) -> bool {
        let pages = if *act == Act::Earlier { &seen.rows } else { &seen.cards };
        pages.set(pages.get() + PAGE);
        true
    }

    fn drawn(&self, seen: &Seen, stage: &Rc<Stage>) {
        seen.follow.drawn(self.requests.iter().map(|view| &**view).filter(|view| waits(view)), stage);
    }
}

/// What was decided before: the last `limit` calls.
fn history(past: &[Rc<RequestView>], limit: usize, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    let earlier = past.len().saturating_sub(limit);
    let more = (earlier > 0).then(|| {
        let label = messages.show_earlier(earlier.min(PAGE), past.len());
        button("more", "cs-more", label.into(), stage, Act::Earlier).html()
    });
    let mut rows = Vec::new();
    for view in past.iter().skip(earlier) {
        rows.push(stage.place_keyed(view.key, HistoryRow { request: Rc::clone(view) }));
    }
    options([
        Some(Tag::new("h2", "cs-heading").part("heading").words(messages.decided()).html()),
        more,
        Some(Tag::new("div", "cs-list").part("history").list(rows).html()),
    ])
}

/// Whether a call still needs a card: someone can or could act on it.
fn waits(view: &RequestView) -> bool {
    match view.status {
        Status::Pending | Status::Drafted | Status::Sending | Status::Blocked => true,
        Status::Streaming => view.request.is_some(),
        _ => false,
    }
}
