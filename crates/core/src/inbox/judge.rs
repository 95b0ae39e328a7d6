//! What the policy answers without a person.

use countersign_json::HazardCode;

use super::card::{Asked, Card, Taken};
use super::{Inbox, Output, Step};
use crate::audit::AuditEvent;
use crate::decision::Decision;
use crate::error::Refusal;
use crate::ids::RequestRef;
use crate::offer::OfferKind;
use crate::policy::{Policy, Proposal, Ruling, Verdict};
use crate::request::Subject;
use crate::status::Status;

impl Inbox {
    /// The policy, if it is of this type: to look at what it holds.
    #[must_use]
    pub fn policy<T: Policy>(&self) -> Option<&T> {
        let policy: &dyn std::any::Any = self.options.policy.as_deref()?;
        policy.downcast_ref()
    }

    /// The policy to change, if it is of this type. What was judged before stays as it is.
    pub fn policy_mut<T: Policy>(&mut self) -> Option<&mut T> {
        let policy: &mut dyn std::any::Any = self.options.policy.as_deref_mut()?;
        policy.downcast_mut()
    }

    /// Puts another policy in place. What was judged before stays as it is.
    pub fn set_policy(&mut self, policy: Option<Box<dyn Policy>>) {
        self.options.policy = policy;
    }

    /// Judges the requests that began to wait in this step.
    pub(super) fn judge_new(&mut self, step: &mut Step) {
        if self.options.policy.is_none() {
            return;
        }
        for index in step.touched.numbers() {
            let fresh = |card: &Card| !card.judged && card.is_answerable();
            if self.card(index).is_some_and(fresh) {
                self.judge(index, step);
            }
        }
    }

    /// Judges waiting requests again, because the host says that the policy has changed.
    pub(super) fn judge_again(&mut self, requests: &[RequestRef], step: &mut Step) {
        for request in requests {
            match self.index_of(request) {
                Some(index) if self.card(index).is_some_and(Card::is_answerable) => self.judge(index, step),
                Some(_) => {}
                None => {
                    step.outputs.push(Output::Refused(Refusal::UnknownRequest { id: request.to_string() }))
                }
            }
        }
        self.send_completed(step);
    }

    fn judge(&mut self, index: u32, step: &mut Step) {
        let Some(verdict) = self.verdict(index) else { return };
        let Some(card) = self.card_mut(index) else { return };
        card.judged = true;
        step.touched.insert(index);
        let Verdict { ruling, rule, mut offers, reason } = verdict;
        if ruling == Ruling::Deny {
            // Also a person may not run it, should the refusal find no form on this wire or be taken back.
            offers = Some(offers.map_or(REFUSALS.to_vec(), |kinds| {
                kinds.into_iter().filter(|kind| REFUSALS.contains(kind)).collect()
            }));
        }
        if let Some(ask) = &mut card.ask {
            ask.limit = offers;
        }
        let decisions = match ruling {
            Ruling::Ask => return,
            // What failed goes out by a person's act alone, and what waits for it with it.
            _ if self.waits_for_a_person(index) => return,
            Ruling::Allow if self.may_run_unasked(index) => vec![Decision::approve()],
            Ruling::Allow => return,
            Ruling::Deny => {
                let rejection = Decision::reject(reason.as_deref());
                let explained = Decision::reject(Some(&rule));
                vec![rejection, explained, Decision::Ignore]
            }
        };
        let Some(request) = self.card(index).and_then(Card::request) else { return };
        let taken =
            decisions.into_iter().find_map(|decision| self.check(index, &request, decision, None).ok());
        let Some(decision) = taken else { return };
        self.record(index, AuditEvent::Decided { decision: &decision, rule: Some(&rule) });
        let Some(card) = self.card_mut(index) else { return };
        card.reason = decision.reason();
        card.taken = Some(Taken { decision, here: true });
        card.automatic = true;
        card.rule = Some(rule);
        card.status = Status::Drafted;
        // Not among the decided ones of this step: what failed or is held goes out by a person's act or by the clock.
        if let Some(ask) = &card.ask {
            step.batches.insert(ask.group);
        }
    }

    fn verdict(&self, index: u32) -> Option<Verdict> {
        let card = self.card(index)?;
        let calls = card.ask.as_ref().is_some_and(|ask| matches!(ask.subject, Subject::Call));
        let policy = self.options.policy.as_deref().filter(|_| calls)?;
        Some(policy.judge(&self.proposal(card)))
    }

    fn proposal<'a>(&'a self, card: &'a Card) -> Proposal<'a> {
        let limits = &self.options.args_limits;
        let rounded = |card: &Card| {
            card.inspection(limits).hazards.iter().any(|hazard| hazard.code == HazardCode::RoundedNumber)
        };
        Proposal {
            scope: &card.scope,
            call: &card.call,
            schema_digest: None,
            inspectable: card.doubt(limits).is_none() && !rounded(card),
            restored: card.restored,
            now: self.now,
        }
    }

    /// Whether an automatic approval would take nothing out of a person's hands.
    fn may_run_unasked(&self, index: u32) -> bool {
        let Some(card) = self.card(index) else { return false };
        let Some(ask) = &card.ask else { return false };
        !card.changed && !card.by_hand && self.proposal(card).inspectable && !self.speaks_for_others(ask)
    }

    /// Whether the batch holds a decision that did not arrive.
    fn waits_for_a_person(&self, index: u32) -> bool {
        let Some(ask) = self.card(index).and_then(|card| card.ask.as_ref()) else { return true };
        let failed = |index: &u32| self.card(*index).is_some_and(|card| card.send_failed);
        ask.rule.held && self.by_batch.at(ask.group).iter().any(failed)
    }

    /// Whether one answer is the answer to other open requests too.
    fn speaks_for_others(&self, ask: &Asked) -> bool {
        let open = |index: &&u32| self.card(**index).is_some_and(|card| card.status.is_open());
        ask.rule.uniform && self.by_batch.at(ask.group).iter().filter(open).count() > 1
    }

    /// Tells the policy what a person decided, once that has reached the backend.
    pub(super) fn tell_policy(&mut self, index: u32) {
        let Some(mut policy) = self.options.policy.take() else { return };
        if let Some(card) = self.card(index).filter(|card| !card.automatic)
            && let Some(decision) = card.own_decision()
        {
            policy.decided(&self.proposal(card), decision);
        }
        self.options.policy = Some(policy);
    }
}

/// The kinds of decision after which nothing runs.
const REFUSALS: &[OfferKind] =
    &[OfferKind::Reject, OfferKind::RejectAlways, OfferKind::Respond, OfferKind::Ignore, OfferKind::Cancel];
