//! Places in JSON text: JSON Pointers, step by step.

use countersign_json::pointer;

/// The place one step further in.
pub(crate) fn child(pointer: &str, name: &str) -> String {
    let mut place = pointer.to_owned();
    pointer::push(&mut place, name);
    place
}

/// The place around this one, and the last step as it is written.
pub(crate) fn split(pointer: &str) -> (&str, &str) {
    pointer.rsplit_once('/').unwrap_or(("", ""))
}

/// Whether a place is this one, or within it.
pub(crate) fn is_within(place: &str, outer: &str) -> bool {
    place.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_escaped() {
        let place = child(&child("", "a/b"), "~c");
        assert_eq!(place, "/a~1b/~0c");
        assert_eq!(split(&place), ("/a~1b", "~0c"));
        assert_eq!(split(""), ("", ""));
    }

    #[test]
    fn a_place_is_within_what_its_steps_begin_with() {
        assert!(is_within("/a/1", "/a") && is_within("/a", "/a") && is_within("/a", ""));
        assert!(!is_within("/ab", "/a") && !is_within("/a", "/a/1"));
    }
}
