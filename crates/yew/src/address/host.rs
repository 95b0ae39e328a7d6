//! The host of an address, as it is asked for over the network.

use super::punycode;
use crate::escapes::is_hidden;

/// A host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    /// The name in the form that is asked for: small letters, A-labels, numbers of four parts.
    pub(crate) name: String,
    /// The name as it is written, where that is another one in more than the size of letters. Untrusted.
    pub(crate) written: Option<String>,
    /// How far it reaches.
    pub(crate) reach: Reach,
}

/// Where a host stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Anywhere.
    World,
    /// The machine that asks.
    Machine,
    /// A network that is not public.
    Network,
}

impl Host {
    /// The host with this written form; `None`: there is none. Only schemes of the web give numbers a meaning.
    pub(super) fn of(written: &str, special: bool) -> Option<Host> {
        if written.is_empty() {
            return None;
        }
        let mapped = mapped(&decoded(written));
        let mut name = String::new();
        for (at, label) in mapped.split('.').enumerate() {
            if at > 0 {
                name.push('.');
            }
            if label.is_ascii() {
                name.push_str(label);
            } else {
                name.push_str("xn--");
                name.push_str(&punycode::encode(label).unwrap_or_else(|| label.to_owned()));
            }
        }
        let number = if special { number(&name) } else { None };
        let name = number.map_or(name, dotted);
        let reach = reach(&name);
        let differs = !written.eq_ignore_ascii_case(&name);
        Some(Host { name, written: differs.then(|| written.to_owned()), reach })
    }
}

/// A name without percent signs; where it is not UTF-8, as it was.
fn decoded(name: &str) -> String {
    if !name.contains('%') {
        return name.to_owned();
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let mut digit = || ahead.next().and_then(|byte| char::from(byte).to_digit(16));
        match (byte, digit(), digit()) {
            (b'%', Some(high), Some(low)) => {
                // Two digits make at most 255.
                bytes.push((high * 16 + low) as u8);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

/// A name as hosts are compared: small letters, one kind of dot, nothing invisible.
///
/// Complete for what people type; where Unicode's table says more, the A-label differs from a browser's and is as odd.
fn mapped(name: &str) -> String {
    let mut mapped = String::with_capacity(name.len());
    for character in name.chars() {
        let code = u32::from(character);
        let small = |by| char::from_u32(code + by).unwrap_or(character);
        mapped.push(match character {
            '\u{3002}' | '\u{FF0E}' | '\u{FF61}' => '.',
            '\u{FF01}'..='\u{FF5E}' => {
                char::from_u32(code - 0xFEE0).unwrap_or(character).to_ascii_lowercase()
            }
            'À'..='Ö' | 'Ø'..='Þ' | 'Α'..='Ρ' | 'Σ'..='Ϋ' | 'А'..='Я' => small(32),
            'Ѐ'..='Џ' => small(80),
            'Ā'..='Į' | 'Ĳ'..='Ķ' | 'Ŋ'..='Ŷ' | 'Ѡ'..='Ҁ' | 'Ҋ'..='Ҿ' | 'Ӑ'..='Ԯ' | 'Ḁ'..='Ẕ' | 'Ạ'..='Ỿ'
                if code.is_multiple_of(2) =>
            {
                small(1)
            }
            character if is_hidden(character) => continue,
            character => character.to_ascii_lowercase(),
        });
    }
    mapped
}

/// The number that a name is, in any of the forms that browsers read: `127.1`, `0x7f000001`, `0177.0.0.1`.
fn number(name: &str) -> Option<u32> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let parts: Vec<u64> = name.split('.').map(part).collect::<Option<_>>()?;
    let (last, high) = parts.split_last()?;
    if parts.len() > 4 || high.iter().any(|part| *part > 255) {
        return None;
    }
    let mut number = *last;
    if number >= 1_u64 << (8 * (5 - parts.len())) {
        return None;
    }
    for (at, part) in high.iter().enumerate() {
        number += part << (8 * (3 - at));
    }
    u32::try_from(number).ok()
}

fn part(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some("") => return Some(0),
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    // A sign is no digit.
    if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, radix).ok() }
}

fn dotted(number: u32) -> String {
    let parts = number.to_be_bytes().map(|part| part.to_string());
    parts.join(".")
}

fn reach(name: &str) -> Reach {
    let name = name.strip_suffix('.').unwrap_or(name);
    if name == "localhost" || name.ends_with(".localhost") || matches!(name, "[::1]" | "[::]") {
        return Reach::Machine;
    }
    if name.starts_with("[f")
        && (name.starts_with("[fe8") || name.starts_with("[fc") || name.starts_with("[fd"))
    {
        return Reach::Network;
    }
    if name.ends_with(".local") || name.ends_with(".internal") {
        return Reach::Network;
    }
    match number(name)
        .filter(|_| name.bytes().filter(|byte| *byte == b'.').count() == 3)
        .map(u32::to_be_bytes)
    {
        Some([127 | 0, ..]) => Reach::Machine,
        Some([10, ..] | [192, 168, ..] | [169, 254, ..] | [172, 16..=31, ..] | [100, 64..=127, ..]) => {
            Reach::Network
        }
        _ => Reach::World,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str, name: &str, reach: Reach) {
        let host = Host::of(written, true).expect("a host");
        assert_eq!((host.name.as_str(), host.reach), (name, reach), "{written}");
    }

    #[test]
    fn r21_numbers_are_told_for_what_they_are() {
        check("127.1", "127.0.0.1", Reach::Machine);
        check("0xA9FEA9FE", "169.254.169.254", Reach::Network);
        check("10.0.0.1", "10.0.0.1", Reach::Network);
        check("8.8.8.8", "8.8.8.8", Reach::World);
        check("LOCALHOST", "localhost", Reach::Machine);
        check("[fd00::1]", "[fd00::1]", Reach::Network);
        check("1e100.net", "1e100.net", Reach::World);
        check("1.2.3.4.5", "1.2.3.4.5", Reach::World);
    }

    #[test]
    fn r21_what_is_written_otherwise_is_kept() {
        assert_eq!(Host::of("Example.COM", true).and_then(|host| host.written), None);
        assert_eq!(Host::of("аррӏе.com", true).and_then(|host| host.written).as_deref(), Some("аррӏе.com"));
        assert_eq!(Host::of("127.1", false).map(|host| host.name).as_deref(), Some("127.1"));
    }
}
