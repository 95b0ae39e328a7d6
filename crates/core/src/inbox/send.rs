//! From decisions to messages, and what becomes of them.

use std::sync::Arc;

use super::{Inbox, Output, Step};
use crate::adapter::{Due, DueEntry, Stamp};
use crate::audit::AuditEvent;
use crate::collections::Marks;
use crate::decision::Decision;
use crate::error::{Problem, ProblemCode};
use crate::ids::{Millis, OutboundId};
use crate::observation::Standing;
use crate::outbound::{Outbound, OutboundState, Written};
use crate::status::Status;

use super::card::Card;

/// A written message and what became of it.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) outbound: Outbound,
    pub(super) state: OutboundState,
    pub(super) error: Option<Arc<str>>,
    /// When the host reported that it arrived, by a clock that is never set back.
    pub(super) delivered_at: Option<Millis>,
}

impl Sending {
    /// Whether the host reported that it arrived, and the backend asks on.
    pub(super) fn is_doubted(&self) -> bool {
        self.state == OutboundState::Failed && self.delivered_at.is_some()
    }
}

impl Inbox {
    /// Sends the batches in which a decision was just taken and that are complete by it.
    pub(super) fn send_due(&mut self, step: &mut Step) {
        let (mut seen, mut batches) = (Marks::default(), std::mem::take(&mut step.decided));
        batches.retain(|batch| {
            let is_new = !seen.contains(*batch);
            seen.insert(*batch);
            is_new
        });
        let complete = self.complete(&batches, &|_| true);
        self.hold_or_write(complete, step);
    }

    /// Sends the held batches that became complete because others settled what was missing.
    pub(super) fn send_completed(&mut self, step: &mut Step) {
        // What has failed or is held goes out by a person's act or by the clock, never by a message.
        let is_idle = |card: &Card| card.outbound.is_none() && !card.send_failed;
        let complete = self.complete(&step.batches.numbers(), &|members| self.all(members, is_idle));
        self.hold_or_write(complete, step);
    }

    /// The groups of drafted cards of these batches that may go out now and fit.
    pub(super) fn complete(&self, batches: &[u32], fit: &dyn Fn(&[u32]) -> bool) -> Vec<Vec<u32>> {
        let mut complete = Vec::new();
        for batch in batches {
            complete.append(&mut self.complete_of(*batch));
        }
        complete.retain(|members| fit(members));
        complete
    }

    fn complete_of(&self, batch: u32) -> Vec<Vec<u32>> {
        let members = self.by_batch.at(batch);
        let those = |holds: fn(&Card) -> bool| {
            let holds = move |index: &u32| self.card(*index).is_some_and(holds);
            members.iter().copied().filter(holds).collect::<Vec<u32>>()
        };
        let open = those(|card| card.status.is_open());
        if self.any(&open, |card| card.ask.as_ref().is_some_and(|ask| ask.batch_rule.held)) {
            // A message that leaves a waiting request out may count as an answer to it.
            let is_whole = !self.any(members, |card| card.status == Status::Blocked);
            return if is_whole && self.all(&open, is_ready) { vec![open] } else { Vec::new() };
        }
        let alone = those(|card| is_ready(card) && card.outbound.is_none() && !card.send_failed);
        alone.into_iter().map(|index| vec![index]).collect()
    }

    fn hold_or_write(&mut self, complete: Vec<Vec<u32>>, step: &mut Step) {
        let mut due = Vec::new();
        for members in complete {
            if self.is_held(&members) {
                continue;
            }
            let rejects = self.any(&members, is_rejected);
            let of_rejection = if rejects { self.options.hold_rejections } else { Millis(0) };
            let of_batch = if members.len() > 1 { self.options.hold_batches } else { Millis(0) };
            let hold = of_rejection.max(of_batch);
            if hold == Millis(0) {
                due.push(members);
                continue;
            }
            let moment = self.now.after(hold);
            for index in members {
                if let Some(card) = self.card_mut(index) {
                    card.sends_at = Some(moment);
                    step.touched.insert(index);
                    self.has_timers = true;
                }
            }
        }
        self.write(due, step);
    }

    /// Whether these decisions wait together for the moment at which they go out.
    pub(super) fn is_held(&self, members: &[u32]) -> bool {
        self.all(members, Card::is_held)
    }

    /// Ends the hold of what cannot go out as it stands, in all batches that this step touched: once it can, it is held
    /// anew.
    pub(super) fn end_holds(&mut self, step: &mut Step) {
        let mut batches = step.recounted.clone();
        step.batches.numbers().into_iter().for_each(|batch| batches.insert(batch));
        for batch in batches.numbers() {
            let is_held = |index: &u32| self.card(*index).is_some_and(Card::is_held);
            let held: Vec<u32> = self.by_batch.at(batch).iter().copied().filter(is_held).collect();
            if held.is_empty() {
                continue;
            }
            let mut waits = Marks::default();
            for members in self.complete(&[batch], &|members| self.is_held(members)) {
                members.into_iter().for_each(|index| waits.insert(index));
            }
            for index in held.into_iter().filter(|index| !waits.contains(*index)) {
                if let Some(card) = self.card_mut(index) {
                    card.sends_at = None;
                    step.touched.insert(index);
                }
            }
        }
    }

    /// Writes the complete groups; what cannot be written stays drafted, and keeps nothing else back.
    pub(super) fn write(&mut self, mut groups: Vec<Vec<u32>>, step: &mut Step) {
        // Since a rule has decided, it may have ended.
        groups.retain(|members| {
            self.drop_overruled(members, step);
            self.all(members, is_ready)
        });
        let due: Vec<Due> = groups.iter().filter_map(|members| self.due(members)).collect();
        for index in groups.iter().flatten() {
            // What has no form has none a moment later either: the clock is not asked again.
            if let Some(card) = self.card_mut(*index) {
                card.sends_at = None;
                step.touched.insert(*index);
            }
        }
        if due.is_empty() {
            return;
        }
        self.written += 1;
        let stamp = Stamp::new(format!("{}:{}", self.options.seed, self.written), self.now);
        let written = match self.adapter.write(&self.memory, &due, &stamp) {
            Ok(written) => written,
            Err(_) if groups.len() > 1 => {
                return groups.into_iter().for_each(|one| self.write(vec![one], step));
            }
            Err(reason) => {
                step.outputs.push(Output::Problem(Problem::new(ProblemCode::AnswerUnwritable, reason)));
                return;
            }
        };
        for index in groups.iter().flatten() {
            self.discard_outbound(*index, step);
        }
        for (at, written) in written.into_iter().enumerate() {
            self.queue_written(written, &stamp.message_id(at), step);
        }
        step.outputs.push(Output::Ready);
        if groups.len() > 1 {
            let is_left = |members: &Vec<u32>| self.all(members, |card| card.status == Status::Drafted);
            let left_out: Vec<_> = groups.into_iter().filter(is_left).collect();
            // Written alone, each of them says why it was left out.
            left_out.into_iter().for_each(|one| self.write(vec![one], step));
        }
    }

    /// Whether one message would carry these decisions now, as one did before: since then the backend may wait for
    /// something else under the same id.
    pub(super) fn could_write(&self, carried: &[u32]) -> bool {
        let is_whole = |written: &Written| written.requests.len() == carried.len();
        self.written_now(carried).is_ok_and(|written| written.iter().any(is_whole))
    }

    /// What would be written of these decisions now.
    fn written_now(&self, carried: &[u32]) -> Result<Vec<Written>, String> {
        let group = |index: &u32| self.card(*index).and_then(Card::group);
        let due: Vec<Due> = carried
            .chunk_by(|one, other| group(one) == group(other))
            .filter_map(|members| self.due(members))
            .collect();
        self.adapter.write(&self.memory, &due, &Stamp::new(String::new(), self.now))
    }

    /// Whether this message must not leave as it was written, and what would be written now may, or nothing would: waiting is no
    /// use to it.
    fn is_outdated(&self, id: &OutboundId, carried: &[u32]) -> bool {
        let may_leave = |outbound: &Outbound| self.adapter.may_leave(&self.memory, outbound);
        let Some(outbound) = self.sending_of(id).map(|it| &it.outbound).filter(|it| !may_leave(it)) else {
            return false;
        };
        let fits = |Written { requests, body, transport }| {
            let (body, transport) = (Arc::from(body), Arc::from(transport));
            may_leave(&Outbound { requests, body, transport, ..outbound.clone() })
        };
        self.written_now(carried).map_or(true, |written| written.into_iter().all(fits))
    }

    fn due(&self, members: &[u32]) -> Option<Due> {
        let entries: Vec<DueEntry> = members
            .iter()
            .filter_map(|index| {
                let card = self.card(*index)?;
                Some(DueEntry {
                    request: card.request()?,
                    call: card.call.id.clone(),
                    args: card.call.args.clone(),
                    decision: card.taken.as_ref()?.decision.clone(),
                })
            })
            .collect();
        let batch = self.card(*members.first()?)?.ask.as_ref()?.batch.clone();
        (entries.len() == members.len()).then_some(Due { batch, entries })
    }

    fn queue_written(&mut self, written: Written, id: &str, step: &mut Step) {
        let id = OutboundId::from(id);
        for request in &written.requests {
            let Some(index) = self.index_of(request) else { continue };
            self.record(index, AuditEvent::Sending { outbound: &id });
            let Some(card) = self.card_mut(index) else { continue };
            card.status = Status::Sending;
            card.sends_at = None;
            (card.send_failed, card.is_asked_still) = (false, false);
            card.outbound = Some(id.clone());
            step.touch(index, card);
        }
        let outbound = Outbound {
            id: id.clone(),
            adapter: self.adapter.speaking(&self.memory),
            requests: written.requests,
            body: Arc::from(written.body),
            transport: Arc::from(written.transport),
        };
        let state = OutboundState::Queued;
        self.keep_sending(Sending { outbound, state, error: None, delivered_at: None });
        self.queue.push(id);
    }

    pub(super) fn keep_sending(&mut self, sending: Sending) {
        let place = u32::try_from(self.sendings.len()).unwrap_or(u32::MAX);
        self.by_sending.push(sending.outbound.id.shared(), place);
        self.sendings.push(Some(sending));
    }

    /// Gives a queued message to the host, unless it has to wait there.
    pub(super) fn hand_over(&mut self, id: &OutboundId) -> Option<Outbound> {
        let outbound = self.sending_of(id)?.outbound.clone();
        if !self.adapter.may_leave(&self.memory, &outbound) {
            self.queue.push(outbound.id);
            return None;
        }
        self.sending_mut(id)?.state = OutboundState::Sending;
        self.adapter.handed_over(&mut self.memory, &outbound.requests);
        Some(outbound)
    }

    pub(super) fn outbound_state(&self, card: &Card) -> Option<OutboundState> {
        self.sending(card).map(|sending| sending.state)
    }

    /// Whether the answer to this card is due, and the host has not taken it yet.
    pub(super) fn is_queued(&self, card: &Card) -> bool {
        card.status == Status::Sending && self.outbound_state(card) == Some(OutboundState::Queued)
    }

    /// Whether what was decided on this card has not left: it is drafted, or the host has not taken its message.
    pub(super) fn is_unsent(&self, card: &Card) -> bool {
        card.status == Status::Drafted || self.is_queued(card)
    }

    pub(super) fn sending(&self, card: &Card) -> Option<&Sending> {
        self.sending_of(card.outbound.as_ref()?)
    }

    pub(super) fn sending_of(&self, id: &OutboundId) -> Option<&Sending> {
        let place = *self.by_sending.get(id.shared()).last()?;
        self.sendings.get(place as usize)?.as_ref()
    }

    fn sending_place(&mut self, id: &OutboundId) -> Option<&mut Option<Sending>> {
        let place = *self.by_sending.get(id.shared()).last()?;
        self.sendings.get_mut(place as usize)
    }

    pub(super) fn sending_mut(&mut self, id: &OutboundId) -> Option<&mut Sending> {
        self.sending_place(id)?.as_mut()
    }

    /// Takes the message of this card back, if the host has not taken it.
    pub(super) fn recall_queued(&mut self, index: u32, step: &mut Step) {
        if self.card(index).is_some_and(|card| self.is_queued(card)) {
            self.recall(index, step);
        }
    }

    /// Takes the unsent message of this card back: its other requests are drafts again, without a message.
    pub(super) fn recall(&mut self, index: u32, step: &mut Step) {
        let batch = self.card(index).and_then(Card::group);
        let members = batch.map(|batch| self.by_batch.at(batch).to_vec()).unwrap_or_default();
        for member in members {
            // What is answered for itself keeps its own moment.
            if let Some(card) = self.card_mut(member)
                && card.status == Status::Drafted
                && (member == index || card.ask.as_ref().is_some_and(|ask| ask.batch_rule.held))
            {
                card.sends_at = None;
                step.touched.insert(member);
            }
        }
        for member in self.discard_outbound(index, step) {
            if let Some(card) = self.card_mut(member)
                && card.status == Status::Sending
            {
                card.status = Status::Drafted;
                step.touch_batch(member, card);
            }
        }
        if let Some(batch) = batch {
            step.recount(batch);
        }
    }

    /// Takes back each message that the host has not taken yet and that no longer answers what it should: what is
    /// settled by now, so that the rest goes out alone; or not all of what waits together by now; or in a form that has no
    /// longer the meaning it had.
    pub(super) fn withdraw_stale(&mut self, step: &mut Step) {
        for id in self.queue.clone() {
            let carried = self.carried(&id);
            let settled =
                |index: &&u32| self.card(**index).is_some_and(|card| card.status != Status::Sending);
            let grown = carried.first().filter(|_| self.leaves_out(&id, &carried));
            if let Some(stale) = carried.iter().find(settled).or(grown).copied() {
                self.recall(stale, step);
            } else if self.is_outdated(&id, &carried) {
                self.withdraw_outdated(&id, &carried, step);
            }
        }
    }

    /// What may have arrived once is not written anew: as it stands it waits for its moment, or has failed where there will be none.
    fn withdraw_outdated(&mut self, id: &OutboundId, carried: &[u32], step: &mut Step) {
        let Some(first) = carried.first() else { return };
        if !self.any(carried, |card| card.may_have_arrived) {
            self.recall(*first, step);
            for index in carried {
                if let Some(card) = self.card_mut(*index) {
                    card.send_failed = false;
                }
            }
        } else if !self.may_repeat(id) {
            let why = "it was not sent again: something else is asked by now";
            self.failed(id, None, Some(why.to_owned()), step).ok();
        }
    }

    /// Whether more waits in the batch that this message answers: a backend may take it for the answer to all of it.
    pub(super) fn leaves_out(&self, id: &OutboundId, carried: &[u32]) -> bool {
        let waits = |card: &Card| card.status.is_open() && !card.is_in(id);
        let asks = carried.iter().filter_map(|index| self.card(*index)?.ask.as_ref());
        let mut groups: Vec<u32> = asks.filter(|ask| ask.batch_rule.held).map(|ask| ask.group).collect();
        groups.dedup();
        groups.into_iter().any(|group| self.any(self.by_batch.at(group), waits))
    }

    /// Removes the message of this card, which no longer says what its requests say; returns the cards that it carried.
    pub(super) fn discard_outbound(&mut self, index: u32, step: &mut Step) -> Vec<u32> {
        let Some(id) = self.card(index).and_then(|card| card.outbound.clone()) else { return Vec::new() };
        // It may still be queued, and is passed over there.
        let Some(sending) = self.sending_place(&id).and_then(Option::take) else { return Vec::new() };
        let mut carried = self.indices_of(&sending.outbound.requests);
        // What has become of it stands in each of their cards.
        carried.iter().for_each(|member| step.touched.insert(*member));
        // By now another message may be the answer to one of them.
        carried.retain(|member| self.card(*member).is_some_and(|card| card.is_in(&id)));
        for member in &carried {
            if let Some(card) = self.card_mut(*member) {
                card.outbound = None;
            }
        }
        carried
    }

    /// The cards that the messages in the queue carry.
    pub(super) fn carried_by_all(&self) -> Vec<u32> {
        let mut carried = Vec::new();
        for id in &self.queue {
            carried.append(&mut self.carried(id));
        }
        carried
    }

    pub(super) fn carried(&self, id: &OutboundId) -> Vec<u32> {
        self.sending_of(id).map(|sending| self.indices_of(&sending.outbound.requests)).unwrap_or_default()
    }
}

pub(super) fn is_ready(card: &Card) -> bool {
    card.status == Status::Drafted && card.ask.as_ref().is_some_and(|ask| ask.standing == Standing::Open)
}

pub(super) fn is_rejected(card: &Card) -> bool {
    matches!(card.own_decision(), Some(Decision::Reject { .. }))
}
