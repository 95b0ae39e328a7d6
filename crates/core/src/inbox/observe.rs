//! What follows from an observation.

use std::sync::Arc;

use super::card::{Card, Counts, Taken};
use super::course::{close, ended, find, forget, refused, run, stand, standing_status, start, wait};
use super::outcome::{answered, decided_status, ruled, settle};
use super::send::is_rejected;
use super::{Inbox, Output, Step};
use crate::adapter::Failure;
use crate::audit::AuditActor;
use crate::error::{Problem, ProblemCode};
use crate::ids::{CallId, RequestRef, Scope};
use crate::observation::{Called, Contradiction, Observation, Outcome, OutcomeKind, Standing, Target};
use crate::offer::OfferKind;
use crate::outbound::OutboundState;
use crate::status::Status;

impl Inbox {
    pub(super) fn observe(&mut self, observation: Observation, step: &mut Step) {
        let index = match observation.target() {
            Some(target) => match self.resolve(target) {
                Some(index) => Some(index),
                None => return,
            },
            None => None,
        };
        match observation {
            Observation::Called(called) => self.called(*called, step),
            Observation::Asked(ask) => self.asked(ask, step),
            Observation::Stands { standing, .. } => self.stands(index, standing, step),
            Observation::Running { .. } => self.change(index, step, run),
            Observation::Started { args, .. } => self.change(index, step, |card| start(card, args)),
            Observation::Renamed { id, .. } => self.rename(index, id, step),
            Observation::Precedes { before, .. } => self.precede(index, &before),
            Observation::Doubted { doubt, .. } => self.doubt(index, doubt, step),
            Observation::Answered { answer, .. } => {
                let reading = self.readings;
                self.change(index, step, |card| answered(card, answer, reading));
            }
            Observation::Ruled { runs, decision, .. } => {
                self.change(index, step, |card| ruled(card, runs, decision));
            }
            Observation::Refused { failure, why, .. } => {
                let message = index.and_then(|index| self.card(index)?.outbound.clone());
                let sending = message.and_then(|id| self.sending_mut(&id));
                if let Some(sending) = sending {
                    // What the host has not taken yet cannot have been refused.
                    if sending.state == OutboundState::Queued && failure == Failure::Reopened {
                        return;
                    }
                    sending.error = why.or(sending.error.take());
                }
                self.change(index, step, |card| refused(card, failure));
            }
            Observation::Accepted { error, .. } => self.accepted(index, error, step),
            Observation::Outcome { outcome, .. } => {
                let reading = self.readings;
                self.change(index, step, |card| settle(card, *outcome, reading));
            }
            Observation::SharedOutcome { requests, outcome, number, is_news, is_alone } => {
                let kept = self.unclaimed.iter().position(|kept| *kept == number).filter(|_| !is_news);
                let is_claimed =
                    (is_news || kept.is_some()) && self.shared(&requests, &outcome, is_alone, step);
                match kept {
                    Some(kept) if is_claimed => drop(self.unclaimed.remove(kept)),
                    None if is_news && !is_claimed => self.unclaimed.push(number),
                    _ => {}
                }
            }
            Observation::Broken { requests, error } => self.broken(&requests, error, step),
            Observation::Closed { closed, .. } => {
                // What the host has not taken yet is still a draft.
                if let Some(index) = index {
                    self.recall_queued(index, step);
                }
                self.change(index, step, |card| close(card, closed));
            }
            Observation::Forgotten { scope, why } => self.forgotten(scope.as_ref(), &why, step),
            Observation::Found { .. } => self.change(index, step, find),
            Observation::Ended { end, .. } => self.change(index, step, |card| ended(card, end)),
        }
    }

    /// What waits where the backend knows nothing any more is over, whatever was drafted about it.
    fn forgotten(&mut self, scope: Option<&Scope>, why: &Arc<str>, step: &mut Step) {
        let is_there = |card: &Card| {
            let can_wait = card.ask.is_some() || matches!(card.status, Status::Streaming | Status::Blocked);
            can_wait && !card.status.is_settled() && scope.is_none_or(|scope| card.scope == *scope)
        };
        let there = (0_u32..).zip(&self.cards).filter(|(_, card)| is_there(card)).map(|(index, _)| index);
        let mut is_news = false;
        for index in there.collect::<Vec<_>>() {
            self.recall_queued(index, step);
            self.change(Some(index), step, |card| is_news |= forget(card, why));
        }
        if is_news {
            let sentence =
                format!("the backend knows this conversation no more, and nothing waits there: {why}");
            step.outputs.push(Output::Problem(Problem::new(ProblemCode::BackendError, sentence)));
        }
    }

    fn resolve(&self, target: &Target) -> Option<u32> {
        match target {
            Target::Request(request) => self.index_of(request),
            Target::Call(scope, call) => self.index_of_call(scope, call),
            Target::Tool(scope, call, tool) => self.index_of_run(scope, call, tool),
        }
    }

    /// Models give ids twice: an outcome belongs to the call that was decided so, the one that was sent first; else to the one of
    /// which the backend shows another answer, for tools have words of their own for a refusal; and to one that still waits only if
    /// no other is left. Says whether it was anybody's.
    fn shared(
        &mut self,
        requests: &[(u32, RequestRef)],
        outcome: &Outcome,
        is_alone: bool,
        step: &mut Step,
    ) -> bool {
        let (runs, reading) = (outcome.kind != OutcomeKind::Rejected, self.readings);
        let (mut open, mut other) = (Vec::new(), None);
        for (call, request) in requests {
            let Some(index) = self.index_of(request) else { continue };
            // What broke off may go on in a run of its own, but is not the call that has its id since.
            let lacks = |card: &&Card| !card.has_outcome || (card.is_broken && is_alone);
            let Some(card) = self.card(index).filter(lacks) else { continue };
            // What has not left decides nothing yet.
            let taken = card.taken.as_ref().filter(|_| !self.is_unsent(card));
            let decided = taken.map(|taken| taken.decision.kind().runs());
            if (card.answered || card.status == Status::Sent) && decided == Some(!runs) {
                other = other.or(Some(*call));
            }
            let sent = card.outbound.as_ref().and_then(|id| self.by_sending.get(id.shared()).last().copied());
            open.push(Claim { call: *call, index, decided, order: (card.is_broken, sent) });
        }
        let decided = open.iter().filter(|claim| claim.decided == Some(runs));
        let decided = decided.min_by_key(|claim| claim.order).map(|first| first.call);
        let only = open.first().map(|first| first.call);
        let only = only.filter(|only| open.iter().all(|claim| claim.call == *only));
        let left = other.or(only).filter(|_| is_alone);
        let Some(call) = decided.or(left) else { return false };
        open.retain(|claim| claim.call == call);
        // Of the requests about one call it belongs to those that were decided so, else to those that wait.
        let first = [Some(runs), None, Some(!runs)];
        let first = first.into_iter().find(|wanted| open.iter().any(|claim| claim.decided == *wanted));
        for claim in open.iter().filter(|claim| Some(claim.decided) == first) {
            self.change(Some(claim.index), step, |card| settle(card, outcome.clone(), reading));
        }
        true
    }

    fn broken(&mut self, requests: &[RequestRef], error: Option<Arc<str>>, step: &mut Step) {
        let is_approved = |index: &u32| {
            let Some(card) = self.card(*index).filter(|card| !card.has_outcome) else { return false };
            // What is on its way is not known to be of this run.
            let has_left = !matches!(card.status, Status::Drafted | Status::Sending);
            let runs = |taken: &Taken| taken.decision.kind().runs();
            has_left && (card.status == Status::Running || card.taken.as_ref().is_some_and(runs))
        };
        let mut approved = self.indices_of(requests);
        approved.retain(is_approved);
        let error = error.filter(|_| approved.len() == 1);
        let outcome = Outcome {
            kind: if error.is_some() { OutcomeKind::Failed } else { OutcomeKind::Unknown },
            result: None,
            error,
            reason: None,
            contradiction: Contradiction::OutcomeStands,
            is_unproven: false,
        };
        let reading = self.readings;
        for index in approved {
            self.change(Some(index), step, |card| {
                settle(card, outcome.clone(), reading);
                card.is_broken = true;
            });
        }
    }

    /// The answer counts, if it has left.
    fn accepted(&mut self, index: Option<u32>, error: Option<Arc<str>>, step: &mut Step) {
        let Some((index, card)) = index.and_then(|index| Some((index, self.card(index)?))) else { return };
        // Another answer was kept, and none that is given from here counts any more.
        let is_blocked = card.ask.as_ref().is_some_and(|ask| ask.standing == Standing::Blocked);
        let is_unsent = (card.status == Status::Drafted && !card.is_asked_still) || self.is_queued(card);
        if error.is_some() && is_blocked && is_unsent {
            return self.reopen(index, step);
        }
        let left = match card.status {
            _ if card.was_delivered() => true,
            // A run that fails takes its calls with it.
            Status::Running => error.is_some(),
            Status::Sending => self.outbound_state(card) != Some(OutboundState::Queued),
            // It may have arrived after all: what waits now would take a second one for its own.
            Status::Drafted if card.may_have_arrived && error.is_none() => {
                return self.change(Some(index), step, |card| stand(card, Standing::Blocked));
            }
            _ => false,
        };
        if left {
            let is_dropped = self.is_dropped(card);
            self.change(Some(index), step, |card| {
                let decided = card.own_decision().map(decided_status);
                let decided = if is_dropped { Some(Status::Unknown) } else { decided };
                if let Some(status) = error.as_ref().map(|_| Status::Failed).or(decided) {
                    card.status = status;
                    card.error = error;
                }
            });
        }
    }

    /// Whether a rejection in the same message drops what was approved here: nobody says that it runs.
    fn is_dropped(&self, card: &Card) -> bool {
        let Some(ask) = card.ask.as_ref().filter(|ask| ask.batch_rule.rejects_all) else { return false };
        let is_rejection = |request: &RequestRef| {
            let beside = self.index_of(request).and_then(|index| self.card(index));
            let is_here = |beside: &Card| beside.ask.as_ref().is_some_and(|beside| beside.group == ask.group);
            beside.is_some_and(|beside| is_here(beside) && is_rejected(beside))
        };
        !is_rejected(card)
            && self.sending(card).is_some_and(|sending| sending.outbound.requests.iter().any(is_rejection))
    }

    /// Takes in how a request stands. While calls run, this is said of all that wait, again and again.
    fn stands(&mut self, index: Option<u32>, standing: Standing, step: &mut Step) {
        let Some((index, card)) = index.and_then(|index| Some((index, self.card(index)?))) else { return };
        // It waited to leave, and is no answer to what the backend waits for now.
        if standing == Standing::Blocked && self.is_queued(card) {
            self.recall(index, step);
        }
        let Some(card) = self.card(index) else { return };
        let index = Some(index);
        let stood = card.ask.as_ref().is_none_or(|ask| ask.standing == standing)
            && standing_status(card, standing) == card.status;
        // What can be answered may be new to the policy all the same.
        if !stood || standing == Standing::Open {
            return self.change(index, step, |card| stand(card, standing));
        }
        if let Some(group) = card.group() {
            step.batches.insert(group);
        }
    }

    /// Changes one card and notes what that touches.
    pub(super) fn change(&mut self, index: Option<u32>, step: &mut Step, apply: impl FnOnce(&mut Card)) {
        if let Some((index, card)) = index.and_then(|index| Some((index, self.card_mut(index)?))) {
            let before = Before::of(card);
            apply(card);
            self.changed(index, &before, step);
        }
    }

    /// Notes what a change of a card touches.
    #[inline(never)]
    fn changed(&mut self, index: u32, before: &Before, step: &mut Step) {
        let (live, now) = (step.live, self.now);
        let Some(card) = self.card_mut(index) else { return };
        // When a decision of history was taken is not known, also when it is seen again.
        let is_other = before.was_own && card.own_decision().is_none();
        if live && (!before.was_taken || is_other) && card.taken.is_some() {
            card.decided_at = Some(now);
        }
        let after = card.status;
        step.touched.insert(index);
        if let Some(group) = card.group() {
            step.batches.insert(group);
            let counts = card.counts();
            if counts != before.counts {
                step.recounted.insert(group);
            }
            if counts.outbound != before.counts.outbound {
                step.parted.insert(group);
            }
        }
        if live {
            self.record_settled(index, before.status, after, AuditActor::Backend);
        }
    }

    fn called(&mut self, called: Called, step: &mut Step) {
        let Some(id) = called.call.id.clone() else { return };
        if let Some(index) = self.index_of_call(&called.scope, &id) {
            let Some(card) = self.card_mut(index) else { return };
            // Arguments may still grow while they stream; once they are complete the first text counts.
            if card.ask.is_none() && card.may_arrive() {
                card.replace_call(called.call);
                card.status = if called.streaming { Status::Streaming } else { Status::Requested };
                card.is_piece = called.streaming;
                step.touched.insert(index);
                return;
            }
            if called.streaming || self.knows_run(&called.scope, &id, &called.call) {
                return;
            }
        }
        let mut card = Card::new(called.scope, called.call);
        card.status = if called.streaming { Status::Streaming } else { Status::Requested };
        card.is_piece = called.streaming;
        self.push(card, step);
    }

    /// A card of which only pieces were seen goes on under another id, and one without an id gets one.
    fn rename(&mut self, index: Option<u32>, id: CallId, step: &mut Step) {
        let Some(index) = index else { return };
        let is_loose = |card: &&mut Card| card.may_arrive() || card.call.id.is_none();
        let Some(card) = self.card_mut(index).filter(is_loose) else { return };
        card.call.id = Some(id.clone());
        let scope = card.scope.clone();
        self.by_call.push(&scope, id.shared(), index);
        step.touched.insert(index);
    }

    /// Moves a card before another one, if it does not stand there already.
    fn precede(&mut self, index: Option<u32>, before: &Target) {
        let (Some(index), Some(before)) = (index, self.resolve(before)) else { return };
        if self.order.is_empty() {
            self.order = (0..self.cards.len()).filter_map(|at| u32::try_from(at).ok()).collect();
        }
        let place = |wanted| self.order.iter().rposition(|index| *index == wanted);
        if let (Some(from), Some(to)) = (place(index), place(before))
            && to < from
        {
            let moved = self.order.remove(from);
            self.order.insert(to, moved);
            self.moves = self.moves.wrapping_add(1);
        }
    }

    /// Takes a request out of reach of an approval, also of one that was drafted and has not arrived.
    pub(super) fn doubt(&mut self, index: Option<u32>, doubt: String, step: &mut Step) {
        let drafted = index.and_then(|index| self.card(index)?.drafted_kind());
        let forgets = drafted.is_some_and(OfferKind::goes_on);
        self.change(index, step, |card| {
            if let Some(ask) = &mut card.ask {
                ask.doubt.get_or_insert(doubt);
            }
            if forgets {
                wait(card);
            }
        });
        if let Some(index) = index.filter(|_| forgets) {
            self.discard_outbound(index, step);
            if let Some(card) = self.card_mut(index) {
                card.drop_draft();
            }
        }
    }

    pub(super) fn push(&mut self, card: Card, step: &mut Step) -> u32 {
        let index = u32::try_from(self.cards.len()).unwrap_or(u32::MAX);
        if let Some(call) = &card.call.id {
            self.by_call.push(&card.scope, call.shared(), index);
        }
        self.cards.push(card);
        if !self.order.is_empty() {
            self.order.push(index);
        }
        step.touched.insert(index);
        index
    }
}

/// A request whose call may be the one that an outcome is of.
struct Claim {
    /// The number of that call.
    call: u32,
    index: u32,
    /// Whether it runs, as far as that was decided and has left.
    decided: Option<bool>,
    /// What broke off comes last; of the others, what was sent first.
    order: (bool, Option<u32>),
}

/// What of a card tells afterwards what its change touches.
struct Before {
    status: Status,
    was_taken: bool,
    was_own: bool,
    counts: Counts,
}

impl Before {
    #[inline(never)]
    fn of(card: &Card) -> Before {
        let was_own = card.own_decision().is_some();
        Before { status: card.status, was_taken: card.taken.is_some(), was_own, counts: card.counts() }
    }
}
