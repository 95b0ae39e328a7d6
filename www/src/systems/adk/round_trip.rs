//! Agent and inbox: what one says the other understands, with both gates.

use countersign_core::{Decision, Millis, RequestView, Status};
use countersign_yew::Intent;

use super::agent::Agent;
use crate::backend::Fault;
use crate::shell::Shell;
use crate::systems::script::APPROVALS;
use crate::systems::{Agent as _, Wire, Words};

const NOW: Millis = Millis(1_795_190_359_000);
const BIG: &str = "2512292042121000001";

/// A person's page and the agent behind it.
struct Pair {
    wire: Wire,
    agent: Agent,
    shell: Shell,
}

impl Pair {
    fn new(wire: Wire) -> Pair {
        Pair { wire, agent: Agent::new(wire, 1), shell: Shell::new(wire, "seed", Millis(0)) }
    }

    fn say(&mut self, text: &str) {
        let words = Words { id: "u", conversation: "s", waiting: None, text, now: NOW };
        let message = self.wire.system().words(&words);
        self.post(&message).expect("words are taken");
    }

    fn post(&mut self, message: &str) -> Result<(), Fault> {
        for event in self.agent.send("s", message, NOW)? {
            self.shell.receive(&event, NOW);
            assert_eq!(self.shell.notice(), None, "{event}");
        }
        Ok(())
    }

    /// Decides the card at this place, and sends what is due.
    fn decide(&mut self, place: usize, decision: Decision) {
        self.draft(place, decision);
        assert_eq!(self.shell.notice(), None);
        for outbound in self.shell.take_outbound() {
            self.shell.delivered(outbound.id.clone(), NOW);
            self.post(&outbound.body).expect("the answer fits");
        }
    }

    fn draft(&mut self, place: usize, decision: Decision) {
        let view = self.view(place);
        let intent = Intent::Decide { request: view.id.clone(), decision, seen: view.args_digest.clone() };
        self.shell.act(intent, NOW);
    }

    fn view(&self, place: usize) -> RequestView {
        RequestView::clone(&self.shell.views()[place])
    }

    /// Another page with the same session.
    fn other_page(&self) -> Shell {
        let mut other = Shell::new(self.wire, "other", Millis(0));
        other.restore(&self.agent.history("s").expect("a session"), NOW);
        assert_eq!(other.notice(), None);
        other
    }

    /// The cards as `tool status`, also as a reload shows them: both must be the same.
    fn cards(&self) -> Vec<String> {
        let lines = |shell: &Shell| -> Vec<String> {
            shell.views().iter().map(|view| format!("{} {}", view.tool, view.status.as_str())).collect()
        };
        let live = lines(&self.shell);
        assert_eq!(live, lines(&self.other_page()), "a reload shows the same cards");
        live
    }

    /// What ran, as `tool arguments`.
    fn executed(&self) -> Vec<String> {
        self.agent.executed().iter().map(|call| format!("{} {}", call.tool, call.args)).collect()
    }
}

fn with_both_gates(check: impl Fn(Pair)) {
    [Wire::AdkPlain, Wire::AdkDeepagents].into_iter().for_each(|wire| check(Pair::new(wire)));
}

#[test]
fn an_approved_call_runs_with_the_exact_text_that_was_shown() {
    with_both_gates(|mut pair| {
        pair.say(&format!("transfer amount=1250.00 reference={BIG}"));
        assert_eq!(pair.cards(), ["transfer_funds pending"]);
        let shown = pair.view(0).args_text;
        assert!(shown.contains("1250.00") && shown.contains(BIG), "{shown}");
        pair.decide(0, Decision::approve());
        assert_eq!(pair.cards(), ["transfer_funds completed"]);
        assert_eq!(pair.executed(), [format!("transfer_funds {shown}")]);
    });
}

#[test]
fn a_rejected_call_does_not_run_and_the_session_keeps_the_reason() {
    with_both_gates(|mut pair| {
        pair.say("delete");
        pair.decide(0, Decision::reject(Some("not \"today\"")));
        assert_eq!(pair.cards(), ["delete_file rejected"]);
        assert_eq!(pair.executed(), Vec::<String>::new());
        assert_eq!(pair.view(0).reason.as_deref(), Some("not \"today\""));
        assert_eq!(pair.other_page().views()[0].reason.as_deref(), Some("not \"today\""));
    });
}

#[test]
fn an_edit_is_laid_over_the_call_and_leaves_other_numbers_alone() {
    let mut pair = Pair::new(Wire::AdkDeepagents);
    pair.say(&format!("transfer amount=1250.00 reference={BIG}"));
    let edited = pair.view(0).args_text.replace("1250.00", "7.50");
    pair.decide(0, Decision::Edit { args: edited.as_str().into(), note: None });
    assert_eq!(pair.cards(), ["transfer_funds completed"]);
    assert_eq!(pair.executed(), [format!("transfer_funds {edited}")]);
    assert!(edited.contains(BIG));
}

#[test]
fn an_edit_that_removes_a_member_is_refused_and_nothing_runs() {
    let mut pair = Pair::new(Wire::AdkDeepagents);
    pair.say("delete");
    pair.draft(0, Decision::Edit { args: "{}".into(), note: None });
    assert!(pair.shell.notice().is_some());
    assert_eq!((pair.cards(), pair.shell.take_outbound().len()), (vec!["delete_file pending".to_owned()], 0));
}

#[test]
fn only_adk_deepagents_offers_edits() {
    with_both_gates(|mut pair| {
        pair.say("delete");
        let offers: Vec<&str> = pair.view(0).offers.iter().map(|offer| offer.kind.as_str()).collect();
        let expected: &[&str] = match pair.wire {
            Wire::AdkPlain => &["approve", "reject"],
            _ => &["approve", "edit", "reject"],
        };
        assert_eq!(offers, expected);
    });
}

#[test]
fn three_calls_of_one_turn_wait_for_one_another() {
    with_both_gates(|mut pair| {
        pair.say("delete path=/srv/d and email and transfer amount=5");
        pair.decide(2, Decision::approve());
        pair.decide(0, Decision::approve());
        assert_eq!(pair.executed(), Vec::<String>::new());
        pair.decide(1, Decision::reject(Some("Alice is on leave")));
        assert_eq!(
            pair.cards(),
            ["delete_file completed", "send_email rejected", "transfer_funds completed"]
        );
        assert_eq!(pair.executed().len(), 2);
    });
}

#[test]
fn equal_calls_are_decided_each_for_itself_in_any_order() {
    with_both_gates(|mut pair| {
        pair.say("delete path=/srv/a then delete path=/srv/a");
        let second = pair.view(1).id;
        assert_ne!(pair.view(0).id, second);
        pair.decide(1, Decision::reject(None));
        pair.decide(0, Decision::approve());
        assert_eq!(pair.cards(), ["delete_file completed", "delete_file rejected"]);
        assert_eq!(pair.executed(), [r#"delete_file {"path":"/srv/a"}"#]);
    });
}

#[test]
fn a_call_that_nothing_gates_is_a_card_without_offers() {
    with_both_gates(|mut pair| {
        pair.say(APPROVALS[0]);
        assert_eq!(pair.cards(), ["read_file completed", "delete_file pending", "transfer_funds pending"]);
        assert!(pair.view(0).offers.is_empty());
    });
}

#[test]
fn the_agent_that_took_over_asks_in_its_own_name() {
    with_both_gates(|mut pair| {
        pair.say("delegate: delete path=/srv/a then delete path=/srv/b");
        let cards = pair.cards();
        assert_eq!(cards, ["transfer_to_agent completed", "delete_file pending", "delete_file pending"]);
        let path: Vec<String> = pair.view(1).agent.iter().map(|it| it.to_string()).collect();
        assert_eq!(path, ["k8s_agent"]);
        pair.decide(1, Decision::reject(None));
        pair.decide(2, Decision::approve());
        assert_eq!(pair.executed(), [r#"delete_file {"path":"/srv/b"}"#]);
    });
}

#[test]
fn typed_text_ends_no_wait_and_two_turns_are_decided_each_for_itself() {
    with_both_gates(|mut pair| {
        pair.say("delete path=/srv/a");
        pair.say("wait, hello?");
        pair.say("delete path=/srv/b");
        assert_eq!(pair.cards(), ["delete_file pending", "delete_file pending"]);
        pair.decide(1, Decision::approve());
        assert_eq!(pair.cards(), ["delete_file pending", "delete_file completed"]);
        pair.decide(0, Decision::reject(None));
        assert_eq!(pair.cards(), ["delete_file rejected", "delete_file completed"]);
        assert_eq!(pair.executed(), [r#"delete_file {"path":"/srv/b"}"#]);
    });
}

#[test]
fn a_second_page_loses_the_race_and_sees_who_won() {
    with_both_gates(|mut pair| {
        pair.say("delete");
        let mut other = pair.other_page();
        pair.decide(0, Decision::approve());
        let view = other.views()[0].clone();
        let (request, seen) = (view.id.clone(), view.args_digest.clone());
        other.act(Intent::Decide { request, decision: Decision::reject(None), seen }, NOW);
        let outbound = other.take_outbound().pop().expect("a decision");
        let fault = pair.agent.send("s", &outbound.body, NOW).expect_err("it was decided");
        assert_eq!(fault.status, Some(409));
        other.failed(outbound.id, fault.status, fault.message, NOW);
        other.refresh(&pair.agent.history("s").expect("a session"), NOW);
        assert!(matches!(other.views()[0].status, Status::Completed | Status::Conflict));
        assert_eq!(pair.executed().len(), 1);
    });
}

#[test]
fn a_send_that_failed_is_repeated_unchanged_and_runs_once() {
    with_both_gates(|mut pair| {
        pair.say("delete");
        pair.draft(0, Decision::approve());
        let first = pair.shell.take_outbound().pop().expect("a decision");
        pair.shell.failed(first.id, Some(503), "not available".to_owned(), NOW);
        assert_eq!((pair.view(0).status, pair.executed().len()), (Status::Drafted, 0));
        let view = pair.view(0);
        pair.shell.act(Intent::Retry(view.id), NOW);
        let second = pair.shell.take_outbound().pop().expect("the decision again");
        assert_eq!(first.body, second.body);
        pair.shell.delivered(second.id, NOW);
        pair.post(&second.body).expect("the answer fits");
        assert_eq!((pair.cards(), pair.executed().len()), (vec!["delete_file completed".to_owned()], 1));
    });
}

#[test]
fn what_is_said_is_the_same_after_a_reload() {
    with_both_gates(|mut pair| {
        pair.say(APPROVALS[0]);
        pair.decide(1, Decision::approve());
        pair.decide(2, Decision::approve());
        let said = |shell: &Shell| -> Vec<String> {
            let agent = shell.bubbles().iter().filter(|bubble| bubble.role.as_str() == "agent");
            agent.map(|bubble| bubble.text.clone()).collect()
        };
        let reloaded = pair.other_page();
        assert_eq!(said(&pair.shell), said(&reloaded));
        assert_eq!(reloaded.bubbles()[0].text, APPROVALS[0]);
    });
}
