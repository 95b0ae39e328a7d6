//! How ADK spells an event.

use countersign_core::Millis;
use countersign_json::{Writer, quote};

use super::{APP, CONFIRMATION};
use crate::systems::script::call::Call;

/// What a call of the model costs, as ADK counts it.
const USAGE: &str = r#"{"candidatesTokenCount":5,"promptTokenCount":10,"totalTokenCount":15}"#;

/// An event without what says when and by whom.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The content, as JSON text.
    pub content: Option<String>,
    /// The model was asked.
    pub usage: bool,
    /// The turn ends here, whatever the model would say.
    pub skip_summarization: bool,
    /// What changes in the session's state, as JSON text.
    pub state: Option<String>,
    /// The agent that takes over.
    pub transfer: Option<&'static str>,
    /// What is asked, by the id of the call, as JSON text.
    pub confirmations: Vec<(String, String)>,
    /// The calls that do not answer at once; `None` where there are no calls at all.
    pub long_running: Option<Vec<String>>,
}

/// When and by whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp<'s> {
    /// The event's id.
    pub id: &'s str,
    /// The invocation it belongs to.
    pub invocation: &'s str,
    /// The agent that reached its turn by a transfer; `None`: the first one.
    pub agent: Option<&'s str>,
    /// A person's own event.
    pub by_user: bool,
    /// The moment.
    pub moment: Millis,
}

impl Draft {
    /// A content of the model or, as ADK has it, of the tools in the role of the user.
    #[must_use]
    pub(super) fn of(role: &str, parts: &[String]) -> Draft {
        let content = format!(r#"{{"parts":[{}],"role":{}}}"#, parts.join(","), quote(role));
        Draft { content: Some(content), ..Draft::default() }
    }

    /// The event as JSON text.
    #[must_use]
    pub(super) fn write(&self, stamp: &Stamp<'_>) -> String {
        let mut writer = Writer::new();
        writer.begin_object();
        if let Some(content) = &self.content {
            writer.key("content").raw(content);
        }
        if self.usage {
            writer.key("usageMetadata").raw(USAGE);
        }
        let (author, path) = match stamp.agent {
            _ if stamp.by_user => ("user", String::new()),
            Some(agent) => (agent, format!("{APP}@1/{agent}@1")),
            None => (APP, format!("{APP}@1")),
        };
        writer.key("invocationId").string(stamp.invocation).key("author").string(author);
        writer.key("actions").begin_object();
        if self.skip_summarization {
            writer.key("skipSummarization").bool(true);
        }
        writer.key("stateDelta").raw(self.state.as_deref().unwrap_or("{}")).key("artifactDelta").raw("{}");
        if let Some(agent) = self.transfer {
            writer.key("transferToAgent").string(agent);
        }
        writer.key("requestedAuthConfigs").raw("{}").key("requestedToolConfirmations").begin_object();
        for (call, confirmation) in &self.confirmations {
            writer.key(call).raw(confirmation);
        }
        writer.end_object().end_object();
        writer.key("nodeInfo").begin_object().key("path").string(&path).end_object();
        if let Some(ids) = &self.long_running {
            writer.key("longRunningToolIds").begin_array();
            for id in ids {
                writer.string(id);
            }
            writer.end_array();
        }
        writer.key("id").string(stamp.id).key("timestamp").raw(&seconds(stamp.moment)).end_object();
        writer.finish()
    }
}

/// A part with words.
#[must_use]
pub(super) fn text(words: &str) -> String {
    format!(r#"{{"text":{}}}"#, quote(words))
}

/// A part that calls a tool.
#[must_use]
pub(super) fn call(call: &Call) -> String {
    format!(r#"{{"functionCall":{}}}"#, call_object(call))
}

/// A part that answers a call.
#[must_use]
pub(super) fn response(call: &Call, response: &str) -> String {
    format!(
        r#"{{"functionResponse":{{"id":{},"name":{},"response":{response}}}}}"#,
        quote(&call.id),
        quote(&call.tool)
    )
}

/// A part that asks a person about a call.
#[must_use]
pub(super) fn question(request: &str, asked: &Call, confirmation: &str) -> String {
    format!(
        r#"{{"functionCall":{{"id":{},"args":{{"originalFunctionCall":{},"toolConfirmation":{confirmation}}},"name":"{CONFIRMATION}"}}}}"#,
        quote(request),
        call_object(asked)
    )
}

fn call_object(call: &Call) -> String {
    format!(r#"{{"id":{},"args":{},"name":{}}}"#, quote(&call.id), call.args, quote(&call.tool))
}

/// The moment as ADK spells it: seconds since the epoch, with a fraction.
#[must_use]
pub(super) fn seconds(moment: Millis) -> String {
    format!("{}.{:03}", moment.0 / 1_000, moment.0 % 1_000)
}
