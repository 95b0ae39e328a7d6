//! What people have allowed, each with a button that takes it back.

use std::cell::Cell;
use std::rc::Rc;

use countersign_core::GrantView;
use yew::prelude::*;

use crate::controls::button;
use crate::escapes::escaped;
use crate::grant_dialog::facts::facts;
use crate::intent::Intent;
use crate::node::{Attribute, Tag, list, options};
use crate::piece::{Act, Piece, Stage};

/// How many grants are drawn before a person asks for more.
const PAGE: usize = 20;

/// A list behind a button; nothing where nothing was ever granted.
pub(crate) struct GrantList {
    /// What was granted, oldest first.
    pub grants: Rc<[GrantView]>,
    /// A person asked for something.
    pub on_intent: Callback<Intent>,
    /// Stands open, without a button.
    pub open: bool,
}

/// How it is looked at.
#[derive(Default)]
pub(crate) struct Looked {
    open: Cell<bool>,
    more: Cell<usize>,
}

impl Piece for GrantList {
    type Memory = Looked;

    fn same(&self, other: &GrantList) -> bool {
        self.grants == other.grants && self.on_intent == other.on_intent && self.open == other.open
    }

    fn draw(&self, looked: &Looked, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        if self.grants.is_empty() {
            return Html::default();
        }
        let open = self.open || looked.open.get();
        let count = self.grants.iter().filter(|grant| grant.in_force).count();
        let label: AttrValue = messages.grants_in_force(count).into();
        let head = match self.open {
            true => Tag::new("h3", "cs-heading").part("heading").words(label.clone()).html(),
            false => button("toggle", "cs-toggle", label.clone(), stage, Act::Toggle)
                .truth(Attribute::Expanded, open)
                .html(),
        };
        // An inbox on the same page may list the same: each region has a name of its own.
        let name = match self.open {
            true => [&*messages.policy(), &messages.separator(), &label].concat().into(),
            false => label.clone(),
        };
        let shown = PAGE + looked.more.get();
        let mut room = if open { shown } else { 0 };
        let mut parts = Vec::new();
        // What counts comes first, of that what was granted last; the place in the list stays its own.
        let headings = [None, Some(messages.grants_taken_back()), Some(messages.grant_is_over())];
        for (state, heading) in headings.into_iter().enumerate() {
            let grants = self.grants.iter().enumerate().rev();
            let grants = grants.filter(|(_, grant)| state == state_of(grant)).take(room);
            let rows: Vec<Html> = grants.map(|(at, grant)| row(at, grant, stage)).collect();
            room -= rows.len();
            if !rows.is_empty() {
                let heading =
                    heading.map(|text| Tag::new("h3", "cs-heading").part("heading").words(text).html());
                let rows = Tag::new("ul", "cs-list").list(rows).html();
                parts.push(options([heading, Some(rows)]));
            }
        }
        let left = self.grants.len().saturating_sub(shown);
        let more = (open && left > 0).then(|| {
            let label = messages.show_more(left.min(PAGE), self.grants.len());
            button("more", "cs-more", label.into(), stage, Act::More).html()
        });
        Tag::new("section", "cs-grants")
            .part("grants")
            .with(Attribute::TabIndex, "-1")
            .at(stage.root())
            .text(Attribute::Label, name)
            .child(head)
            .list(parts)
            .optional(more)
            .html()
    }

    fn act(&self, looked: &Looked, stage: &Rc<Stage>, act: &Act, _: Option<&Event>) -> bool {
        match act {
            Act::Revoke(at) => {
                if let Some(grant) = self.grants.get(*at) {
                    self.on_intent.emit(Intent::Revoke(grant.id.clone()));
                    // The button goes, and the focus must not go with it.
                    stage.focus(None);
                }
            }
            Act::More => looked.more.set(looked.more.get() + PAGE),
            _ => looked.open.set(!looked.open.get()),
        }
        true
    }
}

/// Whether a grant counts, was taken back, or is over.
fn state_of(grant: &GrantView) -> usize {
    match grant.revoked_at {
        _ if grant.in_force => 0,
        Some(_) => 1,
        None => 2,
    }
}

/// One grant: what it says, and the button or how it ended.
fn row(at: usize, grant: &GrantView, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    let about = grant.tool.as_deref().map_or_else(|| messages.grant_any_tool().to_string(), escaped);
    let end = match (grant.in_force, grant.revoked_at) {
        (true, _) => {
            button("revoke-button", "cs-button cs-refuse", messages.revoke(), stage, Act::Revoke(at))
                .named(messages.act_on(&messages.revoke(), &about))
                .html()
        }
        (false, Some(moment)) => ended(messages.revoked_at(&messages.moment(moment))),
        (false, None) => ended(messages.grant_is_over().to_string()),
    };
    let id = Tag::new("p", "cs-help")
        .words(messages.granted_at(&messages.moment(grant.created_at)))
        .words(messages.separator())
        .child(Tag::new("code", "cs-code").words(escaped(&grant.id)).html());
    Tag::new("li", "cs-granted")
        .part("granted")
        .key(u32::try_from(at).unwrap_or(u32::MAX))
        .when(!grant.in_force, Attribute::Held, "")
        .child(list(vec![facts(grant, None, stage), id.html(), end]))
        .html()
}

fn ended(text: String) -> Html {
    Tag::new("p", "cs-help").words(text).html()
}
