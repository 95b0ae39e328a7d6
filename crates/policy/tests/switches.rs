//! What holds for every switch of every configuration, with names as strange as they come.

use countersign_core::{Gate, ToolApproval};
use countersign_policy::Configuration;
use proptest::prelude::*;

/// Names that mean something to a format, to a pointer or to a reader.
const NAMES: [&str; 12] =
    ["a", "b", "agents", "*", "[\"a\"]", "__proto__", "", "a/b", "~", "0", "-", "é\u{202e}"];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(NAMES.to_vec()).prop_map(countersign_json::quote)
}

fn some(values: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    prop::sample::select(values.to_vec()).prop_map(str::to_owned)
}

/// An object with each key once.
fn object(
    key: impl Strategy<Value = String>,
    value: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    prop::collection::btree_map(key, value, 0..4).prop_map(|members| {
        let written = members.iter().map(|(key, value)| [key, ": ", value].concat());
        ["{", &written.collect::<Vec<_>>().join(" , "), "}"].concat()
    })
}

fn list(item: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::vec(item, 0..4).prop_map(|items| ["[", &items.join(", "), "]"].concat())
}

/// An object of these members, each of which may be missing, and one that nobody knows.
fn members(members: Vec<(&'static str, BoxedStrategy<String>)>) -> BoxedStrategy<String> {
    let one = |(key, value): (&'static str, BoxedStrategy<String>)| {
        prop::option::weighted(0.8, prop_oneof![9 => value, 1 => Just("null".to_owned())])
            .prop_map(move |value| value.map(|value| format!("\"{key}\":{value}, ")))
    };
    members
        .into_iter()
        .map(one)
        .collect::<Vec<_>>()
        .prop_map(|parts| ["{", &parts.into_iter().flatten().collect::<String>(), "\"k\" : 1.00}"].concat())
        .boxed()
}

fn strategy() -> BoxedStrategy<String> {
    let policy = some(&["NeverAskPolicy", "AlwaysAskPolicy", "AskOncePolicy", "my.NeverAskPolicy"]);
    let class = some(&["BlockingConfirmationStrategy", "BlockingConfirmationStrategy", "Mine"]);
    let parameters = policy.prop_map(|policy| format!("{{\"type\":\"{policy}\"}}"));
    (class, members(vec![("confirmation_policy", parameters.boxed())]))
        .prop_map(|(class, parameters)| format!("{{\"type\":\"{class}\",\"init_parameters\":{parameters}}}"))
        .boxed()
}

fn configuration() -> impl Strategy<Value = (&'static str, String)> {
    let flags = || object(name(), some(&["true", "false", "0", "null"])).boxed();
    let names = || list(name()).boxed();
    let key = prop_oneof![name(), list(name()).prop_map(|list| countersign_json::quote(&list))];
    let strategies = || vec![("confirmation_strategies", object(key.clone(), strategy()).boxed())];
    let gate = some(&["true", "false", "{}", "{\"allowed_decisions\":[\"edit\"]}", "1"]).boxed();
    let tools = object(name(), gate.clone()).boxed();
    let agents = object(name(), prop_oneof![gate, tools.clone()]).boxed();
    let entry =
        (list(name()), any::<[bool; 4]>(), prop::option::of(some(&["\"s\"", "\"t\""])), any::<bool>())
            .prop_map(|(tools, gated, server, camel)| {
                let (has, needs) =
                    if camel { ("toolNames", "requireApproval") } else { ("tools", "require_approval") };
                let items = countersign_json::Document::parse(&tools, &countersign_json::Limits::default())
                    .map(|read| read.root().items().map(|item| item.text().to_owned()).collect::<Vec<_>>())
                    .unwrap_or_default();
                let gated: Vec<_> =
                    items.into_iter().zip(gated).filter(|(_, is)| *is).map(|(item, _)| item).collect();
                let server = server.map(|server| format!("\"server\": {server}, ")).unwrap_or_default();
                format!("{{{server}\"{has}\":{tools}, \"{needs}\":[{}],\"k\" : 1.00}}", gated.join(","))
            })
            .boxed();
    prop_oneof![
        members(strategies()).prop_map(|text| ("haystack", text)),
        members(vec![("init_parameters", members(strategies()))]).prop_map(|text| ("haystack", text)),
        members(vec![
            ("approval_mode", some(&["\"default\"", "\"default\"", "\"yolo\""]).boxed()),
            ("require_approval", flags()),
            ("always_allowed_tools", names()),
            ("blocked_tools", names()),
        ])
        .prop_map(|text| ("adalflow", text)),
        members(vec![("tools", names()), ("tool_approvals", flags())])
            .prop_map(|text| ("tool_approvals", text)),
        (tools, prop::option::of(agents)).prop_map(|(tools, agents)| {
            let agents = agents
                .filter(|_| !tools.contains("\"agents\""))
                .map(|agents| format!(", \"agents\" : {agents}"));
            let inner = tools.trim_matches(['{', '}']);
            let both = format!(
                "\"k\" : true{}{inner}{}",
                if inner.is_empty() { "" } else { "," },
                agents.unwrap_or_default()
            );
            ("interrupt_on", format!("{{{both}}}"))
        }),
        entry.clone().prop_map(|text| ("require_approval", text)),
        prop::collection::vec(entry, 0..3)
            .prop_map(|entries| ("require_approval", format!("[{}]", entries.join(", ")))),
    ]
}

fn all(read: &Configuration) -> Vec<ToolApproval> {
    let mut tools = read.tools();
    for name in NAMES {
        let tool = |agent: &[&str], server: Option<&str>| ToolApproval {
            name: name.to_owned(),
            agent: agent.iter().map(|agent| (*agent).to_owned()).collect(),
            server: server.map(str::to_owned),
            ..ToolApproval::default()
        };
        let mut more = vec![tool(&[], None)];
        match read.system() {
            "interrupt_on" => more.push(tool(&["", "a"], None)),
            "require_approval" => more.push(tool(&[], Some("s"))),
            _ => {}
        }
        for tool in more {
            if !tools.iter().any(|known| {
                known.name == tool.name && known.agent == tool.agent && known.server == tool.server
            }) {
                tools.push(tool);
            }
        }
    }
    tools.iter_mut().for_each(|tool| read.survey(tool));
    tools
}

fn asks(tool: &ToolApproval) -> bool {
    matches!(tool.gate, Gate::Asks | Gate::AsksOnce)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_switch_turns_its_own_tool_and_nothing_else((system, text) in configuration()) {
        let Ok(read) = Configuration::read(system, &text) else { return Ok(()) };
        let before = all(&read);
        let named = read.tools();
        for tool in &before {
            let turned = read.with_approval(tool, !asks(tool));
            prop_assert_eq!(turned.is_some(), tool.changeable, "{} {} {:?}", system, text, tool);
            let Some(turned) = turned else { continue };
            let written = turned.write();
            prop_assert!(written.matches("\"k\" : ").count() >= text.matches("\"k\" : ").count(), "{}", written);
            for other in &before {
                let mut after = other.clone();
                turned.survey(&mut after);
                let is_it = other.name == tool.name && other.agent == tool.agent
                    && (other.server == tool.server || system != "require_approval");
                // Without its own entry a sub-agent is asked what the outermost one is.
                let follows = system == "interrupt_on" && other.name == tool.name && tool.agent.is_empty()
                    && !named.iter().any(|own| own.agent == other.agent);
                if follows && !is_it {
                    prop_assert!(!asks(&after) || asks(other) || !asks(tool), "{} -> {}", text, written);
                } else if is_it {
                    prop_assert_eq!(asks(&after), !asks(tool), "{} {} -> {} {:?}", system, text, written, tool);
                } else if !(other.name == tool.name && system == "require_approval") {
                    prop_assert_eq!(after.gate, other.gate, "{} {} -> {}\n{:?}\nturned {:?}", system, text, written, other, tool);
                }
            }
        }
    }
}
