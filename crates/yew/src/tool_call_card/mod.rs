//! One tool call that waits for a decision, or its fate.

pub(crate) mod consent;
mod decision_bar;
mod end_run;
pub(crate) mod facts;
pub(crate) mod reason_form;
pub(crate) mod risk;

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{
    Decision, Millis, Offer, OfferKind, RequestView, RiskLevel, RiskView, Shown, Status, Words,
};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::arming::{ARM_DELAY, Seal, is_genuine};
use crate::controls::button;
use crate::deciding::{Asking, Deciding, Said};
use crate::digest::short_digest;
use crate::edit::{EditDialog, Editing, Editings};
use crate::fold::{spoken, spoken_tool};
use crate::grant_dialog::{GrantDialog, may_last};
use crate::granting::Granting;
use crate::intent::{Intent, Refused};
use crate::messages::Catalogue;
use crate::node::{Attribute, Tag, list, options, words};
use crate::piece::{Act, Piece, Stage, Wording, host};
use crate::question_form::QuestionForm;
use crate::renderers::Renderers;
use crate::shortcuts::{Shortcut, Shortcuts};
use crate::status_badge::{elsewhere, heard, is_late, status_badge};
use crate::variants::Tone;
use crate::writing::Writing;
use decision_bar::Bar;
use end_run::end_run;
use facts::warning;
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
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
    /// How long an approval is inert after the card appeared or changed, in milliseconds.
    #[prop_or(ARM_DELAY)]
    pub arm_delay: u32,
    /// What the page draws of the call in addition.
    #[prop_or_default]
    pub renderers: Renderers,
    /// What people may allow for longer than this call; absent: only what the backend itself would remember.
    #[prop_or_default]
    pub granting: Option<Granting>,
    /// The keys that act while the focus is within the card.
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
    /// The draft of other arguments where it outlives the card; it belongs to the card's key.
    #[prop_or_default]
    pub(crate) editing: Option<Rc<Editing>>,
    /// What was begun on all calls that are shown here, where that is not shared further.
    #[prop_or_default]
    pub(crate) editings: Option<Rc<Editings>>,
}

impl PartialEq for ToolCallCardProps {
    fn eq(&self, other: &ToolCallCardProps) -> bool {
        let timed = self.request.expires_at.is_some() || self.request.sends_at.is_some();
        same_view(&self.request, &other.request)
            && self.read_only == other.read_only
            && self.on_intent == other.on_intent
            && (self.now == other.now || !timed)
            && self.messages == other.messages
            && self.arm_delay == other.arm_delay
            && self.renderers == other.renderers
            && (self.renderers.is_empty() || self.request.batch == other.request.batch)
            && self.granting == other.granting
            && self.shortcuts == other.shortcuts
            && self.extendable == other.extendable
            && self.writing == other.writing
            && self.refusal() == other.refusal()
    }
}

/// Whether two views draw the same card.
#[inline(never)]
pub(crate) fn same_view(one: &Rc<RequestView>, other: &Rc<RequestView>) -> bool {
    Rc::ptr_eq(one, other) || one.looks_like(other)
}

/// Whether two lists of views draw the same cards.
#[inline(never)]
pub(crate) fn same_views(some: &[Rc<RequestView>], others: &[Rc<RequestView>]) -> bool {
    std::ptr::eq(some, others)
        || (some.len() == others.len() && some.iter().zip(others).all(|(one, other)| same_view(one, other)))
}

/// One card: the tool and its exact arguments, what the agent claims, and what may be decided.
///
/// # Shape
/// A group with the part `card` and the attributes `data-status`, `data-request` (the bare request id) and
/// `data-key`.
///
/// ```
/// use std::rc::Rc;
///
/// use countersign_core::RequestView;
/// use countersign_yew::{Intent, Shadow, ToolCallCard};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct CallProps {
///     call: Rc<RequestView>,
///     on_intent: Callback<Intent>,
/// }
///
/// #[component]
/// fn Call(props: &CallProps) -> Html {
///     html! { <Shadow tag="countersign-card"><ToolCallCard request={&props.call} on_intent={&props.on_intent} /></Shadow> }
/// }
/// ```
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
        let props = context.props();
        host(Rc::new(props.clone()), props.messages.as_ref().unwrap_or(self.0.words()), None)
    }
}

impl ToolCallCardProps {
    /// The offer of this kind, if it may be taken here.
    fn offer(&self, kind: OfferKind) -> Option<&Offer> {
        self.request.offer(kind).filter(|_| !self.read_only)
    }

    /// That little time is left, once four fifths of it are gone.
    fn hurry(&self, stage: &Rc<Stage>) -> Option<Html> {
        let view = &self.request;
        // What is a draft then is lost.
        if !matches!(view.status, Status::Pending | Status::Drafted) || !is_late(view, self.now?) {
            return None;
        }
        let messages = stage.messages();
        let more = (self.extendable && !self.read_only).then(|| {
            let label = messages.more_time();
            let name = messages.act_on(&label, &spoken(&view.tool));
            button("extend-button", "cs-more", label, stage, Act::Extend).named(name).html()
        });
        let text = list(vec![words(messages.little_time()), words(" "), more.unwrap_or_default()]);
        let note = facts::warning(Tone::Attention, text).with(Attribute::Note, "expires").html();
        let refusal = self.refusal().filter(|refused| refused.more_time).map(|refused| {
            warning(Tone::Bad, facts::claimed(&messages.no_more_time(), &refused.message, stage))
                .with(Attribute::Role, "alert")
                .part("refusal")
                .html()
        });
        Some(options([Some(note), refusal]))
    }

    /// The same in a dialog, from behind which nothing is heard.
    fn hurried(&self, stage: &Rc<Stage>) -> Html {
        Tag::new("div", "").with(Attribute::Live, "polite").optional(self.hurry(stage)).html()
    }

    /// The last refusal, if it is about this card.
    fn refusal(&self) -> Option<&Rc<Refused>> {
        self.refused.as_ref().filter(|refused| refused.request == self.request.id)
    }

    /// Whether other arguments may be sent from here.
    fn is_editable(&self) -> bool {
        self.request.inspectable && self.offer(OfferKind::Edit).is_some()
    }

    fn is_approvable(&self) -> bool {
        self.request.inspectable && self.offer(OfferKind::Approve).is_some()
    }

    /// How much care the call needs as it would run by this decision.
    fn risk_of(&self, decision: &Decision) -> RiskView {
        match decision {
            Decision::Edit { args, .. } => self.writing.edit_risk(&self.request, &args.shared()),
            _ => self.request.risk.clone(),
        }
    }

    /// Whether more than this call may be allowed, here or by the backend.
    fn is_lasting(&self) -> bool {
        let view = &self.request;
        !self.read_only
            && view.inspectable
            && !view.changed
            && !view.is_high_risk()
            && may_last(view, self.granting.is_some())
    }

    /// What may be decided, or the form for the reason.
    fn decisions(&self, deciding: &Deciding, tool: &str, stage: &Rc<Stage>) -> Html {
        let view = &self.request;
        let seal = Seal::of(view);
        let rejection = self.offer(OfferKind::Reject);
        let respond = self.offer(OfferKind::Respond);
        let asks = deciding.asks(&seal);
        let form = |asking, words| {
            let said = self.said(deciding);
            said.recall(view, &self.writing.drafts);
            stage.place(ReasonForm {
                asking,
                asker: Rc::clone(stage),
                id: view.key.to_string(),
                tool: Some(tool.to_owned().into()),
                words,
                writing: self.writing.clone(),
                said,
                hurry: self.hurried(stage),
            })
        };
        if let (Some(Asking::Reason), Some(offer)) = (asks, rejection) {
            return form(Asking::Reason, offer.reason);
        }
        let dialog = match asks {
            Some(Asking::Response) => respond.map(|_| form(Asking::Response, Words::Required)),
            Some(Asking::Edit) if self.is_editable() => Some(self.edit(deciding, tool, stage)),
            Some(Asking::End) if self.offer(OfferKind::Cancel).is_some() => {
                Some(end_run(&view.key.to_string(), tool, self.hurried(stage), stage))
            }
            Some(Asking::Grant) if self.is_lasting() => Some(stage.place(GrantDialog {
                card: Rc::clone(stage),
                view: Rc::clone(view),
                granting: self.granting.clone(),
                on_intent: self.on_intent.clone(),
                arm_delay: self.arm_delay,
                writing: self.writing.clone(),
                editings: self.editings().cloned(),
                hurry: self.hurried(stage),
            })),
            _ => None,
        };
        let bar = Bar {
            view,
            tool,
            approvable: self.is_approvable(),
            lasting: self.is_lasting(),
            rejection,
            ignorable: self.offer(OfferKind::Ignore).is_some(),
            respondable: respond.is_some(),
            editable: self.is_editable(),
            endable: self.offer(OfferKind::Cancel).is_some(),
            deciding,
            arm_delay: self.arm_delay,
            now: self.now,
            read_only: self.read_only,
            stage,
        };
        options([Some(bar.draw()), dialog])
    }

    /// The draft of other arguments.
    fn editing(&self, deciding: &Deciding) -> Rc<Editing> {
        self.editing.clone().unwrap_or_else(|| Rc::clone(&deciding.editing.borrow()))
    }

    /// What was said for the call.
    fn said(&self, deciding: &Deciding) -> Rc<Said> {
        let key = self.request.key;
        let said = self.editings().map_or_else(|| deciding.said(key), |begun| begun.said().of(key));
        said.turn_to(&self.request);
        said
    }

    fn editings(&self) -> Option<&Rc<Editings>> {
        self.editings.as_ref().or(self.writing.drafts.open())
    }

    /// Finds the draft where others have it too, and hears of it from now on.
    fn join(&self, deciding: &Deciding, stage: &Stage) {
        let key = self.request.key;
        if let Some(shared) = self.writing.drafts.open().filter(|_| self.editing.is_none()) {
            deciding.editing.replace(shared.of(key));
        }
        let editing = self.editing(deciding);
        editing.tell(deciding.ear.get_or_init(|| Rc::new(stage.redrawing())));
        editing.forget(&self.request, &self.writing.drafts);
    }

    fn edit(&self, deciding: &Deciding, tool: &str, stage: &Rc<Stage>) -> Html {
        stage.place(EditDialog {
            card: Rc::clone(stage),
            view: Rc::clone(&self.request),
            editing: self.editing(deciding),
            tool: tool.to_owned().into(),
            writing: self.writing.clone(),
            arm_delay: self.arm_delay,
            refused: self.refusal().cloned(),
            hurry: self.hurried(stage),
        })
    }

    /// That other arguments were begun and not sent.
    fn draft(&self, deciding: &Deciding, stage: &Rc<Stage>) -> Option<Html> {
        let messages = stage.messages();
        let open = deciding.asks(&Seal::of(&self.request)) == Some(Asking::Edit);
        if open || !self.is_editable() || !self.editing(deciding).is_kept(&self.request, &self.writing.drafts)
        {
            return None;
        }
        let go_on = button("continue-button", "cs-tool-button", messages.edit_continue(), stage, Act::Edit);
        let discard =
            button("discard-button", "cs-tool-button", messages.edit_discard(), stage, Act::Discard);
        let note = warning(Tone::Attention, words(messages.edit_kept()))
            .with(Attribute::Note, "draft")
            .words(" ")
            .child(go_on.html())
            .words(" ")
            .child(discard.html());
        Some(note.html())
    }
}

impl Piece for ToolCallCardProps {
    type Memory = Deciding;

    fn same(&self, other: &ToolCallCardProps) -> bool {
        self == other
    }

    fn draw(&self, deciding: &Deciding, stage: &Rc<Stage>) -> Html {
        self.join(deciding, stage);
        deciding.draws(stage);
        deciding.follow(&Seal::of(&self.request));
        let messages = stage.messages();
        let view = &*self.request;
        let tool = spoken_tool(view, messages);
        let status_badge = status_badge(view, self.now, messages);
        let questions = view.questions.as_ref().filter(|_| self.offer(OfferKind::Answer).is_some());
        let form = questions.map(|questions| {
            stage.place(QuestionForm {
                card: Rc::clone(stage),
                key: view.key,
                tool: tool.clone().into(),
                questions: Arc::clone(questions),
                said: self.said(deciding),
            })
        });
        // Answers run nothing: their form has its own button and no digest.
        let refuses = |kind| self.offer(kind).is_some();
        let decides = questions.is_none()
            || self.is_approvable()
            || [OfferKind::Reject, OfferKind::Respond, OfferKind::Ignore, OfferKind::Cancel]
                .into_iter()
                .any(refuses);
        let foot = decides.then(|| {
            // Heard as short as it is seen.
            let name = messages.digest(&short_digest(&view.args_digest));
            let digest = digest(view, stage).with(Attribute::Role, "img").text(Attribute::Label, name);
            Tag::new("footer", "cs-foot")
                .child(self.decisions(deciding, &tool, stage))
                .child(digest.html())
                .html()
        });
        // Whoever listens goes from card to card by their headings.
        let name = facts::tool_name(view, stage).with(Attribute::Role, "heading").with(Attribute::Level, "2");
        let head = Tag::new("header", "cs-head")
            .part("header")
            .child(Tag::new("div", "cs-name").child(name.html()).child(facts::origin(view, stage)).html())
            .child(facts::badges(view, &status_badge, stage));
        let consent = deciding.confirms(&Seal::of(view)).map(|decision| {
            let risk = self.risk_of(&decision);
            let (guard, hurry) = (&deciding.confirmation, self.hurried(stage));
            consent::consent(view, &decision, &risk, guard, self.arm_delay, hurry, stage)
        });
        card(view, "cs cs-card", heard(view, &tool, messages))
            .with(Attribute::TabIndex, "0")
            .spoken(messages)
            .when(view.changed, Attribute::Changed, "")
            .at(stage.root())
            .on(stage, Act::Key)
            .child(head.html())
            .child(facts::warnings(view, true, self.editing(deciding).is_lost(view), stage))
            .optional(self.hurry(stage))
            .child(risk::risk(&view.risk, Some(facts::id(view, "risk")), stage))
            .optional(form)
            .optional(self.renderers.place(&self.request, stage))
            .child(facts::arguments(view, true, stage))
            .child(facts::claims(view, stage))
            .child(facts::outcome(view, stage))
            .optional(elsewhere(view, messages).map(|how| facts::fact(words(how)).html()))
            .optional(self.draft(deciding, stage))
            .optional(foot)
            .optional(consent)
            .html()
    }

    fn act(&self, deciding: &Deciding, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        let view = &self.request;
        let seal = Seal::of(view);
        let intent = match (act, event) {
            (Act::Key, Some(event)) => {
                if self.is_editable() && is_edit(self.shortcuts.edit.as_ref(), event) {
                    event.prevent_default();
                    return deciding.act(&seal, Words::None, &Act::Edit).1;
                }
                if self.is_approvable() && is_pressed(self.shortcuts.approve.as_ref(), event) {
                    event.prevent_default();
                    let name = stage.messages().act_on(&stage.messages().approve(), &spoken(&view.tool));
                    match deciding.approval.check(&name) {
                        Ok(true) => stage.act(&Act::Decide(Decision::approve()), None),
                        Ok(false) => {}
                        Err(refusal) => self.on_intent.emit(Intent::Refused(refusal)),
                    }
                }
                return false;
            }
            (Act::Refused(refusal), _) => {
                self.on_intent.emit(Intent::Refused(refusal.clone()));
                return false;
            }
            // What is of high risk is asked twice, with everything that will run.
            (Act::Decide(decision), _)
                if decision.kind().runs() && self.risk_of(decision).level == RiskLevel::High =>
            {
                deciding.confirm(&seal, decision.clone());
                return true;
            }
            (Act::Extend, _) => {
                self.on_intent.emit(Intent::Extend(view.id.clone()));
                return false;
            }
            (Act::Discard, _) => {
                self.editing(deciding).discard(view, &self.writing.drafts);
                self.editing(deciding).leave();
                stage.focus(Some("[part=edit-button]"));
                return true;
            }
            (Act::Undo, _) => deciding.take(&seal).then(|| Intent::Undo(view.id.clone())),
            (Act::Retry, _) => deciding.take(&seal).then(|| Intent::Retry(view.id.clone())),
            _ => {
                let words = self.offer(OfferKind::Reject).map(|offer| offer.reason).unwrap_or_default();
                let (decision, changed) = deciding.act(&seal, words, act);
                if changed {
                    self.editing(deciding).leave();
                    return true;
                }
                let (request, seen) = (view.id.clone(), Shown::of(view));
                if let Some(Decision::Edit { .. }) = decision {
                    self.editing(deciding).leave();
                }
                decision.map(|decision| Intent::Decide { request, decision, seen })
            }
        };
        if let Some(intent) = intent {
            self.on_intent.emit(intent);
            stage.focus(None);
        }
        // The question that was answered closes.
        matches!(act, Act::Confirm)
    }

    fn drawn(&self, deciding: &Deciding, stage: &Rc<Stage>) {
        let seal = Seal::of(&self.request);
        deciding.hear(self.refusal());
        deciding.drawn(&seal, self.arm_delay, stage, "[part=reject-button]");
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

/// The digest of the arguments, in short; the whole of it is its title.
pub(crate) fn digest(view: &RequestView, stage: &Stage) -> Tag {
    Tag::new("span", "cs-digest")
        .part("digest")
        .text(Attribute::Title, stage.messages().digest(&view.args_digest))
        .words(short_digest(&view.args_digest))
}

/// Whether a key is this shortcut, pressed by a person where nothing is typed or refused.
pub(crate) fn is_pressed(shortcut: Option<&Shortcut>, event: &Event) -> bool {
    shortcut.is_some_and(|shortcut| shortcut.is(event.unchecked_ref()))
        && is_elsewhere(event) == Some(false)
        && is_genuine(event)
}

/// Whether a key opens the editing of the arguments, pressed by a person, also where something is typed.
fn is_edit(shortcut: Option<&Shortcut>, event: &Event) -> bool {
    shortcut.is_some_and(|shortcut| shortcut.is(event.unchecked_ref()))
        && is_elsewhere(event).is_some()
        && is_genuine(event)
}

/// Whether something is typed or refused where an event happens, if that can be told.
fn is_elsewhere(event: &Event) -> Option<bool> {
    let target: Element = event.target()?.dyn_into().ok()?;
    Some(target.closest("form, textarea, input, [data-refuses]").ok()?.is_some())
}

#[cfg(test)]
mod tests {
    use countersign_core::{BatchId, BatchView};

    use super::*;
    use crate::testing::call;

    #[test]
    fn how_many_of_a_batch_are_decided_is_seen_on_what_waits_for_the_others_only() {
        let view = |status, decided| {
            let batch = BatchView { id: BatchId::from("b"), size: 3, decided, rejects_all: false };
            Rc::new(RequestView { status, batch: Some(batch), ..call(1, "rm", "{}") })
        };
        let (pending, drafted) = (Status::Pending, Status::Drafted);
        assert!(same_view(&view(pending, 0), &view(pending, 1)));
        assert_ne!(view(pending, 0), view(pending, 1));
        assert!(!same_view(&view(drafted, 1), &view(drafted, 2)));
        assert!(!same_view(&view(pending, 0), &view(drafted, 0)));
    }
}
