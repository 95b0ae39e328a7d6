//! The page: a form for words, a card for each call, the inbox, and parts of the last call alone.

use std::rc::Rc;

use countersign_connect::Conversation;
use countersign_core::{GrantWish, Inbox, InboxOptions, Millis, Refusal};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_yew::{
    ArgumentsView, Drafts, Granting, InboxPanel, Intent, Shadow, StatusBadge, ToolCallCard, Writing,
};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::agent::Agent;
use super::kept::Kept;

/// The page.
#[component]
pub(crate) fn Page() -> Html {
    let redraw = use_force_update();
    let refused = use_state(|| None::<Refusal>);
    let field = use_node_ref();
    let conversation = use_memo((), move |()| {
        let auto = adapter("auto", &AdapterOptions::default()).expect("`auto` is an adapter of every build");
        let inbox = Inbox::new(auto, InboxOptions::new(seed()));
        // For a real agent: `Rc::new(LangGraph::new(Server::new("/api"), "agent"))`, or another transport.
        Conversation::open(Rc::new(Agent::default()), "demo", Kept::new(inbox), now, move || {
            redraw.force_update()
        })
    });
    // The card and the inbox show the same calls: what is begun on one of them is known to the other.
    let writing = use_memo((), |()| Writing { drafts: Drafts::session().shared(), ..Writing::default() });
    let on_intent = {
        let (conversation, refused) = (Rc::clone(&conversation), refused.clone());
        Callback::from(move |intent: Intent| {
            refused.set(conversation.act(|kept, now| kept.act(now, intent)).err());
        })
    };
    // What a person would allow for longer than one call, and what they have allowed.
    let draft = use_memo((), |()| {
        let conversation = Rc::clone(&conversation);
        Callback::from(move |wish: GrantWish| conversation.with(|kept| kept.draft(&wish, now())))
    });
    let grants = conversation.with(|kept| kept.granted(now()));
    let granting = Granting { draft: (*draft).clone(), grants, lasting: false };
    let on_submit = {
        let (conversation, field) = (Rc::clone(&conversation), field.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(field) = field.cast::<HtmlInputElement>() {
                conversation.say(&field.value());
            }
        })
    };
    let requests: Rc<[_]> = conversation.views().into_iter().map(Rc::new).collect();
    html! {
        <main>
            <form onsubmit={on_submit}>
                <label>{ "Which file is to go? " }<input ref={field} value="/srv/reports/2019.csv" autocomplete="off" /></label>
                <button>{ "Ask the agent" }</button>
            </form>
            if let Some(refusal) = &*refused {
                <p role="status">{ refusal.to_string() }</p>
            }
            <section aria-label="Chat">
                { for requests.iter().map(|call| html! {
                    <Shadow key={call.key} tag="countersign-card">
                        <ToolCallCard request={call} on_intent={&on_intent} now={now()} writing={(*writing).clone()} />
                    </Shadow>
                }) }
            </section>
            <Shadow tag="countersign-inbox">
                <InboxPanel requests={&requests} {on_intent} now={now()} writing={(*writing).clone()} {granting} />
            </Shadow>
            if let Some(call) = requests.last() {
                <p>{ "The last call " }<Shadow tag="call-status"><StatusBadge request={call} /></Shadow></p>
                <Shadow tag="call-arguments"><ArgumentsView text={&call.args_text} schema={call.args_schema.clone()} /></Shadow>
            }
        </main>
    }
}

fn now() -> Millis {
    Millis(js_sys::Date::now() as u64)
}

/// What the ids of an inbox's messages are made of: new for each inbox, also after a reload.
fn seed() -> String {
    let mut bytes = [0; 16];
    let crypto = web_sys::window().expect("a page has a window").crypto().expect("every browser has it");
    crypto.get_random_values_with_u8_array(&mut bytes).expect("16 bytes are not too many");
    format!("{:032x}", u128::from_be_bytes(bytes))
}
