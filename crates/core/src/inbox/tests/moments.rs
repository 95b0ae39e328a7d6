//! What the clock does, and what another tab has done.

use std::sync::Arc;

use super::{check, check_with};
use crate::audit::verify_audit;
use crate::decision::Decision;
use crate::ids::Millis;
use crate::inbox::{Inbox, Input, Output};
use crate::options::InboxOptions;
use crate::policy::{Policy, Proposal, Ruling, Verdict};
use crate::status::Status;
use crate::testing::{inbox, request};
use crate::view::DecidedBy;

fn elsewhere(inbox: &mut Inbox, id: &str, decision: Decision) -> Vec<Output> {
    inbox.handle(Millis(50), Input::Elsewhere { request: request(id), decision }).unwrap()
}

fn statuses(inbox: &Inbox) -> Vec<&'static str> {
    inbox.statuses().map(Status::as_str).collect()
}

#[test]
fn r41_a_deadline_ends_nothing_that_was_answered_before_it() {
    check(
        r#"
        in   ask r1 a timeout=1000 {}; ask r2 a timeout=1000 {}; ask r3 a timeout=1000 {}; ask r4 a timeout=2000 {}
        user approve r1
        out  approve r1
        user approve r2
        out  approve r2
        sent
        in   answer r3 reject
        user approve r3 ! already-decided
        at   2000
        is   r1 sent
        is   r2 sent
        is   r3 rejected
        is   r4 expired
        in   answer r2 approve; outcome r2 completed
        is   r2 completed
        "#,
    );
}

#[test]
fn r41_what_is_not_taken_after_its_deadline_has_expired_and_keeps_its_decision_only_where_it_may_have_arrived()
 {
    for (news, decided) in [("in refused r1 reopened", false), ("lost 409", false), ("lost", true)] {
        let inbox = check(&format!(
            "in ask r1 a timeout=1000 {{}}\nuser approve r1\nout approve r1\nat 2000\nis r1 sending\n{news}\nis r1 expired"
        ));
        assert_eq!(inbox.views()[0].decision.is_some(), decided, "{news}");
    }
}

#[test]
fn r41_r43_what_the_host_has_not_taken_when_its_time_is_over_never_leaves() {
    let mut inbox = inbox(InboxOptions::default());
    receive(
        &mut inbox,
        Millis(0),
        "ask r1 a batch=b held timeout=1000 {}; ask r2 a batch=b held {}; ask r3 a {}",
    );
    for id in ["r1", "r2", "r3"] {
        let outputs = inbox.handle(Millis(1), reject(id)).unwrap();
        assert!(outputs.contains(&Output::WakeAt(Millis(1000))), "{outputs:?}");
    }
    assert!(inbox.has_due());
    let outputs = inbox.handle(Millis(1000), Input::Tick).unwrap();
    assert!(outputs.contains(&Output::Changed(0)), "{outputs:?}");
    assert_eq!(statuses(&inbox), ["expired", "drafted", "sending"]);
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["reject r3"]);
    assert_eq!(inbox.view(0).unwrap().decision, None);
    // Also what is sent again and not taken.
    receive(&mut inbox, Millis(2000), "ask r4 a timeout=1000 {}");
    inbox.handle(Millis(2001), reject("r4")).unwrap();
    let id = inbox.take_outbound().remove(0).id;
    inbox.handle(Millis(2002), Input::Failed { id, status: None, message: None }).unwrap();
    inbox.handle(Millis(2003), Input::Retry(request("r4"))).unwrap();
    inbox.handle(Millis(60_000), Input::Tick).unwrap();
    assert!(inbox.take_outbound().is_empty());
    assert_eq!(
        inbox.handle(Millis(60_001), Input::Retry(request("r4"))).unwrap_err().code().as_str(),
        "expired"
    );
}

#[test]
fn r41_what_only_the_clock_here_has_ended_the_backend_knows_better() {
    let expired = "in ask r1 a timeout=1000 {}\nat 1000\nis r1 expired\nuser approve r1 ! expired\n";
    for (news, status) in [
        ("answer r1 approve", "approved"),
        ("ruled r1 runs", "approved"),
        ("start r1", "running"),
        ("outcome r1 completed", "completed"),
        ("close r1 expired; answer r1 approve", "expired"),
    ] {
        check(&format!("{expired}in {news}\nis r1 {status}"));
    }
}

#[test]
fn r41_what_was_drafted_when_the_time_was_over_is_dropped_and_its_end_is_told() {
    let options = InboxOptions { hold_batches: Millis(5000), ..InboxOptions::default() };
    let mut inbox = check_with(
        options,
        r#"
        in   ask r1 a batch=b held {}; ask r2 a batch=b held timeout=1000 {}
        all  reject r1 r2
        out  nothing
        "#,
    );
    let outputs = inbox.handle(Millis(1000), Input::Tick).unwrap();
    assert_eq!(statuses(&inbox), ["drafted", "expired"]);
    assert!(outputs.contains(&Output::Changed(1)), "{outputs:?}");
    let view = inbox.view(1).unwrap();
    assert_eq!((view.decision, view.decided_by, view.reason), (None, None, None));
    assert_eq!(inbox.view(0).unwrap().sends_at, None, "what is left is a person's to send");
}

#[test]
fn r42_what_another_tab_decided_is_shown_as_decided_there() {
    let mut inbox = check("in ask r1 a {}; ask r2 a {}");
    let outputs = elsewhere(&mut inbox, "r1", Decision::reject(Some("no")));
    assert!(outputs.contains(&Output::Changed(0)));
    let view = inbox.view(0).unwrap();
    assert_eq!((view.decided_by, view.decided_at), (Some(DecidedBy::Elsewhere), Some(Millis(50))));
    assert_eq!((view.reason.as_deref(), view.status), (Some("no"), Status::Rejected));
    let log = inbox.audit().to_json_lines();
    assert_eq!(log.matches(r#""event":"settled""#).count(), 1, "{log}");
}

#[test]
fn r42_another_tab_changes_nothing_that_has_left_here_may_have_arrived_or_is_settled() {
    let mut inbox = check(
        r#"
        in   ask r1 a {}; ask r2 a {}; ask r3 a {}; ask r4 a announced {}
        user approve r2
        out  approve r2
        lost
        user approve r1
        out  approve r1
        in   outcome r3 completed
        "#,
    );
    let before = statuses(&inbox);
    assert_eq!(before, ["sending", "drafted", "completed", "requested"]);
    for id in ["r1", "r2", "r3", "r4"] {
        assert!(!elsewhere(&mut inbox, id, Decision::reject(None)).contains(&Output::Ready));
    }
    assert_eq!(statuses(&inbox), before);
}

#[test]
fn r42_what_another_tab_decided_of_a_held_batch_keeps_the_rest_of_it_here() {
    let options = InboxOptions { hold_batches: Millis(3000), ..InboxOptions::default() };
    let script = "in ask r1 a batch=b held {}; ask r2 a batch=b held {}\nall approve r1 r2\nout nothing";
    let mut inbox = check_with(options, script);
    elsewhere(&mut inbox, "r1", Decision::reject(None));
    inbox.handle(Millis(9000), Input::Tick).unwrap();
    assert_eq!(statuses(&inbox), ["rejected", "drafted"]);
    assert!(inbox.take_outbound().is_empty(), "the other tab has sent the answer to all of it");
}

#[test]
fn r41_what_is_decided_is_not_extended() {
    let mut inbox = check("in ask r1 a timeout=1000 {}; ask r2 a timeout=1000 {}\nin answer r1 approve");
    let extend = |id: &str| Input::Extend { request: request(id), until: Millis(3000) };
    assert_eq!(inbox.handle(Millis(5), extend("r1")).unwrap_err().code().as_str(), "already-decided");
    let outputs = inbox.handle(Millis(5), extend("r2")).unwrap();
    assert!(outputs.contains(&Output::Changed(1)) && outputs.contains(&Output::WakeAt(Millis(3000))));
}

#[test]
fn whatever_act_is_refused_the_reason_is_where_the_request_stands() {
    let undecided = |status: &str| format!("nothing was decided about request `s/r1` yet: it is `{status}`");
    for (news, code, sentence) in [
        ("ask r1 a {}", "not-offered", undecided("pending")),
        ("ask r1 a announced {}", "not-offered", undecided("requested")),
        ("ask r1 a blocked {}", "blocked", "request `s/r1` cannot be answered from here".to_owned()),
        ("ask r1 a {}; close r1 expired", "expired", "request `s/r1` has expired".to_owned()),
        (
            "ask r1 a {}; close r1 superseded",
            "superseded",
            "request `s/r1` was superseded and can no longer be answered".to_owned(),
        ),
        (
            "ask r1 a {}; answer r1 approve",
            "already-decided",
            "request `s/r1` was already decided: it is `approved`".to_owned(),
        ),
    ] {
        let mut inbox = check(&format!("in {news}"));
        let mut acts = vec![Input::Undo(request("r1")), Input::Retry(request("r1"))];
        // What waits can be prolonged.
        if news != "ask r1 a {}" {
            acts.push(Input::Extend { request: request("r1"), until: Millis(9) });
        }
        for act in acts {
            let refusal = inbox.handle(Millis(5), act).unwrap_err();
            assert_eq!((refusal.code().as_str(), refusal.to_string()), (code, sentence.clone()), "{news}");
        }
    }
}

/// A clock that is ten minutes ahead until it is set right.
const AHEAD: Millis = Millis(600_000);

fn receive(inbox: &mut Inbox, now: Millis, text: &str) {
    inbox.handle(now, Input::Receive { text, rounded: false }).unwrap();
}

fn reject(id: &str) -> Input<'static> {
    Input::Decide { request: request(id), decision: Decision::reject(None), seen: None, offer: None }
}

#[test]
fn r41_what_is_held_leaves_after_the_same_time_where_the_clock_is_set_back() {
    let mut inbox = inbox(InboxOptions { hold_rejections: Millis(4000), ..InboxOptions::default() });
    receive(&mut inbox, AHEAD, "ask r1 a {}");
    inbox.handle(AHEAD, reject("r1")).unwrap();
    let outputs = inbox.handle(Millis(1000), Input::Tick).unwrap();
    assert_eq!(outputs, [Output::Changed(0), Output::WakeAt(Millis(5000))]);
    let view = inbox.view(0).unwrap();
    assert_eq!((view.decided_at, view.sends_at), (Some(Millis(1000)), Some(Millis(5000))));
    inbox.handle(Millis(4999), Input::Tick).unwrap();
    assert!(inbox.take_outbound().is_empty());
    inbox.handle(Millis(5000), Input::Tick).unwrap();
    assert_eq!(inbox.take_outbound().len(), 1);
}

#[test]
fn r41_a_deadline_passes_after_the_same_time_where_the_clock_is_set_back() {
    let mut inbox = inbox(InboxOptions::default());
    receive(&mut inbox, AHEAD, "ask r1 a timeout=30000 {}; ask r2 a {}");
    receive(&mut inbox, Millis(1000), "ask r3 a timeout=30000 {}");
    let moments = |inbox: &Inbox, key| inbox.view(key).map(|view| (view.asked_at, view.expires_at));
    let moved = Some((Some(Millis(1000)), Some(Millis(31_000))));
    assert_eq!((moments(&inbox, 0), moments(&inbox, 2)), (moved, moved));
    inbox.handle(Millis(31_000), Input::Tick).unwrap();
    assert_eq!(statuses(&inbox), ["expired", "pending", "expired"]);
    assert_eq!(inbox.handle(Millis(31_000), reject("r3")).unwrap_err().code().as_str(), "expired");
}

#[test]
fn r41_a_moment_that_the_host_named_stays_where_the_clock_is_set_back() {
    let mut inbox = inbox(InboxOptions::default());
    receive(&mut inbox, AHEAD, "ask r1 a timeout=30000 {}; ask r2 a timeout=30000 {}");
    for (id, until) in [("r1", 640_000), ("r2", 620_000)] {
        inbox.handle(AHEAD, Input::Extend { request: request(id), until: Millis(until) }).unwrap();
    }
    inbox.handle(Millis(590_000), Input::Tick).unwrap();
    let ends: Vec<_> = inbox.views().iter().map(|view| view.expires_at).collect();
    // The second one was not prolonged by it.
    assert_eq!(ends, [Some(Millis(640_000)), Some(Millis(620_000))]);
    receive(&mut inbox, Millis(590_000), "ask r1 a timeout=30000 {}");
    inbox.handle(Millis(580_000), Input::Tick).unwrap();
    assert_eq!(
        inbox.view(0).and_then(|view| view.expires_at),
        Some(Millis(640_000)),
        "it is the same request"
    );
}

#[test]
fn r41_a_clock_that_jumps_ahead_lets_requests_expire_and_approves_nothing() {
    let mut inbox = check_with(
        InboxOptions { hold_rejections: Millis(4000), ..InboxOptions::default() },
        r#"
        in   ask r1 a timeout=30000 {}; ask r2 a {}
        in   ask r3 a batch=b held {}; ask r4 a batch=b held {}
        user approve r3
        "#,
    );
    inbox.handle(Millis(u64::MAX), Input::Tick).unwrap();
    assert!(inbox.take_outbound().is_empty());
    assert_eq!(statuses(&inbox), ["expired", "pending", "drafted", "pending"]);
    receive(&mut inbox, Millis(5), "ask r5 a timeout=10 {}");
    assert_eq!(inbox.view(4).and_then(|view| view.expires_at), Some(Millis(15)));
}

#[test]
fn r45_the_record_never_goes_back_in_time() {
    let mut inbox = inbox(InboxOptions::default());
    receive(&mut inbox, AHEAD, "ask r1 a {}; ask r2 a {}; ask r3 a {}");
    for (now, id) in [(AHEAD, "r1"), (Millis(5), "r2"), (AHEAD.after(Millis(1)), "r3")] {
        inbox.handle(now, reject(id)).unwrap();
        inbox.find_for_decision(Millis(6), "nobody", None).unwrap_err();
    }
    let log = inbox.audit().to_json_lines();
    let at = |line: &str| line.split("\"at\":").nth(1).and_then(|rest| rest.split(',').next()?.parse().ok());
    let moments: Vec<u64> = log.lines().filter_map(at).collect();
    assert_eq!(moments.len() as u64, inbox.audit().len());
    assert!(moments.is_sorted() && moments.ends_with(&[600_001, 600_001]), "{moments:?}");
    assert_eq!(verify_audit(log), Ok(()));
}

/// Allows everything before a moment.
#[derive(Debug)]
struct Until(Millis);

impl Policy for Until {
    fn judge(&self, proposal: &Proposal<'_>) -> Verdict {
        Verdict::new(if proposal.now < self.0 { Ruling::Allow } else { Ruling::Ask }, Arc::from("until"))
    }

    fn decided(&mut self, _: &Proposal<'_>, _: &Decision) {}
}

#[test]
fn r41_what_is_over_for_the_policy_does_not_begin_again_where_the_clock_is_set_back() {
    let policy = || Some(Box::new(Until(AHEAD)) as Box<dyn Policy>);
    let mut inbox = inbox(InboxOptions { policy: policy(), ..InboxOptions::default() });
    receive(&mut inbox, Millis(1), "ask r1 a {}");
    assert_eq!(inbox.take_outbound().len(), 1);
    inbox.handle(AHEAD, Input::Tick).unwrap();
    receive(&mut inbox, Millis(2), "ask r2 a {}");
    assert_eq!(statuses(&inbox), ["sending", "pending"]);
    // What was read from history before the clock was set back stays older than what is granted afterwards.
    inbox.handle(AHEAD, Input::Restore { text: "ask r3 a {}".into(), rounded: false }).unwrap();
    inbox.handle(Millis(3), Input::Tick).unwrap();
    let moments = |inbox: &Inbox| inbox.propose(&request("r3"), |sent| (sent.restored, sent.now)).unwrap();
    let (restored, now) = moments(&inbox);
    assert_eq!(restored, Some(now));
    inbox.handle(Millis(4), Input::Tick).unwrap();
    assert_eq!(moments(&inbox), (restored, now.after(Millis(1))));
}
