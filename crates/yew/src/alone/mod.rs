//! The parts of a card and of an inbox, each to stand on a page by itself.
//!
//! Each draws what its properties say and nothing else, and reports plain values. The safeguards of the card come along: what
//! would run waits until it was seen, only people press, and what was pressed is reported once.

mod arguments_view;
mod batch_bar;
mod changes_view;
mod edit_dialog;
mod grant_list;
mod history;
mod live_region;
mod opener;
mod question_form;
mod reject_form;
mod respond_dialog;
mod status_badge;

use std::cell::Cell;
use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use crate::messages::Catalogue;
use crate::node::Tag;
use crate::piece::{Act, Piece, Stage, host};

pub use arguments_view::{ArgumentsView, ArgumentsViewProps};
pub use batch_bar::{BatchBar, BatchBarProps};
pub use changes_view::{ChangesView, ChangesViewProps};
pub use edit_dialog::{EditDialog, EditDialogProps};
pub use grant_list::{GrantList, GrantListProps};
pub use history::{History, HistoryProps};
pub use live_region::{LiveRegion, LiveRegionProps};
pub use question_form::{QuestionForm, QuestionFormProps};
pub use reject_form::{RejectForm, RejectFormProps};
pub use respond_dialog::{RespondDialog, RespondDialogProps};
pub use status_badge::{StatusBadge, StatusBadgeProps};

/// A part that stands by itself: its properties.
trait Part: Clone + PartialEq + 'static {
    /// What it remembers.
    type Memory: Default + 'static;

    /// It stands within a line of the page.
    const INLINE: bool = false;

    /// What is seen.
    fn draw(&self, memory: &Self::Memory, stage: &Rc<Stage>) -> Html;

    /// Takes up what the pieces in it report; whether something is to be drawn again.
    fn act(&self, _memory: &Self::Memory, _stage: &Rc<Stage>, _act: &Act) -> bool {
        false
    }

    /// What follows when it stands in the document.
    fn drawn(&self, _memory: &Self::Memory, _stage: &Rc<Stage>) {}
}

/// Draws a part, with its own words or those of the context.
fn alone<P: Part>(part: &P, own: Option<&Catalogue>, context: &Catalogue) -> Html {
    host(Rc::new(Alone(part.clone())), own.unwrap_or(context), None)
}

/// The piece that a part is.
struct Alone<P>(P);

impl<P: Part> Piece for Alone<P> {
    /// What the part remembers, and whether its look was looked at.
    type Memory = (P::Memory, Cell<bool>);

    fn same(&self, other: &Alone<P>) -> bool {
        self.0 == other.0
    }

    fn draw(&self, (memory, _): &Self::Memory, stage: &Rc<Stage>) -> Html {
        let place = if P::INLINE { Tag::new("span", "cs") } else { Tag::new("div", "cs cs-inbox") };
        place.spoken(stage.messages()).at(stage.root()).child(self.0.draw(memory, stage)).html()
    }

    fn act(&self, (memory, _): &Self::Memory, stage: &Rc<Stage>, act: &Act, _: Option<&Event>) -> bool {
        self.0.act(memory, stage, act)
    }

    fn drawn(&self, (memory, seen): &Self::Memory, stage: &Rc<Stage>) {
        // Yew draws into what is not in the document yet, or no longer.
        if let Some(element) = stage.find(None).filter(|element| !seen.get() && element.is_connected()) {
            seen.set(true);
            complain_if_plain(&element);
        }
        self.0.drawn(memory, stage);
    }
}

/// Says in the console that a part is drawn without its look: spaces run together there, and what looks like the words of the
/// part may be the page's.
fn complain_if_plain(element: &Element) {
    let window = element.owner_document().and_then(|document| document.default_view());
    let Some(style) = window.and_then(|window| window.get_computed_style(element).ok()?) else { return };
    let is = |name: &str| style.get_property_value(name).unwrap_or_default();
    if is("--countersign-ink").is_empty() || is("font-variant-numeric") != "tabular-nums" {
        web_sys::console::warn_1(
            &"countersign: a component is drawn without its stylesheet; draw it within `Shadow`, or adopt `STYLESHEET` and give \
              its container the class `countersign`"
                .into(),
        );
    }
}

thread_local! {
    static NEXT: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// Tells the elements of one part from those of others and of cards, which are counted from the first one on.
#[derive(Clone, Copy)]
struct Place(u32);

impl Default for Place {
    fn default() -> Place {
        NEXT.set(NEXT.get().wrapping_sub(1));
        Place(NEXT.get())
    }
}
