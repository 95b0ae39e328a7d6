//! The pure machine behind Countersign: what agents ask, what people decide, what must be sent.
//!
//! No clock, no I/O, no randomness, no DOM: time and the seed of identifiers come in as arguments, messages to send
//! go out as values. An [`Adapter`] translates one family of wire dialects; the [`Inbox`] owns the requests of one
//! conversation and decides everything about them.
//!
//! ```text
//! bytes → Adapter::read → Observation → Inbox → RequestView → a person → Decision → Inbox → Adapter::write → Outbound
//! ```

mod adapter;
mod audit;
mod call;
pub mod collections;
mod constraint;
mod decision;
mod error;
mod grant;
mod ids;
mod inbox;
pub mod lookalike;
mod observation;
mod offer;
mod options;
mod outbound;
mod policy;
mod request;
mod risk;
pub mod secret;
mod status;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod text;
mod view;

pub use adapter::{Adapter, Advice, Arrival, Due, DueEntry, Failure, Incoming, Memory, Reading, Stamp};
pub use audit::{AuditActor, AuditEvent, AuditFault, AuditLog, verify_audit};
pub use call::{ArgsText, Argument, ToolCall};
pub use constraint::{ArgsTest, BadConstraint, Constraint};
pub use decision::{Decision, DecisionFields, GrantScope, InvalidDecision, Shown};
pub use error::{ERROR_CODES, Problem, ProblemCode, Refusal, RefusalCode};
pub use grant::{Gate, GrantArgument, GrantDraft, GrantSpan, GrantTest, GrantView, GrantWish, ToolApproval};
pub use ids::{BatchId, CallId, Millis, OutboundId, RequestId, RequestRef, Scope};
pub use inbox::{Inbox, Input, Output};
pub use observation::{
    Answer, Ask, Called, Closed, Contradiction, End, Observation, Outcome, OutcomeKind, Standing, Target,
};
pub use offer::{Offer, OfferKind, Words};
pub use options::{ArgsCheck, InboxOptions};
pub use outbound::{Outbound, OutboundState, Written};
pub use policy::{Policy, Proposal, Ruling, Verdict};
pub use request::{BatchRule, EditRule, Question, Subject};
pub use risk::{RiskLevel, RiskOptions, RiskReason, RiskRule, RiskSource, RiskView, assess};
pub use status::Status;
pub use text::{Source, Text};
pub use view::{BatchView, DecidedBy, HazardView, OutboundView, RequestView};
