//! What must hold for every text, shared by the property tests and the fuzz target.

use countersign_json::{
    Document, HazardCode, Limits, Numbers, Value, compact, diff, inspect, inspect_text, pretty,
    rounded_numbers, same, shallow_merge, shallow_patch,
};
use serde::de::IgnoredAny;

/// Reads `bytes` in every way there is, and fails where two ways disagree.
pub(crate) fn check(bytes: &[u8]) {
    let limits = Limits::default();
    let read = Document::parse_bytes(bytes, &limits);
    let Ok(text) = std::str::from_utf8(bytes) else {
        assert!(read.is_err(), "bytes that are not UTF-8 were read");
        return;
    };
    let arguments = inspect_text(text, &Limits::ARGUMENTS);
    let valid = serde_json::from_str::<IgnoredAny>(text);
    let document = match read {
        Ok(document) => document,
        Err(error) => {
            assert!(valid.is_err(), "refused although valid: {error}");
            assert!(!arguments.inspectable(), "unreadable, yet inspectable");
            assert!(error.at <= text.len() && error.line(text) > 0 && error.column(text) > 0);
            return;
        }
    };
    assert!(valid.is_ok(), "read although not valid: {valid:?}");
    let root = document.root();
    assert_eq!(root.text(), text.trim_matches([' ', '\t', '\n', '\r']));
    let inspection = inspect(root, &Limits { nodes: usize::MAX, ..limits });
    assert_eq!(inspection.nodes, document.node_count());
    let has = |code| inspection.hazards.iter().any(|hazard| hazard.code == code);
    let repeats = has(HazardCode::DuplicateKey);
    for hazard in inspection.hazards.iter().chain(&rounded_numbers(root)) {
        // A pointer names the last member of a name, and cannot hold a lone surrogate.
        let named = repeats || hazard.pointer.contains('\u{FFFD}') || root.pointer(&hazard.pointer).is_some();
        assert!(named, "{hazard:?}");
    }

    let strings_are_text = every_string_is_text(root);
    assert_eq!(strings_are_text, !has(HazardCode::LoneSurrogate));
    // Reading into a tree is where serde_json refuses lone surrogates and great depth.
    if strings_are_text && inspection.depth < 100 {
        let tree = serde_json::from_str::<serde_json::Value>(text);
        assert!(tree.is_ok() || has_large_number(root), "{tree:?}");
    }

    printing_keeps_everything(root, repeats);
    for numbers in [Numbers::Lexeme, Numbers::Value] {
        assert_eq!(same(root, root, numbers), !repeats, "the same as itself, unless a key is repeated");
    }
    assert_eq!(diff(root, root), []);
    if let Ok(patch) = shallow_patch(text, text) {
        assert!(patch.is_empty());
        assert_eq!(shallow_merge(text, "{}").as_deref(), Ok(text));
    }
}

fn printing_keeps_everything(root: Value<'_>, repeats: bool) {
    let (short, long) = (compact(root), pretty(root));
    for printed in [&short, &long] {
        let again = Document::parse(printed, &Limits::default());
        let again = again.as_ref().map(|document| document.root());
        assert_eq!(again.map(compact).as_ref(), Ok(&short));
        assert_eq!(again.map(pretty).as_ref(), Ok(&long));
        assert_eq!(again.map(|again| same(root, again, Numbers::Lexeme)), Ok(!repeats));
    }
}

fn every_string_is_text(root: Value<'_>) -> bool {
    let mut pending = vec![root];
    let mut text = true;
    while let Some(value) = pending.pop() {
        if value.is_string() {
            let content = value.as_str();
            text &= content.is_some();
            let lossy = value.as_str_lossy();
            assert!(lossy.is_some() && (content.is_none() || content == lossy));
            assert!(content.is_none_or(|content| value.equals(&content)));
        }
        pending.extend(value.members().flat_map(|(key, value)| [key, value]));
        pending.extend(value.items());
    }
    text
}

/// Whether there is a number that a 64-bit float cannot hold.
fn has_large_number(root: Value<'_>) -> bool {
    let mut pending = vec![root];
    while let Some(value) = pending.pop() {
        if value.as_number().is_some_and(|lexeme| lexeme.parse::<f64>().is_ok_and(f64::is_infinite)) {
            return true;
        }
        pending.extend(value.members().map(|(_, value)| value));
        pending.extend(value.items());
    }
    false
}
