//! Every state of the card on one page: `?gallery`; what hostile agents try on another: `?attacks`.
//!
//! The cards are plain [`RequestView`](countersign_core::RequestView) values, drawn by the components in their own
//! shadow roots. `look` reads from the address how, `states` has the values, `hooks` lets tests put up others.

mod attacks;
mod frame;
mod hooks;
mod look;
mod parts;
mod renderer;
mod sketch;
mod states;

use countersign_core::Millis;
use countersign_yew::Connection;
use gloo::timers::callback::Interval;
use yew::prelude::*;

use crate::browser;
pub(crate) use frame::Frame;
pub use hooks::Shown;
pub(crate) use look::Look;
use states::{Beside, State};

/// How often countdowns are drawn, in milliseconds.
const SECOND: u32 = 1_000;

/// The gallery.
#[derive(Debug)]
pub struct Gallery {
    page: Page,
    look: Look,
    now: Millis,
    states: Vec<State>,
    /// What a test put up in place of the states.
    shown: Option<Shown>,
    /// Dropped with the page.
    _clock: Option<Interval>,
}

/// Which exhibits are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    States,
    Attacks,
}

/// What happens to the gallery.
#[derive(Debug)]
pub enum Message {
    /// A second has passed.
    Tick,
    /// These cards are to be shown and no others.
    Show(Shown),
}

impl Component for Gallery {
    type Message = Message;
    type Properties = ();

    fn create(ctx: &Context<Gallery>) -> Gallery {
        let query = browser::query();
        let attacked = query.iter().any(|(name, _)| name == "attacks");
        let page = if attacked { Page::Attacks } else { Page::States };
        let look = Look::read(query);
        look.apply();
        let link = ctx.link().clone();
        hooks::offer(ctx.link().callback(Message::Show));
        let clock =
            look.now.is_none().then(|| Interval::new(SECOND, move || link.send_message(Message::Tick)));
        let now = look.now.unwrap_or_else(browser::now);
        let states = match page {
            Page::States => states::all(now),
            Page::Attacks => attacks::all(),
        };
        let states = states.into_iter().filter(|state| look.wants(state.name)).collect();
        Gallery { page, look, now, states, shown: None, _clock: clock }
    }

    fn update(&mut self, _: &Context<Gallery>, message: Message) -> bool {
        match message {
            Message::Tick => self.now = browser::now(),
            Message::Show(shown) => {
                self.now = shown.now.or(self.look.now).unwrap_or_else(browser::now);
                self.shown = Some(shown);
            }
        }
        true
    }

    fn view(&self, _: &Context<Gallery>) -> Html {
        let (heading, page) = match self.page {
            Page::States => ("Every state of the card", "?gallery"),
            Page::Attacks => ("What hostile agents try", "?attacks"),
        };
        html! {
            <div class="gallery" data-width={self.look.width.clone()}>
                { self.look.header(heading, page) }
                <main class="exhibits">
                    if let Some(shown) = &self.shown {
                        { self.section("shown", "Put up by a script", shown, Connection::Live, None, &Beside::Nothing) }
                    } else {
                        { for self.states.iter().map(|state| self.section(state.name, state.heading, &Shown::of(&state.views, state.alone), state.connection, state.about, &state.beside)) }
                    }
                </main>
            </div>
        }
    }
}

impl Gallery {
    fn section(
        &self,
        name: &'static str,
        heading: &'static str,
        shown: &Shown,
        connection: Connection,
        about: Option<[&'static str; 2]>,
        beside: &Beside,
    ) -> Html {
        let Shown { views, alone, writing, refused, .. } = shown.clone();
        html! {
            <section class="exhibit" key={name} data-state={name}>
                <h2>{ heading }<code>{ name }</code></h2>
                if let Some([attempt, answer]) = about {
                    <p><strong>{ "Attempt: " }</strong>{ attempt }<br /><strong>{ "Card: " }</strong>{ answer }</p>
                }
                <Frame {views} {alone} {connection} now={self.now} look={self.look.clone()} {writing} {refused} beside={beside.clone()} />
            </section>
        }
    }
}
