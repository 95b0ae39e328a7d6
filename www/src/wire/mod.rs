//! The wire panel: what came and what went, word for word.

pub mod log;

use std::rc::Rc;

use countersign_core::Millis;
use yew::prelude::*;

use log::{Entry, Log};

/// Properties of [`WirePanel`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct WirePanelProps {
    /// What came and what went.
    pub log: Rc<Log>,
    /// It is shown.
    pub open: bool,
    /// The person wants it gone.
    pub on_close: Callback<()>,
}

/// What came and what went, newest last.
#[component]
pub fn WirePanel(props: &WirePanelProps) -> Html {
    let list = use_node_ref();
    {
        let list = list.clone();
        let newest = props.log.entries().last().map(|entry| entry.number);
        use_effect_with((newest, props.open), move |_| {
            if let Some(list) = list.cast::<web_sys::Element>() {
                list.set_scroll_top(list.scroll_height());
            }
        });
    }
    let close = props.on_close.reform(|_: MouseEvent| ());
    let on_key = {
        let on_close = props.on_close.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.prevent_default();
                on_close.emit(());
            }
        })
    };
    html! {
        <aside id="wire" class="wire" aria-label="Wire" hidden={!props.open} onkeydown={on_key}>
            <header class="wire-head">
                <h2>{ "Wire" }</h2>
                <p>{ "Every message as it came and went" }</p>
                <button type="button" class="quiet wire-close" onclick={close}>{ "Close" }</button>
            </header>
            <ol class="wire-list" ref={list} tabindex="0" aria-label="Messages, newest last">
                { for props.log.entries().iter().map(|entry| html! { <WireEntry key={entry.number} entry={entry.clone()} /> }) }
            </ol>
            if props.log.entries().is_empty() {
                <p class="wire-empty">{ "Nothing yet. Say something to the agent." }</p>
            }
        </aside>
    }
}

/// Properties of [`WireEntry`].
#[derive(Clone, Debug, PartialEq, Properties)]
struct WireEntryProps {
    entry: Entry,
}

/// One text; it is put into the document once someone wants to see it.
#[component]
fn WireEntry(props: &WireEntryProps) -> Html {
    let open = use_state(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let Entry { number, direction, at, summary, text } = &props.entry;
    let arrow = match direction {
        log::Direction::In => "←",
        log::Direction::Out => "→",
    };
    let body = format!("wire-{number}");
    html! {
        <li class="wire-entry" data-wire={direction.as_str()}>
            <button type="button" class="wire-line" aria-expanded={open.to_string()} aria-controls={body.clone()} onclick={toggle}>
                <span class="wire-arrow" aria-label={direction.as_str()}>{ arrow }</span>
                <span class="wire-summary">{ summary }</span>
                <time class="wire-time">{ clock(*at) }</time>
            </button>
            if *open {
                <pre id={body} tabindex="0">{ text }</pre>
            }
        </li>
    }
}

/// The time of day in UTC, to the millisecond.
fn clock(at: Millis) -> String {
    let (seconds, millis) = (at.0 / 1_000, at.0 % 1_000);
    format!("{:02}:{:02}:{:02}.{millis:03}", seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60)
}
