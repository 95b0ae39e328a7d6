//! One call that needs nobody any more, on a line.

use std::rc::Rc;

use countersign_core::RequestView;
use yew::prelude::*;

use crate::controls::Button;
use crate::digest::short_digest;
use crate::escapes::escaped;
use crate::fold::foldable;
use crate::json_view::brief;
use crate::messages::use_messages;
use crate::standing::standing;
use crate::text::{around, words};
use crate::tool_call_card::{facts, same_view};

/// Properties of [`HistoryRow`].
#[derive(Clone, Properties)]
pub(super) struct HistoryRowProps {
    /// What to show.
    pub request: Rc<RequestView>,
}

impl PartialEq for HistoryRowProps {
    fn eq(&self, other: &HistoryRowProps) -> bool {
        same_view(&self.request, &other.request)
    }
}

/// Tool, first argument, outcome; everything else on demand.
#[component]
pub(super) fn HistoryRow(props: &HistoryRowProps) -> Html {
    let messages = use_messages();
    let open = use_state(|| false);
    let view = &props.request;
    let tool = escaped(&view.tool);
    let standing = standing(view, None, &*messages);
    let toggle = {
        let open = open.clone();
        Callback::from(move |()| open.set(!*open))
    };
    let details = Button::new("toggle", "cs-toggle", "", toggle)
        .named(messages.act_on(&messages.details(), &tool))
        .titled(Some(messages.details()))
        .expanded(*open);
    let why = match (&view.error, &view.reason) {
        (Some(error), _) => Some(around(&messages.error(), html! { <bdi>{ foldable(error) }</bdi> })),
        (None, Some(reason)) => Some(facts::quoted(reason, &*messages)),
        (None, None) => messages.ended(view.status).map(words),
    };
    html! {
        <div
            class="cs cs-card cs-past"
            part="card"
            role="group"
            aria-label={messages.call_stands(&tool, &standing.text)}
            data-status={view.status.as_str()}
            data-request={view.request.as_ref().map(ToString::to_string)}
            data-key={view.key.to_string()}
        >
            <header class="cs-head" part="header">
                <span class="cs-past-name">
                    { facts::tool_name(view) }
                    if view.questions.is_none() {
                        <span class="cs-brief cs-code" part="brief">{ brief(&view.args_text, &*messages) }</span>
                    }
                </span>
                { facts::badges(view, &standing, &*messages) }
                { details.draw() }
            </header>
            if let Some(why) = why.filter(|_| !*open) {
                <p class="cs-why" part="why">{ why }</p>
            }
            if *open {
                <div class="cs-past-body">
                    { facts::origin(view, &*messages) }
                    { facts::warnings(view, &*messages) }
                    { facts::arguments(view, &*messages) }
                    { facts::claims(view, &*messages) }
                    { facts::outcome(view, &*messages) }
                    <span class="cs-digest" part="digest" title={messages.digest(&view.args_digest)}>
                        { words(short_digest(&view.args_digest)) }
                    </span>
                </div>
            }
        </div>
    }
}
