//! What one input has touched, and what is told of it.

use super::card::Card;
use super::{Inbox, Output};
use crate::collections::Marks;
use crate::status::Status;

/// What one input has touched so far.
#[derive(Debug, Default)]
pub(super) struct Step {
    pub(super) outputs: Vec<Output>,
    /// Cards that look different now, by index.
    pub(super) touched: Marks,
    /// Batches in which something happened, by place.
    pub(super) batches: Marks,
    /// Batches whose counts changed, so every member may look different.
    pub(super) recounted: Marks,
    /// Batches in which a card has left the message that answered it along with others.
    pub(super) parted: Marks,
    /// Cards whose request came again as it was.
    pub(super) repeated: Marks,
    /// Batches in which a decision was just taken, by place, in that order.
    pub(super) decided: Vec<u32>,
    /// The step reads news, so what it settles belongs in the audit log.
    pub(super) live: bool,
}

impl Step {
    /// What a card shows has changed, and perhaps what the others of its batch show.
    pub(super) fn touch(&mut self, index: u32, card: &Card) {
        self.touched.insert(index);
        if let Some(group) = card.group() {
            self.recounted.insert(group);
        }
    }

    /// Something happened to a card that each of its batch may show.
    pub(super) fn touch_batch(&mut self, index: u32, card: &Card) {
        self.touched.insert(index);
        if let Some(group) = card.group() {
            self.recount(group);
        }
    }

    /// Something happened in this batch that each of its members may show.
    pub(super) fn recount(&mut self, batch: u32) {
        self.batches.insert(batch);
        self.recounted.insert(batch);
    }
}

impl Inbox {
    /// Blocks what waits where every answer would run arguments that cannot be read without doubt.
    fn block_unanswerable(&mut self, step: &mut Step) {
        for index in step.touched.numbers() {
            let waits = self.card(index).filter(|card| card.is_answerable());
            if let Some(card) = waits
                && let Some(ask) = &card.ask
                && ask.offers.iter().all(|offer| offer.kind.goes_on())
                && card.doubt(&self.options.args_limits).is_some()
            {
                step.recount(ask.group);
                if let Some(card) = self.card_mut(index) {
                    card.status = Status::Blocked;
                }
            }
        }
    }

    /// Turns what a step touched into outputs.
    pub(super) fn finish(&mut self, mut step: Step) -> Vec<Output> {
        self.has_failed.set(None);
        self.unlearn(&mut step);
        self.block_unanswerable(&mut step);
        if self.has_timers {
            self.end_holds(&mut step);
        }
        let mut seen = Marks::default();
        for batch in step.recounted.numbers() {
            let is_parted = step.parted.contains(batch);
            for index in self.by_batch.at(batch) {
                let Some(card) = self.card(*index) else { continue };
                // What the others decide may leave it fewer offers.
                let is_uniform = card.ask.as_ref().is_some_and(|ask| ask.batch_rule.uniform);
                if card.status == Status::Pending && !is_uniform {
                    seen.insert(*index);
                } else if card.status.is_open() || (is_parted && card.outbound.is_some()) {
                    // Nothing else shows how its batch stands.
                    step.touched.insert(*index);
                }
            }
        }
        step.touched.numbers().into_iter().for_each(|index| seen.insert(index));
        let seen = seen.numbers();
        if self.has_timers {
            self.note_deadlines(&seen);
        }
        let output = |index: u32| match step.touched.contains(index) {
            true => Output::Changed(self.first_key + index),
            false => Output::Recounted(self.first_key + index),
        };
        let mut outputs: Vec<Output> = seen.into_iter().map(output).collect();
        outputs.append(&mut step.outputs);
        if let Some(moment) = self.next_deadline() {
            outputs.push(Output::WakeAt(moment));
        }
        outputs
    }
}
