//! How far and for how long something may be allowed.

use std::ops::Range;

use countersign_core::{GrantScope, GrantSpan, Millis, OfferKind, RequestView};
use countersign_json::{Document, Limits, pointer};

/// How far something reaches; the narrowest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// This tool with these arguments.
    SameArgs,
    /// This tool as long as some members of the arguments stay.
    Pinned,
    /// This tool.
    Tool,
    /// Every tool of this server.
    Server,
    /// Everything in this session.
    Session,
    /// What the backend itself would remember: the offer at this place.
    Backend(usize),
}

impl Reach {
    /// Whether it is kept here, not by the backend.
    pub(super) fn is_ours(self) -> bool {
        !matches!(self, Reach::Backend(_))
    }

    pub(super) fn scope(self) -> GrantScope {
        match self {
            Reach::SameArgs => GrantScope::SameArgs,
            Reach::Pinned | Reach::Tool => GrantScope::Tool,
            Reach::Server => GrantScope::Server,
            Reach::Session => GrantScope::Session,
            Reach::Backend(_) => GrantScope::Call,
        }
    }
}

/// What may be chosen on this call.
pub(super) fn reaches(view: &RequestView, ours: bool) -> Vec<Reach> {
    let mut reaches = Vec::new();
    if ours && view.offer(OfferKind::Approve).is_some() {
        reaches.push(Reach::SameArgs);
        if members(&view.args_text).len() > 1 {
            reaches.push(Reach::Pinned);
        }
        reaches.push(Reach::Tool);
        if view.server.is_some() {
            reaches.push(Reach::Server);
        }
        reaches.push(Reach::Session);
    }
    for (at, offer) in view.offers.iter().enumerate() {
        let has_words = offer.scope.is_some_and(|scope| scope != GrantScope::Call);
        if offer.kind == OfferKind::ApproveAlways && has_words {
            reaches.push(Reach::Backend(at));
        }
    }
    reaches
}

/// How long it may last: within the session, for a while, and without an end where the host lets that count.
pub(super) fn spans(reach: Reach, lasting: bool) -> Vec<GrantSpan> {
    const HOUR: u64 = 3_600_000;
    let mut spans = vec![GrantSpan::Session, GrantSpan::For(Millis(HOUR)), GrantSpan::For(Millis(24 * HOUR))];
    // What is bound to a session ends with it.
    if reach != Reach::Session {
        spans.push(GrantSpan::For(Millis(7 * 24 * HOUR)));
        if lasting {
            spans.push(GrantSpan::Forever);
        }
    }
    spans
}

/// A member of the arguments.
pub(super) struct Member {
    /// Its name. Untrusted.
    pub(super) name: String,
    /// Where it stands, as a JSON Pointer.
    pub(super) pointer: String,
    /// Where its value stands in the arguments, in bytes.
    pub(super) span: Range<usize>,
}

/// The outermost members of the arguments, where they are an object.
pub(super) fn members(args: &str) -> Vec<Member> {
    let Ok(document) = Document::parse(args, &Limits::default()) else { return Vec::new() };
    let mut members = Vec::new();
    for (key, value) in document.root().members() {
        let name = key.as_str_lossy().unwrap_or_default().into_owned();
        members.push(Member { pointer: pointer::of([&name]), name, span: value.span() });
    }
    members
}
