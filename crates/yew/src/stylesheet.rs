//! The look.

/// The stylesheet of all components.
///
/// # Shape
/// Every colour, font and measure is a custom property `--countersign-…` on `:host`, and on the class `countersign` for
/// pages that draw the components without a shadow root. `data-theme="light"` or `"dark"` on the same element overrides
/// the page's `color-scheme`, `data-density="compact"` takes room away. `www/docs/theming.md` lists all of it, and the parts.
pub const STYLESHEET: &str = concat!(
    include_str!(concat!(env!("OUT_DIR"), "/stylesheet.css")),
    include_str!(concat!(env!("OUT_DIR"), "/editing.css"))
);

/// What of it every page needs.
pub(crate) const FIRST: &str = include_str!(concat!(env!("OUT_DIR"), "/stylesheet.css"));

/// The rest, which is needed only where arguments are edited.
pub(crate) const EDITING: &str = include_str!(concat!(env!("OUT_DIR"), "/editing.css"));

#[cfg(test)]
#[path = "../minify.rs"]
mod minify;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::minify::minify;
    use super::{EDITING, FIRST, STYLESHEET};

    #[test]
    fn what_only_people_read_is_left_out() {
        let source = "/* One. */\n.a,\n.b > c {\n  margin: 0 auto;\n  color: red;\n}\n\n@media (width: 1px) {\n  i { top: 0; }\n}\n";
        assert_eq!(minify(source), ".a,.b>c{margin:0 auto;color:red}@media (width:1px){i{top:0}}");
    }

    #[test]
    fn spaces_that_mean_something_stay() {
        assert_eq!(
            minify(".a :is(p, i)::before { width: calc(1px + 2px) }"),
            ".a :is(p,i)::before{width:calc(1px + 2px)}"
        );
        assert_eq!(minify("a/* */b { x: 1 }"), "a b{x:1}");
    }

    #[test]
    fn quoted_text_stays_as_it_is() {
        let source = r#"i{content:"\"  ; /* } ";font:"A  B"}"#;
        assert_eq!(minify(source), source);
    }

    #[test]
    fn the_stylesheet_has_every_sheet_and_no_line_break() {
        assert!(!STYLESHEET.contains(['\n', '\t']) && !STYLESHEET.contains("/*"));
        for class in [":host", ".cs-button", ".cs-card", ".cs-json", ".cs-question", ".cs-inbox"] {
            assert!(STYLESHEET.contains(class), "{class}");
        }
        assert_eq!(STYLESHEET.matches('{').count(), STYLESHEET.matches('}').count());
    }

    #[test]
    fn what_editing_needs_follows_the_rest_and_is_needed_nowhere_else() {
        assert_eq!(STYLESHEET, [FIRST, EDITING].concat());
        assert!(FIRST.ends_with('}') && EDITING.contains(".cs-edit-row"), "{EDITING}");
        // The form of a reason has these without a dialog.
        for shared in [".cs-preset", ".cs-room", ".cs-field"] {
            assert!(FIRST.contains(shared) && !EDITING.contains(shared), "{shared}");
        }
    }

    const GUIDE: &str = include_str!("../../../www/docs/theming.md");

    #[test]
    fn the_guide_lists_every_custom_property_and_no_other() {
        let tokens = include_str!("tokens.css");
        let declared: BTreeSet<&str> = tokens
            .lines()
            .filter_map(|line| line.trim().strip_prefix("--countersign-")?.split_once(':'))
            .map(|(name, _)| name)
            .collect();
        let listed = GUIDE.lines().filter_map(|line| line.strip_prefix("| `--countersign-")?.split_once('`'));
        assert_eq!(listed.map(|(name, _)| name).collect::<BTreeSet<&str>>(), declared);
        for used in
            STYLESHEET.split("var(--countersign-").skip(1).filter_map(|rest| rest.split_once([')', ',']))
        {
            assert!(declared.contains(used.0), "{}", used.0);
        }
    }

    #[test]
    fn r48_the_stylesheet_knows_no_left_and_right() {
        for physical in [
            "margin-left",
            "margin-right",
            "padding-left",
            "padding-right",
            "text-align:left",
            "text-align:right",
            "float:left",
            "float:right",
        ] {
            assert!(!STYLESHEET.contains(physical), "{physical}");
        }
        // Places in a line are logical too; `right` and `left` stand in names of such properties only.
        assert!(
            !STYLESHEET.contains(";left:")
                && !STYLESHEET.contains(";right:")
                && !STYLESHEET.contains("{left:")
        );
    }
}
