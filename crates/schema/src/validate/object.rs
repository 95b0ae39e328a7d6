//! Keywords about objects.

use std::borrow::Cow;

use countersign_json::{Index, Value, members};

use super::Reason;
use super::checker::Checker;
use super::evaluated::Evaluated;
use super::fault::{Fault, Outcome, Place};

impl<'s, 'v> Checker<'s, 'v, '_> {
    pub(super) fn object(
        &mut self,
        schema: Value<'s>,
        value: Value<'v>,
        is_old: bool,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let [least, most, required, names] =
            schema.pick(["minProperties", "maxProperties", "required", "propertyNames"]);
        let mut outcome = self.size(schema, [("minProperties", least), ("maxProperties", most)], value);
        if let Some(required) = required {
            outcome = outcome.and(self.required(schema, "required", required, value));
        }
        for (name, _) in names.into_iter().flat_map(|_| value.members()) {
            outcome = outcome.and(self.property_name(schema, names, name));
        }
        outcome
            .and(self.dependencies(schema, value, is_old, evaluated))
            .and(self.members(schema, value, evaluated))
    }

    fn property_name(&mut self, schema: Value<'s>, names: Option<Value<'s>>, name: Value<'v>) -> Outcome {
        let Some(names) = names else { return Outcome::Pass };
        match self.tried(names, name, &mut Evaluated::new(false)) {
            Outcome::Fail => self.fault(schema, "propertyNames", name),
            other => other,
        }
    }

    /// Reports each of the names that is not there.
    fn required(
        &mut self,
        schema: Value<'s>,
        keyword: &'static str,
        names: Value<'s>,
        value: Value<'v>,
    ) -> Outcome {
        let mut outcome = Outcome::Pass;
        let there = self.lookup(Some(value), names.len());
        for name in names.items().filter(|name| name.is_string()) {
            if !self.spend(there.cost) {
                return outcome.and(self.doubt(schema, keyword, value, Reason::TooMuch));
            }
            if there.get(name).is_none() {
                self.found.fault(Fault { place: Place { schema, keyword, at: value }, missing: Some(name) });
                outcome = Outcome::Fail;
            }
        }
        outcome
    }

    /// What is asked for because some member is there.
    fn dependencies(
        &mut self,
        schema: Value<'s>,
        value: Value<'v>,
        is_old: bool,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let [either, names, schemas] = schema.pick(["dependencies", "dependentRequired", "dependentSchemas"]);
        let mut outcome = Outcome::Pass;
        let all = [
            (either, "dependencies"),
            (names.filter(|_| !is_old), "dependentRequired"),
            (schemas.filter(|_| !is_old), "dependentSchemas"),
        ];
        for (dependencies, keyword) in all {
            let there = dependencies.map_or(0, Value::len);
            let there = self.lookup(Some(value), there);
            for (name, wanted) in members(dependencies) {
                if !self.spend(there.cost) {
                    return outcome.and(self.doubt(schema, keyword, value, Reason::TooMuch));
                }
                if there.get(name).is_none() {
                    continue;
                }
                outcome = outcome.and(if wanted.is_array() {
                    self.required(schema, keyword, wanted, value)
                } else {
                    self.apply(wanted, value, evaluated)
                });
            }
        }
        outcome
    }

    /// `properties`, `patternProperties`, `additionalProperties`.
    fn members(&mut self, schema: Value<'s>, value: Value<'v>, evaluated: &mut Evaluated) -> Outcome {
        let [properties, patterns, others] =
            schema.pick(["properties", "patternProperties", "additionalProperties"]);
        let mut outcome = Outcome::Pass;
        if properties.is_none() && patterns.is_none() && others.is_none() {
            return outcome;
        }
        let declared = self.lookup(properties, value.len());
        for (index, (name, member)) in value.members().enumerate() {
            if !self.spend(declared.cost) {
                return outcome.and(self.doubt(schema, "properties", value, Reason::TooMuch));
            }
            let text = text(name);
            let (mut is_known, mut is_doubtful) = (false, false);
            if let Some(property) = declared.get(name) {
                is_known = true;
                outcome = outcome.and(self.apply(property, member, &mut Evaluated::new(false)));
            }
            for (pattern, wanted) in members(patterns) {
                match self.matches(pattern, &text) {
                    Ok(false) => {}
                    Ok(true) => {
                        is_known = true;
                        outcome = outcome.and(self.apply(wanted, member, &mut Evaluated::new(false)));
                    }
                    Err(reason) => {
                        is_doubtful = true;
                        outcome = outcome.and(self.doubt(schema, "patternProperties", member, reason));
                    }
                }
            }
            match others {
                Some(others) if !is_known && !is_doubtful => {
                    outcome = outcome.and(self.additional(schema, "additionalProperties", others, member));
                    evaluated.mark(index);
                }
                _ if is_known || is_doubtful => evaluated.mark(index),
                _ => {}
            }
        }
        outcome
    }

    /// Looks up so many members of an object, or of none.
    fn lookup<'d>(&mut self, object: Option<Value<'d>>, times: usize) -> Lookup<'d> {
        let (count, size) = object.map_or((0, 0), |object| (object.len(), object.text().len()));
        // To sort them, all names are read.
        let (each, sorting) = (1 + count / 4, count + size / 16);
        if sorting + 4 * times >= each * times {
            self.spend(count / 8);
            return Lookup { object, index: None, cost: each };
        }
        let index = object.filter(|_| self.spend(sorting)).map(Index::new);
        Lookup { object: None, index, cost: 4 }
    }

    /// A child that has no schema of its own; where none is permitted, this keyword is what says so.
    pub(super) fn additional(
        &mut self,
        schema: Value<'s>,
        keyword: &'static str,
        others: Value<'s>,
        child: Value<'v>,
    ) -> Outcome {
        match others.as_bool() {
            Some(false) => self.fault(schema, keyword, child),
            _ => self.apply(others, child, &mut Evaluated::new(false)),
        }
    }
}

/// The members of an object, for who looks up many of them.
struct Lookup<'d> {
    object: Option<Value<'d>>,
    /// Where that is less work than to look through all members each time.
    index: Option<Index<'d>>,
    /// The steps for one of them.
    cost: usize,
}

impl<'d> Lookup<'d> {
    /// The value of the last member of this name.
    fn get(&self, name: Value<'_>) -> Option<Value<'d>> {
        match &self.index {
            Some(index) => index.get(name),
            None => self.object?.get(&text(name)),
        }
    }
}

/// The content of a name.
fn text(name: Value<'_>) -> Cow<'_, str> {
    name.as_str_lossy().unwrap_or_default()
}
