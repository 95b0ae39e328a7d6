//! What was answered, by whomever, and what became of the call.

use countersign_json::{Document, Limits, python};

use super::ask::same_args;
use super::card::{Card, Taken};
use super::check::same_spelling;
use crate::call::ArgsText;
use crate::decision::Decision;
use crate::observation::{Answer, Contradiction, End, Outcome, OutcomeKind};
use crate::offer::OfferKind;
use crate::status::Status;

/// Takes in an answer of this reading.
pub(super) fn answered(card: &mut Card, mut answer: Answer, reading: u32) {
    if card.answered {
        return;
    }
    card.answered = true;
    wake(card);
    if let Some(Decision::Edit { args, .. }) = &answer.decision
        && !is_our_edit(card, args)
        && same_spelling(&card.call.args, args)
    {
        answer.decision = Some(Decision::approve());
    }
    let contradicts = match (card.own_decision(), &answer.decision) {
        (Some(own), Some(shown)) => contradicts(own, shown),
        (Some(_), None) => true,
        (None, _) => false,
    };
    card.drop_draft_unless(contradicts || card.may_have_arrived);
    card.automatic |= answer.automatic;
    if contradicts {
        let may_change = may_become_known(card) || (run_failed(card) && !card.has_outcome);
        if may_change || is_our_word_alone(card) || has_run_by_our_word(card, &answer) {
            card.status = Status::Conflict;
            card.against = Some(Box::new((reading, answer)));
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
    if std::mem::take(&mut card.is_unproven) && card.status == Status::Unknown {
        card.status = if card.error.is_some() { Status::Failed } else { Status::Completed };
    }
    if may_become_known(card) {
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

/// The backend says whether the call may run; once it has said so, only to what it was edited is news.
pub(super) fn ruled(card: &mut Card, runs: bool, decision: Option<Decision>) {
    let edited = match &decision {
        Some(Decision::Edit { args, .. }) => Some(args),
        _ => None,
    };
    if card.answered || (card.ruled && edited.is_none()) {
        return;
    }
    card.ruled = true;
    wake(card);
    let was_missing = card.status == Status::Unknown && card.end == Some(End::Unknown);
    if card.status.is_settled() && !was_missing {
        return;
    }
    card.drop_draft_unless(card.may_have_arrived);
    let own = card.own_decision();
    let is_other = own.zip(decision.as_ref()).is_some_and(|(own, shown)| contradicts(own, shown));
    match own {
        Some(own) if own.kind().runs() != runs => card.status = Status::Conflict,
        Some(_) if is_other && edited.is_some_and(|args| !same_spelling(&card.call.args, args)) => {
            card.status = Status::Conflict;
        }
        own => {
            if own.is_none() {
                card.reason = decision.as_ref().and_then(Decision::reason);
                card.taken = decision.map(|decision| Taken { decision, here: false });
            }
            card.status = ruling_status(runs);
        }
    }
}

/// Whether news of the answer may say where it stands: it is not settled, or only was missing.
fn may_become_known(card: &Card) -> bool {
    !card.status.is_settled() || (card.status == Status::Unknown && !card.has_outcome)
}

/// Whether it counts as decided because what we sent was there when the run ended: whose answer it was nobody has said yet.
fn is_our_word_alone(card: &Card) -> bool {
    let is_decided = matches!(card.status, Status::Approved | Status::Rejected | Status::Responded);
    is_decided && card.end.is_some() && !card.ruled && !card.has_outcome
}

/// Whether the call has run, and that it ran as was decided here is nobody's word but ours: now it is shown how it was answered.
fn has_run_by_our_word(card: &Card, answer: &Answer) -> bool {
    let has_run = matches!(card.status, Status::Completed | Status::Failed | Status::Unknown);
    let runs = |decision: &Decision| decision.kind().runs();
    let are_both = card.own_decision().is_some_and(runs) && answer.decision.as_ref().is_some_and(runs);
    card.has_outcome && has_run && are_both
}

/// Whether all that is known is that a run failed over the answer: that says nothing of the call.
pub(super) fn run_failed(card: &Card) -> bool {
    card.status == Status::Failed && card.end.is_none()
}

/// Whether these are the arguments of an edit that was made here, as the backend writes them.
fn is_our_edit(card: &Card, shown: &ArgsText) -> bool {
    matches!(card.own_decision(), Some(Decision::Edit { args, .. }) if same_edit(args, shown))
}

/// Whether a backend may show one edit as the other: Python keeps no more digits of a fraction than its floats do.
fn same_edit(own: &ArgsText, shown: &ArgsText) -> bool {
    let printed =
        |args: &ArgsText| Some(python(Document::parse(args.as_str(), &Limits::default()).ok()?.root()));
    same_args(own, shown) || printed(own).is_some_and(|own| Some(own) == printed(shown))
}

/// Takes back that nobody answered in time, where only the clock here had said so, or that the request was cancelled:
/// what happens to the call is known better.
pub(super) fn wake(card: &mut Card) {
    if std::mem::take(&mut card.timed_out) && matches!(card.status, Status::Expired | Status::Cancelled) {
        card.status = Status::Pending;
    }
}

pub(super) fn ruling_status(runs: bool) -> Status {
    if runs { Status::Approved } else { Status::Rejected }
}

/// Whether the decision that the backend shows is another one than ours.
fn contradicts(own: &Decision, shown: &Decision) -> bool {
    match (own, shown) {
        (Decision::Edit { args, .. }, Decision::Edit { args: shown, .. }) => {
            !shown.as_str().is_empty() && !same_edit(args, shown)
        }
        (Decision::Approve { .. }, Decision::Approve { .. })
        | (Decision::Reject { .. }, Decision::Reject { .. }) => false,
        (Decision::Answer { answers }, Decision::Answer { answers: shown }) => answers != shown,
        _ => own.kind() != shown.kind(),
    }
}

/// Where a request stands once this decision counts.
pub(super) fn decided_status(decision: &Decision) -> Status {
    match decision {
        Decision::Approve { .. } | Decision::Edit { .. } => Status::Approved,
        Decision::Reject { .. } | Decision::Ignore => Status::Rejected,
        Decision::Respond { .. } | Decision::Answer { .. } => Status::Responded,
        Decision::Cancel => Status::Cancelled,
    }
}

pub(super) fn settle(card: &mut Card, mut outcome: Outcome, reading: u32) {
    if card.has_outcome && !std::mem::take(&mut card.is_broken) {
        return;
    }
    // What one message shows of the run outweighs the words in it, also those that stand against ours.
    let stands = outcome.contradiction == Contradiction::OutcomeStands;
    if let Some((seen, answer)) = card.against.take().map(|against| *against)
        && (seen, stands) == (reading, true)
    {
        (card.status, card.taken, card.reason) = (Status::Pending, None, None);
        (card.answered, card.decided_at) = (false, None);
        answered(card, answer, reading);
    }
    let run_failed = run_failed(card);
    card.has_outcome = true;
    card.reads_own = card.status == Status::Sending && outcome.contradiction == Contradiction::DecisionStands;
    if outcome.kind != OutcomeKind::Rejected {
        wake(card);
    }
    let contradicts = outcome_contradicts(card, &outcome);
    card.is_unproven = is_doubted(card, &outcome);
    let status = meaning(card, &mut outcome);
    card.result = outcome.result;
    card.error = outcome.error;
    if outcome.contradiction == Contradiction::Conflict && contradicts {
        let may_change = matches!(card.status, Status::Rejected | Status::Responded | Status::Unknown);
        let is_final = card.status.is_settled() && !(may_change || run_failed);
        card.status = if is_final { card.status } else { Status::Conflict };
        return;
    }
    // Words were read from the wire before, but what really happened outweighs them, and that nothing was seen of it.
    let words = card.answered || card.ruled;
    let only_words = matches!(card.status, Status::Unknown | Status::Superseded)
        || (words && matches!(card.status, Status::Rejected | Status::Responded));
    // Of a run that ended before an answer was seen, it may be seen later that there had been one.
    let ended_with_decision = card.end.is_some()
        && match card.status {
            Status::Rejected | Status::Responded => card.taken.is_some(),
            Status::Expired | Status::Cancelled => card.answered && card.own_decision().is_none(),
            _ => false,
        };
    if card.status.is_settled() && !only_words && !ended_with_decision && !run_failed {
        return;
    }
    card.drop_draft_unless(card.may_have_arrived && !contradicts);
    let is_rejected_here = matches!(card.own_decision(), Some(Decision::Reject { .. }));
    if status == Status::Rejected && card.reason.is_none() && !is_rejected_here {
        card.reason = outcome.reason;
    }
    card.status = status;
}

/// The decision that was taken here, if it may have reached the backend.
fn own_that_left(card: &Card) -> Option<&Decision> {
    card.own_decision().filter(|_| card.status != Status::Drafted || card.may_have_arrived)
}

/// Whether an outcome may be that of another answer, so that what was decided here does not say what it means.
fn is_doubted(card: &Card, outcome: &Outcome) -> bool {
    let is_run = matches!(outcome.kind, OutcomeKind::Completed | OutcomeKind::Failed | OutcomeKind::Returned);
    let is_doubtful =
        |own: &Decision| !matches!(own, Decision::Approve { .. }) && !are_our_words(own, outcome);
    outcome.is_unproven && is_run && !card.answered && own_that_left(card).is_some_and(is_doubtful)
}

/// What an outcome means, where that depends on what was decided here and left; it keeps only what belongs to that.
fn meaning(card: &Card, outcome: &mut Outcome) -> Status {
    if card.is_unproven {
        return Status::Unknown;
    }
    let own = own_that_left(card);
    let stands = outcome.contradiction == Contradiction::DecisionStands
        || (outcome.contradiction == Contradiction::Conflict
            && own.is_some_and(|own| are_our_words(own, outcome)));
    // Words of a form that nobody knows, after an answer that the backend has taken: its refusal, or its failure.
    let is_gone = card.end == Some(End::Unknown) && own.is_some();
    if outcome.kind == OutcomeKind::Unknown && outcome.error.is_some() {
        match card.status {
            // Where it only waits no more, ours had arrived.
            Status::Rejected if card.answered || card.ruled || is_gone => {
                outcome.error = None;
                return Status::Rejected;
            }
            Status::Approved | Status::Running if card.answered => return Status::Failed,
            _ => {}
        }
    }
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
        (OutcomeKind::Rejected, _) => {
            outcome.result = None;
            Status::Rejected
        }
        (OutcomeKind::Responded, _) => Status::Responded,
        (OutcomeKind::Returned | OutcomeKind::Words | OutcomeKind::Unknown, _) => Status::Unknown,
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
    match outcome.kind {
        OutcomeKind::Completed | OutcomeKind::Returned | OutcomeKind::Words => {
            outcome.result.as_ref().is_some_and(|result| is_string(result, words))
        }
        OutcomeKind::Failed => outcome.error.as_deref() == Some(&**words),
        _ => false,
    }
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
        OutcomeKind::Words => !are_our_words(own, outcome),
        OutcomeKind::Rejected => own.kind().goes_on() || own.kind() == OfferKind::Respond,
        OutcomeKind::Responded | OutcomeKind::Unknown => false,
    }
}
