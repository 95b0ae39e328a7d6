//! What an adapter saw on the wire, in the words of the model.

use std::sync::Arc;

use crate::adapter::Failure;
use crate::call::{ArgsText, Argument, ToolCall};
use crate::decision::Decision;
use crate::ids::{BatchId, CallId, Millis, RequestRef, Scope};
use crate::offer::Offer;
use crate::request::{BatchRule, EditRule, Subject};
use crate::text::Text;

/// One thing that an adapter saw on the wire.
///
/// Observations are facts, in the order in which they stand on the wire. What follows from them is the inbox's to
/// decide: repeated and late ones are ordinary and change nothing that is settled.
#[derive(Clone, Debug)]
pub enum Observation {
    /// A tool call.
    Called(Box<Called>),
    /// A request, new or repeated.
    Asked(Box<Ask>),
    /// Whether a request can be answered has changed.
    Stands {
        /// Which card.
        target: Target,
        /// How it stands now.
        standing: Standing,
    },
    /// The tool has started.
    Running {
        /// Which card.
        target: Target,
    },
    /// The tool has started, and the backend says with what.
    ///
    /// What runs against or beside our decision is a conflict; arguments that nobody here decided on are an edit.
    Started {
        /// Which card.
        target: Target,
        /// The arguments that run, in the form of those on the card; `None`: the two cannot be compared.
        args: Option<ArgsText>,
    },
    /// The call of a piece of a stream has another id in the whole, or a request that named no call has one after all.
    Renamed {
        /// Which card.
        target: Target,
        /// The id from here on.
        id: CallId,
    },
    /// The card belongs before another one, although it was seen later: what is asked may overtake the run's own events.
    Precedes {
        /// Which card.
        target: Target,
        /// Before which one.
        before: Target,
    },
    /// Something else on the wire contradicts what the request shows: nobody may approve it any more.
    Doubted {
        /// Which card.
        target: Target,
        /// What contradicts what.
        doubt: String,
    },
    /// The backend shows an answer, whoever gave it.
    Answered {
        /// Which card.
        target: Target,
        /// What was answered.
        answer: Answer,
    },
    /// The backend shows whether the call may run; what exactly was decided may follow as [`Observation::Answered`].
    Ruled {
        /// Which card.
        target: Target,
        /// Whether it may run. Only this is held against a decision that was taken here.
        runs: bool,
        /// What was decided, as far as it is known, where nobody decided here.
        decision: Option<Decision>,
    },
    /// The backend refused the answer that was sent from here.
    Refused {
        /// Which card.
        target: Target,
        /// What that means for the request.
        failure: Failure,
        /// Why, in its words, where it says so. Untrusted.
        why: Option<Arc<str>>,
    },
    /// The backend went on with the answer that was on its way, whichever it was; what became of the call is not known. With
    /// an error it ends the draft of a request that [stands](Observation::Stands) blocked.
    Accepted {
        /// Which card.
        target: Target,
        /// The run that took the answer failed with these words. Untrusted.
        error: Option<Arc<str>>,
    },
    /// What became of the call.
    Outcome {
        /// Which card.
        target: Target,
        /// What became of it.
        outcome: Box<Outcome>,
    },
    /// An outcome whose call id several calls share. It goes to the one that was decided that way first, or to the only one
    /// left; otherwise it is told again later.
    SharedOutcome {
        /// The requests, in the order in which they asked, each with the number of its call.
        requests: Vec<(u32, RequestRef)>,
        /// What became of it.
        outcome: Box<Outcome>,
        /// Which outcome this is; some may have the same number.
        number: u32,
        /// It is told for the first time.
        is_news: bool,
        /// No other call can be meant.
        is_alone: bool,
    },
    /// The run is over in which these were answered: what was approved of them and lacks its outcome failed, if it is the
    /// only one; of several nobody can say which. An outcome that comes after all counts.
    Broken {
        /// The requests of the run.
        requests: Vec<RequestRef>,
        /// Why it broke off. Untrusted. `None`: that says nothing of the call, which may have run as well.
        error: Option<Arc<str>>,
    },
    /// The request is over without an answer that is known. An answer that is on its way outweighs that until it is refused.
    Closed {
        /// Which card.
        target: Target,
        /// How it ended.
        closed: Closed,
    },
    /// The request waits after all, and is asked anew: it was only missing where all stood that waits, or an outcome was taken
    /// for its own that is another call's.
    Found {
        /// Which card.
        target: Target,
    },
    /// The run that asked is over.
    Ended {
        /// Which card.
        target: Target,
        /// How the run ended.
        end: End,
    },
    /// The backend knows nothing of this scope any more: what waits there waits for nobody. It may turn up again.
    Forgotten {
        /// Which scope; `None`: all of them.
        scope: Option<Scope>,
        /// In what words it said so. Untrusted.
        why: Arc<str>,
    },
}

impl Observation {
    /// The known card that it is about; `None`: it may bring a new one, or is about several.
    pub(crate) fn target(&self) -> Option<&Target> {
        match self {
            Observation::Called(_)
            | Observation::Asked(_)
            | Observation::SharedOutcome { .. }
            | Observation::Broken { .. }
            | Observation::Forgotten { .. } => None,
            Observation::Stands { target, .. }
            | Observation::Running { target }
            | Observation::Started { target, .. }
            | Observation::Renamed { target, .. }
            | Observation::Precedes { target, .. }
            | Observation::Doubted { target, .. }
            | Observation::Refused { target, .. }
            | Observation::Answered { target, .. }
            | Observation::Ruled { target, .. }
            | Observation::Accepted { target, .. }
            | Observation::Outcome { target, .. }
            | Observation::Closed { target, .. }
            | Observation::Found { target }
            | Observation::Ended { target, .. } => Some(target),
        }
    }
}

/// Which card an observation is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The card with this request.
    Request(RequestRef),
    /// The card with this call id.
    Call(Scope, CallId),
    /// The card with this call id and this tool: models give an id twice.
    Tool(Scope, CallId, Text),
}

/// A tool call that was seen.
#[derive(Clone, Debug)]
pub struct Called {
    /// Within what the call's id is unique.
    pub scope: Scope,
    /// The call. Without an id it is ignored: nothing could be joined to it.
    pub call: ToolCall,
    /// Its arguments are still arriving.
    pub streaming: bool,
}

/// A request that was seen.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What the answer is addressed to.
    pub request: RequestRef,
    /// The call; the card of the same call id in the same scope is taken over.
    pub call: ToolCall,
    /// What the arguments must be.
    pub argument: Argument,
    /// What it is about.
    pub subject: Subject,
    /// Which decisions may be taken while it is open.
    pub offers: Vec<Offer>,
    /// What an edit does on this wire.
    pub edits: EditRule,
    /// What edited arguments must be: the text of a JSON Schema that needs nothing outside itself. Untrusted.
    pub schema: Option<Arc<str>>,
    /// What is answered together with it.
    pub batch: BatchId,
    /// How the batch is answered.
    pub batch_rule: BatchRule,
    /// How it stands.
    pub standing: Standing,
    /// Why the message around the arguments cannot be read without doubt, if so.
    pub doubt: Option<String>,
    /// A title. Untrusted.
    pub title: Option<Text>,
    /// A description. Untrusted.
    pub description: Option<Text>,
    /// Why it is asked. Untrusted.
    pub hint: Option<Text>,
    /// How long the agent waits from the first sight of the request, in milliseconds.
    pub timeout: Option<Millis>,
}

/// Whether a request can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is announced, but an answer would race the running turn.
    Announced,
    /// It can be answered.
    Open,
    /// It waits, but cannot be answered from here.
    Blocked,
}

/// An answer that the backend shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was decided; `None`: a word that is not known, and never an approval.
    ///
    /// An edit whose arguments are an empty text is one that the backend has not shown yet.
    pub decision: Option<Decision>,
    /// A rule decided, not a person.
    pub automatic: bool,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub kind: OutcomeKind,
    /// What the tool returned, as JSON text.
    pub result: Option<Text>,
    /// What went wrong. Untrusted.
    pub error: Option<Arc<str>>,
    /// The rejection reason that the backend repeats. Untrusted.
    pub reason: Option<Arc<str>>,
    /// What it means when the outcome contradicts the decision.
    pub contradiction: Contradiction,
    /// Nothing shows that it came of the answer from here, and not of another one: of what was decided here, only an approval
    /// is taken for what ran.
    pub is_unproven: bool,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// The tool ran.
    Completed,
    /// The tool ran and failed, or could not run.
    Failed,
    /// It did not run, because it was refused.
    Rejected,
    /// Words took the place of a run.
    Responded,
    /// A result came back: the tool's, or a person's words in its place.
    Returned,
    /// Somebody's words came back as the result before the tool could run.
    Words,
    /// It is settled, nobody can say how.
    Unknown,
}

/// What an outcome means that contradicts the decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contradiction {
    /// The outcome is the truth, whatever words were sent.
    #[default]
    OutcomeStands,
    /// Someone else decided first.
    Conflict,
    /// The outcome does not say what was decided: what was decided here says what it means.
    DecisionStands,
}

/// How a request ended without a known answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// Nobody answered in time.
    Expired,
    /// The conversation moved on.
    Superseded,
    /// It was called off.
    Cancelled,
    /// It is gone and nobody can say how.
    Unknown,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It came to its end.
    Completed,
    /// It failed.
    Failed,
    /// It was called off.
    Cancelled,
    /// It no longer waits for anyone, and nothing says why; an answer of ours that was delivered counts.
    Unknown,
}
