//! What was changed in arguments: the fields that differ, each before and after.

mod lines;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::secret::{is_secret_place, masked_under, secrets_in_json};
use countersign_json::pointer::readable;
use countersign_json::{Change, Document, Limits, Value, diff};
use yew::prelude::*;

pub(crate) use lines::LineDiff;

use crate::controls::button;
use crate::edit::place::is_within;
use crate::edit::secret::{Secrets, schema_with_secrets};
use crate::fold::foldable;
use crate::node::{Tag, list, options};
use crate::piece::{Act, Piece, Stage};
use crate::text::name;

/// How many changes are drawn before a person asks for more.
const MOST: usize = 50;

/// How long a value may be and still have its differing middle pointed out, in bytes.
const SHORT: usize = 320;

/// The fields that differ between what the agent asked and what a person made of it.
#[derive(PartialEq)]
pub(crate) struct Changes {
    /// The exact arguments that the agent sent. Untrusted.
    pub before: Arc<str>,
    /// The arguments as they were edited. Untrusted, and possibly not JSON while someone types.
    pub after: Arc<str>,
    /// The schema of the arguments: it may call some of them secret. Untrusted.
    pub schema: Option<Arc<str>>,
    /// The places where something was typed behind a mask; absent: nobody knows any more, and where a secret stood nothing
    /// else is shown.
    pub held: Option<Vec<String>>,
}

impl Piece for Changes {
    /// How many more changes were asked for.
    type Memory = Cell<usize>;

    fn same(&self, other: &Changes) -> bool {
        self == other
    }

    fn draw(&self, more: &Cell<usize>, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let limits = Limits::default();
        let texts = (Document::parse(&self.before, &limits), Document::parse(&self.after, &limits));
        let (Ok(before), Ok(after)) = texts else {
            return head(messages.not_json());
        };
        let changes = diff(before.root(), after.root());
        if changes.is_empty() {
            let same = self.before == self.after;
            return head(if same { messages.nothing_differs() } else { messages.only_form_differs() });
        }
        let schema = schema_with_secrets(self.schema.as_deref());
        let secrets = Secrets::of(schema.as_ref());
        let shown = MOST + more.get();
        let mut rows = vec![head(messages.values_differ(changes.len()).into())];
        for change in changes.iter().take(shown) {
            let place = if change.after.is_some() { after.root() } else { before.root() };
            let pointer = change.pointer.as_str();
            let is_secret = |root| is_secret_place(root, pointer) || secrets.at(root, pointer);
            let secret = self.is_held(change) || is_secret(before.root()) || is_secret(after.root());
            rows.push(row(change, place, secret, stage));
        }
        let left = changes.len().saturating_sub(shown);
        if left > 0 {
            let label = messages.show_more(left.min(MOST), changes.len());
            rows.push(button("more", "cs-more", label.into(), stage, Act::More).html());
        }
        Tag::new("div", "cs-changes").part("changes").list(rows).html()
    }

    fn act(&self, more: &Cell<usize>, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        more.set(more.get() + MOST);
        true
    }
}

impl Changes {
    /// Whether what stands in this place was typed behind a mask, or may have been.
    fn is_held(&self, change: &Change) -> bool {
        let pointer = change.pointer.as_str();
        if let Some(held) = &self.held {
            return held.iter().any(|held| is_within(held, pointer) || is_within(pointer, held));
        }
        // The field had a mask because of what stood there. What took the place of a secret looks like none only to us.
        let secrets = |text: &Option<String>| text.as_deref().map_or(0, |text| secrets_in_json(text).len());
        change.after.is_some() && secrets(&change.before) > secrets(&change.after)
    }
}

fn head(text: AttrValue) -> Html {
    Tag::new("p", "cs-changes-head").words(text).html()
}

/// One field: its lines where it is text of several, else what it was and what it is.
fn row(change: &Change, root: Value<'_>, secret: bool, stage: &Rc<Stage>) -> Html {
    let path = readable(root, &change.pointer);
    let texts = [change.before.as_deref(), change.after.as_deref()];
    // What is compared is what differs, also behind masks.
    if let [Some(Some(before)), Some(Some(after))] = texts.map(|text| text.map(string))
        && (before.contains('\n') || after.contains('\n'))
        && !secret
    {
        let name = Tag::new("p", "cs-changes-name cs-code").child(foldable(&path, stage)).html();
        let diff = LineDiff { before: before.into(), after: after.into(), open: false };
        return list(vec![name, stage.place(diff)]);
    }
    let texts = texts.map(|text| text.map(|text| masked_under(secret, text)));
    let [before, after] = texts.each_ref().map(|text| text.as_deref());
    let lines = match (before, after) {
        (Some(before), Some(after)) if before.len().max(after.len()) <= SHORT => {
            let (before, after) = lines::middles(before, after);
            [Some(lines::parts(before)), Some(lines::parts(after))]
        }
        _ => [before, after].map(|text| text.map(|text| foldable(text, stage))),
    };
    let [before, after] = lines;
    let line = |tag, class, value: Option<Html>| {
        let value = value?;
        let separator = if path.is_empty() { "" } else { ": " };
        let path = Tag::new("span", "cs-path").part("key").child(name(&path, false)).words(separator).html();
        Some(Tag::new(tag, class).child(path).child(value).html())
    };
    options([
        line("del", "cs-line cs-removed cs-code", before),
        line("ins", "cs-line cs-added cs-code", after),
    ])
}

/// The content of a JSON text that is a string.
fn string(text: &str) -> Option<String> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    document.root().as_str().map(|text| text.into_owned())
}
