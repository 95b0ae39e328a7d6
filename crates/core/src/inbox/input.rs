//! What goes into the machine.

use std::borrow::Cow;
use std::sync::Arc;

use crate::decision::{Decision, Shown};
use crate::ids::{Millis, OutboundId, RequestRef};

/// What goes into the machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Input<'a> {
    /// Something arrived: a live event, or a state that was polled.
    Receive {
        /// The text, exactly as it came.
        text: &'a str,
        /// The host handed over a parsed value, so integers may have been rounded.
        rounded: bool,
    },
    /// The host itself sent this message past the inbox.
    Own {
        /// The text, exactly as it was sent.
        text: &'a str,
    },
    /// History from which everything is rebuilt; what was known before is forgotten, but what the host has taken and has
    /// not told the fate of.
    Restore {
        /// The text, exactly as it came. What is handed over is kept, and not copied, for as long as a card needs it.
        text: Cow<'a, str>,
        /// The host handed over a parsed value, so integers may have been rounded.
        rounded: bool,
    },
    /// A person decided.
    Decide {
        /// What was decided on.
        request: RequestRef,
        /// What was decided.
        decision: Decision,
        /// What was on screen.
        seen: Option<Shown>,
        /// The id of the offer that is taken, where one is named.
        offer: Option<Arc<str>>,
    },
    /// A person decided several requests at once.
    DecideAll {
        /// What was decided on, each with what was on screen.
        requests: Vec<(RequestRef, Option<Shown>)>,
        /// What was decided, for each the same.
        decision: Decision,
        /// The id of the offer that is taken, where one is named.
        offer: Option<Arc<str>>,
    },
    /// The policy has changed: it judges these waiting requests again, and no others.
    ///
    /// The host names only what a person has had the time to see.
    Judge(Vec<RequestRef>),
    /// A person allowed more than this request, and the host has kept it: it goes on record, and what cannot be answered yet
    /// counts as left out of it.
    Granted {
        /// The request that it was given on.
        request: RequestRef,
        /// The grant's id.
        grant: &'a str,
        /// The grant, literally.
        text: &'a str,
    },
    /// A person took a grant back: what it alone approved and what has not left waits again.
    Revoked {
        /// The grant's id.
        grant: &'a str,
    },
    /// A person takes back a decision that is not sent yet.
    Undo(RequestRef),
    /// A person sends again what did not arrive.
    Retry(RequestRef),
    /// The host delivered a message.
    Delivered(OutboundId),
    /// The host could not deliver a message.
    Failed {
        /// Which message.
        id: OutboundId,
        /// The HTTP status, where there was an answer at all.
        status: Option<u16>,
        /// What the transport or the backend said.
        message: Option<String>,
    },
    /// A message that counted as delivered may be lost after all: the connection broke on which it left, and nothing was said of it.
    Lost {
        /// Which message.
        id: OutboundId,
        /// What the transport said.
        message: String,
    },
    /// Another tab has decided, and the backend has that decision.
    Elsewhere {
        /// What was decided on.
        request: RequestRef,
        /// What was decided. Arguments and words may be missing.
        decision: Decision,
    },
    /// The agent waits longer than it said, as the host knows. This moment stays when the clock here is set back.
    Extend {
        /// Which request.
        request: RequestRef,
        /// Until when.
        until: Millis,
    },
    /// Nobody looks any more, and nobody can undo: what is held and only rejects goes out now.
    Leave,
    /// Time has passed. What ended rules and grants have decided and what has not left is taken back.
    Tick,
}
