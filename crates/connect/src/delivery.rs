//! What a conversation sends, and what it tells the inbox about that.

use std::cell::Cell;
use std::rc::Rc;

use countersign_core::{Input, Outbound, OutboundId, RequestView, Status};

use super::host::Host;
use super::line::Line;
use super::reading::read;
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
        // Words that arrived must not be said again because the answer broke off.
        *self.unsaid.borrow_mut() = fault.filter(|fault| !(is_taken.get() && fault.is_temporary()));
        self.tell();
        self.after_a_message(broke).await;
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
    }

    /// What the backend did with a message that broke off, or why it did not take it, is seen in its state.
    async fn after_a_message(self: &Rc<Self>, broke: bool) {
        if broke || self.unattended.take() {
            read(Rc::downgrade(self), None).await;
        }
    }

    async fn try_deliver(self: &Rc<Self>, outbound: &Outbound) -> Result<(), Fault> {
        let still = |line: &Self| {
            if is_sending(&line.views(), &outbound.id) {
                return Ok(());
            }
            Err(Fault::moved_on("the request was settled in the meantime"))
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
            state?;
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

/// Whether an inbox still waits for the fate of this message: what it answers is neither settled, nor another call, nor
/// asked together with something that it leaves out.
fn is_sending(views: &[RequestView], id: &OutboundId) -> bool {
    let (carried, others): (Vec<_>, Vec<_>) =
        views.iter().partition(|view| view.outbound.as_ref().is_some_and(|it| it.id == *id));
    let batches: Vec<_> = carried.iter().filter_map(|view| Some(&view.batch.as_ref()?.id)).collect();
    let is_open = |status| matches!(status, Status::Pending | Status::Drafted | Status::Blocked);
    let joined = others.iter().any(|view| {
        is_open(view.status) && view.batch.as_ref().is_some_and(|batch| batches.contains(&&batch.id))
    });
    !carried.is_empty() && !joined && carried.iter().all(|it| it.status == Status::Sending && !it.changed)
}

#[cfg(test)]
mod tests {
    use countersign_core::testing::request;
    use countersign_core::{Decision, GrantScope, OutboundState};

    use super::*;
    use crate::testing::{Played, line, now};

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
