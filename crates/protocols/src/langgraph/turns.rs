//! Agent OS asks about the calls of a message one by one, and takes a late answer to one for that to the next.

use countersign_json::{Document, Limits};

use super::form::Dialect;
use super::memory::{Interrupt, InterruptAt, Request, Thread};

impl Thread {
    /// Whether a later question was seen, so that the node has an answer to this one.
    pub(super) fn is_overtaken(&self, at: InterruptAt) -> bool {
        self.overtakers(at).next().is_some()
    }

    /// The questions about later calls of the same message that were asked after this one, but for those that one state
    /// lists with it, or that a later state lacks.
    pub(super) fn overtakers(&self, at: InterruptAt) -> impl Iterator<Item = InterruptAt> {
        let this = self.asks_one(at).filter(|(_, first)| is_of_agent_os(&first.action));
        let all = this.map(|_| self.all_interrupts());
        all.into_iter().flatten().filter(move |later| {
            let (Some((asked, first)), Some((other, next))) = (this, self.asks_one(*later)) else {
                return false;
            };
            // Which of two equal calls is meant, nobody says.
            let is_alike = || other.is_doubtful && next.tool == first.tool && *next.args == *first.args;
            // A run that failed over an answer is done again, and asks anew from the first call on.
            let is_left = other.is_broken || self.broken.is_some_and(|run| other.when.seen_run <= run);
            let is_newer = at < *later || (asked.when.event_run <= other.when.event_run && !is_left);
            let is_beside = other.when.entry != 0 && other.when.entry == asked.when.entry;
            let is_next = next.message == first.message && next.call > first.call && !other.is_missing;
            let is_here = asked.namespace == other.namespace && is_next && is_newer && !is_beside;
            is_here && !is_alike() && is_of_agent_os(&next.action)
        })
    }

    /// A HumanInterrupt about a call that is known.
    fn asks_one(&self, at: InterruptAt) -> Option<(&Interrupt, &Request)> {
        let interrupt = self.interrupt(at).filter(|interrupt| interrupt.dialect == Dialect::Human)?;
        let request = self.request(*interrupt.requests.first()?)?;
        request.call.map(|_| (interrupt, request))
    }
}

/// Whether this is how Agent OS names what it asks about.
pub(super) fn is_of_agent_os(action: &str) -> bool {
    let action = Document::parse(action, &Limits::default());
    action.is_ok_and(|action| action.root().starts_with("tool_approval_"))
}
