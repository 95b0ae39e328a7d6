//! Arguments that a person edits, wherever a page lets them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{
    Decision, EditRule, Offer, OfferKind, Refusal, RequestView, RiskLevel, RiskView, Words,
};
use yew::prelude::*;

use super::opener::Opener;
use super::{Part, Place, alone};
use crate::arming::{ARM_DELAY, Seal};
use crate::controls::button;
use crate::deciding::{Asking, Deciding};
use crate::dialog::Dialog;
use crate::edit::EditDialog as Editor;
use crate::fold::spoken;
use crate::messages::{Catalogue, use_messages};
use crate::node::{Tag, list, options};
use crate::piece::{Act, Stage};
use crate::text::{around, visible};
use crate::tool_call_card::consent::consent;
use crate::tool_call_card::facts;
use crate::writing::Writing;

/// Properties of [`EditDialog`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct EditDialogProps {
    /// The tool that would run, verbatim. Untrusted.
    pub tool: Arc<str>,
    /// The arguments as they came: JSON text. Untrusted. Other ones begin a new draft.
    pub text: Arc<str>,
    /// The JSON Schema of the arguments, as JSON text: it makes the form, and what is edited must fit it. Untrusted. Absent: the
    /// form is made of the values, and whatever is unambiguous JSON fits.
    #[prop_or_default]
    pub schema: Option<Arc<str>>,
    /// What an edit does on the way to the tool, as [`RequestView::edits`] says. Absent: the edited text takes the place of the
    /// whole.
    #[prop_or_default]
    pub edits: Option<EditRule>,
    /// How much care the call needs as it came, as [`RequestView::risk`] says; an edit never needs less. Absent: what the edited
    /// arguments alone say.
    #[prop_or_default]
    pub risk: RiskView,
    /// How long the button that sends is inert after the dialog opened, in milliseconds; at least 300 and at most 3000.
    #[prop_or(ARM_DELAY)]
    pub arm_delay: u32,
    /// A person approved a run with this text: every byte that they did not change is as it came.
    pub on_edit: Callback<Arc<str>>,
    /// A person changed their mind: the dialog is to be taken away.
    pub on_cancel: Callback<()>,
    /// The button was pressed and must not act, as by a script or under something else: for the host to know.
    #[prop_or_default]
    pub on_refused: Callback<Refusal>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// The dialog in which a person changes arguments before they run: as a form or as JSON, with what is wrong told at its place, and what
/// differs shown before it is sent.
///
/// It is open as long as it is drawn; what was typed goes when it does, and the focus returns to what had it before. Its button says “Approve with changes”, so report the
/// text as an approval of exactly that. The safeguards are those of a card: the button acts once it was in view and uncovered for a
/// while, for a person's press, and once: until the text is another, or for two seconds. What is of high risk is asked
/// about a second time. Unchanged arguments are not sent, nor any that do not fit the schema. Where `text` cannot be read without
/// doubt the dialog shows it and says so, and nothing can be edited or sent.
///
/// ```
/// use std::sync::Arc;
///
/// use countersign_yew::{EditDialog, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct PayProps {
///     tool: Arc<str>,
///     arguments: Arc<str>,
///     on_edit: Callback<Arc<str>>,
///     on_close: Callback<()>,
/// }
///
/// #[component]
/// fn Pay(props: &PayProps) -> Html {
///     html! {
///         <Shadow tag="tool-edit">
///             <EditDialog tool={&props.tool} text={&props.arguments} on_edit={&props.on_edit} on_cancel={&props.on_close} />
///         </Shadow>
///     }
/// }
/// ```
#[component]
pub fn EditDialog(props: &EditDialogProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

/// The call that is edited, as its properties describe it, and the way to a decision.
#[derive(Default)]
pub(super) struct Desk {
    place: Place,
    opener: Opener,
    view: RefCell<Option<Rc<RequestView>>>,
    deciding: Deciding,
}

impl EditDialogProps {
    fn view(&self, desk: &Desk) -> Rc<RequestView> {
        let mut known = desk.view.borrow_mut();
        let is_known = |view: &&Rc<RequestView>| {
            view.tool == self.tool
                && view.args_text == self.text
                && view.args_schema == self.schema
                && view.edits == self.edits
                && view.risk == self.risk
        };
        if let Some(view) = known.as_ref().filter(is_known) {
            return Rc::clone(view);
        }
        let view = Rc::new(RequestView {
            offers: vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Edit)],
            edits: self.edits,
            risk: self.risk.clone(),
            args_schema: self.schema.clone(),
            ..RequestView::of_call(desk.place.0, Arc::clone(&self.tool), Arc::clone(&self.text))
        });
        *known = Some(Rc::clone(&view));
        view
    }
}

impl Part for EditDialogProps {
    type Memory = Desk;

    fn draw(&self, desk: &Desk, stage: &Rc<Stage>) -> Html {
        desk.opener.note();
        let (view, deciding) = (self.view(desk), &desk.deciding);
        if !view.inspectable {
            return unreadable(&view, stage);
        }
        let (seal, tool, writing) = (Seal::of(&view), spoken(&view.tool), Writing::default());
        if deciding.asks(&seal) != Some(Asking::Edit) {
            deciding.act(&seal, Words::None, &Act::Edit);
        }
        let consent = deciding.confirms(&seal).map(|decision| {
            let risk = risk_of(&view, &decision);
            let guard = &deciding.confirmation;
            consent(&view, &decision, &risk, guard, self.arm_delay, Html::default(), stage)
        });
        let editor = stage.place(Editor {
            card: Rc::clone(stage),
            view,
            editing: Rc::clone(&deciding.editing.borrow()),
            tool: tool.into(),
            writing,
            arm_delay: self.arm_delay,
            refused: None,
            hurry: Html::default(),
        });
        options([Some(editor), consent])
    }

    fn act(&self, desk: &Desk, _: &Rc<Stage>, act: &Act) -> bool {
        let (view, deciding) = (self.view(desk), &desk.deciding);
        let seal = Seal::of(&view);
        match act {
            Act::Refused(refusal) => self.on_refused.emit(refusal.clone()),
            Act::Cancel if deciding.confirms(&seal).is_none() => self.on_cancel.emit(()),
            // As on a card: asked twice, with everything that will run.
            Act::Decide(decision) if risk_of(&view, decision).level == RiskLevel::High => {
                deciding.confirm(&seal, decision.clone());
                return true;
            }
            _ => {
                let (decision, changed) = deciding.act(&seal, Words::None, act);
                if let Some(Decision::Edit { args, .. }) = decision {
                    self.on_edit.emit(args.shared());
                }
                // The question that was answered closes.
                return changed || matches!(act, Act::Confirm);
            }
        }
        false
    }

    fn drawn(&self, desk: &Desk, stage: &Rc<Stage>) {
        let seal = Seal::of(&self.view(desk));
        desk.deciding.drawn(&seal, self.arm_delay, stage, "");
    }
}

/// The dialog in the place of the one that edits: as on a card, what cannot be read without doubt is not edited either.
fn unreadable(view: &RequestView, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    let tool = Tag::new("code", "cs-code").child(visible(&view.tool)).html();
    stage.place(Dialog {
        asker: Rc::clone(stage),
        id: view.key.to_string(),
        alert: false,
        wide: true,
        title: around(&messages.edit_title(), tool),
        body: list(vec![facts::warnings(view, false, false, stage), facts::arguments(view, false, stage)]),
        foot: button("cancel-button", "cs-button", messages.cancel(), stage, Act::Cancel).html(),
        first: "[part=cancel-button]",
        tells: false,
    })
}

/// How much care the call needs as it would run by this decision.
fn risk_of(view: &RequestView, decision: &Decision) -> RiskView {
    match decision {
        Decision::Edit { args, .. } => Writing::default().edit_risk(view, &args.shared()),
        _ => view.risk.clone(),
    }
}
