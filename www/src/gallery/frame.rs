//! Cards in a shadow root of their own, as the address wants them to look.

use std::rc::Rc;

use countersign_core::{Millis, RequestView};
use countersign_yew::{
    Catalogue, Connection, Granting, InboxPanel, PolicyPanel, Refused, Shadow, ToolCallCard, Writing,
};
use yew::prelude::*;

use super::hooks;
use super::look::Look;
use super::parts::Place;
use super::states::{Beside, wished};

/// Properties of [`Frame`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub(crate) struct FrameProps {
    /// The cards.
    pub(crate) views: Rc<[Rc<RequestView>]>,
    /// Each as a card that stands alone, not in a panel.
    pub(crate) alone: bool,
    /// How the panel stands with the backend.
    pub(crate) connection: Connection,
    /// The moment for which countdowns are drawn.
    pub(crate) now: Millis,
    /// How they look.
    pub(crate) look: Look,
    /// What the host says about what people write.
    pub(crate) writing: Writing,
    /// The last act that was refused.
    pub(crate) refused: Option<Rc<Refused>>,
    /// What else is shown.
    pub(crate) beside: Beside,
}

/// Cards in a shadow root. What people ask for is written into `countersignDemo.intents`.
#[component]
pub(crate) fn Frame(props: &FrameProps) -> Html {
    let FrameProps { views, alone, connection, now, look, writing, refused, beside } = props;
    let on_intent = use_callback((), |intent, ()| hooks::note(&intent));
    let granting = match beside {
        Beside::Part(part) => {
            return html! { <Place part={part.clone()} {views} now={*now} look={look.clone()} /> };
        }
        Beside::Policy { tools, grants } => {
            return html! {
                <ContextProvider<Catalogue> context={look.words.clone()}>
                <Shadow tag="countersign-policy" theme={look.theme} density={look.density}>
                    <PolicyPanel tools={Rc::clone(tools)} grants={Rc::clone(grants)} {on_intent} />
                </Shadow>
                </ContextProvider<Catalogue>>
            };
        }
        Beside::Grants(grants) => {
            let (asked, now) = (Rc::clone(views), *now);
            let draft = Callback::from(move |wish| wished(&asked, &wish, now));
            Some(Granting { draft, grants: Rc::clone(grants), lasting: false })
        }
        Beside::Nothing => None,
    };
    html! {
        <ContextProvider<Catalogue> context={look.words.clone()}>
        <Shadow tag="countersign-inbox" theme={look.theme} density={look.density}>
            if *alone {
                <div class="countersign-alone">
                    { for views.iter().map(|view| html! {
                        <ToolCallCard key={view.key} request={Rc::clone(view)} on_intent={&on_intent} now={*now} arm_delay={look.arm_delay} renderers={look.renderers.clone()}
                            writing={writing.clone()} refused={refused.clone()} />
                    }) }
                </div>
            } else {
                <InboxPanel requests={Rc::clone(views)} {on_intent} now={*now} arm_delay={look.arm_delay} renderers={look.renderers.clone()}
                    writing={writing.clone()} refused={refused.clone()} connection={*connection} {granting} />
            }
        </Shadow>
        </ContextProvider<Catalogue>>
    }
}
