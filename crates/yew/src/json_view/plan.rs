//! Which rows of a JSON text are drawn before anybody asks for more.

use std::collections::VecDeque;

use countersign_json::Value;

/// How deep values are drawn as rows; what is nested deeper is folded.
pub(super) const DEPTH: usize = 64;

/// How many rows of the outermost container are drawn at first: hardly any call has more arguments.
const OUTER: usize = 100;

/// How many rows of a container within another are drawn at first.
pub(super) const FIRST: usize = 20;

/// How many more are drawn each time.
pub(super) const MORE: usize = 400;

/// How many rows are drawn at first in all: those of outer containers before those of inner ones.
const ROWS: usize = 120;

/// From more rows than this on a container scrolls, and only a part of its rows stands in the document.
pub(super) const MANY: usize = 500;

/// How many rows each container shows.
#[derive(Debug)]
pub(super) struct Plan {
    /// Where the open containers begin in the text, and how many of their rows are drawn.
    open: Vec<(usize, usize)>,
    /// The ones that a person opened.
    asked: Vec<(usize, usize)>,
}

impl Plan {
    /// The plan for `root`, with as many rows as were asked for of the containers that begin at these places.
    pub(super) fn of(root: Value<'_>, asked: &[(usize, usize)]) -> Plan {
        let mut plan = Plan { open: Vec::new(), asked: asked.to_vec() };
        let mut left = ROWS;
        let mut next = VecDeque::from([(root, 0)]);
        while let Some((container, depth)) = next.pop_front() {
            let wanted = plan.asked(container);
            if wanted.is_none() && left == 0 {
                continue;
            }
            let length = container.len();
            let rows = wanted.unwrap_or(if depth == 0 { OUTER } else { FIRST }).min(length);
            let closed = rows == 0 || (wanted.is_none() && depth > 0 && rows > left);
            if closed || depth >= DEPTH {
                continue;
            }
            left = left.saturating_sub(rows);
            plan.open.push((container.span().start, rows));
            if length > MANY {
                // Each of its rows says for itself what of it is shown.
                continue;
            }
            let inner = container.members().map(|(_, value)| value).chain(container.items());
            let shown = |at: usize| at < rows || at + TAIL >= length;
            let inner = inner.enumerate().filter(|(at, value)| shown(*at) && is_container(*value));
            next.extend(inner.map(|(_, value)| (value, depth + 1)));
        }
        plan
    }

    /// How many rows of a container are drawn; `None`: it is closed.
    pub(super) fn rows(&self, container: Value<'_>) -> Option<usize> {
        find(&self.open, container)
    }

    /// How many rows a person asked for.
    pub(super) fn asked(&self, container: Value<'_>) -> Option<usize> {
        find(&self.asked, container)
    }
}

/// How many rows stand after those that were left out.
pub(super) const TAIL: usize = 2;

fn find(places: &[(usize, usize)], container: Value<'_>) -> Option<usize> {
    let start = container.span().start;
    places.iter().find(|(place, _)| *place == start).map(|(_, rows)| *rows)
}

/// Whether a container in a row of a list that scrolls is shown with its rows: it is small, wherever it stands.
pub(super) fn is_small(container: Value<'_>) -> bool {
    container.len() <= 12 && container.text().len() <= 800
}

/// Whether there is something in it.
pub(super) fn is_container(value: Value<'_>) -> bool {
    (value.is_object() || value.is_array()) && !value.is_empty()
}

#[cfg(test)]
mod tests {
    use countersign_json::{Document, Limits};

    use super::*;

    fn plan(text: &str, asked: &[(usize, usize)]) -> Vec<(usize, usize)> {
        Plan::of(Document::parse(text, &Limits::default()).expect("JSON").root(), asked).open
    }

    #[test]
    fn r19_outer_rows_come_before_inner_ones() {
        let inner = ["[", &"0,".repeat(49), "0]"].concat();
        let members: Vec<String> =
            (0..10).map(|at| ["\"", &at.to_string(), "\":", &inner].concat()).collect();
        let text = ["{", &members.join(","), "}"].concat();
        let open = plan(&text, &[]);
        assert_eq!(open.iter().map(|(_, rows)| *rows).collect::<Vec<_>>(), [10, 20, 20, 20, 20, 20]);
        let last = text.rfind('[').expect("an array");
        assert!(plan(&text, &[(last, 50)]).contains(&(last, 50)));
        let first = text.find('[').expect("an array");
        assert!(!plan(&text, &[(first, 0)]).iter().any(|(place, _)| *place == first));
    }

    #[test]
    fn r14_no_text_opens_more_rows_than_are_asked_for() {
        let deep = ["[".repeat(1000), "]".repeat(1000)].concat();
        assert_eq!(plan(&deep, &[]).len(), DEPTH);
        let wide = ["[", &"[0],".repeat(5000), "0]"].concat();
        let rows: usize = plan(&wide, &[]).iter().map(|(_, rows)| rows).sum();
        assert!(rows <= ROWS, "{rows}");
    }
}
