//! One call of those that are decided together.

use std::cell::Cell;
use std::rc::Rc;

use countersign_core::RequestView;
use yew::prelude::*;

use crate::controls::button;
use crate::digest::short_digest;
use crate::fold::{shortened, spoken};
use crate::json_view::brief;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage};
use crate::text::visible;
use crate::tool_call_card::{facts, same_view};

/// Whether the call is chosen, and what would run: all of it, or the first argument until more is asked for.
pub(super) struct ReviewRow {
    /// Whom the choice is told.
    pub asker: Rc<Stage>,
    /// The call as it was when the list was opened.
    pub view: Rc<RequestView>,
    /// Its place in the list.
    pub at: usize,
    /// It is one of those that are decided.
    pub chosen: bool,
    /// It still is what it was.
    pub stands: bool,
    /// How it stands, where that is to be said.
    pub says: Option<AttrValue>,
    /// All arguments are shown from the start.
    pub shows_all: bool,
}

impl Piece for ReviewRow {
    /// Whether a person turned it: opened what was closed, or closed what was open.
    type Memory = Cell<bool>;

    fn same(&self, other: &ReviewRow) -> bool {
        let state = |row: &ReviewRow| (row.at, row.chosen, row.stands, row.shows_all);
        state(self) == state(other)
            && self.says == other.says
            && Rc::ptr_eq(&self.asker, &other.asker)
            && same_view(&self.view, &other.view)
    }

    fn draw(&self, turned: &Cell<bool>, stage: &Rc<Stage>) -> Html {
        let (messages, view) = (stage.messages(), &*self.view);
        let open = self.shows_all != turned.get();
        let id: AttrValue = ["cs-review-", &view.key.to_string()].concat().into();
        let choice = Tag::new("input", "")
            .with(Attribute::Type, "checkbox")
            .text(Attribute::Id, id.clone())
            .withheld(!self.stands)
            .checked(self.chosen && self.stands)
            .on(&self.asker, Act::Pick(self.at, 0));
        // Where all arguments are seen, the first still tells the choices apart by ear.
        let args = Tag::new("span", if open { "cs-unseen" } else { "cs-brief cs-code" })
            .part("brief")
            .child(brief(&view.args_text, view.args_schema.as_deref(), messages));
        let label = Tag::new("label", "cs-review-label")
            .text(Attribute::For, id)
            .child(Tag::new("code", "cs-tool cs-code").child(visible(&shortened(&view.tool))).html())
            .words(" ")
            .child(args.html());
        let says = self.says.clone().map(|says| Tag::new("span", "cs-review-why").words(says).html());
        let digest = Tag::new("span", "cs-digest").words(short_digest(&view.args_digest));
        let details = button("toggle", "cs-toggle", AttrValue::default(), stage, Act::Toggle)
            .named(messages.act_on(&messages.details(), &spoken(&view.tool)))
            .text(Attribute::Title, messages.details())
            .truth(Attribute::Expanded, open);
        let body = open.then(|| {
            Tag::new("div", "cs-review-args")
                .child(facts::origin(view, stage))
                .child(facts::warnings(view, false, false, stage))
                .child(facts::arguments(view, false, stage))
                .html()
        });
        Tag::new("li", "cs-review-row")
            .part("review-row")
            .child(choice.html())
            .child(label.html())
            .optional(says)
            .child(digest.html())
            .child(details.html())
            .optional(body)
            .html()
    }

    fn act(&self, turned: &Cell<bool>, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        turned.set(!turned.get());
        true
    }
}
