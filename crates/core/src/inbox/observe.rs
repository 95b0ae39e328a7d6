//! What follows from an observation.

use std::sync::Arc;

use countersign_json::{Document, Limits, same_texts};

use super::card::{Asked, Card, Taken};
use super::{Inbox, Output, Step};
use crate::adapter::Failure;
use crate::audit::AuditEvent;
use crate::call::{ArgsText, ToolCall};
use crate::decision::Decision;
use crate::error::{Problem, ProblemCode};
use crate::ids::Millis;
use crate::observation::{
    Answer, Ask, Called, Closed, Contradiction, End, Observation, Outcome, OutcomeKind, Standing, Target,
};
use crate::offer::OfferKind;
use crate::outbound::OutboundState;
use crate::status::Status;

impl Inbox {
    pub(super) fn observe(&mut self, observation: Observation, step: &mut Step) {
        let before = match &observation {
            Observation::Called(_) | Observation::Asked(_) => None,
            Observation::Stands { target, .. }
            | Observation::Running { target }
            | Observation::Started { target, .. }
            | Observation::Precedes { target, .. }
            | Observation::Doubted { target, .. }
            | Observation::Refused { target, .. }
            | Observation::Answered { target, .. }
            | Observation::Ruled { target, .. }
            | Observation::Taken { target, .. }
            | Observation::Outcome { target, .. }
            | Observation::Closed { target, .. }
            | Observation::Ended { target, .. } => match self.resolve(target) {
                Some(index) => Some(index),
                None => return,
            },
        };
        match observation {
            Observation::Called(called) => self.called(*called, step),
            Observation::Asked(ask) => self.asked(*ask, step),
            Observation::Stands { standing, .. } => self.change(before, step, |card| stand(card, standing)),
            Observation::Running { .. } => self.change(before, step, run),
            Observation::Started { args, .. } => self.change(before, step, |card| start(card, args)),
            Observation::Precedes { before: other, .. } => self.precede(before, &other),
            Observation::Doubted { doubt, .. } => self.doubt(before, doubt, step),
            Observation::Answered { answer, .. } => self.change(before, step, |card| answered(card, answer)),
            Observation::Ruled { runs, decision, .. } => {
                self.change(before, step, |card| ruled(card, runs, decision));
            }
            Observation::Refused { failure, decided, .. } => {
                let card = before.and_then(|index| self.card(index));
                let unsent = card.and_then(|card| self.outbound_state(card)) == Some(OutboundState::Queued);
                // What the host has not taken yet cannot have been refused.
                if unsent && failure == Failure::Reopened {
                    return;
                }
                self.change(before, step, |card| refused(card, failure, decided));
            }
            Observation::Taken { error, .. } => self.taken(before, error, step),
            Observation::Outcome { outcome, .. } => self.change(before, step, |card| settle(card, *outcome)),
            Observation::Closed { closed, .. } => self.change(before, step, |card| close(card, closed)),
            Observation::Ended { end, .. } => self.change(before, step, |card| ended(card, end)),
        }
    }

    fn resolve(&self, target: &Target) -> Option<u32> {
        match target {
            Target::Request(request) => self.index_of(request),
            Target::Call(scope, call) => self.index_of_call(scope, call),
        }
    }

    /// The answer counts, if it has left.
    fn taken(&mut self, index: Option<u32>, error: Option<Arc<str>>, step: &mut Step) {
        let left = index.and_then(|index| self.card(index)).is_some_and(|card| match card.status {
            Status::Sent => true,
            Status::Sending => self.outbound_state(card) != Some(OutboundState::Queued),
            _ => false,
        });
        if left {
            self.change(index, step, |card| {
                if let Some(decision) = card.own_decision() {
                    card.status = if error.is_some() { Status::Failed } else { decided_status(decision) };
                    card.error = error;
                }
            });
        }
    }

    /// Changes one card and notes what that touches.
    fn change(&mut self, index: Option<u32>, step: &mut Step, apply: impl FnOnce(&mut Card)) {
        let Some(index) = index else { return };
        let live = step.live;
        let Some(card) = self.card_mut(index) else { return };
        let before = card.status;
        apply(card);
        let after = card.status;
        step.touched.insert(index);
        if let Some(ask) = &card.ask {
            step.batches.insert(ask.group);
        }
        if after == Status::Pending && before != Status::Pending {
            step.waiting.insert(index);
        }
        if live && before != after && after.is_settled() {
            self.record(index, AuditEvent::Settled { status: after });
        }
    }

    fn called(&mut self, called: Called, step: &mut Step) {
        let Some(id) = called.call.id.clone() else { return };
        if let Some(index) = self.index_of_call(&called.scope, &id) {
            let Some(card) = self.card_mut(index) else { return };
            // Arguments may still grow while they stream; once they are complete the first text counts.
            if card.ask.is_none() && card.status == Status::Streaming {
                card.replace_call(called.call);
                card.status = if called.streaming { Status::Streaming } else { Status::Requested };
                step.touched.insert(index);
            }
            return;
        }
        let mut card = Card::new(called.scope, called.call);
        card.status = if called.streaming { Status::Streaming } else { Status::Requested };
        self.push(card, step);
    }

    fn asked(&mut self, ask: Ask, step: &mut Step) {
        let expires_at = ask.timeout.map(|span| self.now.after(span));
        if let Some(index) = self.index_of(&ask.request) {
            return self.asked_again(index, ask, expires_at, step);
        }
        let gated = ask.call.id.as_ref().and_then(|call| self.index_of_call(&ask.request.scope, call));
        let gated = gated.filter(|index| self.card(*index).is_some_and(|card| card.ask.is_none()));
        let request = ask.request.id.clone();
        let scope = ask.request.scope.clone();
        let standing = ask.standing;
        let index = gated.unwrap_or_else(|| self.push(Card::new(scope, ask.call.clone()), step));
        let group = self.by_batch.push(ask.batch.shared(), index);
        let (asked, mut call) = Asked::new(ask, group, expires_at);
        // The request may say less of the call's origin than the call itself did.
        if let Some(card) = self.card(index) {
            call.server = call.server.or_else(|| card.call.server.clone());
            if call.agent.is_empty() {
                call.agent = card.call.agent.clone();
            }
        }
        if expires_at.is_some() {
            self.timed.insert(index);
        }
        self.by_request.push(request.shared(), index);
        let restored = !step.live;
        self.change(Some(index), step, |card| {
            card.replace_call(call);
            card.restored = restored;
            card.ask = Some(asked);
            stand(card, standing);
        });
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
    fn doubt(&mut self, index: Option<u32>, doubt: String, step: &mut Step) {
        let drafted = index.and_then(|index| self.card(index)?.drafted_kind());
        let forgets = drafted.is_some_and(OfferKind::runs) || drafted == Some(OfferKind::Answer);
        self.change(index, step, |card| {
            if let Some(ask) = &mut card.ask {
                ask.doubt.get_or_insert(doubt);
            }
            if forgets {
                card.status = Status::Pending;
            }
        });
        if let Some(index) = index.filter(|_| forgets) {
            self.forget_failed(index);
            if let Some(card) = self.card_mut(index) {
                card.drop_draft();
            }
        }
    }

    /// The same request again: usually a repetition, sometimes with other arguments.
    fn asked_again(&mut self, index: u32, mut ask: Ask, expires_at: Option<Millis>, step: &mut Step) {
        let Some(card) = self.card(index) else { return };
        let queued = self.outbound_state(card) == Some(OutboundState::Queued);
        let draft = card.own_decision().map(Decision::kind).filter(|_| queued || card.status.is_open());
        // An edit that is no longer on offer would run what was there before it.
        let fits = card.call.tool == ask.call.tool
            && same_args(&card.call.args, &ask.call.args)
            && draft.is_none_or(|kind| ask.offers.iter().any(|offer| offer.kind == kind));
        let is_doubtful = ask.doubt.is_some() && draft.is_some_and(OfferKind::runs);
        if queued && (!fits || is_doubtful) {
            // Nothing has left yet, so it is still a draft.
            self.recall(index, step);
        }
        let Some(card) = self.card(index) else { return };
        let Some(before) = &card.ask else { return };
        // A deadline counts from the first message that named one: repeating it does not prolong it.
        let expires_at = before.expires_at.or(expires_at);
        let standing = ask.standing;
        if fits {
            let call = ask.call.id.clone().filter(|call| card.call.id.as_ref() != Some(call));
            let waits = matches!(card.status, Status::Requested | Status::Pending | Status::Blocked);
            let doubt = ask.doubt.take_if(|_| card.status == Status::Drafted);
            if let Some(call) = &call {
                self.by_call.push(call.shared(), index);
            }
            self.change(Some(index), step, |card| {
                card.call.id = call.or(card.call.id.take());
                if let Some(asked) = &mut card.ask {
                    if waits {
                        // The same request on another way may say more.
                        let (again, _) = Asked::new(ask, asked.group, expires_at);
                        let before = std::mem::replace(asked, again);
                        asked.title = asked.title.take().or(before.title);
                        asked.description = asked.description.take().or(before.description);
                        asked.hint = asked.hint.take().or(before.hint);
                        asked.schema = asked.schema.take().or(before.schema);
                    } else {
                        asked.offers = ask.offers;
                    }
                }
                stand(card, standing);
            });
            if waits && expires_at.is_some() {
                self.timed.insert(index);
            }
            if let Some(doubt) = doubt {
                self.doubt(Some(index), doubt, step);
            }
            return;
        }
        if card.status.is_settled() {
            return;
        }
        if card.taken.is_some() && !card.status.is_open() {
            let sentence =
                format!("request `{}` came again with other arguments after it was decided", ask.request);
            // Should our answer not have arrived, it must not go out again.
            self.doubt(Some(index), "it came again with other arguments".to_owned(), step);
            return step.outputs.push(Output::Problem(Problem::new(ProblemCode::ArgsChangedLate, sentence)));
        }
        let (asked, call) = Asked::new(ask, before.group, expires_at);
        self.change(Some(index), step, |card| {
            card.changed |= card.status.is_open();
            card.drop_draft();
            card.replace_call(call);
            card.ask = Some(asked);
            if card.status == Status::Drafted {
                card.status = Status::Pending;
            }
            stand(card, standing);
        });
        if expires_at.is_some() {
            self.timed.insert(index);
        }
        self.forget_failed(index);
    }

    fn push(&mut self, card: Card, step: &mut Step) -> u32 {
        let index = u32::try_from(self.cards.len()).unwrap_or(u32::MAX);
        if let Some(call) = &card.call.id {
            self.by_call.push(call.shared(), index);
        }
        self.cards.push(card);
        if !self.order.is_empty() {
            self.order.push(index);
        }
        step.touched.insert(index);
        index
    }
}

/// Whether two argument texts mean the same call: servers may reorder members and write `5` as `5.0`.
fn same_args(a: &ArgsText, b: &ArgsText) -> bool {
    same_texts(a.as_str(), b.as_str())
}

fn stand(card: &mut Card, standing: Standing) {
    if let Some(ask) = &mut card.ask {
        ask.standing = standing;
    }
    if card.end.is_some() {
        return;
    }
    card.status = match (card.status, standing) {
        (Status::Requested | Status::Streaming, Standing::Open) => Status::Pending,
        (Status::Blocked, Standing::Open) if card.taken.is_none() => Status::Pending,
        (Status::Pending | Status::Streaming, Standing::Announced) => Status::Requested,
        (Status::Requested | Status::Streaming | Status::Pending, Standing::Blocked) => Status::Blocked,
        // The run failed over an answer that was taken; now it is known that no other one can be given.
        (Status::Failed, Standing::Blocked) if !card.has_outcome => Status::Blocked,
        (status, _) => status,
    };
}

fn run(card: &mut Card) {
    if !card.status.is_settled() && card.own_decision().is_none_or(|decision| decision.kind().runs()) {
        if card.status == Status::Drafted && !card.send_failed {
            card.drop_draft();
        }
        card.status = Status::Running;
    }
}

fn start(card: &mut Card, args: Option<ArgsText>) {
    if card.has_outcome {
        return;
    }
    let contradicts = |card: &Card| match card.taken.as_ref() {
        Some(Taken { decision: Decision::Approve { .. } | Decision::Edit { .. }, here }) => {
            *here && runs_other(card, args.as_ref())
        }
        Some(Taken { decision: Decision::Answer { .. }, .. }) | None => false,
        Some(_) => true,
    };
    // A draft never left, so it is not what decided; one whose message failed may have arrived all the same.
    if card.status == Status::Drafted && (!card.send_failed || contradicts(card)) {
        card.drop_draft();
    }
    if contradicts(card) {
        if !card.status.is_settled() || card.status == Status::Rejected {
            card.status = Status::Conflict;
        }
        return;
    }
    let is_own = card.own_decision().is_some();
    let other = if runs_other(card, args.as_ref()) { args } else { None };
    match other {
        // Nobody is asked about this call: what is shown is what runs.
        Some(args) if card.ask.is_none() => card.replace_call(ToolCall { args, ..card.call.clone() }),
        Some(args) if !is_own => {
            card.taken = Some(Taken { decision: Decision::Edit { args, note: None }, here: false });
        }
        _ => {}
    }
    if !card.status.is_settled() || card.status == Status::Unknown {
        card.status = Status::Running;
    }
}

/// Whether other arguments run than those that were decided on.
fn runs_other(card: &Card, args: Option<&ArgsText>) -> bool {
    let decided = match card.taken.as_ref().map(|taken| &taken.decision) {
        Some(Decision::Edit { args, .. }) => args,
        _ => &card.call.args,
    };
    args.is_some_and(|args| !same_args(args, decided))
}

fn answered(card: &mut Card, mut answer: Answer) {
    if card.answered {
        return;
    }
    card.answered = true;
    if let Some(Decision::Edit { args, .. }) = &answer.decision
        && same_args(&card.call.args, args)
    {
        answer.decision = Some(Decision::approve());
    }
    card.automatic |= answer.automatic;
    let contradicts = match (card.own_decision(), &answer.decision) {
        (Some(own), Some(shown)) => contradicts(own, shown),
        (Some(_), None) => true,
        (None, _) => false,
    };
    if contradicts {
        if !card.status.is_settled() {
            card.status = Status::Conflict;
        }
        return;
    }
    card.reason = answer.decision.as_ref().and_then(Decision::reason).or(card.reason.take());
    // The arguments of an edit are known already where the call was seen to start.
    let is_known = matches!(
        (&card.taken, &answer.decision),
        (Some(Taken { decision: Decision::Edit { .. }, .. }), Some(Decision::Edit { args, .. })) if args.as_str().is_empty()
    );
    match (&mut card.taken, &answer.decision) {
        _ if is_known => {}
        // Of an edit the backend shows what runs.
        (Some(Taken { here: true, decision }), Some(shown @ Decision::Edit { .. })) => {
            *decision = shown.clone();
        }
        (Some(Taken { here: true, .. }), _) => {}
        (taken, shown) => *taken = shown.clone().map(|decision| Taken { decision, here: false }),
    }
    // What was only missing is made known.
    if !card.status.is_settled() || (card.status == Status::Unknown && !card.has_outcome) {
        let status = answer.decision.as_ref().map_or(Status::Unknown, decided_status);
        // An answer that is read late does not stop what it has started.
        if (card.status, status) != (Status::Running, Status::Approved) {
            card.status = status;
        }
        if card.end == Some(End::Failed) && card.status == Status::Approved {
            card.status = Status::Failed;
        }
    }
}

/// The backend says whether the call may run.
fn ruled(card: &mut Card, runs: bool, decision: Option<Decision>) {
    if card.ruled || card.answered {
        return;
    }
    card.ruled = true;
    if card.status.is_settled() {
        return;
    }
    match card.own_decision() {
        Some(own) if own.kind().runs() != runs => card.status = Status::Conflict,
        own => {
            if own.is_none() {
                card.reason = decision.as_ref().and_then(Decision::reason);
                card.taken = decision.map(|decision| Taken { decision, here: false });
            }
            card.status = ruling_status(runs);
        }
    }
}

fn ruling_status(runs: bool) -> Status {
    if runs { Status::Approved } else { Status::Rejected }
}

/// The backend did not take what was sent from here.
pub(super) fn refused(card: &mut Card, failure: Failure, decided: Option<OfferKind>) {
    let has_left = matches!(card.status, Status::Sending | Status::Sent);
    let counts = matches!(card.status, Status::Approved | Status::Running) && decided.is_none();
    if card.status.is_settled() || counts {
        return;
    }
    let own = card.own_decision().map(Decision::kind);
    // What must not run any more is not kept to be sent again.
    let runs = own.is_some_and(|own| own.runs() || own == OfferKind::Answer);
    let is_doubted = runs && card.ask.as_ref().is_some_and(|ask| ask.doubt.is_some());
    let failure = if is_doubted && failure == Failure::Kept { Failure::Reopened } else { failure };
    let status = match (failure, decided) {
        (Failure::Kept, _) if has_left => {
            card.send_failed = true;
            Status::Drafted
        }
        (Failure::Reopened, _) if has_left => {
            card.drop_draft();
            card.status = Status::Pending;
            if let Some(end) = card.end {
                ended(card, end);
            }
            return;
        }
        (Failure::Kept | Failure::Reopened, _) => return,
        (Failure::Conflict, Some(kind)) if own.is_none_or(|own| own == kind) => {
            card.ruled = true;
            card.status = ruling_status(kind.runs());
            return;
        }
        (Failure::Conflict, _) => Status::Conflict,
        (Failure::Expired, _) => Status::Expired,
        (Failure::Unknown, _) => Status::Unknown,
    };
    if card.status.is_open() {
        card.drop_draft();
    }
    card.status = status;
}

/// Whether the decision that the backend shows is another one than ours.
fn contradicts(own: &Decision, shown: &Decision) -> bool {
    match (own, shown) {
        (Decision::Edit { args, .. }, Decision::Edit { args: shown, .. }) => {
            !shown.as_str().is_empty() && !same_args(args, shown)
        }
        (Decision::Approve { .. }, Decision::Approve { .. })
        | (Decision::Reject { .. }, Decision::Reject { .. }) => false,
        (Decision::Answer { answers }, Decision::Answer { answers: shown }) => answers != shown,
        _ => own.kind() != shown.kind(),
    }
}

/// Where a request stands once this decision counts.
fn decided_status(decision: &Decision) -> Status {
    match decision {
        Decision::Approve { .. } | Decision::Edit { .. } => Status::Approved,
        Decision::Reject { .. } | Decision::Ignore => Status::Rejected,
        Decision::Respond { .. } | Decision::Answer { .. } => Status::Responded,
        Decision::Cancel => Status::Cancelled,
    }
}

fn settle(card: &mut Card, mut outcome: Outcome) {
    if card.has_outcome {
        return;
    }
    card.has_outcome = true;
    // A run that failed says nothing of the call.
    let run_failed = card.status == Status::Failed && card.end.is_none();
    let contradicts = outcome_contradicts(card, &outcome);
    let status = meaning(card, &mut outcome);
    card.result = outcome.result;
    card.error = outcome.error;
    if outcome.contradiction == Contradiction::Conflict && contradicts {
        card.status = if card.status.is_settled() && card.status != Status::Rejected {
            card.status
        } else {
            Status::Conflict
        };
        return;
    }
    // Words were read from the wire before, but what really happened outweighs them.
    let words = card.answered || card.ruled;
    let only_words = card.status == Status::Unknown
        || (words && matches!(card.status, Status::Rejected | Status::Responded));
    let ended_with_decision = card.end.is_some() && card.taken.is_some() && card.status == Status::Rejected;
    if card.status.is_settled() && !only_words && !ended_with_decision && !run_failed {
        return;
    }
    // A draft never left, so it is not what decided; one whose message failed may have arrived all the same.
    let may_have_arrived = card.send_failed && !contradicts;
    if card.status == Status::Drafted && !may_have_arrived {
        card.drop_draft();
    }
    if status == Status::Rejected && card.reason.is_none() && card.own_decision().is_none() {
        card.reason = outcome.reason;
    }
    card.status = status;
}

/// What an outcome means, where that depends on what was decided here and left; it keeps only what belongs to that.
fn meaning(card: &Card, outcome: &mut Outcome) -> Status {
    let own = card.own_decision().filter(|_| card.status != Status::Drafted || card.send_failed);
    let stands = outcome.contradiction == Contradiction::DecisionStands
        || (outcome.contradiction == Contradiction::Conflict
            && own.is_some_and(|own| are_our_words(own, outcome)));
    let decided = own.map(decided_status);
    let status = match (outcome.kind, decided) {
        (_, Some(Status::Approved)) if stands && outcome.error.is_some() => Status::Failed,
        (_, Some(Status::Approved)) if stands => Status::Completed,
        (_, Some(decided)) if stands => {
            outcome.result = None;
            outcome.error = None;
            return decided;
        }
        (OutcomeKind::Returned, Some(Status::Approved)) | (OutcomeKind::Completed, _) => Status::Completed,
        (OutcomeKind::Failed, _) => Status::Failed,
        (OutcomeKind::Rejected, _) => Status::Rejected,
        (OutcomeKind::Responded, _) => Status::Responded,
        (OutcomeKind::Returned | OutcomeKind::Unknown, _) => Status::Unknown,
    };
    match status {
        Status::Failed if stands => outcome.result = None,
        Status::Completed | Status::Unknown if stands => outcome.error = None,
        _ => {}
    }
    status
}

/// Whether what came back as the result is what we have sent, in the place of a run.
fn are_our_words(own: &Decision, outcome: &Outcome) -> bool {
    let (Decision::Respond { text: words } | Decision::Reject { reason: Some(words), .. }) = own else {
        return false;
    };
    matches!(outcome.kind, OutcomeKind::Completed | OutcomeKind::Returned)
        && outcome.result.as_ref().is_some_and(|result| is_string(result, words))
}

/// Whether a JSON text is a string with this content, however it is escaped.
fn is_string(json: &str, content: &str) -> bool {
    Document::parse(json, &Limits::default()).is_ok_and(|document| document.root().equals(content))
}

fn outcome_contradicts(card: &Card, outcome: &Outcome) -> bool {
    let Some(own) = card.own_decision() else { return false };
    match outcome.kind {
        OutcomeKind::Completed | OutcomeKind::Failed | OutcomeKind::Returned => {
            matches!(own, Decision::Reject { .. } | Decision::Respond { .. } | Decision::Ignore)
                && !are_our_words(own, outcome)
        }
        OutcomeKind::Rejected => own.kind().runs() || own.kind() == OfferKind::Answer,
        OutcomeKind::Responded | OutcomeKind::Unknown => false,
    }
}

fn close(card: &mut Card, closed: Closed) {
    let status = match closed {
        Closed::Expired => Status::Expired,
        Closed::Superseded => Status::Superseded,
        Closed::Cancelled => Status::Cancelled,
        Closed::Conflict => Status::Conflict,
        Closed::Unknown => Status::Unknown,
    };
    match card.status {
        Status::Requested | Status::Streaming | Status::Pending | Status::Drafted | Status::Blocked => {
            card.drop_draft();
            card.status = status;
        }
        // Our answer was on its way: only the backend's clear word outweighs it.
        Status::Sending | Status::Sent
            if matches!(closed, Closed::Expired | Closed::Conflict | Closed::Cancelled) =>
        {
            card.status = status;
        }
        _ => {}
    }
}

pub(super) fn ended(card: &mut Card, end: End) {
    card.end = Some(end);
    match card.status {
        Status::Sent => {
            if let Some(decision) = card.own_decision() {
                card.status = decided_status(decision);
                if end == End::Failed && card.status == Status::Approved {
                    card.status = Status::Failed;
                }
            }
        }
        Status::Approved | Status::Running if end == End::Failed && card.ask.is_some() => {
            card.status = Status::Failed
        }
        Status::Pending | Status::Drafted | Status::Blocked => expire_with(card, end),
        Status::Requested if card.ask.is_some() => expire_with(card, end),
        _ => {}
    }
}

fn expire_with(card: &mut Card, end: End) {
    card.drop_draft();
    card.status = match end {
        End::Cancelled => Status::Cancelled,
        End::Unknown => Status::Unknown,
        End::Completed | End::Failed => Status::Expired,
    };
}
