//! Keywords that apply other schemas to the same value: `allOf`, `anyOf`, `oneOf`, `not`, `if`.

use countersign_json::{Value, items};

use super::checker::Checker;
use super::evaluated::Evaluated;
use super::fault::{Fault, Outcome};

impl<'s, 'v> Checker<'s, 'v, '_> {
    pub(super) fn branches(
        &mut self,
        schema: Value<'s>,
        value: Value<'v>,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let [all, any, one, not, condition, then, otherwise] =
            schema.pick(["allOf", "anyOf", "oneOf", "not", "if", "then", "else"]);
        let mut outcome = Outcome::Pass;
        for part in items(all) {
            outcome = outcome.and(self.apply(part, value, evaluated));
        }
        for (branches, keyword) in [(any, "anyOf"), (one, "oneOf")] {
            if let Some(branches) = branches.filter(|branches| branches.is_array()) {
                outcome = outcome.and(self.choice(schema, keyword, branches, value, evaluated));
            }
        }
        if let Some(not) = not {
            outcome = outcome.and(self.not(schema, not, value));
        }
        if let Some(condition) = condition {
            let next = match self.tried(condition, value, evaluated) {
                Outcome::Pass => then,
                Outcome::Fail => otherwise,
                Outcome::Doubt => {
                    outcome = outcome.and(Outcome::Doubt);
                    evaluated.is_doubtful = true;
                    None
                }
            };
            if let Some(next) = next {
                outcome = outcome.and(self.apply(next, value, evaluated));
            }
        }
        outcome
    }

    /// What the value would come to; what is wrong with it is forgotten.
    pub(super) fn tried(
        &mut self,
        schema: Value<'s>,
        value: Value<'v>,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let mark = self.found.mark();
        let outcome = self.apply(schema, value, evaluated);
        self.found.forget(mark, outcome);
        outcome
    }

    fn not(&mut self, schema: Value<'s>, not: Value<'s>, value: Value<'v>) -> Outcome {
        match self.tried(not, value, &mut Evaluated::new(false)) {
            Outcome::Pass => self.fault(schema, "not", value),
            Outcome::Doubt => Outcome::Doubt,
            Outcome::Fail => Outcome::Pass,
        }
    }

    /// `anyOf` and `oneOf`; where no branch passes, the problems of the one that comes closest stay.
    fn choice(
        &mut self,
        schema: Value<'s>,
        keyword: &'static str,
        branches: Value<'s>,
        value: Value<'v>,
        evaluated: &mut Evaluated,
    ) -> Outcome {
        let start = self.found.mark();
        let (mut passes, mut doubts) = (0_usize, 0_usize);
        let mut closest: Option<(usize, Vec<Fault<'s, 'v>>)> = None;
        for branch in branches.items() {
            let mark = self.found.mark();
            match self.apply(branch, value, evaluated) {
                Outcome::Pass => {
                    passes += 1;
                    self.found.forget(mark, Outcome::Pass);
                }
                Outcome::Doubt => {
                    doubts += 1;
                    evaluated.is_doubtful = true;
                }
                Outcome::Fail => {
                    let faults = self.found.faults.get(mark.faults..).unwrap_or_default();
                    let distance = distance(faults, value);
                    if closest.as_ref().is_none_or(|(least, _)| distance < *least) {
                        closest = Some((distance, faults.to_vec()));
                    }
                    self.found.forget(mark, Outcome::Fail);
                }
            }
            // What the other branches look at matters only where someone asks.
            if keyword == "anyOf" && passes > 0 && !evaluated.is_wanted {
                break;
            }
        }
        match (passes, doubts) {
            (0, 0) => {
                self.found.forget(start, Outcome::Fail);
                match closest.filter(|(distance, _)| *distance < FAR) {
                    Some((_, faults)) => faults.into_iter().for_each(|fault| self.found.fault(fault)),
                    None => return self.fault(schema, keyword, value),
                }
                Outcome::Fail
            }
            (2.., _) if keyword == "oneOf" => {
                self.found.forget(start, Outcome::Fail);
                self.fault(schema, keyword, value)
            }
            (1.., _) if doubts == 0 || keyword == "anyOf" => {
                self.found.forget(start, Outcome::Pass);
                Outcome::Pass
            }
            _ => Outcome::Doubt,
        }
    }
}

/// From here on a branch is about something else than the value.
const FAR: usize = 1 << 20;

/// How far a branch with these faults is from the value.
fn distance(faults: &[Fault<'_, '_>], value: Value<'_>) -> usize {
    let weight = |fault: &Fault<'_, '_>| {
        let is_here = fault.place.at.span().start == value.span().start && fault.missing.is_none();
        match fault.place.keyword {
            "type" | "const" | "enum" | "anyOf" | "" if is_here => FAR,
            // A member with one permitted value is what tells branches apart.
            "const" | "enum" => 1000,
            _ => 1,
        }
    };
    faults.iter().map(weight).sum()
}
