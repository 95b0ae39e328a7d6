//! What the clock alone makes happen.

use super::card::Card;
use super::send::is_rejected;
use super::{Inbox, Step};
use crate::audit::{AuditActor, AuditEvent};
use crate::collections::Marks;
use crate::ids::Millis;
use crate::status::Status;

/// Of how many cards the deadlines are kept as one.
const BLOCK: usize = 64;

/// By how much a hold may be over and still end: a timer of a page in the background is late by one second.
const LATE: Millis = Millis(2000);

impl Inbox {
    /// Takes in what the clock says. What it has to bring comes after the same time also when it was set back.
    pub(super) fn turn_to(&mut self, now: Millis, step: &mut Step) {
        let by = Millis(self.now.0.saturating_sub(now.0));
        self.now = now;
        if by == Millis(0) {
            return;
        }
        self.set_back = self.set_back.after(by);
        for (index, card) in (0_u32..).zip(&mut self.cards) {
            if card.set_back(by) {
                step.touched.insert(index);
            }
        }
    }

    /// This moment by the clock of the policy, which nobody ever set back.
    #[must_use]
    pub fn steady_at(&self, now: Millis) -> Millis {
        now.after(self.set_back).max(self.steady())
    }

    /// The present moment of a clock that nobody ever set back: nothing that is over for the policy begins again.
    pub(super) fn steady(&self) -> Millis {
        self.now.after(self.set_back)
    }

    /// Lets everything happen that the clock alone makes happen: held decisions go out, waiting ends.
    pub(super) fn pass_deadlines(&mut self, step: &mut Step) {
        let now = self.now;
        let (mut seen, mut due) = (Marks::default(), Vec::new());
        let mut expired = self.recall_late(step);
        for (index, soonest) in (0_u32..).step_by(BLOCK).zip(&self.soonest) {
            if soonest.is_none_or(|soonest| now < soonest) {
                continue;
            }
            for (index, card) in (index..).zip(self.cards.iter_mut().skip(index as usize).take(BLOCK)) {
                let group = card.group();
                if expire(card, now) {
                    expired.push(index);
                    step.touched.insert(index);
                } else if card.sends_at.is_some_and(|moment| moment <= now)
                    && let Some(group) = group.filter(|group| !seen.contains(*group))
                {
                    seen.insert(group);
                    due.push(group);
                    step.batches.insert(group);
                }
            }
        }
        self.note_expired(expired, step);
        let past = self.complete(&due, &|members| self.is_past_hold(members));
        // Nobody was there to look at it, or to stop it: a page was closed, a lid, an element was taken out.
        let (late, due): (Vec<_>, Vec<_>) =
            past.into_iter().partition(|members| self.is_late(members) && !self.rejects_all(members));
        self.hold_anew(late, step);
        self.write(due, step);
    }

    /// Holds from now on what was held before, also where less of a batch is left than is held at first.
    fn hold_anew(&mut self, late: Vec<Vec<u32>>, step: &mut Step) {
        let (batches, rejections) = (self.options.hold_batches, self.options.hold_rejections);
        for members in late {
            let rejects = self.any(&members, is_rejected);
            let hold = if rejects || batches == Millis(0) { batches.max(rejections) } else { batches };
            let moment = self.now.after(hold);
            for index in members {
                if let Some(card) = self.card_mut(index) {
                    card.sends_at = Some(moment);
                    step.touched.insert(index);
                }
            }
        }
    }

    /// Takes back what the host has not taken and nobody waits for any more; the rest of a batch is drafted again.
    fn recall_late(&mut self, step: &mut Step) -> Vec<u32> {
        let now = self.now;
        let mut late = self.queued();
        late.retain(|index| self.card(*index).is_some_and(|card| is_past(card, now)));
        for &index in &late {
            self.recall(index, step);
        }
        late.retain(|index| self.card_mut(*index).is_some_and(|card| expire(card, now)));
        late
    }

    /// The cards whose answers the host has not taken.
    fn queued(&self) -> Vec<u32> {
        if !self.has_timers {
            return Vec::new();
        }
        let mut queued = self.carried_by_all();
        queued.retain(|index| self.card(*index).is_some_and(|card| card.status == Status::Sending));
        queued
    }

    /// Ends the waiting of what began to wait in this step and had waited for too long already.
    pub(super) fn expire_late(&mut self, step: &mut Step) {
        let now = self.now;
        // A message that is taken back makes drafts of what it carried.
        while self.has_timers {
            let mut late = step.touched.numbers();
            late.retain(|index| self.card_mut(*index).is_some_and(|card| expire(card, now)));
            if late.is_empty() {
                return;
            }
            self.note_expired(late, step);
        }
    }

    fn note_expired(&mut self, expired: Vec<u32>, step: &mut Step) {
        for index in expired {
            self.recall(index, step);
            // What may have arrived may run yet: it stays in sight.
            if let Some(card) = self.card_mut(index).filter(|card| !card.may_have_arrived) {
                card.drop_draft();
            }
            self.record(index, AuditEvent::Settled { status: Status::Expired, by: AuditActor::Inbox });
        }
    }

    /// Sends the held batches in which nothing would run. All others wait for their moment, and for another one where that
    /// passes without a look at the clock: who closes a page in that time may do so to stop them.
    pub(super) fn leave(&mut self, step: &mut Step) {
        let (mut seen, mut batches) = (Marks::default(), Vec::new());
        for card in self.cards.iter().filter(|card| card.is_held()) {
            if let Some(batch) = card.group().filter(|batch| !seen.contains(*batch)) {
                seen.insert(batch);
                batches.push(batch);
            }
        }
        let groups = self.complete(&batches, &|members| self.is_held(members) && self.rejects_all(members));
        self.write(groups, step);
    }

    fn rejects_all(&self, members: &[u32]) -> bool {
        self.all(members, is_rejected)
    }

    fn is_late(&self, members: &[u32]) -> bool {
        let late = |card: &Card| card.sends_at.is_some_and(|moment| moment.after(LATE) < self.now);
        self.any(members, late)
    }

    fn is_past_hold(&self, members: &[u32]) -> bool {
        let past = |card: &Card| card.sends_at.is_some_and(|moment| moment <= self.now);
        self.all(members, past)
    }

    /// Notes the next moments at which the clock alone changes one of these cards or of those beside them.
    pub(super) fn note_deadlines(&mut self, touched: &[u32]) {
        let deadline = |card: &Card| {
            let expires = card.ask.as_ref().and_then(|ask| ask.expires_at).filter(|_| can_expire(card));
            [expires, card.sends_at].into_iter().flatten().min()
        };
        self.soonest.resize(self.cards.len().div_ceil(BLOCK), None);
        let mut last = usize::MAX;
        for place in touched.iter().map(|index| *index as usize / BLOCK) {
            if let Some(soonest) = self.soonest.get_mut(place).filter(|_| place != last) {
                *soonest = self.cards.iter().skip(place * BLOCK).take(BLOCK).filter_map(deadline).min();
                last = place;
            }
        }
    }

    /// The next moment at which the clock alone changes something.
    pub(super) fn next_deadline(&self) -> Option<Millis> {
        let queued = self.queued();
        let ends = queued.iter().filter_map(|index| self.card(*index)?.ask.as_ref()?.expires_at);
        self.soonest.iter().copied().flatten().chain(ends).min()
    }
}

fn can_expire(card: &Card) -> bool {
    matches!(card.status, Status::Pending | Status::Drafted | Status::Requested | Status::Blocked)
}

/// Ends the waiting of a card whose deadline has passed.
pub(super) fn expire(card: &mut Card, now: Millis) -> bool {
    if is_past(card, now) && can_expire(card) {
        card.status = Status::Expired;
        card.timed_out = true;
        return true;
    }
    false
}

fn is_past(card: &Card, now: Millis) -> bool {
    card.ask.as_ref().and_then(|ask| ask.expires_at).is_some_and(|moment| moment <= now)
}
