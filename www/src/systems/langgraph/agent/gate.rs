//! The three gates: what each asks, which decisions it takes, and what the model hears of them.

use countersign_json::{Document, Limits, Value, Writer, quote};
use serde::{Deserialize, Serialize};

use crate::systems::Wire;
use crate::systems::script::call::Call;

/// The node of the middleware.
pub(super) const REVIEW: &str = "HumanInTheLoopMiddleware.after_model";

/// How an interrupt asks, and so how it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Form {
    /// The middleware: all calls of a turn in one interrupt.
    Batch,
    /// The middleware: one interrupt for each call.
    PerCall,
    /// A tool that asks with a list of one `HumanInterrupt`.
    Human,
}

impl Form {
    /// The form of this wire.
    #[must_use]
    pub(super) fn of(wire: Wire) -> Form {
        match wire {
            Wire::LangGraphInterrupt => Form::Human,
            Wire::LangGraphPerCall => Form::PerCall,
            _ => Form::Batch,
        }
    }

    /// The words that decide a call of this tool.
    #[must_use]
    pub(super) fn allowed(self, tool: &str) -> &'static [&'static str] {
        match (self, tool) {
            (Form::Human, "delete_file") => &["accept", "response", "ignore"],
            (Form::Human, _) => &["accept", "edit", "response", "ignore"],
            (_, "delete_file") => &["approve", "reject"],
            (_, "send_email") => &["approve", "edit", "reject", "respond"],
            _ => &["approve", "edit", "reject"],
        }
    }
}

/// Something that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Interrupt {
    /// 32 hexadecimal digits.
    pub id: String,
    /// How it asks.
    pub form: Form,
    /// The calls that it asks about, in the order of the answers.
    pub calls: Vec<Call>,
}

impl Interrupt {
    /// The interrupt as a stream shows it, or as a state does.
    #[must_use]
    pub(super) fn object(&self, in_state: bool) -> String {
        let value = match (self.form, self.calls.as_slice()) {
            (Form::PerCall, [call]) => approval(call),
            (Form::Human, calls) => {
                format!("[{}]", calls.iter().map(human_interrupt).collect::<Vec<_>>().join(","))
            }
            (_, calls) => batch(calls),
        };
        let schema = match (self.form, self.calls.as_slice()) {
            (Form::PerCall, [call]) => Some(schema(call)),
            _ => None,
        };
        let id = quote(&self.id);
        // A stream names the value first, a state the id; only a stream says that there is no schema.
        let (first, second) =
            if in_state { (("id", &id), ("value", &value)) } else { (("value", &value), ("id", &id)) };
        let mut writer = Writer::new();
        writer.begin_object().key(first.0).raw(first.1).key(second.0).raw(second.1);
        let schema = schema.or_else(|| (!in_state).then(|| "null".to_owned()));
        if let Some(schema) = schema {
            writer.key("response_schema").raw(&schema);
        }
        writer.end_object();
        writer.finish()
    }
}

/// The middleware's words about a call.
fn description(call: &Call) -> String {
    match call.tool.as_str() {
        "delete_file" => "Deleting cannot be undone.".to_owned(),
        tool => format!("Tool execution requires approval\n\nTool: {tool}\nArgs: {}", call.args),
    }
}

fn batch(calls: &[Call]) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("action_requests").begin_array();
    for call in calls {
        writer.begin_object().key("name").string(&call.tool).key("args").raw(&call.args);
        writer.key("description").string(&description(call)).end_object();
    }
    writer.end_array().key("review_configs").begin_array();
    for call in calls {
        writer.begin_object().key("action_name").string(&call.tool).key("allowed_decisions").begin_array();
        for word in Form::Batch.allowed(&call.tool) {
            writer.string(word);
        }
        writer.end_array().end_object();
    }
    writer.end_array().end_object();
    writer.finish()
}

fn approval(call: &Call) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("type").string("tool_approval").key("tool_call_id").string(&call.id);
    writer.key("name").string(&call.tool).key("args").raw(&call.args);
    writer.key("description").string(&description(call)).end_object();
    writer.finish()
}

fn human_interrupt(call: &Call) -> String {
    let allowed = Form::Human.allowed(&call.tool);
    let mut writer = Writer::new();
    writer.begin_object().key("action_request").begin_object().key("action").string(&call.tool);
    writer.key("args").raw(&call.args).end_object().key("config").begin_object();
    for (word, flag) in [
        ("accept", "allow_accept"),
        ("edit", "allow_edit"),
        ("response", "allow_respond"),
        ("ignore", "allow_ignore"),
    ] {
        writer.key(flag).bool(allowed.contains(&word));
    }
    writer.end_object().key("description").string("Please look at this call.").end_object();
    writer.finish()
}

/// What the answer to a single call must look like.
fn schema(call: &Call) -> String {
    let (mut definitions, mut mapping, mut one_of) = (Vec::new(), Vec::new(), Vec::new());
    for word in Form::PerCall.allowed(&call.tool) {
        let (name, members) = match *word {
            "edit" => ("EditDecision", r##","edited_action":{"$ref":"#/$defs/EditedAction"}"##),
            "reject" => ("RejectDecision", r#","message":{"title":"Message","type":"string"}"#),
            "respond" => ("RespondDecision", r#","message":{"title":"Message","type":"string"}"#),
            _ => ("ApproveDecision", ""),
        };
        let required = match *word {
            "edit" => r#","edited_action""#,
            "respond" => r#","message""#,
            _ => "",
        };
        definitions.push(format!(
            r#""{name}":{{"properties":{{"type":{{"const":"{word}","title":"Type","type":"string"}}{members}}},"required":["type"{required}],"title":"{name}","type":"object"}}"#
        ));
        mapping.push(format!(r##""{word}":"#/$defs/{name}""##));
        one_of.push(format!(r##"{{"$ref":"#/$defs/{name}"}}"##));
    }
    if mapping.iter().any(|it| it.starts_with(r#""edit""#)) {
        let tool = quote(&call.tool);
        let reference = quote(&format!("#/$defs/{}", call.tool));
        definitions.push(format!(
            r#""EditedAction":{{"properties":{{"name":{{"const":{tool},"title":"Name","type":"string"}},"args":{{"$ref":{reference}}}}},"required":["name","args"],"title":"EditedAction","type":"object"}}"#
        ));
        definitions.push(format!("{tool}:{}", parameters(call)));
    }
    format!(
        r#"{{"$defs":{{{}}},"discriminator":{{"mapping":{{{}}},"propertyName":"type"}},"oneOf":[{}]}}"#,
        definitions.join(","),
        mapping.join(","),
        one_of.join(",")
    )
}

/// The schema of a tool, as far as a call of it shows.
fn parameters(call: &Call) -> String {
    let Ok(document) = Document::parse(&call.args, &Limits::ARGUMENTS) else { return "{}".to_owned() };
    let members = || {
        document
            .root()
            .members()
            .filter_map(|(name, value)| Some((name.as_str()?.into_owned(), kind(value)?)))
    };
    let mut writer = Writer::new();
    writer.begin_object().key("properties").begin_object();
    for (name, kind) in members() {
        writer.key(&name).begin_object().key("type").string(kind).end_object();
    }
    writer.end_object().key("required").begin_array();
    for (name, _) in members() {
        writer.string(&name);
    }
    writer.end_array().key("title").string(&call.tool).key("type").string("object").end_object();
    writer.finish()
}

fn kind(value: Value<'_>) -> Option<&'static str> {
    if value.is_string() {
        Some("string")
    } else if value.is_array() {
        Some("array")
    } else if value.is_object() {
        Some("object")
    } else if value.as_number().is_some() {
        Some("number")
    } else {
        value.as_bool().map(|_| "boolean")
    }
}

/// What the model reads in place of an outcome when a person rejected a call.
#[must_use]
pub(super) fn rejection(call: &Call, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("User rejected the tool call for `{}` with reason: {reason}", call.tool),
        None => {
            format!("User rejected the tool call for `{}` with id {}. It did not run.", call.tool, call.id)
        }
    }
}

/// What the model reads when a person edited a call: what ran in its place, and with what outcome.
#[must_use]
pub(super) fn notice(ran: &Call, outcome: &str) -> String {
    format!(
        "Note: a human reviewer replaced this tool call before it ran. Executed instead: {} with arguments {}.\n\n\
         Tool response:\n{outcome}",
        ran.tool, ran.args
    )
}
