//! What must hold for every text.

#[path = "support/check.rs"]
mod check;

use check::check;
use countersign_json::{Document, Limits, Numbers, diff, edit, quote, same, shallow_merge, shallow_patch};
use proptest::prelude::*;

/// White space as it may stand anywhere between two parts of a text.
fn space() -> impl Strategy<Value = String> {
    "[ \t\n\r]{0,3}"
}

/// The source text of a string: plain characters, and escapes of every sort, lone surrogates among them.
fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-c /~0-9]{1,12}",
        1 => "[^\"\\\\\u{0}-\u{1f}]{1,4}",
        1 => prop::sample::select(vec!["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]).prop_map(String::from),
        1 => "\\\\u00[46][1-3]",
        1 => "\\\\u[dD]8[0-9a-f]{2}\\\\uDc[0-9A-F]{2}",
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// As [`string`], and now and then with half of a surrogate pair.
fn any_string() -> impl Strategy<Value = String> {
    prop_oneof![20 => string(), 1 => "\"\\\\ud[89c][0-9a-f]{2}x?\""]
}

fn number() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?"
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["null", "true", "false", "{}", "[]", "{ }", "[\n]"]).prop_map(String::from),
        number(),
        any_string(),
    ]
}

fn array(item: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let spaced = (space(), item, space()).prop_map(|(before, item, after)| before + &item + &after);
    prop::collection::vec(spaced, 0..5).prop_map(|items| format!("[{}]", items.join(",")))
}

/// An object with keys from a small alphabet, so that some are repeated in one spelling or another.
fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let key = prop_oneof![any_string(), "\"(a|b|c|\\\\u0061|\\\\u0062)\""];
    let member = (space(), key, space(), space(), value, space());
    let member = member.prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
    prop::collection::vec(member, 0..12).prop_map(|members| format!("{{{}}}", members.join(",")))
}

/// A valid JSON text.
fn json() -> impl Strategy<Value = String> {
    let tree = leaf().prop_recursive(5, 60, 6, |inner| prop_oneof![array(inner.clone()), object(inner)]);
    (space(), tree, space()).prop_map(|(before, value, after)| before + &value + &after)
}

/// The members of an object in which no key is repeated: key, value.
fn members() -> impl Strategy<Value = Vec<(String, String)>> {
    let value = leaf().prop_recursive(2, 10, 3, array);
    prop::collection::btree_map("[a-j~/\"]{1,2}", value, 0..12)
        .prop_map(|members| members.into_iter().collect())
}

fn object_text(members: &[(String, String)], comma: &str) -> String {
    let members: Vec<_> = members.iter().map(|(key, value)| format!("{}: {value}", quote(key))).collect();
    format!("{{{}}}", members.join(comma))
}

fn pointer(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn r15_every_valid_text_is_read_printed_and_inspected_alike(text in json()) {
        assert!(Document::parse(&text, &Limits::default()).is_ok());
        check(text.as_bytes());
    }

    #[test]
    fn r15_a_damaged_text_is_refused_exactly_when_it_is_not_valid(
        text in json(),
        place in any::<prop::sample::Index>(),
        damage in prop::sample::select(&b"\"\\{}[],:0-1.eEtn \n\0\x1f\x7f\xC3\xEF\xFF"[..]),
        how in 0..3,
    ) {
        let mut bytes = text.into_bytes();
        let at = place.index(bytes.len());
        match how {
            0 => bytes[at] = damage,
            1 => bytes.insert(at, damage),
            _ => bytes.truncate(at),
        }
        check(&bytes);
    }

    #[test]
    fn r15_arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }

    #[test]
    fn same_is_symmetric_and_no_difference_means_the_same(left in json(), right in json()) {
        let limits = Limits::default();
        let (a, b) = (Document::parse(&left, &limits).unwrap(), Document::parse(&right, &limits).unwrap());
        let (a, b) = (a.root(), b.root());
        for numbers in [Numbers::Lexeme, Numbers::Value] {
            assert_eq!(same(a, b, numbers), same(b, a, numbers));
        }
        assert_eq!(diff(a, b).is_empty(), diff(b, a).is_empty());
        if same(a, b, Numbers::Lexeme) {
            assert!(same(a, b, Numbers::Value));
            assert_eq!(diff(a, b), []);
        } else if a.text() != b.text() {
            assert_ne!(diff(a, b), []);
        }
    }

    #[test]
    fn r07_editing_leaves_every_other_byte(members in members(), place in any::<prop::sample::Index>(), new in leaf()) {
        prop_assume!(!members.is_empty());
        let at = place.index(members.len());
        let (key, value) = members[at].clone();
        for comma in [",", " ,\n  "] {
            let text = object_text(&members, comma);
            let mut expected = members.clone();
            expected[at].1 = new.clone();
            assert_eq!(edit::replace(&text, &pointer(&key), &new), Ok(object_text(&expected, comma)));
            expected.remove(at);
            let removed = edit::remove(&text, &pointer(&key));
            assert_eq!(removed.as_deref(), Ok(object_text(&expected, comma).as_str()));
            expected.push((key.clone(), value.clone()));
            let rest = removed.unwrap();
            let inserted = edit::insert(&rest, &pointer(&key), &value).unwrap();
            assert!(inserted.starts_with(rest.trim_end_matches('}')), "{rest} became {inserted}");
            let limits = Limits::default();
            let (inserted, expected) = (inserted, object_text(&expected, comma));
            let (a, b) = (Document::parse(&inserted, &limits).unwrap(), Document::parse(&expected, &limits).unwrap());
            assert_eq!(countersign_json::compact(a.root()), countersign_json::compact(b.root()));
        }
    }

    #[test]
    fn r07_merging_a_patch_gives_what_was_edited(original in members(), edited in members()) {
        let (before, after) = (object_text(&original, ", "), object_text(&edited, ","));
        let patch = shallow_patch(&before, &after).unwrap();
        let merged = shallow_merge(&before, &patch.text).unwrap();
        let rest = patch.removed.iter().fold(merged, |text, key| edit::remove(&text, &pointer(key)).unwrap());
        let limits = Limits::default();
        let (a, b) = (Document::parse(&rest, &limits).unwrap(), Document::parse(&after, &limits).unwrap());
        assert_eq!(diff(a.root(), b.root()), []);
        assert!(shallow_patch(&rest, &after).unwrap().is_empty());
    }
}
