//! From the schemas that apply to a value, and the value, to a field.

use countersign_json::{Kind, Numbers, Value, items, same};

use super::facets::Facets;
use super::{Bound, Field, FieldKind, Form, Format, Node};
use crate::types::Types;

/// How many fields one description has at most: a schema from outside may declare any number.
const MOST_FIELDS: usize = 500;
/// How deep forms to choose from may stand in one another.
const NESTED_CHOICES: usize = 4;
/// How often the value of one description is held against a part of the schema at most.
const TRIES: usize = 64;
/// How deep conditions may follow from one another.
const CONDITIONS: usize = 4;
/// How many examples and choices are worth showing.
const MOST_EXAMPLES: usize = 20;
const MOST_CHOICES: usize = 1000;
/// From how many characters on one line is too little.
const LINE: usize = 60;

/// Describes one field and what it mentions.
pub(super) struct Describer<'f, 's> {
    form: &'f Form<'s>,
    left: usize,
    /// How often a value may still be held against a part of the schema.
    tries: usize,
}

impl<'f, 's> Describer<'f, 's> {
    pub(super) fn new(form: &'f Form<'s>) -> Describer<'f, 's> {
        Describer { form, left: MOST_FIELDS, tries: TRIES }
    }

    /// The field at this node; `depth` counts the choices around it, and is [`NESTED_CHOICES`] for what is only mentioned.
    pub(super) fn field(
        &mut self,
        node: Node,
        value: Option<Value<'_>>,
        required: bool,
        depth: usize,
    ) -> Field {
        self.left = self.left.saturating_sub(1);
        let (node, facets) = self.decided(node, value);
        let value = value.filter(|value| !value.is_null() || !facets.nullable);
        let text = |keyword| facets.note(keyword)?.as_str_lossy().map(std::borrow::Cow::into_owned);
        let json = |value: Value<'_>| value.text().to_owned();
        let format = facets.first("format");
        let kind = self.kind(&facets, &node, value, depth);
        let lists_null =
            matches!(&kind, FieldKind::Choice { values } if values.iter().any(|value| value == "null"));
        Field {
            title: text("title"),
            description: text("description"),
            default: facets.note("default").map(json),
            examples: items(facets.note("examples")).take(MOST_EXAMPLES).map(json).collect(),
            required,
            read_only: facets.is("readOnly"),
            deprecated: facets.is("deprecated"),
            secret: facets.is("writeOnly") || format.is_some_and(|format| format.equals("password")),
            nullable: facets.nullable && !lists_null,
            kind,
            node,
        }
    }

    /// Whether the value is what this part of the schema wants; `None`: that cannot be told.
    fn passes(&mut self, part: Value<'s>, value: Value<'_>) -> Option<bool> {
        self.tries = self.tries.checked_sub(1)?;
        self.form.passes(part, value)
    }

    /// The node with what its conditions say about the value. What they say may have conditions of its own.
    fn decided(&mut self, mut node: Node, value: Option<Value<'_>>) -> (Node, Facets<'s>) {
        let mut facets = Facets::of(self.form, &node);
        for _ in 0..CONDITIONS {
            let Some(value) = value.filter(|_| facets.mentions(&["if"]) && self.left > 0) else { break };
            self.left -= 1;
            let parts = facets.decided(|part| self.passes(part, value));
            if parts.is_empty() {
                break;
            }
            node.parts.extend(parts);
            facets = Facets::of(self.form, &node);
        }
        (node, facets)
    }

    fn kind(
        &mut self,
        facets: &Facets<'s>,
        node: &Node,
        value: Option<Value<'_>>,
        depth: usize,
    ) -> FieldKind {
        if let Some(values) = choices(facets) {
            return FieldKind::Choice { values };
        }
        if !facets.branches.is_empty() {
            return self.one_of(facets, value, depth);
        }
        let kinds = facets.types.each().count();
        if facets.typed && kinds > 1 {
            return self.one_type(facets, node, value, depth);
        }
        let types = if facets.typed { facets.types } else { preferred(facets, value) };
        match types {
            Types::STRING => text(facets, value),
            Types::INTEGER | Types::NUMBER => number(facets, types),
            Types::BOOLEAN => FieldKind::Boolean,
            Types::NULL => FieldKind::Null,
            Types::ARRAY => array(facets, value),
            Types::OBJECT => self.object(facets, depth),
            _ => FieldKind::Any,
        }
    }

    fn one_of(&mut self, facets: &Facets<'s>, value: Option<Value<'_>>, depth: usize) -> FieldKind {
        let (mut branches, mut best) = (Vec::new(), None);
        for (index, branch) in facets.branches.iter().enumerate() {
            if depth >= NESTED_CHOICES || self.left == 0 {
                break;
            }
            branches.push(self.field(facets.branch(*branch), value, true, depth + 1));
            let Some(value) = value else { continue };
            // What fits comes before what may fit, and that before what only looks alike.
            let passes = match self.passes(*branch, value) {
                Some(true) => 2,
                None => 1,
                Some(false) => 0,
            };
            let rank = (passes, likeness(self.form, &facets.branch(*branch), value));
            if rank > best.map_or((0, 0), |(_, rank)| rank) {
                best = Some((index, rank));
            }
        }
        FieldKind::OneOf { branches, chosen: best.map(|(index, _)| index) }
    }

    /// Several kinds are permitted: each is a form of its own.
    fn one_type(
        &mut self,
        facets: &Facets<'s>,
        node: &Node,
        value: Option<Value<'_>>,
        depth: usize,
    ) -> FieldKind {
        let (mut branches, mut chosen) = (Vec::new(), None);
        for (index, (types, ..)) in facets.types.each().enumerate() {
            if depth >= NESTED_CHOICES || self.left == 0 {
                break;
            }
            let fits = value.is_some_and(|value| types.permit(value));
            if fits {
                chosen = chosen.or(Some(index));
            }
            let only = Node { only: Some(types), ..node.clone() };
            branches.push(self.field(only, value.filter(|_| fits), true, depth + 1));
        }
        FieldKind::OneOf { branches, chosen }
    }

    fn object(&mut self, facets: &Facets<'s>, depth: usize) -> FieldKind {
        let mut members: Vec<(String, Field)> = Vec::new();
        if depth < NESTED_CHOICES {
            let (index, required, mut known) = (facets.index(), facets.required(), Vec::new());
            for key in facets.names() {
                let name = key.as_str_lossy().unwrap_or_default();
                if self.left == 0 {
                    break;
                }
                if let Err(place) = known.binary_search(&name) {
                    known.insert(place, name.clone());
                    let node = facets.member_by(&name, |schema, _| index.get(schema)?.as_ref()?.get(key));
                    let is_required = required.binary_search(&name).is_ok();
                    members.push((name.into_owned(), self.field(node, None, is_required, NESTED_CHOICES)));
                }
            }
        }
        let is_closed = facets.forbids("additionalProperties") || facets.forbids("unevaluatedProperties");
        FieldKind::Object { members, may_add: !is_closed || facets.first("patternProperties").is_some() }
    }
}

/// The values of which one must be taken, if the schema counts them.
fn choices(facets: &Facets<'_>) -> Option<Vec<String>> {
    if let Some(constant) = facets.first("const") {
        return Some(vec![constant.text().to_owned()]);
    }
    let values = facets.first("enum").filter(|values| values.is_array() && !values.is_empty())?;
    Some(values.items().take(MOST_CHOICES).map(|value| value.text().to_owned()).collect())
}

/// The kind to assume where the schema permits all: the value's own, else the one that its keywords are about.
pub(super) fn preferred(facets: &Facets<'_>, value: Option<Value<'_>>) -> Types {
    if let Some(value) = value.filter(|value| !value.is_null()) {
        return match value.kind() {
            Kind::Number => Types::NUMBER,
            _ => Types::of(value),
        };
    }
    let about: [(&[&str], Types); 4] = [
        (&["properties", "additionalProperties", "patternProperties", "required"], Types::OBJECT),
        (&["items", "prefixItems", "minItems", "maxItems"], Types::ARRAY),
        (&["pattern", "format", "minLength", "maxLength"], Types::STRING),
        (&["minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"], Types::NUMBER),
    ];
    about.iter().find(|(keywords, _)| facets.mentions(keywords)).map_or(Types::ALL, |(_, types)| *types)
}

fn text(facets: &Facets<'_>, value: Option<Value<'_>>) -> FieldKind {
    let is_long = value.and_then(Value::as_str_lossy).is_some_and(|text| {
        text.contains(['\n', '\r', '\u{2028}', '\u{2029}']) || text.chars().nth(LINE).is_some()
    });
    let format = facets.first("format").and_then(|format| Format::named(&format.as_str()?));
    FieldKind::Text { multiline: is_long && format.is_none(), format, max_length: whole(facets, "maxLength") }
}

fn number(facets: &Facets<'_>, types: Types) -> FieldKind {
    let bound = |keyword, excluded| {
        let number = facets.first(keyword)?.as_number()?.to_owned();
        Some(Bound { number, excluded })
    };
    FieldKind::Number {
        integer: types == Types::INTEGER,
        minimum: bound("minimum", false).or_else(|| bound("exclusiveMinimum", true)),
        maximum: bound("maximum", false).or_else(|| bound("exclusiveMaximum", true)),
    }
}

fn array(facets: &Facets<'_>, value: Option<Value<'_>>) -> FieldKind {
    let len = value.map_or(0, Value::len);
    let most = [whole(facets, "maxItems"), facets.closed_at()].into_iter().flatten().min();
    FieldKind::Array {
        may_add: most.is_none_or(|most| len < most),
        may_remove: len > whole(facets, "minItems").unwrap_or(0),
    }
}

/// A keyword's value if it counts something.
pub(super) fn whole(facets: &Facets<'_>, keyword: &'static str) -> Option<usize> {
    facets.first(keyword)?.as_number()?.parse().ok()
}

/// How much the value looks as the node says; 0: not at all.
fn likeness(form: &Form<'_>, node: &Node, value: Value<'_>) -> usize {
    let facets = Facets::of(form, node);
    let permits = |choices: Value<'_>| choices.items().any(|choice| same(choice, value, Numbers::Value));
    let is_other = |constant: Value<'_>| !same(constant, value, Numbers::Value);
    if facets.never
        || (facets.typed && !facets.types.permit(value))
        || facets.all("const").any(is_other)
        || facets.all("enum").any(|choices| !permits(choices))
    {
        return 0;
    }
    let typed = 2 + usize::from(facets.typed);
    if !value.is_object() {
        return typed;
    }
    let wrong = facets.names().filter(|name| {
        let name = name.as_str_lossy().unwrap_or_default();
        match value.get(&name) {
            Some(member) => {
                let constant = Facets::of(form, &facets.member(&name)).first("const");
                constant.is_some_and(|constant| !same(constant, member, Numbers::Value))
            }
            None => facets.requires(&name),
        }
    });
    let known = value.members().filter(|(name, _)| facets.names().any(|known| known.text() == name.text()));
    typed + known.count() - wrong.count().min(1)
}
