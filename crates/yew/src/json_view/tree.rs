//! Rows drawn as nested definition lists.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use countersign_core::lookalike::odd;
use countersign_core::secret::{masked_under, secret_children, secrets_in};
use countersign_json::{Kind, Value};
use yew::prelude::*;

use super::asides::{asides, is_name, key_aside, level_aside};
use super::plan::{DEPTH, FIRST, MANY, MORE, Plan, TAIL, is_container, is_small};
use super::scroll::{CHUNK, Scroll};
use super::text::{is_code, pair, patch};
use crate::changes::LineDiff;
use crate::controls::button;
use crate::fold::{Room, foldable, foldable_name, folded};
use crate::mask::{maskable, secret};
use crate::node::{Attribute, Tag, list, options, words};
use crate::piece::{Act, Stage};
use crate::text::name;

/// From how many containers around them on rows stand in by less, and from how many on no further: they say how deep.
const DEEP: usize = 7;
const FLAT: usize = 15;

/// What rows are drawn with.
pub(super) struct Tree<'t> {
    /// Which rows.
    pub(super) plan: Plan,
    /// Where the lists that scroll are, by where their container begins in the text.
    pub(super) scrolls: &'t RefCell<Vec<(usize, Rc<Scroll>)>>,
    /// Secrets are shown.
    pub(super) revealed: bool,
    /// Where the values stand that the schema calls secret, in order.
    pub(super) called: &'t [Range<usize>],
    /// Where.
    pub(super) stage: &'t Rc<Stage>,
}

/// What a row stands under.
#[derive(Clone, Copy)]
struct RowContext<'k> {
    /// Its key; absent for an item.
    key: Option<&'k str>,
    /// A key on the way to it names a secret.
    secret: bool,
    /// How many containers stand around it.
    depth: usize,
    /// It stands in a list that scrolls.
    scrolls: bool,
}

impl Tree<'_> {
    /// The rows of a text; a lone value where it has none.
    pub(super) fn draw(&self, root: Value<'_>, empty: Option<&AttrValue>) -> Html {
        let row = RowContext { key: None, secret: self.is_called(root), depth: 0, scrolls: false };
        if is_container(root) {
            return self.rows(root, row).unwrap_or_default();
        }
        match empty {
            Some(text) if root.is_object() => Tag::new("p", "cs-none").words(text.clone()).html(),
            _ => Tag::new("div", "cs-lone cs-code").child(self.scalar(root, row)).html(),
        }
    }

    /// The rows of an open container. Calls itself at most [`DEPTH`] times.
    fn rows(&self, container: Value<'_>, row: RowContext<'_>) -> Option<Html> {
        let shown = self.shown(container, row)?;
        let length = container.len();
        if length > MANY {
            return Some(self.many(container, row));
        }
        let members = container.members().map(|(key, value)| (Some(key), value));
        let items = container.items().map(|value| (None, value));
        // Rows at the end stay in sight, and nothing is folded to spare less than a button needs.
        let tail = if shown + TAIL < length { length - TAIL } else { 0 };
        let mut rows = Vec::new();
        let is_secret = secret_children(container);
        for (at, (key, value)) in members.chain(items).enumerate() {
            if tail > 0 && at == shown {
                rows.push(self.more(container, shown, length));
            }
            if tail == 0 || at < shown || at >= tail {
                rows.push(self.row(key, at, value, row, &is_secret));
            }
        }
        if let Some((before, after)) =
            pair(container).filter(|_| !row.secret && !self.holds_called(container))
        {
            let name = Tag::new("dt", "cs-label").words(self.stage.messages().difference()).html();
            let (before, after) = (before.as_ref().into(), after.as_ref().into());
            let diff = self.stage.place(LineDiff { before, after, open: self.revealed });
            let diff = Tag::new("dd", "").child(diff).html();
            rows.push(Tag::new("div", "cs-row cs-row-wide").child(name).child(diff).html());
        }
        let class = match row.depth {
            ..DEEP => "cs-tree",
            DEEP..FLAT => "cs-tree cs-deep",
            FLAT.. => "cs-tree cs-flat",
        };
        Some(Tag::new("dl", class).list(rows).html())
    }

    /// Whether the schema calls this value secret.
    fn is_called(&self, value: Value<'_>) -> bool {
        self.called.binary_search_by_key(&value.span().start, |span| span.start).is_ok()
    }

    /// Whether the schema calls anything within this value secret.
    fn holds_called(&self, value: Value<'_>) -> bool {
        let span = value.span();
        self.called.iter().any(|called| span.contains(&called.start))
    }

    /// How many rows of a container are drawn; `None`: it is closed.
    fn shown(&self, container: Value<'_>, row: RowContext<'_>) -> Option<usize> {
        if !row.scrolls {
            return self.plan.rows(container);
        }
        let small = || if is_small(container) { container.len() } else { 0 };
        Some(self.plan.asked(container).unwrap_or_else(small)).filter(|rows| *rows > 0)
    }

    /// A container with many rows: a list that scrolls, how many rows are elsewhere, and the last ones, which stay in
    /// sight.
    fn many(&self, container: Value<'_>, row: RowContext<'_>) -> Html {
        let messages = self.stage.messages();
        let start = container.span().start;
        let of = container.len() - TAIL;
        let scroll = self.scroll(start, of);
        let row = RowContext { scrolls: true, ..row };
        let is_secret = secret_children(container);
        let part = |from: usize, until: usize| {
            let members = container.members().map(|(key, value)| (Some(key), value));
            let rows = members.chain(container.items().map(|value| (None, value)));
            let rows = rows.enumerate().skip(from).take(until - from);
            let rows = rows.map(|(at, (key, value))| self.row(key, at, value, row, &is_secret));
            Tag::new("dl", "cs-tree").list(rows.collect())
        };
        let gap = |key| Tag::new("div", "").key(key).html();
        let mut chunks = vec![gap(u32::MAX - 1)];
        for chunk in scroll.chunks() {
            let rows = part(chunk * CHUNK, of.min((chunk + 1) * CHUNK));
            chunks.push(rows.key(u32::try_from(chunk).unwrap_or_default()).html());
        }
        chunks.push(gap(u32::MAX));
        let (from, until) = scroll.rows();
        let window = messages.window_of(from + 1, until, of);
        let elsewhere = messages.rows_elsewhere(of - (until - from));
        let list = Tag::new("div", "cs-rows")
            .part("rows")
            .text(Attribute::Key, start.to_string())
            .with(Attribute::TabIndex, "0")
            .with(Attribute::Role, "group")
            .text(Attribute::Label, window.clone())
            .on(self.stage, Act::Scroll(start))
            .list(chunks);
        let about = Tag::new("p", "cs-help")
            .part("rows-elsewhere")
            // Our words, within what is read as code is.
            .with(Attribute::Dir, "auto")
            .words(window)
            .words(messages.separator())
            .words(elsewhere);
        Tag::new("div", "cs-many")
            .child(list.html())
            .child(about.html())
            .child(part(of, of + TAIL).html())
            .html()
    }

    fn scroll(&self, start: usize, of: usize) -> Rc<Scroll> {
        let mut known = self.scrolls.borrow_mut();
        if let Some((_, scroll)) = known.iter().find(|(place, _)| *place == start) {
            return Rc::clone(scroll);
        }
        let scroll = Rc::new(Scroll::new(of));
        known.push((start, Rc::clone(&scroll)));
        scroll
    }

    /// The button for the rows that are left out.
    fn more(&self, container: Value<'_>, shown: usize, length: usize) -> Html {
        let left = length - shown - TAIL;
        let label = self.stage.messages().show_more(left.min(MORE), length);
        let act = Act::Rows(container.span().start, shown + MORE);
        let more = button("more", "cs-more", label.into(), self.stage, act).html();
        Tag::new("div", "cs-row cs-row-more").child(Tag::new("dd", "").child(more).html()).html()
    }

    fn row(
        &self,
        key: Option<Value<'_>>,
        at: usize,
        value: Value<'_>,
        around: RowContext<'_>,
        is_secret: &dyn Fn(Option<&str>, usize) -> bool,
    ) -> Html {
        let key = key.map(|key| key.as_str_lossy().unwrap_or(Cow::Borrowed(key.text())));
        let row = RowContext {
            key: key.as_deref(),
            secret: around.secret || is_secret(key.as_deref(), at) || self.is_called(value),
            depth: around.depth + 1,
            scrolls: around.scrolls,
        };
        let shown = match row.key {
            Some(key) => foldable_name(key, false, self.stage),
            None => words(["[", &at.to_string(), "]"].concat()),
        };
        let nested = is_container(value);
        let level = (row.depth >= FLAT).then(|| level_aside(row.depth, self.stage));
        let told = row.key.and_then(|key| key_aside(key, self.stage));
        let told = (level.is_some() || told.is_some()).then(|| options([level, told]));
        let content = match nested {
            true => self.container(value, row, told),
            false => options([Some(self.scalar(value, row)), told]),
        };
        let class = match row.key {
            _ if nested => "cs-row cs-row-nested",
            Some(_) => "cs-row",
            None => "cs-row cs-row-item",
        };
        let name = Tag::new("dt", "cs-code").part("key").child(shown).html();
        let value = Tag::new("dd", "cs-code").part("value").child(content).html();
        Tag::new("div", class).child(name).child(value).html()
    }

    /// A container within another: its size, what is told of its key, and its rows unless it is closed.
    fn container(&self, value: Value<'_>, row: RowContext<'_>, told: Option<Html>) -> Html {
        let text =
            |named| if self.revealed { value.text().into() } else { masked_under(named, value.text()) };
        if row.depth >= DEPTH {
            let text = text(row.secret || self.holds_called(value));
            return options([told, Some(folded(&text, DEPTH, self.stage))]);
        }
        let count = value.len();
        let messages = self.stage.messages();
        let size = if value.is_object() { messages.fields(count) } else { messages.items(count) };
        let rows = self.rows(value, row);
        let asked = self.plan.asked(value).is_some();
        let size = if rows.is_some() && !asked {
            Tag::new("span", "cs-size").words(size).html()
        } else {
            let next = if rows.is_some() { 0 } else { FIRST };
            button("toggle", "cs-toggle", size.into(), self.stage, Act::Rows(value.span().start, next))
                .truth(Attribute::Expanded, rows.is_some())
                .html()
        };
        let closed = (rows.is_none() && !asked && !self.holds_called(value)).then(|| {
            let text = foldable(&text(row.secret), self.stage);
            Tag::new("span", "").part("closed").words(" ").child(text).html()
        });
        options([Some(size), told, closed, rows])
    }

    /// A value without rows of its own: numbers and words as they came, strings unescaped between quotes.
    fn scalar(&self, value: Value<'_>, row: RowContext<'_>) -> Html {
        let class = match value.kind() {
            Kind::String => "cs-string",
            Kind::Number => "cs-number",
            _ => "cs-word",
        };
        let text = |text: &str| {
            let text = maskable(text, false, self.revealed, Room::VALUE, self.stage);
            Tag::new("span", class).child(text).html()
        };
        let hides = row.secret && !self.revealed;
        let Some(content) = value.as_str() else {
            return match hides && value.kind() == Kind::Number {
                true => secret(value.text(), None, class, self.stage),
                false => text(value.text()),
            };
        };
        if hides && !content.is_empty() {
            return secret(&content, row.key, class, self.stage);
        }
        let is_odd = |text: &str| is_name(row.key, text) && odd(text, false).is_some();
        let drawn = match row.key {
            _ if is_odd(&content) && secrets_in(&content).is_empty() => {
                Some(Tag::new("span", class).child(name(&content, false)).html())
            }
            Some(key) if is_code(key, &content) => {
                let code = maskable(&content, false, self.revealed, Room::CODE, self.stage);
                Some(Tag::new("pre", "cs-block cs-code").part("code").child(code).html())
            }
            Some(key) => patch(key, &content, self.stage),
            None => None,
        };
        let drawn = drawn.unwrap_or_else(|| text(&content));
        let asides = asides(row.key, &content, self.stage);
        if asides.is_empty() { drawn } else { options([Some(drawn), Some(list(asides))]) }
    }
}
