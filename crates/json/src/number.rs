//! Numbers: their grammar, and comparing their values exactly.

use std::cmp::Ordering;

use crate::error::{ParseError, ParseErrorCode as Code};

/// Reads the number that starts at `start`; returns its end.
#[inline]
pub(crate) fn scan(bytes: &[u8], start: usize) -> Result<usize, ParseError> {
    let mut at = start;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    match bytes.get(at) {
        Some(b'0') => {
            at += 1;
            if bytes.get(at).is_some_and(u8::is_ascii_digit) {
                return Err(ParseError::new(Code::LeadingZero, at - 1));
            }
        }
        Some(b'1'..=b'9') => at = digits(bytes, at),
        Some(b'I') => return Err(ParseError::new(Code::NotFinite, start)),
        _ => return Err(missing_digit(bytes, at)),
    }
    if bytes.get(at) == Some(&b'.') {
        at = some_digits(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = some_digits(bytes, at)?;
    }
    Ok(at)
}

fn some_digits(bytes: &[u8], at: usize) -> Result<usize, ParseError> {
    let end = digits(bytes, at);
    if end > at { Ok(end) } else { Err(missing_digit(bytes, at)) }
}

fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

#[cold]
fn missing_digit(bytes: &[u8], at: usize) -> ParseError {
    ParseError::new(if at < bytes.len() { Code::InvalidNumber } else { Code::UnexpectedEnd }, at)
}

/// Whether two numbers have exactly the same value: `100`, `100.0` and `1e2` do.
///
/// Works on the digits as they stand, so neither precision nor the size of an exponent matters.
pub(crate) fn same_value(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    let (left, right) = (Decimal::new(left), Decimal::new(right));
    if left.is_zero() || right.is_zero() {
        return left.is_zero() == right.is_zero();
    }
    left.negative == right.negative
        && left.digits().eq(right.digits())
        && left.magnitude() == right.magnitude()
}

/// What all numbers of one value share, and no other.
pub(crate) fn canonical(lexeme: &str) -> String {
    let decimal = Decimal::new(lexeme);
    if decimal.is_zero() {
        return "0".to_owned();
    }
    let magnitude = decimal.magnitude();
    let mut text = Vec::new();
    if decimal.negative {
        text.push(b'-');
    }
    for digit in decimal.digits() {
        text.push(digit);
    }
    text.extend_from_slice(if magnitude.negative { b"e-" } else { b"e" });
    text.extend_from_slice(&magnitude.digits);
    String::from_utf8(text).unwrap_or_default()
}

/// Whether a number is so large, 2^53 or more, that 64-bit floats do not tell it from its neighbours.
pub(crate) fn beyond_exact_floats(lexeme: &str) -> bool {
    let decimal = Decimal::new(lexeme);
    if decimal.is_zero() {
        return false;
    }
    let magnitude = decimal.magnitude();
    match magnitude.digits.as_slice() {
        [] => false,
        [b'1', b'6'] if !magnitude.negative => decimal.digits().ge(*b"9007199254740992"),
        [_] => false,
        [b'1', b'0'..=b'5'] => false,
        _ => !magnitude.negative,
    }
}

/// Whether 64-bit floats surely keep every digit of a number, so that what reads it as one and writes it again writes its
/// value.
pub(crate) fn kept_by_floats(lexeme: &str) -> bool {
    let decimal = Decimal::new(lexeme);
    // Fifteen digits always survive where the exponent is one that floats have; whole numbers below 2^53 may have one more.
    let is_short = decimal.len <= 15 && decimal.magnitude().short().is_some_and(|tens| tens.abs() <= 300);
    // Up to 2^54 every second one is a float, and no shorter number is as near to it.
    let is_even = |number: u64| number.is_multiple_of(2) && number <= 1 << 54;
    decimal.is_zero()
        || is_short
        || (is_whole(lexeme) && !beyond_exact_floats(lexeme))
        || lexeme.trim_start_matches('-').parse().is_ok_and(is_even)
}

/// Whether a number has no fraction: `5`, `5.0` and `0.5e1` do not.
#[must_use]
pub fn is_whole(lexeme: &str) -> bool {
    let decimal = Decimal::new(lexeme);
    let magnitude = decimal.magnitude();
    // More digits than a text can have, if the exponent cannot be counted.
    let places = std::str::from_utf8(&magnitude.digits).ok().and_then(|digits| match digits {
        "" => Some(0),
        digits => digits.parse::<usize>().ok(),
    });
    decimal.is_zero() || (!magnitude.negative && places.is_none_or(|places| places >= decimal.len))
}

/// Which of two numbers is the larger, by exactly their values: no digit is rounded away.
///
/// ```
/// use std::cmp::Ordering;
///
/// use countersign_json::compare_numbers;
///
/// assert_eq!(compare_numbers("9007199254740993", "9007199254740992"), Ordering::Greater);
/// assert_eq!(compare_numbers("1.0", "1"), Ordering::Equal);
/// assert_eq!(compare_numbers("-1e3", "-999"), Ordering::Less);
/// ```
#[must_use]
pub fn compare_numbers(left: &str, right: &str) -> Ordering {
    let (left, right) = (Decimal::new(left), Decimal::new(right));
    let sign = |decimal: &Decimal<'_>| match (decimal.is_zero(), decimal.negative) {
        (true, _) => 0,
        (_, true) => -1,
        _ => 1,
    };
    let (ours, theirs) = (sign(&left), sign(&right));
    if ours != theirs || ours == 0 {
        return ours.cmp(&theirs);
    }
    let larger = left.magnitude().compare(&right.magnitude()).then_with(|| left.digits().cmp(right.digits()));
    if ours < 0 { larger.reverse() } else { larger }
}

/// Whether a number is a whole number of times another one, exactly.
///
/// `None`: that is not known, because `of` is zero or has more than 18 digits besides zeros at its ends, or an exponent
/// has more than 17.
///
/// ```
/// use countersign_json::is_multiple;
///
/// assert_eq!(is_multiple("0.3", "0.1"), Some(true));
/// assert_eq!(is_multiple("9007199254740993", "2"), Some(false));
/// assert_eq!(is_multiple("1", "0"), None);
/// ```
#[must_use]
pub fn is_multiple(value: &str, of: &str) -> Option<bool> {
    /// Two and five divide a number of 18 digits no more often than this.
    const TENS: i64 = 64;
    let (value, of) = (Decimal::new(value), Decimal::new(of));
    if of.is_zero() || of.len > 18 {
        return None;
    }
    if value.is_zero() {
        return Some(true);
    }
    // Both are a whole number without zeros at its end, times a power of ten.
    let tens = |decimal: &Decimal<'_>| Some(decimal.magnitude().short()? - decimal.len as i64);
    let shift = tens(&value)? - tens(&of)?;
    if shift < 0 {
        // The value's last digit would have to be zero.
        return Some(false);
    }
    let modulus = of.digits().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    let rest = value.digits().fold(0, |rest, digit| (rest * 10 + u64::from(digit - b'0')) % modulus);
    Some((0..shift.min(TENS)).fold(rest, |rest, _| rest * 10 % modulus) == 0)
}

/// A number taken apart: its value is 0.DIGITS times ten to the power of the magnitude.
struct Decimal<'t> {
    negative: bool,
    /// The digits and the point before the exponent.
    mantissa: &'t [u8],
    exponent: &'t [u8],
    /// How far the first digit that is not zero stands before the point; negative behind it.
    shift: i64,
    /// How many digits there are from the first that is not zero to the last.
    len: usize,
    /// How many zeros come first.
    zeros: usize,
}

impl<'t> Decimal<'t> {
    fn new(lexeme: &'t str) -> Decimal<'t> {
        let bytes = lexeme.as_bytes();
        let (negative, bytes) = match bytes.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, bytes),
        };
        let mut halves = bytes.splitn(2, |byte| matches!(byte, b'e' | b'E'));
        let mantissa = halves.next().unwrap_or_default();
        let exponent = halves.next().unwrap_or_default();
        let whole = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
        let digits = || mantissa.iter().filter(|byte| **byte != b'.');
        let zeros = digits().take_while(|digit| **digit == b'0').count();
        let trailing = digits().rev().take_while(|digit| **digit == b'0').count();
        let len = digits().count().saturating_sub(zeros).saturating_sub(trailing);
        // Lossless: a text has fewer than 2^32 bytes.
        Decimal { negative, mantissa, exponent, shift: whole as i64 - zeros as i64, len, zeros }
    }

    fn is_zero(&self) -> bool {
        self.len == 0
    }

    /// The digits from the first that is not zero to the last.
    fn digits(&self) -> impl Iterator<Item = u8> {
        self.mantissa.iter().copied().filter(|byte| *byte != b'.').skip(self.zeros).take(self.len)
    }

    /// The exponent once the point stands right before the first digit that is not zero.
    fn magnitude(&self) -> Whole {
        Whole::new(self.exponent).add(self.shift)
    }
}

/// A whole number of any length: the exponent of a number may itself be thousands of digits long.
#[derive(PartialEq, Eq)]
struct Whole {
    /// Never set for zero.
    negative: bool,
    /// Without zeros in front; zero has none.
    digits: Vec<u8>,
}

impl Whole {
    fn new(lexeme: &[u8]) -> Whole {
        let (negative, digits) = match lexeme.split_first() {
            Some((b'-', rest)) => (true, rest),
            Some((b'+', rest)) => (false, rest),
            _ => (false, lexeme),
        };
        Whole::trimmed(negative, digits.to_vec())
    }

    fn trimmed(negative: bool, mut digits: Vec<u8>) -> Whole {
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        Whole { negative: negative && !digits.is_empty(), digits }
    }

    /// The number itself, if it and a length of a text fit an `i64` together.
    fn short(&self) -> Option<i64> {
        const SHORT: usize = 17;
        if self.digits.len() > SHORT {
            return None;
        }
        let value = self.digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        Some(if self.negative { -value } else { value })
    }

    fn compare(&self, other: &Whole) -> Ordering {
        let larger = self.digits.len().cmp(&other.digits.len()).then_with(|| self.digits.cmp(&other.digits));
        match (self.negative, other.negative) {
            (true, true) => larger.reverse(),
            (false, false) => larger,
            (ours, theirs) => theirs.cmp(&ours),
        }
    }

    fn add(self, shift: i64) -> Whole {
        if let Some(value) = self.short() {
            let sum = value + shift;
            return Whole::trimmed(sum < 0, sum.unsigned_abs().to_string().into_bytes());
        }
        // The shift is far smaller, so the sign stays.
        let mut carry = if self.negative { -shift } else { shift };
        let mut digits = self.digits;
        for digit in digits.iter_mut().rev() {
            let sum = i64::from(*digit - b'0') + carry;
            *digit = b'0' + sum.rem_euclid(10) as u8;
            carry = sum.div_euclid(10);
        }
        if carry > 0 {
            digits.splice(..0, carry.to_string().into_bytes());
        }
        Whole::trimmed(self.negative, digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_same(left: &str, right: &str, expected: bool) {
        assert_eq!(same_value(left, right), expected, "{left} and {right}");
        assert_eq!(same_value(right, left), expected, "{right} and {left}");
    }

    #[test]
    fn numbers_of_one_value_are_the_same_however_they_are_written() {
        for other in ["100.0", "1e2", "1E+2", "10e1", "1000e-1", "0.1e3", "0.00100e5", "1e0002"] {
            check_same("100", other, true);
        }
        for zero in ["-0", "0.000", "0e999999999999999999999", "-0.0e-5"] {
            check_same("0", zero, true);
        }
        check_same("-1.50", "-15e-1", true);
    }

    #[test]
    fn numbers_that_floats_confuse_differ() {
        check_same("9007199254740993", "9007199254740992", false);
        check_same("1e400", "1e401", false);
        check_same("1e400", "10e399", true);
        check_same("0.1", "0.1000000000000000000000000000000000000000001", false);
        check_same("1", "-1", false);
        check_same("0", "1e-999999999999", false);
        check_same("12", "1.2", false);
    }

    #[test]
    fn numbers_are_ordered_by_their_exact_values() {
        let ascending = [
            "-1e1000000000000000000000000000000",
            "-1e400",
            "-100",
            "-1e-5",
            "-1e-1000000000000000000000000000000",
            "0",
            "1e-1000000000000000000000000000000",
            "1e-400",
            "0.1",
            "0.10000000000000000000000001",
            "0.2",
            "1",
            "1.5",
            "9",
            "10",
            "9007199254740992",
            "9007199254740993",
            "1e400",
            "1e1000000000000000000000000000000",
        ];
        for (left_at, left) in ascending.iter().enumerate() {
            for (right_at, right) in ascending.iter().enumerate() {
                assert_eq!(compare_numbers(left, right), left_at.cmp(&right_at), "{left} and {right}");
            }
        }
        assert_eq!(compare_numbers("-0.0", "0e5"), Ordering::Equal);
        assert_eq!(compare_numbers("1.50", "15e-1"), Ordering::Equal);
    }

    #[test]
    fn multiples_are_exact() {
        for (value, of, expected) in [
            ("0", "7", Some(true)),
            ("35", "7", Some(true)),
            ("-35.0", "7", Some(true)),
            ("36", "7", Some(false)),
            ("26", "12", Some(false)),
            ("123456789012345679", "123456789012345678", Some(false)),
            ("0.0075", "0.0001", Some(true)),
            ("0.00751", "0.0001", Some(false)),
            ("19.99", "0.01", Some(true)),
            ("4.35", "0.1", Some(false)),
            ("100", "1e2", Some(true)),
            ("50", "1e2", Some(false)),
            ("1e308", "0.5", Some(true)),
            ("1e308", "0.123456789", Some(false)),
            ("1e99999999999", "1024", Some(true)),
            ("1e99999999999", "3", Some(false)),
            ("9007199254740993", "2", Some(false)),
            ("123456789012345678901234567890", "10", Some(true)),
            ("123456789012345678901234567891", "10", Some(false)),
            ("5", "-5", Some(true)),
            ("1", "0", None),
            ("1", "1234567890123456789", None),
            ("1e1000000000000000000000", "2", None),
        ] {
            assert_eq!(is_multiple(value, of), expected, "{value} of {of}");
        }
    }

    #[test]
    fn exponents_of_any_length_are_compared_exactly_and_cheaply() {
        check_same("1e999999999", "1e999999998", false);
        check_same("1e999999999", "0.1e1000000000", true);
        check_same("1e1000000000000000000000000000000", "10e999999999999999999999999999999", true);
        check_same("1e-1000000000000000000000000000000", "0.1e-999999999999999999999999999999", true);
        check_same("1e100000000000000000", "10e99999999999999999", true);
        check_same("1e-100000000000000000", "0.1e-99999999999999999", true);
        check_same("1e99999999999999999999", "1e-99999999999999999999", false);
        let long = format!("1e{}", "9".repeat(1_000_000));
        let longer = format!("0.1e1{}", "0".repeat(1_000_000));
        check_same(&long, &longer, true);
    }

    #[test]
    fn numbers_from_two_to_the_53rd_on_are_beyond_exact_floats() {
        for large in [
            "9007199254740992",
            "-9007199254740993",
            "1e16",
            "1e400",
            "90071992547409.92e2",
            "1e+21",
            "9.1e15",
        ] {
            assert!(beyond_exact_floats(large), "{large}");
        }
        for exact in [
            "9007199254740991",
            "-9007199254740991.9",
            "0",
            "0.1",
            "1e15",
            "1e-400",
            "123",
            "0e99",
            "1e-16",
            "9.1e-17",
            "123456789012",
        ] {
            assert!(!beyond_exact_floats(exact), "{exact}");
        }
    }

    #[test]
    fn numbers_without_a_fraction_are_whole_however_they_are_written() {
        for whole in ["5", "-5.0", "0.5e1", "1e400", "0e-9", "-0.000", "120e-1", "1e99999999999999999999999"]
        {
            assert!(is_whole(whole), "{whole}");
        }
        for broken in ["0.5", "5e-1", "12.34e1", "1e-400", "-1.0000001", "1e-99999999999999999999999"] {
            assert!(!is_whole(broken), "{broken}");
        }
    }

    #[test]
    fn the_grammar_of_numbers_is_that_of_json() {
        let check = |text: &str| scan(text.as_bytes(), 0).map_err(|error| (error.code, error.at));
        for good in ["0", "-0", "10", "1.5", "1e2", "1E+2", "1.0e-10", "-1.25E3"] {
            assert_eq!(check(good), Ok(good.len()));
        }
        assert_eq!(check("01"), Err((Code::LeadingZero, 0)));
        assert_eq!(check("-00"), Err((Code::LeadingZero, 1)));
        assert_eq!(check("-"), Err((Code::UnexpectedEnd, 1)));
        assert_eq!(check("-x"), Err((Code::InvalidNumber, 1)));
        assert_eq!(check("1.]"), Err((Code::InvalidNumber, 2)));
        assert_eq!(check("1e+"), Err((Code::UnexpectedEnd, 3)));
        assert_eq!(check("-Infinity"), Err((Code::NotFinite, 0)));
    }
}
