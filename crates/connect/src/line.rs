//! What a conversation knows: its inbox, and the way to its backend.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use countersign_core::{
    Inbox, Input, Millis, Outbound, Output, ProblemCode, Refusal, RequestRef, RequestView,
};
use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;

use super::answer::is_forgotten;
use super::host::Host;
use super::intake::{Hold, Intake};
use super::race::{End, Signal};
use super::reading::read;
use super::turn::Turn;
use super::{Fault, Transport, pause};

/// An inbox and the way to its backend.
pub(crate) struct Line<H = Inbox> {
    pub(crate) transport: Rc<dyn Transport>,
    pub(crate) name: String,
    host: RefCell<H>,
    pub(crate) clock: fn() -> Millis,
    changed: Box<dyn Fn()>,
    /// Keeps the way open on which the backend speaks unasked.
    pub(crate) following: RefCell<Option<Rc<dyn Any>>>,
    /// Comes when nobody looks any more.
    pub(crate) end: End,
    /// Comes when the network is back: what was followed until then may be silent for ever.
    pub(crate) online: Signal,
    /// Why the backend could not be read last.
    fault: RefCell<Option<Fault>>,
    /// Why nothing is heard of it now.
    broken: RefCell<Option<Fault>>,
    /// Why the last words of a person did not arrive, or their run failed.
    pub(crate) unsaid: RefCell<Option<Fault>>,
    timer: RefCell<Option<Timeout>>,
    /// History is in the inbox.
    restored: Cell<bool>,
    /// What was told of as forgotten since something of this conversation was there; nothing before anything was.
    forgotten: RefCell<Option<Vec<String>>>,
    /// Somebody waits to read once more.
    pub(crate) retrying: Cell<bool>,
    /// The state was read beside a message of ours: what the agent does by itself was not looked for.
    pub(crate) unattended: Cell<bool>,
    pub(crate) intake: Rc<Intake>,
    pub(crate) reading: Turn,
    /// For a message until its answer is over.
    pub(crate) sending: Turn,
    /// For a message until the next decision may leave.
    pub(crate) leaving: Turn,
    pub(crate) attending: Turn,
}

impl<H: Host + 'static> Line<H> {
    pub(crate) fn new(
        transport: Rc<dyn Transport>,
        name: &str,
        host: H,
        clock: fn() -> Millis,
        changed: Box<dyn Fn()>,
    ) -> Line<H> {
        Line {
            transport,
            name: name.to_owned(),
            host: RefCell::new(host),
            clock,
            changed,
            following: RefCell::default(),
            end: End::default(),
            online: Signal::default(),
            fault: RefCell::default(),
            broken: RefCell::default(),
            unsaid: RefCell::default(),
            timer: RefCell::default(),
            restored: Cell::default(),
            forgotten: RefCell::default(),
            retrying: Cell::default(),
            unattended: Cell::default(),
            intake: Rc::default(),
            reading: Turn::default(),
            sending: Turn::default(),
            leaving: Turn::default(),
            attending: Turn::default(),
        }
    }

    pub(crate) fn with<T>(&self, read: impl FnOnce(&H) -> T) -> T {
        read(&self.host.borrow())
    }

    pub(crate) fn views(&self) -> Vec<RequestView> {
        self.with(|host| host.inbox().views())
    }

    pub(crate) fn find(&self, id: &str) -> Result<RequestRef, Refusal> {
        self.with(|host| host.inbox().find(id))
    }

    pub(crate) fn is_restored(&self) -> bool {
        self.restored.get()
    }

    pub(crate) fn fault(&self) -> Option<Fault> {
        let faults = [&self.broken, &self.fault, &self.unsaid];
        faults.into_iter().find_map(|fault| fault.borrow().clone())
    }

    /// Whether the backend refused to be followed.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.broken.borrow().as_ref().is_some_and(|fault| !fault.is_temporary())
    }

    /// Nobody looks any more. What was decided by now still leaves, and so does what is held.
    pub(crate) fn end(self: &Rc<Self>) {
        self.end.come();
        self.handle(Input::Leave).ok();
        self.following.take();
    }

    /// Whether the backend refused to be read or followed: it is asked again when somebody wants it.
    pub(crate) fn is_refused(&self) -> bool {
        self.fault.borrow().as_ref().is_some_and(|fault| !fault.is_temporary()) || self.is_cut_off()
    }

    /// Nothing is read or sent, or about to be, and the backend did not refuse.
    pub(crate) fn is_at_rest(&self) -> bool {
        let is_busy = self.reading.is_taken() || self.sending.is_taken() || self.retrying.get();
        !(is_busy || self.is_refused())
    }

    /// Hands an input to the inbox, sends what is due then, and winds the clock.
    pub(crate) fn handle(self: &Rc<Self>, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        self.act(|host, now| host.handle(now, input))
    }

    /// Does something with the inbox that gives these outputs, sends what is due then, and winds the clock.
    pub(crate) fn act<E>(
        self: &Rc<Self>,
        act: impl FnOnce(&mut H, Millis) -> Result<Vec<Output>, E>,
    ) -> Result<Vec<Output>, E> {
        let outputs = act(&mut self.host.borrow_mut(), (self.clock)())?;
        let due = self.host.borrow_mut().take_outbound();
        for outbound in due {
            spawn_local(self.departure(outbound));
        }
        if let Some(moment) = wake(&outputs) {
            self.wind(moment);
        }
        self.tell();
        Ok(outputs)
    }

    /// Sends a decision. The way that is followed now stays open until its fate is known: some backends are answered on it.
    fn departure(self: &Rc<Self>, outbound: Outbound) -> impl Future<Output = ()> + use<H> {
        let (line, following) = (Rc::clone(self), self.following.borrow().clone());
        async move {
            line.deliver(outbound).await;
            drop(following);
        }
    }

    /// Winds the clock. It may go off for nothing: what is over by then needs no moment.
    fn wind(self: &Rc<Self>, moment: Millis) {
        let wait = moment.0.saturating_sub((self.clock)().0);
        let line = Rc::downgrade(self);
        *self.timer.borrow_mut() = Some(Timeout::new(pause::as_timeout(wait), move || {
            if let Some(line) = line.upgrade() {
                line.handle(Input::Tick).ok();
            }
        }));
    }

    /// The inbox may look different.
    pub(crate) fn tell(&self) {
        if !self.end.is_over() {
            (self.changed)();
        }
    }

    /// A live event.
    pub(crate) fn heard(self: &Rc<Self>, text: String) {
        *self.forgotten.borrow_mut() = Some(Vec::new());
        if let Some(text) = self.intake.heard(text) {
            self.handle(Input::Receive { text: &text, rounded: false }).ok();
        }
    }

    /// What waited comes after the state that was read.
    pub(crate) fn release(self: &Rc<Self>, hold: Hold) {
        drop(hold);
        while let Some(text) = self.intake.next() {
            self.handle(Input::Receive { text: &text, rounded: false }).ok();
        }
    }

    /// The backend is heard from now on, or it is not.
    pub(crate) fn told(self: &Rc<Self>, news: Result<(), Fault>) {
        let is_heard = news.is_ok();
        if let Err(Fault { message, .. }) = &news {
            for id in self.transport.lost(&self.name) {
                self.handle(Input::Lost { id, message: message.clone() }).ok();
            }
        }
        let was_broken = self.broken.replace(news.err()).is_some();
        // What can be read without it is read; afterwards there is nothing new until it is heard again.
        if is_heard || !(was_broken || self.restored.get()) {
            spawn_local(read(Rc::downgrade(self), Some(self.intake.hold())));
        }
        self.tell();
    }

    /// Reads the state once; the fault is kept, too, until it succeeds.
    pub(crate) async fn read_once(self: &Rc<Self>, hold: Hold) -> Result<Option<String>, Fault> {
        let _turn = self.reading.take().await;
        let known = self.transport.history(&self.name).await;
        let known = known.and_then(|known| self.take(known.as_deref()).map(|()| known));
        if known.is_err() && !self.restored.get() {
            self.intake.clear();
        }
        *self.fault.borrow_mut() = known.as_ref().err().cloned();
        self.release(hold);
        known
    }

    /// Whether this says for the first time that something is forgotten. What never was there has not begun.
    fn is_news(&self, forgotten: &str) -> bool {
        let mut told = self.forgotten.borrow_mut();
        let Some(told) = told.as_mut().filter(|told| told.iter().all(|text| text != forgotten)) else {
            return false;
        };
        told.push(forgotten.to_owned());
        true
    }

    /// The first state is the history from which everything is rebuilt, all others refresh what is known.
    fn take(self: &Rc<Self>, known: Option<&str>) -> Result<(), Fault> {
        let known = known.filter(|text| !is_forgotten(text) || self.is_news(text));
        if known.is_some_and(|text| !is_forgotten(text)) {
            *self.forgotten.borrow_mut() = Some(Vec::new());
        }
        match known {
            // Where nothing is listed, what waits is heard; not while nothing is.
            None if self.broken.borrow().is_some() => return Ok(()),
            None => {}
            Some(text) if self.restored.get() || is_forgotten(text) => {
                self.act(|host, now| host.refresh(now, text)).ok();
            }
            Some(text) => {
                let read = self.handle(Input::Restore { text: text.into(), rounded: false });
                if let Some(sentence) = unreadable(&read.unwrap_or_default()) {
                    return Err(Fault::answered(format!("the history cannot be read: {sentence}")));
                }
            }
        }
        self.restored.set(true);
        Ok(())
    }
}

/// When the clock is wound to: the last moment counts.
fn wake(outputs: &[Output]) -> Option<Millis> {
    outputs.iter().rev().find_map(|output| match output {
        Output::WakeAt(moment) => Some(*moment),
        _ => None,
    })
}

/// Why a history could not be read at all.
fn unreadable(outputs: &[Output]) -> Option<&str> {
    outputs.iter().find_map(|output| match output {
        Output::Problem(problem)
            if matches!(problem.code, ProblemCode::JsonInvalid | ProblemCode::MessageTooLarge) =>
        {
            Some(problem.message.as_str())
        }
        _ => None,
    })
}

#[cfg(test)]
impl Line {
    /// The message of a decision, which a test sends itself.
    pub(crate) fn decide(&self, input: Input<'_>) -> Outbound {
        let mut inbox = self.host.borrow_mut();
        inbox.handle((self.clock)(), input).expect("it is taken");
        inbox.take_outbound().remove(0)
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::testing::request;
    use countersign_core::{Decision, GrantScope, Status};

    use super::*;
    use crate::FaultKind;
    use crate::testing::{line, now};

    const ASK: &str = "ask a delete {}";

    fn read_once(line: &Rc<Line>) -> Result<Option<String>, Fault> {
        now(line.read_once(line.intake.hold())).expect("it is read at once")
    }

    fn statuses(line: &Line) -> Vec<Status> {
        line.views().iter().map(|view| view.status).collect()
    }

    #[test]
    fn a_history_that_cannot_be_had_is_none() {
        let (line, _) = line([Err(Fault::lost("it is away")), Ok(Some(ASK))]);
        assert!(read_once(&line).is_err());
        assert!(!line.is_restored());
        assert_eq!(line.fault().map(|fault| fault.message).as_deref(), Some("it is away"));
        assert!(read_once(&line).is_ok());
        assert!(line.is_restored());
        assert_eq!((line.fault(), statuses(&line)), (None, vec![Status::Pending]));
    }

    #[test]
    fn a_history_that_cannot_be_read_is_none() {
        let long = "x".repeat(2_000);
        let (line, _) = line([Ok(Some(&*long))]);
        let fault = read_once(&line).expect_err("it is too long");
        assert!(!fault.is_temporary() && fault.message.starts_with("the history cannot be read: "));
        assert!(!line.is_restored());
    }

    #[test]
    fn what_is_read_now_and_then_is_not_read_beside_something_else_nor_from_who_refused() {
        let refused = Fault::new(FaultKind::Status(401), "no");
        let (line, _) = line([Err(Fault::lost("it is away")), Ok(None), Err(refused)]);
        assert!(line.is_at_rest());
        let turns = [line.reading.try_take(), line.sending.try_take()];
        assert!(!line.is_at_rest());
        drop(turns);
        line.retrying.set(true);
        assert!(!line.is_at_rest());
        line.retrying.set(false);
        for rests in [true, true, false] {
            read_once(&line).ok();
            assert_eq!(line.is_at_rest(), rests);
        }
    }

    #[test]
    fn a_conversation_is_forgotten_only_where_it_was_there() {
        let gone = r#"{"forgotten":"c","said":"Session not found"}"#;
        let (line, _) = line([Ok(Some(gone)), Ok(Some(ASK)), Ok(Some(gone)), Ok(Some(gone)), Ok(Some(ASK))]);
        let expected: [&[Status]; 5] =
            [&[], &[Status::Pending], &[Status::Superseded], &[Status::Superseded], &[Status::Pending]];
        for statuses_then in expected {
            assert!(read_once(&line).is_ok() && line.is_restored());
            assert_eq!(statuses(&line), statuses_then);
        }
    }

    #[test]
    fn each_task_of_a_conversation_is_forgotten_once() {
        let (line, _) = line([]);
        let gone = |id: &str| format!(r#"{{"forgotten":"{id}","said":"Task not found"}}"#);
        assert!(!line.is_news(&gone("a")));
        line.heard(ASK.to_owned());
        let news = ["a", "b", "a"].map(|id| line.is_news(&gone(id)));
        assert_eq!(news, [true, true, false]);
        line.heard(ASK.to_owned());
        assert!(line.is_news(&gone("a")));
    }

    #[test]
    fn where_nothing_is_listed_everything_is_known_only_while_it_is_heard() {
        let (line, _) = line([Ok(None), Ok(None)]);
        *line.broken.borrow_mut() = Some(Fault::lost("it is away"));
        assert!(read_once(&line).is_ok());
        assert!(!line.is_restored() && line.fault().is_some());
        *line.broken.borrow_mut() = None;
        assert!(read_once(&line).is_ok());
        assert!(line.is_restored() && line.fault().is_none());
    }

    #[test]
    fn what_is_heard_before_the_history_was_read_comes_after_it() {
        let (line, _) = line([Ok(Some(ASK))]);
        let hold = line.intake.hold();
        line.heard("close a cancelled".to_owned());
        assert!(now(line.read_once(hold)).is_some_and(|read| read.is_ok()));
        assert_eq!(statuses(&line), [Status::Cancelled]);
    }

    #[test]
    fn r43_the_way_stays_open_until_what_was_decided_has_left() {
        let (line, played) = line([Ok(Some(ASK))]);
        assert!(read_once(&line).is_ok());
        let way: Rc<dyn Any> = Rc::new(());
        let is_open = {
            let way = Rc::downgrade(&way);
            move || way.strong_count() > 0
        };
        *line.following.borrow_mut() = Some(way);
        let decision = Decision::Approve { scope: GrantScope::Call };
        let outbound =
            line.decide(Input::Decide { request: request("a"), decision, seen: None, offer: None });
        let departure = line.departure(outbound);
        line.end();
        assert!(is_open() && played.sent.borrow().is_empty());
        assert_eq!(now(departure), Some(()));
        assert_eq!(*played.sent.borrow(), ["approve a"]);
        assert!(!is_open());
    }

    #[test]
    fn where_nothing_leaves_the_way_ends_at_once() {
        let (line, _) = line([]);
        let way: Rc<dyn Any> = Rc::new(());
        *line.following.borrow_mut() = Some(Rc::clone(&way));
        line.end();
        assert_eq!(Rc::strong_count(&way), 1);
    }

    #[test]
    fn r41_of_several_moments_the_clock_is_wound_to_the_last_one() {
        let moments = [60_000, 4_003].map(|moment| Output::WakeAt(Millis(moment)));
        assert_eq!((wake(&moments), wake(&[Output::Ready])), (Some(Millis(4_003)), None));
    }

    #[test]
    fn a_later_state_refreshes_and_rebuilds_nothing() {
        let (line, _) = line([Ok(Some(ASK)), Ok(Some("ask b delete {}"))]);
        assert!(read_once(&line).is_ok() && read_once(&line).is_ok());
        assert_eq!(line.views().len(), 2);
    }
}
