//! Punycode (RFC 3492): how hosts beyond ASCII are asked for.

const BASE: u32 = 36;
const SMALLEST: u32 = 1;
const LARGEST: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;

/// How long a label may be in characters; a real one has at most 63.
const LONGEST: usize = 255;

/// A label without its prefix `xn--`; `None`: it is too long for a host.
pub(super) fn encode(label: &str) -> Option<String> {
    let characters: Vec<u32> = label.chars().map(u32::from).collect();
    if characters.len() > LONGEST {
        return None;
    }
    let mut encoded: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(encoded.len()).ok()?;
    if basic > 0 {
        encoded.push('-');
    }
    let (mut reached, mut bias, mut delta, mut done) = (128, 72, 0_u32, basic);
    while (done as usize) < characters.len() {
        let next = characters.iter().copied().filter(|character| *character >= reached).min()?;
        delta = delta.checked_add((next - reached).checked_mul(done + 1)?)?;
        reached = next;
        for character in &characters {
            if *character < reached {
                delta = delta.checked_add(1)?;
            }
            if *character != reached {
                continue;
            }
            push(&mut encoded, delta, bias);
            bias = adapted(delta, done + 1, done == basic);
            delta = 0;
            done += 1;
        }
        (delta, reached) = (delta + 1, reached + 1);
    }
    Some(encoded)
}

/// A number of variable length.
fn push(encoded: &mut String, mut number: u32, bias: u32) {
    let mut place = BASE;
    loop {
        let least = place.saturating_sub(bias).clamp(SMALLEST, LARGEST);
        if number < least {
            encoded.extend(digit(number));
            return;
        }
        let above = number - least;
        encoded.extend(digit(least + above % (BASE - least)));
        number = above / (BASE - least);
        place += BASE;
    }
}

/// `a` to `z`, then `0` to `9`.
fn digit(number: u32) -> Option<char> {
    char::from_digit((number + 10) % BASE, BASE)
}

fn adapted(delta: u32, count: u32, first: bool) -> u32 {
    let mut delta = if first { delta / DAMP } else { delta / 2 };
    delta += delta / count;
    let mut steps = 0;
    while delta > (BASE - SMALLEST) * LARGEST / 2 {
        delta /= BASE - SMALLEST;
        steps += BASE;
    }
    steps + (BASE - SMALLEST + 1) * delta / (delta + SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r21_labels_are_those_of_the_standard() {
        let samples = [
            ("bücher", "bcher-kva"),
            ("аррӏе", "80ak6aa92e"),
            ("例え", "r8jz45g"),
            ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
            ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
            ("-> $1.00 <-", "-> $1.00 <--"),
        ];
        for (label, expected) in samples {
            assert_eq!(encode(label).as_deref(), Some(expected));
        }
        assert_eq!(encode(&"ü".repeat(256)), None);
    }

    #[test]
    fn r21_labels_are_those_that_browsers_ask_for() {
        // Letters of several alphabets, in every order of two and three.
        let letters = ["a", "z", "ü", "д", "я", "ß", "α", "名", "字", "한", "ש", "0"];
        for first in letters {
            for second in letters {
                let label = ["x", first, second, "é", first].concat();
                let real = url::Url::parse(&["https://", &label, ".example/"].concat());
                let Ok(real) = real else { continue };
                let expected = ["xn--", &encode(&label).expect("a label"), ".example"].concat();
                assert_eq!(real.host_str(), Some(expected.as_str()), "{label}");
            }
        }
    }
}
