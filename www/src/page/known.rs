//! What the agent knows of the conversation, and what it does there by itself.

use std::cell::Cell;
use std::rc::Rc;

use countersign_connect::{Each, Work};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::backend::Backend;
use crate::browser;
use crate::wire::log::Direction;

use super::{Message, Page};

/// Reads what the agent knows of one conversation.
struct Reading {
    page: html::Scope<Page>,
    backend: Rc<Backend>,
    generation: u32,
    context: String,
}

impl Page {
    /// Learns what is known of the conversation; where the agent is followed, that begins with it.
    pub(super) fn catch_up(&self, ctx: &Context<Page>) {
        if self.following.is_none() {
            self.fetch_history(ctx, true);
        }
    }

    /// Asks the agent what it knows of the conversation, and follows what it does there by itself: not beside a message of
    /// ours, whose answer says it all.
    pub(super) fn fetch_history(&self, ctx: &Context<Page>, rebuild: bool) {
        let reading = Reading {
            page: ctx.link().clone(),
            backend: Rc::clone(&self.backend),
            generation: self.generation,
            context: self.context.clone(),
        };
        let attending = (self.busy == 0).then(|| Rc::clone(&self.attending));
        spawn_local(async move {
            let Some(known) = reading.read(rebuild).await else { return };
            if let Some(attending) = attending.filter(|attending| !attending.replace(true)) {
                reading.attend(known, &attending).await;
                attending.set(false);
            }
        });
    }

    /// The agent told what it knows of the conversation.
    pub(super) fn known(&mut self, text: String, rebuild: bool) {
        let now = browser::now();
        self.unreachable = None;
        // A history that comes late must not wipe away what was said or asked since.
        if rebuild && self.shell.views().is_empty() && self.shell.bubbles().is_empty() {
            self.shell.restore(&text, now);
        } else {
            self.shell.refresh(&text, now);
        }
        self.note(Direction::In, text);
    }
}

impl Reading {
    /// What is known; `None` where the agent cannot be asked.
    async fn read(&self, rebuild: bool) -> Option<Option<String>> {
        let generation = self.generation;
        match self.backend.history(&self.context).await {
            Ok(known) => {
                let texts = known.clone().into_iter();
                texts.for_each(|text| {
                    self.page.send_message(Message::Known { generation, text, rebuild });
                });
                Some(known)
            }
            Err(fault) => {
                self.page.send_message(Message::Unknown { generation, fault });
                None
            }
        }
    }

    /// Follows what the agent does by itself, and reads what came of it, as long as the page shows this conversation.
    async fn attend(&self, mut known: Option<String>, attending: &Rc<Cell<bool>>) {
        for round in 0.. {
            let (page, generation) = (self.page.clone(), self.generation);
            let each: Each = Rc::new(move |text| {
                page.send_message(Message::Arrived { generation, text, delivered: None });
            });
            let work = self.backend.attend(&self.context, known.as_deref(), each).await;
            let Some(wait) = work.unwrap_or(Work::GoesOn).wait(round) else { return };
            browser::sleep(wait).await;
            if Rc::strong_count(attending) == 1 {
                return;
            }
            known = self.read(false).await.unwrap_or(known);
        }
    }
}
