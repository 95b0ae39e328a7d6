//! Which characters cannot be seen as what they are.

/// Whether a character is invisible, changes the direction of its neighbours, or has no agreed look.
///
/// These are: control characters except tab and line feed (Cc), format characters (Cf), line and paragraph
/// separators (Zl, Zp), spaces other than U+0020 (Zs), the other default-ignorable code points, noncharacters, and
/// private use; and the symbols without ink: U+2800, and U+FFFC, which stands for an object that no text holds.
///
/// Source: Unicode 17, `DerivedGeneralCategory.txt` and `DerivedCoreProperties.txt`.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    // Almost all text ends here.
    if matches!(character, ' '..='~' | '\t' | '\n') {
        return false;
    }
    matches!(
        u32::from(character),
        // Cc.
        0x00..=0x1F | 0x7F..=0x9F
        // Cf, in the order of the code points.
        | 0xAD | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2 | 0x200B..=0x200F | 0x202A..=0x202E
        | 0xFFF9..=0xFFFB | 0x110BD | 0x110CD | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        // Zs, Zl, Zp; U+2065 and U+2064 to U+206F belong to the format characters around them.
        | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028..=0x2029 | 0x202F | 0x205F..=0x206F | 0x3000
        | 0x2800 | 0xFFFC
        // Default-ignorable: joiners, fillers, variation selectors, tags.
        | 0x34F | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0
        | 0xFFF0..=0xFFF8 | 0xE0000..=0xE0FFF
        // Noncharacters; those at the end of each plane are below.
        | 0xFDD0..=0xFDEF
        // Private use.
        | 0xE000..=0xF8FF | 0xF0000..=0x10FFFF
    ) || u32::from(character) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r18_every_class_of_the_escape_set_is_hidden() {
        let hidden = [
            0x00, 0x0D, 0x1B, 0x7F, 0x9F, 0xA0, 0xAD, 0x34F, 0x600, 0x605, 0x61C, 0x6DD, 0x70F, 0x115F,
            0x1160, 0x1680, 0x17B4, 0x180B, 0x180E, 0x180F, 0x2000, 0x200A, 0x200B, 0x200F, 0x2028, 0x2029,
            0x202A, 0x202E, 0x202F, 0x205F, 0x2060, 0x2064, 0x2066, 0x206F, 0x3000, 0x3164, 0xE000, 0xF8FF,
            0xFDD0, 0xFDEF, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFB, 0xFFFC, 0xFFFE, 0xFFFF, 0x1BCA0,
            0x1D173, 0x1D17A, 0x1FFFE, 0xE0001, 0xE007F, 0xE0100, 0xE01EF, 0xF0000, 0x10FFFF,
        ];
        for code in hidden {
            let character = char::from_u32(code).expect("a scalar value");
            assert!(is_hidden(character), "U+{code:04X}");
        }
    }

    #[test]
    fn r18_the_escape_set_is_exactly_that_of_unicode() {
        use icu_properties::props::{
            DefaultIgnorableCodePoint, GeneralCategory as Category, NoncharacterCodePoint,
        };
        use icu_properties::{CodePointMapData, CodePointSetData};
        let categories = CodePointMapData::<Category>::new();
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let noncharacters = CodePointSetData::new::<NoncharacterCodePoint>();
        for character in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let of_category = match categories.get(character) {
                Category::Control => !matches!(character, '\t' | '\n'),
                Category::SpaceSeparator => character != ' ',
                Category::Format
                | Category::LineSeparator
                | Category::ParagraphSeparator
                | Category::PrivateUse => true,
                _ => false,
            };
            // Symbols (So), but browsers leave their place white: the object of U+FFFC is never there.
            let is_blank = matches!(character, '\u{2800}' | '\u{FFFC}');
            let expected =
                of_category || is_blank || ignorable.contains(character) || noncharacters.contains(character);
            assert_eq!(is_hidden(character), expected, "U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn r18_what_can_be_seen_is_left_alone() {
        for character in "\t\n aZ~éß€→…“”–漢字кириллицаעבריתالعربية\u{301}🙂𝔸\u{FFFD}".chars()
        {
            assert!(!is_hidden(character), "U+{:04X}", u32::from(character));
        }
    }
}
