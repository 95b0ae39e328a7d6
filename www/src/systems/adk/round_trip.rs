//! Agent and inbox: what one says the other understands, with both gates.

use countersign_connect::Host;
use countersign_core::{Decision, Status};

use crate::systems::Wire;
use crate::systems::pair::{
    CONVERSATION, NOW, Pair, check_approval, check_edit, check_retry, draft, edit, said,
};
use crate::systems::script::APPROVALS;

fn with_both_gates(check: impl Fn(Pair)) {
    [Wire::AdkPlain, Wire::AdkDeepagents].into_iter().for_each(|wire| check(Pair::new(wire)));
}

#[test]
fn an_approved_call_runs_with_the_exact_text_that_was_shown() {
    with_both_gates(check_approval);
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
    check_edit(Pair::new(Wire::AdkDeepagents));
}

#[test]
fn an_edit_that_removes_a_member_is_refused_and_nothing_runs() {
    let mut pair = Pair::new(Wire::AdkDeepagents);
    pair.say("delete");
    pair.draft(0, edit("{}"));
    assert!(pair.shell.notice().is_some());
    assert_eq!((pair.cards(), pair.shell.take_outbound().len()), (vec!["delete_file pending".to_owned()], 0));
}

#[test]
fn only_adk_deepagents_offers_edits() {
    with_both_gates(|mut pair| {
        pair.say("delete");
        let expected: &[&str] = match pair.wire {
            Wire::AdkPlain => &["approve", "reject"],
            _ => &["approve", "edit", "reject"],
        };
        assert_eq!(pair.offers(0), expected);
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
        assert_eq!(pair.asker(1), ["k8s_agent"]);
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
        draft(&mut other, 0, Decision::reject(None), NOW);
        let outbound = other.take_outbound().pop().expect("a decision");
        let fault = pair.agent.send(CONVERSATION, &outbound.body, NOW).expect_err("it was decided");
        assert_eq!(fault.status(), Some(409));
        other.failed(outbound.id, fault.status(), fault.message, NOW);
        other.read_again(&pair.history(), NOW);
        assert!(matches!(other.views()[0].status, Status::Completed | Status::Conflict));
        assert_eq!(pair.executed().len(), 1);
    });
}

#[test]
fn a_send_that_failed_is_repeated_unchanged_and_runs_once() {
    with_both_gates(|pair| check_retry(pair, Some(503)));
}

#[test]
fn what_is_said_is_the_same_after_a_reload() {
    with_both_gates(|mut pair| {
        pair.say(APPROVALS[0]);
        pair.decide(1, Decision::approve());
        pair.decide(2, Decision::approve());
        let reloaded = pair.other_page();
        assert_eq!(said(&pair.shell), said(&reloaded));
        assert_eq!(reloaded.bubbles()[0].text, APPROVALS[0]);
    });
}
