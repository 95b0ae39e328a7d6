//! What became of a message: delivered, failed, sent again.

use std::sync::Arc;

use super::card::Card;
use super::check::refusal;
use super::course::{close, ended, refused};
use super::deadline::expire;
use super::send::is_ready;
use super::{Inbox, Output, Step};
use crate::adapter::Failure;
use crate::audit::{AuditActor, AuditEvent};
use crate::error::Refusal;
use crate::ids::{Millis, OutboundId, RequestRef};
use crate::observation::Standing;
use crate::outbound::OutboundState;
use crate::status::Status;

/// How long after an answer was delivered a backend may still show what was before it.
const LAG: Millis = Millis(10_000);

impl Inbox {
    pub(super) fn delivered(&mut self, id: &OutboundId, step: &mut Step) -> Result<(), Refusal> {
        self.report(id, OutboundState::Delivered, None)?;
        for index in self.carried(id) {
            self.record(index, AuditEvent::Delivered { outbound: id });
            if let Some(request) = self.card(index).and_then(Card::request) {
                self.adapter.delivered(&mut self.memory, &request);
            }
            let Some(card) = self.card_mut(index) else { continue };
            let before = card.status;
            // A refusal may have come first, and another answer may be on its way.
            if card.status == Status::Sending && card.is_in(id) {
                card.status = Status::Sent;
                if let Some(end) = card.end {
                    ended(card, end);
                }
            }
            step.touch(index, card);
            let (status, is_carried) = (card.status, card.is_in(id));
            if is_carried {
                self.tell_policy(index);
            }
            self.record_settled(index, before, status, AuditActor::Backend);
        }
        self.record_strays(id, AuditEvent::Delivered { outbound: id });
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
        let words = cut(words, self.options.words);
        self.report(id, OutboundState::Failed, Some(Arc::from(words.as_str())))?;
        let requests =
            self.sending_of(id).map(|sending| sending.outbound.requests.clone()).unwrap_or_default();
        let failure = self.adapter.failure(&mut self.memory, &requests, status, message.as_deref());
        let was_refused = status.is_some_and(|status| self.adapter.refuses(&self.memory, status));
        for index in self.carried(id) {
            self.record(index, AuditEvent::Failed { outbound: id, message: &words });
            let now = self.now;
            let Some(card) = self.card_mut(index) else { continue };
            step.touch(index, card);
            // By now another message may be the answer to it.
            let failed = if card.is_in(id) { fail(card, failure, was_refused, now) } else { None };
            let after = card.status;
            if let Some((before, by)) = failed {
                self.record_settled(index, before, after, by);
            }
        }
        self.record_strays(id, AuditEvent::Failed { outbound: id, message: &words });
        Ok(())
    }

    /// Looks at what is left here once a message turns out not to have arrived: what would go out without that, and what
    /// a rule had decided that has ended since.
    pub(super) fn look_again(&mut self, step: &mut Step) {
        self.withdraw_stale(step);
        self.drop_ended(step);
    }

    fn report(
        &mut self,
        id: &OutboundId,
        state: OutboundState,
        error: Option<Arc<str>>,
    ) -> Result<(), Refusal> {
        let now = self.steady();
        match self.sending_mut(id) {
            Some(sending) if matches!(sending.state, OutboundState::Sending | OutboundState::Queued) => {
                let was_queued = std::mem::replace(&mut sending.state, state) == OutboundState::Queued;
                sending.error = error;
                sending.delivered_at = (state == OutboundState::Delivered).then_some(now);
                if was_queued {
                    self.queue.retain(|queued| queued != id);
                }
                Ok(())
            }
            _ => Err(Refusal::UnknownOutbound { id: id.to_string() }),
        }
    }

    /// Takes in which requests came again in a message that was read, although their answers had been delivered.
    ///
    /// One repetition proves nothing: it may have been on its way before the answer was, or show a state that lags. Nothing
    /// is sent because of it; a person may send the identical message again.
    pub(super) fn note_repeated(&mut self, step: &mut Step) {
        for index in step.touched.numbers() {
            if let Some(card) = self.card_mut(index)
                && card.ask.as_ref().is_none_or(|ask| ask.standing != Standing::Open)
            {
                card.was_repeated = false;
            }
        }
        let mut asked = Vec::new();
        for index in step.repeated.numbers() {
            let Some(card) = self.card(index).filter(|card| card.seems_answered()) else { continue };
            let is_open = card.ask.as_ref().is_some_and(|ask| ask.standing == Standing::Open);
            let Some(delivered_at) = self.sending(card).and_then(|sending| sending.delivered_at) else {
                continue;
            };
            let is_proven = card.was_repeated && delivered_at.after(LAG) <= self.steady();
            if is_open && is_proven {
                asked.push(index);
            } else if let Some(card) = self.card_mut(index) {
                card.was_repeated = is_open;
            }
        }
        self.doubt_delivery(asked, "it was delivered, and the backend still asks", step);
    }

    /// Nobody knows whether a delivered message arrived after all; a word on any request in it says that it did.
    pub(super) fn lost(&mut self, id: &OutboundId, message: String, step: &mut Step) -> Result<(), Refusal> {
        let asked = self.carried(id);
        let is_silent = |card: &Card| {
            let is_unsaid = card.status == Status::Sent && card.seems_answered() && card.closed.is_none();
            is_unsaid && card.is_in(id)
        };
        let is_known = self.sending_of(id).is_some_and(|sending| sending.state == OutboundState::Delivered);
        if !is_known || asked.is_empty() {
            return Err(Refusal::UnknownOutbound { id: id.to_string() });
        }
        if self.all(&asked, is_silent) {
            self.doubt_delivery(asked, &cut(message, self.options.words), step);
        }
        Ok(())
    }

    fn doubt_delivery(&mut self, asked: Vec<u32>, words: &str, step: &mut Step) {
        for index in asked {
            let Some(card) = self.card_mut(index) else { continue };
            card.status = Status::Drafted;
            (card.send_failed, card.may_have_arrived, card.is_asked_still) = (true, true, true);
            (card.end, card.was_repeated) = (None, false);
            let Some(id) = card.outbound.clone() else { continue };
            if let Some(sending) = self.sending_mut(&id) {
                sending.state = OutboundState::Failed;
                sending.error = Some(Arc::from(words));
            }
            for carried in self.carried(&id) {
                if let Some(card) = self.card(carried) {
                    step.touch(carried, card);
                }
            }
            self.record(index, AuditEvent::Failed { outbound: &id, message: words });
        }
    }

    pub(super) fn may_repeat(&self, id: &OutboundId) -> bool {
        self.sending_of(id).is_some_and(|it| self.adapter.may_repeat(&self.memory, &it.outbound))
    }

    /// The identical message again, after it did not arrive.
    pub(super) fn retry(&mut self, request: &RequestRef, step: &mut Step) -> Result<(), Refusal> {
        let (_, card) = self.known(request)?;
        let id = match (card.status, self.outbound_state(card), &card.outbound) {
            (Status::Drafted, Some(OutboundState::Failed), Some(id)) => id.clone(),
            (status, ..) => return Err(refusal(status, request)),
        };
        let carried = self.carried(&id);
        // What it says is the answer to each of its requests, and nothing that was decided anew or that no card shows.
        let is_answer = |card: &Card| is_ready(card) && card.is_in(&id);
        let ready = self.all(&carried, is_answer);
        let is_whole = self.sending_of(&id).is_some_and(|it| it.outbound.requests.len() == carried.len());
        // What cannot have arrived may be written anew, in another form.
        let fits = is_whole && (self.may_repeat(&id) || !self.any(&carried, |card| card.may_have_arrived));
        if !ready || !fits || self.leaves_out(&id, &carried) || !self.could_write(&carried) {
            return Err(Refusal::Blocked { request: request.clone() });
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

/// What it means for a card that its message failed. If that says anything of it: how it stood before, and who settles it now.
fn fail(card: &mut Card, failure: Failure, was_refused: bool, now: Millis) -> Option<(Status, AuditActor)> {
    // The run that seemed to take it took another answer.
    if was_refused && card.rests_on_own_word() {
        card.status = Status::Sending;
    }
    let before = card.status;
    // Whatever came of it did not come of this message; what did is read again without it.
    if was_refused && card.reads_own {
        card.drop_draft();
        (card.has_outcome, card.reads_own, card.result, card.error) = (false, false, None, None);
        card.status = Status::Unknown;
        return Some((before, AuditActor::Backend));
    }
    if before != Status::Sending {
        return None;
    }
    refused(card, failure);
    card.may_have_arrived = card.send_failed && (card.may_have_arrived || !was_refused);
    if let Some(closed) = card.closed.take() {
        close(card, closed);
    }
    if card.status.is_open()
        && let Some(end) = card.end
    {
        ended(card, end);
    }
    if !expire(card, now) {
        return Some((before, AuditActor::Backend));
    }
    if !card.may_have_arrived {
        card.drop_draft();
    }
    Some((before, AuditActor::Inbox))
}

/// As many characters of a text as are kept, and how many there were.
fn cut(words: String, limit: usize) -> String {
    let Some((end, _)) = words.char_indices().nth(limit) else { return words };
    let kept = words.get(..end).unwrap_or_default();
    format!("{kept}… ({limit} of {} characters)", words.chars().count())
}
