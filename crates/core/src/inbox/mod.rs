//! All requests of one conversation, and every decision about them.

mod card;
mod check;
mod course;
mod decide;
mod judge;
mod observe;
mod outcome;
mod send;
#[cfg(test)]
mod tests;
mod views;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;

use crate::adapter::{Adapter, Advice, Arrival, Incoming, Memory};
use crate::audit::{AuditEvent, AuditLog};
use crate::collections::{Groups, Marks};
use crate::decision::Decision;
use crate::error::{Problem, ProblemCode, Refusal};
use crate::ids::{CallId, Millis, OutboundId, RequestId, RequestRef, Scope};
use crate::observation::Observation;
use crate::options::InboxOptions;
use crate::outbound::Outbound;
use crate::status::Status;
use crate::text::Source;

use card::Card;
use send::Sending;
use views::Together;

/// For how many cards room is made before they are read.
const MOST_RESERVED: usize = 1 << 15;

/// All requests of one conversation.
///
/// A pure machine with one entry, [`Inbox::handle`]: time comes in as an argument, what must be sent goes out through
/// [`Inbox::take_outbound`]. Nothing but a person's decision or a rule of the host's policy ever approves: not a timeout,
/// not an error, not silence.
pub struct Inbox {
    adapter: Box<dyn Adapter>,
    options: InboxOptions,
    memory: Memory,
    cards: Vec<Card>,
    /// The cards in the order in which they are shown; empty while that is the order of their keys.
    order: Vec<u32>,
    /// How often a card was moved.
    moves: u32,
    /// The key of the first card: keys are never used twice, also not after a restore.
    first_key: u32,
    by_request: Groups,
    by_call: Groups,
    by_batch: Groups,
    /// For each so many cards the next moment at which the clock alone changes one of them.
    soonest: Vec<Option<Millis>>,
    /// A card was ever timed, so that the moments above are kept.
    has_timers: bool,
    /// Messages by the order in which they were written; one that was taken back leaves its place empty.
    sendings: Vec<Option<Sending>>,
    by_sending: Groups,
    /// Messages that the host has not taken, and some that were taken back.
    queue: Vec<OutboundId>,
    /// What the card that was drawn last shares with its batch, until something happens.
    together: RefCell<Option<Together>>,
    /// Whether the batch at this place holds a decision that did not arrive, until something happens.
    has_failed: Cell<Option<(u32, bool)>>,
    written: u64,
    /// How many messages were read.
    readings: u32,
    /// What was not told yet, because the input that found it was refused.
    owed: Vec<Output>,
    audit: AuditLog,
    now: Millis,
}

/// What goes into the machine.
#[derive(Clone, Debug)]
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
    /// History from which everything is rebuilt; what was known before is forgotten.
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
        /// The digest of the arguments that were on screen.
        seen: Option<Arc<str>>,
        /// The id of the offer that is taken, where one is named.
        offer: Option<Arc<str>>,
    },
    /// A person decided several requests at once.
    DecideAll {
        /// What was decided on, each with the digest of the arguments that were on screen.
        requests: Vec<(RequestRef, Option<Arc<str>>)>,
        /// What was decided, for each the same.
        decision: Decision,
        /// The id of the offer that is taken, where one is named.
        offer: Option<Arc<str>>,
    },
    /// The policy has changed: it judges these waiting requests again, and no others.
    ///
    /// The host names only what a person has had the time to see.
    Judge(Vec<RequestRef>),
    /// A person allowed more than this request, and the host has kept it: for the record.
    Granted {
        /// The request that it was given on.
        request: RequestRef,
        /// The grant's id.
        grant: &'a str,
        /// The grant, literally.
        text: &'a str,
    },
    /// A person took a grant back: for the record.
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
    /// Another tab has decided, and the backend has that decision.
    Elsewhere {
        /// What was decided on.
        request: RequestRef,
        /// What was decided. Arguments and words may be missing.
        decision: Decision,
    },
    /// The agent waits longer than it said, as the host knows.
    Extend {
        /// Which request.
        request: RequestRef,
        /// Until when.
        until: Millis,
    },
    /// Time has passed.
    Tick,
}

/// What comes out of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// The card with this key looks different now.
    Changed(u32),
    /// The card with this key waits as before; only how many of its batch are open and decided is different.
    Recounted(u32),
    /// For each message that arrived, in order: it is internal to the approval exchange.
    Hidden(bool),
    /// Something that arrived could not be read; everything else went on.
    Problem(Problem),
    /// One of several decisions was refused; the others were taken.
    Refused(Refusal),
    /// There is something to send: see [`Inbox::take_outbound`].
    Ready,
    /// Call [`Input::Tick`] at this moment.
    WakeAt(Millis),
    /// Say this to assistive technology.
    Say(Announcement),
}

/// What assistive technology should say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// These cards wait for a person, by key.
    Waiting(Vec<u32>),
    /// The agent stopped waiting for this card.
    Expired(u32),
    /// The decisions on these cards did not arrive.
    SendFailed(Vec<u32>),
}

/// How many slashes an id may hold for each of its splits to be looked up, however few cards there are.
const SPLITS: usize = 16;

impl Inbox {
    /// An empty inbox that speaks through `adapter`.
    #[must_use]
    pub fn new(adapter: Box<dyn Adapter>, options: InboxOptions) -> Inbox {
        let memory = adapter.memory();
        Inbox {
            adapter,
            options,
            memory,
            cards: Vec::new(),
            order: Vec::new(),
            moves: 0,
            first_key: 0,
            by_request: Groups::default(),
            by_call: Groups::default(),
            by_batch: Groups::default(),
            soonest: Vec::new(),
            has_timers: false,
            sendings: Vec::new(),
            by_sending: Groups::default(),
            queue: Vec::new(),
            together: RefCell::default(),
            has_failed: Cell::default(),
            written: 0,
            readings: 0,
            owed: Vec::new(),
            audit: AuditLog::default(),
            now: Millis(0),
        }
    }

    /// Takes in one input and says what follows from it.
    ///
    /// `now` is the present moment. A moment before an earlier one counts as that earlier one.
    ///
    /// # Errors
    /// A [`Refusal`]: nothing was changed, but that deadlines which passed before `now` have taken effect.
    pub fn handle(&mut self, now: Millis, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        self.now = self.now.max(now);
        *self.together.get_mut() = None;
        self.has_failed.set(None);
        let mut step = Step::default();
        self.pass_deadlines(&mut step);
        let result = self.dispatch(input, &mut step);
        let mut outputs = std::mem::take(&mut self.owed);
        outputs.append(&mut self.finish(step));
        if let Err(refusal) = result {
            // A refusal brings nothing along, so what the clock has changed is told the next time.
            self.owed = outputs;
            return Err(refusal);
        }
        Ok(outputs)
    }

    fn dispatch(&mut self, input: Input<'_>, step: &mut Step) -> Result<(), Refusal> {
        match input {
            Input::Receive { text, rounded } => {
                self.read(Cow::Borrowed(text), Arrival::Live, rounded, false, step);
            }
            Input::Own { text } => self.read(Cow::Borrowed(text), Arrival::Live, false, true, step),
            Input::Restore { text, rounded } => self.read(text, Arrival::History, rounded, false, step),
            Input::Decide { request, decision, seen, offer } => {
                self.decide(&request, decision, seen.as_deref(), offer.as_deref(), step)?;
                self.send_due(step);
            }
            Input::DecideAll { requests, decision, offer } => {
                for (request, seen) in requests {
                    let (decision, seen) = (decision.clone(), seen.as_deref());
                    if let Err(refusal) = self.decide(&request, decision, seen, offer.as_deref(), step) {
                        step.outputs.push(Output::Refused(refusal));
                    }
                }
                self.send_due(step);
            }
            Input::Judge(requests) => self.judge_again(&requests, step),
            Input::Granted { request, grant, text } => {
                let unknown = || Refusal::UnknownRequest { id: request.to_string() };
                let index = self.index_of(&request).ok_or_else(unknown)?;
                self.record(index, AuditEvent::Granted { grant, text });
            }
            Input::Revoked { grant } => self.audit.append(self.now, None, AuditEvent::Revoked { grant }),
            Input::Undo(request) => self.undo(&request, step)?,
            Input::Retry(request) => self.retry(&request, step)?,
            Input::Delivered(id) => self.delivered(&id, step)?,
            Input::Failed { id, status, message } => self.failed(&id, status, message, step)?,
            Input::Elsewhere { request, decision } => self.elsewhere(&request, decision, step)?,
            Input::Extend { request, until } => self.extend(&request, until, step)?,
            Input::Tick => {}
        }
        Ok(())
    }

    fn read(&mut self, text: Cow<'_, str>, arrival: Arrival, rounded: bool, own: bool, step: &mut Step) {
        if text.len() > self.options.message_bytes {
            let sentence = format!(
                "the message is {} bytes long, {} are allowed",
                text.len(),
                self.options.message_bytes
            );
            step.outputs.push(Output::Problem(Problem::new(ProblemCode::MessageTooLarge, sentence)));
            return;
        }
        let (source, lent) = match arrival {
            Arrival::Live => (Source::copied(), text),
            Arrival::History => (Source::shared(text.into_owned()), Cow::Borrowed("")),
        };
        let text = source.whole().unwrap_or(&lent);
        let incoming = Incoming { text, source: &source, arrival, rounded, own, now: self.now };
        let reading = match arrival {
            Arrival::Live => self.adapter.read(&mut self.memory, &incoming),
            Arrival::History => {
                let mut memory = self.adapter.memory_after(&self.memory);
                let reading = self.adapter.read(&mut memory, &incoming);
                // What cannot be read at all is no history: the last good state stays.
                let is_nothing = reading.observations.is_empty() && reading.hidden.is_empty();
                if !is_nothing || reading.problems.is_empty() {
                    self.forget();
                    self.memory = memory;
                }
                reading
            }
        };
        step.live = arrival == Arrival::Live;
        self.readings = self.readings.wrapping_add(1);
        let is_card = |seen: &&Observation| matches!(seen, Observation::Called(_) | Observation::Asked(_));
        // Room that grows as it fills is copied again and again; a message that repeats itself without end gets no more.
        self.cards.reserve(reading.observations.iter().filter(is_card).count().min(MOST_RESERVED));
        for observation in reading.observations {
            self.observe(observation, step);
        }
        step.outputs.extend(reading.hidden.into_iter().map(Output::Hidden));
        step.outputs.extend(reading.problems.into_iter().map(Output::Problem));
        self.withdraw_stale(step);
        // Only now: what the rest of the message answers is not answered a second time.
        self.judge_new(step);
        self.send_completed(step);
    }

    fn forget(&mut self) {
        self.first_key = self.next_key();
        self.cards.clear();
        self.order.clear();
        self.by_request.clear();
        self.by_call.clear();
        self.by_batch.clear();
        self.soonest.clear();
        self.sendings.clear();
        self.by_sending.clear();
        self.queue.clear();
    }

    /// Turns what a step touched into outputs.
    fn finish(&mut self, mut step: Step) -> Vec<Output> {
        self.has_failed.set(None);
        let mut seen = Marks::default();
        for batch in step.recounted.numbers() {
            let is_parted = step.parted.contains(batch);
            for index in self.by_batch.at(batch) {
                let Some(card) = self.card(*index) else { continue };
                // What the others decide may leave it fewer offers.
                let is_uniform = card.ask.as_ref().is_some_and(|ask| ask.rule.uniform);
                if card.status == Status::Pending && !is_uniform {
                    seen.insert(*index);
                } else if card.status.is_open() || (is_parted && card.outbound.is_some()) {
                    // Nothing else shows how its batch stands.
                    step.touched.insert(*index);
                }
            }
        }
        step.touched.numbers().into_iter().for_each(|index| seen.insert(index));
        let seen = seen.numbers();
        if self.has_timers {
            self.note_deadlines(&seen);
        }
        let output = |index: u32| match step.touched.contains(index) {
            true => Output::Changed(self.first_key + index),
            false => Output::Recounted(self.first_key + index),
        };
        let mut outputs: Vec<Output> = seen.into_iter().map(output).collect();
        outputs.append(&mut step.outputs);
        if !step.waiting.is_empty() {
            let waits = |index: &u32| self.card(*index).is_some_and(|card| card.status == Status::Pending);
            let keys = step
                .waiting
                .numbers()
                .into_iter()
                .filter(waits)
                .map(|index| self.first_key + index)
                .collect();
            outputs.push(Output::Say(Announcement::Waiting(keys)));
        }
        if let Some(moment) = self.next_deadline() {
            outputs.push(Output::WakeAt(moment));
        }
        outputs
    }

    /// The messages that became due and were not taken yet; the host sends them and reports what became of each.
    pub fn take_outbound(&mut self) -> Vec<Outbound> {
        let due = std::mem::take(&mut self.queue);
        due.iter().filter_map(|id| self.hand_over(id)).collect()
    }

    /// What the host should know now.
    #[must_use]
    pub fn advice(&self) -> Vec<Advice> {
        self.adapter.advice(&self.memory)
    }

    /// Everything that was decided and sent here, in order.
    #[must_use]
    pub fn audit(&self) -> &AuditLog {
        &self.audit
    }

    /// The request that a bare or scoped id stands for.
    ///
    /// A scoped id wins over a bare one, so that no request can be named like another one's scoped id and take the
    /// decision that was meant for it.
    ///
    /// # Errors
    /// [`Refusal::UnknownRequest`], or [`Refusal::AmbiguousRequest`] when the id stands for several requests.
    pub fn find(&self, id: &str) -> Result<RequestRef, Refusal> {
        let mut found: Vec<RequestRef> = Vec::new();
        let splits = id.bytes().filter(|byte| *byte == b'/').count();
        if splits <= SPLITS || splits.saturating_mul(id.len()) <= self.cards.len() {
            // A scope or an id may hold a slash itself, so every split is tried.
            for (at, _) in id.match_indices('/') {
                let (Some(scope), Some(rest)) = (id.get(..at), id.get(at + 1..)) else { continue };
                let request = RequestRef { scope: Scope::from(scope), id: RequestId::from(rest) };
                if self.index_of(&request).is_some() {
                    found.push(request);
                }
            }
        } else {
            // To try them all would take as long as the square of what a backend chose to call its task.
            let is_meant = |card: &&Card| {
                let rest = id.strip_prefix(card.scope.as_str()).and_then(|rest| rest.strip_prefix('/'));
                rest.is_some_and(|rest| card.ask.as_ref().is_some_and(|ask| ask.request.as_str() == rest))
            };
            found.extend(self.cards.iter().filter(is_meant).filter_map(Card::request));
        }
        if found.is_empty() {
            found.extend(self.by_request.get(id).iter().filter_map(|index| self.reference(*index)));
        }
        match (found.pop(), found.len()) {
            (Some(request), 0) => Ok(request),
            (Some(_), others) => Err(Refusal::AmbiguousRequest { id: id.to_owned(), count: others + 1 }),
            (None, _) => Err(Refusal::UnknownRequest { id: id.to_owned() }),
        }
    }

    fn reference(&self, index: u32) -> Option<RequestRef> {
        self.card(index)?.request()
    }

    fn index_of(&self, request: &RequestRef) -> Option<u32> {
        let candidates = self.by_request.get(request.id.shared());
        candidates
            .iter()
            .copied()
            .find(|index| self.card(*index).is_some_and(|card| card.scope == request.scope))
    }

    fn index_of_call(&self, scope: &Scope, call: &CallId) -> Option<u32> {
        let here = |index: &u32| self.card(*index).is_some_and(|card| card.scope == *scope);
        let mut candidates = self.by_call.get(call.shared()).iter().copied().filter(here);
        let first = candidates.next()?;
        // One call may be asked about twice: what becomes of it belongs to the card that still lacks it.
        let lacks = |index: &u32| self.card(*index).is_some_and(|card| !card.has_outcome);
        Some(std::iter::once(first).chain(candidates).find(lacks).unwrap_or(first))
    }

    fn card(&self, index: u32) -> Option<&Card> {
        self.cards.get(index as usize)
    }

    fn card_mut(&mut self, index: u32) -> Option<&mut Card> {
        self.cards.get_mut(index as usize)
    }

    fn next_key(&self) -> u32 {
        self.first_key + u32::try_from(self.cards.len()).unwrap_or(u32::MAX)
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox")
            .field("adapter", &self.adapter.name())
            .field("cards", &self.cards)
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

/// What one input has touched so far.
#[derive(Debug, Default)]
struct Step {
    outputs: Vec<Output>,
    /// Cards that look different now, by index.
    touched: Marks,
    /// Batches in which something happened, by place.
    batches: Marks,
    /// Those of them that may show on each other member, because what is open or decided in them changed.
    recounted: Marks,
    /// Those of them in which a card has left the message that answered it along with others.
    parted: Marks,
    /// Cards that began to wait for a person.
    waiting: Marks,
    /// Batches in which a decision was just taken, by place, in that order.
    decided: Vec<u32>,
    /// The step reads news, so what it settles belongs into the audit log.
    live: bool,
}

impl Step {
    /// What a card shows has changed, and perhaps what the others of its batch show.
    fn touch(&mut self, index: u32, card: &Card) {
        self.touched.insert(index);
        if let Some(ask) = &card.ask {
            self.recounted.insert(ask.group);
        }
    }

    /// Something happened in this batch that each of its members may show.
    fn recount(&mut self, batch: u32) {
        self.batches.insert(batch);
        self.recounted.insert(batch);
    }
}
