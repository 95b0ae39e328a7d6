//! Which decisions may be taken now.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::decision::GrantScope;

/// A kind of decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum OfferKind {
    /// Run it as shown, this once.
    Approve,
    /// Run it, and do not ask again within the offer's scope.
    ApproveAlways,
    /// Run it with other arguments.
    Edit,
    /// Do not run it.
    Reject,
    /// Do not run it, and do not ask again within the offer's scope.
    RejectAlways,
    /// Do not run it; the agent gets these words instead of a result.
    Respond,
    /// Neither run nor answer it.
    Ignore,
    /// Answer the questions.
    Answer,
    /// End the whole run.
    Cancel,
}

impl OfferKind {
    /// The kind as JSON and CSS spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            OfferKind::Approve => "approve",
            OfferKind::ApproveAlways => "approve_always",
            OfferKind::Edit => "edit",
            OfferKind::Reject => "reject",
            OfferKind::RejectAlways => "reject_always",
            OfferKind::Respond => "respond",
            OfferKind::Ignore => "ignore",
            OfferKind::Answer => "answer",
            OfferKind::Cancel => "cancel",
        }
    }

    /// Whether the agent would run the tool after a decision of this kind.
    #[must_use]
    pub fn runs(self) -> bool {
        matches!(self, OfferKind::Approve | OfferKind::ApproveAlways | OfferKind::Edit)
    }

    /// Whether the agent goes on with the call after a decision of this kind: it runs, or has its answers. For that nothing of it
    /// may be in doubt.
    pub(crate) fn goes_on(self) -> bool {
        self.runs() || self == OfferKind::Answer
    }
}

/// Whether words that go with a decision reach anyone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Words {
    /// There is no room for words.
    #[default]
    None,
    /// They are kept here and in the audit log; the backend never sees them.
    Local,
    /// They are sent to the backend.
    Sent,
    /// The backend refuses the decision without them.
    Required,
}

/// A decision that may be taken now.
///
/// Filled by the adapter; an interface shows only these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Offer {
    /// What kind of decision it is.
    pub kind: OfferKind,
    /// The backend's own id of this offer, where it has several of one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub id: Option<Arc<str>>,
    /// The backend's own wording. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub label: Option<Arc<str>>,
    /// How far a lasting decision reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub scope: Option<GrantScope>,
    /// What a lasting decision would permit, in the backend's own words. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub grants: Option<Arc<str>>,
    /// Whether a reason or note reaches the backend.
    pub reason: Words,
}

impl Offer {
    /// An offer of this kind without further properties.
    #[must_use]
    pub fn new(kind: OfferKind) -> Offer {
        Offer { kind, id: None, label: None, scope: None, grants: None, reason: Words::None }
    }

    /// The same offer, with what happens to words that go with it.
    #[must_use]
    pub fn words(mut self, reason: Words) -> Offer {
        self.reason = reason;
        self
    }
}
