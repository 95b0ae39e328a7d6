//! Numbers as floats and as Python prints them, worked out on decimal digits: the library's tables would weigh more than
//! everything else that reads JSON here.

/// Writes a number as Python's `repr` does after reading it from JSON.
pub(crate) fn push_python(text: &mut String, lexeme: &str) {
    if !lexeme.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        // An integer has no sign of its own at zero.
        return text.push_str(if lexeme == "-0" { "0" } else { lexeme });
    }
    if lexeme.starts_with('-') {
        text.push('-');
    }
    push_float(text, shortest(Decimal::read(lexeme)));
}

/// The 64-bit float that is nearest to a number, as [`str::parse`] reads it: `1.50`, `+1e2`, `.5`, `-inf`.
///
/// `None`: the text is no number.
///
/// ```
/// use countersign_json::float;
///
/// assert_eq!(float("2.50"), Some(2.5));
/// assert_eq!(float("1e400"), Some(f64::INFINITY));
/// assert_eq!(float("1,000"), None);
/// ```
#[must_use]
pub fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_infinite = ["inf", "infinity"].iter().any(|word| unsigned.eq_ignore_ascii_case(word));
    let size = if is_infinite { f64::INFINITY } else { size(unsigned)? };
    Some(if text.starts_with('-') { -size } else { size })
}

fn size(unsigned: &str) -> Option<f64> {
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !exponent.is_empty() && whole.len() + fraction.len() > 0;
    if !has_digits || ![whole, fraction, exponent].into_iter().all(are_digits) {
        return None;
    }
    Some(match Decimal::read(unsigned).nearest() {
        (_, exponent) if exponent >= TOO_LARGE => f64::INFINITY,
        (0, _) => 0.0,
        // The highest bit of a full mantissa stands where the exponent begins, and counts as one there.
        (mantissa, exponent) => f64::from_bits((((exponent - SMALLEST) as u64) << 52) + mantissa),
    })
}

/// A number of at least zero, `0.DIGITS` times ten to the power of `point`; no zeros at either end. Zero has no digits.
struct Decimal {
    point: i64,
    digits: Vec<u8>,
}

/// A number in floating point: a mantissa of up to 53 bits, times two to the power of the exponent.
type Float = (u64, i64);

/// The exponent of the smallest floats, and one that is too large for any.
const SMALLEST: i64 = -1074;
const TOO_LARGE: i64 = 972;

/// More digits than the middle between two floats can have.
const MOST: usize = 800;

/// So many digits come back from a float as they went in, where its mantissa is not cut short.
const EXACT: usize = 15;

impl Decimal {
    /// `value` times ten to the power of `exponent`.
    fn new(value: u64, exponent: i64) -> Decimal {
        let digits = if value == 0 { Vec::new() } else { value.to_string().into_bytes() };
        Decimal { point: exponent + digits.len() as i64, digits }.trimmed()
    }

    fn trimmed(mut self) -> Decimal {
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
        self
    }

    fn read(lexeme: &str) -> Decimal {
        // Further than floats go by far, and than a text is long.
        const FAR: i64 = 1 << 40;
        let mut number = Decimal::new(0, 0);
        let (mut exponent, mut sign) = (0, 1);
        let (mut is_fraction, mut is_exponent) = (false, false);
        for byte in lexeme.bytes() {
            match byte {
                b'.' => is_fraction = true,
                b'e' | b'E' => is_exponent = true,
                b'-' if is_exponent => sign = -1,
                b'+' | b'-' => {}
                digit if is_exponent => exponent = FAR.min(exponent * 10 + i64::from(digit - b'0')),
                digit => {
                    number.point -= i64::from(is_fraction);
                    // What follows very many digits only says that it is a little more.
                    if number.digits.len() < MOST {
                        if digit != b'0' || !number.digits.is_empty() {
                            number.digits.push(digit);
                        }
                    } else {
                        number.point += 1;
                        if digit != b'0'
                            && let Some(last) = number.digits.last_mut()
                        {
                            *last |= 1;
                        }
                    }
                }
            }
        }
        number.point += exponent * sign + number.digits.len() as i64;
        number.trimmed()
    }

    /// Multiplies by two to the power of `exponent`, exactly.
    fn scaled(mut self, exponent: i64) -> Decimal {
        // A half is five tenths.
        let base: u64 = if exponent < 0 { 5 } else { 2 };
        self.point += exponent.min(0);
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            // Nine times 5^24 still leaves room for what is carried.
            let step = left.min(24);
            left -= step;
            let factor = base.pow(step as u32);
            let mut carry = 0;
            for digit in self.digits.iter_mut().rev() {
                carry += u64::from(*digit & 0xF) * factor;
                *digit = b'0' + (carry % 10) as u8;
                carry /= 10;
            }
            while carry > 0 {
                self.digits.insert(0, b'0' + (carry % 10) as u8);
                self.point += 1;
                carry /= 10;
            }
        }
        self.trimmed()
    }

    /// The first digits as a whole number; zeros follow the last.
    fn head(&self, count: i64) -> u64 {
        let digit = |place: i64| self.digits.get(place as usize).map_or(0, |digit| u64::from(digit & 0xF));
        (0..count).fold(0, |head, place| head * 10 + digit(place))
    }

    /// The nearest float, of two the even one.
    fn nearest(self) -> Float {
        if self.point < -330 || self.digits.is_empty() {
            return (0, 0);
        }
        if self.point > 310 {
            return (0, TOO_LARGE);
        }
        // The mantissa with two bits more than it has, the lower of them standing for everything behind it too. The
        // estimate is a few bits too small at most, but not beyond the smallest float.
        let mut exponent = ((self.point - 1) * 3322 / 1000 - 53).max(SMALLEST) - 2;
        let scaled = self.scaled(-exponent);
        let mut mantissa = scaled.head(scaled.point) | u64::from(scaled.digits.len() as i64 > scaled.point);
        while mantissa >> 55 > 0 {
            mantissa = mantissa >> 1 | mantissa & 1;
            exponent += 1;
        }
        let up = mantissa & 3 > 2 || mantissa & 7 == 6;
        mantissa = (mantissa >> 2) + u64::from(up);
        exponent += 2;
        if mantissa >> 53 > 0 { (mantissa >> 1, exponent + 1) } else { (mantissa, exponent) }
    }
}

/// The shortest number that stands for the same float, of these the nearest to it; `None`: it is beyond the largest.
fn shortest(number: Decimal) -> Option<Decimal> {
    // Where this many digits are enough for every float, the shortest has no more or ends in zeros.
    let is_whole = (-290..300).contains(&number.point);
    if is_whole && number.digits.len() <= EXACT {
        return Some(number);
    }
    let float = number.nearest();
    if float.1 >= TOO_LARGE {
        return None;
    }
    let exact = Decimal::new(float.0, 0).scaled(float.1);
    let mut count = if is_whole { EXACT } else { 1 };
    loop {
        // The nearer one first; of two that are equally near the even one.
        let (head, tail) = exact.digits.split_at_checked(count).unwrap_or((&exact.digits, &[]));
        let is_odd = head.last().is_some_and(|digit| digit % 2 == 1);
        let up = u64::from(tail > b"5" || (is_odd && tail == b"5"));
        for more in [up, 1 - up] {
            let count = count as i64;
            let digits = || Decimal::new(exact.head(count) + more, exact.point - count);
            if count == 17 || digits().nearest() == float {
                return Some(digits());
            }
        }
        count += 1;
    }
}

/// Fixed from a ten-thousandth to below ten to the power of sixteen, else with an exponent.
fn push_float(text: &mut String, number: Option<Decimal>) {
    let Some(mut number) = number else { return text.push_str("inf") };
    if number.digits.is_empty() {
        number = Decimal { point: 1, digits: b"0".to_vec() };
    }
    let is_fixed = number.point > -4 && number.point <= 16;
    let mut whole = if is_fixed { number.point } else { 1 };
    while whole < 1 {
        number.digits.insert(0, b'0');
        whole += 1;
    }
    while is_fixed && number.digits.len() as i64 <= whole {
        number.digits.push(b'0');
    }
    for digit in number.digits {
        if whole == 0 {
            text.push('.');
        }
        whole -= 1;
        text.push(char::from(digit));
    }
    if !is_fixed {
        text.push_str(&format!("e{:+03}", number.point - 1));
    }
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

    /// Only of two texts that are equally near the library may choose the other one.
    fn check_like_library(lexeme: &str) -> Result<(), TestCaseError> {
        let (printed, expected) = (printed(lexeme), expected(lexeme));
        if printed != expected {
            prop_assert_eq!(printed.len(), expected.len(), "{}", lexeme);
            prop_assert_eq!(printed.parse::<f64>(), expected.parse::<f64>(), "{}", lexeme);
        }
        Ok(())
    }

    #[test]
    fn floats_are_printed_in_their_shortest_form() {
        for (lexeme, python) in [
            ("1.50", "1.5"),
            ("1e2", "100.0"),
            ("0.0", "0.0"),
            ("0e400", "0.0"),
            ("2e308", "inf"),
            ("9.99e309", "inf"),
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
            // Python rounds a tie to the even digit, the library here does not.
            ("1125899906842624.25", "1125899906842624.2"),
            ("1125899906842624.75", "1125899906842624.8"),
            ("5.684341886080802e-14", "5.684341886080802e-14"),
        ] {
            assert_eq!(printed(lexeme), python, "{lexeme}");
        }
    }

    /// The library reads the same float; what is not a number for it is none here.
    fn check_reading(text: &str) -> Result<(), TestCaseError> {
        let expected = text.parse::<f64>().ok().filter(|value| !value.is_nan());
        prop_assert_eq!(float(text).map(f64::to_bits), expected.map(f64::to_bits), "{}", text);
        Ok(())
    }

    #[test]
    fn texts_are_read_as_the_library_reads_them() {
        for text in [
            "0",
            "-0",
            "1",
            "+1",
            "007",
            ".5",
            "5.",
            ".",
            "",
            "+",
            "-",
            "+-1",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1.5E-3",
            "1e5.0",
            "1_000",
            "1,0",
            " 1",
            "inf",
            "-Infinity",
            "+INF",
            "infinit",
            "nan",
            "0x10",
            "1e400",
            "-1e400",
            "1e-400",
            "5e-324",
            "2e-324",
            "3e-324",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "1.8e308",
            "2e308",
            "9e308",
            "1e309",
            "9.99e309",
            "1e310",
            "0e400",
            "-0.0e400",
            "9007199254740993",
            "9007199254740995",
            "١",
        ] {
            check_reading(text).unwrap();
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
        fn every_float_is_read_as_the_library_reads_it(bits in any::<u64>(), other in "[+-]?[0-9]{0,25}\\.?[0-9]{0,25}([eE][+-]?[0-9]{0,3})?", edge in "[0-9]{1,3}\\.[0-9]{0,20}e3(0[0-9]|1[0-5])") {
            let value = f64::from_bits(bits);
            check_reading(&format!("{value:e}"))?;
            check_reading(&format!("{value}"))?;
            check_reading(&other)?;
            check_reading(&edge)?;
        }

        #[test]
        fn every_float_is_printed_as_the_library_prints_it(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let lexeme = format!("{value:e}").replace('e', "0000e");
            let lexeme = if lexeme.contains('.') { lexeme } else { lexeme.replace("0000e", ".0e") };
            check_like_library(&lexeme)?;
        }

        #[test]
        fn every_decimal_is_printed_as_the_library_prints_it(digits in "[1-9][0-9]{0,24}", point in 0..10_u8, exponent in -330..320_i32) {
            let lexeme = format!("{digits}.{point}e{exponent}");
            check_like_library(&lexeme)?;
        }
    }
}
