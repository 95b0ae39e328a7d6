//! Why a call is rejected, wherever a page asks for it.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, Words};
use yew::prelude::*;

use super::opener::Opener;
use super::{Part, Place, alone};
use crate::arming::Seal;
use crate::deciding::{Asking, Deciding};
use crate::fold::spoken;
use crate::messages::{Catalogue, use_messages};
use crate::piece::{Act, Stage};
use crate::tool_call_card::reason_form::ReasonForm;
use crate::writing::Writing;

/// Properties of [`RejectForm`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct RejectFormProps {
    /// The tool, verbatim: the button names it to those who do not see what stands around it. Untrusted. Absent: several
    /// calls are rejected.
    #[prop_or_default]
    pub tool: Option<Arc<str>>,
    /// What becomes of the words, as [`Offer::reason`](countersign_core::Offer::reason) says: the form tells it. Where they
    /// are required the button waits for them. With [`Words::None`] nobody would read them: ask for none, and reject at once.
    #[prop_or(Words::Sent)]
    pub words: Words,
    /// How many characters there is room for, and which reasons are offered.
    #[prop_or_default]
    pub writing: Writing,
    /// A person rejected it: with these words, verbatim, or without any.
    pub on_reject: Callback<Option<Arc<str>>>,
    /// A person changed their mind: the form is to be taken away.
    pub on_cancel: Callback<()>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// The form in which a person says why a call must not run.
///
/// Draw it when somebody wants to reject: it comes into view and takes the focus, which returns when it is taken away. Give it the call's id as `key`, or words that
/// were typed for one call stand there for the next. A rejection runs nothing, so the button need not wait; a press
/// counts only as a person's, and once: until the form is drawn anew, or for two seconds.
///
/// ```
/// use std::sync::Arc;
///
/// use countersign_core::Words;
/// use countersign_yew::{RejectForm, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct NoProps {
///     tool: Arc<str>,
///     on_reject: Callback<Option<Arc<str>>>,
///     on_cancel: Callback<()>,
/// }
///
/// #[component]
/// fn No(props: &NoProps) -> Html {
///     html! {
///         <Shadow tag="tool-rejection">
///             <RejectForm tool={&props.tool} words={Words::Required} on_reject={&props.on_reject} on_cancel={&props.on_cancel} />
///         </Shadow>
///     }
/// }
/// ```
#[component]
pub fn RejectForm(props: &RejectFormProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

/// What was typed, and whether it was sent.
#[derive(Default)]
pub(super) struct Typed {
    pub(super) deciding: Deciding,
    pub(super) opener: Opener,
    pub(super) place: Place,
}

impl Part for RejectFormProps {
    type Memory = Typed;

    fn draw(&self, typed: &Typed, stage: &Rc<Stage>) -> Html {
        typed.opener.note();
        let key = typed.place.0;
        stage.place(ReasonForm {
            asking: Asking::Reason,
            asker: Rc::clone(stage),
            id: key.to_string(),
            tool: self.tool.as_deref().map(|tool| spoken(tool).into()),
            words: self.words,
            writing: self.writing.clone(),
            said: typed.deciding.said(key),
            hurry: Html::default(),
        })
    }

    fn act(&self, typed: &Typed, _: &Rc<Stage>, act: &Act) -> bool {
        if matches!(act, Act::Cancel) {
            self.on_cancel.emit(());
        } else if let (Some(Decision::Reject { reason, .. }), _) =
            typed.deciding.act(&Seal::all([]), self.words, act)
        {
            self.on_reject.emit(reason);
        }
        false
    }
}
