//! What became of a message: delivered, failed, sent again.

use std::sync::Arc;

use super::card::Card;
use super::course::{close, ended, refused};
use super::deadline::expire;
use super::send::is_ready;
use super::{Announcement, Inbox, Output, Step};
use crate::adapter::Failure;
use crate::audit::{AuditActor, AuditEvent};
use crate::error::Refusal;
use crate::ids::{OutboundId, RequestRef};
use crate::outbound::OutboundState;
use crate::status::Status;

impl Inbox {
    pub(super) fn delivered(&mut self, id: &OutboundId, step: &mut Step) -> Result<(), Refusal> {
        self.report(id, OutboundState::Delivered, None)?;
        for index in self.carried(id) {
            self.record(index, AuditEvent::Delivered { outbound: id });
            if let Some(request) = self.card(index).and_then(Card::request) {
                self.adapter.delivered(&mut self.memory, &request);
            }
            self.tell_policy(index);
            let Some(card) = self.card_mut(index) else { continue };
            let before = card.status;
            // A refusal may have come first, and another answer may be on its way.
            if card.status == Status::Sending && card.outbound.as_ref() == Some(id) {
                card.status = Status::Sent;
                if let Some(end) = card.end {
                    ended(card, end);
                }
            }
            step.touch(index, card);
            let status = card.status;
            self.record_settled(index, before, status, AuditActor::Backend);
        }
        Ok(())
    }

    pub(super) fn failed(
        &mut self,
        id: &OutboundId,
        status: Option<u16>,
        message: Option<String>,
        step: &mut Step,
    ) -> Result<(), Refusal> {
        let words = match (status, &message) {
            (_, Some(message)) if !message.is_empty() => message.clone(),
            (Some(status), _) => format!("the backend answered with status {status}"),
            (None, _) => "the message did not reach the backend".to_owned(),
        };
        self.report(id, OutboundState::Failed, Some(Arc::from(words.as_str())))?;
        let requests =
            self.sending_of(id).map(|sending| sending.outbound.requests.clone()).unwrap_or_default();
        let failure = self.adapter.failure(&mut self.memory, &requests, status, message.as_deref());
        // A 4xx is the backend's own word that it did not take the message this time.
        let was_refused = status.is_some_and(|status| (400..500).contains(&status));
        let mut kept = Vec::new();
        for index in self.carried(id) {
            self.record(index, AuditEvent::Failed { outbound: id, message: &words });
            let now = self.now;
            let Some(card) = self.card_mut(index) else { continue };
            step.touch(index, card);
            // The run that seemed to take it took another answer.
            if was_refused && card.outbound.as_ref() == Some(id) && card.rests_on_own_word() {
                card.status = Status::Sending;
            }
            if card.status != Status::Sending || card.outbound.as_ref() != Some(id) {
                continue;
            }
            refused(card, failure, None);
            card.may_have_arrived = card.send_failed && (card.may_have_arrived || !was_refused);
            if let Some(closed) = card.closed.take() {
                close(card, closed);
            }
            if failure == Failure::Kept && card.status.is_open() {
                kept.push(index);
            }
            let mut by = AuditActor::Backend;
            if card.status.is_open() {
                if let Some(end) = card.end {
                    ended(card, end);
                }
                if expire(card, now) {
                    by = AuditActor::Inbox;
                }
            }
            let status = card.status;
            self.record_settled(index, Status::Sending, status, by);
        }
        if !kept.is_empty() {
            let keys = kept.iter().map(|index| self.first_key + index).collect();
            step.outputs.push(Output::Say(Announcement::SendFailed(keys)));
        }
        Ok(())
    }

    fn report(
        &mut self,
        id: &OutboundId,
        state: OutboundState,
        error: Option<Arc<str>>,
    ) -> Result<(), Refusal> {
        match self.sending_mut(id) {
            Some(sending) if matches!(sending.state, OutboundState::Sending | OutboundState::Queued) => {
                let was_queued = std::mem::replace(&mut sending.state, state) == OutboundState::Queued;
                sending.error = error;
                if was_queued {
                    self.queue.retain(|queued| queued != id);
                }
                Ok(())
            }
            _ => Err(Refusal::UnknownOutbound { id: id.to_string() }),
        }
    }

    /// The identical message again, after it did not arrive.
    pub(super) fn retry(&mut self, request: &RequestRef, step: &mut Step) -> Result<(), Refusal> {
        let (_, card) = self.known(request)?;
        let request = request.clone();
        let id = match (card.status, self.outbound_state(card), &card.outbound) {
            (Status::Drafted, Some(OutboundState::Failed), Some(id)) => id.clone(),
            (Status::Expired, ..) => return Err(Refusal::Expired { request }),
            (Status::Superseded, ..) => return Err(Refusal::Superseded { request }),
            (status, ..) => return Err(Refusal::AlreadyDecided { request, status }),
        };
        let carried = self.carried(&id);
        let ready = carried.iter().all(|index| self.card(*index).is_some_and(is_ready));
        if !ready || self.leaves_out(&id, &carried) || !self.could_write(&carried) {
            return Err(Refusal::Blocked { request });
        }
        if let Some(sending) = self.sending_mut(&id) {
            sending.state = OutboundState::Queued;
            sending.error = None;
        }
        for index in carried {
            self.record(index, AuditEvent::Sending { outbound: &id });
            if let Some(card) = self.card_mut(index) {
                card.status = Status::Sending;
                step.touch(index, card);
            }
        }
        self.queue.push(id);
        step.outputs.push(Output::Ready);
        Ok(())
    }
}
