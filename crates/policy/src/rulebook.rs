//! A configuration, rules and grants together: the policy that an inbox carries.

use std::cmp::Reverse;
use std::sync::Arc;

use countersign_core::{Decision, OfferKind, Policy, Proposal, Ruling, Verdict};
use countersign_json::{Value, Writer};

use crate::configuration::Configuration;
use crate::constraint::{Arguments, Fit};
use crate::error::PolicyError;
use crate::grants::Grants;
use crate::read::{Read, What, fault, member, no_nulls, only, rule_name, shared, with_document};
use crate::rule::Rule;

/// A configuration, rules and grants together.
///
/// The default is to ask. Of all that fits a call the strictest counts, whatever its order: deny, then ask, then
/// allow; among the equally strict the most specific gives its name. A grant turns `ask` into `allow`, never `deny`, nor what
/// may be a `deny`. What is of high risk, or cannot be read without doubt, is never allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rulebook {
    /// What a framework's own format configures; where it says nothing about a call, it permits nothing.
    pub configuration: Option<Configuration>,
    /// What the host says.
    pub rules: Vec<Rule>,
    /// What people granted.
    pub grants: Grants,
    /// Grants without an end count everywhere; otherwise only those that are bound to a session may be without.
    pub forever: bool,
}

impl Rulebook {
    /// Reads a configuration and rules; grants are kept apart, see [`Grants::read`].
    ///
    /// # Shape
    /// `{"system": "haystack", "config": …, "rules": […], "forever": false}`, each member optional, but a
    /// configuration format needs its `config`. A `templates` member belongs to the adapter and is not looked at.
    ///
    /// # Errors
    /// [`PolicyError`]: what is wrong, and where. Nothing of the text counts then.
    pub fn read(text: &str) -> Result<Rulebook, PolicyError> {
        with_document(text, Rulebook::from_value)
    }

    fn from_value(value: Value<'_>) -> Read<Rulebook> {
        only(value, &["system", "config", "rules", "forever", "templates"])?;
        no_nulls(value, &["config", "templates"])?;
        let mut book = Rulebook::default();
        if member(value, "system").is_some() || value.get("config").is_some() {
            book.configuration = Some(Configuration::of(value)?);
        }
        if let Some(rules) = member(value, "rules") {
            book.rules = Rule::list(rules)?;
        }
        if let Some(forever) = member(value, "forever") {
            let is_bool = || fault(forever, What::WrongType("true or false"));
            book.forever = forever.as_bool().ok_or_else(is_bool)?;
        }
        Ok(book)
    }

    /// Writes the configuration and the rules, as JSON text; grants are written apart.
    #[must_use]
    pub fn write(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_object();
        if let Some(configuration) = &self.configuration {
            writer.key("system").string(configuration.system()).key("config").raw(&configuration.write());
        }
        writer.key("rules");
        Rule::write_list(&mut writer, &self.rules);
        writer.key("forever").bool(self.forever);
        writer.finish()
    }

    /// Whether this call is of high risk: by itself, or because a rule says so.
    #[must_use]
    pub fn is_high_risk(&self, proposal: &Proposal<'_>) -> bool {
        self.risky(proposal, &Arguments::new(proposal)).is_some() || (proposal.high_risk)()
    }

    /// The most specific of the rules that call it of high risk.
    fn risky(&self, proposal: &Proposal<'_>, args: &Arguments<'_>) -> Option<&Rule> {
        let mut found: Option<&Rule> = None;
        for rule in self.rules.iter().filter(|rule| rule.high_risk) {
            let comes_first = |known: &Rule| {
                rank((Ruling::Ask, rule.specificity(), rule))
                    > rank((Ruling::Ask, known.specificity(), known))
            };
            // Whatever its effect: what is of high risk is not permitted by that.
            if found.is_none_or(comes_first) && rule.fit(proposal, args, false) != Fit::No {
                found = Some(rule);
            }
        }
        found
    }

    /// The strictest rule that fits, and of the equally strict the most specific; and whether a denial may be meant.
    fn by_rules(&self, proposal: &Proposal<'_>, args: &Arguments<'_>) -> (Option<Verdict>, bool) {
        let mut strictest: Option<(Ruling, usize, &Rule)> = None;
        let mut may_be_denied = false;
        for rule in &self.rules {
            let comes_first = |found| strictest.is_none_or(|known| rank(found) > rank(known));
            let mut found = (rule.effect, rule.specificity(), rule);
            // The arguments are looked at only where it matters.
            if !comes_first(found) {
                continue;
            }
            match (rule.effect, rule.fit(proposal, args, rule.effect == Ruling::Allow)) {
                (_, Fit::No) | (Ruling::Allow, Fit::Unclear) => continue,
                (effect, Fit::Unclear) => {
                    may_be_denied |= effect == Ruling::Deny;
                    found.0 = Ruling::Ask;
                }
                (_, Fit::Yes) => {}
            }
            if comes_first(found) {
                strictest = Some(found);
            }
        }
        let verdict = |(ruling, _, rule): (Ruling, usize, &Rule)| {
            let reason = rule.reason.as_deref().map(shared);
            Verdict { reason, ..Verdict::new(ruling, shared(&rule.name)) }
        };
        (strictest.map(verdict), may_be_denied)
    }

    /// The permission that a person gave, where one turns this question into an answer.
    fn granted(&self, proposal: &Proposal<'_>, args: &Arguments<'_>, asked: &Verdict) -> Option<Arc<str>> {
        let may_approve = asked.offers.as_ref().is_none_or(|kinds| kinds.contains(&OfferKind::Approve));
        let grant = self.grants.find(proposal, args, self.forever).filter(|_| may_approve)?;
        Some(rule_name(&["grant", &grant.id]))
    }
}

/// The stricter and the more specific comes last; the name makes the order of the rules not matter.
fn rank(found: (Ruling, usize, &Rule)) -> (Ruling, usize, Reverse<&str>) {
    let (ruling, specificity, rule) = found;
    (ruling, specificity, Reverse(&rule.name))
}

impl Policy for Rulebook {
    fn judge(&self, proposal: &Proposal<'_>) -> Verdict {
        let args = Arguments::new(proposal);
        // What was approved once before a reload may be this very call, whose answer never arrived.
        let remembers = proposal.restored.is_none();
        let configured =
            self.configuration.as_ref().and_then(|configured| configured.opinion(proposal.call, remembers));
        let (by_rules, may_be_denied) = self.by_rules(proposal, &args);
        let mut verdict = match (by_rules, configured) {
            (Some(by_rules), Some(configured)) => {
                let offers = configured.offers.clone();
                let stricter = if by_rules.ruling >= configured.ruling { by_rules } else { configured };
                Verdict { offers, ..stricter }
            }
            (Some(verdict), None) | (None, Some(verdict)) => verdict,
            (None, None) => Verdict::new(Ruling::Ask, rule_name(&["default"])),
        };
        let risky = self.risky(proposal, &args);
        verdict.risk = risky.map(|rule| shared(rule.reason.as_ref().unwrap_or(&rule.name)));
        let turned = match verdict.ruling {
            Ruling::Allow => {
                let guard = match risky {
                    Some(rule) => Some(rule_name(&["high-risk", &rule.name])),
                    None if (proposal.high_risk)() => Some(rule_name(&["high-risk"])),
                    None => (!proposal.inspectable).then(|| rule_name(&["uninspectable"])),
                };
                guard.map(|rule| (Ruling::Ask, rule))
            }
            // Whoever granted it did not know whether the rule means this call.
            Ruling::Ask if risky.is_none() && !may_be_denied => {
                self.granted(proposal, &args, &verdict).map(|rule| (Ruling::Allow, rule))
            }
            _ => None,
        };
        if let Some((ruling, rule)) = turned {
            (verdict.ruling, verdict.rule) = (ruling, rule);
        }
        verdict
    }

    fn decided(&mut self, proposal: &Proposal<'_>, decision: &Decision) {
        if let Some(configuration) = &mut self.configuration {
            configuration.update_after_confirmation(proposal.call, decision);
        }
    }

    fn not_taken(&mut self, proposal: &Proposal<'_>, decision: &Decision) {
        if let Some(configuration) = &mut self.configuration {
            configuration.take_back(proposal.call, decision);
        }
    }
}
