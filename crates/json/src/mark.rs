//! Numbers by which most values are told apart without a comparison.

use crate::value::{Kind, Value};

/// A number that values with the same content have in common, in whatever order their members stand, and others seldom.
///
/// Whether two values with one mark are the same, [`same`](crate::same) says. Containers inside more than `depth` others count
/// by their kind alone.
///
/// ```
/// use countersign_json::{Document, Limits, mark};
///
/// let one = Document::parse(r#"{"a":100,"b":["x"]}"#, &Limits::default())?;
/// let other = Document::parse(r#"{"b":["\u0078"],"a":1e2}"#, &Limits::default())?;
/// assert_eq!(mark(one.root(), 8), mark(other.root(), 8));
/// # Ok::<(), countersign_json::ParseError>(())
/// ```
pub fn mark(value: Value<'_>, depth: u8) -> u32 {
    let inner = |value| mark(value, depth - 1);
    match value.kind() {
        Kind::Object if depth == 0 => 1,
        Kind::Array if depth == 0 => 2,
        Kind::Object => {
            value.members().map(|(name, value)| join(of_text(name), inner(value))).fold(1, u32::wrapping_add)
        }
        Kind::Array => value.items().map(inner).fold(2, join),
        Kind::Number => of_digits(value.text()),
        _ => of_text(value),
    }
}

/// The hash that is named after Fowler, Noll and Vo.
fn join(mark: u32, part: u32) -> u32 {
    (mark ^ part).wrapping_mul(0x0100_0193)
}

fn of_text(value: Value<'_>) -> u32 {
    value.words().bytes().map(u32::from).fold(0x811C_9DC5, join)
}

/// The same for numbers of one value: `100`, `100.0` and `1e2`.
fn of_digits(lexeme: &str) -> u32 {
    let mantissa = lexeme.bytes().take_while(|byte| !matches!(byte, b'e' | b'E'));
    let digits = mantissa.filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0');
    // Zeros count where another digit stands behind them.
    let step = |(mark, all): (u32, u32), digit: u8| {
        let all = join(all, u32::from(digit));
        (if digit == b'0' { mark } else { all }, all)
    };
    digits.fold((3, 3), step).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Limits, Numbers, same};

    /// Whether two texts are the same, and whether they have one mark.
    fn compared(one: &str, other: &str) -> (bool, bool) {
        let [one, other] = [one, other].map(|text| Document::parse(text, &Limits::default()).unwrap());
        let (one, other) = (one.root(), other.root());
        (same(one, other, Numbers::Value), mark(one, 3) == mark(other, 3))
    }

    #[test]
    fn what_is_the_same_has_one_mark() {
        for (one, other) in [
            ("100", "1e2"),
            ("100", "100.00E0"),
            ("0.0101", "10.1e-3"),
            ("0", "-0.0e7"),
            (r#""a""#, r#""\u0061""#),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"\u0061":1.00}"#),
            (r#"[{"a":[{"b":[0]}]}]"#, r#"[{"a":[{"b":[-0]}]}]"#),
        ] {
            assert_eq!(compared(one, other), (true, true), "{one} {other}");
        }
    }

    #[test]
    fn what_is_not_mostly_has_another() {
        let texts =
            ["null", "true", "\"\"", "0", "1", "\"1\"", "101", "11", "[]", "[1]", "[1,2]", "[2,1]", "{}"];
        let objects = [r#"{"a":1}"#, r#"{"b":1}"#, r#"{"a":2}"#, r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#];
        let all = [&texts[..], &objects[..]].concat();
        for (place, one) in all.iter().enumerate() {
            for other in &all[..place] {
                assert_eq!(compared(one, other), (false, false), "{one} {other}");
            }
        }
        // Where the digits are the same, what is deep inside, and what no text can hold.
        for (one, other) in [("1", "100"), ("[[[[0]]]]", "[[[[1]]]]"), (r#""\ud800""#, r#""\ud801""#)] {
            assert_eq!(compared(one, other), (false, true), "{one} {other}");
        }
    }
}
