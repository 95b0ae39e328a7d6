//! What holds whatever happens in whatever order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::decision::Decision;
use crate::ids::{Millis, OutboundId};
use crate::inbox::{Inbox, Input, Output};
use crate::options::InboxOptions;
use crate::status::Status;
use crate::testing::{inbox, request};
use crate::view::RequestView;

/// One thing that can happen.
#[derive(Clone, Debug)]
enum Event {
    News(String),
    Approve(u8),
    Reject(u8),
    ApproveAll,
    Leave,
    Undo(u8),
    Retry(u8),
    Take,
    Delivered,
    Failed,
    Time(u16),
    SetBack(u16),
}

fn event() -> impl Strategy<Value = Event> {
    let id = 0..4_u8;
    let verb = prop::sample::select(vec![
        "open",
        "withdraw",
        "run",
        "answer approve",
        "answer reject",
        "answer nonsense",
        "ruled approve",
        "ruled reject",
        "refused reopened",
        "refused conflict approve",
        "refused unknown",
        "outcome completed",
        "outcome rejected",
        "close expired",
        "close superseded",
        "end completed",
        "end failed",
        "end cancelled",
        "end unknown",
        "forgotten",
    ]);
    let news = (id.clone(), verb).prop_map(|(id, verb)| {
        if verb == "forgotten" {
            return Event::News("forgotten s no session".to_owned());
        }
        let (verb, rest) = verb.split_once(' ').unwrap_or((verb, ""));
        Event::News(format!("{verb} r{id} {rest}"))
    });
    let ask = (id.clone(), 0..3_u8, any::<bool>()).prop_map(|(id, args, short)| {
        let timeout = if short { "timeout=50" } else { "" };
        let alike = if id > 1 { "uniform" } else { "" };
        Event::News(format!("ask r{id} pay batch=b{} held {alike} {timeout} {{\"n\":{args}}}", id / 2))
    });
    prop_oneof![
        3 => ask,
        3 => news,
        2 => id.clone().prop_map(Event::Approve),
        2 => id.clone().prop_map(Event::Reject),
        1 => Just(Event::ApproveAll),
        1 => Just(Event::Leave),
        1 => id.clone().prop_map(Event::Undo),
        1 => id.prop_map(Event::Retry),
        2 => Just(Event::Take),
        2 => Just(Event::Delivered),
        1 => Just(Event::Failed),
        1 => (0..100_u16).prop_map(Event::Time),
        1 => (0..100_u16).prop_map(Event::SetBack),
    ]
}

#[derive(Default)]
struct Watch {
    /// What was approved last, and the arguments that stood there then.
    approved: BTreeMap<String, String>,
    taken: Vec<OutboundId>,
    bodies: BTreeMap<OutboundId, String>,
    delivered: BTreeMap<String, OutboundId>,
    refused: BTreeSet<(OutboundId, String)>,
    settled: BTreeMap<u32, Status>,
    /// What a list did not name once.
    missing: BTreeSet<String>,
    /// The backend knew nothing of it once.
    forgotten: bool,
}

/// The arguments on the card of a request.
fn shown(inbox: &Inbox, id: &str) -> Option<String> {
    let views = inbox.views();
    let view =
        views.iter().find(|view| view.request.as_ref().is_some_and(|request| request.as_str() == id))?;
    Some(view.args_text.to_string())
}

impl Watch {
    fn apply(&mut self, inbox: &mut Inbox, now: Millis, event: &Event) {
        let name = |id: &u8| format!("r{id}");
        let decide = |id: &u8, decision| Input::Decide {
            request: request(&format!("r{id}")),
            decision,
            seen: None,
            offer: None,
        };
        match event {
            Event::News(text) => {
                if let Some(id) =
                    text.strip_prefix("refused ").and_then(|rest| rest.strip_suffix(" reopened"))
                {
                    // What the backend did not take may be answered again.
                    self.delivered.remove(id);
                    let carries =
                        |body: &str| body.split(", ").any(|part| part.split(' ').nth(1) == Some(id));
                    let refused = self.bodies.iter().filter(|(_, body)| carries(body));
                    self.refused.extend(refused.map(|(outbound, _)| (outbound.clone(), id.to_owned())));
                }
                if let Some(id) = text.strip_prefix("end ").and_then(|rest| rest.strip_suffix(" unknown")) {
                    self.missing.insert(id.to_owned());
                }
                self.forgotten |= text.starts_with("forgotten ");
                drop(inbox.handle(now, Input::Receive { text, rounded: false }));
            }
            Event::Approve(id) => {
                let shown = shown(inbox, &name(id));
                if inbox.handle(now, decide(id, Decision::approve())).is_ok() {
                    self.approved.extend(shown.map(|args| (name(id), args)));
                }
            }
            Event::Reject(id) => drop(inbox.handle(now, decide(id, Decision::reject(None)))),
            Event::ApproveAll => {
                let pending: Vec<(String, String)> = inbox
                    .views()
                    .iter()
                    .filter(|view| view.status == Status::Pending)
                    .filter_map(|view| Some((view.request.as_ref()?.to_string(), view.args_text.to_string())))
                    .collect();
                let requests = pending.iter().map(|(id, _)| (request(id), None)).collect();
                drop(
                    inbox.handle(
                        now,
                        Input::DecideAll { requests, decision: Decision::approve(), offer: None },
                    ),
                );
                self.approved.extend(pending);
            }
            Event::Undo(id) => drop(inbox.handle(now, Input::Undo(request(&name(id))))),
            Event::Retry(id) => drop(inbox.handle(now, Input::Retry(request(&name(id))))),
            Event::Take => {
                for outbound in inbox.take_outbound() {
                    let body = outbound.body.to_string();
                    let known = self.bodies.entry(outbound.id.clone()).or_insert_with(|| body.clone());
                    assert_eq!(*known, body, "a retry is the identical message");
                    for part in body.split(", ") {
                        if let Some(id) = part.strip_prefix("approve ") {
                            let approved = self.approved.get(id);
                            assert!(approved.is_some(), "{id} was approved by nobody");
                            assert_eq!(approved, shown(inbox, id).as_ref(), "other arguments were approved");
                        }
                    }
                    for request in &outbound.requests {
                        let before = self.delivered.get(request.id.as_str());
                        assert_eq!(before, None, "{request} had been delivered before");
                    }
                    self.taken.push(outbound.id);
                }
            }
            Event::Delivered => {
                if let Some(id) = self.taken.pop() {
                    let body = self.bodies.get(&id).cloned().unwrap_or_default();
                    if inbox.handle(now, Input::Delivered(id.clone())).is_ok() {
                        for part in body.split(", ") {
                            let request = part.split_once(' ').map_or("", |(_, id)| id).to_owned();
                            if !self.refused.contains(&(id.clone(), request.clone())) {
                                self.delivered.insert(request, id.clone());
                            }
                        }
                    }
                }
            }
            Event::Failed => {
                if let Some(id) = self.taken.pop() {
                    drop(inbox.handle(now, Input::Failed { id, status: None, message: None }));
                }
            }
            Event::Leave => drop(inbox.handle(now, Input::Leave)),
            Event::Time(_) | Event::SetBack(_) => drop(inbox.handle(now, Input::Tick)),
        }
    }

    fn check(&mut self, inbox: &Inbox) {
        for view in inbox.views() {
            let soft = matches!(view.status, Status::Rejected | Status::Responded | Status::Unknown);
            let is_missing =
                view.request.as_ref().is_some_and(|request| self.missing.contains(request.as_str()));
            let turned_up = match self.settled.get(&view.key) {
                Some(Status::Unknown) => is_missing,
                Some(Status::Superseded) => self.forgotten,
                _ => false,
            };
            let waits = matches!(
                view.status,
                Status::Requested | Status::Blocked | Status::Pending | Status::Expired
            );
            if waits && turned_up {
                // It was asked again as it was, in time or not.
                self.settled.remove(&view.key);
            }
            match self.settled.get(&view.key) {
                Some(before) => {
                    // What the clock here has ended may have run all the same; nobody can decide it here any more.
                    let ran = *before == Status::Expired
                        && !matches!(
                            view.status,
                            Status::Pending | Status::Drafted | Status::Sending | Status::Sent
                        );
                    let is_missing = matches!(before, Status::Unknown | Status::Superseded);
                    // An answer and its outcome may be seen after the end of their run.
                    let was_missed = *before == Status::Cancelled && view.status.is_settled();
                    let words = matches!(before, Status::Rejected | Status::Responded);
                    let corrected = ran || is_missing || was_missed || words;
                    assert!(view.status == *before || corrected, "{before:?} became {:?}", view.status);
                    assert!(
                        view.status.is_settled()
                            || (ran && matches!(view.status, Status::Approved | Status::Running))
                    );
                }
                None if view.status.is_settled() && !soft => drop(self.settled.insert(view.key, view.status)),
                None => {}
            }
            assert!(view.offers.is_empty() || view.status == Status::Pending);
        }
    }
}

/// What a shell hands over for an event, after the clock.
fn hand_over(inbox: &mut Inbox, now: Millis, event: &Event, taken: &mut Vec<OutboundId>) -> Vec<Output> {
    let at = |id: &u8| request(&format!("r{id}"));
    let decide = |id, decision| Input::Decide { request: at(id), decision, seen: None, offer: None };
    let mut outputs = inbox.handle(now, Input::Tick).unwrap_or_default();
    let input = match event {
        Event::News(text) => Input::Receive { text, rounded: false },
        Event::Approve(id) => decide(id, Decision::approve()),
        Event::Reject(id) => decide(id, Decision::reject(None)),
        Event::ApproveAll => {
            let requests = (0..4).map(|id| (at(&id), None)).collect();
            Input::DecideAll { requests, decision: Decision::approve(), offer: None }
        }
        Event::Leave => Input::Leave,
        Event::Undo(id) => Input::Undo(at(id)),
        Event::Retry(id) => Input::Retry(at(id)),
        Event::Take => {
            taken.extend(inbox.take_outbound().into_iter().map(|outbound| outbound.id));
            // What is handed over shows that it is on its way.
            let sending = inbox.views().into_iter().filter(|view| view.status == Status::Sending);
            outputs.extend(sending.map(|view| Output::Changed(view.key)));
            return outputs;
        }
        Event::Delivered | Event::Failed => match (taken.pop(), event) {
            (Some(id), Event::Delivered) => Input::Delivered(id),
            (Some(id), _) => Input::Failed { id, status: None, message: None },
            (None, _) => return outputs,
        },
        Event::Time(_) | Event::SetBack(_) => return outputs,
    };
    outputs.extend(inbox.handle(now, input).unwrap_or_default());
    outputs
}

/// So late that the clock can be set back.
const START: Millis = Millis(10_000);

/// What the clock says with an event.
fn then(now: Millis, event: &Event) -> Millis {
    match event {
        Event::Time(millis) => now.after(Millis(u64::from(*millis))),
        Event::SetBack(millis) => Millis(now.0 - u64::from(*millis)),
        _ => now,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn r02_r03_r08_r31_nothing_is_sent_twice_or_approved_by_nobody_or_with_other_arguments(events in prop::collection::vec(event(), 1..60)) {
        let mut inbox = inbox(InboxOptions::default());
        let (mut watch, mut now) = (Watch::default(), START);
        for event in &events {
            now = then(now, event);
            watch.apply(&mut inbox, now, event);
            watch.check(&inbox);
        }
    }

    // A shell draws again what it is told of, and nothing else: a view that it was not told of would show what is no longer so.
    #[test]
    fn a_card_that_looks_different_is_told(events in prop::collection::vec(event(), 1..60), hold in 0..2_u64) {
        let hold = Millis(hold * 70);
        let mut inbox = inbox(InboxOptions { hold_rejections: hold, hold_batches: hold, ..InboxOptions::default() });
        let (mut taken, mut now) = (Vec::new(), START);
        let mut drawn: BTreeMap<u32, RequestView> = BTreeMap::new();
        for event in &events {
            now = then(now, event);
            for output in hand_over(&mut inbox, now, event, &mut taken) {
                match output {
                    Output::Changed(key) => drop(drawn.remove(&key)),
                    Output::Recounted(key) => {
                        let (batch, view) = (inbox.view(key).and_then(|view| view.batch), drawn.get_mut(&key));
                        view.into_iter().for_each(|view| view.batch.clone_from(&batch));
                    }
                    _ => {}
                }
            }
            for view in inbox.views() {
                let known = drawn.entry(view.key).or_insert_with(|| view.clone());
                prop_assert_eq!(known, &view, "after {:?}", event);
            }
        }
    }
}
