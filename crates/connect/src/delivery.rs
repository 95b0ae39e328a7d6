//! What a conversation sends, and what it tells the inbox about that.

use std::cell::Cell;
use std::future::{Future, ready};
use std::pin::pin;
use std::rc::Rc;

use countersign_core::{Input, Outbound, OutboundId, RequestView, Status};

use super::awaited::{is_in_doubt, still_waits};
use super::host::Host;
use super::line::Line;
use super::race::{First, first};
use super::reading::{attend, chase, read};
use super::turn::Place;
use super::{Each, Fault, Message, pause};

/// How long nothing may be heard of a message before it keeps nothing back, in milliseconds.
const SILENCE: u32 = 60_000;

/// Why a message does not leave that may when it is sent again.
const IN_THE_WAY: &str = "another task works, and may ask before this arrives";

/// What is known of a message after a while.
enum News {
    /// What became of it.
    Fate(Result<(), Fault>),
    /// Nothing was heard of it.
    Silence,
    /// The network is back.
    Online,
}

/// A message on its way.
struct Way {
    leaving: Cell<Option<Place>>,
    sending: Cell<Option<Place>>,
    id: Option<OutboundId>,
    /// The inbox was told what became of it.
    is_told: Cell<bool>,
    heard: Cell<bool>,
    is_taken: Cell<bool>,
}

impl Way {
    fn new(leaving: Place, sending: Place, id: Option<OutboundId>) -> Rc<Way> {
        let [leaving, sending] = [leaving, sending].map(|place| Cell::new(Some(place)));
        let [is_told, heard, is_taken] = [(); 3].map(|()| Cell::new(false));
        Rc::new(Way { leaving, sending, id, is_told, heard, is_taken })
    }

    /// It keeps nothing back any more.
    fn free(&self) {
        drop((self.leaving.take(), self.sending.take()));
    }
}

impl<H: Host + 'static> Line<H> {
    /// Sends a person's words.
    pub(crate) async fn say(self: &Rc<Self>, message: &str) {
        let sending = self.sending.place();
        let leaving = self.leaving.take().await;
        // Words in the middle of a run would begin another one beside it.
        sending.come().await;
        self.tell();
        let way = Way::new(leaving, sending, None);
        let sent = self.transport.send(&self.name, Message::words(message), self.each(&way));
        let mut sent = self.watched(&way, sent).await;
        drop(way.leaving.take());
        if sent.is_ok() {
            sent = self.watched(&way, self.transport.arrived(None)).await;
        }
        way.free();
        let fault = sent.err();
        let broke = fault.is_some();
        let is_silent = fault.as_ref().is_some_and(Fault::is_silent) && !way.is_taken.get();
        // Words that arrived must not be said again because the answer broke off.
        *self.unsaid.borrow_mut() = fault.filter(|fault| !(way.is_taken.get() && fault.is_temporary()));
        self.tell();
        self.after_a_message(broke).await;
        if is_silent {
            chase(self, |line| line.unsaid.borrow().is_some()).await;
        }
    }

    /// Sends a decision, and tells the inbox what became of it.
    pub(crate) async fn deliver(self: &Rc<Self>, outbound: Outbound) {
        let sending = self.sending.place();
        let way = Way::new(self.leaving.take().await, sending, Some(outbound.id.clone()));
        self.tell();
        let sent = self.try_deliver(&outbound, &way).await;
        way.free();
        self.tell();
        let sent = match sent {
            Ok(()) => self.transport.arrived(Some(outbound.id.as_str())).await,
            Err(fault) => Err(fault),
        };
        let (broke, is_silent) = (sent.is_err(), sent.as_ref().is_err_and(Fault::is_silent));
        // Where a part of the answer came, the inbox knows already that it arrived.
        self.tell_fate(&way, sent);
        self.after_a_message(broke).await;
        if is_silent {
            chase(self, |line| is_in_doubt(&line.views(), &outbound.id)).await;
        }
    }

    /// Tells the inbox once what became of a message.
    fn tell_fate(self: &Rc<Self>, way: &Way, sent: Result<(), Fault>) {
        let Some(id) = way.id.clone().filter(|_| !way.is_told.replace(true)) else { return };
        let told = match sent {
            Ok(()) => Input::Delivered(id),
            Err(fault) => Input::Failed { id, status: fault.status(), message: Some(fault.message) },
        };
        self.handle(told).ok();
    }

    /// Why a message was not taken, or what came of one that broke off, is in the state; and the end of an answer need not be that of its run.
    async fn after_a_message(self: &Rc<Self>, broke: bool) {
        if broke || self.unattended.take() {
            read(Rc::downgrade(self), None).await;
        } else {
            attend(Rc::downgrade(self), None).await;
        }
    }

    async fn try_deliver(self: &Rc<Self>, outbound: &Outbound, way: &Rc<Way>) -> Result<(), Fault> {
        let still = |line: &Self| {
            let shares = |one: &str, other: &str| line.transport.shares(one, other);
            still_waits(&line.views(), &outbound.id, shares).map_err(Fault::moved_on)?;
            let may_leave = line.with(|host| host.inbox().may_leave(&outbound.id));
            if may_leave { Ok(()) } else { Err(Fault::moved_on(IN_THE_WAY)) }
        };
        still(self)?;
        {
            let _turn = self.reading.take().await;
            let hold = self.intake.hold();
            let state = self.transport.check(&self.name, Message::of(outbound)).await;
            if let Ok(Some(text)) = &state {
                self.act(|host, now| host.refresh(now, text)).ok();
            }
            self.release(hold);
            state.map_err(Fault::unsent)?;
        }
        still(self)?;
        let sent = self.transport.send(&self.name, Message::of(outbound), self.each(way));
        self.watched(way, sent).await
    }

    /// What comes of a message. While nothing is heard of it, it keeps nothing back, and the state says what became of it. An answer that had
    /// begun when the network came back is given up, unless it is kept.
    async fn watched(
        self: &Rc<Self>,
        way: &Way,
        sent: impl Future<Output = Result<(), Fault>>,
    ) -> Result<(), Fault> {
        let mut sent = pin!(sent);
        loop {
            match self.news(way, sent.as_mut()).await {
                News::Fate(fate) => return fate,
                News::Online if !way.is_taken.get() => continue,
                News::Online if !self.transport.is_kept() => {
                    return Err(Fault::lost("the connection to the agent was lost"));
                }
                News::Online | News::Silence => {}
            }
            way.free();
            self.tell();
            // What comes meanwhile would have to wait for the state in any case.
            self.end.unless(self.read_once(self.intake.hold())).await;
            self.tell();
            if let First::One(fate) = first(sent.as_mut(), ready(())).await {
                return fate;
            }
            let waits = |view: &RequestView| {
                view.status == Status::Sending && view.outbound.as_ref().map(|it| &it.id) == way.id.as_ref()
            };
            let silent = || Fault::lost("the agent said nothing: the message may have arrived all the same");
            self.tell_fate(way, if self.views().iter().any(waits) { Err(silent()) } else { Ok(()) });
        }
    }

    /// What comes first of a message on its way.
    async fn news(&self, way: &Way, sent: impl Future<Output = Result<(), Fault>>) -> News {
        let silence = pause::silence(SILENCE, &way.heard);
        match first(sent, first(silence, self.online.next())).await {
            First::One(fate) => News::Fate(fate),
            First::Other(First::One(())) => News::Silence,
            First::Other(First::Other(())) => News::Online,
        }
    }

    /// Takes the parts of an answer: the first that is no error says that the message arrived.
    fn each(self: &Rc<Self>, way: &Rc<Way>) -> Each {
        let (line, way) = (Rc::clone(self), Rc::clone(way));
        Rc::new(move |text| {
            way.heard.set(true);
            if line.transport.is_taken(&text) {
                way.is_taken.set(true);
                if line.transport.is_parallel() {
                    drop(way.leaving.take());
                }
                line.tell_fate(&way, Ok(()));
            }
            line.heard(text);
        })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use countersign_core::testing::request;
    use countersign_core::{Decision, GrantScope, OutboundState};

    use super::*;
    use crate::FaultKind;
    use crate::testing::{Played, in_time, line, now, pass};

    /// A line whose one request was approved, and the message that is to leave.
    fn approved() -> (Rc<Line>, Rc<Played>, Outbound) {
        let (line, played) = line([Ok(Some("ask a delete {}"))]);
        assert!(now(line.read_once(line.intake.hold())).is_some());
        let decision = Decision::Approve { scope: GrantScope::Call };
        let outbound =
            line.decide(Input::Decide { request: request("a"), decision, seen: None, offer: None });
        (line, played, outbound)
    }

    /// Two approved requests over a backend whose answers have no end, and what goes with each.
    fn two_at_work(parts: [&[&str]; 2]) -> (Rc<Line>, Rc<Played>, [Outbound; 2]) {
        let (line, played) = line([Ok(Some("ask a delete {}; ask b delete {}"))]);
        assert!(now(line.read_once(line.intake.hold())).is_some());
        played.stays_open.set(true);
        let parts = parts.map(|parts| (parts.iter().map(|part| (*part).to_owned()).collect(), Ok(())));
        played.answers.borrow_mut().extend(parts);
        let outbounds = ["a", "b"].map(|id| {
            let decision = Decision::Approve { scope: GrantScope::Call };
            line.decide(Input::Decide { request: request(id), decision, seen: None, offer: None })
        });
        (line, played, outbounds)
    }

    /// What each future is by now.
    fn all<const N: usize>(mut futures: [Pin<&mut dyn Future<Output = ()>>; N]) -> [bool; N] {
        std::array::from_fn(|at| now(futures[at].as_mut()).is_some())
    }

    /// What became of the one message.
    fn fate(line: &Line) -> (Status, Option<OutboundState>) {
        let view = line.views().remove(0);
        (view.status, view.outbound.map(|outbound| outbound.state))
    }

    #[test]
    fn a_message_that_left_is_delivered_though_nobody_answers() {
        let (line, played, outbound) = approved();
        assert_eq!(now(line.deliver(outbound)), Some(()));
        assert_eq!(*played.sent.borrow(), ["approve a"]);
        assert_eq!(fate(&line), (Status::Sent, Some(OutboundState::Delivered)));
        assert!(!line.sending.is_taken());
    }

    #[test]
    fn r10_lost_a_message_that_left_and_that_nobody_answers_has_failed_where_answers_are_waited_for() {
        let (line, played, outbound) = approved();
        played.arrivals.borrow_mut().push_back(Err(Fault::lost("the connection was lost")));
        assert_eq!(in_time(line.deliver(outbound)).0, Some(()));
        assert_eq!(*played.sent.borrow(), ["approve a"]);
        assert_eq!(fate(&line), (Status::Drafted, Some(OutboundState::Failed)));
    }

    #[test]
    fn r10_lost_what_counted_as_delivered_comes_back_when_the_connection_breaks_before_a_word_on_it() {
        let (line, played, outbound) = approved();
        played.lost.borrow_mut().push(outbound.id.clone());
        assert_eq!(now(line.deliver(outbound)), Some(()));
        assert_eq!(fate(&line), (Status::Sent, Some(OutboundState::Delivered)));
        line.told(Err(Fault::lost("the connection was lost")));
        assert_eq!(fate(&line), (Status::Drafted, Some(OutboundState::Failed)));
    }

    #[test]
    fn r01_what_may_not_leave_by_the_time_its_turn_has_come_fails_and_can_be_sent_again() {
        let (line, played, outbound) = approved();
        played.checks.borrow_mut().push_back(Ok(Some("busy".to_owned())));
        assert_eq!(now(line.deliver(outbound)), Some(()));
        assert!(played.sent.borrow().is_empty());
        assert_eq!(fate(&line), (Status::Drafted, Some(OutboundState::Failed)));
        line.act(|host, now| host.refresh(now, "idle")).expect("news is never refused");
        assert_eq!(now(line.deliver(line.decide(Input::Retry(request("a"))))), Some(()));
        assert_eq!(*played.sent.borrow(), ["approve a"]);
    }

    #[test]
    fn r10_the_next_decision_waits_for_an_answer_unless_the_backend_works_on_several_things() {
        for is_parallel in [false, true] {
            let (line, played, [one, other]) = two_at_work([&["run a"], &[]]);
            played.is_parallel.set(is_parallel);
            let (mut one, mut other) = (pin!(line.deliver(one)), pin!(line.deliver(other)));
            let mut words = pin!(line.say("hello"));
            assert_eq!(all([one.as_mut(), other.as_mut(), words.as_mut()]), [false; 3]);
            let sent: &[&str] = if is_parallel { &["approve a", "approve b"] } else { &["approve a"] };
            assert_eq!(*played.sent.borrow(), sent);
        }
    }

    #[test]
    fn r10_an_error_lets_no_other_decision_go() {
        let (line, played, [one, other]) = two_at_work([&["error no"], &[]]);
        played.is_parallel.set(true);
        let (mut one, mut other) = (pin!(line.deliver(one)), pin!(line.deliver(other)));
        assert_eq!(all([one.as_mut(), other.as_mut()]), [false; 2]);
        assert_eq!(*played.sent.borrow(), ["approve a"]);
    }

    #[test]
    fn r10_what_was_handed_over_first_leaves_first() {
        let (line, played, [one, other]) = two_at_work([&[], &[]]);
        played.stays_open.set(false);
        let held = line.leaving.try_take();
        let (mut one, mut other) = (pin!(line.deliver(one)), pin!(line.deliver(other)));
        let mut words = pin!(line.say("hello"));
        assert_eq!(all([one.as_mut(), words.as_mut(), other.as_mut()]), [false; 3]);
        drop(held);
        // In whatever order they look.
        assert_eq!(all([other.as_mut(), words.as_mut(), one.as_mut()]), [false, false, true]);
        assert_eq!(all([other.as_mut(), words.as_mut()]), [false, true]);
        assert_eq!(all([other.as_mut()]), [true]);
        assert_eq!(*played.sent.borrow(), ["approve a", "hello", "approve b"]);
    }

    #[test]
    fn r10_words_of_which_something_still_comes_keep_other_words_back_and_no_decision() {
        let (line, played, [one, _]) = two_at_work([&[], &[]]);
        played.stays_open.set(false);
        played.works.set(true);
        let (mut words, mut others) = (pin!(line.say("hello")), pin!(line.say("and more")));
        assert_eq!(all([words.as_mut()]), [false]);
        assert_eq!((now(line.deliver(one)), all([words.as_mut(), others.as_mut()])), (Some(()), [false; 2]));
        assert_eq!(*played.sent.borrow(), ["hello", "approve a"]);
        pass(60_000);
        assert_eq!(all([words.as_mut(), others.as_mut()]), [false; 2]);
        assert_eq!(*played.sent.borrow(), ["hello", "approve a", "and more"]);
    }

    #[test]
    fn r10_a_message_of_which_nothing_is_heard_fails_and_holds_up_nobody() {
        let (line, played, [one, other]) = two_at_work([&[], &[]]);
        let id = one.id.clone();
        let fate = || {
            let view =
                line.views().into_iter().find(|view| view.outbound.as_ref().is_some_and(|it| it.id == id));
            view.map(|view| view.status)
        };
        let (mut one, mut other) = (pin!(line.deliver(one)), pin!(line.deliver(other)));
        assert_eq!(all([one.as_mut(), other.as_mut()]), [false; 2]);
        pass(59_999);
        assert_eq!(all([one.as_mut(), other.as_mut()]), [false; 2]);
        assert_eq!((fate(), played.sent.borrow().len()), (Some(Status::Sending), 1));
        pass(1);
        assert_eq!(all([one.as_mut(), other.as_mut()]), [false; 2]);
        assert_eq!((fate(), played.sent.borrow().len()), (Some(Status::Drafted), 2));
        // What is heard of it after all stays out of what is sent again under the same id.
        assert_eq!(line.decide(Input::Retry(request("a"))).id, id);
        played.more.borrow_mut().push("say hello".to_owned());
        assert_eq!(all([one.as_mut()]), [false]);
        assert_eq!(fate(), Some(Status::Sending));
    }

    #[test]
    fn r10_of_a_message_that_fell_silent_the_state_says_what_became() {
        let (line, played, [one, _]) = two_at_work([&[], &[]]);
        let mut one = pin!(line.deliver(one));
        assert_eq!(all([one.as_mut()]), [false]);
        played.histories.borrow_mut().push_back(Ok(Some("answer a approve; outcome a completed".to_owned())));
        pass(60_000);
        assert_eq!(all([one.as_mut()]), [false]);
        assert_eq!(line.views()[0].status, Status::Completed);
        assert!(!line.sending.is_taken());
    }

    #[test]
    fn r10_what_is_heard_of_a_message_while_the_state_is_read_counts() {
        let (line, played, [one, _]) = two_at_work([&[], &[]]);
        let mut one = pin!(line.deliver(one));
        assert_eq!(all([one.as_mut()]), [false]);
        let reading = line.reading.try_take();
        pass(60_000);
        assert_eq!(all([one.as_mut()]), [false]);
        played.more.borrow_mut().push("say hello".to_owned());
        drop(reading);
        assert_eq!(all([one.as_mut()]), [false]);
        assert_eq!(line.views()[0].status, Status::Sent);
    }

    #[test]
    fn r10_each_part_begins_the_silence_anew() {
        let (line, played, [one, _]) = two_at_work([&["run a"], &[]]);
        let mut one = pin!(line.deliver(one));
        for _ in 0..3 {
            assert_eq!(all([one.as_mut()]), [false]);
            pass(59_999);
            played.more.borrow_mut().push("say hello".to_owned());
        }
        assert_eq!((all([one.as_mut()]), line.sending.is_taken()), ([false], true));
        pass(60_000);
        assert_eq!((all([one.as_mut()]), line.sending.is_taken()), ([false], false));
    }

    #[test]
    fn r10_an_answer_that_has_begun_is_given_up_when_the_network_is_back() {
        // Of what has not begun nobody knows yet; a run that would end with it is not given up, and keeps nothing back.
        for (parts, is_kept, ends, goes_on) in [
            (&["run a"][..], false, true, false),
            (&["run a"], true, false, false),
            (&[], false, false, true),
        ] {
            let (line, played, [one, _]) = two_at_work([parts, &[]]);
            played.is_kept.set(is_kept);
            let mut one = pin!(line.deliver(one));
            assert_eq!(all([one.as_mut()]), [false]);
            line.online.come();
            assert_eq!(all([one.as_mut()]), [false]);
            pass(500);
            assert_eq!(all([one.as_mut()]), [ends], "{parts:?}");
            assert_eq!(line.sending.is_taken(), goes_on, "{parts:?}");
            let unknown =
                line.views()[0].outbound.as_ref().is_some_and(|it| it.state == OutboundState::Failed);
            assert!(!unknown, "{parts:?}");
        }
    }

    #[test]
    fn what_was_settled_in_the_meantime_is_not_sent() {
        let (line, played, outbound) = approved();
        played.checks.borrow_mut().push_back(Ok(Some("close a cancelled".to_owned())));
        assert_eq!(now(line.deliver(outbound)), Some(()));
        assert!(played.sent.borrow().is_empty());
        assert_eq!(fate(&line).0, Status::Cancelled);
    }

    /// What leaves of an approval of `asked` when the check finds this.
    fn sent_after(asked: &str, ids: &[&str], found: &str) -> usize {
        let (line, played) = line([Ok(Some(asked))]);
        assert!(now(line.read_once(line.intake.hold())).is_some());
        let requests = ids.iter().map(|id| (request(id), None)).collect();
        let decision = Decision::Approve { scope: GrantScope::Call };
        let outbound = line.decide(Input::DecideAll { requests, decision, offer: None });
        played.checks.borrow_mut().push_back(Ok(Some(found.to_owned())));
        assert_eq!(now(line.deliver(outbound)), Some(()));
        let left = played.sent.borrow().len();
        assert_eq!(fate(&line).0 == Status::Sent, left == 1);
        left
    }

    #[test]
    fn r01_an_answer_that_would_reach_something_else_does_not_leave() {
        let check = |asked: &str, ids: &[&str], found: &str, left| {
            assert_eq!(sent_after(asked, ids, found), left, "{asked} -> {found}");
        };
        let two = "ask i/0 delete batch=i held {}; ask i/1 delete batch=i held {}";
        // One question more in the same place, one that took the place of two, and one that nobody can answer.
        check("ask i delete {}", &["i"], "ask i/0 delete {}; ask i/1 delete {}", 0);
        check(two, &["i/0", "i/1"], "ask i delete {\"path\":\"/etc\"}", 0);
        check("ask i/0 delete {}", &["i/0"], "ask i delete blocked {}", 0);
        check("ask i delete {}", &["i"], "ask j delete {}; ask k/0 delete {}", 1);
        check(two, &["i/0", "i/1"], two, 1);
    }

    #[test]
    fn r01_an_answer_that_would_reach_what_was_decided_otherwise_does_not_leave() {
        let (line, played) = line([Ok(Some("ask i/0 delete {}")), Ok(Some("ask i delete {}"))]);
        let read = || now(line.read_once(line.intake.hold())).is_some();
        let decide = |id, decision| {
            line.decide(Input::Decide { request: request(id), decision, seen: None, offer: None })
        };
        assert!(read());
        let first = decide("i/0", Decision::Approve { scope: GrantScope::Call });
        assert!(read());
        decide("i", Decision::Reject { reason: None, scope: GrantScope::Call });
        assert_eq!(now(line.deliver(first)), Some(()));
        assert!(played.sent.borrow().is_empty());
        let said = line.views().remove(0).outbound.and_then(|outbound| outbound.error);
        assert_eq!(said.as_deref(), Some("something else is asked there by now"));
    }

    #[test]
    fn r43_what_failed_before_it_left_is_in_no_doubt() {
        for kind in [FaultKind::Lost, FaultKind::Status(401), FaultKind::Status(500), FaultKind::Answered] {
            let (line, played, outbound) = approved();
            played.checks.borrow_mut().push_back(Err(Fault::new(kind, "it cannot be read")));
            assert_eq!(now(line.deliver(outbound)), Some(()));
            assert!(played.sent.borrow().is_empty());
            assert_eq!(fate(&line), (Status::Drafted, Some(OutboundState::Failed)));
            let said = line.views().remove(0).outbound.and_then(|outbound| outbound.error);
            assert_eq!(said.as_deref(), Some("it cannot be read"));
            // What may have arrived would be `unknown`.
            line.heard(r#"{"forgotten":"c","said":"it is gone"}"#.to_owned());
            assert_eq!(fate(&line).0, Status::Superseded, "{kind:?}");
        }
    }

    #[test]
    fn an_answer_that_broke_off_has_arrived_and_the_state_is_read() {
        let (line, played, outbound) = approved();
        let parts = vec!["run a".to_owned()];
        played.answers.borrow_mut().push_back((parts, Err(Fault::lost("it broke"))));
        assert_eq!(in_time(line.deliver(outbound)).0, Some(()));
        assert_ne!(fate(&line).1, Some(OutboundState::Failed));
        assert_eq!(played.attended.get(), 1);
    }

    #[test]
    fn r43_the_state_is_read_for_a_while_when_nobody_knows_whether_a_message_arrived() {
        let all = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
        let check = |fault: Fault, states: &[&str], status, waits: &[u32]| {
            let (line, played, outbound) = approved();
            played.answers.borrow_mut().push_back((Vec::new(), Err(fault)));
            let states = states.iter().map(|state| Ok(Some((*state).to_owned())));
            played.histories.borrow_mut().extend(states);
            let (over, waited) = in_time(line.deliver(outbound));
            assert_eq!((over, fate(&line).0, waited.as_slice()), (Some(()), status, waits));
            assert_eq!(played.histories.borrow().len(), 0);
        };
        let (asked, lost) = ("ask a delete {}", Fault::lost("it broke"));
        check(lost.clone(), &[asked; 8], Status::Drafted, &all);
        check(lost.clone(), &[asked, asked, "close a cancelled"], Status::Cancelled, &all[..3]);
        check(Fault::new(FaultKind::Status(504), "no"), &[asked; 8], Status::Drafted, &all);
        // It has not left, or somebody has answered: one look is enough.
        check(lost.unsent(), &[asked], Status::Drafted, &[]);
        check(Fault::answered("no"), &[asked], Status::Drafted, &[]);
        check(Fault::new(FaultKind::Status(409), "no"), &[asked], Status::Drafted, &[]);
    }

    #[test]
    fn what_refuses_or_has_ended_is_not_read_again() {
        let (line, played, outbound) = approved();
        played.answers.borrow_mut().push_back((Vec::new(), Err(Fault::lost("it broke"))));
        played.histories.borrow_mut().push_back(Err(Fault::new(FaultKind::Status(401), "no")));
        assert_eq!(in_time(line.deliver(outbound)), (Some(()), vec![500]));
        line.end();
        assert_eq!(in_time(chase(&line, |_| true)), (Some(()), vec![]));
    }

    #[test]
    fn r10_follow_a_run_that_goes_on_after_the_answer_to_a_message_is_followed() {
        let (line, played, outbound) = approved();
        assert_eq!((now(line.deliver(outbound)), played.attended.get()), (Some(()), 1));
        assert_eq!((now(line.say("hello")), played.attended.get()), (Some(()), 2));
    }

    #[test]
    fn an_error_as_the_first_part_is_no_delivery() {
        let (line, played, outbound) = approved();
        let parts = vec!["error no".to_owned()];
        played.answers.borrow_mut().push_back((parts, Err(Fault::answered("no"))));
        assert_eq!(now(line.deliver(outbound)), Some(()));
        assert_eq!(fate(&line).1, Some(OutboundState::Failed));
    }

    #[test]
    fn words_that_arrived_are_no_fault_when_the_answer_breaks_off() {
        let say = |parts: &[&str], end| {
            let (line, played) = line([]);
            let parts = parts.iter().map(|part| (*part).to_owned()).collect();
            played.answers.borrow_mut().push_back((parts, Err(end)));
            assert_eq!(in_time(line.say("hello")).0, Some(()));
            line.fault().map(|fault| fault.message)
        };
        assert_eq!(say(&["ask a delete {}"], Fault::lost("it broke")), None);
        assert_eq!(say(&[], Fault::lost("it broke")).as_deref(), Some("it broke"));
        assert_eq!(say(&["ask a delete {}"], Fault::answered("it failed")).as_deref(), Some("it failed"));
    }
}
