//! The host of an address, as it is asked for over the network.

use std::net::Ipv6Addr;

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
        let letter = |place: u32| char::from(b'a' + (place % 26) as u8);
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
            // Letters in circles, mathematical and outlined ones.
            '\u{24B6}'..='\u{24E9}' => letter(code - 0x24B6),
            '\u{1D400}'..='\u{1D6A3}' => letter(code - 0x1D400),
            '\u{1CCD6}'..='\u{1CCEF}' => letter(code - 0x1CCD6),
            character if is_hidden(character) => continue,
            character => match number_of(code) {
                Some(number) => {
                    mapped.push_str(&number.to_string());
                    continue;
                }
                None => character.to_ascii_lowercase(),
            },
        });
    }
    mapped
}

/// The number that a character stands for in a host.
///
/// Source: Unicode 17, `IdnaMappingTable.txt`.
fn number_of(code: u32) -> Option<u32> {
    Some(match code {
        0xB2 | 0xB3 => code - 0xB0,
        0xB9 => 1,
        0x2070 | 0x2074..=0x2079 => code - 0x2070,
        0x2080..=0x2089 => code - 0x2080,
        0x2460..=0x2473 => code - 0x245F,
        0x24EA => 0,
        0x3251..=0x325F => code - 0x323C,
        0x32B1..=0x32BF => code - 0x328D,
        0x1CCF0..=0x1CCF9 => code - 0x1CCF0,
        0x1D7CE..=0x1D7FF => (code - 0x1D7CE) % 10,
        0x1FBF0..=0x1FBF9 => code - 0x1FBF0,
        _ => return None,
    })
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
    if name == "localhost" || name.ends_with(".localhost") {
        return Reach::Machine;
    }
    if name.ends_with(".local") || name.ends_with(".internal") {
        return Reach::Network;
    }
    if let Some(address) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        // What follows a percent sign names a network card.
        return address
            .split('%')
            .next()
            .and_then(|address| address.parse().ok())
            .map_or(Reach::World, reach_of_6);
    }
    let is_whole = name.bytes().filter(|byte| *byte == b'.').count() == 3;
    number(name).filter(|_| is_whole).map_or(Reach::World, reach_of_4)
}

fn reach_of_6(address: Ipv6Addr) -> Reach {
    match address.segments() {
        // An address of four parts, also behind the prefix of translators; and `::`, `::1`.
        [0, 0, 0, 0, 0, 0 | 0xFFFF, high, low] | [0x64, 0xFF9B, 0, 0, 0, 0, high, low] => {
            reach_of_4((u32::from(high) << 16) | u32::from(low))
        }
        [0xFC00..=0xFDFF | 0xFE80..=0xFEFF, ..] => Reach::Network,
        _ => Reach::World,
    }
}

fn reach_of_4(address: u32) -> Reach {
    match address.to_be_bytes() {
        [127 | 0, ..] => Reach::Machine,
        [10, ..] | [192, 168, ..] | [169, 254, ..] | [172, 16..=31, ..] | [100, 64..=127, ..] => {
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
        check("①②⑦.⓪.⓪.①", "127.0.0.1", Reach::Machine);
        check("⑩.0.0.1", "10.0.0.1", Reach::Network);
    }

    #[test]
    fn r21_addresses_of_eight_parts_are_told_for_what_they_are_in_any_spelling() {
        let known = [
            ("[0:0:0:0:0:0:0:1] [::0001] [::] [0::0] [::1%25lo] [::1%lo]", Reach::Machine),
            ("[::ffff:127.0.0.1] [::FFFF:7f00:1] [::127.0.0.1] [::ffff:0.0.0.0]", Reach::Machine),
            ("[64:ff9b::127.0.0.1]", Reach::Machine),
            ("[::ffff:a9fe:a9fe] [::ffff:10.0.0.1] [64:ff9b::192.168.0.1]", Reach::Network),
            ("[fe80::1] [fe90::1] [FEBF::1] [fec0::1] [fe80::1%25eth0] [fc00::1] [fdff::]", Reach::Network),
            ("[::ffff:8.8.8.8] [2001:db8::1] [fb00::1] [ff02::1] [f::c] [1::127.0.0.1] [::1", Reach::World),
        ];
        for (written, reach) in known {
            for written in written.split(' ') {
                assert_eq!(Host::of(written, true).map(|host| host.reach), Some(reach), "{written}");
            }
        }
    }

    #[test]
    fn r21_characters_that_are_numbers_or_styled_letters_are_those_of_browsers() {
        let real = |written: &str| {
            let url = url::Url::parse(&["http://", written, "/"].concat()).ok()?;
            url.host_str().map(str::to_owned)
        };
        let is_number = |host: &String| host.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit());
        for character in ('\u{80}'..=char::MAX).filter(|character| character.is_numeric()) {
            let written = ["1.0.0.", &character.to_string()].concat();
            if let Some(real) = real(&written).filter(is_number) {
                check(&written, &real, Reach::World);
            }
        }
        let letters = ['\u{24B6}'..='\u{24E9}', '\u{1CCD6}'..='\u{1CCEF}', '\u{1D400}'..='\u{1D6A3}'];
        for character in letters.into_iter().flatten() {
            let written = ["a", &character.to_string(), ".example"].concat();
            if let Some(real) = real(&written) {
                check(&written, &real, Reach::World);
            }
        }
        check("ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "localhost", Reach::Machine);
        check("𝐋𝑜𝓬𝖺𝕝𝗁𝒐𝓼𝙩", "localhost", Reach::Machine);
    }

    #[test]
    fn r21_what_is_written_otherwise_is_kept() {
        assert_eq!(Host::of("Example.COM", true).and_then(|host| host.written), None);
        assert_eq!(Host::of("аррӏе.com", true).and_then(|host| host.written).as_deref(), Some("аррӏе.com"));
        assert_eq!(Host::of("127.1", false).map(|host| host.name).as_deref(), Some("127.1"));
    }
}
