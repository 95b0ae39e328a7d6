//! What a conversation sends, and what it tells the inbox about that.

use std::cell::Cell;
use std::rc::Rc;

use countersign_core::{Input, Outbound, OutboundId, RequestView, Status};

use super::line::Line;
use super::reading::read;
use super::{Each, Fault};

impl Line {
    /// Sends a person's words.
    pub(crate) async fn say(self: &Rc<Line>, message: &str) {
        let turn = self.sending.take().await;
        let is_taken = Rc::new(Cell::new(false));
        let each: Each = {
            let (each, is_taken) = (self.each(None), Rc::clone(&is_taken));
            Rc::new(move |text| {
                is_taken.set(true);
                each(text);
            })
        };
        let fault = self.transport.send(&self.name, message, None, each).await.err();
        drop(turn);
        let broke = fault.is_some();
        // Words that arrived must not be said again because the answer broke off.
        *self.unsaid.borrow_mut() = fault.filter(|fault| !(is_taken.get() && fault.is_temporary()));
        self.tell();
        self.after_a_message(broke).await;
    }

    /// Sends a decision, and tells the inbox what became of it.
    pub(crate) async fn deliver(self: &Rc<Line>, outbound: Outbound) {
        let turn = self.sending.take().await;
        let sent = self.try_deliver(&outbound).await;
        drop(turn);
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
    async fn after_a_message(self: &Rc<Line>, broke: bool) {
        if broke || self.unattended.take() {
            read(Rc::downgrade(self), None).await;
        }
    }

    async fn try_deliver(self: &Rc<Line>, outbound: &Outbound) -> Result<(), Fault> {
        let still = |line: &Line| {
            if is_sending(&line.views(), &outbound.id) {
                return Ok(());
            }
            Err(Fault::moved_on("the request was settled in the meantime"))
        };
        still(self)?;
        {
            let _turn = self.reading.take().await;
            let hold = self.intake.hold();
            let state = self.transport.check(&self.name, &outbound.body).await;
            if let Ok(Some(text)) = &state {
                self.handle(Input::Receive { text, rounded: false }).ok();
            }
            self.release(hold);
            state?;
        }
        still(self)?;
        let each = self.each(Some(outbound.id.clone()));
        self.transport.send(&self.name, &outbound.body, Some(outbound.id.as_str()), each).await
    }

    /// Takes the parts of an answer: the first that is no error says that the message arrived.
    fn each(self: &Rc<Line>, id: Option<OutboundId>) -> Each {
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
