//! Where a value stands in its document, found by its place in the text.

use countersign_json::Value;

/// Names a value of a document: no two begin at the same byte.
pub(crate) fn start(value: Value<'_>) -> usize {
    value.span().start
}

/// The value or key below `root` that starts at this byte.
pub(crate) fn at(root: Value<'_>, start: usize) -> Option<Value<'_>> {
    descend(root, start, |_| ())
}

/// The JSON Pointer of what starts at this byte, seen from `root`; a key has that of its member.
pub(crate) fn pointer(root: Value<'_>, start: usize) -> String {
    let mut pointer = String::new();
    descend(root, start, |step| {
        pointer.push('/');
        match step {
            Step::Member(name) => push_escaped(&mut pointer, &name.as_str_lossy().unwrap_or_default()),
            Step::Item(index) => pointer.push_str(&index.to_string()),
        }
    });
    pointer
}

/// Appends one part of a JSON Pointer, without its slash.
pub(crate) fn push_escaped(pointer: &mut String, name: &str) {
    for character in name.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// One step from a container to what it holds.
#[derive(Clone, Copy)]
pub(crate) enum Step<'d> {
    Member(Value<'d>),
    Item(usize),
}

/// Goes from `root` to what starts at this byte, step by step.
pub(crate) fn descend<'d>(
    root: Value<'d>,
    start: usize,
    mut step: impl FnMut(Step<'d>),
) -> Option<Value<'d>> {
    let mut here = root;
    loop {
        if here.span().start == start {
            return Some(here);
        }
        let member =
            here.members().find(|(key, value)| key.span().start <= start && start < value.span().end);
        if let Some((key, value)) = member {
            step(Step::Member(key));
            if key.span().contains(&start) {
                return Some(key);
            }
            here = value;
            continue;
        }
        let (index, item) = here.items().enumerate().find(|(_, item)| item.span().contains(&start))?;
        step(Step::Item(index));
        here = item;
    }
}

#[cfg(test)]
mod tests {
    use countersign_json::{Document, Limits};

    use super::*;

    #[test]
    fn every_value_is_found_by_where_it_starts() {
        let text = r#" {"a/b":[1,{"m~n":[[]]}],"c":"d"} "#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let root = document.root();
        for expected in ["", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/m~0n", "/a~1b/1/m~0n/0", "/c"] {
            let value = root.pointer(expected).unwrap();
            assert_eq!(pointer(root, start(value)), expected);
            assert_eq!(at(root, start(value)).unwrap().span(), value.span());
        }
        let (key, _) = root.members().nth(1).unwrap();
        assert_eq!(pointer(root, start(key)), "/c");
        assert!(at(root, 0).is_none() && at(root, 999).is_none());
    }
}
