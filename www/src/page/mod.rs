//! The page: it owns the conversation, talks to the agent, and draws both.

mod known;
mod memory;
mod session;
mod traffic;

use std::cell::Cell;
use std::rc::Rc;

use countersign_connect::Fault;
use countersign_core::{Decision, Outbound, OutboundId};
use countersign_yew::{InboxPanel, Intent, Shadow, Theme, Writing};
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use web_sys::BroadcastChannel;
use yew::prelude::*;

use crate::backend::Backend;
use crate::browser;
use crate::chat::{Bubbles, Composer, Suggestions};
use crate::header::Header;
use crate::policy::Policy;
use crate::settings::Settings;
use crate::shell::Shell;
use crate::systems::Wire;
use crate::systems::gates::Gates;
use crate::wire::WirePanel;
use crate::wire::log::{Direction, Log};

/// The page.
#[derive(Debug)]
pub struct Page {
    settings: Settings,
    backend: Rc<Backend>,
    shell: Shell,
    log: Rc<Log>,
    context: String,
    /// Counts conversations: what an older one streams is not for this one.
    generation: u32,
    /// How many streams are open.
    busy: u32,
    theme: Theme,
    writing: Writing,
    wire_open: bool,
    /// The wire panel lies over the rest of the page.
    covered: bool,
    /// What the agent asks about is shown in place of the chat.
    policy_open: bool,
    /// What gets the focus: the button that had opened what is shown no longer, or the one that closes what lies over the page.
    returning: Option<&'static str>,
    /// What scrolls.
    scroll: NodeRef,
    /// How many bubbles were drawn.
    drawn: usize,
    /// How many bubbles are kept for the next visit.
    kept: usize,
    timer: Option<Timeout>,
    channel: Option<BroadcastChannel>,
    /// Why the agent could not be asked, as long as nothing has come from it since.
    unreachable: Option<String>,
    /// Follows what the agent sends unasked.
    following: Option<Box<dyn std::any::Any>>,
    /// Whether what the agent does by itself is followed.
    attending: Rc<Cell<bool>>,
    /// Dropped with the page.
    _listeners: Vec<EventListener>,
}

/// What happens to the page.
#[derive(Clone, Debug)]
pub enum Message {
    /// The person said something.
    Say(String),
    /// The person asked for something in the inbox.
    Intent(Intent),
    /// A decision came from outside the inbox; it is about what its card shows now.
    Decide {
        /// The request's id, scoped or bare.
        request: String,
        /// What was decided.
        decision: Decision,
    },
    /// The person wants another wire.
    Switch(Wire),
    /// The person wants to begin anew.
    NewChat,
    /// The person wants another look.
    Look(Theme),
    /// The person wants to see the wire panel, or not.
    ToggleWire,
    /// The window has another size.
    Resized,
    /// Escape was pressed, and nothing took it.
    Escape,
    /// The person wants to see what the agent asks about, or the chat.
    TogglePolicy,
    /// The person wants the tool at this place to ask first, or not.
    Require(usize, bool),
    /// A stream brought something.
    Arrived {
        /// The conversation's number.
        generation: u32,
        /// The text.
        text: String,
        /// The decision that the stream answers, when this is its first event.
        delivered: Option<OutboundId>,
    },
    /// What became of a decision that has left is known, and not by what came back.
    Fate {
        /// The conversation's number.
        generation: u32,
        /// The decision.
        id: OutboundId,
        /// It arrived, or why that is not known.
        fate: Result<(), Fault>,
    },
    /// A stream is over.
    Ended {
        /// The conversation's number.
        generation: u32,
        /// The decision that did not arrive, and why; without a decision, words that did not.
        fault: Option<(Option<OutboundId>, Fault)>,
    },
    /// What a decision answers still waits, says the agent.
    Checked {
        /// The conversation's number and name.
        conversation: (u32, String),
        /// The decision.
        outbound: Outbound,
        /// What was read to find out.
        state: Option<String>,
    },
    /// The agent told what it knows of the conversation.
    Known {
        /// The conversation's number.
        generation: u32,
        /// The text.
        text: String,
        /// Everything is rebuilt from it.
        rebuild: bool,
    },
    /// The agent could not be asked.
    Unknown {
        /// The conversation's number.
        generation: u32,
        /// Why not.
        fault: Fault,
    },
    /// The agent is not heard any more.
    CutOff {
        /// The conversation's number.
        generation: u32,
        /// Why not.
        fault: Fault,
    },
    /// The conversation may have gone on elsewhere: in the page's storage, under this key, or with a real agent.
    Elsewhere(Option<String>),
    /// Something may have been missed.
    Missed {
        /// The conversation's number.
        generation: u32,
    },
    /// The page went out of sight.
    Left,
    /// Time has passed.
    Tick,
}

impl Component for Page {
    type Message = Message;
    type Properties = ();

    fn create(ctx: &Context<Page>) -> Page {
        let settings = Settings::read(browser::query());
        let page = Page::begin(ctx, settings);
        page.catch_up(ctx);
        page
    }

    fn update(&mut self, ctx: &Context<Page>, message: Message) -> bool {
        match message {
            Message::Say(text) => self.say(ctx, &text),
            Message::Intent(intent) => {
                if matches!(intent, Intent::Export) {
                    browser::save(&self.shell.record(), "countersign-audit.jsonl");
                }
                let grants = matches!(intent, Intent::Grant { .. } | Intent::Revoke(_));
                self.shell.act(intent, browser::now());
                if grants {
                    browser::store(session::GRANTS, &self.shell.grants());
                }
                self.send_due(ctx);
            }
            Message::Decide { request, decision } => {
                self.shell.decide(request, decision, browser::now());
                self.send_due(ctx);
            }
            Message::Switch(wire) => self.switch(ctx, wire),
            Message::NewChat => self.begin_anew(ctx),
            Message::Look(theme) => self.look(theme),
            Message::ToggleWire => self.toggle_wire(),
            Message::Escape if self.covered => self.toggle_wire(),
            Message::Resized if self.covered != self.is_covered() => {
                self.covered = !self.covered;
                self.returning =
                    (self.covered && !browser::is_there(".wire:focus-within")).then_some(".wire-close");
            }
            Message::Escape | Message::Resized => return false,
            Message::TogglePolicy => {
                self.policy_open = !self.policy_open;
                self.returning = (!self.policy_open).then_some(".policy-toggle");
            }
            Message::Require(at, asks) => {
                if let Some(gates) = self.backend.gates().and_then(|gates| gates.with_approval(at, asks)) {
                    self.backend.govern(&gates);
                }
            }
            Message::Arrived { generation, .. }
            | Message::Fate { generation, .. }
            | Message::Ended { generation, .. }
            | Message::Known { generation, .. }
            | Message::Unknown { generation, .. }
            | Message::CutOff { generation, .. }
            | Message::Missed { generation }
                if generation != self.generation =>
            {
                return false;
            }
            Message::Checked { conversation, outbound, state } => {
                self.checked(ctx, conversation, outbound, state);
            }
            Message::Arrived { text, delivered, .. } => {
                self.unreachable = None;
                if let Some(id) = delivered {
                    self.shell.delivered(id, browser::now());
                }
                self.shell.receive(&text, browser::now());
                self.note(Direction::In, text);
                self.send_due(ctx);
            }
            Message::Fate { id, fate, .. } => self.told(ctx, id, fate),
            Message::Ended { fault, .. } => {
                self.busy = self.busy.saturating_sub(1);
                self.ended(ctx, fault);
            }
            Message::Known { text, rebuild, .. } => self.known(text, rebuild),
            Message::Unknown { fault, .. } => self.unreachable = Some(fault.message),
            Message::CutOff { fault, .. } => self.cut_off(fault),
            Message::Missed { .. } => {
                self.unreachable = None;
                self.fetch_history(ctx, false);
            }
            Message::Elsewhere(key) if self.concerns(key.as_deref()) => self.fetch_history(ctx, false),
            Message::Elsewhere(_) => return false,
            Message::Left => {
                self.shell.leave(browser::now());
                self.send_due(ctx);
            }
            Message::Tick => {
                self.shell.tick(browser::now());
                self.send_due(ctx);
            }
        }
        self.keep();
        self.wind(ctx);
        true
    }

    fn rendered(&mut self, _ctx: &Context<Page>, _first: bool) {
        let bubbles = self.shell.bubbles().len();
        // Only words scroll: cards that arrive must not move what a person is about to press.
        if bubbles > self.drawn {
            self.scroll_to_newest();
        }
        self.drawn = bubbles;
        if let Some(opener) = self.returning.take() {
            browser::focus(opener);
        }
    }

    fn view(&self, ctx: &Context<Page>) -> Html {
        let link = ctx.link();
        let bubbles = self.shell.bubbles().to_vec();
        let views = self.shell.views();
        let on_say = link.callback(Message::Say);
        let waits = !self.shell.advice().is_empty();
        let first = bubbles.is_empty();
        let server = self.settings.server.as_ref().map(|server| AttrValue::from(server.url.clone()));
        let system = self.settings.wire.system();
        let policy = self.backend.gates();
        let writing = Writing { edit_risk: Some(self.shell.edit_risk()), ..self.writing.clone() };
        let policy_open = self.policy_open && policy.is_some();
        let prompts = if server.is_some() { system.script() } else { system.prompts() };
        html! {
            <div class="page" data-wire-open={self.wire_open.to_string()}>
                <Header wire={self.settings.wire} {server} theme={self.theme} wire_open={self.wire_open} policy_open={policy.is_some().then_some(policy_open)}
                    covered={self.covered}
                    on_wire={link.callback(Message::Switch)} on_theme={link.callback(Message::Look)}
                    on_toggle_wire={link.callback(|()| Message::ToggleWire)} on_toggle_policy={link.callback(|()| Message::TogglePolicy)}
                    on_new_chat={link.callback(|()| Message::NewChat)} />
                <main class="chat" inert={self.covered}>
                    if let Some(gates) = policy.filter(|_| policy_open) {
                        { self.policy(ctx, gates) }
                    }
                    <div class="scroll" hidden={policy_open} tabindex="-1" ref={&self.scroll}>
                        <div class="column">
                            if first && views.is_empty() {
                                <Suggestions {prompts} first=true on_say={&on_say} />
                            }
                            <Bubbles {bubbles} busy={self.busy > 0 && !waits} />
                            <Shadow tag="countersign-inbox" theme={self.theme} class={classes!("inbox", views.is_empty().then_some("empty"))}>
                                <InboxPanel requests={Rc::clone(views)} on_intent={link.callback(Message::Intent)} now={browser::now()}
                                    {writing} refused={self.shell.refused()} granting={self.shell.granting()} />
                            </Shadow>
                        </div>
                    </div>
                    <div class="bottom" hidden={policy_open}>
                        <div class="column">
                            if let Some(notice) = self.shell.notice().or(self.unreachable.as_deref()) {
                                <p class="notice" role="alert">{ sentence(notice) }</p>
                            }
                            if !first && !waits && self.busy == 0 {
                                <Suggestions {prompts} first=false on_say={&on_say} />
                            }
                            <Composer {waits} {on_say} />
                        </div>
                    </div>
                </main>
                <WirePanel log={Rc::clone(&self.log)} open={self.wire_open} on_close={link.callback(|()| Message::ToggleWire)} />
            </div>
        }
    }
}

impl Page {
    fn is_covered(&self) -> bool {
        self.wire_open && browser::width() < session::WIDE
    }

    fn toggle_wire(&mut self) {
        self.wire_open = !self.wire_open;
        self.covered = self.is_covered();
        self.returning = match self.wire_open {
            true => self.covered.then_some(".wire-close"),
            false => Some(".wire-toggle"),
        };
    }

    /// What the agent asks about.
    fn policy(&self, ctx: &Context<Page>, gates: Gates) -> Html {
        let link = ctx.link();
        let grants = self.shell.granting().map(|granting| granting.grants).unwrap_or_default();
        html! {
            <div class="scroll">
                <div class="column">
                    <Policy agent={self.settings.wire.label()} {gates} {grants} theme={self.theme}
                        on_require={link.callback(|(at, asks)| Message::Require(at, asks))}
                        on_intent={link.callback(Message::Intent)} on_close={link.callback(|()| Message::TogglePolicy)} />
                </div>
            </div>
        }
    }
}

/// The text with a capital at its beginning: errors are written for the middle of a line.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
