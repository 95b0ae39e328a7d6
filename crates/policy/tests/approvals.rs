//! Toggles in the configuration formats: each edit says what it should and leaves every other byte alone.

#![expect(clippy::unwrap_used, reason = "a helper of tests, in which it is allowed")]

use countersign_core::{Gate, ToolApproval};
use countersign_policy::Configuration;

/// A tool `name`, `server:name`, or `agent/agent/name`.
fn tool(name: &str) -> ToolApproval {
    let (agent, name) = name
        .rsplit_once('/')
        .map_or((Vec::new(), name), |(path, name)| (path.split('/').map(str::to_owned).collect(), name));
    let (server, name) = name.split_once(':').map_or((None, name), |(server, name)| (Some(server), name));
    let server = server.map(str::to_owned);
    ToolApproval { name: name.to_owned(), server, agent, ..ToolApproval::default() }
}

/// Sets the tool on or off; the text after it, or that there is no way to say so.
fn check(text: &str, name: &str, asks: bool, expected: Option<&str>) {
    let system = Configuration::detect(text).unwrap();
    let before = Configuration::read(system, text).unwrap();
    let after = before.with_approval(&tool(name), asks);
    assert_eq!(after.as_ref().map(Configuration::write).as_deref(), expected, "{system} {name} {asks}");
    let mut surveyed = tool(name);
    before.survey(&mut surveyed);
    assert_eq!(surveyed.changeable, expected.is_some(), "{system} {name}");
    if let Some(after) = after {
        after.survey(&mut surveyed);
        assert_eq!(surveyed.gate, if asks { Gate::Asks } else { Gate::Open });
    }
}

#[test]
fn interrupt_on_changes_one_member_of_the_right_agent() {
    let text = "{\n  \"ls\": false,  \"x\": {\"allowed_decisions\": [\"approve\"], \"n\": 1.00},\n  \"agents\": {\"sub\": {\"ls\": true}}\n}";
    check(text, "ls", true, Some(&text.replacen("false", "true", 1)));
    check(text, "root/sub/ls", false, Some(&text.replace("{\"ls\": true}", "{\"ls\": false}")));
    check("{\"a\": true}", "new", true, Some("{\"a\": true,\"new\": true}"));
    check(
        "{\"a\": true}",
        "root/other/b",
        true,
        Some("{\"a\": true,\"agents\": {\"other\": {\"a\":true,\"b\":true}}}"),
    );
    // What a sub-agent without an entry of its own is asked like the outermost one, it is asked with one.
    let limited =
        "{\"a\": {\"allowed_decisions\": [\"reject\"]}, \"b\": true, \"agents\": {\"sub\": {\"c\": true}}}";
    let entry = "{\"a\":{\"allowed_decisions\": [\"reject\"]},\"b\":false}";
    check(
        limited,
        "root/other/b",
        false,
        Some(&limited.replace("{\"c\": true}", &format!("{{\"c\": true}},\"other\": {entry}"))),
    );
}

#[test]
fn tool_approvals_take_listed_tools_alone() {
    let text = r#"{"tools": ["a", "b"], "tool_approvals": {"a": true}, "model": 1e2}"#;
    check(text, "b", true, Some(&text.replace(r#"{"a": true}"#, r#"{"a": true,"b": true}"#)));
    check(text, "a", false, Some(&text.replace("true", "false")));
    check(text, "c", true, None);
    check(
        r#"{"tools":["a"],"tool_approvals":null}"#,
        "a",
        true,
        Some(r#"{"tools":["a"],"tool_approvals":{"a": true}}"#),
    );
}

#[test]
fn require_approval_finds_the_entry_of_the_server() {
    let text =
        r#"[{"server":"s","toolNames":["a","b"],"requireApproval":["a"],"x":01e1}]"#.replace("01e1", "1e1");
    check(&text, "s:b", true, Some(&text.replace(r#"["a"],"x""#, r#"["a","b"],"x""#)));
    check(&text, "s:a", false, Some(&text.replace(r#"["a"],"x""#, r#"[],"x""#)));
    check(&text, "t:a", true, None);
    check(
        r#"{"tools":["a"],"require_approval":[]}"#,
        "a",
        true,
        Some(r#"{"tools":["a"],"require_approval":["a"]}"#),
    );
    check(r#"[{"toolNames":["a"]}]"#, "a", true, Some(r#"[{"toolNames":["a"],"requireApproval":["a"]}]"#));
}

#[test]
fn adalflow_takes_the_tool_out_of_what_is_always_allowed() {
    let text = r#"{"approval_mode":"default","require_approval":{"a":false},"always_allowed_tools":["b","a"],"k":1.0}"#;
    let on =
        r#"{"approval_mode":"default","require_approval":{"a":true},"always_allowed_tools":["b"],"k":1.0}"#;
    check(text, "a", true, Some(on));
    check(on, "a", false, Some(&on.replace("true", "false")));
    check(r#"{"approval_mode":"yolo"}"#, "a", true, None);
    check(r#"{"blocked_tools":["a"]}"#, "a", true, None);
}

#[test]
fn haystack_gives_the_tool_a_strategy_of_its_own_with_the_texts_of_the_other() {
    let strategy = |policy: &str| {
        [
            r#"{"type": "haystack.human_in_the_loop.strategies.BlockingConfirmationStrategy", "init_parameters": {"confirmation_policy": {"type": "haystack.human_in_the_loop.policies."#,
            policy,
            r#"", "init_parameters": {}}, "reject_template": "No {tool_name}"}}"#,
        ]
        .concat()
    };
    let wrap = |members: &str| [r#"{"confirmation_strategies": {"#, members, r#"}, "k": 1.00}"#].concat();
    let text = wrap(&[r#""*": "#, &strategy("NeverAskPolicy")].concat());
    let configuration =
        Configuration::read("haystack", &text).unwrap().with_approval(&tool("a"), true).unwrap();
    let written = configuration.write();
    assert!(written.contains(r#""a": {"type""#) && written.contains("AlwaysAskPolicy"), "{written}");
    assert_eq!(written.matches("No {tool_name}").count(), 2);
    assert!(written.ends_with(r#""k": 1.00}"#) && !written.contains("haystack.hooks"), "{written}");
    let names: Vec<String> = configuration.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["a"]);
    let back = configuration.with_approval(&tool("a"), false).unwrap().write();
    assert_eq!(back.matches("NeverAskPolicy").count(), 2);
    check(&wrap(r#""a": {"type": "mine.Strategy", "init_parameters": {}}"#), "a", false, None);
}

#[test]
fn a_format_is_known_by_its_members() {
    for (text, system) in [
        (r#"{"init_parameters":{"confirmation_strategies":{}}}"#, Some("haystack")),
        (r#"{"require_approval":{"a":true}}"#, Some("adalflow")),
        (r#"{"tools":["a"],"require_approval":["a"]}"#, Some("require_approval")),
        ("[]", Some("require_approval")),
        (r#"{"a":true}"#, Some("interrupt_on")),
        (r#"{"a":"x"}"#, None),
        ("7", None),
    ] {
        assert_eq!(Configuration::detect(text), system, "{text}");
    }
}

#[test]
fn what_a_switch_took_the_place_of_is_there_again_when_it_is_turned_back() {
    let text = r#"{"x": {"allowed_decisions": ["reject"], "description": "1.00"}, "agents": {"s": {"x": {"allowed_decisions": ["edit"]}}}}"#;
    let before = Configuration::read("interrupt_on", text).unwrap();
    let inner = before.with_approval(&tool("root/s/x"), false).unwrap();
    let both = inner.with_approval(&tool("x"), false).unwrap();
    assert_eq!(both.write(), r#"{"x": false, "agents": {"s": {"x": false}}}"#);
    let back = both.with_approval(&tool("x"), true).unwrap().with_approval(&tool("root/s/x"), true).unwrap();
    assert_eq!(back.write(), text);
}

#[test]
fn a_strategy_with_a_policy_of_its_own_is_there_again_when_the_switch_is_turned_back() {
    let strategy = |policy: &str| {
        format!(
            r#"{{"type": "haystack.hooks.human_in_the_loop.strategies.BlockingConfirmationStrategy", "init_parameters" : {{"confirmation_policy": {{"type": "{policy}", "init_parameters": {{"limit": 1.0}}}}}}}}"#
        )
    };
    let once = strategy("haystack.hooks.human_in_the_loop.policies.AskOncePolicy");
    let mine = strategy("mine.AskAboveLimit");
    let text = [
        r#"{"confirmation_strategies": {"a": "#,
        &mine,
        r#", "b": "#,
        &once,
        r#", "[\"c\", \"d\"]": "#,
        &mine,
        r#", "*": "#,
        &once,
        "}}",
    ]
    .concat();
    let before = Configuration::read("haystack", &text).unwrap();
    for name in ["a", "b", "c", "e"] {
        let off = before.with_approval(&tool(name), false).unwrap();
        let again = off.with_approval(&tool(name), false).unwrap_or(off);
        let mut surveyed = tool(name);
        again.survey(&mut surveyed);
        assert_eq!(surveyed.gate, Gate::Open, "{name}");
        assert_eq!(again.with_approval(&tool(name), true).unwrap().write(), text, "{name}");
    }
}

#[test]
fn no_switch_turns_more_than_its_tool() {
    // Tools may be called what a format gives a meaning of its own.
    let strategy = r#"{"type": "haystack.human_in_the_loop.strategies.BlockingConfirmationStrategy", "init_parameters": {"confirmation_policy": {"type": "haystack.human_in_the_loop.policies.AlwaysAskPolicy"}}}"#;
    let haystack = [r#"{"confirmation_strategies": {"*": "#, strategy, "}}"].concat();
    check(&haystack, "*", false, None);
    check(&haystack, r#"["a"]"#, false, None);
    check(r#"{"a": true, "agents": {"sub": {"rm": true}}}"#, "agents", false, None);
    check(
        r#"{"a": true, "agents": {"sub": {"rm": true}}}"#,
        "root/sub/agents",
        true,
        Some(r#"{"a": true, "agents": {"sub": {"rm": true,"agents": true}}}"#),
    );
    check(r#"{"a": true, "agents": false}"#, "agents", true, Some(r#"{"a": true, "agents": true}"#));
    check(r#"{"a": true, "agents": false}"#, "root/sub/rm", true, None);
    let twice = r#"[{"server":"s","toolNames":["a"],"requireApproval":["a"]},{"toolNames":["a"],"requireApproval":["a"]}]"#;
    check(twice, "s:a", false, None);
}

#[test]
fn a_list_of_haystack_that_comes_again_counts_as_the_library_counts_it() {
    let strategy = |policy: &str| {
        [r#"{"type": "BlockingConfirmationStrategy", "init_parameters": {"confirmation_policy": {"type": ""#, policy, r#""}}}"#].concat()
    };
    let text = [
        r#"{"confirmation_strategies": {"[\"a\",\"b\"]": "#,
        &strategy("NeverAskPolicy"),
        r#", "[\"a\"]": "#,
        &strategy("NeverAskPolicy"),
        r#", "[\"a\", \"b\"]": "#,
        &strategy("AlwaysAskPolicy"),
        "}}",
    ]
    .concat();
    let mut found = tool("a");
    Configuration::read("haystack", &text).unwrap().survey(&mut found);
    assert_eq!(found.gate, Gate::Asks);
}

#[test]
fn r34_a_class_that_only_has_the_last_name_of_one_of_haystack_asks() {
    let gate = |strategy: &str, policy: &str| {
        let text = format!(
            r#"{{"confirmation_strategies": {{"a": {{"type": "{strategy}", "init_parameters": {{"confirmation_policy": {{"type": "{policy}"}}}}}}}}}}"#
        );
        let mut found = tool("a");
        let configuration = Configuration::read("haystack", &text).unwrap();
        configuration.survey(&mut found);
        (found.gate, configuration.with_approval(&tool("a"), false).is_some())
    };
    let (blocking, never) = ("BlockingConfirmationStrategy", "NeverAskPolicy");
    for package in [
        "",
        "haystack.human_in_the_loop.",
        "haystack.hooks.human_in_the_loop.policies.",
        "haystack_experimental.x.",
    ] {
        let found = gate(&[package, blocking].concat(), &[package, never].concat());
        assert_eq!(found, (Gate::Open, true), "{package}");
    }
    for module in [
        "my.app.",
        "haystackish.human_in_the_loop.policies.",
        "mine.haystack.human_in_the_loop.policies.",
        ".",
    ] {
        let (mine, other) = ([module, never].concat(), [module, blocking].concat());
        assert_eq!(gate(blocking, &mine).0, Gate::Asks, "{mine}");
        // What a strategy of one's own does is not known: it has no switch either.
        assert_eq!(gate(&other, never), (Gate::Asks, false), "{other}");
    }
}

#[test]
fn a_new_strategy_of_haystack_asks_where_the_others_ask() {
    let text = r#"{"confirmation_strategies": {"b": {"type": "haystack.human_in_the_loop.strategies.BlockingConfirmationStrategy", "init_parameters": {"confirmation_policy": {"type": "haystack.human_in_the_loop.policies.NeverAskPolicy"}, "confirmation_ui": {"type": "ours.WebUI"}}}}}"#;
    let written =
        Configuration::read("haystack", text).unwrap().with_approval(&tool("a"), true).unwrap().write();
    assert!(written.matches("ours.WebUI").count() == 2 && !written.contains("Console"), "{written}");
}
