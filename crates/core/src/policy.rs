//! The seam between the machine and the rules that answer without a person.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::call::ToolCall;
use crate::decision::Decision;
use crate::ids::{Millis, Scope};
use crate::offer::OfferKind;

/// Rules that may answer a request without a person.
///
/// The inbox asks once for each request that begins to wait, again when the host says so, and again before what a rule has
/// decided leaves. It also asks about the arguments of an edit, as often as they are looked at: [`judge`](Policy::judge) has no
/// effects. Whatever the policy answers, an approval goes through every check that a person's would, and is recorded as
/// automatic.
pub trait Policy: Any {
    /// What is to be done with this call.
    fn judge(&self, proposal: &Proposal<'_>) -> Verdict;

    /// A person's decision on this call has reached the backend; what a rule decided is not told.
    fn decided(&mut self, proposal: &Proposal<'_>, decision: &Decision);

    /// An approval of which it was told did not count after all: somebody else was first, it came too late or was refused.
    /// What it taught counts no more, and what was known before counts again.
    fn not_taken(&mut self, _proposal: &Proposal<'_>, _decision: &Decision) {}
}

/// A call that a policy judges.
#[derive(Clone, Copy)]
pub struct Proposal<'a> {
    /// Within what the request's id is unique: a task, a thread, a session.
    pub scope: &'a Scope,
    /// The call.
    pub call: &'a ToolCall,
    /// The SHA-256 of the schema that the tool declares, in hexadecimal, where it is known.
    pub schema_digest: Option<&'a str>,
    /// The arguments can be read without doubt, and no number in them may have been rounded.
    pub inspectable: bool,
    /// Whether it needs a person's confirmation: no rule and no grant permits it. It looks at every text of the
    /// arguments, so a policy asks last.
    pub high_risk: &'a dyn Fn() -> bool,
    /// When it was found in history, or something was granted while it could not be answered yet: someone may have decided
    /// it before, or left it out of that permission.
    pub restored: Option<Millis>,
    /// The present moment. It is never before an earlier one: where the clock was set back, it goes on from there.
    pub now: Millis,
}

impl fmt::Debug for Proposal<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Proposal")
            .field("scope", self.scope)
            .field("call", self.call)
            .finish_non_exhaustive()
    }
}

/// A policy's answer, with the rule that produced it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What is to be done.
    pub ruling: Ruling,
    /// The name of the rule, for the audit log and for people.
    pub rule: Arc<str>,
    /// The kinds of decision that the policy limits a person to; `None`: no limit.
    pub offers: Option<Vec<OfferKind>>,
    /// What the agent is told when the call is denied.
    pub reason: Option<Arc<str>>,
    /// What people are told of why the call is of high risk, where a rule says that it is.
    pub risk: Option<Arc<str>>,
}

/// What is to be done with a call; the later one is the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruling {
    /// It runs unasked.
    Allow,
    /// A person is asked.
    Ask,
    /// It is refused without asking.
    Deny,
}

impl Verdict {
    /// A verdict without further properties.
    #[must_use]
    pub fn new(ruling: Ruling, rule: Arc<str>) -> Verdict {
        Verdict { ruling, rule, offers: None, reason: None, risk: None }
    }
}
