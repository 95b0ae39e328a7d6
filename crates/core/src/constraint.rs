//! What the arguments of a call must be for a rule or a grant to fit.

use countersign_json::{Document, Limits, Numbers, Value, compare_numbers, float, pointer, same};

/// One thing that the arguments must be; taken literally.
///
/// # Shape
/// `{"pointer": "/path", …}` with one of `"equals": value`, `"oneOf": [value…]`, `"prefix": text`, `"contains": text`,
/// `"above": number`, `"absent": true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Where in the arguments, as a JSON Pointer.
    pub pointer: String,
    /// What must stand there.
    pub test: ArgsTest,
}

/// What must stand at a place of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgsTest {
    /// This value, as JSON text; numbers are compared by their exact value.
    Equals(String),
    /// One of these values, as JSON texts.
    OneOf(Vec<String>),
    /// A text that begins with these characters.
    ///
    /// For a permission the rest must not hold `..`: what begins with `/tmp/` should not end in `/etc`.
    Prefix(String),
    /// A text in which these characters stand.
    Contains(String),
    /// A number above this one, compared by every digit; where nothing is permitted by it, also one that is given as a text.
    Above(String),
    /// Nothing.
    Absent,
}

/// What is wrong with a constraint as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at `{member}` of the constraint")]
pub struct BadConstraint {
    /// The member with a value of another kind; empty: the constraint as a whole.
    pub member: &'static str,
    /// What is expected there.
    pub expected: &'static str,
}

impl Constraint {
    /// Every member that it can have.
    pub const MEMBERS: [&'static str; 7] =
        ["pointer", "equals", "oneOf", "prefix", "contains", "above", "absent"];

    /// Reads one.
    ///
    /// # Errors
    /// What is wrong: a member that there is not, a pointer that is none, no test or several of them.
    pub fn read(value: Value<'_>) -> Result<Constraint, BadConstraint> {
        let bad = |member, expected| BadConstraint { member, expected };
        let pointer =
            value.get("pointer").and_then(Value::as_str).filter(|pointer| pointer::is_pointer(pointer));
        let pointer = pointer.ok_or(bad("pointer", "a JSON Pointer"))?.into_owned();
        let none = bad(
            "",
            "exactly one of `equals`, `oneOf`, `prefix`, `contains`, `above`, `absent: true` beside `pointer`",
        );
        let mut tests = value.members().filter(|(key, _)| !key.equals("pointer"));
        let (Some((key, found)), None) = (tests.next(), tests.next()) else { return Err(none) };
        let text = |member| found.as_str().map(String::from).ok_or(bad(member, "a text"));
        let kind = Constraint::MEMBERS.into_iter().find(|kind| key.equals(kind));
        let test = match kind.unwrap_or_default() {
            "equals" => ArgsTest::Equals(found.text().to_owned()),
            "oneOf" if found.is_array() => {
                ArgsTest::OneOf(found.items().map(|value| value.text().to_owned()).collect())
            }
            "oneOf" => return Err(bad("oneOf", "a list")),
            "prefix" => ArgsTest::Prefix(text("prefix")?),
            "contains" => ArgsTest::Contains(text("contains")?),
            "above" => ArgsTest::Above(found.as_number().ok_or(bad("above", "a number"))?.to_owned()),
            "absent" if found.as_bool() == Some(true) => ArgsTest::Absent,
            _ => return Err(none),
        };
        Ok(Constraint { pointer, test })
    }
}

impl ArgsTest {
    /// Whether this is met by what stands at the place, if anything does; `permits`: something would be permitted by that.
    #[must_use]
    pub fn is_met(&self, found: Option<Value<'_>>, permits: bool) -> bool {
        let Some(found) = found else { return *self == ArgsTest::Absent };
        let text = || found.as_str_lossy();
        match self {
            ArgsTest::Equals(value) => equals(found, value),
            ArgsTest::OneOf(values) => values.iter().any(|value| equals(found, value)),
            ArgsTest::Prefix(prefix) => text().is_some_and(|text| {
                // The dots may stand across the end of the prefix.
                let end = prefix.len().saturating_sub(1);
                text.starts_with(prefix.as_str())
                    && !(permits && climbs(text.as_bytes().get(end..).unwrap_or_default()))
            }),
            ArgsTest::Contains(part) => text().is_some_and(|text| text.contains(part.as_str())),
            ArgsTest::Above(limit) => match found.as_number() {
                Some(number) => compare_numbers(number, limit).is_gt(),
                None => !permits && text().is_some_and(|text| is_above(text.trim(), limit)),
            },
            ArgsTest::Absent => false,
        }
    }

    /// Whether tools may read a number out of what stands at the place, such as `5_000` or `0x1388`, so that this may be met
    /// although [`ArgsTest::is_met`] does not say so: where nothing is permitted by it, that is reason enough to ask.
    #[must_use]
    pub fn is_unclear(&self, found: Option<Value<'_>>) -> bool {
        let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit() || !byte.is_ascii());
        let text = found.filter(|_| matches!(self, ArgsTest::Above(_))).and_then(Value::as_str_lossy);
        text.is_some_and(|text| has_digit(&text) && !is_plain(&text))
    }
}

/// Whether a text is a number as JSON writes it, and so one that is told from others by every digit.
fn is_plain(text: &str) -> bool {
    let text = text.trim();
    let document = Document::parse(text.strip_prefix('+').unwrap_or(text), &Limits::default());
    document.is_ok_and(|document| document.root().as_number().is_some())
}

fn equals(found: Value<'_>, text: &str) -> bool {
    let document = Document::parse(text, &Limits::default());
    document.is_ok_and(|document| same(found, document.root(), Numbers::Value))
}

/// Whether a text is a number above the limit, however tools read numbers out of texts.
fn is_above(text: &str, limit: &str) -> bool {
    float(text).is_some_and(|number| match number.is_finite() {
        true => compare_numbers(text.trim_start_matches('+'), limit).is_gt(),
        false => number > 0.0,
    })
}

/// Whether the text holds `..`.
fn climbs(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair == b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ArgsTest, BadConstraint> {
        let document = Document::parse(text, &Limits::default()).unwrap();
        Constraint::read(document.root()).map(|constraint| constraint.test)
    }

    #[test]
    fn r47_a_constraint_that_could_never_be_met_is_refused_with_its_place() {
        for (text, member) in [
            (r#"{"pointer":"n","above":1}"#, "pointer"),
            (r#"{"pointer":"/a~2","above":1}"#, "pointer"),
            (r#"{"pointer":"/a~","above":1}"#, "pointer"),
            (r#"{"pointer":7,"above":1}"#, "pointer"),
            (r#"{"above":1}"#, "pointer"),
            (r#"["/n"]"#, "pointer"),
            (r#"{"pointer":"/n"}"#, ""),
            (r#"{"pointer":"/n","equals":5,"above":1000}"#, ""),
            (r#"{"pointer":"/n","equals":null,"above":1000}"#, ""),
            (r#"{"pointer":"/n","prefix":"a","prefix":"b"}"#, ""),
            (r#"{"pointer":"/n","below":1}"#, ""),
            (r#"{"pointer":"/n","absent":false}"#, ""),
            (r#"{"pointer":"/n","above":"1000"}"#, "above"),
            (r#"{"pointer":"/n","oneOf":1}"#, "oneOf"),
            (r#"{"pointer":"/n","prefix":1}"#, "prefix"),
            (r#"{"pointer":"/n","contains":null}"#, "contains"),
        ] {
            assert_eq!(read(text).map_err(|bad| bad.member), Err(member), "{text}");
        }
        assert_eq!(read(r#"{"pointer":"","absent":true}"#), Ok(ArgsTest::Absent));
        assert_eq!(read(r#"{"pointer":"/a~1~0","equals":null}"#), Ok(ArgsTest::Equals("null".to_owned())));
        assert_eq!(read(r#"{"pointer":"/n","above":1.0e2}"#), Ok(ArgsTest::Above("1.0e2".to_owned())));
    }

    #[test]
    fn r12_numbers_are_compared_by_every_digit() {
        let met = |limit: &str, found: &str, permits| {
            let document = Document::parse(found, &Limits::default()).unwrap();
            ArgsTest::Above(limit.to_owned()).is_met(Some(document.root()), permits)
        };
        for (limit, found, is_met) in [
            ("9007199254740992", "9007199254740993", true),
            ("9007199254740993", "9007199254740993.0", false),
            ("1e400", "1e401", true),
            ("1e401", "1e400", false),
            ("-1", "-0", true),
            ("0.1", "0.10000000000000000001", true),
        ] {
            assert_eq!(met(limit, found, true), is_met, "{found} above {limit}");
        }
        for text in ["\"9007199254740993\"", "\" +9007199254740993 \"", "\"1e400\"", "\"inf\""] {
            assert_eq!(
                (met("9007199254740992", text, false), met("9007199254740992", text, true)),
                (true, false)
            );
        }
        let unclear = |found: &str| {
            let document = Document::parse(found, &Limits::default()).unwrap();
            ArgsTest::Above("1".to_owned()).is_unclear(Some(document.root()))
        };
        for text in
            ["5_000", "5,000", "0x1388", "５０００", "$5000", "5000 USD", "--5000", "05000", ".5e4", "五千"]
        {
            assert!(unclear(&format!("\"{text}\"")), "{text}");
        }
        for text in
            ["\"abc\"", "\"\"", "\"-inf\"", "\"nan\"", "\" +0.5 \"", "\"-5e3\"", "5000", "true", "[5000]"]
        {
            assert!(!unclear(text), "{text}");
        }
        for text in ["\"-inf\"", "\"nan\"", "\"1,000\"", "\".5\"", "true", "[9]", "\"\""] {
            assert!(!met("1", text, false), "{text}");
        }
    }
}
