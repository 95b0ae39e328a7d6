//! Many rows of which a part stands in the document: which part, and how tall the others are taken to be.
//!
//! Rows come and go in chunks. A chunk that was drawn once is as tall as it was then; others are taken to be as tall as
//! the first ones. Where that was wrong above what is seen, the list is scrolled by the difference, so nothing jumps.

use std::cell::{Cell, RefCell};

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// How many rows come and go together.
pub(super) const CHUNK: usize = 20;

/// How many chunks stand in the document at first.
const FIRST: usize = 3;

/// How tall a row is taken to be before any was drawn, in CSS pixels.
const ROW: f64 = 30.0;

/// A list that scrolls.
#[derive(Debug)]
pub(super) struct Scroll {
    /// How many rows there are.
    of: usize,
    /// How tall each chunk was when it was drawn last.
    heights: RefCell<Vec<Option<f64>>>,
    /// How tall a chunk is taken to be.
    guess: Cell<f64>,
    /// The first chunk in the document, and the one after the last.
    drawn: Cell<(usize, usize)>,
    /// The chunk at the upper edge.
    upper: Cell<usize>,
    /// Something in the list had the focus when rows were taken away.
    focused: Cell<bool>,
}

impl Scroll {
    /// A list of so many rows, at its beginning.
    pub(super) fn new(of: usize) -> Scroll {
        let chunks = of.div_ceil(CHUNK);
        Scroll {
            of,
            heights: RefCell::new(vec![None; chunks]),
            guess: Cell::new(ROW * CHUNK as f64),
            drawn: Cell::new((0, FIRST.min(chunks))),
            upper: Cell::new(0),
            focused: Cell::new(false),
        }
    }

    /// The chunks that stand in the document.
    pub(super) fn chunks(&self) -> std::ops::Range<usize> {
        let (from, until) = self.drawn.get();
        from..until
    }

    /// The first row in the document, and the one after the last.
    pub(super) fn rows(&self) -> (usize, usize) {
        let (from, until) = self.drawn.get();
        (from * CHUNK, self.of.min(until * CHUNK))
    }

    /// How far from the upper end a chunk begins.
    fn top(&self, chunk: usize) -> f64 {
        let guess = self.guess.get();
        self.heights.borrow().iter().take(chunk).map(|height| height.unwrap_or(guess)).sum()
    }

    /// The chunk at this distance from the upper end.
    fn at(&self, distance: f64) -> usize {
        let guess = self.guess.get();
        let mut left = distance;
        let heights = self.heights.borrow();
        let mut ends = |height: &Option<f64>| {
            left -= height.unwrap_or(guess);
            left > 0.0
        };
        heights.iter().take_while(|height| ends(height)).count().min(heights.len().saturating_sub(1))
    }

    /// It was scrolled: what begins at `top` is seen, `height` of it. Whether other chunks must be drawn.
    fn goes_to(&self, top: f64, height: f64) -> bool {
        let (upper, lower) = (self.at(top), self.at(top + height));
        self.upper.set(upper);
        let chunks = self.heights.borrow().len();
        // One more at each end: there it goes on, also with the Tab key.
        let wanted = (upper.saturating_sub(1), chunks.min(lower + 2));
        self.drawn.replace(wanted) != wanted
    }

    /// What begins at `top` is seen without having been scrolled to, `height` of it. Whether other chunks must be drawn.
    ///
    /// A list that is mounted anew is at its beginning, wherever the one before it was.
    fn catches_up(&self, top: f64, height: f64) -> bool {
        let drawn = self.chunks();
        let is_drawn = || drawn.contains(&self.at(top)) && drawn.contains(&self.at(top + height));
        // What is not shown at all is nowhere.
        height > 0.0 && !is_drawn() && self.goes_to(top, height)
    }

    /// Takes up how tall a chunk is; by how much what is seen has moved thereby.
    fn measures(&self, chunk: usize, height: f64) -> f64 {
        let guess = self.guess.get();
        let mut heights = self.heights.borrow_mut();
        if heights.iter().all(Option::is_none) && height > 0.0 {
            self.guess.set(height);
        }
        // What is not shown at all has no height, and keeps the one that it had.
        let Some(known) = heights.get_mut(chunk).filter(|_| height > 0.0) else { return 0.0 };
        let before = known.replace(height).unwrap_or(guess);
        if chunk < self.upper.get() { height - before } else { 0.0 }
    }

    /// It was scrolled; whether other rows must be drawn.
    pub(super) fn scrolled(&self, list: &Element) -> bool {
        let changed = self.goes_to(f64::from(list.scroll_top()), f64::from(list.client_height()));
        if changed {
            self.prepare(list);
        }
        changed
    }

    /// Other rows are about to be drawn.
    fn prepare(&self, list: &Element) {
        // Before rows are taken away: a list that got shorter would be scrolled by the browser.
        self.keep_room(list);
        self.focused.set(list.matches(":focus-within").unwrap_or_default());
    }

    /// Its rows were drawn; whether other rows must be drawn.
    pub(super) fn settle(&self, list: &Element) -> bool {
        let children = list.children();
        let mut moved = 0.0;
        for (at, chunk) in (1..).zip(self.chunks()) {
            if let Some(element) = children.item(at) {
                moved += self.measures(chunk, element.get_bounding_client_rect().height());
            }
        }
        self.keep_room(list);
        if moved.abs() >= 1.0 {
            list.set_scroll_top(list.scroll_top().saturating_add(whole(moved)));
        }
        if self.focused.take() && !list.matches(":focus-within").unwrap_or(true) {
            // What had the focus is gone: the keys go on scrolling.
            crate::piece::focus(list.clone());
        }
        let changed = self.catches_up(f64::from(list.scroll_top()), f64::from(list.client_height()));
        if changed {
            self.prepare(list);
        }
        changed
    }

    /// Gives what stands before and after the chunks the height of what is not there.
    fn keep_room(&self, list: &Element) {
        let (from, until) = self.drawn.get();
        let chunks = self.heights.borrow().len();
        let heights = [self.top(from), self.top(chunks) - self.top(until)];
        for (element, height) in
            [list.first_element_child(), list.last_element_child()].into_iter().zip(heights)
        {
            if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
                // Without it the list is shorter than it is long, and still whole.
                let _ =
                    element.style().set_property("block-size", &[&whole(height).to_string(), "px"].concat());
            }
        }
    }
}

/// The whole number next to this one. The words for fractions would weigh more than this list.
fn whole(pixels: f64) -> i32 {
    (pixels + if pixels < 0.0 { -0.5 } else { 0.5 }) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r19_scrolling_to_the_end_brings_every_row_into_the_document() {
        let scroll = Scroll::new(1_990);
        let mut seen = vec![false; 1_990];
        let mut top = 0.0;
        for _ in 0..2_000 {
            let (from, until) = scroll.rows();
            assert!(until - from <= 5 * CHUNK && until <= 1_990, "{from}..{until}");
            seen.iter_mut().take(until).skip(from).for_each(|seen| *seen = true);
            for chunk in scroll.chunks() {
                // Chunks of many heights.
                scroll.measures(chunk, 300.0 + (chunk % 7) as f64 * 200.0);
            }
            top += 400.0;
            scroll.goes_to(top, 480.0);
        }
        assert!(seen.iter().all(|seen| *seen));
        assert_eq!(scroll.chunks().end, 100);
    }

    #[test]
    fn what_is_above_moves_what_is_seen_by_the_difference_alone() {
        let scroll = Scroll::new(200);
        assert_eq!(scroll.rows(), (0, 60));
        assert_eq!(scroll.measures(0, 500.0), 0.0);
        assert_eq!(scroll.top(10), 5_000.0, "others are taken to be as tall as the first");
        assert!(scroll.goes_to(2_600.0, 480.0));
        assert_eq!(scroll.chunks(), 4..8);
        assert_eq!((scroll.measures(4, 700.0), scroll.measures(5, 100.0)), (200.0, 0.0));
        assert!(!scroll.goes_to(2_750.0, 480.0), "nothing else comes into sight");
        assert!(scroll.goes_to(0.0, 480.0));
        assert_eq!(scroll.chunks(), 0..2);
    }

    #[test]
    fn r19_a_list_that_is_mounted_anew_shows_its_beginning() {
        let scroll = Scroll::new(598);
        assert!(!scroll.catches_up(0.0, 480.0), "it was drawn from there");
        for chunk in scroll.chunks() {
            scroll.measures(chunk, 600.0);
        }
        assert!(scroll.goes_to(6_300.0, 480.0));
        assert!(!scroll.catches_up(6_300.0, 480.0));
        assert_eq!(scroll.rows(), (180, 260));
        assert!(!scroll.catches_up(0.0, 0.0), "it is not shown");
        assert!(scroll.catches_up(0.0, 480.0));
        assert_eq!(scroll.rows(), (0, 40));
        assert!(!scroll.catches_up(0.0, 480.0));
    }

    #[test]
    fn heights_are_told_in_whole_pixels() {
        assert_eq!([0.4, 0.5, 600.0, -1.6, 1e12].map(whole), [0, 1, 600, -2, i32::MAX]);
    }

    #[test]
    fn the_last_chunk_may_be_short() {
        let scroll = Scroll::new(45);
        assert_eq!((scroll.chunks(), scroll.rows()), (0..3, (0, 45)));
        scroll.goes_to(1e9, 480.0);
        assert_eq!(scroll.rows(), (20, 45));
        assert_eq!(Scroll::new(0).rows(), (0, 0));
    }
}
