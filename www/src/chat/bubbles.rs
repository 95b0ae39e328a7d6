//! What was said.

use countersign_yew::escaped;
use yew::prelude::*;

use super::transcript::Bubble;

/// Properties of [`Bubbles`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct BubblesProps {
    /// What was said, oldest first.
    pub bubbles: Vec<Bubble>,
    /// The agent is at work.
    pub busy: bool,
}

/// What was said, as a list; every text is a text node, and what is added is read out.
#[component]
pub fn Bubbles(props: &BubblesProps) -> Html {
    let said = |bubble: &Bubble| {
        let role = bubble.role.as_str();
        html! {
            <li key={["said-", &bubble.id].concat()} class={classes!("said", role)}>
                <span class="unseen">{ bubble.role.name() }</span>
                <p dir="auto" data-role={role}>{ visible(&bubble.text) }</p>
            </li>
        }
    };
    let working = props.busy.then(|| {
        html! {
            <li key="working" class="working" aria-label="The agent is at work">
                <span></span><span></span><span></span>
            </li>
        }
    });
    // One list, all of it with keys: beside something without one Yew would draw all anew, and all would be read out again.
    html! {
        <div role="log" aria-label="Conversation">
            <ol class="bubbles">
                { for props.bubbles.iter().map(said).chain(working) }
            </ol>
        </div>
    }
}

/// The text with characters that nobody can see made visible, line by line.
fn visible(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}
