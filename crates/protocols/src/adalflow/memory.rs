//! What must be remembered of a conversation to interpret and to answer it.

use std::sync::Arc;

use countersign_core::collections::{Groups, Marks};
use countersign_core::{OfferKind, RequestId, RequestRef, Scope, Target};

/// Within what ids are unique: the same id stands in the lists, in the messages and in the stream.
const SCOPE: &str = "adalflow";

/// The way on which a request came, and so the one on which its answer goes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    /// The design document's socket message.
    SeedMessage,
    /// The example backend's socket message.
    Message,
    /// The design document's pending map.
    SeedList,
    /// The example backend's pending map.
    List,
    /// The shipped handler, also for a stream whose host says so.
    Shipped,
    /// The event stream alone, which goes one way.
    Stream,
}

impl Channel {
    /// Whether its requests say themselves which outcomes they allow, and how long they wait.
    pub(super) fn names_outcomes(self) -> bool {
        matches!(self, Channel::Message | Channel::List)
    }

    /// Whether its server cancels after a while without a word.
    pub(super) fn is_seed(self) -> bool {
        matches!(self, Channel::SeedMessage | Channel::SeedList)
    }
}

/// How the arguments of a card are put together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The named arguments alone.
    Named,
    /// An object of the two members.
    Both,
    /// The positional arguments alone.
    Positional,
    /// The arguments are not on the wire, or cannot be read.
    Hidden,
}

/// What the backend said became of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A decision of this kind counted.
    Decided(OfferKind),
    /// Nobody answered in time.
    Expired,
    /// A word that is not known.
    Unknown,
}

/// What is known of one id.
pub(super) struct Entry {
    pub(super) id: Arc<str>,
    /// `None`: never asked about, or answered before it was.
    pub(super) channel: Option<Channel>,
    pub(super) form: Form,
    pub(super) is_question: bool,
    /// A card of this id is there.
    pub(super) is_shown: bool,
    pub(super) has_started: bool,
    /// The first word counts.
    pub(super) verdict: Option<Verdict>,
    /// The call as the request has it, tool and arguments.
    pub(super) asked: Option<String>,
    /// The call as the stream's permission event has it.
    pub(super) event: Option<String>,
}

/// Everything that is remembered of a conversation.
pub(super) struct Conversation {
    scope: Scope,
    places: Groups,
    entries: Vec<Entry>,
    /// Requests that wait and that the stream has not come to yet, by place, in order of arrival.
    ahead: Vec<u32>,
    /// Requests that stood on the latest pending list, by place.
    pub(super) listed: Marks,
}

impl Default for Conversation {
    fn default() -> Conversation {
        Conversation {
            scope: Scope::from(SCOPE),
            places: Groups::default(),
            entries: Vec::new(),
            ahead: Vec::new(),
            listed: Marks::default(),
        }
    }
}

impl Conversation {
    /// The place of this id, which is new if it must be.
    pub(super) fn place(&mut self, id: &str) -> u32 {
        if let Some(place) = self.known(id) {
            return place;
        }
        let place = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let id: Arc<str> = Arc::from(id);
        self.places.push(&id, place);
        self.entries.push(Entry {
            id,
            channel: None,
            form: Form::Named,
            is_question: false,
            is_shown: false,
            has_started: false,
            verdict: None,
            asked: None,
            event: None,
        });
        place
    }

    /// The place of this id, if anything is known of it.
    pub(super) fn known(&self, id: &str) -> Option<u32> {
        self.places.get(id).first().copied()
    }

    pub(super) fn entry(&self, place: u32) -> Option<&Entry> {
        self.entries.get(place as usize)
    }

    pub(super) fn entry_mut(&mut self, place: u32) -> Option<&mut Entry> {
        self.entries.get_mut(place as usize)
    }

    pub(super) fn scope(&self) -> Scope {
        self.scope.clone()
    }

    /// A request came on a way that overtakes the stream.
    pub(super) fn overtakes(&mut self, place: u32) {
        self.ahead.push(place);
    }

    /// The stream has come to this id. For one that is new: the request before which it belongs.
    pub(super) fn reached(&mut self, place: u32, is_new: bool) -> Option<Target> {
        if is_new {
            let overtaken = self.ahead.first().and_then(|place| self.entry(*place))?;
            return Some(self.target(&overtaken.id));
        }
        if let Some(at) = self.ahead.iter().position(|ahead| *ahead == place) {
            self.ahead.drain(..=at);
        }
        None
    }

    /// A request that no longer waits was not overtaking anything.
    pub(super) fn settled(&mut self, place: u32) {
        self.ahead.retain(|ahead| *ahead != place);
    }

    /// What a decision on this id is addressed to.
    pub(super) fn request(&self, id: &str) -> RequestRef {
        RequestRef { scope: self.scope(), id: RequestId::from(id) }
    }

    pub(super) fn target(&self, id: &str) -> Target {
        Target::Request(self.request(id))
    }
}
