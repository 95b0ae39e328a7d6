//! What a rule fits, literally, and how rules and grants are read and written.

mod support;

use countersign_core::Ruling::{Allow, Ask, Deny};
use countersign_core::{Gate, Millis, OfferKind, Ruling};
use countersign_policy::{Configuration, Grants, Rule, Rulebook};
use support::{Call, book, call, ruling, verdict};

/// What a rule that allows and one that denies make of a call.
fn check(part: &str, call: &Call, allows: Ruling, denies: Ruling) {
    for (effect, expected) in [("allow", allows), ("deny", denies)] {
        let book = book(&format!(r#"[{{"name":"r","effect":"{effect}",{part}}}]"#), "[]");
        assert_eq!(ruling(&book, call).0, expected, "{effect} {part}");
    }
}

#[test]
fn names_are_compared_exactly() {
    let call = call("delete_file", "{}");
    check(r#""tool":"delete_file""#, &call, Allow, Deny);
    for other in ["Delete_file", "delete_file ", "delete_", "delete_*", "*", "dеlete_file"] {
        check(&format!(r#""tool":"{other}""#), &call, Ask, Ask);
    }
    check(r#""server":"s""#, &call, Allow, Deny);
    check(r#""server":"S""#, &call, Ask, Ask);
    check(r#""tool":"delete_file","server":"s","agent":["root","sub"]"#, &call, Allow, Deny);
}

#[test]
fn what_the_wire_does_not_say_permits_nothing_and_is_asked_about() {
    let blind = call("a", "{}").server(None).agent(&[]);
    check(r#""server":"s""#, &blind, Ask, Ask);
    check(r#""agent":["root"]"#, &blind, Ask, Ask);
    for denied in [r#""server":"s""#, r#""agent":["root","*"]"#] {
        let rules =
            format!(r#"[{{"name":"yes","effect":"allow"}},{{"name":"no","effect":"deny",{denied}}}]"#);
        assert_eq!(ruling(&book(&rules, "[]"), &blind), (Ask, "no".to_owned()));
        let other = call("a", "{}").server(Some("other")).agent(&["other"]);
        assert_eq!(ruling(&book(&rules, "[]"), &other), (Allow, "yes".to_owned()));
    }
}

#[test]
fn an_agent_path_is_exact_but_for_a_star_at_its_end() {
    let at = |path: &[&str]| call("a", "{}").agent(path);
    check(r#""agent":["root"]"#, &at(&["root"]), Allow, Deny);
    check(r#""agent":["root"]"#, &at(&["root", "sub"]), Ask, Ask);
    check(r#""agent":["root","*"]"#, &at(&["root", "sub", "deep"]), Allow, Deny);
    check(r#""agent":["root","*"]"#, &at(&["root"]), Allow, Deny);
    check(r#""agent":["root","*"]"#, &at(&["other"]), Ask, Ask);
    check(r#""agent":["*","sub"]"#, &at(&["root", "sub"]), Ask, Ask);
    check(r#""agent":["root","sub","*"]"#, &at(&["root"]), Ask, Ask);
}

#[test]
fn r34_of_arguments_without_names_no_constraint_is_sure() {
    let positional = |args: &str| {
        let mut call = call("cat", args);
        call.call.positional = true;
        call
    };
    let path = r#""args":[{"pointer":"/path","prefix":"/etc/"}]"#;
    // By its name, and as the card shows it.
    check(path, &positional(r#"{"args":[0],"kwargs":{"path":"/etc/shadow"}}"#), Allow, Deny);
    check(
        r#""args":[{"pointer":"/kwargs/path","prefix":"/etc/"}]"#,
        &positional(r#"{"args":[0],"kwargs":{"path":"/etc/shadow"}}"#),
        Allow,
        Deny,
    );
    check(path, &positional(r#"{"args":[0],"kwargs":{"path":"/tmp/x"}}"#), Ask, Ask);
    // The one without a name may be the path.
    for args in [r#"{"args":["/etc/shadow"],"kwargs":{}}"#, r#"["/etc/shadow"]"#] {
        check(path, &positional(args), Ask, Ask);
        let denied = book(
            r#"[{"name":"no","effect":"deny","args":[{"pointer":"/path","prefix":"/etc/"}]},{"name":"ok","effect":"allow"}]"#,
            "[]",
        );
        assert_eq!(ruling(&denied, &positional(args)), (Ask, "no".to_owned()));
    }
    let absent = r#""args":[{"pointer":"/force","absent":true}]"#;
    check(absent, &call("rm", "{}"), Allow, Deny);
    check(absent, &positional(r#"{"args":["/x"],"kwargs":{}}"#), Ask, Ask);
    check(absent, &positional(r#"{"args":["/x"],"kwargs":{"force":true}}"#), Ask, Ask);
    // As a whole they are what they are.
    check(r#""args":[{"pointer":"","equals":[1]}]"#, &positional("[1.0]"), Allow, Deny);
    let whole = r#"{"args":[0],"kwargs":{"path":"/etc/shadow"}}"#;
    check(&format!(r#""args":[{{"pointer":"","equals":{whole}}}]"#), &positional(whole), Allow, Deny);
}

#[test]
fn r34_no_grant_permits_what_a_denial_may_mean() {
    let granted = r#"[{"id":"g","scope":"tool","tool":"cat","server":"s","agent":["root","sub"],"schemaDigest":"d","session":"t","createdAt":1}]"#;
    let path = r#"[{"name":"no","effect":"deny","args":[{"pointer":"/path","prefix":"/etc/"}]},{"name":"care","effect":"ask","tool":"cat"}]"#;
    let mut unnamed = call("cat", r#"{"args":["/etc/shadow"],"kwargs":{}}"#);
    unnamed.call.positional = true;
    assert_eq!(ruling(&book(path, granted), &unnamed).0, Ask);
    assert_eq!(ruling(&book(path, granted), &call("cat", r#"{"path":"/tmp/x"}"#)).0, Allow);
    let server = r#"[{"name":"no","effect":"deny","server":"prod"}]"#;
    let anywhere = r#"[{"id":"g","scope":"session","session":"t","createdAt":1}]"#;
    assert_eq!(ruling(&book(server, anywhere), &call("cat", "{}").server(None)), (Ask, "no".to_owned()));
    assert_eq!(ruling(&book(server, anywhere), &call("cat", "{}").server(Some("test"))).0, Allow);
}

#[test]
fn an_agent_that_may_be_a_sub_agent_is_asked_what_that_is_asked() {
    let config = r#"{"rm":false,"ls":false,"agents":{"cleaner":{"rm":{"allowed_decisions":["reject"]}},"deep":{"agents":{"x":{"ls":true}}}}}"#;
    let configuration = Some(Configuration::read("interrupt_on", config).unwrap());
    let book = Rulebook { configuration, ..Rulebook::default() };
    for tool in ["rm", "ls"] {
        assert_eq!(verdict(&book, &call(tool, "{}").agent(&[])).ruling, Ask, "{tool}");
        assert_eq!(verdict(&book, &call(tool, "{}").agent(&["root"])).ruling, Allow, "{tool}: it is named");
    }
    assert_eq!(verdict(&book, &call("rm", "{}").agent(&["root", "cleaner"])).ruling, Ask);
    let offers = verdict(&book, &call("rm", "{}").agent(&[])).offers;
    assert_eq!(offers, Some(vec![OfferKind::Reject]));
    let plain = Configuration::read("interrupt_on", r#"{"rm":false,"agents":{"a":{"b":true}}}"#);
    let book = Rulebook { configuration: Some(plain.unwrap()), ..Rulebook::default() };
    assert_eq!(verdict(&book, &call("rm", "{}").agent(&["root"])).ruling, Allow);
    // What the outermost agent's own configuration does not name may be a sub-agent's all the same.
    let nested = Configuration::read("interrupt_on", r#"{"agents":{"a":{"rm":true}}}"#).unwrap();
    let allowing = Rulebook::read(r#"{"rules":[{"name":"ok","effect":"allow","tool":"rm"}]}"#).unwrap();
    let book = Rulebook { configuration: Some(nested), ..allowing };
    assert_eq!(verdict(&book, &call("rm", "{}").agent(&[])).ruling, Ask);
    assert_eq!(verdict(&book, &call("rm", "{}").agent(&["root"])).ruling, Allow);
    // Several of them: what all permit.
    let several = r#"{"agents":{"a":{"rm":{"allowed_decisions":["approve","reject"]}},"b":{"rm":{"allowed_decisions":["reject","edit"]}},"c":{"rm":true}}}"#;
    let configuration = Some(Configuration::read("interrupt_on", several).unwrap());
    let book = Rulebook { configuration, ..Rulebook::default() };
    assert_eq!(verdict(&book, &call("rm", "{}").agent(&[])).offers, Some(vec![OfferKind::Reject]));
}

#[test]
fn the_panel_switches_the_tool_of_the_outermost_agent_whatever_its_sub_agents_are_asked() {
    let read = Configuration::read("interrupt_on", r#"{"ls":true,"agents":{"sub":{"ls":true}}}"#).unwrap();
    let mut tools = read.tools();
    tools.iter_mut().for_each(|tool| read.survey(tool));
    let open = read.with_approval(&tools[0], false).expect("it can be switched off");
    assert_eq!(open.write(), r#"{"ls":false,"agents":{"sub":{"ls":true}}}"#);
    open.survey(&mut tools[0]);
    assert_eq!(tools[0].gate, Gate::Open);
}

#[test]
fn constraints_look_at_one_place_each() {
    let call = call("a", r#"{"path":"/tmp/x","n":100,"deep":{"l":[1,{"k":null}]}}"#);
    let fits = |constraint: &str, fits: bool| {
        let (allows, denies) = if fits { (Allow, Deny) } else { (Ask, Ask) };
        check(&format!(r#""args":[{constraint}]"#), &call, allows, denies);
    };
    fits(r#"{"pointer":"/n","equals":1e2}"#, true);
    fits(r#"{"pointer":"/n","equals":"100"}"#, false);
    fits(r#"{"pointer":"/n","oneOf":[1,100.0]}"#, true);
    fits(r#"{"pointer":"/n","oneOf":[]}"#, false);
    fits(r#"{"pointer":"/deep/l/1","equals":{"k":null}}"#, true);
    fits(r#"{"pointer":"/deep/l/1/k","equals":null}"#, true);
    fits(r#"{"pointer":"/deep/l/2","equals":null}"#, false);
    fits(r#"{"pointer":"/path","prefix":"/tmp/"}"#, true);
    fits(r#"{"pointer":"/path","prefix":"/TMP/"}"#, false);
    fits(r#"{"pointer":"/n","prefix":"1"}"#, false);
    fits(r#"{"pointer":"/path","contains":"p/x"}"#, true);
    fits(r#"{"pointer":"/path","contains":"P/x"}"#, false);
    fits(r#"{"pointer":"/n","above":99.99999999999999999999}"#, true);
    fits(r#"{"pointer":"/n","above":1e2}"#, false);
    fits(r#"{"pointer":"/force","absent":true}"#, true);
    fits(r#"{"pointer":"/path","absent":true}"#, false);
    fits(r#"{"pointer":"/n","equals":100},{"pointer":"/path","prefix":"/etc/"}"#, false);
}

#[test]
fn a_prefix_permits_nothing_that_climbs_out_of_it() {
    let climbing = call("a", r#"{"path":"/tmp/../etc/passwd"}"#);
    check(r#""args":[{"pointer":"/path","prefix":"/tmp/"}]"#, &climbing, Ask, Deny);
    let escaped = call("a", r#"{"path":"/tmp/\u002e\u002e/etc"}"#);
    check(r#""args":[{"pointer":"/path","prefix":"/tmp/"}]"#, &escaped, Ask, Deny);
}

#[test]
fn r34_a_number_in_a_text_is_reason_to_deny_and_none_to_permit() {
    check(r#""args":[{"pointer":"/n","above":1000}]"#, &call("a", r#"{"n":"2000"}"#), Ask, Deny);
}

#[test]
fn a_constraint_on_arguments_that_cannot_be_read_is_asked_about() {
    let doubtful = Call { inspectable: false, ..call("a", r#"{"path":"/tmp/x","path":"/etc"}"#) };
    check(r#""args":[{"pointer":"/path","prefix":"/etc"}]"#, &doubtful, Ask, Ask);
    check(r#""args":[{"pointer":"/path","equals":"/home"}]"#, &doubtful, Ask, Ask);
    check(r#""tool":"a""#, &doubtful, Ask, Deny);
}

#[test]
fn rules_and_configuration_together_are_the_stricter_and_keep_the_limit() {
    let config = r#"{"free":false,"held":{"allowed_decisions":["reject"]},"open":{"allowed_decisions":["approve","reject"]}}"#;
    let configuration = Some(Configuration::read("interrupt_on", config).unwrap());
    let mut book = Rulebook { configuration, ..Rulebook::default() };
    let call = |tool| call(tool, "{}").agent(&[]);
    assert_eq!(ruling(&book, &call("free")), (Allow, "interrupt_on:free".to_owned()));
    book.rules = vec![Rule::new("all", Ask)];
    assert_eq!(ruling(&book, &call("free")), (Ask, "all".to_owned()));
    assert_eq!(verdict(&book, &call("held")).offers, Some(vec![OfferKind::Reject]));
    book.grants = Grants::read(r#"[{"id":"g","scope":"session","session":"t","createdAt":1}]"#).unwrap();
    assert_eq!(ruling(&book, &call("free")).0, Allow);
    assert_eq!(ruling(&book, &call("open")).0, Allow);
    assert_eq!(ruling(&book, &call("held")).0, Ask, "a grant adds no offer");
    book.rules = vec![Rule { reason: Some("never".to_owned()), ..Rule::new("no", Deny) }];
    assert_eq!(verdict(&book, &call("free")).reason.as_deref(), Some("never"));
}

#[test]
fn a_configuration_is_taken_as_it_is_at_the_time_of_the_call() {
    let mut book = Rulebook::read(r#"{"system":"interrupt_on","config":{"a":false}}"#).unwrap();
    let call = call("a", "{}").agent(&["root"]);
    assert_eq!(ruling(&book, &call).0, Allow);
    book.configuration = Some(Configuration::read("interrupt_on", r#"{"a":true}"#).unwrap());
    assert_eq!(ruling(&book, &call).0, Ask);
}

#[test]
fn what_was_approved_before_a_reload_does_not_answer_what_is_found_in_history() {
    use countersign_core::{Decision, Policy};
    let mut book = Rulebook::read(r#"{"system":"ask-once"}"#).unwrap();
    let call = call("a", "{}");
    book.decided(&call.proposal(), &Decision::approve());
    assert_eq!(ruling(&book, &call).0, Allow);
    assert_eq!(ruling(&book, &Call { restored: Some(Millis(0)), ..call }).0, Ask);
}

#[test]
fn r34_asking_once_remembers_of_each_tool_what_was_approved_as_it_stood_and_nothing_else() {
    use countersign_core::{Decision, Policy};
    let mut book = Rulebook::read(r#"{"system":"ask-once"}"#).unwrap();
    let whole = call("a", r#"{"n":1}"#);
    let edit = Decision::Edit { args: r#"{"n":2}"#.into(), note: None };
    for other in [Decision::reject(None), edit, Decision::Ignore] {
        book.decided(&whole.proposal(), &other);
        assert_eq!(ruling(&book, &whole).0, Ask, "{other:?}");
    }
    book.decided(&whole.proposal(), &Decision::approve());
    book.decided(&call("b", "{}").proposal(), &Decision::approve());
    assert_eq!([ruling(&book, &whole).0, ruling(&book, &call("b", "{}")).0], [Allow, Allow]);
    for server in [None, Some("other")] {
        assert_eq!(ruling(&book, &whole.clone().server(server)).0, Ask, "{server:?}");
    }
    book.decided(&call("a", r#"{"n":3}"#).proposal(), &Decision::approve());
    assert_eq!(ruling(&book, &whole).0, Ask, "the last one counts");
    // However many there were: as many as eight can be taken back.
    let numbered = |number: u32| call("a", &format!(r#"{{"n":{number}}}"#));
    for number in 10..30 {
        book.decided(&numbered(number).proposal(), &Decision::approve());
        assert_eq!(ruling(&book, &numbered(number)).0, Allow);
    }
    for number in (22..30).rev() {
        assert_eq!(ruling(&book, &numbered(number)).0, Allow);
        book.not_taken(&numbered(number).proposal(), &Decision::approve());
    }
    assert_eq!([21, 29].map(|number| ruling(&book, &numbered(number)).0), [Ask, Ask]);
    assert_eq!(ruling(&book, &call("b", "{}")).0, Allow);
}

#[test]
fn r34_an_approval_that_did_not_count_is_unlearned_and_the_one_before_it_counts_again() {
    use countersign_core::{Decision, GrantScope, Policy};
    let mut book = Rulebook::read(r#"{"system":"ask-once"}"#).unwrap();
    let [one, other] = [call("a", r#"{"n":1}"#), call("a", r#"{"n":2}"#)];
    for taken in [&one, &one, &other] {
        book.decided(&taken.proposal(), &Decision::approve());
    }
    for (back, known) in [(&other, &one), (&other, &one), (&one, &one)] {
        book.not_taken(&back.proposal(), &Decision::approve());
        assert_eq!(ruling(&book, known).0, Allow);
    }
    book.not_taken(&one.proposal(), &Decision::approve());
    assert_eq!(ruling(&book, &one).0, Ask);
    let text = r#"{"system":"adalflow","config":{"always_allowed_tools":["b"]}}"#;
    let mut book = Rulebook::read(text).unwrap();
    let always = Decision::Approve { scope: GrantScope::Tool };
    for tool in ["a", "a", "b"] {
        book.decided(&call(tool, "{}").proposal(), &always);
    }
    let config = |book: &Rulebook| book.configuration.as_ref().unwrap().write();
    assert_eq!(config(&book), r#"{"always_allowed_tools":["b","a"]}"#);
    // A switch of another tool writes nothing down that may be unlearned.
    let other = countersign_core::ToolApproval { name: "c".to_owned(), ..Default::default() };
    book.configuration = book.configuration.unwrap().with_approval(&other, false);
    assert_eq!([ruling(&book, &call("c", "{}")).0, ruling(&book, &call("a", "{}")).0], [Allow, Allow]);
    for (decision, tool, left) in [
        (&always, "a", Allow),
        (&Decision::approve(), "a", Allow),
        (&always, "a", Ask),
        (&always, "b", Allow),
    ] {
        book.not_taken(&call(tool, "{}").proposal(), decision);
        assert_eq!(ruling(&book, &call(tool, "{}")).0, left, "{tool}");
    }
    assert!(config(&book).starts_with(r#"{"always_allowed_tools":["b"]"#), "{}", config(&book));
}

#[test]
fn r34_asking_once_knows_no_number_that_may_have_been_rounded() {
    use countersign_core::{ArgsText, Decision, Policy};
    for (args, expected) in [(r#"{"n":9007199254740993}"#, Ask), (r#"{"n":1}"#, Allow)] {
        let exact = call("a", args);
        let mut rounded = exact.clone();
        rounded.call.args = ArgsText::from(args).rounded(true);
        let pairs = [(&exact, &rounded), (&rounded, &exact), (&rounded, &rounded), (&exact, &exact)];
        for (place, (seen, again)) in pairs.into_iter().enumerate() {
            let expected = if place == 3 { Allow } else { expected };
            let mut book = Rulebook::read(r#"{"system":"ask-once"}"#).unwrap();
            book.decided(&seen.proposal(), &Decision::approve());
            assert_eq!(ruling(&book, again).0, expected, "{args}");
        }
    }
}

const RULES: &str = r#"[{"name":"a","effect":"deny","tool":"t\n","server":"s","agent":["root","*"],"args":[{"pointer":"/a~1b/0","equals":{"n":1.00,"m":2512292042121000001}},{"pointer":"","oneOf":[1e400,"\u202e"]},{"pointer":"/p","prefix":"/tmp/"},{"pointer":"/x","absent":true}],"risk":"high","reason":"ask"},{"name":"b","effect":"ask"},{"name":"c","effect":"allow"}]"#;
const GRANTS: &str = r#"[{"id":"g","scope":"call","tool":"t","server":"s","schemaDigest":"d","session":"x","call":"c","args":[{"pointer":"","equals":{"n":1.00}}],"createdAt":18446744073709551615,"expiresAt":2,"revokedAt":3},{"id":"h","scope":"server","server":"s","createdAt":0}]"#;

#[test]
fn rules_and_grants_are_written_as_they_were_read() {
    assert_eq!(Grants::read(GRANTS).unwrap().write(), GRANTS);
    let text =
        format!(r#"{{"system":"interrupt_on","config":{{"a": true}},"rules":{RULES},"forever":true}}"#);
    assert_eq!(Rulebook::read(&text).unwrap().write(), text);
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    let rules = |text: &str| Rulebook::read(&format!(r#"{{"rules":{text}}}"#)).unwrap_err();
    let grants = |text: &str| Grants::read(text).unwrap_err();
    let check = |error: countersign_policy::PolicyError, code: &str, pointer: &str| {
        assert_eq!((error.code(), error.pointer.as_str()), (code, pointer), "{error}");
    };
    check(rules("{}"), "policy-type", "/rules");
    check(rules(r#"[{"effect":"deny"}]"#), "policy-member-missing", "/rules/0");
    check(rules(r#"[{"name":"a","effect":"permit"}]"#), "policy-word-unknown", "/rules/0/effect");
    check(rules(r#"[{"name":"a","effect":"allow","tols":"x"}]"#), "policy-member-unknown", "/rules/0/tols");
    check(rules(r#"[{"name":"a","effect":"allow","tool":["x"]}]"#), "policy-type", "/rules/0/tool");
    check(rules(r#"[{"name":"a","effect":"ask","risk":"low"}]"#), "policy-type", "/rules/0/risk");
    check(
        rules(r#"[{"name":"a","effect":"ask"},{"name":"a","effect":"deny"}]"#),
        "policy-id-twice",
        "/rules/1/name",
    );
    check(
        rules(r#"[{"name":"a","effect":"ask","args":[{"pointer":"x","equals":1}]}]"#),
        "policy-type",
        "/rules/0/args/0/pointer",
    );
    check(
        rules(r#"[{"name":"a","effect":"ask","args":[{"pointer":"/~2","equals":1}]}]"#),
        "policy-type",
        "/rules/0/args/0/pointer",
    );
    check(
        rules(r#"[{"name":"a","effect":"allow","args":[{"pointer":"/x","present":true}]}]"#),
        "policy-member-unknown",
        "/rules/0/args/0/present",
    );
    for test in ["", r#","equals":1,"prefix":"a""#, r#","absent":false"#] {
        let text = format!(r#"[{{"name":"a","effect":"allow","args":[{{"pointer":"/x"{test}}}]}}]"#);
        check(rules(&text), "policy-type", "/rules/0/args/0");
    }
    check(rules(r#"[{"name":"a","effect":"allow","effect":"deny"}]"#), "policy-doubtful", "/rules/0/effect");
    check(grants(r#"[{"id":"g","scope":"tool","createdAt":1}]"#), "policy-member-missing", "/0");
    // What pins a part of the arguments leaves the rest open.
    for args in ["", r#"{"pointer":"/n","equals":1}"#, r#"{"pointer":"","absent":true}"#] {
        let text = format!(r#"[{{"id":"g","scope":"same-args","tool":"a","args":[{args}],"createdAt":1}}]"#);
        check(grants(&text), "policy-member-missing", "/0");
    }
    let tool = r#"{"id":"g","scope":"tool","tool":"a","createdAt":1}"#;
    check(grants(&format!("[{tool},{tool}]")), "policy-id-twice", "/1/id");
    check(
        grants(&format!("[{}]", tool.replace('}', r#","expires":2}"#))),
        "policy-member-unknown",
        "/0/expires",
    );
    check(grants(r#"[{"id":"g","scope":"everywhere","createdAt":1}]"#), "policy-word-unknown", "/0/scope");
    check(grants(r#"[{"id":"g","scope":"tool","tool":"a"}]"#), "policy-member-missing", "/0");
    check(grants(r#"[{"id":"g","scope":"tool","tool":"a","createdAt":1.5}]"#), "policy-type", "/0/createdAt");
    check(grants(r#"[{"id":"g","scope":"tool","tool":"a","createdAt":-1}]"#), "policy-type", "/0/createdAt");
    check(Rulebook::read(r#"{"system":"fax","config":{}}"#).unwrap_err(), "policy-word-unknown", "/system");
    check(Rulebook::read(r#"{"rule":[]}"#).unwrap_err(), "policy-member-unknown", "/rule");
    check(Rulebook::read(r#"{"config":{}}"#).unwrap_err(), "policy-member-missing", "");
    check(Rulebook::read(r#"{"forever":"yes"}"#).unwrap_err(), "policy-type", "/forever");
    check(
        Rulebook::read(r#"{"system":"require_approval","config":{"toolNames":[],"requireApproval":["a"]}}"#)
            .unwrap_err(),
        "policy-not-subset",
        "/config/requireApproval",
    );
}
