//! The tables of policies: which calls are asked about, what is remembered, how configurations read and write.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use countersign_core::{Inbox, InboxOptions, Input, Policy, Ruling, Status, ToolCall};
use countersign_json::{Document, Limits, Value, Writer};
use countersign_policy::haystack::{Release, read_execution_decision, read_policy, write_policy};
use countersign_policy::{AskPolicy, Configuration, Grants, Rulebook};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::matching::{Names, matches};
use countersign_tests::moment::START;
use countersign_tests::runner::decision;
use countersign_tests::trace::{files, folder, message, with_trace, written_files};

fn tables(part: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder().join("policy").join(part)).expect("the tables are there");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths
}

/// Runs one member of each table that has it, and says how many rows there were.
fn run(member: &str, row: impl Fn(&mut Option<Configuration>, Value<'_>) -> Result<(), String>) -> usize {
    let (mut failed, mut rows) = (Vec::new(), 0);
    for path in tables("").into_iter().chain(tables("written")) {
        with_trace(&path, |root| {
            let Some(policy) = root.get("policy") else { return };
            let system = policy.get("system").and_then(|system| system.as_str()).unwrap_or_default();
            let text = policy.get("config").map(|config| config.text());
            let read = text.map(|text| Configuration::read(&system, text)).transpose();
            let mut configuration = read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            for (place, value) in root.get(member).into_iter().flat_map(Value::items).enumerate() {
                rows += 1;
                if let Err(error) = row(&mut configuration, value) {
                    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    failed.push(format!("{file}: {member} {place}: {error}"));
                }
            }
        });
    }
    assert!(failed.is_empty(), "{} rows fail:\n{}", failed.len(), failed.join("\n"));
    rows
}

fn text(row: Value<'_>, key: &str) -> Option<String> {
    row.get(key).and_then(|text| text.as_str()).map(|text| text.into_owned())
}

fn is(row: Value<'_>, key: &str) -> bool {
    row.get(key).and_then(Value::as_bool) == Some(true)
}

fn call(row: Value<'_>) -> ToolCall {
    let agent = row.get("agent").into_iter().flat_map(Value::items);
    ToolCall {
        server: text(row, "server").map(Into::into),
        agent: agent.filter_map(|name| Some(name.as_str()?.as_ref().into())).collect(),
        ..ToolCall::new(
            text(row, "tool").unwrap_or_default(),
            row.get("args").map(message).unwrap_or_default(),
        )
    }
}

#[test]
fn r34_arguments_without_names_are_judged_as_such_whichever_message_of_adalflow_comes_first() {
    let call = r#"{"id":"1","name":"cat","args":["/etc/shadow"],"kwargs":{},"_is_answer_final":null,"_answer":null}"#;
    let event = [r#"{"type":"raw_response_event","input":null,"error":null,"data":"#, call, "}"].concat();
    let raw = [r#"{"name":"agent.tool_permission_request","type":"run_item_stream_event","item":{"id":"i","type":"tool_call_permission_request","data":{"id":"1","tool_name":"cat","tool":"#, call, "}}}"].concat();
    let request = r#"{"type":"approval_request","id":"1","tool":"cat","args":["/etc/shadow"],"kwargs":{},"allowed_outcomes":["proceed_once","cancel"]}"#;
    let rules = r#"{"rules":[{"name":"no","effect":"deny","tool":"cat","args":[{"pointer":"/path","prefix":"/etc/"}]},{"name":"ok","effect":"allow","tool":"cat"}]}"#;
    for messages in [vec![request], vec![&event, request], vec![&raw, request], vec![&event, &raw, request]] {
        let policy = Some(Box::new(Rulebook::read(rules).unwrap()) as Box<dyn Policy>);
        let adapter = adapter("adalflow", &AdapterOptions::default()).unwrap();
        let mut inbox = Inbox::new(adapter, InboxOptions { policy, ..InboxOptions::default() });
        for text in &messages {
            inbox.handle(START, Input::Receive { text, rounded: false }).unwrap();
        }
        let statuses: Vec<Status> = inbox.statuses().collect();
        assert_eq!(statuses, [Status::Pending], "{messages:?}");
    }
}

/// The answer would reach the question that waits, of which nobody has seen it.
#[test]
fn r34_no_rule_answers_an_old_question_of_langgraph_that_is_told_again() {
    let asks = |id: &str, tool: &str| {
        format!(
            r#"{{"id":"{}","value":{{"action_request":{{"action":"tool_approval_{tool}","args":{{}}}},"config":{{"allow_accept":true}}}}}}"#,
            id.repeat(32)
        )
    };
    let state = |interrupt: &str| {
        format!(
            r#"{{"values":{{"messages":[]}},"next":["n"],"tasks":[{{"id":"t","name":"n","interrupts":[{interrupt}]}}]}}"#
        )
    };
    let event =
        |interrupt: &str| format!(r#"{{"event":"updates","data":{{"__interrupt__":[{interrupt}]}}}}"#);
    let rules = r#"{"rules":[{"name":"ok","effect":"allow","tool":"a"}]}"#;
    for (told, expected) in [
        (event(&asks("1", "a")), vec![Status::Pending, Status::Blocked]),
        // Before langgraph 1.2.20 all questions of a node have one id.
        (event(&asks("2", "a")), vec![Status::Blocked]),
        (state(&asks("1", "a")), vec![Status::Superseded, Status::Sending]),
    ] {
        let policy = Some(Box::new(Rulebook::read(rules).unwrap()) as Box<dyn Policy>);
        let adapter = adapter("langgraph", &AdapterOptions::default()).unwrap();
        let mut inbox = Inbox::new(adapter, InboxOptions { policy, ..InboxOptions::default() });
        inbox.handle(START, Input::Restore { text: state(&asks("2", "b")).into(), rounded: false }).unwrap();
        for text in [r#"{"event":"metadata","data":{"run_id":"r"}}"#, &told] {
            inbox.handle(START, Input::Receive { text, rounded: false }).unwrap();
        }
        assert_eq!(inbox.statuses().collect::<Vec<_>>(), expected, "{told}");
    }
}

const FAMILIES: [&str; 5] = ["a2a", "adk", "langgraph", "haystack", "adalflow"];

#[test]
fn r35_sessions_without_a_name_are_known_as_such() {
    for path in files().into_iter().chain(written_files()) {
        let family =
            path.components().find_map(|part| FAMILIES.into_iter().find(|name| *name == part.as_os_str()));
        let Some(family) = family else { continue };
        with_trace(&path, |trace| {
            let mut inbox =
                Inbox::new(adapter(family, &AdapterOptions::default()).unwrap(), InboxOptions::default());
            for step in trace.get("steps").into_iter().flat_map(Value::items) {
                let Some(text) = step.get("receive").or_else(|| step.get("restore")).map(message) else {
                    continue;
                };
                let _ = inbox.handle(START, Input::Receive { text: &text, rounded: false });
            }
            for key in inbox.first_key().. {
                let Some(id) = inbox.id(key) else { break };
                let Ok(request) = inbox.find(&id) else { continue };
                let mut writer = Writer::new();
                writer.begin_array().begin_object().key("id").string("g").key("scope").string("session");
                writer
                    .key("session")
                    .string(request.scope.as_str())
                    .key("createdAt")
                    .integer(1)
                    .end_object()
                    .end_array();
                let grants = Grants::read(&writer.finish()).unwrap();
                assert_eq!(grants.has_unnamed(), family != "a2a", "{}: {id}", path.display());
            }
        });
    }
}

#[test]
fn r42_tabs_and_grants_know_the_same_sessions_without_a_name() {
    let words = |path: &str, before: &str, after: &str| -> BTreeSet<String> {
        let path = folder().join("../..").join(path);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let list = text.split_once(before).and_then(|(_, rest)| rest.split_once(after));
        let (list, _) = list.unwrap_or_else(|| panic!("{} has no list", path.display()));
        let words = list.split(|other: char| !other.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let grants = words("crates/policy/src/grants.rs", "const UNNAMED: [&str; 4] = [", "]");
    assert!(grants.contains("haystack"), "{grants:?}");
    assert_eq!(words("crates/wasm/npm/src/tabs.ts", "const UNNAMED = /^(", ")"), grants);
}

fn same(expected: Value<'_>, given: &str) -> Result<(), String> {
    let document =
        Document::parse(given, &Limits::default()).map_err(|error| format!("{error} in {given}"))?;
    matches(expected, Some(document.root()), &mut Names::new(), "")
}

#[test]
fn every_call_is_asked_about_as_the_tables_say() {
    let rows = run("calls", |configuration, row| {
        let configuration = configuration.as_mut().ok_or("no configuration")?;
        let call = call(row);
        let verdict = configuration.should_ask(&call);
        let expected = match (is(row, "deny"), is(row, "ask")) {
            (true, _) => Ruling::Deny,
            (_, true) => Ruling::Ask,
            _ => Ruling::Allow,
        };
        if verdict.ruling != expected {
            return Err(format!("should be {expected:?}, is {verdict:?}"));
        }
        if is(row, "upstream_asks") && verdict.ruling == Ruling::Allow {
            return Err("looser than the system itself".to_owned());
        }
        if let Some(offers) = row.get("offers") {
            let expected: BTreeSet<String> =
                offers.items().filter_map(|kind| Some(kind.as_str()?.into_owned())).collect();
            let given = verdict.offers.iter().flatten().map(|kind| kind.as_str().to_owned()).collect();
            if expected != given {
                return Err(format!("should offer {expected:?}, offers {given:?}"));
            }
        }
        if let Some(then) = row.get("then") {
            configuration.update_after_confirmation(&call, &decision(then)?.0);
        }
        Ok(())
    });
    assert!(rows >= 60, "only {rows} rows were found");
}

#[test]
fn configurations_are_read_and_written_as_the_tables_say() {
    let mut rows = 0;
    for path in tables("").into_iter().chain(tables("written")) {
        with_trace(&path, |root| {
            let system = root.get("policy").and_then(|policy| text(policy, "system")).unwrap_or_default();
            let Some(serialised) = root.get("serialised") else { return };
            for (member, check) in [
                ("accepts", accepts as fn(&str, Value<'_>) -> Result<(), String>),
                ("writes", writes),
                ("decision_from", decision_from),
            ] {
                for (place, row) in serialised.get(member).into_iter().flat_map(Value::items).enumerate() {
                    rows += 1;
                    if let Err(error) = check(&system, row) {
                        panic!("{}: {member} {place}: {error}", path.display());
                    }
                }
            }
        });
    }
    assert!(rows >= 9, "only {rows} rows were found");
}

fn accepts(system: &str, row: Value<'_>) -> Result<(), String> {
    let value = row.get("value").map(message).ok_or("no value")?;
    let expected = row.get("as").ok_or("no expectation")?;
    let name = expected.as_str();
    // A serialised policy stands for itself; everything else is a whole configuration.
    let is_policy = name.as_deref().is_some_and(|name| AskPolicy::named(name).is_some());
    if is_policy || (system == "haystack" && !value.contains("confirmation_strategies")) {
        let given = read_policy(&value).map_or("error", AskPolicy::as_str);
        return if name.as_deref() == Some(given) { Ok(()) } else { Err(format!("is {given}")) };
    }
    match Configuration::read(system, &value) {
        Ok(configuration) if name.as_deref() == Some("error") => {
            Err(format!("is {}", configuration.normalised()))
        }
        Ok(configuration) => {
            same(expected, &configuration.normalised())?;
            let again =
                Configuration::read(system, &configuration.write()).map_err(|error| error.to_string())?;
            if again == configuration {
                Ok(())
            } else {
                Err("is not the same when it is written and read".to_owned())
            }
        }
        Err(_) if name.as_deref() == Some("error") => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn writes(_: &str, row: Value<'_>) -> Result<(), String> {
    let policy = text(row, "policy").and_then(|name| AskPolicy::named(&name)).ok_or("no such policy")?;
    same(row.get("value").ok_or("no value")?, &write_policy(policy, Release::Three))
}

fn decision_from(_: &str, row: Value<'_>) -> Result<(), String> {
    let given = read_execution_decision(&row.get("value").map(message).ok_or("no value")?);
    match (given, is(row, "error")) {
        (Err(_), true) => Ok(()),
        (Ok(given), false) => same(row.get("result").ok_or("no result")?, &given),
        (given, _) => Err(format!("{given:?}")),
    }
}

#[test]
fn every_configuration_of_a_table_is_written_as_it_was_read() {
    for path in tables("") {
        with_trace(&path, |root| {
            let policy = root.get("policy").expect("a table has a policy");
            let Some(config) = policy.get("config") else { return };
            let system = text(policy, "system").unwrap_or_default();
            let configuration = Configuration::read(&system, config.text()).expect("it is read");
            assert_eq!(configuration.write(), config.text(), "{}", path.display());
        });
    }
}

#[test]
fn what_a_configuration_refuses_is_said_with_its_place() {
    let check = |system: &str, config: &str, code: &str, sentence: &str| {
        let error = Configuration::read(system, config).expect_err(config);
        assert_eq!((error.code(), error.to_string().as_str()), (code, sentence));
    };
    check(
        "require_approval",
        r#"[{"toolNames":["a"],"requireApproval":["a","b","c"]}]"#,
        "policy-not-subset",
        "what needs approval is not among the tools: `b`, `c` at `/0/requireApproval`",
    );
    check("adalflow", r#"{"blocked_tools":"all"}"#, "policy-type", "expected a list at `/blocked_tools`");
    check("adalflow", r#"{"blocked_tools":[1]}"#, "policy-type", "expected a text at `/blocked_tools/0`");
    check("haystack", "{}", "policy-member-missing", "the member `confirmation_strategies` is missing");
    check(
        "haystack",
        r#"{"confirmation_strategies":{"[a":{"type":"x"}}}"#,
        "policy-type",
        "expected a tool's name, or a JSON list of names, as the key at `/confirmation_strategies/[a`",
    );
    check(
        "interrupt_on",
        r#"{"a":false,"a":true}"#,
        "policy-doubtful",
        "it cannot be read without doubt: the key `a` occurs more than once at `/a`",
    );
    check(
        "interrupt_on",
        "[",
        "policy-not-json",
        "the text is not JSON: unexpected end of the text at byte 1",
    );
    check("fax", "{}", "policy-word-unknown", "`fax` has no meaning here");
}
