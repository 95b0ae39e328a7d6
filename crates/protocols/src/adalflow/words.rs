//! The closed set of words, and what statuses mean.

use countersign_core::{Failure, GrantScope, Offer, OfferKind, Words};
use countersign_json::Value;

use super::memory::{Channel, Word};
use super::read::is;
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
    let known = OUTCOMES.iter().find(|(known, _)| is(word, known));
    known.map_or(Word::Failed(Failure::Unknown), |(_, kind)| Word::Decided(*kind))
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

/// Whether the words say that the server decided by itself.
fn names_timeout(words: &str) -> bool {
    detail(words).contains("already decided: timeout")
}
