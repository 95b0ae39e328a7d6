//! Beginning a conversation, keeping its name, and noticing what happens elsewhere.

use std::rc::Rc;

use countersign_connect::timer;
use countersign_yew::{Drafts, Theme, Writing};
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{
    BroadcastChannel, Element, ScrollIntoViewOptions, ScrollLogicalPosition, StorageEvent, VisibilityState,
};
use yew::prelude::*;

use crate::backend::Backend;
use crate::browser;
use crate::chat::transcript::Role;
use crate::hooks;
use crate::settings::Settings;
use crate::shell::Shell;
use crate::systems::Wire;
use crate::wire::log::Log;

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
        let mut page = Page {
            backend: Rc::new(Backend::new(&settings)),
            shell: new_shell(&settings),
            log: Rc::new(Log::default()),
            context: String::new(),
            generation: 0,
            busy: 0,
            theme,
            writing: Writing { drafts: Drafts::session(), ..Writing::default() },
            wire_open: browser::width() >= WIDE,
            covered: false,
            policy_open: settings.policy,
            returning: None,
            scroll: NodeRef::default(),
            drawn: 0,
            kept: 0,
            timer: None,
            unreachable: None,
            following: None,
            attending: Rc::default(),
            _listeners: listeners(ctx, channel.as_ref()),
            channel,
            settings,
        };
        page.open(ctx, None);
        page.look(theme);
        page
    }

    /// Switches to a wire, and to the conversation that was last open in it.
    pub(super) fn switch(&mut self, ctx: &Context<Page>, wire: Wire) {
        browser::set_query("wire", wire.name());
        self.settings.wire = wire;
        self.backend = Rc::new(Backend::new(&self.settings));
        self.open(ctx, None);
        self.catch_up(ctx);
    }

    /// Begins a conversation.
    pub(super) fn begin_anew(&mut self, ctx: &Context<Page>) {
        self.policy_open = false;
        self.open(ctx, Some(browser::uuid()));
    }

    /// Opens this conversation, or the one that was open last.
    fn open(&mut self, ctx: &Context<Page>, context: Option<String>) {
        let key = format!("countersign-demo:context:{}", self.settings.name());
        self.context = context.or_else(|| browser::stored(&key)).unwrap_or_else(browser::uuid);
        browser::store(&key, &self.context);
        browser::mark_root("context", Some(&self.context));
        let backend = Rc::clone(&self.backend);
        let link = ctx.link().clone();
        hooks::offer(
            move || backend.executed(),
            move |request, decision| link.send_message(Message::Decide { request, decision }),
        );
        self.generation = self.generation.wrapping_add(1);
        self.busy = 0;
        self.drawn = 0;
        self.shell = new_shell(&self.settings);
        self.recall();
        self.log = Rc::new(Log::default());
        self.unreachable = None;
        // What was followed in the last conversation sees that it is over.
        self.attending = Rc::default();
        self.following = self.follow(ctx);
    }

    /// Changes the look of the page; the components follow their own property.
    pub(super) fn look(&mut self, theme: Theme) {
        self.theme = theme;
        browser::mark_root("theme", theme.attribute());
        browser::store(THEME, theme.attribute().unwrap_or_default());
    }

    /// Brings the newest words into view; what the person said goes to the top, so that answers have room below.
    pub(super) fn scroll_to_newest(&self) {
        let newest = self.shell.bubbles().last();
        let Some(scroll) = self.scroll.cast::<Element>().filter(|_| newest.is_some()) else { return };
        let Ok(Some(element)) = scroll.query_selector(".said:nth-last-child(1 of .said)") else { return };
        let place = match newest.map(|bubble| bubble.role) {
            Some(Role::User) => ScrollLogicalPosition::Start,
            _ => ScrollLogicalPosition::Nearest,
        };
        let options = ScrollIntoViewOptions::new();
        options.set_block(place);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }

    /// Winds the clock for the inbox's next deadline.
    pub(super) fn wind(&mut self, ctx: &Context<Page>) {
        self.timer = self.shell.wake().map(|moment| {
            let wait = moment.0.saturating_sub(browser::now().0);
            let link = ctx.link().clone();
            Timeout::new(timer(wait), move || link.send_message(Message::Tick))
        });
    }

    /// Tells the other tabs of this page that the conversation went on.
    pub(super) fn tell_others(&self) {
        if let Some(channel) = &self.channel {
            let _ = channel.post_message(&self.context.as_str().into());
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

fn new_shell(settings: &Settings) -> Shell {
    let grants = browser::stored(GRANTS).unwrap_or_else(|| "[]".to_owned());
    Shell::new(settings.wire, &browser::uuid(), settings.hold).with_grants(&grants, browser::now)
}

/// What happens outside: another tab wrote to the storage or said so, this one came back into view.
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
    let left = ctx.link().callback(|()| Message::Left);
    listeners.push(EventListener::new(&document.clone(), "visibilitychange", move |_| {
        if document.visibility_state() == VisibilityState::Visible {
            elsewhere.emit(None);
        } else {
            left.emit(());
        }
    }));
    listeners
}
