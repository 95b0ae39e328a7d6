//! Long text, folded in the middle with an exact count.

use yew::prelude::*;

use crate::controls::Button;
use crate::messages::use_messages;
use crate::text::visible;

/// How long a text may be and still be shown whole, in characters.
const WHOLE: usize = 400;
/// How much of the beginning a fold shows, in characters.
const HEAD: usize = 240;
/// How much of the end a fold shows, in characters.
const TAIL: usize = 80;

/// Text from outside, folded if it is long.
pub(crate) fn foldable(text: &str) -> Html {
    match text.char_indices().nth(WHOLE) {
        Some(_) => html! { <Fold text={text.to_owned()} /> },
        None => visible(text),
    }
}

/// The beginning, the end, and how many characters stand between them.
pub(crate) fn split(text: &str, head: usize, tail: usize) -> (&str, usize, &str) {
    let length = text.chars().count();
    if length <= head + tail {
        return (text, 0, "");
    }
    let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let (beginning, rest) = text.split_at(at(head));
    let end = rest.split_at(at(length - tail) - beginning.len()).1;
    (beginning, length - head - tail, end)
}

/// What is nested too deep to be drawn: its exact text, on demand.
pub(crate) fn folded(text: &str, levels: usize) -> Html {
    html! { <Fold text={text.to_owned()} {levels} /> }
}

/// Properties of [`Fold`].
#[derive(Clone, PartialEq, Properties)]
pub(crate) struct FoldProps {
    /// The whole text. Untrusted.
    text: AttrValue,
    /// After how many levels it was folded; 0: because it is long.
    #[prop_or_default]
    levels: usize,
}

/// A long or deep text with a button that shows all of it.
#[component]
pub(crate) fn Fold(props: &FoldProps) -> Html {
    let open = use_state(|| false);
    let messages = use_messages();
    if *open {
        return visible(&props.text);
    }
    let (head, between, tail) = match props.levels {
        0 => split(&props.text, HEAD, TAIL),
        _ => ("", props.text.chars().count(), ""),
    };
    let label = match props.levels {
        0 => messages.characters_more(between),
        levels => messages.nested_deeper(levels, between),
    };
    let open_all = Callback::from(move |()| open.set(true));
    html! { <>{ visible(head) }{ Button::new("fold", "cs-fold", label, open_all).draw() }{ visible(tail) }</> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r19_a_fold_counts_what_it_hides_and_keeps_both_ends() {
        let text = ["a".repeat(5), "é".repeat(7), "z".repeat(3)].concat();
        assert_eq!(split(&text, 5, 3), ("aaaaa", 7, "zzz"));
        assert_eq!(split("short", 3, 2), ("short", 0, ""));
    }
}
