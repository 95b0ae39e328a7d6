//! What a host writes: rules that allow, ask or deny.

use countersign_core::collections::Groups;
use countersign_core::{Constraint, Proposal, Ruling, Text};
use countersign_json::{Value, Writer};

use crate::constraint::{Arguments, Fit, read_all, write_all};
use crate::read::{
    Read, What, array, fault, fill, member, no_nulls, only, required_string, strings, word, write_optional,
    write_strings,
};

/// One rule of a host.
///
/// # Shape
/// ```json
/// { "name": "no deletions", "effect": "deny", "tool": "delete_file", "server": "files", "agent": ["root", "*"],
///   "args": [{ "pointer": "/path", "prefix": "/etc/" }], "risk": "high", "reason": "ask the operators" }
/// ```
/// Only `name` and `effect` are needed; what is left out fits every call. Names are compared exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it is called in the audit log; each name once.
    pub name: String,
    /// What is done with a call that fits.
    pub effect: Ruling,
    /// The tool's name.
    pub tool: Option<String>,
    /// The tool's server. A call whose server is not known fits no permission, and is asked about where another one
    /// would be denied.
    pub server: Option<String>,
    /// The agent path, outermost first; `*` at its end stands for any agents below, or none.
    pub agent: Option<Vec<String>>,
    /// What the arguments must be.
    pub args: Vec<Constraint>,
    /// A call that fits is of high risk: a person decides it, alone and asked twice, whatever else allows it or was
    /// granted.
    pub high_risk: bool,
    /// What the agent is told when the call is denied, and people of why it is of high risk; absent: they are told the
    /// name.
    pub reason: Option<String>,
}

impl Rule {
    /// A rule that fits every call.
    #[must_use]
    pub fn new(name: &str, effect: Ruling) -> Rule {
        Rule {
            name: name.to_owned(),
            effect,
            tool: None,
            server: None,
            agent: None,
            args: Vec::new(),
            high_risk: false,
            reason: None,
        }
    }

    pub(crate) fn list(value: Value<'_>) -> Read<Vec<Rule>> {
        let (mut rules, mut names) = (Vec::new(), Groups::default());
        for value in array(value)?.items() {
            let rule = Rule::read(value)?;
            if names.place(rule.name.as_str()).is_some() {
                return Err(fault(member(value, "name").unwrap_or(value), What::Twice(rule.name)));
            }
            names.push(&Text::from(rule.name.as_str()), 0);
            rules.push(rule);
        }
        Ok(rules)
    }

    fn read(value: Value<'_>) -> Read<Rule> {
        only(value, &["name", "effect", "tool", "server", "agent", "args", "risk", "reason"])?;
        no_nulls(value, &[])?;
        let effect = word(value, "effect", effect)?;
        let risk = member(value, "risk");
        if let Some(risk) = risk.filter(|risk| !risk.equals("high")) {
            return Err(fault(risk, What::WrongType("`high`")));
        }
        let name = required_string(value, "name")?;
        let mut rule = Rule::new(&name, effect);
        fill(&mut rule.tool, value, "tool")?;
        fill(&mut rule.server, value, "server")?;
        fill(&mut rule.reason, value, "reason")?;
        if member(value, "agent").is_some() {
            rule.agent = Some(strings(value, "agent")?);
        }
        rule.args = read_all(value)?;
        rule.high_risk = risk.is_some();
        Ok(rule)
    }

    pub(crate) fn write_list(writer: &mut Writer, rules: &[Rule]) {
        writer.begin_array();
        for rule in rules {
            writer.begin_object().key("name").string(&rule.name);
            writer.key("effect").string(effect_word(rule.effect));
            write_optional(writer, "tool", rule.tool.as_deref());
            write_optional(writer, "server", rule.server.as_deref());
            if let Some(path) = &rule.agent {
                writer.key("agent");
                write_strings(writer, path);
            }
            write_all(writer, &rule.args);
            write_optional(writer, "risk", rule.high_risk.then_some("high"));
            write_optional(writer, "reason", rule.reason.as_deref());
            writer.end_object();
        }
        writer.end_array();
    }

    /// Whether it fits a call, by everything that it names; `permits`: something would be permitted by that.
    pub(crate) fn fit(&self, proposal: &Proposal<'_>, args: &Arguments<'_>, permits: bool) -> Fit {
        let call = proposal.call;
        if self.tool.as_deref().is_some_and(|tool| *tool != *call.tool) {
            return Fit::No;
        }
        let server = match (&self.server, &call.server) {
            (None, _) => Fit::Yes,
            (Some(_), None) => Fit::Unclear,
            (Some(wanted), Some(server)) => Fit::from(**wanted == **server),
        };
        let agent = match &self.agent {
            None => Fit::Yes,
            Some(_) if call.agent.is_empty() => Fit::Unclear,
            Some(path) => Fit::from(is_path(path, call)),
        };
        let named = server.min(agent);
        if named == Fit::No { named } else { named.min(args.meet(&self.args, permits)) }
    }

    /// How much it names: tool, then arguments, then server, then agent.
    pub(crate) fn specificity(&self) -> usize {
        let named = |is: bool, weight: usize| if is { weight } else { 0 };
        named(self.tool.is_some(), 1 << 16)
            + (self.args.len().min(255) << 8)
            + named(self.server.is_some(), 2)
            + named(self.agent.is_some(), 1)
    }
}

/// An effect's word in the text form.
fn effect_word(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Allow => "allow",
        Ruling::Ask => "ask",
        Ruling::Deny => "deny",
    }
}

fn effect(word: &str) -> Option<Ruling> {
    [Ruling::Allow, Ruling::Ask, Ruling::Deny].into_iter().find(|effect| effect_word(*effect) == word)
}

fn is_path(path: &[String], call: &countersign_core::ToolCall) -> bool {
    let same = |path: &[String]| path.iter().zip(call.agent.iter()).all(|(a, b)| **a == **b);
    match path.split_last() {
        Some((last, above)) if last == "*" => above.len() <= call.agent.len() && same(above),
        _ => path.len() == call.agent.len() && same(path),
    }
}
