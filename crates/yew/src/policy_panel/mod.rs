//! Which tools of an agent need approval, with a switch each, and what was granted.

mod rows;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use countersign_core::{Gate, GrantView, ToolApproval};
use yew::prelude::*;

use crate::controls::button;
use crate::fold::{foldable, foldable_name};
use crate::grant_list::GrantList;
use crate::intent::Intent;
use crate::messages::Catalogue;
use crate::node::{Attribute, Tag, list, options, words};
use crate::piece::{Act, Piece, Stage, Wording, host, typed};
use crate::text::{around, lower_case};
use crate::tool_call_card::facts::{claimed, warning};
use crate::variants::Tone;
use rows::Says;

/// How many tools stand on a page.
const PAGE: usize = 25;

/// Properties of [`PolicyPanel`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct PolicyPanelProps {
    /// The tools, in the order in which they are shown; those of one agent and server together.
    pub tools: Rc<[ToolApproval]>,
    /// Why the configuration cannot be read; what happens to calls is not shown then, and nothing can be changed.
    #[prop_or_default]
    pub trouble: Option<PolicyTrouble>,
    /// Hides the switches.
    #[prop_or_default]
    pub read_only: bool,
    /// What was granted; absent: the panel is about the tools alone.
    #[prop_or_default]
    pub grants: Option<Rc<[GrantView]>>,
    /// A person turned a switch: the tool's place, and whether its calls are to be asked about.
    #[prop_or_default]
    pub on_require: Callback<(usize, bool)>,
    /// A person took back a grant.
    #[prop_or_default]
    pub on_intent: Callback<Intent>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// Why a configuration cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyTrouble {
    /// Where, as a JSON Pointer.
    pub pointer: String,
    /// One sentence.
    pub message: String,
    /// Tools that need approval and are not among the tools. Untrusted.
    pub offenders: Vec<String>,
}

/// The tools of an agent, each with a switch for “Require approval?”; a badge for those that ask, a search, pages.
///
/// ```
/// use std::rc::Rc;
///
/// use countersign_core::ToolApproval;
/// use countersign_yew::{PolicyPanel, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct SettingsProps {
///     tools: Rc<[ToolApproval]>,
///     on_require: Callback<(usize, bool)>,
/// }
///
/// #[component]
/// fn Settings(props: &SettingsProps) -> Html {
///     html! {
///         <Shadow tag="countersign-policy">
///             <PolicyPanel tools={&props.tools} on_require={&props.on_require} />
///         </Shadow>
///     }
/// }
/// ```
#[derive(Debug)]
pub struct PolicyPanel(Wording);

impl Component for PolicyPanel {
    type Message = Catalogue;
    type Properties = PolicyPanelProps;

    fn create(context: &Context<PolicyPanel>) -> PolicyPanel {
        PolicyPanel(Wording::of(context))
    }

    fn update(&mut self, _: &Context<PolicyPanel>, words: Catalogue) -> bool {
        self.0.replace(words);
        true
    }

    fn view(&self, context: &Context<PolicyPanel>) -> Html {
        let props = context.props();
        host(Rc::new(props.clone()), props.messages.as_ref().unwrap_or(self.0.words()), None)
    }
}

/// What is looked for, and where the page begins.
#[derive(Default)]
pub(crate) struct Looked {
    search: RefCell<String>,
    from: Cell<usize>,
    place: Place,
    keys: RefCell<rows::Keys>,
}

thread_local! {
    static PANELS: Cell<usize> = const { Cell::new(0) };
}

/// Tells the panels of a document apart: of a tool in two of them each switch has a description of its own.
struct Place(usize);

impl Default for Place {
    fn default() -> Place {
        PANELS.set(PANELS.get() + 1);
        Place(PANELS.get())
    }
}

impl Piece for PolicyPanelProps {
    type Memory = Looked;

    fn same(&self, other: &PolicyPanelProps) -> bool {
        self == other
    }

    fn draw(&self, looked: &Looked, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let search = looked.search.borrow();
        let wanted = lower_case(search.trim());
        let found: Vec<usize> = (0..self.tools.len()).filter(|at| self.is_found(*at, &wanted)).collect();
        let from = if looked.from.get() < found.len() { looked.from.get() } else { 0 };
        let (mut rows, mut keys) = (Vec::new(), looked.keys.borrow_mut());
        keys.begin();
        let says = match (&self.trouble, self.read_only) {
            (Some(_), _) => Says::Nothing,
            (None, true) => Says::Fixed,
            (None, false) => Says::Changeable,
        };
        let help: AttrValue = ["cs-policy-", &looked.place.0.to_string()].concat().into();
        let mut section = None;
        for at in found.iter().skip(from).take(PAGE) {
            let Some(tool) = self.tools.get(*at) else { continue };
            if section.replace(of(tool)) != Some(of(tool)) {
                rows.extend(rows::heading(tool, &mut keys, stage));
            }
            rows.push(rows::row(*at, tool, says, &help, &mut keys, stage));
        }
        let none = found.is_empty().then(|| {
            let text = if self.tools.is_empty() { messages.no_tools() } else { messages.no_tool_found() };
            Tag::new("p", "cs-empty").part("empty").words(text).html()
        });
        let about = match says {
            Says::Changeable => Some(messages.switch_help()),
            Says::Fixed => Some(messages.switch_fixed()),
            Says::Nothing => None,
        };
        let about = about.filter(|_| !rows.is_empty());
        let tools = Tag::new("div", "cs-policy-tools").part("tools").list(rows);
        Tag::new("section", "cs cs-policy")
            .part("policy")
            .text(Attribute::Label, messages.policy())
            .spoken(messages)
            .at(stage.root())
            .child(self.head(&search, stage))
            .optional(self.trouble.as_ref().map(|trouble| self.trouble(trouble, stage)))
            .optional(about.map(|text| rows::description(help, text)))
            .child(tools.html())
            .optional(none)
            .child(pages(from, found.len(), stage))
            .optional(self.grants.as_ref().map(|grants| {
                let grants = Rc::clone(grants);
                stage.place(GrantList { grants, on_intent: self.on_intent.clone(), open: true })
            }))
            .html()
    }

    fn act(&self, looked: &Looked, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        match act {
            Act::Type(_) => {
                looked.search.replace(typed(event).unwrap_or_default());
                looked.from.set(0);
            }
            Act::Page(from) => {
                looked.from.set(*from);
                stage.focus(Some("[role=switch]"));
            }
            Act::Switch(at) => {
                if let Some(tool) = self.tools.get(*at).filter(|tool| tool.changeable) {
                    self.on_require.emit((*at, !rows::asks(tool)));
                }
                return false;
            }
            _ => return false,
        }
        true
    }
}

impl PolicyPanelProps {
    /// Whether the name, the description, the server or an agent holds these words, in lower case.
    fn is_found(&self, at: usize, wanted: &str) -> bool {
        let Some(tool) = self.tools.get(at) else { return false };
        let holds = |text: &str| lower_case(text).contains(wanted);
        wanted.is_empty()
            || holds(&tool.name)
            || tool.description.as_deref().is_some_and(holds)
            || tool.server.as_deref().is_some_and(holds)
            || tool.agent.iter().any(|agent| holds(agent))
    }

    /// How many ask, and the search.
    fn head(&self, search: &str, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let asking = self.tools.iter().filter(|tool| rows::asks(tool)).count();
        let count = Tag::new("span", "cs-policy-count")
            .part("count")
            .with(Attribute::Role, "status")
            .words(messages.tools_ask(asking, self.tools.len()));
        let count = self.trouble.is_none().then(|| count.html());
        let field = (self.tools.len() > 1).then(|| {
            Tag::new("input", "cs-field cs-search")
                .part("search")
                .with(Attribute::Type, "search")
                .text(Attribute::Label, messages.search_tools())
                .text(Attribute::Placeholder, messages.search_tools())
                .value(search.to_owned())
                .on(stage, Act::Type(0))
                .html()
        });
        Tag::new("header", "cs-policy-head").child(options([count, field])).html()
    }

    /// What is wrong, and with which tools.
    fn trouble(&self, trouble: &PolicyTrouble, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let text = if trouble.offenders.is_empty() {
            claimed(&messages.configuration_wrong(), &trouble.message, stage)
        } else {
            let mut names = Vec::new();
            for (at, offender) in trouble.offenders.iter().enumerate() {
                if at > 0 {
                    names.push(words(messages.list_separator()));
                }
                names.push(Tag::new("code", "cs-code").child(foldable_name(offender, true, stage)).html());
            }
            around(&messages.not_among_tools(), list(names))
        };
        let place = (!trouble.pointer.is_empty())
            .then(|| Tag::new("code", "cs-code").child(foldable(&trouble.pointer, stage)).html());
        warning(Tone::Bad, options([Some(text), Some(words(" ")), place]))
            .with(Attribute::Role, "alert")
            .html()
    }
}

/// Under which heading a tool stands.
fn of(tool: &ToolApproval) -> (&[String], Option<&str>) {
    (&tool.agent, tool.server.as_deref())
}

/// Which tools are shown of how many, and the ways to the others.
fn pages(from: usize, count: usize, stage: &Rc<Stage>) -> Html {
    if count <= PAGE {
        return Html::default();
    }
    let messages = stage.messages();
    let until = count.min(from + PAGE);
    let before = from.saturating_sub(PAGE);
    let turn = |label: AttrValue, to: usize, there: bool| {
        button("page-button", "cs-button", label, stage, Act::Page(if there { to } else { from }))
            .withheld(!there)
            .html()
    };
    Tag::new("nav", "cs-bar")
        .part("pages")
        .text(Attribute::Label, messages.pages())
        .child(turn(messages.previous(), before, from > 0))
        .child(turn(messages.next(), until, until < count))
        .child(Tag::new("span", "cs-progress").words(messages.shown_of(from + 1, until, count)).html())
        .html()
}

/// What the badge of a tool says, for the rows and their tests.
pub(crate) fn gate_words(gate: Gate, stage: &Stage) -> AttrValue {
    let messages = stage.messages();
    match gate {
        Gate::Open => messages.runs_unasked(),
        Gate::Asks => messages.asks(),
        Gate::AsksOnce => messages.asks_once(),
        Gate::Denied => messages.is_refused(),
    }
}
