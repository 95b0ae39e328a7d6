//! What the rules of the card demand of rules and grants.

#![expect(clippy::expect_used, reason = "helpers of tests, in which it is allowed")]

mod support;

use countersign_core::Ruling::{Allow, Ask, Deny};
use countersign_core::{Decision, GrantArgument, GrantScope, GrantTest, GrantView, Millis, Ruling};
use countersign_policy::{Configuration, Grant, Grants, Remembered, Rule, Rulebook};
use support::{Call, book, call, granted, ruling, verdict};

fn on(call: &Call, scope: GrantScope) -> Grant {
    Grant::on(&call.proposal(), "g", scope, Some(Millis(200))).expect("the call has all that the scope needs")
}

mod rule_34 {
    use super::*;

    #[test]
    fn r34_the_default_is_to_ask() {
        assert_eq!(ruling(&Rulebook::default(), &call("a", "{}")), (Ask, "default".to_owned()));
        // What a configuration says nothing about it does not permit, whatever its system would do.
        for (system, config) in [
            ("haystack", r#"{"confirmation_strategies":{}}"#),
            ("interrupt_on", "{}"),
            ("tool_approvals", "{}"),
            ("require_approval", r#"{"toolNames":["a"]}"#),
            ("adalflow", "{}"),
        ] {
            let configuration = Some(Configuration::read(system, config).unwrap());
            let book = Rulebook { configuration, ..Rulebook::default() };
            assert_eq!(verdict(&book, &call("a", "{}")).ruling, Ask, "{system}");
        }
    }

    #[test]
    fn r34_a_configuration_without_its_config_is_refused_and_allows_nothing() {
        for system in ["haystack", "adalflow", "interrupt_on", "tool_approvals", "require_approval"] {
            let policy = format!(r#"{{"system":"{system}","forever":false,"rules":[]}}"#);
            let error = Rulebook::read(&policy).expect_err(system);
            assert_eq!((error.code(), error.pointer.as_str()), ("policy-member-missing", ""), "{system}");
        }
        for name in ["always-ask", "never-ask", "ask-once"] {
            assert!(Rulebook::read(&format!(r#"{{"system":"{name}","forever":false}}"#)).is_ok(), "{name}");
        }
    }

    #[test]
    fn r34_deny_before_ask_before_allow_in_all_combinations() {
        let levels = [
            r#""tool":"a","args":[{"pointer":"/n","equals":1}]"#,
            r#""tool":"a""#,
            r#""server":"s""#,
            r#""agent":["root","*"]"#,
        ];
        let effects = [(Allow, "allow"), (Ask, "ask"), (Deny, "deny")];
        for combination in 0..81_usize {
            let mut rules = Vec::new();
            let mut strictest = Allow;
            let mut first = None;
            for (place, level) in levels.iter().enumerate() {
                let (effect, word) = effects[combination / 3_usize.pow(place as u32) % 3];
                // The names come in the other order, in which they would be told apart if nothing else did.
                let name = levels.len() - place;
                rules.push(format!(r#"{{"name":"{name}","effect":"{word}",{level}}}"#));
                if first.is_none() || effect > strictest {
                    (strictest, first) = (effect, Some(name));
                }
            }
            let expected = (strictest, first.unwrap().to_string());
            let call = call("a", r#"{"n":1}"#);
            assert_eq!(ruling(&book(&format!("[{}]", rules.join(",")), "[]"), &call), expected);
            rules.reverse();
            assert_eq!(ruling(&book(&format!("[{}]", rules.join(",")), "[]"), &call), expected, "reversed");
        }
    }

    #[test]
    fn r34_a_text_that_tools_may_read_as_a_large_number_is_asked_about() {
        let with = |effect: &str, text: &str| {
            let rules = format!(
                r#"[{{"name":"yes","effect":"allow"}},{{"name":"r",{effect},"args":[{{"pointer":"/n","above":1000}}]}}]"#
            );
            ruling(&book(&rules, "[]"), &call("a", &format!(r#"{{"n":"{text}"}}"#))).0
        };
        for text in ["5_000", "5,000", "0x1388", "５０００"] {
            for effect in [r#""effect":"deny""#, r#""effect":"ask""#, r#""effect":"allow","risk":"high""#] {
                assert_eq!(with(effect, text), Ask, "{effect} {text}");
            }
        }
        for (text, expected) in [("abc", Allow), ("500", Allow), ("5000", Deny)] {
            assert_eq!(with(r#""effect":"deny""#, text), expected, "{text}");
        }
    }

    #[test]
    fn r34_a_restriction_that_is_null_is_refused_and_not_left_out() {
        for member in ["tool", "server", "agent", "args", "risk", "reason"] {
            let rules = format!(r#"{{"rules":[{{"name":"n","effect":"allow","{member}":null}}]}}"#);
            assert_eq!(Rulebook::read(&rules).unwrap_err().pointer, format!("/rules/0/{member}"));
        }
        assert_eq!(Rulebook::read(r#"{"rules":null}"#).unwrap_err().pointer, "/rules");
        let grant = |scope: &str, member: &str| {
            format!(r#"[{{"id":"g","scope":"{scope}","session":"t","createdAt":1,"{member}":null}}]"#)
        };
        for member in ["tool", "server", "agent", "args", "call", "expiresAt", "revokedAt"] {
            let pointer = Grants::read(&grant("session", member)).unwrap_err().pointer;
            assert_eq!(pointer, format!("/0/{member}"));
        }
        // There it fits the calls alone that name none.
        let nowhere = grant("tool", "server").replace(r#""createdAt""#, r#""tool":"a","createdAt""#);
        assert_eq!(Grants::read(&nowhere).unwrap().list().len(), 1);
    }

    #[test]
    fn r34_the_narrowest_grant_gives_its_name() {
        let call = call("a", r#"{"n":1}"#);
        let scopes = [
            GrantScope::Session,
            GrantScope::Server,
            GrantScope::Tool,
            GrantScope::SameArgs,
            GrantScope::Call,
        ];
        let mut book = Rulebook::default();
        for (place, scope) in scopes.into_iter().enumerate() {
            let id = format!("g{place}");
            assert!(book.grants.add(Grant { id: id.clone(), ..on(&call, scope) }));
            assert_eq!(ruling(&book, &call), (Allow, format!("grant:{id}")));
        }
        let constrained = r#"[{"id":"w","scope":"tool","tool":"a","server":"s","agent":["root","sub"],"schemaDigest":"d","createdAt":1,"expiresAt":900},
            {"id":"x","scope":"tool","tool":"a","server":"s","agent":["root","sub"],"schemaDigest":"d","createdAt":1,"expiresAt":900,
             "args":[{"pointer":"/n","equals":1.0}]}]"#;
        assert_eq!(ruling(&super::book("[]", constrained), &call).1, "grant:x");
    }

    #[test]
    fn r34_forever_counts_only_where_the_host_says_so() {
        let call = call("a", "{}");
        for scope in [GrantScope::SameArgs, GrantScope::Tool, GrantScope::Server] {
            let mut book = granted(Grant { expires_at: None, ..on(&call, scope) });
            assert_eq!(ruling(&book, &call).0, Ask, "{scope:?}");
            book.forever = true;
            assert_eq!(ruling(&book, &call).0, Allow, "{scope:?}");
        }
        for scope in [GrantScope::Call, GrantScope::Session] {
            let book = granted(Grant { expires_at: None, ..on(&call, scope) });
            assert_eq!(ruling(&book, &call).0, Allow, "{scope:?} ends by itself");
        }
    }

    #[test]
    fn r34_a_grant_never_beats_a_denial() {
        let call = call("a", "{}");
        for scope in [
            GrantScope::Call,
            GrantScope::SameArgs,
            GrantScope::Tool,
            GrantScope::Server,
            GrantScope::Session,
        ] {
            let mut book = granted(on(&call, scope));
            book.rules = vec![Rule::new("no", Deny)];
            assert_eq!(ruling(&book, &call), (Deny, "no".to_owned()));
            book.rules.clear();
            let config = r#"{"blocked_tools":["a"]}"#;
            book.configuration = Some(Configuration::read("adalflow", config).unwrap());
            assert_eq!(ruling(&book, &call).0, Deny);
        }
    }
}

mod rule_35 {
    use super::*;

    #[test]
    fn r35_any_mismatch_asks_again() {
        let original = call("a", r#"{"n":1,"s":"x"}"#);
        let (args, tool) = (GrantScope::SameArgs, GrantScope::Tool);
        let check = |scope: GrantScope, other: Call, expected: Ruling| {
            assert_eq!(ruling(&granted(on(&original, scope)), &other).0, expected, "{scope:?} {other:?}");
        };
        for scope in [args, tool] {
            check(scope, original.clone(), Allow);
            check(scope, call("A", r#"{"n":1,"s":"x"}"#), Ask);
            check(scope, original.clone().server(Some("other")), Ask);
            check(scope, original.clone().server(None), Ask);
            check(scope, Call { schema: Some("e".to_owned()), ..original.clone() }, Ask);
            check(scope, Call { schema: None, ..original.clone() }, Ask);
            check(scope, original.clone().agent(&["root"]), Ask);
            check(scope, original.clone().agent(&[]), Ask);
        }
        check(args, call("a", r#"{"s":"x","n":1.0}"#), Allow);
        check(args, call("a", r#"{"n":1,"s":"y"}"#), Ask);
        check(args, call("a", r#"{"n":true,"s":"x"}"#), Ask);
        check(args, call("a", r#"{"n":1}"#), Ask);
        check(tool, call("a", "{}"), Allow);
        check(GrantScope::Server, call("b", "{}"), Allow);
        check(GrantScope::Server, call("b", "{}").server(Some("other")), Ask);
        check(GrantScope::Server, call("b", "{}").server(None), Ask);
        check(GrantScope::Session, call("b", "{}").server(None), Allow);
        check(GrantScope::Session, Call { scope: "other".into(), ..call("b", "{}") }, Ask);
        check(GrantScope::Call, original.clone(), Allow);
        let mut again = original.clone();
        again.call.id = Some("c2".into());
        check(GrantScope::Call, again, Ask);
        check(GrantScope::Call, Call { scope: "other".into(), ..original.clone() }, Ask);
        check(GrantScope::Call, call("a", r#"{"n":2,"s":"x"}"#), Ask);
    }

    #[test]
    fn r35_what_is_granted_on_a_call_without_an_agent_fits_no_named_one() {
        let nameless = call("a", "{}").agent(&[]);
        for scope in [GrantScope::Call, GrantScope::SameArgs, GrantScope::Tool] {
            let grant = on(&nameless, scope);
            assert_eq!(ruling(&granted(grant.clone()), &nameless).0, Allow, "{scope:?}");
            assert_eq!(ruling(&granted(grant), &call("a", "{}")).0, Ask, "{scope:?}");
        }
        for scope in [GrantScope::Server, GrantScope::Session] {
            let grant = on(&nameless, scope);
            assert_eq!(ruling(&granted(grant), &call("a", "{}")).0, Allow, "{scope:?}");
        }
    }

    #[test]
    fn r35_what_was_approved_once_fits_the_same_agent_alone() {
        let mut remembered = Remembered::default();
        let asked = call("a", "{}");
        remembered.update_after_confirmation(&asked.call, &Decision::approve());
        assert!(remembered.knows(&asked.call));
        assert!(!remembered.knows(&asked.clone().agent(&["stranger"]).call));
        assert!(!remembered.knows(&asked.agent(&[]).call));
    }

    #[test]
    fn r35_a_grant_counts_from_its_making_to_its_end() {
        let call = call("a", "{}");
        let book = granted(on(&call, GrantScope::Tool));
        let at = |now| ruling(&book, &call.clone().at(now)).0;
        assert_eq!([at(99), at(100), at(199), at(200), at(u64::MAX)], [Ask, Allow, Allow, Ask, Ask]);
    }

    #[test]
    fn r35_a_grant_that_lacks_what_its_scope_is_bound_to_covers_nothing() {
        let call = call("a", r#"{"n":1}"#);
        let scopes = [
            GrantScope::Call,
            GrantScope::SameArgs,
            GrantScope::Tool,
            GrantScope::Server,
            GrantScope::Session,
        ];
        for scope in scopes {
            let whole = on(&call, scope);
            let without =
                Grant { server: None, session: None, call: None, args: Vec::new(), ..whole.clone() };
            let bare = call.clone().server(None);
            let expected = if scope == GrantScope::Tool { Allow } else { Ask };
            assert_eq!(ruling(&granted(without), &bare).0, expected, "{scope:?}");
            assert_eq!(ruling(&granted(whole), &call).0, Allow, "{scope:?}");
        }
        let part = r#"[{"pointer":"/n","equals":1}]"#;
        let rule = format!(r#"[{{"name":"r","effect":"allow","args":{part}}}]"#);
        let args = book(&rule, "[]").rules.remove(0).args;
        let of_a_part = Grant { args, ..on(&call, GrantScope::SameArgs) };
        assert_eq!(ruling(&granted(of_a_part), &call).0, Ask, "other arguments could stand beside them");
    }

    #[test]
    fn r35_a_tool_that_is_named_counts_in_every_scope() {
        let call = call("a", "{}");
        for scope in [GrantScope::Server, GrantScope::Session] {
            let book = granted(Grant { tool: Some("b".to_owned()), ..on(&call, scope) });
            assert_eq!(ruling(&book, &call).0, Ask, "{scope:?}");
        }
    }

    #[test]
    fn r35_arguments_that_a_grant_could_not_be_read_with_again_are_not_granted() {
        for args in [r#"{"n":1,"n":2}"#, r#"{"n":"\ud800"}"#, "{"] {
            let call = call("a", args);
            assert_eq!(Grant::on(&call.proposal(), "g", GrantScope::SameArgs, None), None, "{args}");
        }
    }

    #[test]
    fn r35_a_call_without_what_a_scope_is_bound_to_cannot_be_granted() {
        let bare = call("a", "{}").server(None);
        assert_eq!(Grant::on(&bare.proposal(), "g", GrantScope::Server, None), None);
        let mut nameless = call("a", "{}");
        nameless.call.id = None;
        assert_eq!(Grant::on(&nameless.proposal(), "g", GrantScope::Call, None), None);
        let doubtful = Call { inspectable: false, ..call("a", "{}") };
        assert_eq!(Grant::on(&doubtful.proposal(), "g", GrantScope::Tool, None), None);
    }
}

mod rule_36 {
    use super::*;

    #[test]
    fn r36_a_grant_tells_everything_that_it_says() {
        let call = call("a", r#"{"n":1.00}"#);
        let grant = Grant { revoked_at: Some(Millis(9)), ..on(&call, GrantScope::Call) };
        let expected = GrantView {
            id: "g".to_owned(),
            scope: GrantScope::Call,
            tool: Some("a".to_owned()),
            server: Some("s".to_owned()),
            agent: call.call.agent.iter().map(|name| name.as_ref().to_owned()).collect(),
            schema_digest: Some("d".to_owned()),
            session: Some("t".to_owned()),
            args: vec![GrantArgument {
                pointer: String::new(),
                test: GrantTest::Equals,
                value: r#"{"n":1.00}"#.to_owned(),
            }],
            created_at: grant.created_at,
            expires_at: Some(Millis(200)),
            revoked_at: Some(Millis(9)),
            in_force: false,
            text: grant.text().into(),
        };
        assert_eq!(grant.view(Millis(150)), expected);
        assert!(grant.text().contains(r#""call":"c1""#), "the text has what the view has no member for");
        let session = Grant { expires_at: None, ..on(&call, GrantScope::Session) }.view(Millis(150));
        assert_eq!((session.tool, session.server, session.expires_at), (None, None, None));
        assert!(session.args.is_empty() && session.in_force && session.session.is_some());
        assert_eq!(on(&call.server(None), GrantScope::Tool).view(Millis(150)).server, None);
    }

    #[test]
    fn r36_a_grant_is_revoked_in_a_list_and_stays_in_it() {
        let call = call("a", "{}");
        let mut book = granted(on(&call, GrantScope::Tool));
        assert!(book.grants.revoke("g", Millis(150)) && book.grants.revoke("g", Millis(160)));
        assert!(!book.grants.revoke("h", Millis(150)));
        assert_eq!(book.grants.list()[0].revoked_at, Some(Millis(150)));
        assert_eq!(ruling(&book, &call).0, Ask);
        assert!(!book.grants.add(on(&call, GrantScope::Tool)), "its id cannot be had again");
        let kept = Grants::read(&book.grants.write()).unwrap();
        assert_eq!(ruling(&Rulebook { grants: kept, ..Rulebook::default() }, &call).0, Ask);
    }
}

mod rule_37 {
    use super::*;

    #[test]
    fn r37_what_is_of_high_risk_or_unreadable_is_never_allowed() {
        let rules =
            r#"[{"name":"yes","effect":"allow"},{"name":"pay","effect":"allow","tool":"pay","risk":"high"}]"#;
        let calm = call("read", "{}");
        let risky = call("pay", "{}");
        let mut book = book(rules, "[]");
        assert_eq!(ruling(&book, &calm), (Allow, "yes".to_owned()));
        assert_eq!(ruling(&book, &risky), (Ask, "high-risk:pay".to_owned()));
        assert!(book.is_high_risk(&risky.proposal()) && !book.is_high_risk(&calm.proposal()));
        let by_itself = countersign_core::Proposal { high_risk: &|| true, ..calm.proposal() };
        assert!(book.is_high_risk(&by_itself));
        let doubtful = Call { inspectable: false, ..calm.clone() };
        assert_eq!(ruling(&book, &doubtful), (Ask, "uninspectable".to_owned()));
        assert_eq!(ruling(&granted(on(&calm, GrantScope::Session)), &doubtful).0, Ask);
        assert!(book.grants.add(on(&risky, GrantScope::Session)));
        assert_eq!(ruling(&book, &risky).0, Ask);
        assert_eq!(ruling(&book, &doubtful).0, Ask);
        book.configuration = Some(Configuration::read("never-ask", "null").unwrap());
        assert_eq!(ruling(&book, &risky).0, Ask);
        assert_eq!(ruling(&book, &doubtful).0, Ask);
    }

    #[test]
    fn r37_the_most_specific_rule_of_high_risk_gives_its_name() {
        let [wide, narrow] = [r#""name":"wide""#, r#""name":"narrow","tool":"a""#];
        for (one, other) in [(wide, narrow), (narrow, wide)] {
            let rule = |part: &str| format!(r#"{{"effect":"allow","risk":"high",{part}}}"#);
            let book = book(&format!("[{},{}]", rule(one), rule(other)), "[]");
            assert_eq!(ruling(&book, &call("a", "{}")), (Ask, "high-risk:narrow".to_owned()));
        }
    }

    #[test]
    fn r37_risk_does_not_hang_on_the_effect_of_its_rule() {
        for (constraint, args) in [
            (r#""above":1000"#, r#"{"n":"5000"}"#),
            (r#""above":1000"#, r#"{"n":5000}"#),
            (r#""prefix":"/etc/""#, r#"{"n":"/etc/../etc/passwd"}"#),
        ] {
            for effect in ["allow", "ask"] {
                let rules = format!(
                    r#"[{{"name":"yes","effect":"allow"}},{{"name":"r","effect":"{effect}","risk":"high","args":[{{"pointer":"/n",{constraint}}}]}}]"#
                );
                let mut book = book(&rules, "[]");
                let call = call("a", args);
                assert!(book.is_high_risk(&call.proposal()), "{effect} {args}");
                assert!(book.grants.add(on(&call, GrantScope::Tool)));
                assert_eq!(ruling(&book, &call).0, Ask, "{effect} {args}");
            }
        }
    }

    #[test]
    fn r37_risk_that_is_unclear_counts_as_risk() {
        let rules =
            r#"[{"name":"yes","effect":"allow"},{"name":"r","effect":"ask","server":"bank","risk":"high"}]"#;
        let book = book(rules, "[]");
        assert_eq!(ruling(&book, &call("a", "{}")).0, Allow);
        assert_eq!(ruling(&book, &call("a", "{}").server(None)).0, Ask);
    }
}
