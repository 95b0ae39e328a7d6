//! Secrets behind a mask that tells their length.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use countersign_core::secret::secrets_in;
use yew::prelude::*;

use crate::controls::button;
use crate::fold::{Room, foldable_prose, roomy};
use crate::json_view::asides;
use crate::node::{Attribute, Tag, list, options, words};
use crate::piece::{Act, Piece, Stage};

/// A text with more secrets than this is masked as a whole.
const MOST: usize = 40;

/// Text from outside with a mask over each secret; `named`: what it stands under says that all of it is one.
pub(crate) fn maskable(text: &str, named: bool, open: bool, room: Room, stage: &Stage) -> Html {
    let spans = match named && !text.is_empty() {
        true => whole(text),
        false => secrets_in(text),
    };
    masked(text, spans, open, room, stage)
}

/// Sentences from outside with a mask over each secret.
pub(crate) fn maskable_prose(text: &str, stage: &Stage) -> Html {
    match secrets_in(text) {
        spans if spans.is_empty() => foldable_prose(text, stage),
        spans => masked(text, spans, false, Room::VALUE, stage),
    }
}

/// All of a text as one part.
fn whole(text: &str) -> Vec<Range<usize>> {
    std::iter::once(0..text.len()).collect()
}

/// Text from outside with a mask over each of these parts.
pub(crate) fn masked(text: &str, spans: Vec<Range<usize>>, open: bool, room: Room, stage: &Stage) -> Html {
    if spans.is_empty() {
        return roomy(text, room, stage);
    }
    let spans = if spans.len() > MOST { whole(text) } else { spans };
    let room = room.shared(spans.len());
    let mut parts = Vec::new();
    let mut done = 0;
    for span in spans {
        parts.push(roomy(text.get(done..span.start).unwrap_or_default(), room, stage));
        let secret = text.get(span.clone()).unwrap_or_default();
        parts.push(stage.place(Mask { text: secret.into(), open, room, value: None }));
        done = span.end;
    }
    parts.push(roomy(text.get(done..).unwrap_or_default(), room, stage));
    list(parts)
}

/// A value that is secret by what it stands under, of this class; once it is shown, with the facts about it.
pub(crate) fn secret(text: &str, key: Option<&str>, class: &'static str, stage: &Stage) -> Html {
    let value = Some((class, key.map(Rc::from)));
    stage.place(Mask { text: text.into(), open: false, room: Room::VALUE, value })
}

/// A secret that is shown on demand.
#[derive(PartialEq)]
struct Mask {
    /// The secret.
    text: Rc<str>,
    /// Shown with all others.
    open: bool,
    /// How much of it is shown at once.
    room: Room,
    /// Its class and its key, where it is a whole value.
    value: Option<(&'static str, Option<Rc<str>>)>,
}

impl Piece for Mask {
    /// What was revealed: never what comes to stand there later.
    type Memory = RefCell<Option<Rc<str>>>;

    fn same(&self, other: &Mask) -> bool {
        self == other
    }

    fn draw(&self, revealed: &Self::Memory, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let shown = self.open || self.is(revealed);
        let count = self.text.chars().count();
        let (label, name) = match shown {
            true => (messages.mask_again().to_string(), None),
            false => (
                ["•••••••• ", &messages.characters(count)].concat(),
                Some(messages.reveal(&messages.characters(count)).into()),
            ),
        };
        let toggle = button("mask", "cs-fold cs-mask", label.into(), stage, Act::Reveal)
            .truth(Attribute::Pressed, shown)
            .option(Attribute::Label, name)
            .html();
        let text = if shown { roomy(&self.text, self.room, stage) } else { words("") };
        // The button of all others masks what it has shown.
        let drawn = vec![text, if self.open { words("") } else { toggle }];
        let Some((class, key)) = &self.value else { return list(drawn) };
        let value = Tag::new("span", class).list(drawn).html();
        let facts = shown.then(|| list(asides(key.as_deref(), &self.text, stage)));
        // Each in its place: the button keeps the focus.
        options([Some(value), facts])
    }

    fn act(&self, revealed: &Self::Memory, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        let next = (!self.is(revealed)).then(|| Rc::clone(&self.text));
        revealed.replace(next);
        true
    }
}

impl Mask {
    fn is(&self, revealed: &RefCell<Option<Rc<str>>>) -> bool {
        revealed.borrow().as_ref() == Some(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::drawn;

    #[test]
    fn r21_a_secret_that_is_shown_is_told_of_as_any_other_value() {
        let mask = |text: &str| Mask {
            text: text.into(),
            open: false,
            room: Room::VALUE,
            value: Some(("cs-string", Some("path".into()))),
        };
        let url = "https://\u{430}pple.com/x";
        let told = ["host", "xn--pple-43d.com", "Cyrillic U+0430"];
        let markup = drawn(mask(url), Vec::new());
        assert!(!markup.contains(url) && told.iter().all(|fact| !markup.contains(fact)), "{markup}");
        let markup = drawn(mask(url), vec![Act::Reveal]);
        assert!(markup.contains(url) && told.iter().all(|fact| markup.contains(fact)), "{markup}");
        assert!(drawn(mask("my p\u{430}th"), vec![Act::Reveal]).contains("Cyrillic U+0430"));
        assert!(!drawn(mask(url), vec![Act::Reveal, Act::Reveal]).contains("host"));
    }
}
