//! Where the focus goes when the card that had it has left.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use countersign_core::{RequestView, Status};
use yew::prelude::*;

use super::waits;
use crate::arming::renew;
use crate::intent::Intent;
use crate::piece::{Stage, focus, is_lost, reveal};

/// Remembers on which cards a person acted, and where a question was open; once one of them has left and the focus with it, the
/// next card gets the focus, else the one before, else the panel.
///
/// The focus moves only when nothing on the page has it: never away from what a person is doing, never because
/// something arrived.
#[derive(Default)]
pub(super) struct Follow {
    /// The scoped ids of the cards.
    acted: Rc<RefCell<Vec<String>>>,
    /// The key of the card that asked a second time, or what it may allow, before it was drawn.
    open: Cell<Option<u32>>,
    /// Where acts go, and the way there through this.
    way: RefCell<Option<(Callback<Intent>, Callback<Intent>)>>,
}

impl Follow {
    /// A way to `on_intent` that remembers; the same one as long as `on_intent` is.
    pub(super) fn way(&self, on_intent: &Callback<Intent>) -> Callback<Intent> {
        let mut way = self.way.borrow_mut();
        match &*way {
            Some((known, through)) if known == on_intent => through.clone(),
            _ => {
                let (acted, target) = (Rc::clone(&self.acted), on_intent.clone());
                let through = Callback::from(move |intent: Intent| {
                    remember(&mut acted.borrow_mut(), &intent);
                    target.emit(intent);
                });
                *way = Some((on_intent.clone(), through.clone()));
                through
            }
        }
    }

    /// Notes which question is open, before anything is drawn anew. What is typed elsewhere is not: whoever goes on typing
    /// must not do so in the next card, where the same keys approve.
    pub(super) fn draws(&self, stage: &Stage) {
        let question = stage.find(Some("[role=alertdialog], .cs-grant"));
        let card = question.and_then(|question| question.closest("[data-key]").ok()?);
        self.open.set(card.and_then(|card| card.get_attribute("data-key")?.parse().ok()));
    }

    /// What follows when these calls stand in the document.
    pub(super) fn drawn(&self, requests: &[Rc<RequestView>], stage: &Stage) {
        let mut acted = self.acted.borrow_mut();
        let open = self.open.take();
        let mut left = None;
        for view in requests.iter().filter(|view| !waits(view)) {
            let before = acted.len();
            acted.retain(|id| view.id != *id);
            if acted.len() < before || open == Some(view.key) {
                left = Some(view.key);
            }
        }
        acted.retain(|id| requests.iter().any(|view| view.id == *id));
        drop(acted);
        if let Some(left) = left {
            catch(left, requests, stage);
        }
    }
}

fn remember(acted: &mut Vec<String>, intent: &Intent) {
    match intent {
        Intent::Decide { request, .. } | Intent::Grant { request, .. } => acted.push(request.clone()),
        Intent::DecideAll { requests, .. } => {
            for (id, _) in requests {
                acted.push(id.clone());
            }
        }
        Intent::Undo(id) => acted.retain(|other| other != id),
        Intent::Retry(_) | Intent::Revoke(_) | Intent::Extend(_) | Intent::Export | Intent::Refused(_) => {}
    }
}

/// Gives a focus that nobody has to the card that waits after the one that has `left`, else before it, or to the panel.
fn catch(left: u32, requests: &[Rc<RequestView>], stage: &Stage) {
    let Some(panel) = stage.find(None) else { return };
    if !panel.owner_document().is_some_and(|document| is_lost(&document)) {
        return;
    }
    let pending = requests.iter().filter(|view| view.status == Status::Pending);
    let (before, after): (Vec<_>, Vec<_>) = pending.partition(|view| view.key < left);
    // Not every one of them is drawn.
    let card = |view: &Rc<RequestView>| {
        stage.find(Some(&["[part=waiting] > [data-key='", &view.key.to_string(), "']"].concat()))
    };
    let next = after.into_iter().chain(before.into_iter().rev()).find_map(card);
    let Some(card) = next else { return focus(panel) };
    // It may have been in view for long: a key that was meant for the one that has left does not act there.
    renew(&card);
    focus(card.clone());
    // Not under a pointer that is about to press something else.
    if card.matches(":focus-visible") == Ok(true) {
        reveal(&card);
    }
}
