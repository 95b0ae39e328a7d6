//! The page: it owns the conversation, talks to the agent, and draws both.

mod memory;
mod session;
mod talk;

use std::rc::Rc;

use countersign_core::Decision;
use countersign_yew::{InboxPanel, Intent, Shadow, Theme, Writing};
use gloo::events::EventListener;
use web_sys::BroadcastChannel;
use yew::prelude::*;

use crate::backend::{Backend, News};
use crate::browser;
use crate::chat::{Bubbles, Composer, Suggestions};
use crate::header::Header;
use crate::policy::Policy;
use crate::settings::Settings;
use crate::shell::Shell;
use crate::systems::Wire;
use crate::systems::gates::Gates;
use crate::wire::WirePanel;
use crate::wire::log::Log;

use talk::Talk;

/// The page.
#[derive(Debug)]
pub struct Page {
    settings: Settings,
    backend: Rc<Backend>,
    talk: Talk,
    log: Rc<Log>,
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
    channel: Option<BroadcastChannel>,
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
    /// Something went over the wire of a conversation, or came.
    News {
        /// The conversation's number.
        generation: u32,
        /// What.
        news: News,
    },
    /// The conversation may look different.
    Changed,
    /// The conversation may have gone on elsewhere: in the page's storage, under this key, or with a real agent.
    Elsewhere(Option<String>),
}

impl Component for Page {
    type Message = Message;
    type Properties = ();

    fn create(ctx: &Context<Page>) -> Page {
        let settings = Settings::read(browser::query());
        Page::begin(ctx, settings)
    }

    fn update(&mut self, ctx: &Context<Page>, message: Message) -> bool {
        match message {
            Message::Say(text) => self.say(&text),
            Message::Intent(intent) => {
                if matches!(intent, Intent::Export) {
                    browser::save(&self.shell(Shell::record), "countersign-audit.jsonl");
                }
                let grants = matches!(intent, Intent::Grant { .. } | Intent::Revoke(_));
                // A refusal is said at the card.
                self.talk.conversation.act(|shell, now| shell.act(intent, now)).ok();
                if grants {
                    self.keep_grants();
                }
            }
            Message::Decide { request, decision } => {
                self.talk.conversation.act(|shell, now| shell.decide(request, decision, now)).ok();
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
            Message::News { generation, .. } if generation != self.talk.generation => return false,
            Message::News { news, .. } => self.heard(news),
            Message::Changed => {}
            Message::Elsewhere(key) if self.concerns(key.as_deref()) => self.talk.conversation.refresh(),
            Message::Elsewhere(_) => return false,
        }
        self.keep();
        true
    }

    fn rendered(&mut self, _ctx: &Context<Page>, _first: bool) {
        let bubbles = self.shell(|shell| shell.bubbles().len());
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
        let bubbles = self.shell(|shell| shell.bubbles().to_vec());
        let views = self.shell(|shell| Rc::clone(shell.views()));
        let on_say = link.callback(Message::Say);
        let waits = self.shell(Shell::words_end_a_wait);
        let busy = self.talk.conversation.is_busy();
        let fault = || Some(self.talk.conversation.fault()?.message);
        let notice = self.shell(|shell| shell.notice().map(str::to_owned)).or_else(fault);
        let (first, is_empty) = (bubbles.is_empty(), views.is_empty());
        let server = self.settings.server.as_ref().map(|server| AttrValue::from(server.url.clone()));
        let system = self.settings.wire.system();
        let policy = self.backend.gates();
        let writing = Writing { edit_risk: Some(self.talk.edit_risk.clone()), ..self.writing.clone() };
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
                            if first && is_empty {
                                <Suggestions {prompts} first=true on_say={&on_say} />
                            }
                            <Bubbles {bubbles} busy={busy && !waits} />
                            <Shadow tag="countersign-inbox" theme={self.theme} class={classes!("inbox", is_empty.then_some("empty"))}>
                                <InboxPanel requests={views} on_intent={link.callback(Message::Intent)} now={browser::now()}
                                    {writing} refused={self.shell(Shell::refused)} granting={self.talk.granting()} />
                            </Shadow>
                        </div>
                    </div>
                    <div class="bottom" hidden={policy_open}>
                        <div class="column">
                            if let Some(notice) = notice {
                                <p class="notice" role="alert">{ sentence(&notice) }</p>
                            }
                            if !first && !waits && !busy {
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
    /// Looks at the conversation.
    fn shell<T>(&self, read: impl FnOnce(&Shell) -> T) -> T {
        self.talk.conversation.with(read)
    }

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
        let grants = self.shell(Shell::granted);
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
