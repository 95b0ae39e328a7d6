//! Whether a decision may be taken: every rule that stands between a click and a message.

use countersign_json::{
    Document, HazardCode, Limits, Numbers, changed_number, inspect_text, same, shallow_patch,
};

use super::Inbox;
use super::card::{Asked, Card};
use crate::call::{ArgsText, Argument};
use crate::decision::{Decision, Shown};
use crate::error::Refusal;
use crate::ids::RequestRef;
use crate::offer::{Offer, OfferKind, Words};
use crate::request::{Question, Subject};
use crate::status::Status;

impl Inbox {
    /// The decision to record for this one, or why it cannot be taken.
    pub(super) fn check(
        &self,
        index: u32,
        request: &RequestRef,
        decision: Decision,
        seen: Option<&Shown>,
        named: Option<&str>,
    ) -> Result<Decision, Refusal> {
        let unknown = || Refusal::UnknownRequest { id: request.to_string() };
        let card = self.card(index).ok_or_else(unknown)?;
        let ask = card.ask.as_ref().ok_or_else(unknown)?;
        check_status(card, request, decision.kind())?;
        if seen.is_some_and(|seen| !seen.is(&card.call.tool, card.digest())) {
            return Err(Refusal::ArgsChanged { request: request.clone() });
        }
        let offer = self.check_offered(card, ask, request, &decision, named)?;
        check_words(&decision, &offer, self.options.words, request)?;
        match decision {
            Decision::Edit { args, note } => {
                self.check_edit(card, ask, request, &args)?;
                let unchanged = ask.edits.unchanged_approves && same_spelling(&card.call.args, &args);
                let approves = ask.offers.iter().any(|offer| offer.kind == OfferKind::Approve)
                    && card.permits(OfferKind::Approve);
                Ok(if unchanged && approves { Decision::approve() } else { Decision::Edit { args, note } })
            }
            Decision::Answer { answers } => {
                check_answers(ask, request, &answers)?;
                Ok(Decision::Answer { answers })
            }
            decision => Ok(decision),
        }
    }

    fn check_offered(
        &self,
        card: &Card,
        ask: &Asked,
        request: &RequestRef,
        decision: &Decision,
        named: Option<&str>,
    ) -> Result<Offer, Refusal> {
        let kind = decision.kind();
        let not_offered = || Refusal::NotOffered { request: request.clone(), kind };
        // To take another offer in the place of the one that is named could permit more than was meant.
        let is_named = |offer: &Offer| named.is_none_or(|id| offer.id.as_deref() == Some(id));
        let offered = |offer: &&Offer| fits(offer, decision) && is_named(offer) && card.permits(kind);
        let offer = ask.offers.iter().find(offered).ok_or_else(not_offered)?;
        if kind.goes_on()
            && let Some(reason) = card.doubt(&self.options.args_limits)
        {
            return Err(Refusal::ArgsAmbiguous { request: request.clone(), reason });
        }
        match self.uniform_kind(ask) {
            Some(only) if only != kind => Err(not_offered()),
            _ => Ok(offer.clone()),
        }
    }

    /// The one kind that still fits into the batch, where all its requests get the same word.
    pub(super) fn uniform_kind(&self, ask: &Asked) -> Option<OfferKind> {
        if !ask.batch_rule.uniform {
            return None;
        }
        self.by_batch.at(ask.group).iter().find_map(|index| self.card(*index)?.drafted_kind())
    }

    fn check_edit(
        &self,
        card: &Card,
        ask: &Asked,
        request: &RequestRef,
        args: &ArgsText,
    ) -> Result<(), Refusal> {
        let invalid = |reason: String| Refusal::ArgsInvalid { request: request.clone(), reason };
        let inspection = inspect_text(args.as_str(), &self.options.args_limits);
        let blocking = inspection.hazards.iter().find(|hazard| {
            hazard.code.blocks()
                && !(matches!(ask.argument, Argument::Any | Argument::Positional)
                    && hazard.code == HazardCode::NotAnObject)
        });
        if let Some(hazard) = blocking {
            let (request, reason) = (request.clone(), hazard.message.clone());
            return Err(match hazard.code {
                HazardCode::DuplicateKey => Refusal::ArgsAmbiguous { request, reason },
                _ => Refusal::ArgsInvalid { request, reason },
            });
        }
        if !ask.edits.empty_allowed && is_empty(args) {
            return Err(invalid("the backend takes an empty object for no edit at all".to_owned()));
        }
        if ask.edits.floats
            && let Some(number) = changed(&card.call.args, args)
        {
            return Err(invalid(format!("the backend would change the number `{number}`")));
        }
        if ask.edits.merges {
            let patch = shallow_patch(card.call.args.as_str(), args.as_str())
                .map_err(|error| invalid(error.to_string()))?;
            if let Some(name) = patch.removed.first() {
                return Err(invalid(format!(
                    "the backend keeps members that are left out, so `{name}` cannot be removed"
                )));
            }
        }
        if let (Some(check), Some(schema)) = (self.options.args_check, self.schema(card)) {
            check(schema, args.as_str()).map_err(invalid)?;
        }
        match self.forbids(card, args) {
            Some(rule) => Err(invalid(format!("the rule `{rule}` keeps the call from running with them"))),
            None => Ok(()),
        }
    }
}

fn check_status(card: &Card, request: &RequestRef, kind: OfferKind) -> Result<(), Refusal> {
    match card.status {
        Status::Pending if card.is_answerable() => Ok(()),
        Status::Pending | Status::Requested | Status::Streaming => {
            Err(Refusal::NotOffered { request: request.clone(), kind })
        }
        status => Err(refusal(status, request)),
    }
}

/// Why an act is refused on a request that stands so.
pub(super) fn refusal(status: Status, request: &RequestRef) -> Refusal {
    let request = request.clone();
    match status {
        Status::Pending | Status::Requested | Status::Streaming => Refusal::Undecided { request, status },
        Status::Expired => Refusal::Expired { request },
        Status::Superseded => Refusal::Superseded { request },
        Status::Blocked => Refusal::Blocked { request },
        status => Refusal::AlreadyDecided { request, status },
    }
}

/// Whether this offer is the one that the decision takes.
fn fits(offer: &Offer, decision: &Decision) -> bool {
    let scope = match decision {
        Decision::Approve { scope } | Decision::Reject { scope, .. } => *scope,
        _ => return offer.kind == decision.kind(),
    };
    offer.kind == decision.kind() && offer.scope.is_none_or(|offered| offered == scope)
}

fn check_words(
    decision: &Decision,
    offer: &Offer,
    limit: usize,
    request: &RequestRef,
) -> Result<(), Refusal> {
    let words = match decision {
        Decision::Reject { reason, .. } => reason.as_deref(),
        Decision::Edit { note, .. } => note.as_deref(),
        Decision::Respond { text } => Some(text.as_ref()),
        _ => None,
    };
    let length = words.map_or(0, |words| words.chars().count());
    if length > limit {
        return Err(Refusal::WordsTooLong { request: request.clone(), length, limit });
    }
    if offer.reason == Words::Required && words.is_none_or(|words| words.trim().is_empty()) {
        return Err(Refusal::ReasonRequired { request: request.clone() });
    }
    Ok(())
}

fn check_answers(ask: &Asked, request: &RequestRef, answers: &[Vec<String>]) -> Result<(), Refusal> {
    let Subject::Questions(questions) = &ask.subject else {
        return Err(Refusal::NotOffered { request: request.clone(), kind: OfferKind::Answer });
    };
    let is_given = |question: &Question, answers: &Vec<String>| {
        // Free text is one text.
        let is_one = answers.len() == 1 || question.multiple || !question.choices.is_empty();
        !answers.is_empty() && is_one && answers.iter().all(|answer| !answer.trim().is_empty())
    };
    let given = |(at, question)| answers.get(at).is_some_and(|answers| is_given(question, answers));
    let missing = questions.iter().enumerate().position(|it| !given(it));
    match missing {
        Some(at) => Err(Refusal::IncompleteAnswer { request: request.clone(), missing: at + 1 }),
        None if answers.len() > questions.len() => {
            Err(Refusal::IncompleteAnswer { request: request.clone(), missing: questions.len() + 1 })
        }
        None => Ok(()),
    }
}

/// Whether two argument texts differ in the order of members and in spacing at most: `5.0` is an edit of `5`.
pub(super) fn same_spelling(one: &ArgsText, other: &ArgsText) -> bool {
    let limits = Limits::default();
    match (Document::parse(one.as_str(), &limits), Document::parse(other.as_str(), &limits)) {
        (Ok(one), Ok(other)) => same(one.root(), other.root(), Numbers::Lexeme),
        _ => false,
    }
}

/// A number of an edit that a backend with 64-bit floats would make another one of.
fn changed(known: &ArgsText, edit: &ArgsText) -> Option<String> {
    let limits = Limits::default();
    let known = Document::parse(known.as_str(), &limits).ok()?;
    let edit = Document::parse(edit.as_str(), &limits).ok()?;
    changed_number(edit.root(), known.root()).map(|number| number.text().to_owned())
}

fn is_empty(args: &ArgsText) -> bool {
    Document::parse(args.as_str(), &Limits::default()).is_ok_and(|document| document.root().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::GrantScope;

    #[test]
    fn r34_what_is_answered_for_longer_reaches_as_far_as_its_offer_says() {
        use GrantScope::{SameArgs, Server, Tool};
        for (offered, scope, expected) in [
            (Some(Tool), Tool, true),
            (Some(Tool), Server, false),
            (Some(SameArgs), Tool, false),
            (None, Server, true),
        ] {
            let reject = Decision::Reject { reason: None, scope };
            for (decision, kind) in
                [(Decision::Approve { scope }, OfferKind::ApproveAlways), (reject, OfferKind::RejectAlways)]
            {
                let offer = Offer { scope: offered, ..Offer::new(kind) };
                assert_eq!(fits(&offer, &decision), expected, "{offer:?} {decision:?}");
            }
        }
    }
}
