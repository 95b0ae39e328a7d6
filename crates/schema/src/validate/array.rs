//! Keywords about arrays.

use countersign_json::{Numbers, Value, mark, same};

use super::Reason;
use super::checker::Checker;
use super::evaluated::Evaluated;
use super::fault::Outcome;

impl<'s, 'v> Checker<'s, 'v, '_> {
    pub(super) fn array(
        &mut self,
        schema: Value<'s>,
        value: Value<'v>,
        is_old: bool,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let [least, most, unique] = schema.pick(["minItems", "maxItems", "uniqueItems"]);
        let mut outcome = self.size(schema, [("minItems", least), ("maxItems", most)], value);
        if unique.and_then(Value::as_bool) == Some(true) {
            outcome = outcome.and(self.unique(schema, value));
        }
        outcome
            .and(self.items(schema, value, is_old, evaluated))
            .and(self.contains(schema, value, is_old, evaluated))
    }

    /// `prefixItems`, `items`, `additionalItems`.
    fn items(
        &mut self,
        schema: Value<'s>,
        value: Value<'v>,
        is_old: bool,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let [prefix, items, others] = schema.pick(["prefixItems", "items", "additionalItems"]);
        // A list of `items` is how draft-07 says `prefixItems`; many schemas that do not name a draft have it.
        let (prefix, rest, keyword) = match items {
            Some(items) if items.is_array() => (Some(items), others, "additionalItems"),
            _ => (prefix.filter(|_| !is_old), items, "items"),
        };
        let mut first = countersign_json::items(prefix);
        let mut outcome = Outcome::Pass;
        for (index, item) in value.items().enumerate() {
            let result = match (first.next(), rest) {
                (Some(wanted), _) => self.apply(wanted, item, &mut Evaluated::new(false)),
                (None, Some(rest)) => self.additional(schema, keyword, rest, item),
                (None, None) => break,
            };
            outcome = outcome.and(result);
            evaluated.mark(index);
        }
        outcome
    }

    fn contains(
        &mut self,
        schema: Value<'s>,
        value: Value<'v>,
        is_old: bool,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let [contains, least, most] = schema.pick(["contains", "minContains", "maxContains"]);
        let Some(contains) = contains else { return Outcome::Pass };
        let (least, most) = if is_old { (None, None) } else { (least, most) };
        let limits = [least, most].into_iter().flatten().map(|limit| limit.text().len()).sum::<usize>();
        if !self.spend(limits / 8) {
            return self.doubt(schema, "contains", value, Reason::TooMuch);
        }
        let start = self.found.mark();
        let (mut passes, mut doubts) = (0, 0);
        for (index, item) in value.items().enumerate() {
            match self.tried(contains, item, &mut Evaluated::new(false)) {
                Outcome::Pass => {
                    passes += 1;
                    evaluated.mark(index);
                }
                Outcome::Doubt => {
                    doubts += 1;
                    evaluated.mark(index);
                }
                Outcome::Fail => {}
            }
        }
        let enough = |count: usize| match least.and_then(Value::as_number) {
            Some(least) => at_least(count, least),
            None => count > 0,
        };
        let few = |count: usize| most.and_then(Value::as_number).is_none_or(|most| at_most(count, most));
        let outcome = if !enough(passes + doubts) {
            self.fault(schema, if least.is_some() { "minContains" } else { "contains" }, value)
        } else if !few(passes) {
            self.fault(schema, "maxContains", value)
        } else if enough(passes) && few(passes + doubts) {
            Outcome::Pass
        } else {
            Outcome::Doubt
        };
        if outcome != Outcome::Doubt {
            self.found.doubts.truncate(start.doubts);
        }
        outcome
    }

    fn unique(&mut self, schema: Value<'s>, value: Value<'v>) -> Outcome {
        let count = value.len();
        if !self.spend(count + value.text().len() / 16) {
            return self.doubt(schema, "uniqueItems", value, Reason::TooMuch);
        }
        // A table with twice as many places as items; equal items begin their search at the same place.
        let places = (count * 2).next_power_of_two();
        let mut table: Vec<Option<(u32, Value<'v>)>> = vec![None; places];
        for item in value.items() {
            // Of what is in the containers of an item only the kinds count: more would be much to look at for few.
            let mark = mark(item, 1);
            let mut at = mark as usize % places;
            while let Some(Some((other, earlier))) = table.get(at) {
                if *other == mark {
                    if !self.spend(16 + item.text().len() / 4) {
                        return self.doubt(schema, "uniqueItems", value, Reason::TooMuch);
                    }
                    if same(*earlier, item, Numbers::Value) {
                        return self.fault(schema, "uniqueItems", value);
                    }
                } else if !self.spend(1) {
                    return self.doubt(schema, "uniqueItems", value, Reason::TooMuch);
                }
                at = (at + 1) % places;
            }
            if let Some(place) = table.get_mut(at) {
                *place = Some((mark, item));
            }
        }
        Outcome::Pass
    }
}

pub(super) fn at_least(count: usize, limit: &str) -> bool {
    countersign_json::compare_numbers(&count.to_string(), limit).is_ge()
}

pub(super) fn at_most(count: usize, limit: &str) -> bool {
    countersign_json::compare_numbers(&count.to_string(), limit).is_le()
}
