//! One tool call that waits for a decision, or its fate.

mod decision_bar;
pub(crate) mod facts;
pub(crate) mod reason_form;

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, GrantScope, Millis, Offer, OfferKind, RequestView, Words};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::arming::{ARM_DELAY, Seal, is_genuine};
use crate::deciding::{Asking, Deciding};
use crate::digest::short_digest;
use crate::escapes::escaped;
use crate::intent::Intent;
use crate::messages::Catalogue;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage, Wording, host};
use crate::question_form::QuestionForm;
use crate::standing::{Standing, standing};
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
#[inline(never)]
pub(crate) fn same_view(one: &Rc<RequestView>, other: &Rc<RequestView>) -> bool {
    Rc::ptr_eq(one, other) || one.looks_like(other)
}

/// One card: the tool and its exact arguments, what the agent claims, and what may be decided.
///
/// # Shape
/// A group with the part `card` and the attributes `data-status`, `data-request` (the bare request id) and
/// `data-key`.
#[derive(Debug)]
pub struct ToolCallCard(Wording);

impl Component for ToolCallCard {
    type Message = Catalogue;
    type Properties = ToolCallCardProps;

    fn create(context: &Context<ToolCallCard>) -> ToolCallCard {
        ToolCallCard(Wording::of(context))
    }

    fn update(&mut self, _: &Context<ToolCallCard>, words: Catalogue) -> bool {
        self.0.replace(words);
        true
    }

    fn view(&self, context: &Context<ToolCallCard>) -> Html {
        host(Rc::new(context.props().clone()), self.0.words(), None)
    }
}

impl ToolCallCardProps {
    /// The offer of this kind, if it may be taken here.
    fn offer(&self, kind: OfferKind) -> Option<&Offer> {
        self.request.offer(kind).filter(|_| !self.read_only)
    }

    fn is_approvable(&self) -> bool {
        self.request.inspectable && self.offer(OfferKind::Approve).is_some()
    }

    /// Whether the whole tool may be allowed here; of lasting permissions only those of this reach have words.
    fn is_lasting(&self) -> bool {
        let offer = self.offer(OfferKind::ApproveAlways).filter(|_| self.request.inspectable);
        offer.is_some_and(|offer| offer.scope == Some(GrantScope::Tool))
    }

    /// What may be decided, or the form for the reason.
    fn decisions(&self, deciding: &Deciding, tool: &str, standing: &Standing, stage: &Rc<Stage>) -> Html {
        let view = &self.request;
        let seal = Seal::of(view);
        let rejection = self.offer(OfferKind::Reject);
        let respond = self.offer(OfferKind::Respond);
        let asked = match deciding.asks(&seal) {
            Some(Asking::Reason) => rejection.map(|offer| (Asking::Reason, offer.reason)),
            Some(Asking::Response) => respond.map(|_| (Asking::Response, Words::Required)),
            None => None,
        };
        if let Some((asking, words)) = asked {
            return stage.place(ReasonForm {
                asking,
                asker: Rc::clone(stage),
                id: view.key.to_string(),
                tool: Some(tool.to_owned().into()),
                words,
            });
        }
        let bar = Bar {
            view,
            tool,
            approvable: self.is_approvable(),
            lasting: self.is_lasting(),
            rejection,
            ignorable: self.offer(OfferKind::Ignore).is_some(),
            respondable: respond.is_some(),
            armed: deciding.is_armed(&seal),
            read_only: self.read_only,
            stage,
        };
        bar.draw(standing)
    }
}

impl Piece for ToolCallCardProps {
    type Memory = Deciding;

    fn same(&self, other: &ToolCallCardProps) -> bool {
        self == other
    }

    fn draw(&self, deciding: &Deciding, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let view = &*self.request;
        let tool = escaped(&view.tool);
        let standing = standing(view, self.now, messages);
        let questions = view.questions.as_ref().filter(|_| self.offer(OfferKind::Answer).is_some());
        let form = questions.map(|questions| {
            stage.place(QuestionForm {
                card: Rc::clone(stage),
                key: view.key,
                tool: tool.clone().into(),
                questions: Arc::clone(questions),
            })
        });
        // Answers run nothing: their form has its own button and no digest.
        let refuses = |kind| self.offer(kind).is_some();
        let decides = questions.is_none()
            || self.is_approvable()
            || [OfferKind::Reject, OfferKind::Respond, OfferKind::Ignore].into_iter().any(refuses);
        let foot = decides.then(|| {
            let name: AttrValue = messages.digest(&view.args_digest).into();
            let digest = digest(view, name.clone()).with(Attribute::Role, "img").text(Attribute::Label, name);
            Tag::new("footer", "cs-foot")
                .child(self.decisions(deciding, &tool, &standing, stage))
                .child(digest.html())
                .html()
        });
        let head = Tag::new("header", "cs-head")
            .part("header")
            .child(facts::tool_name(view))
            .child(facts::origin(view, stage))
            .child(facts::badges(view, &standing, stage));
        card(view, "cs cs-card", messages.call_stands(&tool, &standing.text))
            .with(Attribute::TabIndex, "0")
            .when(view.changed, Attribute::Changed, "")
            .at(stage.root())
            .on(stage, Act::Key)
            .child(head.html())
            .child(facts::warnings(view, stage))
            .optional(form)
            .child(facts::arguments(view, stage))
            .child(facts::claims(view, stage))
            .child(facts::outcome(view, stage))
            .optional(foot)
            .html()
    }

    fn act(&self, deciding: &Deciding, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        let view = &self.request;
        let seal = Seal::of(view);
        let intent = match (act, event) {
            (Act::Key, Some(event)) => {
                if self.is_approvable() && is_approval(event) {
                    event.prevent_default();
                    stage.act(&Act::Decide(Decision::approve()), None);
                }
                return false;
            }
            (Act::Undo, _) => deciding.take(&seal).then(|| Intent::Undo(view.id.clone())),
            (Act::Retry, _) => deciding.take(&seal).then(|| Intent::Retry(view.id.clone())),
            _ => {
                let words = self.offer(OfferKind::Reject).map(|offer| offer.reason).unwrap_or_default();
                let (decision, changed) = deciding.act(&seal, words, act);
                if changed {
                    return true;
                }
                let (request, seen) = (view.id.clone(), Arc::clone(&view.args_digest));
                decision.map(|decision| Intent::Decide { request, decision, seen })
            }
        };
        if let Some(intent) = intent {
            self.on_intent.emit(intent);
            stage.focus(None);
        }
        false
    }

    fn drawn(&self, deciding: &Deciding, stage: &Rc<Stage>) {
        deciding.drawn(&Seal::of(&self.request), self.arm_delay, stage, "[part=reject-button]");
    }
}

/// The outermost element of a card.
pub(crate) fn card(view: &RequestView, class: &'static str, name: String) -> Tag {
    Tag::new("div", class)
        .part("card")
        .with(Attribute::Role, "group")
        .text(Attribute::Label, name)
        .with(Attribute::Status, view.status.as_str())
        .option(Attribute::Request, view.request.as_ref().map(|id| AttrValue::from(id.as_str().to_owned())))
        .text(Attribute::Key, view.key.to_string())
}

/// The digest of the arguments, in short; `name` is the whole of it.
pub(crate) fn digest(view: &RequestView, name: AttrValue) -> Tag {
    Tag::new("span", "cs-digest")
        .part("digest")
        .text(Attribute::Title, name)
        .words(short_digest(&view.args_digest))
}

/// Whether a key means approval: Ctrl+Enter or Cmd+Enter, pressed once, not where something is typed or refused.
fn is_approval(event: &Event) -> bool {
    let key: &KeyboardEvent = event.unchecked_ref();
    key.key() == "Enter"
        && (key.ctrl_key() || key.meta_key())
        && !key.repeat()
        && !key.is_composing()
        && is_elsewhere(event) == Some(false)
        && is_genuine(event)
}

/// Whether something is typed or refused where an event happens, if that can be told.
fn is_elsewhere(event: &Event) -> Option<bool> {
    let target: Element = event.target()?.dyn_into().ok()?;
    Some(target.closest("form, textarea, input, [data-refuses]").ok()?.is_some())
}
