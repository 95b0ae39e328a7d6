//! The tools of the simulated agent: which ones ask first, and what they answer.

use countersign_json::{Document, Limits, Writer};
use serde::{Deserialize, Serialize};

/// One tool call that the agent proposes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments, as the exact text of a JSON object.
    pub args: String,
}

impl Call {
    /// What the tool answers when it runs, as JSON text.
    ///
    /// Values of the arguments come back exactly as they were sent.
    #[must_use]
    pub(crate) fn run(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_object().key("status").string("ok");
        let echoes: &[(&str, &str)] = match self.tool.as_str() {
            "delete_file" => &[("deleted", "path")],
            "send_email" => &[("queued_for", "to")],
            "transfer_funds" => &[
                ("transferred", "amount"),
                ("currency", "currency"),
                ("to", "to_account"),
                ("reference", "reference"),
            ],
            "read_file" => &[("path", "path")],
            "restart_deployment" => &[("restarted", "deployment"), ("namespace", "namespace")],
            _ => &[],
        };
        if let Ok(document) = Document::parse(&self.args, &Limits::ARGUMENTS) {
            for (name, argument) in echoes {
                if let Some(value) = document.root().get(argument) {
                    writer.key(name).raw(value.text());
                }
            }
        }
        if self.tool == "read_file" {
            writer.key("lines").integer(412);
        }
        writer.end_object();
        writer.finish()
    }

    /// What the agent says once the tool has run, in one sentence.
    #[must_use]
    pub(crate) fn told(&self) -> String {
        let named = |key| self.argument(key).unwrap_or_default();
        match self.tool.as_str() {
            "delete_file" => format!("Deleted {}.", named("path")),
            "send_email" => format!("The e-mail to {} is queued.", named("to")),
            "transfer_funds" => {
                format!("Transferred {} {} to {}.", named("amount"), named("currency"), named("to_account"))
            }
            "read_file" => format!("Read {}.", named("path")),
            "restart_deployment" => format!("Restarted {} in {}.", named("deployment"), named("namespace")),
            tool => format!("{tool} is done."),
        }
    }

    /// One argument as text: a string's content, else the text of the value.
    fn argument(&self, key: &str) -> Option<String> {
        let document = Document::parse(&self.args, &Limits::ARGUMENTS).ok()?;
        let value = document.root().get(key)?;
        Some(value.as_str().map_or_else(|| value.text().to_owned(), |text| text.into_owned()))
    }
}

/// A call that has not been given an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proposal {
    /// The tool's name.
    pub tool: String,
    /// The arguments, as the exact text of a JSON object.
    pub args: String,
}

impl Proposal {
    /// A call of `tool` with these exact arguments.
    #[must_use]
    pub(crate) fn new(tool: &str, args: impl Into<String>) -> Proposal {
        Proposal { tool: tool.to_owned(), args: args.into() }
    }

    /// The call, once the agent has given it an id.
    #[must_use]
    pub(crate) fn numbered(self, id: String) -> Call {
        Call { id, tool: self.tool, args: self.args }
    }
}

/// A call that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// The tool's name.
    pub tool: String,
    /// The arguments it ran with, as the exact text of the call.
    pub args: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_answers_with_the_lexemes_it_was_called_with() {
        let args =
            r#"{"to_account":"DE00","amount":1250.00,"currency":"EUR","reference":2512292042121000001}"#;
        let call = Proposal::new("transfer_funds", args).numbered("c1".to_owned());
        assert_eq!(
            call.run(),
            r#"{"status":"ok","transferred":1250.00,"currency":"EUR","to":"DE00","reference":2512292042121000001}"#
        );
        assert_eq!(call.told(), "Transferred 1250.00 EUR to DE00.");
    }
}
