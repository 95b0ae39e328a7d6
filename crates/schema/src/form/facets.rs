//! The schemas that apply to one value together: references followed, `allOf` taken apart.

use std::borrow::Cow;

use countersign_json::{Index, Value, items, members, pointer};

use super::{Form, Node, Part};
use crate::pattern::Pattern;
use crate::resolve::Names;
use crate::types::Types;

/// How many schemas are taken together at most.
const MOST: usize = 64;

/// What applies to one value, the outermost schema first.
#[derive(Debug)]
pub(super) struct Facets<'s> {
    schemas: Vec<(Value<'s>, Part)>,
    /// The forms among which one is to be chosen.
    pub(super) branches: Vec<Value<'s>>,
    /// The kinds that are permitted; `null` is not among them unless it is the only one.
    pub(super) types: Types,
    /// Whether the schema names the kinds, rather than permits them all.
    pub(super) typed: bool,
    pub(super) nullable: bool,
    /// Nothing is permitted.
    pub(super) never: bool,
}

impl<'s> Facets<'s> {
    pub(super) fn of(form: &Form<'s>, node: &Node) -> Facets<'s> {
        let mut facets = Facets {
            schemas: Vec::new(),
            branches: Vec::new(),
            types: Types::ALL,
            typed: false,
            nullable: false,
            never: false,
        };
        if let Some(names) = &form.names {
            for part in &node.parts {
                if let Some(schema) = names.root().and_then(|root| pointer::at(root, part.start)) {
                    facets.take(names, schema, part.alone);
                }
            }
        }
        facets.settle(node.only);
        facets
    }

    /// Takes one schema in, and after it what it refers to and consists of.
    fn take(&mut self, names: &Names<'s>, first: Value<'s>, alone: bool) {
        let mut next = self.schemas.len();
        self.add(first, alone);
        while let Some((schema, part)) = self.schemas.get(next).copied() {
            next += 1;
            if part.alone {
                continue;
            }
            let [reference, dynamic, all, any, one] =
                schema.pick(["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf"]);
            let targets = [reference, dynamic].into_iter().flatten();
            for target in targets.filter_map(|reference| names.find(&reference.as_str()?, schema).schema) {
                self.add(target, false);
            }
            for part in items(all) {
                self.add(part, false);
            }
            for choice in [any, one].into_iter().flatten() {
                self.take_choice(choice);
            }
        }
    }

    fn add(&mut self, schema: Value<'s>, alone: bool) {
        let start = schema.span().start;
        self.never |= schema.as_bool() == Some(false);
        let is_known = self.schemas.iter().any(|(_, part)| part.start == start);
        if schema.is_object() && !is_known && self.schemas.len() < MOST {
            self.schemas.push((schema, Part { start, alone }));
        }
    }

    /// What the conditions among the schemas say about a value, and is not among the schemas yet; `passes` holds the value
    /// against one of them.
    pub(super) fn decided(&self, mut passes: impl FnMut(Value<'s>) -> Option<bool>) -> Vec<Part> {
        let mut parts = Vec::new();
        for (schema, _) in &self.schemas {
            let [condition, then, otherwise] = schema.pick(["if", "then", "else"]);
            let Some(condition) = condition.filter(|_| then.is_some() || otherwise.is_some()) else {
                continue;
            };
            let next = match passes(condition) {
                Some(true) => then,
                Some(false) => otherwise,
                None => None,
            };
            let Some(next) = next.filter(|next| next.is_object()) else { continue };
            let start = next.span().start;
            if self.schemas.iter().all(|(_, part)| part.start != start) {
                parts.push(Part { start, alone: false });
            }
        }
        parts
    }

    /// `[X, null]` is X that may be null; of several others one is to be chosen.
    fn take_choice(&mut self, choice: Value<'s>) {
        let is_null = |branch: &Value<'s>| {
            let [kind, constant] = branch.pick(["type", "const"]);
            kind.is_some_and(|kind| Types::read(kind) == Some(Types::NULL))
                || constant.is_some_and(Value::is_null)
        };
        let others = || choice.items().filter(|branch| !is_null(branch));
        self.nullable |= choice.items().any(|branch| is_null(&branch));
        let mut first = others();
        match (first.next(), first.next()) {
            (Some(only), None) => self.add(only, false),
            (Some(_), Some(_)) if self.branches.is_empty() => self.branches = others().collect(),
            _ => {}
        }
    }

    /// Settles which kinds are left.
    fn settle(&mut self, only: Option<Types>) {
        let mut null_is_excluded = false;
        for (schema, _) in &self.schemas {
            let [kind, nullable] = schema.pick(["type", "nullable"]);
            let says_nullable = nullable.and_then(Value::as_bool) == Some(true);
            self.nullable |= says_nullable;
            if let Some(types) = kind.and_then(Types::read) {
                self.typed = true;
                self.types = self.types.and(types.or(Types::NULL));
                null_is_excluded |= !types.has(Types::NULL) && !says_nullable;
            }
        }
        if self.typed {
            let is_listed = self.types.has(Types::NULL) && !null_is_excluded;
            self.types = self.types.without(Types::NULL);
            self.nullable |= is_listed && !self.types.is_none();
            if self.types.is_none() && is_listed {
                self.types = Types::NULL;
            }
        }
        if let Some(only) = only {
            self.types = self.types.and(only);
            self.typed = true;
            self.nullable = false;
        }
        self.nullable &= self.types != Types::NULL;
    }

    /// The values that the schemas have for a keyword, the outermost first.
    pub(super) fn all(&self, keyword: &'static str) -> impl Iterator<Item = Value<'s>> {
        self.schemas.iter().filter_map(move |(schema, _)| schema.get(keyword))
    }

    /// The first of them.
    pub(super) fn first(&self, keyword: &'static str) -> Option<Value<'s>> {
        self.all(keyword).next()
    }

    /// The first that says something about the value itself, not about the choice that led here.
    pub(super) fn note(&self, keyword: &'static str) -> Option<Value<'s>> {
        let mut own = self.schemas.iter().filter(|(_, part)| !part.alone);
        own.find_map(|(schema, _)| schema.get(keyword))
    }

    /// Whether one of them sets this mark.
    pub(super) fn is(&self, keyword: &'static str) -> bool {
        self.all(keyword).any(|mark| mark.as_bool() == Some(true))
    }

    /// Whether one of them forbids everything under this keyword.
    pub(super) fn forbids(&self, keyword: &'static str) -> bool {
        self.all(keyword).any(|schema| schema.as_bool() == Some(false))
    }

    /// Whether one of them has one of these keywords.
    pub(super) fn mentions(&self, keywords: &[&'static str]) -> bool {
        keywords.iter().any(|keyword| self.first(keyword).is_some())
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.all("required").any(|names| names.items().any(|required| required.equals(name)))
    }

    /// The names of members that must be there, sorted.
    pub(super) fn required(&self) -> Vec<Cow<'s, str>> {
        let mut names: Vec<_> =
            self.all("required").flat_map(Value::items).filter_map(Value::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The declared members, each as often as it is declared.
    pub(super) fn names(&self) -> impl Iterator<Item = Value<'s>> {
        self.all("properties").flat_map(Value::members).map(|(name, _)| name)
    }

    /// The node of the member of this name.
    pub(super) fn member(&self, name: &str) -> Node {
        self.member_by(name, |_, properties| properties.get(name))
    }

    /// The declared members of each schema, for who asks for many of them.
    pub(super) fn index(&self) -> Vec<Option<Index<'s>>> {
        let properties = self.schemas.iter().map(|(schema, _)| schema.get("properties"));
        properties.map(|properties| properties.map(Index::new)).collect()
    }

    /// The node of the member of this name; `find` looks it up among the properties of the schema at this place.
    pub(super) fn member_by(&self, name: &str, find: impl Fn(usize, Value<'s>) -> Option<Value<'s>>) -> Node {
        let mut found: Vec<Value<'s>> = Vec::new();
        for (place, (schema, _)) in self.schemas.iter().enumerate() {
            let [properties, patterns, others] =
                schema.pick(["properties", "patternProperties", "additionalProperties"]);
            let before = found.len();
            found.extend(properties.and_then(|properties| find(place, properties)));
            for (pattern, schema) in members(patterns) {
                let is_meant = || Pattern::new(&pattern.as_str()?).map(|pattern| pattern.is_in(name));
                found.extend(is_meant().unwrap_or_default().then_some(schema));
            }
            if found.len() == before {
                found.extend(others);
            }
        }
        node(found)
    }

    /// The node of the item at this place.
    pub(super) fn item(&self, index: usize) -> Node {
        let mut found: Vec<Value<'s>> = Vec::new();
        for (schema, _) in &self.schemas {
            let [prefix, items, others] = schema.pick(["prefixItems", "items", "additionalItems"]);
            // A list of `items` is how draft-07 says `prefixItems`.
            let (prefix, rest) = match items {
                Some(items) if items.is_array() => (Some(items), others),
                _ => (prefix, items),
            };
            found.extend(prefix.and_then(|prefix| prefix.items().nth(index)).or(rest));
        }
        node(found)
    }

    /// How many items have a schema of their own where no others are permitted.
    pub(super) fn closed_at(&self) -> Option<usize> {
        self.schemas.iter().find_map(|(schema, _)| {
            let [prefix, items, others] = schema.pick(["prefixItems", "items", "additionalItems"]);
            let (prefix, rest) = match items {
                Some(items) if items.is_array() => (Some(items), others),
                _ => (prefix, items),
            };
            (rest?.as_bool() == Some(false)).then(|| prefix.map_or(0, Value::len))
        })
    }

    /// The node of one of several forms: the form itself, and what is said besides.
    pub(super) fn branch(&self, branch: Value<'s>) -> Node {
        let first = Part { start: branch.span().start, alone: false };
        let others = self.schemas.iter().map(|(_, part)| Part { alone: true, ..*part });
        Node { parts: std::iter::once(first).chain(others).collect(), only: None }
    }
}

fn node(schemas: Vec<Value<'_>>) -> Node {
    let part = |schema: Value<'_>| Part { start: schema.span().start, alone: false };
    Node { parts: schemas.into_iter().map(part).collect(), only: None }
}
