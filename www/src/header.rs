//! The page's header: what it is, which wire is spoken, how it looks.

use countersign_yew::Theme;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::browser;
use crate::systems::Wire;

/// Properties of [`Header`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub(crate) struct HeaderProps {
    /// Which wire is spoken.
    pub(crate) wire: Wire,
    /// Where the real agent is, if it is a real one.
    pub(crate) server: Option<AttrValue>,
    /// Light or dark.
    pub(crate) theme: Theme,
    /// The wire panel is shown.
    pub(crate) wire_open: bool,
    /// Something lies over it.
    pub(crate) covered: bool,
    /// What the agent asks about is shown; `None`: nothing is known of it.
    pub(crate) policy_open: Option<bool>,
    /// The person wants another wire.
    pub(crate) on_wire: Callback<Wire>,
    /// The person wants another look.
    pub(crate) on_theme: Callback<Theme>,
    /// The person wants to see the wire panel, or not.
    pub(crate) on_toggle_wire: Callback<()>,
    /// The person wants to see what the agent asks about, or the chat.
    pub(crate) on_toggle_policy: Callback<()>,
    /// The person wants to begin anew.
    pub(crate) on_new_chat: Callback<()>,
}

/// The header.
#[component]
pub(crate) fn Header(props: &HeaderProps) -> Html {
    let next = match props.theme {
        Theme::System => Theme::Light,
        Theme::Light => Theme::Dark,
        Theme::Dark => Theme::System,
    };
    let on_theme = props.on_theme.reform(move |_: MouseEvent| next);
    let look = theme_name(props.theme);
    html! {
        <header class="top" inert={props.covered}>
            <h1 class="brand">
                <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
                    <path d="M4 13.5 9.2 19 20 5.5" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round" />
                    <path d="M3.5 22h17" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
                </svg>
                if let Some(address) = browser::documentation() {
                    <a href={address} aria-label="Countersign, documentation" title="Documentation">{ "Countersign" }</a>
                } else {
                    <span>{ "Countersign" }</span>
                }
                <span class="demo">{ "demo" }</span>
            </h1>
            if let Some(server) = &props.server {
                <p class="real" title={server.clone()}>
                    <strong>{ "Real backend" }</strong>
                    { format!(" {} at {server}", props.wire.label()) }
                </p>
            } else {
                { choice(props) }
            }
            <div class="tools">
                <a class="gallery-link" href="?gallery">{ "Gallery" }</a>
                if let Some(open) = props.policy_open {
                    <button type="button" class="quiet policy-toggle" aria-pressed={open.to_string()}
                        onclick={props.on_toggle_policy.reform(|_: MouseEvent| ())}>{ "Policy" }</button>
                }
                <button type="button" class="quiet wire-toggle" aria-pressed={props.wire_open.to_string()} aria-controls="wire"
                    onclick={props.on_toggle_wire.reform(|_: MouseEvent| ())}>{ "Wire" }</button>
                <button type="button" class="quiet theme" aria-label={format!("Theme: {look}")} onclick={on_theme}>
                    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
                        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5" />
                        <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
                    </svg>
                    { look }
                </button>
                <button type="button" class="new-chat" onclick={props.on_new_chat.reform(|_: MouseEvent| ())}>{ "New chat" }</button>
            </div>
        </header>
    }
}

/// A list of the wires that the simulated agent speaks, by system.
fn choice(props: &HeaderProps) -> Html {
    let on_wire = props.on_wire.clone();
    let on_change = Callback::from(move |event: Event| {
        let chosen = event.target_dyn_into::<HtmlSelectElement>().and_then(|list| Wire::named(&list.value()));
        if let Some(wire) = chosen {
            on_wire.emit(wire);
        }
    });
    let groups = Wire::ALL.chunk_by(|one, next| one.group() == next.group());
    html! {
        <label class="switch">
            <span>{ "Simulated agent" }</span>
            // Without `autocomplete` a browser would bring back the choice of an earlier visit, whatever the address says.
            <select name="wire" autocomplete="off" onchange={on_change}>
                { for groups.map(|wires| group(wires, props.wire)) }
            </select>
        </label>
    }
}

fn group(wires: &[Wire], chosen: Wire) -> Html {
    let option = |wire: &Wire| {
        html! { <option value={wire.name()} selected={*wire == chosen}>{ wire.label() }</option> }
    };
    html! {
        <optgroup label={wires.first().map_or("", |wire| wire.group())}>
            { for wires.iter().map(option) }
        </optgroup>
    }
}

fn theme_name(theme: Theme) -> &'static str {
    match theme {
        Theme::System => "Auto",
        Theme::Light => "Light",
        Theme::Dark => "Dark",
    }
}
