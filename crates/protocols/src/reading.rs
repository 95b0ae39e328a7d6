//! What the readers of several families share: texts and arguments, what could not be read, and what is in doubt.

use std::borrow::Cow;

use countersign_core::{ArgsText, Millis, Problem, ProblemCode, Reading, Source, Text};
use countersign_json::{Document, HazardCode, Limits, Value, inspect_around};

/// Notes what could not be read, and where it stands.
pub(crate) fn problem(reading: &mut Reading, code: ProblemCode, message: &str, at: Value<'_>) {
    let place = format!("byte {}", at.span().start);
    reading.problems.push(Problem::new(code, message).at(place));
}

/// Whether this text is there.
#[inline(never)]
pub(crate) fn is(value: Option<Value<'_>>, text: &str) -> bool {
    value.is_some_and(|value| value.equals(text))
}

/// A text that is not empty.
#[inline(never)]
pub(crate) fn some_text(value: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    value?.as_str().filter(|text| !text.is_empty())
}

/// A text, as a part of the message where it can be one.
#[inline(never)]
pub(crate) fn text(source: &Source, value: Option<Value<'_>>) -> Option<Text> {
    value?.as_str().map(|text| source.cut(&text))
}

/// The same for an id or a name, which is not empty.
#[inline(never)]
pub(crate) fn shared(source: &Source, value: Option<Value<'_>>) -> Option<Text> {
    let text = value?.as_str()?;
    (!text.is_empty()).then(|| source.cut(&text))
}

/// A member that says something: some writers spell out as `null` what they leave out.
#[inline(never)]
pub(crate) fn present(value: Option<Value<'_>>) -> Option<Value<'_>> {
    value.filter(|value| !value.is_null())
}

/// The exact text of arguments; none at all are an empty object.
pub(crate) fn arguments(source: &Source, args: Option<Value<'_>>, rounded: bool) -> ArgsText {
    let text = args.filter(|args| !args.is_null()).map_or("{}", Value::text);
    ArgsText::from(source.cut(text)).rounded(rounded)
}

/// Why the message around the arguments cannot be read without doubt; the arguments speak for themselves.
pub(crate) fn doubt(value: Value<'_>, args: &str) -> Option<String> {
    let inspection = inspect_around(value, value.pointer(args));
    let hazard = inspection.hazards.iter().find(|hazard| hazard.code.blocks())?;
    Some(format!("{} at `{}`", hazard.message, hazard.pointer))
}

/// Whether a key stands twice in a value, `inner` aside: some readers keep the first of two members, others the last.
pub(crate) fn repeats_a_key(value: Value<'_>, inner: Option<Value<'_>>) -> bool {
    let hazards = inspect_around(value, inner).hazards;
    hazards.iter().any(|hazard| hazard.code == HazardCode::DuplicateKey)
}

/// How long a request says that it waits, in seconds: what is no number, or a negative one, names no deadline.
pub(crate) fn timeout(seconds: Option<Value<'_>>) -> Option<Millis> {
    Millis::from_seconds(seconds?.as_number()?)
}

/// What a backend says of an answer that it did not take: a host hands over the words, or the whole body `{"detail"}` around
/// them.
pub(crate) fn detail(text: &str) -> Cow<'_, str> {
    let document = Document::parse(text, &Limits::default()).ok();
    let body = document.as_ref().map(Document::root);
    let said = body.and_then(|body| body.get("detail").unwrap_or(body).as_str_lossy());
    said.map_or(Cow::Borrowed(text), |said| Cow::Owned(said.into_owned()))
}

/// Tells names apart; never 0.
pub(crate) fn hash(name: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, step) | 1
}

#[cfg(test)]
mod tests {
    use countersign_core::Millis;
    use countersign_json::{Document, Limits};

    use super::timeout;

    #[test]
    fn a_time_out_is_a_number_that_is_not_negative() {
        for (seconds, millis) in
            [("0", 0), ("0.6", 600), ("1e-05", 0), ("3600.0", 3_600_000), ("1e2", 100_000)]
        {
            let document = Document::parse(seconds, &Limits::default()).unwrap();
            assert_eq!(timeout(Some(document.root())), Some(Millis(millis)), "{seconds}");
        }
        for none in ["null", "-1", "-0.5", "\"30\"", "true", "[]", "1e400"] {
            let document = Document::parse(none, &Limits::default()).unwrap();
            assert_eq!(timeout(Some(document.root())), None, "{none}");
        }
        assert_eq!(timeout(None), None);
    }
}
