//! Whether each tool of an agent needs approval, and saying otherwise in the configuration's own format.
//!
//! An edit changes the bytes of the one place that says it; everything else of the text stays as it was.

use countersign_core::collections::Groups;
use countersign_core::{ArgsText, Gate, Ruling, Text, ToolApproval, ToolCall};
use countersign_json::{Document, Limits, Value, edit, pointer, quote};

use super::haystack::{Release, write_policy, write_strategy};
use super::{Configuration, Format};
use crate::ask_policy::AskPolicy;
use crate::read::member;

impl Configuration {
    /// The format of a configuration, by its members; `None`: it could be any, or none.
    #[must_use]
    pub fn detect(text: &str) -> Option<&'static str> {
        let document = Document::parse(text, &Limits::default()).ok()?;
        let root = document.root();
        let has = |keys: &[&str]| keys.iter().any(|key| root.get(key).is_some());
        if root.is_array() {
            return Some("require_approval");
        }
        if !root.is_object() {
            return None;
        }
        let inner = root.get("init_parameters").and_then(|inner| inner.get("confirmation_strategies"));
        let by_tool = root.get("require_approval").is_some_and(Value::is_object);
        Some(if inner.is_some() || has(&["confirmation_strategies"]) {
            "haystack"
        } else if has(&["tool_approvals"]) {
            "tool_approvals"
        } else if by_tool || has(&["approval_mode", "always_allowed_tools", "blocked_tools"]) {
            "adalflow"
        } else if has(&["toolNames", "requireApproval", "require_approval"]) {
            "require_approval"
        } else if root.members().all(|(_, gate)| gate.is_object() || gate.as_bool().is_some()) {
            "interrupt_on"
        } else {
            return None;
        })
    }

    /// Fills in what happens to the calls of a tool, exactly as the format is documented.
    pub fn survey(&self, tool: &mut ToolApproval) {
        let call = call_of(tool);
        tool.gate = match self.should_ask(&call).ruling {
            Ruling::Allow => Gate::Open,
            Ruling::Deny => Gate::Denied,
            Ruling::Ask if self.policy_of(&call) == Some(AskPolicy::AskOnce) => Gate::AsksOnce,
            Ruling::Ask => Gate::Asks,
        };
        tool.changeable = self.is_changeable(&call);
    }

    /// Whether there is a word for this tool alone.
    fn is_changeable(&self, call: &ToolCall) -> bool {
        match &self.format {
            Format::Plain(_) => false,
            Format::Haystack(haystack) => haystack.is_changeable(&call.tool),
            Format::Adalflow(adalflow) => adalflow.is_changeable(&call.tool),
            Format::InterruptOn(interrupt_on) => interrupt_on.is_changeable(call),
            Format::ToolApprovals(approvals) => approvals.takes(&call.tool),
            Format::RequireApproval(require) => require.entry(call).is_some(),
        }
    }

    fn policy_of(&self, call: &ToolCall) -> Option<AskPolicy> {
        match &self.format {
            Format::Plain(policy) => Some(*policy),
            Format::Haystack(haystack) => haystack.policy(&call.tool).map(|(_, policy)| policy),
            _ => None,
        }
    }

    /// The tools that the configuration names, with nothing but their name, server and agent.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolApproval> {
        let mut tools = Tools::default();
        let mut add = |name: &str, server: Option<&str>, agent: &[String]| {
            let known = |tool: &ToolApproval| tool.server.as_deref() == server && tool.agent == agent;
            if !tools.named(name).any(known) {
                let server = server.map(str::to_owned);
                let tool = ToolApproval { name: name.to_owned(), server, ..ToolApproval::default() };
                tools.push(ToolApproval { agent: agent.to_vec(), ..tool });
            }
        };
        match &self.format {
            Format::Plain(_) => {}
            Format::Haystack(haystack) => haystack.each_tool(|tool| add(tool, None, &[])),
            Format::Adalflow(adalflow) => adalflow.each_tool(|tool| add(tool, None, &[])),
            Format::InterruptOn(interrupt_on) => {
                interrupt_on.each_tool(&mut Vec::new(), &mut |tool, agent| add(tool, None, agent));
            }
            Format::ToolApprovals(approvals) => approvals.each_tool(|tool| add(tool, None, &[])),
            Format::RequireApproval(require) => require.each_tool(|tool, server| add(tool, server, &[])),
        }
        tools.list
    }

    /// The configuration in which calls of this tool are asked about, or run unasked; `None`: it has no way to say so
    /// for this tool alone.
    #[must_use]
    pub fn with_approval(&self, tool: &ToolApproval, asks: bool) -> Option<Configuration> {
        let text = self.text.clone();
        let call = call_of(tool);
        if !self.is_changeable(&call) {
            return None;
        }
        let mut replaced = self.replaced.clone();
        let changed = match &self.format {
            Format::Plain(_) => return None,
            Format::Haystack(_) => {
                let path = strategy_path(&text, &tool.name)?;
                let place = pointer::of(&path);
                match replaced.iter().position(|(pointer, _)| asks && *pointer == place) {
                    Some(at) => restored(&text, &path, replaced.swap_remove(at).1)?,
                    None => {
                        if !asks && self.should_ask(&call).ruling == Ruling::Ask {
                            replaced.retain(|(pointer, _)| *pointer != place);
                            replaced.push((place.clone(), entry_at(&text, &place)));
                        }
                        self.set_strategy(&text, &tool.name, &path, asks)?
                    }
                }
            }
            Format::Adalflow(_) => {
                let listed = if asks { without(&text, &["always_allowed_tools"], &tool.name) } else { text };
                set(&listed, &["require_approval", &tool.name], word(asks))?
            }
            Format::InterruptOn(interrupt_on) => {
                let mut path = interrupt_on.way(&call.agent);
                // An entry of its own ends what it was asked without one.
                let text = match interrupt_on.inherited(&call.agent, &text) {
                    Some(own) => set(&text, &path, &own)?,
                    None => text,
                };
                path.push(tool.name.clone());
                let place = pointer::of(&path);
                let known = replaced.iter().position(|(pointer, _)| *pointer == place);
                let before = known.and_then(|at| replaced.swap_remove(at).1).filter(|_| asks);
                if !asks && gate_at(&text, &place) {
                    replaced.push((place.clone(), entry_at(&text, &place)));
                }
                set(&text, &path, before.as_deref().unwrap_or_else(|| word(asks)))?
            }
            Format::ToolApprovals(_) => set(&text, &["tool_approvals", &tool.name], word(asks))?,
            Format::RequireApproval(require) => {
                let mut path: Vec<String> =
                    require.entry(&call)?.map(|at| at.to_string()).into_iter().collect();
                gate_entry(&text, &mut path, &tool.name, asks)?
            }
        };
        let mut read = Configuration::read(self.system, &changed).ok()?;
        (read.remembered, read.replaced) = (self.remembered.clone(), replaced);
        if let (Format::Adalflow(read), Format::Adalflow(known)) = (&mut read.format, &self.format) {
            read.learn_from(known, asks.then_some(&tool.name));
        }
        let mut after = tool.clone();
        read.survey(&mut after);
        (matches!(after.gate, Gate::Asks | Gate::AsksOnce) == asks).then_some(read)
    }

    /// A strategy of its own for the tool: its own with another policy, one like that which covered it, or else like
    /// another one, which asks where people are.
    fn set_strategy(&self, text: &str, tool: &str, path: &[&str], asks: bool) -> Option<String> {
        let document = Document::parse(text, &Limits::default()).ok()?;
        let release = match text.contains("haystack.human_in_the_loop") {
            true => Release::Two,
            false => Release::Three,
        };
        let policy = if asks { AskPolicy::AlwaysAsk } else { AskPolicy::NeverAsk };
        let model = match &self.format {
            Format::Haystack(haystack) => haystack.model(tool),
            _ => None,
        };
        let (_, outer) = path.split_last()?;
        let strategies = document.root().pointer(&pointer::of(outer));
        let strategy = match model.and_then(|key| member(strategies?, key)) {
            Some(known) => {
                let place = ["init_parameters", "confirmation_policy"];
                set(known.text(), &place, &write_policy(policy, release))?
            }
            None => write_strategy(policy, release),
        };
        set(text, path, &strategy)
    }
}

/// Tools that are found by their name: there may be thousands.
#[derive(Debug, Default)]
pub struct Tools {
    /// All of them, in order.
    pub list: Vec<ToolApproval>,
    by_name: Groups,
}

impl Tools {
    /// Those of this name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &ToolApproval> {
        self.by_name.get(name).iter().filter_map(|at| self.list.get(usize::try_from(*at).ok()?))
    }

    /// Adds one.
    pub fn push(&mut self, tool: ToolApproval) {
        self.by_name
            .push(&Text::from(tool.name.as_str()), u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(tool);
    }
}

/// Adds the tool to what needs approval in one entry, or takes it out.
fn gate_entry(text: &str, path: &mut Vec<String>, tool: &str, asks: bool) -> Option<String> {
    const KEYS: [&str; 2] = ["requireApproval", "require_approval"];
    if !asks {
        return Some(KEYS.iter().fold(text.to_owned(), |text, key| {
            without(&text, &[path.as_slice(), &[(*key).to_owned()]].concat(), tool)
        }));
    }
    let document = Document::parse(text, &Limits::default()).ok()?;
    let entry = document.root().pointer(&pointer::of(path.as_slice()))?;
    let known = KEYS.into_iter().find(|key| member(entry, key).is_some());
    let named = if entry.get("toolNames").is_some() { "requireApproval" } else { "require_approval" };
    path.push(known.unwrap_or(named).to_owned());
    let item = quote(tool);
    if known.is_none() {
        return set(text, path, &["[", &item, "]"].concat());
    }
    path.push("-".to_owned());
    edit::insert(text, &pointer::of(path.as_slice()), &item).ok()
}

/// The call that a tool would make, as far as a configuration looks at it.
fn call_of(tool: &ToolApproval) -> ToolCall {
    ToolCall {
        id: None,
        tool: tool.name.as_str().into(),
        args: ArgsText::from("{}"),
        positional: false,
        server: tool.server.as_deref().map(Into::into),
        agent: tool.agent.iter().map(|agent| agent.as_str().into()).collect(),
    }
}

/// Whether the entry at this place says more than yes or no.
fn gate_at(text: &str, place: &str) -> bool {
    entry_at(text, place).is_some_and(|entry| entry.starts_with('{'))
}

fn entry_at(text: &str, place: &str) -> Option<String> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    document.root().pointer(place).map(|entry| entry.text().to_owned())
}

/// The text with the entry that stood at this place before, or without one where there was none.
fn restored(text: &str, path: &[&str], before: Option<String>) -> Option<String> {
    match before {
        Some(entry) => set(text, path, &entry),
        None => edit::remove(text, &pointer::of(path)).ok(),
    }
}

/// Where the strategy of a tool's own stands.
fn strategy_path<'a>(text: &str, tool: &'a str) -> Option<Vec<&'a str>> {
    const STRATEGIES: &str = "confirmation_strategies";
    let document = Document::parse(text, &Limits::default()).ok()?;
    Some(match document.root().get(STRATEGIES) {
        Some(_) => vec![STRATEGIES, tool],
        None => vec!["init_parameters", STRATEGIES, tool],
    })
}

fn word(asks: bool) -> &'static str {
    if asks { "true" } else { "false" }
}

/// The text with `json` at this place; objects on the way are made where they are missing.
fn set(text: &str, path: &[impl AsRef<str>], json: &str) -> Option<String> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    let (mut pointer, mut here) = (String::new(), document.root());
    for (depth, step) in path.iter().enumerate() {
        if here.is_null() {
            return edit::replace(text, &pointer, &nested(path.get(depth..)?, json)).ok();
        }
        pointer::push(&mut pointer, step.as_ref());
        let next = match here.is_array() {
            true => step.as_ref().parse().ok().and_then(|at| here.items().nth(at)),
            false => here.get(step.as_ref()),
        };
        match next {
            Some(next) => here = next,
            None => return edit::insert(text, &pointer, &nested(path.get(depth + 1..)?, json)).ok(),
        }
    }
    edit::replace(text, &pointer, json).ok()
}

/// `json` within an object for each step.
fn nested(path: &[impl AsRef<str>], json: &str) -> String {
    let mut text = json.to_owned();
    for step in path.iter().rev() {
        text = ["{", &quote(step.as_ref()), ": ", &text, "}"].concat();
    }
    text
}

/// The text without this name in the list at this place.
fn without(text: &str, path: &[impl AsRef<str>], tool: &str) -> String {
    let (mut text, pointer) = (text.to_owned(), pointer::of(path));
    loop {
        let found = Document::parse(&text, &Limits::default()).ok().and_then(|document| {
            let list = document.root().pointer(&pointer)?;
            list.items().position(|item| item.equals(tool))
        });
        let place = found.map(|at| [&pointer, "/", &at.to_string()].concat());
        match place.and_then(|place| edit::remove(&text, &place).ok()) {
            Some(shorter) => text = shorter,
            None => return text,
        }
    }
}
