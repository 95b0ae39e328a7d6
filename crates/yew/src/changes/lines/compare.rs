//! The shortest way from one text to another, in lines.
//!
//! Source: E. Myers, "An O(ND) difference algorithm and its variations", 1986.

/// On which side a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// On both.
    Same,
    /// Only before.
    Before,
    /// Only after.
    After,
}

/// One line of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// Where it stands.
    pub(super) side: Side,
    /// The line without its end. Untrusted.
    pub(super) text: &'t str,
    /// The line that it became, or was; `None` where that cannot be told.
    pub(super) mate: Option<&'t str>,
}

/// How many lines may be removed and added; the work and the memory grow with the square of it.
const MOST: isize = 600;

/// The lines of both texts in one row, what was removed before what was added; `None`: they differ too much.
pub(super) fn compare<'t>(before: &'t str, after: &'t str) -> Option<Vec<Line<'t>>> {
    // Where both end with a line break there is no line after it.
    let (before, after) = match (before.strip_suffix('\n'), after.strip_suffix('\n')) {
        (Some(before), Some(after)) => (before, after),
        _ => (before, after),
    };
    let before: Vec<&str> = before.split('\n').collect();
    let after: Vec<&str> = after.split('\n').collect();
    let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let (head, before) = before.split_at(start);
    let after = after.split_at(start).1;
    let end = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    let (before, tail) = before.split_at(before.len() - end);
    let after = after.split_at(after.len() - end).0;
    let middle = grouped(middle(before, after)?);
    let same = |text: &&'t str| line(Side::Same, text);
    Some(head.iter().map(same).chain(middle).chain(tail.iter().map(same)).collect())
}

fn line(side: Side, text: &str) -> Line<'_> {
    Line { side, text, mate: None }
}

/// The furthest place on each diagonal, in lines of the text before.
#[derive(Clone)]
struct Reached(Vec<isize>);

impl Reached {
    fn at(&self, diagonal: isize) -> isize {
        usize::try_from(diagonal + MOST + 1).ok().and_then(|at| self.0.get(at)).copied().unwrap_or(0)
    }

    fn set(&mut self, diagonal: isize, place: isize) {
        if let Some(slot) = usize::try_from(diagonal + MOST + 1).ok().and_then(|at| self.0.get_mut(at)) {
            *slot = place;
        }
    }

    /// The diagonal of the round before from which `diagonal` is reached in this one.
    fn from(&self, diagonal: isize, round: isize) -> isize {
        let adds = diagonal == -round || (diagonal != round && self.at(diagonal - 1) < self.at(diagonal + 1));
        if adds { diagonal + 1 } else { diagonal - 1 }
    }
}

/// The shortest way through what differs.
fn middle<'t>(before: &[&'t str], after: &[&'t str]) -> Option<Vec<Line<'t>>> {
    let (width, height) = (isize::try_from(before.len()).ok()?, isize::try_from(after.len()).ok()?);
    let mut reached = Reached(vec![0; usize::try_from(2 * MOST + 3).ok()?]);
    let mut rounds = Vec::new();
    for round in 0..=MOST.min(width + height) {
        rounds.push(reached.clone());
        for diagonal in (-round..=round).step_by(2) {
            let from = reached.from(diagonal, round);
            let mut place = reached.at(from) + isize::from(from < diagonal);
            while let Some(text) = get(before, place)
                && get(after, place - diagonal) == Some(text)
            {
                place += 1;
            }
            reached.set(diagonal, place);
            if place >= width && place - diagonal >= height {
                return way_back(before, after, &rounds);
            }
        }
    }
    None
}

fn get<'t>(lines: &[&'t str], at: isize) -> Option<&'t str> {
    lines.get(usize::try_from(at).ok()?).copied()
}

/// The lines in their order, found from the last round to the first.
fn way_back<'t>(before: &[&'t str], after: &[&'t str], rounds: &[Reached]) -> Option<Vec<Line<'t>>> {
    let (mut x, mut y) = (isize::try_from(before.len()).ok()?, isize::try_from(after.len()).ok()?);
    let mut lines = Vec::with_capacity(before.len() + after.len());
    for (round, reached) in rounds.iter().enumerate().rev() {
        let from = reached.from(x - y, isize::try_from(round).ok()?);
        let (from_x, from_y) = (reached.at(from), reached.at(from) - from);
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            lines.push(line(Side::Same, get(before, x)?));
        }
        if round > 0 {
            lines.push(match x == from_x {
                true => line(Side::After, get(after, from_y)?),
                false => line(Side::Before, get(before, from_x)?),
            });
            (x, y) = (from_x, from_y);
        }
    }
    lines.reverse();
    Some(lines)
}

/// The same lines; in each run of changed ones first what was removed, and pairs where there are as many of both.
fn grouped(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let mut sorted = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|one, other| (one.side == Side::Same) == (other.side == Side::Same)) {
        let of = |side| run.iter().filter(move |line| line.side == side);
        let paired = of(Side::Before).count() == of(Side::After).count();
        sorted.extend(of(Side::Same));
        let mut mates = of(Side::After);
        for line in of(Side::Before) {
            sorted.push(Line { mate: mates.next().filter(|_| paired).map(|mate| mate.text), ..*line });
        }
        let mut mates = of(Side::Before);
        for line in of(Side::After) {
            sorted.push(Line { mate: mates.next().filter(|_| paired).map(|mate| mate.text), ..*line });
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &str) {
        let lines = compare(before, after).expect("few lines");
        let found: Vec<String> = lines
            .iter()
            .map(|line| {
                let sign = match line.side {
                    Side::Same => " ",
                    Side::Before => "-",
                    Side::After => "+",
                };
                [sign, line.text].concat()
            })
            .collect();
        assert_eq!(found.join("\n"), expected);
    }

    #[test]
    fn what_stays_is_found_between_what_changes() {
        check("a\nb\nc", "a\nx\nc", " a\n-b\n+x\n c");
        check("a\nb\nc", "b\nc\nd", "-a\n b\n c\n+d");
        check("", "a", "-\n+a");
        check("a\n", "a", " a\n-");
        check("same\n", "same\n", " same");
    }

    #[test]
    fn a_run_of_changes_shows_what_was_removed_first() {
        check("a\nb\nc\nd", "a\nx\ny\nd", " a\n-b\n-c\n+x\n+y\n d");
        let lines = compare("a\nb\nc", "a\nx\nc").expect("few lines");
        assert_eq!(lines.get(1).and_then(|line| line.mate), Some("x"));
        assert_eq!(lines.get(2).and_then(|line| line.mate), Some("b"));
    }

    #[test]
    fn both_texts_can_be_read_off_a_comparison() {
        // Small words over few letters: every kind of overlap.
        let texts: Vec<String> = (0..243_usize)
            .map(|number| {
                let letters = (0..5).map(|place| ["\na", "\nb", ""][number / 3_usize.pow(place) % 3]);
                letters.collect()
            })
            .collect();
        for before in texts.iter().step_by(7) {
            for after in &texts {
                let lines = compare(before, after).expect("few lines");
                let side = |other| {
                    let kept = lines.iter().filter(|line| line.side != other).map(|line| line.text);
                    kept.collect::<Vec<_>>().join("\n")
                };
                assert_eq!((side(Side::After), side(Side::Before)), (before.clone(), after.clone()));
            }
        }
    }

    #[test]
    fn texts_that_differ_everywhere_are_not_compared() {
        let text =
            |word: &str| (0..2000).map(|line| [word, &line.to_string(), "\n"].concat()).collect::<String>();
        assert!(compare(&text("a"), &text("b")).is_none());
        assert!(compare(&text("a"), &text("a").replace("a999\n", "x\n")).is_some());
    }
}
