//! Where the focus goes when the card that had it has left.

use std::cell::RefCell;
use std::rc::Rc;

use countersign_core::RequestView;
use yew::prelude::*;

use crate::intent::Intent;
use crate::piece::{Stage, focus, is_lost};

/// Remembers on which cards a person acted; once one of them has left and the focus with it, the next card gets the
/// focus, else the panel.
///
/// The focus moves only when nothing on the page has it: never away from what a person is doing, never because
/// something arrived.
#[derive(Default)]
pub(super) struct Follow {
    /// The scoped ids of the cards.
    acted: Rc<RefCell<Vec<String>>>,
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

    /// What follows when these calls wait in the document.
    pub(super) fn drawn<'v>(&self, waiting: impl Iterator<Item = &'v RequestView> + Clone, stage: &Stage) {
        let mut acted = self.acted.borrow_mut();
        let before = acted.len();
        acted.retain(|id| waiting.clone().any(|view| view.id == *id));
        let left = acted.len() < before;
        drop(acted);
        if left {
            catch(stage);
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

/// Gives a focus that nobody has to the first card that waits, or to the panel.
fn catch(stage: &Stage) {
    let Some(panel) = stage.find(None) else { return };
    if panel.owner_document().is_some_and(|document| is_lost(&document)) {
        focus(stage.find(Some("[data-status=pending]")).unwrap_or(panel));
    }
}
