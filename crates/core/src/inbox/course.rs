//! How a card goes on: it waits, runs, is refused, closes, ends.

use std::sync::Arc;

use super::ask::same_args;
use super::card::{Card, Taken};
use super::outcome::{decided_status, ruling_status, run_failed, wake};
use crate::adapter::Failure;
use crate::call::{ArgsText, ToolCall};
use crate::decision::Decision;
use crate::observation::{Closed, End, Standing};
use crate::offer::OfferKind;
use crate::status::Status;

pub(super) fn stand(card: &mut Card, standing: Standing) {
    if let Some(ask) = &mut card.ask {
        ask.standing = standing;
    }
    if standing == Standing::Open {
        card.closed = None;
    }
    card.status = standing_status(card, standing);
}

/// It waits for a person again, as far as one can answer it.
pub(super) fn wait(card: &mut Card) {
    card.status = Status::Pending;
    if let Some(ask) = &card.ask {
        card.status = standing_status(card, ask.standing);
    }
}

/// The status of a card that stands so.
pub(super) fn standing_status(card: &Card, standing: Standing) -> Status {
    if card.end.is_some() {
        return card.status;
    }
    match (card.status, standing) {
        (Status::Requested | Status::Streaming, Standing::Open) => Status::Pending,
        (Status::Blocked, Standing::Open) if card.taken.is_none() => Status::Pending,
        (Status::Pending | Status::Streaming, Standing::Announced) => Status::Requested,
        (Status::Requested | Status::Streaming | Status::Pending, Standing::Blocked) => Status::Blocked,
        // The run failed over an answer that was taken; now it is known that no other one can be given.
        (Status::Failed, Standing::Blocked) if !card.has_outcome => Status::Blocked,
        (status, _) => status,
    }
}

pub(super) fn run(card: &mut Card) {
    if !card.status.is_settled() && card.own_decision().is_none_or(|decision| decision.kind().runs()) {
        card.drop_draft_unless(card.may_have_arrived);
        card.status = Status::Running;
    }
}

pub(super) fn start(card: &mut Card, args: Option<ArgsText>) {
    if card.has_outcome {
        return;
    }
    wake(card);
    let contradicts = |card: &Card| match card.taken.as_ref() {
        Some(Taken { decision: Decision::Approve { .. } | Decision::Edit { .. }, here }) => {
            *here && runs_other(card, args.as_ref())
        }
        Some(Taken { decision: Decision::Answer { .. }, .. }) | None => false,
        Some(_) => true,
    };
    // A rejection that was refused was meant.
    card.drop_draft_unless(card.may_have_arrived || (card.send_failed && contradicts(card)));
    if contradicts(card) {
        if !card.status.is_settled() || matches!(card.status, Status::Rejected | Status::Unknown) {
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

/// The backend did not take what was sent from here.
pub(super) fn refused(card: &mut Card, failure: Failure) {
    // A run that failed over an answer has not kept it.
    let is_run = run_failed(card) && !card.has_outcome && failure == Failure::Reopened;
    let has_left = is_run || matches!(card.status, Status::Sending | Status::Sent);
    let is_told_what = matches!(failure, Failure::Decided(_));
    let counts = matches!(card.status, Status::Approved | Status::Running) && !is_told_what;
    if (card.status.is_settled() && !is_run) || counts {
        return;
    }
    let own = card.own_decision().map(Decision::kind);
    // What must not run any more is not kept to be sent again.
    let is_doubted =
        own.is_some_and(OfferKind::goes_on) && card.ask.as_ref().is_some_and(|ask| ask.doubt.is_some());
    let is_lost = is_doubted && failure == Failure::Kept;
    let failure = if is_lost { Failure::Reopened } else { failure };
    if is_lost {
        // Nobody knows whether it arrived: what came on the way must come once more.
        card.newer = None;
    }
    let status = match failure {
        Failure::Kept if has_left => {
            card.send_failed = true;
            Status::Drafted
        }
        Failure::Reopened if has_left => {
            let message = card.outbound.take();
            card.drop_draft();
            card.refused_message = message;
            card.error = None;
            card.status = Status::Pending;
            if let Some(end) = card.end {
                ended(card, end);
            }
            return;
        }
        Failure::Kept | Failure::Reopened => return,
        // A first edit that is refused was preceded by another one, and what that runs is not known.
        Failure::Decided(OfferKind::Edit) if own == Some(OfferKind::Edit) && !card.may_have_arrived => {
            Status::Conflict
        }
        Failure::Decided(kind) if own.is_none_or(|own| own == kind) => {
            card.ruled = true;
            card.status = ruling_status(kind.runs());
            return;
        }
        Failure::Conflict | Failure::Decided(_) => Status::Conflict,
        Failure::Expired => Status::Expired,
        Failure::Unknown => Status::Unknown,
    };
    if card.status.is_open() {
        card.drop_draft();
    }
    card.status = status;
}

pub(super) fn close(card: &mut Card, closed: Closed) {
    // From here on it is the backend that says so. Who cancels a request may come too late.
    card.timed_out = closed == Closed::Cancelled;
    let status = match closed {
        Closed::Expired => Status::Expired,
        Closed::Superseded => Status::Superseded,
        Closed::Cancelled => Status::Cancelled,
        Closed::Unknown => Status::Unknown,
    };
    match card.status {
        // It may have been taken after all: that it is gone does not say that it was not.
        Status::Drafted
            if card.may_have_arrived && matches!(closed, Closed::Superseded | Closed::Unknown) =>
        {
            card.send_failed = false;
            card.status = Status::Unknown;
        }
        Status::Requested | Status::Streaming | Status::Pending | Status::Drafted | Status::Blocked => {
            card.drop_draft();
            card.status = status;
        }
        // Nobody decided on it, and nobody will say what became of it.
        Status::Running if closed == Closed::Unknown && card.ask.is_none() => card.status = status,
        // Our answer was on its way: only the backend's clear word outweighs it.
        Status::Sending | Status::Sent if matches!(closed, Closed::Expired | Closed::Cancelled) => {
            card.status = status;
        }
        // What was only missing from a list is made known.
        Status::Unknown | Status::Approved | Status::Rejected
            if card.end == Some(End::Unknown)
                && matches!(closed, Closed::Expired | Closed::Cancelled)
                && !card.is_told() =>
        {
            card.status = status;
        }
        // Nobody rejected what was not answered in time: the outcome alone looked so.
        Status::Rejected if closed == Closed::Expired && !card.answered && !card.ruled => {
            card.status = status
        }
        // It counts once our answer turns out not to have been taken.
        _ if card.status == Status::Sending || card.rests_on_own_word() => card.closed = Some(closed),
        _ => {}
    }
    if card.status.is_settled() && card.forgotten.is_some() {
        card.error = card.forgotten.clone();
    }
}

/// The backend knows nothing of it any more. What has left may have run; what has not never will. Whether that is news.
pub(super) fn forget(card: &mut Card, why: &Arc<str>) -> bool {
    if card.status == Status::Sent {
        ended(card, End::Unknown);
        return true;
    }
    // Of a message on its way it will be known whether it came before that.
    if matches!(card.status, Status::Approved | Status::Running) || card.forgotten.is_some() {
        return false;
    }
    card.forgotten = Some(why.clone());
    close(card, Closed::Superseded);
    true
}

/// The backend lists it after all: it waits again, unless something else ended it. An outcome that was told of it before is
/// another call's, unless it was decided here.
pub(super) fn find(card: &mut Card) {
    if card.has_outcome && card.own_decision().is_none() {
        (card.has_outcome, card.answered, card.ruled) = (false, false, false);
        (card.result, card.error, card.reason, card.taken) = (None, None, None, None);
        card.status = Status::Superseded;
    }
    if card.status == Status::Superseded && card.lacks_word() {
        wait(card);
    }
}

pub(super) fn ended(card: &mut Card, end: End) {
    card.end = Some(end);
    match card.status {
        _ if card.was_delivered() => {
            if let Some(decision) = card.own_decision() {
                card.status = decided_status(decision);
                if end == End::Failed && card.status == Status::Approved {
                    card.status = Status::Failed;
                }
            }
        }
        Status::Approved | Status::Running if end == End::Failed && card.ask.is_some() => {
            card.status = Status::Failed;
        }
        Status::Pending | Status::Drafted | Status::Blocked => expire_with(card, end),
        // Of what was lost on its way it is known now that nothing came of it.
        Status::Unknown
            if end == End::Cancelled && card.may_have_arrived && !(card.answered || card.has_outcome) =>
        {
            expire_with(card, end)
        }
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
