//! JSON text from outside: field by field, or exactly as it came.

mod outline;
mod tree;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_json::{Document, Limits};
use yew::prelude::*;

pub(crate) use outline::{Outline, brief};

use crate::controls::button;
use crate::node::{Attribute, Tag, options, words};
use crate::piece::{Act, Piece, Stage};
use crate::text::{around, visible};
use crate::tool_call_card::facts::warning;
use crate::variants::Tone;

/// How many rows are drawn before a person asks for more.
const ROWS: usize = 500;

/// JSON text from outside, as a tree or raw.
#[derive(PartialEq)]
pub(crate) struct JsonView {
    /// The exact text. Untrusted.
    pub text: Arc<str>,
    /// What it is, in our words: "Arguments".
    pub name: AttrValue,
    /// The part that it plays: `arguments`.
    pub part: &'static str,
    /// What an empty object is called; absent: `{}`.
    pub empty: Option<AttrValue>,
    /// Stands behind a button until it is asked for.
    pub folded: bool,
}

/// How it is looked at.
#[derive(Default)]
pub(crate) struct View {
    /// Exactly as it came.
    raw: Cell<bool>,
    /// How many more rows were asked for.
    rows: Cell<usize>,
    /// It is unfolded.
    open: Cell<bool>,
}

impl Piece for JsonView {
    type Memory = View;

    fn same(&self, other: &JsonView) -> bool {
        self == other
    }

    fn draw(&self, view: &View, stage: &Rc<Stage>) -> Html {
        let open = !self.folded || view.open.get();
        let mut head = Tag::new("div", "cs-json-head").child(self.head(open, stage));
        let mut json = Tag::new("div", "cs-json");
        if !open {
            return json.child(head.html()).html();
        }
        json = json.part(self.part);
        let document = Document::parse(&self.text, &Limits::default());
        if document.is_ok() {
            let raw = view.raw.get();
            let choice = |label: AttrValue, value: bool| {
                button("view-button", "cs-choice", label, stage, Act::Raw(value))
                    .truth(Attribute::Pressed, raw == value)
                    .html()
            };
            let choices = Tag::new("span", "cs-choices")
                .with(Attribute::Role, "group")
                .text(Attribute::Label, self.name.clone())
                .child(choice(stage.messages().tree(), false))
                .child(choice(stage.messages().raw(), true));
            head = head.child(choices.html());
        }
        let body = match &document {
            Ok(document) if !view.raw.get() => self.tree(document, ROWS + view.rows.get(), stage),
            Ok(_) => exact(&self.text),
            Err(_) => {
                let note = warning(Tone::Attention, words(stage.messages().not_json()));
                options([Some(note.html()), Some(exact(&self.text))])
            }
        };
        json.child(head.html()).child(body).html()
    }

    fn act(&self, view: &View, _: &Rc<Stage>, act: &Act, _: Option<&Event>) -> bool {
        match act {
            Act::Raw(raw) => view.raw.set(*raw),
            Act::More => view.rows.set(view.rows.get() + ROWS),
            _ => view.open.set(!view.open.get()),
        }
        true
    }
}

impl JsonView {
    /// The name, or the button that unfolds.
    fn head(&self, open: bool, stage: &Rc<Stage>) -> Html {
        if !self.folded {
            return Tag::new("span", "cs-label").words(self.name.clone()).html();
        }
        let messages = stage.messages();
        let size = messages.characters(self.text.chars().count());
        let label = [self.name.as_str(), &messages.separator(), &size].concat();
        button("toggle", "cs-toggle", label.into(), stage, Act::Toggle)
            .truth(Attribute::Expanded, open)
            .html()
    }

    fn tree(&self, document: &Document<'_>, limit: usize, stage: &Rc<Stage>) -> Html {
        let outline = Outline::of(document);
        let left = outline.rows.len().saturating_sub(limit);
        let more = (left > 0).then(|| {
            let label = stage.messages().show_more(left.min(ROWS), outline.rows.len());
            button("more", "cs-more", label.into(), stage, Act::More).html()
        });
        let hidden = (outline.hidden > 0).then(|| hidden(outline.hidden, stage));
        options([
            Some(tree::draw(document.root(), &outline, limit, self.empty.as_ref(), stage)),
            more,
            hidden,
        ])
    }
}

/// The exact text, nothing but hidden characters replaced.
fn exact(text: &str) -> Html {
    Tag::new("pre", "cs-raw cs-code").part("raw").child(visible(text)).html()
}

/// The note on hidden characters.
fn hidden(count: usize, stage: &Stage) -> Html {
    let example = Tag::new("span", "cs-chip").words("\\u{…}").html();
    warning(Tone::Attention, around(&stage.messages().hidden_characters(count), example)).html()
}
