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
/// `decision-bar`, `approve-button`, `reject-button`, `undo-button`, `retry-button`, `progress`, `digest`. Of its forms:
/// `reason`, `reason-field`, `send-rejection-button`, `cancel-button`, `questions`, `question`, `answer-field`,
/// `answer-button`.
pub const STYLESHEET: &str = concat!(
    include_str!("tokens.css"),
    include_str!("controls.css"),
    include_str!("tool_call_card/tool_call_card.css"),
    include_str!("json_view/json_view.css"),
    include_str!("question_form/question_form.css"),
    include_str!("inbox_panel/inbox_panel.css"),
);
