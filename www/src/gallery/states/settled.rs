//! What needs nobody any more.

use std::sync::Arc;

use countersign_core::{DecisionFields, Question, RequestView, Status};

use super::{State, call, decided, settled, state};

/// What needs nobody any more: in a panel as a row of the history, and some of it as a card that stands alone.
pub(super) fn states() -> Vec<State> {
    let mut states = rows();
    states.extend(cards());
    states
}

fn remove() -> RequestView {
    call(1, "delete_file", r#"{"path":"/srv/reports/2019.csv"}"#)
}

fn completed() -> RequestView {
    let result_text = Some(r#"{"deleted":true,"bytes":18244}"#.into());
    RequestView { result_text, ..decided(Status::Completed, "approve", remove()) }
}

fn failed() -> RequestView {
    let error = Some(Arc::from("permission denied: /srv/reports/2019.csv"));
    RequestView { error, ..decided(Status::Failed, "approve", remove()) }
}

fn rejected() -> RequestView {
    let reason = Some(Arc::from("Not before Friday: the figures are not final."));
    RequestView { reason, ..decided(Status::Rejected, "reject", remove()) }
}

fn answered() -> RequestView {
    let question = |question: &str, choices: &[&str]| Question {
        question: question.to_owned(),
        choices: choices.iter().map(ToString::to_string).collect(),
        multiple: true,
    };
    let questions = [question("Which database?", &["PostgreSQL", "MySQL"]), question("Anything else?", &[])];
    let mut view = decided(Status::Responded, "answer", call(1, "ask_user", "{}"));
    let answers = vec![vec!["PostgreSQL".to_owned()], vec!["No.".to_owned()]];
    view.decision = view.decision.map(|decision| DecisionFields { answers: Some(answers), ..decision });
    RequestView { questions: Some(Arc::from(questions)), ..view }
}

fn responded() -> RequestView {
    let mut view = decided(Status::Responded, "respond", remove());
    let text = "Keep it; archive it under /srv/archive instead.".to_owned();
    view.decision = view.decision.map(|decision| DecisionFields { text: Some(text), ..decision });
    view
}

fn rows() -> Vec<State> {
    let by_rule = |status, rule: &str| RequestView {
        automatic: true,
        rule: Some(Arc::from(rule)),
        ..decided(status, if status == Status::Rejected { "reject" } else { "approve" }, remove())
    };
    vec![
        state(
            "requested",
            "A call that nothing gates",
            [RequestView { request: None, ..settled(Status::Requested, remove()) }],
        ),
        state("sent", "Sent, the agent is silent", [decided(Status::Sent, "approve", remove())]),
        state("approved", "Approved", [decided(Status::Approved, "approve", remove())]),
        state("running", "It runs", [decided(Status::Running, "approve", remove())]),
        state("completed", "It ran", [completed()]),
        state("failed", "It ran and failed", [failed()]),
        state("rejected", "Rejected", [rejected()]),
        state("responded", "Answered with words", [responded()]),
        state("answered", "Questions that were answered", [answered()]),
        state("ignored", "Ignored", [decided(Status::Rejected, "ignore", remove())]),
        state("cancelled", "Cancelled", [settled(Status::Cancelled, remove())]),
        state("expired", "Nobody answered in time", [settled(Status::Expired, remove())]),
        state("superseded", "The conversation moved on", [settled(Status::Superseded, remove())]),
        state("conflict", "Someone else decided first", [settled(Status::Conflict, remove())]),
        state("unknown", "Settled, nobody knows how", [settled(Status::Unknown, remove())]),
        state("automatic", "Approved by a rule", [by_rule(Status::Completed, "reports-are-safe")]),
        state(
            "automatic-rejection",
            "Rejected by a rule",
            [by_rule(Status::Rejected, "nothing-outside-srv")],
        ),
    ]
}

fn cards() -> Vec<State> {
    let alone = |name, heading, view| State { alone: true, ..state(name, heading, [view]) };
    vec![
        alone("card-pending", "A card that stands alone", remove()),
        alone("card-sent", "Sent, as a card", decided(Status::Sent, "approve", remove())),
        alone("card-running", "It runs, as a card", decided(Status::Running, "approve", remove())),
        alone("card-completed", "It ran, as a card", completed()),
        alone("card-failed", "It failed, as a card", failed()),
        alone("card-rejected", "Rejected, as a card", rejected()),
        alone("card-responded", "Answered with words, as a card", responded()),
        alone("card-answered", "Questions that were answered, as a card", answered()),
        alone("card-expired", "Nobody answered in time, as a card", settled(Status::Expired, remove())),
        alone("card-conflict", "Someone else decided first, as a card", settled(Status::Conflict, remove())),
    ]
}
