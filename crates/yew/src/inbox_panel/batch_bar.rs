//! How far a batch is, and one decision for all of it.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, OfferKind, RequestView, Status, Words};
use yew::prelude::*;

use crate::arming::{Seal, use_arming};
use crate::controls::Button;
use crate::intent::Intent;
use crate::messages::{Messages, use_messages};
use crate::text::words;
use crate::tool_call_card::reason_form::ReasonForm;
use crate::tool_call_card::{focus, same_view};

/// Up to how many calls are drawn as dots.
const DOTS: usize = 24;

/// Properties of [`BatchBar`].
#[derive(Clone, Properties)]
pub(super) struct BatchBarProps {
    /// The calls that wait, in order of arrival.
    pub requests: Vec<Rc<RequestView>>,
    /// How many of them have a card in the document: only these can be approved together.
    pub shown: usize,
    /// A person asked for something.
    pub on_intent: Callback<Intent>,
    /// How long an approval is inert after the set of calls changed, in milliseconds.
    pub arm_delay: u32,
}

impl PartialEq for BatchBarProps {
    fn eq(&self, other: &BatchBarProps) -> bool {
        self.requests.len() == other.requests.len()
            && self.requests.iter().zip(&other.requests).all(|(one, other)| same_view(one, other))
            && self.shown == other.shown
            && self.on_intent == other.on_intent
            && self.arm_delay == other.arm_delay
    }
}

/// The bar over the cards; nothing where fewer than two calls belong together.
#[component]
pub(super) fn BatchBar(props: &BatchBarProps) -> Html {
    let messages = use_messages();
    let open: Vec<&Rc<RequestView>> = props.requests.iter().filter(|view| counts(view)).collect();
    let pending = |view: &&Rc<RequestView>| view.status == Status::Pending;
    let waiting = open.iter().copied().filter(pending).count();
    // What needs a look of its own is left out: what cannot be read, and what changed.
    let approvable: Vec<_> =
        props.requests.iter().take(props.shown).filter(pending).filter(|view| is_plain(view)).collect();
    let rejectable: Vec<_> =
        open.iter().copied().filter(pending).filter(|view| view.offer(OfferKind::Reject).is_some()).collect();

    let seal = Seal::all(open.iter().map(|view| &***view));
    let arming = use_arming(seal.clone(), props.arm_delay);
    let asking = use_state(|| None::<Seal>);
    let asks = asking.as_ref() == Some(&seal);
    let reject = use_node_ref();
    let returning = use_mut_ref(|| false);
    {
        let (reject, returning) = (reject.clone(), Rc::clone(&returning));
        use_effect_with(asks, move |asks| {
            if !asks && returning.replace(false) {
                focus(&reject);
            }
        });
    }
    if waiting == 0 || open.len() < 2 {
        return Html::default();
    }

    let reason = strictest(&rejectable);
    let decide = |requests: &[&Rc<RequestView>]| {
        let requests: Vec<_> =
            requests.iter().map(|view| (view.id.clone(), Arc::clone(&view.args_digest))).collect();
        let (on_intent, arming) = (props.on_intent.clone(), arming.clone());
        Callback::from(move |decision: Decision| {
            let free = if decision.kind().runs() { arming.take_armed() } else { arming.take() };
            if free {
                on_intent.emit(Intent::DecideAll { requests: requests.clone(), decision });
            }
        })
    };
    let reject_all = decide(&rejectable);
    let on_reject = {
        let (asking, seal, reject_all) = (asking.setter(), seal.clone(), reject_all.clone());
        Callback::from(move |()| {
            if reason == Words::None {
                reject_all.emit(Decision::reject(None))
            } else {
                asking.set(Some(seal.clone()))
            }
        })
    };
    let on_cancel = {
        let asking = asking.setter();
        Callback::from(move |()| {
            returning.replace(true);
            asking.set(None);
        })
    };
    let approve_label = if approvable.len() == waiting {
        messages.approve_all()
    } else {
        messages.approve_some(approvable.len(), waiting).into()
    };
    let on_approve = decide(&approvable).reform(|()| Decision::approve());
    let approve_all = Button::new("approve-all-button", "cs-button", approve_label, on_approve)
        .withheld(!arming.is_armed())
        .titled((!arming.is_armed()).then(|| messages.ready_soon()));
    let refuse_all =
        Button::new("reject-all-button", "cs-button cs-refuse", messages.reject_all(), on_reject).at(&reject);
    html! {
        <div class="cs-batch" part="batch-bar" role="group" aria-label={messages.calls_wait(waiting)}>
            <div class="cs-batch-line">
                <b class="cs-batch-count">{ words(messages.calls_wait(waiting)) }</b>
                { progress(&open, open.len() - waiting, &*messages) }
                if !asks {
                    <span class="cs-batch-acts">
                        if rejectable.len() > 1 { { refuse_all.draw() } }
                        if approvable.len() > 1 { { approve_all.draw() } }
                    </span>
                }
            </div>
            if asks {
                <ReasonForm
                    id="all"
                    words={reason}
                    on_send={reject_all.reform(|reason: Option<String>| Decision::reject(reason.as_deref()))}
                    {on_cancel}
                />
            }
        </div>
    }
}

/// The decided calls as dots and in words.
fn progress(open: &[&Rc<RequestView>], decided: usize, messages: &dyn Messages) -> Html {
    let dots = open.iter().map(|view| {
        let kind = view
            .decision
            .as_ref()
            .filter(|_| view.status != Status::Pending)
            .map(|decision| decision.kind.as_str());
        let tone = match kind {
            None => "open",
            Some("reject" | "reject_always" | "cancel" | "ignore") => "bad",
            Some(_) => "good",
        };
        html! { <i class="cs-dot" data-tone={tone}></i> }
    });
    html! {
        <>
            if open.len() <= DOTS {
                <span class="cs-dots" aria-hidden="true">{ for dots }</span>
            }
            <span class="cs-batch-done">{ words(messages.decided_of(decided, open.len())) }</span>
        </>
    }
}

/// Whether a call counts in the batch.
fn counts(view: &RequestView) -> bool {
    matches!(view.status, Status::Pending | Status::Drafted | Status::Sending)
}

/// Whether a call may be approved without a look of its own.
fn is_plain(view: &RequestView) -> bool {
    view.offer(OfferKind::Approve).is_some() && view.inspectable && !view.changed
}

/// The most that any of the rejections asks of a reason.
fn strictest(views: &[&Rc<RequestView>]) -> Words {
    let words = |view: &&Rc<RequestView>| view.offer(OfferKind::Reject).map(|offer| offer.reason);
    let rank = |words: &Words| match words {
        Words::None => 0,
        Words::Local => 1,
        Words::Sent => 2,
        Words::Required => 3,
    };
    views.iter().filter_map(words).max_by_key(rank).unwrap_or_default()
}
