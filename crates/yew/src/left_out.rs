//! Calls that are not approved together with others, and why each is not.

use std::rc::Rc;

use countersign_core::RequestView;
use yew::prelude::*;

use crate::messages::LeftOut;
use crate::node::{Tag, list};
use crate::piece::Stage;
use crate::tool_call_card::facts;

/// How many of them are drawn; the others are counted.
const MOST: usize = 20;

/// The calls that are left out, by name; nothing where there are none.
pub(crate) fn left_out(calls: &[(Rc<RequestView>, LeftOut)], stage: &Stage) -> Html {
    if calls.is_empty() {
        return Html::default();
    }
    let messages = stage.messages();
    let mut rows = Vec::new();
    for (view, why) in calls.iter().take(MOST) {
        rows.push(
            Tag::new("li", "cs-review-row cs-left-out")
                .part("left-out")
                .child(facts::tool_name(view, stage).html())
                .child(Tag::new("span", "cs-review-why").words(messages.left_out(*why)).html())
                .html(),
        );
    }
    if let Some(others) = calls.len().checked_sub(MOST).filter(|others| *others > 0) {
        rows.push(Tag::new("li", "cs-review-row cs-left-out").words(messages.more(others)).html());
    }
    list(vec![
        Tag::new("h3", "cs-heading").words(messages.left_out_title(calls.len())).html(),
        Tag::new("ul", "cs-review").list(rows).html(),
    ])
}
