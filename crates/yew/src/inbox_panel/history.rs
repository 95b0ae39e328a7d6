//! What was decided before, newest last: found again by words or by outcome, and handed out as a record.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use countersign_core::{RequestView, Status};
use yew::prelude::*;

use super::history_row::HistoryRow;
use super::window::Window;
use crate::controls::button;
use crate::intent::Intent;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage, typed};
use crate::text::lower_case;
use crate::tool_call_card::same_views;

/// How many rows stand in the document at once.
const ROWS: usize = 24;
/// From how many rows on they can be searched.
const SEARCHED: usize = 6;

/// Which calls are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kept {
    /// All.
    #[default]
    All,
    /// Those that ran or will.
    Ran,
    /// Those that were refused.
    Refused,
    /// Those that went wrong or were overtaken.
    Other,
}

const KEPT: [Kept; 4] = [Kept::All, Kept::Ran, Kept::Refused, Kept::Other];

impl Kept {
    fn holds(self, view: &RequestView) -> bool {
        let kind = match view.status {
            Status::Sent | Status::Approved | Status::Running | Status::Completed => Kept::Ran,
            Status::Rejected | Status::Responded | Status::Cancelled => Kept::Refused,
            _ => Kept::Other,
        };
        self == Kept::All || self == kind
    }
}

/// The calls that need nobody any more.
pub(crate) struct History {
    /// In the order in which they are shown.
    pub past: Vec<Rc<RequestView>>,
    /// A person asked for something.
    pub on_intent: Callback<Intent>,
}

/// What is looked for.
#[derive(Default)]
pub(crate) struct Sought {
    words: RefCell<String>,
    kept: Cell<Kept>,
    /// How many pages back from the newest.
    back: Cell<usize>,
}

impl Sought {
    fn finds(&self, view: &RequestView) -> bool {
        let words = self.words.borrow();
        let holds = |text: &str| words.is_empty() || lower_case(text).contains(&**words);
        self.kept.get().holds(view)
            && (holds(&view.tool)
                || holds(&view.args_text)
                || view.server.as_deref().is_some_and(holds)
                || view.agent.iter().any(|agent| holds(agent))
                || view.reason.as_deref().is_some_and(holds))
    }
}

impl Piece for History {
    type Memory = Sought;

    fn same(&self, other: &History) -> bool {
        same_views(&self.past, &other.past) && self.on_intent == other.on_intent
    }

    fn draw(&self, sought: &Sought, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let found: Vec<&Rc<RequestView>> = self.past.iter().filter(|view| sought.finds(view)).collect();
        // Pages are counted from the newest.
        let newest = Window::at(sought.back.get() * ROWS, found.len(), ROWS);
        sought.back.set(newest.from / ROWS);
        let window = Window { from: newest.of - newest.until, until: newest.of - newest.from, of: newest.of };
        let mut rows = Vec::new();
        for view in found.iter().skip(window.from).take(ROWS) {
            rows.push(stage.place_keyed(view.key, HistoryRow { request: Rc::clone(view) }));
        }
        let nothing = found
            .is_empty()
            .then(|| Tag::new("p", "cs-empty").part("empty").words(messages.nothing_found()).html());
        let export = button("export-button", "cs-more", messages.export_audit(), stage, Act::Save);
        let head = Tag::new("div", "cs-history-head")
            .child(Tag::new("h2", "cs-heading").part("heading").words(messages.history()).html())
            .child(export.html());
        Tag::new("div", "cs-history")
            .at(stage.root())
            .child(head.html())
            .optional((self.past.len() >= SEARCHED).then(|| self.filters(sought, stage)))
            .child(window.turn("later", stage))
            .child(Tag::new("div", "cs-list").part("history").list(rows).html())
            .optional(nothing)
            .html()
    }

    fn act(&self, sought: &Sought, _: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        match act {
            Act::Type(_) => {
                sought.words.replace(lower_case(typed(event).unwrap_or_default().trim()));
                sought.back.set(0);
            }
            Act::Group(at) => {
                sought.kept.set(KEPT.get(*at).copied().unwrap_or_default());
                sought.back.set(0);
            }
            Act::Back => sought.back.set(sought.back.get() + 1),
            Act::Forth => sought.back.set(sought.back.get().saturating_sub(1)),
            Act::Save => {
                self.on_intent.emit(Intent::Export);
                return false;
            }
            _ => return false,
        }
        true
    }
}

impl History {
    fn filters(&self, sought: &Sought, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let field = Tag::new("input", "cs-field cs-search")
            .with(Attribute::Type, "search")
            .part("search-field")
            .text(Attribute::Label, messages.search_history())
            .text(Attribute::Placeholder, messages.search_history())
            .with(Attribute::Dir, "auto")
            .on(stage, Act::Type(0));
        let mut kinds = Vec::new();
        for (at, kept) in KEPT.into_iter().enumerate() {
            kinds.push(
                button("filter-button", "cs-more", messages.kept(kept), stage, Act::Group(at))
                    .truth(Attribute::Pressed, sought.kept.get() == kept)
                    .html(),
            );
        }
        Tag::new("div", "cs-groups")
            .part("filters")
            .with(Attribute::Role, "group")
            .text(Attribute::Label, messages.search_history())
            .child(field.html())
            .list(kinds)
            .html()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::call;

    #[test]
    fn words_are_found_in_the_tool_the_arguments_and_the_origin() {
        let mut view = call(1, "Delete_file", r#"{"path":"/tmp/Old","to":"Übersee"}"#);
        view.server = Some("bank".into());
        for (words, found) in
            [("", true), ("delete", true), ("old", true), ("übersee", true), ("bank", true), ("new", false)]
        {
            let sought = Sought { words: RefCell::new(words.to_owned()), ..Sought::default() };
            assert_eq!(sought.finds(&view), found, "{words}");
        }
    }

    #[test]
    fn outcomes_are_told_apart() {
        for (status, kept) in [
            (Status::Completed, Kept::Ran),
            (Status::Rejected, Kept::Refused),
            (Status::Expired, Kept::Other),
            (Status::Failed, Kept::Other),
        ] {
            let view = RequestView { status, ..call(1, "pay", "{}") };
            let holding: Vec<Kept> = KEPT.into_iter().filter(|kept| kept.holds(&view)).collect();
            assert_eq!(holding, [Kept::All, kept]);
        }
    }
}
