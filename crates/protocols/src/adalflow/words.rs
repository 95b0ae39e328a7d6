//! The closed set of words, and what statuses mean.

use countersign_core::{Failure, GrantScope, Offer, OfferKind, Words};
use countersign_json::Value;

use super::memory::{Channel, Word};
use crate::reading::detail;

/// What the wire calls each decision. No other word ever leaves, and none is ever read as an approval.
const OUTCOMES: [(&str, OfferKind); 4] = [
    ("proceed_once", OfferKind::Approve),
    ("proceed_always", OfferKind::ApproveAlways),
    ("modify", OfferKind::Edit),
    ("cancel", OfferKind::Reject),
];

/// The word for a decision of this kind.
pub(super) fn outcome(kind: OfferKind) -> Option<&'static str> {
    OUTCOMES.iter().find(|(_, known)| *known == kind).map(|(word, _)| *word)
}

/// What this word says was decided, in exactly this spelling.
pub(super) fn word(word: Option<Value<'_>>) -> Word {
    let known = word.and_then(Value::as_str).and_then(|word| kind_of(&word));
    known.map_or(Word::Failed(Failure::Unknown), Word::Decided)
}

fn kind_of(word: &str) -> Option<OfferKind> {
    OUTCOMES.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
}

/// What may be decided. `named` is what the request itself allows, where its wire says that.
///
/// On a question an approval without words would run it without an answer.
pub(super) fn offers(
    channel: Channel,
    is_question: bool,
    named: Option<Value<'_>>,
    editable: bool,
) -> Vec<Offer> {
    let named = named.filter(|named| channel.names_outcomes() && !named.is_null());
    let mut offers = Vec::new();
    if is_question {
        offers.push(Offer::new(OfferKind::Answer));
    }
    for (word, kind) in OUTCOMES {
        let offered = match (named, kind) {
            _ if is_question => kind == OfferKind::Reject,
            (None, OfferKind::Edit) => false,
            (None, _) => true,
            (Some(_), OfferKind::Edit) if !editable => false,
            (Some(named), _) => named.items().any(|name| name.equals(word)),
        };
        if offered {
            offers.push(offer(kind));
        }
    }
    offers
}

fn offer(kind: OfferKind) -> Offer {
    let mut offer = Offer::new(kind);
    match kind {
        OfferKind::ApproveAlways => offer.scope = Some(GrantScope::Tool),
        OfferKind::Edit | OfferKind::Reject => offer.reason = Words::Local,
        _ => {}
    }
    offer
}

/// What a failed answer means, by its HTTP status or the one in an error message.
pub(super) fn failure(status: Option<u16>, words: &str) -> Failure {
    match status {
        Some(409) if names_timeout(words) => Failure::Expired,
        Some(409) => Failure::Conflict,
        Some(404) => Failure::Unknown,
        Some(422) => Failure::Reopened,
        _ => Failure::Kept,
    }
}

/// What the reply to an answer over HTTP means. Our own word in it says that the answer had arrived before.
pub(super) fn reply_failure(status: Option<u16>, words: &str) -> Failure {
    let failure = failure(status, words);
    let said = detail(words);
    let kind = said.split_once("already decided: ").and_then(|(_, word)| kind_of(word));
    kind.filter(|_| failure == Failure::Conflict).map_or(failure, Failure::Decided)
}

/// Whether the words say that the server decided by itself.
fn names_timeout(words: &str) -> bool {
    detail(words).contains("already decided: timeout")
}
