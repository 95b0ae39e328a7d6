//! Keywords about numbers and strings, and limits that count.

use std::cmp::Ordering;

use countersign_json::{Value, compare_numbers, is_multiple};

use super::Reason;
use super::array::{at_least, at_most};
use super::checker::Checker;
use super::fault::Outcome;
use crate::format::Format;
use crate::pattern::Pattern;
use crate::resolve::identity;

impl<'s, 'v> Checker<'s, 'v, '_> {
    pub(super) fn scalar(&mut self, schema: Value<'s>, value: Value<'v>) -> Outcome {
        match value.as_number() {
            Some(number) => self.number(schema, number, value),
            None if value.is_string() => self.string(schema, value),
            None => Outcome::Pass,
        }
    }

    fn number(&mut self, schema: Value<'s>, number: &str, value: Value<'v>) -> Outcome {
        type Rule = (&'static str, fn(Ordering) -> bool);
        const RULES: [Rule; 4] = [
            ("minimum", Ordering::is_ge),
            ("maximum", Ordering::is_le),
            ("exclusiveMinimum", Ordering::is_gt),
            ("exclusiveMaximum", Ordering::is_lt),
        ];
        let limits = schema.pick(RULES.map(|(keyword, _)| keyword));
        let mut outcome = Outcome::Pass;
        for ((keyword, permits), limit) in RULES.into_iter().zip(limits) {
            let Some(limit) = limit else { continue };
            let result = match limit.as_number() {
                Some(limit) if self.spend((limit.len() + number.len()) / 16) => {
                    self.need(permits(compare_numbers(number, limit)), schema, keyword, value)
                }
                Some(_) => self.doubt(schema, keyword, value, Reason::TooMuch),
                None => self.doubt(schema, keyword, value, Reason::Meaningless),
            };
            outcome = outcome.and(result);
        }
        if let Some(of) = schema.get("multipleOf") {
            outcome = outcome.and(if !self.spend((of.text().len() + number.len()) / 4) {
                self.doubt(schema, "multipleOf", value, Reason::TooMuch)
            } else if let Some(passes) = of.as_number().and_then(|of| is_multiple(number, of)) {
                self.need(passes, schema, "multipleOf", value)
            } else {
                self.doubt(schema, "multipleOf", value, Reason::Meaningless)
            });
        }
        outcome
    }

    fn string(&mut self, schema: Value<'s>, value: Value<'v>) -> Outcome {
        let [least, most, pattern, format] = schema.pick(["minLength", "maxLength", "pattern", "format"]);
        if least.is_none() && most.is_none() && pattern.is_none() && format.is_none() {
            return Outcome::Pass;
        }
        let text = value.as_str_lossy().unwrap_or_default();
        if !self.spend(text.len() / 16) {
            return self.doubt(schema, "pattern", value, Reason::TooMuch);
        }
        let mut outcome = Outcome::Pass;
        if least.is_some() || most.is_some() {
            let limits = [("minLength", least), ("maxLength", most)];
            outcome = self.counted(schema, limits, text.chars().count(), value);
        }
        if let Some(pattern) = pattern {
            outcome = outcome.and(match self.matches(pattern, &text) {
                Ok(passes) => self.need(passes, schema, "pattern", value),
                Err(reason) => self.doubt(schema, "pattern", value, reason),
            });
        }
        if let Some(format) = format.filter(|_| self.options.formats).and_then(Value::as_str) {
            let permits = Format::named(&format).is_none_or(|format| format.permits(&text));
            outcome = outcome.and(self.need(permits, schema, "format", value));
        }
        outcome
    }

    /// Whether the pattern is found in the text; otherwise why that is not known.
    pub(super) fn matches(&mut self, pattern: Value<'s>, text: &str) -> Result<bool, Reason> {
        let at = identity(pattern);
        let known = match self.patterns.iter().position(|(known, _)| *known == at) {
            Some(known) => known,
            None => {
                let source = pattern.as_str().ok_or(Reason::Meaningless)?;
                if !self.spend(1000 + 8 * source.len()) {
                    return Err(Reason::TooMuch);
                }
                self.patterns.push((at, Pattern::new(&source)));
                self.patterns.len() - 1
            }
        };
        let cost = match self.patterns.get(known) {
            Some((_, Some(pattern))) => pattern.cost(text),
            _ => return Err(Reason::Pattern),
        };
        // A pattern that is too dear for one text leaves the rest to be checked.
        if !self.afford(1 + self.patterns.len() / 16 + cost) {
            return Err(Reason::TooMuch);
        }
        match self.patterns.get(known) {
            Some((_, Some(pattern))) => Ok(pattern.is_in(text)),
            _ => Err(Reason::Pattern),
        }
    }

    /// Holds how many members or items there are against the least and the most there may be.
    pub(super) fn size(&mut self, schema: Value<'s>, limits: Bounds<'s>, value: Value<'v>) -> Outcome {
        if limits.iter().all(|(_, limit)| limit.is_none()) {
            return Outcome::Pass;
        }
        let count = value.len();
        self.spend(count / 8);
        self.counted(schema, limits, count, value)
    }

    fn counted(&mut self, schema: Value<'s>, limits: Bounds<'s>, count: usize, value: Value<'v>) -> Outcome {
        type Permits = fn(usize, &str) -> bool;
        const PERMIT: [Permits; 2] = [at_least, at_most];
        let mut outcome = Outcome::Pass;
        for ((keyword, limit), permits) in limits.into_iter().zip(PERMIT) {
            let Some(limit) = limit else { continue };
            outcome = outcome.and(match limit.as_number() {
                Some(limit) if self.spend(limit.len() / 16) => {
                    self.need(permits(count, limit), schema, keyword, value)
                }
                Some(_) => self.doubt(schema, keyword, value, Reason::TooMuch),
                None => self.doubt(schema, keyword, value, Reason::Meaningless),
            });
        }
        outcome
    }
}

/// The least and the most there may be, each with its keyword.
type Bounds<'s> = [(&'static str, Option<Value<'s>>); 2];
