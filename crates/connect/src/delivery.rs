//! What a conversation sends, and what it tells the inbox about that.

use std::cell::Cell;
use std::rc::Rc;

use countersign_core::{Input, Outbound, OutboundId, OutboundState, OutboundView, RequestView, Status};

use super::host::Host;
use super::line::Line;
use super::reading::{chase, read};
use super::{Each, Fault, Message};

impl<H: Host + 'static> Line<H> {
    /// Sends a person's words.
    pub(crate) async fn say(self: &Rc<Self>, message: &str) {
        let turn = self.sending.take().await;
        self.tell();
        let is_taken = Rc::new(Cell::new(false));
        let each: Each = {
            let (each, is_taken) = (self.each(None), Rc::clone(&is_taken));
            Rc::new(move |text| {
                is_taken.set(true);
                each(text);
            })
        };
        let fault = self.transport.send(&self.name, Message::words(message), each).await.err();
        drop(turn);
        let broke = fault.is_some();
        let is_silent = fault.as_ref().is_some_and(Fault::is_silent) && !is_taken.get();
        // Words that arrived must not be said again because the answer broke off.
        *self.unsaid.borrow_mut() = fault.filter(|fault| !(is_taken.get() && fault.is_temporary()));
        self.tell();
        self.after_a_message(broke).await;
        if is_silent {
            chase(self, |line| line.unsaid.borrow().is_some()).await;
        }
    }

    /// Sends a decision, and tells the inbox what became of it.
    pub(crate) async fn deliver(self: &Rc<Self>, outbound: Outbound) {
        let turn = self.sending.take().await;
        self.tell();
        let sent = self.try_deliver(&outbound).await;
        drop(turn);
        self.tell();
        let sent = match sent {
            Ok(()) => self.transport.arrived(outbound.id.as_str()).await,
            Err(fault) => Err(fault),
        };
        let told = match &sent {
            Ok(()) => Input::Delivered(outbound.id.clone()),
            Err(Fault { status, message }) => {
                Input::Failed { id: outbound.id.clone(), status: *status, message: Some(message.clone()) }
            }
        };
        // Where a part of the answer came, the inbox knows already that it arrived.
        self.handle(told).ok();
        self.after_a_message(sent.is_err()).await;
        if sent.is_err_and(|fault| fault.is_silent()) {
            chase(self, |line| is_in_doubt(&line.views(), &outbound.id)).await;
        }
    }

    /// What the backend did with a message that broke off, or why it did not take it, is seen in its state.
    async fn after_a_message(self: &Rc<Self>, broke: bool) {
        if broke || self.unattended.take() {
            read(Rc::downgrade(self), None).await;
        }
    }

    async fn try_deliver(self: &Rc<Self>, outbound: &Outbound) -> Result<(), Fault> {
        let still = |line: &Self| {
            let shares = |one: &str, other: &str| line.transport.shares(one, other);
            still_waits(&line.views(), &outbound.id, shares).map_err(Fault::moved_on)
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
        let each = self.each(Some(outbound.id.clone()));
        self.transport.send(&self.name, Message::of(outbound), each).await
    }

    /// Takes the parts of an answer: the first that is no error says that the message arrived.
    fn each(self: &Rc<Self>, id: Option<OutboundId>) -> Each {
        let (line, id) = (Rc::clone(self), Cell::new(id));
        Rc::new(move |text| {
            if line.transport.error_in(&text).is_none()
                && let Some(id) = id.take()
            {
                line.handle(Input::Delivered(id)).ok();
            }
            line.heard(text);
        })
    }
}

/// Whether nobody knows what became of this message, and it has not left again.
fn is_in_doubt(views: &[RequestView], id: &OutboundId) -> bool {
    let failed = |it: &OutboundView| it.id == *id && it.state == OutboundState::Failed;
    views.iter().any(|view| view.status == Status::Drafted && view.outbound.as_ref().is_some_and(failed))
}

/// Whether an inbox still waits for the fate of this message.
///
/// # Errors
/// Why it must not leave: what it answers is settled, or another call, or asked together with something that it leaves out,
/// or that it would reach as well.
fn still_waits(
    views: &[RequestView],
    id: &OutboundId,
    shares: impl Fn(&str, &str) -> bool,
) -> Result<(), &'static str> {
    let (carried, others): (Vec<_>, Vec<_>) =
        views.iter().partition(|view| view.outbound.as_ref().is_some_and(|it| it.id == *id));
    if carried.is_empty() || carried.iter().any(|view| view.status != Status::Sending) {
        return Err("the request was settled in the meantime");
    }
    if carried.iter().any(|view| view.changed) {
        return Err("the request came again with other arguments");
    }
    let is_open = |status| matches!(status, Status::Pending | Status::Drafted | Status::Blocked);
    let is_left_out = |other: &RequestView| {
        let batches = carried.iter().filter_map(|view| view.batch.as_ref());
        let batch = other.batch.as_ref().filter(|_| is_open(other.status));
        batch.is_some_and(|batch| batches.map(|it| &it.id).any(|id| *id == batch.id))
    };
    let is_reached = |other: &RequestView| {
        let mut requests = carried.iter().filter_map(|view| view.request.as_ref());
        // Also one whose own answer is about to leave, and may be another.
        let other =
            other.request.as_ref().filter(|_| is_open(other.status) || other.status == Status::Sending);
        other.is_some_and(|other| requests.any(|it| shares(it.as_str(), other.as_str())))
    };
    if others.iter().any(|other| is_left_out(other) || is_reached(other)) {
        return Err("something else is asked there by now");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use countersign_core::testing::request;
    use countersign_core::{Decision, GrantScope};

    use super::*;
    use crate::testing::{Played, line, now, waited};

    /// A line whose one request was approved, and the message that is to leave.
    fn approved() -> (Rc<Line>, Rc<Played>, Outbound) {
        let (line, played) = line([Ok(Some("ask a delete {}"))]);
        assert!(now(line.read_once(line.intake.hold())).is_some());
        let decision = Decision::Approve { scope: GrantScope::Call };
        let outbound =
            line.decide(Input::Decide { request: request("a"), decision, seen: None, offer: None });
        (line, played, outbound)
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
        assert_eq!(now(line.deliver(outbound)), Some(()));
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
        for status in [None, Some(401), Some(500), Some(200)] {
            let (line, played, outbound) = approved();
            let fault = Fault { status, message: "it cannot be read".to_owned() };
            played.checks.borrow_mut().push_back(Err(fault));
            assert_eq!(now(line.deliver(outbound)), Some(()));
            assert!(played.sent.borrow().is_empty());
            assert_eq!(fate(&line), (Status::Drafted, Some(OutboundState::Failed)));
            let said = line.views().remove(0).outbound.and_then(|outbound| outbound.error);
            assert_eq!(said.as_deref(), Some("it cannot be read"));
            // What may have arrived would be `unknown`.
            line.heard(r#"{"forgotten":"c","said":"it is gone"}"#.to_owned());
            assert_eq!(fate(&line).0, Status::Superseded, "{status:?}");
        }
    }

    #[test]
    fn an_answer_that_broke_off_has_arrived_and_the_state_is_read() {
        let (line, played, outbound) = approved();
        let parts = vec!["run a".to_owned()];
        played.answers.borrow_mut().push_back((parts, Err(Fault::lost("it broke"))));
        assert_eq!(now(line.deliver(outbound)), Some(()));
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
            waited();
            assert_eq!(now(line.deliver(outbound)), Some(()));
            assert_eq!((fate(&line).0, waited().as_slice()), (status, waits));
            assert_eq!(played.histories.borrow().len(), 0);
        };
        let (asked, lost) = ("ask a delete {}", Fault::lost("it broke"));
        check(lost.clone(), &[asked; 8], Status::Drafted, &all);
        check(lost.clone(), &[asked, asked, "close a cancelled"], Status::Cancelled, &all[..3]);
        // It has not left, or somebody has answered: one look is enough.
        check(lost.unsent(), &[asked], Status::Drafted, &[]);
        check(Fault::answered("no"), &[asked], Status::Drafted, &[]);
    }

    #[test]
    fn what_refuses_or_has_ended_is_not_read_again() {
        let (line, played, outbound) = approved();
        played.answers.borrow_mut().push_back((Vec::new(), Err(Fault::lost("it broke"))));
        played.histories.borrow_mut().push_back(Err(Fault { status: Some(401), message: "no".to_owned() }));
        waited();
        assert_eq!(now(line.deliver(outbound)), Some(()));
        assert_eq!(waited(), [500]);
        line.end();
        assert_eq!(now(chase(&line, |_| true)), Some(()));
        assert!(waited().is_empty());
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
            assert_eq!(now(line.say("hello")), Some(()));
            line.fault().map(|fault| fault.message)
        };
        assert_eq!(say(&["ask a delete {}"], Fault::lost("it broke")), None);
        assert_eq!(say(&[], Fault::lost("it broke")).as_deref(), Some("it broke"));
        assert_eq!(say(&["ask a delete {}"], Fault::answered("it failed")).as_deref(), Some("it failed"));
    }
}
