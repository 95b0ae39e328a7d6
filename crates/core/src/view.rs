//! What a shell draws.

use std::sync::Arc;

use countersign_json::{Hazard, Limits, inspect_text, sha256_hex};
use serde::{Deserialize, Serialize};

use crate::decision::DecisionFields;
use crate::ids::{BatchId, CallId, Millis, OutboundId, RequestId};
use crate::offer::{Offer, OfferKind};
use crate::outbound::OutboundState;
use crate::request::{EditRule, Question};
use crate::risk::{RiskLevel, RiskView};
use crate::status::Status;

/// One card: a tool call, and the request that gates it if there is one.
///
/// A plain value: equal views draw the same card.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct RequestView {
    /// The card's number in order of arrival. No number is used twice: a restore gives each card a new one.
    pub key: u32,
    /// The request's id with its scope, `<scope>/<id>`; for a call that nothing gates `<scope>/call:<call id>`.
    pub id: String,
    /// What a decision is addressed to; absent: nothing gates this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// The agent's id of the tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The tool's name, verbatim; empty, and left out in JSON, where the request is about no tool. Untrusted.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Arc<str>>", optional))]
    pub tool: Arc<str>,
    /// The arguments, exactly as received. Untrusted.
    pub args_text: Arc<str>,
    /// The SHA-256 of the exact text of the arguments, in hexadecimal.
    pub args_digest: Arc<str>,
    /// The JSON Schema that arguments must meet, as JSON text, where the backend or the host gives one. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_schema: Option<Arc<str>>,
    /// The arguments can be read without doubt; otherwise the call cannot be approved.
    pub inspectable: bool,
    /// The tool, the arguments or their schema changed while the request was waiting, or came again as others after the decision.
    pub changed: bool,
    /// The MCP server or toolset that owns the tool. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Arc<str>>,
    /// The agents that led to this call, outermost first. Untrusted.
    pub agent: Vec<Arc<str>>,
    /// Where it stands.
    pub status: Status,
    /// The decisions that may be taken now; empty when none may.
    pub offers: Vec<Offer>,
    /// What an edit does on this wire, where one may be sent now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<EditRule>,
    /// A title. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// A description. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Arc<str>>,
    /// Why it is asked. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Arc<str>>,
    /// The decision, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "DecisionFields & Decision"))]
    pub decision: Option<DecisionFields>,
    /// The rejection reason, as known now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Arc<str>>,
    /// Decided by a rule, not a person.
    pub automatic: bool,
    /// The rule of the host's policy that decided here; of what waits, the one that denies it where the backend takes no
    /// refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Arc<str>>,
    /// For a request that asks questions. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Arc<[Question]>>,
    /// What the tool returned, as JSON text. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_text: Option<Arc<str>>,
    /// What went wrong. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<str>>,
    /// What is answered together with it, while that matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchView>,
    /// When the agent stops waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Millis>,
    /// When a held decision goes out; it never does where the agent stops waiting before or at that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sends_at: Option<Millis>,
    /// When the request was first seen here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Millis>,
    /// When it was decided, where that was seen here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Millis>,
    /// Who decided, once someone did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<DecidedBy>,
    /// How much care it needs, and why; what is settled needs none.
    #[serde(default)]
    pub risk: RiskView,
    /// What is noteworthy about the arguments.
    pub hazards: Vec<HazardView>,
    /// The message that carries the decision, once there is one; of a pending card: that of the decision before, `failed`
    /// because the backend did not take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outbound: Option<OutboundView>,
}

impl RequestView {
    /// A call that waits and offers nothing. Its arguments are looked at as an inbox does: for who draws calls without one.
    #[must_use]
    pub fn of_call(key: u32, tool: impl Into<Arc<str>>, args: impl Into<Arc<str>>) -> RequestView {
        let args_text = args.into();
        let inspection = inspect_text(&args_text, &Limits::ARGUMENTS);
        RequestView {
            key,
            id: key.to_string(),
            request: None,
            call: None,
            tool: tool.into(),
            args_digest: sha256_hex(&args_text).into(),
            args_text,
            args_schema: None,
            inspectable: inspection.inspectable(),
            changed: false,
            server: None,
            agent: Vec::new(),
            status: Status::Pending,
            offers: Vec::new(),
            edits: None,
            title: None,
            description: None,
            hint: None,
            decision: None,
            reason: None,
            automatic: false,
            rule: None,
            questions: None,
            result_text: None,
            error: None,
            batch: None,
            expires_at: None,
            sends_at: None,
            asked_at: None,
            decided_at: None,
            decided_by: None,
            risk: RiskView::default(),
            hazards: inspection.hazards.into_iter().map(HazardView::from).collect(),
            outbound: None,
        }
    }

    /// Whether both draw the same card: how many of a batch are decided is seen only on those that wait for the others.
    #[inline(never)]
    #[must_use]
    pub fn looks_like(&self, other: &RequestView) -> bool {
        self.is_same_but_batch(other) && (self.status == Status::Pending || self.batch == other.batch)
    }

    #[inline(never)]
    fn is_same_but_batch(&self, other: &RequestView) -> bool {
        // Names every field, so that a new one is not forgotten.
        let RequestView {
            key,
            id,
            request,
            call,
            tool,
            args_text,
            args_digest,
            args_schema,
            inspectable,
            changed,
            server,
            agent,
            status,
            offers,
            edits,
            title,
            description,
            hint,
            decision,
            reason,
            automatic,
            rule,
            questions,
            result_text,
            error,
            expires_at,
            sends_at,
            asked_at,
            decided_at,
            decided_by,
            risk,
            hazards,
            outbound,
            batch: _,
        } = self;
        *key == other.key
            && *id == other.id
            && *request == other.request
            && *call == other.call
            && *tool == other.tool
            && *args_text == other.args_text
            && *args_digest == other.args_digest
            && *args_schema == other.args_schema
            && *inspectable == other.inspectable
            && *changed == other.changed
            && *server == other.server
            && *agent == other.agent
            && *status == other.status
            && *offers == other.offers
            && *edits == other.edits
            && *title == other.title
            && *description == other.description
            && *hint == other.hint
            && *decision == other.decision
            && *reason == other.reason
            && *automatic == other.automatic
            && *rule == other.rule
            && *questions == other.questions
            && *result_text == other.result_text
            && *error == other.error
            && *expires_at == other.expires_at
            && *sends_at == other.sends_at
            && *asked_at == other.asked_at
            && *decided_at == other.decided_at
            && *decided_by == other.decided_by
            && *risk == other.risk
            && *hazards == other.hazards
            && *outbound == other.outbound
    }

    /// Whether it is confirmed a second time, never approved together with others, and never by a rule or a grant.
    #[must_use]
    pub fn is_high_risk(&self) -> bool {
        self.risk.level == RiskLevel::High
    }

    /// The offer of this kind, if it may be taken now.
    #[must_use]
    pub fn offer(&self, kind: OfferKind) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.kind == kind)
    }
}

impl PartialEq for RequestView {
    fn eq(&self, other: &RequestView) -> bool {
        self.is_same_but_batch(other) && self.batch == other.batch
    }
}

/// Who decided a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum DecidedBy {
    /// A person, through this inbox.
    Here,
    /// A rule or a grant, without a person.
    Rule,
    /// Someone else, as the backend or another tab says.
    Elsewhere,
}

impl DecidedBy {
    /// The word as JSON spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DecidedBy::Here => "here",
            DecidedBy::Rule => "rule",
            DecidedBy::Elsewhere => "elsewhere",
        }
    }
}

/// The requests that are answered together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BatchView {
    /// The batch.
    pub id: BatchId,
    /// How many requests it holds.
    pub size: usize,
    /// How many of them are decided.
    pub decided: usize,
    /// Where one of them is rejected, the backend runs none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub rejects_all: bool,
}

/// Something noteworthy about arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HazardView {
    /// Where, as a JSON Pointer.
    pub pointer: String,
    /// A stable code in kebab case.
    pub code: String,
    /// One sentence.
    pub message: String,
}

impl From<Hazard> for HazardView {
    fn from(hazard: Hazard) -> HazardView {
        HazardView { pointer: hazard.pointer, code: hazard.code.as_str().to_owned(), message: hazard.message }
    }
}

/// The message that carries a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct OutboundView {
    /// The message.
    pub id: OutboundId,
    /// What became of it.
    pub state: OutboundState,
    /// It is `queued` and must not leave yet: what the backend is at could make another answer of it. It leaves by itself, and can
    /// be taken back until then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub held: bool,
    /// Why it did not arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<str>>,
}
