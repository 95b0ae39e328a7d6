//! A backend that was restarted without its memory knows nothing of what it asked.

use super::check;
use crate::decision::Decision;
use crate::error::ProblemCode;
use crate::ids::Millis;
use crate::inbox::{Inbox, Input, Output};
use crate::options::InboxOptions;
use crate::status::Status;
use crate::testing::{inbox, request};

const GONE: &str = "in forgotten s Session not found";

fn error(inbox: &Inbox) -> Option<String> {
    inbox.views()[0].error.as_ref().map(|words| words.to_string())
}

#[test]
fn what_waits_in_a_forgotten_conversation_is_closed_in_words_and_nothing_is_sent() {
    for waits in [
        "in ask r1 a {}",
        "in ask r1 a blocked {}",
        "in ask r1 a announced {}",
        // A draft whose batch is not complete, and one that was refused.
        "in ask r1 a batch=b held {}; ask r2 a batch=b held {}\nuser approve r1",
        "in ask r1 a {}\nuser approve r1\nout approve r1\nlost 404",
        // On its way, and refused then.
        "in ask r1 a {}\nuser approve r1\nout approve r1",
    ] {
        let after = if waits.ends_with("out approve r1") { "lost 412\n" } else { "" };
        let inbox = check(&format!(
            "{waits}\n{GONE}\n{after}is r1 superseded -\nuser approve r1 ! superseded\nuser retry r1 ! superseded\nout nothing"
        ));
        assert_eq!(error(&inbox).as_deref(), Some("Session not found"), "{waits}");
        assert!(inbox.views().iter().all(|view| view.status.is_settled()), "{waits}");
    }
}

#[test]
fn r43_what_the_host_has_not_taken_is_not_sent_to_a_backend_that_forgot_it_and_that_is_told_once() {
    let mut inbox = inbox(InboxOptions::default());
    let mut tell = |input| inbox.handle(Millis(1), input).unwrap();
    tell(Input::Receive { text: "ask r1 a {}", rounded: false });
    tell(Input::Decide { request: request("r1"), decision: Decision::approve(), seen: None, offer: None });
    for expected in [1, 0] {
        let told = tell(Input::Receive { text: "forgotten * Session not found", rounded: false });
        let problems: Vec<_> = told
            .into_iter()
            .filter_map(|output| if let Output::Problem(problem) = output { Some(problem) } else { None })
            .collect();
        assert_eq!(problems.len(), expected, "{problems:?}");
        assert!(problems.iter().all(|problem| problem.code == ProblemCode::BackendError
            && problem.message.ends_with("and nothing waits there: Session not found")));
    }
    assert!(inbox.take_outbound().is_empty());
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Superseded]);
}

#[test]
fn what_may_have_reached_a_backend_that_forgot_it_keeps_its_decision() {
    let left = "in ask r1 a {}\nuser approve r1\nout approve r1\n";
    let inbox = check(&format!("{left}lost\n{GONE}\nis r1 unknown -\nuser retry r1 ! already-decided"));
    assert!(inbox.views()[0].decision.is_some());
    assert_eq!(error(&inbox).as_deref(), Some("Session not found"));
    check(&format!("{left}sent\n{GONE}\nis r1 approved -\nout nothing"));
    check(&format!("{left}sent\nin run r1\n{GONE}\nis r1 running -"));
    check(&format!("{left}{GONE}\nsent\nis r1 sent -"));
}

#[test]
fn r09_only_what_is_of_the_forgotten_conversation_is_closed() {
    check("in ask r1 a {}\nin forgotten other gone\nis r1 pending approve,edit,reject");
    check("in ask r1 a {}\nin forgotten * gone\nis r1 superseded -");
    check(&format!("in call c1 a {{}}; ask r1 a {{}}\nin outcome r1 completed\n{GONE}\nis r1 completed -"));
}

#[test]
fn r39_a_conversation_that_turns_up_again_waits_for_a_person() {
    let inbox = check(&format!(
        "in ask r1 a {{}}\nuser approve r1\nout approve r1\nlost 404\n{GONE}\nin ask r1 a {{}}\n\
         is r1 pending approve,edit,reject\nout nothing"
    ));
    assert_eq!(error(&inbox), None);
    // What has superseded it stays where it is.
    check(&format!("in ask r1 a {{}}\nin close r1 superseded\n{GONE}\nin ask r1 a {{}}\nis r1 superseded -"));
}
