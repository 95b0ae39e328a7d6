//! The closed set of words, and what statuses mean.

use countersign_core::{Failure, GrantScope, Offer, OfferKind, Words};
use countersign_json::Value;

use super::memory::Channel;

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

/// The kind of decision that this word stands for, in exactly this spelling.
pub(super) fn kind(word: Option<Value<'_>>) -> Option<OfferKind> {
    let word = word?;
    OUTCOMES.iter().find(|(known, _)| word.equals(known)).map(|(_, kind)| *kind)
}

/// What may be decided on a call. `named` is what the request itself allows, where its wire says that.
pub(super) fn offers(channel: Channel, named: Option<Value<'_>>, editable: bool) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (word, kind) in OUTCOMES {
        let is_edit = kind == OfferKind::Edit;
        let offered = match named.filter(|_| channel.names_outcomes()) {
            None => !is_edit,
            Some(named) => named.items().any(|name| name.equals(word)) && (editable || !is_edit),
        };
        if offered {
            offers.push(offer(kind));
        }
    }
    offers
}

/// What may be decided on a question: an approval without words would run it without an answer.
pub(super) fn answers() -> Vec<Offer> {
    vec![offer(OfferKind::Answer), offer(OfferKind::Reject)]
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
pub(super) fn failure(status: Option<u16>, detail: &str) -> Failure {
    match status {
        Some(409) if names_timeout(detail) => Failure::Expired,
        Some(409) => Failure::Conflict,
        Some(404) => Failure::Unknown,
        Some(422) => Failure::Reopened,
        _ => Failure::Kept,
    }
}

/// Whether the detail says that the server decided by itself; a search of the library's weighs more than all of this file.
fn names_timeout(detail: &str) -> bool {
    const WORDS: &[u8] = b"already decided: timeout";
    detail.as_bytes().windows(WORDS.len()).any(|window| window == WORDS)
}
