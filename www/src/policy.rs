//! What the simulated agent asks about: a switch for each of its tools, and the configuration that they change.

use std::rc::Rc;

use countersign_core::{GrantView, ToolApproval};
use countersign_yew::{Intent, PolicyPanel, Shadow, Theme};
use yew::prelude::*;

use crate::systems::gates::Gates;

/// Properties of [`Policy`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub(crate) struct PolicyProps {
    /// The name of the agent's wire, as people know it.
    pub(crate) agent: &'static str,
    /// What it asks about.
    pub(crate) gates: Gates,
    /// What people have allowed.
    pub(crate) grants: Rc<[GrantView]>,
    /// Light or dark.
    pub(crate) theme: Theme,
    /// The person wants a tool to ask first, or not: its place.
    pub(crate) on_require: Callback<(usize, bool)>,
    /// The person took back a grant.
    pub(crate) on_intent: Callback<Intent>,
    /// The person goes back to the chat.
    pub(crate) on_close: Callback<()>,
}

/// The page with the policy.
#[component]
pub(crate) fn Policy(props: &PolicyProps) -> Html {
    let tools: Rc<[ToolApproval]> = props.gates.tools().into();
    html! {
        <section class="policy" aria-labelledby="policy-title">
            <header class="policy-head">
                <h2 id="policy-title">{ format!("What {} asks about", props.agent) }</h2>
                <button type="button" onclick={props.on_close.reform(|_: MouseEvent| ())}>{ "Back to the chat" }</button>
            </header>
            <p>{ "A switch counts from the next thing that you ask for. What waits already keeps waiting." }</p>
            <Shadow tag="countersign-policy" theme={props.theme}>
                <PolicyPanel {tools} grants={Rc::clone(&props.grants)} on_require={&props.on_require} on_intent={&props.on_intent} />
            </Shadow>
            <h3>{ "The configuration, in the agent’s own format" }</h3>
            <pre class="configuration" tabindex="0" aria-label="Configuration">{ props.gates.text() }</pre>
        </section>
    }
}
