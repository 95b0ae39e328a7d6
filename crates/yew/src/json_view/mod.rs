//! JSON text from outside: field by field, or exactly as it came.

mod outline;
mod tree;

use std::sync::Arc;

use countersign_json::{Document, Limits};
use yew::prelude::*;

pub(crate) use outline::{Outline, brief};

use crate::controls::Button;
use crate::messages::{Messages, use_messages};
use crate::text::{around, visible, words};

/// How many rows are drawn before a person asks for more.
const ROWS: usize = 500;

/// Properties of [`JsonView`].
#[derive(Clone, PartialEq, Properties)]
pub(crate) struct JsonViewProps {
    /// The exact text. Untrusted.
    pub text: Arc<str>,
    /// What it is, in our words: "Arguments".
    pub name: AttrValue,
    /// The part that it plays: `arguments`.
    pub part: &'static str,
    /// What an empty object is called; absent: `{}`.
    #[prop_or_default]
    pub empty: Option<AttrValue>,
    /// Stands behind a button until it is asked for.
    #[prop_or_default]
    pub folded: bool,
}

/// JSON text from outside, as a tree or raw.
#[component]
pub(crate) fn JsonView(props: &JsonViewProps) -> Html {
    let messages = use_messages();
    let raw = use_state(|| false);
    let shown = use_state(|| ROWS);
    let open = use_state(|| !props.folded);
    let head = if props.folded {
        let size = messages.characters(props.text.chars().count());
        let label = [props.name.as_str(), &messages.separator(), &size].concat();
        let state = open.clone();
        let toggle = Callback::from(move |()| state.set(!*state));
        Button::new("toggle", "cs-toggle", label, toggle).expanded(*open).draw()
    } else {
        html! { <span class="cs-label">{ words(props.name.clone()) }</span> }
    };
    if !*open {
        return html! { <div class="cs-json"><div class="cs-json-head">{ head }</div></div> };
    }
    let document = Document::parse(&props.text, &Limits::default());
    let body = match &document {
        Ok(document) if !*raw => {
            let outline = Outline::of(document);
            let left = outline.rows.len().saturating_sub(*shown);
            let label = messages.show_more(left.min(ROWS), outline.rows.len());
            let (limit, shown) = (*shown, shown.clone());
            let more = Callback::from(move |()| shown.set(limit + ROWS));
            html! {
                <>
                    { tree::draw(document.root(), &outline, limit, props.empty.clone(), &*messages) }
                    if left > 0 { { Button::new("more", "cs-more", label, more).draw() } }
                    { hidden(outline.hidden, &*messages) }
                </>
            }
        }
        Ok(_) => exact(&props.text),
        Err(_) => html! {
            <>
                <p class="cs-note" part="note" data-tone="attention">{ words(messages.not_json()) }</p>
                { exact(&props.text) }
            </>
        },
    };
    let choice = |label: AttrValue, value: bool| {
        let (raw, pressed) = (raw.clone(), *raw == value);
        let choose = Callback::from(move |()| raw.set(value));
        Button::new("view-button", "cs-choice", label, choose).pressed(pressed).draw()
    };
    html! {
        <div class="cs-json" part={props.part}>
            <div class="cs-json-head">
                { head }
                if document.is_ok() {
                    <span class="cs-choices" role="group" aria-label={props.name.clone()}>
                        { choice(messages.tree(), false) }
                        { choice(messages.raw(), true) }
                    </span>
                }
            </div>
            { body }
        </div>
    }
}

/// The exact text, nothing but hidden characters replaced.
fn exact(text: &str) -> Html {
    html! { <pre class="cs-raw cs-code" part="raw">{ visible(text) }</pre> }
}

/// The note on hidden characters, if there are any.
fn hidden(count: usize, messages: &dyn Messages) -> Html {
    if count == 0 {
        return Html::default();
    }
    let example = html! { <span class="cs-chip">{ words("\\u{…}") }</span> };
    html! {
        <p class="cs-note" part="note" data-tone="attention">
            { around(&messages.hidden_characters(count), example) }
        </p>
    }
}
