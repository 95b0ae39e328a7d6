//! What was decided before, wherever a page lists it.

use std::rc::Rc;

use countersign_core::RequestView;
use yew::prelude::*;

use super::{Part, alone};
use crate::inbox_panel::history::History as Rows;
use crate::inbox_panel::waits;
use crate::intent::Intent;
use crate::messages::{Catalogue, use_messages};
use crate::piece::Stage;

/// Properties of [`History`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct HistoryProps {
    /// Calls in the order in which they are shown; those that still wait for somebody are left out.
    pub requests: Rc<[Rc<RequestView>]>,
    /// A person wants to save the record of all decisions, as [`Inbox::audit`](countersign_core::Inbox::audit) has it.
    pub on_export: Callback<()>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// The calls that need nobody any more, a line each that opens to everything known of it, newest last; from six calls on they can
/// be searched. Nothing is drawn where there is none.
///
/// ```
/// use std::rc::Rc;
///
/// use countersign_core::RequestView;
/// use countersign_yew::{History, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct PastProps {
///     calls: Rc<[Rc<RequestView>]>,
///     on_export: Callback<()>,
/// }
///
/// #[component]
/// fn Past(props: &PastProps) -> Html {
///     html! { <Shadow tag="tool-history"><History requests={&props.calls} on_export={&props.on_export} /></Shadow> }
/// }
/// ```
#[component]
pub fn History(props: &HistoryProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

impl Part for HistoryProps {
    type Memory = ();

    fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
        let past: Vec<_> = self.requests.iter().filter(|view| !waits(view)).cloned().collect();
        if past.is_empty() {
            return Html::default();
        }
        stage.place(Rows { past, on_intent: self.on_export.reform(|_: Intent| ()) })
    }
}
