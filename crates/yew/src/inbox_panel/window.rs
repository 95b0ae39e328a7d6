//! A long list of which a part is drawn: which part, and the way to the others.

use std::rc::Rc;

use yew::prelude::*;

use crate::controls::button;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Stage};

/// Which part of a list is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// The place of the first.
    pub(super) from: usize,
    /// The place after the last.
    pub(super) until: usize,
    /// How many there are.
    pub(super) of: usize,
}

impl Window {
    /// The page that begins at `from`, or the last one where there is none; `size` to a page.
    pub(super) fn at(from: usize, of: usize, size: usize) -> Window {
        let from = from.min(of.saturating_sub(1) / size * size);
        Window { from, until: of.min(from + size), of }
    }

    /// Whether something is not drawn.
    pub(super) fn is_part(self) -> bool {
        self.until - self.from < self.of
    }

    /// The ways to the parts before and after, with where one is between them; nothing where everything is drawn.
    ///
    /// `part` is that of the way forward.
    pub(super) fn turn(self, part: &'static str, back: Act, forth: Act, stage: &Rc<Stage>) -> Html {
        if !self.is_part() {
            return Html::default();
        }
        let messages = stage.messages();
        let label = messages.window_of(self.from + 1, self.until, self.of);
        let back =
            button("previous", "cs-more", messages.previous_page(), stage, back).withheld(self.from == 0);
        let forth =
            button(part, "cs-more", messages.next_page(), stage, forth).withheld(self.until == self.of);
        Tag::new("div", "cs-window")
            .with(Attribute::Role, "group")
            .text(Attribute::Label, label.clone())
            .child(back.html())
            .child(Tag::new("span", "cs-window-label").part("window").words(label).html())
            .child(forth.html())
            .html()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r52_a_window_never_holds_more_than_a_page_and_reaches_everything() {
        let mut from = 0;
        let mut drawn = 0;
        loop {
            let window = Window::at(from, 1000, 24);
            assert!(window.until - window.from <= 24);
            drawn += window.until - window.from;
            if window.until == window.of {
                break;
            }
            from = window.until;
        }
        assert_eq!(drawn, 1000);
        assert_eq!(Window::at(999_999, 50, 24), Window { from: 48, until: 50, of: 50 });
        assert_eq!(Window::at(7, 0, 24), Window { from: 0, until: 0, of: 0 });
        assert!(!Window::at(0, 24, 24).is_part());
    }
}
