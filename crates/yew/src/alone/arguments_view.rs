//! The arguments of a call, wherever a page shows them.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::RequestView;
use yew::prelude::*;

use super::{Part, alone};
use crate::messages::{Catalogue, use_messages};
use crate::piece::Stage;
use crate::tool_call_card::facts;

/// Properties of [`ArgumentsView`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ArgumentsViewProps {
    /// The exact text, as it came: JSON, at best an object. Untrusted. What is no JSON is shown all the same.
    pub text: Arc<str>,
    /// The JSON Schema of the arguments, as JSON text: what it calls secret (`writeOnly`, the format `password`) is masked.
    /// Untrusted. Absent: names and values alone tell what is secret.
    #[prop_or_default]
    pub schema: Option<Arc<str>>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// The arguments of a call as the card shows them: as a tree or exactly as they came, and below what is noteworthy about them.
///
/// Numbers keep their digits and members their order, invisible characters and those that change the direction are made
/// visible, what is long is folded with an exact count, secrets are masked until a person reveals them. It decides nothing
/// and reports nothing.
///
/// ```
/// use std::sync::Arc;
///
/// use countersign_yew::{ArgumentsView, Shadow};
/// use yew::prelude::*;
///
/// #[component]
/// fn Call() -> Html {
///     let text: Arc<str> = Arc::from(r#"{"amount": 12.50, "reference": 2512292042121000001}"#);
///     html! { <Shadow tag="tool-arguments"><ArgumentsView {text} /></Shadow> }
/// }
/// ```
#[component]
pub fn ArgumentsView(props: &ArgumentsViewProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

impl Part for ArgumentsViewProps {
    type Memory = ();

    fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
        let args_schema = self.schema.clone();
        let view = RequestView { args_schema, ..RequestView::of_call(0, "", Arc::clone(&self.text)) };
        facts::arguments(&view, false, stage)
    }
}
