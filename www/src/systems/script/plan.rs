//! What the agent does with a person's words: the script that stands in for a model.

use countersign_json::{Document, Limits, Writer, quote};
use serde::{Deserialize, Serialize};

use super::call::Proposal;
use super::prompts;

/// What the agent wants to do next; each step waits for the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Step {
    /// Run these calls without asking.
    Run {
        /// What the agent says first.
        says: String,
        /// The calls.
        calls: Vec<Proposal>,
    },
    /// Run these calls once a person has agreed.
    Gated {
        /// What the agent says first.
        says: String,
        /// The calls.
        calls: Vec<Proposal>,
    },
    /// Ask the person something.
    Ask {
        /// What the agent says first.
        says: String,
        /// The questions, as the text of a JSON array.
        questions: String,
    },
    /// Hand the work to another agent, whose calls are gated.
    Delegate {
        /// What the agent says first.
        says: String,
        /// What the other agent is told.
        request: String,
        /// The other agent's calls; `None`: it asks the person something.
        calls: Option<Vec<Proposal>>,
    },
    /// The model fails.
    Crash,
}

/// The questions of `ask_user`.
pub(crate) const QUESTIONS: &str = concat!(
    r#"[{"question":"Which database should I use?","choices":["PostgreSQL","MySQL","SQLite"],"multiple":false},"#,
    r#"{"question":"Which features do you want?","choices":["Auth","Logging","Caching"],"multiple":true},"#,
    r#"{"question":"Anything else?","choices":[],"multiple":false}]"#
);

/// The steps that a person's words ask for; none: the agent only talks.
///
/// A ready-made prompt has its own steps. In any other text every one of the words `read`, `delete`, `email`,
/// `transfer`, `ask` and `delegate` becomes one call, again for each time it stands there; `path=/x`, `to=…`,
/// `amount=…`, `account=…`, `reference=…` and `memo=…` behind it set its arguments. What stands behind `delegate` is
/// for the other agent.
#[must_use]
pub(crate) fn plan(text: &str) -> Vec<Step> {
    prompts::steps(text).unwrap_or_else(|| from_words(text))
}

fn from_words(text: &str) -> Vec<Step> {
    let mut words = Words::default();
    let mut tokens = text.split_whitespace();
    while let Some(token) = tokens.next() {
        if let Some((key, value)) = token.split_once('=') {
            words.set(key, value);
            continue;
        }
        let word = token.to_lowercase();
        if word.contains("crash") {
            return vec![Step::Crash];
        }
        if word.contains("delegate") {
            let request: Vec<&str> = tokens.collect();
            words.delegated = Some(request.join(" "));
            break;
        }
        words.say(&word);
    }
    words.into_steps()
}

/// The calls that were found so far.
#[derive(Default)]
struct Words {
    drafts: Vec<Draft>,
    /// Settings that stand before the first call.
    early: Vec<(String, String)>,
    asks: bool,
    delegated: Option<String>,
}

struct Draft {
    tool: &'static str,
    settings: Vec<(String, String)>,
}

impl Words {
    fn set(&mut self, key: &str, value: &str) {
        let setting = (key.to_owned(), value.to_owned());
        match self.drafts.last_mut() {
            Some(draft) => draft.settings.push(setting),
            None => self.early.push(setting),
        }
    }

    fn say(&mut self, word: &str) {
        let tool = if word.contains("read") {
            "read_file"
        } else if word.contains("delete") {
            "delete_file"
        } else if word.contains("email") || word.contains("e-mail") {
            "send_email"
        } else if word.contains("transfer") {
            "transfer_funds"
        } else {
            self.asks |= word.trim_matches(|c: char| !c.is_alphanumeric()) == "ask";
            return;
        };
        self.drafts.push(Draft { tool, settings: std::mem::take(&mut self.early) });
    }

    fn into_steps(self) -> Vec<Step> {
        let says = "I will do that now.".to_owned();
        let (free, gated): (Vec<_>, Vec<_>) = self.drafts.iter().partition(|draft| draft.tool == "read_file");
        let mut steps = Vec::new();
        if !free.is_empty() {
            let says = "I will look at it first.".to_owned();
            steps.push(Step::Run { says, calls: free.into_iter().map(Draft::proposal).collect() });
        }
        if !gated.is_empty() {
            steps.push(Step::Gated {
                says: says.clone(),
                calls: gated.into_iter().map(Draft::proposal).collect(),
            });
        }
        if self.asks {
            steps.push(Step::Ask { says: says.clone(), questions: QUESTIONS.to_owned() });
        }
        if let Some(request) = self.delegated {
            let calls = delegated(&request);
            steps.push(Step::Delegate { says, request, calls });
        }
        steps
    }
}

/// The calls of the other agent; `None`: it asks.
fn delegated(request: &str) -> Option<Vec<Proposal>> {
    let mut gated = Vec::new();
    for step in from_words(request) {
        match step {
            Step::Ask { .. } => return None,
            Step::Gated { calls, .. } => gated.extend(calls),
            _ => {}
        }
    }
    if gated.is_empty() {
        gated.push(Draft { tool: "delete_file", settings: Vec::new() }.proposal());
    }
    Some(gated)
}

impl Draft {
    fn proposal(&self) -> Proposal {
        let mut writer = Writer::new();
        writer.begin_object();
        match self.tool {
            "send_email" => {
                writer.key("to").string(self.setting("to", "alice@example.com"));
                writer.key("subject").string(self.setting("subject", "Weekly report"));
                writer.key("body").string("The report was removed.");
            }
            "transfer_funds" => {
                writer.key("to_account").string(self.setting("account", "DE00-1234"));
                writer.key("amount").raw(&lexeme(self.setting("amount", "1250.00")));
                writer.key("currency").string("EUR");
                for (key, _) in self.settings.iter().filter(|(key, _)| key == "reference" || key == "memo") {
                    writer.key(key).raw(&lexeme(self.setting(key, "")));
                }
            }
            _ => {
                writer.key("path").string(self.setting("path", "/srv/data/report-2025.csv"));
            }
        }
        writer.end_object();
        Proposal::new(self.tool, writer.finish())
    }

    fn setting<'s>(&'s self, key: &str, default: &'s str) -> &'s str {
        self.settings.iter().rev().find(|(name, _)| name == key).map_or(default, |(_, value)| value)
    }
}

/// A number as it was typed; anything else becomes a string.
fn lexeme(value: &str) -> String {
    let number =
        Document::parse(value, &Limits::ARGUMENTS).is_ok_and(|it| it.root().as_number() == Some(value));
    if number { value.to_owned() } else { quote(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(text: &str) -> Vec<(String, String)> {
        plan(text)
            .into_iter()
            .flat_map(|step| match step {
                Step::Run { calls, .. } | Step::Gated { calls, .. } => calls,
                _ => Vec::new(),
            })
            .map(|call| (call.tool, call.args))
            .collect()
    }

    #[test]
    fn every_word_becomes_a_call_with_the_settings_behind_it() {
        let found = calls("delete path=/srv/d and email to=carol@example.com and transfer amount=1250.00");
        let tools: Vec<&str> = found.iter().map(|(tool, _)| tool.as_str()).collect();
        assert_eq!(tools, ["delete_file", "send_email", "transfer_funds"]);
        assert_eq!(found[0].1, r#"{"path":"/srv/d"}"#);
        assert_eq!(found[2].1, r#"{"to_account":"DE00-1234","amount":1250.00,"currency":"EUR"}"#);
    }

    #[test]
    fn a_repeated_word_repeats_the_call() {
        let found = calls("delete path=/a, then delete path=/b");
        assert_eq!(found[0].1, r#"{"path":"/a,"}"#);
        assert_eq!(found[1].1, r#"{"path":"/b"}"#);
    }

    #[test]
    fn numbers_keep_their_digits_and_words_become_strings() {
        let found = calls("transfer amount=1e400 reference=2512292042121000001 memo=late");
        let expected = r#"{"to_account":"DE00-1234","amount":1e400,"currency":"EUR","reference":2512292042121000001,"memo":"late"}"#;
        assert_eq!(found[0].1, expected);
    }

    #[test]
    fn what_stands_behind_delegate_is_for_the_other_agent() {
        let Some(Step::Delegate { request, calls, .. }) = plan("delegate: ask me").pop() else { panic!() };
        assert_eq!((request.as_str(), calls), ("ask me", None));
        let Some(Step::Delegate { calls, .. }) = plan("delegate delete path=/x").pop() else { panic!() };
        assert_eq!(calls, Some(vec![Proposal::new("delete_file", r#"{"path":"/x"}"#)]));
    }

    #[test]
    fn other_words_ask_for_nothing() {
        assert_eq!(plan("hello, task master"), []);
    }
}
