//! One row of a form: the name, the field or what it holds, and what may be done to it.

use countersign_core::secret::{names_secret, secrets_in};
use countersign_json::{Kind, Value, edit};
use countersign_schema::form::{Field, FieldKind, Format};
use yew::prelude::*;

use super::draft::Typing;
use super::place::child;
use super::sketch::{Sketch, Spot};
use super::slot::Slot;
use super::words;
use crate::escapes::{escaped, is_hidden};
use crate::node::{Attribute, Tag, options, words as text};
use crate::piece::{Act, Step};
use crate::text::{around, visible};

/// Forms of which a value has one.
pub(super) struct Forms {
    pub(super) branches: Vec<Field>,
    pub(super) chosen: Option<usize>,
}

/// A row with one field.
pub(super) fn leaf(
    sketch: &Sketch<'_>,
    slot: usize,
    field: &Field,
    spot: Spot<'_>,
    forms: &[Forms],
    value: Value<'_>,
) -> Html {
    let (control, shown) = control(sketch, slot, field, spot, value);
    let hidden = shown.as_ref().is_some_and(|shown| shown.chars().any(|it| is_hidden(it) && it != '\n'));
    let hidden = shown.filter(|_| hidden).map(|shown| {
        let seen = Tag::new("span", "cs-code").child(visible(&shown)).html();
        Tag::new("p", "cs-edit-hidden").child(around(&sketch.stage.messages().edit_hidden(), seen)).html()
    });
    let body = options([Some(control), hidden]);
    frame(sketch, slot, field, spot, forms, body, value, false)
}

/// A row that holds other rows, or an editor.
pub(super) fn block(
    sketch: &Sketch<'_>,
    slot: usize,
    field: &Field,
    spot: Spot<'_>,
    forms: &[Forms],
    body: Html,
    value: Value<'_>,
) -> Html {
    if spot.name.is_none() && forms.is_empty() {
        // An editor of JSON has the id, and says what is wrong itself.
        let id = (!sketch.draft.is_json(spot.pointer)).then(|| sketch.id(slot, ""));
        let faults = sketch.faults(slot, spot.pointer).filter(|_| id.is_some());
        let holder = Tag::new("div", "cs-edit-rows").option(Attribute::Id, id);
        return holder.with(Attribute::TabIndex, "-1").child(body).optional(faults).html();
    }
    frame(sketch, slot, field, spot, forms, body, value, true)
}

#[expect(clippy::too_many_arguments, reason = "what a row is made of, drawn at one place")]
fn frame(
    sketch: &Sketch<'_>,
    slot: usize,
    field: &Field,
    spot: Spot<'_>,
    forms: &[Forms],
    body: Html,
    value: Value<'_>,
    holds: bool,
) -> Html {
    let messages = sketch.stage.messages();
    let changed = sketch.differs(spot.pointer, value);
    let name = spot.name.unwrap_or_default();
    let name = Tag::new("code", "cs-code").child(match spot.name {
        Some(_) => visible(name),
        None => text(messages.arguments()),
    });
    let is_raw = sketch.draft.is_json(spot.pointer);
    let nested = holds && !is_raw && matches!(value.kind(), Kind::Object | Kind::Array);
    let heading = match nested {
        true => {
            let open = !body_is_empty(&body);
            Tag::new("button", "cs-toggle")
                .with(Attribute::Type, "button")
                .part("toggle")
                .text(Attribute::Id, sketch.id(slot, ""))
                .truth(Attribute::Expanded, open)
                .on(sketch.stage, Act::ButtonKey)
                .on(sketch.stage, Act::Change(slot, Step::Fold))
                .child(name.html())
                .html()
        }
        false => Tag::new("label", "cs-edit-key")
            .text(Attribute::For, sketch.id(slot, ""))
            .child(name.html())
            .html(),
    };
    let mut kind = vec![text(words::kind(&field.kind, sketch.stage))];
    let mut also = |more: Html| {
        kind.push(text(messages.separator()));
        kind.push(more);
    };
    if let Some(size) = sketch.size(value).filter(|_| nested) {
        also(size);
    }
    for limit in words::limits(field, sketch.stage) {
        // Our words around digits: what isolates these is no hidden character of the schema.
        also(text(limit));
    }
    if field.required && spot.item.is_none() && spot.name.is_some() {
        also(text(messages.edit_required()));
    }
    if field.read_only {
        also(text(messages.edit_read_only()));
    }
    if field.deprecated {
        also(text(messages.edit_deprecated()));
    }
    let kind = Tag::new("span", "cs-edit-type").text(Attribute::Id, sketch.id(slot, "k")).list(kind).html();
    let claims = words::claims(field, sketch.stage).map(|said| {
        Tag::new("p", "cs-help").part("claim").text(Attribute::Id, sketch.id(slot, "h")).child(said).html()
    });
    let faults = sketch.faults(slot, spot.pointer);
    let class = match holds {
        true => "cs-edit-row cs-edit-nest",
        false => "cs-edit-row",
    };
    let head = Tag::new("div", "cs-edit-head").child(heading).child(kind).html();
    let tools = tools(sketch, slot, field, spot, value, changed, is_raw);
    let variants = forms.iter().map(|forms| variants(sketch, spot, forms, value)).collect();
    let cell = Tag::new("div", "cs-edit-cell").list(variants).child(body).optional(faults).optional(claims);
    Tag::new("div", class)
        .part("edit-row")
        .when(holds, Attribute::Role, "group")
        .option(Attribute::Label, holds.then(|| sketch.name(spot.pointer).into()))
        .when(changed, Attribute::Changed, "")
        .when(sketch.problems.iter().any(|problem| problem.pointer == spot.pointer), Attribute::Bad, "")
        .child(head)
        // As they are read: first the field, then what may be done to it; what a row holds comes last.
        .list(if holds { vec![tools, cell.html()] } else { vec![cell.html(), tools] })
        .html()
}

fn body_is_empty(body: &Html) -> bool {
    matches!(body, Html::VList(list) if list.is_empty())
}

/// What may be done to a field besides typing.
fn tools(
    sketch: &Sketch<'_>,
    slot: usize,
    field: &Field,
    spot: Spot<'_>,
    value: Value<'_>,
    changed: bool,
    is_raw: bool,
) -> Html {
    let messages = sketch.stage.messages();
    let name = sketch.name(spot.pointer);
    let tool = |step, label| Some(sketch.tool(slot, step, label, &name));
    let came = sketch.came(spot.pointer).is_some();
    let is_null = value.is_null() && !matches!(field.kind, FieldKind::Null);
    let may_be_null = field.nullable && !value.is_null() && !is_raw;
    let json = match is_raw {
        true => tool(Step::Form, messages.edit_form()),
        false => tool(Step::Json, messages.edit_as_json()),
    };
    // What can be masked says whether it is.
    let content = (!is_raw && !value.is_null()).then(|| match field.kind {
        FieldKind::Text { .. } => Some(value.as_str().unwrap_or_else(|| value.text().into())),
        // Digits are secret by what they stand under alone.
        FieldKind::Number { .. } => Some("".into()),
        _ => None,
    });
    let reveal = content.flatten().filter(|content| is_secret(sketch, field, spot, content)).map(|_| {
        let shown = sketch.revealed.iter().any(|place| place == spot.pointer);
        sketch
            .tool_tag(slot, Step::Reveal, messages.edit_reveal(), &name)
            .truth(Attribute::Pressed, shown)
            .html()
    });
    let order = spot.item.filter(|(_, count)| *count > 1).map(|(index, count)| {
        let up = sketch.tool(slot, Step::Up, messages.edit_up(), &name);
        let down = sketch.tool(slot, Step::Down, messages.edit_down(), &name);
        options([(index > 0).then_some(up), (index + 1 < count).then_some(down)])
    });
    Tag::new("span", "cs-edit-tools")
        .optional((changed && came).then(|| tool(Step::Reset, messages.edit_reset())).flatten())
        .optional((is_null && field.nullable).then(|| tool(Step::Fill, messages.edit_fill())).flatten())
        .optional(may_be_null.then(|| tool(Step::Null, messages.edit_empty("null").into())).flatten())
        .optional(order)
        .optional(reveal)
        .optional(json)
        .optional(spot.removable.then(|| {
            sketch
                .tool_tag(slot, Step::Remove, messages.edit_remove(), &name)
                .withheld(spot.stays)
                .option(Attribute::DescribedBy, spot.stays.then(|| sketch.why_it_stays()))
                .html()
        }))
        .html()
}

/// The choice among several forms.
fn variants(sketch: &Sketch<'_>, spot: Spot<'_>, forms: &Forms, value: Value<'_>) -> Html {
    let messages = sketch.stage.messages();
    let mut slot = Slot::at(spot.pointer);
    let mut labels = Vec::new();
    for (index, branch) in forms.branches.iter().enumerate() {
        let blank = sketch.form.blank(&branch.node);
        slot.choices.push(refilled(blank, branch, [Some(value), sketch.came(spot.pointer)]));
        let kind = words::kind(&branch.kind, sketch.stage);
        labels.push(match &branch.title {
            Some(title) => escaped(title),
            None => messages.edit_kind(&(index + 1).to_string(), &kind),
        });
    }
    let slot = sketch.slot(slot);
    let name = messages.edit_kind_of(&sketch.name(spot.pointer));
    select(sketch, slot, labels, forms.chosen, None).text(Attribute::Label, name).html()
}

/// A blank object of another form, with what stands or stood in members that this form has too.
fn refilled(blank: String, form: &Field, values: [Option<Value<'_>>; 2]) -> String {
    let FieldKind::Object { members, .. } = &form.kind else { return blank };
    let mut filled = blank;
    for (name, member) in members {
        let fits = |value: &Value<'_>| match member.kind {
            FieldKind::Text { .. } => value.is_string(),
            FieldKind::Number { .. } => value.kind() == Kind::Number,
            FieldKind::Boolean => value.kind() == Kind::Bool,
            FieldKind::Array { .. } => value.is_array(),
            FieldKind::Object { .. } => value.is_object(),
            // What a form is known by is its own.
            _ => false,
        };
        let place = child("", name);
        let known = values.into_iter().flatten().filter_map(|value| value.pointer(&place)).find(fits);
        let Some(json) = known.map(|value| value.text()) else { continue };
        let taken = edit::replace(&filled, &place, json).or_else(|_| edit::insert(&filled, &place, json));
        filled = taken.unwrap_or(filled);
    }
    filled
}

/// A choice; `other` is what stands there where that is none of them.
fn select(
    sketch: &Sketch<'_>,
    slot: usize,
    labels: Vec<String>,
    chosen: Option<usize>,
    other: Option<String>,
) -> Tag {
    let mut options = Vec::new();
    if chosen.is_none() {
        options.push(option("", other.unwrap_or_else(|| "—".to_owned()), true));
    }
    for (index, label) in labels.into_iter().enumerate() {
        options.push(option(&index.to_string(), label, chosen == Some(index)));
    }
    Tag::new("select", "cs-input cs-select")
        .part("edit-field")
        .text(Attribute::Id, sketch.id(slot, ""))
        .on(sketch.stage, Act::Pick(slot, 0))
        .list(options)
}

fn option(value: &str, label: String, selected: bool) -> Html {
    Tag::new("option", "").text(Attribute::Value, value.to_owned()).words(label).selected(selected).html()
}

/// The field for one value, and the words in it where they may hold what cannot be seen.
fn control(
    sketch: &Sketch<'_>,
    slot: usize,
    field: &Field,
    spot: Spot<'_>,
    value: Value<'_>,
) -> (Html, Option<String>) {
    let messages = sketch.stage.messages();
    let loose = sketch.draft.loose_at(spot.pointer).filter(|loose| loose.typing != Typing::Json);
    let typed = || match loose {
        Some(loose) => loose.typed.clone(),
        None => value.as_str().map_or_else(|| value.text().to_owned(), String::from),
    };
    let dress = |tag: Tag| {
        let bad = sketch.problems.iter().any(|problem| problem.pointer == spot.pointer);
        let mut described = vec![sketch.id(slot, "k").to_string()];
        if bad {
            described.push(sketch.id(slot, "x").to_string());
        }
        if field.description.is_some() || field.title.is_some() {
            described.push(sketch.id(slot, "h").to_string());
        }
        tag.part("edit-field")
            .text(Attribute::Id, sketch.id(slot, ""))
            .text(Attribute::DescribedBy, described.join(" "))
            .when(bad, Attribute::Invalid, "true")
            .when(field.required, Attribute::Required, "true")
    };
    if value.is_null() && !matches!(field.kind, FieldKind::Choice { .. }) && loose.is_none() {
        return (null(sketch, field, spot, &dress), None);
    }
    let masks = |content: &str| {
        let hides = is_secret(sketch, field, spot, content);
        let masked = hides && !sketch.revealed.iter().any(|place| place == spot.pointer);
        if let Some(slot) = sketch.slots.borrow_mut().get_mut(slot) {
            slot.masked = masked;
        }
        (hides, masked)
    };
    let html = match &field.kind {
        FieldKind::Number { .. } if masks("").1 => {
            secret(dress(Tag::new("input", "cs-input cs-code cs-edit-number")), sketch, slot, &typed())
        }
        FieldKind::Number { .. } => dress(Tag::new("input", "cs-input cs-code cs-edit-number"))
            .with(Attribute::Type, "text")
            .with(Attribute::InputMode, "decimal")
            .exact()
            .value(typed())
            .on(sketch.stage, Act::Type(slot))
            .html(),
        FieldKind::Boolean => {
            let given = value.as_bool().unwrap_or_default();
            let tick = dress(Tag::new("input", ""))
                .with(Attribute::Type, "checkbox")
                .checked(given)
                .on(sketch.stage, Act::Pick(slot, 0));
            let word =
                Tag::new("code", "cs-code").with(Attribute::Hidden, "true").words(value.text().to_owned());
            Tag::new("label", "cs-edit-tick").child(tick.html()).child(word.html()).html()
        }
        FieldKind::Choice { values } => {
            let at = |text: &String| countersign_json::same_texts(text, value.text());
            let chosen = values.iter().position(at);
            let label = |text: &str| escaped(&words::plain(text));
            let labels = values.iter().map(|text| label(text)).collect();
            let other = (!is_secret(sketch, field, spot, value.text())).then(|| label(value.text()));
            dress(select(sketch, slot, labels, chosen, other)).html()
        }
        FieldKind::Text { format, .. } => {
            let content = typed();
            let line = format.is_some() && !content.contains('\n');
            let (hides, masked) = masks(&content);
            let html = if masked && content.contains('\n') {
                // A field that masks holds one line: this would lose the others.
                let size = messages.characters(content.chars().count());
                let mask = Tag::new("code", "cs-code").words(["•••••••• ", &size].concat());
                dress(mask.with(Attribute::TabIndex, "-1")).html()
            } else if masked {
                secret(dress(Tag::new("input", "cs-input cs-code")), sketch, slot, &content)
            } else if line {
                dress(Tag::new("input", "cs-input cs-code"))
                    .with(Attribute::Type, "text")
                    .option(Attribute::InputMode, format.and_then(mode))
                    .exact()
                    .value(content.clone())
                    .on(sketch.stage, Act::Type(slot))
                    .html()
            } else {
                // For browsers in which fields do not grow with what they hold.
                let lines = content.matches('\n').count() + content.len() / 60 + 1;
                dress(Tag::new("textarea", "cs-input cs-code cs-edit-words"))
                    .text(Attribute::Rows, lines.min(12).to_string())
                    .with(Attribute::Dir, "auto")
                    .exact()
                    .value(content.clone())
                    .on(sketch.stage, Act::Type(slot))
                    .html()
            };
            return (html, (!hides).then_some(content));
        }
        _ => text(messages.edit_type("null")),
    };
    (html, None)
}

/// Whether what stands there is to be masked.
fn is_secret(sketch: &Sketch<'_>, field: &Field, spot: Spot<'_>, content: &str) -> bool {
    field.secret
        || spot.secret
        || spot.pointer.split('/').any(names_secret)
        || sketch.draft.is_held(spot.pointer)
        || !secrets_in(content).is_empty()
}

fn secret(tag: Tag, sketch: &Sketch<'_>, slot: usize, words: &str) -> Html {
    tag.with(Attribute::Type, "password")
        .value(words.to_owned())
        // Browsers put passwords of the page into others, whatever they are told.
        .with(Attribute::AutoComplete, "new-password")
        .on(sketch.stage, Act::Type(slot))
        .html()
}

fn mode(format: Format) -> Option<AttrValue> {
    Some(AttrValue::Static(match format {
        Format::Email => "email",
        Format::Uri => "url",
        _ => return None,
    }))
}

/// `null`, and what may stand there in its place where anything may.
fn null(sketch: &Sketch<'_>, field: &Field, spot: Spot<'_>, dress: &dyn Fn(Tag) -> Tag) -> Html {
    let word = Tag::new("code", "cs-code cs-word").words("null");
    let anything = !field.nullable && !matches!(field.kind, FieldKind::Null);
    if !anything {
        return dress(word.with(Attribute::TabIndex, "-1")).html();
    }
    let messages = sketch.stage.messages();
    let mut others = Slot::at(spot.pointer);
    let mut labels = Vec::new();
    for (kind, blank) in KINDS {
        others.choices.push((*blank).to_owned());
        labels.push(messages.edit_type(kind).to_string());
    }
    let others = sketch.slot(others);
    let name = messages.edit_kind_of(&sketch.name(spot.pointer));
    select(sketch, others, labels, Some(0), None).text(Attribute::Label, name).html()
}

/// The kinds of JSON, each with a value to start with.
const KINDS: &[(&str, &str)] = &[
    ("null", "null"),
    ("string", "\"\""),
    ("number", "0"),
    ("boolean", "false"),
    ("array", "[]"),
    ("object", "{}"),
];
