//! A second, naive reading of the rules, made from their description alone, against the rulebook.

#![expect(clippy::indexing_slicing, reason = "a helper of tests, in which it is allowed")]

mod support;

use countersign_core::Ruling::{Allow, Ask, Deny};
use countersign_core::{Millis, Policy, Ruling};
use countersign_policy::{Grants, Rulebook};
use proptest::prelude::*;
use support::{Call, call};

/// A JSON value; a number is its value in tenths, and one of its spellings.
#[derive(Clone, Debug)]
enum Json {
    Null,
    Bool(bool),
    Number(i64, u8),
    Text(&'static str),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    fn text(&self) -> String {
        match self {
            Json::Null => "null".to_owned(),
            Json::Bool(is) => is.to_string(),
            Json::Number(tenths, spelling) => match spelling {
                0 if tenths % 10 == 0 => (tenths / 10).to_string(),
                1 => format!("{tenths}e-1"),
                2 => format!("{tenths}.0E-1"),
                _ => format!(
                    "{}{}.{}0",
                    if *tenths < 0 { "-" } else { "" },
                    tenths.abs() / 10,
                    tenths.abs() % 10
                ),
            },
            Json::Text(text) => format!("\"{text}\""),
            Json::List(items) => {
                format!("[{}]", items.iter().map(Json::text).collect::<Vec<_>>().join(" , "))
            }
            Json::Object(members) => {
                let written = members.iter().map(|(key, value)| format!("\"{key}\":{}", value.text()));
                format!("{{{}}}", written.collect::<Vec<_>>().join(","))
            }
        }
    }

    fn is(&self, other: &Json) -> bool {
        match (self, other) {
            (Json::Null, Json::Null) => true,
            (Json::Bool(one), Json::Bool(other)) => one == other,
            (Json::Number(one, _), Json::Number(other, _)) => one == other,
            (Json::Text(one), Json::Text(other)) => one == other,
            (Json::List(one), Json::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is(other))
            }
            (Json::Object(one), Json::Object(other)) => {
                let found = |(key, value): &(&str, Json)| {
                    other.iter().any(|(name, found)| name == key && found.is(value))
                };
                one.len() == other.len() && one.iter().all(found)
            }
            _ => false,
        }
    }

    fn has_twice(&self) -> bool {
        match self {
            Json::List(items) => items.iter().any(Json::has_twice),
            Json::Object(members) => {
                let twice = |at: usize| members[..at].iter().any(|(key, _)| *key == members[at].0);
                (0..members.len()).any(twice) || members.iter().any(|(_, value)| value.has_twice())
            }
            _ => false,
        }
    }

    fn at(&self, pointer: &str) -> Option<&Json> {
        let Some(steps) = pointer.strip_prefix('/') else { return Some(self) };
        steps.split('/').try_fold(self, |here, step| match here {
            Json::Object(members) => members.iter().find(|(key, _)| *key == step).map(|(_, value)| value),
            Json::List(items) => items.get(step.parse::<usize>().ok().filter(|at| at.to_string() == step)?),
            _ => None,
        })
    }
}

#[derive(Clone, Debug)]
enum Must {
    Equal(Json),
    OneOf(Vec<Json>),
    Begin(&'static str),
    Absent,
}

type Place = (&'static str, Must);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fits {
    No,
    Perhaps,
    Yes,
}

fn fits(is: bool) -> Fits {
    if is { Fits::Yes } else { Fits::No }
}

fn meets(args: &Json, (pointer, must): &Place, permits: bool) -> bool {
    match (must, args.at(pointer)) {
        (Must::Absent, found) => found.is_none(),
        (Must::Equal(value), Some(found)) => found.is(value),
        (Must::OneOf(values), Some(found)) => values.iter().any(|value| found.is(value)),
        (Must::Begin(prefix), Some(Json::Text(text))) => match text.strip_prefix(prefix) {
            Some(rest) if permits => !(rest.contains("..") || prefix.ends_with('.') && rest.starts_with('.')),
            rest => rest.is_some(),
        },
        _ => false,
    }
}

fn write_places(places: &[Place]) -> String {
    let one = |(pointer, must): &Place| {
        let test = match must {
            Must::Equal(value) => format!("\"equals\":{}", value.text()),
            Must::OneOf(values) => format!("\"oneOf\":{}", Json::List(values.clone()).text()),
            Must::Begin(prefix) => format!("\"prefix\":\"{prefix}\""),
            Must::Absent => "\"absent\":true".to_owned(),
        };
        format!("{{\"pointer\":\"{pointer}\",{test}}}")
    };
    format!("[{}]", places.iter().map(one).collect::<Vec<_>>().join(","))
}

#[derive(Clone, Debug)]
struct OneRule {
    effect: Ruling,
    tool: Option<&'static str>,
    server: Option<&'static str>,
    agent: Option<Vec<&'static str>>,
    args: Vec<Place>,
    high: bool,
}

#[derive(Clone, Debug)]
struct OneGrant {
    scope: &'static str,
    tool: &'static str,
    server: Option<&'static str>,
    agent: Vec<&'static str>,
    schema: Option<&'static str>,
    session: Option<&'static str>,
    call: &'static str,
    whole: Json,
    args: Vec<Place>,
    created: u64,
    expires: Option<u64>,
    revoked: Option<u64>,
}

#[derive(Clone, Debug)]
struct OneCall {
    tool: &'static str,
    server: Option<&'static str>,
    agent: Vec<&'static str>,
    schema: Option<&'static str>,
    session: &'static str,
    call: &'static str,
    args: Json,
    high: bool,
    restored: Option<u64>,
    now: u64,
}

fn quoted(names: &[&str]) -> String {
    format!("[{}]", names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(","))
}

fn optional(key: &str, value: Option<String>) -> String {
    value.map(|value| format!(",\"{key}\":{value}")).unwrap_or_default()
}

fn name(text: Option<&str>) -> Option<String> {
    text.map(|text| format!("\"{text}\""))
}

impl OneRule {
    fn write(&self, at: usize) -> String {
        let effect = ["allow", "ask", "deny"][self.effect as usize];
        format!(
            "{{\"name\":\"r{at}\",\"effect\":\"{effect}\"{}{}{}{}{}}}",
            optional("tool", name(self.tool)),
            optional("server", name(self.server)),
            optional("agent", self.agent.as_deref().map(quoted)),
            optional("args", Some(write_places(&self.args))),
            optional("risk", self.high.then(|| "\"high\"".to_owned())),
        )
    }

    fn fits(&self, call: &OneCall, permits: bool) -> Fits {
        let tool = fits(self.tool.is_none_or(|tool| tool == call.tool));
        let server = match (self.server, call.server) {
            (Some(_), None) => Fits::Perhaps,
            (wanted, server) => fits(wanted.is_none() || wanted == server),
        };
        let agent = match &self.agent {
            Some(_) if call.agent.is_empty() => Fits::Perhaps,
            Some(path) if path.last() == Some(&"*") => fits(call.agent.starts_with(&path[..path.len() - 1])),
            Some(path) => fits(*path == call.agent),
            None => Fits::Yes,
        };
        let args = if self.args.is_empty() {
            Fits::Yes
        } else if call.args.has_twice() {
            Fits::Perhaps
        } else {
            fits(self.args.iter().all(|place| meets(&call.args, place, permits)))
        };
        tool.min(server).min(agent).min(args)
    }
}

impl OneGrant {
    fn write(&self, at: usize) -> String {
        let of_tool = ["call", "same-args", "tool"].contains(&self.scope);
        format!(
            "{{\"id\":\"g{at}\",\"scope\":\"{}\"{}{}{}{}{}{}{},\"createdAt\":{}{}{}}}",
            self.scope,
            optional("tool", name(Some(self.tool).filter(|_| of_tool))),
            optional(
                "server",
                name(
                    self.server
                        .or(Some("s").filter(|_| self.scope == "server"))
                        .filter(|_| self.scope != "session")
                )
            ),
            optional("agent", (!self.agent.is_empty()).then(|| quoted(&self.agent))),
            optional("schemaDigest", name(self.schema)),
            optional("session", name(self.bound())),
            optional("call", name(Some(self.call).filter(|_| self.scope == "call"))),
            optional("args", Some(write_places(&self.places()))),
            self.created,
            optional("expiresAt", self.expires.map(|at| at.to_string())),
            optional("revokedAt", self.revoked.map(|at| at.to_string())),
        )
    }

    fn bound(&self) -> Option<&'static str> {
        let must = ["call", "session"].contains(&self.scope);
        self.session.or(Some("t").filter(|_| must))
    }

    fn places(&self) -> Vec<Place> {
        let mut places = self.args.clone();
        if ["call", "same-args"].contains(&self.scope) {
            places.push(("", Must::Equal(self.whole.clone())));
        }
        places
    }

    fn permits(&self, call: &OneCall, forever: bool) -> bool {
        let server = self.server.or(Some("s").filter(|_| self.scope == "server"));
        let reach = match self.scope {
            "session" => true,
            "server" => server == call.server,
            _ => self.tool == call.tool && server == call.server && self.schema == call.schema,
        };
        let one = self.scope != "call" || self.call == call.call;
        let is_wide = ["server", "session"].contains(&self.scope);
        let agent = (is_wide && self.agent.is_empty()) || self.agent == call.agent;
        let session = self.bound().is_none_or(|session| session == call.session);
        let time = self.created <= call.now
            && self.expires.is_none_or(|end| call.now < end)
            && self.revoked.is_none()
            && call.restored.is_none_or(|at| at < self.created);
        let lasts = forever || self.expires.is_some() || self.bound().is_some();
        reach
            && one
            && agent
            && session
            && time
            && lasts
            && self.places().iter().all(|place| meets(&call.args, place, true))
    }
}

/// A denial beats a question, a question a permission; a grant turns a question into a permission, and never what may be
/// a denial; nothing of high risk or in doubt runs.
fn expected(
    rules: &[OneRule],
    grants: &[OneGrant],
    configured: Option<Ruling>,
    forever: bool,
    call: &OneCall,
) -> Ruling {
    let (mut ruling, mut may_be_denied, mut high) = (configured, false, call.high);
    for rule in rules {
        let fit = rule.fits(call, rule.effect == Allow);
        high |= rule.high && rule.fits(call, false) != Fits::No;
        may_be_denied |= rule.effect == Deny && fit == Fits::Perhaps;
        let says = match (fit, rule.effect) {
            (Fits::No, _) | (Fits::Perhaps, Allow) => continue,
            (Fits::Perhaps, _) => Ask,
            (Fits::Yes, effect) => effect,
        };
        ruling = ruling.max(Some(says));
    }
    let runs = !high && !call.args.has_twice();
    match ruling.unwrap_or(Ask) {
        Allow if !runs => Ask,
        Ask if runs && !may_be_denied && grants.iter().any(|grant| grant.permits(call, forever)) => Allow,
        ruling => ruling,
    }
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        (prop::sample::select(vec![0, 10, 11, -10, 90_071_992_547_409_930]), 0..4_u8)
            .prop_map(|(n, s)| Json::Number(n, s)),
        prop::sample::select(vec!["", "x", "x.", "x..", "x.y", "xy", "1", "true"]).prop_map(Json::Text),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::List),
            prop::collection::vec((key(), inner), 0..3).prop_map(Json::Object),
        ]
    })
}

fn clear() -> impl Strategy<Value = Json> {
    json().prop_filter("clear", |value| !value.has_twice())
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["n", "m", "0", "__proto__"])
}

fn arguments() -> impl Strategy<Value = Json> {
    prop::collection::vec((key(), json()), 0..4).prop_map(Json::Object)
}

fn place() -> impl Strategy<Value = Place> {
    let pointer = prop::sample::select(vec!["", "/n", "/m", "/n/m", "/n/0", "/__proto__", "/n/00", "/m/1"]);
    let must = prop_oneof![
        clear().prop_map(Must::Equal),
        prop::collection::vec(clear(), 0..3).prop_map(Must::OneOf),
        prop::sample::select(vec!["", "x", "x.", "xy"]).prop_map(Must::Begin),
        Just(Must::Absent),
    ];
    (pointer, must)
}

fn names() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "*"])
}

fn paths() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(names(), 0..3)
}

fn rule() -> impl Strategy<Value = OneRule> {
    let effect = prop::sample::select(vec![Allow, Ask, Deny]);
    let named = (
        prop::option::weighted(0.7, names()),
        prop::option::weighted(0.3, names()),
        prop::option::weighted(0.3, paths()),
    );
    (effect, named, prop::collection::vec(place(), 0..2), prop::bool::weighted(0.1)).prop_map(
        |(effect, (tool, server, agent), args, high)| OneRule { effect, tool, server, agent, args, high },
    )
}

fn one_call() -> impl Strategy<Value = OneCall> {
    let who = (
        names(),
        prop::option::weighted(0.8, names()),
        paths(),
        prop::option::of(prop::sample::select(vec!["d", "e"])),
    );
    let rest = (prop::sample::select(vec!["t", "u"]), prop::sample::select(vec!["c1", "c2"]), arguments());
    (who, rest, prop::bool::weighted(0.1), prop::option::weighted(0.2, 0..9_u64), 0..9_u64).prop_map(
        |((tool, server, agent, schema), (session, call, args), high, restored, now)| OneCall {
            tool,
            server,
            agent,
            schema,
            session,
            call,
            args,
            high,
            restored,
            now,
        },
    )
}

/// Made on a call that is like the one that is judged in most things.
fn grant(like: OneCall) -> impl Strategy<Value = OneGrant> {
    let scope = prop::sample::select(vec!["call", "same-args", "tool", "server", "session"]);
    let bounds = (
        prop::option::of(prop::sample::select(vec!["t", "u"])),
        any::<bool>(),
        prop::collection::vec(place(), 0..2),
    );
    let times = (0..9_u64, prop::option::weighted(0.7, 0..9_u64), prop::option::weighted(0.1, 0..9_u64));
    (scope, one_call(), prop::bits::u8::ANY, bounds, times).prop_map(
        move |(scope, other, mask, (session, any_agent, args), (created, expires, revoked))| {
            let of = |bit: u8| if mask & (1 << bit) == 0 || mask.count_ones() > 5 { &like } else { &other };
            let whole = if of(0).args.has_twice() { Json::Object(Vec::new()) } else { of(0).args.clone() };
            OneGrant {
                scope,
                tool: of(1).tool,
                server: of(2).server,
                schema: of(3).schema,
                call: of(4).call,
                agent: if any_agent { Vec::new() } else { of(5).agent.clone() },
                session,
                whole,
                args: if mask & 64 == 0 { Vec::new() } else { args },
                created,
                expires,
                revoked,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn r34_a_naive_reading_of_the_rules_agrees(
        rules in prop::collection::vec(rule(), 0..4),
        (one, grants) in one_call().prop_flat_map(|call| (Just(call.clone()), prop::collection::vec(grant(call), 0..4))),
        configured in prop::option::weighted(0.4, any::<bool>()),
        forever in any::<bool>(),
    ) {
        let written: Vec<String> = rules.iter().enumerate().map(|(at, rule)| rule.write(at)).collect();
        let config = configured.map(|asks| format!("\"system\":\"tool_approvals\",\"config\":{{\"tool_approvals\":{{\"{}\":{asks}}}}},", one.tool));
        let text = format!("{{{}\"rules\":[{}],\"forever\":{forever}}}", config.unwrap_or_default(), written.join(","));
        let mut book = Rulebook::read(&text).unwrap();
        let written: Vec<String> = grants.iter().enumerate().map(|(at, grant)| grant.write(at)).collect();
        book.grants = Grants::read(&format!("[{}]", written.join(","))).unwrap();
        let args = one.args.text();
        let mut call = Call {
            schema: one.schema.map(str::to_owned),
            inspectable: !one.args.has_twice(),
            restored: one.restored.map(Millis),
            scope: one.session.into(),
            ..call(one.tool, &args).server(one.server).agent(&one.agent).at(one.now)
        };
        call.call.id = Some(one.call.into());
        let high = || one.high;
        let proposal = countersign_core::Proposal { high_risk: &high, ..call.proposal() };
        let configured = configured.map(|asks| if asks { Ask } else { Allow });
        let wanted = expected(&rules, &grants, configured, forever, &one);
        prop_assert_eq!(book.judge(&proposal).ruling, wanted, "{}\n{}\n{:?}", text, book.grants.write(), one);
    }
}
