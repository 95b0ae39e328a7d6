//! Letters that look like others: words of mixed alphabets, and names that only seem to be Latin.

mod hidden;
mod signs;

pub use hidden::is_hidden;
use signs::{all_signs, deceive, is_candidate, search};
pub use signs::{digit, signs};

/// An alphabet whose letters are mistaken for those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// What names of tools are made of.
    Latin,
    /// As in `ο`.
    Greek,
    /// As in `а`.
    Cyrillic,
    /// As in `օ`.
    Armenian,
    /// As in `ס`.
    Hebrew,
    /// As in `ه`.
    Arabic,
    /// As in `Ⴝ`.
    Georgian,
    /// As in `Ꭺ`.
    Cherokee,
    /// As in `ⲟ`.
    Coptic,
    /// As in `ꓮ`.
    Lisu,
    /// Latin letters and digits in another style: `𝐚`, `ａ`, `ⓐ`.
    Styled,
}

/// The letters of each alphabet. Ranges reach over what is not assigned and what is no letter.
///
/// Source: Unicode 17, `Scripts.txt`.
const LETTERS: &[(u32, u32, Script)] = &[
    (0x41, 0x5A, Script::Latin),
    (0x61, 0x7A, Script::Latin),
    (0xAA, 0xAA, Script::Latin),
    (0xBA, 0xBA, Script::Latin),
    (0xC0, 0xD6, Script::Latin),
    (0xD8, 0xF6, Script::Latin),
    (0xF8, 0x2B8, Script::Latin),
    (0x2E0, 0x2E4, Script::Latin),
    (0x370, 0x373, Script::Greek),
    (0x376, 0x3E1, Script::Greek),
    (0x3E2, 0x3EF, Script::Coptic),
    (0x3F0, 0x3FF, Script::Greek),
    (0x400, 0x52F, Script::Cyrillic),
    (0x531, 0x58C, Script::Armenian),
    (0x5D0, 0x5F2, Script::Hebrew),
    (0x620, 0x63F, Script::Arabic),
    (0x641, 0x6FF, Script::Arabic),
    (0x750, 0x77F, Script::Arabic),
    (0x870, 0x8C9, Script::Arabic),
    (0x10A0, 0x10FF, Script::Georgian),
    (0x13A0, 0x13FD, Script::Cherokee),
    (0x1C80, 0x1C8A, Script::Cyrillic),
    (0x1C90, 0x1CBF, Script::Georgian),
    (0x1D00, 0x1D25, Script::Latin),
    (0x1D26, 0x1D2A, Script::Greek),
    (0x1D2B, 0x1D2B, Script::Cyrillic),
    (0x1D2C, 0x1D5C, Script::Latin),
    (0x1D5D, 0x1D61, Script::Greek),
    (0x1D62, 0x1D65, Script::Latin),
    (0x1D66, 0x1D6A, Script::Greek),
    (0x1D6B, 0x1D77, Script::Latin),
    (0x1D78, 0x1D78, Script::Cyrillic),
    (0x1D79, 0x1DBE, Script::Latin),
    (0x1DBF, 0x1DBF, Script::Greek),
    (0x1E00, 0x1EFF, Script::Latin),
    (0x1F00, 0x1FFC, Script::Greek),
    (0x2071, 0x2071, Script::Latin),
    (0x207F, 0x207F, Script::Latin),
    (0x2090, 0x209F, Script::Latin),
    // Among these letter-like signs are some that count as Latin or Greek; none of them belongs in a name.
    (0x2102, 0x2188, Script::Styled),
    (0x24B6, 0x24E9, Script::Styled),
    (0x2C60, 0x2C7F, Script::Latin),
    (0x2C80, 0x2CF3, Script::Coptic),
    (0x2D00, 0x2D2D, Script::Georgian),
    (0xA4D0, 0xA4FD, Script::Lisu),
    (0xA640, 0xA69D, Script::Cyrillic),
    (0xA722, 0xA787, Script::Latin),
    (0xA78B, 0xA7FF, Script::Latin),
    (0xAB30, 0xAB64, Script::Latin),
    (0xAB65, 0xAB65, Script::Greek),
    (0xAB66, 0xAB6D, Script::Latin),
    (0xAB70, 0xABBF, Script::Cherokee),
    (0xFB00, 0xFB06, Script::Latin),
    (0xFB13, 0xFB17, Script::Armenian),
    (0xFB1D, 0xFB4F, Script::Hebrew),
    (0xFB50, 0xFDFB, Script::Arabic),
    (0xFE70, 0xFEFC, Script::Arabic),
    (0xFF10, 0xFF19, Script::Styled),
    // Punctuation of this width belongs in Chinese and Japanese sentences.
    (0xFF20, 0xFF3A, Script::Styled),
    (0xFF3C, 0xFF3C, Script::Styled),
    (0xFF3F, 0xFF3F, Script::Styled),
    (0xFF41, 0xFF5A, Script::Styled),
    (0x10780, 0x107BF, Script::Latin),
    (0x10EC2, 0x10EEE, Script::Arabic),
    (0x11FB0, 0x11FB0, Script::Lisu),
    (0x1D400, 0x1D7FF, Script::Styled),
    (0x1DF00, 0x1DFF2, Script::Latin),
    (0x1DFF3, 0x1DFF4, Script::Greek),
    (0x1DFF5, 0x1DFFF, Script::Latin),
    (0x1E030, 0x1E06D, Script::Cyrillic),
    (0x1EE00, 0x1EEBB, Script::Arabic),
    (0x1F130, 0x1F189, Script::Styled),
];

/// Letters of other alphabets that look like Latin ones.
const TWINS: &str = "асеорхуіјѕһԁԛԝӏьгпҽАВЕКМНОРСТУХЅІЈԌԚԜαονιρυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհցզՕՍԼꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᏔᏃⲟⲣⲤ";

/// Phonetic letters with which languages are written.
const SPELT: &str = "ɓɔɖɗəɛɣɨɩɲʉʊʋʌʔ";

/// Whether a Latin letter looks like others of the same alphabet; `all`: also those with which languages are written.
fn is_alike(letter: char, all: bool) -> bool {
    match u32::from(letter) {
        // The dotless letters, a long `s`, and clicks.
        0x131 | 0x17F | 0x1C0..=0x1C3 | 0x237 => all,
        // Phonetic letters, small capitals, ligatures.
        0x250..=0x2AF => all || !SPELT.contains(letter),
        0x1D00..=0x1D25 | 0xA730..=0xA731 | 0xFB00..=0xFB06 => true,
        _ => false,
    }
}

/// Whether a letter can be taken for one of ASCII and is hardly ever meant. A dotless `ı` is Turkish, `ə` Azerbaijani; files
/// have ligatures from the texts that they are named after.
fn is_false(letter: char, latin: bool) -> bool {
    match letter {
        'ɩ' | 'ʋ' | 'ȷ' | 'ſ' | 'ǀ'..='ǃ' => latin,
        'ﬀ'..='ﬆ' => latin,
        _ => is_alike(letter, false),
    }
}

/// Whether letters stand in one word, with digits or without, as no language mixes them.
fn is_deceptive(name: &str, latin: bool) -> bool {
    let is_leftward = |script| matches!(script, Script::Hebrew | Script::Arabic);
    let (mut before, mut leaves_latin) = (None, false);
    for letter in name.chars() {
        let Some(script) = script(letter) else {
            // Digits and accents stand within words, and letters that are not examined.
            if !(letter.is_ascii_digit() || letter.is_alphabetic() || matches!(letter, '\u{300}'..='\u{36F}'))
            {
                (before, leaves_latin) = (None, false);
            }
            continue;
        };
        if is_false(letter, latin) {
            return true;
        }
        // Signs, among them `ꓸ` of Lisu, are judged as such; `№`, `™` and Roman numerals are what they seem.
        let is_sign = !letter.is_alphabetic() || matches!(letter, 'Ⅰ'..='ↈ');
        if is_candidate(letter) || (script == Script::Styled && is_sign) {
            continue;
        }
        let Some(before) = before.replace(script).filter(|before| *before != script) else { continue };
        let has = |one| before == one || script == one;
        if is_leftward(before) || is_leftward(script) {
            // Their words take foreign ones between prefixes and endings. The other way round nobody writes.
            if leaves_latin && script == Script::Latin {
                return true;
            }
            leaves_latin |= before == Script::Latin;
        } else if has(Script::Latin) || !has(Script::Styled) {
            return true;
        }
    }
    false
}

/// The alphabet of a letter; `None`: it is none, or is not mistaken for another.
#[must_use]
pub fn script(character: char) -> Option<Script> {
    let code = u32::from(character);
    let range = LETTERS.get(LETTERS.partition_point(|(_, last, _)| *last < code))?;
    (range.0 <= code).then_some(range.2)
}

/// How a name deceives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Odd {
    /// Whole words of another alphabet; otherwise it is mixed into words.
    pub whole: bool,
    /// The letters that do not belong, each once, in their order.
    pub letters: Vec<(char, Script)>,
    /// The digits and signs that do not belong, each once, in their order.
    pub signs: Vec<char>,
    /// It hardly can be meant: it is no name in an alphabet, and no spelling, of its own.
    pub deceptive: bool,
}

impl Odd {
    /// Whether this character is one that does not belong.
    #[must_use]
    pub fn has(&self, character: char) -> bool {
        self.signs.contains(&character) || self.letters.iter().any(|(letter, _)| *letter == character)
    }
}

/// How many letters are named at most.
const NAMED: usize = 8;

/// Adds what is not there, up to as many as are named.
pub(crate) fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if list.len() < NAMED && !list.contains(&item) {
        list.push(item);
    }
}

/// The letters, digits and signs of a name that are, or may be, taken for others.
///
/// These are: all but the Latin letters of a word that mixes alphabets, styled letters, Latin letters that look like
/// others, and words made of nothing but letters that have a Latin twin; with `latin` every word that is not Latin.
#[must_use]
pub fn odd(name: &str, latin: bool) -> Option<Odd> {
    if name.is_ascii() {
        return None;
    }
    let mut found = Odd { whole: true, letters: Vec::new(), signs: Vec::new(), deceptive: false };
    let (mut twins, mut foreign) = (false, false);
    let is_letter = |character: char| script(character).is_some();
    let is_alike = |letter: char| is_alike(letter, latin);
    // Digits, marks and letters that are not examined stand within words; all that is ASCII and no letter ends one.
    for word in name.split(|character: char| !is_letter(character) && character.is_ascii()) {
        // Styled digits are told along with styled letters, all others along with signs.
        let is_letter =
            |(letter, script): &(char, Script)| *script == Script::Styled || !is_candidate(*letter);
        let letters =
            || word.chars().filter_map(|character| Some((character, script(character)?))).filter(is_letter);
        let Some((_, first)) = letters().next().filter(|_| !word.is_ascii()) else { continue };
        let is_mixed = letters().any(|(letter, script)| script != first || is_alike(letter));
        let is_styled = first == Script::Styled;
        let is_foreign = first != Script::Latin;
        let has_twins = is_foreign && letters().all(|(letter, _)| TWINS.contains(letter));
        // Single letters are symbols or words, and others beside them tell which alphabet they are of.
        twins |= has_twins && letters().nth(1).is_some();
        foreign |= is_foreign && !has_twins && !is_mixed && !is_styled;
        if !(is_mixed || is_styled || has_twins || (latin && is_foreign)) {
            continue;
        }
        found.whole &= !is_mixed;
        letters()
            .filter(|(letter, script)| *script != Script::Latin || is_alike(*letter))
            .for_each(|letter| push(&mut found.letters, letter));
    }
    let (mut signs, leads) = search(name, false);
    if latin {
        signs = all_signs(name);
    }
    found.deceptive =
        is_deceptive(name, latin) || leads || (twins && !foreign) || deceive(name, latin, &signs);
    found.signs = signs.into_iter().filter(|sign| !found.has(*sign)).collect();
    (!found.letters.is_empty() || !found.signs.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script as Real};
    use icu_properties::{CodePointMapData, CodePointMapDataBorrowed};

    use super::*;

    #[test]
    fn r21_alphabets_are_those_of_unicode() {
        let scripts: CodePointMapDataBorrowed<'_, Real> = CodePointMapData::<Real>::new();
        let categories = CodePointMapData::<GeneralCategory>::new();
        let known = [
            (Script::Latin, Real::Latin),
            (Script::Greek, Real::Greek),
            (Script::Cyrillic, Real::Cyrillic),
            (Script::Armenian, Real::Armenian),
            (Script::Hebrew, Real::Hebrew),
            (Script::Arabic, Real::Arabic),
            (Script::Georgian, Real::Georgian),
            (Script::Cherokee, Real::Cherokee),
            (Script::Coptic, Real::Coptic),
            (Script::Lisu, Real::Lisu),
        ];
        for character in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let ours = script(character);
            if ours == Some(Script::Styled)
                || !GeneralCategoryGroup::Letter.contains(categories.get(character))
            {
                continue;
            }
            let real = known.iter().find(|(_, real)| *real == scripts.get(character)).map(|(ours, _)| *ours);
            assert_eq!(ours, real, "U+{:04X}", u32::from(character));
        }
        assert!(LETTERS.iter().zip(LETTERS.iter().skip(1)).all(|(one, next)| one.1 < next.0));
        assert!(TWINS.chars().all(|twin| script(twin).is_some_and(|script| script != Script::Latin)));
    }

    fn check(name: &str, latin: bool, whole: bool, letters: &str) {
        let odd = odd(name, latin).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(
            (odd.whole, odd.letters.iter().map(|(letter, _)| *letter).collect::<String>()),
            (whole, letters.to_owned()),
            "{name}"
        );
    }

    #[test]
    fn r21_words_of_mixed_alphabets_are_found_with_their_letters() {
        check("delete_filе", false, false, "е");
        check("раураl", false, false, "рау");
        check("gοοgle.com", false, false, "ο");
        check("/etc/раsswd", false, false, "ра");
        check("ａdmin", false, false, "ａ");
        check("𝐝elete", false, false, "𝐝");
        check("ѕсоре", false, true, "ѕсоре");
        check("файл", true, true, "файл");
    }

    #[test]
    fn r21_latin_letters_that_look_like_others_are_found() {
        let found = |name: &str, latin| {
            let odd = odd(name, latin)?;
            assert!(!odd.whole, "{name}");
            Some(odd.letters.into_iter().map(|(letter, _)| letter).collect::<String>())
        };
        for (name, letters) in [
            ("ɡet_file", "ɡ"),
            ("reɑd_file", "ɑ"),
            ("deɩete", "ɩ"),
            ("ﬁle_read", "ﬁ"),
            ("ᴅelete", "ᴅ"),
            ("ᴅᴇʟᴇᴛᴇ_ꜱ", "ᴅᴇʟᴛꜱ"),
            ("lıst_files", "ı"),
            ("ǃlist", "ǃ"),
            ("paſſ", "ſ"),
        ] {
            assert_eq!(found(name, true).as_deref(), Some(letters), "{name}");
        }
        assert_eq!(found("pɑth", false).as_deref(), Some("ɑ"));
        assert_eq!(found("ɡоod", false).as_deref(), Some("ɡо"));
        for written in ["kayıt_adı", "adı", "Azərbaycan", "Eʋegbe", "ɔkraman", "ǃXóõ", "größe"] {
            assert_eq!(found(written, false), None, "{written}");
        }
    }

    #[test]
    fn r21_digits_and_signs_of_names_are_found_once() {
        let signs = |name: &str, latin| {
            odd(name, latin).map(|odd| (odd.signs.into_iter().collect::<String>(), odd.letters.len()))
        };
        assert_eq!(signs("get‐file", true), Some(("‐".to_owned(), 0)));
        assert_eq!(signs("get_file٠", true), Some(("٠".to_owned(), 0)));
        assert_eq!(signs("reɑd‐file", true), Some(("‐".to_owned(), 1)));
        assert_eq!(signs("1０", false), Some((String::new(), 1)));
        assert_eq!(signs("limit٣", false), Some(("٣".to_owned(), 0)));
        assert_eq!(signs("1.٣", false), Some(("٣".to_owned(), 0)));
        assert_eq!(signs("dry_run–x", false), Some(("–".to_owned(), 0)));
    }

    #[test]
    fn r21_names_in_one_alphabet_are_left_alone() {
        for name in [
            "delete_file",
            "größe",
            "файл",
            "файл_name",
            "名前_name",
            "JSON形式",
            "κόσμος",
            "été2",
            "µm",
            "áb",
        ] {
            assert_eq!(odd(name, false), None, "{name}");
        }
        for name in ["delete_file", "größe", "名前"] {
            assert_eq!(odd(name, true), None, "{name}");
        }
    }
}
