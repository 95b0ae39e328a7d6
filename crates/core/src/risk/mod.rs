//! How much could go wrong if a call runs as shown: what arguments, the server and the host give reason to fear.
//!
//! A level only asks for more care: nothing is refused because of it, and what is not found is not thereby safe.

mod command;
mod hazards;
mod rule;

use std::sync::Arc;

use countersign_json::{Document, Limits, Value};
use serde::{Deserialize, Serialize};

use crate::call::ToolCall;
use crate::secret::names_secret;
pub use rule::RiskRule;

/// How much care a call needs; the later one needs more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RiskLevel {
    /// Nothing was found that asks for special care.
    #[default]
    Low,
    /// Something should be noticed before approving.
    Elevated,
    /// It is confirmed a second time, never approved together with others, and never by a rule or a grant.
    High,
}

impl RiskLevel {
    /// The level as JSON and CSS spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RiskLevel::Low => "low",
            RiskLevel::Elevated => "elevated",
            RiskLevel::High => "high",
        }
    }
}

/// Who gives a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RiskSource {
    /// The server that owns the tool claims it: it can raise the level, never lower it. Not verified.
    Server,
    /// It stands in the arguments, or in the name of the tool.
    Arguments,
    /// A rule of the host.
    Host,
    /// It held of the call as the agent sent it, and an edit took it out.
    Sent,
}

impl RiskSource {
    /// The source as JSON spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RiskSource::Server => "server",
            RiskSource::Arguments => "arguments",
            RiskSource::Host => "host",
            RiskSource::Sent => "sent",
        }
    }
}

/// One reason for care.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RiskReason {
    /// Who gives it.
    pub source: RiskSource,
    /// A stable code in kebab case.
    pub code: String,
    /// A few words.
    pub message: String,
}

/// How much could go wrong, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RiskView {
    /// The highest level that any reason gives.
    pub level: RiskLevel,
    /// Every reason, each code once: the server's first, then what stands in the arguments, then the host's, last what
    /// an edit took out.
    pub reasons: Vec<RiskReason>,
}

impl RiskView {
    fn add(&mut self, level: RiskLevel, source: RiskSource, code: &str, message: &str) {
        self.level = self.level.max(level);
        let known = |reason: &RiskReason| reason.source == source && reason.code == code;
        if source == RiskSource::Host || !self.reasons.iter().any(known) {
            self.reasons.push(RiskReason { source, code: code.to_owned(), message: message.to_owned() });
        }
    }
}

/// What gives reason for care besides the arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RiskOptions {
    /// The host's rules.
    pub rules: Vec<RiskRule>,
    /// Tools that their server calls destructive, as MCP's `destructiveHint` does. Claims: they can only raise a level.
    pub destructive: Vec<Arc<str>>,
}

/// How much could go wrong if this call runs.
///
/// Pure: the same call and options give the same answer. The work is in proportion to the arguments' text.
#[must_use]
pub fn assess(call: &ToolCall, options: &RiskOptions, limits: &Limits) -> RiskView {
    let mut risk = RiskView::default();
    if options.destructive.iter().any(|tool| call.tool == **tool) {
        risk.add(RiskLevel::High, RiskSource::Server, "destructive", "destructive");
    }
    hazards::of_name(&call.tool, &mut risk);
    // What cannot be read can only be rejected.
    let document = Document::parse(call.args.as_str(), limits).ok();
    let root = document.as_ref().map(Document::root);
    if let Some(root) = root {
        look(root, &mut risk);
    }
    for rule in options.rules.iter().filter(|rule| rule.fits(call, root)) {
        risk.add(rule.level, RiskSource::Host, "host-rule", &rule.reason);
    }
    risk
}

impl RiskView {
    /// This view, and that a rule of the host's policy calls it of high risk, for this reason; `None`: none does.
    #[must_use]
    pub(crate) fn ruled(mut self, reason: Option<&str>) -> RiskView {
        if let Some(reason) = reason {
            self.add(RiskLevel::High, RiskSource::Host, "host-rule", reason);
        }
        self
    }

    /// This view of edited arguments, with what was found in those that the agent sent.
    ///
    /// What will run is what is judged, by everything that a call as sent is judged by. But an edit never makes a call need
    /// less care than it did: the level is the higher of both, and what the edit took out stays among the reasons, as
    /// [`RiskSource::Sent`]. For what is not found is not thereby safe: a person who changes a few characters of a dangerous
    /// command may only have hidden it from this search, and the agent that sent it asked for what was dangerous.
    #[must_use]
    pub fn after(mut self, sent: &RiskView) -> RiskView {
        self.level = self.level.max(sent.level);
        for reason in &sent.reasons {
            if !self.reasons.contains(reason) {
                self.reasons.push(RiskReason { source: RiskSource::Sent, ..reason.clone() });
            }
        }
        self
    }
}

/// Looks at every text of the arguments, with the key that it belongs to.
fn look(root: Value<'_>, risk: &mut RiskView) {
    let mut left = vec![(root, None::<Value<'_>>, false)];
    // `named`: a key around it names a secret.
    while let Some((value, key, named)) = left.pop() {
        if value.is_string() {
            if let Some(text) = value.as_str_lossy() {
                if named {
                    hazards::of_secret(&text, risk);
                }
                let key = key.and_then(|key| key.as_str_lossy()).unwrap_or_default();
                hazards::of_text(&key, &text, risk);
            }
        } else if value.is_object() {
            let is_told = hazards::is_secret_told(risk);
            let names = |key: Value<'_>| !is_told && key.as_str_lossy().is_some_and(|key| names_secret(&key));
            for (key, member) in value.members() {
                left.push((member, Some(key), named || names(key)));
            }
        } else if value.is_array() {
            left.extend(value.items().map(|item| (item, key, named)));
        } else if let Some(number) = value.as_number().filter(|_| named) {
            hazards::of_secret(number, risk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{ArgsTest, Constraint};

    fn call(tool: &str, args: &str) -> ToolCall {
        ToolCall { server: Some("bank".into()), ..ToolCall::new(tool, args) }
    }

    fn above(pointer: &str, limit: &str) -> Vec<Constraint> {
        vec![Constraint { pointer: pointer.to_owned(), test: ArgsTest::Above(limit.to_owned()) }]
    }

    fn rule(args: Vec<Constraint>) -> RiskOptions {
        let rule = RiskRule {
            tool: Some("pay".into()),
            server: Some("bank".into()),
            args,
            level: RiskLevel::High,
            reason: "a large amount".into(),
        };
        RiskOptions { rules: vec![rule], destructive: vec!["wipe".into()] }
    }

    fn level(options: &RiskOptions, tool: &str, args: &str) -> RiskLevel {
        assess(&call(tool, args), options, &Limits::ARGUMENTS).level
    }

    #[test]
    fn a_rule_of_the_host_fits_by_tool_server_and_arguments() {
        let large = rule(above("/amount", "1000"));
        assert_eq!(level(&large, "pay", r#"{"amount":1000.01}"#), RiskLevel::High);
        assert_eq!(level(&large, "pay", r#"{"amount":"2000"}"#), RiskLevel::High);
        // A tool may read it as one.
        assert_eq!(level(&large, "pay", r#"{"amount":"5_000"}"#), RiskLevel::High);
        for args in [r#"{"amount":1000}"#, r#"{"amount":null}"#, "{}", "x"] {
            assert_eq!(level(&large, "pay", args), RiskLevel::Low, "{args}");
        }
        assert_eq!(level(&large, "pray", r#"{"amount":5000}"#), RiskLevel::Low);
        for (test, fits, other) in [
            (ArgsTest::Equals("1.0".into()), r#"{"amount":1}"#, r#"{"amount":2}"#),
            (ArgsTest::Prefix("ab".into()), r#"{"amount":"abc"}"#, r#"{"amount":"bab"}"#),
            (ArgsTest::Contains("b".into()), r#"{"amount":"abc"}"#, r#"{"amount":7}"#),
            (ArgsTest::OneOf(vec!["7".into(), "8".into()]), r#"{"amount":8}"#, r#"{"amount":9}"#),
            (ArgsTest::Absent, "{}", r#"{"amount":null}"#),
        ] {
            let options = rule(vec![Constraint { pointer: "/amount".to_owned(), test }]);
            assert_eq!(
                (level(&options, "pay", fits), level(&options, "pay", other)),
                (RiskLevel::High, RiskLevel::Low)
            );
        }
    }

    #[test]
    fn a_rule_fits_what_it_may_be_about_and_the_wire_does_not_name() {
        let large = rule(above("/amount", "1000"));
        let nowhere = |args: &str, positional| {
            let call = ToolCall { server: None, positional, ..call("pay", args) };
            assess(&call, &large, &Limits::ARGUMENTS).level
        };
        assert_eq!(nowhere(r#"{"amount":5000}"#, false), RiskLevel::High);
        assert_eq!(nowhere(r#"{"amount":5}"#, false), RiskLevel::Low);
        assert_eq!(nowhere(r#"{"args":[0],"kwargs":{"amount":5000}}"#, true), RiskLevel::High);
        assert_eq!(nowhere(r#"{"args":[0],"kwargs":{"amount":5}}"#, true), RiskLevel::Low);
        // What has no name may be the amount, wherever it stands.
        for (large, small) in [
            ("[5000]", "[5]"),
            (r#"{"args":["DE02",5000],"kwargs":{}}"#, r#"{"args":["DE02",5],"kwargs":{}}"#),
            (r#"{"args":["5000"],"kwargs":{"note":1}}"#, r#"{"args":[],"kwargs":{"note":5000}}"#),
        ] {
            assert_eq!((nowhere(large, true), nowhere(small, true)), (RiskLevel::High, RiskLevel::Low));
        }
        // What is missing by its name may be among them.
        let absent = rule(vec![Constraint { pointer: "/amount".to_owned(), test: ArgsTest::Absent }]);
        let level = |args: &str| {
            let call = ToolCall { positional: true, ..call("pay", args) };
            assess(&call, &absent, &Limits::ARGUMENTS).level
        };
        assert_eq!(level("[5]"), RiskLevel::High);
        assert_eq!(level(r#"{"args":[],"kwargs":{"amount":5}}"#), RiskLevel::Low);
        // Both places are looked at: the tool may have an argument that is named as the list is.
        let both = r#"{"amount":1,"args":[0],"kwargs":{"amount":5000}}"#;
        assert_eq!((nowhere(both, true), nowhere(both, false)), (RiskLevel::High, RiskLevel::Low));
        let inner = rule(above("/order/amount", "1000"));
        let level = |args: &str| {
            let call = ToolCall { positional: true, ..call("pay", args) };
            assess(&call, &inner, &Limits::ARGUMENTS).level
        };
        assert_eq!((level(r#"[1,{"amount":5000}]"#), level("[5000]")), (RiskLevel::High, RiskLevel::Low));
        let elsewhere = ToolCall { server: Some("shop".into()), ..call("pay", r#"{"amount":5000}"#) };
        assert_eq!(assess(&elsewhere, &large, &Limits::ARGUMENTS).level, RiskLevel::Low);
    }

    #[test]
    fn what_a_server_claims_raises_the_level_and_says_whose_claim_it_is() {
        let risk = assess(&call("wipe", "{}"), &rule(Vec::new()), &Limits::ARGUMENTS);
        assert_eq!(risk.level, RiskLevel::High);
        assert_eq!(risk.reasons.first().map(|reason| reason.source), Some(RiskSource::Server));
    }

    #[test]
    fn r33_an_edit_is_judged_by_what_will_run_and_never_needs_less_care() {
        let options = rule(above("/amount", "1000"));
        let judged = |sent: &str, edited: &str| {
            let call = call("pay", sent);
            let sent = assess(&call, &options, &Limits::ARGUMENTS);
            let edited = ToolCall { args: edited.into(), ..call };
            let risk = assess(&edited, &options, &Limits::ARGUMENTS).after(&sent);
            let sources: Vec<&str> = risk.reasons.iter().map(|reason| reason.source.as_str()).collect();
            (risk.level, sources.join(" "))
        };
        let (large, small) = (r#"{"amount":2000}"#, r#"{"amount":2}"#);
        assert_eq!(judged(small, large), (RiskLevel::High, "host".to_owned()));
        assert_eq!(judged(small, r#"{"cmd":"rm -rf /srv"}"#), (RiskLevel::High, "arguments".to_owned()));
        assert_eq!(judged(large, small), (RiskLevel::High, "sent".to_owned()));
        assert_eq!(judged(large, large), (RiskLevel::High, "host".to_owned()));
        assert_eq!(judged(small, small), (RiskLevel::Low, String::new()));
        let both = judged(r#"{"path":"../x"}"#, large);
        assert_eq!(both, (RiskLevel::High, "host sent".to_owned()));
    }

    #[test]
    fn the_highest_level_counts_and_every_reason_is_told() {
        let mut options = rule(Vec::new());
        options.rules.iter_mut().for_each(|rule| rule.level = RiskLevel::Low);
        let risk = assess(&call("pay", r#"{"path":"../x"}"#), &options, &Limits::ARGUMENTS);
        assert_eq!((risk.level, risk.reasons.len()), (RiskLevel::Elevated, 2));
    }
}
