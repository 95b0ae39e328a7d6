//! What a string means.

use std::net::{Ipv4Addr, Ipv6Addr};

/// What a string means; the formats that an input has something to offer for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `date`: a day, such as 2026-01-31.
    Date,
    /// `date-time`: a moment with its offset, such as 2026-01-31T12:00:00Z.
    DateTime,
    /// `time`: a time of day with its offset, such as 12:00:00Z.
    Time,
    /// `uri`: an absolute address.
    Uri,
    /// `email`: a mail address.
    Email,
    /// `uuid`: 32 hexadecimal digits in five groups.
    Uuid,
    /// `ipv4`: four numbers with points between them.
    Ipv4,
    /// `ipv6`: an address of version 6.
    Ipv6,
    /// `hostname`: the name of a machine.
    Hostname,
    /// `password`: nothing that should stand on a screen.
    Password,
}

impl Format {
    /// The format of this name; `None` for all that are not listed here.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Some(match name {
            "date" => Format::Date,
            "date-time" => Format::DateTime,
            "time" => Format::Time,
            "uri" => Format::Uri,
            "email" => Format::Email,
            "uuid" => Format::Uuid,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            "hostname" => Format::Hostname,
            "password" => Format::Password,
            _ => return None,
        })
    }
}

impl Format {
    /// Whether the text is of this format.
    #[must_use]
    pub fn permits(self, text: &str) -> bool {
        match self {
            Format::Date => date(text).is_some(),
            Format::DateTime => date_time(text).is_some(),
            Format::Time => time(text).is_some(),
            Format::Uri => uri(text).is_some(),
            Format::Email => email(text).is_some(),
            Format::Uuid => uuid(text),
            Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Format::Hostname => hostname(text),
            Format::Password => true,
        }
    }

    /// What the text must be, for a sentence.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Format::Date => "a date such as 2026-01-31",
            Format::DateTime => "a date and time such as 2026-01-31T12:00:00Z",
            Format::Time => "a time such as 12:00:00Z",
            Format::Uri => "a whole address such as https://example.com/",
            Format::Email => "a mail address",
            Format::Uuid => "a UUID",
            Format::Ipv4 => "an IPv4 address",
            Format::Ipv6 => "an IPv6 address",
            Format::Hostname => "the name of a host",
            Format::Password => "a password",
        }
    }
}

/// The number that so many digits make.
fn digits(text: &str, count: usize) -> Option<u32> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// A day by RFC 3339.
fn date(text: &str) -> Option<()> {
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = digits(parts.next()?, 2)?;
    let day = digits(parts.next()?, 2)?;
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (parts.next().is_none() && (1..=days).contains(&day)).then_some(())
}

fn date_time(text: &str) -> Option<()> {
    let (day, rest) = text.split_at_checked(10)?;
    date(day)?;
    time(rest.strip_prefix(['T', 't'])?)
}

/// A time of day by RFC 3339, with its offset.
fn time(text: &str) -> Option<()> {
    let (clock, rest) = text.split_at_checked(8)?;
    let mut parts = clock.split(':');
    let hour = digits(parts.next()?, 2)?;
    let minute = digits(parts.next()?, 2)?;
    let second = digits(parts.next()?, 2)?;
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => {
            let rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
            if rest.len() == fraction.len() {
                return None;
            }
            rest
        }
        None => rest,
    };
    let offset = match rest {
        "Z" | "z" => 0,
        _ => {
            let sign = rest.get(..1).filter(|sign| matches!(*sign, "+" | "-"))?;
            let (hours, minutes) = rest.get(1..)?.split_once(':')?;
            let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = hours * 60 + minutes;
            // The moment in UTC is what decides about a leap second; a day has 1440 minutes.
            if sign == "+" { 1440 - offset } else { offset }
        }
    };
    let is_last_minute = (hour * 60 + minute + offset) % 1440 == 1439;
    let is_time = hour < 24 && minute < 60 && (second < 60 || (second == 60 && is_last_minute));
    (is_time && parts.next().is_none()).then_some(())
}

/// An absolute address by RFC 3986: a scheme, and nothing that may not stand in one.
fn uri(text: &str) -> Option<()> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let (before, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (host, path) = match before.strip_prefix("//") {
        Some(rest) => rest.split_at_checked(rest.find(['/', '?']).unwrap_or(rest.len()))?,
        None => ("", before),
    };
    let host = host.rsplit_once('@').map_or(host, |(user, host)| if plain(user) { host } else { "\\" });
    let (host, port) = match host.strip_prefix('[') {
        Some(literal) => {
            let (address, port) = literal.split_once(']')?;
            let is_address = address.parse::<Ipv6Addr>().is_ok() || address.starts_with(['v', 'V']);
            if !is_address || (!port.is_empty() && !port.starts_with(':')) {
                return None;
            }
            ("", port.get(1..).unwrap_or_default())
        }
        None => host.split_once(':').unwrap_or((host, "")),
    };
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    (is_scheme && is_port && [host, path, fragment].into_iter().all(plain)).then_some(())
}

/// Whether only characters stand here that an address may have, and percent signs with two digits after them.
fn plain(text: &str) -> bool {
    let mut parts = text.split('%');
    let first = parts.next().unwrap_or_default();
    let is_plain = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte))
    };
    let is_encoded = |part: &str| {
        part.get(..2).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    is_plain(first) && parts.all(|part| is_encoded(part) && is_plain(part))
}

/// A mail address by RFC 5321: dots between words, or words in quotes.
fn email(text: &str) -> Option<()> {
    let (name, host) = text.rsplit_once('@')?;
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
    };
    let is_name = match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(words) => {
            let mut bytes = words.bytes();
            let is_quoted = |byte: u8| (b' '..=b'~').contains(&byte);
            loop {
                match bytes.next() {
                    None => break true,
                    Some(b'\\') if bytes.next().is_some_and(is_quoted) => {}
                    Some(b'"' | b'\\') => break false,
                    Some(byte) if !is_quoted(byte) => break false,
                    Some(_) => {}
                }
            }
        }
        None => name.split('.').all(is_word),
    };
    let is_host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => match address.strip_prefix("IPv6:") {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => address.parse::<Ipv4Addr>().is_ok(),
        },
        None => hostname(host),
    };
    (is_name && is_host).then_some(())
}

fn uuid(text: &str) -> bool {
    let mut groups = text.split('-');
    let has_groups = [8, 4, 4, 4, 12].into_iter().all(|len| {
        groups
            .next()
            .is_some_and(|group| group.len() == len && group.bytes().all(|digit| digit.is_ascii_hexdigit()))
    });
    has_groups && groups.next().is_none()
}

/// The name of a machine by RFC 1123.
fn hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
            // Two hyphens here announce an encoding: that of names in other scripts is the only one.
            && (label.get(2..4) != Some("--") || label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
    };
    text.len() <= 253 && text.split('.').all(is_label)
}
