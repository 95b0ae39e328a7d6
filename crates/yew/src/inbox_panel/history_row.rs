//! One call that needs nobody any more, on a line.

use std::cell::Cell;
use std::rc::Rc;

use countersign_core::RequestView;
use yew::prelude::*;

use crate::controls::button;
use crate::fold::spoken_tool;
use crate::json_view::brief;
use crate::node::{Attribute, Tag, words};
use crate::piece::{Act, Piece, Stage};
use crate::status_badge::{elsewhere, heard, status_badge};
use crate::text::around;
use crate::tool_call_card::{card, digest, facts, same_view};

/// Tool, first argument, outcome; everything else on demand.
pub(super) struct HistoryRow {
    /// What to show.
    pub request: Rc<RequestView>,
}

impl Piece for HistoryRow {
    /// Whether it is open.
    type Memory = Cell<bool>;

    fn same(&self, other: &HistoryRow) -> bool {
        same_view(&self.request, &other.request)
    }

    fn draw(&self, open: &Cell<bool>, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let view = &*self.request;
        let tool = spoken_tool(view, messages);
        let status_badge = status_badge(view, None, messages);
        let details = button("toggle", "cs-toggle", AttrValue::default(), stage, Act::Toggle)
            .named(messages.act_on(&messages.details(), &tool))
            .text(Attribute::Title, messages.details())
            .truth(Attribute::Expanded, open.get());
        let name = Tag::new("span", "cs-past-name").child(facts::tool_name(view, stage).html()).optional(
            view.questions.is_none().then(|| {
                Tag::new("span", "cs-brief cs-code")
                    .part("brief")
                    .child(brief(&view.args_text, view.args_schema.as_deref(), messages))
                    .html()
            }),
        );
        let head = Tag::new("header", "cs-head")
            .part("header")
            .child(name.html())
            .child(facts::badges(view, &status_badge, stage))
            .child(details.html());
        let (why, body) = match open.get() {
            false => (why(view, stage), None),
            true => (None, Some(body(view, stage))),
        };
        card(view, "cs cs-card cs-past", heard(view, &tool, messages))
            .child(head.html())
            .optional(why.map(|why| Tag::new("p", "cs-why").part("why").child(why).html()))
            .optional(body)
            .html()
    }

    fn act(&self, open: &Cell<bool>, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        open.set(!open.get());
        true
    }
}

/// Why it ended as it did, for a line.
fn why(view: &RequestView, stage: &Stage) -> Option<Html> {
    let rule = view.rule.as_ref().filter(|_| view.automatic && view.error.is_none());
    if let Some(rule) = rule {
        return Some(facts::claimed(&stage.messages().decided_by_rule(), rule, stage));
    }
    match (&view.error, &view.reason) {
        (Some(error), _) => Some(around(&stage.messages().error(), facts::quoted(error, stage))),
        (None, Some(reason)) => Some(facts::quoted(reason, stage)),
        (None, None) => facts::reply(view, stage).or_else(|| {
            let messages = stage.messages();
            facts::ended(view, messages).or_else(|| elsewhere(view, messages)).map(words)
        }),
    }
}

/// Everything else.
fn body(view: &RequestView, stage: &Stage) -> Html {
    let decided = view.decided_by.map(|by| {
        let time = view.decided_at.map(|moment| stage.messages().moment(moment));
        let text = stage.messages().decided_by(by, time.as_deref());
        Tag::new("p", "cs-fact").part("decided-by").words(text).html()
    });
    Tag::new("div", "cs-past-body")
        .child(facts::origin(view, stage))
        .optional(decided)
        .child(facts::warnings(view, false, false, stage))
        .child(facts::arguments(view, false, stage))
        .child(facts::claims(view, stage))
        .child(facts::outcome(view, stage))
        .child(digest(view, stage).html())
        .html()
}
