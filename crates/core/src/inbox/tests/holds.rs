//! What is held waits for its moment: no less, and no longer.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::check_with;
use crate::decision::Decision;
use crate::ids::{Millis, OutboundId};
use crate::inbox::{Inbox, Input, Output};
use crate::options::InboxOptions;
use crate::policy::{Policy, Proposal, Ruling, Verdict};
use crate::status::Status;
use crate::testing::{inbox, request};

const REJECTIONS: u64 = 4000;
const BATCHES: u64 = 3000;
/// The longest time that a request waits, where it ends.
const LONGEST: u64 = 6000;

fn options() -> InboxOptions {
    InboxOptions {
        hold_rejections: Millis(REJECTIONS),
        hold_batches: Millis(BATCHES),
        ..InboxOptions::default()
    }
}

fn check(script: &str) -> Inbox {
    check_with(options(), script)
}

fn decide(id: &str, decision: Decision) -> Input<'static> {
    Input::Decide { request: request(id), decision, seen: None, offer: None }
}

fn receive(text: &str) -> Input<'_> {
    Input::Receive { text, rounded: false }
}

/// When the inbox says that it wants to be woken.
fn wakes(outputs: &[Output]) -> Vec<u64> {
    let wake = |output: &Output| if let Output::WakeAt(moment) = output { Some(moment.0) } else { None };
    outputs.iter().filter_map(wake).collect()
}

#[test]
fn r10_a_hold_ends_when_its_batch_grows_and_begins_anew_with_the_last_decision() {
    let mut inbox = check(
        r#"
        in   ask r1 a batch=b held {}
        user reject r1
        at   1000
        in   ask r2 a batch=b held {}
        at   9000
        out  nothing
        "#,
    );
    assert_eq!(inbox.view(0).unwrap().sends_at, None);
    assert!(wakes(&inbox.handle(Millis(9500), Input::Tick).unwrap()).is_empty());
    inbox.handle(Millis(10_000), decide("r2", Decision::approve())).unwrap();
    inbox.handle(Millis(10_001), Input::Tick).unwrap();
    assert!(inbox.take_outbound().is_empty());
    inbox.handle(Millis(13_999), Input::Undo(request("r2"))).unwrap();
    inbox.handle(Millis(14_000), decide("r2", Decision::approve())).unwrap();
    inbox.handle(Millis(18_000), Input::Tick).unwrap();
    assert_eq!(&*inbox.take_outbound().remove(0).body, "reject r1, approve r2");
}

#[test]
fn r10_a_hold_ends_when_the_backend_refuses_what_has_left_of_its_batch() {
    let mut inbox = check(
        r#"
        in   ask r1 a batch=b held {}
        user approve r1
        out  approve r1
        in   ask r2 a batch=b held {}
        user reject r2
        in   refused r1 reopened
        at   4000
        out  nothing
        is   r1 pending
        "#,
    );
    assert_eq!(inbox.view(1).unwrap().sends_at, None);
    assert!(wakes(&inbox.handle(Millis(4001), Input::Tick).unwrap()).is_empty());
}

#[test]
fn r43_what_did_not_arrive_does_not_go_out_with_what_is_held_beside_it() {
    let mut inbox = check(
        r#"
        in   ask r1 a batch=b held {}
        user approve r1
        out  approve r1
        in   ask r2 a batch=b held {}
        user reject r2
        lost
        at   9000
        out  nothing
        is   r1 drafted
        is   r2 drafted
        user undo r2
        user reject r2
        at   12999
        out  nothing
        at   13000
        out  approve r1, reject r2
        "#,
    );
    assert!(wakes(&inbox.handle(Millis(13_001), Input::Tick).unwrap()).is_empty());
}

#[test]
fn r10_a_hold_ends_while_a_request_cannot_be_answered_and_begins_anew_with_the_news_that_it_can() {
    check(
        r#"
        in   ask r1 a {}
        user reject r1
        at   1000
        in   withdraw r1
        at   5000
        out  nothing
        in   open r1
        at   8999
        out  nothing
        at   9000
        out  reject r1
        "#,
    );
}

/// Allows `read`.
#[derive(Debug)]
struct Reads;

impl Policy for Reads {
    fn judge(&self, proposal: &Proposal<'_>) -> Verdict {
        let ruling = if &*proposal.call.tool == "read" { Ruling::Allow } else { Ruling::Ask };
        Verdict::new(ruling, "reads".into())
    }

    fn decided(&mut self, _: &Proposal<'_>, _: &Decision) {}
}

#[test]
fn r10_a_batch_to_which_a_rule_adds_a_decision_is_held_anew() {
    check_with(
        InboxOptions { policy: Some(Box::new(Reads)), ..options() },
        r#"
        in   ask r1 a batch=b held {}
        user reject r1
        at   3999
        in   ask r2 read batch=b held {}
        at   7998
        out  nothing
        at   7999
        out  reject r1, approve r2
        "#,
    );
}

#[test]
fn r10_what_is_answered_for_itself_keeps_its_moment_when_another_decision_is_taken_back() {
    check(
        r#"
        in   ask r1 a batch=b {}; ask r2 a batch=b {}
        user reject r1
        user reject r2
        at   3000
        user undo r1
        at   4000
        out  reject r2
        "#,
    );
}

#[test]
fn r42_what_is_answered_for_itself_keeps_its_moment_when_another_tab_decides_beside_it() {
    let mut inbox = check("in ask r1 a batch=b {}; ask r2 a batch=b {}\nuser reject r1\nuser reject r2");
    let elsewhere = Input::Elsewhere { request: request("r1"), decision: Decision::approve() };
    inbox.handle(Millis(1), elsewhere).unwrap();
    inbox.handle(Millis(4000), Input::Tick).unwrap();
    assert_eq!(&*inbox.take_outbound().remove(0).body, "reject r2");
}

#[test]
fn r41_what_is_answered_for_itself_keeps_its_moment_when_another_one_expires() {
    check(
        r#"
        in   ask r1 a batch=b timeout=1000 {}; ask r2 a batch=b {}
        user reject r1
        user reject r2
        at   1000
        at   4000
        out  reject r2
        "#,
    );
}

#[test]
fn r41_what_is_held_for_longer_than_the_agent_waits_expires_and_says_so_from_the_start() {
    for (timeout, leaves) in [(REJECTIONS - 1, false), (REJECTIONS, false), (REJECTIONS + 1, true)] {
        let mut inbox = check(&format!("in ask r1 a timeout={timeout} {{}}\nuser reject r1"));
        let view = inbox.view(0).unwrap();
        assert_eq!(view.sends_at < view.expires_at, leaves, "what a card tells it by");
        inbox.handle(Millis(REJECTIONS), Input::Tick).unwrap();
        assert_eq!(inbox.take_outbound().len(), usize::from(leaves));
        assert_eq!(inbox.view(0).unwrap().status == Status::Expired, !leaves);
    }
}

#[test]
fn r41_a_refused_decision_leaves_no_moment_behind() {
    let mut inbox =
        check("in ask r1 a timeout=60000 {}; ask r2 a {}; ask r3 a {}\nuser approve r2\nout approve r2");
    inbox.handle(Millis(2), decide("r2", Decision::approve())).unwrap_err();
    let outputs = inbox.handle(Millis(3), decide("r3", Decision::reject(None))).unwrap();
    assert_eq!(wakes(&outputs), [3 + REJECTIONS]);
}

#[test]
fn r08_r43_what_would_run_is_held_anew_where_nobody_looked_at_the_clock_when_its_hold_was_over() {
    let batch = "in ask r1 a batch=b held {}; ask r2 a batch=b held {}";
    // An element that was taken out of the page and put back, or a lid that was closed.
    for (decisions, last, moment, sent) in [
        ("all approve r1 r2", 62_999, 63_000, "approve r1, approve r2"),
        ("user approve r1\nuser reject r2", 63_999, 64_000, "approve r1, reject r2"),
    ] {
        check(&format!(
            "{batch}\n{decisions}\nat 60000\nout nothing\nis r1 drafted\nat {last}\nout nothing\nat {moment}\nout {sent}"
        ));
    }
    let mut inbox = check(&format!("{batch}\nall approve r1 r2\nat 60000\nout nothing"));
    assert_eq!(inbox.view(1).unwrap().sends_at, Some(Millis(60_000 + BATCHES)));
    assert!(inbox.is_holding() && !inbox.has_due());
    // Each time anew, and also with news.
    inbox.handle(Millis(90_000), receive("ask r3 a {}")).unwrap();
    assert!(inbox.take_outbound().is_empty());
    let outputs = inbox.handle(Millis(90_001), Input::Undo(request("r1"))).unwrap();
    assert!(wakes(&outputs).is_empty());
    assert!(!inbox.is_holding());
    // Also where less of it is left than is held at first.
    check(&format!(
        "{batch}\nall approve r1 r2\nin answer r2 reject\nat 60000\nout nothing\nat 63000\nout approve r1"
    ));
    // And where it was held for a rejection alone, which is not in it any more.
    check_with(
        InboxOptions { hold_batches: Millis(0), ..options() },
        &format!(
            "{batch}\nall approve r1\nuser reject r2\nin answer r2 reject\nat 60000\nout nothing\nat 64000\nout approve r1"
        ),
    );
    // What rejects alone stops nothing and may leave, and so may what is as late as timers are.
    check(&format!("{batch}\nall reject r1 r2\nat 60000\nout reject r1, reject r2"));
    check(&format!("{batch}\nall approve r1 r2\nat 5000\nout approve r1, approve r2"));
    check(&format!("{batch}\nall approve r1 r2\nat 5001\nout nothing"));
}

/// One thing that can happen.
#[derive(Clone, Debug)]
enum Event {
    News(String),
    Approve(u8),
    Reject(u8),
    RejectAll,
    Undo(u8),
    Retry(u8),
    Elsewhere(u8),
    Leave,
    Delivered,
    Failed(Option<u16>),
    Time(u64),
    /// The clock is set back.
    SetBack(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let id = || 0..4_u8;
    let ask = (id(), any::<bool>(), prop::option::of(500..LONGEST), any::<bool>()).prop_map(
        |(id, held, timeout, reads)| {
            let held = if held { "held" } else { "" };
            let timeout = timeout.map(|timeout| format!("timeout={timeout}")).unwrap_or_default();
            let tool = if reads { "read" } else { "pay" };
            Event::News(format!("ask r{id} {tool} batch=b{held} {held} {timeout} {{}}"))
        },
    );
    let verbs = [
        "open",
        "withdraw",
        "run",
        "doubt",
        "refused reopened",
        "refused conflict approve",
        "accepted",
        "answer reject",
        "outcome completed",
        "close expired",
        "close cancelled",
        "end failed",
    ];
    let news = (id(), prop::sample::select(verbs.to_vec())).prop_map(|(id, verb)| {
        let (verb, rest) = verb.split_once(' ').unwrap_or((verb, ""));
        Event::News(format!("{verb} r{id} {rest}"))
    });
    prop_oneof![
        3 => ask,
        2 => news,
        4 => id().prop_map(Event::Approve),
        4 => id().prop_map(Event::Reject),
        1 => Just(Event::RejectAll),
        1 => id().prop_map(Event::Undo),
        1 => id().prop_map(Event::Retry),
        1 => id().prop_map(Event::Elsewhere),
        1 => Just(Event::Leave),
        1 => Just(Event::Delivered),
        1 => prop::sample::select(vec![None, Some(409), Some(503)]).prop_map(Event::Failed),
        4 => prop::sample::select(vec![1, 300, 1000, 2000, 4000]).prop_map(Event::Time),
        1 => prop::sample::select(vec![1, 300, 5000, 100_000]).prop_map(Event::SetBack),
    ]
}

/// What a shell hands over for an event, after the clock; `None`: nothing.
fn input<'e>(event: &'e Event, taken: &mut Vec<OutboundId>) -> Option<Input<'e>> {
    let at = |id: &u8| request(&format!("r{id}"));
    Some(match event {
        Event::News(text) => receive(text),
        Event::Approve(id) => decide(&format!("r{id}"), Decision::approve()),
        Event::Reject(id) => decide(&format!("r{id}"), Decision::reject(None)),
        Event::RejectAll => {
            let requests = (0..4).map(|id| (at(&id), None)).collect();
            Input::DecideAll { requests, decision: Decision::reject(None), offer: None }
        }
        Event::Undo(id) => Input::Undo(at(id)),
        Event::Retry(id) => Input::Retry(at(id)),
        Event::Elsewhere(id) => Input::Elsewhere { request: at(id), decision: Decision::approve() },
        Event::Leave => Input::Leave,
        Event::Delivered => Input::Delivered(taken.pop()?),
        Event::Failed(status) => Input::Failed { id: taken.pop()?, status: *status, message: None },
        Event::Time(_) | Event::SetBack(_) => Input::Tick,
    })
}

/// How long the decisions of one message have to wait after the last of them.
fn hold(body: &str) -> u64 {
    let rejects = if body.contains("reject ") { REJECTIONS } else { 0 };
    let several = if body.contains(", ") { BATCHES } else { 0 };
    rejects.max(several)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn r10_r41_nothing_leaves_before_its_hold_or_lasts_longer_and_nobody_is_woken_for_what_is_past(
        events in prop::collection::vec(event(), 1..60),
        reads in any::<bool>(),
    ) {
        let policy = reads.then(|| Box::new(Reads) as Box<dyn Policy>);
        let mut inbox = inbox(InboxOptions { policy, ..options() });
        // What the clock says when nothing has passed yet.
        let (mut start, mut now, mut taken) = (10_000_000, 0, Vec::new());
        // When each request was seen to be decided as it is.
        let mut decided: BTreeMap<String, u64> = BTreeMap::new();
        for event in &events {
            match event {
                Event::Time(millis) => now += millis,
                Event::SetBack(millis) => start -= millis,
                _ => {}
            }
            let Some(input) = input(event, &mut taken) else { continue };
            let clock = start + now;
            let outputs = inbox.handle(Millis(clock), input).unwrap_or_default();
            prop_assert!(wakes(&outputs).iter().all(|moment| *moment > clock), "{outputs:?} at {clock} after {event:?}");
            let due = inbox.take_outbound();
            for view in inbox.views() {
                let ends = |moment: Option<Millis>, longest: u64| moment.is_none_or(|moment| moment.0 <= clock + longest);
                let lasts = ends(view.sends_at, REJECTIONS) && ends(view.expires_at, LONGEST);
                prop_assert!(lasts, "{:?}, {:?} at {clock}, after {event:?}", view.sends_at, view.expires_at);
                let Some(id) = view.request.map(|id| id.to_string()) else { continue };
                if matches!(view.status, Status::Drafted | Status::Sending) && view.decision.is_some() {
                    decided.entry(id).or_insert(now);
                } else {
                    decided.remove(&id);
                }
            }
            for outbound in due {
                // An older decision goes out at once where a person asks for that, or leaves.
                if !matches!(event, Event::Retry(_) | Event::Leave) {
                    let last = outbound.requests.iter().filter_map(|request| decided.get(request.id.as_str())).max();
                    let moment = last.map_or(now, |last| last + hold(&outbound.body));
                    prop_assert!(moment <= now, "{} left at {now} and not at {moment}, after {event:?}", outbound.body);
                }
                taken.push(outbound.id);
            }
        }
    }
}
