//! The calls of one conversation: what waits, and what was decided.

pub(crate) mod batch_bar;
mod connection;
mod follow;
pub(crate) mod history;
mod history_row;
pub(crate) mod live_region;
mod measure;
mod review;
mod review_row;
mod window;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use countersign_core::{Millis, RequestView, Status};
use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::arming::ARM_DELAY;
use crate::edit::Editings;
use crate::grant_list::GrantList;
use crate::granting::Granting;
use crate::intent::{Intent, Refused};
use crate::messages::Catalogue;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage, Wording, focus, host};
use crate::renderers::Renderers;
use crate::shortcuts::Shortcuts;
use crate::tool_call_card::{ToolCallCardProps, same_views};
use crate::writing::Writing;
use batch_bar::BatchBar;
pub use connection::Connection;
use follow::Follow;
use history::History;
pub use history::Kept;
use live_region::LiveRegion;
pub use live_region::{Speaks, notice};
use window::Window;

/// How many cards stand in the document at once.
const PAGE: usize = 24;
/// How many of them come at a time: those that a screen holds are painted before the others are made.
const STEP: usize = 8;
/// How long the others wait for that, in milliseconds.
const PAUSE: u32 = 32;

/// Properties of [`InboxPanel`].
#[derive(Clone, Debug, Properties)]
pub struct InboxPanelProps {
    /// Every call of the conversation, in the order in which they are shown.
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
    /// What the page draws of a call in addition.
    #[prop_or_default]
    pub renderers: Renderers,
    /// What people may allow for longer than one call, and what they have allowed.
    #[prop_or_default]
    pub granting: Option<Granting>,
    /// The keys that act while the focus is within a card.
    #[prop_or_default]
    pub shortcuts: Rc<Shortcuts>,
    /// A person may ask for more time before a call expires.
    #[prop_or_default]
    pub extendable: bool,
    /// What the host says about everything that people write.
    #[prop_or_default]
    pub writing: Writing,
    /// The last act that the inbox did not take; shown where it was tried.
    #[prop_or_default]
    pub refused: Option<Rc<Refused>>,
    /// Whether the list is what the backend knows.
    #[prop_or_default]
    pub connection: Connection,
    /// Asked before something is announced; absent: this panel does.
    #[prop_or_default]
    pub speaks: Option<Speaks>,
}

impl PartialEq for InboxPanelProps {
    fn eq(&self, other: &InboxPanelProps) -> bool {
        same_views(&self.requests, &other.requests)
            && self.on_intent == other.on_intent
            && self.now == other.now
            && self.messages == other.messages
            && self.arm_delay == other.arm_delay
            && self.renderers == other.renderers
            && self.granting == other.granting
            && self.shortcuts == other.shortcuts
            && self.extendable == other.extendable
            && self.writing == other.writing
            && self.refused == other.refused
            && self.connection == other.connection
            && self.speaks == other.speaks
    }
}

impl InboxPanelProps {
    /// The properties of a card of this panel, for one that stands elsewhere.
    #[must_use]
    pub fn card(&self, request: Rc<RequestView>) -> ToolCallCardProps {
        ToolCallCardProps {
            request,
            read_only: false,
            on_intent: self.on_intent.clone(),
            now: self.now,
            messages: self.messages.clone(),
            arm_delay: self.arm_delay,
            renderers: self.renderers.clone(),
            granting: self.granting.clone(),
            shortcuts: Rc::clone(&self.shortcuts),
            extendable: self.extendable,
            writing: self.writing.clone(),
            refused: self.refused.clone(),
            editing: None,
            editings: None,
        }
    }
}

/// The queue of one conversation: a bar for the whole batch, a card for each call that waits, a row for each other.
///
/// A call keeps its place until its decision has left, so that nothing moves under a person's pointer. The first page of this
/// documentation has an example.
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
pub(crate) struct PanelMemory {
    /// The place of the first card that is drawn.
    from: Cell<usize>,
    /// How many cards were drawn the last time, and whether those were all.
    count: Cell<usize>,
    all: Cell<bool>,
    /// Draws more of them.
    rest: RefCell<Option<Timeout>>,
    /// Other cards were asked for, and the first of them gets the focus.
    turned: Cell<bool>,
    follow: Follow,
    /// The focus was within when it was drawn.
    focused: Cell<bool>,
    /// What was begun on the calls, where that is not shared.
    editings: Rc<Editings>,
    /// Hears that a person has left a draft.
    ear: OnceCell<Rc<Callback<()>>>,
}

impl Piece for InboxPanelProps {
    type Memory = PanelMemory;

    fn same(&self, other: &InboxPanelProps) -> bool {
        self == other
    }

    fn draw(&self, seen: &PanelMemory, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        seen.focused.set(stage.find(Some(":focus")).is_some());
        seen.follow.draws(stage);
        let (mut waiting, mut past) = (Vec::new(), Vec::new());
        for view in self.requests.iter() {
            if waits(view) { &mut waiting } else { &mut past }.push(Rc::clone(view));
        }
        let on_intent = seen.follow.way(&self.on_intent);
        let editings = self.writing.drafts.open().unwrap_or(&seen.editings);
        editings.forget_settled(&self.requests, &self.writing.drafts);
        editings.said().keep(|key| waiting.iter().any(|view| view.key == key));
        let ear = seen.ear.get_or_init(|| Rc::new(stage.redrawing()));
        let window = Window::at(seen.from.get(), waiting.len(), PAGE);
        seen.from.set(window.from);
        let mut cards = Vec::new();
        let count = PAGE.min(seen.count.get() + STEP);
        for view in waiting.iter().skip(window.from).take(count) {
            let editing = editings.of(view.key);
            editing.tell(ear);
            let card = ToolCallCardProps {
                on_intent: on_intent.clone(),
                editing: Some(editing),
                editings: Some(Rc::clone(editings)),
                ..self.card(Rc::clone(view))
            };
            cards.push(stage.place_keyed(view.key, card));
        }
        seen.count.set(cards.len());
        seen.all.set(cards.len() == window.until - window.from);
        let line = connection::line(self.connection, waiting.is_empty(), messages);
        let granted = self.granting.as_ref().map(|granting| {
            let grants = Rc::clone(&granting.grants);
            stage.place(GrantList { grants, on_intent: self.on_intent.clone(), open: false })
        });
        let batch = BatchBar {
            unsent: editings.unsent(&waiting),
            editings: Rc::clone(editings),
            requests: waiting,
            on_intent: on_intent.clone(),
            now: self.now,
            arm_delay: self.arm_delay,
            writing: self.writing.clone(),
        };
        // Above the cards where one is, below them the same with the way on.
        let turn = || window.turn("more", stage);
        let region =
            LiveRegion { requests: Rc::clone(&self.requests), now: self.now, speaks: self.speaks.clone() };
        Tag::new("section", "cs cs-inbox")
            .part("inbox")
            .with(Attribute::TabIndex, "-1")
            .text(Attribute::Label, messages.inbox())
            .spoken(messages)
            .at(stage.root())
            .child(stage.place(batch))
            .optional(line)
            .child(turn())
            .child(Tag::new("div", "cs-list").part("waiting").list(cards).html())
            .child(turn())
            .optional((!past.is_empty()).then(|| stage.place(History { past, on_intent })))
            .optional(granted)
            // Last: whoever goes to the region hears first what waits, not an empty line.
            .child(stage.place(region))
            .html()
    }

    fn act(&self, seen: &PanelMemory, _: &Rc<Stage>, act: &Act, _: Option<&Event>) -> bool {
        let from = seen.from.get();
        seen.from.set(match act {
            Act::Back => from.saturating_sub(PAGE),
            Act::Forth => from + PAGE,
            Act::Time => return true,
            _ => return false,
        });
        seen.count.set(0);
        seen.turned.set(true);
        true
    }

    fn drawn(&self, seen: &PanelMemory, stage: &Rc<Stage>) {
        *seen.rest.borrow_mut() = (!seen.all.get()).then(|| stage.later(PAUSE));
        seen.follow.drawn(&self.requests, stage);
        // Not to the next card: a key that was meant for the one that has left would act there.
        if seen.focused.take() {
            stage.catch_focus(None);
        }
        // A person turned the page: they go on with its first card.
        if seen.turned.take()
            && let Some(card) = stage.find(Some("[part=waiting] > [part=card]"))
        {
            card.scroll_into_view_with_bool(true);
            focus(card);
        }
    }
}

/// Whether a call still needs a card: someone can or could act on it.
pub(crate) fn waits(view: &RequestView) -> bool {
    match view.status {
        Status::Pending | Status::Drafted | Status::Sending | Status::Blocked => true,
        Status::Streaming => view.request.is_some(),
        _ => false,
    }
}
