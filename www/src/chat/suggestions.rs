//! What one could say.

use yew::prelude::*;

/// Properties of [`Suggestions`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct SuggestionsProps {
    /// What one could say.
    pub prompts: &'static [&'static str],
    /// Nothing was said yet, so they are introduced.
    pub first: bool,
    /// The person wants to say this.
    pub on_say: Callback<String>,
}

/// Ready-made prompts.
#[component]
pub fn Suggestions(props: &SuggestionsProps) -> Html {
    let prompt = |text: &'static str| {
        let say = props.on_say.reform(move |_: MouseEvent| text.to_owned());
        html! { <li><button type="button" class="suggestion" onclick={say}>{ text }</button></li> }
    };
    let list = html! {
        <ul class="suggestions" aria-label="Suggestions">{ for props.prompts.iter().copied().map(prompt) }</ul>
    };
    if !props.first {
        return list;
    }
    html! {
        <section class="welcome">
            <h2>{ "What should the agent do?" }</h2>
            <p>{ "It may read on its own. Whatever deletes, sends or pays waits for your countersignature: you see exactly what would run, and nothing else runs." }</p>
            { list }
        </section>
    }
}
