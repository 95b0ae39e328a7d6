//! The dialects: what an interrupt's value asks, and which answers are allowed.

use std::sync::Arc;

use countersign_core::{CallId, Offer, OfferKind, Source, Text, Words};
use countersign_json::{Value, Writer, items, names};

use super::read::{each, object};
use crate::reading::{is, present, repeats_a_key, some_text};

/// How an interrupt is spelt, and so its answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// HumanInterrupts, one or a list.
    Human,
    /// The batch of the Python middleware.
    Python,
    /// The batch of the JavaScript middleware.
    JavaScript,
    /// One interrupt for each call.
    PerCall,
    /// Anything else: only the app can answer it.
    Free,
}

/// One request in an interrupt, on its way in.
pub(super) struct Asking<'v> {
    pub(super) tool: Text,
    /// The name as it stands in the text.
    pub(super) action: &'v str,
    pub(super) args: Value<'v>,
    pub(super) description: Option<Text>,
    pub(super) call: Option<CallId>,
    /// The kinds of decision that are allowed, a bit for each.
    pub(super) allowed: u32,
    pub(super) schema: Option<Arc<str>>,
    /// A member that says what is asked stands there twice.
    pub(super) is_doubtful: bool,
}

impl<'v> Asking<'v> {
    /// A request for this call, to look for it.
    pub(super) fn of(tool: Text, args: Value<'v>) -> Asking<'v> {
        new(tool, "", args, false)
    }

    /// Whether it leaves a person nothing to decide; what cannot be read can only be refused.
    pub(super) fn is_mute(&self, is_doubtful: bool) -> bool {
        let is_read = || !(is_doubtful || self.is_doubtful || repeats_a_key(self.args, None));
        self.allowed & (REJECT | IGNORE) == 0 && (self.allowed & !UNSAID == 0 || !is_read())
    }
}

/// What an interrupt asks.
pub(super) struct Form<'v> {
    pub(super) dialect: Dialect,
    pub(super) asked: Vec<Asking<'v>>,
    /// Its requests are told apart by their position.
    pub(super) numbered: bool,
    /// It cannot be answered as a whole.
    pub(super) is_blocked: bool,
}

const APPROVE: u32 = 1;
pub(super) const EDIT: u32 = 2;
const REJECT: u32 = 4;
pub(super) const RESPOND: u32 = 8;
const IGNORE: u32 = 16;
/// Which words are allowed is not said.
pub(super) const UNSAID: u32 = 32;

const KINDS: [(OfferKind, &str, u32); 5] = [
    (OfferKind::Approve, "approve", APPROVE),
    (OfferKind::Edit, "edit", EDIT),
    (OfferKind::Reject, "reject", REJECT),
    (OfferKind::Respond, "respond", RESPOND),
    (OfferKind::Ignore, "ignore", IGNORE),
];

/// The bit of a kind of decision; none for those that this wire does not have.
pub(super) fn bit(kind: OfferKind) -> u32 {
    KINDS.iter().find(|(known, ..)| *known == kind).map_or(0, |(.., bit)| *bit)
}

/// The offers for these bits.
pub(super) fn offers(allowed: u32) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (kind, _, bit) in KINDS {
        if allowed & bit != 0 {
            let has_words = matches!(kind, OfferKind::Reject | OfferKind::Respond);
            offers.push(Offer::new(kind).words(if has_words { Words::Sent } else { Words::None }));
        }
    }
    offers
}

fn named(word: Value<'_>) -> u32 {
    KINDS.iter().find(|(_, name, _)| word.equals(name)).map_or(0, |(.., bit)| *bit)
}

/// Reads an interrupt's value.
pub(super) fn form<'v>(value: Value<'v>, schema: Option<Value<'v>>, source: &Source) -> Form<'v> {
    let [python, python_configs, javascript, javascript_configs, kind, action, inner] = value.named(names![
        "action_requests",
        "review_configs",
        "actionRequests",
        "reviewConfigs",
        "type",
        "action_request",
        "interrupts",
    ]);
    let read = if let Some(requests) = present(python) {
        batch(value, requests, python_configs, &PYTHON, source)
    } else if let Some(requests) = present(javascript) {
        batch(value, requests, javascript_configs, &JAVASCRIPT, source)
    } else if is(kind, "tool_approval") {
        per_call(value, schema, source)
    } else {
        human(
            if present(action).is_some() { value } else { present(inner).unwrap_or(value) },
            repeats(value, &["interrupts"]),
            source,
        )
    };
    read.unwrap_or_else(|| {
        let asked = vec![new(Text::default(), "", value, false)];
        Form { dialect: Dialect::Free, asked, numbered: false, is_blocked: true }
    })
}

/// How a middleware spells its batch.
struct Spelling {
    dialect: Dialect,
    lists: [&'static str; 2],
    config: [&'static str; 3],
    known: u32,
}

const PYTHON: Spelling = Spelling {
    dialect: Dialect::Python,
    lists: ["action_requests", "review_configs"],
    config: ["action_name", "allowed_decisions", ""],
    known: APPROVE | EDIT | REJECT | RESPOND,
};
const JAVASCRIPT: Spelling = Spelling {
    dialect: Dialect::JavaScript,
    lists: ["actionRequests", "reviewConfigs"],
    config: ["actionName", "allowedDecisions", "argsSchema"],
    known: APPROVE | EDIT | REJECT,
};

fn batch<'v>(
    value: Value<'v>,
    requests: Value<'v>,
    configs: Option<Value<'v>>,
    spelling: &Spelling,
    source: &Source,
) -> Option<Form<'v>> {
    if !requests.is_array() || requests.is_empty() || configs.is_some_and(|configs| !configs.is_array()) {
        return None;
    }
    let mut list: Vec<(Value<'v>, [Option<Value<'v>>; 3])> = Vec::new();
    for config in items(configs) {
        list.push((config, config.pick(spelling.config)));
    }
    let frame = repeats(value, &spelling.lists);
    let (mut asked, mut is_blocked) = (Vec::new(), false);
    for (at, request) in items(Some(requests)).enumerate() {
        let mut asking = asking(request, frame, source)?;
        let names = |config: &&(Value<'v>, [Option<Value<'v>>; 3])| {
            is(config.1.first().copied().flatten(), &asking.tool)
        };
        match list.get(at).filter(names).or_else(|| list.iter().find(names)) {
            Some((config, [_, Some(allowed), schema])) if allowed.is_array() => {
                let words = items(Some(*allowed)).fold(0, |words, word| words | named(word));
                asking.allowed = words & spelling.known;
                asking.schema = object(*schema).map(text);
                asking.is_doubtful |= repeats(*config, &spelling.config);
            }
            _ => is_blocked = true,
        }
        settle_doubt(&mut asking);
        asked.push(asking);
    }
    Some(Form { dialect: spelling.dialect, asked, numbered: true, is_blocked })
}

fn per_call<'v>(value: Value<'v>, schema: Option<Value<'v>>, source: &Source) -> Option<Form<'v>> {
    let mut asking = asking(value, false, source)?;
    let call = some_text(value.get("tool_call_id"))?;
    asking.call = Some(CallId::from(source.cut(&call)));
    asking.is_doubtful |= repeats(value, &["type", "tool_call_id"]);
    match object(schema) {
        Some(schema) => {
            asking.allowed = allowed_by(schema) & PYTHON.known;
            asking.schema = args_schema(schema);
        }
        None => asking.allowed = APPROVE | REJECT | UNSAID,
    }
    settle_doubt(&mut asking);
    let asked = vec![asking];
    Some(Form { dialect: Dialect::PerCall, asked, numbered: false, is_blocked: false })
}

/// The answers that a response schema takes.
fn allowed_by(schema: Value<'_>) -> u32 {
    let mut allowed = 0;
    if let Some(mapping) = object(schema.pointer("/discriminator/mapping")) {
        for (word, _) in mapping.members() {
            allowed |= named(word);
        }
        return allowed;
    }
    let word = |form: Value<'_>| form.pointer("/properties/type/const").map_or(0, named);
    let Some(forms) = schema.get("oneOf").filter(|forms| forms.is_array()) else { return word(schema) };
    for form in items(Some(forms)) {
        let target = some_text(form.get("$ref"));
        let target = target.as_deref().and_then(|target| schema.pointer(target.strip_prefix('#')?));
        allowed |= word(target.unwrap_or(form));
    }
    allowed
}

/// What edited arguments must be, as a schema of its own.
fn args_schema(schema: Value<'_>) -> Option<Arc<str>> {
    let definitions = schema.get("$defs")?;
    definitions.pointer("/EditedAction/properties/args")?;
    let mut writer = Writer::new();
    writer.begin_object();
    writer.key("$ref").string("#/$defs/EditedAction/properties/args");
    writer.key("$defs").raw(definitions.text());
    writer.end_object();
    Some(Arc::from(writer.finish()))
}

/// Reads one HumanInterrupt or a list of them.
fn human<'v>(list: Value<'v>, is_doubtful: bool, source: &Source) -> Option<Form<'v>> {
    const FLAGS: [&str; 4] = ["allow_accept", "allow_edit", "allow_respond", "allow_ignore"];
    let mut asked = Vec::new();
    for interrupt in each(list) {
        let [action, config, description] =
            interrupt.named(names!["action_request", "config", "description"]);
        let (action, config) = (action?, object(config)?);
        let [name, args] = action.named(names!["action", "args"]);
        let (spelt, name) = (some_text(name)?, name?);
        let tool = spelt.strip_prefix("tool_approval_").filter(|tool| !tool.is_empty()).unwrap_or(&spelt);
        let mut allowed = 0;
        for (flag, bit) in config.pick(FLAGS).into_iter().zip([APPROVE, EDIT, RESPOND, IGNORE]) {
            allowed |= if flag.and_then(Value::as_bool) == Some(true) { bit } else { 0 };
        }
        let is_doubtful = is_doubtful
            || repeats(interrupt, &["action_request", "config"])
            || repeats(action, &["action", "args"])
            || repeats(config, &FLAGS);
        let mut asking = new(source.cut(tool), name.text(), args?, is_doubtful);
        asking.description = words(source, description);
        asking.allowed = allowed;
        settle_doubt(&mut asking);
        asked.push(asking);
    }
    let numbered = asked.len() > 1;
    (!asked.is_empty()).then_some(Form { dialect: Dialect::Human, asked, numbered, is_blocked: false })
}

/// Reads `{name, args, description?}`.
fn asking<'v>(request: Value<'v>, is_doubtful: bool, source: &Source) -> Option<Asking<'v>> {
    let [name, args, description] = request.named(names!["name", "args", "description"]);
    let (tool, name) = (some_text(name)?, name?);
    let is_doubtful = is_doubtful || repeats(request, &["name", "args"]);
    let asking = new(source.cut(&tool), name.text(), args?, is_doubtful);
    Some(Asking { description: words(source, description), ..asking })
}

/// A request that allows nothing yet.
#[inline(never)]
fn new<'v>(tool: Text, action: &'v str, args: Value<'v>, is_doubtful: bool) -> Asking<'v> {
    Asking { tool, action, args, description: None, call: None, allowed: 0, schema: None, is_doubtful }
}

/// Words need arguments that can be read as much as a run does.
fn settle_doubt(asking: &mut Asking<'_>) {
    if asking.allowed & RESPOND != 0 && (asking.is_doubtful || repeats_a_key(asking.args, None)) {
        asking.allowed &= !RESPOND;
    }
}

/// Whether one of these members stands there more than once, so that readers differ in what it is.
pub(super) fn repeats(object: Value<'_>, names: &[&str]) -> bool {
    let mut seen = 0_u32;
    for (key, _) in object.members() {
        for (at, name) in names.iter().enumerate() {
            if key.equals(name) {
                if seen & 1 << at != 0 {
                    return true;
                }
                seen |= 1 << at;
            }
        }
    }
    false
}

/// A text that says something.
fn words(source: &Source, value: Option<Value<'_>>) -> Option<Text> {
    let words = value?.as_str_lossy()?;
    (!words.is_empty()).then(|| source.cut(&words))
}

/// The exact text of a value, shared.
pub(super) fn text(value: Value<'_>) -> Arc<str> {
    Arc::from(value.text())
}

#[cfg(test)]
mod tests {
    use countersign_core::Source;
    use countersign_json::{Document, Limits};

    use super::super::tests::{human, javascript, python};
    use super::{Dialect, form, offers};

    /// The dialect, what each request allows, and whether all of it is blocked.
    fn read(value: &str) -> (Dialect, Vec<String>, bool) {
        let document = Document::parse(value, &Limits::default()).unwrap();
        let form = form(document.root(), None, &Source::copied());
        let allowed = form.asked.iter().map(|asking| {
            let offers = offers(asking.allowed);
            offers.iter().map(|offer| offer.kind.as_str()).collect::<Vec<_>>().join(",")
        });
        (form.dialect, allowed.collect(), form.is_blocked)
    }

    fn check(value: &str, dialect: Dialect, allowed: &[&str], is_blocked: bool) {
        let (is_dialect, is_allowed, blocked) = read(value);
        assert!(is_dialect == dialect && is_allowed == allowed && blocked == is_blocked, "{value}");
    }

    #[test]
    fn a_value_is_read_by_its_spelling() {
        let (one, all) = (r#"{"name":"t","args":{}}"#, "approve,edit,respond,ignore");
        check(&python(one), Dialect::Python, &["approve,edit,reject"], false);
        check(&javascript(one), Dialect::JavaScript, &["approve,edit,reject"], false);
        check(&human("t"), Dialect::Human, &[all], false);
        check(&format!("[{},{}]", human("a"), human("b")), Dialect::Human, &[all, all], false);
        let call = r#"{"type":"tool_approval","tool_call_id":"c","name":"t","args":{}}"#;
        check(call, Dialect::PerCall, &["approve,reject"], false);
        check(r#""go on?""#, Dialect::Free, &[""], true);
    }

    #[test]
    fn a_request_without_its_review_config_blocks_the_whole_batch() {
        let two = python(r#"{"name":"t","args":{}},{"name":"u","args":{}}"#);
        check(&two, Dialect::Python, &["approve,edit,reject", ""], true);
    }

    #[test]
    fn only_a_flag_that_is_true_allows_something() {
        let flags = human("t").replace(r#""allow_accept":true"#, r#""allow_accept":"true""#);
        check(&flags, Dialect::Human, &["edit,respond,ignore"], false);
    }

    #[test]
    fn no_reply_is_offered_where_it_cannot_be_read_what_is_asked() {
        let twice = human("t").replace(r#""args":{}"#, r#""args":{"a":1,"a":2}"#);
        check(&twice, Dialect::Human, &["approve,edit,ignore"], false);
    }

    #[test]
    fn r11_what_stands_twice_around_the_arguments_makes_a_call_doubtful() {
        for (once, twice) in [
            (r#""config":"#, r#""config":{},"config":"#),
            (r#""action_request":"#, r#""action_request":{},"action_request":"#),
            (r#""action":"t""#, r#""action":"u","action":"t""#),
            (r#""args":{}"#, r#""args":{"n":1},"args":{}"#),
            (r#""allow_accept":true"#, r#""allow_accept":false,"allow_accept":true"#),
        ] {
            let value = human("t").replace(once, twice);
            let document = Document::parse(&value, &Limits::default()).unwrap();
            let form = form(document.root(), None, &Source::copied());
            assert!(form.asked.len() == 1 && form.asked[0].is_doubtful, "{value}");
            check(&value, Dialect::Human, &["approve,edit,ignore"], false);
        }
    }
}
