//! Where a call stands, in a line of the page.

use std::rc::Rc;

use countersign_core::{Millis, RequestView};
use yew::prelude::*;

use super::{Part, alone};
use crate::messages::{Catalogue, use_messages};
use crate::piece::Stage;
use crate::status_badge::status_badge;
use crate::tool_call_card::facts;

/// Properties of [`StatusBadge`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct StatusBadgeProps {
    /// The call.
    pub request: Rc<RequestView>,
    /// The moment for which countdowns are drawn; absent: no countdowns.
    #[prop_or_default]
    pub now: Option<Millis>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// Where a call stands, and whether a rule decided it, in words and a colour. It stands within a line: give the tag of its
/// [`Shadow`](crate::Shadow), which is a block, the style `display: inline-block`.
///
/// ```
/// use std::rc::Rc;
///
/// use countersign_core::RequestView;
/// use countersign_yew::{Shadow, StatusBadge};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct StepProps {
///     call: Rc<RequestView>,
/// }
///
/// #[component]
/// fn Step(props: &StepProps) -> Html {
///     html! { <Shadow tag="tool-status"><StatusBadge request={&props.call} /></Shadow> }
/// }
/// ```
#[component]
pub fn StatusBadge(props: &StatusBadgeProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

impl Part for StatusBadgeProps {
    type Memory = ();

    const INLINE: bool = true;

    fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
        facts::badges(&self.request, &status_badge(&self.request, self.now, stage.messages()), stage)
    }
}
