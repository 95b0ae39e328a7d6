//! What the page sends to the agent, and what becomes of what comes back.

use std::cell::Cell;
use std::rc::Rc;

use countersign_connect::{self as connect, Each, Fault};
use countersign_core::{Outbound, OutboundId};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser;
use crate::chat::transcript::{Bubble, Role};
use crate::systems::Words;
use crate::wire::log::Direction;

use super::{Message, Page};

impl Page {
    /// Sends the person's words; while something waits, some wires name it, and so end its wait.
    pub(super) fn say(&mut self, ctx: &Context<Page>, text: &str) {
        let id = browser::uuid();
        let waiting = self.shell.waiting();
        let words = Words {
            id: &id,
            conversation: &self.context,
            waiting: waiting.as_deref(),
            text,
            now: browser::now(),
        };
        let message = self.settings.wire.system().words(&words);
        self.shell.say(Bubble { id, role: Role::User, text: text.to_owned() });
        self.post(ctx, (self.generation, self.context.clone()), message, None);
    }

    /// Sends the decisions that are due, each once the agent has been asked whether what it answers still waits.
    pub(super) fn send_due(&mut self, ctx: &Context<Page>) {
        for outbound in self.shell.take_outbound() {
            self.busy = self.busy.saturating_add(1);
            let (link, backend) = (ctx.link().clone(), Rc::clone(&self.backend));
            let (generation, context) = (self.generation, self.context.clone());
            spawn_local(async move {
                link.send_message(match backend.check(&context, connect::Message::of(&outbound)).await {
                    Ok(state) => Message::Checked { conversation: (generation, context), outbound, state },
                    Err(fault) => Message::Ended { generation, fault: Some((Some(outbound.id), fault)) },
                });
            });
        }
    }

    /// What a decision answers still waits. The decision leaves if the card still shows what was decided.
    pub(super) fn checked(
        &mut self,
        ctx: &Context<Page>,
        conversation: (u32, String),
        outbound: Outbound,
        state: Option<String>,
    ) {
        if conversation.0 == self.generation {
            self.busy = self.busy.saturating_sub(1);
            if let Some(state) = state {
                self.known(state, false);
            }
            if !self.shell.is_sending(&outbound.id) {
                let message = "the request was settled in the meantime".to_owned();
                return self.shell.failed(outbound.id, Some(412), message, browser::now());
            }
        }
        self.post(ctx, conversation, outbound.body.to_string(), Some(outbound));
    }

    /// Sends a message and streams what comes back.
    fn post(
        &mut self,
        ctx: &Context<Page>,
        (generation, context): (u32, String),
        body: String,
        outbound: Option<Outbound>,
    ) {
        if generation == self.generation {
            self.note(Direction::Out, body.clone());
            self.busy = self.busy.saturating_add(1);
        }
        let (link, backend) = (ctx.link().clone(), Rc::clone(&self.backend));
        let system = self.settings.wire.system();
        spawn_local(async move {
            let id = outbound.as_ref().map(|outbound| outbound.id.clone());
            // It has arrived as soon as the stream brings something other than an error.
            let arrived = Rc::new(Cell::new(false));
            let each: Each = {
                let (arrived, link, id) = (Rc::clone(&arrived), link.clone(), id.clone());
                Rc::new(move |text: String| {
                    let first = !arrived.get() && system.error_in(&text).is_none();
                    let delivered = if first { id.clone() } else { None };
                    arrived.set(arrived.get() || first);
                    link.send_message(Message::Arrived { generation, text, delivered });
                })
            };
            let message = match &outbound {
                Some(outbound) => connect::Message::of(outbound),
                None => connect::Message::words(&body),
            };
            let result = backend.send(&context, message, each).await;
            let has_left = result.is_ok();
            let undelivered = id.clone().filter(|_| !arrived.get());
            let fault = result.err().map(|fault| (undelivered, fault));
            link.send_message(Message::Ended { generation, fault });
            let Some(id) = id.filter(|_| has_left) else { return };
            // What came meanwhile may have said so already.
            let fate = backend.arrived(id.as_str()).await;
            if !arrived.get() {
                link.send_message(Message::Fate { generation, id, fate });
            }
        });
    }

    /// A stream is over.
    pub(super) fn ended(&mut self, ctx: &Context<Page>, fault: Option<(Option<OutboundId>, Fault)>) {
        self.tell_others();
        let Some((undelivered, fault)) = fault else { return };
        self.log_fault(&fault);
        match undelivered {
            Some(id) => {
                // An error that came as an answer, or a refusal, may say that someone else was first, or that nothing
                // waits any more: look what is known.
                let answered = matches!(fault.status, Some(200 | 400 | 404 | 409 | 410 | 412 | 422));
                self.shell.failed(id, fault.status, fault.message, browser::now());
                if answered {
                    self.fetch_history(ctx, false);
                }
            }
            None => {
                self.shell.complain(fault.message);
                // What the agent did meanwhile is seen in what is known.
                self.fetch_history(ctx, false);
            }
        }
    }

    /// What became of a decision that had left, as far as its agent says so.
    pub(super) fn told(&mut self, ctx: &Context<Page>, id: OutboundId, fate: Result<(), Fault>) {
        match fate {
            Ok(()) => {
                self.shell.delivered(id, browser::now());
                self.tell_others();
            }
            Err(fault) => {
                self.log_fault(&fault);
                self.shell.failed(id, fault.status, fault.message, browser::now());
                self.fetch_history(ctx, false);
            }
        }
    }

    /// The agent is not heard any more: what seemed delivered, and of which it had not said a word, may not have arrived.
    pub(super) fn cut_off(&mut self, fault: Fault) {
        for id in self.backend.lost() {
            self.shell.lost(id, fault.message.clone(), browser::now());
        }
        self.unreachable = Some(fault.message);
    }

    /// Follows what the agent sends unasked in this conversation, where it does.
    pub(super) fn follow(&self, ctx: &Context<Page>) -> Option<Box<dyn std::any::Any>> {
        let generation = self.generation;
        let (link, other) = (ctx.link().clone(), ctx.link().clone());
        let each = move |text| link.send_message(Message::Arrived { generation, text, delivered: None });
        let missed = move |news: Result<(), Fault>| {
            other.send_message(match news {
                Ok(()) => Message::Missed { generation },
                Err(fault) => Message::CutOff { generation, fault },
            });
        };
        self.backend.follow(&self.context, Rc::new(each), Rc::new(missed))
    }

    /// Writes a text into the wire panel.
    pub(super) fn note(&mut self, direction: Direction, text: String) {
        let summary = self.settings.wire.system().summary(&text);
        Rc::make_mut(&mut self.log).add(direction, browser::now(), summary, text);
    }

    fn log_fault(&mut self, fault: &Fault) {
        if fault.status != Some(200) {
            let status =
                fault.status.map_or_else(|| "no answer".to_owned(), |status| format!("status {status}"));
            let log = Rc::make_mut(&mut self.log);
            log.add(Direction::In, browser::now(), status, fault.message.clone());
        }
    }
}
