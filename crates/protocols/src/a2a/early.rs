//! What was read before the call or the confirmation that it is about.
//!
//! Events may arrive out of order. And where a client forgot to name the task of its answer, the answer and what became
//! of the call stand in another task of the context, which may be read before the one that asked.

use countersign_core::collections::{Groups, Numbered};
use countersign_core::{CallId, Outcome, Text};

use super::memory::{Conversation, Task};

/// So much is kept of each task.
const MOST: u32 = 1000;

/// So many words are kept of each context.
const MOST_WORDS: usize = 16;

/// What was read early, by the id that it names.
#[derive(Default)]
pub(super) struct Early {
    noted: Numbered<Noted>,
    by_id: Groups,
    /// Ids of calls and confirmations that were read since, each with its task.
    found: Vec<(u32, Text)>,
    /// Words that no request of their task stands before, with the moment when that had last changed.
    words: Numbered<(Text, Text)>,
    /// The words of each context.
    by_context: Groups,
}

/// Something that was read in a task.
struct Noted {
    task: u32,
    /// When the task had last changed by then.
    changed: Option<Text>,
    what: What,
}

/// What may be read early.
pub(super) enum What {
    /// What became of a call, of the tool that is named with it.
    Outcome(Outcome, Option<Text>),
    /// The response to a confirmation.
    Answer(Text),
    /// A call said that it waits.
    Stub,
    /// What was told to its call.
    Told,
}

impl Conversation {
    /// Keeps what is about a call or a confirmation that is not known; the first in each task counts.
    pub(super) fn keep(&mut self, task: u32, id: &Text, what: What) {
        let early = &mut self.early;
        for at in early.by_id.get(id) {
            if let Some(noted) = early.noted.get_mut(*at).filter(|noted| noted.task == task) {
                // What waited came to something.
                if matches!(noted.what, What::Stub) {
                    noted.what = what;
                }
                return;
            }
        }
        let Some(reading) = self.tasks.get_mut(task).filter(|task| task.early < MOST) else {
            return;
        };
        reading.early += 1;
        let noted = Noted { task, changed: reading.changed.clone(), what };
        early.by_id.push(id, early.noted.push(noted));
    }

    /// Notes that a call or a confirmation was read.
    pub(super) fn found(&mut self, task: u32, id: &Text) {
        if !self.early.noted.is_empty() && self.early.by_id.place(id).is_some() {
            self.early.found.push((task, id.clone()));
        }
    }

    /// The calls and confirmations that were read since this was last asked and were spoken of before.
    pub(super) fn take_found(&mut self) -> Vec<(u32, Text)> {
        std::mem::take(&mut self.early.found)
    }

    /// Whether a call of this task said that it waits before it was read.
    pub(super) fn take_early_stub(&mut self, task: u32, call: &Text) -> bool {
        for at in self.early.by_id.get(call) {
            if let Some(noted) = self.early.noted.get_mut(*at).filter(|noted| noted.task == task)
                && matches!(noted.what, What::Stub)
            {
                noted.what = What::Told;
                return true;
            }
        }
        false
    }

    /// What became of a call of this task, if that was read before the call.
    ///
    /// A model may give an id twice, so another task tells of the call only where it is not known to be the older one.
    pub(super) fn early_outcome(&mut self, task: u32, call: &Text) -> Option<(Outcome, Option<Text>)> {
        let asking = self.task(task)?;
        let id = CallId::from(call.clone());
        let mut told = None;
        for at in self.early.by_id.get(call) {
            let noted = self.early.noted.get(*at)?;
            let What::Outcome(_, tool) = &noted.what else { continue };
            if self.home(task, &id, tool.as_deref()) != Some(task) {
                continue;
            }
            if noted.task == task {
                told = Some(*at);
                break;
            }
            let is_older = noted.changed.is_some() && noted.changed < asking.changed;
            if told.is_none() && !is_older && self.is_beside(noted.task, asking) {
                told = Some(*at);
            }
        }
        let noted = self.early.noted.get_mut(told?)?;
        match std::mem::replace(&mut noted.what, What::Told) {
            What::Outcome(outcome, tool) => Some((outcome, tool)),
            _ => None,
        }
    }

    /// The response to a confirmation of this task, if it was read before, in another task of the context.
    pub(super) fn early_answer(&self, task: u32, confirmation: &Text) -> Option<Text> {
        let asking = self.task(task)?;
        let mut noted = self.early.noted.of(self.early.by_id.get(confirmation));
        noted.find_map(|noted| match &noted.what {
            What::Answer(response) if noted.task != task && self.is_beside(noted.task, asking) => {
                Some(response.clone())
            }
            _ => None,
        })
    }

    /// Keeps words of a task that asked for nothing before: they may be about a task that is read later, but is older.
    pub(super) fn keep_words(&mut self, task: u32, words: Text) {
        let Some(Task { context: Some(context), changed: Some(changed), .. }) = self.tasks.get(task) else {
            return;
        };
        let early = &mut self.early;
        if early.by_context.get(context).len() < MOST_WORDS {
            early.by_context.push(context, early.words.push((changed.clone(), words)));
        }
    }

    /// The first words of the context since this task began to wait.
    pub(super) fn early_words(&self, task: &Task) -> Option<Text> {
        let noted = self.early.words.of(self.early.by_context.get(task.context.as_ref()?));
        let since = noted.filter(|(changed, _)| Some(changed) > task.changed.as_ref());
        since.min_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, words)| words.clone())
    }

    /// The other tasks of the context that carry this confirmation.
    pub(super) fn carriers(&self, task: u32, confirmation: &Text) -> Vec<u32> {
        let Some(reading) = self.task(task) else { return Vec::new() };
        let carriers = self.confirmations.get(confirmation).iter().copied();
        carriers.filter(|other| *other != task && self.is_beside(*other, reading)).collect()
    }

    /// Whether this task and another one are of the same context.
    fn is_beside(&self, task: u32, other: &Task) -> bool {
        other.context.is_some() && self.task(task).is_some_and(|task| task.context == other.context)
    }
}
