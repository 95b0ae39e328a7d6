//! The walk through a schema and a value.

use countersign_json::{Numbers, Value, same};

use super::evaluated::Evaluated;
use super::fault::{Doubt, Fault, Findings, Outcome, Place};
use super::{Options, Reason, Report};
use crate::dialect::Dialect;
use crate::pattern::Pattern;
use crate::resolve::{Found, Names, identity};
use crate::types::Types;

/// What it costs to look at one schema besides its members.
const APPLIED: usize = 16;
/// How many references are remembered.
const RESOLVED: usize = 64;

/// Holds one value against one schema.
pub(crate) struct Checker<'s, 'v, 'o> {
    pub(super) names: &'o Names<'s>,
    pub(super) options: &'o Options,
    pub(super) found: Findings<'s, 'v>,
    /// The patterns that were used before, by the place of their text.
    pub(super) patterns: Vec<(usize, Option<Pattern>)>,
    /// Whether the schema asks anywhere what others have not looked at.
    tracks: bool,
    /// References that were followed before, each in the place that its own place in the text gives it.
    resolved: Vec<Option<(usize, Found<'s>)>>,
    steps: u32,
    depth: u32,
    /// The resources on the way here, the outermost first.
    way: Vec<usize>,
    /// The references on the way here, each with the value that it was followed for.
    followed: Vec<(usize, usize)>,
}

impl<'s, 'v, 'o> Checker<'s, 'v, 'o> {
    pub(crate) fn new(names: &'o Names<'s>, tracks: bool, options: &'o Options) -> Checker<'s, 'v, 'o> {
        Checker {
            names,
            options,
            found: Findings::default(),
            patterns: Vec::new(),
            resolved: Vec::new(),
            tracks,
            steps: options.limits.steps,
            depth: 0,
            way: Vec::new(),
            followed: Vec::new(),
        }
    }

    pub(crate) fn run(mut self, value: Value<'v>) -> Report {
        let root = self.names.root();
        let mut evaluated = Evaluated::new(false);
        if let Some(root) = root {
            self.way.push(0);
            self.apply(root, value, &mut evaluated);
        }
        self.found.report(self.names, value, self.options.limits.problems)
    }

    /// Whether `value` is what this part of the schema wants; `None`: that cannot be told.
    pub(crate) fn passes(mut self, part: Value<'s>, value: Value<'v>) -> Option<bool> {
        match self.apply(part, value, &mut Evaluated::new(false)) {
            Outcome::Pass => Some(true),
            Outcome::Fail => Some(false),
            Outcome::Doubt => None,
        }
    }

    /// Takes this many steps; false if they are not left, and then none is.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_sub(u32::try_from(steps).unwrap_or(u32::MAX));
        self.steps > 0
    }

    /// Takes this many steps if they are left.
    pub(super) fn afford(&mut self, steps: usize) -> bool {
        u32::try_from(steps).is_ok_and(|steps| steps < self.steps) && self.spend(steps)
    }

    pub(super) fn fault(&mut self, schema: Value<'s>, keyword: &'static str, at: Value<'v>) -> Outcome {
        self.found.fault(Fault { place: Place { schema, keyword, at }, missing: None });
        Outcome::Fail
    }

    pub(super) fn doubt(
        &mut self,
        schema: Value<'s>,
        keyword: &'static str,
        at: Value<'v>,
        reason: Reason,
    ) -> Outcome {
        self.found.doubt(Doubt { place: Place { schema, keyword, at }, reason });
        Outcome::Doubt
    }

    /// The keyword's outcome: a fault unless it passes.
    pub(super) fn need(
        &mut self,
        passes: bool,
        schema: Value<'s>,
        keyword: &'static str,
        at: Value<'v>,
    ) -> Outcome {
        if passes { Outcome::Pass } else { self.fault(schema, keyword, at) }
    }

    /// Holds `value` against `schema`, and marks in `outer` what was looked at.
    pub(super) fn apply(&mut self, schema: Value<'s>, value: Value<'v>, outer: &mut Evaluated) -> Outcome {
        if self.depth >= self.options.limits.depth || !self.spend(1) {
            outer.is_doubtful = true;
            return self.doubt(schema, "", value, Reason::TooMuch);
        }
        if !schema.is_object() {
            return match schema.as_bool() {
                Some(false) => self.fault(schema, "", value),
                _ => Outcome::Pass,
            };
        }
        // Each keyword is looked for among all members of the schema; of a number all digits may count.
        let digits = value.as_number().map_or(0, str::len);
        self.spend(APPLIED + schema.members().count() + self.names.len() / 8 + digits / 16);
        let resource = self.names.around(schema);
        let enters = self.way.last() != Some(&resource);
        if enters {
            self.way.push(resource);
        }
        self.depth += 1;
        let mut evaluated = Evaluated::new(self.tracks);
        let outcome = self.keywords(schema, value, resource, &mut evaluated);
        self.depth -= 1;
        if enters {
            self.way.pop();
        }
        if outcome != Outcome::Fail && self.spend(evaluated.len() / 8) {
            outer.merge(&evaluated);
        }
        outcome
    }

    fn keywords(
        &mut self,
        schema: Value<'s>,
        value: Value<'v>,
        resource: usize,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let is_old = self.names.get(resource).is_some_and(|resource| resource.dialect == Dialect::Draft07);
        let [reference, dynamic, recursive] = schema.pick(["$ref", "$dynamicRef", "$recursiveRef"]);
        let mut outcome = Outcome::Pass;
        if let Some(reference) = reference.filter(|reference| reference.is_string()) {
            outcome = self.reference(schema, "$ref", reference, value, evaluated);
            if is_old {
                return outcome;
            }
        }
        if let Some(reference) = dynamic.filter(|reference| !is_old && reference.is_string()) {
            outcome = outcome.and(self.reference(schema, "$dynamicRef", reference, value, evaluated));
        }
        if recursive.is_some() {
            evaluated.is_doubtful = true;
            outcome = outcome.and(self.doubt(schema, "$recursiveRef", value, Reason::Reference));
        }
        outcome = outcome.and(self.listed(schema, value)).and(self.branches(schema, value, evaluated));
        outcome = outcome.and(if value.is_object() {
            self.object(schema, value, is_old, evaluated)
        } else if value.is_array() {
            self.array(schema, value, is_old, evaluated)
        } else {
            self.scalar(schema, value)
        });
        if self.tracks && !is_old {
            outcome = outcome.and(self.unevaluated(schema, value, evaluated));
        }
        outcome
    }

    /// `type`, `const`, `enum`.
    fn listed(&mut self, schema: Value<'s>, value: Value<'v>) -> Outcome {
        let [kind, constant, choices, nullable] = schema.pick(["type", "const", "enum", "nullable"]);
        let mut outcome = Outcome::Pass;
        // OpenAPI's way to permit null, which tools' schemas have.
        let is_exempt = value.is_null() && nullable.and_then(Value::as_bool) == Some(true);
        if let Some(kind) = kind {
            outcome = match Types::sure(kind) {
                Some(types) => self.need(is_exempt || types.permit(value), schema, "type", value),
                None => self.doubt(schema, "type", value, Reason::Meaningless),
            };
        }
        for (choices, keyword) in [(constant, "const"), (choices, "enum")] {
            let Some(choices) = choices else { continue };
            // What is compared with each choice as a whole. Strings of one length are few.
            let is_long = value.is_object() || value.is_array() || value.as_number().is_some();
            let mut cost = choices.text().len() / 16;
            if is_long && self.spend(cost) {
                let alike = choices.items().filter(|choice| choice.kind() == value.kind()).count() + 1;
                cost = alike * value.text().len() / 16;
            }
            let result = if !self.spend(cost) {
                self.doubt(schema, keyword, value, Reason::TooMuch)
            } else if keyword == "enum" {
                let mut items = choices.items();
                let passes =
                    is_exempt || !choices.is_array() || items.any(|item| same(item, value, Numbers::Value));
                self.need(passes, schema, keyword, value)
            } else {
                self.need(same(choices, value, Numbers::Value), schema, keyword, value)
            };
            outcome = outcome.and(result);
        }
        outcome
    }

    fn reference(
        &mut self,
        schema: Value<'s>,
        keyword: &'static str,
        reference: Value<'s>,
        value: Value<'v>,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let found = self.find(reference, schema);
        let Some(target) = found.schema.filter(|_| self.spend(2)) else {
            evaluated.is_doubtful = true;
            let reason = if self.steps > 0 { Reason::Reference } else { Reason::TooMuch };
            return self.doubt(schema, keyword, value, reason);
        };
        let mut target = target;
        if let Some(anchor) = found.dynamic.filter(|_| keyword == "$dynamicRef") {
            // The search looks at all names for each resource on the way.
            self.spend(self.way.len() * self.names.len() / 4);
            let outermost = self.way.iter().find_map(|resource| self.names.dynamic(*resource, anchor));
            target = outermost.unwrap_or(target);
        }
        let step = (identity(target), identity(value));
        if self.followed.contains(&step) {
            // The same schema for the same value: nothing new can come of it, and no end.
            return self.doubt(schema, keyword, value, Reason::TooMuch);
        }
        self.followed.push(step);
        let outcome = self.apply(target, value, evaluated);
        self.followed.pop();
        outcome
    }

    /// Where the reference leads; most are followed many times.
    fn find(&mut self, reference: Value<'s>, schema: Value<'s>) -> Found<'s> {
        let at = identity(reference);
        if let Some(Some((known, found))) = self.resolved.get(at % RESOLVED)
            && *known == at
        {
            return *found;
        }
        let found = self.names.find(&reference.as_str_lossy().unwrap_or_default(), schema);
        self.spend(found.steps);
        if self.resolved.is_empty() {
            self.resolved.resize(RESOLVED, None);
        }
        if let Some(place) = self.resolved.get_mut(at % RESOLVED) {
            *place = Some((at, found));
        }
        found
    }

    /// `unevaluatedProperties` and `unevaluatedItems`: for what nothing beside them has looked at.
    fn unevaluated(&mut self, schema: Value<'s>, value: Value<'v>, evaluated: &mut Evaluated) -> Outcome {
        let keyword = if value.is_object() { "unevaluatedProperties" } else { "unevaluatedItems" };
        let Some(rest) = schema.get(keyword) else { return Outcome::Pass };
        let mut outcome = Outcome::Pass;
        let children = value.members().map(|(_, member)| member).chain(value.items());
        for (index, child) in children.enumerate() {
            if !self.spend(1) {
                return outcome.and(self.doubt(schema, keyword, child, Reason::TooMuch));
            }
            if !evaluated.has(index) {
                let result = if !evaluated.is_doubtful {
                    self.additional(schema, keyword, rest, child)
                } else {
                    match self.tried(rest, child, &mut Evaluated::new(false)) {
                        Outcome::Fail => self.doubt(schema, keyword, child, Reason::Depends),
                        other => other,
                    }
                };
                outcome = outcome.and(result);
                evaluated.mark(index);
            }
        }
        outcome
    }
}

/// Whether a schema asks anywhere what others have not looked at. With an escape in a name the word may be there without
/// being seen.
pub(crate) fn tracks(text: &str) -> bool {
    text.contains("unevaluated") || text.contains("\\u")
}

impl std::fmt::Debug for Checker<'_, '_, '_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Checker").field("steps", &self.steps).finish_non_exhaustive()
    }
}
