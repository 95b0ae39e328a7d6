//! What the state of a task means for everything that waits in it.

use countersign_core::collections::Marks;
use countersign_core::{Closed, End, Observation, Standing};

use super::memory::{Answering, Dialect, Task};
use super::place::Place;
use super::read::Reader;
use super::state::State;

impl Reader<'_> {
    /// What a state means for everything that waits in the task.
    pub(super) fn enter(&mut self, place: &Place, state: State, has_message: bool) {
        let Some(task) = self.conversation.task_mut(place.task) else { return };
        // A task that has ended does not go back, but what is read of it now has ended too.
        let state = if matches!(task.state, State::Ended(_)) { task.state } else { state };
        (task.state, task.is_forgotten) = (state, false);
        if state != State::InputRequired || task.answering == Answering::Lost {
            task.answering = Answering::No;
        }
        match state {
            // A task that is listed behind it may hold the answer, where a client forgot to name the task.
            State::Ended(end) if self.is_list && !task.unanswered.is_empty() => {
                self.ending.push((place.task, end));
            }
            State::Ended(end) => self.end(place.task, end),
            State::Working => {
                for (_, request) in task.waiting() {
                    let target = task.target(&request.id);
                    self.reading
                        .observations
                        .push(Observation::Stands { target, standing: Standing::Announced });
                }
            }
            State::InputRequired => {
                self.conversation.note_wait(place.task);
                self.pause(place, has_message);
            }
        }
        self.block_words(place.task);
    }

    /// What it means that a task waits for a person: what its message carries is asked now, and nothing else.
    fn pause(&mut self, place: &Place, has_message: bool) {
        let stubbed = self.conversation.stubbed(place.task);
        let Some(task) = self.conversation.task(place.task) else { return };
        let observations = &mut self.reading.observations;
        let names_request = !place.carried.is_empty() || (!has_message && !task.unanswered.is_empty());
        // A stream that repeats an earlier pause says nothing about what was asked since.
        let carried = place.carried.numbers();
        let is_repeated = carried.iter().all(|at| !task.unanswered.contains(*at));
        let newest = carried.last().copied().filter(|_| is_repeated);
        let is_later = |at: u32| newest.is_some_and(|newest| at > newest);
        let gone = |at: u32| has_message && !place.carried.contains(at) && !is_later(at);
        let is_past = |at: u32| gone(at) || task.delivered.contains(at);
        let blocks = task.blocks_questions(&is_past);
        let is_stuck = !stubbed.is_empty() && task.waits_inside(&is_past);
        for (_, target) in stubbed.into_iter().filter(|_| !names_request || is_stuck) {
            observations.push(Observation::Stands { target, standing: Standing::Blocked });
        }
        let mut superseded = Vec::new();
        for (at, request) in task.waiting() {
            let target = task.target(&request.id);
            if gone(at) {
                superseded.push(at);
                observations.push(Observation::Closed { target, closed: Closed::Superseded });
            } else {
                let blocked = is_stuck || request.is_mute || blocks && request.is_question;
                let standing = if blocked { Standing::Blocked } else { Standing::Open };
                observations.push(Observation::Stands { target, standing });
            }
        }
        let Some(task) = self.conversation.task_mut(place.task) else { return };
        for at in superseded {
            task.unanswered.remove(at);
        }
        for at in task.ran.numbers() {
            if gone(at) {
                task.ran.remove(at);
            }
        }
    }

    /// Blocks what is answered in words alone in each task behind which this one asked, and in this one if another asked since:
    /// the server would take the words for an answer to what was asked last.
    fn block_words(&mut self, at: u32) {
        for task in self.conversation.in_words_only(at) {
            let conversation = &*self.conversation;
            let is_kagent = |task: &Task| task.asks_in() == Some(Dialect::Kagent010);
            let is_late = match task == at {
                true => conversation.is_overtaken(at),
                false => conversation.task(at).is_some_and(is_kagent) && conversation.asked_after(at, task),
            };
            let Some(task) = conversation.task(task).filter(|_| is_late) else { continue };
            for request in task.in_words_only() {
                let target = task.target(&request.id);
                let standing = Standing::Blocked;
                self.reading.observations.push(Observation::Stands { target, standing });
            }
        }
    }

    /// What the end of a task means for everything in it.
    pub(super) fn end(&mut self, at: u32, end: End) {
        let stubbed = self.conversation.stubbed(at);
        let Some(task) = self.conversation.task_mut(at) else { return };
        let observations = &mut self.reading.observations;
        task.unanswered = Marks::default();
        for request in &task.requests {
            observations.push(Observation::Ended { target: task.target(&request.id), end });
        }
        for target in self.conversation.unfinished(at) {
            observations.push(Observation::Closed { target, closed: Closed::Unknown });
        }
        for (call, target) in stubbed {
            self.conversation.note(at, &call, |known| known.is_named = true);
            if self.conversation.knows(at, &call, |known| known.is_of_work) {
                // Nobody was asked about it, and nothing tells what came of it in the end.
                observations.push(Observation::Closed { target, closed: Closed::Unknown });
                continue;
            }
            let standing = Standing::Blocked;
            observations.push(Observation::Stands { target: target.clone(), standing });
            observations.push(Observation::Ended { target, end });
        }
    }
}
