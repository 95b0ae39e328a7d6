//! A person's acts: decide, and take a decision back.

use super::card::Taken;
use super::check::refusal;
use super::course::wait;
use super::outcome::decided_status;
use super::{Inbox, Step};
use crate::audit::{AuditActor, AuditEvent};
use crate::decision::{Decision, Shown};
use crate::error::Refusal;
use crate::ids::{Millis, RequestRef};

impl Inbox {
    pub(super) fn decide(
        &mut self,
        request: &RequestRef,
        decision: Decision,
        seen: Option<&Shown>,
        offer: Option<&str>,
        step: &mut Step,
    ) -> Result<(), Refusal> {
        let known = self.known(request).map(|(index, _)| index);
        let index =
            known.inspect_err(|refusal| self.record_stray(self.now, &request.to_string(), refusal, seen))?;
        let decision = match self.check(index, request, decision, seen, offer) {
            Ok(decision) => decision,
            Err(refusal) => {
                self.record(index, AuditEvent::Refused { code: refusal.code(), seen });
                return Err(refusal);
            }
        };
        self.record(index, AuditEvent::Decided { decision: &decision, rule: None, seen });
        let now = self.now;
        let Some(card) = self.card_mut(index) else { return Ok(()) };
        card.draft(decision, None, now);
        step.touch_batch(index, card);
        step.decided.extend(card.group());
        Ok(())
    }

    pub(super) fn undo(&mut self, request: &RequestRef, step: &mut Step) -> Result<(), Refusal> {
        let (index, card) = self.known(request)?;
        let taken = card.taken.as_ref().filter(|_| self.is_unsent(card));
        let kind = taken.map(|taken| taken.decision.kind()).ok_or_else(|| refusal(card.status, request))?;
        self.record(index, AuditEvent::Undone { kind, by: AuditActor::Person });
        self.reopen(index, step);
        Ok(())
    }

    /// What was decided and has not left waits for a person again.
    pub(super) fn reopen(&mut self, index: u32, step: &mut Step) {
        self.recall(index, step);
        let Some(card) = self.card_mut(index) else { return };
        card.drop_draft();
        wait(card);
        step.touched.insert(index);
    }

    /// Another tab has decided: the card closes, what was drafted here is dropped, nothing is sent.
    pub(super) fn elsewhere(
        &mut self,
        request: &RequestRef,
        decision: Decision,
        step: &mut Step,
    ) -> Result<(), Refusal> {
        let (index, card) = self.known(request)?;
        if !card.status.is_open() || card.may_have_arrived {
            return Ok(());
        }
        self.recall(index, step);
        let (now, status) = (self.now, decided_status(&decision));
        let Some(card) = self.card_mut(index) else { return Ok(()) };
        card.drop_draft();
        card.reason = decision.reason();
        card.taken = Some(Taken { decision, here: false });
        card.decided_at = Some(now);
        card.status = status;
        step.touch_batch(index, card);
        self.record(index, AuditEvent::Settled { status, by: AuditActor::Inbox });
        Ok(())
    }

    /// The agent waits longer. What has expired stays expired.
    pub(super) fn extend(
        &mut self,
        request: &RequestRef,
        until: Millis,
        step: &mut Step,
    ) -> Result<(), Refusal> {
        let (index, card) = self.known(request)?;
        if !card.status.is_open() {
            return Err(refusal(card.status, request));
        }
        if let Some(card) = self.card_mut(index)
            && let Some(before) = card.ask.as_mut().and_then(|ask| ask.expires_at.as_mut())
            && *before < until
        {
            *before = until;
            card.extended = true;
        }
        step.touched.insert(index);
        Ok(())
    }
}
