//! What an edit changes, wherever a page shows it.

use std::rc::Rc;
use std::sync::Arc;

use yew::prelude::*;

use super::{Part, alone};
use crate::changes::Changes;
use crate::messages::{Catalogue, use_messages};
use crate::piece::Stage;

/// Properties of [`ChangesView`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ChangesViewProps {
    /// The arguments as the agent sent them: JSON text. Untrusted.
    pub before: Arc<str>,
    /// The arguments as they were edited: JSON text. Untrusted.
    pub after: Arc<str>,
    /// The JSON Schema of the arguments, as JSON text: what it calls secret is masked. Untrusted.
    #[prop_or_default]
    pub schema: Option<Arc<str>>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// The values that differ between what an agent asked and what a person made of it, each before and after.
///
/// Of texts with several lines the lines are compared. Where nothing but spacing differs it says so, and where one of the texts
/// is no JSON. Secrets are masked on both sides.
///
/// ```
/// use std::sync::Arc;
///
/// use countersign_yew::{ChangesView, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct EditedProps {
///     asked: Arc<str>,
///     ran: Arc<str>,
/// }
///
/// #[component]
/// fn Edited(props: &EditedProps) -> Html {
///     html! { <Shadow tag="tool-changes"><ChangesView before={&props.asked} after={&props.ran} /></Shadow> }
/// }
/// ```
#[component]
pub fn ChangesView(props: &ChangesViewProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

impl Part for ChangesViewProps {
    type Memory = ();

    fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
        stage.place(Changes {
            before: Arc::clone(&self.before),
            after: Arc::clone(&self.after),
            schema: self.schema.clone(),
            held: None,
        })
    }
}
