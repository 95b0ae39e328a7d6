//! What a card and the bar over several cards have in common: an approval that arms, and a refusal that may take words.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use countersign_core::{Decision, Words};

use crate::arming::{Safety, Seal};
use crate::piece::{Act, Stage};

/// What is remembered from the first glance to the decision.
#[derive(Default)]
pub(crate) struct Deciding {
    safety: Safety,
    /// What words are asked for, and what they are for.
    asking: RefCell<Option<(Seal, Asking)>>,
    /// The form for the words was closed, and the focus goes back to the button that had opened it.
    returning: Cell<Option<Asking>>,
}

/// What words are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// Why it is rejected.
    Reason,
    /// What the agent gets instead of a result.
    Response,
}

impl Deciding {
    /// Whether an approval would count now.
    pub(crate) fn is_armed(&self, seal: &Seal) -> bool {
        self.safety.arming(seal.clone()).is_armed()
    }

    /// What is asked for, if anything is.
    pub(crate) fn asks(&self, seal: &Seal) -> Option<Asking> {
        self.asking.borrow().as_ref().filter(|(asked, _)| asked == seal).map(|(_, asking)| *asking)
    }

    /// Whether an act may be reported: once for each seal.
    pub(crate) fn take(&self, seal: &Seal) -> bool {
        self.safety.arming(seal.clone()).take()
    }

    /// What follows when the piece stands in the document. `opener` names the button that opens the reason.
    pub(crate) fn drawn(&self, seal: &Seal, delay: u32, stage: &Rc<Stage>, opener: &str) {
        self.safety.watch(seal, delay, || stage.redrawing());
        if self.asks(seal).is_none()
            && let Some(asking) = self.returning.take()
        {
            stage.focus(Some(if asking == Asking::Response { "[part=respond-button]" } else { opener }));
        }
    }

    /// Takes up an act; the decision that is to be reported, and whether something is to be drawn again.
    ///
    /// `words` is what becomes of the reason for a rejection.
    pub(crate) fn act(&self, seal: &Seal, words: Words, act: &Act) -> (Option<Decision>, bool) {
        let decision = match act {
            Act::Decide(decision) => decision.clone(),
            Act::Reject if words == Words::None => Decision::reject(None),
            Act::Reject | Act::Respond => {
                let asking = if matches!(act, Act::Respond) { Asking::Response } else { Asking::Reason };
                self.asking.replace(Some((seal.clone(), asking)));
                return (None, true);
            }
            Act::Cancel => {
                self.returning.set(self.asking.take().map(|(_, asking)| asking));
                return (None, true);
            }
            _ => return (None, false),
        };
        let arming = self.safety.arming(seal.clone());
        let free = if decision.kind().runs() { arming.take_armed() } else { arming.take() };
        (free.then_some(decision), false)
    }
}
