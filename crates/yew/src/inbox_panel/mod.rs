//! The calls of one conversation: what waits, and what was decided.

mod batch_bar;
mod follow;
mod history_row;
mod live_region;

use std::rc::Rc;

use countersign_core::{Millis, RequestView, Status};
use yew::prelude::*;

use crate::arming::ARM_DELAY;
use crate::controls::Button;
use crate::intent::Intent;
use crate::messages::{Catalogue, use_messages};
use crate::text::words;
use crate::tool_call_card::{ToolCallCard, same_view};
use batch_bar::BatchBar;
use follow::use_follow;
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

fn same_views(some: &Rc<[Rc<RequestView>]>, others: &Rc<[Rc<RequestView>]>) -> bool {
    let equal = || some.iter().zip(others.iter()).all(|(one, other)| same_view(one, other));
    Rc::ptr_eq(some, others) || (some.len() == others.len() && equal())
}

/// The queue of one conversation: a bar for the whole batch, a card for each call that waits, a row for each other.
///
/// A call keeps its place until its decision has left, so that nothing moves under a person's pointer.
#[component]
pub fn InboxPanel(props: &InboxPanelProps) -> Html {
    let inherited = use_messages();
    let messages = props.messages.clone().unwrap_or(inherited);
    let cards = use_state(|| PAGE);
    let rows = use_state(|| PAGE);

    let (waiting, past): (Vec<_>, Vec<_>) = props.requests.iter().cloned().partition(|view| waits(view));
    let shown = waiting.get(..*cards).unwrap_or(&waiting);
    let earlier = past.len().saturating_sub(*rows);
    let recent = past.get(earlier..).unwrap_or_default();
    let panel = use_node_ref();
    let on_intent = use_follow(&panel, &props.on_intent, &waiting);
    let more = |state: &UseStateHandle<usize>| {
        let state = state.clone();
        Callback::from(move |()| state.set(*state + PAGE))
    };
    html! {
        <ContextProvider<Catalogue> context={messages.clone()}>
            <section ref={panel} class="cs cs-inbox" part="inbox" tabindex="-1" aria-label={messages.inbox()}>
                <LiveRegion requests={Rc::clone(&props.requests)} />
                <BatchBar
                    requests={waiting.clone()}
                    shown={shown.len()}
                    on_intent={on_intent.clone()}
                    arm_delay={props.arm_delay}
                />
                if waiting.is_empty() {
                    <p class="cs-empty" part="empty">{ words(messages.nothing_waits()) }</p>
                }
                <div class="cs-list" part="waiting">
                    { for shown.iter().map(|view| html! {
                        <ToolCallCard
                            key={view.key}
                            request={Rc::clone(view)}
                            on_intent={on_intent.clone()}
                            now={props.now}
                            arm_delay={props.arm_delay}
                        />
                    }) }
                </div>
                if shown.len() < waiting.len() {
                    { Button::new("more", "cs-more", messages.show_more((waiting.len() - shown.len()).min(PAGE), waiting.len()), more(&cards)).draw() }
                }
                if !past.is_empty() {
                    <h2 class="cs-heading" part="heading">{ words(messages.decided()) }</h2>
                    if earlier > 0 {
                        { Button::new("more", "cs-more", messages.show_earlier(earlier.min(PAGE), past.len()), more(&rows)).draw() }
                    }
                    <div class="cs-list" part="history">
                        { for recent.iter().map(|view| html! {
                            <HistoryRow key={view.key} request={Rc::clone(view)} />
                        }) }
                    </div>
                }
            </section>
        </ContextProvider<Catalogue>>
    }
}

/// Whether a call still needs a card: someone can or could act on it.
fn waits(view: &RequestView) -> bool {
    match view.status {
        Status::Pending | Status::Drafted | Status::Sending | Status::Blocked => true,
        Status::Streaming => view.request.is_some(),
        _ => false,
    }
}
