//! Words in the place of a result, wherever a page asks for them.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, Words};
use yew::prelude::*;

use super::reject_form::Typed;
use super::{Part, alone};
use crate::arming::Seal;
use crate::deciding::Asking;
use crate::fold::spoken;
use crate::messages::{Catalogue, use_messages};
use crate::piece::{Act, Stage};
use crate::tool_call_card::reason_form::ReasonForm;
use crate::writing::Writing;

/// Properties of [`RespondDialog`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct RespondDialogProps {
    /// The tool that does not run, verbatim. Untrusted.
    pub tool: Arc<str>,
    /// How many characters there is room for.
    #[prop_or_default]
    pub writing: Writing,
    /// A person wrote what the agent gets: the words, verbatim.
    pub on_respond: Callback<Arc<str>>,
    /// A person changed their mind: the dialog is to be taken away.
    pub on_cancel: Callback<()>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// The dialog in which a person writes what the agent gets instead of a result.
///
/// It is open as long as it is drawn; then the focus returns to what had it before. Give it the call's id as `key`, or words that were typed for one call stand there for the
/// next. A reply runs nothing, so the button need not wait; a press counts only as a person's, and once: until the
/// dialog is drawn anew, or for two seconds.
///
/// ```
/// use std::sync::Arc;
///
/// use countersign_yew::{RespondDialog, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct ReplyProps {
///     tool: Arc<str>,
///     on_respond: Callback<Arc<str>>,
///     on_close: Callback<()>,
/// }
///
/// #[component]
/// fn Reply(props: &ReplyProps) -> Html {
///     html! {
///         <Shadow tag="tool-reply">
///             <RespondDialog tool={&props.tool} on_respond={&props.on_respond} on_cancel={&props.on_close} />
///         </Shadow>
///     }
/// }
/// ```
#[component]
pub fn RespondDialog(props: &RespondDialogProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

impl Part for RespondDialogProps {
    type Memory = Typed;

    fn draw(&self, typed: &Typed, stage: &Rc<Stage>) -> Html {
        typed.opener.note();
        let key = typed.place.0;
        stage.place(ReasonForm {
            asking: Asking::Response,
            asker: Rc::clone(stage),
            id: key.to_string(),
            tool: Some(spoken(&self.tool).into()),
            words: Words::Required,
            writing: self.writing.clone(),
            said: typed.deciding.said(key),
            hurry: Html::default(),
        })
    }

    fn act(&self, typed: &Typed, _: &Rc<Stage>, act: &Act) -> bool {
        if matches!(act, Act::Cancel) {
            self.on_cancel.emit(());
        } else if let (Some(Decision::Respond { text }), _) =
            typed.deciding.act(&Seal::all([]), Words::Required, act)
        {
            self.on_respond.emit(text);
        }
        false
    }
}
