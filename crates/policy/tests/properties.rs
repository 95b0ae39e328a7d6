//! What holds for all rules, grants and calls.

mod support;

use countersign_core::Ruling::{Allow, Ask, Deny};
use countersign_core::{Decision, GrantScope, Millis, Policy, Ruling};
use countersign_policy::{ArgsTest, Constraint, Grant, Rule, Rulebook};
use proptest::prelude::*;
use support::{Call, call};

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "*"])
}

fn constraint() -> impl Strategy<Value = Constraint> {
    let test = prop_oneof![
        (0..3_u8).prop_map(|n| ArgsTest::Equals(n.to_string())),
        (0..3_u8).prop_map(|n| ArgsTest::OneOf(vec![n.to_string(), "\"x\"".to_owned()])),
        Just(ArgsTest::Prefix("x".to_owned())),
        Just(ArgsTest::Contains("x".to_owned())),
        (0..3_u8).prop_map(|n| ArgsTest::Above(n.to_string())),
        Just(ArgsTest::Absent),
    ];
    let pointer = prop::sample::select(vec!["", "/n", "/m"]);
    (pointer, test).prop_map(|(pointer, test)| Constraint { pointer: pointer.to_owned(), test })
}

fn rule() -> impl Strategy<Value = Rule> {
    let effect = prop::sample::select(vec![Allow, Ask, Deny]);
    let agent = prop::option::of(prop::collection::vec(name().prop_map(str::to_owned), 0..3));
    let named = (prop::option::of(name()), prop::option::of(name()), agent);
    let rest = (prop::collection::vec(constraint(), 0..2), prop::bool::weighted(0.1));
    (effect, named, rest).prop_map(|(effect, (tool, server, agent), (args, high_risk))| Rule {
        tool: tool.map(str::to_owned),
        server: server.map(str::to_owned),
        agent,
        args,
        high_risk,
        ..Rule::new("", effect)
    })
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    prop::collection::vec(rule(), 0..6).prop_map(|mut rules| {
        for (place, rule) in rules.iter_mut().enumerate() {
            rule.name = format!("r{place}");
        }
        rules
    })
}

fn calls() -> impl Strategy<Value = Call> {
    let args = prop::sample::select(vec![
        r#"{"n":1}"#,
        r#"{"n":1.0,"m":"xy"}"#,
        r#"{"m":"x..","n":0}"#,
        r#"{"n":1,"n":2}"#,
        "[1]",
        "{}",
        "{",
    ]);
    let path = prop::collection::vec(name(), 0..3);
    (
        name(),
        args,
        prop::option::of(name()),
        path,
        0..200_u64,
        prop::option::of((0..200_u64).prop_map(Millis)),
    )
        .prop_map(|(tool, args, server, path, now, restored)| {
            let inspectable = args.starts_with('{') && args.ends_with('}') && !args.contains("\"n\":2");
            Call { inspectable, restored, ..call(tool, args).server(server).agent(&path).at(now) }
        })
}

fn grants() -> impl Strategy<Value = Vec<Grant>> {
    let scope = prop::sample::select(vec![
        GrantScope::Call,
        GrantScope::SameArgs,
        GrantScope::Tool,
        GrantScope::Server,
        GrantScope::Session,
    ]);
    let times = (0..200_u64, prop::option::of(0..200_u64), prop::option::of(0..200_u64));
    let grant = (calls(), scope, times).prop_map(|(call, scope, (made, ends, revoked))| {
        let call = Call { inspectable: true, ..call };
        let grant = Grant::on(&call.proposal(), "", scope, ends.map(Millis));
        grant.map(|grant| Grant { created_at: Millis(made), revoked_at: revoked.map(Millis), ..grant })
    });
    prop::collection::vec(grant, 0..4).prop_map(|grants| {
        let mut all: Vec<Grant> = grants.into_iter().flatten().collect();
        for (place, grant) in all.iter_mut().enumerate() {
            grant.id = format!("g{place}");
        }
        all
    })
}

fn book(rules: &[Rule], grants: &[Grant]) -> Rulebook {
    let mut book = Rulebook { rules: rules.to_vec(), forever: true, ..Rulebook::default() };
    for grant in grants {
        assert!(book.grants.add(grant.clone()));
    }
    book
}

fn ruling(book: &Rulebook, call: &Call) -> Ruling {
    book.judge(&call.proposal()).ruling
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn r34_a_denial_always_wins(rules in rules(), grants in grants(), call in calls()) {
        let mut denied = rules;
        denied.push(Rule { tool: Some(call.call.tool.to_string()), ..Rule::new("no", Deny) });
        prop_assert_eq!(ruling(&book(&denied, &grants), &call), Deny);
    }

    #[test]
    fn r34_a_rule_that_asks_or_denies_never_makes_anything_looser(rules in rules(), one in rule(), call in calls()) {
        let before = ruling(&book(&rules, &[]), &call);
        let more = Rule { name: "more".to_owned(), effect: if one.effect == Allow { Ask } else { one.effect }, ..one };
        let after = ruling(&book(&[&rules[..], &[more]].concat(), &[]), &call);
        prop_assert!(after >= before);
    }

    #[test]
    fn the_order_of_rules_and_grants_does_not_matter(rules in rules(), grants in grants(), call in calls()) {
        let mut backwards = (rules.clone(), grants.clone());
        backwards.0.reverse();
        backwards.1.reverse();
        let one = book(&rules, &grants).judge(&call.proposal());
        prop_assert_eq!(one, book(&backwards.0, &backwards.1).judge(&call.proposal()));
    }

    #[test]
    fn r35_a_grant_turns_ask_into_allow_and_nothing_else(rules in rules(), grants in grants(), call in calls()) {
        let before = ruling(&book(&rules, &[]), &call);
        let after = ruling(&book(&rules, &grants), &call);
        prop_assert!(after == before || (before == Ask && after == Allow));
    }

    #[test]
    fn r35_a_grant_that_is_revoked_or_over_never_allows(rules in rules(), grants in grants(), call in calls()) {
        let before = ruling(&book(&rules, &[]), &call);
        let mut book = book(&rules, &grants);
        for grant in &grants {
            let is_over = grant.expires_at.is_some_and(|end| end <= call.now) || grant.created_at > call.now;
            if !is_over {
                prop_assert!(book.grants.revoke(&grant.id, Millis(0)));
            }
        }
        prop_assert_eq!(ruling(&book, &call), before);
    }

    #[test]
    fn r37_no_grant_allows_what_is_found_in_history_after_it_was_given(rules in rules(), grants in grants(), call in calls()) {
        let last = grants.iter().map(|grant| grant.created_at.0).max().unwrap_or_default();
        let call = Call { restored: Some(Millis(last + 1)), ..call };
        prop_assert_eq!(ruling(&book(&rules, &grants), &call), ruling(&book(&rules, &[]), &call));
    }

    #[test]
    fn r37_nothing_doubtful_or_of_high_risk_is_allowed(rules in rules(), grants in grants(), call in calls()) {
        let book = book(&rules, &grants);
        if !call.inspectable || book.is_high_risk(&call.proposal()) {
            prop_assert_ne!(ruling(&book, &call), Allow);
        }
    }

    #[test]
    fn rules_and_grants_survive_being_written(rules in rules(), grants in grants()) {
        let book = book(&rules, &grants);
        prop_assert_eq!(&Rulebook { grants: book.grants.clone(), ..Rulebook::read(&book.write()).unwrap() }, &book);
        prop_assert_eq!(&countersign_policy::Grants::read(&book.grants.write()).unwrap(), &book.grants);
    }

    #[test]
    fn ask_once_allows_exactly_the_equal_of_the_last_approved(
        numbers in prop::collection::vec(prop::sample::select(vec!["1", "1.0", "10e-1", "2", "true", "9007199254740993", "9007199254740992"]), 1..8),
    ) {
        let value = |text: &str| match text { "1.0" | "10e-1" => "1".to_owned(), other => other.to_owned() };
        let mut book = Rulebook::read(r#"{"system":"ask-once"}"#).unwrap();
        let mut last = None;
        for (place, number) in numbers.iter().enumerate() {
            let text = if place % 2 == 0 { format!(r#"{{"n":{number},"z":0}}"#) } else { format!(r#"{{"z":0.0,"n":{number}}}"#) };
            let call = call("a", &text);
            let known = last == Some(value(number));
            prop_assert_eq!(ruling(&book, &call), if known { Allow } else { Ask });
            if !known {
                book.decided(&call.proposal(), &Decision::approve());
                last = Some(value(number));
            }
        }
    }
}

const TEXTS: [&str; 4] = [
    r#"{"system":"haystack","config":{"confirmation_strategies":{"[\"a\", \"b\"]":{"type":"haystack.human_in_the_loop.strategies.BlockingConfirmationStrategy","init_parameters":{"confirmation_policy":{"type":"haystack.human_in_the_loop.policies.AskOncePolicy"}}},"*":{"type":"y"}}}}"#,
    r#"{"system":"adalflow","config":{"approval_mode":"yolo","require_approval":{"a":true},"always_allowed_tools":["b"],"blocked_tools":["c"]}}"#,
    r#"{"system":"interrupt_on","config":{"a":{"allowed_decisions":["edit"]},"agents":{"x":{"a":false,"agents":{"y":{}}}}},"forever":true}"#,
    r#"{"system":"require_approval","config":[{"server":"s","toolNames":["a"],"requireApproval":["a"]}],"rules":[{"name":"r","effect":"allow","agent":["*"],"args":[{"pointer":"/n","oneOf":[1]}],"risk":"high"}]}"#,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn damaged_text_never_panics_and_what_is_read_can_be_written(
        which in 0..TEXTS.len(),
        from in 0..400_usize,
        len in 0..9_usize,
        put in prop::sample::select(vec!["", "\"", "{", "}", "[]", "null", ":", ",", "\\ud800", "~", "/", "[\"", "true"]),
        call in calls(),
    ) {
        let characters: Vec<char> = TEXTS[which].chars().collect();
        let at = from.min(characters.len());
        let end = (at + len).min(characters.len());
        let text: String = characters[..at].iter().copied().chain(put.chars()).chain(characters[end..].iter().copied()).collect();
        if let Ok(mut book) = Rulebook::read(&text) {
            let verdict = book.judge(&call.proposal());
            prop_assert!(call.inspectable || verdict.ruling != Allow);
            let again = Rulebook::read(&book.write()).unwrap();
            prop_assert_eq!(again.judge(&call.proposal()), verdict);
            book.decided(&call.proposal(), &Decision::Approve { scope: GrantScope::Tool });
            prop_assert!(Rulebook::read(&book.write()).is_ok());
        }
    }
}
