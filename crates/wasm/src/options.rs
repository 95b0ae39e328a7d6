//! The options of an inbox, as JavaScript gives them.

use std::borrow::Cow;
use std::sync::Arc;

use countersign_core::{Constraint, InboxOptions, Millis, RiskLevel, RiskOptions, RiskRule};
use countersign_json::{Document, Limits, Value, items};
use countersign_policy::PolicyError;
use countersign_protocols::{
    AdalflowAnswer, AdalflowOptions, AdapterOptions, Edits, Templates, UnknownAdapter, adapter,
};

#[cfg(feature = "element")]
use countersign_yew::{Shortcut, Shortcuts};

use crate::decision::member;
use crate::desk::Desk;

/// Why an inbox cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InvalidOptions {
    /// There is no adapter of this name.
    Adapter(UnknownAdapter),
    /// The option at this JSON Pointer has a value that it cannot have.
    Shape(&'static str),
    /// What stands at this JSON Pointer is not what is expected there.
    Wrong(String, &'static str),
    /// There is no option at this JSON Pointer: what it was meant to do would not be done.
    Unknown(String),
    /// The policy or the grants in the option at this JSON Pointer cannot be read.
    Policy(&'static str, PolicyError),
}

/// Options that are objects, with their JSON Pointers and all that can stand in them.
const GROUPS: [(&str, &str, &[&str]); 5] = [
    ("limits", "/limits", &["argsBytes", "argsDepth", "argsValues", "messageBytes", "words"]),
    ("a2a", "/a2a", &["edits"]),
    ("adk", "/adk", &["edits"]),
    ("adalflow", "/adalflow", &["timeout_s", "answer"]),
    ("haystack", "/haystack", &["reject_template", "modify_template", "user_feedback_template"]),
];

/// All other options, also those of which only TypeScript or the interface takes notice.
const SINGLE: [&str; 15] = [
    "adapter",
    "annotations",
    "armDelay",
    "extend",
    "grants",
    "holdBatches",
    "holdRejections",
    "locale",
    "now",
    "policy",
    "rejectionPresets",
    "risk",
    "schemas",
    "sendDigests",
    "shortcuts",
];

/// A desk with the options in this JSON object; absent members are the defaults.
pub(crate) fn desk(text: &str, seed: &str) -> Result<Desk, InvalidOptions> {
    let document = Document::parse(text, &Limits::default()).map_err(|_| InvalidOptions::Shape(""))?;
    let root = document.root();
    all_known(root)?;
    let name = match member(root, "adapter") {
        Some(name) => name.as_str_lossy().ok_or(InvalidOptions::Shape("/adapter"))?,
        None => "auto".into(),
    };
    let adapter = adapter(&name, &assumed(root)?).map_err(InvalidOptions::Adapter)?;
    let mut options = inbox(root, seed)?;
    let is_given = |name: &&str| member(root, name).is_some();
    let presets = if RARE.iter().any(is_given) { rare(root, &mut options)? } else { Vec::new() };
    let mut desk = Desk::new(adapter, options).with_rejection_presets(presets);
    if let Some(policy) = member(root, "policy") {
        desk.set_policy(&text_of(policy)).map_err(|error| InvalidOptions::Policy("/policy", error))?;
    }
    if let Some(grants) = member(root, "grants") {
        desk.set_grants(&text_of(grants)).map_err(|error| InvalidOptions::Policy("/grants", error))?;
    }
    Ok(desk)
}

/// Refuses what is no object of options, and options that there are not.
fn all_known(root: Value<'_>) -> Result<(), InvalidOptions> {
    if !root.is_object() {
        return Err(InvalidOptions::Shape(""));
    }
    known(root, "", &|name| SINGLE.contains(&name) || GROUPS.iter().any(|(group, ..)| *group == name))?;
    for (group, pointer, names) in GROUPS {
        let Some(given) = member(root, group) else { continue };
        if !given.is_object() {
            return Err(InvalidOptions::Shape(pointer));
        }
        known(given, pointer, &|name| names.contains(&name))?;
    }
    Ok(())
}

/// What adapters are told.
fn assumed(root: Value<'_>) -> Result<AdapterOptions, InvalidOptions> {
    Ok(AdapterOptions {
        a2a_edits: edits(root, "a2a", "/a2a/edits")?,
        adk_edits: edits(root, "adk", "/adk/edits")?,
        adalflow: adalflow(root)?,
        haystack: templates(root)?,
        digests: flag(root, "sendDigests", "/sendDigests")?,
    })
}

/// What the inbox is told, but for [`RARE`] options.
fn inbox(root: Value<'_>, seed: &str) -> Result<InboxOptions, InvalidOptions> {
    let defaults = InboxOptions::new(seed);
    let limits = member(root, "limits");
    let limit = |key, pointer, default| match limits.and_then(|limits| member(limits, key)) {
        Some(value) => count(value, pointer),
        None => Ok(default),
    };
    let hold = |key, pointer, default| match member(root, key) {
        Some(value) => count(value, pointer).map(|span| Millis(span as u64)),
        None => Ok(default),
    };
    Ok(InboxOptions {
        hold_rejections: hold("holdRejections", "/holdRejections", defaults.hold_rejections)?,
        hold_batches: hold("holdBatches", "/holdBatches", defaults.hold_batches)?,
        args_limits: Limits {
            bytes: limit("argsBytes", "/limits/argsBytes", defaults.args_limits.bytes)?,
            depth: limit("argsDepth", "/limits/argsDepth", defaults.args_limits.depth)?,
            nodes: limit("argsValues", "/limits/argsValues", defaults.args_limits.nodes)?,
        },
        args_check: Some(countersign_schema::check),
        message_bytes: limit("messageBytes", "/limits/messageBytes", defaults.message_bytes)?,
        words: limit("words", "/limits/words", defaults.words)?,
        ..defaults
    })
}

/// Options that few pages give.
const RARE: [&str; 4] = ["annotations", "rejectionPresets", "risk", "schemas"];

/// What [`RARE`] options tell the inbox, and the reasons for rejections that they offer.
#[cfg_attr(feature = "element", inline(never))]
fn rare(root: Value<'_>, options: &mut InboxOptions) -> Result<Vec<String>, InvalidOptions> {
    options.schemas = schemas(root)?;
    options.risk = risk(root)?;
    presets(root)
}

/// An option that is true or false; false where it is absent.
fn flag(root: Value<'_>, name: &str, pointer: &'static str) -> Result<bool, InvalidOptions> {
    match member(root, name) {
        Some(value) => value.as_bool().ok_or(InvalidOptions::Shape(pointer)),
        None => Ok(false),
    }
}

/// Refuses a member of an object that is not known.
fn known(object: Value<'_>, pointer: &str, is_known: &dyn Fn(&str) -> bool) -> Result<(), InvalidOptions> {
    let names = object.members().filter_map(|(name, _)| name.as_str_lossy());
    match names.into_iter().find(|name| !is_known(name)) {
        Some(name) => Err(InvalidOptions::Unknown([pointer, "/", &*name].concat())),
        None => Ok(()),
    }
}

/// A value given as itself, or as its JSON text where a host wants no number rounded.
fn text_of(value: Value<'_>) -> Cow<'_, str> {
    value.words()
}

/// Tools, each with the schema of its arguments.
type Schemas = Vec<(Arc<str>, Arc<str>)>;

/// `{ "<tool>": schema }`, where a schema is an object or a boolean.
fn schemas(root: Value<'_>) -> Result<Schemas, InvalidOptions> {
    let Some(given) = member(root, "schemas") else { return Ok(Vec::new()) };
    if !given.is_object() {
        return Err(InvalidOptions::Shape("/schemas"));
    }
    let mut schemas = Vec::new();
    for (tool, schema) in given.members() {
        let is_schema = schema.is_object() || schema.as_bool().is_some();
        let tool = tool.as_str_lossy().filter(|_| is_schema).ok_or(InvalidOptions::Shape("/schemas"))?;
        schemas.push((Arc::from(&*tool), Arc::from(schema.text())));
    }
    Ok(schemas)
}

/// `risk`: the host's rules; `annotations`: `{ "<tool>": { "destructiveHint": true } }`, as servers describe their tools.
fn risk(root: Value<'_>) -> Result<RiskOptions, InvalidOptions> {
    let mut options = RiskOptions::default();
    if let Some(rules) = member(root, "risk") {
        if !rules.is_array() {
            return Err(InvalidOptions::Shape("/risk"));
        }
        for (place, rule) in rules.items().enumerate() {
            options.rules.push(risk_rule(rule, &["/risk/", &place.to_string()].concat())?);
        }
    }
    let Some(annotations) = member(root, "annotations") else { return Ok(options) };
    if !annotations.is_object() {
        return Err(InvalidOptions::Shape("/annotations"));
    }
    for (tool, claims) in annotations.members() {
        let claims = |name| claims.get(name).and_then(|claim| claim.as_bool()) == Some(true);
        if claims("destructiveHint") && !claims("readOnlyHint") {
            options.destructive.extend(tool.as_str_lossy().map(|tool| Arc::from(&*tool)));
        }
    }
    Ok(options)
}

/// `{ tool?, server?, args?: [constraint], level, reason }`, which stands at `path`.
fn risk_rule(rule: Value<'_>, path: &str) -> Result<RiskRule, InvalidOptions> {
    known(rule, path, &|name| ["tool", "server", "args", "level", "reason"].contains(&name))?;
    let wrong = |place: &[&str], expected| InvalidOptions::Wrong([path, &place.concat()].concat(), expected);
    let text = |key| match member(rule, key) {
        // A name of another type must not make a rule of every call.
        Some(name) => name.as_str().map(|name| Some(Arc::from(name))).ok_or(wrong(&["/", key], "a text")),
        None => Ok(None),
    };
    let level = |known: &RiskLevel| member(rule, "level").is_some_and(|level| level.equals(known.as_str()));
    let level = [RiskLevel::Low, RiskLevel::Elevated, RiskLevel::High].into_iter().find(level);
    let tests = member(rule, "args");
    if tests.is_some_and(|tests| !tests.is_array()) {
        return Err(wrong(&["/args"], "a list"));
    }
    let mut args = Vec::new();
    for (place, test) in items(tests).enumerate() {
        let here = ["/args/", &place.to_string()].concat();
        known(test, &[path, &here].concat(), &|name| Constraint::MEMBERS.contains(&name))?;
        args.push(Constraint::read(test).map_err(|bad| match bad.member {
            "" => wrong(&[&here], bad.expected),
            member => wrong(&[&here, "/", member], bad.expected),
        })?);
    }
    Ok(RiskRule {
        tool: text("tool")?,
        server: text("server")?,
        args,
        level: level.ok_or(wrong(&["/level"], "`low`, `elevated` or `high`"))?,
        reason: text("reason")?.ok_or(wrong(&["/reason"], "a text"))?,
    })
}

/// An array of texts, none of them empty.
fn presets(root: Value<'_>) -> Result<Vec<String>, InvalidOptions> {
    let fault = || InvalidOptions::Shape("/rejectionPresets");
    let Some(given) = member(root, "rejectionPresets") else { return Ok(Vec::new()) };
    if !given.is_array() {
        return Err(fault());
    }
    let text = |value: Value<'_>| value.as_str().filter(|text| !text.trim().is_empty()).map(String::from);
    given.items().map(|value| text(value).ok_or_else(fault)).collect()
}

fn edits(root: Value<'_>, family: &str, pointer: &'static str) -> Result<Edits, InvalidOptions> {
    match member(root, family).and_then(|family| member(family, "edits")) {
        None => Ok(Edits::Declared),
        Some(word) if word.equals("declared") => Ok(Edits::Declared),
        Some(word) if word.equals("always") => Ok(Edits::Always),
        Some(_) => Err(InvalidOptions::Shape(pointer)),
    }
}

fn adalflow(root: Value<'_>) -> Result<AdalflowOptions, InvalidOptions> {
    let mut options = AdalflowOptions::default();
    // Null says something here: the server waits for ever.
    match root.get("adalflow").and_then(|given| given.get("timeout_s")) {
        None => {}
        Some(seconds) if seconds.is_null() => options.timeout = None,
        Some(seconds) => {
            let number = seconds.as_number().ok_or(InvalidOptions::Shape("/adalflow/timeout_s"))?;
            options.timeout = Millis::from_seconds(number);
        }
    }
    match member(root, "adalflow").and_then(|given| member(given, "answer")) {
        None => {}
        Some(word) if word.equals("shipped-rest") => options.answer = AdalflowAnswer::ShippedRest,
        Some(_) => return Err(InvalidOptions::Shape("/adalflow/answer")),
    }
    Ok(options)
}

fn templates(root: Value<'_>) -> Result<Templates, InvalidOptions> {
    let haystack = member(root, "haystack");
    let template = |key, pointer| match haystack.and_then(|haystack| member(haystack, key)) {
        None => Ok(None),
        Some(value) => value.as_str().map(|text| Some(Arc::from(text))).ok_or(InvalidOptions::Shape(pointer)),
    };
    Ok(Templates {
        reject: template("reject_template", "/haystack/reject_template")?,
        modify: template("modify_template", "/haystack/modify_template")?,
        user_feedback: template("user_feedback_template", "/haystack/user_feedback_template")?,
    })
}

/// How the interface behaves.
#[cfg(feature = "element")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    /// How long an approval is inert, in milliseconds.
    pub(crate) arm_delay: Option<u32>,
    /// The keys that act within a card.
    pub(crate) shortcuts: std::rc::Rc<Shortcuts>,
    /// A person may ask for more time.
    pub(crate) extend: bool,
}

/// `armDelay` in milliseconds, `shortcuts` and `extend`.
#[cfg(feature = "element")]
pub(crate) fn interface(text: &str) -> Result<Interface, InvalidOptions> {
    let document = Document::parse(text, &Limits::default()).map_err(|_| InvalidOptions::Shape(""))?;
    let root = document.root();
    let arm_delay = match member(root, "armDelay") {
        Some(value) => Some(count(value, "/armDelay")?.try_into().unwrap_or(u32::MAX)),
        None => None,
    };
    let shortcuts = match member(root, "shortcuts") {
        Some(given) => shortcuts(given)?,
        None => Shortcuts::default(),
    };
    let extend = flag(root, "extend", "/extend")?;
    Ok(Interface { arm_delay, shortcuts: shortcuts.into(), extend })
}

/// `false`: none; or `{ approve?, edit? }`, each a text or `null`.
#[cfg(feature = "element")]
#[inline(never)]
fn shortcuts(given: Value<'_>) -> Result<Shortcuts, InvalidOptions> {
    if given.as_bool() == Some(false) {
        return Ok(Shortcuts::none());
    }
    if !given.is_object() {
        return Err(InvalidOptions::Shape("/shortcuts"));
    }
    known(given, "/shortcuts", &|name| ["approve", "edit"].contains(&name))?;
    let mut shortcuts = Shortcuts::default();
    for (name, shortcut, pointer) in [
        ("approve", &mut shortcuts.approve, "/shortcuts/approve"),
        ("edit", &mut shortcuts.edit, "/shortcuts/edit"),
    ] {
        match given.get(name) {
            None => {}
            Some(key) if key.is_null() => *shortcut = None,
            Some(key) => {
                let read = key.as_str().and_then(|text| Shortcut::read(&text));
                *shortcut = Some(read.ok_or(InvalidOptions::Shape(pointer))?);
            }
        }
    }
    Ok(shortcuts)
}

/// A whole number; one that is too large for this machine is as large as can be.
fn count(value: Value<'_>, pointer: &'static str) -> Result<usize, InvalidOptions> {
    let digits = value.as_number().ok_or(InvalidOptions::Shape(pointer))?;
    match digits.parse() {
        Ok(count) => Ok(count),
        Err(_) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(usize::MAX),
        Err(_) => Err(InvalidOptions::Shape(pointer)),
    }
}

/// A moment as JavaScript counts it.
pub(crate) fn millis(value: f64) -> Millis {
    // Saturates: what is negative or not a number is zero.
    Millis(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Option<InvalidOptions> {
        desk(text, "seed").err()
    }

    #[test]
    fn nothing_is_needed_and_all_can_be_given() {
        assert_eq!(fault("{}"), None);
        let all = r#"{"adapter":"a2a","holdRejections":4000,"limits":{"argsDepth":9,"words":99999999999999999999},
            "a2a":{"edits":"always"},"adalflow":{"timeout_s":null,"answer":"shipped-rest"},"haystack":{"reject_template":"No."},"rejectionPresets":["Not now"],"locale":"de","policy":null,"holdBatches":3000,"annotations":{"wipe":{"destructiveHint":true}},
            "risk":[{"tool":"pay","args":[{"pointer":"/n","above":1000}],"level":"high","reason":"a large amount"}]}"#;
        assert_eq!(fault(all), None);
    }

    #[test]
    fn unknown_names_are_refused() {
        let unknown = UnknownAdapter { name: "fax".to_owned() };
        assert_eq!(fault(r#"{"adapter":"fax"}"#), Some(InvalidOptions::Adapter(unknown)));
        assert_eq!(fault(r#"{"a2a":{"edits":"never"}}"#), Some(InvalidOptions::Shape("/a2a/edits")));
        assert_eq!(fault(r#"{"adk":{"edits":1}}"#), Some(InvalidOptions::Shape("/adk/edits")));
        assert_eq!(
            fault(r#"{"adalflow":{"answer":"fax"}}"#),
            Some(InvalidOptions::Shape("/adalflow/answer"))
        );
    }

    #[test]
    fn an_option_that_there_is_not_is_named() {
        for (text, place) in [
            (r#"{"adapter":"a2a","polcy":{"system":"always-ask"}}"#, "/polcy"),
            (r#"{"hold_rejections":0}"#, "/hold_rejections"),
            (r#"{"risks":null}"#, "/risks"),
            (r#"{"limits":{"argBytes":1}}"#, "/limits/argBytes"),
            (r#"{"adalflow":{"timeout":30}}"#, "/adalflow/timeout"),
        ] {
            assert_eq!(fault(text), Some(InvalidOptions::Unknown(place.to_owned())), "{text}");
        }
    }

    /// The members of an interface in TypeScript whose lines begin with so much white space.
    fn members<'t>(declared: &'t str, indentation: &str) -> Vec<&'t str> {
        let end = ["\n", indentation.strip_prefix("  ").unwrap(), "}"].concat();
        let lines = declared.split(&end).next().unwrap().lines();
        let lines = lines.filter_map(|line| line.strip_prefix(indentation));
        let mut names: Vec<&str> = lines.filter_map(|line| Some(line.split_once("?: ")?.0)).collect();
        names.retain(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
        names.sort_unstable();
        names
    }

    #[test]
    fn typescript_knows_the_same_options() {
        let types = include_str!("../npm/src/options.ts");
        let after = |start: &str| types.split_once(start).unwrap().1;
        let sorted = |names: &[&'static str]| {
            let mut names = names.to_vec();
            names.sort_unstable();
            names
        };
        let all: Vec<_> = SINGLE.into_iter().chain(GROUPS.map(|(name, ..)| name)).collect();
        assert_eq!(members(after("export interface InboxOptions {"), "  "), sorted(&all));
        for (group, _, names) in GROUPS {
            let (start, indentation) = match group {
                "limits" => ("export interface Limits {".to_owned(), "  "),
                _ => (format!("  {group}?: {{"), "    "),
            };
            assert_eq!(members(after(&start), indentation), sorted(names), "{group}");
        }
    }

    #[test]
    fn an_option_of_another_type_is_named() {
        assert_eq!(fault("[]"), Some(InvalidOptions::Shape("")));
        assert_eq!(fault(r#"{"adapter":1}"#), Some(InvalidOptions::Shape("/adapter")));
        assert_eq!(fault(r#"{"annotations":[]}"#), Some(InvalidOptions::Shape("/annotations")));
        assert_eq!(fault(r#"{"a2a":"always"}"#), Some(InvalidOptions::Shape("/a2a")));
        assert_eq!(fault(r#"{"limits":1048576}"#), Some(InvalidOptions::Shape("/limits")));
        for presets in [r#""No""#, "[7]", r#"[" "]"#] {
            let text = [r#"{"rejectionPresets":"#, presets, "}"].concat();
            assert_eq!(fault(&text), Some(InvalidOptions::Shape("/rejectionPresets")));
        }
        assert_eq!(fault(r#"{"schemas":{"pay":7}}"#), Some(InvalidOptions::Shape("/schemas")));
        let fax = r#"{"adalflow":{"timeout_s":"30"}}"#;
        assert_eq!(fault(fax), Some(InvalidOptions::Shape("/adalflow/timeout_s")));
        assert_eq!(fault(r#"{"holdRejections":-1}"#), Some(InvalidOptions::Shape("/holdRejections")));
        assert_eq!(fault(r#"{"limits":{"words":0.5}}"#), Some(InvalidOptions::Shape("/limits/words")));
        let pointer = "/haystack/modify_template";
        assert_eq!(fault(r#"{"haystack":{"modify_template":7}}"#), Some(InvalidOptions::Shape(pointer)));
    }

    #[test]
    fn r47_a_rule_that_could_not_be_what_was_meant_is_refused_with_its_place() {
        let place = |rule: &str| match fault(&[r#"{"risk":["#, rule, "]}"].concat()) {
            Some(InvalidOptions::Wrong(path, _) | InvalidOptions::Unknown(path)) => path,
            other => panic!("{rule}: {other:?}"),
        };
        let of = |args: &str| [r#"{"tool":"pay","level":"high","reason":"r","args":"#, args, "}"].concat();
        for (rule, path) in [
            ("7", "/risk/0/level"),
            (r#"{"level":"high"}"#, "/risk/0/reason"),
            (r#"{"level":"dire","reason":"r"}"#, "/risk/0/level"),
            (r#"{"tool":7,"level":"high","reason":"r"}"#, "/risk/0/tool"),
            (r#"{"toool":"pay","level":"high","reason":"r"}"#, "/risk/0/toool"),
            (&of(r#"{"pointer":"/n","above":1}"#), "/risk/0/args"),
            (&of(r#""x""#), "/risk/0/args"),
            (&of(r#"[{"pointer":"/n"}]"#), "/risk/0/args/0"),
            (&of(r#"[{"above":1}]"#), "/risk/0/args/0/pointer"),
            (&of(r#"[{"pointer":"/n","above":1},{"pointer":"n","above":1}]"#), "/risk/0/args/1/pointer"),
            (&of(r#"[{"pointer":"/n","above":1,"below":9}]"#), "/risk/0/args/0/below"),
            (&of(r#"[{"pointer":"/n","equals":5,"above":1}]"#), "/risk/0/args/0"),
            (&of(r#"[{"pointer":"/n","equals":null,"above":1}]"#), "/risk/0/args/0"),
            (&of(r#"[{"pointer":"/n","above":"1"}]"#), "/risk/0/args/0/above"),
        ] {
            assert_eq!(place(rule), path, "{rule}");
        }
        let all = r#"[{"pointer":"","equals":null},{"pointer":"/a","oneOf":[1]},{"pointer":"/b","prefix":"x"},
            {"pointer":"/c","contains":"x"},{"pointer":"/d","above":-1e3},{"pointer":"/e","absent":true}]"#;
        for args in [all, "[]", "null"] {
            assert_eq!(fault(&[r#"{"risk":["#, &of(args), "]}"].concat()), None, "{args}");
        }
    }

    #[cfg(feature = "element")]
    #[test]
    fn r29_shortcuts_can_be_others_or_none_and_never_bare_keys() {
        let approve = |text: &str| interface(text).map(|interface| interface.shortcuts.approve.clone());
        let default = countersign_yew::Shortcuts::default().approve;
        assert_eq!(approve("{}"), Ok(default.clone()));
        assert_eq!(approve(r#"{"shortcuts":{"edit":null}}"#), Ok(default));
        assert_eq!(approve(r#"{"shortcuts":false}"#), Ok(None));
        assert_eq!(approve(r#"{"shortcuts":{"approve":null}}"#), Ok(None));
        let other = approve(r#"{"shortcuts":{"approve":"Alt+A"}}"#);
        assert_eq!(other, Ok(countersign_yew::Shortcut::read("Alt+A")));
        assert_eq!(approve(r#"{"shortcuts":"none"}"#), Err(InvalidOptions::Shape("/shortcuts")));
        // A key that was to be taken away would go on approving.
        let misspelt = approve(r#"{"shortcuts":{"aprove":null}}"#);
        assert_eq!(misspelt, Err(InvalidOptions::Unknown("/shortcuts/aprove".to_owned())));
        let bare = approve(r#"{"shortcuts":{"approve":"y"}}"#);
        assert_eq!(bare, Err(InvalidOptions::Shape("/shortcuts/approve")));
    }

    #[cfg(feature = "element")]
    #[test]
    fn more_time_is_offered_or_not() {
        let extend = |text: &str| interface(text).map(|interface| interface.extend);
        assert_eq!(
            ["{}", r#"{"extend":false}"#, r#"{"extend":true}"#].map(extend),
            [Ok(false), Ok(false), Ok(true)]
        );
        assert_eq!(extend(r#"{"extend":"yes"}"#), Err(InvalidOptions::Shape("/extend")));
    }

    #[test]
    fn what_is_wrong_with_a_policy_or_a_grant_is_named_with_its_place() {
        let place = |text: &str| match fault(text) {
            Some(InvalidOptions::Policy(base, error)) => [base, &error.pointer].concat(),
            other => panic!("{other:?}"),
        };
        assert_eq!(fault(r#"{"policy":{},"grants":[]}"#), None);
        assert_eq!(fault(r#"{"policy":"{\"system\":\"always-ask\"}"}"#), None);
        assert_eq!(place(r#"{"policy":{"system":"fax"}}"#), "/policy/system");
        assert_eq!(
            place(r#"{"policy":{"rules":[{"name":"a","effect":"allow","toool":"x"}]}}"#),
            "/policy/rules/0/toool"
        );
        assert_eq!(place(r#"{"policy":"{"}"#), "/policy");
        assert_eq!(place(r#"{"grants":[{"id":"g","scope":"tool","createdAt":1}]}"#), "/grants/0");
        let offenders = r#"{"policy":{"system":"require_approval","config":{"toolNames":["a"],"requireApproval":["b"]}}}"#;
        assert_eq!(place(offenders), "/policy/config/requireApproval");
    }

    #[test]
    fn times_that_are_none_count_as_the_beginning() {
        assert_eq!([millis(-1.0), millis(f64::NAN), millis(1.9)], [Millis(0), Millis(0), Millis(1)]);
    }
}
