//! Numbers as Python prints them, worked out on decimal digits: the library's tables would weigh more than everything
//! else that reads JSON here.

use crate::number::Decimal;

/// Writes a number as Python's `repr` does after reading it from JSON.
pub(crate) fn push_python(text: &mut String, lexeme: &str) {
    if !lexeme.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        // An integer has no sign of its own at zero.
        return text.push_str(if lexeme == "-0" { "0" } else { lexeme });
    }
    let number = Decimal::new(lexeme);
    if number.is_negative() {
        text.push('-');
    }
    match shortest(&Digits::of(&number)) {
        Some(digits) => digits.push_to(text),
        None => text.push_str("inf"),
    }
}

/// A number of at least zero, `0.DIGITS` times ten to the power of `point`; no zeros at either end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Digits {
    /// First, so that it decides which of two numbers is the larger. Zero has the smallest.
    point: i64,
    digits: Vec<u8>,
}

/// More digits than the middle between two floats can have.
const MOST: usize = 800;

/// So many digits come back from a float as they went in.
const EXACT: usize = 15;

impl Digits {
    fn new(mut point: i64, mut digits: Vec<u8>) -> Digits {
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        point -= i64::try_from(zeros).unwrap_or(i64::MAX);
        Digits { point: if digits.is_empty() { i64::MIN } else { point }, digits }
    }

    fn of(number: &Decimal<'_>) -> Digits {
        let mut digits: Vec<u8> = number.digits().take(MOST).collect();
        if number.digits().nth(MOST).is_some() {
            // What follows only says that it is a little more.
            digits.push(b'1');
        }
        Digits::new(number.point(), digits)
    }

    /// `mantissa` times two to the power of `exponent`, exactly.
    fn product(mantissa: u64, exponent: i32) -> Digits {
        // Nine digits a limb, the lowest first.
        const LIMB: u64 = 1_000_000_000;
        let mut limbs: Vec<u64> = vec![mantissa % LIMB, mantissa / LIMB % LIMB, mantissa / LIMB / LIMB];
        // A half is five tenths.
        let base: u64 = if exponent < 0 { 5 } else { 2 };
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            // Twelve at a time still fit: 5^12 is less than a limb.
            let factor = base.pow(left.min(12));
            left -= left.min(12);
            let mut carry = 0;
            for limb in &mut limbs {
                let value = *limb * factor + carry;
                (*limb, carry) = (value % LIMB, value / LIMB);
            }
            if carry > 0 {
                limbs.push(carry);
            }
        }
        let mut digits = Vec::with_capacity(limbs.len() * 9);
        for limb in limbs.iter().rev() {
            let mut unit = LIMB;
            while unit > 1 {
                unit /= 10;
                digits.push(b'0' + u8::try_from(limb / unit % 10).unwrap_or_default());
            }
        }
        let point = i64::try_from(digits.len()).unwrap_or(i64::MAX) + i64::from(exponent.min(0));
        Digits::new(point, digits)
    }

    /// The number of `count` digits right below this one, or right above it.
    fn cut(&self, count: usize, above: bool) -> Digits {
        let mut digits = self.digits.clone();
        digits.truncate(count);
        let mut point = self.point;
        if above {
            while digits.last() == Some(&b'9') {
                digits.pop();
            }
            match digits.last_mut() {
                Some(digit) => *digit += 1,
                None => {
                    digits.push(b'1');
                    point += 1;
                }
            }
        }
        Digits::new(point, digits)
    }

    /// Fixed from a ten-thousandth to below ten to the power of sixteen, else with an exponent.
    fn push_to(&self, text: &mut String) {
        let (point, digits) =
            if self.digits.is_empty() { (1, &b"0"[..]) } else { (self.point, &self.digits[..]) };
        let is_fixed = point > -4 && point <= 16;
        // How many digits stand before the point; none: zeros follow it first.
        let whole = if is_fixed { point } else { 1 };
        if whole <= 0 {
            text.push_str("0.");
            (whole..0).for_each(|_| text.push('0'));
        }
        for (place, digit) in (0..).zip(digits) {
            if place > 0 && place == whole {
                text.push('.');
            }
            text.push(char::from(*digit));
        }
        let len = i64::try_from(digits.len()).unwrap_or(i64::MAX);
        if is_fixed && len <= whole {
            (len..whole).for_each(|_| text.push('0'));
            text.push_str(".0");
        }
        if !is_fixed {
            let exponent = point - 1;
            text.push_str(if exponent < 0 { "e-" } else { "e+" });
            if exponent.abs() < 10 {
                text.push('0');
            }
            text.push_str(&exponent.abs().to_string());
        }
    }
}

/// The shortest digits that stand for the same float, of these the nearest to it; `None`: it is beyond the largest.
fn shortest(number: &Digits) -> Option<Digits> {
    let is_easy = number.digits.len() <= EXACT && (-290..300).contains(&number.point);
    if is_easy || number.digits.is_empty() {
        return Some(number.clone());
    }
    let bits = nearest(number);
    if bits == 0 {
        return Some(Digits::new(0, Vec::new()));
    }
    if bits >= f64::INFINITY.to_bits() {
        return None;
    }
    let (below, above) = (middle(bits - 1), middle(bits));
    let (mantissa, exponent) = parts(bits);
    let exact = Digits::product(mantissa, exponent);
    for count in 1..=17 {
        // The nearer one first.
        let is_up = exact.digits.get(count).is_some_and(|digit| *digit >= b'5');
        for up in [is_up, !is_up] {
            let digits = exact.cut(count, up);
            let is_between = digits > below && digits < above;
            if is_between || (bits.is_multiple_of(2) && (digits == below || digits == above)) {
                return Some(digits);
            }
        }
    }
    None
}

/// The bits of the float nearest to a number; of two the even one.
fn nearest(number: &Digits) -> u64 {
    // The bits of floats are in the order of their values, so the middles are in order too.
    let (mut low, mut high) = (0, f64::INFINITY.to_bits());
    while low < high {
        let bits = low + (high - low) / 2;
        let middle = middle(bits);
        if *number < middle || (*number == middle && bits % 2 == 0) {
            high = bits;
        } else {
            low = bits + 1;
        }
    }
    low
}

/// The middle between the float with these bits and the next larger one.
fn middle(bits: u64) -> Digits {
    let (mantissa, exponent) = parts(bits);
    Digits::product(mantissa * 2 + 1, exponent - 1)
}

/// The mantissa of a float and the power of two that it is multiplied by.
fn parts(bits: u64) -> (u64, i32) {
    const FRACTION: u32 = 52;
    let exponent = i32::try_from(bits >> FRACTION).unwrap_or(i32::MAX);
    let fraction = bits & ((1 << FRACTION) - 1);
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << FRACTION, exponent - 1075) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn printed(lexeme: &str) -> String {
        let mut text = String::new();
        push_python(&mut text, lexeme);
        text
    }

    /// What the library makes of the same number, in Python's notation.
    fn expected(lexeme: &str) -> String {
        let value: f64 = lexeme.parse().unwrap();
        if value.is_infinite() {
            return if value < 0.0 { "-inf" } else { "inf" }.to_owned();
        }
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap();
        let exponent: i32 = exponent.parse().unwrap();
        if (-4..16).contains(&exponent) {
            return format!("{value:?}");
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.abs())
    }

    #[test]
    fn floats_are_printed_in_their_shortest_form() {
        for (lexeme, python) in [
            ("1.50", "1.5"),
            ("1e2", "100.0"),
            ("0.0", "0.0"),
            ("-0.0", "-0.0"),
            ("-0e5", "-0.0"),
            ("1e16", "1e+16"),
            ("1E15", "1000000000000000.0"),
            ("9999999999999998.0", "9999999999999998.0"),
            ("9999999999999999.9", "1e+16"),
            ("123456789012345680.0", "1.2345678901234568e+17"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("0.000123", "0.000123"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("0.3000000000000000000000000001", "0.3"),
            ("1e400", "inf"),
            ("-1e99999999999999999999", "-inf"),
            ("1e-400", "0.0"),
            ("-1e-99999999999999999999", "-0.0"),
            ("5e-324", "5e-324"),
            ("2e-324", "0.0"),
            ("3e-324", "5e-324"),
            ("2.2250738585072014e-308", "2.2250738585072014e-308"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("1.7976931348623159e308", "inf"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("9007199254740995.0", "9007199254740996.0"),
            ("1.0E+2", "100.0"),
        ] {
            assert_eq!(printed(lexeme), python, "{lexeme}");
        }
    }

    #[test]
    fn integers_stay_digit_for_digit() {
        for lexeme in ["0", "-7", "2512292042121000001", "18446744073709551616"] {
            assert_eq!(printed(lexeme), lexeme);
        }
        assert_eq!(printed("-0"), "0");
    }

    #[test]
    fn a_million_digits_are_read_in_no_time() {
        let long = format!("0.1{}1", "0".repeat(1_000_000));
        assert_eq!(printed(&long), "0.1");
        assert_eq!(printed(&format!("{}.5", "9".repeat(1_000_000))), "inf");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        #[test]
        fn every_float_is_printed_as_the_library_prints_it(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let lexeme = format!("{value:e}").replace('e', "0000e");
            let lexeme = if lexeme.contains('.') { lexeme } else { lexeme.replace("0000e", ".0e") };
            prop_assert_eq!(printed(&lexeme), expected(&lexeme));
        }

        #[test]
        fn every_decimal_is_printed_as_the_library_prints_it(digits in "[1-9][0-9]{0,24}", point in 0..10_u8, exponent in -330..320_i32) {
            let lexeme = format!("{digits}.{point}e{exponent}");
            prop_assert_eq!(printed(&lexeme), expected(&lexeme));
        }
    }
}
