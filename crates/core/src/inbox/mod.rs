//! All requests of one conversation, and every decision about them.

mod ask;
mod card;
mod check;
mod course;
mod deadline;
mod decide;
mod delivery;
mod find;
mod flight;
mod input;
mod judge;
mod learn;
mod observe;
mod outcome;
mod output;
mod send;
mod step;
#[cfg(test)]
mod tests;
mod views;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use crate::adapter::{Adapter, Advice, Arrival, Incoming, Memory};
use crate::audit::{AuditEvent, AuditLog};
use crate::collections::Groups;
use crate::error::{Problem, ProblemCode, Refusal};
use crate::ids::{Millis, OutboundId};
use crate::observation::Observation;
use crate::options::InboxOptions;
use crate::outbound::Outbound;
use crate::text::Source;

pub use input::Input;
pub use output::Output;

use card::Card;
use find::ByScope;
use learn::Lesson;
use send::Sending;
use step::Step;
use views::Together;

/// For how many cards room is made before they are read.
const MOST_RESERVED: usize = 1 << 15;

/// All requests of one conversation.
///
/// A pure machine with one entry, [`Inbox::handle`]: time comes in as an argument; besides it [`Inbox::take_outbound`] hands
/// messages over, [`Inbox::find_for_decision`] records a stray decision, [`Inbox::set_policy`] and [`Inbox::policy_mut`] change
/// the rules. Nothing but a person's decision or a rule of the host's policy ever approves: not a timeout,
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
    by_request: ByScope,
    by_call: ByScope,
    by_batch: Groups,
    /// For each so many cards the next moment at which the clock alone changes one of them.
    soonest: Vec<Option<Millis>>,
    /// A card was ever timed, so that the moments above are kept.
    has_timers: bool,
    /// Messages by the order in which they were written; one that was taken back leaves its place empty.
    sendings: Vec<Option<Sending>>,
    by_sending: Groups,
    /// What people or messages have dealt with before history was read: from now on only a person approves it.
    dealt_with: Groups,
    /// Messages that the host has not taken, and some that were taken back.
    queue: Vec<OutboundId>,
    /// What the card that was drawn last shares with its batch, until something happens.
    together: RefCell<Option<Together>>,
    /// Whether the batch at this place holds a decision that did not arrive, until something happens.
    has_failed: Cell<Option<(u32, bool)>>,
    written: u64,
    /// How many messages were read.
    readings: u32,
    /// Approvals that the policy has learned from, and that may turn out not to count.
    lessons: Vec<Lesson>,
    /// The outcomes of which nobody can say whose they are.
    unclaimed: Vec<u32>,
    /// What was not told yet, because the input that found it was refused.
    owed: Vec<Output>,
    audit: AuditLog,
    now: Millis,
    /// By how much the clock was set back in all.
    set_back: Millis,
}

/// What is to be read; the fields are those of [`Incoming`].
struct Arrived<'a> {
    text: Cow<'a, str>,
    arrival: Arrival,
    rounded: bool,
    own: bool,
}

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
            by_request: ByScope::default(),
            by_call: ByScope::default(),
            by_batch: Groups::default(),
            soonest: Vec::new(),
            has_timers: false,
            sendings: Vec::new(),
            by_sending: Groups::default(),
            dealt_with: Groups::default(),
            queue: Vec::new(),
            together: RefCell::default(),
            has_failed: Cell::default(),
            written: 0,
            readings: 0,
            lessons: Vec::new(),
            unclaimed: Vec::new(),
            owed: Vec::new(),
            audit: AuditLog::default(),
            now: Millis(0),
            set_back: Millis(0),
        }
    }

    /// Takes in one input and says what follows from it.
    ///
    /// `now` is the present moment. One before an earlier one says that the clock was set back: what is held, and the
    /// deadlines that were counted from here, move back along with it, as far from it as they were.
    ///
    /// # Errors
    /// A [`Refusal`]: nothing of the input was done; only what the clock or an ended rule caused has happened.
    pub fn handle(&mut self, now: Millis, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        *self.together.get_mut() = None;
        self.has_failed.set(None);
        let mut step = Step::default();
        self.turn_to(now, &mut step);
        self.pass_deadlines(&mut step);
        let result = self.dispatch(input, &mut step);
        self.renew(&mut step);
        self.expire_late(&mut step);
        let mut outputs = std::mem::take(&mut self.owed);
        outputs.append(&mut self.finish(step));
        if let Err(refusal) = result {
            // A refusal brings nothing along, so what the clock has changed is told the next time; when to wake is then
            // another moment.
            outputs.retain(|output| !matches!(output, Output::WakeAt(_)));
            self.owed = outputs;
            return Err(refusal);
        }
        Ok(outputs)
    }

    fn dispatch(&mut self, input: Input<'_>, step: &mut Step) -> Result<(), Refusal> {
        match input {
            Input::Receive { text, rounded } => {
                let (text, arrival) = (Cow::Borrowed(text), Arrival::Live);
                self.read(Arrived { text, arrival, rounded, own: false }, step);
            }
            Input::Own { text } => {
                let (text, arrival) = (Cow::Borrowed(text), Arrival::Live);
                self.read(Arrived { text, arrival, rounded: false, own: true }, step);
            }
            Input::Restore { text, rounded } => {
                self.read(Arrived { text, arrival: Arrival::History, rounded, own: false }, step);
            }
            Input::Decide { request, decision, seen, offer } => {
                self.decide(&request, decision, seen.as_ref(), offer.as_deref(), step)?;
                self.send_due(step);
            }
            Input::DecideAll { requests, decision, offer } => {
                for (request, seen) in requests {
                    let (decision, seen) = (decision.clone(), seen.as_ref());
                    if let Err(refusal) = self.decide(&request, decision, seen, offer.as_deref(), step) {
                        step.outputs.push(Output::Refused(refusal));
                    }
                }
                self.send_due(step);
            }
            Input::Judge(requests) => self.judge_again(&requests, step),
            Input::Granted { request, grant, text } => {
                let (index, _) = self.known(&request)?;
                self.record(index, AuditEvent::Granted { grant, text });
                self.note_unseen();
            }
            Input::Revoked { grant } => {
                self.audit.append(self.now, None, AuditEvent::Revoked { grant });
                let all: Vec<u32> = (0..self.next_key() - self.first_key).collect();
                self.drop_overruled(&all, step);
                self.send_completed(step);
            }
            Input::Undo(request) => {
                self.undo(&request, step)?;
                // What else its message carried may still go out.
                self.send_completed(step);
            }
            Input::Retry(request) => {
                self.drop_ended(step);
                self.retry(&request, step)?;
                self.withdraw_stale(step);
                self.send_completed(step);
            }
            Input::Delivered(id) => self.delivered(&id, step)?,
            Input::Failed { id, status, message } => {
                self.failed(&id, status, message, step)?;
                self.look_again(step);
            }
            Input::Lost { id, message } => {
                self.lost(&id, message, step)?;
                self.look_again(step);
            }
            Input::Elsewhere { request, decision } => self.elsewhere(&request, decision, step)?,
            Input::Extend { request, until } => self.extend(&request, until, step)?,
            Input::Leave => self.leave(step),
            Input::Tick => self.drop_ended(step),
        }
        Ok(())
    }

    fn read(&mut self, arrived: Arrived<'_>, step: &mut Step) {
        let Arrived { text, arrival, rounded, own } = arrived;
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
        let mut flights = Vec::new();
        let incoming = Incoming { text, source: &source, arrival, rounded, own, now: self.now };
        let reading = match arrival {
            Arrival::Live => self.adapter.read(&mut self.memory, &incoming),
            Arrival::History => {
                let mut memory = self.adapter.memory_after(&self.memory);
                let reading = self.adapter.read(&mut memory, &incoming);
                // What cannot be read at all is no history: the last good state stays.
                let is_nothing = reading.observations.is_empty() && reading.hidden.is_empty();
                if !is_nothing || reading.problems.is_empty() {
                    flights = self.forget();
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
        self.take_up(flights, step);
        self.note_repeated(step);
        self.withdraw_stale(step);
        // By what was read the backend may be at something else, for which they must wait, or wait no more.
        self.carried_by_all().into_iter().for_each(|index| step.touched.insert(index));
        self.unlearn(step);
        // Only now: what the rest of the message answers is not answered a second time.
        self.judge_new(step);
        self.send_completed(step);
    }

    /// The messages that became due and were not taken yet; the host sends them and reports what became of each. One that must
    /// not leave yet stays due: they are taken after every input.
    #[must_use = "the host must send these"]
    pub fn take_outbound(&mut self) -> Vec<Outbound> {
        let due = std::mem::take(&mut self.queue);
        due.iter().filter_map(|id| self.hand_over(id)).collect()
    }

    /// Whether a message that the host has taken, and that waits there for its turn, may leave still. If not, it has failed, and
    /// nothing of it arrived.
    #[must_use]
    pub fn may_leave(&self, id: &OutboundId) -> bool {
        self.sending_of(id).is_none_or(|it| self.adapter.may_leave(&self.memory, &it.outbound))
    }

    /// Whether messages became due that were not taken yet: what a policy that has changed since, or an end of a grant,
    /// takes back of them, the next [`Input::Tick`] takes back.
    #[must_use]
    pub fn has_due(&self) -> bool {
        !self.queue.is_empty()
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

    fn card(&self, index: u32) -> Option<&Card> {
        self.cards.get(index as usize)
    }

    fn card_mut(&mut self, index: u32) -> Option<&mut Card> {
        self.cards.get_mut(index as usize)
    }

    /// Whether this is so of all these cards.
    fn all(&self, indices: &[u32], is_so: impl Fn(&Card) -> bool) -> bool {
        indices.iter().all(|index| self.card(*index).is_some_and(&is_so))
    }

    /// Whether this is so of any of these cards.
    fn any(&self, indices: &[u32], is_so: impl Fn(&Card) -> bool) -> bool {
        indices.iter().any(|index| self.card(*index).is_some_and(&is_so))
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
