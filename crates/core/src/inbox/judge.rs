//! What the policy answers without a person.

use std::sync::Arc;

use countersign_json::{HazardCode, sha256_hex};

use super::card::{Asked, Card};
use super::{Inbox, Output, Step};
use crate::audit::{AuditActor, AuditEvent};
use crate::call::{ArgsText, ToolCall};
use crate::decision::Decision;
use crate::error::Refusal;
use crate::ids::RequestRef;
use crate::offer::OfferKind;
use crate::outbound::OutboundState;
use crate::policy::{Policy, Proposal, Ruling, Verdict};
use crate::request::Subject;
use crate::risk::RiskLevel;
use crate::status::Status;

impl Inbox {
    /// The policy, if it is of this type: to look at what it holds.
    #[must_use]
    pub fn policy<T: Policy>(&self) -> Option<&T> {
        let policy: &dyn std::any::Any = self.options.policy.as_deref()?;
        policy.downcast_ref()
    }

    /// The policy to change, if it is of this type. What was judged before stays as it is, but that what it has decided
    /// and what has not left yet must still be decided so: the next input looks, [`Input::Tick`](super::Input::Tick) too.
    pub fn policy_mut<T: Policy>(&mut self) -> Option<&mut T> {
        let policy: &mut dyn std::any::Any = self.options.policy.as_deref_mut()?;
        policy.downcast_mut()
    }

    /// Puts another policy in place. What was judged before stays as it is, but that what was decided by a rule and has
    /// not left yet must still be decided so: hand over an [`Input::Tick`](super::Input::Tick) before the next message is
    /// taken.
    pub fn set_policy(&mut self, policy: Option<Box<dyn Policy>>) {
        self.options.policy = policy;
    }

    /// Lets a reader look at a call as the policy sees it; `None`: nothing asks about it.
    pub fn propose<T>(&self, request: &RequestRef, read: impl FnOnce(&Proposal<'_>) -> T) -> Option<T> {
        let card = self.card(self.index_of(request)?)?;
        Some(self.proposal(card, read))
    }

    /// Whether this request waits, and an allowing verdict on it would count.
    #[must_use]
    pub fn could_run_unasked(&self, request: &RequestRef) -> bool {
        let index = self.index_of(request);
        index.is_some_and(|index| {
            self.card(index).is_some_and(Card::is_answerable)
                && !self.waits_for_a_person(index)
                && self.may_run_unasked(index)
        })
    }

    /// Judges the requests that began to wait in this step.
    pub(super) fn judge_new(&mut self, step: &mut Step) {
        if self.options.policy.is_none() {
            return;
        }
        for index in step.touched.numbers() {
            let fresh = |card: &Card| !card.judged && card.is_answerable();
            if self.card(index).is_some_and(fresh) {
                self.judge(index, false, step);
            }
        }
    }

    /// Judges waiting requests again, because the host says that the policy has changed.
    pub(super) fn judge_again(&mut self, requests: &[RequestRef], step: &mut Step) {
        for request in requests {
            match self.index_of(request) {
                Some(index) if self.card(index).is_some_and(Card::is_answerable) => {
                    self.judge(index, false, step);
                }
                Some(_) => {}
                None => {
                    step.outputs.push(Output::Refused(Refusal::UnknownRequest { id: request.to_string() }))
                }
            }
        }
        self.send_completed(step);
    }

    /// Takes in what the policy leaves to people on this card, and decides nothing.
    pub(super) fn limit(&mut self, index: u32) -> Option<Verdict> {
        let mut verdict = self.verdict(index)?;
        let card = self.card_mut(index)?;
        card.judged = true;
        card.ruled_risk = verdict.risk.take();
        let mut offers = verdict.offers.take();
        if verdict.ruling == Ruling::Deny {
            // A person may not run it either, even if the refusal cannot be sent or is undone.
            offers.get_or_insert(REFUSALS.to_vec()).retain(|kind| !kind.goes_on());
        }
        if let Some(ask) = &mut card.ask {
            ask.limit = offers;
        }
        Some(verdict)
    }

    /// `overruled`: a rule has decided it otherwise before, and nothing of that has left.
    fn judge(&mut self, index: u32, overruled: bool, step: &mut Step) {
        let Some(Verdict { ruling, rule, reason, .. }) = self.limit(index) else { return };
        step.touched.insert(index);
        // What was sent, decided or taken back here is not answered a second time: a backend might take that for the
        // answer to what it asks next. Of other arguments nobody has decided yet.
        let is_done = self.card(index).is_some_and(|card| card.by_hand && !card.changed) && !overruled;
        if let Some(card) = self.card_mut(index).filter(|_| ruling != Ruling::Deny) {
            card.rule = None;
        }
        let decisions = match ruling {
            Ruling::Ask => return,
            // What failed goes out by a person's act alone, and what waits for it with it.
            _ if self.waits_for_a_person(index) => return,
            Ruling::Allow if self.may_run_unasked(index) => vec![Decision::approve()],
            Ruling::Allow => return,
            Ruling::Deny if is_done => return,
            Ruling::Deny => {
                let rejection = Decision::reject(reason.as_deref());
                let explained = Decision::reject(Some(&rule));
                vec![rejection, explained, Decision::Ignore]
            }
        };
        let Some(request) = self.card(index).and_then(Card::request) else { return };
        let taken =
            decisions.into_iter().find_map(|decision| self.check(index, &request, decision, None, None).ok());
        let Some(decision) = taken else {
            if ruling == Ruling::Deny {
                self.deny_in_vain(index, rule, reason);
            }
            return;
        };
        self.record(index, AuditEvent::Decided { decision: &decision, rule: Some(&rule), seen: None });
        let now = self.now;
        let Some(card) = self.card_mut(index) else { return };
        card.draft(decision, Some(rule), now);
        card.automatic = true;
        // Not among the decided ones of this step: what failed or is held goes out by a person's act or by the clock.
        step.touch_batch(index, card);
    }

    /// A denial has no form on this wire: the call waits, nobody can run it, and its card says by which rule.
    fn deny_in_vain(&mut self, index: u32, rule: Arc<str>, reason: Option<Arc<str>>) {
        let Some(card) = self.card_mut(index) else { return };
        card.ruled_risk = card.ruled_risk.take().or(reason).or_else(|| Some(Arc::clone(&rule)));
        let is_known = card.rule.as_ref() == Some(&rule);
        card.rule = Some(Arc::clone(&rule));
        if !is_known {
            self.record(index, AuditEvent::Denied { rule: &rule });
        }
    }

    /// A permission for more than one call was given: whoever gave it has not seen what cannot be answered yet.
    pub(super) fn note_unseen(&mut self) {
        let now = self.steady();
        for card in self.cards.iter_mut().filter(|card| card.ask.is_some()) {
            if matches!(card.status, Status::Requested | Status::Streaming | Status::Blocked) {
                card.unseen_at = Some(now);
            }
        }
    }

    /// Drops what rules have decided and what has not left, or did not arrive, where they would not decide so any more.
    pub(super) fn drop_ended(&mut self, step: &mut Step) {
        if self.options.policy.is_none() {
            return;
        }
        let mut unsent = self.carried_by_all();
        let failed = (0_u32..).zip(&self.cards).filter(|(_, card)| card.automatic && card.send_failed);
        unsent.extend(failed.map(|(index, _)| index));
        if !unsent.is_empty() {
            self.drop_overruled(&unsent, step);
            self.send_completed(step);
        }
    }

    /// Drops what rules have drafted and would not decide so any more; a person decides it.
    pub(super) fn drop_overruled(&mut self, indices: &[u32], step: &mut Step) {
        let mut dropped = Vec::new();
        for &index in indices {
            let Some(card) = self.card(index).filter(|card| card.automatic) else { continue };
            let is_queued = self.outbound_state(card) == Some(OutboundState::Queued);
            let Some(kind) = card.own_decision().map(Decision::kind) else { continue };
            if card.status != Status::Drafted && !is_queued {
                continue;
            }
            let ruling = self.verdict(index).map(|verdict| verdict.ruling);
            if ruling == Some(if kind.runs() { Ruling::Allow } else { Ruling::Deny }) {
                continue;
            }
            self.record(index, AuditEvent::Undone { kind, by: AuditActor::Policy });
            self.reopen(index, step);
            dropped.push(index);
        }
        // What is denied by now stays so.
        for index in dropped {
            self.has_failed.set(None);
            self.judge(index, true, step);
        }
    }

    fn verdict(&self, index: u32) -> Option<Verdict> {
        let card = self.card(index)?;
        let policy = self.policy_of(card)?;
        Some(self.proposal(card, |sent| policy.judge(sent)))
    }

    /// The rule that keeps a call from running with these arguments, whoever wrote them.
    pub(super) fn forbids(&self, card: &Card, edited: &ArgsText) -> Option<Arc<str>> {
        let high_risk = self.risk_of(card, edited).level == RiskLevel::High;
        let verdict = self.judge_edit(card, edited, high_risk)?;
        let takes = |offers: &Vec<OfferKind>| offers.contains(&OfferKind::Edit);
        let may_run = verdict.ruling != Ruling::Deny && verdict.offers.as_ref().is_none_or(takes);
        (!may_run).then_some(verdict.rule)
    }

    /// What the policy says of a call that would run with these arguments.
    pub(super) fn judge_edit(&self, card: &Card, edited: &ArgsText, high_risk: bool) -> Option<Verdict> {
        let policy = self.policy_of(card)?;
        let call = ToolCall { args: edited.clone(), ..card.call.clone() };
        // Read without doubt before, and whole: only what the agent sent may have been rounded.
        Some(self.proposal(card, |sent| {
            policy.judge(&Proposal { call: &call, high_risk: &|| high_risk, inspectable: true, ..*sent })
        }))
    }

    /// The policy, where it has a say.
    fn policy_of(&self, card: &Card) -> Option<&dyn Policy> {
        let calls = card.ask.as_ref().is_some_and(|ask| matches!(ask.subject, Subject::Call));
        self.options.policy.as_deref().filter(|_| calls)
    }

    /// Lets a reader look at a call as the policy sees it.
    pub(super) fn proposal<T>(&self, card: &Card, read: impl FnOnce(&Proposal<'_>) -> T) -> T {
        let digest = self.schema_digest(card);
        let high_risk = || self.own_risk(card).level == RiskLevel::High;
        read(&self.proposed(card, digest.as_deref(), &high_risk))
    }

    #[inline(never)]
    fn schema_digest(&self, card: &Card) -> Option<String> {
        self.schema(card).map(|schema| sha256_hex(schema))
    }

    #[inline(never)]
    fn proposed<'p>(
        &self,
        card: &'p Card,
        schema_digest: Option<&'p str>,
        high_risk: &'p dyn Fn() -> bool,
    ) -> Proposal<'p> {
        Proposal {
            scope: &card.scope,
            call: &card.call,
            schema_digest,
            inspectable: self.is_clear(card),
            high_risk,
            restored: card.unseen_at,
            now: self.steady(),
        }
    }

    /// Whether the arguments can be read without doubt, and no number in them may have been rounded.
    fn is_clear(&self, card: &Card) -> bool {
        let limits = &self.options.args_limits;
        let rounded =
            || card.inspection(limits).hazards.iter().any(|hazard| hazard.code == HazardCode::RoundedNumber);
        card.doubt(limits).is_none() && !rounded()
    }

    /// Whether an automatic approval would take nothing out of a person's hands.
    fn may_run_unasked(&self, index: u32) -> bool {
        let Some(card) = self.card(index) else { return false };
        let Some(ask) = &card.ask else { return false };
        !card.changed && !card.by_hand && self.is_clear(card) && !self.speaks_for_others(ask)
    }

    /// Whether the batch holds a decision that did not arrive.
    fn waits_for_a_person(&self, index: u32) -> bool {
        let Some(ask) = self.card(index).and_then(|card| card.ask.as_ref()) else { return true };
        let failed = |index: &u32| self.card(*index).is_some_and(|card| card.send_failed);
        // Many are judged one after the other, and no judgement changes what has failed.
        let known = self.has_failed.get().filter(|(group, _)| *group == ask.group);
        let any = || self.by_batch.at(ask.group).iter().any(failed);
        ask.batch_rule.held && {
            let (_, has_failed) = known.unwrap_or_else(|| (ask.group, any()));
            self.has_failed.set(Some((ask.group, has_failed)));
            has_failed
        }
    }

    /// Whether one answer is the answer to other open requests too.
    fn speaks_for_others(&self, ask: &Asked) -> bool {
        let open = |index: &&u32| self.card(**index).is_some_and(|card| card.status.is_open());
        ask.batch_rule.uniform && self.by_batch.at(ask.group).iter().filter(open).nth(1).is_some()
    }
}

/// The kinds of decision after which the call does not go on.
const REFUSALS: &[OfferKind] =
    &[OfferKind::Reject, OfferKind::RejectAlways, OfferKind::Respond, OfferKind::Ignore, OfferKind::Cancel];
