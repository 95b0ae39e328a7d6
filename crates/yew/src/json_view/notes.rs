//! What is noteworthy about a text, in one note below it.

use countersign_core::HazardView;
use countersign_json::ParseError;
use yew::prelude::*;

use crate::fold::foldable;
use crate::node::{Attribute, Tag, list, words};
use crate::piece::Stage;
use crate::text::{around, visible};
use crate::variants::Tone;

/// How many hazards are drawn; the others are counted.
const HAZARDS: usize = 8;

/// How long a sentence may be in which code is looked for, in bytes.
const SENTENCE: usize = 400;

/// The facts and the hazards; nothing where there are none.
pub(super) fn notes(facts: Vec<Html>, hazards: Vec<&HazardView>, stage: &Stage) -> Option<Html> {
    let mut notes: Vec<(Html, bool)> = facts.into_iter().map(|fact| (fact, false)).collect();
    notes.extend(hazards.iter().take(HAZARDS).map(|hazard| (told(hazard, stage), true)));
    let others = hazards.len().saturating_sub(HAZARDS);
    notes.extend((others > 0).then(|| (words(stage.messages().more(others)), true)));
    let several = notes.len() > 1;
    let tag = |name, class, is_hazard| Tag::new(name, class).when(is_hazard, Attribute::Note, "hazard");
    let note = match several {
        true => {
            let rows = notes.into_iter().map(|(note, is_hazard)| tag("li", "", is_hazard).child(note).html());
            Tag::new("ul", "cs-note cs-notes").list(rows.collect())
        }
        false => {
            let (note, is_hazard) = notes.pop()?;
            tag("p", "cs-note", is_hazard).child(note)
        }
    };
    Some(note.part("note").with(Attribute::Tone, Tone::Attention.as_str()).html())
}

/// A hazard: its place, and what is to be known there.
fn told(hazard: &HazardView, stage: &Stage) -> Html {
    let messages = stage.messages();
    let said = messages.hazard(hazard);
    let said = ticked(&said, &|part| foldable(part, stage));
    if hazard.pointer.is_empty() {
        return said;
    }
    let place = Tag::new("code", "cs-code").child(foldable(&hazard.pointer, stage)).html();
    list(vec![place, words(messages.separator()), said])
}

/// That a text is not JSON, and why.
pub(super) fn unread(error: &ParseError, text: &str, stage: &Stage) -> Html {
    let messages = stage.messages();
    let why = messages.edit_not_json(error.line(text), error.column(text), &messages.json_error(error.code));
    list(vec![words(messages.not_json()), words(" "), own(&why)])
}

/// How many characters cannot be seen.
pub(super) fn hidden(count: usize, stage: &Stage) -> Html {
    let example = Tag::new("span", "cs-chip").words("\\u{…}").html();
    around(&stage.messages().hidden_characters(count), example)
}

/// A sentence of ours in which what stands between backticks is code.
pub(crate) fn own(sentence: &str) -> Html {
    ticked(sentence, &|part| words(part.to_owned()))
}

/// A sentence in which what stands between backticks is code; `draw` draws the rest.
pub(crate) fn ticked(sentence: &str, draw: &dyn Fn(&str) -> Html) -> Html {
    if sentence.len() > SENTENCE {
        return draw(sentence);
    }
    let mut nodes = Vec::new();
    for (at, part) in sentence.split('`').enumerate() {
        nodes.push(match at % 2 {
            0 => draw(part),
            _ => Tag::new("code", "cs-code").child(visible(part)).html(),
        });
    }
    list(nodes)
}
