//! The look.

/// The stylesheet of all components.
///
/// # Shape
/// Every colour, font and measure is a custom property `--countersign-…` on `:host`, and on the class `countersign` for
/// pages that draw the components without a shadow root: `surface`, `sunken`, `line`, `line-strong`, `control-line`,
/// `ink`, `ink-soft`, `ink-faint`, `accent`, `accent-strong`, `accent-soft`, `on-accent`, `attention`, `attention-soft`,
/// `attention-line`, `danger`, `danger-strong`, `danger-soft`, `danger-line`, `on-danger`, `number`, `string`, `word`,
/// `font`, `mono`, `size`, `gap`, `pad`, `radius`, `control-radius`, `control-height`, `shadow`, and `sticky`, the
/// distance that the batch bar keeps from the top. `data-theme="light"` or `"dark"` on the same element overrides the
/// person's system.
///
/// Parts of the panel: `inbox`, `live`, `batch-bar`, `approve-all-button`, `reject-all-button`, `empty`, `waiting`,
/// `heading`, `history`, `more`. Of a card: `card`, `header`, `tool-name`, `origin`, `badge`, `brief`, `why`, `note`,
/// `arguments`, `result`, `view-button`, `key`, `value`, `raw`, `escape`, `fold`, `toggle`, `claim`, `given-reason`, `answers`,
/// `decision-bar`, `approve-button`, `reject-button`, `always-button`, `undo-button`, `retry-button`, `progress`, `digest`. Of its forms:
/// `reason`, `reason-field`, `send-rejection-button`, `cancel-button`, `questions`, `question`, `answer-field`,
/// `answer-button`.
pub const STYLESHEET: &str = include_str!(concat!(env!("OUT_DIR"), "/stylesheet.css"));

#[cfg(test)]
#[path = "../minify.rs"]
mod minify;

#[cfg(test)]
mod tests {
    use super::STYLESHEET;
    use super::minify::minify;

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
}
