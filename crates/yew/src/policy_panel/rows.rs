//! One tool, and the heading over those of one agent and server.

use std::mem::take;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Gate, ToolApproval};
use yew::prelude::*;

use crate::arming::{ARM_DELAY, Guard, Guarded, Seal};
use crate::fold::{foldable_name, spoken};
use crate::json_view::origin_asides;
use crate::mask::maskable_prose;
use crate::node::{Attribute, Tag, options, words};
use crate::piece::{Act, Stage};
use crate::text::around;
use crate::tool_call_card::facts::{isolated, odd_letters, warning};
use crate::variants::Tone;

/// Whether a person is asked about its calls.
pub(super) fn asks(tool: &ToolApproval) -> bool {
    matches!(tool.gate, Gate::Asks | Gate::AsksOnce)
}

/// What each row is about: so a row stays, and the focus in it, where the list around it becomes another; and what the guard of its
/// switch remembers.
#[derive(Default)]
pub(super) struct Keys {
    now: Vec<(String, Guard)>,
    before: Vec<(String, Guard)>,
}

impl Keys {
    /// Begins another drawing.
    pub(super) fn begin(&mut self) {
        self.before = take(&mut self.now);
    }

    fn of(&mut self, tool: &ToolApproval, name: &str) -> (String, Guard) {
        let server = tool.server.as_deref().unwrap_or_default();
        let mut key = [&tool.agent.join("\n"), server, name].join("\n\n");
        // The host may name a tool twice.
        while self.now.iter().any(|(taken, _)| *taken == key) {
            key.push('\n');
        }
        let known = self.before.iter().find(|(known, _)| *known == key);
        let guard = known.map(|(_, guard)| guard.clone()).unwrap_or_default();
        self.now.push((key.clone(), guard.clone()));
        (key, guard)
    }
}

/// The agent and the server that the tools below belong to.
pub(super) fn heading(tool: &ToolApproval, keys: &mut Keys, stage: &Rc<Stage>) -> Option<Html> {
    let messages = stage.messages();
    let (mut parts, mut facts) = (Vec::new(), Vec::new());
    // An outermost agent without a name is the one that is configured.
    for agent in tool.agent.iter().filter(|agent| !agent.is_empty()) {
        if !parts.is_empty() {
            parts.push(words(messages.agent_separator()));
        }
        parts.push(isolated(foldable_name(agent, false, stage)));
        facts.extend(origin_asides(agent, stage));
    }
    if let Some(server) = &tool.server {
        if !parts.is_empty() {
            parts.push(words(messages.separator()));
        }
        parts.push(around(&messages.served_by(), isolated(foldable_name(server, false, stage))));
        facts.extend(origin_asides(server, stage));
    }
    if parts.is_empty() {
        return None;
    }
    parts.extend(facts);
    let (key, _) = keys.of(tool, "\n");
    Some(Tag::new("h3", "cs-heading").part("heading").key(key).list(parts).html())
}

/// What the configuration says of the tools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// It cannot be read: what happens to calls is not known.
    Nothing,
    /// It can be looked at alone.
    Fixed,
    Changeable,
}

/// What describes a switch, in sight: a title is shown to a pointer alone.
pub(super) fn description(id: AttrValue, text: AttrValue) -> Html {
    Tag::new("p", "cs-help").part("help").text(Attribute::Id, id).words(text).html()
}

/// The name, what it says it does, what happens to its calls, and the switch, which is described by what has the id `help`.
pub(super) fn row(
    at: usize,
    tool: &ToolApproval,
    says: Says,
    help: &AttrValue,
    keys: &mut Keys,
    stage: &Rc<Stage>,
) -> Html {
    let messages = stage.messages();
    let known = says != Says::Nothing;
    let tone = match tool.gate {
        Gate::Open => Tone::Plain,
        Gate::Asks | Gate::AsksOnce => Tone::Attention,
        Gate::Denied => Tone::Bad,
    };
    let badge = Tag::new("span", "cs-badge")
        .part("badge")
        .with(Attribute::Tone, tone.as_str())
        .words(super::gate_words(tool.gate, stage));
    let claim = tool.description.as_ref().filter(|text| !text.is_empty()).map(|text| {
        Tag::new("p", "cs-claim")
            .part("description")
            .child(Tag::new("span", "cs-claim-label").words(messages.tool_says()).html())
            .words(" ")
            .child(isolated(maskable_prose(text, stage)))
            .html()
    });
    // A name with nothing in it is shown as what it is.
    let name = if tool.name.is_empty() { "\"\"" } else { &tool.name };
    let stuck = says == Says::Changeable && !tool.changeable;
    let why: AttrValue = if stuck { [help, "-", &at.to_string()].concat().into() } else { help.clone() };
    let label = messages.require_approval();
    let (key, guard) = keys.of(tool, &tool.name);
    let withheld = says == Says::Fixed || stuck;
    // A list that moves in the moment of a press must not let another tool run unasked.
    let turn = Guarded {
        asker: Rc::clone(stage),
        guard,
        seal: Seal::all([]).with(0, &Arc::from(key.as_str())),
        delay: ARM_DELAY,
        part: "require-switch",
        class: if withheld { "cs-switch cs-fixed" } else { "cs-switch" },
        name: messages.act_on(&label, &spoken(name)).into(),
        label,
        act: Act::Switch(at),
        withheld,
        switch: Some(asks(tool)),
        described_by: Some(why.clone()),
    };
    let odd = odd_letters(name, stage).map(|odd| warning(Tone::Attention, words(odd)).html());
    let code = Tag::new("code", "cs-tool cs-code").child(foldable_name(name, true, stage)).html();
    let fixed = stuck.then(|| description(why, messages.not_changeable()));
    Tag::new("div", "cs-tool-row")
        .part("tool")
        .key(key)
        .option(Attribute::Gate, known.then(|| gate_word(tool.gate).into()))
        .child(
            Tag::new("span", "cs-tool-name").child(options([Some(code), known.then(|| badge.html())])).html(),
        )
        // Off would say that its calls run unasked.
        .optional((known && (tool.changeable || tool.gate != Gate::Denied)).then(|| stage.place(turn)))
        .optional(odd)
        .optional(fixed)
        .optional(claim)
        .html()
}

/// The gate as the stylesheet and scripts spell it.
fn gate_word(gate: Gate) -> &'static str {
    match gate {
        Gate::Open => "open",
        Gate::Asks => "asks",
        Gate::AsksOnce => "asks-once",
        Gate::Denied => "denied",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy_panel::PolicyPanelProps;
    use crate::testing::drawn;

    fn markup(tool: ToolApproval) -> String {
        let tools = Rc::from([tool]);
        drawn(yew::props!(PolicyPanelProps { tools }), Vec::new())
    }

    fn tool(name: &str) -> ToolApproval {
        ToolApproval {
            name: name.to_owned(),
            description: None,
            server: None,
            agent: Vec::new(),
            schema: None,
            gate: Gate::Asks,
            changeable: true,
        }
    }

    #[test]
    fn r21_a_tool_and_where_it_comes_from_are_looked_at_as_those_of_a_call_are() {
        let markup = markup(ToolApproval {
            server: Some("https://\u{430}pple.com/mcp".to_owned()),
            agent: vec!["h\u{443}lper".to_owned()],
            ..tool("delete_fil\u{435}")
        });
        for fact in ["xn--pple-43d.com", "\u{435} (Cyrillic U+0435)", "\u{443} (Cyrillic U+0443)"] {
            assert!(markup.contains(fact), "{fact}: {markup}");
        }
        assert_eq!(markup.matches("cs-odd").count(), 3);
    }

    #[test]
    fn r19_a_long_name_of_a_tool_its_server_or_its_agent_is_folded_and_counted() {
        let long = ["START", &"x".repeat(4000), "ENDED"].concat();
        let markup =
            markup(ToolApproval { server: Some(long.clone()), agent: vec![long.clone()], ..tool(&long) });
        assert_eq!(markup.matches("3,790 characters more").count(), 3, "{markup}");
        assert!(!markup.contains(&"x".repeat(160)) && markup.contains("x … × 3790 … x"), "{markup}");
    }

    #[test]
    fn a_tool_that_is_refused_for_good_has_no_switch_that_says_it_runs_unasked() {
        let switch = |gate, changeable| {
            markup(ToolApproval { gate, changeable, ..tool("t") }).contains("role=\"switch\"")
        };
        assert!(!switch(Gate::Denied, false) && switch(Gate::Denied, true) && switch(Gate::Open, false));
    }

    #[test]
    fn r24_secrets_in_what_a_tool_says_stand_behind_masks() {
        let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        let description = Some([&"d".repeat(5000), " ", secret].concat());
        let markup = markup(ToolApproval { description, ..tool("read") });
        assert!(!markup.contains(secret) && markup.contains("Reveal 40 characters"), "{markup}");
    }
}
