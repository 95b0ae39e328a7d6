//! A person's acts: decide, and take a decision back.

use super::card::Taken;
use super::{Inbox, Step};
use crate::audit::AuditEvent;
use crate::decision::Decision;
use crate::error::Refusal;
use crate::ids::RequestRef;
use crate::outbound::OutboundState;
use crate::status::Status;

impl Inbox {
    pub(super) fn decide(
        &mut self,
        request: &RequestRef,
        decision: Decision,
        seen: Option<&str>,
        step: &mut Step,
    ) -> Result<(), Refusal> {
        let index =
            self.index_of(request).ok_or_else(|| Refusal::UnknownRequest { id: request.to_string() })?;
        let decision = match self.check(index, request, decision, seen) {
            Ok(decision) => decision,
            Err(refusal) => {
                self.record(index, AuditEvent::Refused { code: refusal.code() });
                return Err(refusal);
            }
        };
        self.record(index, AuditEvent::Decided { decision: &decision, rule: None });
        let Some(card) = self.card_mut(index) else { return Ok(()) };
        card.reason = decision.reason();
        card.taken = Some(Taken { decision, here: true });
        card.status = Status::Drafted;
        card.changed = false;
        step.touched.insert(index);
        if let Some(ask) = &card.ask {
            step.batches.insert(ask.group);
            step.decided.push(ask.group);
        }
        Ok(())
    }

    pub(super) fn undo(&mut self, request: &RequestRef, step: &mut Step) -> Result<(), Refusal> {
        let unknown = || Refusal::UnknownRequest { id: request.to_string() };
        let index = self.index_of(request).ok_or_else(unknown)?;
        let card = self.card(index).ok_or_else(unknown)?;
        let kind = card.taken.as_ref().map(|taken| taken.decision.kind());
        let unsent = match card.status {
            Status::Drafted => true,
            // Due, but the host has not taken it yet: nothing has left.
            Status::Sending => self.outbound_state(card) == Some(OutboundState::Queued),
            _ => false,
        };
        let (true, Some(kind)) = (unsent, kind) else {
            return Err(match card.status {
                Status::Expired => Refusal::Expired { request: request.clone() },
                Status::Superseded => Refusal::Superseded { request: request.clone() },
                status => Refusal::AlreadyDecided { request: request.clone(), status },
            });
        };
        self.record(index, AuditEvent::Undone { kind });
        self.recall(index, step);
        let Some(card) = self.card_mut(index) else { return Ok(()) };
        card.drop_draft();
        card.status = Status::Pending;
        step.touched.insert(index);
        Ok(())
    }
}
