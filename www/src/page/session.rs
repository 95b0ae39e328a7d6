//! Beginning a conversation, keeping its name, and noticing what happens elsewhere.

use std::rc::Rc;

use countersign_yew::{Drafts, Theme, Writing};
use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{BroadcastChannel, Element, ScrollIntoViewOptions, ScrollLogicalPosition, StorageEvent};
use yew::prelude::*;

use crate::backend::Backend;
use crate::browser;
use crate::chat::transcript::Role;
use crate::hooks;
use crate::settings::Settings;
use crate::systems::Wire;
use crate::wire::log::Log;

use super::talk::Talk;
use super::{Message, Page};

/// Where what people have allowed is kept.
pub(super) const GRANTS: &str = "countersign-demo:grants";
const THEME: &str = "countersign-demo:theme";
/// From this width on, in CSS pixels, the wire panel has room beside the chat.
pub(super) const WIDE: f64 = 1_080.0;

impl Page {
    /// A page with the conversation that was open last.
    pub(super) fn begin(ctx: &Context<Page>, settings: Settings) -> Page {
        let channel = BroadcastChannel::new("countersign-demo").ok();
        let theme = match browser::stored(THEME).as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::System,
        };
        let backend = Rc::new(Backend::new(&settings));
        let talk = Talk::begin(ctx.link(), &settings, &backend, last_context(&settings), 0);
        let mut page = Page {
            backend,
            talk,
            log: Rc::new(Log::default()),
            theme,
            writing: Writing { drafts: Drafts::session(), ..Writing::default() },
            wire_open: browser::width() >= WIDE,
            covered: false,
            policy_open: settings.policy,
            returning: None,
            scroll: NodeRef::default(),
            drawn: 0,
            kept: 0,
            _listeners: listeners(ctx, channel.as_ref()),
            channel,
            settings,
        };
        page.opened(ctx);
        page.look(theme);
        page
    }

    /// Switches to a wire, and to the conversation that was last open in it.
    pub(super) fn switch(&mut self, ctx: &Context<Page>, wire: Wire) {
        browser::set_query("wire", wire.name());
        self.settings.wire = wire;
        self.backend = Rc::new(Backend::new(&self.settings));
        self.open(ctx, last_context(&self.settings));
    }

    /// Begins a conversation.
    pub(super) fn begin_anew(&mut self, ctx: &Context<Page>) {
        self.policy_open = false;
        self.open(ctx, browser::uuid());
    }

    /// Opens the conversation of this name; the one before it is over.
    fn open(&mut self, ctx: &Context<Page>, context: String) {
        let generation = self.talk.generation.wrapping_add(1);
        self.talk = Talk::begin(ctx.link(), &self.settings, &self.backend, context, generation);
        self.opened(ctx);
    }

    /// A conversation was opened: it is found again after a reload.
    fn opened(&mut self, ctx: &Context<Page>) {
        browser::store(&context_key(&self.settings), &self.talk.context);
        browser::mark_root("context", Some(&self.talk.context));
        let (backend, link) = (Rc::clone(&self.backend), ctx.link().clone());
        hooks::offer(
            move || backend.executed(),
            move |request, decision| link.send_message(Message::Decide { request, decision }),
        );
        self.drawn = 0;
        self.kept = self.shell(|shell| shell.bubbles().len());
        self.log = Rc::new(Log::default());
    }

    /// Changes the look of the page; the components follow their own property.
    pub(super) fn look(&mut self, theme: Theme) {
        self.theme = theme;
        browser::mark_root("theme", theme.attribute());
        browser::store(THEME, theme.attribute().unwrap_or_default());
    }

    /// Brings the newest words into view; what the person said goes to the top, so that answers have room below.
    pub(super) fn scroll_to_newest(&self) {
        let newest = self.shell(|shell| Some(shell.bubbles().last()?.role));
        let Some(scroll) = self.scroll.cast::<Element>().filter(|_| newest.is_some()) else { return };
        let Ok(Some(element)) = scroll.query_selector(".said:nth-last-child(1 of .said)") else { return };
        let place = match newest {
            Some(Role::User) => ScrollLogicalPosition::Start,
            _ => ScrollLogicalPosition::Nearest,
        };
        let options = ScrollIntoViewOptions::new();
        options.set_block(place);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }

    /// Tells the other tabs of this page that the conversation went on.
    pub(super) fn tell_others(&self) {
        if let Some(channel) = &self.channel {
            let _ = channel.post_message(&self.talk.context.as_str().into());
        }
    }

    /// Whether another tab's news is about the agent of this page.
    pub(super) fn concerns(&self, key: Option<&str>) -> bool {
        match self.backend.storage_key() {
            Some(own) => key == Some(own),
            None => key.is_none(),
        }
    }
}

fn context_key(settings: &Settings) -> String {
    format!("countersign-demo:context:{}", settings.name())
}

/// The conversation that was open last with this agent, or a new one.
fn last_context(settings: &Settings) -> String {
    browser::stored(&context_key(settings)).unwrap_or_else(browser::uuid)
}

/// What happens outside: another tab wrote to the storage or said so, the window changed, a key was pressed.
fn listeners(ctx: &Context<Page>, channel: Option<&BroadcastChannel>) -> Vec<EventListener> {
    let mut listeners = Vec::new();
    let document = gloo::utils::document();
    let elsewhere = ctx.link().callback(Message::Elsewhere);
    {
        let elsewhere = elsewhere.clone();
        listeners.push(EventListener::new(&gloo::utils::window(), "storage", move |event| {
            elsewhere.emit(event.dyn_ref::<StorageEvent>().and_then(StorageEvent::key));
        }));
    }
    if let Some(channel) = channel {
        let elsewhere = elsewhere.clone();
        listeners.push(EventListener::new(channel, "message", move |_| elsewhere.emit(None)));
    }
    let (resized, escape) =
        (ctx.link().callback(|()| Message::Resized), ctx.link().callback(|()| Message::Escape));
    listeners.push(EventListener::new(&gloo::utils::window(), "resize", move |_| resized.emit(())));
    listeners.push(EventListener::new(&document, "keydown", move |event| {
        let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
        if key.as_deref() == Some("Escape") && !event.default_prevented() {
            escape.emit(());
        }
    }));
    listeners
}
