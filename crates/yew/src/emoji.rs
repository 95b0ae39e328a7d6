//! Emoji that are made of several characters, some of them hidden.

/// The joiner between the parts of an emoji.
const JOINER: char = '\u{200D}';
/// What asks for the coloured form of the character before it.
const COLOURED: char = '\u{FE0F}';

/// The first emoji in a text that needs a hidden character: where it begins, and how long it is, in bytes.
///
/// A joiner counts only between two emoji, a variation selector only after one: anywhere else they stay visible.
pub(crate) fn find(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find(is_pictograph).map(|at| from + at) {
        let rest = text.get(at..)?;
        let length = sequence(rest);
        if rest.get(..length)?.contains([JOINER, COLOURED]) {
            return Some((at, length));
        }
        from = at + length;
    }
    None
}

/// How long the emoji at the start is.
fn sequence(text: &str) -> usize {
    let mut length = 0;
    let mut rest = text.chars().peekable();
    while let Some(part) = rest.next_if(|next| is_pictograph(*next)) {
        length += part.len_utf8();
        let follows = |next: &char| *next == COLOURED || matches!(*next, '\u{1F3FB}'..='\u{1F3FF}');
        if let Some(form) = rest.next_if(follows) {
            length += form.len_utf8();
        }
        let mut ahead = rest.clone();
        if ahead.next() != Some(JOINER) || !ahead.next().is_some_and(is_pictograph) {
            break;
        }
        rest.next();
        length += JOINER.len_utf8();
    }
    length
}

/// Whether a character can begin an emoji or a part of one.
///
/// Source: Unicode 17, `emoji-data.txt`, Extended_Pictographic; the few that stand alone below U+2600 are left out but
/// for those that are joined or coloured most.
fn is_pictograph(character: char) -> bool {
    matches!(
        u32::from(character),
        0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2194..=0x2199 | 0x231A..=0x231B | 0x23E9..=0x23F3 | 0x25B6 | 0x25C0
        | 0x2600..=0x2604 | 0x260E | 0x2611 | 0x2614 | 0x2618 | 0x261D | 0x2620 | 0x2622 | 0x2623 | 0x262E | 0x262F
        | 0x2638..=0x263A | 0x2640 | 0x2642 | 0x2660 | 0x2663 | 0x2665 | 0x2666 | 0x267B | 0x267E | 0x2692..=0x2697
        | 0x2699 | 0x269B | 0x269C | 0x26A0 | 0x26A1 | 0x26A7 | 0x2702 | 0x2705 | 0x2708..=0x270D | 0x2714 | 0x2716
        | 0x2728 | 0x2744 | 0x2757 | 0x2763 | 0x2764 | 0x27A1 | 0x2B05..=0x2B07 | 0x2B50 | 0x2B55
        | 0x1F300..=0x1F321 | 0x1F324..=0x1F393 | 0x1F399..=0x1F39B | 0x1F39E..=0x1F3F0 | 0x1F3F3..=0x1F3F5
        | 0x1F400..=0x1F4FD | 0x1F4FF..=0x1F53D | 0x1F574..=0x1F57A | 0x1F590 | 0x1F5A5 | 0x1F5A8 | 0x1F5FA..=0x1F64F
        | 0x1F680..=0x1F6C5 | 0x1F90C..=0x1F93A
        | 0x1F93C..=0x1F945 | 0x1F947..=0x1F9FF | 0x1FA70..=0x1FA7C
    )
}

#[cfg(test)]
mod tests {
    use icu_properties::CodePointSetData;
    use icu_properties::props::ExtendedPictographic;

    use super::*;

    #[test]
    fn r18_only_pictographs_begin_an_emoji() {
        let pictographs = CodePointSetData::new::<ExtendedPictographic>();
        for character in
            (0..=0x10_FFFF).filter_map(char::from_u32).filter(|character| is_pictograph(*character))
        {
            assert!(pictographs.contains(character), "U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn r18_a_joiner_belongs_to_an_emoji_only_between_two() {
        let family = "👩\u{200D}👩\u{200D}👧";
        assert_eq!(find(&["Hi ", family, "!"].concat()), Some((3, family.len())));
        assert_eq!(find("I ❤\u{FE0F} it"), Some((2, "❤\u{FE0F}".len())));
        assert_eq!(find("👍🏽\u{200D}a \u{200D}👧 \u{FE0F}"), None);
        assert_eq!(find("plain 🙂"), None);
    }
}
