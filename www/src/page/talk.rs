//! The conversation with the agent: how it begins, what a person says and does in it, and what is heard of its wire.

use std::rc::Rc;
use std::sync::Arc;

use countersign_connect::{Conversation, FaultKind};
use countersign_core::{GrantWish, Refusal};
use countersign_yew::{EditRisk, Granting};
use yew::prelude::*;

use crate::backend::{Backend, News};
use crate::browser;
use crate::chat::transcript::{Bubble, Role};
use crate::settings::Settings;
use crate::shell::Shell;
use crate::systems::Words;
use crate::wire::log::Direction;

use super::{Message, Page, memory, session};

/// A conversation, and what its cards ask of it.
#[derive(Debug)]
pub(super) struct Talk {
    /// Its name.
    pub(super) context: String,
    /// Counts conversations: the news of an older one are not for this one.
    pub(super) generation: u32,
    pub(super) conversation: Rc<Conversation<Shell>>,
    pub(super) edit_risk: EditRisk,
    granting: Granting,
}

impl Talk {
    /// Begins with the conversation of this name; the page hears what goes over its wire as the news of this generation.
    pub(super) fn begin(
        link: &html::Scope<Page>,
        settings: &Settings,
        backend: &Backend,
        context: String,
        generation: u32,
    ) -> Talk {
        let grants = browser::stored(session::GRANTS).unwrap_or_else(|| "[]".to_owned());
        let shell = Shell::new(settings.wire, &browser::uuid(), settings.hold);
        let mut shell = shell.with_grants(&grants, browser::now());
        shell.recall(memory::said(settings, &context));
        let (heard, changed) = (link.clone(), link.clone());
        let tapped = backend.tapped(move |news| heard.send_message(Message::News { generation, news }));
        let changed = move || changed.send_message(Message::Changed);
        let conversation = Conversation::open(Rc::new(tapped), &context, shell, browser::now, changed);
        let conversation = Rc::new(conversation);
        // They end with the page that they are drawn on, not the other way round.
        let (risk, draft) = (Rc::downgrade(&conversation), Rc::downgrade(&conversation));
        let edit_risk = Callback::from(move |(id, edited): (String, Arc<str>)| {
            risk.upgrade()?.with(|shell| shell.edit_risk(&id, &edited))
        });
        let draft = Callback::from(move |wish: GrantWish| {
            draft.upgrade()?.with(|shell| shell.draft(&wish, browser::now()))
        });
        let granting = Granting { draft, grants: Rc::from([]), lasting: false };
        Talk { context, generation, conversation, edit_risk, granting }
    }

    /// What people may allow for longer than one call, and what they have allowed.
    pub(super) fn granting(&self) -> Granting {
        let grants = self.conversation.with(Shell::granted);
        Granting { grants, ..self.granting.clone() }
    }
}

impl Page {
    /// Sends the person's words; while something waits, some wires name it, and so end its wait.
    pub(super) fn say(&mut self, text: &str) {
        let id = browser::uuid();
        let waiting = self.shell(Shell::waiting);
        let words = Words {
            id: &id,
            conversation: &self.talk.context,
            waiting: waiting.as_deref(),
            text,
            now: browser::now(),
        };
        let message = self.settings.wire.system().words(&words);
        let bubble = Bubble { id, role: Role::User, text: text.to_owned() };
        let said = self.talk.conversation.act(|shell, _| {
            shell.say(bubble);
            Ok::<_, Refusal>(Vec::new())
        });
        if said.is_ok() {
            self.talk.conversation.say(&message);
        }
    }

    /// What goes and comes stands in the wire panel; other tabs hear when something may have changed.
    pub(super) fn heard(&mut self, news: News) {
        let system = self.settings.wire.system();
        let (direction, summary, text) = match news {
            News::Went(text) => (Direction::Out, system.summary(&text), text),
            News::Came(text) => (Direction::In, system.summary(&text), text),
            // It stands there already.
            News::Broke(fault) if fault.kind == FaultKind::Answered => return,
            News::Broke(fault) => {
                let summary = match fault.kind {
                    FaultKind::Unsent | FaultKind::Elsewhere => "not sent".to_owned(),
                    _ => fault
                        .status()
                        .map_or_else(|| "no answer".to_owned(), |status| format!("status {status}")),
                };
                (Direction::In, summary, fault.message)
            }
            News::Over => return self.tell_others(),
        };
        Rc::make_mut(&mut self.log).add(direction, browser::now(), summary, text);
    }

    /// What was granted is kept for the next visit.
    pub(super) fn keep_grants(&self) {
        browser::store(session::GRANTS, &self.shell(Shell::grants));
    }
}
