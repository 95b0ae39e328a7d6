//! What a person decided.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::ArgsText;
use crate::offer::OfferKind;
use crate::view::RequestView;

/// How far a lasting permission reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum GrantScope {
    /// This call alone: not lasting.
    #[default]
    Call,
    /// The same tool with the same arguments.
    SameArgs,
    /// The tool, whatever its arguments.
    Tool,
    /// Every tool of the same server.
    Server,
    /// Everything in this session.
    Session,
}

impl GrantScope {
    /// Every scope, the narrowest first.
    pub const ALL: [GrantScope; 5] =
        [GrantScope::Call, GrantScope::SameArgs, GrantScope::Tool, GrantScope::Server, GrantScope::Session];

    /// The scope's name, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            GrantScope::Call => "call",
            GrantScope::SameArgs => "same-args",
            GrantScope::Tool => "tool",
            GrantScope::Server => "server",
            GrantScope::Session => "session",
        }
    }

    /// The scope of this name, in kebab case.
    #[must_use]
    pub fn named(name: &str) -> Option<GrantScope> {
        GrantScope::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

/// A person's answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it exactly as shown.
    Approve {
        /// How far the approval reaches.
        scope: GrantScope,
    },
    /// Run it with these arguments instead.
    Edit {
        /// The complete edited arguments, as JSON text; empty where a backend does not show those of another person.
        args: ArgsText,
        /// Words for the agent.
        note: Option<Arc<str>>,
    },
    /// Do not run it.
    Reject {
        /// Why not, verbatim. Never empty.
        reason: Option<Arc<str>>,
        /// How far the refusal reaches.
        scope: GrantScope,
    },
    /// Give the agent these words instead of a result.
    Respond {
        /// The words.
        text: Arc<str>,
    },
    /// Neither run nor answer it.
    Ignore,
    /// Answer the questions, in their order.
    Answer {
        /// For each question the chosen or typed answers.
        answers: Vec<Vec<String>>,
    },
    /// End the whole run.
    Cancel,
}

impl Decision {
    /// A plain approval of this one call.
    #[must_use]
    pub fn approve() -> Decision {
        Decision::Approve { scope: GrantScope::Call }
    }

    /// A plain rejection of this one call; an empty reason is none.
    #[must_use]
    pub fn reject(reason: Option<&str>) -> Decision {
        let reason = reason.filter(|words| !words.is_empty()).map(Arc::from);
        Decision::Reject { reason, scope: GrantScope::Call }
    }

    /// The kind of offer that this decision takes.
    #[must_use]
    pub fn kind(&self) -> OfferKind {
        match self {
            Decision::Approve { scope: GrantScope::Call } => OfferKind::Approve,
            Decision::Approve { .. } => OfferKind::ApproveAlways,
            Decision::Edit { .. } => OfferKind::Edit,
            Decision::Reject { scope: GrantScope::Call, .. } => OfferKind::Reject,
            Decision::Reject { .. } => OfferKind::RejectAlways,
            Decision::Respond { .. } => OfferKind::Respond,
            Decision::Ignore => OfferKind::Ignore,
            Decision::Answer { .. } => OfferKind::Answer,
            Decision::Cancel => OfferKind::Cancel,
        }
    }

    /// The rejection reason, if this is a rejection that has one.
    #[must_use]
    pub fn reason(&self) -> Option<Arc<str>> {
        match self {
            Decision::Reject { reason, .. } => reason.clone(),
            _ => None,
        }
    }
}

/// What was on screen of a call when a person decided: where it is another by now, the decision is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The digest of its arguments; `None`: any will do.
    pub digest: Option<Arc<str>>,
    /// Its tool, empty where it names none; `None`: any will do.
    pub tool: Option<Arc<str>>,
}

impl Shown {
    /// What a card that is drawn from this view shows.
    #[must_use]
    pub fn of(view: &RequestView) -> Shown {
        Shown { digest: Some(Arc::clone(&view.args_digest)), tool: Some(Arc::clone(&view.tool)) }
    }

    /// Whether a call of this tool, whose arguments have this digest, is what was on screen.
    #[must_use]
    pub fn is(&self, tool: &str, digest: &str) -> bool {
        self.digest.as_deref().is_none_or(|seen| seen == digest)
            && self.tool.as_deref().is_none_or(|seen| seen == tool)
    }
}

/// A decision as it crosses a boundary: one flat JSON object.
///
/// # Shape
/// `{"kind": "approve" | "approve_always" | "edit" | "reject" | "reject_always" | "respond" | "ignore" | "answer" | "cancel", …}`
/// plus the members of that kind. `args` is JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct DecisionFields {
    /// The decision's kind, in snake case.
    pub kind: String,
    /// How far it reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<GrantScope>,
    /// The complete edited arguments, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
    /// Words that go with an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why it was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the agent gets instead of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// One list of answers a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<Vec<String>>>,
    /// The digest of the arguments that were on screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
    /// The tool that was on screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The id of the offer that is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<String>,
}

impl DecisionFields {
    /// Whether the agent runs the tool after it.
    #[must_use]
    pub fn runs(&self) -> bool {
        matches!(self.kind.as_str(), "approve" | "approve_always" | "edit")
    }

    /// Whether it says no: to the call, or to the whole run.
    #[must_use]
    pub fn refuses(&self) -> bool {
        matches!(self.kind.as_str(), "reject" | "reject_always" | "cancel")
    }
}

/// Why an object is not a decision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDecision {
    /// There is no such kind.
    #[error("`{kind}` is not a kind of decision: take one of the request's offers")]
    UnknownKind {
        /// What stood there.
        kind: String,
    },
    /// A member that this kind needs is missing.
    #[error("a decision of kind `{kind}` needs `{field}`")]
    MissingField {
        /// The decision's kind.
        kind: String,
        /// The member that is missing.
        field: &'static str,
    },
    /// There are arguments that this kind would not run.
    #[error("a decision of kind `{kind}` takes no `args`")]
    SurplusArgs {
        /// The decision's kind.
        kind: String,
    },
}

impl TryFrom<DecisionFields> for Decision {
    type Error = InvalidDecision;

    fn try_from(fields: DecisionFields) -> Result<Decision, InvalidDecision> {
        // Else the call would run with the arguments that a person has just changed.
        if fields.kind != "edit" && fields.args.as_deref().is_some_and(|args| !args.is_empty()) {
            return Err(InvalidDecision::SurplusArgs { kind: fields.kind });
        }
        let scope = fields.scope.unwrap_or_default();
        let missing = |field| InvalidDecision::MissingField { kind: fields.kind.clone(), field };
        Ok(match fields.kind.as_str() {
            "approve" => Decision::Approve { scope },
            "approve_always" => Decision::Approve { scope: fields.scope.unwrap_or(GrantScope::Tool) },
            "edit" => Decision::Edit {
                args: fields.args.as_deref().ok_or_else(|| missing("args"))?.into(),
                note: fields.note.filter(|words| !words.is_empty()).map(Arc::from),
            },
            "reject" | "reject_always" => Decision::Reject {
                reason: fields.reason.filter(|words| !words.is_empty()).map(Arc::from),
                scope: if fields.kind == "reject" { scope } else { fields.scope.unwrap_or(GrantScope::Tool) },
            },
            "respond" => {
                Decision::Respond { text: fields.text.as_deref().ok_or_else(|| missing("text"))?.into() }
            }
            "ignore" => Decision::Ignore,
            // Answers that are missing are as incomplete as too few.
            "answer" => Decision::Answer { answers: fields.answers.clone().unwrap_or_default() },
            "cancel" => Decision::Cancel,
            _ => return Err(InvalidDecision::UnknownKind { kind: fields.kind }),
        })
    }
}

impl From<&Decision> for DecisionFields {
    fn from(decision: &Decision) -> DecisionFields {
        let lasting = |scope: GrantScope| (scope != GrantScope::Call).then_some(scope);
        let words = |text: &Option<Arc<str>>| text.as_deref().map(String::from);
        let kind = |kind: &str| DecisionFields { kind: kind.to_owned(), ..DecisionFields::default() };
        match decision {
            Decision::Approve { scope } => DecisionFields { scope: lasting(*scope), ..kind("approve") },
            Decision::Edit { args, note } => {
                let shown = Some(args.as_str()).filter(|args| !args.is_empty());
                DecisionFields { args: shown.map(str::to_owned), note: words(note), ..kind("edit") }
            }
            Decision::Reject { reason, scope } => {
                DecisionFields { reason: words(reason), scope: lasting(*scope), ..kind("reject") }
            }
            Decision::Respond { text } => {
                DecisionFields { text: Some(text.as_ref().to_owned()), ..kind("respond") }
            }
            Decision::Ignore => kind("ignore"),
            Decision::Answer { answers } => {
                DecisionFields { answers: Some(answers.clone()), ..kind("answer") }
            }
            Decision::Cancel => kind("cancel"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_runs_as_its_offer_does() {
        use OfferKind::*;
        for offer in [Approve, ApproveAlways, Edit, Reject, RejectAlways, Respond, Ignore, Answer, Cancel] {
            let fields = DecisionFields { kind: offer.as_str().to_owned(), ..DecisionFields::default() };
            assert_eq!(fields.runs(), offer.runs(), "{offer:?}");
            assert_eq!(fields.refuses(), matches!(offer, Reject | RejectAlways | Cancel), "{offer:?}");
        }
    }

    #[test]
    fn arguments_run_through_an_edit_only() {
        let fields = |kind: &str, args: &str| DecisionFields {
            kind: kind.to_owned(),
            args: Some(args.to_owned()),
            text: Some("words".to_owned()),
            answers: Some(Vec::new()),
            ..DecisionFields::default()
        };
        for kind in ["approve", "approve_always", "reject", "respond", "ignore", "answer", "cancel"] {
            let surplus = InvalidDecision::SurplusArgs { kind: kind.to_owned() };
            assert_eq!(Decision::try_from(fields(kind, r#"{"path":"/b"}"#)), Err(surplus));
            assert!(Decision::try_from(fields(kind, "")).is_ok(), "{kind}");
        }
        assert!(Decision::try_from(fields("edit", r#"{"path":"/b"}"#)).is_ok());
    }
}
