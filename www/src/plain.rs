//! A page with nothing but the calls of a real agent: what a program of one's own begins with.

use std::rc::Rc;

use countersign_connect::Conversation;
use countersign_core::{Inbox, InboxOptions, Refusal};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_yew::{InboxPanel, Intent, Shadow};
use wasm_bindgen::JsCast;
use web_sys::{HtmlFormElement, HtmlInputElement};
use yew::prelude::*;

use crate::browser;
use crate::settings::Settings;
use crate::systems::{System, Words};

/// The page.
pub(crate) struct Plain {
    name: String,
    system: Option<Rc<dyn System>>,
    conversation: Option<Conversation>,
    refused: Option<Refusal>,
}

/// What happens.
pub(crate) enum Message {
    /// The inbox may look different.
    Changed,
    /// A person pressed something.
    Act(Intent),
    /// A person sends words.
    Say(SubmitEvent),
}

impl Component for Plain {
    type Message = Message;
    type Properties = ();

    #[expect(clippy::expect_used, reason = "`auto` is an adapter of every build")]
    fn create(ctx: &Context<Plain>) -> Plain {
        let settings = Settings::read(browser::query());
        // The conversation stands in the address: a reload finds it again.
        let named = browser::query().into_iter().find(|(name, _)| name == "conversation");
        let name = named.map_or_else(browser::uuid, |(_, name)| name);
        browser::set_query("conversation", &name);
        let system = settings.server.as_ref().map(|_| settings.wire.system());
        let transport = settings.server.as_ref().zip(system.as_ref()).map(|(it, system)| system.connect(it));
        let changed = ctx.link().callback(|()| Message::Changed);
        let auto = adapter("auto", &AdapterOptions::default()).expect("`auto` is an adapter of every build");
        let options = InboxOptions { hold_rejections: settings.hold, ..InboxOptions::new(browser::uuid()) };
        let inbox = Inbox::new(auto, options);
        let poll = browser::query().into_iter().find(|(name, _)| name == "poll");
        let poll = poll.and_then(|(_, wait)| wait.parse().ok());
        let conversation = transport.map(|transport| {
            let changed = move || changed.emit(());
            let opened = Conversation::open(Rc::from(transport), &name, inbox, browser::now, changed);
            match poll {
                Some(milliseconds) => opened.with_poll(milliseconds),
                None => opened,
            }
        });
        Plain { name, system, conversation, refused: None }
    }

    fn update(&mut self, _ctx: &Context<Plain>, message: Message) -> bool {
        let Some(conversation) = &self.conversation else { return false };
        match message {
            Message::Changed => {}
            Message::Act(intent) => self.refused = act(conversation, intent).err(),
            Message::Say(event) => {
                event.prevent_default();
                if let Some(system) = &self.system {
                    conversation.say(&words(&**system, &self.name, &event));
                }
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Plain>) -> Html {
        let Some(conversation) = &self.conversation else {
            return html! { <p role="status">{ "The address names no agent: ?plain&backend=langgraph&url=…&token=…" }</p> };
        };
        let requests: Rc<[_]> = conversation.views().into_iter().map(Rc::new).collect();
        let fault = conversation.fault().map(|fault| fault.message);
        let status = match self.refused.as_ref().map(ToString::to_string).or(fault) {
            Some(sentence) => sentence,
            None if conversation.is_restored() => "live".to_owned(),
            None => "connecting".to_owned(),
        };
        html! {
            <main class="plain">
                <form onsubmit={ctx.link().callback(Message::Say)}>
                    <label>{ "Message " }<input name="text" value="delete" autocomplete="off" /></label>
                    <button class="primary">{ "Send" }</button>
                </form>
                <p role="status">{ status }</p>
                <Shadow tag="countersign-inbox">
                    <InboxPanel {requests} on_intent={ctx.link().callback(Message::Act)} now={browser::now()} />
                </Shadow>
            </main>
        }
    }
}

/// What a person pressed, for the inbox to judge.
fn act(conversation: &Conversation, intent: Intent) -> Result<(), Refusal> {
    // Grants, more time and a saved record are offered only by pages that ask for them.
    conversation.act(|inbox, now| intent.act(inbox, now, Inbox::handle)).map(drop)
}

/// The message that carries what stands in the form.
fn words(system: &dyn System, conversation: &str, event: &SubmitEvent) -> String {
    let form = event.target().and_then(|it| it.dyn_into::<HtmlFormElement>().ok());
    let field = form.and_then(|it| it.elements().named_item("text")?.dyn_into::<HtmlInputElement>().ok());
    let text = field.map(|field| field.value()).unwrap_or_default();
    let (id, now) = (browser::uuid(), browser::now());
    system.words(&Words { id: &id, conversation, waiting: None, text: &text, now })
}
