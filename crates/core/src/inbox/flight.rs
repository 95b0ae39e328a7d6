//! What is on its way while everything is rebuilt from history.

use super::card::Card;
use super::send::Sending;
use super::{Inbox, Step};
use crate::audit::{AuditActor, AuditEvent};
use crate::collections::Groups;
use crate::decision::Decision;
use crate::ids::OutboundId;
use crate::outbound::OutboundState;
use crate::status::Status;
use crate::text::Text;

/// A message whose fate the host has not told, and the cards that it answers.
#[derive(Debug)]
pub(super) struct Flight {
    sending: Sending,
    cards: Vec<Card>,
}

impl Inbox {
    /// Forgets all cards, but not what history cannot know: what the host has taken and has not told the fate of.
    pub(super) fn forget(&mut self) -> Vec<Flight> {
        self.record_dropped();
        self.keep_lessons();
        self.first_key = self.next_key();
        let is_queued = |card: &Card| self.outbound_state(card) == Some(OutboundState::Queued);
        let dealt_with = self.cards.iter().filter(|card| card.is_dealt_with(is_queued(card)));
        let ids = dealt_with.filter_map(|card| Some(&card.ask.as_ref()?.request));
        // Copies: an id that was cut out of a history would keep all of it.
        let new = ids.filter(|id| self.dealt_with.place(id.shared()).is_none());
        let new: Vec<Text> = new.map(|id| Text::from(id.as_str())).collect();
        for id in &new {
            self.dealt_with.push(id, 0);
        }
        let (mut flights, mut places) = (Vec::new(), Groups::default());
        for sending in std::mem::take(&mut self.sendings) {
            let Some(sending) = sending.filter(|it| it.state == OutboundState::Sending) else { continue };
            let at = u32::try_from(flights.len()).unwrap_or(u32::MAX);
            places.push(sending.outbound.id.shared(), at);
            flights.push(Flight { sending, cards: Vec::new() });
        }
        for card in std::mem::take(&mut self.cards) {
            let message = card.outbound.as_ref().filter(|_| card.status == Status::Sending);
            let place = message.and_then(|id| places.get(id.shared()).first().copied());
            if let Some(flight) = place.and_then(|place| flights.get_mut(place as usize)) {
                flight.cards.push(card);
            }
        }
        self.order.clear();
        self.by_request = Default::default();
        self.by_call = Default::default();
        self.by_batch.clear();
        self.soonest.clear();
        self.by_sending.clear();
        self.queue.clear();
        self.unclaimed.clear();
        flights
    }

    /// Records that what was decided and has not left is forgotten.
    fn record_dropped(&mut self) {
        let kind = |card: &Card| card.own_decision().filter(|_| self.is_unsent(card)).map(Decision::kind);
        let dropped = (0_u32..).zip(&self.cards).filter_map(|(index, card)| Some((index, kind(card)?)));
        for (index, kind) in dropped.collect::<Vec<_>>() {
            self.record(index, AuditEvent::Undone { kind, by: AuditActor::Inbox });
        }
    }

    /// Lets what is on its way go on answering the requests that history still shows as they were: a second press would
    /// send another message.
    pub(super) fn take_up(&mut self, flights: Vec<Flight>, step: &mut Step) {
        for Flight { sending, cards } in flights {
            let id = sending.outbound.id.clone();
            self.adapter.handed_over(&mut self.memory, &sending.outbound.requests);
            self.keep_sending(sending);
            for before in cards {
                let index = before.request().and_then(|request| self.index_of(&request));
                if let Some(index) = index {
                    self.take_up_card(index, before, &id, step);
                }
            }
        }
    }

    fn take_up_card(&mut self, index: u32, before: Card, id: &OutboundId, step: &mut Step) {
        let Some(card) = self.card_mut(index) else { return };
        let waits = matches!(card.status, Status::Pending | Status::Requested | Status::Blocked);
        let is_same = card.call.tool == before.call.tool && card.digest() == before.digest();
        if !waits || !is_same {
            return;
        }
        card.status = Status::Sending;
        card.taken = before.taken;
        card.reason = before.reason;
        card.automatic = before.automatic;
        card.rule = before.rule;
        card.decided_at = before.decided_at;
        card.may_have_arrived = before.may_have_arrived;
        card.judged = true;
        card.outbound = Some(id.clone());
        step.touch_batch(index, card);
        // Should it wait again, a person may do no more than before.
        self.limit(index);
    }

    /// Records the fate of a message also for the requests that history does not show any more.
    pub(super) fn record_strays(&mut self, id: &OutboundId, event: AuditEvent<'_>) {
        let mut requests =
            self.sending_of(id).map(|sending| sending.outbound.requests.clone()).unwrap_or_default();
        requests.retain(|request| self.index_of(request).is_none());
        for stray in requests {
            self.audit.append(self.now, Some((&stray.to_string(), None)), event.clone());
        }
    }
}
