//! Haystack's confirmation strategies, as the library serialises them.

use countersign_json::{Document, Limits, Value, Writer};

use crate::ask_policy::AskPolicy;
use crate::error::PolicyError;
use crate::read::{
    Names, Read, What, array, fault, member, name, object, only, optional_string, required, required_string,
    string, with_document,
};

/// Which of the library's module paths is written; both are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// 2.x: `haystack.human_in_the_loop`.
    Two,
    /// 3.x: `haystack.hooks.human_in_the_loop`.
    #[default]
    Three,
}

impl Release {
    fn module(self) -> &'static str {
        match self {
            Release::Two => "haystack.human_in_the_loop.",
            Release::Three => "haystack.hooks.human_in_the_loop.",
        }
    }
}

/// The libraries that have the classes.
const LIBRARIES: [&str; 2] = ["haystack", "haystack_experimental"];

/// The one strategy that asks a person and waits.
const BLOCKING: &str = "BlockingConfirmationStrategy";

/// Reads one serialised policy, or the policy of one serialised strategy; a class that is not the library's own asks
/// always, whatever its last name.
///
/// # Errors
/// [`PolicyError`]: the text is no serialised object.
pub fn read_policy(text: &str) -> Result<AskPolicy, PolicyError> {
    with_document(text, |value| match class(value)?.as_str() {
        BLOCKING => strategy(value),
        _ => policy(value),
    })
}

/// Writes one policy as the library serialises it.
#[must_use]
pub fn write_policy(policy: AskPolicy, release: Release) -> String {
    let mut writer = Writer::new();
    let class = match policy {
        AskPolicy::AlwaysAsk => "policies.AlwaysAskPolicy",
        AskPolicy::NeverAsk => "policies.NeverAskPolicy",
        AskPolicy::AskOnce => "policies.AskOncePolicy",
    };
    begin_serialised(&mut writer, class, release);
    writer.finish()
}

/// Writes the library's own strategy with this policy, its console interface and its texts.
#[must_use]
pub fn write_strategy(policy: AskPolicy, release: Release) -> String {
    let mut writer = Writer::new();
    begin_serialised(&mut writer, "strategies.BlockingConfirmationStrategy", release);
    writer.key("confirmation_policy").raw(&write_policy(policy, release));
    writer.key("confirmation_ui");
    begin_serialised(&mut writer, "user_interfaces.SimpleConsoleUI", release);
    writer.end_object().end_object();
    for (key, template) in [
        ("reject_template", "Tool execution for '{tool_name}' was rejected by the user."),
        (
            "modify_template",
            "The parameters for tool '{tool_name}' were updated by the user to:\n{final_tool_params}",
        ),
        ("user_feedback_template", "With user feedback: {feedback}"),
    ] {
        writer.key(key).string(template);
    }
    writer.finish()
}

/// Starts a serialised object; its parameters and itself are left open.
fn begin_serialised(writer: &mut Writer, class: &str, release: Release) {
    let mut path = String::from(release.module());
    path.push_str(class);
    writer.begin_object().key("type").string(&path);
    writer.key("init_parameters").begin_object();
}

/// Checks a decision on one execution and writes it with all its members.
///
/// # Errors
/// [`PolicyError`]: a member is unknown, of another type, or `tool_name` or `execute` is missing. Nothing is executed on
/// the word of a decision that is not clear.
pub fn read_execution_decision(text: &str) -> Result<String, PolicyError> {
    with_document(text, |value| {
        only(value, &["tool_name", "execute", "tool_call_id", "feedback", "final_tool_params"])?;
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("tool_name").string(&required_string(value, "tool_name")?);
        let execute = required(value, "execute")?;
        let is_bool = || fault(execute, What::WrongType("true or false"));
        writer.key("execute").bool(execute.as_bool().ok_or_else(is_bool)?);
        for key in ["tool_call_id", "feedback"] {
            let text = optional_string(value, key)?;
            writer.key(key);
            match text {
                Some(text) => writer.string(&text),
                None => writer.null(),
            };
        }
        writer.key("final_tool_params");
        match member(value, "final_tool_params") {
            Some(params) => writer.raw(object(params)?.text()),
            None => writer.null(),
        };
        Ok(writer.finish())
    })
}

/// Strategies by tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Haystack {
    strategies: Vec<Strategy>,
    /// Their keys.
    keys: Names,
    /// The tools of keys that are lists, with the place of their strategy each.
    listed: Names,
    lists: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Strategy {
    key: String,
    /// The tools of a key that is a list.
    tools: Vec<String>,
    policy: AskPolicy,
    /// Its class is not the library's own: what else it does is not known.
    foreign: bool,
}

impl Haystack {
    pub(super) fn read(value: Value<'_>) -> Read<Haystack> {
        const STRATEGIES: &str = "confirmation_strategies";
        let mut holder = object(value)?;
        if holder.get(STRATEGIES).is_none()
            && let Some(parameters) = member(holder, "init_parameters")
        {
            holder = object(parameters)?;
        }
        let strategies =
            holder.get(STRATEGIES).ok_or_else(|| fault(holder, What::MissingMember(STRATEGIES)))?;
        let mut haystack = Haystack::default();
        if !strategies.is_null() {
            for (key, value) in object(strategies)?.members() {
                let (key, tools) = (name(key), listed(key)?);
                for tool in &tools {
                    haystack.listed.push(tool.clone());
                    haystack.lists.push(haystack.strategies.len());
                }
                haystack.keys.push(key.clone());
                let foreign = class(value)? != BLOCKING;
                haystack.strategies.push(Strategy { policy: strategy(value)?, foreign, tools, key });
            }
        }
        Ok(haystack)
    }

    /// The key that counts for the tool, and its policy; `None`: no key names the tool.
    pub(super) fn policy(&self, tool: &str) -> Option<(&str, AskPolicy)> {
        self.strategy(tool).map(|strategy| (strategy.key.as_str(), strategy.policy))
    }

    /// Whether a key can stand for this tool alone, and what asks about it is the library's own.
    pub(super) fn is_changeable(&self, tool: &str) -> bool {
        tool != "*" && !tool.starts_with('[') && self.strategy(tool).is_none_or(|strategy| !strategy.foreign)
    }

    /// The key of the strategy that one of the tool's own is made like: the one that counts, or else the library's own
    /// that comes first.
    pub(super) fn model(&self, tool: &str) -> Option<&str> {
        let own = || self.strategies.iter().find(|strategy| !strategy.foreign);
        self.strategy(tool).or_else(own).map(|strategy| strategy.key.as_str())
    }

    pub(super) fn each_tool(&self, mut tell: impl FnMut(&str)) {
        for strategy in &self.strategies {
            if strategy.tools.is_empty() && strategy.key != "*" {
                tell(&strategy.key);
            }
            strategy.tools.iter().for_each(|tool| tell(tool));
        }
    }

    /// The one under the tool's own name, else that of a list with the tool, else the one for all tools.
    fn strategy(&self, tool: &str) -> Option<&Strategy> {
        let under = |key: &str| self.keys.place(key).and_then(|place| self.strategies.get(place));
        let own = under(tool).filter(|_| !tool.starts_with('['));
        // Of several lists the first counts; a list that comes again takes its place.
        let of_lists = self.listed.places(tool).iter().filter_map(|place| {
            let place = self.lists.get(usize::try_from(*place).ok()?)?;
            self.strategies.get(*place)
        });
        let of_list = of_lists.reduce(|found, next| if next.tools == found.tools { next } else { found });
        own.or(of_list).or_else(|| under("*"))
    }
}

/// The tools of a key that is a JSON list in a text.
fn listed(key: Value<'_>) -> Read<Vec<String>> {
    let text = name(key);
    let mut tools = Vec::new();
    if text.starts_with('[') {
        let no_list = || fault(key, What::WrongType("a tool's name, or a JSON list of names, as the key"));
        let document = Document::parse(&text, &Limits::ARGUMENTS).map_err(|_| no_list())?;
        for tool in array(document.root()).map_err(|_| no_list())?.items() {
            tools.push(string(tool).map_err(|_| no_list())?);
        }
    }
    Ok(tools)
}

/// The policy of a strategy; one of a class that is not the library's own asks always, whatever its parameters say.
fn strategy(value: Value<'_>) -> Read<AskPolicy> {
    if class(value)? != BLOCKING {
        return Ok(AskPolicy::AlwaysAsk);
    }
    let parameters = member(value, "init_parameters");
    match parameters.and_then(|parameters| member(parameters, "confirmation_policy")) {
        Some(found) => policy(found),
        None => Ok(AskPolicy::AlwaysAsk),
    }
}

fn policy(value: Value<'_>) -> Read<AskPolicy> {
    Ok(match class(value)?.as_str() {
        "NeverAskPolicy" => AskPolicy::NeverAsk,
        "AskOncePolicy" => AskPolicy::AskOnce,
        _ => AskPolicy::AlwaysAsk,
    })
}

/// The name of a class of the library, the last segment of its path; of any other class the whole path, which is no such
/// name: a class of the same name in a module of one's own may do anything.
fn class(value: Value<'_>) -> Read<String> {
    let path = required_string(object(value)?, "type")?;
    let name = match (path.split_once('.'), path.rsplit_once('.')) {
        (Some((library, _)), Some((_, name))) if LIBRARIES.contains(&library) => name.to_owned(),
        _ => path,
    };
    Ok(name)
}
