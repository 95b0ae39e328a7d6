//! The form of a draft: rows of fields, drawn from its values and from the schema where there is one.

use std::cell::RefCell;
use std::rc::Rc;

use countersign_core::secret::secret_children;
use countersign_json::pointer::readable;
use countersign_json::{Kind, Value};
use countersign_schema::form::{Field, FieldKind, Form};
use yew::prelude::*;

use super::draft::{Draft, Typing};
use super::judge::Problem;
use super::kinds::{Picks, chosen, is_unclear};
use super::looks::Looks;
use super::place::{child, is_within, split};
use super::raw;
use super::row::Row;
use super::slot::Slot;
use super::words;
use crate::controls::button;
use crate::fold::spoken;
use crate::node::{Attribute, Tag, options, words as text};
use crate::piece::{Act, Stage, Step};

/// How deep values are drawn as fields; deeper ones are edited as JSON.
const DEPTH: usize = 10;
/// How many children of one value are drawn before a person asks for more.
pub(super) const PAGE: usize = 50;
/// From how many values on what is nested stands closed at first.
const MANY: usize = 120;

/// What a form is drawn from, and what comes of drawing it.
pub(super) struct Sketch<'s> {
    pub(super) form: &'s Form<'s>,
    pub(super) draft: &'s Draft,
    /// The value of the draft.
    pub(super) root: Value<'s>,
    /// The value as it came, where that can be read.
    pub(super) before: Option<Value<'s>>,
    pub(super) problems: &'s [Problem],
    /// The backend keeps members that are left out.
    pub(super) stays: bool,
    pub(super) stage: &'s Rc<Stage>,
    /// What makes ids unique.
    pub(super) id: &'s str,
    /// How many children are shown where a person said so; none: closed.
    pub(super) folds: &'s [(String, usize)],
    /// Places that are shown although they come later.
    pub(super) apart: &'s [String],
    /// The places whose secret is shown.
    pub(super) revealed: &'s [String],
    /// The object to which a member is being added, and its name so far.
    pub(super) naming: Option<&'s (String, String)>,
    /// The forms that were chosen.
    pub(super) picks: &'s Picks,
    /// Where something was typed last, and what.
    pub(super) spelt: &'s (String, String),
    /// What was found in long texts.
    pub(super) looks: &'s Looks,
    /// Values in the whole draft.
    pub(super) count: usize,
    pub(super) slots: RefCell<Vec<Slot>>,
}

/// Where a field stands among its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Spot<'s> {
    pub(super) pointer: &'s str,
    /// The key or the number; absent for the whole.
    pub(super) name: Option<&'s str>,
    pub(super) depth: usize,
    /// It stands in something that the schema calls secret.
    pub(super) secret: bool,
    pub(super) removable: bool,
    /// It would stay all the same.
    pub(super) stays: bool,
    /// Its number, and of how many, where the order can be changed.
    pub(super) item: Option<(usize, usize)>,
}

impl Sketch<'_> {
    /// The whole draft.
    pub(super) fn draw(&self, value: Value<'_>) -> Html {
        let field = self.form.root(Some(value));
        let spot = Spot {
            pointer: "",
            name: None,
            depth: 0,
            secret: false,
            removable: false,
            stays: false,
            item: None,
        };
        self.node(value, field, spot)
    }

    /// Remembers what can be done at a place; its number.
    pub(super) fn slot(&self, slot: Slot) -> usize {
        let mut slots = self.slots.borrow_mut();
        slots.push(slot);
        slots.len() - 1
    }

    /// The id of the element that a place is about.
    pub(super) fn id(&self, slot: usize, role: &str) -> AttrValue {
        id(self.id, slot, role)
    }

    /// A small button that does something to a place.
    pub(super) fn tool(&self, slot: usize, step: Step, label: AttrValue, name: &str) -> Html {
        self.tool_tag(slot, step, label, name).html()
    }

    /// That button, to be given more attributes.
    pub(super) fn tool_tag(&self, slot: usize, step: Step, label: AttrValue, name: &str) -> Tag {
        let name = self.stage.messages().act_on(&label, name);
        let shown = match step {
            Step::Reset => "↺",
            Step::Up => "↑",
            Step::Down => "↓",
            Step::Remove => "×",
            _ => "",
        };
        let (class, shown) = match shown {
            "" if step == Step::Json => ("cs-tool-button", AttrValue::Static("JSON")),
            "" => ("cs-tool-button", label),
            sign => ("cs-tool-button cs-tool-sign", AttrValue::Static(sign)),
        };
        button("edit-tool", class, shown, self.stage, Act::Change(slot, step))
            .text(Attribute::Id, self.id(slot, role(step)))
            .text(Attribute::Title, name.clone())
            .named(name)
    }

    /// The id of the sentence on members that stay.
    pub(super) fn why_it_stays(&self) -> AttrValue {
        ["cs-", self.id, "-stays"].concat().into()
    }

    /// What stood at a place when it came.
    pub(super) fn came(&self, pointer: &str) -> Option<Value<'_>> {
        self.before?.pointer(pointer)
    }

    /// Whether a value is another than the one that came.
    pub(super) fn differs(&self, pointer: &str, value: Value<'_>) -> bool {
        let loose = self.draft.loose().iter().any(|loose| is_within(&loose.pointer, pointer));
        loose || self.came(pointer).is_none_or(|came| came.text() != value.text())
    }

    /// The text of a value as it was typed, with the white space around it.
    pub(super) fn spelt<'t>(&'t self, pointer: &str, text: &'t str) -> &'t str {
        let (place, typed) = self.spelt;
        if place == pointer && typed.trim() == text { typed } else { text }
    }

    /// How a place is called.
    pub(super) fn name(&self, pointer: &str) -> String {
        let messages = self.stage.messages();
        if pointer.is_empty() {
            return messages.arguments().to_string();
        }
        spoken(&readable(self.root, pointer))
    }

    /// One value and everything in it.
    fn node(&self, value: Value<'_>, field: Field, spot: Spot<'_>) -> Html {
        let (forms, mut field) = chosen(field, value, spot.pointer, self.form, self.picks);
        field.kind = self.kind(&field, value);
        let mut row =
            Row { sketch: self, slot: 0, field: &field, spot, forms: &forms, value, unclear: false };
        let (kind, mut slot) = (&field.kind, Slot::at(spot.pointer));
        let piled = row.unpiled();
        let unclear = is_unclear(kind, value) || spot.depth >= DEPTH || piled.is_some();
        slot.typing = match kind {
            _ if unclear || self.draft.is_json(spot.pointer) => Typing::Json,
            FieldKind::Text { .. } => Typing::Words,
            FieldKind::Number { .. } => Typing::Number,
            _ => Typing::Json,
        };
        slot.blank = self.blank(&field, kind);
        slot.choices = match kind {
            FieldKind::Choice { values } => values.clone(),
            _ => Vec::new(),
        };
        let slot = self.slot(slot);
        (row.slot, row.unclear) = (slot, unclear);
        let loose = self.draft.loose_at(spot.pointer);
        if self.draft.is_json(spot.pointer) || (unclear && !spot.pointer.is_empty()) {
            let mask = if self.draft.is_json(spot.pointer) { None } else { row.mask() };
            let text = piled.as_deref().unwrap_or(value.text());
            return row.block(mask.unwrap_or_else(|| raw::editor(self, slot, text, loose, unclear)));
        }
        let unread = loose.filter(|loose| loose.typing == Typing::Json);
        let notice = unread.map(|_| raw::stale(self, slot, spot.pointer));
        let drawn = match &field.kind {
            FieldKind::Object { .. } | FieldKind::Array { .. } if !value.is_null() => self.container(row),
            _ => row.leaf(),
        };
        match notice {
            // What is drawn cannot be edited: it is only the last state that could be read.
            Some(notice) => {
                let drawn = Tag::new("fieldset", "cs-edit-stale").with(Attribute::Disabled, "").child(drawn);
                options([Some(notice), Some(drawn.html())])
            }
            None => drawn,
        }
    }

    /// The kind that is drawn: where anything is permitted, the value's own.
    fn kind(&self, field: &Field, value: Value<'_>) -> FieldKind {
        match &field.kind {
            FieldKind::Any | FieldKind::OneOf { .. } => Form::none().root(Some(value)).kind,
            kind => kind.clone(),
        }
    }

    fn blank(&self, field: &Field, kind: &FieldKind) -> String {
        let blank = self.form.blank(&field.node);
        match kind {
            FieldKind::Text { .. } if blank == "null" => "\"\"".to_owned(),
            FieldKind::Number { .. } if blank == "null" => "0".to_owned(),
            FieldKind::Boolean if blank == "null" => "false".to_owned(),
            _ => blank,
        }
    }

    /// A row with all that is in an object or an array.
    fn container(&self, row: Row<'_>) -> Html {
        let Row { slot, field, spot, value, .. } = row;
        let shown = self.shown(value, spot);
        if let Some(slot) = self.slots.borrow_mut().get_mut(slot) {
            slot.shown = shown;
        }
        if shown == 0 {
            return row.block(Html::default());
        }
        let is_shown = |index, place: &String| index < shown || self.apart.contains(place);
        let mut rows = Vec::new();
        let is_secret = secret_children(value);
        if value.is_array() {
            let count = value.len();
            for (index, item) in value.items().enumerate() {
                let number = index.to_string();
                let pointer = child(spot.pointer, &number);
                if !is_shown(index, &pointer) {
                    continue;
                }
                let shown = ["[", &number, "]"].concat();
                let removable = matches!(field.kind, FieldKind::Array { may_remove, .. } if may_remove);
                let inner = Spot {
                    pointer: &pointer,
                    name: Some(&shown),
                    depth: spot.depth + 1,
                    secret: spot.secret || field.secret || is_secret(None, index),
                    removable,
                    stays: false,
                    item: Some((index, count)),
                };
                rows.push(self.node(item, self.form.item(&field.node, index, Some(item)), inner));
            }
        } else {
            for (index, (key, member)) in value.members().enumerate() {
                let name = key.as_str_lossy().unwrap_or_default();
                let pointer = child(spot.pointer, &name);
                if !is_shown(index, &pointer) {
                    continue;
                }
                let described = self.form.member(&field.node, &name, Some(member));
                let inner = Spot {
                    pointer: &pointer,
                    name: Some(&name),
                    depth: spot.depth + 1,
                    secret: spot.secret || field.secret || is_secret(Some(&name), index),
                    removable: !described.required,
                    stays: self.stays && spot.depth == 0 && self.came(&pointer).is_some(),
                    item: None,
                };
                rows.push(self.node(member, described, inner));
            }
        }
        let left = value.len().saturating_sub(rows.len());
        let more = (left > 0).then(|| {
            let label = self.stage.messages().show_more(left.min(PAGE), value.len());
            button("more", "cs-more", label.into(), self.stage, Act::Change(slot, Step::More)).html()
        });
        let rows = Tag::new("div", "cs-edit-list").list(rows).html();
        let stays = (self.stays && spot.depth == 0).then(|| {
            let why = self.stage.messages().edit_members_stay();
            Tag::new("p", "cs-help").text(Attribute::Id, self.why_it_stays()).words(why).html()
        });
        let body = options([stays, Some(rows), more, self.additions(value, field, spot)]);
        row.block(body)
    }

    /// How many children are shown; none: it is closed.
    fn shown(&self, value: Value<'_>, spot: Spot<'_>) -> usize {
        let said = self.folds.iter().find(|(place, _)| place == spot.pointer).map(|(_, shown)| *shown);
        let at_first = if self.count > MANY && spot.depth > 0 && !value.is_empty() { 0 } else { PAGE };
        said.unwrap_or(at_first)
    }

    /// Whether a problem is told at this place: it is here, or what is missing belongs here.
    pub(super) fn is_told_at(&self, pointer: &str, problem: &Problem) -> bool {
        let missing = || self.root.pointer(&problem.pointer).is_none();
        problem.pointer == pointer || (split(&problem.pointer).0 == pointer && missing())
    }

    /// What is wrong at exactly this place, as elements, and what stands there; with the id by which a field refers to them.
    pub(super) fn faults(&self, slot: usize, pointer: &str, stands: Option<Html>) -> Option<Html> {
        let mut faults = Vec::new();
        for problem in self.problems.iter().filter(|problem| self.is_told_at(pointer, problem)) {
            let says = words::fault(&problem.fault, self.stage);
            faults.push(Tag::new("p", "cs-edit-fault").part("edit-problem").child(says).html());
        }
        (!faults.is_empty()).then(|| {
            faults.extend(stands);
            Tag::new("div", "").text(Attribute::Id, self.id(slot, "x")).list(faults).html()
        })
    }

    /// A count of what is in a value: "3 items".
    pub(super) fn size(&self, value: Value<'_>) -> Option<Html> {
        let messages = self.stage.messages();
        match value.kind() {
            Kind::Object => Some(text(messages.fields(value.len()))),
            Kind::Array => Some(text(messages.items(value.len()))),
            _ => None,
        }
    }
}

/// The id of the element that a place is about.
pub(super) fn id(form: &str, slot: usize, role: &str) -> AttrValue {
    ["cs-", form, "-", &slot.to_string(), role].concat().into()
}

/// How the id of a tool ends.
pub(super) fn role(step: Step) -> &'static str {
    match step {
        Step::Up => "u",
        Step::Down => "d",
        Step::Remove => "r",
        Step::Json | Step::Form => "j",
        Step::Add => "a",
        Step::Name => "n",
        Step::Reset => "o",
        Step::Reveal => "s",
        Step::Find | Step::Format => "f",
        Step::Drop => "c",
        _ => "t",
    }
}
