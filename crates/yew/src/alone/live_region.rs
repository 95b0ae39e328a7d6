//! What happens to calls, said to people who do not see it.

use std::rc::Rc;

use countersign_core::{Millis, RequestView};
use yew::prelude::*;

use super::{Part, alone};
use crate::inbox_panel::live_region::LiveRegion as Region;
use crate::messages::{Catalogue, use_messages};
use crate::piece::Stage;

/// Properties of [`LiveRegion`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct LiveRegionProps {
    /// Every call of the conversation, in the order in which they are shown.
    pub requests: Rc<[Rc<RequestView>]>,
    /// The present moment; absent: nothing is said of calls that are about to expire.
    #[prop_or_default]
    pub now: Option<Millis>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// Tells people who do not see the page what arrived and what came of it: tools and counts, never arguments.
///
/// For a page that puts cards, [`BatchBar`](crate::BatchBar) and [`History`](crate::History) together by itself: one for each
/// conversation, there from the start. [`InboxPanel`](crate::InboxPanel) has its own. Nothing of it is seen.
///
/// ```
/// use std::rc::Rc;
///
/// use countersign_core::RequestView;
/// use countersign_yew::{LiveRegion, Shadow, ToolCallCard};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct ChatProps {
///     calls: Rc<[Rc<RequestView>]>,
/// }
///
/// #[component]
/// fn Chat(props: &ChatProps) -> Html {
///     html! {
///         <Shadow tag="tool-calls">
///             <div>{ for props.calls.iter().map(|call| html! { <ToolCallCard key={call.key} request={call} /> }) }</div>
///             <LiveRegion requests={&props.calls} />
///         </Shadow>
///     }
/// }
/// ```
#[component]
pub fn LiveRegion(props: &LiveRegionProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

impl Part for LiveRegionProps {
    type Memory = ();

    fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
        stage.place(Region { requests: Rc::clone(&self.requests), now: self.now, speaks: None })
    }
}
