//! What must be known of a language: which form of a text goes with a number, and in which direction it is read.

/// Which form of a text goes with a number: the categories of the CLDR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    Zero,
    One,
    Two,
    Few,
    Many,
    Other,
}

impl Category {
    pub(super) const ALL: [Category; 6] =
        [Category::Zero, Category::One, Category::Two, Category::Few, Category::Many, Category::Other];

    /// The category as catalogues spell it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Category::Zero => "zero",
            Category::One => "one",
            Category::Two => "two",
            Category::Few => "few",
            Category::Many => "many",
            Category::Other => "other",
        }
    }
}

/// The language of a BCP 47 tag: what stands before the first hyphen, in lower case.
fn language(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}

/// How a language chooses the form that goes with a number.
///
/// Source: CLDR 48, `plurals.xml`, the cardinal rules for whole numbers. A form that only millions have in some Romance
/// languages is not told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rule {
    /// One and all others. So go the languages that have no rule here.
    #[default]
    English,
    /// No forms at all.
    Chinese,
    /// None goes as one.
    French,
    Russian,
    Serbian,
    Czech,
    Polish,
    Romanian,
    Hebrew,
    Arabic,
}

/// The languages of the rules that are not the English one.
const LANGUAGES: [(Rule, &str); 9] = [
    (Rule::Chinese, "id ja ko lo ms my th vi yue zh"),
    (Rule::French, "am bn fa fr gu hi hy kn mr pt zu"),
    (Rule::Russian, "be ru uk"),
    (Rule::Serbian, "bs hr sr"),
    (Rule::Czech, "cs sk"),
    (Rule::Polish, "pl"),
    (Rule::Romanian, "ro"),
    (Rule::Hebrew, "he iw"),
    (Rule::Arabic, "ar"),
];

impl Rule {
    /// The rule of the language of this tag.
    pub(super) fn of(tag: &str) -> Rule {
        let language = language(tag);
        let known = LANGUAGES.iter().find(|(_, tags)| tags.split(' ').any(|tag| tag == language));
        known.map(|(rule, _)| *rule).unwrap_or_default()
    }

    /// Which form goes with this whole number.
    pub(super) fn category(self, count: u64) -> Category {
        let (ten, hundred) = (count % 10, count % 100);
        let teens = (11..=14).contains(&hundred);
        let few = (2..=4).contains(&ten) && !teens;
        match (self, count) {
            (Rule::Chinese, _) => Category::Other,
            (Rule::Arabic, 0) => Category::Zero,
            (Rule::French, 0) => Category::One,
            (Rule::Russian | Rule::Serbian, _) if ten == 1 && !teens => Category::One,
            (Rule::Russian | Rule::Serbian, _) if few => Category::Few,
            (Rule::Russian, _) => Category::Many,
            (Rule::Serbian, _) => Category::Other,
            (_, 1) => Category::One,
            (Rule::Hebrew | Rule::Arabic, 2) => Category::Two,
            (Rule::Czech, 2..=4) => Category::Few,
            (Rule::Polish, _) if few => Category::Few,
            (Rule::Polish, _) => Category::Many,
            (Rule::Romanian, _) if count == 0 || (1..=19).contains(&hundred) => Category::Few,
            (Rule::Arabic, _) if (3..=10).contains(&hundred) => Category::Few,
            (Rule::Arabic, _) if hundred > 10 => Category::Many,
            _ => Category::Other,
        }
    }
}

/// Whether the language of this tag is read from right to left: by its script, where the tag names one.
pub(super) fn is_right_to_left(tag: &str) -> bool {
    let script = tag.split(['-', '_']).nth(1).filter(|script| script.len() == 4);
    let (known, name) = match script {
        Some(script) => ("arab hebr thaa syrc nkoo rohg", script.to_ascii_lowercase()),
        None => ("ar ckb dv fa he iw ps sd syr ug ur yi", language(tag)),
    };
    known.split(' ').any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line a language: the tag, and for some numbers the category, as `Intl.PluralRules` of a browser gives them.
    const KNOWN: &str = include_str!("plurals.txt");

    #[test]
    fn numbers_go_with_the_forms_that_browsers_choose() {
        let mut lines = 0;
        for line in KNOWN.lines() {
            let mut words = line.split(' ');
            let tag = words.next().expect("a tag");
            for word in words {
                let (number, expected) = word.split_once('=').expect("a number and its category");
                let number = number.parse().expect("a number");
                assert_eq!(Rule::of(tag).category(number).as_str(), expected, "{number} in {tag}");
                lines += 1;
            }
        }
        assert!(lines > 1_000);
    }

    #[test]
    fn a_region_and_a_script_do_not_change_the_form() {
        for tag in ["ar-EG", "AR", "ar_SA", "ar-Arab-EG"] {
            assert_eq!(Rule::of(tag).category(2), Category::Two, "{tag}");
        }
        assert_eq!(Rule::of("tlh").category(1), Category::One);
        assert_eq!(Rule::of("").category(7), Category::Other);
    }

    #[test]
    fn the_direction_follows_the_script_and_else_the_language() {
        for tag in ["ar", "ar-EG", "he", "fa-IR", "ur", "az-Arab", "pa-Arab-PK"] {
            assert!(is_right_to_left(tag), "{tag}");
        }
        for tag in ["en", "de-AT", "zh-Hans", "ar-Latn", "", "-"] {
            assert!(!is_right_to_left(tag), "{tag}");
        }
    }
}
