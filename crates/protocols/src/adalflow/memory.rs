//! What must be remembered of a conversation to interpret and to answer it.

use countersign_core::collections::{Groups, Marks, Numbered};
use countersign_core::{Closed, Failure, OfferKind, RequestId, RequestRef, Scope, Source, Target, Text};
use countersign_json::Value;

use super::arguments::Whole;

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

    /// Whether answers go back as messages.
    pub(super) fn is_socket(self) -> bool {
        matches!(self, Channel::SeedMessage | Channel::Message)
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
#[derive(Clone, Copy)]
pub(super) enum Word {
    /// A decision of this kind counted.
    Decided(OfferKind),
    /// It is over without a decision.
    Closed(Closed),
    /// An answer was refused, or what it says is not known.
    Failed(Failure),
    /// It waits no longer, and nothing says why.
    Gone,
}

/// What is known of one id.
pub(super) struct Entry {
    pub(super) request: RequestRef,
    /// `None`: never asked about, or answered before it was.
    pub(super) channel: Option<Channel>,
    pub(super) form: Form,
    pub(super) is_question: bool,
    /// A card of this id is there.
    pub(super) is_shown: bool,
    pub(super) has_started: bool,
    /// The first word counts.
    pub(super) word: Option<Word>,
    /// The call as the request has it, tool and arguments.
    pub(super) asked: Option<Whole>,
    /// The call as the stream's permission event has it.
    pub(super) event: Option<Whole>,
}

impl Entry {
    /// Notes the call as the stream has it, or the request; says why it is in doubt, if both differ.
    pub(super) fn compare(&mut self, call: Whole, by_stream: bool) -> Option<&'static str> {
        if by_stream {
            self.event = Some(call);
        } else {
            if self.asked.as_ref().is_some_and(|before| !before.is_same(&call)) {
                self.event = None;
            }
            self.asked = Some(call);
        }
        let (asked, event) = (self.asked.as_ref()?, self.event.as_ref()?);
        (!asked.is_same(event)).then_some("the request and the event of the same call differ")
    }
}

/// So many calls are kept that have started.
const MOST_AT_WORK: usize = 64;

/// Everything that is remembered of a conversation.
#[derive(Default)]
pub(super) struct Conversation {
    places: Groups,
    entries: Numbered<Entry>,
    /// Requests that wait and that the stream has not come to yet, by place, in order of arrival.
    pub(super) ahead: Vec<u32>,
    /// Requests that stood on the latest pending list or were asked since, by place.
    pub(super) listed: Marks,
    /// Calls that have started and of which nobody has said what became, by place, and their runs where those are named; the
    /// last of them.
    pub(super) at_work: Vec<(u32, Option<Text>)>,
}

impl Conversation {
    /// The place of this id, which is new if it must be; `None` for what cannot be answered: no text, or an empty one.
    pub(super) fn place(&mut self, source: &Source, id: Option<Value<'_>>) -> Option<u32> {
        let id = id?.as_str().filter(|id| !id.is_empty())?;
        if let Some(place) = self.known(&id) {
            return Some(place);
        }
        let scope = self.request(0).scope;
        let request = RequestRef { scope, id: RequestId::from(source.cut(&id)) };
        self.places.push(request.id.shared(), self.entries.next_number());
        let place = self.entries.push(Entry {
            request,
            channel: None,
            form: Form::Named,
            is_question: false,
            is_shown: false,
            has_started: false,
            word: None,
            asked: None,
            event: None,
        });
        Some(place)
    }

    /// The place of this id, if anything is known of it.
    pub(super) fn known(&self, id: &str) -> Option<u32> {
        self.places.get(id).first().copied()
    }

    pub(super) fn entry(&self, place: u32) -> Option<&Entry> {
        self.entries.get(place)
    }

    pub(super) fn entry_mut(&mut self, place: u32) -> Option<&mut Entry> {
        self.entries.get_mut(place)
    }

    /// What a decision on this id is addressed to.
    pub(super) fn request(&self, place: u32) -> RequestRef {
        let entry = self.entry(place).map(|entry| entry.request.clone());
        entry.unwrap_or_else(|| RequestRef { scope: Scope::from(SCOPE), id: RequestId::from("") })
    }

    /// The card of what stands at this place.
    #[inline(never)]
    pub(super) fn target(&self, place: u32) -> Target {
        Target::Request(self.request(place))
    }

    /// Notes that a call has started in this run.
    pub(super) fn start(&mut self, place: u32, run: Option<Text>) {
        self.at_work.retain(|(other, _)| *other != place);
        if self.at_work.len() == MOST_AT_WORK {
            self.at_work.remove(0);
        }
        self.at_work.push((place, run));
    }

    /// The calls that went on in this run, which is over. Where nobody names runs, there is one at a time.
    pub(super) fn ended(&mut self, run: Option<&Text>) -> Vec<RequestRef> {
        let over: Vec<_> = self.at_work.extract_if(.., |(_, of)| of.as_ref() == run).collect();
        over.into_iter().map(|(place, _)| self.request(place)).collect()
    }

    /// A request that no longer waits was not overtaking anything, and is missing from no list.
    pub(super) fn settled(&mut self, place: u32) {
        self.ahead.retain(|ahead| *ahead != place);
        self.listed.remove(place);
    }
}
