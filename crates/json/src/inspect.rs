//! Looking for what makes a value dangerous to show or to approve.

use crate::document::Document;
use crate::error::{ParseError, ParseErrorCode};
use crate::hazard::{Hazard, HazardCode, Inspection};
use crate::limits::Limits;
use crate::pointer::Token;
use crate::string::{Piece, pieces, shorten, unescape_lossy};
use crate::value::{Kind, Value};
use crate::walk::{Step, Walk};
use crate::{keys, number};

/// No more hazards of one code are listed than this.
const MOST_OF_A_CODE: usize = 64;
/// When the pointers listed are this long together, only the first hazard of each code is added.
const MOST_POINTER_BYTES: usize = 1 << 20;
/// How the names start that serde_json keeps for itself.
const PRIVATE: &str = "$serde_json::private::";
/// How much of a name from outside a message repeats, in characters.
const MOST_CHARACTERS: usize = 64;

/// Looks for everything in `value` that hides, deceives, or is beyond `limits`.
///
/// The work is in proportion to the value's text, and nothing recurses.
#[must_use]
pub fn inspect(value: Value<'_>, limits: &Limits) -> Inspection {
    look(value, limits, None)
}

/// Looks for everything in which readers of `value` may differ, but not into `inner`, a container within it that is
/// judged by itself.
///
/// Without limits. Where nothing is ambiguous, nothing is told at all.
pub fn inspect_around(value: Value<'_>, inner: Option<Value<'_>>) -> Inspection {
    let end = value.behind();
    let is_within = |inner: &Value<'_>| {
        let is_of_it = std::ptr::eq(inner.document(), value.document());
        is_of_it && (value.index()..end).contains(&inner.index()) && (inner.is_object() || inner.is_array())
    };
    let left_out = inner.filter(is_within);
    let (until, from) = left_out.map_or((end, end), |inner| (inner.index(), inner.behind()));
    let mut parts = (value.index()..until).chain(from..end);
    if parts.all(|index| is_plain(Value::new(value.document(), index))) {
        return Inspection::default();
    }
    look(value, &Limits::NONE, left_out.map(Value::index))
}

/// Looks for everything, but not into the container that begins at this node.
fn look(value: Value<'_>, limits: &Limits, left_out: Option<u32>) -> Inspection {
    let mut list = List::default();
    let (mut nodes, mut deepest) = (0, 0);
    let size = value.span().len();
    if size > limits.bytes {
        list.add(HazardCode::TooLarge, String::new, || format!("{size} bytes, {} are allowed", limits.bytes));
    }
    let mut walk = Walk::new(value);
    while let Some(step) = walk.next() {
        match step {
            Step::Open(container) => {
                nodes += 1;
                deepest = deepest.max(walk.depth());
                if walk.depth() == limits.depth.saturating_add(1) {
                    list.add(
                        HazardCode::TooDeep,
                        || walk.pointer(),
                        || format!("more than {} levels", limits.depth),
                    );
                }
                if left_out == Some(container.index()) {
                    walk.pass();
                } else if container.is_object() {
                    repeated_keys(container, &walk, &mut list);
                }
            }
            Step::Close(_) => {}
            Step::Key(key) => {
                names_with_meaning(key, &walk, &mut list);
                lone_surrogate(key, "key", &walk, &mut list);
            }
            Step::Leaf(leaf) => {
                nodes += 1;
                lone_surrogate(leaf, "string", &walk, &mut list);
            }
        }
    }
    if nodes > limits.nodes {
        list.add(HazardCode::TooManyValues, String::new, || {
            format!("{nodes} values, {} are allowed", limits.nodes)
        });
    }
    Inspection { hazards: list.hazards, nodes, depth: deepest }
}

/// Whether all readers read the same in `value`: no key is repeated in it, and no string holds a lone surrogate.
///
/// The same as asking [`inspect`] for these, but it does not say where, and so costs much less.
pub fn is_unambiguous(value: Value<'_>) -> bool {
    parts(value).all(is_plain)
}

/// The same for one value, without what is in it.
fn is_plain(part: Value<'_>) -> bool {
    if part.escaped() {
        return !pieces(part.source().unwrap_or_default()).any(|piece| matches!(piece, Piece::Lone(_)));
    }
    !part.is_object() || !keys::repeats(part)
}

/// Reads `text`, which should be the arguments of a call, and inspects it.
///
/// What is not JSON, or is beyond `limits`, or is not an object, is a hazard and not an error.
#[must_use]
pub fn inspect_text(text: &str, limits: &Limits) -> Inspection {
    let document = match Document::parse(text, limits) {
        Ok(document) => document,
        Err(error) => return unreadable(error, limits),
    };
    let root = document.root();
    let mut inspection = inspect(root, limits);
    if !root.is_object() {
        let message = format!("expected an object, found {}", name(root.kind()));
        let hazard = Hazard { pointer: String::new(), code: HazardCode::NotAnObject, message };
        inspection.hazards.insert(0, hazard);
    }
    inspection
}

/// The numbers in `value` that a reader with 64-bit floats may have rounded: those of 2^53 and more.
///
/// For a text that was made from a parsed value, where the digits that were sent are lost.
pub fn rounded_numbers(value: Value<'_>) -> Vec<Hazard> {
    let mut list = List::default();
    let mut walk = Walk::new(value);
    while let Some(step) = walk.next() {
        if let Step::Leaf(leaf) = step
            && leaf.as_number().is_some_and(number::beyond_exact_floats)
        {
            let message = || {
                format!("`{}` may have been rounded before it arrived", shorten(leaf.text(), MOST_CHARACTERS))
            };
            list.add(HazardCode::RoundedNumber, || walk.pointer(), message);
        }
    }
    list.hazards
}

/// Whether [`rounded_numbers`] finds any in `value`: a question that costs a few steps for each value.
#[must_use]
pub fn has_rounded_number(value: Value<'_>) -> bool {
    parts(value).any(|part| part.as_number().is_some_and(number::beyond_exact_floats))
}

/// The first number in `value` whose digits 64-bit floats may change, and that does not stand in `known` as it is.
///
/// For what a reader with such floats is sent: what came from it, it keeps.
///
/// ```
/// use countersign_json::{Document, Limits, changed_number};
///
/// let limits = Limits::default();
/// let known = Document::parse(r#"{"a":0.30000000000000004}"#, &limits)?;
/// let sent = Document::parse(r#"{"a":0.30000000000000004,"b":9007199254740993}"#, &limits)?;
/// assert_eq!(changed_number(sent.root(), known.root()).map(|number| number.text()), Some("9007199254740993"));
/// # Ok::<(), countersign_json::ParseError>(())
/// ```
#[must_use]
pub fn changed_number<'d>(value: Value<'d>, known: Value<'_>) -> Option<Value<'d>> {
    let is_risky = |number: &Value<'d>| {
        let lexeme = number.as_number().unwrap_or_default();
        !number::kept_by_floats(lexeme) && !parts(known).any(|part| part.as_number() == Some(lexeme))
    };
    parts(value).filter(|part| part.as_number().is_some()).find(is_risky)
}

/// A value and all that is in it: that stands behind it in a row, whatever is nested in what.
fn parts(value: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    (value.index()..value.behind()).map(move |index| Value::new(value.document(), index))
}

fn repeated_keys(object: Value<'_>, walk: &Walk<'_>, list: &mut List) {
    for key in keys::repeated(object) {
        let pointer = || {
            let mut pointer = walk.pointer();
            Token::Key(key).push_to(&mut pointer);
            pointer
        };
        list.add(HazardCode::DuplicateKey, pointer, || {
            format!("the key `{}` occurs more than once", content(key))
        });
    }
}

fn names_with_meaning(key: Value<'_>, walk: &Walk<'_>, list: &mut List) {
    let source = key.source().unwrap_or_default();
    if !key.escaped() && !source.starts_with(['_', 'c', 'p', '$']) {
        return;
    }
    if ["__proto__", "constructor", "prototype"].into_iter().any(|name| key.equals(name)) {
        let message = || format!("the key `{}` has a meaning of its own in JavaScript", content(key));
        list.add(HazardCode::PrototypeKey, || walk.pointer(), message);
    }
    let private =
        if key.escaped() { unescape_lossy(source).starts_with(PRIVATE) } else { source.starts_with(PRIVATE) };
    if private {
        let message = || format!("the key `{}` has a meaning of its own in some readers", content(key));
        list.add(HazardCode::PrivateKey, || walk.pointer(), message);
    }
}

fn lone_surrogate(text: Value<'_>, what: &str, walk: &Walk<'_>, list: &mut List) {
    if !text.escaped() {
        return;
    }
    let lone = pieces(text.source().unwrap_or_default()).find_map(|piece| match piece {
        Piece::Lone(unit) => Some(unit),
        _ => None,
    });
    if let Some(unit) = lone {
        let message = || format!("the {what} holds half of a surrogate pair, `\\u{unit:04x}`");
        list.add(HazardCode::LoneSurrogate, || walk.pointer(), message);
    }
}

/// What a string says, short enough for a message.
fn content(string: Value<'_>) -> String {
    shorten(&string.as_str_lossy().unwrap_or_default(), MOST_CHARACTERS).into_owned()
}

/// The hazards found so far, no more of them than is useful.
#[derive(Default)]
struct List {
    hazards: Vec<Hazard>,
    counts: [usize; HazardCode::COUNT],
    pointer_bytes: usize,
}

impl List {
    fn add(&mut self, code: HazardCode, pointer: impl FnOnce() -> String, message: impl FnOnce() -> String) {
        if self.takes(code) {
            self.push(code, pointer(), message());
        }
    }

    /// Counts one more, and says whether it is useful.
    #[inline(never)]
    fn takes(&mut self, code: HazardCode) -> bool {
        let Some(count) = self.counts.get_mut(code as usize) else { return false };
        *count += 1;
        *count == 1 || *count <= MOST_OF_A_CODE && self.pointer_bytes <= MOST_POINTER_BYTES
    }

    #[inline(never)]
    fn push(&mut self, code: HazardCode, pointer: String, message: String) {
        self.pointer_bytes += pointer.len();
        self.hazards.push(Hazard { pointer, code, message });
    }
}

fn unreadable(error: ParseError, limits: &Limits) -> Inspection {
    let (code, message) = match error.code {
        ParseErrorCode::TooDeep => (HazardCode::TooDeep, format!("more than {} levels", limits.depth)),
        ParseErrorCode::TooLarge => (HazardCode::TooLarge, format!("more than {} bytes", limits.bytes)),
        ParseErrorCode::TooManyValues => {
            (HazardCode::TooManyValues, format!("more than {} values", limits.nodes))
        }
        _ => (HazardCode::NotJson, error.to_string()),
    };
    Inspection { hazards: vec![Hazard { pointer: String::new(), code, message }], nodes: 0, depth: 0 }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "`null`",
        Kind::Bool => "a truth value",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hazards of a text, one a line: code and pointer.
    fn found(text: &str) -> Vec<String> {
        let hazards = inspect_text(text, &Limits::ARGUMENTS).hazards;
        hazards.iter().map(|hazard| format!("{} {}", hazard.code, hazard.pointer)).collect()
    }

    #[test]
    fn an_ordinary_object_has_no_hazards() {
        let inspection = inspect_text(r#"{"a":[1,{"b":"\ud83d\ude00"}],"proto":null}"#, &Limits::ARGUMENTS);
        assert_eq!(inspection, Inspection { hazards: Vec::new(), nodes: 6, depth: 3 });
        assert!(inspection.inspectable());
    }

    #[test]
    fn hazards_carry_the_pointer_of_their_place() {
        assert_eq!(found(r#"{"a/b":[0,{"k":1,"k":2}]}"#), ["duplicate-key /a~1b/1/k"]);
        assert_eq!(
            found(r#"{"a":["\ud800",{"x\udc00":1}]}"#),
            ["lone-surrogate /a/0", "lone-surrogate /a/1/x\u{FFFD}"]
        );
        assert_eq!(found(r#"[{"a":1}]"#), ["not-an-object "]);
        assert_eq!(found("{} x"), ["not-json "]);
        assert_eq!(found(r#"{"a":[[],{"b":{"constructor":1}}]}"#), ["prototype-key /a/1/b/constructor"]);
    }

    #[test]
    fn a_part_is_inspected_from_its_own_root() {
        let text = r#"{"args":{"a":{"a":[1,1]}}}"#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let args = document.root().get("args").unwrap();
        let limits = Limits { bytes: 10, depth: 1, nodes: 3 };
        let inspection = inspect(args, &limits);
        let found: Vec<_> =
            inspection.hazards.iter().map(|hazard| (hazard.code, hazard.pointer.as_str())).collect();
        let expected =
            [(HazardCode::TooLarge, ""), (HazardCode::TooDeep, "/a"), (HazardCode::TooManyValues, "")];
        assert_eq!(found, expected);
        assert_eq!((inspection.nodes, inspection.depth), (5, 3));
        assert!(inspect(args, &Limits { bytes: 18, depth: 3, nodes: 5 }).hazards.is_empty());
    }

    #[test]
    fn the_quick_look_sees_what_the_slow_one_sees() {
        let many: Vec<String> = (0..40).map(|number| format!(r#""k{number}":[{{"a":{number}}}]"#)).collect();
        let many = many.join(",");
        for text in [
            "7",
            "{}",
            r#""\ud800""#,
            r#""\ud83d\ude00 \n""#,
            r#"{"a":{"b":[1,{"a":1,"b":2}]},"c":"a","d":"{"}"#,
            r#"{"a":{"b":[1,{"a":1,"b":2,"a":3}]}}"#,
            r#"[{"a":1},{"a":1},[{"a":1,"\u0061":2}]]"#,
            r#"[{"\udc00":1}]"#,
            r#"{"a":{},"a":{}}"#,
            &format!("{{{many}}}"),
            &format!("[0,{{{many},\"k7\":null}}]"),
        ] {
            let document = Document::parse(text, &Limits::default()).unwrap();
            let ambiguous = [HazardCode::DuplicateKey, HazardCode::LoneSurrogate];
            let hazards = inspect(document.root(), &Limits::default()).hazards;
            let expected = !hazards.iter().any(|hazard| ambiguous.contains(&hazard.code));
            assert_eq!(is_unambiguous(document.root()), expected, "{text}");
            // Of a part only what is in it counts.
            for part in document.root().items() {
                let hazards = inspect(part, &Limits::default()).hazards;
                let expected = !hazards.iter().any(|hazard| ambiguous.contains(&hazard.code));
                assert_eq!(is_unambiguous(part), expected, "{part:?}");
            }
        }
    }

    #[test]
    fn r11_around_a_part_everything_is_found_and_in_it_nothing() {
        let found = |text: &str, inner: &str| {
            let document = Document::parse(text, &Limits::default()).unwrap();
            let hazards = inspect_around(document.root(), document.root().pointer(inner)).hazards;
            hazards.iter().map(|hazard| format!("{} {}", hazard.code, hazard.pointer)).collect::<Vec<_>>()
        };
        for inside in [r#"{"k":1,"k":2}"#, r#"["\ud800",{"a":{"k":1,"k":2}}]"#, r#"{"\ud800":{}}"#, "{}"] {
            let text = [r#"{"a":{"args":"#, inside, r#","b":[1]},"c":"\u0061"}"#].concat();
            assert_eq!(found(&text, "/a/args"), [""; 0], "{text}");
            let text = [r#"{"a":{"args":"#, inside, r#","b":{"x":1,"x":2}},"c":"\ud800"}"#].concat();
            assert_eq!(found(&text, "/a/args"), ["duplicate-key /a/b/x", "lone-surrogate /c"], "{text}");
            // Which of two runs is in doubt, whatever is in them.
            let text = [r#"{"a":{"args":{},"args":"#, inside, r#","b":[1]}}"#].concat();
            assert_eq!(found(&text, "/a/args"), ["duplicate-key /a/args"], "{text}");
        }
        assert_eq!(found(r#"{"args":"\ud800"}"#, "/args"), ["lone-surrogate /args"]);
        assert_eq!(found(r#"{"args":{},"b":{"x":1,"x":2}}"#, "/none"), ["duplicate-key /b/x"]);
    }

    #[test]
    fn messages_say_what_and_where_in_one_line() {
        let message = |text: &str| inspect_text(text, &Limits::ARGUMENTS).hazards.remove(0).message;
        assert_eq!(message(r#"{"a":01}"#), "unexpected leading zero at byte 5");
        assert_eq!(message("7"), "expected an object, found a number");
        assert_eq!(message(r#"{"a":1,"\u0061":2}"#), "the key `a` occurs more than once");
        assert_eq!(message(r#"{"a":"\udc00"}"#), "the string holds half of a surrogate pair, `\\udc00`");
    }

    #[test]
    fn numbers_that_floats_would_change_are_found_unless_they_were_there() {
        let changed = |sent: &str, known: &str| {
            let limits = Limits::default();
            let (sent, known) =
                (Document::parse(sent, &limits).unwrap(), Document::parse(known, &limits).unwrap());
            changed_number(sent.root(), known.root()).map(|number| number.text().to_owned())
        };
        for kept in [
            "0",
            "-0.0",
            "1.50",
            "9007199254740991",
            "9007199254740992",
            "-18014398509481982",
            "2512292042121000000",
            "1e299",
            "0.123456789012345",
            "-1E-300",
        ] {
            assert_eq!(changed(kept, "{}"), None, "{kept}");
        }
        for lost in [
            "9007199254740993",
            "-18014398509481983",
            "1152921504606846976",
            "2512292042121000001",
            "0.1234567890123456789",
            "1e400",
            "1e-400",
            "1e99999999999999999999",
        ] {
            assert_eq!(changed(&format!(r#"{{"a":[{{"b":1}},{lost}]}}"#), "[]").as_deref(), Some(lost));
            assert_eq!(changed(lost, &format!("[[{lost}]]")), None);
        }
        assert_eq!(changed(r#"{"9007199254740993":"9007199254740993"}"#, "{}"), None, "only numbers are");
    }

    #[test]
    fn rounded_numbers_are_those_that_floats_confuse() {
        let text = r#"{"a":[9007199254740991,9007199254740992,-1e21],"b":0.1}"#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let pointers: Vec<_> =
            rounded_numbers(document.root()).into_iter().map(|hazard| hazard.pointer).collect();
        assert_eq!(pointers, ["/a/1", "/a/2"]);
    }

    #[test]
    fn a_hostile_text_cannot_make_the_list_longer_than_is_useful() {
        let keys = r#"{"__proto__":"\ud800"},"#.repeat(2_000);
        let text = format!("{{\"{}\":[{keys}{{\"a\":1,\"a\":1}}]}}", "n".repeat(100_000));
        let inspection = inspect_text(&text, &Limits::ARGUMENTS);
        let count = |code| inspection.hazards.iter().filter(|hazard| hazard.code == code).count();
        assert!((1..=64).contains(&count(HazardCode::PrototypeKey)));
        assert_eq!(count(HazardCode::DuplicateKey), 1);
        assert!(inspection.hazards.iter().map(|hazard| hazard.pointer.len()).sum::<usize>() < 3 << 20);
        assert!(inspection.hazards.iter().all(|hazard| hazard.message.len() < 400));
    }
}
