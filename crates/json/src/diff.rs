//! What differs between two values.

use crate::keys::{self, Index};
use crate::pointer::Token;
use crate::same::{Numbers, same};
use crate::value::{Kind, Value};

/// When the pointers of all changes are this long together, one change of the whole is reported.
const MOST_POINTER_BYTES: usize = 16 << 20;

/// One difference between two values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where: a JSON Pointer; into the value before if it was removed, else into the value after.
    pub pointer: String,
    /// The exact text before; `None` if it was added.
    pub before: Option<String>,
    /// The exact text after; `None` if it was removed.
    pub after: Option<String>,
}

/// The differences, as deep in the values as they can be told apart, in the order of the text.
///
/// Numbers differ when their characters do. White space, the order of members, and how a string is
/// escaped do not count. What is on one side only is one change, however much it holds. In arrays of
/// different lengths, items that are the same at the start and at the end are matched first. Objects
/// with a repeated key are compared as text. Should the pointers take more than 16 MiB, there is one
/// change, of the whole.
#[must_use]
pub fn diff(before: Value<'_>, after: Value<'_>) -> Vec<Change> {
    let mut comparison =
        Comparison { steps: Vec::new(), pending: vec![(NO_STEP, Some(before), Some(after))] };
    let mut changes = Vec::new();
    let mut pointer_bytes = 0;
    while let Some((step, left, right)) = comparison.pending.pop() {
        if let (Some(left), Some(right)) = (left, right) {
            match (left.kind(), right.kind()) {
                _ if left.same_text(right) => continue,
                (Kind::Object, Kind::Object) if !keys::repeats(left) && !keys::repeats(right) => {
                    comparison.members(step, left, right);
                    continue;
                }
                (Kind::Array, Kind::Array) => {
                    comparison.items(step, left, right);
                    continue;
                }
                _ if same(left, right, Numbers::Lexeme) => continue,
                _ => {}
            }
        }
        let pointer = comparison.pointer(step);
        pointer_bytes += pointer.len();
        if pointer_bytes > MOST_POINTER_BYTES {
            return vec![change(String::new(), Some(before), Some(after))];
        }
        changes.push(change(pointer, left, right));
    }
    changes
}

fn change(pointer: String, before: Option<Value<'_>>, after: Option<Value<'_>>) -> Change {
    let text = |value: Value<'_>| value.text().to_string();
    Change { pointer, before: before.map(text), after: after.map(text) }
}

/// Stands for the way to the root.
const NO_STEP: usize = usize::MAX;

type Pair<'d> = (usize, Option<Value<'d>>, Option<Value<'d>>);

struct Comparison<'d> {
    /// The steps taken, each with the position of the one before it.
    steps: Vec<(usize, Token<'d>)>,
    /// What is still to compare, the next one last.
    pending: Vec<Pair<'d>>,
}

impl<'d> Comparison<'d> {
    fn members(&mut self, step: usize, left: Value<'d>, right: Value<'d>) {
        let first = self.pending.len();
        if keys::in_order(left, right) {
            for ((key, value), (_, other)) in left.members().zip(right.members()) {
                self.push(step, Token::Key(key), Some(value), Some(other));
            }
            return self.reverse_from(first);
        }
        let index = Index::new(right);
        for (key, value) in left.members() {
            let other = index.find(key).map(|(_, other)| other);
            self.push(step, Token::Key(key), Some(value), other);
        }
        let index = Index::new(left);
        for (key, value) in right.members() {
            if index.find(key).is_none() {
                self.push(step, Token::Key(key), None, Some(value));
            }
        }
        self.reverse_from(first);
    }

    fn items(&mut self, step: usize, left: Value<'d>, right: Value<'d>) {
        let first = self.pending.len();
        let (left, right): (Vec<_>, Vec<_>) = (left.items().collect(), right.items().collect());
        let (mut start, mut end) = (0, 0);
        if left.len() != right.len() {
            let shorter = left.len().min(right.len());
            let equal = |(left, right): &(&Value<'_>, &Value<'_>)| left.text() == right.text();
            start = left.iter().zip(&right).take_while(equal).count();
            end = left.iter().rev().zip(right.iter().rev()).take(shorter - start).take_while(equal).count();
        }
        let middle = |items: &[Value<'d>]| items.get(start..items.len() - end).unwrap_or_default().to_vec();
        let (left, right) = (middle(&left), middle(&right));
        for position in 0..left.len().max(right.len()) {
            let (value, other) = (left.get(position).copied(), right.get(position).copied());
            self.push(step, Token::Index(start + position), value, other);
        }
        self.reverse_from(first);
    }

    fn push(&mut self, outer: usize, token: Token<'d>, left: Option<Value<'d>>, right: Option<Value<'d>>) {
        self.steps.push((outer, token));
        self.pending.push((self.steps.len() - 1, left, right));
    }

    /// What was pushed first is to be taken first.
    fn reverse_from(&mut self, first: usize) {
        if let Some(pushed) = self.pending.get_mut(first..) {
            pushed.reverse();
        }
    }

    fn pointer(&self, step: usize) -> String {
        let mut tokens = Vec::new();
        let mut step = step;
        while let Some((outer, token)) = self.steps.get(step) {
            tokens.push(*token);
            step = *outer;
        }
        let mut pointer = String::new();
        for token in tokens.into_iter().rev() {
            token.push_to(&mut pointer);
        }
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::limits::Limits;

    /// The changes, one a line: pointer, text before, text after.
    #[track_caller]
    fn check(before: &str, after: &str, expected: &[(&str, Option<&str>, Option<&str>)]) {
        let limits = Limits::default();
        let (left, right) =
            (Document::parse(before, &limits).unwrap(), Document::parse(after, &limits).unwrap());
        let changes = diff(left.root(), right.root());
        let found: Vec<_> = changes
            .iter()
            .map(|change| (change.pointer.as_str(), change.before.as_deref(), change.after.as_deref()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn changes_are_reported_where_they_are_in_the_order_of_the_text() {
        check(
            r#"{"a":{"x":1,"y":[true,2]},"b":"old","gone":{"k":1},"same":0}"#,
            r#"{"new":[],"b":"new","a":{"y":[true,3],"x":1.0},"same":0}"#,
            &[
                ("/a/x", Some("1"), Some("1.0")),
                ("/a/y/1", Some("2"), Some("3")),
                ("/b", Some("\"old\""), Some("\"new\"")),
                ("/gone", Some("{\"k\":1}"), None),
                ("/new", None, Some("[]")),
            ],
        );
    }

    #[test]
    fn spelling_is_no_change_and_another_kind_is() {
        check(r#"{"a":"x","b":1}"#, "{ \"b\" : 1,\n\"\\u0061\":\"\\u0078\"}", &[]);
        check("[1]", "{}", &[("", Some("[1]"), Some("{}"))]);
        check(r#"{"a":1}"#, r#"{"a":"1"}"#, &[("/a", Some("1"), Some("\"1\""))]);
    }

    #[test]
    fn items_that_stay_are_matched_from_both_ends() {
        check("[1,2,3]", "[2,3]", &[("/0", Some("1"), None)]);
        check("[1,3]", "[1,2,3]", &[("/1", None, Some("2"))]);
        check("[1,2,3,9]", "[1,7,9]", &[("/1", Some("2"), Some("7")), ("/2", Some("3"), None)]);
        check("[1,1]", "[1]", &[("/1", Some("1"), None)]);
    }

    #[test]
    fn an_object_with_a_repeated_key_is_compared_as_text() {
        let twice = r#"{"a":{"k":1,"k":2}}"#;
        check(twice, twice, &[]);
        check(twice, r#"{"a":{"k":2}}"#, &[("/a", Some(r#"{"k":1,"k":2}"#), Some(r#"{"k":2}"#))]);
        check(r#"{"a":{"k":2}}"#, twice, &[("/a", Some(r#"{"k":2}"#), Some(r#"{"k":1,"k":2}"#))]);
    }

    #[test]
    fn pointers_escape_what_they_must() {
        check(r#"{"a/b~":1}"#, r#"{"a/b~":2}"#, &[("/a~1b~0", Some("1"), Some("2"))]);
    }

    #[test]
    fn many_changes_below_a_long_name_do_not_outgrow_memory() {
        let name = "n".repeat(100_000);
        let list = |item: &str| format!("{{\"{name}\":[{}]}}", vec![item; 10_000].join(","));
        let (before, after) = (list("1"), list("2"));
        check(&before, &after, &[("", Some(&before), Some(&after))]);
    }
}
