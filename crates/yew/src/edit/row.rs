//! One row of a form: the name, the field or what it holds, and what may be done to it.

use countersign_core::secret::{names_secret, secrets_in_json};
use countersign_json::{Kind, Value};
use countersign_schema::form::{Field, FieldKind, Format};
use yew::prelude::*;

use super::draft::Typing;
use super::sketch::{Sketch, Spot};
use super::slot::Slot;
use super::words;
use crate::escapes::{chip, escaped};
use crate::fold::{ended, foldable, shortened};
use crate::marks::is_piling;
use crate::node::{Attribute, Tag, options, words as text};
use crate::piece::{Act, Step};
use crate::text::{around, visible};

/// From how many lines on a browser is not asked for the direction of a text as a whole: Chromium takes six seconds for it where there
/// are 30,000. Each line still has its own.
const DIRECTED: usize = 1000;

/// Forms of which a value has one.
pub(super) struct Forms {
    pub(super) branches: Vec<Field>,
    pub(super) chosen: Option<usize>,
}

/// One row: what it is drawn on, where it stands and what it is about.
#[derive(Clone, Copy)]
pub(super) struct Row<'r> {
    pub(super) sketch: &'r Sketch<'r>,
    pub(super) slot: usize,
    pub(super) field: &'r Field,
    pub(super) spot: Spot<'r>,
    pub(super) forms: &'r [Forms],
    pub(super) value: Value<'r>,
    /// No form can show it without doubt.
    pub(super) unclear: bool,
}

/// What stands in a row beside its name.
enum Body {
    /// One field.
    Field(Html),
    /// Other rows, or an editor.
    Rows(Html),
}

impl Row<'_> {
    /// With one field.
    pub(super) fn leaf(self) -> Html {
        let (control, shown) = self.control();
        let hidden = shown.as_ref().is_some_and(|shown| self.sketch.looks.hidden(shown));
        let hidden = shown.filter(|_| hidden).map(|shown| {
            let seen = Tag::new("span", "cs-code").child(foldable(&shown, self.sketch.stage)).html();
            let said = around(&self.sketch.stage.messages().edit_hidden(), seen);
            Tag::new("p", "cs-edit-hidden").child(said).html()
        });
        self.frame(Body::Field(options([Some(control), hidden])))
    }

    /// The JSON text of what a field for another kind holds: there `"5"` would look like 5.
    fn stands(self) -> Option<Html> {
        let Row { sketch, field, spot, value, .. } = self;
        let is_other = match field.kind {
            FieldKind::Text { .. } => !value.is_string(),
            FieldKind::Number { .. } => value.as_number().is_none(),
            _ => false,
        };
        let is_shown = !value.is_null() && !self.unclear && !self.is_raw();
        let is_typed = sketch.draft.loose_at(spot.pointer).is_some();
        if !is_other || !is_shown || is_typed || self.is_secret(value.text()) {
            return None;
        }
        let json = Tag::new("code", "cs-code").child(foldable(value.text(), sketch.stage)).html();
        Some(Tag::new("p", "cs-edit-fault").child(json).html())
    }

    /// With other rows in it, or an editor.
    pub(super) fn block(self, body: Html) -> Html {
        let Row { sketch, slot, spot, .. } = self;
        if spot.name.is_none() && self.forms.is_empty() {
            // An editor of JSON has the id, and refers to what is wrong itself.
            let id = (!sketch.draft.is_json(spot.pointer)).then(|| sketch.id(slot, ""));
            let faults = sketch.faults(slot, spot.pointer, None);
            let said = faults.as_ref().filter(|_| id.is_some()).map(|_| sketch.id(slot, "x"));
            return Tag::new("div", "cs-edit-rows")
                .option(Attribute::Id, id)
                .option(Attribute::DescribedBy, said)
                .with(Attribute::TabIndex, "-1")
                .child(body)
                .optional(faults)
                .html();
        }
        self.frame(Body::Rows(body))
    }

    fn frame(self, body: Body) -> Html {
        let Row { sketch, slot, field, spot, forms, .. } = self;
        let (body, holds) = match body {
            Body::Field(body) => (body, false),
            Body::Rows(body) => (body, true),
        };
        let nested = holds && !self.is_raw() && matches!(self.value.kind(), Kind::Object | Kind::Array);
        let claims = words::claims(field, sketch.stage).map(|said| {
            Tag::new("p", "cs-help")
                .part("claim")
                .text(Attribute::Id, sketch.id(slot, "h"))
                .child(said)
                .html()
        });
        let faults = sketch.faults(slot, spot.pointer, self.stands());
        // What only JSON can show is in sight all the time.
        let folds = nested && !self.unclear;
        let heading = self.heading(folds.then(|| !is_empty(&body)), faults.is_some());
        let kind = self.kind(nested);
        let class = match holds {
            true => "cs-edit-row cs-edit-nest",
            false => "cs-edit-row",
        };
        let changed = sketch.differs(spot.pointer, self.value);
        let head = Tag::new("div", "cs-edit-head").child(heading).child(kind).html();
        let tools = self.tools(changed);
        let variants = forms.iter().enumerate().map(|(level, forms)| self.variants(level, forms)).collect();
        let cell =
            Tag::new("div", "cs-edit-cell").list(variants).child(body).optional(faults).optional(claims);
        Tag::new("div", class)
            .part("edit-row")
            .when(holds, Attribute::Role, "group")
            .option(Attribute::Label, holds.then(|| sketch.name(spot.pointer).into()))
            .when(changed, Attribute::Changed, "")
            .when(self.is_bad(), Attribute::Bad, "")
            .child(head)
            // As they are read: first the field, then what may be done to it; what a row holds comes last.
            .list(if holds { vec![tools, cell.html()] } else { vec![cell.html(), tools] })
            .html()
    }

    /// The name; of what holds other rows, on a button that folds them: `open` where they are to be seen, `bad` where it
    /// is said below what is wrong.
    fn heading(self, open: Option<bool>, bad: bool) -> Html {
        let Row { sketch, slot, spot, .. } = self;
        let name = Tag::new("code", "cs-code").child(match spot.name {
            Some(name) => visible(&shortened(&ended(name))),
            None => text(sketch.stage.messages().arguments()),
        });
        match open {
            Some(open) => Tag::new("button", "cs-toggle")
                .with(Attribute::Type, "button")
                .part("toggle")
                .text(Attribute::Id, sketch.id(slot, ""))
                .truth(Attribute::Expanded, open)
                .option(Attribute::DescribedBy, bad.then(|| sketch.id(slot, "x")))
                .on(sketch.stage, Act::ButtonKey)
                .on(sketch.stage, Act::Change(slot, Step::Fold))
                .child(name.html())
                .html(),
            None => Tag::new("label", "").text(Attribute::For, sketch.id(slot, "")).child(name.html()).html(),
        }
    }

    /// What the schema says of the field, in a few words; of what is `nested` also how much is in it.
    fn kind(self, nested: bool) -> Html {
        let Row { sketch, field, .. } = self;
        let messages = sketch.stage.messages();
        let mut kind = vec![text(words::kind(&field.kind, sketch.stage))];
        let mut also = |more: Html| {
            kind.push(text(messages.separator()));
            kind.push(more);
        };
        if let Some(size) = sketch.size(self.value).filter(|_| nested) {
            also(size);
        }
        for limit in words::limits(field, sketch.stage) {
            // Our words around digits: what isolates these is no hidden character of the schema.
            also(text(limit));
        }
        if self.is_required() {
            also(text(messages.edit_required()));
        }
        if field.read_only {
            also(text(messages.edit_read_only()));
        }
        if field.deprecated {
            also(text(messages.edit_deprecated()));
        }
        Tag::new("span", "cs-edit-type").text(Attribute::Id, sketch.id(self.slot, "k")).list(kind).html()
    }

    /// What may be done to a field besides typing; where it is `changed`, also to take that back.
    fn tools(self, changed: bool) -> Html {
        let Row { sketch, slot, field, spot, value, .. } = self;
        let messages = sketch.stage.messages();
        let name = sketch.name(spot.pointer);
        let tool = |step, label| sketch.tool(slot, step, label, &name);
        let is_raw = self.is_raw();
        let came = sketch.came(spot.pointer).is_some();
        let is_null = value.is_null() && !matches!(field.kind, FieldKind::Null);
        let may_be_filled = is_null && (field.nullable || self.holds());
        let may_be_null = field.nullable && !value.is_null() && !is_raw;
        let json = match is_raw {
            true => tool(Step::Form, messages.edit_form()),
            false => tool(Step::Json, messages.edit_as_json()),
        };
        // What can be masked says whether it is.
        let content = (!is_raw && !value.is_null()).then(|| match field.kind {
            _ if self.unclear => self.hides().then(|| "".into()),
            FieldKind::Text { .. } => Some(value.as_str().unwrap_or_else(|| value.text().into())),
            // Digits are secret by what they stand under alone.
            FieldKind::Number { .. } => Some("".into()),
            _ => None,
        });
        let reveal = content.flatten().filter(|content| self.unclear || self.is_secret(content)).map(|_| {
            sketch
                .tool_tag(slot, Step::Reveal, messages.edit_reveal(), &name)
                .truth(Attribute::Pressed, self.is_revealed())
                .html()
        });
        let order = spot.item.filter(|(_, count)| *count > 1).map(|(index, count)| {
            let up = sketch.tool(slot, Step::Up, messages.edit_up(), &name);
            let down = sketch.tool(slot, Step::Down, messages.edit_down(), &name);
            options([(index > 0).then_some(up), (index + 1 < count).then_some(down)])
        });
        Tag::new("span", "cs-edit-tools")
            .optional((changed && came).then(|| tool(Step::Reset, messages.edit_reset())))
            .optional(may_be_filled.then(|| tool(Step::Fill, messages.edit_fill())))
            .optional(may_be_null.then(|| tool(Step::Null, messages.edit_empty("null").into())))
            .optional(order)
            .optional(reveal)
            .child(json)
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
    fn variants(self, level: usize, forms: &Forms) -> Html {
        let Row { sketch, spot, .. } = self;
        let messages = sketch.stage.messages();
        let mut slot = Slot::at(spot.pointer);
        let mut labels = Vec::new();
        for (index, branch) in forms.branches.iter().enumerate() {
            slot.choices.push(sketch.form.blank(&branch.node));
            let kind = words::kind(&branch.kind, sketch.stage);
            let title = branch.title.clone().or_else(|| words::known_by(branch, &forms.branches));
            labels.push(title.map(|title| escaped(&title)).unwrap_or_else(|| {
                let own = words::own_member(branch, &forms.branches).map(escaped);
                let own = own.map(|own| [messages.separator().as_str(), &own].concat()).unwrap_or_default();
                messages.edit_kind(&(index + 1).to_string(), &[kind.as_str(), &own].concat())
            }));
        }
        slot.forms = Some((level, forms.branches.clone()));
        self.other(sketch.slot(slot), labels, forms.chosen).html()
    }

    /// A choice of what else could stand here.
    fn other(self, slot: usize, labels: Vec<String>, chosen: Option<usize>) -> Tag {
        let sketch = self.sketch;
        let name = sketch.stage.messages().edit_kind_of(&sketch.name(self.spot.pointer));
        select(sketch, slot, labels, chosen, None).text(Attribute::Label, name)
    }

    /// The field for the value, and the words in it where they may hold what cannot be seen.
    fn control(self) -> (Html, Option<String>) {
        let Row { sketch, slot, field, value, .. } = self;
        let loose = sketch.draft.loose_at(self.spot.pointer).filter(|loose| loose.typing != Typing::Json);
        if value.is_null() && !matches!(field.kind, FieldKind::Choice { .. }) && loose.is_none() {
            return (self.null(), None);
        }
        let typed = || match loose {
            Some(loose) => loose.typed.clone(),
            None => value
                .as_str()
                .map_or_else(|| sketch.spelt(self.spot.pointer, value.text()).to_owned(), String::from),
        };
        let html = match &field.kind {
            FieldKind::Text { format, .. } => return self.words(typed(), *format),
            FieldKind::Number { minimum, .. } => {
                let input = self.dress(Tag::new("input", "cs-input cs-code cs-edit-number"));
                if self.is_secret("") && self.masks() {
                    self.secret(input, &typed())
                } else {
                    // Some keyboards for digits have no minus.
                    let is_positive = minimum.as_ref().is_some_and(|least| !least.number.starts_with('-'));
                    self.line(input.when(is_positive, Attribute::InputMode, "decimal"), typed())
                }
            }
            FieldKind::Boolean => {
                let given = value.as_bool().unwrap_or_default();
                let tick = self
                    .dress(Tag::new("input", ""))
                    .with(Attribute::Type, "checkbox")
                    .checked(given)
                    .on(sketch.stage, Act::Pick(slot, 0));
                let word = Tag::new("code", "cs-code")
                    .with(Attribute::Hidden, "true")
                    .words(value.text().to_owned());
                Tag::new("label", "cs-edit-tick").child(tick.html()).child(word.html()).html()
            }
            FieldKind::Choice { values } => {
                let at = |text: &String| countersign_json::same_texts(text, value.text());
                let chosen = values.iter().position(at);
                let label = |text: &str| escaped(&words::plain(text));
                let labels = values.iter().map(|text| label(text)).collect();
                let other = (!self.is_secret(value.text())).then(|| label(value.text()));
                self.dress(select(sketch, slot, labels, chosen, other)).html()
            }
            _ => text(sketch.stage.messages().edit_type("null")),
        };
        (html, None)
    }

    /// The field for a text, and the text where it is to be seen.
    fn words(self, content: String, format: Option<Format>) -> (Html, Option<String>) {
        let Row { sketch, slot, .. } = self;
        let hides = self.is_secret(&content);
        let masked = hides && self.masks();
        let html = if masked && content.contains('\n') {
            // A field that masks holds one line: this would lose the others.
            self.covered(&content)
        } else if masked {
            self.secret(self.dress(Tag::new("input", "cs-input cs-code")), &content)
        } else if format.is_some() && !content.contains('\n') {
            let input = self.dress(Tag::new("input", "cs-input cs-code"));
            self.line(input.option(Attribute::InputMode, format.and_then(mode)), content.clone())
        } else {
            // For browsers in which fields do not grow with what they hold.
            let breaks = content.matches('\n').count();
            let lines = breaks + content.len() / 60 + 1;
            self.dress(Tag::new("textarea", "cs-input cs-code"))
                .text(Attribute::Rows, lines.min(12).to_string())
                .when(breaks < DIRECTED, Attribute::Dir, "auto")
                .exact()
                .value(content.clone())
                .on(sketch.stage, Act::Type(slot))
                .html()
        };
        (html, (!hides).then_some(content))
    }

    /// A mask that only tells how much is behind it.
    fn covered(self, content: &str) -> Html {
        let size = self.sketch.stage.messages().characters(content.chars().count());
        let mask = Tag::new("code", "cs-code").words(["•••••••• ", &size].concat());
        self.tie(mask.with(Attribute::TabIndex, "-1")).html()
    }

    /// The mask over a secret that is edited as JSON because no form can show it.
    pub(super) fn mask(self) -> Option<Html> {
        let content = || self.value.as_str().unwrap_or_else(|| self.value.text().into());
        (self.hides() && self.masks()).then(|| self.covered(&content()))
    }

    /// Whether what only JSON can show is to be masked.
    fn hides(self) -> bool {
        let content = self.value.as_str().unwrap_or_else(|| self.value.text().into());
        self.is_secret(&content) || !secrets_in_json(self.value.text()).is_empty()
    }

    /// A field of one line.
    fn line(self, input: Tag, content: String) -> Html {
        let input = input.with(Attribute::Type, "text").exact().value(content);
        input.on(self.sketch.stage, Act::Type(self.slot)).html()
    }

    /// A field of one line that shows nothing of what is in it.
    fn secret(self, input: Tag, content: &str) -> Html {
        input
            .with(Attribute::Type, "password")
            .value(content.to_owned())
            // Browsers put passwords of the page into others, whatever they are told.
            .with(Attribute::AutoComplete, "new-password")
            .on(self.sketch.stage, Act::Type(self.slot))
            .on(self.sketch.stage, Act::Paste(self.slot))
            .html()
    }

    /// `null`, and what may stand there in its place where anything may.
    fn null(self) -> Html {
        let word = Tag::new("code", "cs-code cs-word").words("null");
        if self.field.nullable || self.holds() || matches!(self.field.kind, FieldKind::Null) {
            return self.tie(word.with(Attribute::TabIndex, "-1")).html();
        }
        let messages = self.sketch.stage.messages();
        let (mut choices, mut labels) = (Vec::new(), Vec::new());
        for (kind, blank) in KINDS {
            choices.push((*blank).to_owned());
            labels.push(messages.edit_type(kind).to_string());
        }
        if let Some(slot) = self.sketch.slots.borrow_mut().get_mut(self.slot) {
            slot.choices = choices;
        }
        self.dress(self.other(self.slot, labels, Some(0))).html()
    }

    /// What every field has: its id, and what is said of it.
    fn dress(self, tag: Tag) -> Tag {
        self.tie(tag).when(self.is_required(), Attribute::Required, "true")
    }

    /// What also stands where nothing can be filled in.
    fn tie(self, tag: Tag) -> Tag {
        let Row { sketch, slot, field, .. } = self;
        let mut described = vec![sketch.id(slot, "k").to_string()];
        if self.is_bad() {
            described.push(sketch.id(slot, "x").to_string());
        }
        if field.description.is_some() || field.title.is_some() {
            described.push(sketch.id(slot, "h").to_string());
        }
        tag.part("edit-field")
            .text(Attribute::Id, sketch.id(slot, ""))
            .text(Attribute::DescribedBy, described.join(" "))
            .when(self.is_bad(), Attribute::Invalid, "true")
    }

    /// It is a member that must be there; of an item nobody says so.
    fn is_required(self) -> bool {
        self.field.required && self.spot.item.is_none() && self.spot.name.is_some()
    }

    /// Other values belong in it.
    fn holds(self) -> bool {
        matches!(self.field.kind, FieldKind::Object { .. } | FieldKind::Array { .. })
    }

    /// It is edited as JSON.
    fn is_raw(self) -> bool {
        self.sketch.draft.is_json(self.spot.pointer)
    }

    /// Something is wrong with it.
    fn is_bad(self) -> bool {
        self.sketch.problems.iter().any(|problem| problem.pointer == self.spot.pointer)
    }

    /// Its secret is shown.
    fn is_revealed(self) -> bool {
        self.sketch.revealed.iter().any(|place| place == self.spot.pointer)
    }

    /// Whether what stands there is to be masked.
    fn is_secret(self, content: &str) -> bool {
        let Row { sketch, field, spot, .. } = self;
        field.secret
            || spot.secret
            || spot.pointer.split('/').any(names_secret)
            || sketch.draft.is_held(spot.pointer)
            || sketch.looks.secret(content)
    }

    /// The JSON text of a string in which so many marks stand on one letter that browsers are busy with it for seconds,
    /// with escapes in the place of marks.
    pub(super) fn unpiled(self) -> Option<String> {
        let content = self.value.as_str()?;
        if !self.sketch.looks.piled(&content) || self.is_secret(&content) {
            return None;
        }
        let mut text = String::new();
        for character in self.value.text().chars() {
            if is_piling(character) {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let code = chip(char::from_u32(0x1_0000 + u32::from(*unit)).unwrap_or_default());
                    let digits = code.trim_matches(|sign: char| !sign.is_ascii_hexdigit());
                    text.extend(["\\u", digits.get(1..).unwrap_or_default()]);
                }
            } else {
                text.push(character);
            }
        }
        Some(text)
    }

    /// Masks a secret that is not shown, and notes whether it does.
    fn masks(self) -> bool {
        let masked = !self.is_revealed();
        if let Some(slot) = self.sketch.slots.borrow_mut().get_mut(self.slot) {
            slot.masked = masked;
        }
        masked
    }
}

fn is_empty(body: &Html) -> bool {
    matches!(body, Html::VList(list) if list.is_empty())
}

/// A choice; `other` is what stands there where that is none of them.
fn select(
    sketch: &Sketch<'_>,
    slot: usize,
    labels: Vec<String>,
    chosen: Option<usize>,
    other: Option<String>,
) -> Tag {
    if let Some(slot) = sketch.slots.borrow_mut().get_mut(slot) {
        slot.chosen = chosen;
    }
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

fn mode(format: Format) -> Option<AttrValue> {
    Some(AttrValue::Static(match format {
        Format::Email => "email",
        Format::Uri => "url",
        _ => return None,
    }))
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
