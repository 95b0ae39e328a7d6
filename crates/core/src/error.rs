//! Refusals and problems: the codes of the core.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::RequestRef;
use crate::offer::OfferKind;
use crate::status::Status;

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            const ALL: &'static [&'static str] = &[$($text),*];

            /// The stable code, in kebab case.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

codes! {
    /// Why the inbox refused an act. Nothing of it was done: only what the clock or an ended rule caused has happened.
    RefusalCode {
        /// No request has this id here.
        UnknownRequest = "unknown-request",
        /// It was decided before, here or elsewhere.
        AlreadyDecided = "already-decided",
        /// This kind of decision, or this act, cannot be taken now.
        NotOffered = "not-offered",
        /// The agent stopped waiting.
        Expired = "expired",
        /// The conversation moved on.
        Superseded = "superseded",
        /// The edited arguments cannot be sent.
        ArgsInvalid = "args-invalid",
        /// The arguments cannot be read without doubt.
        ArgsAmbiguous = "args-ambiguous",
        /// The decision was taken on other arguments, or on another tool.
        ArgsChanged = "args-changed",
        /// A question is unanswered.
        IncompleteAnswer = "incomplete-answer",
        /// The backend refuses this decision without a reason.
        ReasonRequired = "reason-required",
        /// It cannot be answered from here.
        Blocked = "blocked",
        /// The id stands for several requests of different scopes.
        AmbiguousRequest = "ambiguous-request",
        /// The words are longer than the host allows.
        WordsTooLong = "words-too-long",
        /// The object is not a decision: thrown at the boundary.
        DecisionInvalid = "decision-invalid",
        /// There is no such outbound message, or its fate is known.
        UnknownOutbound = "unknown-outbound",
        /// A script pressed a button that only a person may press.
        UntrustedEvent = "untrusted-event",
        /// Something covered the button that was pressed.
        Obstructed = "obstructed",
    }
}

codes! {
    /// What was wrong with something that arrived; everything else went on.
    ProblemCode {
        /// The text is not JSON.
        JsonInvalid = "json-invalid",
        /// The bytes are not UTF-8.
        EncodingInvalid = "encoding-invalid",
        /// The message is longer than allowed.
        MessageTooLarge = "message-too-large",
        /// No adapter knows this message.
        MessageUnrecognised = "message-unrecognised",
        /// A part that looks like a request, a call or an answer lacks what it needs.
        PartInvalid = "part-invalid",
        /// A state that this version does not know.
        StateUnknown = "state-unknown",
        /// Arguments changed after the decision had been sent.
        ArgsChangedLate = "args-changed-late",
        /// The adapter could not write the answer.
        AnswerUnwritable = "answer-unwritable",
        /// The backend reported an error on the host's own call.
        BackendError = "backend-error",
    }
}

/// Every refusal and problem code, for the table in the documentation and its test.
pub const ERROR_CODES: [&[&str]; 2] = [RefusalCode::ALL, ProblemCode::ALL];

/// Why the inbox refused an act.
///
/// # Shape
/// In JavaScript `{ code, message, help? }`. What was asked for has not been done. What the clock or an ended rule brought has
/// taken effect all the same, and may have made messages due: see [`Inbox::take_outbound`](crate::Inbox::take_outbound).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No request has this id here.
    #[error("no request `{id}` is known here")]
    UnknownRequest {
        /// What was asked for.
        id: String,
    },
    /// The id stands for several requests.
    #[error("`{id}` stands for {count} requests of different scopes")]
    AmbiguousRequest {
        /// What was asked for.
        id: String,
        /// How many requests have this id.
        count: usize,
    },
    /// It was decided before.
    #[error("request `{request}` was already decided: it is `{}`", status.as_str())]
    AlreadyDecided {
        /// The request.
        request: RequestRef,
        /// Where it stands.
        status: Status,
    },
    /// This kind of decision cannot be taken now.
    #[error("`{}` is not offered for request `{request}`", kind.as_str())]
    NotOffered {
        /// The request.
        request: RequestRef,
        /// What was tried.
        kind: OfferKind,
    },
    /// There is nothing to take back, to send again or to prolong.
    #[error("nothing was decided about request `{request}` yet: it is `{}`", status.as_str())]
    Undecided {
        /// The request.
        request: RequestRef,
        /// Where it stands.
        status: Status,
    },
    /// The agent stopped waiting.
    #[error("request `{request}` has expired")]
    Expired {
        /// The request.
        request: RequestRef,
    },
    /// The conversation moved on.
    #[error("request `{request}` was superseded and can no longer be answered")]
    Superseded {
        /// The request.
        request: RequestRef,
    },
    /// The edited arguments cannot be sent.
    #[error("the edited arguments of `{request}` cannot be sent: {reason}")]
    ArgsInvalid {
        /// The request.
        request: RequestRef,
        /// What is wrong with them, and where.
        reason: String,
    },
    /// The arguments cannot be read without doubt.
    #[error("the arguments of `{request}` cannot be read without doubt: {reason}")]
    ArgsAmbiguous {
        /// The request.
        request: RequestRef,
        /// What is doubtful, and where.
        reason: String,
    },
    /// The decision was taken on other arguments, or on another tool.
    #[error("the tool or the arguments of `{request}` are not those that were on screen")]
    ArgsChanged {
        /// The request.
        request: RequestRef,
    },
    /// A question is unanswered, or has more answers than it takes.
    #[error("question {missing} of `{request}` has no answer, or more than it takes")]
    IncompleteAnswer {
        /// The request.
        request: RequestRef,
        /// The first such question, counted from one.
        missing: usize,
    },
    /// The backend refuses this decision without a reason.
    #[error("request `{request}` cannot be rejected without a reason")]
    ReasonRequired {
        /// The request.
        request: RequestRef,
    },
    /// The words are longer than the host allows.
    #[error("the words for `{request}` are {length} characters long, {limit} are allowed")]
    WordsTooLong {
        /// The request.
        request: RequestRef,
        /// How long they are, in characters.
        length: usize,
        /// How long they may be, in characters.
        limit: usize,
    },
    /// It cannot be answered from here.
    #[error("request `{request}` cannot be answered from here")]
    Blocked {
        /// The request.
        request: RequestRef,
    },
    /// There is no such outbound message, or its fate is known.
    #[error("no message `{id}` is on its way")]
    UnknownOutbound {
        /// What was reported.
        id: String,
    },
    /// A script pressed a button that only a person may press.
    #[error("`{act}` was pressed by a script: only a person may")]
    UntrustedEvent {
        /// The name of the button.
        act: String,
    },
    /// Something covered the button that was pressed.
    #[error("`{act}` was pressed while something covered it")]
    Obstructed {
        /// The name of the button.
        act: String,
    },
}

impl Refusal {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> RefusalCode {
        match self {
            Refusal::UnknownRequest { .. } => RefusalCode::UnknownRequest,
            Refusal::AmbiguousRequest { .. } => RefusalCode::AmbiguousRequest,
            Refusal::AlreadyDecided { .. } => RefusalCode::AlreadyDecided,
            Refusal::NotOffered { .. } | Refusal::Undecided { .. } => RefusalCode::NotOffered,
            Refusal::Expired { .. } => RefusalCode::Expired,
            Refusal::Superseded { .. } => RefusalCode::Superseded,
            Refusal::ArgsInvalid { .. } => RefusalCode::ArgsInvalid,
            Refusal::ArgsAmbiguous { .. } => RefusalCode::ArgsAmbiguous,
            Refusal::ArgsChanged { .. } => RefusalCode::ArgsChanged,
            Refusal::IncompleteAnswer { .. } => RefusalCode::IncompleteAnswer,
            Refusal::ReasonRequired { .. } => RefusalCode::ReasonRequired,
            Refusal::WordsTooLong { .. } => RefusalCode::WordsTooLong,
            Refusal::Blocked { .. } => RefusalCode::Blocked,
            Refusal::UnknownOutbound { .. } => RefusalCode::UnknownOutbound,
            Refusal::UntrustedEvent { .. } => RefusalCode::UntrustedEvent,
            Refusal::Obstructed { .. } => RefusalCode::Obstructed,
        }
    }

    /// What the person or the host can do about it, where there is something.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Refusal::UnknownRequest { .. } => "address it by the `id` of a card",
            Refusal::NotOffered { .. } => "take one of its `offers`",
            Refusal::AmbiguousRequest { .. } => "address it as `<scope>/<id>`",
            Refusal::AlreadyDecided { status: Status::Drafted, .. } => {
                "take the drafted decision back and decide anew"
            }
            Refusal::ArgsAmbiguous { .. } => "it can be rejected",
            Refusal::ArgsChanged { .. } => "look at the call again and decide anew",
            Refusal::UntrustedEvent { .. } => "decide with `inbox.decide` where the host itself decides",
            Refusal::Obstructed { .. } => "move what lies over the card aside",
            _ => return None,
        })
    }
}

/// What was wrong with something that arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Problem {
    /// The stable code.
    pub code: ProblemCode,
    /// One sentence for developers.
    pub message: String,
    /// Where in the message, as a JSON Pointer or a byte position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub path: Option<String>,
}

impl Problem {
    /// A problem without a place.
    #[must_use]
    pub fn new(code: ProblemCode, message: impl Into<String>) -> Problem {
        Problem { code, message: message.into(), path: None }
    }

    /// The same problem, with where it is.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Problem {
        self.path = Some(path.into());
        self
    }
}
