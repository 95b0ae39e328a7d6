//! One tool call that waits for a decision, or its fate.

mod decision_bar;
pub(crate) mod facts;
pub(crate) mod reason_form;

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, Millis, OfferKind, RequestView, Words};
use web_sys::{Element, FocusOptions, HtmlElement};
use yew::prelude::*;

use crate::arming::{ARM_DELAY, Seal, is_genuine, use_arming};
use crate::digest::short_digest;
use crate::escapes::escaped;
use crate::intent::Intent;
use crate::messages::use_messages;
use crate::question_form::QuestionForm;
use crate::standing::standing;
use crate::text::words;
use decision_bar::Bar;
use reason_form::ReasonForm;

/// Properties of [`ToolCallCard`].
#[derive(Clone, Debug, Properties)]
pub struct ToolCallCardProps {
    /// What to show.
    pub request: Rc<RequestView>,
    /// Hides everything that decides.
    #[prop_or_default]
    pub read_only: bool,
    /// A person asked for something.
    #[prop_or_default]
    pub on_intent: Callback<Intent>,
    /// The moment for which countdowns are drawn; absent: no countdowns.
    #[prop_or_default]
    pub now: Option<Millis>,
    /// How long an approval is inert after the card appeared or changed, in milliseconds.
    #[prop_or(ARM_DELAY)]
    pub arm_delay: u32,
}

impl PartialEq for ToolCallCardProps {
    fn eq(&self, other: &ToolCallCardProps) -> bool {
        let timed = self.request.expires_at.is_some() || self.request.sends_at.is_some();
        same_view(&self.request, &other.request)
            && self.read_only == other.read_only
            && self.on_intent == other.on_intent
            && (self.now == other.now || !timed)
            && self.arm_delay == other.arm_delay
    }
}

/// Whether two views draw the same card.
pub(crate) fn same_view(one: &Rc<RequestView>, other: &Rc<RequestView>) -> bool {
    Rc::ptr_eq(one, other) || one == other
}

/// One card: the tool and its exact arguments, what the agent claims, and what may be decided.
///
/// # Shape
/// A group with the part `card` and the attributes `data-status`, `data-request` (the bare request id) and
/// `data-key`.
#[component]
pub fn ToolCallCard(props: &ToolCallCardProps) -> Html {
    let messages = use_messages();
    let view = &props.request;
    let seal = Seal::of(view);
    let arming = use_arming(seal.clone(), props.arm_delay);
    let card = use_node_ref();
    let reject = use_node_ref();
    let asking = use_state(|| None::<Seal>);
    let returning = use_mut_ref(|| false);
    let asks = asking.as_ref() == Some(&seal);
    {
        let (reject, returning) = (reject.clone(), Rc::clone(&returning));
        use_effect_with(asks, move |asks| {
            if !asks && returning.replace(false) {
                focus(&reject);
            }
        });
    }

    let report = {
        let (on_intent, card) = (props.on_intent.clone(), card.clone());
        move |intent: Intent| {
            on_intent.emit(intent);
            focus(&card);
        }
    };
    let decide = {
        let (view, report, arming) = (Rc::clone(view), report.clone(), arming.clone());
        Callback::from(move |decision: Decision| {
            let free = if decision.kind().runs() { arming.take_armed() } else { arming.take() };
            if free {
                let (request, seen) = (view.id.clone(), Arc::clone(&view.args_digest));
                report(Intent::Decide { request, decision, seen });
            }
        })
    };
    let resume = {
        let arming = arming.clone();
        Callback::from(move |intent: Intent| {
            if arming.take() {
                report(intent);
            }
        })
    };

    let offer = |kind| view.offer(kind).filter(|_| !props.read_only);
    let approvable = offer(OfferKind::Approve).is_some() && view.inspectable;
    let on_shortcut = {
        let decide = decide.clone();
        Callback::from(move |event: KeyboardEvent| {
            if approvable && is_approval(&event) {
                event.prevent_default();
                decide.emit(Decision::approve());
            }
        })
    };
    let on_reject = {
        let (decide, asking, seal) = (decide.clone(), asking.setter(), seal.clone());
        let at_once = offer(OfferKind::Reject).is_some_and(|offer| offer.reason == Words::None);
        Callback::from(move |()| {
            if at_once { decide.emit(Decision::reject(None)) } else { asking.set(Some(seal.clone())) }
        })
    };
    let on_cancel = {
        let asking = asking.setter();
        Callback::from(move |()| {
            returning.replace(true);
            asking.set(None);
        })
    };

    let tool = AttrValue::from(escaped(&view.tool));
    let standing = standing(view, props.now, &*messages);
    let name = messages.call_stands(&tool, &standing.text);
    let decisions = match offer(OfferKind::Reject) {
        Some(rejection) if asks => html! {
            <ReasonForm
                id={view.key.to_string()}
                tool={tool.clone()}
                words={rejection.reason}
                on_send={decide.reform(|reason: Option<String>| Decision::reject(reason.as_deref()))}
                {on_cancel}
            />
        },
        rejection => Bar {
            view,
            tool: &tool,
            approvable,
            rejection,
            armed: arming.is_armed(),
            read_only: props.read_only,
            reject,
            decide: &decide,
            resume: &resume,
            on_reject,
            messages: &*messages,
        }
        .draw(&standing),
    };
    let questions = view.questions.as_ref().filter(|_| offer(OfferKind::Answer).is_some());
    html! {
        <div
            ref={card}
            class="cs cs-card"
            part="card"
            role="group"
            tabindex="0"
            aria-label={name}
            data-status={view.status.as_str()}
            data-request={view.request.as_ref().map(ToString::to_string)}
            data-key={view.key.to_string()}
            data-changed={view.changed.then_some("")}
            onkeydown={on_shortcut}
        >
            <header class="cs-head" part="header">
                { facts::tool_name(view) }
                { facts::origin(view, &*messages) }
                { facts::badges(view, &standing, &*messages) }
            </header>
            { facts::warnings(view, &*messages) }
            if let Some(questions) = questions {
                <QuestionForm
                    id={view.key.to_string()}
                    tool={tool.clone()}
                    questions={Arc::clone(questions)}
                    on_send={decide.reform(|answers| Decision::Answer { answers })}
                />
            }
            { facts::arguments(view, &*messages) }
            { facts::claims(view, &*messages) }
            { facts::outcome(view, &*messages) }
            // Answers run nothing: their form has its own button and no digest.
            if questions.is_none() || approvable || offer(OfferKind::Reject).is_some() {
                <footer class="cs-foot">
                    { decisions }
                    <span
                        class="cs-digest"
                        part="digest"
                        role="img"
                        title={messages.digest(&view.args_digest)}
                        aria-label={messages.digest(&view.args_digest)}
                    >{ words(short_digest(&view.args_digest)) }</span>
                </footer>
            }
        </div>
    }
}

/// Whether a key means approval: Ctrl+Enter or Cmd+Enter, pressed once, not where something is typed or refused.
fn is_approval(event: &KeyboardEvent) -> bool {
    let elsewhere = event
        .target_dyn_into::<Element>()
        .is_none_or(|target| !matches!(target.closest("form, textarea, input, [data-refuses]"), Ok(None)));
    event.key() == "Enter"
        && (event.ctrl_key() || event.meta_key())
        && !event.repeat()
        && !event.is_composing()
        && !elsewhere
        && is_genuine(event)
}

/// Moves the focus without scrolling. Only after a person acted in the same place.
pub(crate) fn focus(node: &NodeRef) {
    if let Some(element) = node.cast::<HtmlElement>() {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        // Without focus everything still works.
        let _ = element.focus_with_options(&options);
    }
}
