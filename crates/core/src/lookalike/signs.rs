//! Digits and signs that look like those of ASCII, where they stand in their place.
//!
//! Sentences have digits and dashes of their own. What is pointed out is what stands among letters and digits of ASCII in
//! a name, a path or an option, or within a number.

use super::{Script, push, script};

/// The zeros of all scripts but ASCII. The other digits follow each of them.
///
/// Source: Unicode 17, `DerivedGeneralCategory.txt` (Nd).
const ZEROS: &[u32] = &[
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
    0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50,
    0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40, 0x11066,
    0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730,
    0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50, 0x11DA0, 0x11DE0, 0x11F50, 0x16130, 0x16A60, 0x16AC0,
    0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0,
    0x1E5F1, 0x1E950, 0x1FBF0,
];

/// Digits that look like others of ASCII, or like the same one: `৪০` is 40.
const TWIN_DIGITS: &str = "০৪৭੦੧੪୦୨൦൭";

/// A sign that looks like one of ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// A hyphen that is seldom written.
    Hyphen,
    /// Like one or two hyphens; it belongs in sentences.
    Dash,
    /// Like `/`, `;`, `:`, `.` or `*`, and seldom written.
    Other,
    /// As wide as East Asian letters, in whose sentences it belongs.
    Wide,
}

fn sign(character: char) -> Option<Sign> {
    Some(match character {
        '‐' | '‑' | '‒' | '˗' | '﹣' => Sign::Hyphen,
        '–' | '—' | '―' | '−' => Sign::Dash,
        '⁄' | '∕' | '⧸' | '\u{37E}' | '꞉' | '∶' | '․' | '‥' | 'ꓸ' | '∗' | '⁎' | '٭' => {
            Sign::Other
        }
        '－' | '／' | '：' | '；' | '．' | '＊' => Sign::Wide,
        _ => return None,
    })
}

/// The worth of a digit that is none of ASCII.
#[must_use]
pub fn digit(character: char) -> Option<u32> {
    let code = u32::from(character);
    let place = ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?;
    Some(code - ZEROS.get(place)?).filter(|digit| *digit < 10)
}

/// Whether a character is a digit or sign that could be taken for one of ASCII.
pub(super) fn is_candidate(character: char) -> bool {
    !character.is_ascii() && (sign(character).is_some() || digit(character).is_some())
}

/// The digits and signs of a name that are not of ASCII and look as if they were.
pub(super) fn all_signs(name: &str) -> Vec<char> {
    let mut found = Vec::new();
    name.chars().filter(|character| is_candidate(*character)).for_each(|sign| push(&mut found, sign));
    found
}

/// The same of any text, in which they may be what is meant; `code`: it is a program.
#[must_use]
pub fn signs(text: &str, code: bool) -> Vec<char> {
    search(text, code).0
}

/// The same, and whether some look like the hyphens of an option.
pub(super) fn search(text: &str, code: bool) -> (Vec<char>, bool) {
    let (mut found, mut leads) = (Vec::new(), false);
    if !text.contains(is_candidate) {
        return (found, leads);
    }
    let others = || text.chars().filter(|character| !character.is_ascii());
    if others().all(|character| TWIN_DIGITS.contains(character)) {
        others().for_each(|digit| push(&mut found, digit));
    }
    let is_greek = text.contains(|letter| script(letter) == Some(Script::Greek) && !is_candidate(letter));
    let is_name = is_plain(text);
    let (mut before, mut rest) = (' ', text);
    while !rest.is_empty() {
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        if !token.is_ascii() {
            let token = Token { text: token, is_name, is_identifier: is_identifier(token), code };
            token.letters(is_greek, &mut found);
            // Between letters that need no spaces a dash begins nothing.
            if before.is_ascii() || before.is_whitespace() {
                leads |= token.lead(&mut found);
            }
        }
        let mut after = after.chars();
        before = after.next().unwrap_or(' ');
        rest = after.as_str();
    }
    (found, leads)
}

/// Whether digits or signs that were found in a name stand in it for those of ASCII, and not for themselves; `latin`: it
/// should be of nothing else.
pub(super) fn deceive(name: &str, latin: bool, found: &[char]) -> bool {
    // Wide ones are seen to be others, and belong in the names of files.
    let is_digit = |character| !matches!(character, '０'..='９') && digit(character).is_some();
    let pair = |(one, next): (char, char)| {
        (is_digit(one) && next.is_ascii_alphanumeric()) || (one.is_ascii_alphanumeric() && is_digit(next))
    };
    let others = || name.chars().filter(|character| !character.is_ascii());
    !found.is_empty()
        && (found.iter().any(|character| sign(*character) == Some(Sign::Other))
            || name.chars().zip(name.chars().skip(1)).any(pair)
            || others().all(|character| TWIN_DIGITS.contains(character))
            || (latin && is_plain(name)))
}

/// Whether a text has nothing but Latin letters, and digits and signs that are of ASCII or look so.
fn is_plain(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_graphic() || is_part(character))
}

/// Whether a character is part of a word, a path or an option.
fn is_part(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_graphic() && !"\"'`<>()[]{};|&=".contains(character);
    }
    is_candidate(character) || script(character) == Some(Script::Latin)
}

/// Whether it is written as nothing but paths, options and names are.
fn is_identifier(token: &str) -> bool {
    token.starts_with(['/', '~', '$', '-'])
        || ["_", "\\", "://", "../", "./"].iter().any(|sign| token.contains(sign))
}

/// What stands between blanks and quotes.
struct Token<'t> {
    text: &'t str,
    /// The whole text is one name.
    is_name: bool,
    is_identifier: bool,
    code: bool,
}

impl Token<'_> {
    /// Digits among those of ASCII; digits and signs in names.
    fn letters(&self, is_greek: bool, found: &mut Vec<char>) {
        let has_letters = self.text.contains(|character: char| character.is_ascii_alphabetic());
        let is_identifier = self.is_identifier && has_letters;
        let is_name = is_identifier || (self.is_name && has_letters);
        for word in self.text.split(|sign: char| sign.is_ascii_punctuation() && !matches!(sign, '.' | ',')) {
            let is_mixed = word.contains(|character: char| character.is_ascii_digit());
            let digits = word.chars().filter(|character| digit(*character).is_some());
            digits.filter(|_| is_mixed || is_name).for_each(|digit| push(found, digit));
        }
        for character in self.text.chars() {
            let is_odd = sign(character).is_some_and(|sign| match sign {
                Sign::Hyphen => is_name,
                Sign::Dash => is_identifier,
                // The question mark of Greek.
                Sign::Other if character == '\u{37E}' => !is_greek,
                Sign::Other => is_name || self.code,
                Sign::Wide => self.is_name && has_letters,
            });
            if is_odd {
                push(found, character);
            }
        }
    }

    /// What looks like the hyphens of an option.
    fn lead(&self, found: &mut Vec<char>) -> bool {
        let is_dash = |character| matches!(sign(character), Some(Sign::Hyphen | Sign::Dash));
        let option = self.text.trim_start_matches(|character| character == '-' || is_dash(character));
        let lead = self.text.strip_suffix(option).unwrap_or_default();
        let is_double = lead.chars().nth(1).is_some() && !lead.contains(['—', '―']);
        let is_odd =
            self.code || is_double || lead.contains(|character| sign(character) == Some(Sign::Hyphen));
        let is_lead = is_odd && option.starts_with(|first: char| first.is_ascii_alphabetic());
        if is_lead {
            lead.chars().filter(|sign| *sign != '-').for_each(|sign| push(found, sign));
        }
        is_lead && lead.contains(is_dash)
    }
}

#[cfg(test)]
mod tests {
    use icu_properties::CodePointMapData;
    use icu_properties::props::GeneralCategory;

    use super::*;

    #[test]
    fn r21_digits_are_those_of_unicode() {
        let categories = CodePointMapData::<GeneralCategory>::new();
        for character in ('\u{80}'..=char::MAX).filter(|character| !character.is_ascii()) {
            let real = categories.get(character) == GeneralCategory::DecimalNumber;
            assert_eq!(digit(character).is_some(), real, "U+{:04X}", u32::from(character));
        }
        assert!(ZEROS.is_sorted());
        assert_eq!("٥৪０𝟡".chars().map(digit).collect::<Vec<_>>(), [Some(5), Some(4), Some(0), Some(9)]);
        assert!(TWIN_DIGITS.chars().all(|twin| digit(twin).is_some()));
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(signs(text, false).into_iter().collect::<String>(), expected, "{text}");
    }

    #[test]
    fn r21_digits_of_other_scripts_are_told_where_they_stand_for_those_of_ascii() {
        check("৪00", "৪");
        check("1٥٥", "٥");
        check("1੧0.00", "੧");
        check("1٥,000", "٥");
        check("7౦0", "౦");
        check("pay USD ৪00 now", "৪");
        check("USD ৪০", "৪০");
        check("৭", "৭");
        check("--limit=1٠", "٠");
        check("rm /srv/v٣/x", "٣");
        check("get_file٠", "٠");
        check("see file_৪ first", "৪");
    }

    #[test]
    fn r21_signs_are_told_where_they_stand_for_those_of_ascii() {
        check("get‐file", "‐");
        check("terraform destroy ‐‐dry‐run", "‐");
        check("kubectl delete ns prod ‑‑dry-run=server", "‑");
        check("git push −−dry-run", "−");
        check("git push ––force", "–");
        check("git push ‐f", "‐");
        check("git push --dry–run", "–");
        check("rm \"‐‐x\" (−−all)", "‐−");
        check("echo hi\u{37E} rm x", "\u{37E}");
        check("/srv/a∕..⁄etc", "∕⁄");
        check("cp /srv/a∕b ~/x", "∕");
        check("/srv/‥/etc", "‥");
        check("https꞉//a.example", "꞉");
        check("https：//a.example", "：");
        check("/srv/∗", "∗");
        assert_eq!(signs("git push —force −f", true), ['—', '−']);
        assert_eq!(signs("rm a∕b ∗", true), ['∕', '∗']);
    }

    #[test]
    fn r21_digits_and_signs_of_sentences_are_left_alone() {
        for text in [
            "١٢٣",
            "عدد الطلبات ١٥٠ من ٢٠٠",
            "في ١٢/٠٥/٢٠٢٤ الساعة ١٠:٣٠",
            "السعر ٥٠ USD و ٣٫٥٪",
            "ارسل ٣ نسخ من COVID-١٩ الآن",
            "صفحة ٥؛ ثم ٦",
            "قیمت ۱۲۰٬۰۰۰ تومان",
            "আজ ৪০ জন এসেছে",
            "COVID-১৯ এর টিকা",
            "राम के पास ५ आम हैं",
            "ราคา ๕๐ บาท",
            "价格为１００元",
            "使用GPT‑4模型，值为：３",
            "你好吗？",
            "状态：OK；下一步：file_name。",
            "他说——OK",
            "他说 ——好",
            "Rock ’n’ roll – and more — really",
            "—Hola —dijo ella—, ¿qué tal?",
            "–Oui, dit-elle",
            "pages 3–5, 2019–2024, Mon–Fri",
            "Mon–Fri",
            "a real‑time, well‐known e‑mail for GPT‑4",
            "at −5 °C, x = −b ± √(b² − 4ac), sin(−x)",
            "−5",
            "3−2",
            "1⁄2 cup, 3∶2, 100 km∕h, A ∗ B",
            "Τι κάνεις\u{37E} Τι είναι το API\u{37E}",
            "wait… · item • item",
            "Kayıt bulunamadı, lütfen 3 kez deneyin",
            "größe — 5 €",
            "",
        ] {
            check(text, "");
        }
    }

    #[test]
    fn r21_of_a_tools_name_every_digit_and_sign_is_told() {
        let all = |name| all_signs(name).into_iter().collect::<String>();
        assert_eq!(all("get–file—٣：x"), "–—٣：");
        assert_eq!(all("größe_get-file_ɡ"), "");
    }
}
